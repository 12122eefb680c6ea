use metier_testing::World;

use crate::{METIER, hermetic, metier, sample};

#[test]
fn help_and_version_are_results() {
    // U1
    let world = World::new();
    for args in [&["--help"][..], &["help"], &["list", "--help"], &["-h"], &["help", "lint"]] {
        let run = metier(&world, args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        assert!(run.stdout.contains("Usage: metier"), "{args:?}");
        assert!(run.stdout.contains("Examples:"), "{args:?}");
        assert!(!run.stdout.contains('\u{1b}'), "{args:?} is coloured");
    }
    let version = metier(&world, &["--version"]);
    assert_eq!(version.stdout, format!("metier {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_examples_that_work_as_they_stand() {
    // U1
    let world = World::new();
    for place in ["project/skills", "project/.claude/skills"] {
        world.skill(place, "skill-author", "Writes skills. Use when a skill is to be written.");
    }
    let bin = std::path::Path::new(METIER).parent().unwrap().display().to_string();
    for command in [
        "",
        "list",
        "check",
        "show",
        "why",
        "search",
        "prompt",
        "lint",
        "props",
        "tour",
        "completions",
        "man",
    ] {
        let help = metier(&world, &["help", command][..1 + usize::from(!command.is_empty())]);
        let (_, examples) = help.stdout.split_once("Examples:\n").expect(command);
        let examples: Vec<&str> = examples.lines().take_while(|line| !line.is_empty()).collect();
        assert!(!examples.is_empty(), "{command}");
        for example in examples {
            // The long help explains its examples in a second column; pagers and other shells are
            // not metier's to test.
            let line = example.trim().split("  ").next().unwrap();
            let line = line.strip_suffix("| man -l -").unwrap_or(line);
            let line = line.strip_suffix("| source").unwrap_or(line);
            let mut bash = world.command("bash");
            let path = format!("{bin}:/usr/bin:/bin");
            let output = bash.args(["-c", line]).env("PATH", path).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "`{line}`: {stderr}");
        }
    }
}

#[test]
fn wrong_usage_ends_with_two_and_says_so_on_standard_error() {
    // U1
    let world = World::new();
    for args in [
        &["--nonsense"][..],
        &["dance"],
        &["list", "--limit", "some"],
        &["show"],
        &["--root", "somewhere", "list"],
        &["--color", "purple", "list"],
        &["list", "--quiet", "--verbose"],
        &["lint", "--format", "xml"],
    ] {
        let run = metier(&world, args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn with_json_a_failure_is_one_document_too() {
    // U1
    let world = sample();
    let unknown = hermetic(&world, &["show", "pfd", "--json"]);
    assert_eq!(unknown.code, 1);
    let document = unknown.json();
    assert_eq!(document["error"]["kind"], "failed");
    assert_eq!(document["error"]["message"], "there is no skill `pfd`");
    assert_eq!(document["error"]["hints"][0], "did you mean `pdf`?");
    assert!(unknown.stderr.starts_with("error: there is no skill"), "{}", unknown.stderr);
    let usage = metier(&world, &["list", "--json", "--nonsense"]);
    assert_eq!((usage.code, usage.json()["error"]["kind"].as_str()), (2, Some("usage")));
}

#[test]
fn with_json_wrong_usage_names_what_is_missing_and_what_was_meant() {
    // U1
    let world = World::new();
    let missing = metier(&world, &["show", "--json"]).json()["error"].clone();
    assert_eq!(missing["message"], "the following required arguments were not provided: <NAME>");
    let meant = metier(&world, &["lits", "--json"]).json()["error"].clone();
    assert!(meant["hints"][0].as_str().unwrap().contains("'list'"), "{meant}");
}

#[test]
fn with_json_help_version_completions_and_pages_are_one_document_too() {
    // U1
    let world = World::new();
    let document = |args: &[&str]| {
        let run = metier(&world, args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        run.json()
    };
    assert_eq!(document(&["--json", "--version"])["version"], env!("CARGO_PKG_VERSION"));
    let help = document(&["list", "--help", "--json"]);
    assert!(help["help"].as_str().unwrap().contains("Usage: metier list"), "{help}");
    let bash = document(&["completions", "bash", "--json"]);
    assert_eq!(bash["shell"], "bash");
    assert_eq!(bash["script"], metier(&world, &["completions", "bash"]).stdout);
    let page = document(&["--json", "man", "lint"]);
    assert_eq!(page["command"], "lint");
    assert_eq!(page["page"], metier(&world, &["man", "lint"]).stdout);
}

#[test]
fn global_flags_work_before_and_after_the_command() {
    // U1, D1
    let world = sample();
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    let before = metier(&world, &["--no-default-roots", &root, "--json", "list"]);
    let after = metier(&world, &["list", "--no-default-roots", &root, "--json"]);
    assert_eq!(before.code, 0);
    assert_eq!(before.stdout, after.stdout);
    assert_eq!(before.json()["skills"].as_array().unwrap().len(), 2);
}

#[test]
fn a_mistyped_command_is_suggested() {
    // D8, U1
    let world = World::new();
    let run = metier(&world, &["serach", "x"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("'search'"), "{}", run.stderr);
}

#[test]
fn verbose_says_how_much_was_looked_at_and_quiet_says_nothing() {
    // U1
    let world = sample();
    let verbose = hermetic(&world, &["list", "--verbose"]);
    assert!(verbose.stderr.contains("directories, opened"), "{}", verbose.stderr);
    assert_eq!(hermetic(&world, &["list", "--quiet"]).stderr, "");
}

#[test]
fn without_default_roots_neither_home_nor_project_nor_the_bundle_count() {
    // D1
    let world = sample();
    world.skill("home/.agents/skills", "mine", "In the home. Use it.");
    world.skill("home/.local/share/metier/skills", "kept", "Kept. Use it.");
    world.skill("project/.claude/skills", "theirs", "In the project. Use it.");
    let root = format!("plugin={}", world.path().join("roots/plugin").display());
    let run = metier(&world, &["list", "--json", "--no-default-roots", "--root", &root]);
    let document = run.json();
    let skills = document["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{document}");
    assert_eq!(skills[0]["name"], "charts");
    let nothing = metier(&world, &["list", "--json", "--no-default-roots"]).json();
    assert_eq!(nothing["skills"].as_array().unwrap().len(), 0);
}

#[test]
fn the_same_skills_in_another_home_have_the_same_digest() {
    // D3
    let digest = |world: &World| hermetic(world, &["list", "--json"]).json()["digest"].clone();
    assert_eq!(digest(&sample()), digest(&sample()));
}

#[test]
fn a_root_may_start_with_a_tilde_and_lie_anywhere() {
    // D1
    let world = World::new();
    world.skill("home/skills", "pdf", "Fills forms. Use it.");
    for root in ["personal=~/skills", "personal=../home/skills"] {
        let run = metier(&world, &["list", "--json", "--no-default-roots", "--root", root]);
        assert_eq!(run.json()["skills"][0]["name"], "pdf", "{root}");
    }
}

#[test]
fn a_root_that_is_itself_a_skill_is_one() {
    // D1
    let world = sample();
    let root = format!("personal={}", world.path().join("roots/personal/pdf").display());
    let run = metier(&world, &["list", "--json", "--no-default-roots", "--root", &root]);
    let document = run.json();
    assert_eq!(document["skills"][0]["name"], "pdf");
    assert_eq!(
        document["skills"][0]["path"],
        world.path().join("roots/personal/pdf").to_str().unwrap()
    );
}

#[test]
fn a_home_that_is_not_set_is_no_failure() {
    // U1
    let world = World::new();
    let mut command = world.command(crate::METIER);
    let output = command.env_remove("HOME").arg("list").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_working_directory_that_is_gone_is_no_failure() {
    // U1
    let world = World::new();
    let script = format!("mkdir gone && cd gone && rmdir ../gone && {} list", crate::METIER);
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &script]).current_dir(world.path()).env("HOME", world.home());
    let output = bash.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(!stderr.contains("bug in metier"), "{stderr}");
}

#[test]
fn arguments_that_are_no_text_end_well() {
    // U1
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    for command in ["show", "why", "search", "lint", "props", "man"] {
        let output = world.command(crate::METIER).arg(command).arg(odd).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "{command} ended with {code:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("bug in metier"), "{command}: {stderr}");
    }
}

#[test]
fn thousands_of_paths_are_more_than_lint_takes_and_it_says_so() {
    // U1, F4
    let world = World::new();
    world.skill("project", "pdf", "Fills forms. Use it.");
    let paths = vec!["pdf"; 3000];
    let run = metier(&world, &[&["lint", "--json"], &paths[..]].concat());
    assert_eq!(run.json()["files"].as_array().unwrap().len(), 1, "{}", run.stderr);
    let paths = vec!["."; 70_000];
    let run = metier(&world, &[&["lint"], &paths[..]].concat());
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("70000 paths are too many"), "{}", run.stderr);
}

#[test]
fn where_there_is_nothing_the_answer_says_so_and_what_to_do() {
    // U1
    let world = World::new();
    let check = |args: &[&str], expect: &str| {
        let run = metier(&world, args);
        assert_eq!((run.code, format!("{}{}", run.stdout, run.stderr).trim_end()), (0, expect));
    };
    check(&["agents"], "0 agents on this machine\nhint: `metier agents --all` lists all it knows");
    check(&["verify"], "nothing is installed that could differ");
    check(&["info"], "nothing is installed; `metier add SOURCE` installs skills");
    check(&["unlink"], "there was nothing to remove");
    assert_eq!(metier(&world, &["read", "skill-author", "SKILL.md"]).code, 0);
    let status = metier(&world, &["status"]).stdout;
    assert!(status.contains("0 tokens, 1 file read\n"), "{status}");
}

#[test]
fn a_home_that_cannot_be_written_is_said_with_what_to_give() {
    // U1, J1
    let world = World::new();
    // The kernel lets nobody make a directory there, the superuser included.
    let run = metier(&world, &["--home", "/sys/metier", "use", "skill-author", "--json"]);
    let error = run.json()["error"].clone();
    assert_eq!((run.code, error["code"].as_str()), (1, Some("journal_refused")), "{error}");
    assert!(error["hints"].to_string().contains("that can be written"), "{error}");
}
