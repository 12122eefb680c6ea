//! What the journal says of changes to what is installed.

use super::*;

/// What was recorded about packages: type, act and name of each frame.
fn recorded(world: &World) -> Vec<String> {
    let run = metier(world, &["--session", "packages", "events", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let line = |line: &str| {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let (kind, payload) = (text(&frame["type"]), &frame["payload"]);
        format!("{kind} {} {}", text(&payload["act"]), text(&payload["name"]))
    };
    run.stdout.lines().map(line).collect()
}

#[test]
fn every_change_of_what_is_installed_is_recorded_before_and_after() {
    // J1, P4
    let world = world();
    add(&world, &["--skill", "pdf"]);
    source(&world, "pdf", "license: MIT\n");
    metier(&world, &["update", "--yes"]);
    metier(&world, &["rollback", "pdf", "--yes"]);
    metier(&world, &["untrust", "pdf"]);
    metier(&world, &["untrust", "pdf"]);
    metier(&world, &["trust", "pdf", "--yes"]);
    metier(&world, &["trust", ".", "--yes"]);
    metier(&world, &["untrust", "."]);
    std::fs::remove_file(home(&world).join("skills/pdf")).unwrap();
    metier(&world, &["sync"]);
    add(&world, &["--skill", "pdf"]);
    metier(&world, &["remove", "pdf"]);
    let expect = [
        ("installed", "add pdf"),
        ("updated", "update pdf"),
        ("updated", "rollback pdf"),
        ("unapproved", "untrust pdf"),
        ("unchanged", "untrust pdf"),
        ("approved", "trust pdf"),
        ("approved", "trust "),
        ("unapproved", "untrust "),
        ("updated", "sync pdf"),
        ("updated", "add pdf"),
        ("removed", "remove pdf"),
    ];
    let pair = |(kind, what): &(&str, &str)| {
        [format!("skill_change_requested {what}"), format!("skill_{kind} {what}")]
    };
    let expect: Vec<String> = expect.iter().flat_map(pair).collect();
    assert_eq!(recorded(&world), expect);
    assert_eq!(metier(&world, &["--session", "packages", "replay", "--verify"]).code, 0);
    let shown = metier(&world, &["--session", "packages", "events"]).stdout;
    assert!(shown.contains("skill_installed") && shown.contains("add pdf, none → "), "{shown}");
}

#[test]
fn a_frame_says_what_took_the_place_of_what_and_who_said_yes() {
    // J1, P4
    let world = world();
    let journal = world.path().join("team.jsonl").display().to_string();
    add(&world, &["--skill", "pdf", "--journal", &journal, "--session", "team"]);
    source(&world, "pdf", "license: MIT\n");
    add(&world, &["--skill", "pdf", "--journal", &journal, "--session", "team"]);
    let text = std::fs::read_to_string(&journal).unwrap();
    let frames: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, installed, intent, updated] = &frames[..] else { panic!("{text}") };
    assert_eq!(
        (&updated["session_id"], &updated["type"]),
        (&json!("team"), &json!("skill_updated"))
    );
    let (old, new) = (&installed["payload"]["after"], &updated["payload"]["after"]);
    assert_eq!(&updated["payload"]["before"], old);
    assert_eq!(intent["payload"]["after"]["tree"], new["tree"]);
    assert_ne!(old["tree"], new["tree"]);
    assert!(new["approval"].as_str().unwrap().contains(" at ") && new["source"].is_string());
    assert_eq!(updated["payload"]["layer"], "personal");
    let path = home(&world).join("skills/pdf");
    assert_eq!(updated["payload"]["path"].as_str(), path.to_str());
    assert!(!home(&world).join("sessions/packages.jsonl").exists());
}

#[test]
fn what_the_journal_refuses_does_not_happen() {
    // J1
    let world = world();
    add(&world, &["--skill", "pdf"]);
    let lock = std::fs::read(home(&world).join("skills.lock")).unwrap();
    let approvals = std::fs::read(home(&world).join("approvals.jsonl")).unwrap();
    let elsewhere = world.path().join("source").display().to_string();
    let source = world.path().join("source/skills/notes").display().to_string();
    let acts: [&[&str]; 5] = [
        &["add", &source, "--yes"],
        &["remove", "pdf"],
        &["untrust", "pdf"],
        &["trust", ".", "--yes"],
        &["untrust", "."],
    ];
    for act in acts {
        // A directory is no journal.
        let run = metier(&world, &[&["--json", "--journal", &elsewhere], act].concat());
        check_error(&run, 1, "journal_refused", "");
    }
    assert_eq!(std::fs::read(home(&world).join("skills.lock")).unwrap(), lock);
    assert_eq!(std::fs::read(home(&world).join("approvals.jsonl")).unwrap(), approvals);
    assert!(!home(&world).join("folders.json").exists());
}

#[test]
fn what_could_not_be_done_is_recorded_with_its_reason() {
    // J1, P5
    let world = world();
    world.write("home/.local/share/metier/skills/pdf/SKILL.md", "mine");
    check_error(&add(&world, &["--skill", "pdf", "--json"]), 3, "occupied", "");
    assert_eq!(recorded(&world), ["skill_change_requested add pdf", "skill_unchanged add pdf"]);
    let journal = home(&world).join("sessions/packages.jsonl");
    let text = std::fs::read_to_string(journal).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["payload"]["code"], "occupied");
    assert!(last["payload"]["reason"].as_str().unwrap().contains("metier did not install it"));
}
