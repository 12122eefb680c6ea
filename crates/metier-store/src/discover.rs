//! What a scan found: candidates, files that could not be loaded, and notes about the walk. A
//! scan never executes, writes or goes online, and reads a bounded prefix of each `SKILL.md`.

use std::path::{Path, PathBuf};

use metier_format::{Diagnostic, SkillName};

use crate::layer::{Root, RootId};
use crate::limits;
use crate::vouch::Standing;

/// How far a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLimits {
    /// Levels below a root.
    pub max_depth: usize,
    /// Directories per root.
    pub max_directories: usize,
    /// Threads; 0 lets the machine decide.
    pub threads: usize,
    /// Whether what is remembered may come without description, tags, version, compatibility and tools,
    /// for whoever is after names and needs no more to choose.
    pub brief: bool,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self {
            max_depth: limits::MAX_DEPTH,
            max_directories: limits::MAX_DIRECTORIES,
            threads: 0,
            brief: false,
        }
    }
}

/// A candidate: a skill that can be loaded, as its frontmatter tells. About 600 bytes with a usual
/// description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name.
    pub name: SkillName,
    /// The description, trimmed.
    pub description: Box<str>,
    /// The root it lies in.
    pub root: RootId,
    /// Its directory relative to the root; empty when the root itself is the skill.
    pub path: Box<Path>,
    /// What the directory is on disk, so that two paths to it count once; zeros when not on disk.
    pub identity: (u64, u64),
    /// What the link says that its directory is there; none when the directory itself is there.
    pub link: Option<Box<Path>>,
    /// Whether what the link says is a directory itself, and not another link.
    pub straight: bool,
    /// SHA-256 of the frontmatter's bytes.
    pub digest: [u8; 32],
    /// What the frontmatter says beyond that, when it says more.
    pub facts: Option<Box<Facts>>,
    /// What was wrong with it without preventing loading.
    pub diagnostics: Box<[Diagnostic]>,
    /// Where its content stands, once somebody was asked ([`crate::vouch::attest`]).
    pub standing: Standing,
    /// The MCP server its content is from, when it is from one and somebody was asked.
    pub origin: Option<Box<str>>,
}

/// The parts of a manifest that choosing and listing need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// `priority`.
    pub priority: i64,
    /// `tags`.
    pub tags: Box<[Box<str>]>,
    /// `version`.
    pub version: Option<Box<str>>,
    /// `compatibility`.
    pub compatibility: Option<Box<str>>,
    /// `allowed-tools`, each pattern separated by a space.
    pub allowed_tools: Option<Box<str>>,
    /// `scope.agents`, `.tenants`, `.environments`.
    pub scope: Option<Box<FoundScope>>,
    /// `min-host-version`.
    pub min_host_version: Option<Box<str>>,
    /// `max-host-version`.
    pub max_host_version: Option<Box<str>>,
    /// `disable-model-invocation`.
    pub disable_model_invocation: bool,
    /// `user-invocable`.
    pub user_invocable: bool,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            priority: 0,
            tags: Box::default(),
            version: None,
            compatibility: None,
            allowed_tools: None,
            scope: None,
            min_host_version: None,
            max_host_version: None,
            disable_model_invocation: false,
            user_invocable: true,
        }
    }
}

/// `scope` as found. A missing list means everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundScope {
    /// `scope.agents`.
    pub agents: Option<Vec<String>>,
    /// `scope.tenants`.
    pub tenants: Option<Vec<String>>,
    /// `scope.environments`.
    pub environments: Option<Vec<String>>,
}

/// A `SKILL.md` that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The root it lies in.
    pub root: RootId,
    /// The file relative to the root.
    pub path: PathBuf,
    /// Why; at least one prevents loading.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something about the walk itself: a limit reached, a directory that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The root it concerns.
    pub root: RootId,
    /// The directory, relative to the root.
    pub path: PathBuf,
    /// What happened.
    pub diagnostic: Diagnostic,
}

/// How much a scan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanStats {
    /// Directories probed or listed.
    pub directories: u64,
    /// `SKILL.md` files opened.
    pub files: u64,
    /// Bytes read from them.
    pub bytes_read: u64,
    /// Links that led to directories, in this scan or those it builds upon. Without one, every
    /// candidate really lies where its path says, below wherever its root is.
    pub links: u64,
}

impl std::ops::AddAssign for ScanStats {
    fn add_assign(&mut self, other: Self) {
        self.directories += other.directories;
        self.files += other.files;
        self.bytes_read += other.bytes_read;
        self.links += other.links;
    }
}

/// Everything one scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The roots, by [`RootId`].
    pub roots: Vec<Root>,
    /// The candidates, sorted by root, then path.
    pub found: Vec<Found>,
    /// The files that cannot be loaded, sorted likewise.
    pub skipped: Vec<Skipped>,
    /// Notes about the walk, sorted likewise.
    pub notes: Vec<Note>,
    /// How much was done.
    pub stats: ScanStats,
}

impl Discovery {
    /// The directory of a candidate.
    #[must_use]
    pub fn directory(&self, found: &Found) -> PathBuf {
        join(&self.roots, found.root, &found.path)
    }
}

/// `path` under its root; the root itself when `path` is empty.
pub(crate) fn join(roots: &[Root], root: RootId, path: &Path) -> PathBuf {
    let base = roots.get(usize::from(root.0)).map(|r| r.path.clone()).unwrap_or_default();
    if path.as_os_str().is_empty() { base } else { base.join(path) }
}
