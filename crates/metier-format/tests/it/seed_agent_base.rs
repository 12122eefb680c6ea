//! What agent-base asks of the format.

use metier_format::NameKey;

use crate::support::Outcome::{Loads, Refused};
use crate::support::{body, check, check_in, file, file_with, load, values};

#[test]
fn its_manifest_is_typed() {
    // F2
    let skill = load(&file_with(
        "version: 1.0.0\nauthor: Example Author\nrepository: https://example.org/kalshi\nlicense: MIT\n\
         min_agent_base_version: 0.1.0\nmax_agent_base_version: 1.0.0\n\
         toolsets:\n  - toolsets.hello:HelloExtended\n  - toolsets.utils:HelperTools\n\
         scripts:\n  - status\n  - markets.py\n\
         scripts_ignore:\n  - \"*_test.py\"\n  - \"_*.py\"\n\
         permissions:\n  env:\n    - KALSHI_API_KEY\n    - KALSHI_*",
    ));
    let origin = &skill.origin;
    let text =
        |text: &Option<metier_format::manifest::Text>| text.as_ref().map(|t| t.value.clone());
    assert_eq!(text(&origin.version).as_deref(), Some("1.0.0"));
    assert_eq!(text(&origin.author).as_deref(), Some("Example Author"));
    assert_eq!(text(&origin.repository).as_deref(), Some("https://example.org/kalshi"));
    assert_eq!(text(&origin.min_host_version).as_deref(), Some("0.1.0"));
    assert_eq!(text(&origin.max_host_version).as_deref(), Some("1.0.0"));
    let parts = &skill.parts;
    assert_eq!(
        values(&parts.toolsets),
        ["toolsets.hello:HelloExtended", "toolsets.utils:HelperTools"]
    );
    assert_eq!(parts.scripts.as_deref().map(values), Some(vec!["status", "markets.py"]));
    assert_eq!(values(&parts.scripts_ignore), ["*_test.py", "_*.py"]);
    assert_eq!(values(&parts.env), ["KALSHI_API_KEY", "KALSHI_*"]);
}

#[test]
fn its_own_field_names_are_no_errors() {
    // F2, ruling 8
    let lines = "version: 1.0.0\nmin_agent_base_version: 0.1.0\nscripts_ignore: ['*.bak']";
    check(file_with(lines), Loads, &[]);
}

#[test]
fn names_it_accepts_load_with_their_case() {
    // F2, rulings 1 and 2
    let longest = "a".repeat(64);
    for name in ["skill", "my-skill", "my_skill", "skill-123", "Skill_Name_123", "a", &longest] {
        let skill = load(&file(&format!("name: {name}\ndescription: d")));
        assert_eq!(skill.name.as_str(), name);
    }
}

#[test]
fn names_it_refuses_are_refused_or_errors_when_strict() {
    // F2, F4, ruling 2
    for name in ["../skill", "/absolute/path", "skill/../other", ".", ".."] {
        check(file(&format!("name: {name}\ndescription: d")), Refused, &["SK110"]);
    }
    check(file("name: \"\"\ndescription: d"), Refused, &["SK102"]);
    let with = |name: &str| file(&format!("name: {name}\ndescription: d"));
    check_in("skill with spaces", with("skill with spaces"), Loads, &["SK107"]);
    check_in("skill@special", with("skill@special"), Loads, &["SK107"]);
    check_in("skill$name", with("skill$name"), Loads, &["SK107"]);
    check_in("~", with("\"~\""), Loads, &["SK107"]);
    check_in("__pycache__", with("__pycache__"), Loads, &["SK107"]);
    let long = "a".repeat(65);
    check_in(&long, with(&long), Loads, &["SK103"]);
}

#[test]
fn its_lookup_is_ours() {
    // ruling 1
    let key = NameKey::of("kalshi-markets");
    for typed in ["Kalshi-Markets", "kalshi_markets", "KALSHI-MARKETS"] {
        assert_eq!(NameKey::of(typed), key);
    }
}

#[test]
fn the_standards_description_limit_replaces_its_own() {
    // ruling 7
    for (length, strict) in [(500, &[][..]), (501, &[]), (1024, &[]), (1025, &["SK113"])] {
        let text = file(&format!("name: my-skill\ndescription: {}", "x".repeat(length)));
        check(text, Loads, strict);
    }
    check(file("name: my-skill"), Refused, &["SK111"]);
}

#[test]
fn a_toolset_that_names_no_class_is_reported() {
    // F2, R7
    check(file_with("toolsets: [toolsets.hello]"), Loads, &["SK143"]);
    assert_eq!(values(&load(&file_with("toolsets: [toolsets.hello]")).parts.toolsets), [""; 0]);
}

#[test]
fn scripts_are_discovered_unless_listed() {
    // F2, R2
    assert_eq!(load(&file_with("")).parts.scripts, None);
}

#[test]
fn what_is_no_frontmatter_has_its_own_code() {
    // F1, F4
    check("# Kalshi\n", Refused, &["SK010"]);
    check(file("- a"), Refused, &["SK028"]);
    check(file("name: [unclosed"), Refused, &["SK027"]);
    check(b"---\nname: my-skill\ndescription: \xff\n---\n", Refused, &["SK001"]);
}

#[test]
fn an_empty_body_is_an_empty_text() {
    // F1
    assert_eq!(body("---\nname: my-skill\ndescription: d\n---\n"), "");
}
