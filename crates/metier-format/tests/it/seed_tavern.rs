//! What TavernKit asks of the format.

use metier_format::limits::MAX_FRONTMATTER_BYTES;

use crate::support::Outcome::{Loads, Refused};
use crate::support::{body, check, check_in, file, file_with, load, tools};

#[test]
fn a_valid_file_gives_name_description_metadata_and_body() {
    // F1, F2
    let text = "---\nname: foo\ndescription: Foo things\nmetadata:\n  author: Ada\n  version: 1.0\n---\nBody\n";
    let skill = load(text);
    assert_eq!(skill.name.as_str(), "foo");
    assert_eq!(skill.description.value, "Foo things");
    let metadata: Vec<(&str, &str)> =
        skill.metadata.iter().map(|(key, value)| (&*key.value, &*value.value)).collect();
    assert_eq!(metadata, [("author", "Ada"), ("version", "1.0")]);
    assert_eq!(body(text), "Body\n");
}

#[test]
fn what_it_refuses_is_refused() {
    // F1, F2
    check("name: foo\n", Refused, &["SK010"]);
    check("---\nname: foo\n", Refused, &["SK011"]);
    check(file("- a\n- b"), Refused, &["SK028"]);
    check(file("name: my-skill"), Refused, &["SK111"]);
}

#[test]
fn names_it_refuses_are_errors_when_strict() {
    // F2, ruling 2
    for (name, strict) in [
        ("A", "SK104"),
        ("foo--bar", "SK106"),
        ("-foo", "SK105"),
        ("foo-", "SK105"),
        (&*"x".repeat(65), "SK103"),
    ] {
        check_in(name, file(&format!("name: {name}\ndescription: d")), Loads, &[strict]);
    }
    check_in("bar", file("name: foo\ndescription: d"), Loads, &["SK108"]);
}

#[test]
fn metadata_is_a_map_of_text() {
    // F2
    check(file_with("metadata: x"), Loads, &["SK125"]);
    check(file_with("metadata:\n  a: [1]"), Loads, &["SK126"]);
    check(file_with("metadata:\n  a: 1"), Loads, &[]);
}

#[test]
fn lengths_are_errors_when_strict() {
    // F2, ruling 7
    check(file(&format!("name: my-skill\ndescription: {}", "x".repeat(1025))), Loads, &["SK113"]);
    check(file_with(&format!("compatibility: {}", "x".repeat(501))), Loads, &["SK123"]);
}

#[test]
fn tools_in_either_spelling_and_form() {
    // F2, ruling 8
    let expect = Some(vec!["state_get".to_owned(), "state_*".to_owned()]);
    for lines in [
        "allowed-tools: state_get state_*",
        "allowed_tools: state_get state_*",
        "allowed_tools: [state_get, state_*]",
        "allowed_tools:\n  - state_get\n  - state_*",
        "allowed-tools: state_get, state_*",
    ] {
        assert_eq!(tools(lines), expect, "{lines}");
    }
}

#[test]
fn its_largest_frontmatter_is_accepted_and_a_larger_one_bounded() {
    // F4
    let comment = |bytes: usize| format!("# {}", "x".repeat(bytes));
    check(file_with(&comment(50_000)), Loads, &[]);
    check(file_with(&comment(MAX_FRONTMATTER_BYTES)), Refused, &["SK020"]);
}
