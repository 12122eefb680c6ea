//! Findings as SARIF 2.1.0, the format code hosts read. Every code is a rule, so that a result
//! can point to it by index whether or not others were found.

use serde_json::{Map, Value, json};

use super::{FileReport, Region, Regions};
use crate::diagnostic::{Code, Diagnostic, Mode, Severity};
use crate::span::Span;
use crate::text;

/// The schema this output follows.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings as SARIF 2.1.0, ending in a line break. Columns count code points.
#[must_use]
pub fn sarif(files: &[FileReport], mode: Mode) -> String {
    let results: Vec<Value> = files
        .iter()
        .enumerate()
        .flat_map(|(index, file)| file_results(file, index, mode))
        .collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver(mode) },
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "artifacts": files.iter().map(artifact).collect::<Vec<_>>(),
            "results": results,
        }],
    });
    format!("{}\n", text::visible_json(&format!("{document:#}")))
}

fn driver(mode: Mode) -> Value {
    json!({
        "name": "metier",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Code::ALL.iter().map(|code| rule(*code, mode)).collect::<Vec<_>>(),
    })
}

fn rule(code: Code, mode: Mode) -> Value {
    let help = if code.help().is_empty() { code.title() } else { code.help() };
    json!({
        "id": code.as_str(),
        "name": format!("{code:?}"),
        "shortDescription": { "text": code.title() },
        "help": { "text": help },
        "defaultConfiguration": { "level": level(code.severity(mode)) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

fn artifact(file: &FileReport) -> Value {
    json!({ "location": { "uri": uri(&file.path) }, "length": file.source.len() })
}

fn file_results(file: &FileReport, index: usize, mode: Mode) -> Vec<Value> {
    let regions = Regions::of(file);
    let location = json!({ "uri": uri(&file.path), "index": index });
    let places = regions.findings.into_iter().zip(regions.edits);
    file.diagnostics
        .iter()
        .zip(places)
        .map(|(diagnostic, (region, edits))| {
            let mut result = result(diagnostic, mode);
            let mut physical = json!({ "artifactLocation": location });
            if let (Some(span), Some(found)) = (diagnostic.span, region) {
                insert(&mut physical, "region", region_value(span, found));
            }
            insert(&mut result, "locations", json!([{ "physicalLocation": physical }]));
            if !diagnostic.fix.is_empty() {
                insert(&mut result, "fixes", json!([fix(diagnostic, &location, &edits)]));
            }
            result
        })
        .collect()
}

fn result(diagnostic: &Diagnostic, mode: Mode) -> Value {
    let message = match &diagnostic.help {
        Some(help) => format!("{}\n{}", diagnostic.message, help),
        None => diagnostic.message.clone(),
    };
    json!({
        "ruleId": diagnostic.code.as_str(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == diagnostic.code),
        "level": level(diagnostic.severity(mode)),
        "message": { "text": message },
    })
}

fn fix(diagnostic: &Diagnostic, location: &Value, regions: &[Region]) -> Value {
    let replacements: Vec<Value> = diagnostic
        .fix
        .iter()
        .zip(regions)
        .map(|(edit, region)| {
            json!({
                "deletedRegion": region_value(edit.span, *region),
                "insertedContent": { "text": edit.text },
            })
        })
        .collect();
    let description = diagnostic.help.as_deref().unwrap_or(diagnostic.code.title());
    json!({
        "description": { "text": description },
        "artifactChanges": [{ "artifactLocation": location, "replacements": replacements }],
    })
}

fn region_value(span: Span, region: Region) -> Value {
    json!({
        "startLine": region.start.line,
        "startColumn": region.start.column,
        "endLine": region.end.line,
        "endColumn": region.end.column,
        "byteOffset": span.start,
        "byteLength": span.end.saturating_sub(span.start),
    })
}

fn insert(value: &mut Value, key: &str, item: Value) {
    if let Some(map) = value.as_object_mut() {
        Map::insert(map, key.to_owned(), item);
    }
}

/// `path` as a URI reference: percent-encoded, relative unless the path is absolute.
fn uri(path: &str) -> String {
    let (scheme, path) = match path.strip_prefix("./") {
        Some(rest) => ("", rest),
        None if path.starts_with('/') => ("file://", path),
        None => ("", path),
    };
    let mut out = scheme.to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
#[path = "sarif_tests.rs"]
mod tests;
