//! From a source to an approved, pinned and verified skill, and what happens when somebody touches
//! it: the real binary, real git over HTTP on loopback.

mod journal;
mod lock;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use metier_testing::{GitServer, Run, World};
use serde_json::json;

use crate::{METIER, frames, metier};

/// A world with skills to install in `source/`.
fn world() -> World {
    let world = World::new();
    for name in ["pdf", "notes"] {
        source(&world, name, "");
    }
    world
}

fn source(world: &World, name: &str, more: &str) {
    let text = format!(
        "---\nname: {name}\ndescription: Does {name} well. Use when {name} is due.\n{more}---\n\n\
         # {name}\n\nRun `scripts/run.sh`.\n"
    );
    world.write(format!("source/skills/{name}/SKILL.md"), text);
    world.write(format!("source/skills/{name}/scripts/run.sh"), "echo hi\n");
}

fn add(world: &World, more: &[&str]) -> Run {
    let source = world.path().join("source").display().to_string();
    metier(world, &[&["add", &source, "--yes"], more].concat())
}

fn home(world: &World) -> PathBuf {
    world.home().join(".local/share/metier")
}

fn skill<'a>(list: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let skills = list["skills"].as_array().unwrap();
    skills.iter().find(|skill| skill["name"] == name).unwrap()
}

fn check_error(run: &Run, exit: i32, code: &str, hint: &str) {
    let error = run.json()["error"].clone();
    assert_eq!((run.code, error["code"].as_str()), (exit, Some(code)), "{error}");
    assert!(error["hints"].to_string().contains(hint), "{error}");
}

#[test]
fn nothing_is_installed_without_a_yes() {
    // P4, U1
    let world = world();
    let source = world.path().join("source/skills/pdf").display().to_string();
    let run = metier(&world, &["add", &source, "--json"]);
    check_error(&run, 3, "not_confirmed", "--yes");
    assert!(!home(&world).join("skills.lock").exists());
    let run = metier(&world, &["add", &source]);
    assert_eq!(run.code, 3);
    for shown in ["pdf", "source", "commit", "signature", "tools", "scripts/run.sh"] {
        assert!(run.stdout.contains(shown), "{}", run.stdout);
    }
}

