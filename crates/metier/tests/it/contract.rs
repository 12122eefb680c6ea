//! The command line as others rely on it: names, flags, exit codes and shapes that may grow and
//! never change.

use metier_testing::World;
use serde_json::{Value, json};

use crate::{hermetic, metier, sample, without};

/// Every command of the contract that exists, with arguments that make it answer.
fn commands(world: &World) -> Vec<(&'static str, Vec<String>)> {
    let skill = world.path().join("roots/personal/pdf").display().to_string();
    let list = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    vec![
        ("overview", Vec::new()),
        ("list", list(&["list"])),
        ("list --all", list(&["list", "--all"])),
        ("check", list(&["check"])),
        ("show", list(&["show", "pdf"])),
        ("why", list(&["why", "pdf"])),
        ("search", list(&["search", "pdf"])),
        ("prompt", list(&["prompt"])),
        ("lint", list(&["lint", &skill])),
        ("props", list(&["props", &skill])),
        ("status", list(&["status"])),
        ("metrics", list(&["metrics"])),
        ("gc", list(&["gc"])),
        ("info", list(&["info"])),
        ("outdated", list(&["outdated"])),
        ("update", list(&["update", "--yes"])),
        ("sync", list(&["sync"])),
        ("verify", list(&["verify"])),
        ("trust", list(&["trust", ".", "--yes"])),
        ("untrust", list(&["untrust", "."])),
        ("end", list(&["end"])),
        ("agents", list(&["agents"])),
        ("doctor", list(&["doctor"])),
        ("adopt", list(&["adopt", "--dry-run"])),
        ("tour", list(&["tour"])),
    ]
}

/// Those of them that change nothing.
fn looking(world: &World) -> impl Iterator<Item = (&'static str, Vec<String>)> {
    let changes = ["sync", "trust", "untrust"];
    commands(world).into_iter().filter(move |(name, _)| !changes.contains(name))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Whether `value` has at least these keys.
fn check_keys(what: &str, value: &Value, expect: &[&str]) {
    for key in expect {
        assert!(value.get(key).is_some(), "{what} has no `{key}`, only {:?}", keys(value));
    }
}

#[test]
fn with_json_every_command_prints_exactly_one_document() {
    // U1
    let world = sample();
    for (name, mut args) in commands(&world) {
        args.push("--json".to_owned());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = hermetic(&world, &args);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(run.json().is_object(), "{name}");
        assert!(run.stdout.ends_with("}\n"), "{name} has something after its document");
    }
}

#[test]
fn json_before_the_command_is_the_same_as_after_it() {
    // U1
    let world = sample();
    for (name, args) in looking(&world) {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let after = hermetic(&world, &[&words[..], &["--json"]].concat());
        let before = hermetic(&world, &[&["--json"], &words[..]].concat());
        let timeless = |text: &str| without(text, "0000-00-00 00:00:00", "[TIME]");
        assert_eq!(timeless(&after.stdout), timeless(&before.stdout), "{name}");
    }
}

#[test]
fn without_json_every_command_ends_with_zero_and_colours_nothing() {
    // U1
    let world = sample();
    for (name, args) in commands(&world) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = hermetic(&world, &args);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(!run.stdout.is_empty(), "{name} says nothing");
        assert!(!run.stdout.contains('\u{1b}'), "{name} is coloured without a terminal");
    }
}

#[test]
fn quiet_leaves_standard_error_empty_and_results_as_they_are() {
    // U1
    let world = sample();
    for (name, args) in commands(&world) {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let usual = hermetic(&world, &words);
        let quiet = hermetic(&world, &[&words[..], &["--quiet"]].concat());
        assert_eq!(quiet.stderr, "", "{name}");
        let steady = |text: &str| text.lines().filter(|l| !l.contains("is removed;")).count();
        assert_eq!(steady(&quiet.stdout), steady(&usual.stdout), "{name}");
    }
}

#[test]
fn the_list_has_its_fields() {
    // U1
    let world = sample();
    let document = hermetic(&world, &["list", "--json"]).json();
    check_keys("list", &document, &["skills", "shadowed", "skipped", "digest"]);
    let skill = ["name", "description", "layer", "path", "trust", "active", "tags", "version"];
    for item in document["skills"].as_array().unwrap() {
        check_keys("a skill", item, &skill);
    }
    let shadowed = ["name", "winner", "loser", "reason"];
    check_keys("a shadowed one", &document["shadowed"][0], &shadowed);
    check_keys("a skipped one", &document["skipped"][0], &["path", "diagnostics"]);
}

