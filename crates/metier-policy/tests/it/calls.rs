//! The data file of calls of other tools than the shell.

use metier_policy::Verdict;

use crate::{tables, world};

#[test]
fn calls_are_judged_by_name_file_and_address() {
    // S3
    let mut wrong = Vec::new();
    let text = include_str!("calls.tsv");
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    for line in &lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let [allowed, tool, arguments, verdict, why] = cells.as_slice() else {
            panic!("not five columns: {line}");
        };
        // Escapes stand for themselves in JSON text only as JSON writes them.
        let arguments: serde_json::Value = serde_json::from_str(arguments).expect("JSON");
        let arguments = unescape(arguments);
        let ruling = world::rule(allowed, tool, arguments);
        if Some(ruling.verdict) != Verdict::from_word(verdict) {
            wrong.push(format!("{line} ({why}): {} {}", ruling.verdict, ruling.explanation()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines.len() >= 100, "only {} lines", lines.len());
}

fn unescape(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::String(text) => tables::unescape(&text).into(),
        serde_json::Value::Object(map) => {
            map.into_iter().map(|(key, value)| (key, unescape(value))).collect()
        }
        other => other,
    }
}
