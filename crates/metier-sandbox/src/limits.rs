//! How much a child may use. Every limit has a name, a default and the reason for it; reaching one
//! is an outcome, not a crash.

use serde::{Deserialize, Serialize};

/// Wall time. Long enough for a download or a build step, short enough that a person still waits.
pub const WALL_SECONDS: u64 = 60;

/// CPU time of one process. Together with the wall time it bounds a busy loop in each of them.
pub const CPU_SECONDS: u64 = 60;

/// Private memory of one process, and resident memory of the whole tree. Room for a data frame,
/// far from what starves the machine.
pub const MEMORY_BYTES: u64 = 2 << 30;

/// Address space of one process. A backstop only: JavaScript engines reserve tens of gigabytes
/// they never touch.
pub const ADDRESS_SPACE_BYTES: u64 = 128 << 30;

/// Processes and threads together. A JavaScript runtime starts a dozen threads and a build a
/// process a core; a fork bomb needs thousands to hurt.
pub const PROCESSES: u64 = 256;

/// The largest file a child may write.
pub const FILE_BYTES: u64 = 256 << 20;

/// The private directory, all files together.
pub const SCRATCH_BYTES: u64 = 512 << 20;

/// Entries in the private directory: a package tree fits, an inode bomb does not.
pub const SCRATCH_ENTRIES: u64 = 65_536;

/// Open descriptors of one process.
pub const OPEN_FILES: u64 = 1024;

/// Kept standard output: what a model can be shown many times over.
pub const STDOUT_BYTES: u64 = 1 << 20;

/// Kept standard error: the head of a very long complaint.
pub const STDERR_BYTES: u64 = 256 << 10;

/// What a child may use before it is stopped or cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time in milliseconds.
    pub wall_ms: u64,
    /// CPU seconds of one process.
    pub cpu_seconds: u64,
    /// Bytes of private memory of one process, and of resident memory of the tree.
    pub memory: u64,
    /// Bytes of address space of one process.
    pub address_space: u64,
    /// Processes and threads in the tree.
    pub processes: u64,
    /// Bytes of the largest file written.
    pub file_size: u64,
    /// Open descriptors of one process.
    pub open_files: u64,
    /// Bytes of standard output that are kept.
    pub stdout: u64,
    /// Bytes of standard error that are kept.
    pub stderr: u64,
    /// What happens once more output comes than is kept.
    pub overflow: Overflow,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: WALL_SECONDS * 1000,
            cpu_seconds: CPU_SECONDS,
            memory: MEMORY_BYTES,
            address_space: ADDRESS_SPACE_BYTES,
            processes: PROCESSES,
            file_size: FILE_BYTES,
            open_files: OPEN_FILES,
            stdout: STDOUT_BYTES,
            stderr: STDERR_BYTES,
            overflow: Overflow::Drain,
        }
    }
}

/// What happens to a child that writes more than is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// The rest is read and thrown away, so that the child can finish its work.
    Drain,
    /// The whole tree is stopped.
    Stop,
}

/// A limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// More CPU seconds than allowed in one process.
    Cpu,
    /// More resident memory than allowed in the tree.
    Memory,
    /// A file larger than allowed.
    FileSize,
    /// A private directory larger than allowed.
    Scratch,
    /// More standard output than kept, with [`Overflow::Stop`].
    Stdout,
    /// More standard error than kept, with [`Overflow::Stop`].
    Stderr,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU time",
            Self::Memory => "memory",
            Self::FileSize => "file size",
            Self::Scratch => "private directory size",
            Self::Stdout => "standard output",
            Self::Stderr => "standard error",
        })
    }
}
