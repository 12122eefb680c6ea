//! Any bytes are read as a journal: to the end, to a fault or to a torn line. What is read replays to
//! what the reader says, and a frame's line, written again, is read as the same frame.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_runtime::Frame;
use metier_runtime::journal::{Ids, read_bytes};
use metier_runtime::{Event, Moment, replay};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&sealed(bytes));
});

fn check(bytes: &[u8]) {
    let reading = read_bytes(bytes);
    assert_eq!(replay::replay(&reading.frames), reading.states);
    let whole = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(reading.frames.len() <= whole);
    if reading.fault.is_none() && reading.torn.is_none() {
        assert_eq!(reading.frames.len(), whole);
    }
    for frame in reading.frames {
        let mut again = frame.clone();
        let line = again.seal();
        if again.digest == frame.digest {
            assert_eq!(Frame::parse(line.as_bytes()), Ok(frame));
        }
    }
}

/// The bytes as the payloads of a sound chain: each line a name, a space, and a payload if it is one.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut prev = Frame::origin();
    let mut journal = Vec::new();
    for (seq, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        let (name, payload) = text.split_once(' ').unwrap_or((&text, ""));
        let index = name.len() % Event::NAMES.len();
        let mut frame = Frame {
            seq: seq as u64,
            ids: Ids { session: "s".into(), agent: Some(name.to_owned()), ..Ids::default() },
            time: Moment(seq as u64),
            kind: Event::NAMES[index].to_owned(),
            payload: serde_json::from_str(payload).unwrap_or_default(),
            extra: serde_json::Map::new(),
            prev: prev.clone(),
            digest: String::new(),
        };
        journal.extend_from_slice(frame.seal().as_bytes());
        journal.push(b'\n');
        prev = frame.digest;
    }
    journal
}
