//! Cases on which the six parsers of the source systems split, or which all of them get wrong, and
//! what this one makes of each.

use crate::support::Outcome::{self, Loads, Refused};
use crate::support::{body, check, check_in, file, file_with, load, tools};

/// Checks a description under a good name.
#[track_caller]
fn description(value: &str, outcome: Outcome, strict: &[&str]) {
    check(file(&format!("name: my-skill\ndescription: {value}")), outcome, strict);
}

/// Checks a name in a directory of the same name, and that it is kept as it is.
#[track_caller]
fn name(written: &str, read: &str, strict: &[&str]) {
    let text = file(&format!("name: {written}\ndescription: d"));
    check_in(read, &text, Loads, strict);
    assert_eq!(load(&text).name.as_str(), read);
}

#[test]
fn what_all_six_reject_loads_where_a_person_can_read_it() {
    // F1, F3, ruling 2
    let good = file_with("");
    check(format!("\u{feff}{good}"), Loads, &[]);
    check(format!("\n{good}"), Loads, &["SK012"]);
    description("Use when: asked", Loads, &["SK029"]);
    check(file_with("metadata:\n\tauthor: x"), Loads, &["SK029"]);
    name("技能", "技能", &[]);
}

#[test]
fn what_nobody_can_read_is_refused_with_its_own_code() {
    // F1, F4
    check("---\nname: my-skill\ndescription: d\n...\nBody\n", Refused, &["SK011"]);
    check(file("- name: my-skill"), Refused, &["SK028"]);
    check(file_with("a: \u{0}"), Refused, &["SK003"]);
    check(b"---\nname: my-skill\ndescription: \xe9\n---\n", Refused, &["SK001"]);
    check(file_with("metadata: {author: x"), Refused, &["SK027"]);
    check(file_with("a: {b: &c d, e: *c}"), Refused, &["SK024"]);
    check(file_with("a: {b: !!python/object c}"), Refused, &["SK025"]);
}

#[test]
fn fences_are_lines() {
    // F1
    let good = "---\nname: my-skill\ndescription: d\n---";
    check(good, Loads, &[]);
    assert_eq!(body(good), "");
    check(" ---\nname: my-skill\ndescription: d\n---\n", Loads, &["SK012"]);
    check("---\nname: my-skill\ndescription: d\n ---\n", Refused, &["SK011"]);
}

#[test]
fn descriptions_are_text_of_up_to_1024_characters() {
    // F2, ruling 7
    description("42", Loads, &[]);
    description(&"x".repeat(501), Loads, &[]);
    description(&"x".repeat(1024), Loads, &[]);
    description(&"é".repeat(1024), Loads, &[]);
    description(&"x".repeat(1025), Loads, &["SK113"]);
    description("'  '", Refused, &["SK112"]);
}

#[test]
fn names_are_the_standards_when_strict_and_load_as_they_are() {
    // F2, rulings 1 and 2
    name("123", "123", &[]);
    name("true", "true", &[]);
    name("9lives", "9lives", &[]);
    name("\"my-skill\\n\"", "my-skill", &[]);
    name("My-Skill", "My-Skill", &["SK104"]);
    name("my_skill", "my_skill", &["SK107"]);
    name("a--b", "a--b", &["SK106"]);
    name("a-", "a-", &["SK105"]);
    check_in("other", file_with(""), Loads, &["SK108"]);
}

#[test]
fn allowed_tools_restrict_in_every_form() {
    // F2, ruling 5
    let two = Some(["Read", "Write"].map(str::to_owned).to_vec());
    assert_eq!(tools("allowed-tools: Read Write"), two);
    assert_eq!(tools("allowed-tools: Read, Write"), two);
    assert_eq!(tools("allowed-tools: [Read, Write]"), two);
    assert_eq!(tools("allowed-tools: 5"), Some(vec!["5".to_owned()]));
    assert_eq!(tools("license: MIT"), None);
}

#[test]
fn odd_values_are_reported_and_do_not_cost_the_skill() {
    // F2, ruling 2
    check(file_with("metadata:\n  a: [b]"), Loads, &["SK126"]);
    check(file_with("metadata: a"), Loads, &["SK125"]);
    check(file_with("license: a\nlicense: b"), Loads, &["SK026"]);
    check(format!("{}{}", file_with(""), "line\n".repeat(501)), Loads, &[]);
}
