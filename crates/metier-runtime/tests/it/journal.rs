//! The journal under crowds, crashes and tampering.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use metier_runtime::JournalError;
use metier_runtime::clock::TickingClock;
use metier_runtime::event::{Event, SkillWarning};
use metier_runtime::journal::{
    Beat, Durability, FaultKind, FileJournal, FrameError, Ids, Journal as _, read,
};

/// The `append` example, built beside this test.
fn appender() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().unwrap().parent().unwrap().join("examples").join("append")
}

fn start(journal: &Path, session: &str, count: u32, durability: &str) -> Child {
    Command::new(appender())
        .arg(journal)
        .args([session, &count.to_string(), durability])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn open(path: &Path) -> Result<FileJournal, JournalError> {
    FileJournal::open(path, Durability::System, Arc::new(TickingClock::starting_at(7)))
}

fn warning(detail: &str) -> Event {
    let kind = "test".to_owned();
    Event::SkillWarning(SkillWarning { name: None, kind, detail: detail.to_owned() })
}

fn ids(session: &str) -> Ids {
    Ids { session: session.to_owned(), ..Ids::default() }
}

/// A journal of `frames` frames in two sessions.
fn sample(path: &Path, frames: usize) {
    let mut journal = open(path).unwrap();
    for number in 0..frames {
        let session = if number % 3 == 0 { "a" } else { "b" };
        journal.append(&ids(session), &warning(&format!("n{number}")), Beat::Result).unwrap();
    }
}

#[test]
fn processes_appending_at_once_lose_and_mix_nothing() {
    // J1, J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let children: Vec<Child> =
        (0..8).map(|n| start(&path, &format!("s{}", n % 4), 50, "system")).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let reading = read(&path).unwrap();
    assert_eq!(reading.fault, None);
    let mut sessions: BTreeMap<&str, u64> = BTreeMap::new();
    for frame in &reading.frames {
        *sessions.entry(&frame.ids.session).or_default() += 1;
    }
    assert_eq!(sessions.values().copied().collect::<Vec<_>>(), [100, 100, 100, 100]);
}

#[test]
fn two_hundred_kills_lose_no_acknowledged_frame() {
    // J1, S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut acknowledged: BTreeMap<String, u64> = BTreeMap::new();
    for round in 0..200_u64 {
        let session = format!("r{round}");
        let mut child = start(&path, &session, 100_000, "system");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = 1 + round % 7;
        let mut last = 0;
        for _ in 0..wanted {
            last = lines.next().unwrap().unwrap().parse().unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What was printed before the kill and is still in the pipe was acknowledged as well.
        last = lines.map_while(Result::ok).filter_map(|l| l.parse().ok()).max().unwrap_or(last);
        acknowledged.insert(session, last);
    }
    open(&path).unwrap();
    let reading = read(&path).unwrap();
    assert_eq!((reading.fault, reading.torn), (None, None));
    let mut recorded: BTreeMap<&str, u64> = BTreeMap::new();
    for frame in &reading.frames {
        recorded.insert(&frame.ids.session, frame.seq);
    }
    for (session, last) in &acknowledged {
        assert!(recorded.get(session.as_str()) >= Some(last), "{session} lost frame {last}");
    }
}

#[test]
fn a_torn_tail_is_cut_kept_and_reported() {
    // J3, S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 5);
    let whole = std::fs::read(&path).unwrap();
    let torn = [whole.as_slice(), b"{\"v\":1,\"id\":\"half a li"].concat();
    std::fs::write(&path, torn).unwrap();
    assert_eq!(read(&path).unwrap().torn, Some(22));
    let mut journal = open(&path).unwrap();
    assert_eq!(journal.torn(), Some(22));
    journal.append(&ids("a"), &warning("after"), Beat::Result).unwrap();
    let reading = read(&path).unwrap();
    assert_eq!((reading.fault, reading.torn, reading.frames.len()), (None, None, 6));
    let kept = std::fs::read_to_string(folder.path().join("journal.jsonl.torn")).unwrap();
    assert_eq!(kept, "{\"v\":1,\"id\":\"half a li\n");
}

#[test]
fn a_journal_that_is_gone_is_missed_by_who_reads_and_who_writes() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    open(&path).map(drop).unwrap();
    std::fs::remove_file(&path).unwrap();
    open(&path).map(drop).unwrap();
    sample(&path, 3);
    std::fs::remove_file(&path).unwrap();
    for refused in [open(&path).map(drop), read(&path).map(drop)] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, JournalError::Gone { frames: 3, .. }), "{refused}");
    }
    assert!(!path.exists(), "nobody makes another in its place");
}

