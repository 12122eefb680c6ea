//! What OmniForge asks of the format.

use metier_format::manifest::ContextMode;

use crate::support::Outcome::{Loads, Refused};
use crate::support::{check, check_in, file, file_with, load, tools, values};

#[test]
fn every_field_of_its_model_is_typed() {
    // F2
    let skill = load(&file_with(
        "allowed-tools: [Read, Bash]\nmodel: opus\ncontext: fork\nagent: reviewer\n\
         hooks:\n  pre: scripts/setup.sh\n  post: scripts/clean.sh\npriority: 5\ntags: [git, review]\n\
         scope:\n  agents: [coder]\n  tenants: [acme]\n  environments: [dev, staging]",
    ));
    let invocation = &skill.invocation;
    assert_eq!(invocation.model.as_ref().map(|text| &*text.value), Some("opus"));
    assert_eq!(invocation.context, ContextMode::Fork);
    assert_eq!(invocation.agent.as_ref().map(|text| &*text.value), Some("reviewer"));
    assert_eq!(invocation.hook_pre.as_ref().map(|t| &*t.value), Some("scripts/setup.sh"));
    assert_eq!(invocation.hook_post.as_ref().map(|t| &*t.value), Some("scripts/clean.sh"));
    assert_eq!(skill.priority, 5);
    assert_eq!(values(&skill.tags), ["git", "review"]);
    assert_eq!(skill.scope.agents.as_deref().map(values), Some(vec!["coder"]));
    assert_eq!(skill.scope.tenants.as_deref().map(values), Some(vec!["acme"]));
    assert_eq!(skill.scope.environments.as_deref().map(values), Some(vec!["dev", "staging"]));
}

#[test]
fn defaults_are_its_defaults() {
    // F2
    let skill = load(&file_with(""));
    assert_eq!(skill.invocation.context, ContextMode::Inherit);
    assert_eq!(skill.priority, 0);
    assert_eq!(values(&skill.tags), [""; 0]);
    assert_eq!(skill.scope.agents, None);
    assert_eq!(skill.invocation.hook_pre, None);
}

#[test]
fn the_standards_string_and_its_list_are_the_same_tools() {
    // F2, ruling 5
    let expect = Some(vec!["Read".to_owned(), "Bash".to_owned()]);
    assert_eq!(tools("allowed-tools: Read Bash"), expect);
    assert_eq!(tools("allowed-tools: [Read, Bash]"), expect);
    assert_eq!(tools("allowed_tools: [Read, Bash]"), expect);
}

#[test]
fn no_list_means_all_tools_and_an_empty_one_none() {
    // F2, ruling 5
    assert_eq!(tools(""), None);
    assert_eq!(tools("allowed-tools: []"), Some(vec![]));
}

#[test]
fn its_rules_give_way_to_the_standards() {
    // F2, rulings 1 and 7
    let digit = file("name: 9lives\ndescription: d");
    check_in("9lives", digit, Loads, &[]);
    check(file_with(&format!("compatibility: {}", "x".repeat(500))), Loads, &[]);
    check(format!("{}{}", file_with(""), "line\n".repeat(600)), Loads, &[]);
}

#[test]
fn a_wrong_value_costs_the_field_not_the_skill() {
    // F2, ruling 2
    check(file_with("context: sideways"), Loads, &["SK143"]);
    check(file_with("priority: high"), Loads, &["SK142"]);
    check(file_with("scope: everywhere"), Loads, &["SK142"]);
    check(file_with("hooks: [a]"), Loads, &["SK142"]);
    check(file("name: My Skill!\ndescription:"), Refused, &["SK104", "SK107", "SK108", "SK112"]);
}