/// What metier says to somebody at a terminal who types `answer`, and its exit code.
fn asked(world: &World, args: &[&str], answer: &str) -> (i32, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = std::fs::File::options().read(true).write(true).open(name).unwrap();
    let mut command = world.command(METIER);
    command.args(args).stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
    command.stderr(terminal);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut master = std::fs::File::from(master);
    std::io::Write::write_all(&mut master, answer.as_bytes()).unwrap();
    let mut said = Vec::new();
    let _ = std::io::Read::read_to_end(&mut master, &mut said);
    (child.wait().unwrap().code().unwrap(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn on_a_terminal_a_person_chooses_and_says_yes_or_no() {
    // P1, P4, U1
    let world = world();
    let source = world.path().join("source").display().to_string();
    let (code, said) = asked(&world, &["add", &source], "2\nn\n");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("Install 1 skill for the personal layer? [y/N]"), "{said}");
    assert!(!home(&world).join("skills.lock").exists());
    assert_eq!(asked(&world, &["add", &source], "\n").0, 3, "none was chosen");
    let (code, said) = asked(&world, &["add", &source], "notes 2\ny\n");
    assert_eq!(code, 0, "{said}");
    assert_eq!(metier(&world, &["info", "--json"]).json()["skills"].as_array().unwrap().len(), 2);
}

#[test]
fn an_added_skill_is_locked_approved_listed_and_usable() {
    // P2, P3, P4, D4
    let world = world();
    let run = add(&world, &["--all", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let installed = run.json();
    assert_eq!(installed["installed"].as_array().unwrap().len(), 2);
    assert_eq!(installed["installed"][0]["layer"], "personal");
    let lock = std::fs::read_to_string(home(&world).join("skills.lock")).unwrap();
    assert!(lock.contains("name = \"pdf\"") && lock.contains("tree = \"sha256:"), "{lock}");
    let list = metier(&world, &["list", "--json"]).json();
    assert_eq!(skill(&list, "pdf")["trust"], "approved");
    let used = metier(&world, &["use", "pdf", "--json"]).json();
    assert_eq!((&used["trust"], &used["notice"]), (&json!("approved"), &json!(null)));
    assert!(used["chain"]["tree"].is_string() && used["chain"]["approval"].is_string(), "{used}");
    for kind in ["skill_loaded", "skill_activated"] {
        let frame = frames(&world).into_iter().find(|frame| frame["type"] == kind).unwrap();
        assert_eq!(frame["payload"]["tree"], used["chain"]["tree"], "{frame}");
        assert!(frame["payload"]["source"].as_str().unwrap().ends_with("source"), "{frame}");
    }
    let again = add(&world, &["--all"]);
    assert!(again.stdout.contains("nothing to do"), "{}", again.stdout);
}

#[test]
fn several_skills_ask_which() {
    // P1, U1
    let world = world();
    let source = world.path().join("source").display().to_string();
    let run = metier(&world, &["add", &source, "--yes", "--json"]);
    check_error(&run, 2, "which_skill", "--skill NAME");
    let run = metier(&world, &["add", &source, "--yes", "--skill", "notes", "--json"]);
    assert_eq!(run.json()["installed"][0]["name"], "notes");
    let run = metier(&world, &["add", &source, "--yes", "--skill", "nots", "--json"]);
    check_error(&run, 1, "no_such_skill", "notes");
    let run = metier(&world, &["add", "--yes", "--json", "--", "-x"]);
    check_error(&run, 2, "bad_reference", "owner/repo");
    let run = metier(&world, &["add", "--yes", "--json", "./nowhere"]);
    check_error(&run, 1, "not_found", "");
}

#[test]
fn a_skill_that_breaks_the_standard_needs_lenient() {
    // P2
    let world = World::new();
    let long = "x".repeat(1100);
    let text = format!("---\nname: long\ndescription: Use it. {long}\n---\nBody.\n");
    let file = world.write("source/long/SKILL.md", text);
    let source = file.parent().unwrap().display().to_string();
    let run = metier(&world, &["add", &source, "--yes", "--json"]);
    check_error(&run, 1, "skill_has_errors", "--lenient");
    assert_eq!(metier(&world, &["add", &source, "--yes", "--lenient"]).code, 0);
}

#[test]
fn changed_content_is_hidden_refused_and_can_be_approved() {
    // P4, D4
    let world = world();
    add(&world, &["--skill", "pdf", "--layer", "project"]);
    let file = world.project().join(".agents/skills/pdf/SKILL.md");
    let list = metier(&world, &["list", "--json"]).json();
    assert_eq!(skill(&list, "pdf")["trust"], "approved", "although the folder is not trusted");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("hi", "ho").replace("Run", "Rum")).unwrap();
    world.write("project/.agents/skills/pdf/evil.sh", "x");
    let list = metier(&world, &["list", "--json"]).json();
    let pdf = skill(&list, "pdf");
    assert_eq!((&pdf["trust"], &pdf["active"]), (&json!("untrusted"), &json!(false)));
    assert_eq!(pdf["reason"], "changed since it was approved");
    assert!(!metier(&world, &["prompt"]).stdout.contains("Does pdf well"));
    let run = metier(&world, &["use", "pdf", "--json"]);
    check_error(&run, 3, "skill_changed", "metier trust pdf");
    let message = run.json()["error"]["message"].to_string();
    assert!(message.contains("changed SKILL.md, extra evil.sh"), "{message}");
    check_error(
        &metier(&world, &["read", "pdf", "SKILL.md", "--json"]),
        3,
        "skill_changed",
        "sync",
    );
    let all = metier(&world, &["use", "pdf", "--skills", "all-untrusted", "--json"]);
    check_error(&all, 3, "skill_changed", "");
    let verified = metier(&world, &["verify", "--json"]);
    assert_eq!(verified.code, 3);
    assert_eq!(verified.json()["skills"][0]["differences"].as_array().unwrap().len(), 2);
    assert_eq!(metier(&world, &["trust", "pdf", "--yes"]).code, 0);
    assert_eq!(metier(&world, &["use", "pdf"]).code, 0);
    assert_eq!(metier(&world, &["verify"]).code, 3, "the lock still says otherwise");
    let refused = frames(&world).into_iter().filter(|f| f["type"] == "skill_refused").count();
    assert_eq!(refused, 2);
}

#[test]
fn a_tamper_that_puts_times_back_is_found_by_stamps_and_by_bytes() {
    // P4
    for verify in ["stamps", "bytes"] {
        let world = world();
        let setting = format!("packages.verify = \"{verify}\"\n");
        world.write("home/.config/metier/config.toml", setting);
        add(&world, &["--skill", "pdf"]);
        assert_eq!(metier(&world, &["use", "pdf"]).code, 0);
        let file = home(&world).join("skills/pdf/scripts/run.sh").canonicalize().unwrap();
        let before = std::fs::metadata(&file).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        std::fs::write(&file, "echo ho\n").unwrap();
        std::fs::set_permissions(&file, before.permissions()).unwrap();
        let times = std::fs::FileTimes::new().set_modified(before.modified().unwrap());
        std::fs::File::open(&file).unwrap().set_times(times).unwrap();
        let run = metier(&world, &["use", "pdf", "--session", "other", "--json"]);
        check_error(&run, 3, "skill_changed", "metier sync");
    }
}

#[test]
fn folders_are_trusted_and_untrusted() {
    // P4, D4
    let world = world();
    let text = "---\nname: local\ndescription: Local. Use here.\n---\nBody.\n";
    world.write("project/.agents/skills/local/SKILL.md", text);
    let use_it = || metier(&world, &["use", "local", "--json"]);
    check_error(&use_it(), 3, "skill_not_trusted", "metier trust ");
    check_error(&metier(&world, &["trust", ".", "--json"]), 3, "not_confirmed", "--yes");
    assert_eq!(metier(&world, &["trust", ".", "--yes"]).code, 0);
    assert_eq!(use_it().json()["trust"], "present");
    metier(&world, &["end"]);
    assert_eq!(metier(&world, &["trust", "local", "--yes", "--json"]).json()["trust"], "approved");
    assert!(metier(&world, &["trust", "local"]).stdout.contains("approved as it is"));
    assert_eq!(use_it().json()["trust"], "approved");
    metier(&world, &["end"]);
    assert_eq!(metier(&world, &["untrust", "local", "--json"]).json()["changed"], true);
    assert_eq!(metier(&world, &["untrust", "."]).code, 0);
    check_error(&use_it(), 3, "skill_not_trusted", "");
    assert!(metier(&world, &["untrust", "."]).stdout.contains("was not trusted"));
    assert_eq!(metier(&world, &["trust", "./nowhere", "--yes"]).code, 1);
    assert_eq!(metier(&world, &["trust", "skill-author", "--yes"]).code, 1, "it is bundled");
}

#[test]
fn a_project_cannot_bring_its_own_approvals() {
    // P4
    let world = world();
    add(&world, &["--skill", "pdf", "--layer", "project"]);
    let stranger = World::new();
    for file in ["approvals.jsonl", "folders.json", "registry.json"] {
        let text = std::fs::read(home(&world).join(file)).unwrap_or_default();
        stranger.write(format!("project/{file}"), &text);
        stranger.write(format!("project/.agents/{file}"), text);
    }
    for path in ["skills.lock", "skills.toml", ".agents/skills/pdf/SKILL.md"] {
        let text = std::fs::read(world.project().join(path)).unwrap();
        stranger.write(format!("project/{path}"), text);
    }
    let list = metier(&stranger, &["list", "--json"]).json();
    assert_eq!(skill(&list, "pdf")["trust"], "untrusted");
}

#[test]
fn an_update_shows_what_changed_and_can_be_taken_back() {
    // P3
    let server = GitServer::start();
    let first = server.repo("skills").skill("skills/pdf", "pdf").commit("one");
    let world = World::new();
    let url = server.url("skills");
    let run = metier(&world, &["add", &url, "--yes", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["installed"][0]["new"]["commit"], json!(first));
    assert!(metier(&world, &["outdated"]).stdout.contains("up to date"));
    let text = "---\nname: pdf\ndescription: Does pdf otherwise. Use when due.\n\
                allowed-tools: Bash(curl:*)\npermissions:\n  network: [api.example]\n---\n\nNew.\n";
    let second = server.repo("skills").file("skills/pdf/SKILL.md", text).commit("two");
    let outdated = metier(&world, &["outdated", "--json"]).json();
    assert_eq!(outdated["outdated"][0]["latest"], json!(second));
    let asked = metier(&world, &["update"]);
    assert_eq!(asked.code, 3);
    for shown in ["+ host api.example", "+ tool Bash(curl:*)", "- any tool", "    + New."] {
        assert!(asked.stdout.contains(shown), "{shown}:\n{}", asked.stdout);
    }
    let updated = metier(&world, &["update", "pdf", "--yes", "--json"]).json();
    let change = &updated["updated"][0];
    assert_eq!(
        (&change["old"]["commit"], &change["new"]["commit"]),
        (&json!(first), &json!(second))
    );
    let info = metier(&world, &["info", "pdf", "--json"]).json();
    assert_eq!((&info["commit"], &info["sound"]), (&json!(second), &json!(true)));
    assert_eq!(info["earlier"][0]["commit"], json!(first));
    assert_eq!(metier(&world, &["rollback", "pdf", "--json"]).code, 3);
    let back = metier(&world, &["rollback", "pdf", "--yes", "--json"]).json();
    assert_eq!(back["restored"][0]["new"]["commit"], json!(first));
    assert_eq!(metier(&world, &["verify"]).code, 0);
    assert_eq!(metier(&world, &["update", "nobody", "--yes"]).code, 1);
}

#[test]
fn a_pinned_skill_stays_where_it_is() {
    // P1, P3
    let server = GitServer::start();
    let first = server.repo("skills").skill("pdf", "pdf").commit("one");
    let _ = server
        .repo("skills")
        .file("pdf/SKILL.md", "---\nname: pdf\ndescription: X. Use.\n---\n")
        .commit("two");
    let world = World::new();
    let run = metier(&world, &["add", &server.url("skills"), "--pin", &first, "--yes", "--json"]);
    assert_eq!(run.json()["installed"][0]["new"]["commit"], json!(first), "{}", run.stderr);
    assert!(metier(&world, &["update", "--yes"]).stdout.contains("up to date"));
}

#[test]
fn a_checkout_is_filled_from_its_lock_and_frozen_refuses_the_rest() {
    // P3
    let server = GitServer::start();
    let _ = server.repo("skills").skill("pdf", "pdf").skill("notes", "notes").commit("one");
    let world = World::new();
    let url = server.url("skills");
    let run = metier(&world, &["add", &url, "--all", "--yes", "--layer", "project"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let other = World::new();
    for file in ["skills.lock", "skills.toml"] {
        other.write(format!("project/{file}"), std::fs::read(world.project().join(file)).unwrap());
    }
    let synced = metier(&other, &["sync", "--frozen", "--json"]);
    assert_eq!(synced.code, 0, "{}", synced.stderr);
    assert_eq!(synced.json()["changed"].as_array().unwrap().len(), 2);
    assert_eq!(metier(&other, &["verify"]).code, 0);
    assert!(metier(&other, &["sync"]).stdout.contains("as locked"));
    other.write(
        "project/skills.toml",
        format!("[skills]\npdf = {{ source = \"{url}\", path = \"pdf\" }}\n"),
    );
    check_error(&metier(&other, &["sync", "--frozen", "--json"]), 1, "lock_outdated", "--frozen");
    let synced = metier(&other, &["sync", "--json"]).json();
    assert_eq!(
        (&synced["changed"][0]["name"], &synced["changed"][0]["new"]),
        (&json!("notes"), &json!(null))
    );
    let lock = std::fs::read_to_string(other.project().join("skills.lock")).unwrap();
    other.write("project/skills.lock", format!("{lock}<<<<<<< ours\n"));
    let broken = metier(&other, &["sync", "--json"]);
    check_error(&broken, 1, "lock_unreadable", "sync");
    let line = lock.lines().count() + 1;
    assert!(
        broken.json()["error"]["message"].to_string().contains(&format!("skills.lock:{line}:"))
    );
    let list = metier(&other, &["list"]);
    assert!(list.stderr.contains("skills.lock:"), "said, not silent: {}", list.stderr);
}

#[test]
fn a_source_that_is_not_what_the_lock_says_is_refused() {
    // P3, P4
    let server = GitServer::start();
    let first = server.repo("skills").skill("pdf", "pdf").commit("one");
    let world = World::new();
    metier(&world, &["add", &server.url("skills"), "--yes", "--layer", "project"]);
    let lock = std::fs::read_to_string(world.project().join("skills.lock")).unwrap();
    assert!(lock.contains(&first), "{lock}");
    let second = server.repo("skills").file("pdf/more.md", "more\n").commit("two");
    let other = World::new();
    other.write("project/skills.lock", lock.replace(&first, &second));
    check_error(&metier(&other, &["sync", "--json"]), 3, "tree_mismatch", "");
    assert!(!other.project().join(".agents/skills/pdf").exists());
}

#[test]
fn a_lock_whose_files_are_not_those_of_its_tree_is_refused_by_everybody() {
    // P3, P4
    let world = world();
    add(&world, &["--skill", "pdf", "--layer", "project"]);
    let path = world.project().join("skills.lock");
    let lock = std::fs::read_to_string(&path).unwrap();
    let file = lock.split("sha256 = \"").nth(1).unwrap()[..64].to_owned();
    world.write("project/skills.lock", lock.replace(&file, &"0".repeat(64)));
    let line = 1 + lock.lines().position(|line| line.starts_with("tree = ")).unwrap();
    for args in [&["sync"][..], &["sync", "--frozen"], &["verify"], &["update", "--yes"]] {
        let args = [args, &["--layer", "project", "--json"]].concat();
        let run = metier(&world, &args);
        check_error(&run, 1, "lock_unreadable", "metier sync");
        let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(&format!("skills.lock:{line}:")), "{message}");
        assert!(message.contains("`pdf`"), "{message}");
    }
    world.write("project/skills.lock", lock);
    assert_eq!(metier(&world, &["verify", "--layer", "project"]).code, 0);
}

#[test]
fn removing_takes_away_what_was_installed_and_nothing_else() {
    // P3
    let world = world();
    add(&world, &["--all"]);
    let run = metier(&world, &["remove", "pdf", "--json"]);
    assert_eq!(run.json()["removed"][0]["name"], "pdf");
    assert!(
        !home(&world).join("skills/pdf").exists() && home(&world).join("skills/notes").exists()
    );
    check_error(&metier(&world, &["remove", "pdf", "--json"]), 1, "not_installed", "metier info");
    check_error(
        &metier(&world, &["rollback", "nts", "--yes", "--json"]),
        1,
        "no_earlier",
        "metier info",
    );
    assert_eq!(metier(&world, &["rollback", "pdf", "--yes"]).code, 0);
    world.write("home/.local/share/metier/skills/mine/SKILL.md", "mine");
    source(&world, "mine", "");
    check_error(&add(&world, &["--skill", "mine", "--json"]), 3, "occupied", "move it away");
    assert_eq!(metier(&world, &["info"]).stdout.lines().count(), 2);
}

#[test]
fn a_signature_can_be_required() {
    // P4
    let world = world();
    world.write("home/.config/metier/config.toml", "[packages]\nrequire-signature = true\n");
    let run = add(&world, &["--skill", "pdf", "--json"]);
    check_error(&run, 3, "signature_required", "packages.signers");
    assert!(!home(&world).join("skills/pdf").exists());
}

#[test]
fn an_interrupted_change_is_finished_by_whoever_comes_next() {
    // P5
    let world = world();
    add(&world, &["--skill", "pdf"]);
    source(&world, "pdf", "license: MIT\n");
    // The same update twice: once to have its note, once with the note left behind.
    let before = std::fs::read(home(&world).join("skills.lock")).unwrap();
    add(&world, &["--skill", "pdf"]);
    let after = std::fs::read_to_string(home(&world).join("skills.lock")).unwrap();
    let tree = |lock: &str| lock.split("tree = \"sha256:").nth(1).unwrap()[..64].to_owned();
    let (old, new) = (tree(&String::from_utf8(before).unwrap()), tree(&after));
    assert_ne!(old, new);
    let link = home(&world).join("skills/pdf");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(format!("../store/{old}"), &link).unwrap();
    let run = metier(&world, &["use", "pdf", "--json"]);
    check_error(&run, 3, "skill_changed", "metier sync");
    assert_eq!(metier(&world, &["sync"]).code, 0);
    assert_eq!(
        std::fs::read_link(&link).unwrap().file_name().unwrap().to_str(),
        Some(new.as_str())
    );
}

#[test]
fn any_number_of_processes_lose_no_entry() {
    // P5: more of both with METIER_PROCESSES and METIER_ROUNDS.
    let number = |variable: &str, default: usize| {
        std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (processes, rounds) = (number("METIER_PROCESSES", 6), number("METIER_ROUNDS", 3));
    let world = World::new();
    for process in 0..processes {
        source(&world, &format!("skill-{process}"), "");
    }
    let mut accounted = 0;
    let mut expected = std::collections::BTreeSet::new();
    for round in 0..rounds {
        let children: Vec<_> = (0..processes)
            .map(|process| {
                let name = format!("skill-{process}");
                // In turn: add, add a newer one, remove, go back.
                let mut command = world.command(METIER);
                let source = world.path().join("source").join("skills").join(&name);
                match (round + process) % 4 {
                    2 if round > 0 => {
                        expected.remove(&name);
                        command.args(["remove", &name]);
                    }
                    _ => {
                        let text = format!(
                            "---\nname: {name}\ndescription: Round {round}. Use it.\n---\nX.\n"
                        );
                        std::fs::write(source.join("SKILL.md"), text).unwrap();
                        expected.insert(name.clone());
                        command.arg("add").arg(&source).arg("--yes");
                    }
                }
                command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
                (name, command.spawn().unwrap())
            })
            .collect();
        for (name, child) in children {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "round {round}, {name}: {said}");
            accounted += 1;
        }
        let info = metier(&world, &["info", "--json"]).json();
        let names: std::collections::BTreeSet<String> = info["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|skill| skill["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, expected, "round {round}");
        assert_eq!(metier(&world, &["verify"]).code, 0, "round {round}");
    }
    assert_eq!(accounted, processes * rounds);
}
