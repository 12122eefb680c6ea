use serde_json::Value;

use super::super::FileReport;
use super::{sarif, uri};
use crate::diagnostic::{Code, Diagnostic, Edit, Mode};
use crate::span::Span;

fn document(mode: Mode) -> Value {
    let source = "---\r\nname: é1.10\r\n".as_bytes().to_vec();
    let span = Span::new(13, 17);
    let diagnostics = vec![
        Diagnostic::new(Code::CoercedScalar, "taken for a number")
            .at(&source, span)
            .fix(vec![Edit { span, text: "\"1.10\"".to_owned() }]),
        Diagnostic::new(Code::FieldSpelling, "spelled oddly"),
    ];
    let files = [
        FileReport { path: "clean/SKILL.md".to_owned(), ..FileReport::default() },
        FileReport { path: "./my skill/SKILL.md".to_owned(), source, diagnostics },
    ];
    serde_json::from_str(&sarif(&files, mode)).expect("one JSON document")
}

#[test]
fn every_code_is_a_rule() {
    // F3
    let document = document(Mode::Strict);
    let driver = &document["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "metier");
    let rules = driver["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), Code::ALL.len());
    for (rule, code) in rules.iter().zip(Code::ALL) {
        assert_eq!(rule["id"], code.as_str());
        assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
    assert_eq!(rules[0]["name"], "NotUtf8");
}

#[test]
fn a_result_points_to_its_rule_its_place_and_its_repair() {
    // F3
    let document = document(Mode::Strict);
    let result = &document["runs"][0]["results"][0];
    let index = usize::try_from(result["ruleIndex"].as_u64().expect("index")).expect("small");
    assert_eq!(document["runs"][0]["tool"]["driver"]["rules"][index]["id"], "SK211");
    assert_eq!(
        (result["ruleId"].as_str(), result["level"].as_str()),
        (Some("SK211"), Some("note"))
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20skill/SKILL.md");
    assert_eq!(place["artifactLocation"]["index"], 1);
    let region = serde_json::json!({
        "startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 12, "byteOffset": 13, "byteLength": 4,
    });
    assert_eq!(place["region"], region);
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["replacements"][0]["deletedRegion"], region);
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "\"1.10\"");
}

#[test]
fn a_finding_without_a_place_is_about_the_file() {
    // F3
    let document = document(Mode::Lenient);
    let result = &document["runs"][0]["results"][1];
    assert_eq!(result["level"], "warning");
    assert!(result["locations"][0]["physicalLocation"].get("region").is_none());
    assert!(result.get("fixes").is_none());
}

#[test]
fn paths_become_uris() {
    // F3
    for (path, expected) in [
        ("a/SKILL.md", "a/SKILL.md"),
        ("./a b/ü%.md", "a%20b/%C3%BC%25.md"),
        ("/abs/x.md", "file:///abs/x.md"),
        ("../up.md", "../up.md"),
        ("c:\\x#?.md", "c%3A%5Cx%23%3F.md"),
    ] {
        assert_eq!(uri(path), expected, "{path}");
    }
}
