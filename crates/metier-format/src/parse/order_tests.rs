use proptest::prelude::*;

use super::*;
use crate::span::Span;

fn at(code: Code, start: usize) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code, format!("at {start}"));
    diagnostic.span = Some(Span::at(start));
    diagnostic
}

#[test]
fn findings_come_in_file_order() {
    // F3
    let mut found =
        vec![at(Code::UnknownField, 5), at(Code::NameEmpty, 2), at(Code::UnknownField, 2)];
    order(b"ab\ncd\nef", &mut found);
    let seen: Vec<_> = found.iter().map(|d| (d.code, d.position.unwrap().line)).collect();
    assert_eq!(seen, [(Code::NameEmpty, 1), (Code::UnknownField, 1), (Code::UnknownField, 2)]);
}

#[test]
fn too_many_findings_are_counted_and_none_that_matters_is_dropped() {
    // F3, F4
    let mut found: Vec<_> = (0..1000).map(|start| at(Code::UnknownField, start)).collect();
    found.push(at(Code::DescriptionEmpty, 900));
    found.push(at(Code::NameEmpty, 999));
    order(&[b'x'; 1000], &mut found);
    assert_eq!(found.len(), MAX_DIAGNOSTICS);
    let last = found.last().unwrap();
    assert_eq!(last.code, Code::TooManyDiagnostics);
    assert_eq!(last.message, "803 more findings are not shown");
    let fatal: Vec<_> =
        found.iter().filter(|d| d.code.prevents_loading()).map(|d| d.code).collect();
    assert_eq!(fatal, [Code::DescriptionEmpty, Code::NameEmpty]);
}

#[test]
fn as_many_findings_as_are_kept_stay_as_they_are() {
    // F3
    let mut found: Vec<_> = (0..MAX_DIAGNOSTICS).map(|s| at(Code::UnknownField, s)).collect();
    order(&[b'x'; 1000], &mut found);
    assert_eq!(found.len(), MAX_DIAGNOSTICS);
    assert!(found.iter().all(|diagnostic| diagnostic.code == Code::UnknownField));
}

proptest! {
    #[test]
    fn positions_are_those_counted_one_by_one(
        text in "\u{feff}?[a-zé\n\r 😀]{0,60}",
        starts in prop::collection::vec(3usize..200, 0..8),
    ) {
        // F3
        let mut found: Vec<_> = starts.into_iter().map(|s| at(Code::UnknownField, s)).collect();
        order(text.as_bytes(), &mut found);
        for diagnostic in found {
            let start = diagnostic.span.unwrap().start as usize;
            prop_assert_eq!(diagnostic.position, Some(Position::of(text.as_bytes(), start)));
        }
    }
}
