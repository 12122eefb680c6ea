use super::*;
use crate::yaml::read_full;

/// The tree as JSON, top map included.
fn json(text: &str) -> String {
    let tree = read_full(text, 0).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    let root = Node { value: Value::Mapping(tree.entries), span: Span::at(0) };
    root.to_json().to_string()
}

fn check(text: &str, expect: &str) {
    assert_eq!(json(text), expect, "{text:?}");
}

fn refused(text: &str) -> YamlError {
    match read_full(text, 0) {
        Err(error) => error,
        Ok(tree) => panic!("{text:?} gave {tree:?}"),
    }
}

fn check_kind(text: &str, kind: YamlErrorKind) {
    assert_eq!(refused(text).kind, kind, "{text:?}");
}

/// Every key and value as the text its place covers, outermost first.
fn places(text: &str) -> Vec<String> {
    let base = 100;
    let file = format!("{}{text}", "#".repeat(base));
    let mut found = Vec::new();
    for entry in &read_full(text, base).expect("a tree").entries {
        entry_places(&file, entry, &mut found);
    }
    found
}

fn entry_places(file: &str, entry: &Entry<'_>, found: &mut Vec<String>) {
    found.push(entry.key_span.slice(file).to_owned());
    node_places(file, &entry.value, found);
}

fn node_places(file: &str, node: &Node<'_>, found: &mut Vec<String>) {
    found.push(node.span.slice(file).to_owned());
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| node_places(file, item, found)),
        Value::Mapping(entries) => {
            entries.iter().for_each(|entry| entry_places(file, entry, found));
        }
    }
}

fn check_places(text: &str, expect: &[&str]) {
    assert_eq!(places(text), expect, "{text:?}");
}

