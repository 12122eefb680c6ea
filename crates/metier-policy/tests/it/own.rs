//! The data file of calls that write metier's own files: no profile lets one pass.

use std::path::PathBuf;

use metier_policy::own::OWN_STATE;
use metier_policy::{
    ActiveStack, HostTable, Place, Policy, Profile, Ruling, ToolCall, Verdict, decide,
};
use serde_json::json;

use crate::{tables, world};

/// The ruling of a profile where `/home/user/.local/share/metier` is metier's own.
fn rule(profile: Profile, tool: &str, arguments: serde_json::Value) -> Ruling {
    let protected = [
        PathBuf::from("/home/user/.local/share/metier"),
        PathBuf::from("/home/user/.config/metier/config.toml"),
    ];
    let place = Place { protected: &protected, ..world::place() };
    let call = ToolCall::new(tool, arguments);
    decide(&Policy::profile(profile), &ActiveStack::default(), &call, HostTable::plain(), &place)
}

/// What metier's own files have to say about it.
fn own(ruling: &Ruling) -> Verdict {
    let own = ruling.reasons.iter().filter(|reason| reason.rule.as_deref() == Some(OWN_STATE));
    own.map(|reason| reason.verdict).max().unwrap_or(Verdict::Allow)
}

#[test]
fn no_profile_lets_a_command_write_what_is_metiers_own() {
    // S3, S4
    let text = include_str!("own.tsv");
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    let mut wrong = Vec::new();
    for line in &lines {
        let (verdict, command) = line.split_once('\t').expect("two columns");
        let expected = Verdict::from_word(verdict).expect("a verdict");
        for profile in [Profile::FullAuto, Profile::Default] {
            let command = tables::unescape(command);
            let ruling = rule(profile, "Bash", json!({ "command": command }));
            let found = own(&ruling);
            if found != expected {
                wrong.push(format!("{line} ({}): {found}", profile.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines.len() >= 200, "only {} lines", lines.len());
}
