use proptest::prelude::*;

use super::*;

/// What a test says about a file: yaml text, body text, or one of the two refusals.
#[derive(Debug, PartialEq)]
enum Seen<'a> {
    Closed(&'a str, &'a str),
    Unclosed,
    Absent,
}
use Seen::{Absent, Closed, Unclosed};

fn seen(text: &str, extent: Extent) -> Seen<'_> {
    match find(text.as_bytes(), extent) {
        Fences::Closed { yaml, body, opening, closing } => {
            assert!(opening.end <= yaml.start && yaml.end == closing.start && closing.end <= body);
            assert!(text[opening.range()].starts_with("---"));
            assert_eq!(text[closing.range()].trim_end_matches([' ', '\t']), "---");
            Closed(&text[yaml.range()], &text[body as usize..])
        }
        Fences::Unclosed { .. } => Unclosed,
        Fences::Absent => Absent,
    }
}

#[track_caller]
fn check(text: &str, expect: Seen<'_>) {
    assert_eq!(seen(text, Extent::Whole), expect, "{text:?}");
}

#[track_caller]
fn check_prefix(text: &str, expect: Seen<'_>) {
    assert_eq!(seen(text, Extent::Prefix), expect, "{text:?}");
}

#[test]
fn fences_are_found_with_every_line_ending() {
    // F1
    check("---\na: b\n---\nBody\n", Closed("a: b\n", "Body\n"));
    check("---\r\na: b\r\n---\r\nBody", Closed("a: b\r\n", "Body"));
    check("---\ra: b\r---\rBody", Closed("a: b\r", "Body"));
    check("---\n\r\n---\n\r\n", Closed("\r\n", "\r\n"));
}

#[test]
fn byte_order_mark_and_trailing_blanks_are_accepted() {
    // F1
    check("\u{feff}---\na: b\n---\nBody", Closed("a: b\n", "Body"));
    check("--- \t\na: b\n---\t \nBody", Closed("a: b\n", "Body"));
    check("\u{feff}\u{feff}---\na: b\n---\n", Absent);
}

#[test]
fn a_file_may_end_at_its_closing_fence() {
    // F1
    check("---\na: b\n---", Closed("a: b\n", ""));
    check("---\na: b\n---  ", Closed("a: b\n", ""));
    check("---\na: b\n---\n", Closed("a: b\n", ""));
    check("---\na: b\n---\r", Closed("a: b\n", ""));
    check("---\n---", Closed("", ""));
}

#[test]
fn only_a_whole_line_at_the_first_column_closes() {
    // F1
    check("---\nd: a --- b\n# ---- c\n---\nB", Closed("d: a --- b\n# ---- c\n", "B"));
    check("---\nd: |\n  one\n  ---\n  two\n---\nB", Closed("d: |\n  one\n  ---\n  two\n", "B"));
    check("---\na: b\n ---\n", Unclosed);
    check("---\na: b\n----\n", Unclosed);
    check("---\na: b\n--- text\n", Unclosed);
    check("---\na: b\n--- # comment\n", Unclosed);
    check("---\na: b\n...\n", Unclosed);
    check("---\na: b\n---\u{a0}\n", Unclosed);
    check("---\na: b\n--- \n# more\n---\nB", Closed("a: b\n", "# more\n---\nB"));
}

#[test]
fn the_opening_fence_may_be_preceded_by_blanks_and_followed_by_a_comment() {
    // F1
    check("\n---\na: b\n---\n", Closed("a: b\n", ""));
    check(" \t\r\n\n  ---\na: b\n---\n", Closed("a: b\n", ""));
    check("--- # hi\na: b\n---\n", Closed("a: b\n", ""));
    for text in ["", "-", "--", "----\n---\n", "---a: b\n---\n", "---#x\n---\n", "# T\n---\n---\n"]
    {
        check(text, Absent);
    }
}

#[test]
fn blank_space_before_the_fence_is_bounded() {
    // F4
    let blank = "\n".repeat(MAX_LEADING_BLANK_BYTES);
    check(&format!("{blank}---\na: b\n---\n"), Closed("a: b\n", ""));
    check(&format!("{blank}\n---\na: b\n---\n"), Absent);
    check_prefix(&format!("{blank}\n"), Absent);
}

#[test]
fn a_prefix_that_ends_inside_a_possible_fence_asks_for_more() {
    // F1, D2
    for text in ["", "-", "--", "---", "--- ", "--- # c", "\u{feff}", "\u{feff}-", "\n", "  \n-"] {
        check_prefix(text, Unclosed);
    }
    for text in ["---\na: b\n-", "---\na: b\n--", "---\na: b\n---", "---\na: b\n---  "] {
        check_prefix(text, Unclosed);
    }
    // Whether the body starts at the next byte or the one after it is not yet known.
    check_prefix("---\r\na: b\r\n---\r", Unclosed);
    check_prefix("---\na: b\n---\n", Closed("a: b\n", ""));
    check_prefix("---\na: b\n---\rB", Closed("a: b\n", "B"));
    for text in ["a", "----", "---a", "# Title\n---\n"] {
        check_prefix(text, Absent);
    }
    assert_eq!(
        find(b"\xef\xbb", Extent::Prefix),
        Fences::Unclosed { opening: Span::new(0, 2) },
        "half a byte-order mark"
    );
}

/// Bytes that fences are made of, so that random texts come close to them.
fn near_fences() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&[u8]] = &[
        b"---",
        b"---\n",
        b"-",
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b"a: b",
        b"#",
        b"...",
        b"\xef\xbb\xbf",
        b"\xff",
    ];
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_said_of_a_prefix_stays_true(bytes in near_fences(), cut in 0usize..80) {
        // F1, D2
        let cut = cut.min(bytes.len());
        let early = find(&bytes[..cut], Extent::Prefix);
        if !matches!(early, Fences::Unclosed { .. }) {
            prop_assert_eq!(early, find(&bytes, Extent::Prefix));
            prop_assert_eq!(early, find(&bytes, Extent::Whole));
        }
    }

    #[test]
    fn a_prefix_never_denies_what_the_whole_file_has(bytes in near_fences(), cut in 0usize..80) {
        // F1, D2
        if let Fences::Closed { .. } = find(&bytes, Extent::Whole) {
            let early = find(&bytes[..cut.min(bytes.len())], Extent::Prefix);
            prop_assert!(early != Fences::Absent, "{:?}", early);
        }
    }

    #[test]
    fn spans_lie_inside_the_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        // F1, F4
        for extent in [Extent::Whole, Extent::Prefix] {
            match find(&bytes, extent) {
                Fences::Closed { body, .. } => prop_assert!(body as usize <= bytes.len()),
                Fences::Unclosed { opening } => prop_assert!(opening.end as usize <= bytes.len()),
                Fences::Absent => {}
            }
        }
    }
}
