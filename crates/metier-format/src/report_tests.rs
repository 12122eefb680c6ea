use super::{FileReport, Region, Regions, count, count_fixable};
use crate::diagnostic::{Code, Diagnostic, Edit, Mode, Severity};
use crate::span::{Position, Span};

fn finding(code: Code, span: Option<Span>, edits: &[Span]) -> Diagnostic {
    let edit = |span: &Span| Edit { span: *span, text: String::new() };
    Diagnostic { span, fix: edits.iter().map(edit).collect(), ..Diagnostic::new(code, "x") }
}

fn region(start: (u32, u32), end: (u32, u32)) -> Region {
    let position = |(line, column)| Position { line, column };
    Region { start: position(start), end: position(end) }
}

#[test]
fn regions_belong_to_their_findings_whatever_their_order() {
    // F3
    let late = finding(Code::DeadLink, Some(Span::new(4, 6)), &[]);
    let early =
        finding(Code::CoercedScalar, Some(Span::new(0, 3)), &[Span::at(3), Span::new(1, 3)]);
    let nowhere = finding(Code::NameMissing, None, &[Span::at(5)]);
    let source = "a\u{e9}\nb\r\nc".as_bytes().to_vec();
    let file =
        FileReport { source, diagnostics: vec![late, early, nowhere], ..FileReport::default() };
    let regions = Regions::of(&file);
    assert_eq!(
        regions.findings,
        [Some(region((2, 1), (2, 3))), Some(region((1, 1), (1, 3))), None]
    );
    let edits = [
        vec![],
        vec![region((1, 3), (1, 3)), region((1, 2), (1, 3))],
        vec![region((2, 2), (2, 2))],
    ];
    assert_eq!(regions.edits, edits);
}

#[test]
fn counting_follows_the_mode() {
    // F3
    let files = [
        FileReport {
            diagnostics: vec![
                finding(Code::UnknownField, None, &[]),
                finding(Code::DeadLink, None, &[Span::at(0)]),
            ],
            ..FileReport::default()
        },
        FileReport {
            diagnostics: vec![finding(Code::NameMissing, None, &[])],
            ..FileReport::default()
        },
    ];
    let counts = |mode| {
        [Severity::Error, Severity::Warning, Severity::Advice].map(|s| count(&files, mode, s))
    };
    assert_eq!(counts(Mode::Strict), [2, 1, 0]);
    assert_eq!(counts(Mode::Lenient), [1, 1, 1]);
    assert_eq!(count_fixable(&files), 1);
}
