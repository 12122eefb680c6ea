//! Content that frames refer to by digest.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_runtime::clock::TickingClock;
use metier_runtime::journal::{Artifacts, Collected, Collection, Durability, FileJournal, read};
use metier_runtime::{Event, Moment, Session};

use crate::ground::{by_hand, journal, setup};

/// Takes whatever no journal in `journals` refers to, however young.
fn collect(artifacts: &Artifacts, journals: &[PathBuf]) -> Collected {
    let journals = || Ok(journals.to_vec());
    let all = Collection { journals: &journals, before: Moment(u64::MAX), remove: true };
    artifacts.collect(&all).unwrap()
}

fn keep(artifacts: &Artifacts, bytes: &[u8]) -> String {
    artifacts.keep(bytes).unwrap().digest
}

#[test]
fn content_is_kept_once_and_comes_back_as_it_was() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(&folder.path().join("artifacts"));
    let digest = keep(&artifacts, b"a body");
    assert_eq!(keep(&artifacts, b"a body"), digest);
    assert_eq!(artifacts.get(&digest).as_deref(), Some(&b"a body"[..]));
    assert_eq!(artifacts.get("../../etc/passwd"), None);
    assert_eq!(artifacts.get(&"0".repeat(64)), None);
}

#[test]
fn content_that_was_changed_is_not_given_back() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(folder.path());
    let digest = keep(&artifacts, b"a body");
    std::fs::write(artifacts.path(&digest), b"another").unwrap();
    assert_eq!(artifacts.get(&digest), None);
}

#[test]
fn a_collection_takes_only_what_nothing_refers_to() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(&folder.path().join("artifacts"));
    let nothing = collect(&artifacts, &[]);
    assert_eq!(nothing, Collected::default());
    let [kept, torn, gone] = [&b"kept"[..], b"torn", b"gone"].map(|b| keep(&artifacts, b));
    let stranger = folder.path().join("artifacts/ab/notes.txt");
    std::fs::create_dir_all(stranger.parent().unwrap()).unwrap();
    std::fs::write(&stranger, "mine").unwrap();
    let path = folder.path().join("j.jsonl");
    // Even what is no frame refers: nobody knows what another version writes.
    std::fs::write(&path, format!("{{\"x\":\"sha256:{kept}\"}}\n{{\"torn\":\"{torn}\"")).unwrap();
    let missing = folder.path().join("missing.jsonl");
    let young = Collection { journals: &|| Ok(vec![]), before: Moment(0), remove: true };
    assert_eq!(artifacts.collect(&young).unwrap().removed, 0, "all of it is young");
    let journals = || Ok(vec![path.clone()]);
    let dry = Collection { journals: &journals, before: Moment(u64::MAX), remove: false };
    assert_eq!(artifacts.collect(&dry).unwrap().removed, 1);
    assert!(artifacts.get(&gone).is_some(), "nothing is removed in a rehearsal");
    let collected = collect(&artifacts, &[path.clone(), missing]);
    let expect = Collected { kept: 2, kept_bytes: 8, removed: 1, removed_bytes: 4, journals: 1 };
    assert_eq!(collected, expect);
    assert!(artifacts.get(&kept).is_some() && artifacts.get(&torn).is_some());
    assert!(artifacts.get(&gone).is_none() && stranger.exists());
    let unreadable = || Ok(vec![folder.path().to_owned()]);
    let all = Collection { journals: &unreadable, before: Moment(u64::MAX), remove: true };
    std::fs::remove_file(&path).unwrap();
    assert!(
        artifacts.collect(&all).is_err(),
        "a journal that cannot be read may refer to anything"
    );
    assert!(artifacts.get(&kept).is_some());
}

#[test]
fn a_journal_elsewhere_is_remembered_until_it_is_gone() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("elsewhere.jsonl");
    let artifacts = Artifacts::at(&folder.path().join("artifacts")).of_journal(&journal);
    let digest = keep(&artifacts, b"kept");
    std::fs::write(&journal, format!("\"{digest}\"\n")).unwrap();
    assert_eq!(collect(&artifacts, &[]).removed, 0);
    std::fs::remove_file(&journal).unwrap();
    assert_eq!(collect(&artifacts, &[]).removed, 1);
    let notes = folder.path().join("artifacts/journals");
    assert_eq!(std::fs::read_dir(notes).unwrap().count(), 0);
}