#[test]
fn the_digest_covers_frontmatter_and_resolution_and_no_bodies() {
    // U1, D3
    let world = sample();
    let digest = |args: &[&str]| {
        let document = hermetic(&world, &[&["list", "--json"], args].concat()).json();
        document["digest"].as_str().unwrap().to_owned()
    };
    let before = digest(&[]);
    let file = "roots/personal/sheets/SKILL.md";
    let text = std::fs::read_to_string(world.path().join(file)).unwrap();
    world.write(file, format!("{text}\nA longer body.\n"));
    assert_eq!(digest(&[]), before, "a body does not count");
    world.write(file, text.replace("Sums", "Adds up"));
    let changed = digest(&[]);
    assert_ne!(changed, before, "a description does");
    world.write("first.toml", "precedence = \"project-first\"");
    world.write(
        "trust.toml",
        format!(
            "precedence = \"project-first\"\ntrusted-folders = [\"{}\"]",
            world.path().join("roots").display()
        ),
    );
    let trusted = digest(&["--config", "../trust.toml"]);
    assert_ne!(trusted, changed, "who wins does");
}

#[test]
fn search_lint_and_props_have_their_fields() {
    // U1, D8, F3, F2
    let world = sample();
    let hits = hermetic(&world, &["search", "--json", "pdf"]).json();
    check_keys("a hit", &hits["hits"][0], &["name", "score", "description"]);
    let broken = world.path().join("roots/plugin/broken");
    let lint = metier(&world, &["lint", "--json", broken.to_str().unwrap()]).json();
    check_keys("lint", &lint, &["files", "errors", "warnings"]);
    let finding = &lint["files"][0]["diagnostics"][0];
    let fields = ["code", "severity", "line", "column", "message", "help"];
    check_keys("a finding", finding, &fields);
    let charts = world.path().join("roots/plugin/charts");
    let props = metier(&world, &["props", charts.to_str().unwrap()]).json();
    assert_eq!(
        keys(&props),
        ["name", "description", "license", "compatibility", "allowed-tools", "metadata", "extra"]
    );
}

#[test]
fn the_report_of_a_prompt_has_its_fields() {
    // U1, D6
    let world = sample();
    let report = hermetic(&world, &["prompt", "--report", "--budget", "60"]).json();
    let fields = ["text", "style", "budget", "tokens", "exact", "fits", "counts", "skills"];
    check_keys("the report", &report, &fields);
    check_keys("a skill", &report["skills"][0], &["name", "level", "tokens"]);
    assert_eq!(keys(&report["counts"]), ["pinned", "full", "shortened", "name-only", "omitted"]);
}

#[test]
fn exit_codes_are_the_documented_ones() {
    // U1
    let world = sample();
    let broken = world.path().join("roots/plugin/broken");
    let broken = broken.to_str().unwrap();
    let check = |args: &[&str], code: i32| {
        assert_eq!(hermetic(&world, args).code, code, "{args:?}");
    };
    check(&["list"], 0);
    check(&["check"], 0);
    check(&["show", "nobody"], 1);
    check(&["why", "nobody"], 1);
    check(&["props", "nowhere"], 1);
    check(&["lint", "nowhere"], 1);
    check(&["list", "--nonsense"], 2);
    check(&["list", "--project", "nowhere"], 2);
    check(&["list", "--config", "nowhere"], 2);
    check(&["lint", broken], 4);
    check(&["use", "nobody"], 1);
    check(&["use", "deploy"], 3);
    check(&["release"], 1);
    check(&["read", "pdf", "nothing"], 1);
    check(&["read", "deploy", "SKILL.md"], 3);
    check(&["guard", "Read"], 0);
    check(&["guard", "Read", "nonsense"], 3);
    check(&["guard"], 2);
    check(&["replay", "nowhere"], 1);
    check(&["status", "--session", "a/b"], 2);
}

#[test]
fn a_failure_writes_to_standard_error_only() {
    // U1
    let world = sample();
    for args in [&["show", "nobody"][..], &["props", "nowhere"], &["list", "--project", "nowhere"]]
    {
        let run = hermetic(&world, args);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn nothing_is_written_anywhere_by_looking() {
    // U1, D2
    let world = sample();
    let tree = |world: &World| {
        let listing = std::process::Command::new("find").arg(world.path()).output().unwrap();
        String::from_utf8(listing.stdout).unwrap()
    };
    let before = tree(&world);
    for (name, args) in looking(&world) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        hermetic(&world, &args);
        metier(&world, &args);
        assert_eq!(tree(&world), before, "{name} left something behind");
    }
}

#[test]
fn one_run_with_every_global_flag_works() {
    // U1, D1, D4
    let world = sample();
    world.write("settings.toml", "disabled = [\"sheets\"]");
    let root = format!("personal={}", world.path().join("roots/personal").display());
    let run = metier(
        &world,
        &[
            "--no-default-roots",
            "--root",
            &root,
            "--project",
            ".",
            "--home",
            "../state",
            "--config",
            "../settings.toml",
            "--skills",
            "all",
            "--color",
            "never",
            "--quiet",
            "--json",
            "list",
        ],
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.json()["skills"][0]["name"], json!("pdf"));
    assert_eq!(run.json()["skills"].as_array().unwrap().len(), 1);
}
