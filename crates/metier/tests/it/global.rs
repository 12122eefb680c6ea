use metier_testing::World;

use crate::{hermetic, metier, sample};

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
fn wrong_usage_ends_with_two_and_says_so_on_standard_error() {
    // U1
    let world = World::new();
    for args in [
        &["--nonsense"][..],
        &["dance"],
        &["list", "--limit", "3"],
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
