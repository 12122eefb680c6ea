//! A program that is talked with while it runs. One thread runs it, one reads what it writes, one
//! writes what it reads; each of them ends when the program does, and the program ends with this.

#![expect(
    clippy::disallowed_methods,
    reason = "how long a program takes is measured where it is waited for"
)]

use std::io::{PipeReader, Read as _, Write as _, pipe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use metier_package::served::ServerError;
use metier_sandbox::{
    Cancel, Confinement, Invocation, Outcome, RunError, Runner, Status, Stdin, Stdout,
};

/// How often somebody who waits looks up.
const TICK: Duration = Duration::from_millis(50);

/// Pieces that wait to be taken. A program that writes faster has to wait.
const PIECES: usize = 16;

/// Messages that wait to be read by the program. One that does not read is not talked with.
const UNREAD: usize = 64;

/// What a piece of a program's output is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// There will be no more.
    End,
}

/// A running program.
pub(super) struct Child<'a> {
    pieces: Receiver<Vec<u8>>,
    input: Option<SyncSender<Vec<u8>>>,
    stop: Cancel,
    cancel: &'a Cancel,
    run: Option<JoinHandle<Result<Outcome, RunError>>>,
}

/// What a program reads from its standard input.
pub(super) enum Input {
    /// These bytes and no more.
    Bytes(Vec<u8>),
    /// What is said while it runs.
    Said,
}

impl<'a> Child<'a> {
    /// Starts a program.
    pub(super) fn start(
        invocation: Invocation,
        input: Input,
        (runner, confinement): (&Runner, Confinement),
        cancel: &'a Cancel,
    ) -> Result<Self, ServerError> {
        let failed = |error: std::io::Error| ServerError::Unreachable(error.to_string());
        let stop = Cancel::new().map_err(failed)?;
        let (from_child, stdout) = pipe().map_err(failed)?;
        let (stdin, said) = match input {
            Input::Bytes(bytes) => (Stdin::Bytes(bytes), None),
            Input::Said => {
                let (stdin, to_child) = pipe().map_err(failed)?;
                (Stdin::Pipe(stdin.into()), Some(to_child))
            }
        };
        let invocation = Invocation { stdin, stdout: Stdout::Pipe(stdout.into()), ..invocation };
        let (runner, switch) = (runner.clone(), stop.clone());
        // The pipes' ends go with the invocation, so whoever reads sees the end after the run.
        let run = std::thread::spawn(move || runner.run(&invocation, &confinement, &switch));
        let (give, pieces) = sync_channel(PIECES);
        std::thread::spawn(move || pump(from_child, &give));
        let input = said.map(|mut to_child| {
            let (give, take) = sync_channel::<Vec<u8>>(UNREAD);
            std::thread::spawn(move || {
                while let Ok(message) = take.recv() {
                    if to_child.write_all(&message).is_err() {
                        return;
                    }
                }
            });
            give
        });
        Ok(Self { pieces, input, stop, cancel, run: Some(run) })
    }

    /// Says something, if the program still reads.
    pub(super) fn say(&self, message: Vec<u8>) -> Result<(), ServerError> {
        let said = self.input.as_ref().map(|input| input.try_send(message).is_ok());
        match said {
            Some(true) => Ok(()),
            _ => Err(ServerError::Unreachable("it does not read what it is asked".to_owned())),
        }
    }

    /// What it writes next, when that comes within what is left of `patience`.
    pub(super) fn next(&self, patience: &mut Duration) -> Result<Piece, ServerError> {
        let begun = Instant::now();
        let piece = self.next_within(*patience, begun);
        // Also what a program took that writes a byte now and then.
        *patience = patience.saturating_sub(begun.elapsed());
        piece
    }

    fn next_within(&self, patience: Duration, begun: Instant) -> Result<Piece, ServerError> {
        loop {
            if self.cancel.is_thrown() {
                return Err(ServerError::Interrupted);
            }
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Err(ServerError::TimedOut);
            }
            match self.pieces.recv_timeout(TICK.min(left)) {
                Ok(bytes) => return Ok(Piece::Bytes(bytes)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Piece::End),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Lets it end by itself for so long, then ends it and everything it has started.
    pub(super) fn end(&mut self, patience: Duration) -> Option<Result<Outcome, RunError>> {
        self.input = None;
        let run = self.run.take()?;
        let begun = Instant::now();
        while !run.is_finished() && begun.elapsed() < patience && !self.cancel.is_thrown() {
            // What it still writes is thrown away, so that it is not kept from ending.
            let _ = self.pieces.recv_timeout(TICK);
        }
        self.stop.cancel();
        run.join().ok()
    }
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        drop(self.end(Duration::ZERO));
    }
}

fn pump(mut from: PipeReader, give: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count) = from.read(&mut buffer) {
        let piece = buffer.get(..count).unwrap_or_default();
        if count == 0 || give.send(piece.to_vec()).is_err() {
            return;
        }
    }
}

/// Why a program that should have answered has ended.
pub(super) fn reason(ended: Option<Result<Outcome, RunError>>, program: &str) -> ServerError {
    let outcome = match ended {
        Some(Ok(outcome)) => outcome,
        Some(Err(RunError::Start { source, .. })) => {
            return ServerError::Unreachable(format!("`{program}` cannot be started: {source}"));
        }
        Some(Err(error)) => return ServerError::Unreachable(error.to_string()),
        None => return ServerError::Unreachable("it is gone".to_owned()),
    };
    let stderr = String::from_utf8_lossy(&outcome.stderr.bytes);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match outcome.status {
        Status::TimedOut => ServerError::TimedOut,
        status if last.is_empty() => ServerError::Unreachable(format!("it ended: {status}")),
        status => ServerError::Unreachable(format!("it ended: {status}; it said: {last}")),
    }
}
