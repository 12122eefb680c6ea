//! Installed skills in the agents' directories, what the doctor says of them, and skills of other
//! tools taken over: the real binary in a world with agents in it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use metier_testing::{Run, World};
use serde_json::{Value, json};

use crate::{METIER, metier};

/// A world with two skills to install and two agents.
fn world() -> World {
    let world = World::new();
    for name in ["pdf", "notes"] {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name} well. Use when {name} is due.\n---\n\nDo.\n"
        );
        world.write(format!("source/skills/{name}/SKILL.md"), text);
    }
    for directory in [".claude", ".config/crush"] {
        std::fs::create_dir_all(world.home().join(directory)).unwrap();
    }
    world
}

fn add(world: &World, name: &str, more: &[&str]) -> Run {
    let source = world.path().join("source").display().to_string();
    let run = metier(world, &[&["add", &source, "--yes", "--skill", name], more].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

fn claude(world: &World, name: &str) -> PathBuf {
    world.home().join(".claude/skills").join(name)
}

fn json(world: &World, args: &[&str]) -> Value {
    let run = metier(world, &[args, &["--json"]].concat());
    assert_eq!(run.code, 0, "{args:?}: {}{}", run.stdout, run.stderr);
    run.json()
}

fn codes(run: &Run, list: &str) -> Vec<String> {
    let document = run.json();
    let findings = document[list].as_array().unwrap();
    let notes = |finding: &&Value| finding["severity"] != "note" || list == "fixed";
    findings.iter().filter(notes).map(|f| f["code"].as_str().unwrap().to_owned()).collect()
}

fn check_error(run: &Run, exit: i32, code: &str) {
    let error = run.json()["error"].clone();
    assert_eq!((run.code, error["code"].as_str()), (exit, Some(code)), "{error}");
}

#[test]
fn the_agents_on_the_machine_are_listed_with_where_they_look() {
    // P7
    let world = world();
    let agents = json(&world, &["agents"]);
    let ids: Vec<_> = agents["agents"].as_array().unwrap().iter().map(|a| &a["id"]).collect();
    assert_eq!(ids, ["claude-code", "crush"]);
    let claude = &agents["agents"][0];
    assert!(claude["detected"].as_str().unwrap().ends_with(".claude"));
    assert!(claude["personal"]["directory"].as_str().unwrap().ends_with(".claude/skills"));
    assert_eq!(claude["personal"]["linked"], false);
    let run = metier(&world, &["agents"]);
    assert!(run.stdout.contains("2 agents on this machine"), "{}", run.stdout);
    assert!(run.stderr.contains("metier link"), "{}", run.stderr);
    let all = json(&world, &["agents", "--all"]);
    assert!(all["agents"].as_array().unwrap().len() > 79);
}

#[test]
fn linked_agents_get_what_is_installed_now_and_later() {
    // P7
    let world = world();
    add(&world, "pdf", &[]);
    let linked = json(&world, &["link"]);
    assert_eq!(linked["made"].as_array().unwrap().len(), 2, "{linked}");
    assert!(claude(&world, "pdf").join("SKILL.md").exists());
    assert!(world.home().join(".config/crush/skills/pdf/SKILL.md").exists());
    let run = add(&world, "notes", &[]);
    assert!(claude(&world, "notes").is_symlink(), "{}", run.stderr);
    assert!(run.stderr.contains("linked"), "{}", run.stderr);
    let agents = json(&world, &["agents"]);
    assert_eq!(
        agents["agents"][0]["personal"],
        json!({
            "directory": claude(&world, "").to_str().unwrap().trim_end_matches('/'),
            "linked": true, "skills": 2,
        })
    );
    metier(&world, &["remove", "pdf"]);
    assert!(!claude(&world, "pdf").is_symlink());
    let list = json(&world, &["list"]);
    assert_eq!(list["shadowed"], json!([]), "a link to a skill is no second skill");
    let unlinked = json(&world, &["unlink", "crush"]);
    assert_eq!(unlinked["removed"].as_array().unwrap().len(), 1);
    json(&world, &["unlink"]);
    assert!(!claude(&world, "").exists() && world.home().join(".claude").exists());
}

#[test]
fn sync_makes_links_fit_too() {
    // P7
    let world = world();
    add(&world, "pdf", &[]);
    json(&world, &["link", "claude-code"]);
    std::fs::remove_file(claude(&world, "pdf")).unwrap();
    json(&world, &["sync"]);
    assert!(claude(&world, "pdf").join("SKILL.md").exists());
}

#[test]
fn what_others_put_there_stays_and_is_said() {
    // P7
    let world = world();
    add(&world, "pdf", &[]);
    let theirs = world.home().join(".claude/skills/pdf/SKILL.md");
    std::fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    std::fs::write(&theirs, "mine").unwrap();
    let run = metier(&world, &["link", "claude-code"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("is left as it is"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: move it away"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "mine");
}

#[test]
fn wrong_names_and_nothing_to_do_are_said_plainly() {
    // P7, U1
    let world = world();
    check_error(&metier(&world, &["link", "claud-code", "--json"]), 2, "unknown_agent");
    let run = metier(&world, &["link", "claud-code"]);
    assert!(run.stderr.contains("did you mean `claude-code`?"), "{}", run.stderr);
    check_error(&metier(&world, &["unlink", "crush", "--json"]), 1, "not_linked");
    let empty = World::new();
    check_error(&metier(&empty, &["link", "--json"]), 1, "no_agent");
    let run = metier(&world, &["link", "eve"]);
    assert!(run.stderr.contains("no directory"), "{}", run.stderr);
    let run = metier(&world, &["unlink", "eve"]);
    assert!(run.stdout.contains("nothing to remove"), "{}", run.stdout);
}

#[test]
fn a_dry_run_says_and_does_nothing() {
    // P7
    let world = world();
    add(&world, "pdf", &[]);
    let run = metier(&world, &["link", "--dry-run"]);
    assert!(run.stdout.contains("would be linked"), "{}", run.stdout);
    assert!(!claude(&world, "pdf").is_symlink());
    json(&world, &["link"]);
    let run = metier(&world, &["unlink", "--dry-run"]);
    assert!(run.stdout.contains("would be removed"), "{}", run.stdout);
    assert!(claude(&world, "pdf").is_symlink());
}

#[test]
fn a_project_gets_links_that_travel_with_it() {
    // P7
    let world = world();
    add(&world, "pdf", &["--layer", "project"]);
    json(&world, &["link", "--layer", "project"]);
    let link = world.project().join(".claude/skills/pdf");
    assert_eq!(std::fs::read_link(&link).unwrap(), PathBuf::from("../../.agents/skills/pdf"));
    assert!(link.join("SKILL.md").exists());
    let copied = json(&world, &["link", "claude-code", "--layer", "project", "--copy"]);
    assert_eq!(copied["made"].as_array().unwrap().len(), 1, "{copied}");
    assert!(!link.is_symlink() && link.join("SKILL.md").exists());
}

#[test]
fn the_doctor_finds_repairs_and_says_what_it_did() {
    // P7
    let world = world();
    add(&world, "pdf", &[]);
    json(&world, &["link"]);
    let run = metier(&world, &["doctor"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("nothing is wrong"), "{}", run.stdout);
    std::fs::remove_file(claude(&world, "pdf")).unwrap();
    std::fs::remove_dir_all(world.home().join(".config/crush")).unwrap();
    let home = world.home().join(".local/share/metier");
    std::fs::set_permissions(&home, PermissionsExt::from_mode(0o777)).unwrap();
    let run = metier(&world, &["doctor", "--json"]);
    assert_eq!(
        (run.code, codes(&run, "findings")),
        (1, vec!["open-to-others".to_owned(), "agent-gone".to_owned(),])
    );
    let run = metier(&world, &["doctor", "--fix", "--json"]);
    assert_eq!((run.code, codes(&run, "findings")), (0, Vec::new()), "{}", run.stdout);
    assert_eq!(codes(&run, "fixed").len(), 2);
    assert!(claude(&world, "pdf").is_symlink());
    std::fs::remove_file(claude(&world, "pdf")).unwrap();
    let run = metier(&world, &["doctor", "--fix"]);
    assert!(run.stdout.contains("fixed link-missing"), "{}", run.stdout);
}

#[test]
fn the_doctor_never_puts_right_what_somebody_changed() {
    // P7, P4
    let world = world();
    add(&world, "pdf", &["--layer", "project"]);
    let file = world.project().join(".agents/skills/pdf/SKILL.md");
    std::fs::write(&file, "edited").unwrap();
    for args in [&["doctor", "--json"][..], &["doctor", "--fix", "--json"]] {
        let run = metier(&world, args);
        assert_eq!((run.code, codes(&run, "findings")), (3, vec!["drifted".to_owned()]));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "edited");
    let run = metier(&world, &["doctor"]);
    assert!(run.stdout.contains("metier sync"), "{}", run.stdout);
}

#[test]
fn the_doctor_says_what_was_left_unfinished_before_it_is_finished() {
    // P5, P7
    let world = world();
    add(&world, "pdf", &[]);
    let home = world.home().join(".local/share/metier");
    let note = json!({"act": "link", "place": {"layer": "personal"}, "before": {}, "after": {}});
    std::fs::write(home.join("pending-links.json"), note.to_string()).unwrap();
    let run = metier(&world, &["doctor", "--json"]);
    assert_eq!((run.code, codes(&run, "findings")), (1, vec!["interrupted".to_owned()]));
    let run = metier(&world, &["list"]);
    assert!(run.stderr.contains("an interrupted `link`"), "{}", run.stderr);
    assert_eq!(metier(&world, &["doctor"]).code, 0);
}

#[test]
fn links_that_cannot_be_finished_are_said() {
    // P5, P7
    let world = world();
    add(&world, "pdf", &[]);
    let home = world.home().join(".local/share/metier");
    std::fs::write(home.join("pending-links.json"), "{").unwrap();
    let run = metier(&world, &["list"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let warnings = run.stderr.matches("what was left unfinished stays so").count();
    assert_eq!(warnings, 1, "{}", run.stderr);
    assert!(run.stderr.contains("pending-links.json"), "{}", run.stderr);
}

/// A skill that `npx skills` installed for the user.
fn foreign(world: &World) -> PathBuf {
    let directory = world.home().join(".agents/skills/sheets");
    std::fs::create_dir_all(&directory).unwrap();
    let text =
        "---\nname: sheets\ndescription: Does sheets. Use when sheets are due.\n---\n\nDo.\n";
    std::fs::write(directory.join("SKILL.md"), text).unwrap();
    let lock = json!({"version": 3, "skills": {"sheets": {
        "source": "owner/repo", "sourceType": "github",
        "sourceUrl": "https://git.example/owner/repo.git",
        "skillPath": "skills/sheets/SKILL.md", "ref": "main",
    }}});
    std::fs::write(world.home().join(".agents/.skill-lock.json"), lock.to_string()).unwrap();
    directory
}

fn trust(list: &Value) -> &str {
    let skills = list["skills"].as_array().unwrap();
    let found = skills.iter().find(|skill| skill["name"] == "sheets").unwrap();
    found["trust"].as_str().unwrap()
}

#[test]
fn skills_of_other_tools_are_taken_over_after_a_yes() {
    // P7, P4
    let world = world();
    let directory = foreign(&world);
    let run = metier(&world, &["adopt", "--dry-run"]);
    assert!(run.stdout.contains("sheets by skills from https://git.example/owner/repo.git"));
    check_error(&metier(&world, &["adopt", "--json"]), 3, "not_confirmed");
    let list = json(&world, &["list"]);
    assert_eq!(trust(&list), "present");
    let adopted = json(&world, &["adopt", "--yes"]);
    assert_eq!(adopted["approved"], json!([directory.to_str().unwrap()]));
    let list = json(&world, &["list"]);
    assert_eq!(trust(&list), "approved");
    assert!(!directory.is_symlink());
    let run = metier(&world, &["adopt"]);
    assert!(run.stdout.contains("taken over already"), "{}", run.stdout);
    check_error(&metier(&world, &["adopt", "sheet", "--json"]), 1, "not_found");
}

#[test]
fn what_is_moved_is_locked_and_leaves_a_link() {
    // P7
    let world = world();
    let directory = foreign(&world);
    let run = metier(&world, &["adopt", "--move", "--yes"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 skill taken over"), "{}", run.stdout);
    assert!(directory.is_symlink() && directory.join("SKILL.md").exists());
    let info = json(&world, &["info", "sheets"]);
    assert!(info.to_string().contains("https://git.example/owner/repo.git"), "{info}");
    assert_eq!(metier(&world, &["verify"]).code, 0);
    assert_eq!(metier(&world, &["doctor"]).code, 0, "{}", metier(&world, &["doctor"]).stdout);
    let list = json(&world, &["list"]);
    assert_eq!(list["shadowed"], json!([]));
}

#[test]
fn a_foreign_skill_that_could_do_harm_is_not_taken_over() {
    // P7, P2
    let world = world();
    let directory = foreign(&world);
    std::os::unix::fs::symlink("/etc/passwd", directory.join("notes.md")).unwrap();
    check_error(&metier(&world, &["adopt", "--yes", "--json"]), 3, "package_refused");
    assert!(!world.home().join(".local/share/metier/approvals.jsonl").exists());
}

#[test]
fn any_number_of_processes_link_and_add_at_once() {
    // P5, P7
    let world = world();
    let names: Vec<String> = (0..6).map(|number| format!("skill-{number}")).collect();
    for name in &names {
        let text = format!("---\nname: {name}\ndescription: Does it. Use when due.\n---\n\nDo.\n");
        world.write(format!("many/{name}/SKILL.md"), text);
    }
    let start = |args: &[&str]| {
        let silent = std::process::Stdio::null();
        world.command(METIER).args(args).stdout(silent).spawn().unwrap()
    };
    let mut children = Vec::new();
    for name in &names {
        let source = world.path().join("many").join(name).display().to_string();
        children.push(start(&["add", &source, "--yes", "--quiet", "--json"]));
        children.push(start(&["link", "--quiet", "--json"]));
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    json(&world, &["link"]);
    for name in &names {
        assert!(claude(&world, name).join("SKILL.md").exists(), "{name}");
    }
    assert_eq!(metier(&world, &["doctor"]).code, 0);
}
