//! What a connection costs a model before anything is asked.

use metier_serve::Dialect;
use metier_serve::mcp::Service;
use metier_store::{Layer, MemoryStore, tokens};
use serde_json::json;
use std::sync::Arc;

use crate::ground::{Ground, attach, run, skill};

fn thousand() -> MemoryStore {
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..1000 {
        let name = format!("skill-number-{number:04}");
        store = store.file(&format!("{name}/SKILL.md"), skill(&name, ""));
    }
    store
}

#[test]
fn tools_stay_under_two_thousand_tokens_whatever_the_number_of_skills() {
    // U2, B3
    run(async {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Chibi) {
            let service = Service::new(Arc::new(Ground::over(thousand())), dialect);
            let mut wire = attach(&service, None);
            wire.begin("2025-11-25").await;
            let tools = wire.get("tools/list", json!({})).await["tools"].to_string();
            let count = tokens::exact(&tools).count;
            assert!(count < 2000, "{}: {count} tokens\n{tools}", dialect.as_str());
        }
    });
}

#[test]
fn the_first_two_thousand_characters_say_which_skills_there_are() {
    // U2
    run(async {
        let few = || {
            let description = "x".repeat(1000);
            let text = |name: &str| {
                format!("---\nname: {name}\ndescription: {description}\n---\nBody\n").into_bytes()
            };
            let store = MemoryStore::new(Layer::Personal);
            store.file("one/SKILL.md", text("one")).file("two/SKILL.md", text("two"))
        };
        for dialect in Dialect::ALL {
            for (host, named) in
                [(Ground::over(thousand()), "skill-number-0000"), (Ground::over(few()), "two")]
            {
                let service = Service::new(Arc::new(host), dialect);
                let mut wire = attach(&service, None);
                let told = wire.begin("2025-11-25").await["instructions"].clone();
                let told = told.as_str().unwrap();
                assert!(told.chars().count() <= 2048, "{}", told.len());
                assert!(told.contains(named), "{told}");
            }
        }
    });
}
