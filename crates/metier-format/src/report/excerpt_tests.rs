use proptest::prelude::*;

use super::excerpt;
use crate::span::Span;
use crate::text;

/// `source` has the span between `[` and `]`; so has `expected`.
fn check(source: &str, expected: &str) {
    let start = source.find('[').unwrap();
    let end = source.find(']').unwrap() - 1;
    let plain = source.replace(['[', ']'], "");
    let found = excerpt(plain.as_bytes(), Span::new(start, end));
    let mut shown = found.text;
    shown.insert(found.marked.end, ']');
    shown.insert(found.marked.start, '[');
    assert_eq!(shown, expected, "{source:?}");
}

#[test]
fn the_line_of_the_span_is_shown() {
    // F3
    check("one\ntwo [three] four\nfive", "two [three] four");
    check("[]", "[]");
    check("one\n[]", "[]");
    check("one\r\ntwo[]\r\nthree", "two[]");
    check("one\rt[w]o\rthree", "t[w]o");
    check("\t[x]", "\t[x]");
}

#[test]
fn up_to_three_lines_are_marked() {
    // F3
    check("a\n[b\nc]d\ne", "[b\nc]d");
    check("[a\nb\nc\nd\ne]", "[a\nb\nc]");
    check("[a\r\nb\r\n]c", "[a\nb]");
}

#[test]
fn hostile_characters_are_written_out_and_the_mark_moves_along() {
    // F3, F4
    check("a\u{202e}b[c]d", "a\\u{202e}b[c]d");
    check("[\u{1b}\\u]x", "[\\u{1b}\\u]x");
    check("a[\u{200b}]b", "a[\\u{200b}]b");
}

#[test]
fn bytes_that_are_no_text_are_written_out() {
    // F3, F4
    let found = excerpt(b"a\xff\xfeb", Span::new(1, 2));
    assert_eq!((found.text.as_str(), found.marked), ("a\\xff\\xfeb", 1..5));
}

#[test]
fn long_lines_are_cut_around_the_span() {
    // F3, F4
    let line = format!("{}MARK{}", "é".repeat(100_000), "x".repeat(100_000));
    let found = excerpt(line.as_bytes(), Span::new(200_000, 200_004));
    assert_eq!(&found.text[found.marked.clone()], "MARK");
    assert!(found.text.starts_with('…') && found.text.ends_with('…'));
    assert!(found.text.len() < 300, "{}", found.text.len());
    let all = excerpt(line.as_bytes(), Span::new(0, line.len()));
    assert!(all.marked.start == 0 && all.text.len() < 500);
}

#[test]
fn spans_that_cut_characters_or_miss_the_file_are_moved() {
    // F4
    let text = "aé技b";
    for start in 0..12 {
        for end in 0..12 {
            let span = Span { start, end };
            let found = excerpt(text.as_bytes(), span);
            assert!(found.text.get(found.marked.clone()).is_some(), "{span:?}");
        }
    }
    assert_eq!(excerpt(b"", Span::new(5, 9)).text, "");
}

proptest! {
    #[test]
    fn any_bytes_and_any_span_give_something_safe(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        start in 0u32..500,
        end in 0u32..500,
    ) {
        // F3, F4
        let found = excerpt(&bytes, Span { start, end });
        prop_assert!(found.text.get(found.marked.clone()).is_some());
        prop_assert!(!found.text.chars().any(text::is_live));
        prop_assert!(found.text.lines().count() <= 4);
    }
}
