//! Moving bytes to and from the child while it runs, all in one thread: nothing is kept beyond the
//! limits, however much comes.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::PollFlags;
use rustix::io::Errno;

use crate::outcome::Captured;

/// As much as a pipe holds.
const CHUNK: usize = 64 << 10;

/// One stream of the child.
#[derive(Debug)]
pub(crate) struct Drain {
    pipe: Option<OwnedFd>,
    limit: u64,
    captured: Captured,
}

impl Drain {
    pub(crate) fn new(pipe: OwnedFd, limit: u64) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), limit, captured: Captured::default() })
    }

    pub(crate) fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        self.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN))
    }

    /// Takes what is there, at most a few pipes full so that the other streams get their turn.
    pub(crate) fn take_some(&mut self) {
        let mut buffer = [0; CHUNK];
        for _ in 0..4 {
            let Some(pipe) = &self.pipe else { return };
            match rustix::io::read(pipe, &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.keep(buffer.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// Takes everything that is left. For after the child's end, when nobody writes any more; a
    /// writer that is still there all the same is not waited for.
    pub(crate) fn finish(mut self) -> Captured {
        loop {
            let before = self.captured.total;
            self.take_some();
            if self.pipe.is_none() || self.captured.total == before {
                return self.captured;
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.captured.total > self.limit
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_sub(self.captured.bytes.len() as u64);
        let count = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        self.captured.bytes.extend_from_slice(bytes.get(..count).unwrap_or_default());
        self.captured.total = self.captured.total.saturating_add(bytes.len() as u64);
    }
}

/// What is written to the child's standard input. The child gets a pipe, never the file itself: an
/// open file could be opened again, with more rights, through `/proc`.
#[derive(Debug)]
pub(crate) struct Feed<'a> {
    pipe: Option<OwnedFd>,
    source: Source<'a>,
}

#[derive(Debug)]
pub(crate) enum Source<'a> {
    Bytes(&'a [u8]),
    File { file: &'a std::fs::File, waiting: Vec<u8> },
}

impl<'a> Feed<'a> {
    pub(crate) fn new(pipe: OwnedFd, source: Source<'a>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), source })
    }

    pub(crate) fn nothing() -> Self {
        Self { pipe: None, source: Source::Bytes(&[]) }
    }

    pub(crate) fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        self.pipe.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::OUT))
    }

    /// Gives what fits. The pipe is closed at the end of the source, or when the child reads no more.
    pub(crate) fn give_some(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        if !self.source.refill() {
            self.pipe = None;
            return;
        }
        match rustix::io::write(pipe, self.source.next()) {
            Ok(count) => self.source.advance(count),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.pipe = None,
        }
    }
}

impl Source<'_> {
    /// Whether there is anything left to give. A file that cannot be read ends there.
    fn refill(&mut self) -> bool {
        if let Self::File { file, waiting } = self
            && waiting.is_empty()
        {
            let mut chunk = vec![0; CHUNK];
            let count = file.read(&mut chunk).unwrap_or(0);
            chunk.truncate(count);
            *waiting = chunk;
        }
        !self.next().is_empty()
    }

    fn next(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::File { waiting, .. } => waiting,
        }
    }

    fn advance(&mut self, count: usize) {
        match self {
            Self::Bytes(bytes) => *bytes = bytes.get(count..).unwrap_or_default(),
            Self::File { waiting, .. } => drop(waiting.drain(..count.min(waiting.len()))),
        }
    }
}

#[cfg(test)]
#[path = "pump_tests.rs"]
mod tests;
