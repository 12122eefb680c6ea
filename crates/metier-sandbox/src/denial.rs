//! Which walls a child ran into, as far as that can be known afterwards.
//!
//! The kernel refuses with an error number and tells nobody else, so most of this is what the
//! child's own complaint says. A [`Denial`] says which: `known` when the kernel itself said it,
//! `likely` when a line of standard error names the error that the wall answers with. A child that
//! ended well has nothing to explain, and a wall that did not stand denied nothing. Pure.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::outcome::{Captured, Enforced, Status, Wall};

/// How much of a complaint is kept: a line that a person reads at a glance.
const LINE_CHARS: usize = 200;

/// The signal of a system call that the filter does not answer.
const SIGSYS: i32 = 31;

/// A wall that a child ran into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// Which wall.
    pub wall: Wall,
    /// How sure that is.
    pub certainty: Certainty,
    /// What it is known from.
    pub evidence: String,
}

/// How sure it is that a wall stopped the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The kernel said so.
    Known,
    /// The child complained of what this wall answers; something else may answer the same.
    Likely,
}

/// What complaints sound like, in C, Python, JavaScript, Go and shells, most telling first.
const COMPLAINTS: &[(&str, Wall)] = &[
    ("network is unreachable", Wall::Network),
    ("temporary failure in name resolution", Wall::Network),
    ("could not resolve host", Wall::Network),
    ("name or service not known", Wall::Network),
    ("no such host", Wall::Network),
    ("enetunreach", Wall::Network),
    ("eai_again", Wall::Network),
    ("read-only file system", Wall::Filesystem),
    ("permission denied", Wall::Filesystem),
    ("erofs", Wall::Filesystem),
    ("eacces", Wall::Filesystem),
    ("operation not permitted", Wall::Syscalls),
    ("function not implemented", Wall::Syscalls),
    ("bad system call", Wall::Syscalls),
    ("cannot fork", Wall::Processes),
    ("fork: retry", Wall::Processes),
    ("can't start new thread", Wall::Processes),
    ("resource temporarily unavailable", Wall::Processes),
    ("cannot allocate memory", Wall::Memory),
    ("memoryerror", Wall::Memory),
    ("out of memory", Wall::Memory),
    ("no space left on device", Wall::Disk),
    ("enospc", Wall::Disk),
];

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.certainty {
            Certainty::Known => write!(f, "stopped by the {} wall: {}", self.wall, self.evidence),
            Certainty::Likely => {
                write!(f, "probably stopped by the {} wall: `{}`", self.wall, self.evidence)
            }
        }
    }
}

/// What can be said of a run, each wall once, in the order the complaints came. Costs one look at
/// each kept line of standard error per known complaint.
pub(crate) fn denials(status: Status, stderr: &Captured, enforced: &Enforced) -> Vec<Denial> {
    let mut found: Vec<Denial> = Vec::new();
    if status == Status::Signal(SIGSYS) {
        let evidence = "ended at a system call that is not answered".to_owned();
        found.push(Denial { wall: Wall::Syscalls, certainty: Certainty::Known, evidence });
    }
    // A child that ended well, or that somebody else ended, was not stopped by a wall.
    if !matches!(status, Status::Exit(1..) | Status::Signal(_)) {
        return found;
    }
    let text = String::from_utf8_lossy(&stderr.bytes);
    for line in text.lines() {
        let Some(wall) = complained_of(line) else { continue };
        if stood(enforced, wall) && found.iter().all(|denial| denial.wall != wall) {
            let evidence = shown(line);
            found.push(Denial { wall, certainty: Certainty::Likely, evidence });
        }
    }
    found
}

fn complained_of(line: &str) -> Option<Wall> {
    let line = line.to_ascii_lowercase();
    COMPLAINTS.iter().find(|(words, _)| line.contains(words)).map(|(_, wall)| *wall)
}

fn stood(enforced: &Enforced, wall: Wall) -> bool {
    !matches!(enforced.mechanism(wall), "none" | "off" | "open, as asked")
}

/// The line without what a terminal would obey.
fn shown(line: &str) -> String {
    line.trim().chars().filter(|c| !c.is_control()).take(LINE_CHARS).collect()
}

#[cfg(test)]
#[path = "denial_tests.rs"]
mod tests;
