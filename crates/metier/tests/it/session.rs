//! Sessions across processes: restarts, crashes, crowds, and what must never be recorded.

use std::process::Stdio;
use std::time::Duration;

use metier_testing::World;
use serde_json::json;

use crate::{METIER, frames, hermetic, journal, workshop};

fn stack(world: &World, args: &[&str]) -> Vec<String> {
    let status = hermetic(world, &[&["status", "--json"], args].concat()).json();
    let stack = status["stack"].as_array().unwrap().clone();
    stack.iter().map(|active| active["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_process_sees_the_same_stack() {
    // S6
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["use", "free"]);
    assert_eq!(stack(&world, &[]), ["notes", "free"]);
    hermetic(&world, &["release"]);
    assert_eq!(stack(&world, &[]), ["notes"]);
    let denied = hermetic(&world, &["guard", "Write", r#"{"file_path": "x"}"#, "--json"]);
    assert_eq!(denied.json()["skill"], "notes");
}

#[test]
fn sessions_and_journals_are_kept_apart() {
    // S6, J2
    let world = workshop();
    hermetic(&world, &["use", "notes", "--session", "a"]);
    hermetic(&world, &["use", "free", "--session", "b"]);
    hermetic(&world, &["use", "files", "--journal", "own.jsonl"]);
    assert_eq!(stack(&world, &["--session", "a"]), ["notes"]);
    assert_eq!(stack(&world, &["--session", "b"]), ["free"]);
    assert_eq!(stack(&world, &["--journal", "own.jsonl"]), ["files"]);
    assert_eq!(stack(&world, &[]), Vec::<String>::new());
    let call = r#"{"command": "curl x"}"#;
    let code =
        |session: &str| hermetic(&world, &["guard", "Bash", call, "--session", session]).code;
    assert_eq!((code("a"), code("b")), (3, 0));
}

#[test]
fn the_environment_names_session_journal_and_ids() {
    // S6, J2
    let mut world = workshop();
    for (name, value) in [
        ("METIER_SESSION", "s-1"),
        ("METIER_JOURNAL", "../team.jsonl"),
        ("METIER_AGENT", "agent-7"),
        ("METIER_TASK", "task-1"),
        ("METIER_TENANT", "acme"),
        ("METIER_CORRELATION", "c-9"),
    ] {
        world.env(name, value);
    }
    hermetic(&world, &["use", "notes"]);
    let text = std::fs::read_to_string(world.path().join("team.jsonl")).unwrap();
    for line in text.lines() {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(frame["session_id"], "s-1");
        let ids =
            ["agent_id", "task_id", "tenant_id", "correlation_id"].map(|id| frame[id].clone());
        assert_eq!(ids, ["agent-7", "task-1", "acme", "c-9"].map(|id| json!(id)));
    }
    assert_eq!(stack(&world, &["--session", "other"]), Vec::<String>::new());
}

#[test]
fn a_session_cannot_be_named_like_a_path() {
    // S6, U1
    let world = workshop();
    for session in ["../x", "/etc/passwd", "..", "a b", ""] {
        for command in [&["status"][..], &["use", "notes"], &["guard", "Read"], &["events"]] {
            let run = hermetic(&world, &[command, &["--session", session]].concat());
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{session} {command:?}");
        }
    }
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_journal_that_goes_on() {
    // S6, J1, J3
    let world = workshop();
    let root = format!("personal={}", world.path().join("roots/personal").display());
    let mut acknowledged = 0;
    for round in 0..40_u64 {
        let (word, name) = if round % 2 == 0 { ("use", Some("notes")) } else { ("release", None) };
        let mut child = world
            .command(METIER)
            .args(["--no-default-roots", "--root", &root, word])
            .args(name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Every fourth pair gets to its end; the others are killed, each a little later.
        if round % 8 < 6 {
            std::thread::sleep(Duration::from_millis(round));
            child.kill().unwrap();
        }
        let finished = child.wait().unwrap().success();
        let replayed = hermetic(&world, &["replay", "--json"]);
        if replayed.code == 1 {
            continue; // Killed before the journal was there.
        }
        let document = replayed.json();
        assert_eq!(document["fault"], json!(null), "round {round}: {document}");
        let now = stack(&world, &[]);
        if finished {
            acknowledged += 1;
            assert_eq!(now.is_empty(), word == "release", "round {round}: {now:?}");
        }
        // Whatever happened, the guard agrees with the stack and its own frame is written.
        let call = r#"{"command": "curl x"}"#;
        let run = hermetic(&world, &["guard", "Bash", call, "--json"]);
        assert_eq!(run.code, if now.is_empty() { 0 } else { 3 }, "round {round}: {}", run.stderr);
    }
    assert!(acknowledged >= 5, "only {acknowledged} of those that were let live did it");
    assert_eq!(hermetic(&world, &["replay", "--verify"]).code, 0);
}

#[test]
fn processes_that_write_at_once_lose_no_ruling() {
    // S6, J1
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    let before = frames(&world).len();
    let call = r#"{"command": "curl x"}"#;
    let children: Vec<_> = (0..12)
        .map(|_| {
            let mut command = world.command(METIER);
            command.args(["guard", "Bash", call]).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }
    assert_eq!(frames(&world).len(), before + 12);
    assert_eq!(hermetic(&world, &["replay"]).code, 0);
}

#[test]
fn of_processes_that_ask_at_once_one_activates() {
    // S1, S6
    let world = workshop();
    let root = format!("personal={}", world.path().join("roots/personal").display());
    let children: Vec<_> = (0..10)
        .map(|_| {
            let mut command = world.command(METIER);
            command.args(["use", "notes", "--no-default-roots", "--root", &root]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let codes: Vec<_> =
        children.into_iter().map(|mut child| child.wait().unwrap().code().unwrap()).collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert_eq!(stack(&world, &[]), ["notes"]);
    let started = frames(&world).iter().filter(|f| f["type"] == "session_started").count();
    assert_eq!(started, 1);
}

#[test]
fn no_secret_reaches_the_journal() {
    // J2, S7
    let mut world = workshop();
    let canaries = ["canary-token-4711", "canary key 0815", "canary/secret=42", "canary-pässwörd"];
    for (name, value) in
        ["GH_TOKEN", "SOME_API_KEY", "app_secret", "DB_PASSWORD"].iter().zip(canaries)
    {
        world.env(name, value);
    }
    for canary in canaries {
        world.write(
            "roots/personal/leaky/SKILL.md",
            format!("---\nname: leaky\ndescription: \"Leaks {canary}. Use never.\"\nx-note: \"{canary}\"\n---\n{canary}\n"),
        );
        for padding in [0, 4085] {
            let text = format!("{}{canary}", "x".repeat(padding));
            let call = json!({"command": text, "nested": [{"deep": text, text.as_str(): 1}]});
            hermetic(&world, &["guard", "Bash", &call.to_string()]);
            hermetic(&world, &["guard", &text, "{}"]);
            hermetic(&world, &["use", &text, &text]);
            hermetic(&world, &["use", "leaky", &text]);
            hermetic(&world, &["release"]);
            hermetic(&world, &["read", "files", &text]);
            hermetic(&world, &["read", &text, "x"]);
        }
    }
    let folder = journal(&world).parent().unwrap().to_owned();
    let mut looked_at = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        looked_at += text.lines().count();
        assert!(
            !text.contains("canary"),
            "{}",
            text.lines().find(|l| l.contains("canary")).unwrap()
        );
    }
    assert!(looked_at > 60, "{looked_at}");
    let frames = frames(&world);
    for kind in ["skill_loaded", "skill_invoked", "resource_read", "tool_execution_in_skill"] {
        assert!(frames.iter().any(|f| f["type"] == kind), "no `{kind}` was tried");
    }
}

#[test]
fn the_journal_is_for_its_owner_only() {
    // J1
    use std::os::unix::fs::PermissionsExt as _;
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    let mode = std::fs::metadata(journal(&world)).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn durability_is_a_setting_and_every_choice_works() {
    // J1
    let world = workshop();
    for durability in ["frame", "act", "system"] {
        let setting = format!("journal.durability = \"{durability}\"\n");
        world.write("home/.config/metier/config.toml", setting);
        assert_eq!(hermetic(&world, &["use", "notes"]).code, 0, "{durability}");
        assert_eq!(hermetic(&world, &["end"]).code, 0, "{durability}");
    }
    world.write("home/.config/metier/config.toml", "journal.durability = \"never\"\n");
    assert_eq!(hermetic(&world, &["use", "notes"]).code, 2);
}
