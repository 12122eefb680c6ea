//! Content that somebody changed behind metier's back: who is told, what is shown, and that nothing
//! a person wrote is lost.

use metier_testing::World;

use crate::{hermetic, metier};

const SKILL: &str = "---\nname: gitty\ndescription: Reads a history. Use when asked.\n---\n\n";

/// A world with a personal skill that is approved where it lies.
fn approved() -> World {
    let world = World::new();
    world.write("roots/personal/gitty/SKILL.md", format!("{SKILL}Look at the log.\n"));
    world.write("roots/personal/gitty/scripts/log.sh", "echo log\n");
    let trusted = hermetic(&world, &["trust", "gitty", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    world
}

#[test]
fn a_changed_approved_skill_is_explained_the_same_way_everywhere() {
    // P4, P7, D4
    let world = approved();
    assert_eq!(
        hermetic(&world, &["verify"]).stdout.lines().last(),
        Some("1 skill is as locked or approved")
    );
    world.write("roots/personal/gitty/SKILL.md", format!("{SKILL}Push it all.\n"));
    world.write("roots/personal/gitty/new.md", "new\n");
    let refused = hermetic(&world, &["use", "gitty"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("hint: `metier trust gitty` shows what changed"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("sync"), "nothing can put it back: {}", refused.stderr);
    for args in [&["verify", "gitty"][..], &["verify"]] {
        let verified = hermetic(&world, args);
        assert_eq!(verified.code, 3, "{args:?}: {}", verified.stdout);
        assert!(verified.stdout.contains("✗ gitty (personal, approved)"), "{}", verified.stdout);
        assert!(verified.stdout.contains("changed SKILL.md"), "{}", verified.stdout);
        assert!(verified.stderr.contains("`metier trust gitty`"), "{}", verified.stderr);
    }
    assert_eq!(hermetic(&world, &["verify", "--json"]).json()["skills"][0]["against"], "approval");
    let why = hermetic(&world, &["why", "gitty"]).stdout;
    assert!(why.contains("changed since it was approved") && !why.contains("folder"), "{why}");
    let doctor = hermetic(&world, &["doctor", "--json"]);
    assert_eq!(doctor.code, 3, "{}", doctor.stdout);
    let found = doctor.json()["findings"].to_string();
    assert!(found.contains("\"changed\"") && found.contains("metier trust gitty"), "{found}");
    let folder = hermetic(&world, &["trust", ".", "--yes"]);
    assert!(!folder.stdout.contains("gitty"), "it waits for no folder: {}", folder.stdout);
}

#[test]
fn trust_shows_what_changed_line_by_line_before_it_asks() {
    // P4
    let world = approved();
    world.write("roots/personal/gitty/SKILL.md", format!("{SKILL}Push it all.\n"));
    world.write("roots/personal/gitty/new.md", "new\n");
    std::fs::remove_file(world.path().join("roots/personal/gitty/scripts/log.sh")).unwrap();
    let asked = hermetic(&world, &["trust", "gitty"]);
    assert_eq!(asked.code, 3, "nobody said yes: {}", asked.stderr);
    for shown in [
        "  3 files differ:",
        "  changed SKILL.md",
        "    - Look at the log.",
        "    + Push it all.",
        "  added new.md",
        "  removed scripts/log.sh",
    ] {
        assert!(asked.stdout.contains(shown), "{shown}: {}", asked.stdout);
    }
}

#[test]
fn a_skill_that_stands_in_for_a_changed_one_is_not_taken_for_it() {
    // P4, D3
    let world = approved();
    world.write("roots/project/gitty/SKILL.md", format!("{SKILL}Another one.\n"));
    world.write("roots/project/gitty/scripts/log.sh", "echo other\n");
    let folder = world.path().join("roots").display().to_string();
    assert_eq!(hermetic(&world, &["trust", &folder, "--yes"]).code, 0);
    world.write("roots/personal/gitty/SKILL.md", format!("{SKILL}Push it all.\n"));
    let said = "changed since it was approved and is left out; this is the one in";
    let used = hermetic(&world, &["use", "gitty"]);
    assert!(used.stdout.contains("Another one."), "{}", used.stdout);
    assert!(used.stderr.contains(said), "{}", used.stderr);
    let again = hermetic(&world, &["use", "gitty", "--json", "--session", "other"]).json();
    let notice = again["notice"].to_string();
    assert!(notice.contains(said), "{notice}");
    let ran = hermetic(&world, &["run", "gitty", "log", "--json", "--text"]).json();
    assert!(ran["notes"].to_string().contains(said), "{ran}");
}

#[test]
fn sync_says_what_it_replaces_and_keeps_it() {
    // P3
    let world = World::new();
    world.write("source/gitty/SKILL.md", format!("{SKILL}Look at the log.\n"));
    let source = world.path().join("source/gitty").display().to_string();
    let added = metier(&world, &["add", &source, "--layer", "project", "--yes"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let edit = || world.write("project/.agents/skills/gitty/SKILL.md", format!("{SKILL}Mine.\n"));
    edit();
    let synced = metier(&world, &["sync"]);
    assert_eq!(synced.code, 0, "{}", synced.stderr);
    assert!(synced.stdout.contains("gitty is in order again"), "{}", synced.stdout);
    assert!(synced.stdout.contains("    changed SKILL.md"), "{}", synced.stdout);
    assert!(synced.stderr.contains("hint: `cp -r "), "{}", synced.stderr);
    edit();
    let replaced = metier(&world, &["sync", "--json"]).json()["changed"][0]["replaced"].clone();
    for repair in [&["doctor", "--fix"][..], &["gc"]] {
        metier(&world, repair);
        let kept = format!("{}/SKILL.md", replaced["kept"].as_str().unwrap());
        let kept = std::fs::read_to_string(kept).unwrap();
        assert!(kept.ends_with("Mine.\n"), "{repair:?}: {kept}");
    }
    let gone = metier(&world, &["gc", "--earlier"]).stdout;
    assert!(gone.contains("of them 1 is a copy of what somebody changed"), "{gone}");
}

#[test]
fn going_back_shows_what_becomes_of_each_file_and_stays_in_its_layer() {
    // P3, P4
    let world = World::new();
    let source = world.path().join("source/gitty").display().to_string();
    let install = |body: &str, layer: &str| {
        world.write("source/gitty/SKILL.md", format!("{SKILL}{body}\n"));
        let added = metier(&world, &["add", &source, "--layer", layer, "--yes"]);
        assert_eq!(added.code, 0, "{}", added.stderr);
    };
    for layer in ["project", "personal"] {
        install("One.", layer);
        install("Two.", layer);
    }
    let asked = metier(&world, &["rollback", "gitty"]);
    assert_eq!(asked.code, 3, "nobody said yes: {}", asked.stderr);
    assert!(asked.stdout.contains("    - Two.\n    + One.\n"), "{}", asked.stdout);
    assert_eq!(metier(&world, &["rollback", "gitty", "--yes"]).code, 0);
    let again = metier(&world, &["rollback", "gitty", "--yes"]);
    assert_eq!(again.code, 1, "{}", again.stdout);
    let project = world.project().join(".agents/skills/gitty/SKILL.md");
    assert!(std::fs::read_to_string(project).unwrap().ends_with("Two.\n"));
}

#[test]
fn sync_of_a_fresh_clone_says_that_its_skills_wait_for_trust() {
    // P3, P4
    let world = World::new();
    world.write("source/gitty/SKILL.md", format!("{SKILL}One.\n"));
    let source = world.path().join("source/gitty").display().to_string();
    assert_eq!(metier(&world, &["add", &source, "--layer", "project", "--yes"]).code, 0);
    // Somebody else's home, the same project.
    let other = world.path().join("other").display().to_string();
    let synced = metier(&world, &["sync", "--home", &other]);
    assert_eq!(synced.code, 0, "{}", synced.stderr);
    assert!(synced.stderr.contains("hint: `metier trust "), "{}", synced.stderr);
}
