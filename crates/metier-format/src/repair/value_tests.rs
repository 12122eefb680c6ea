use super::*;

fn check(value: &str, expect: Option<&str>) {
    let mended = mend(value, false);
    assert_eq!(mended.as_ref().map(|mended| mended.text.as_str()), expect, "{value:?}");
}

#[test]
fn a_value_with_a_colon_is_quoted() {
    // F3
    check("Use when: x", Some("'Use when: x'"));
    check("Use when:", Some("'Use when:'"));
    check("a:\tb", Some("'a:\tb'"));
    check("http://x", None);
    check("12:30", None);
}

#[test]
fn a_value_with_an_indicator_in_front_is_quoted() {
    // F3
    for value in [
        "[beta] foo",
        "{beta} x",
        "[a]: b",
        "`x` y",
        "@x",
        "%x",
        "*foo bar",
        "*.md",
        "&foo bar",
        "!foo bar",
        "> foo",
        "|foo",
        "? foo",
        "- foo",
        "-",
        ": foo",
        ", x",
        "] x",
        "} x",
    ] {
        check(value, Some(&format!("'{value}'")));
    }
}

#[test]
fn valid_values_are_left_alone() {
    // F3
    for value in [
        "",
        "plain text",
        "[beta]",
        "[a, b]",
        "{}",
        "{a: b}",
        "'quoted: x'",
        "\"quoted: x\"",
        "-x",
        "?x",
        ":x",
        "|",
        ">-",
        "|2-",
        ">+",
        "| # note",
        "[a",
        "[a, {b]",
        "!!str x",
        "!<x> y",
        "a#b",
    ] {
        check(value, None);
    }
}

#[test]
fn the_quotes_that_need_fewer_escapes_are_used() {
    // F3
    check("a: b", Some("'a: b'"));
    check("it's: x", Some("\"it's: x\""));
    check("say \"a\": b", Some("'say \"a\": b'"));
    check("it's \"a\": b", Some("'it''s \"a\": b'"));
    check("it's 'a' \"b\": c", Some("\"it's 'a' \\\"b\\\": c\""));
    check("C:\\dir: x", Some("'C:\\dir: x'"));
}

#[test]
fn text_around_quotes_is_kept_with_them() {
    // F3
    check("\"foo\" bar", Some("'\"foo\" bar'"));
    check("'foo' bar", Some("\"'foo' bar\""));
    check("\"a\": b", Some("'\"a\": b'"));
    check("'tis so, isn't it", Some("\"'tis so, isn't it\""));
}

#[test]
fn an_open_quote_is_closed() {
    // F3
    check("\"foo: bar", Some("\"foo: bar\""));
    check("'foo # bar", Some("'foo # bar'"));
    check("\"foo\\q", None);
    check("\"foo\\", None);
}

#[test]
fn a_comment_stays_outside_the_quotes() {
    // F3
    let mended = mend("a: b # note", false).expect("mended");
    assert_eq!((mended.length, mended.text.as_str()), (4, "'a: b'"));
    check("fix: see #12", Some("'fix: see #12'"));
    check("\"a # b\" c # d", Some("'\"a # b\" c'"));
}

#[test]
fn references_that_belong_together_are_left_alone() {
    // F3, F4
    assert_eq!(mend("*a b", true), None);
    assert_eq!(mend("&a b", true), None);
    assert!(has_references("a: &x b\nc: *x\n"));
    assert!(has_references("a: [&x, *x]\n"));
    assert!(!has_references("a: tips & tricks\nc: *.md\n"));
    assert!(!has_references("a: &x b\nc: 2 * 3\n"));
}

#[test]
fn what_no_reader_accepts_is_not_quoted() {
    // F4
    check("a: b\u{7}", None);
    check("a: \u{ffff}", None);
}

#[test]
fn lines_are_joined_only_when_a_colon_is_what_is_wrong() {
    // F3
    let join = |lines: &[&str]| mend_lines(lines);
    assert_eq!(join(&["Use when:", "the user asks"]).as_deref(), Some("'Use when: the user asks'"));
    assert_eq!(join(&["a b", "c d"]), None);
    assert_eq!(join(&["> a: b", "c"]), None);
    assert_eq!(join(&["\"a: b", "c\""]), None);
    assert_eq!(join(&["a: b # note", "c"]), None);
}

#[test]
fn keys_are_words_or_quoted() {
    // F3
    let key = |content: &str| key_of(content).map(|key| (key.length, key.spaced));
    assert_eq!(key("name: x"), Some((5, true)));
    assert_eq!(key("name:"), Some((5, true)));
    assert_eq!(key("name:x"), Some((5, false)));
    assert_eq!(key("'a b': x"), Some((6, true)));
    assert_eq!(key("Use when: x"), None);
    assert_eq!(key("- a: x"), None);
    assert!(KNOWN_KEYS.is_sorted());
    assert!(is_known("name:x") && !is_known("https://x"));
}
