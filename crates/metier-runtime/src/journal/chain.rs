//! The chain: what the next line of a journal has to follow, and what all lines before it come to.
//! Reading and appending go through the same [`Chain::take`], so that what one refuses the other
//! refuses too. Knows no files; lines come from whatever can be read.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};

use super::frame::Frame;
use super::read::FaultKind;
use crate::event::Event;
use crate::limits::MAX_FRAME_BYTES;
use crate::state::State;

/// A journal up to some line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    /// Bytes of all lines, line breaks included.
    pub(super) bytes: u64,
    /// Where the last line begins.
    pub(super) last: u64,
    /// How many lines there are.
    pub(super) frames: u64,
    /// The digest of the last line.
    pub(super) digest: String,
    /// What the lines come to, by session. A state counts its frames, and that count is the number
    /// of the session's next one.
    pub(super) states: BTreeMap<String, State>,
}

/// What was found where a line was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line with its line break, or the beginning of one that is too long.
    Whole,
    /// Bytes without a line break: what a crash leaves.
    Torn,
    /// Nothing.
    End,
}

impl Chain {
    /// The chain before the first line.
    pub(super) fn empty() -> Self {
        let (digest, states) = (Frame::origin(), BTreeMap::new());
        Self { bytes: 0, last: 0, frames: 0, digest, states }
    }

    /// The number of the session's next frame.
    pub(super) fn next(&self, session: &str) -> u64 {
        self.states.get(session).map_or(0, |state| state.frames)
    }

    /// Takes one line, without its line break, into account, or says why it does not follow.
    pub(super) fn take(&mut self, line: &[u8]) -> Result<Frame, FaultKind> {
        let frame = Frame::parse(line).map_err(FaultKind::Line)?;
        if frame.prev != self.digest {
            return Err(FaultKind::Broken);
        }
        let expected = self.next(&frame.ids.session);
        if frame.seq != expected {
            return Err(FaultKind::Sequence { found: frame.seq, expected });
        }
        self.advance(&frame, &frame.event(), line.len() + 1);
        Ok(frame)
    }

    /// Moves behind `frame`, which tells `event` and has that many bytes with its line break.
    pub(super) fn advance(&mut self, frame: &Frame, event: &Event, bytes: usize) {
        self.last = self.bytes;
        self.bytes += bytes as u64;
        self.frames += 1;
        self.digest.clone_from(&frame.digest);
        match self.states.get_mut(&frame.ids.session) {
            Some(state) => state.apply(frame.seq, event),
            None => {
                let mut state = State::default();
                state.apply(frame.seq, event);
                self.states.insert(frame.ids.session.clone(), state);
            }
        }
    }
}

/// Puts the next line into `line`, without its line break, and says what it is. At most one byte
/// more than a line may have is kept, so that whoever parses it sees that it is too long.
pub(super) fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Line> {
    line.clear();
    let limit = MAX_FRAME_BYTES as u64 + 2;
    if reader.take(limit).read_until(b'\n', line)? == 0 {
        return Ok(Line::End);
    }
    if line.pop_if(|byte| *byte == b'\n').is_none() && line.len() <= MAX_FRAME_BYTES {
        return Ok(Line::Torn);
    }
    Ok(Line::Whole)
}
