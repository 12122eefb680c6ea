//! The data files: what must be denied and what must be allowed.

use metier_policy::Verdict;

use crate::world;

/// One line: allowed-tools, command, source.
pub(crate) struct Line {
    pub(crate) allowed: String,
    pub(crate) command: String,
    pub(crate) source: String,
}

pub(crate) fn lines(text: &str) -> Vec<Line> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [allowed, command, source] = cells.as_slice() else {
                panic!("not three columns: {line}");
            };
            assert!(!source.is_empty(), "no source: {line}");
            Line {
                allowed: unescape(allowed),
                command: unescape(command),
                source: (*source).into(),
            }
        })
        .collect()
}

/// `⏎`, `⇥` and `<U+XXXX>` as the characters they stand for.
pub(crate) fn unescape(text: &str) -> String {
    let text = text.replace('⏎', "\n").replace('⇥', "\t");
    let mut parts = text.split("<U+");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('>').expect("a closed escape");
        out.push(
            u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("a code point"),
        );
        out.push_str(rest);
    }
    out
}

fn check(text: &str, expected: Verdict, at_least: usize) {
    let lines = lines(text);
    let mut wrong = Vec::new();
    for line in &lines {
        let ruling = world::shell(&line.allowed, &line.command);
        if ruling.verdict != expected {
            let why = ruling.explanation();
            wrong.push(format!(
                "{} | {} | {} | {}: {why}",
                line.allowed, line.command, line.source, ruling.verdict
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    assert!(lines.len() >= at_least, "only {} lines", lines.len());
}

#[test]
fn every_known_bypass_of_a_command_pattern_is_denied() {
    // S3
    check(include_str!("bypasses.tsv"), Verdict::Deny, 200);
}

#[test]
fn ordinary_commands_are_allowed() {
    // S3
    check(include_str!("ordinary.tsv"), Verdict::Allow, 100);
}
