use proptest::prelude::*;

use super::positions;
use crate::span::Position;

fn check(text: &str, offset: u32, line: u32, column: u32) {
    let found = positions(text.as_bytes(), &[offset]);
    assert_eq!(found, [Position { line, column }], "{text:?} at {offset}");
}

#[test]
fn lines_and_columns_are_counted_as_editors_do() {
    // F3
    check("", 0, 1, 1);
    check("abc", 2, 1, 3);
    check("a\nb", 2, 2, 1);
    check("a\r\nb", 3, 2, 1);
    check("a\rb", 2, 2, 1);
    check("é技x", 5, 1, 3);
    check("\u{feff}ab", 4, 1, 2);
    check("ab", 99, 1, 3);
}

#[test]
fn offsets_may_come_in_any_order() {
    // F3
    let found = positions(b"a\nbc\nd", &[5, 0, 3]);
    assert_eq!(
        found.iter().map(|p| (p.line, p.column)).collect::<Vec<_>>(),
        [(3, 1), (1, 1), (2, 2)]
    );
}

proptest! {
    #[test]
    fn one_pass_and_one_walk_each_agree(text in "(\u{feff})?([a-zé技\r\n]|\r\n){0,40}") {
        // F3
        let offsets: Vec<u32> = (0..=text.len())
            .filter(|at| text.is_char_boundary(*at))
            .map(|at| u32::try_from(at).unwrap())
            .collect();
        let walked: Vec<Position> =
            offsets.iter().map(|at| Position::of(text.as_bytes(), *at as usize)).collect();
        prop_assert_eq!(positions(text.as_bytes(), &offsets), walked);
    }
}