#[test]
fn strings_stay_strings() {
    // F1
    check("version: 1.10\n", r#"{"version":"1.10"}"#);
    check(
        "a: no\nb: null\nc: ~\nd: 2024-01-01\n",
        r#"{"a":"no","b":"null","c":"~","d":"2024-01-01"}"#,
    );
    check("name: 123\n", r#"{"name":"123"}"#);
    check("a: '~'\nb: \"\"\n", r#"{"a":"~","b":""}"#);
}

#[test]
fn a_key_without_a_value_has_empty_text() {
    // F1
    check("a:\nb:   \nc: # nothing\n", r#"{"a":"","b":"","c":""}"#);
    check("a: {b, c: , d: }\n", r#"{"a":{"b":"","c":"","d":""}}"#);
    check("a:\n  -\n  - b\n", r#"{"a":["","b"]}"#);
    let tree = read_full("a:\n", 0).expect("a tree");
    let absent = Scalar { text: "".into(), style: Style::Plain };
    assert_eq!(tree.entries[0].value, Node { value: Value::Scalar(absent), span: Span::at(2) });
}

#[test]
fn block_and_flow_styles_read_the_same() {
    // F1
    let expect = r#"{"a":{"b":["c","d"],"e":"f"}}"#;
    check("a:\n  b:\n  - c\n  - d\n  e: f\n", expect);
    check("a:\n    b:\n      - c\n      - d\n    e: f\n", expect);
    check("a: {b: [c, d], e: f}\n", expect);
    check("{a: {b: [c, d], e: f}}\n", expect);
    check("{\"a\": {\"b\":[\"c\",\"d\"],\"e\":\"f\"}}\n", expect);
    check("a:\n  b: [\n    c,\n    d,\n  ]\n  e: f\n", expect);
}

#[test]
fn quotes_folds_and_escapes_are_undone() {
    // F1
    check("a: 'it''s'\n", r#"{"a":"it's"}"#);
    check("a: \"b\\n\\u00e9 \\\"c\\\"\"\n", "{\"a\":\"b\\né \\\"c\\\"\"}");
    check("a: one\n  two\n\n  three\n", r#"{"a":"one two\nthree"}"#);
    check("a: >\n  one\n  two\n\n  three\n", r#"{"a":"one two\nthree\n"}"#);
    check("a: |\n  one\n    two\n\n", r#"{"a":"one\n  two\n"}"#);
    check("a: >-\n  one\n  two\n", r#"{"a":"one two"}"#);
    check("a: |+\n  one\n\n", r#"{"a":"one\n\n"}"#);
}

#[test]
fn every_line_end_works() {
    // F1
    let expect = r#"{"a":"b","c":["d","e"],"f":"g\nh\n"}"#;
    let text = "a: b\nc:\n  - d\n  - e\nf: |\n  g\n  h\n";
    check(text, expect);
    check(&text.replace('\n', "\r\n"), expect);
    check(&text.replace('\n', "\r"), expect);
    check(text.trim_end(), expect);
}

#[test]
fn unusual_yaml_is_still_yaml() {
    // F1
    check("? a\n: b\n", r#"{"a":"b"}"#);
    check("? a\n", r#"{"a":""}"#);
    check(": b\n", r#"{"":"b"}"#);
    check("'a b': c\n\"d\": e\n", r#"{"a b":"c","d":"e"}"#);
    check("--- # a comment\na: b\n...\n", r#"{"a":"b"}"#);
    check("a: [b: c, d]\n", r#"{"a":[{"b":"c"},"d"]}"#);
    check("a:\tb\n", r#"{"a":"b"}"#);
    check("\u{feff}a: b\n", r#"{"a":"b"}"#);
}

/// Frontmatter and the JSON it reads as, one case a line.
const CASES: &[(&str, &str)] = &[
    // Plain scalars hold most characters where they mean nothing.
    ("a: b, c; d? e! (f) <g> h=i", r#"{"a":"b, c; d? e! (f) <g> h=i"}"#),
    ("a: it's 5 > 3 & [so] {on}", r#"{"a":"it's 5 > 3 & [so] {on}"}"#),
    ("a: b:c", r#"{"a":"b:c"}"#),
    ("a: :b", r#"{"a":":b"}"#),
    ("a: ?b", r#"{"a":"?b"}"#),
    ("a: -b", r#"{"a":"-b"}"#),
    ("a: --- b", r#"{"a":"--- b"}"#),
    ("a: b#c", r##"{"a":"b#c"}"##),
    ("a: b - c", r#"{"a":"b - c"}"#),
    ("a: \\b\\n", r#"{"a":"\\b\\n"}"#),
    ("a: \u{2028}", "{\"a\":\"\u{2028}\"}"),
    ("a: 🦀 b", r#"{"a":"🦀 b"}"#),
    // Comments.
    ("a: b # c", r#"{"a":"b"}"#),
    ("a: 'b # c' # d", r#"{"a":"b # c"}"#),
    ("# a\n# b\nc: d", r#"{"c":"d"}"#),
    ("a:\n  # b\n  c: d\n  # e\n  f: g", r#"{"a":{"c":"d","f":"g"}}"#),
    ("a: [b, # c\n  d]", r#"{"a":["b","d"]}"#),
    ("a:\n- b\n# c\n- d", r#"{"a":["b","d"]}"#),
    // Keys.
    ("a b: c", r#"{"a b":"c"}"#),
    ("a : b", r#"{"a":"b"}"#),
    ("1: 2", r#"{"1":"2"}"#),
    ("a:b: c", r#"{"a:b":"c"}"#),
    ("é: b", r#"{"é":"b"}"#),
    ("'': b", r#"{"":"b"}"#),
    ("\"a\\tb\": c", r#"{"a\tb":"c"}"#),
    ("~: a\nnull: b", r#"{"~":"a","null":"b"}"#),
    // Quotes.
    ("a: ''", r#"{"a":""}"#),
    ("a: ''''", r#"{"a":"'"}"#),
    ("a: '\\n'", r#"{"a":"\\n"}"#),
    ("a: \"\\x41\\u0042\\U00000043\"", r#"{"a":"ABC"}"#),
    ("a: \"b\\\n  c\"", r#"{"a":"bc"}"#),
    ("a: 'b\n\n  c'", r#"{"a":"b\nc"}"#),
    ("a: \" b \"", r#"{"a":" b "}"#),
    // Plain scalars over lines.
    ("a:\n  b\n  c", r#"{"a":"b c"}"#),
    ("a: b\n c\n   d", r#"{"a":"b c d"}"#),
    ("a: b\n\n\n  c", r#"{"a":"b\n\nc"}"#),
    ("a:\n  b #1", r#"{"a":"b"}"#),
    // Block scalars.
    ("a: |\n b\n  c\n d", r#"{"a":"b\n c\nd\n"}"#),
    ("a: |2\n   b", r#"{"a":" b\n"}"#),
    ("a: |-\n\n  b", r#"{"a":"\nb"}"#),
    ("a: >\n  b\n    c\n  d", r#"{"a":"b\n  c\nd\n"}"#),
    ("a: >-\n  # b\n  - c: d", r##"{"a":"# b - c: d"}"##),
    ("a: |\n  ---\n  ...", r#"{"a":"---\n...\n"}"#),
    ("a: |", r#"{"a":""}"#),
    ("a:\n  b: |\n    c\n  d: e", r#"{"a":{"b":"c\n","d":"e"}}"#),
    // Lists and maps.
    ("a: []", r#"{"a":[]}"#),
    ("a: {}", r#"{"a":{}}"#),
    ("a: [b, ]", r#"{"a":["b"]}"#),
    ("a: ['b', \"c\"]", r#"{"a":["b","c"]}"#),
    ("a: [[b], [c, [d]]]", r#"{"a":[["b"],["c",["d"]]]}"#),
    ("a: {b: [c], d: {e: f}}", r#"{"a":{"b":["c"],"d":{"e":"f"}}}"#),
    ("a: [b c, d:e, http://f]", r#"{"a":["b c","d:e","http://f"]}"#),
    ("a: {b: c\n  , d: e}", r#"{"a":{"b":"c","d":"e"}}"#),
    ("a:\n- b: c\n  d: e\n- f", r#"{"a":[{"b":"c","d":"e"},"f"]}"#),
    ("a:\n  -   b\n  -\n    c", r#"{"a":["b","c"]}"#),
    ("a:\n- - b\n  - c\n- d", r#"{"a":[["b","c"],"d"]}"#),
    ("a:\n  b:\n    c:\n      d: e", r#"{"a":{"b":{"c":{"d":"e"}}}}"#),
    ("a:\n  b:\nc: d", r#"{"a":{"b":""},"c":"d"}"#),
    ("  a: b\n  c: d", r#"{"a":"b","c":"d"}"#),
];

#[test]
fn yaml_reads_as_its_specification_says() {
    // F1
    for (text, expect) in CASES {
        check(text, expect);
        check(&format!("{text}\n"), expect);
    }
}

#[test]
fn line_ends_do_not_change_what_yaml_means() {
    // F1
    for (text, expect) in CASES {
        check(&text.replace('\n', "\r\n"), expect);
        check(&text.replace('\n', "\r"), expect);
    }
}

#[test]
fn the_deepest_tree_can_be_copied_printed_and_dropped() {
    // F4
    let pairs = (MAX_DEPTH - 1) / 2;
    let text = format!("a: {}{}\n", "{a: [".repeat(pairs), "]}".repeat(pairs));
    for entry in read_full(&text, 0).expect("a tree").entries {
        let owned = entry.into_owned();
        assert_eq!(owned.value.to_json().to_string().matches('[').count(), pairs);
        drop(owned);
    }
}

#[test]
fn a_merge_key_is_an_ordinary_key() {
    // F1, F4
    check("<<: a\nb: c\n", r#"{"<<":"a","b":"c"}"#);
    check("a: {<<: {b: c}}\n", r#"{"a":{"<<":{"b":"c"}}}"#);
}

#[test]
fn a_value_is_marked_where_a_person_would_mark_it() {
    // F3
    check_places("name: a b \n", &["name", "a b"]);
    check_places("'k': \"v\" # c\n", &["'k'", "\"v\""]);
    check_places("a:\nb:  \n", &["a", "", "b", ""]);
    check_places("a: [b, {c: d}]\n", &["a", "[b, {c: d}]", "b", "{c: d}", "c", "d"]);
    check_places("a: [b: c]\n", &["a", "[b: c]", "b: c", "b", "c"]);
    check_places("a: é\nb: c\n", &["a", "é", "b", "c"]);
    check_places("a: b\n  c\n", &["a", "b\n  c"]);
}

#[test]
fn a_block_scalar_is_marked_from_its_indicator_to_its_last_text() {
    // F3
    check_places("a: |\n  b\n  c  \n\n\nd: e\n", &["a", "|\n  b\n  c", "d", "e"]);
    check_places("a: >- # |> note\n\n  b\n# end\n", &["a", ">- # |> note\n\n  b"]);
    check_places("a: |\n", &["a", "|"]);
    check_places("a: |2\n\n\nb: c\n", &["a", "|2", "b", "c"]);
    check_places("a:\n  # note: |\n  |\n  b\n", &["a", "|\n  b"]);
    let text = "a:\n- |\n  b\n- >\n  c\n";
    check_places(text, &["a", "- |\n  b\n- >\n  c", "|\n  b", ">\n  c"]);
}

#[test]
fn a_block_list_or_map_is_marked_without_what_follows_it() {
    // F3
    check_places("a:\n  b: c\n\n# note\nd: e\n", &["a", "b: c", "b", "c", "d", "e"]);
    check_places("a:\n- b\n- c\n# note\n", &["a", "- b\n- c", "b", "c"]);
    check_places("a: # - x\n  - b\n\n", &["a", "- b", "b"]);
    check_places("a:\n  - - b\n", &["a", "- - b", "- b", "b"]);
    check_places("a:\n  b:\n", &["a", "b:", "b", ""]);
}

#[test]
fn repeated_keys_are_kept_and_the_later_ones_named() {
    // F4
    let text = "a: 1\nb: {c: 2, d: 3, c: 4}\na: 5\na: 6\n";
    let tree = read_full(text, 0).expect("a tree");
    assert_eq!(tree.entries.len(), 4);
    let places: Vec<_> = tree.duplicates.iter().map(|span| span.start).collect();
    assert_eq!(places, [21, 27, 32]);
}

#[test]
fn repeated_keys_are_found_in_large_maps_too() {
    // F4
    let mut text: String = (0..2000).map(|i| format!("key{i}: x\n")).collect();
    let first = text.len();
    text.push_str("key7: again\nkey1999: again\nkey7: again\n");
    let tree = read_full(&text, 0).expect("a tree");
    let places: Vec<_> = tree.duplicates.iter().map(|span| span.start as usize - first).collect();
    assert_eq!(places, [0, 12, 27]);
}

#[test]
fn references_and_tags_are_refused_where_they_stand() {
    // F4
    let check = |text: &str, kind, marked: &str| {
        let error = refused(text);
        assert_eq!((error.kind, error.span.slice(text)), (kind, marked), "{text:?}");
    };
    check("a: *b\n", YamlErrorKind::Alias, "*b");
    check("a: [b, *c]\n", YamlErrorKind::Alias, "*c");
    check("*a : b\n", YamlErrorKind::Alias, "*a");
    check("a: &b c\n", YamlErrorKind::Anchor, "&b");
    check("&a b: c\n", YamlErrorKind::Anchor, "&a");
    check("a: &b\n  c: d\n", YamlErrorKind::Anchor, "&b");
    check("a: &b\nc: *b\n", YamlErrorKind::Anchor, "&b");
    check("a: !!str b\n", YamlErrorKind::Tag, "!!str");
    check("a: !b c\n", YamlErrorKind::Tag, "!b");
    check("a: !<tag:x> c\n", YamlErrorKind::Tag, "!<tag:x>");
    check("a: !\n", YamlErrorKind::Tag, "!");
    check("a: &b !c d\n", YamlErrorKind::Tag, "!c");
}

#[test]
fn keys_must_be_text() {
    // F4
    for text in ["[a]: b\n", "? [a]\n: b\n", "{{a: b}: c}\n", "? a: b\n: c\n", "? - a\n: b\n"] {
        check_kind(text, YamlErrorKind::ComplexKey);
    }
}

#[test]
fn frontmatter_must_be_one_map() {
    // F1, F4
    for text in
        ["", "\n \n", "# only a comment\n", "--- # nothing\n", "text\n", "'text'\n", "|\n text\n"]
    {
        check_kind(text, YamlErrorKind::NotAMapping);
    }
    for text in ["- a\n- b\n", "[a, b]\n", "a: b\n--- # two\nc: d\n", "a: b\n...\nc: d\n", "~\n"] {
        check_kind(text, YamlErrorKind::NotAMapping);
    }
}

#[test]
fn nesting_is_bounded() {
    // F4
    let flow = |depth: usize| format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(read_full(&flow(MAX_DEPTH - 1), 0).is_ok());
    check_kind(&flow(MAX_DEPTH), YamlErrorKind::TooDeep);
    check_kind(&format!("a: {}", "[".repeat(60_000)), YamlErrorKind::TooDeep);
    check_kind(&format!("a: {}", "{a: ".repeat(15_000)), YamlErrorKind::TooDeep);
    check_kind(&format!("a: {}", "[{".repeat(30_000)), YamlErrorKind::TooDeep);
    check_kind(&format!("a:\n  {}x\n", "- ".repeat(30_000)), YamlErrorKind::TooDeep);
    let block = |depth: usize| (0..depth).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
    let deepest: String = block(MAX_DEPTH);
    assert!(read_full(&deepest, 0).is_ok());
    let deeper: String = block(MAX_DEPTH + 1);
    check_kind(&deeper, YamlErrorKind::TooDeep);
}

#[test]
fn values_are_bounded() {
    // F4
    let keys = |count: usize| (0..count).map(|i| format!("k{i}: v\n")).collect::<String>();
    assert!(read_full(&keys(MAX_NODES - 1), 0).is_ok());
    check_kind(&keys(MAX_NODES), YamlErrorKind::TooManyNodes);
    check_kind(&keys(7000), YamlErrorKind::TooManyNodes);
    check_kind(&format!("a: [{}]\n", "b,".repeat(30_000)), YamlErrorKind::TooManyNodes);
    check_kind(&format!("a:\n{}", "- b\n".repeat(15_000)), YamlErrorKind::TooManyNodes);
    check_kind(&format!("a: {{{}}}\n", "b,".repeat(30_000)), YamlErrorKind::TooManyNodes);
}

#[test]
fn a_bomb_of_references_is_refused_at_its_first() {
    // F4
    let mut text = "a0: &a0 [x, x]\n".to_owned();
    for i in 1..2000 {
        text.push_str(&format!("a{i}: &a{i} [*a{}, *a{}]\n", i - 1, i - 1));
    }
    assert_eq!(refused(&text).span, Span::new(4, 7));
    check_kind(&format!("a: [{}]\n", "*a,".repeat(20_000)), YamlErrorKind::Alias);
}

#[test]
fn tabs_do_not_indent() {
    // F1, F3
    for text in [
        "\ta: b\n",
        "a:\n\tb: c\n",
        "a:\n \tb: c\n",
        "a:\n  b: c\n\td: e\n",
        "a:\n\t- b\n",
        "a:\n  - b\n\t- c\n",
        "a: |\n\tb\n",
        "a:\n  - \tb: c\n",
    ] {
        let error = refused(text);
        assert_eq!(error.kind, YamlErrorKind::Syntax, "{text:?}");
        assert_eq!(error.message, "A tab is used as indentation; use spaces", "{text:?}");
        assert_eq!(error.span.slice(text), "\t", "{text:?}");
    }
}

#[test]
fn control_characters_are_refused() {
    // F4
    for bad in ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{ffff}'] {
        for text in
            [format!("a: b{bad}c\n"), format!("a: \"b{bad}\"\n"), format!("# {bad}\na: b\n")]
        {
            let error = refused(&text);
            assert_eq!(error.kind, YamlErrorKind::Syntax, "{text:?}");
            assert!(error.span.end as usize <= text.len(), "{text:?}");
        }
    }
}
