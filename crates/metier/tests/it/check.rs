use metier_testing::World;
use serde_json::json;

use crate::{hermetic, sample, transcript};

#[test]
fn every_skill_is_active_inactive_or_failed_with_its_reason() {
    // H5, U1, D4
    let world = sample();
    let run = hermetic(&world, &["check", "--skills", "pdf,charts"]);
    insta::assert_snapshot!(transcript(&world, &run));
}

#[test]
fn json_counts_the_states_and_what_each_skill_brings() {
    // H5, U1
    let world = sample();
    let run = hermetic(&world, &["check", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document = run.json();
    let counts = (&document["active"], &document["inactive"], &document["failed"]);
    assert_eq!(counts, (&json!(3), &json!(1), &json!(1)));
    let charts = &document["skills"][0];
    assert_eq!((&charts["name"], &charts["status"]), (&json!("charts"), &json!("active")));
    assert_eq!((&charts["scripts"], &charts["toolsets"]), (&json!(1), &json!(1)));
    let skills = document["skills"].as_array().unwrap();
    assert!(skills.iter().all(|skill| skill["diagnostics"].is_array()), "{document}");
    let failed = skills.last().unwrap();
    assert_eq!((&failed["name"], &failed["status"]), (&json!(null), &json!("failed")));
    assert!(failed["reason"].as_str().unwrap().contains("SK111"), "{failed}");
}

#[test]
fn a_disabled_skill_says_where_it_is_disabled() {
    // D4, H5
    let world = sample();
    world.write("off.toml", "disabled = [\"Sheets\"]");
    let run = hermetic(&world, &["check", "--config", "../off.toml"]);
    assert!(run.stdout.contains("○ inactive  sheets"), "{}", run.stdout);
    assert!(run.stdout.contains("is disabled"), "{}", run.stdout);
    let hint = "hint: take a skill off `disabled` in ";
    assert!(run.stdout.contains(hint), "{}", run.stdout);
}

#[test]
fn a_name_that_nothing_has_is_said() {
    // D4, H5
    let world = sample();
    world.write("off.toml", "disabled = [\"shets\"]");
    let run = hermetic(&world, &["check", "--config", "../off.toml"]);
    let expect = "warning: no skill is called `shets`, which `disabled` in the settings names\n";
    assert_eq!(run.stderr, expect);
}

#[test]
fn a_body_that_cannot_be_loaded_is_a_failure_although_the_frontmatter_is_fine() {
    // H5, F4
    let world = World::new();
    world.write(
        "roots/personal/odd/SKILL.md",
        b"---\nname: odd\ndescription: Odd. Use never.\n---\n\xff\xfe\n",
    );
    let document = hermetic(&world, &["check", "--json"]).json();
    assert_eq!(document["failed"], 1, "{document}");
    assert_eq!(document["skills"][0]["status"], "failed");
    assert_eq!(document["skills"][0]["name"], "odd");
}

#[test]
fn nothing_at_all_is_said_in_one_line() {
    // H5
    let world = World::new();
    std::fs::create_dir_all(world.path().join("roots/personal")).unwrap();
    let run = hermetic(&world, &["check"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "0 active, 0 inactive, 0 failed\n"));
}
