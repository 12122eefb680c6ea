//! Several clients at once.

use std::sync::Arc;

use metier_serve::mcp::{Guest, Service};
use metier_serve::{Dialect, Host};
use serde_json::json;

use crate::ground::{Ground, attach, run, welcome};

#[test]
fn many_clients_at_once_each_keep_their_own_stack_and_lose_no_frame() {
    // U2, J1
    run(async {
        let host = Arc::new(Ground::usual());
        let service = Service::new(Arc::clone(&host) as Arc<dyn Host>, Dialect::Plain);
        let mut clients = Vec::new();
        for number in 0..16 {
            let service = Arc::clone(&service);
            clients.push(tokio::spawn(async move {
                let mut wire = attach(&service, None);
                wire.begin("2025-11-25").await;
                let name = if number % 2 == 0 { "reader" } else { "git-helper" };
                wire.call("skill_activate", json!({"name": name})).await;
                for _ in 0..10 {
                    wire.call("tool_guard", json!({"tool": "Read", "arguments": {}})).await;
                }
                let status = wire.call("skill_status", json!({})).await;
                let stack = status["structuredContent"]["stack"].as_array().unwrap().clone();
                assert_eq!((stack.len(), stack[0]["name"].as_str()), (1, Some(name)));
            }));
        }
        for client in clients {
            client.await.unwrap();
        }
        let count = |kind: &str| host.kinds().iter().filter(|k| *k == kind).count();
        assert_eq!(count("skill_activated"), 16);
        assert_eq!(count("tool_execution_in_skill") + count("tool_restriction_violated"), 160);
    });
}

#[test]
fn a_section_that_the_host_knows_nothing_of_leaves_nothing() {
    // U2
    run(async {
        let host = Arc::new(Ground::usual());
        let service = Service::new(Arc::clone(&host) as Arc<dyn Host>, Dialect::Plain);
        let mut wire = welcome(&service, Guest { section: Some("x".into()), session: None });
        let hello = wire.begin("2025-11-25").await;
        assert!(!hello["instructions"].as_str().unwrap().contains("reader"), "{hello}");
        assert_eq!(wire.get("resources/list", json!({})).await["resources"], json!([]));
        assert_eq!(wire.get("skills/list", json!({})).await["skills"], json!([]));
        let active = wire.call("skill_activate", json!({"name": "reader"})).await;
        assert_eq!(active["structuredContent"]["error"]["code"], "skill_not_found");
        let run = json!({"name": "git-helper", "script": "run"});
        let ran = wire.call("script_run", run).await;
        assert_eq!(ran["structuredContent"]["success"], false, "{ran}");
    });
}
