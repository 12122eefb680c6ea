//! What is offered to other machines is what was approved, byte for byte, whoever writes to it meanwhile.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metier_package::approve::{approve, digest};
use metier_package::archive;
use metier_package::trust::By;
use metier_package::{Home, Ledger};
use metier_runtime::JournalError;
use metier_serve::{Client, Host, Seat};
use metier_store::index::CatalogIndex;
use metier_store::vouch::Vouch;
use metier_store::watch::{Watch, WatchError};

use crate::ground::{Ground, skill};
use crate::served::Served;

/// Archives asked for while files change. Each is a chance; none may be taken.
const ROUNDS: usize = 150;

/// A host whose approvals are real ones.
struct Approving {
    ground: Ground,
    home: Home,
}

impl Host for Approving {
    fn index(&self) -> &Arc<CatalogIndex> {
        self.ground.index()
    }

    fn now(&self) -> Duration {
        self.ground.now()
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        self.ground.open(client)
    }

    fn vouch(&self) -> Arc<dyn Vouch> {
        Arc::new(Ledger::open(&self.home, None, i128::from(i64::MAX)))
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}

/// A skill `forms` that says GOOD, with a link, and a server whose host has said yes to it.
fn offered(directory: &Path) -> (PathBuf, Served) {
    let at = directory.join("skills/forms");
    std::fs::create_dir_all(at.join("scripts")).unwrap();
    let text = String::from_utf8(skill("forms", "")).unwrap().replace("Does forms", "GOOD forms");
    std::fs::write(at.join("SKILL.md"), text + "GOOD\n").unwrap();
    std::fs::write(at.join("scripts/a.sh"), "echo GOOD\n").unwrap();
    std::os::unix::fs::symlink("scripts/a.sh", at.join("same.sh")).unwrap();
    let home = Home::new(directory.join("home"));
    let by = By { who: "ada".to_owned(), at: "2031-05-06T07:08:09".to_owned() };
    approve(&home, &at, &digest(&at).unwrap(), &by).unwrap();
    let ground = Ground::on_disk(&directory.join("skills"));
    (at, Served::start(&Arc::new(Approving { ground, home })))
}

const ARCHIVE: &str = "/.well-known/agent-skills/forms.tar.gz";
const INDEX: &str = "/.well-known/agent-skills/index.json";

#[test]
fn an_approved_skill_is_offered_with_its_links_and_a_changed_one_is_not() {
    // P4, P6, U3
    let directory = tempfile::tempdir().unwrap();
    let (at, server) = offered(directory.path());
    let good = server.get(ARCHIVE);
    assert_eq!(good.status, 200);
    assert_eq!(archive::list(&good.body).unwrap(), ["SKILL.md", "same.sh", "scripts/a.sh"]);
    assert_eq!(
        server.get(INDEX).json()["skills"][0]["description"],
        "GOOD forms. Use when forms is asked for."
    );
    for change in ["scripts/a.sh", "more.md"] {
        let before = std::fs::read(at.join(change));
        std::fs::write(at.join(change), "echo EVIL\n").unwrap();
        assert_eq!(server.get(ARCHIVE).status, 404, "{change}");
        match before {
            Ok(before) => std::fs::write(at.join(change), before).unwrap(),
            Err(_) => std::fs::remove_file(at.join(change)).unwrap(),
        }
        assert_eq!(server.get(ARCHIVE).body, good.body);
    }
}

#[test]
fn no_archive_and_no_list_has_what_was_there_for_a_moment() {
    // P4, P6, U3
    let directory = tempfile::tempdir().unwrap();
    let (at, server) = offered(directory.path());
    let good = server.get(ARCHIVE).body;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let files = ["SKILL.md", "scripts/a.sh"].map(|path| {
                let text = std::fs::read_to_string(at.join(path)).unwrap();
                let evil = text.replace("GOOD", "EVIL");
                (File::options().write(true).open(at.join(path)).unwrap(), text, evil)
            });
            // The last thing that is written is what was approved.
            while !stop.load(Ordering::Relaxed) {
                files
                    .iter()
                    .for_each(|(file, _, evil)| file.write_all_at(evil.as_bytes(), 0).unwrap());
                std::thread::yield_now();
                files
                    .iter()
                    .for_each(|(file, text, _)| file.write_all_at(text.as_bytes(), 0).unwrap());
                std::thread::yield_now();
            }
        });
        let mut wrong = 0;
        for round in 0..ROUNDS {
            let answer = server.get(ARCHIVE);
            wrong += usize::from(answer.status != 404 && answer.body != good);
            if round % 10 == 0 {
                wrong += usize::from(server.get(INDEX).text().contains("EVIL"));
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(wrong, 0, "of {ROUNDS}");
    });
    assert_eq!(server.get(ARCHIVE).body, good, "and it is offered as before");
}
