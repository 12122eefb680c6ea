//! What a place that holds skills can do. [`FileStore`](crate::FileStore) is one on disk,
//! [`MemoryStore`](crate::MemoryStore) one made of bytes (the bundled skills, an application's own
//! backend, tests), [`LayeredStore`](crate::LayeredStore) several as one. One conformance suite
//! runs over all of them.

use std::path::{Path, PathBuf};

use metier_format::{Diagnostic, Manifest};
use rustix::fs::Stat;

use crate::digest::{Tree, sha256};
use crate::discover::{Discovery, ScanLimits};
use crate::layer::{Root, RootId};

/// Where a skill is: a root of the store and a directory relative to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The root.
    pub root: RootId,
    /// The skill's directory relative to it.
    pub path: Box<Path>,
}

/// A place that holds skills.
pub trait Store: Send + Sync {
    /// Where it looks. A [`RootId`] of this store is an index here.
    fn roots(&self) -> &[Root];

    /// Finds every candidate. A bad skill is data in the result, never a failure.
    fn discover(&self, limits: &ScanLimits) -> Discovery;

    /// Reads one skill whole: manifest, body, digests, resource list.
    fn load(&self, at: &Location) -> Result<Skill, LoadError>;

    /// Reads one file of a skill. `path` is relative to the skill's directory, with `/` between
    /// components, and cannot leave it.
    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError>;

    /// What tells the states of a file apart, without reading it where that can be done; nothing
    /// when there is no such file.
    /// A store around another one says what that one says; one that has nothing but bytes says
    /// [`FileStamp::of_bytes`].
    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp>;

    /// Where the skill lies on disk; nothing when it does not, and programs cannot be pointed at it.
    /// A store around another one says what that one says.
    fn directory(&self, at: &Location) -> Option<PathBuf>;

    /// Reads the whole of a skill's directory for its digest.
    fn tree(&self, at: &Location) -> Result<Tree, TreeError>;
}

/// What tells one state of a file from the next: as long as it is the same, so is the file. A file
/// that was written twice within one tick of the system's clock may be an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileStamp([u64; 5]);

impl FileStamp {
    /// The stamp of a file that consists of these bytes and is nowhere on disk.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut stamp = [bytes.len() as u64; 5];
        for (word, part) in stamp.iter_mut().skip(1).zip(sha256(bytes).chunks_exact(8)) {
            *word = part.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        Self(stamp)
    }

    /// The stamp of a file on disk.
    pub(crate) fn of_stat(stat: &Stat) -> Self {
        let words = [
            i128::from(stat.st_size),
            i128::from(stat.st_dev),
            i128::from(stat.st_ino),
            i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
            i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
        ];
        // Only ever compared: what does not fit may be cut.
        Self(words.map(|word| u64::try_from(word & i128::from(u64::MAX)).unwrap_or(0)))
    }
}

/// A skill loaded whole (tier 2). Only [`Store::load`] makes one.
#[derive(Clone, Debug)]
pub struct Skill {
    /// The parsed frontmatter.
    pub manifest: Manifest,
    /// The Markdown after the frontmatter.
    pub body: String,
    /// SHA-256 of `SKILL.md`, lowercase hex.
    pub digest: String,
    /// The whole `SKILL.md`, for snippets in diagnostics.
    pub source: Vec<u8>,
    /// The skill's directory; a name such as `bundled/x` when it is not on disk.
    pub directory: PathBuf,
    /// Files of the skill besides `SKILL.md`, sorted by path.
    pub resources: Resources,
    /// What was wrong without preventing loading.
    pub diagnostics: Vec<Diagnostic>,
}

/// The files of a skill besides `SKILL.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The files, sorted by path.
    pub files: Vec<ResourceFile>,
    /// How many were left out because a limit was reached.
    pub omitted: usize,
    /// Links that leave the skill, and files that are neither files nor directories: named, never
    /// followed.
    pub refused: Vec<String>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceFile {
    /// Relative path with `/` between components.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Whether any execute bit is set.
    pub executable: bool,
}

/// One file of a skill, read (tier 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Relative path.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes are not UTF-8 text.
    pub binary: bool,
}

/// Why a skill could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no such skill in this store any more.
    #[error("`{}` is not there", .0.display())]
    NotFound(PathBuf),
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file can be read but not loaded.
    #[error("`{}` cannot be loaded: {}", path.display(), diagnostics.first().map_or("", |d| d.message.as_str()))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Everything found; at least one prevents loading.
        diagnostics: Vec<Diagnostic>,
    },
}

/// Why a file of a skill could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The path is absolute, empty, or has `..` or a backslash in it.
    #[error("`{0}` is not a path inside the skill")]
    InvalidPath(String),
    /// A link on the way leaves the skill.
    #[error("`{0}` leaves the skill's directory")]
    LeavesSkill(String),
    /// There is no such file.
    #[error("`{0}` does not exist in the skill")]
    NotFound(String),
    /// It is a directory, fifo, socket or device.
    #[error("`{0}` is not a file")]
    NotAFile(String),
    /// It is larger than the limit.
    #[error("`{path}` has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The system said no.
    #[error("cannot read `{path}`")]
    Io {
        /// The path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// Why a skill's directory has no digest.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// There is no such skill in this store any more.
    #[error("`{}` is not there", .0.display())]
    NotFound(PathBuf),
    /// It holds something that is neither file, directory nor link.
    #[error("`{0}` is not a file")]
    NotAFile(String),
    /// It is too large, too deep or has too many files; this is where the limit was reached.
    #[error("the skill is too large to be digested; the limit was reached at `{0}`")]
    TooLarge(String),
    /// The system said no.
    #[error("cannot read `{path}`")]
    Io {
        /// The file or directory, relative to the skill.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}
