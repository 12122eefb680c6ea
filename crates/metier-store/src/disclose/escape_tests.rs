use super::*;

#[test]
fn a_text_stays_between_its_tags() {
    // D5
    let check = |text: &str, expect: &str| assert_eq!(xml_text(text), expect);
    check("one\r\ntwo\rthree", "one\ntwo\\u{d}three");
    check("plain", "plain");
    check("Use <foo> & \"bar\" it's", "Use &lt;foo&gt; &amp; &quot;bar&quot; it&#x27;s");
    check("two\nlines\ttab", "two\nlines\ttab");
    check("\u{fffe}\u{ffff}\u{fffd}", "\\u{fffe}\\u{ffff}\u{fffd}");
    check("\u{1b}[31m\r\u{202e}x\u{e0041}", "\\u{1b}[31m\\u{d}\\u{202e}x\\u{e0041}");
}

#[test]
fn an_attribute_stays_between_its_quotes_and_on_its_line() {
    // D5
    let check = |text: &str, expect: &str| assert_eq!(xml_attribute(text), expect);
    check("one\r\ntwo", "one&#10;two");
    check("a\" b='c'", "a&quot; b=&#x27;c&#x27;");
    check("two\nlines\ttab", "two&#10;lines&#9;tab");
    check("/><evil", "/&gt;&lt;evil");
}

#[test]
fn a_line_stays_a_line() {
    // D5
    assert_eq!(xml_line("a\n  \"b\": <c> & d's"), "a \"b\": &lt;c&gt; &amp; d's");
    assert_eq!(xml_quoted("a\": \\ <b>"), "\"a\\\": \\\\ &lt;b&gt;\"");
}

#[test]
fn nothing_in_a_line_is_markdown() {
    // D5
    let check = |text: &str, expect: &str| assert_eq!(markdown(text), expect, "{text}");
    check(
        "plain text, with - dashes # and 1. numbers",
        "plain text, with - dashes # and 1. numbers",
    );
    check("a\n- **evil**: b", "a - \\*\\*evil\\*\\*: b");
    check("`code` [link](x) <b>", "\\`code\\` \\[link\\](x) \\<b\\>");
    check("snake_case stays, _this_ does not", "snake_case stays, \\_this\\_ does not");
    check("R&D &amp; &#38; &; & x", "R&D \\&amp; \\&#38; &; & x");
    check("end\\", "end\\\\");
    check("  hard break  ", "hard break");
    check("\u{2028}x", "\\\\u{2028}x");
}

#[test]
fn a_json_string_holds_no_live_character() {
    // D5
    assert_eq!(json("a\"b\nc\u{202e}\u{7}"), r#""a\"b\nc\\u{202e}\\u{7}""#);
}
