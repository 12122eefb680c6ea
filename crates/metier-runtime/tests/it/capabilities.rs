//! Every operation, asked for by name with JSON, as every surface does.

use metier_format::NameKey;
use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::session::ResourceError;
use metier_runtime::{Capability, Session};
use metier_store::disclose::{Disclose, Style};
use serde_json::{Value, json};

use crate::ground::{journal, open, setup};

fn ask(session: &mut Session, name: &str, arguments: Value, asker: Trigger) -> Value {
    let operation = Capability::named(name).unwrap().operation;
    let answer = invoke(session, Call { operation, arguments, asker });
    assert!(answer.is_ok(), "{name}: {answer:?}");
    answer.unwrap()
}

fn fail(session: &mut Session, name: &str, arguments: Value, asker: Trigger) -> CapabilityError {
    let operation = Capability::named(name).unwrap().operation;
    invoke(session, Call { operation, arguments, asker }).unwrap_err()
}

/// Arguments every operation accepts in the usual world, in an order that makes sense.
const TOUR: &[(&str, &str)] = &[
    ("list", "{}"),
    ("search", r#"{"query": "git"}"#),
    ("show", r#"{"name": "git-helper"}"#),
    ("why", r#"{"name": "git-helper"}"#),
    ("prompt", r#"{"style": "markdown", "budget": 500}"#),
    ("activate", r#"{"name": "git-helper", "arguments": "main"}"#),
    ("status", "{}"),
    ("guard", r#"{"tool": "Bash", "arguments": {"command": "rm x"}}"#),
    ("guard", r#"{"tool": "Read", "arguments": {"file_path": "x"}}"#),
    ("read", r#"{"name": "git-helper", "path": "references/a.md"}"#),
    ("script_list", r#"{"name": "git-helper"}"#),
    ("events", "{}"),
    ("release", "{}"),
    ("end", "{}"),
];

#[test]
fn every_operation_answers_and_writes_only_the_frames_it_says() {
    // U7, J1
    let journal = journal();
    let mut session = open(&journal);
    for (name, arguments) in TOUR {
        let capability = Capability::named(name).unwrap();
        let before = journal.all().len();
        let arguments = serde_json::from_str(arguments).unwrap();
        let answer = ask(&mut session, name, arguments, Trigger::Manual);
        for (member, kind) in capability.result {
            let value = &answer[*member];
            let fits = match *kind {
                "array" => value.is_array(),
                "object" => value.is_object(),
                "string" => value.is_string(),
                "integer" => value.is_u64(),
                "boolean" => value.is_boolean(),
                _ => false,
            };
            assert!(fits, "{name}: {member} is no {kind}: {answer}");
        }
        let written: Vec<String> =
            journal.all().into_iter().skip(before).map(|frame| frame.kind).collect();
        for kind in &written {
            assert!(capability.frames.contains(&kind.as_str()), "{name} wrote {kind}");
        }
        assert_eq!(written.is_empty(), capability.frames.is_empty(), "{name}: {written:?}");
    }
    let asked: Vec<&str> = TOUR.iter().map(|(name, _)| *name).collect();
    for capability in Capability::ALL {
        let runs = matches!(capability.operation, Operation::ScriptHelp | Operation::ScriptRun);
        assert!(runs || asked.contains(&capability.name), "{}", capability.name);
    }
}

#[test]
fn a_model_is_not_told_of_what_it_may_not_see() {
    // D4, U7
    let mut session = open(&journal());
    let names = |answer: &Value, member: &str| -> Vec<String> {
        let list = answer[member].as_array().unwrap();
        list.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    let listed = ask(&mut session, "list", json!({}), Trigger::Auto);
    let person = ask(&mut session, "list", json!({}), Trigger::Manual);
    for hidden in ["by-hand", "stranger"] {
        assert!(!names(&listed, "skills").contains(&hidden.to_owned()));
        assert!(names(&person, "skills").contains(&hidden.to_owned()));
    }
    assert_eq!(listed["digest"], person["digest"], "one catalog, one digest");
    let found = ask(&mut session, "search", json!({"query": "stranger"}), Trigger::Auto);
    assert!(!names(&found, "hits").contains(&"stranger".to_owned()));
    let hidden = fail(&mut session, "show", json!({"name": "by-hand"}), Trigger::Auto);
    assert_eq!(hidden.code(), "skill_not_found");
    let untrusted = fail(&mut session, "show", json!({"name": "stranger"}), Trigger::Auto);
    assert_eq!(untrusted.code(), "skill_not_trusted");
    assert!(matches!(
        fail(&mut session, "why", json!({"name": "stranger"}), Trigger::Auto),
        CapabilityError::NotFound { .. }
    ));
    let why = ask(&mut session, "why", json!({"name": "stranger"}), Trigger::Manual);
    assert!(why["candidates"].is_array());
    let shown = ask(&mut session, "show", json!({"name": "stranger"}), Trigger::Manual);
    assert_eq!(shown["active"], false);
}

#[test]
fn lists_come_in_pages_that_join_without_a_gap() {
    // U7, D8
    let mut session = open(&journal());
    let whole = ask(&mut session, "list", json!({}), Trigger::Manual)["skills"].clone();
    let (mut joined, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = ask(&mut session, "list", json!({"limit": 2, "after": after}), Trigger::Manual);
        joined.extend(page["skills"].as_array().unwrap().clone());
        after = page["next"].clone();
        if after.is_null() {
            break;
        }
    }
    assert_eq!(Value::from(joined), whole);
    let hits = ask(&mut session, "search", json!({"query": "asked", "limit": 2}), Trigger::Manual);
    assert_eq!(hits["hits"].as_array().unwrap().len(), 2);
    let frames = ask(&mut session, "events", json!({"limit": 1}), Trigger::Manual);
    assert_eq!((frames["frames"].as_array().unwrap().len(), &frames["next"]), (1, &json!(0)));
    let rest = ask(&mut session, "events", json!({"after": 0}), Trigger::Manual);
    assert_eq!(rest["frames"][0]["seq"], 1);
    assert_eq!(rest["frames"][0]["digest"].as_str().unwrap().len(), 64);
}

#[test]
fn search_sees_bodies_and_follows_the_catalog() {
    // D8, D7
    let mut session = open(&journal());
    let found = ask(&mut session, "search", json!({"query": "git helper"}), Trigger::Auto);
    assert_eq!(found["hits"][0]["name"], "git-helper");
    session.set_catalog(Default::default()).unwrap();
    let none = ask(&mut session, "search", json!({"query": "git helper"}), Trigger::Auto);
    assert_eq!(none["hits"], json!([]));
}

#[test]
fn what_the_session_refuses_keeps_its_code() {
    // U7
    let mut session = open(&journal());
    let mut check = |name: &str, arguments: Value, code: &str| {
        let error = fail(&mut session, name, arguments, Trigger::Auto);
        assert_eq!(error.code(), code, "{name}: {error}");
        let capability = Capability::named(name).unwrap();
        let known = code == "invalid_arguments" || capability.errors.contains(&code);
        assert!(known, "{name} does not say that it can fail with {code}");
    };
    check("activate", json!({"name": "nope"}), "skill_not_found");
    check("activate", json!({"name": "by-hand"}), "skill_not_found");
    check("activate", json!({"name": "stranger"}), "skill_not_trusted");
    check("activate", json!({"title": "x"}), "invalid_arguments");
    check("release", json!({}), "skill_not_active");
    check("read", json!({"name": "free", "path": "../x"}), "invalid_path");
    check("read", json!({"name": "free", "path": "x"}), "file_not_found");
    check("show", json!({"name": "nope"}), "skill_not_found");
    check("script_run", json!({"name": "nope", "script": "x"}), "not_found");
    check("script_run", json!({"name": "git-helper", "script": "nope"}), "not_found");
    check("script_help", json!({"name": "../x", "script": "x"}), "invalid_name");
    check("script_list", json!({"name": "by-hand"}), "not_found");
    let many = vec!["x"; 101];
    let run = json!({"name": "git-helper", "script": "run", "args": many});
    check("script_run", run, "args_too_large");
}

#[test]
fn a_skill_for_people_is_none_to_a_model_until_a_person_has_started_it() {
    // U7, S1
    let mut session = open(&journal());
    for (name, arguments) in [
        ("show", json!({"name": "by-hand"})),
        ("activate", json!({"name": "by-hand"})),
        ("read", json!({"name": "by-hand", "path": "SKILL.md"})),
        ("script_list", json!({"name": "by-hand"})),
        ("script_help", json!({"name": "by-hand", "script": "x"})),
        ("script_run", json!({"name": "by-hand", "script": "x"})),
        ("activate", json!({"name": "by-hnad"})),
        ("show", json!({"name": "by-hnad"})),
        ("read", json!({"name": "by-hnad", "path": "SKILL.md"})),
    ] {
        let error = fail(&mut session, name, arguments.clone(), Trigger::Auto);
        let sentence = error.sentence();
        assert!(error.code().ends_with("not_found"), "{name} {arguments}: {sentence}");
        assert!(!sentence.contains("did you mean `by-hand`"), "{name}: {sentence}");
    }
    let frames = session.frames().unwrap();
    let recorded =
        frames.iter().any(|frame| frame.to_json().to_string().contains("skill_not_for_models"));
    assert!(recorded, "the journal has the reason");
    let typo = fail(&mut session, "show", json!({"name": "by-hnad"}), Trigger::Manual);
    assert!(typo.sentence().contains("`by-hand`"), "people are told: {}", typo.sentence());
    ask(&mut session, "activate", json!({"name": "by-hand"}), Trigger::Manual);
    ask(&mut session, "read", json!({"name": "by-hand", "path": "SKILL.md"}), Trigger::Auto);
    ask(&mut session, "script_list", json!({"name": "by-hand"}), Trigger::Auto);
    let again = fail(&mut session, "activate", json!({"name": "by-hand"}), Trigger::Auto);
    assert_eq!(again.code(), "skill_not_for_models");
}

#[test]
fn a_switched_off_skill_is_shown_to_people_and_read_by_nobody() {
    // U7, D4
    let mut session = open(&journal());
    let name = json!({"name": "elsewhere"});
    let shown = ask(&mut session, "show", name.clone(), Trigger::Manual);
    assert_eq!((&shown["name"], &shown["active"]), (&json!("elsewhere"), &json!(false)));
    assert_eq!(fail(&mut session, "show", name, Trigger::Auto).code(), "skill_not_found");
    let file = json!({"name": "elsewhere", "path": "SKILL.md"});
    let error = fail(&mut session, "read", file, Trigger::Manual);
    assert_eq!(error.code(), "skill_hidden");
    assert!(matches!(error, CapabilityError::Resource(ResourceError::Hidden { .. })));
}

#[test]
fn the_prompt_is_as_the_session_was_set_up_unless_somebody_says_otherwise() {
    // U7, D6
    let mut parts = setup();
    let pinned = vec![NameKey::of("pushy")];
    let style = Style::Markdown;
    parts.settings.disclose = Disclose { style, budget: Some(40), pinned, ..Disclose::default() };
    let mut session = Session::open(parts, Box::new(journal())).unwrap();
    let usual = ask(&mut session, "prompt", json!({}), Trigger::Auto);
    assert_eq!((&usual["style"], &usual["budget"]), (&json!("markdown"), &json!(40)));
    assert!(usual["text"].as_str().unwrap().contains("Does pushy"), "{usual}");
    let other = json!({"style": "xml", "budget": 4000});
    let other = ask(&mut session, "prompt", other, Trigger::Auto);
    assert_eq!((&other["style"], &other["budget"]), (&json!("xml"), &json!(4000)));
}