#[test]
fn a_finished_line_that_is_no_frame_is_refused_and_left_as_it_is() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "my only copy\n").unwrap();
    let error = open(&path).map(drop).unwrap_err();
    assert!(matches!(error, JournalError::Changed { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my only copy\n");
}

#[test]
fn a_bad_end_that_no_crash_leaves_is_named_and_left_as_it_is() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 4);
    let whole = std::fs::read_to_string(&path).unwrap();
    let last = whole.lines().last().unwrap();
    let ends = [
        (format!("{whole}not a frame\n"), "the line has no digest"),
        (format!("{whole}{last}\n"), "it does not follow the frame before it"),
        (format!("{whole}\n"), "the line has no digest"),
        (whole.replace("n3", "n9"), "the line was edited"),
        (whole[..whole.len() - 1].to_owned(), "its end was cut off"),
        (whole[..whole.len() - 40].to_owned(), "its end was cut off"),
    ];
    for (text, why) in ends {
        std::fs::write(&path, &text).unwrap();
        let error = open(&path).map(drop).unwrap_err().to_string();
        assert!(error.ends_with(why), "{error}");
        assert!(read(&path).unwrap().fault.is_some(), "{why}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{why}");
        assert!(!folder.path().join("journal.jsonl.torn").exists(), "{why}");
    }
}

/// Puts the name of another start of the machine into the head, as after a restart.
fn restart(path: &Path) {
    let head = path.with_extension("jsonl.head");
    let text = std::fs::read_to_string(&head).unwrap();
    let (rest, boot) = text.trim_end().rsplit_once(' ').unwrap();
    assert_eq!(boot.len(), 36, "{text}");
    let other = if boot.starts_with('0') { '1' } else { '0' };
    std::fs::write(&head, format!("{rest} {other}{}\n", &boot[1..])).unwrap();
}

#[test]
fn what_the_power_took_before_it_was_safe_does_not_end_a_journal() {
    // J1, J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    // Enough for a checkpoint, which the power may leave too.
    sample(&path, 70);
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines = |count: usize| whole.split_inclusive('\n').take(count).collect::<String>();
    std::fs::write(&path, lines(60)).unwrap();
    assert!(open(&path).is_err(), "the machine was never off");
    restart(&path);
    assert!(read(&path).unwrap().fault.is_none());
    for _ in 0..2 {
        sample(&path, 3);
    }
    let reading = read(&path).unwrap();
    assert!(reading.fault.is_none(), "{:?}", reading.fault);
    assert_eq!(reading.frames.len(), 66);
    // All of it.
    std::fs::write(&path, "").unwrap();
    assert!(open(&path).is_err());
    restart(&path);
    assert!(open(&path).is_err(), "what was there after the loss is safe");
}

#[test]
fn what_was_made_safe_is_missed_whatever_happened_to_the_machine() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let clock = Arc::new(TickingClock::starting_at(7));
    let mut journal = FileJournal::open(&path, Durability::EachAct, clock).unwrap();
    for number in 0..4 {
        let beat = if number < 3 { Beat::Result } else { Beat::Intent };
        journal.append(&ids("a"), &warning(&format!("n{number}")), beat).unwrap();
    }
    drop(journal);
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines = |count: usize| whole.split_inclusive('\n').take(count).collect::<String>();
    restart(&path);
    std::fs::write(&path, lines(2)).unwrap();
    assert!(open(&path).is_err());
    assert_eq!(read(&path).unwrap().fault.unwrap().kind, FaultKind::CutOff);
    std::fs::write(&path, lines(3)).unwrap();
    assert!(read(&path).unwrap().fault.is_none(), "the intent was never made safe");
    assert!(open(&path).is_ok());
}

#[test]
fn ten_thousand_random_edits_are_all_detected() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 12);
    let whole = std::fs::read(&path).unwrap();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..10_000 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        match round % 5 {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"0a\"}\n ,"[random.below(7)]),
            3 => bytes.truncate(at),
            _ => swap_lines(&mut bytes, &mut random),
        }
        if bytes == whole {
            continue;
        }
        std::fs::write(&path, &bytes).unwrap();
        let reading = read(&path).unwrap();
        assert!(reading.fault.is_some() || reading.torn.is_some(), "round {round} at byte {at}");
    }
}

#[test]
fn tampering_is_named_with_the_first_bad_frame() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    sample(&path, 6);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let check = |lines: &[&str], frame: u64, kind: FaultKind| {
        std::fs::write(&path, lines.iter().map(|l| format!("{l}\n")).collect::<String>()).unwrap();
        let fault = read(&path).unwrap().fault.unwrap();
        assert_eq!((fault.frame, &fault.kind), (frame, &kind));
        let refused = open(&path).err().unwrap();
        assert!(matches!(refused, JournalError::Changed { .. }), "{refused}");
    };
    let edited = lines[2].replace("n2", "n9");
    check(
        &[lines[0], lines[1], &edited, lines[3], lines[4], lines[5]],
        2,
        FaultKind::Line(FrameError::Edited),
    );
    check(&[lines[0], lines[2], lines[3], lines[4], lines[5]], 1, FaultKind::Broken);
    check(&[lines[0], lines[1], lines[3], lines[2], lines[4], lines[5]], 2, FaultKind::Broken);
    check(&lines[..4], 4, FaultKind::CutOff);
    check(&[lines[0], "not a frame", lines[1]], 1, FaultKind::Line(FrameError::NoDigest));
}