fn session(path: &Path, artifacts: &Path) -> Session {
    let clock = Arc::new(TickingClock::starting_at(1));
    let journal = FileJournal::open(path, Durability::System, clock).unwrap();
    let mut parts = setup();
    parts.artifacts = Some(Artifacts::at(artifacts).of_journal(path));
    Session::open(parts, Box::new(journal)).unwrap()
}

/// The digests of what the frames say was loaded and read.
fn referred(path: &Path) -> Vec<String> {
    let digest = |event| match event {
        Event::SkillLoaded(loaded) => Some(loaded.digest),
        Event::ResourceRead(read) => Some(read.digest),
        _ => None,
    };
    read(path).unwrap().frames.iter().filter_map(|frame| digest(frame.event())).collect()
}

#[test]
fn what_a_session_loads_and_reads_can_be_had_again() {
    // J2, J3
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = (folder.path().join("s.jsonl"), folder.path().join("artifacts"));
    let mut session = session(&path, &kept);
    by_hand(&mut session, "git-helper").unwrap();
    session.read("git-helper", "references/a.md", 100).unwrap();
    let artifacts = Artifacts::at(&kept);
    let contents: Vec<Vec<u8>> =
        referred(&path).iter().map(|digest| artifacts.get(digest).unwrap()).collect();
    assert!(contents[0].starts_with(b"---\nname: git-helper\n"));
    assert_eq!(contents[1], b"# A\n");
    assert_eq!(collect(&artifacts, &[]).removed, 0);
}

#[test]
fn what_cannot_or_must_not_be_kept_is_said_and_stops_nothing() {
    // J2, R5
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "a file where the folder should be").unwrap();
    let frames = journal();
    let mut parts = setup();
    parts.artifacts = Some(Artifacts::at(&blocked));
    let mut session = Session::open(parts, Box::new(frames.clone())).unwrap();
    by_hand(&mut session, "reader").unwrap();
    let mut parts = setup();
    let kept = folder.path().join("kept");
    parts.artifacts = Some(Artifacts::at(&kept));
    parts.redactor = metier_runtime::redact::Redactor::new(["Do it with".to_owned()]);
    let mut session = Session::open(parts, Box::new(frames.clone())).unwrap();
    by_hand(&mut session, "free").unwrap();
    let warnings: Vec<String> = frames
        .all()
        .iter()
        .filter(|frame| frame.payload.get("kind") == Some(&"artifact_not_kept".into()))
        .map(|frame| frame.payload["detail"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(warnings.len(), 2);
    assert!(warnings[1].contains("a declared secret"), "{warnings:?}");
    assert!(!kept.exists());
}

#[test]
fn collecting_while_sessions_act_loses_nothing_that_is_referred_to() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("artifacts");
    let over = AtomicBool::new(false);
    let paths: Vec<PathBuf> = (0..4).map(|n| folder.path().join(format!("{n}.jsonl"))).collect();
    let artifacts = Artifacts::at(&kept);
    let rounds = std::thread::scope(|scope| {
        let writers: Vec<_> = paths
            .iter()
            .map(|path| {
                let kept = &kept;
                scope.spawn(move || {
                    for round in 0..12 {
                        // A journal that goes takes its references with it; the content is then
                        // kept anew, while a collection may be taking it.
                        if round % 3 == 0 {
                            for end in ["", ".head", ".checkpoint"] {
                                let _ = std::fs::remove_file(format!("{}{end}", path.display()));
                            }
                        }
                        let mut session = session(path, kept);
                        for name in ["git-helper", "free", "pushy", "reader"] {
                            by_hand(&mut session, name).unwrap();
                        }
                        session.read("git-helper", "references/a.md", 100).unwrap();
                        session.end().unwrap();
                        for digest in referred(path) {
                            assert!(Artifacts::at(kept).get(&digest).is_some(), "{digest} is lost");
                        }
                    }
                })
            })
            .collect();
        let collector = scope.spawn(|| {
            let mut rounds = 0;
            while !over.load(Ordering::Relaxed) {
                collect(&artifacts, &[]);
                rounds += 1;
            }
            rounds
        });
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
        collector.join().unwrap()
    });
    assert!(rounds > 0);
    collect(&artifacts, &[]);
    for digest in paths.iter().flat_map(|path| referred(path)) {
        assert!(artifacts.get(&digest).is_some(), "{digest} is lost");
    }
}
