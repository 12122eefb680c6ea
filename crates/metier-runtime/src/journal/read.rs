//! Reading a journal back: frames in order, and the first place where it is not as it was written.

#![expect(clippy::disallowed_methods, reason = "this file is the journal's door to the disk")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use super::JournalError;
use super::file::{beside, parse_head};
use super::frame::{Frame, FrameError};
use crate::limits::MAX_FRAME_BYTES;

/// A journal as read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The frames before the first fault, in file order.
    pub frames: Vec<Frame>,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// Bytes of a last line without a line break: what a crash leaves, never acknowledged.
    pub torn: Option<u64>,
}

/// Where a journal is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The frame, counted from 0 over the whole file.
    pub frame: u64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// How a journal can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The line itself.
    #[error("{0}")]
    Line(FrameError),
    /// The line is sound and does not belong here: something was removed, moved or put in before
    /// it.
    #[error("it does not follow the frame before it")]
    Broken,
    /// The number in its session is not the next one.
    #[error("its sequence number is {found} and not {expected}")]
    Sequence {
        /// The number it has.
        found: u64,
        /// The number it should have.
        expected: u64,
    },
    /// The head names a line that is not there.
    #[error("the journal ends before the last frame its head names")]
    CutOff,
}

/// Reads the journal at `path`. Linear in its length; one line in memory at a time besides the
/// frames.
pub fn read(path: &Path) -> Result<Reading, JournalError> {
    let io = |source| JournalError::Io { act: "read", path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    let mut lines = BufReader::new(file);
    let mut reading = Reading::default();
    let mut chain = Chain { prev: Frame::origin(), next: BTreeMap::new() };
    let mut bytes = 0;
    let head = std::fs::read_to_string(beside(path, "head")).ok().and_then(|t| parse_head(&t));
    let mut head_seen = head.as_ref().is_none_or(|head| head.bytes == 0);
    loop {
        let mut line = Vec::new();
        let limit = MAX_FRAME_BYTES as u64 + 2;
        let read =
            std::io::Read::take(&mut lines, limit).read_until(b'\n', &mut line).map_err(io)?;
        if read == 0 {
            break;
        }
        if line.pop_if(|byte| *byte == b'\n').is_none() && line.len() <= MAX_FRAME_BYTES {
            reading.torn = Some(line.len() as u64);
            break;
        }
        bytes += read as u64;
        match chain.take(&line) {
            Ok(frame) => {
                head_seen |=
                    head.as_ref().is_some_and(|h| h.bytes == bytes && h.digest == frame.digest);
                reading.frames.push(frame);
            }
            Err(kind) => {
                reading.fault = Some(Fault { frame: reading.frames.len() as u64, kind });
                return Ok(reading);
            }
        }
    }
    if !head_seen {
        let frame = reading.frames.len() as u64;
        reading.fault = Some(Fault { frame, kind: FaultKind::CutOff });
    }
    Ok(reading)
}

/// What the next line must follow.
struct Chain {
    prev: String,
    next: BTreeMap<String, u64>,
}

impl Chain {
    fn take(&mut self, line: &[u8]) -> Result<Frame, FaultKind> {
        let frame = Frame::parse(line).map_err(FaultKind::Line)?;
        if frame.prev != self.prev {
            return Err(FaultKind::Broken);
        }
        let next = self.next.entry(frame.ids.session.clone()).or_insert(0);
        if frame.seq != *next {
            return Err(FaultKind::Sequence { found: frame.seq, expected: *next });
        }
        *next += 1;
        self.prev.clone_from(&frame.digest);
        Ok(frame)
    }
}
