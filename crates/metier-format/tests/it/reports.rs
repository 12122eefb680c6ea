//! One bad skill, from bytes to what a person, a script and a code host see.

use metier_format::lint::{Neighbour, Surroundings, everything};
use metier_format::report::{Color, FileReport, human, json, sarif};
use metier_format::{Mode, parse};
use serde_json::Value;

/// A skill with as many mistakes as fit on a screen.
const BAD: &str = "---
name: рdf-Tools
description: Helps with <stuff>
version: 1.10
metadata:
  released: 2024-01-01
---

# Tools

See [the guide](references/Guid.md), [the plan](../plan.md) and [the rest](docs/all.md).
Run `python scripts/chek.py`, then read on\u{200b}ly what you\u{202e} need.

```sh
bash ${SKILL_DIR}/scripts/gone.sh
```
";

fn bad() -> FileReport {
    let parsed = parse(BAD.as_bytes(), Some("pdf-tools"));
    let paths = ["assets/logo.png", "references/guide.md", "scripts/check.py"];
    let files: Vec<Neighbour> =
        paths.iter().map(|path| Neighbour { path: (*path).to_owned(), directory: false }).collect();
    let around = Surroundings { files: Some(&files), body_tokens: Some(6000) };
    let diagnostics = everything(BAD.as_bytes(), &parsed, &around);
    FileReport { path: "pdf-tools/SKILL.md".to_owned(), source: BAD.into(), diagnostics }
}

#[test]
fn a_person_sees_every_mistake_and_what_to_do() {
    // F3, F5: ConfusableName, DescriptionVague, DescriptionMarkup, CoercedScalar,
    // BodyTooManyTokens, DeadLink, PathLeavesSkill, MissingScript, HiddenUnicode, UnreferencedFile
    let lint_only: Vec<_> =
        bad().diagnostics.into_iter().filter(|d| d.code.as_str().starts_with("SK2")).collect();
    let report = FileReport { diagnostics: lint_only, ..bad() };
    insta::assert_snapshot!(human(&[report], Mode::Strict, Color::Plain));
}

#[test]
fn all_three_reports_say_the_same() {
    // F3, U1
    let files = [bad()];
    let text = human(&files, Mode::Strict, Color::Plain);
    let document: Value = serde_json::from_str(&json(&files, Mode::Strict)).unwrap();
    let log: Value = serde_json::from_str(&sarif(&files, Mode::Strict)).unwrap();
    let listed = document["files"][0]["diagnostics"].as_array().unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!((listed.len(), results.len()), (files[0].diagnostics.len(), listed.len()));
    for (entry, result) in listed.iter().zip(results) {
        let code = entry["code"].as_str().unwrap();
        let severity = entry["severity"].as_str().unwrap();
        assert!(text.contains(&format!("{severity}[{code}]: ")), "{code}");
        assert_eq!(result["ruleId"], entry["code"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], entry["line"], "{code}");
        assert_eq!(region["startColumn"], entry["column"], "{code}");
        assert_eq!(result.get("fixes").is_some(), entry["fixable"] == true, "{code}");
        if let (Some(line), Some(column)) = (entry["line"].as_u64(), entry["column"].as_u64()) {
            assert!(text.contains(&format!("pdf-tools/SKILL.md:{line}:{column}\n")), "{code}");
        }
    }
    let errors = document["errors"].as_u64().unwrap();
    assert!(text.contains(&format!("\n{errors} error")), "{text}");
}
