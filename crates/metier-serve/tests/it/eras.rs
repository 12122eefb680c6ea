//! The same questions in both eras of the protocol, and one after the other on one connection.

use std::sync::Arc;

use metier_serve::Dialect;
use serde_json::{Value, json};

use crate::ground::{Ground, connect, run, stateless};

/// What both eras have, with parameters that fit.
fn questions() -> Vec<(&'static str, Value)> {
    let template = json!({"type": "ref/resource", "uri": "skill://{name}/{+path}"});
    vec![
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "skill_search", "arguments": {"query": "git"}})),
        ("tools/call", json!({"name": "skill_show", "arguments": {"name": "free"}})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "skill://free/SKILL.md"})),
        ("prompts/list", json!({})),
        (
            "completion/complete",
            json!({"ref": template, "argument": {"name": "name", "value": "f"}}),
        ),
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": "skill://free/SKILL.md"})),
        ("resources/directory/read", json!({"uri": "skill://git-helper"})),
    ]
}

/// A result without what only the newer era has.
fn bare(mut result: Value) -> Value {
    if let Some(members) = result.as_object_mut() {
        for member in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            members.remove(member);
        }
    }
    result
}

#[test]
fn both_eras_get_the_same_answers() {
    // U2
    run(async {
        let mut old = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        old.begin("2025-11-25").await;
        let mut new = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        for (method, params) in questions() {
            let mut with_meta = params.clone();
            with_meta["_meta"] = stateless(json!({}));
            let theirs = new.get(method, with_meta).await;
            assert_eq!(theirs["resultType"], "complete", "{method}: {theirs}");
            let ours = old.get(method, params).await;
            assert_eq!(bare(ours), bare(theirs), "{method}");
        }
    });
}

#[test]
fn what_may_be_kept_says_for_how_long() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        for method in ["tools/list", "resources/list", "prompts/list", "skills/list"] {
            let listed = wire.get(method, json!({"_meta": stateless(json!({}))})).await;
            assert!(listed["ttlMs"].is_u64(), "{method}: {listed}");
            assert_eq!(listed["cacheScope"], "private", "{method}");
        }
    });
}

#[test]
fn what_the_newer_era_dropped_is_not_there_in_it() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let meta = json!({"_meta": stateless(json!({}))});
        wire.get("tools/list", meta.clone()).await;
        let ping = wire.ask("ping", meta).await;
        assert_eq!(ping["error"]["code"], -32601, "{ping}");
        let mut old = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        old.begin("2025-11-25").await;
        assert_eq!(old.get("ping", json!({})).await, json!({}));
        let level = old.get("logging/setLevel", json!({"level": "debug"})).await;
        assert_eq!(level, json!({}));
    });
}

#[test]
fn a_version_nobody_knows_is_answered_with_those_there_are() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let hello = wire.begin("1999-01-01").await;
        assert_eq!(hello["protocolVersion"], "2025-11-25");
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let odd = json!({"io.modelcontextprotocol/protocolVersion": "2999-01-01"});
        let refused = wire.ask("tools/list", json!({"_meta": stateless(odd)})).await;
        assert!(refused["error"]["data"]["supported"].is_array(), "{refused}");
    });
}

#[test]
fn messages_go_to_whoever_has_a_level_and_to_nobody_else() {
    // U2
    run(async {
        let call = json!({"name": "skill_status", "arguments": {}});
        let told = |wire: &crate::ground::Wire| {
            wire.notes.iter().filter(|note| note["method"] == "notifications/message").count()
        };
        let mut old = connect(&Arc::new(Ground::shut()), Dialect::Plain);
        old.begin("2025-11-25").await;
        let failed = old.get("tools/call", call.clone()).await;
        assert_eq!((&failed["isError"], told(&old)), (&json!(true), 1), "{failed}");
        old.get("logging/setLevel", json!({"level": "emergency"})).await;
        old.get("tools/call", call.clone()).await;
        assert_eq!(told(&old), 1, "errors are below that");
        let mut new = connect(&Arc::new(Ground::shut()), Dialect::Plain);
        let mut call = call;
        call["_meta"] = stateless(json!({}));
        new.get("tools/call", call.clone()).await;
        new.get("tools/call", call).await;
        assert_eq!(told(&new), 0, "a request without a level asks for none");
        let mut new = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let levels = [("debug", 2), ("info", 1), ("warning", 0), ("loud", 0)];
        let mut heard = 0;
        for (level, count) in levels {
            let level = json!({"io.modelcontextprotocol/logLevel": level});
            let mut call = json!({"name": "skill_activate", "arguments": {"name": "free"}});
            call["_meta"] = stateless(level.clone());
            new.get("tools/call", call).await;
            heard += count;
            assert_eq!(told(&new), heard, "{level}");
            let mut release = json!({"name": "skill_release", "arguments": {}});
            release["_meta"] = stateless(json!({}));
            new.get("tools/call", release).await;
            assert_eq!(told(&new), heard, "the request after it asks for none");
        }
    });
}
