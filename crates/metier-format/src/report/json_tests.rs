use serde_json::{Value, json};

use super::super::FileReport;
use super::json as render;
use crate::diagnostic::{Code, Diagnostic, Edit, Mode};
use crate::span::Span;
use crate::text;

fn files() -> Vec<FileReport> {
    let source = "---\nname: Sort\u{202e}\n".as_bytes().to_vec();
    let name = Span::new(10, 14);
    let diagnostics = vec![
        Diagnostic::new(Code::NameNotLowercase, "`Sort` is not lowercase").at(&source, name),
        Diagnostic::new(Code::CoercedScalar, "x")
            .at(&source, name)
            .fix(vec![Edit { span: name, text: "\"Sort\"".to_owned() }]),
        Diagnostic::new(Code::NameNotDirectory, "\u{1b}[31m"),
    ];
    let clean = FileReport { path: "b/SKILL.md".to_owned(), ..FileReport::default() };
    vec![FileReport { path: "a\u{9b}/SKILL.md".to_owned(), source, diagnostics }, clean]
}

#[test]
fn the_document_has_the_promised_keys() {
    // F3, U1
    let text = render(&files(), Mode::Strict);
    let document: Value = serde_json::from_str(&text).expect("one JSON document");
    assert_eq!(
        document,
        json!({
            "files": [
                {
                    "path": "a\u{9b}/SKILL.md",
                    "diagnostics": [
                        {
                            "code": "SK104", "severity": "error", "line": 2, "column": 7, "end_line": 2, "end_column": 11,
                            "message": "`Sort` is not lowercase",
                            "help": "use lowercase letters, digits and single hyphens", "fixable": false,
                        },
                        {
                            "code": "SK211", "severity": "advice", "line": 2, "column": 7, "end_line": 2, "end_column": 11,
                            "message": "x", "help": "quote the value", "fixable": true,
                        },
                        {
                            "code": "SK108", "severity": "error", "line": null, "column": null, "end_line": null,
                            "end_column": null, "message": "\u{1b}[31m", "help": null, "fixable": false,
                        },
                    ],
                },
                { "path": "b/SKILL.md", "diagnostics": [] },
            ],
            "errors": 2, "warnings": 0, "advice": 1, "fixable": 1,
        })
    );
}

#[test]
fn severity_follows_the_mode() {
    // F3
    let document: Value = serde_json::from_str(&render(&files(), Mode::Lenient)).expect("JSON");
    assert_eq!((&document["errors"], &document["warnings"]), (&json!(0), &json!(2)));
    assert_eq!(document["files"][0]["diagnostics"][0]["severity"], "warning");
}

#[test]
fn nothing_in_the_document_is_alive_in_a_terminal() {
    // F3, F4
    let text = render(&files(), Mode::Strict);
    assert!(!text.chars().any(text::is_live), "{text:?}");
    assert!(text.ends_with("}\n"));
    assert_eq!(render(&[], Mode::Strict).matches("[]").count(), 1);
}
