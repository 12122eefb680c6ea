//! The skills offered to other machines.

use std::sync::Arc;

use metier_package::archive;
use metier_store::digest::{hex, sha256};
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::served::Served;

const INDEX: &str = "/.well-known/agent-skills/index.json";

#[test]
fn every_trusted_skill_is_listed_with_the_digest_of_its_archive() {
    // P6, U3
    let server = Served::start(&Arc::new(Ground::usual()));
    let list = server.get(INDEX).json();
    assert_eq!(list["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = list["skills"].as_array().unwrap();
    let names: Vec<&Value> = skills.iter().map(|skill| &skill["name"]).collect();
    assert!(names.contains(&&json!("git-helper")) && names.contains(&&json!("by-hand")));
    assert!(!names.contains(&&json!("stranger")), "a project nobody trusts stays at home");
    for skill in skills {
        assert_eq!(skill["type"], "archive");
        let url = skill["url"].as_str().unwrap();
        let archive = server.get(&format!("/.well-known/agent-skills/{url}"));
        assert_eq!(archive.status, 200, "{url}");
        assert_eq!(skill["digest"], format!("sha256:{}", hex(&sha256(&archive.body))));
        let files = archive::list(&archive.body).unwrap();
        assert!(files.contains(&"SKILL.md".to_owned()), "{files:?}");
    }
    let helper = server.get("/.well-known/agent-skills/git-helper.tar.gz");
    let files = archive::list(&helper.body).unwrap();
    assert!(files.contains(&"scripts/deep/inner.py".to_owned()), "{files:?}");
}

#[test]
fn what_a_machine_has_already_is_not_sent_again() {
    // P6, U3
    let server = Served::start(&Arc::new(Ground::usual()));
    for path in [INDEX, "/.well-known/agent-skills/free.tar.gz"] {
        let first = server.get(path);
        let tag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        let again = server.ask(&format!("GET {path}"), &[("If-None-Match", tag)], b"");
        assert_eq!((again.status, again.body.len()), (304, 0));
        let other = server.ask(&format!("GET {path}"), &[("If-None-Match", "\"x\"")], b"");
        assert_eq!((other.status, &other.body), (200, &first.body));
    }
}

#[test]
fn what_is_not_offered_is_not_there() {
    // P6, U3
    let server = Served::start(&Arc::new(Ground::usual()));
    for file in
        ["stranger.tar.gz", "nope.tar.gz", "free", "free.zip", "..%2Ffree.tar.gz", ".tar.gz"]
    {
        let answer = server.get(&format!("/.well-known/agent-skills/{file}"));
        assert_eq!(answer.refusal().0, 404, "{file}");
    }
}
