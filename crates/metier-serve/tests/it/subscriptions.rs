//! Resources a client wants to hear about, in both eras.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use metier_serve::mcp::Service;
use metier_serve::{Dialect, Host};
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, attach, run, skill, stateless};

const NOTE: &str = "skill://one/references/note.md";

fn write(directory: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = directory.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn world() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        write(directory.path(), &format!("{name}/SKILL.md"), skill(name, ""));
        write(directory.path(), &format!("{name}/references/note.md"), "first\n");
    }
    directory
}

fn serve(directory: &Path) -> Arc<Service> {
    let host = Arc::new(Ground::on_disk(directory));
    Service::new(host as Arc<dyn Host>, Dialect::Plain)
}

/// The addresses of the updates that come until one of `uri` does.
async fn updates(wire: &mut Wire, uri: &str) -> Vec<String> {
    let mut told = Vec::new();
    let mut waiting = std::mem::take(&mut wire.notes).into_iter();
    loop {
        let note = match waiting.next() {
            Some(note) => note,
            None => wire.receive().await.expect("a notification"),
        };
        if note["method"] == "notifications/resources/updated" {
            told.push(note["params"]["uri"].as_str().unwrap().to_owned());
        }
        if told.last().is_some_and(|last| last == uri) {
            return told;
        }
    }
}

#[test]
fn a_changed_file_is_told_to_its_subscribers_and_only_to_them() {
    // U2, D7
    let directory = world();
    run(async {
        let service = serve(directory.path());
        let (mut one, mut two) = (attach(&service, None), attach(&service, None));
        for wire in [&mut one, &mut two] {
            let hello = wire.begin("2025-11-25").await;
            assert_eq!(hello["capabilities"]["resources"]["subscribe"], true);
        }
        let subscribe = |uri: &str| json!({ "uri": uri });
        assert_eq!(one.get("resources/subscribe", subscribe(NOTE)).await, json!({}));
        one.get("resources/subscribe", subscribe("skill://late/SKILL.md")).await;
        two.get("resources/subscribe", subscribe("skill://two/SKILL.md")).await;
        write(directory.path(), "one/references/note.md", "second\n");
        assert_eq!(updates(&mut one, NOTE).await, [NOTE]);
        // A body is no part of the catalog, and is told of all the same.
        let mut body = skill("two", "");
        body.extend(b"One more line.\n");
        write(directory.path(), "two/SKILL.md", body);
        let told = updates(&mut two, "skill://two/SKILL.md").await;
        assert_eq!(told, ["skill://two/SKILL.md"], "nothing of the note");
        one.get("resources/unsubscribe", subscribe(NOTE)).await;
        write(directory.path(), "one/references/note.md", "third\n");
        // What comes later is told, and nothing more of what was given up.
        write(directory.path(), "late/SKILL.md", skill("late", ""));
        service.watch();
        let told = updates(&mut one, "skill://late/SKILL.md").await;
        assert_eq!(told, ["skill://late/SKILL.md"]);
    });
}

#[test]
fn a_client_without_a_handshake_listens_for_single_resources() {
    // U2, D7
    let directory = world();
    run(async {
        let service = serve(directory.path());
        let mut wire = attach(&service, None);
        let meta = stateless(json!({}));
        wire.get("tools/list", json!({"_meta": meta})).await;
        let wanted = ["skill://two/SKILL.md", NOTE, "test://not-ours"];
        let listen = json!({
            "jsonrpc": "2.0", "id": "listening", "method": "subscriptions/listen",
            "params": {"notifications": {"resourceSubscriptions": wanted}, "_meta": meta},
        });
        wire.send(listen.to_string().as_bytes()).await;
        let accepted = loop {
            let note = wire.receive().await.unwrap();
            if note["method"] == "notifications/subscriptions/acknowledged" {
                break note["params"]["notifications"]["resourceSubscriptions"].clone();
            }
        };
        assert_eq!(accepted, json!(["skill://two/SKILL.md", NOTE]));
        // Listening begins after the answer; a change before that is not one.
        let told = loop {
            let text = format!("{:?}", std::time::Instant::now());
            write(directory.path(), "one/references/note.md", text);
            let waiting = tokio::time::timeout(Duration::from_secs(2), updates(&mut wire, NOTE));
            if let Ok(told) = waiting.await {
                break told;
            }
        };
        assert_eq!(told, [NOTE], "nothing of the other");
    });
}

#[test]
fn what_cannot_be_a_resource_here_and_one_too_many_are_refused() {
    // U2, F4
    let directory = world();
    run(async {
        let service = serve(directory.path());
        let mut wire = attach(&service, None);
        wire.begin("2025-11-25").await;
        let code = |answer: &Value| answer["error"]["code"].as_i64();
        for uri in ["test://watched-resource", "file:///etc/passwd", "skill://one", ""] {
            let refused = wire.ask("resources/subscribe", json!({ "uri": uri })).await;
            assert_eq!(code(&refused), Some(-32002), "{uri}: {refused}");
        }
        for number in 0..64 {
            wire.get("resources/subscribe", json!({ "uri": format!("skill://a/{number}") })).await;
        }
        let more = wire.ask("resources/subscribe", json!({ "uri": NOTE })).await;
        assert_eq!(code(&more), Some(-32602), "{more}");
        let gone = wire.get("resources/unsubscribe", json!({ "uri": "skill://never" })).await;
        assert_eq!(gone, json!({}));
    });
}

#[test]
fn an_edited_body_is_found_by_the_next_search() {
    // U2, D7, D8
    let directory = world();
    run(async {
        let service = serve(directory.path());
        let mut wire = attach(&service, None);
        wire.begin("2025-11-25").await;
        let query = json!({"query": "quinces"});
        let found = wire.call("skill_search", query.clone()).await;
        assert_eq!(found["structuredContent"]["hits"], json!([]));
        let mut body = skill("two", "");
        body.extend(b"Peel the quinces.\n");
        // The watch begins after the handshake; until it stands, an edit is seen in the next one.
        for _ in 0..200 {
            body.extend(b"\n");
            write(directory.path(), "two/SKILL.md", &body);
            tokio::time::sleep(Duration::from_millis(300)).await;
            let found = wire.call("skill_search", query.clone()).await;
            if found["structuredContent"]["hits"][0]["name"] == "two" {
                return;
            }
        }
        panic!("the edit is never found");
    });
}
