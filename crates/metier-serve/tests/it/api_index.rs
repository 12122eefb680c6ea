//! The skills offered to other machines.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use metier_package::archive;
use metier_runtime::JournalError;
use metier_serve::limits::{MAX_CALLS, SHELF_TIME};
use metier_serve::{Client, Host, Seat, Who};
use metier_store::Catalog;
use metier_store::digest::{hex, sha256};
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};
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

/// A host whose skills take a while to list: its clock goes on by more than a list is kept, and the
/// first list is only made when somebody opens the door.
struct Slow {
    ground: Ground,
    seconds: AtomicU64,
    lists: AtomicUsize,
    open: Mutex<bool>,
    opened: Condvar,
}

impl Slow {
    fn new(open: bool) -> Arc<Self> {
        Arc::new(Self {
            ground: Ground::usual(),
            seconds: AtomicU64::new(0),
            lists: AtomicUsize::new(0),
            open: Mutex::new(open),
            opened: Condvar::new(),
        })
    }

    fn open_the_door(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl Host for Slow {
    fn index(&self) -> &Arc<CatalogIndex> {
        self.ground.index()
    }

    fn now(&self) -> Duration {
        Duration::from_secs(self.seconds.load(Ordering::SeqCst))
    }

    fn catalog(&self, _: &Who) -> Arc<Catalog> {
        if self.lists.fetch_add(1, Ordering::SeqCst) == 0 {
            drop(self.opened.wait_while(self.open.lock().unwrap(), |open| !*open).unwrap());
        }
        self.seconds.fetch_add(2 * SHELF_TIME.as_secs(), Ordering::SeqCst);
        self.ground.index().latest()
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        self.ground.open(client)
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}

#[test]
fn a_list_that_took_long_to_make_is_not_old_when_it_is_made() {
    // P6, U3
    let host = Slow::new(true);
    let server = Served::start(&host);
    let first = server.get(INDEX);
    assert_eq!((first.status, server.get(INDEX).body), (200, first.body));
    assert_eq!(host.lists.load(Ordering::SeqCst), 1, "it was made once");
    host.seconds.fetch_add(SHELF_TIME.as_secs(), Ordering::SeqCst);
    server.get(INDEX);
    assert_eq!(host.lists.load(Ordering::SeqCst), 2, "and again when it was old");
}

#[test]
fn those_who_wait_for_the_list_keep_nobody_from_anything_else() {
    // P6, U3
    let host = Slow::new(false);
    let server = Served::start(&host);
    std::thread::scope(|scope| {
        let waiting: Vec<_> =
            (0..=MAX_CALLS).map(|_| scope.spawn(|| server.get(INDEX).status)).collect();
        let connections = || {
            let numbers = server.get("/metrics").text();
            let line = numbers.lines().find_map(|l| l.strip_prefix("metier_http_connections "));
            line.unwrap().parse::<usize>().unwrap()
        };
        while connections() <= waiting.len() || host.lists.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = server.call("status", "", &json!({})).status;
        host.open_the_door();
        assert_eq!(status, 200);
        for one in waiting {
            assert_eq!(one.join().unwrap(), 200);
        }
    });
    assert_eq!(host.lists.load(Ordering::SeqCst), 2, "one list, and one look of the session");
}
