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

#[test]
fn a_link_that_leaves_the_skill_is_left_out_and_the_skill_is_not() {
    // P6, U3, R1
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("forms");
    std::fs::create_dir_all(at.join("references")).unwrap();
    std::fs::write(at.join("SKILL.md"), crate::ground::skill("forms", "")).unwrap();
    std::fs::write(at.join("references/in.md"), "in").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at.join("references/out.md")).unwrap();
    std::os::unix::fs::symlink("in.md", at.join("references/same.md")).unwrap();
    let odd = directory.path().join("Bad_Name");
    std::fs::create_dir_all(&odd).unwrap();
    std::fs::write(odd.join("SKILL.md"), crate::ground::skill("Bad_Name", "")).unwrap();
    let server = Served::start(&Arc::new(Ground::on_disk(directory.path())));
    let list = server.get(INDEX).json();
    let names: Vec<&Value> =
        list["skills"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, [&json!("forms")]);
    let left_out = &list["leftOut"];
    let told = |name: &str, path: Value| {
        let mut all = left_out.as_array().unwrap().iter();
        all.any(|one| one["name"] == name && one["path"] == path && one["reason"].is_string())
    };
    assert!(told("forms", json!("references/out.md")), "{left_out}");
    assert!(told("Bad_Name", Value::Null), "{left_out}");
    let archive = server.get("/.well-known/agent-skills/forms.tar.gz");
    let digest = format!("sha256:{}", hex(&sha256(&archive.body)));
    assert_eq!(list["skills"][0]["digest"], digest);
    let files = archive::list(&archive.body).unwrap();
    assert_eq!(files, ["SKILL.md", "references/in.md", "references/same.md"]);
    assert_eq!(server.get("/.well-known/agent-skills/Bad_Name.tar.gz").status, 404);
}

#[test]
fn a_skill_that_is_gone_is_gone_from_the_list_at_once() {
    // P6, U3, D7
    let directory = tempfile::tempdir().unwrap();
    for name in ["forms", "charts"] {
        std::fs::create_dir_all(directory.path().join(name)).unwrap();
        let file = directory.path().join(name).join("SKILL.md");
        std::fs::write(file, crate::ground::skill(name, "")).unwrap();
    }
    let ground = Arc::new(Ground::on_disk(directory.path()));
    let server = Served::start(&ground);
    let names = || -> Vec<String> {
        let list = server.get(INDEX).json();
        let skills = list["skills"].as_array().unwrap();
        skills.iter().map(|skill| skill["name"].to_string()).collect()
    };
    assert_eq!(names(), [r#""charts""#, r#""forms""#]);
    std::fs::remove_dir_all(directory.path().join("forms")).unwrap();
    ground.index().invalidate();
    assert_eq!(server.get("/.well-known/agent-skills/forms.tar.gz").status, 404);
    assert_eq!(names(), [r#""charts""#]);
}

#[test]
fn a_skill_that_changed_is_listed_as_it_is_given() {
    // P6, U3
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("forms");
    std::fs::create_dir_all(at.join("references")).unwrap();
    let text = crate::ground::skill("forms", "");
    std::fs::write(at.join("SKILL.md"), &text).unwrap();
    std::fs::write(at.join("references/a.md"), "a").unwrap();
    let server = Served::start(&Arc::new(Ground::on_disk(directory.path())));
    let mut before = Vec::new();
    let mut check = || {
        let listed = server.get(INDEX).json()["skills"][0]["digest"].clone();
        let archive = server.get("/.well-known/agent-skills/forms.tar.gz");
        assert_eq!(listed, format!("sha256:{}", hex(&sha256(&archive.body))));
        assert!(!before.contains(&listed), "another content has another digest");
        before.push(listed);
    };
    check();
    std::fs::write(at.join("SKILL.md"), [&text[..], b"More.\n"].concat()).unwrap();
    check();
    std::fs::write(at.join("references/a.md"), "another").unwrap();
    check();
    std::fs::write(at.join("references/b.md"), "b").unwrap();
    check();
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
