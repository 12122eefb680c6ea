//! What came of a run: how it ended, what it wrote, what it used, and which walls stood.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::denial::Denial;
use crate::limits::Limit;

/// How a run ended and what is left of it. Nothing of the child itself is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Wall time from start to the end of the last process.
    pub duration: Duration,
    /// CPU time of the whole tree, as far as it was waited for.
    pub cpu: Duration,
    /// Bytes of resident memory of the largest process.
    pub max_rss: u64,
    /// Which walls stood.
    pub enforced: Enforced,
    /// The walls it ran into, as far as that is known.
    pub denials: Vec<Denial>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The program ended by itself with this code.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It ran longer than allowed and was stopped with everything it had started.
    TimedOut,
    /// The caller cancelled it, and it was stopped with everything it had started.
    Cancelled,
    /// It used more than allowed.
    OutOfLimit(Limit),
}

impl Status {
    /// Whether the program ended by itself with code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exit(0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(number) => write!(f, "ended by signal {number}"),
            Self::TimedOut => f.write_str("stopped after the time limit"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::OutOfLimit(limit) => write!(f, "stopped at the limit on {limit}"),
        }
    }
}

/// The kept head of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The first bytes, at most as many as the limit.
    pub bytes: Vec<u8>,
    /// How many bytes the child wrote, kept or not.
    pub total: u64,
}

impl Captured {
    /// Whether the stream was longer than what was kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// The walls a child can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wall {
    /// Reads and writes only what it may.
    Filesystem,
    /// Reaches only what it may.
    Network,
    /// Calls only those system calls that leave the other walls standing.
    Syscalls,
    /// Starts only so many processes, and signals none but its own.
    Processes,
    /// Uses only so much memory.
    Memory,
    /// Fills only so much of the disk.
    Disk,
    /// Leaves no process behind.
    Tree,
}

impl Wall {
    /// All walls, in the order they are printed.
    pub const ALL: [Self; 7] = [
        Self::Filesystem,
        Self::Network,
        Self::Syscalls,
        Self::Processes,
        Self::Memory,
        Self::Disk,
        Self::Tree,
    ];
}

impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Syscalls => "syscalls",
            Self::Processes => "processes",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Tree => "tree",
        })
    }
}

/// A wall that cannot be built here, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Which wall.
    pub wall: Wall,
    /// Why not.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.wall, self.reason)
    }
}

/// Which mechanism stood behind each wall; `none` where there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The backend that built the walls.
    pub backend: String,
    /// What kept it from other files.
    pub filesystem: String,
    /// What kept it from the network.
    pub network: String,
    /// What filtered its system calls.
    pub syscalls: String,
    /// What bounded the number of its processes and kept it from others.
    pub processes: String,
    /// What bounded its memory.
    pub memory: String,
    /// What bounded its private directory.
    pub disk: String,
    /// What ended everything it had started.
    pub tree: String,
}

impl Enforced {
    /// The mechanism behind one wall.
    #[must_use]
    pub fn mechanism(&self, wall: Wall) -> &str {
        match wall {
            Wall::Filesystem => &self.filesystem,
            Wall::Network => &self.network,
            Wall::Syscalls => &self.syscalls,
            Wall::Processes => &self.processes,
            Wall::Memory => &self.memory,
            Wall::Disk => &self.disk,
            Wall::Tree => &self.tree,
        }
    }
}

impl fmt::Display for Enforced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend: {}", self.backend)?;
        Wall::ALL.iter().try_for_each(|wall| write!(f, ", {wall}: {}", self.mechanism(*wall)))
    }
}

/// Why a run did not happen. Whatever had been started is gone when this is returned.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A wall that was required cannot be built. Nothing was started.
    #[error("cannot enforce {}", list(.missing))]
    CannotEnforce {
        /// The walls, each with the reason.
        missing: Vec<Missing>,
    },
    /// A path of the confinement cannot be used.
    #[error("cannot use `{}`", .path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The program could not be started: not there, not executable, not readable from inside.
    #[error("cannot start `{}`", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A step of building the walls failed. The program was not started.
    #[error("cannot set up {step}")]
    Setup {
        /// Which step.
        step: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The supervising process could not be started, or ended without saying how the child did.
    #[error("the supervisor failed: {detail}")]
    Supervisor {
        /// What is known.
        detail: String,
    },
}

fn list(missing: &[Missing]) -> String {
    missing.iter().map(Missing::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
