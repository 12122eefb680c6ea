//! Whether the end of each request has one meaning. A request that tells its length twice can be two
//! requests to somebody who reads it otherwise, such as a proxy in front of the server; the library
//! that reads requests takes one of both lengths and keeps quiet about the other.
//!
//! Pure; linear in what comes, in memory no longer than one line of a head. What is no HTTP at all is
//! refused by who reads it, and not looked at here any further.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::MAX_HEADER_BYTES;

/// What follows the bytes that came.
#[derive(Debug, Default)]
enum Place {
    /// A head, or the rest of one.
    #[default]
    Head,
    /// So many bytes of a body, then a head.
    Body(u64),
    /// A body that says itself where it ends. Its request is the last of the connection.
    Rest,
}

/// What a head has told so far.
#[derive(Debug, Default)]
struct Told {
    /// Whether there was a line; empty ones in front of it are nothing.
    begun: bool,
    /// How often it told where the body ends.
    times: usize,
    /// The bytes of the body, when they are told and can be read.
    length: Option<u64>,
    /// Whether the body comes in chunks, and in no other form.
    chunked: bool,
    /// Whether the body comes in any form of its own.
    encoded: bool,
}

/// Whether a request of the connection had an end of two meanings. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubt(Arc<AtomicBool>);

impl Doubt {
    pub(super) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Reads along on one connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    place: Place,
    line: Vec<u8>,
    told: Told,
    doubt: Doubt,
}

impl Framing {
    pub(super) fn doubt(&self) -> Doubt {
        self.doubt.clone()
    }

    /// These bytes came.
    pub(super) fn see(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match self.place {
                Place::Head => self.head(bytes),
                Place::Body(left) => {
                    let here = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    let left = left.saturating_sub(here as u64);
                    self.place = if left == 0 { Place::Head } else { Place::Body(left) };
                    bytes.get(here..).unwrap_or_default()
                }
                Place::Rest => return,
            };
        }
    }

    /// Reads one line of a head, as far as it came; gives what is behind it.
    fn head<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        if self.line.len() + part.len() > MAX_HEADER_BYTES {
            // Nobody reads a head with such a line.
            self.place = Place::Rest;
            return rest;
        }
        self.line.extend_from_slice(part);
        if end.is_some() {
            let line = std::mem::take(&mut self.line);
            self.line_is(line.trim_ascii_end());
        }
        rest.get(1..).unwrap_or_default()
    }

    fn line_is(&mut self, line: &[u8]) {
        match line.is_empty() {
            true if !self.told.begun => {}
            true => self.head_is_over(),
            false if !self.told.begun => self.told.begun = true,
            false => self.told.header(line),
        }
    }

    fn head_is_over(&mut self) {
        let Told { times, length, chunked, encoded, .. } = std::mem::take(&mut self.told);
        if times > 1 || encoded && !chunked {
            self.doubt.0.store(true, Ordering::Relaxed);
        }
        self.place = match length {
            _ if encoded => Place::Rest,
            Some(0) | None => Place::Head,
            Some(length) => Place::Body(length),
        };
    }
}

impl Told {
    fn header(&mut self, line: &[u8]) {
        let at = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(at);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            self.times += 1;
            self.length = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.times += 1;
            (self.encoded, self.chunked) = (true, value.eq_ignore_ascii_case(b"chunked"));
        }
    }
}

#[cfg(test)]
#[path = "framing_tests.rs"]
mod tests;
