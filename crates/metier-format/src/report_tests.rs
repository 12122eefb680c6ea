use super::{Color, FileReport, Region, Regions, Tally, count, count_fixable, human};
use super::{human_file, human_summary};
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

#[test]
fn a_report_for_people_can_be_put_together_file_by_file() {
    // F3, N1
    let file = |path: &str, codes: &[Code]| FileReport {
        path: path.to_owned(),
        diagnostics: codes.iter().map(|code| finding(*code, None, &[Span::at(0)])).collect(),
        ..FileReport::default()
    };
    let files = [
        file("a", &[Code::NameMissing, Code::DeadLink]),
        file("b", &[]),
        file("c", &[Code::DescriptionVague]),
    ];
    for mode in [Mode::Strict, Mode::Lenient] {
        let mut tally = Tally::default();
        files.iter().for_each(|file| tally += Tally::of(file, mode));
        let of = |severity| count(&files, mode, severity);
        let counted = (tally.errors, tally.warnings, tally.advice);
        assert_eq!(counted, (of(Severity::Error), of(Severity::Warning), of(Severity::Advice)));
        assert_eq!((tally.files, tally.fixable), (3, count_fixable(&files)));
        for color in [Color::Plain, Color::Ansi] {
            let pieces = files.iter().map(|file| human_file(file, mode, color));
            let whole = pieces.chain([human_summary(&tally)]).collect::<String>();
            assert_eq!(human(&files, mode, color), whole);
        }
    }
    assert_eq!(human_file(&files[1], Mode::Strict, Color::Plain), "");
}
