//! Programs that run what is typed into them later, for a host that shows nobody what it types.

use metier_policy::{HostTable, Policy, Profile, ToolCall};
use serde_json::json;

use crate::world;

/// The commands of a list, one per line.
fn commands(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn is_typed(command: &str) -> bool {
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("Bash", json!({ "command": command }));
    Policy::profile(Profile::Default).survey(&call, host, &world::place()).interactive
}

#[test]
fn whatever_starts_a_shell_or_a_console_is_seen() {
    // S3, U5
    let list = include_str!("typed.txt");
    let missed: Vec<&str> = commands(list).filter(|command| !is_typed(command)).collect();
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(commands(list).count() >= 150);
}

#[test]
fn what_ends_by_itself_is_none_of_them() {
    // S3, U5
    let list = include_str!("ends.txt");
    let wrong: Vec<&str> = commands(list).filter(|command| is_typed(command)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(commands(list).count() >= 100);
}
