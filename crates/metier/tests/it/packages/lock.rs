//! `skills.toml`, the lock and the disk when one of them says something else than the others.

use super::*;

fn text(body: &str) -> String {
    format!("---\nname: forms\ndescription: Does forms. Use when due.\n---\n\n{body}\n")
}

/// A server with `good` and `evil`, each with two versions of `forms` tagged `v1` and `v2`.
fn server() -> GitServer {
    let server = GitServer::start();
    for name in ["good", "evil"] {
        for version in ["v1", "v2"] {
            let body = text(&format!("{name} {version}"));
            let repo = server.repo(name).file("skills/forms/SKILL.md", body);
            let commit = repo.commit(version);
            let _ = server.repo(name).git(&["tag", version, &commit], b"");
        }
    }
    server
}

/// The end of what is installed in the project.
fn body(world: &World) -> String {
    let text = std::fs::read_to_string(world.project().join(".agents/skills/forms/SKILL.md"));
    text.unwrap_or_default().lines().last().unwrap_or_default().to_owned()
}

fn in_project(world: &World, args: &[&str]) -> Run {
    metier(world, &[args, &["--layer", "project"]].concat())
}

#[test]
fn a_lock_from_another_source_than_the_one_that_is_wanted_is_noticed() {
    // P3
    let (server, world) = (server(), World::new());
    let run = in_project(&world, &["add", &format!("{}@v1", server.url("evil")), "--yes"]);
    assert_eq!((run.code, body(&world).as_str()), (0, "evil v1"), "{}", run.stderr);
    let wanted = std::fs::read_to_string(world.project().join("skills.toml")).unwrap();
    world.write("project/skills.toml", wanted.replace("/evil", "/good"));
    std::fs::remove_dir_all(world.project().join(".agents/skills/forms")).unwrap();
    let frozen = in_project(&world, &["sync", "--frozen", "--json"]);
    check_error(&frozen, 1, "lock_outdated", "without `--frozen`");
    let said = frozen.json()["error"]["message"].to_string();
    for url in [server.url("good"), server.url("evil")] {
        assert!(said.contains(&format!("from `{url}`")), "{said}");
    }
    assert_eq!(body(&world), "", "nothing was done");
    let doctor = metier(&world, &["doctor", "--json"]);
    assert!(doctor.stdout.contains("and locked from"), "{}", doctor.stdout);
    assert_eq!(in_project(&world, &["sync", "--json"]).code, 3, "it is asked for a yes");
    let synced = in_project(&world, &["sync", "--yes"]);
    assert_eq!((synced.code, body(&world).as_str()), (0, "good v1"), "{}", synced.stderr);
    assert_eq!(in_project(&world, &["sync", "--frozen"]).code, 0);
}

#[test]
fn going_back_in_a_project_lasts() {
    // P3
    let (server, world) = (server(), World::new());
    for version in ["v1", "v2"] {
        let source = format!("{}@{version}", server.url("good"));
        assert_eq!(in_project(&world, &["add", &source, "--yes"]).code, 0);
    }
    assert_eq!(in_project(&world, &["rollback", "forms", "--yes"]).code, 0);
    for args in [&["sync", "--frozen"][..], &["sync", "--yes"], &["verify"]] {
        let run = in_project(&world, args);
        assert_eq!((run.code, body(&world).as_str()), (0, "good v1"), "{args:?} {}", run.stderr);
    }
    // A ref that is wanted and another that is locked are told from what is not locked at all.
    let wanted = std::fs::read_to_string(world.project().join("skills.toml")).unwrap();
    world.write("project/skills.toml", wanted.replace("\"v1\"", "\"v2\""));
    let run = in_project(&world, &["sync", "--frozen"]);
    assert!(run.stderr.contains("`forms` is wanted at `v2` and locked at `v1`"), "{}", run.stderr);
    std::fs::remove_file(world.project().join("skills.lock")).unwrap();
    let run = in_project(&world, &["sync", "--frozen"]);
    assert!(run.stderr.contains("`forms` is wanted and not locked"), "{}", run.stderr);
}

/// Changes the personal skill `forms` as somebody does who means it.
fn edit(world: &World, text: &str) {
    let directory = home(world).join("skills/forms");
    let file = directory.join("SKILL.md");
    for (path, mode) in [(&directory, 0o755), (&file, 0o644)] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    std::fs::write(file, text).unwrap();
}

#[test]
fn a_personal_skill_that_somebody_changed_is_not_gone_over() {
    // P2, P3
    let (server, world) = (server(), World::new());
    let add = |version: &str| {
        let source = format!("{}@{version}", server.url("good"));
        metier(&world, &["add", &source, "--yes", "--json"])
    };
    assert_eq!(add("v1").code, 0);
    edit(&world, &text("mine"));
    check_error(&add("v2"), 3, "drifted", "`metier sync` puts it back");
    check_error(&metier(&world, &["remove", "forms", "--json"]), 3, "drifted", "metier verify");
    let removed = metier(&world, &["remove", "forms", "--force", "--json"]);
    assert_eq!(removed.code, 0, "{}", removed.stderr);
    let kept = removed.json()["removed"][0]["replaced"]["kept"].clone();
    let kept = std::fs::read_to_string(format!("{}/SKILL.md", kept.as_str().unwrap())).unwrap();
    assert_eq!(kept, text("mine"));
    // Nobody has what was installed any more: it is fetched exactly as it was.
    let back = metier(&world, &["rollback", "forms", "--yes"]);
    assert_eq!(back.code, 0, "{}", back.stderr);
    assert_eq!(metier(&world, &["verify"]).code, 0);
    let installed = std::fs::read_to_string(home(&world).join("skills/forms/SKILL.md")).unwrap();
    assert!(installed.ends_with("good v1\n"), "{installed}");
    // What sync keeps is in nobody's way.
    edit(&world, &text("mine again"));
    assert_eq!(metier(&world, &["sync"]).code, 0);
    assert_eq!(add("v2").code, 0);
    assert_eq!(metier(&world, &["rollback", "forms", "--yes"]).code, 0);
}

#[test]
fn an_approval_that_was_cut_short_is_said() {
    // P4, P5
    let world = world();
    add(&world, &["--skill", "pdf"]);
    assert_eq!(metier(&world, &["untrust", "pdf"]).code, 0);
    let file = home(&world).join("approvals.jsonl");
    let lines = std::fs::read_to_string(&file).unwrap();
    let standing =
        || skill(&metier(&world, &["list", "--all", "--json"]).json(), "pdf")["trusted"].clone();
    let revoked = standing();
    std::fs::write(&file, lines.trim_end()).unwrap();
    assert_eq!(standing(), revoked, "it lacks nothing but its end");
    assert_eq!(metier(&world, &["list"]).stderr.matches("was cut short").count(), 0);
    std::fs::write(&file, &lines[..lines.len() - 9]).unwrap();
    let run = metier(&world, &["list"]);
    assert!(run.stderr.contains("approvals.jsonl` was cut short"), "{}", run.stderr);
    assert_eq!(metier(&world, &["untrust", "pdf"]).code, 0);
    let torn = std::fs::read_to_string(home(&world).join("approvals.jsonl.torn")).unwrap();
    assert!(lines.contains(torn.trim_end()), "{torn}");
    assert_eq!(metier(&world, &["list"]).stderr.matches("was cut short").count(), 0);
}

#[test]
fn where_nothing_is_installed_that_is_said() {
    // P3
    let world = World::new();
    for command in ["outdated", "update"] {
        assert_eq!(metier(&world, &[command]).stdout, "nothing is installed\n", "{command}");
    }
}
