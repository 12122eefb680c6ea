//! The 157 inputs that the standard's reference library was tried on, each with the outcome the
//! standard demands. Where the reference does something else, the table says why we do not.

use std::path::PathBuf;

use metier_format::{Mode, Severity};
use serde::Deserialize;

use crate::support::strict_errors;

/// One line of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    label: String,
    directory: Pieces,
    file: String,
    content: Option<Pieces>,
    hex: Option<String>,
    /// The codes that are errors when strict, in file order.
    strict: Vec<String>,
    loads: bool,
    name: Option<Pieces>,
    description: Option<Pieces>,
    /// What the reference's validator did: accepts, rejects, crashes.
    reference: String,
    /// `store` where the file's name, not its text, decides.
    decided_by: Option<String>,
    why: Option<String>,
}

/// Text, with long runs written as a piece and a count.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Pieces {
    Text(String),
    Pieces(Vec<Piece>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Run(String, usize),
}

impl Pieces {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Pieces(pieces) => pieces.iter().map(Piece::text).collect(),
        }
    }
}

impl Piece {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Run(text, count) => text.repeat(*count),
        }
    }
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        if let Some(content) = &self.content {
            return content.text().into_bytes();
        }
        let hex = self.hex.as_deref().expect("a case has content or hex");
        let digits: Vec<u8> = hex.bytes().collect();
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).expect("ASCII");
            u8::from_str_radix(pair, 16).expect("two hexadecimal digits")
        };
        digits.chunks(2).map(byte).collect()
    }

    /// Everything about the outcome that is not as the table has it.
    fn faults(&self) -> Vec<String> {
        let parsed = metier_format::parse(&self.bytes(), Some(&self.directory.text()));
        let mut faults = Vec::new();
        let mut compare = |what: &str, seen: String, expect: String| {
            if seen != expect {
                faults.push(format!("{}: {what} is {seen}, not {expect}", self.label));
            }
        };
        let (strict, manifest) = (strict_errors(&parsed), parsed.manifest.as_ref());
        compare("strict", format!("{strict:?}"), format!("{:?}", self.strict));
        compare("loads", manifest.is_some().to_string(), self.loads.to_string());
        let name = manifest.map(|manifest| manifest.name.to_string());
        let description = manifest.map(|manifest| manifest.description.value.clone());
        let expect = |pieces: &Option<Pieces>| format!("{:?}", pieces.as_ref().map(Pieces::text));
        compare("name", format!("{name:?}"), expect(&self.name));
        compare("description", format!("{description:?}"), expect(&self.description));
        faults
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("standard_cases.json")).expect("the table is well formed")
}

#[test]
fn every_case_has_the_outcome_the_standard_demands() {
    // F1, F2, F3, F4
    let faults: Vec<String> = cases().iter().flat_map(Case::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_difference_from_the_reference_is_explained() {
    // F1
    let cases = cases();
    assert_eq!(cases.len(), 157);
    for case in &cases {
        let agrees = case.strict.is_empty() == (case.reference == "accepts");
        assert!(agrees || case.why.is_some(), "{} needs a reason", case.label);
        assert!(["accepts", "rejects", "crashes"].contains(&&*case.reference));
    }
    let of = |verdict: &str| cases.iter().filter(|case| case.reference == verdict).count();
    assert_eq!((of("accepts"), of("rejects"), of("crashes")), (77, 77, 3));
}

#[test]
fn only_the_name_of_the_file_is_left_to_the_store() {
    // F1, D1
    for case in cases() {
        assert_eq!(case.decided_by.is_some(), case.file != "SKILL.md", "{}", case.label);
    }
}

#[test]
fn a_file_that_loads_has_no_lenient_error() {
    // ruling 2
    for case in cases() {
        let parsed = metier_format::parse(&case.bytes(), Some(&case.directory.text()));
        let worst = parsed.diagnostics.iter().map(|d| d.severity(Mode::Lenient)).max();
        assert_eq!(worst == Some(Severity::Error), !case.loads, "{}", case.label);
    }
}

#[test]
fn the_table_has_every_input_there_is() {
    // F1
    let Some(path) =
        metier_testing::shared().map(|shared| shared.join("facts/standard-cases.json"))
    else {
        println!("the reference's own table is not beside this checkout; ours has 157 cases");
        assert_eq!(cases().len(), 157);
        return;
    };
    let theirs = reference(path);
    let ours: Vec<(String, Vec<u8>)> =
        cases().iter().map(|case| (case.label.clone(), case.bytes())).collect();
    assert_eq!(ours, theirs);
}

/// Label and content of every case in the reference's table.
fn reference(path: PathBuf) -> Vec<(String, Vec<u8>)> {
    #[derive(Deserialize)]
    struct Table {
        cases: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        label: String,
        content: Option<String>,
        content_hex: Option<String>,
    }
    let text = std::fs::read_to_string(path).expect("the reference's table");
    let table: Table = serde_json::from_str(&text).expect("the reference's table");
    let bytes = |row: Row| {
        let hex = row.content_hex.unwrap_or_default();
        let pairs = (0..hex.len() / 2).filter_map(|at| hex.get(2 * at..2 * at + 2));
        let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect();
        (row.label, row.content.map_or(bytes, String::into_bytes))
    };
    table.cases.into_iter().map(bytes).collect()
}
