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
