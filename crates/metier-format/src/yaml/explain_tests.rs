use crate::yaml::{YamlErrorKind, read_full};

/// What is said about `text`, and which part of it is marked.
fn check(text: &str, marked: &str, message: &str) {
    let base = 50;
    let file = format!("{}{text}", "#".repeat(base));
    let error = read_full(text, base).expect_err(text);
    assert_eq!(error.message, message, "{text:?}");
    assert_eq!(error.span.slice(&file), marked, "{text:?}");
}

#[test]
fn a_colon_in_a_plain_value_says_to_quote_it() {
    // F3
    let message = "A value without quotes contains `: ` or ends with `:`; put the value in quotes";
    check("description: Use when: x\n", "Use when: x", message);
    check("description: Use when:\n", "Use when:", message);
    check("a: b\ndescription: é: x  \r\nc: d\n", "é: x", message);
    check("a: \"b\": c\n", "\"b\": c", message);
    check("a: one\n  two: three\n", "two: three", message);
}

#[test]
fn a_value_that_starts_with_an_indicator_says_to_quote_it() {
    // F3
    let starts = |what: &str| format!("A value cannot start with {what}; put it in quotes");
    check("a: @b\n", "@b", &starts("`@`"));
    check("a: `b` c\n", "`b` c", &starts("`` ` ``"));
    check("a: %b\n", "%b", &starts("`%`"));
    check("a: ? b\n", "? b", &starts("`? `"));
    check("a: * b\n", "* b", &starts("`*` or `&`"));
    check("a: ,b\n", ",b", &starts("this character"));
    check("a: !b! c\n", "!b! c", "A value that starts with `!` is a tag; put it in quotes");
    let list =
        "A list item (`- `) cannot start here; give it a line of its own, or quote the value";
    check("a: - b\n", "- b", list);
    check("a: b\n- c\n", "- c", list);
    let block =
        "Text follows `|` or `>` on the same line; start it on the next, or quote the value";
    check("a: > b\n", "> b", block);
    check("a: |b\n", "|b", block);
}

#[test]
fn text_after_a_closed_value_says_to_quote_the_whole() {
    // F3
    let message = "Text follows the end of the value; put the whole value in quotes";
    check("a: [beta] b\n", "[beta] b", message);
    check("a: {b} c\n", "{b} c", message);
    check("a: \"b\" c\n", "\"b\" c", message);
    check("a: 'b' c\n", "'b' c", message);
}

#[test]
fn an_open_quote_or_bracket_is_named() {
    // F3
    check("a: \"b\n", "", "A quote is opened and never closed");
    check("a: \"b", "\"b", "A quote is opened and never closed");
    check("a: \"b\n  c: d", "\"b", "A quote is opened and never closed");
    let open = "The quoted value above is left open, and this line is not indented to continue it";
    check("a: 'b\nc: d\n", "c", open);
    check("a: [b\n", "[", "`[` is opened and never closed");
    check("a: {b: c\n", "{", "`{` is opened and never closed");
    check("a: [b}\n", "[", "`[` is closed by `}`");
    check("a: ]\n", "]", "A bracket is closed that was never opened; put the value in quotes");
    check(
        "a: [\"b\" c]\n",
        "[\"b\" c]",
        "Text follows the end of the value; put the whole value in quotes",
    );
    check("a: [[b] c]\n", "c", "A `,` or a closing bracket is missing before this");
    let colon = "A `:` cannot stand here; a bracket or quote before it may be left open";
    check("a: [b, c\nd: e\n", ":", colon);
}

#[test]
fn wrong_indentation_is_named() {
    // F3
    let message = "The indentation of this line fits no line above it";
    check(" a: b\nc: d\n", "c", message);
    check("a:\n  b: c\n d: e\n", "d", message);
    let line = "This line is not `key: value`; indent it if it continues the value above";
    check("a: b\nno key here\nc: d\n", "no key here", line);
}

#[test]
fn the_rest_is_named_too() {
    // F3, F4
    check("%YAML 1.2\n", "%", "A line cannot start with `%`");
    check("a: b\n... c\n", "c", "Text follows `...`, which ends the YAML");
    check("a: 'b'# c\n", "#", "A comment needs a space before its `#`");
    let comment = "A comment stands inside a value that goes on in the next line";
    check("a: b # c\n  d\n", "#", comment);
    check("a: x\u{7}y\n", "\u{7}", "The control character U+0007 is not allowed");
    check("a: \u{feff}b\n", "\u{feff}", "A byte-order mark stands inside the text; remove it");
    check("a: |0\n  b\n", "|", "The indentation after `|` or `>` cannot be 0");
    let escape =
        r"An unknown `\` escape in double quotes; double the backslash, or use single quotes";
    check("a: \"\\q\"\n", "\"\\q\"", escape);
    check("a: \"C:\\users\"\n", "\"C:\\users\"", escape);
    check("a: {b:[c]}\n", ":", "A space is missing after `:`");
}

#[test]
fn what_cannot_be_used_is_named_with_what_to_do_instead() {
    // F3, F4
    let alias = "An alias (`*name`) is not allowed; write the value out, or quote it";
    check("a: *b\n", "*b", alias);
    check("a: *b c\n", "*b", alias);
    let anchor = "An anchor (`&name`) is not allowed; remove it, or quote the value";
    check("a: &b c\n", "&b", anchor);
    let tag = "A tag (`!name`) is not allowed; remove it, or quote the value";
    check("a: !!int 1\n", "!!int", tag);
    check("? [a]\n: b\n", "[", "A key is a list or a map; keys must be text");
    check("", "", "The frontmatter is empty");
    check("# a\n", "", "The frontmatter is empty");
    check("a b c\n", "a b c", "The frontmatter is text, not `key: value` lines");
    check("- a\n", "", "The frontmatter is a list, not `key: value` lines");
    check("a: b\n--- # c\n", "---", "The frontmatter holds several YAML documents");
}

#[test]
fn limits_are_named_with_their_number() {
    // F4
    let deep = format!("a: {}\n", "[".repeat(30));
    check(&deep, "[", "Values are nested more than 16 levels deep");
    let wide = format!("a: [{}]\n", "b,".repeat(5000));
    check(&wide, "b", "The frontmatter has more than 4096 values");
}

#[test]
fn the_value_is_marked_on_its_own_line_only() {
    // F3
    let message = "A value without quotes contains `: ` or ends with `:`; put the value in quotes";
    check("a: b\rc: d: e\rf: g\r", "d: e", message);
    check("a: b\r\nc:\td: e\t\r\nf: g\r\n", "d: e", message);
    check("m:\n  a: b: c\n  d: e\n", "b: c", message);
    check("a: b: c", "b: c", message);
}

#[test]
fn every_error_has_a_message_of_ours_and_a_place_inside_the_text() {
    // F3, F4
    let pieces =
        ["a:", " ", "b", "\n", "- ", "[", "}", "'", "\"", "\t", "|", ": ", "&", "!", "é", "#"];
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let Err(error) = read_full(&text, 0) else { continue };
        assert!(text.get(error.span.range()).is_some(), "{text:?}: {error:?}");
        assert!(error.message.len() > 10 && !error.message.ends_with('.'), "{text:?}: {error:?}");
        let tag = matches!(error.kind, YamlErrorKind::Tag);
        assert!(!tag || text.contains('!'), "{text:?}: {error:?}");
    }
}
