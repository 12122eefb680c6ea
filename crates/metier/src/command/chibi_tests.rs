use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::time::Duration;

use metier_sandbox::Cancel;
use metier_serve::chibi_plugin::Request;
use serde_json::{Value, json};

use super::{is_plugin, start, wait};

#[test]
fn the_name_of_the_program_makes_it_the_plugin() {
    // U4
    let check = |program: &str, expected: bool| {
        assert_eq!(is_plugin(&[OsString::from(program)]), expected, "{program}");
    };
    check("/home/a/.chibi/plugins/agent-skills/agent-skills", true);
    check("agent-skills", true);
    check("/usr/bin/metier", false);
    check("agent-skills.before", false);
    assert!(!is_plugin(&[]));
}

fn guard() -> Request {
    Request::Hook { name: "pre_tool".to_owned(), data: json!({}) }
}

fn is_block(text: &str) -> bool {
    serde_json::from_str::<Value>(text).unwrap()["block"] == true
}

#[test]
fn a_guard_that_panics_fails_or_hangs_says_no() {
    // U4
    let cancel = Cancel::new().unwrap();
    let panics = start(|| panic!("on purpose"));
    assert!(is_block(&wait(&panics, &guard(), 20, &cancel)));
    let fails = start(|| Err("the disk is full".to_owned()));
    let text = wait(&fails, &guard(), 20, &cancel);
    assert!(is_block(&text) && text.contains("the disk is full"), "{text}");
    let (hold, held) = channel::<()>();
    let hangs = start(move || {
        let _ = held.recv_timeout(Duration::from_secs(60));
        Ok("{}".to_owned())
    });
    let text = wait(&hangs, &guard(), 0, &cancel);
    assert!(is_block(&text) && text.contains("longer than"), "{text}");
    drop(hold);
    let works = start(|| Ok("{}".to_owned()));
    assert_eq!(wait(&works, &guard(), 20, &cancel), "{}");
}