#[test]
fn a_forged_chain_with_a_wrong_number_is_named() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = open(&path).unwrap();
    let mut frame = journal.append(&ids("a"), &warning("x"), Beat::Result).unwrap();
    frame.prev.clone_from(&frame.digest.clone());
    frame.seq = 9;
    let line = frame.seal();
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str(&line);
    text.push('\n');
    std::fs::write(&path, text).unwrap();
    let fault = read(&path).unwrap().fault.unwrap();
    assert_eq!(fault.kind, FaultKind::Sequence { found: 9, expected: 1 });
}

#[test]
fn a_frame_of_another_version_keeps_what_it_says() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut journal = open(&path).unwrap();
    let mut frame = journal.append(&ids("a"), &warning("x"), Beat::Result).unwrap();
    frame.extra.insert("later".into(), serde_json::json!({"kept": [1, 2]}));
    frame.kind = "skill_dreamt".into();
    let line = frame.seal();
    let again = metier_runtime::Frame::parse(line.as_bytes()).unwrap();
    assert_eq!(again, frame);
    assert!(matches!(again.event(), Event::Other { kind, .. } if kind == "skill_dreamt"));
    let newer = line.replace("{\"v\":1,", "{\"v\":2,");
    assert_eq!(metier_runtime::Frame::parse(newer.as_bytes()), Err(FrameError::Edited));
}

#[test]
fn a_line_that_is_no_frame_says_why() {
    // J3
    let sealed = |body: &str| {
        let digest = metier_store::digest::hex(&metier_store::digest::sha256(body.as_bytes()));
        format!("{body},\"digest\":\"{digest}\"}}")
    };
    let parse = |line: &str| metier_runtime::Frame::parse(line.as_bytes()).unwrap_err();
    assert_eq!(parse(&"x".repeat(1_100_000)), FrameError::TooLong);
    assert_eq!(parse("{}"), FrameError::NoDigest);
    assert_eq!(parse(&sealed("{\"v\":1")), FrameError::NotAFrame);
    assert_eq!(parse(&sealed("{\"v\":9")), FrameError::Newer);
    assert_eq!(parse(&sealed("not json")), FrameError::NotAFrame);
}

#[test]
fn a_journal_that_cannot_be_written_says_so() {
    // J1
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).err().unwrap();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    let path = folder.path().join("journal.jsonl");
    let mut journal = open(&path).unwrap();
    let huge = warning(&"x".repeat(2_000_000));
    let error = journal.append(&ids("a"), &huge, Beat::Result).err().unwrap();
    assert!(matches!(error, JournalError::TooLarge(_)), "{error}");
    assert_eq!(read(&path).unwrap().frames.len(), 0);
    let mut text = String::new();
    std::fs::File::open(&path).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "");
}

/// Exchanges two lines of different content.
fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let text = String::from_utf8(bytes.clone()).unwrap();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (one, two) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(one, two);
    *bytes = lines.concat().into_bytes();
}

/// A small xorshift, so that a failing round can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

#[test]
fn frames_about_what_is_installed_come_back_and_leave_the_stack_alone() {
    // J1
    let chain = metier_runtime::event::Chain { tree: Some("0f".repeat(32)), ..Default::default() };
    let changed = metier_runtime::event::SkillChanged {
        act: "update".to_owned(),
        name: "pdf".to_owned(),
        layer: "personal".to_owned(),
        path: "/skills/pdf".to_owned(),
        before: Some(chain.clone()),
        after: Some(metier_runtime::event::Chain { commit: Some("c".repeat(40)), ..chain }),
        ..Default::default()
    };
    let kinds = [
        Event::SkillChangeRequested,
        Event::SkillInstalled,
        Event::SkillUpdated,
        Event::SkillRemoved,
        Event::SkillApproved,
        Event::SkillUnapproved,
        Event::SkillUnchanged,
    ];
    let mut state = metier_runtime::State::default();
    for (seq, kind) in (0..).zip(kinds) {
        let event = kind(changed.clone());
        assert!(Event::NAMES.contains(&event.name()) && !event.changes_stack());
        assert_eq!(Event::read(event.name(), &event.payload()), event);
        state.apply(seq, &event);
    }
    let frames = state.frames;
    assert_eq!(state, metier_runtime::State { frames, ..metier_runtime::State::default() });
}
