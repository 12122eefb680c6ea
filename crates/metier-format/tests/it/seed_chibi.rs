//! What chibi's `agent-skills` plugin asks of the format, and the inputs on which it went wrong.

use crate::support::Outcome::{Loads, Refused};
use crate::support::{body, check, check_in, file, file_with, load, tools};

#[test]
fn the_fields_of_the_plugin_are_read() {
    // F1, F2
    let text = "---\nname: pdf\ndescription: Reads PDF files.\nlicense: MIT\ncompatibility: Needs git\n\
                allowed-tools: Read, Grep, Bash(git:*)\nmetadata:\n  author: Ada\n---\n\n# PDF\n";
    let skill = load(text);
    assert_eq!(skill.name.as_str(), "pdf");
    assert_eq!(skill.description.value, "Reads PDF files.");
    assert_eq!(skill.license.map(|license| license.value).as_deref(), Some("MIT"));
    assert_eq!(skill.compatibility.map(|text| text.value).as_deref(), Some("Needs git"));
    assert_eq!(skill.metadata[0].1.value, "Ada");
    assert_eq!(body(text), "\n# PDF\n");
}

#[test]
fn the_body_never_holds_the_frontmatter() {
    // F1
    for (text, expect) in [
        ("---\r\nname: a\r\ndescription: d\r\n---\r\nBody\r\n", "Body\r\n"),
        ("---\nname: a\ndescription: d\n---  \nBody\n", "Body\n"),
        ("---\nname: a\ndescription: d\n---", ""),
        ("---\nname: a\ndescription: d\n---\n\nA\n---\nB\n", "\nA\n---\nB\n"),
    ] {
        assert_eq!(body(text), expect);
        load(text);
    }
    check("---\nname: my-skill\ndescription: d\n----\nBody\n", Refused, &["SK011"]);
}

#[test]
fn a_list_of_tools_restricts_as_the_string_does() {
    // F2, ruling 5
    let expect = ["Read", "Grep", "Bash(git:*)"].map(str::to_owned).to_vec();
    for form in ["Read, Grep, Bash(git:*)", "Read Grep Bash(git:*)", "[Read, Grep, 'Bash(git:*)']"]
    {
        assert_eq!(tools(&format!("allowed-tools: {form}")), Some(expect.clone()), "{form}");
    }
    assert_eq!(tools("allowed-tools:\n- Read\n- Grep\n- Bash(git:*)"), Some(expect));
}

#[test]
fn a_name_is_never_a_path() {
    // F4, ruling 1
    for name in ["..", ".", "../../..", "a/b", "/etc/passwd", "'a\\b'"] {
        check(file(&format!("name: {name}\ndescription: d")), Refused, &["SK110"]);
    }
}

#[test]
fn names_the_plugin_let_pass_are_errors_when_strict() {
    // F2, ruling 2
    let with = |name: &str| file(&format!("name: {name}\ndescription: d"));
    check_in("--", with("--"), Loads, &["SK105", "SK106"]);
    check_in("-a", with("-a"), Loads, &["SK105"]);
    check_in("a-", with("a-"), Loads, &["SK105"]);
    check_in("a--b", with("a--b"), Loads, &["SK106"]);
    check_in("mism", with("other-name"), Loads, &["SK108"]);
    check(file("name: my-skill\ndescription: \"\""), Refused, &["SK112"]);
}

#[test]
fn characters_are_counted_not_bytes() {
    // F2, ruling 7
    let wide = "é".repeat(1024);
    check(file(&format!("name: my-skill\ndescription: {wide}")), Loads, &[]);
}

#[test]
fn a_name_of_64_characters_is_accepted() {
    // F2, ruling 1
    let name = "a".repeat(64);
    check_in(&name, file(&format!("name: {name}\ndescription: d")), Loads, &[]);
    let name = "a".repeat(65);
    check_in(&name, file(&format!("name: {name}\ndescription: d")), Loads, &["SK103"]);
    load(&file_with(""));
}
