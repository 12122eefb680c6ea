//! What is run: a program, its arguments, where it starts and what it reads.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// One program to run.
#[derive(Debug)]
pub struct Invocation {
    /// A path, or a name that is looked up in the child's own `PATH`.
    pub program: PathBuf,
    /// Its arguments, each one as it is. No shell sees them.
    pub args: Vec<OsString>,
    /// Where it starts; without one, in the private directory, or in `/` when there is none.
    pub cwd: Option<PathBuf>,
    /// What it reads from standard input.
    pub stdin: Stdin,
    /// Where what it writes to standard output goes.
    pub stdout: Stdout,
}

impl Invocation {
    /// A program without arguments and input.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            stdin: Stdin::Closed,
            stdout: Stdout::Kept,
        }
    }

    /// The same with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }
}

/// What a child reads from standard input. The caller's own is never inherited.
#[derive(Debug, Default)]
pub enum Stdin {
    /// Nothing: the first read sees the end.
    #[default]
    Closed,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// What is in this file from where it stands, then the end. The file is read while the child
    /// runs, by the thread that waits for it, so it had better be one that never makes wait.
    File(std::fs::File),
    /// What somebody writes to the other end of this pipe while the child runs, by another thread:
    /// [`Runner::run`](crate::Runner::run) does not come back before the child's end.
    Pipe(OwnedFd),
}

/// Where a child's standard output goes. The caller's own is never inherited.
#[derive(Debug, Default)]
pub enum Stdout {
    /// Into the outcome, up to the limit.
    #[default]
    Kept,
    /// Into this pipe, whose other end somebody reads while the child runs; none of it is in the
    /// outcome, and no limit but the reader's own holds for it.
    Pipe(OwnedFd),
}
