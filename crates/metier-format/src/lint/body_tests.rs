use super::{check, first_line_too_many};
use crate::diagnostic::Code;
use crate::lint::Body;

const START: usize = 100;

fn codes(text: &str, tokens: Option<usize>) -> Vec<Code> {
    check(Body { text, start: START }, tokens).kept.into_iter().map(|d| d.code).collect()
}

#[test]
fn five_hundred_lines_are_enough_however_they_end() {
    // F5: BodyTooManyLines
    for ending in ["\n", "\r\n"] {
        let line = format!("x{ending}");
        assert_eq!(codes(&line.repeat(500), None), []);
        assert_eq!(codes(&format!("{}x", line.repeat(499)), None), []);
        assert_eq!(codes(&format!("{}x", line.repeat(500)), None), [Code::BodyTooManyLines]);
    }
}

#[test]
fn the_first_line_too_many_is_marked_without_its_ending() {
    // F5: BodyTooManyLines
    let text = format!("{}fifth hundred and one\r\nmore", "x\r\n".repeat(500));
    let span = first_line_too_many(Body { text: &text, start: START });
    assert_eq!(
        &text[span.start as usize - START..span.end as usize - START],
        "fifth hundred and one"
    );
}

#[test]
fn a_count_beats_the_estimate() {
    // F5: BodyTooManyTokens
    let short = "x".repeat(20_003);
    let long = "x".repeat(20_004);
    assert_eq!(codes(&short, None), []);
    assert_eq!(codes(&long, None), [Code::BodyTooManyTokens]);
    assert_eq!(codes(&long, Some(5000)), []);
    assert_eq!(codes(&short, Some(5001)), [Code::BodyTooManyTokens]);
}

#[test]
fn white_space_is_no_body() {
    // F5: EmptyBody
    for text in ["", "\n", " \t\r\n", "\u{3000}"] {
        assert_eq!(codes(text, Some(9000)), [Code::EmptyBody], "{text:?}");
    }
    assert_eq!(codes("x", None), []);
}

#[test]
fn lines_are_counted_as_they_are_read() {
    // F5
    for text in ["", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\n", "a\rb", "\n a"] {
        assert_eq!(super::count_lines(text), text.lines().count(), "{text:?}");
    }
}
