use serde_json::json;

use super::{Capability, Effect, Kind, Operation};
use crate::Event;

const OPERATIONS: [Operation; 15] = [
    Operation::List,
    Operation::Search,
    Operation::Show,
    Operation::Why,
    Operation::Prompt,
    Operation::Activate,
    Operation::Release,
    Operation::End,
    Operation::Status,
    Operation::Guard,
    Operation::Read,
    Operation::Events,
    Operation::ScriptList,
    Operation::ScriptHelp,
    Operation::ScriptRun,
];

#[test]
fn every_operation_has_exactly_one_row_and_one_name() {
    // U7
    assert_eq!(Capability::ALL.len(), OPERATIONS.len());
    for (row, operation) in Capability::ALL.iter().zip(OPERATIONS) {
        assert_eq!(row.operation, operation, "the table is in the order of the operations");
        assert_eq!(operation.capability().name, row.name);
        assert_eq!(Capability::named(row.name).unwrap().operation, operation);
    }
    assert!(Capability::named("no such thing").is_none());
}

#[test]
fn what_a_row_says_of_frames_and_errors_is_true_of_the_words_there_are() {
    // U7, J1
    for row in Capability::ALL {
        for frame in row.frames {
            assert!(Event::NAMES.contains(frame), "{}: {frame}", row.name);
        }
        let plain = |code: &&str| code.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(row.errors.iter().all(plain), "{}", row.name);
        let changes = matches!(row.effect, Effect::Changes | Effect::Runs);
        assert!(!changes || !row.frames.is_empty(), "{} changes something unseen", row.name);
        assert!(row.effect != Effect::Looks || row.frames.is_empty(), "{}", row.name);
    }
}

#[test]
fn schemas_are_made_from_the_rows() {
    // U7
    let read = Operation::Read.capability();
    let schema = read.parameters_schema();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["name", "path"]));
    assert_eq!(schema["properties"]["offset"]["minimum"], 0);
    assert_eq!(schema["properties"]["path"]["description"], "Relative to the skill");
    let result = read.result_schema();
    assert_eq!(result["properties"]["size"]["type"], "integer");
    assert_eq!(result["required"], json!(["path", "size", "encoding"]));
    assert_eq!(Operation::End.capability().parameters_schema().get("required"), None);
    for row in Capability::ALL {
        let names: Vec<&str> = row.parameters.iter().map(|p| p.name).collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len(), "{}", row.name);
    }
}

#[test]
fn the_styles_are_those_the_disclosure_has() {
    // D5
    let style = Operation::Prompt.capability().parameters[0];
    let Kind::Word(words) = style.kind else { panic!("a word") };
    assert_eq!(words, metier_store::Style::ALL.map(metier_store::Style::as_str));
    assert_eq!(super::of_type("string?"), json!({"type": ["string", "null"]}));
}
