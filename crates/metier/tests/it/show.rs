use metier_testing::World;
use serde_json::json;

use crate::{hermetic, sample, transcript};

#[test]
fn one_skill_is_shown_whole() {
    // U1, F2
    let world = sample();
    insta::assert_snapshot!(transcript(&world, &hermetic(&world, &["show", "Charts"])));
}

#[test]
fn json_has_manifest_files_scripts_tools_and_tokens() {
    // U1, F2
    let world = sample();
    let run = hermetic(&world, &["show", "charts", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document = run.json();
    assert_eq!(document["name"], "charts");
    assert_eq!(document["manifest"]["extra"]["x-unknown"], "kept");
    assert_eq!(document["tools"], json!(["Read", "Bash(gnuplot:*)"]));
    assert_eq!(document["toolsets"], json!(["charts:Tools"]));
    assert_eq!(document["scripts"], json!(["scripts/plot.py"]));
    assert_eq!(document["resources"][0]["path"], "scripts/plot.py");
    assert_eq!(document["resources"][0]["size"], 14);
    assert_eq!(document["tokens"]["body"]["exact"], false);
    assert_eq!(document["digest"].as_str().unwrap().len(), 64);
}

#[test]
fn tokens_are_counted_exactly_when_asked() {
    // D6
    let world = sample();
    let document = hermetic(&world, &["show", "pdf", "--json", "--exact"]).json();
    assert_eq!(document["tokens"]["catalog"]["exact"], true);
    let run = hermetic(&world, &["show", "pdf", "--exact"]);
    assert!(run.stdout.contains("exactly"), "{}", run.stdout);
}

#[test]
fn an_unknown_name_ends_with_what_may_have_been_meant() {
    // D8, U1
    let world = sample();
    let run = hermetic(&world, &["show", "pfd"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert_eq!(run.stderr, "error: there is no skill `pfd`\nhint: did you mean `pdf`?\n");
    let far = hermetic(&world, &["show", "zzzzzzzz"]);
    assert!(far.stderr.contains("hint: `metier list --all` shows"), "{}", far.stderr);
}

#[test]
fn a_skill_that_cannot_be_loaded_is_not_called_absent() {
    // U1, F4
    let world = sample();
    let run = hermetic(&world, &["show", "Broken"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let expect = "error: `broken` (`[WORLD]/roots/plugin/broken`) cannot be loaded: `description` is \
                  missing\nhint: `metier lint [WORLD]/roots/plugin/broken` shows the place\n";
    assert_eq!(world.redact(&run.stderr), expect);
}

#[test]
fn a_name_is_a_name_before_it_meets_anything() {
    // U1, R1
    let world = sample();
    for (name, why) in [
        ("../personal/pdf", "the name is a path"),
        ("/etc/passwd", "the name is a path"),
        ("..", "the name is a path"),
        ("", "the name is empty"),
        ("pdf\u{202e}", "the name contains the character U+202E"),
    ] {
        let run = hermetic(&world, &["show", name]);
        assert_eq!(run.code, 1, "{name}");
        assert!(run.stderr.contains(why), "{name}: {}", run.stderr);
    }
}

#[test]
fn a_skill_that_is_switched_off_can_still_be_looked_at() {
    // D4, U1
    let world = sample();
    let run = hermetic(&world, &["show", "sheets", "--skills", "none"]);
    let state = "state   inactive: is not among the enabled skills";
    assert!(run.stdout.contains(state), "{}", run.stdout);
    let untrusted = hermetic(&world, &["show", "deploy"]);
    assert!(untrusted.stdout.contains("not trusted"), "{}", untrusted.stdout);
    assert!(untrusted.stderr.contains("trusts this project's skills"), "{}", untrusted.stderr);
}

#[test]
fn files_that_leave_the_skill_are_named_and_refused() {
    // R1
    let world = World::new();
    let skill = world.skill("roots/personal", "leaky", "Leaks. Use when testing walls.");
    std::os::unix::fs::symlink("/etc/hostname", skill.join("out")).unwrap();
    let run = hermetic(&world, &["show", "leaky"]);
    assert!(run.stdout.contains("out  refused: it leaves the skill"), "{}", run.stdout);
    assert_eq!(hermetic(&world, &["show", "leaky", "--json"]).json()["refused"], json!(["out"]));
}
