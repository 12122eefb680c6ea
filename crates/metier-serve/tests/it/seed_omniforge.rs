//! OmniForge's checklist: one tool whose description lists the skills, explicit activation and
//! deactivation, its results and error codes.

use metier_policy::{ToolCall, Verdict};
use metier_runtime::Session;
use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::Ground;

fn session() -> Session {
    Ground::usual().session(Dialect::Omniforge.again())
}

fn call(session: &mut Session, arguments: Value) -> Value {
    let reply = Dialect::Omniforge.call(session, "skill", arguments).unwrap();
    let data = reply.data.unwrap();
    assert_eq!(reply.failed, data["success"] == false);
    data
}

#[test]
fn the_description_lists_every_skill_a_model_may_use() {
    // U8, D5
    let session = session();
    let tools = Dialect::Omniforge.tools(session.catalog());
    assert_eq!(tools.len(), 1);
    for name in ["git-helper", "free", "reader", "by-model"] {
        assert!(tools[0].description.contains(name), "{}", tools[0].description);
    }
    let none = Ground::over(MemoryStore::new(Layer::Personal));
    let empty = Dialect::Omniforge.tools(none.session(Dialect::Omniforge.again()).catalog());
    assert!(empty[0].description.contains("no skills"));
}

#[test]
fn a_skill_is_activated_with_content_and_base_path() {
    // U8, S1
    let answer = call(&mut session(), json!({"skill_name": " git-helper ", "args": "pr-123"}));
    let result = &answer["result"];
    assert_eq!(result["skill_name"], "git-helper");
    assert!(result["base_path"].as_str().unwrap().ends_with("git-helper"));
    assert!(result["content"].as_str().unwrap().contains("Do it with pr-123."));
    assert_eq!(result["allowed_tools"], json!(["Read", "Bash(git:*)"]));
    assert_eq!((&result["args"], &result["status"]), (&json!("pr-123"), &json!("activated")));
    let free = call(&mut session(), json!({"skill_name": "free"}));
    assert_eq!(free["result"].get("allowed_tools"), None);
    let long = call(&mut session(), json!({"skill_name": "long"}));
    let (kept, total) =
        (&long["result"]["truncated"]["kept"], &long["result"]["truncated"]["total"]);
    assert!(kept.as_u64() < total.as_u64() && total.as_u64() > Some(60_000), "{kept} {total}");
}

#[test]
fn restrictions_hold_until_the_skill_is_deactivated() {
    // U8, S1, S6
    let mut session = session();
    let write = ToolCall::new("Write", json!({"file_path": "x"}));
    call(&mut session, json!({"skill_name": "reader"}));
    assert_eq!(session.guard(&write).unwrap().ruling.verdict, Verdict::Deny);
    call(&mut session, json!({"skill_name": "free"}));
    assert_eq!(session.guard(&write).unwrap().ruling.verdict, Verdict::Deny, "none lifts another");
    let done = call(&mut session, json!({"skill_name": "free", "action": "deactivate"}));
    assert_eq!(done["result"], json!({"skill_name": "free", "status": "deactivated"}));
    call(&mut session, json!({"skill_name": "reader", "action": "deactivate"}));
    assert_eq!(session.guard(&write).unwrap().ruling.verdict, Verdict::Allow);
}

#[test]
fn each_failure_has_the_code_and_the_words_omniforge_has_for_it() {
    // U8
    let mut session = session();
    let mut check = |arguments: Value, code: &str, message: &str| {
        let answer = call(&mut session, arguments);
        assert_eq!(answer["error_code"], code, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(message), "{answer}");
    };
    check(json!({}), "skill_validation_error", "skill_name is required");
    check(json!({"skill_name": "  "}), "skill_validation_error", "skill_name is required");
    check(json!({"skill_name": "git-helpr"}), "skill_not_found", "Did you mean 'git-helper'?");
    check(json!({"skill_name": "zzzz"}), "skill_not_found", "Skill 'zzzz' not found.");
    let odd = json!({"skill_name": "free", "action": "dance"});
    check(odd, "skill_validation_error", "Unknown action 'dance'");
    let off = |name: &str| json!({"skill_name": name, "action": "deactivate"});
    check(off("free"), "skill_not_active", "is not active");
    check(json!({"skill_name": "by-hand"}), "skill_not_found", "not found");
    let mut session = Ground::usual().session(Dialect::Omniforge.again());
    call(&mut session, json!({"skill_name": "reader"}));
    call(&mut session, json!({"skill_name": "free"}));
    let mut check = |arguments: Value, code: &str| {
        assert_eq!(call(&mut session, arguments)["error_code"], code);
    };
    check(json!({"skill_name": "reader"}), "skill_activation_error");
    check(off("reader"), "skill_stack_violation");
}
