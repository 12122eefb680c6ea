use std::path::{Path, PathBuf};

use metier_testing::World;
use serde_json::json;

use crate::{hermetic, journal, workshop};

fn folder(world: &World) -> PathBuf {
    world.home().join(".local/share/metier/artifacts")
}

/// The files kept, but for the lock and the notes on journals.
fn kept(world: &World) -> usize {
    let is_shelf = |path: &Path| path.file_name().is_some_and(|name| name.len() == 2);
    let Ok(shelves) = std::fs::read_dir(folder(world)) else { return 0 };
    let shelves = shelves.map(|shelf| shelf.unwrap().path()).filter(|path| is_shelf(path));
    shelves.map(|shelf| std::fs::read_dir(shelf).unwrap().count()).sum()
}

#[test]
fn what_no_journal_refers_to_is_removed_and_the_rest_stays() {
    // J2, U1
    let world = workshop();
    let other = world.path().join("other.jsonl").display().to_string();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["--journal", &other, "use", "free"]);
    hermetic(&world, &["--journal", &other, "read", "files", "references/a.md"]);
    assert_eq!(kept(&world), 3);
    let run = hermetic(&world, &["gc", "--grace", "0", "--json"]);
    let document = run.json();
    assert_eq!((&document["removed"], &document["kept"]), (&json!(0), &json!(3)));
    assert_eq!(document["journals"], 2, "the journal elsewhere is remembered");
    std::fs::remove_file(&other).unwrap();
    let run = hermetic(&world, &["gc", "--dry-run", "--grace", "0"]);
    assert!(run.stdout.starts_with("2 files, "), "{}", run.stdout);
    assert!(run.stdout.contains("would be removed"), "{}", run.stdout);
    assert_eq!(hermetic(&world, &["gc", "--json"]).json()["removed"], 0, "all of it is young");
    assert_eq!(kept(&world), 3);
    let run = hermetic(&world, &["gc", "--grace", "0"]);
    assert!(run.stdout.contains("removed") && run.code == 0, "{}", run.stdout);
    assert_eq!(kept(&world), 1);
    assert_eq!(hermetic(&world, &["replay", "--verify"]).code, 0);
}

#[test]
fn a_journal_that_cannot_be_read_keeps_everything() {
    // J2
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    std::fs::remove_file(journal(&world)).unwrap();
    std::fs::create_dir(journal(&world)).unwrap();
    let run = hermetic(&world, &["gc", "--grace", "0", "--json"]);
    assert_eq!((run.code, &run.json()["error"]["code"]), (1, &json!("gc_failed")));
    assert_eq!(kept(&world), 1);
}

#[test]
fn a_setting_keeps_nothing() {
    // J2
    let world = workshop();
    world.write("home/.config/metier/config.toml", "journal.artifacts = false\n");
    hermetic(&world, &["use", "notes"]);
    assert_eq!(kept(&world), 0);
    let run = hermetic(&world, &["gc"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("0 files, 0 bytes, removed"), "{}", run.stdout);
}

#[test]
fn trees_of_skills_that_nothing_needs_go_too() {
    // P3, U1
    let world = World::new();
    world.write(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files.\n---\nOne.\n",
    );
    hermetic(&world, &["add", "./pdf", "--yes"]);
    world.write(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files.\n---\nTwo.\n",
    );
    assert_eq!(hermetic(&world, &["add", "./pdf", "--yes"]).code, 0);
    let packages = |args: &[&str]| {
        let document = hermetic(&world, &[&["gc", "--json"], args].concat()).json();
        let trees = &document["packages"];
        (trees["trees"].as_array().map(Vec::len), trees["kept"].clone(), trees["drafts"].clone())
    };
    assert_eq!(packages(&[]), (Some(0), json!(2), json!(0)));
    assert_eq!(packages(&["--earlier", "--dry-run"]), (Some(1), json!(1), json!(0)));
    let run = hermetic(&world, &["gc", "--earlier"]);
    let last = run.stdout.lines().last();
    assert_eq!(last, Some("1 tree of skills and 0 unfinished copies removed, 1 kept"));
    assert_eq!(hermetic(&world, &["verify"]).code, 0);
    let run = hermetic(&world, &["rollback", "pdf", "--yes"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}
