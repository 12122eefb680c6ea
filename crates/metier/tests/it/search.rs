use metier_testing::World;
use serde_json::json;

use crate::{hermetic, sample, transcript};

#[test]
fn the_best_answer_comes_first() {
    // D8, U1
    let world = sample();
    let run = hermetic(&world, &["search", "fill", "a", "form"]);
    insta::assert_snapshot!(transcript(&world, &run));
}

#[test]
fn json_has_name_score_and_description() {
    // D8, U1
    let world = sample();
    let run = hermetic(&world, &["search", "--json", "numbers"]);
    let hits = run.json()["hits"].as_array().unwrap().clone();
    assert_eq!(hits[0]["name"], "charts", "a tag counts more than a description");
    assert!(hits[0]["score"].as_f64().unwrap() > hits[1]["score"].as_f64().unwrap());
    assert_eq!(hits[1]["description"], "Sums spreadsheets. Use when numbers come in rows.");
}

#[test]
fn bodies_are_searched_and_typing_errors_forgiven() {
    // D8
    let world = World::new();
    world.write(
        "roots/personal/garden/SKILL.md",
        "---\nname: garden\ndescription: Plans a garden. Use in spring.\n---\n\nSow the marigolds.\n",
    );
    world.skill("roots/personal", "kitchen", "Plans a kitchen. Use when cooking.");
    for query in ["marigolds", "marigold", "marigodls"] {
        let document = hermetic(&world, &["search", "--json", query]).json();
        assert_eq!(document["hits"][0]["name"], "garden", "{query}");
        assert_eq!(document["hits"][0]["matched"], json!(["body"]), "{query}");
    }
}

#[test]
fn the_limit_limits_and_nothing_found_is_no_failure() {
    // D8, U1
    let world = sample();
    let limited = hermetic(&world, &["search", "--json", "--limit", "1", "use"]).json();
    assert_eq!(limited["hits"].as_array().unwrap().len(), 1);
    let nothing = hermetic(&world, &["search", "xylophone"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""));
    assert!(nothing.stderr.contains("nothing here answers `xylophone`"), "{}", nothing.stderr);
    assert_eq!(hermetic(&world, &["search", "--json", "xylophone"]).json(), json!({"hits": []}));
}

#[test]
fn a_query_is_required() {
    // U1
    let world = sample();
    assert_eq!(hermetic(&world, &["search"]).code, 2);
}

#[test]
fn a_name_asked_for_exactly_comes_first() {
    // D8
    let world = World::new();
    world.skill("roots/personal", "forms", "Fills in anything. Use it.");
    world.skill("roots/personal", "pdf", "Forms, forms and more forms. Use it for forms.");
    let document = hermetic(&world, &["search", "--json", "forms"]).json();
    assert_eq!(document["hits"][0]["name"], "forms");
}

#[test]
fn untrusted_skills_are_found_and_marked() {
    // D4, D8
    let world = sample();
    let document = hermetic(&world, &["search", "--json", "release"]).json();
    assert_eq!(document["hits"][0]["name"], "deploy");
    assert_eq!(document["hits"][0]["active"], false);
    let human = hermetic(&world, &["search", "release"]).stdout;
    assert!(human.contains("untrusted"), "{human}");
}

#[test]
fn a_body_that_cannot_be_read_does_not_keep_the_rest_from_being_searched() {
    // D8, F4
    let world = World::new();
    let head = "---\nname: odd\ndescription: Plans gardens. Use in spring.\n---\n";
    world.write("roots/personal/odd/SKILL.md", [head.as_bytes(), b"\xff\xfe"].concat());
    let document = hermetic(&world, &["search", "--json", "gardens"]).json();
    assert_eq!(document["hits"][0]["name"], "odd");
}

#[test]
fn a_body_too_long_to_search_whole_is_said_to_be() {
    // D8
    let world = World::new();
    let head = "---\nname: long\ndescription: Is long. Use when length matters.\n---\n";
    let body = format!("aardvark\n{}\nzebra\n", "é\n".repeat(200_000));
    world.write("roots/personal/long/SKILL.md", format!("{head}{body}"));
    let start = hermetic(&world, &["search", "aardvark"]);
    assert!(start.stdout.starts_with("long "), "{}", start.stdout);
    let end = hermetic(&world, &["search", "zebra"]);
    assert_eq!((end.code, end.stdout.as_str()), (0, ""));
    assert!(end.stderr.contains("only the start of 1 long skill was searched"), "{}", end.stderr);
}

#[test]
fn a_body_is_searched_whatever_its_file_is_called() {
    // D8
    let world = World::new();
    world.write(
        "roots/personal/garden/skill.md",
        "---\nname: garden\ndescription: Plants things. Use in spring.\n---\n\nPrune the roses.\n",
    );
    let run = hermetic(&world, &["search", "--json", "roses"]);
    assert_eq!(run.json()["hits"][0]["name"], "garden");
}
