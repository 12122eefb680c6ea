//! Findings as one JSON document. Its keys are a contract: add, never rename.

use serde_json::{Value, json};

use super::{FileReport, Region, Regions, count, count_fixable};
use crate::diagnostic::{Diagnostic, Mode, Severity};
use crate::text;

/// The findings as JSON, ending in a line break. Every file is listed, with findings or without;
/// `line` and `column` are null for a finding about no place in particular.
#[must_use]
pub fn json(files: &[FileReport], mode: Mode) -> String {
    let document = json!({
        "files": files.iter().map(|file| file_value(file, mode)).collect::<Vec<_>>(),
        "errors": count(files, mode, Severity::Error),
        "warnings": count(files, mode, Severity::Warning),
        "advice": count(files, mode, Severity::Advice),
        "fixable": count_fixable(files),
    });
    format!("{}\n", text::visible_json(&format!("{document:#}")))
}

fn file_value(file: &FileReport, mode: Mode) -> Value {
    let regions = Regions::of(file).findings;
    let findings = file.diagnostics.iter().zip(regions);
    json!({
        "path": file.path,
        "diagnostics": findings.map(|(d, region)| value(d, region, mode)).collect::<Vec<_>>(),
    })
}

fn value(diagnostic: &Diagnostic, region: Option<Region>, mode: Mode) -> Value {
    let start = diagnostic.position.or(region.map(|region| region.start));
    let end = region.map(|region| region.end);
    json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity(mode).as_str(),
        "line": start.map(|position| position.line),
        "column": start.map(|position| position.column),
        "end_line": end.map(|position| position.line),
        "end_column": end.map(|position| position.column),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "fixable": !diagnostic.fix.is_empty(),
    })
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
