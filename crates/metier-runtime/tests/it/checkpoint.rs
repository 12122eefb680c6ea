//! The checkpoint keeps opening short, and costs nothing when it is wrong or gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_runtime::clock::TickingClock;
use metier_runtime::event::{Event, SkillActivated, SkillWarning};
use metier_runtime::journal::{
    Beat, Durability, FaultKind, FileJournal, Ids, Journal as _, JournalError, read,
};
use metier_runtime::limits::CHECKPOINT_EVERY;
use metier_runtime::{State, replay};

fn open(path: &Path) -> Result<FileJournal, JournalError> {
    FileJournal::open(path, Durability::System, Arc::new(TickingClock::starting_at(7)))
}

fn ids(session: &str) -> Ids {
    Ids { session: session.to_owned(), ..Ids::default() }
}

fn warning(detail: &str) -> Event {
    let detail = detail.to_owned();
    Event::SkillWarning(SkillWarning { name: None, kind: "test".into(), detail })
}

/// A journal of `frames` frames in two sessions, with a skill active in `a`.
fn sample(path: &Path, frames: u64) {
    let mut journal = open(path).unwrap();
    let active = SkillActivated { name: "reader".into(), ..SkillActivated::default() };
    journal.append(&ids("a"), &Event::SkillActivated(active), Beat::Result).unwrap();
    for number in 1..frames {
        let session = if number % 3 == 0 { "a" } else { "b" };
        journal.append(&ids(session), &warning(&format!("n{number}")), Beat::Result).unwrap();
    }
}

fn beside(path: &Path, word: &str) -> PathBuf {
    PathBuf::from(format!("{}.{word}", path.display()))
}

/// The state of `a` as somebody who opens the journal has it.
fn state(path: &Path) -> State {
    open(path).unwrap().news("a", 0).unwrap()
}

#[test]
fn whoever_opens_by_the_checkpoint_knows_what_replay_knows() {
    // J3, S6
    let folder = tempfile::tempdir().unwrap();
    for frames in [1, 63, 64, 65, 127, 128, 300] {
        let path = folder.path().join(format!("{frames}.jsonl"));
        sample(&path, frames);
        assert_eq!(beside(&path, "checkpoint").exists(), frames >= CHECKPOINT_EVERY);
        let reading = read(&path).unwrap();
        assert_eq!(reading.fault, None);
        let replayed = replay::replay(&reading.frames);
        assert_eq!(replayed, reading.states);
        assert_eq!(state(&path), replayed["a"], "{frames} frames");
    }
}

#[test]
fn only_the_lines_after_the_checkpoint_are_read() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 200);
    let before = state(&path);
    // Damage where the checkpoint vouches: an act does not look there, a reading does.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[400] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(state(&path), before);
    assert!(read(&path).unwrap().fault.is_some());
    // Without the checkpoint everybody looks.
    std::fs::remove_file(beside(&path, "checkpoint")).unwrap();
    assert!(matches!(open(&path).err(), Some(JournalError::Changed { .. })));
}

#[test]
fn an_edit_after_the_checkpoint_is_refused_as_ever() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 100);
    let whole = std::fs::read_to_string(&path).unwrap();
    let check = |text: String| {
        std::fs::write(&path, text).unwrap();
        let refused = open(&path).err();
        assert!(matches!(refused, Some(JournalError::Changed { .. })), "{refused:?}");
    };
    check(whole.replace("n80", "n81"));
    check(
        whole.lines().filter(|l| !l.contains("\"n80\"")).fold(String::new(), |t, l| t + l + "\n"),
    );
    check(whole.lines().take(90).fold(String::new(), |t, l| t + l + "\n"));
    // Cut before the checkpoint, nothing it says is believed and the head still tells.
    check(whole.lines().take(10).fold(String::new(), |t, l| t + l + "\n"));
    std::fs::write(&path, &whole).unwrap();
    assert!(open(&path).is_ok());
}

#[test]
fn a_checkpoint_that_is_gone_torn_foreign_or_forged_in_parts_is_made_anew() {
    // J3, S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 100);
    let expect = state(&path);
    let checkpoint = beside(&path, "checkpoint");
    let good = std::fs::read_to_string(&checkpoint).unwrap();
    let (_, body) = good.trim_end().split_once(' ').unwrap();
    let sealed = |body: &str| {
        let sum = metier_store::digest::hex(&metier_store::digest::sha256(body.as_bytes()));
        format!("{sum} {body}\n")
    };
    let wrong = [
        String::new(),
        "x".repeat(100),
        good[..good.len() / 2].to_owned(),
        good.replace("reader", "writer"),
        sealed(&body.replace("\"inode\":", "\"inode\":9")),
        sealed(&body.replace("\"program\":\"", "\"program\":\"9")),
        sealed(&body.replace("\"state\":", "\"state\":9")),
        sealed(&body.replacen("\"frames\":", "\"later\":1,\"frames\":", 1)),
        sealed(&body.replacen("\"last\":", "\"last\":1", 1)),
        sealed(&body.replacen("\"bytes\":", "\"bytes\":9", 1)),
    ];
    for text in wrong {
        assert_ne!(text, good);
        std::fs::write(&checkpoint, &text).unwrap();
        assert_eq!(state(&path), expect, "{text}");
        let made_anew = std::fs::read_to_string(&checkpoint).unwrap();
        assert_ne!(made_anew, text);
    }
    std::fs::remove_file(&checkpoint).unwrap();
    assert_eq!(state(&path), expect);
    // A folder in its place cannot be replaced, and hurts nobody.
    std::fs::remove_file(&checkpoint).unwrap();
    std::fs::create_dir(&checkpoint).unwrap();
    assert_eq!(state(&path), expect);
}

#[test]
fn a_forged_checkpoint_is_named_by_whoever_reads_the_whole_journal() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 100);
    let checkpoint = beside(&path, "checkpoint");
    let good = std::fs::read_to_string(&checkpoint).unwrap();
    let (_, body) = good.trim_end().split_once(' ').unwrap();
    let mut forged: serde_json::Value = serde_json::from_str(body).unwrap();
    forged["sessions"]["a"]["stack"] = serde_json::json!([]);
    let body = forged.to_string();
    let sum = metier_store::digest::hex(&metier_store::digest::sha256(body.as_bytes()));
    std::fs::write(&checkpoint, format!("{sum} {body}\n")).unwrap();
    let fault = read(&path).unwrap().fault.unwrap();
    assert_eq!(fault.kind, FaultKind::Checkpoint);
    std::fs::remove_file(&checkpoint).unwrap();
    assert_eq!(read(&path).unwrap().fault, None);
}

#[test]
fn a_journal_that_another_file_replaced_is_not_appended_to() {
    // J1, S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = open(&path).unwrap();
    journal.append(&ids("a"), &warning("x"), Beat::Result).unwrap();
    let copy = folder.path().join("copy");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::rename(&copy, &path).unwrap();
    let refused = journal.append(&ids("a"), &warning("y"), Beat::Result).err();
    assert!(matches!(refused, Some(JournalError::Changed { .. })), "{refused:?}");
    std::fs::remove_file(&path).unwrap();
    let refused = journal.append(&ids("a"), &warning("y"), Beat::Result).err();
    assert!(matches!(refused, Some(JournalError::Io { .. })), "{refused:?}");
}
