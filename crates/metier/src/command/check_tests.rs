use super::{Checked, State, label, remark};
use crate::shape::DiagnosticShape;

fn checked<'a>(status: State, name: Option<&'a str>) -> Checked<'a> {
    Checked {
        trust: None,
        source: None,
        commit: None,
        status,
        name,
        layer: "personal",
        path: "/skills/odd/SKILL.md".to_owned(),
        reason: None,
        scripts: 0,
        toolsets: 0,
        diagnostics: Vec::new(),
    }
}

fn finding() -> DiagnosticShape<'static> {
    DiagnosticShape {
        code: "SK204",
        severity: "advice",
        line: None,
        column: None,
        message: "m",
        help: None,
    }
}

#[test]
fn a_skill_that_could_not_be_read_is_called_by_its_directory() {
    // H5
    assert_eq!(label(&checked(State::Active, Some("pdf"))), "pdf");
    assert_eq!(label(&checked(State::Failed, None)), "odd");
    let root = Checked { path: "SKILL.md".to_owned(), ..checked(State::Failed, None) };
    assert_eq!(label(&root), "SKILL.md");
}

#[test]
fn beside_a_skill_stands_why_and_what_it_brings() {
    // H5
    let check = |skill: Checked<'_>, expect: &str| assert_eq!(remark(&skill), expect);
    let active = || checked(State::Active, Some("pdf"));
    check(active(), "");
    check(Checked { scripts: 1, ..active() }, "1 script");
    check(Checked { scripts: 2, toolsets: 1, ..active() }, "2 scripts, 1 toolset");
    check(Checked { diagnostics: vec![finding()], ..active() }, "1 finding");
    let reason = Some("is disabled\u{7}".to_owned());
    check(Checked { reason, scripts: 1, ..active() }, "is disabled\\u{7}, 1 script");
    let failed = checked(State::Failed, None);
    check(Checked { diagnostics: vec![finding()], ..failed }, "");
}
