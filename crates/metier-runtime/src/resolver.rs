//! Real paths for the policy: links followed as the system follows them.

#![expect(clippy::disallowed_methods, reason = "this file is the policy's door to the disk")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use metier_policy::{Layout, Resolve};

/// Links that lead nowhere which are followed one after the other, as many as the system follows.
const MAX_LINKS: usize = 40;

/// How much of a repository's settings is read: people's have a few kilobytes.
const MAX_CONFIG_BYTES: u64 = 256 * 1024;

/// Resolves against the disk. What does not exist yet is resolved as far as it exists, so that a
/// file about to be made in a linked directory is seen where it will be.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Disk {
    /// What the file or directory at `path` is on disk, links followed: its device and its inode.
    #[must_use]
    pub fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }
}

impl Resolve for Disk {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        real(absolute, MAX_LINKS)
    }

    fn layout(&self, directory: &Path) -> Option<Layout> {
        let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
        if has(".git") {
            return Some(Layout::Inside);
        }
        // As git does, and a little more: its own files may be elsewhere.
        let bare = has("HEAD") && (has("objects") || has("refs") || has("commondir"));
        bare.then_some(Layout::Bare)
    }

    fn has_remote(&self, directory: &Path, name: &str) -> bool {
        let Some(own) = directory.ancestors().map(|at| at.join(".git")).find(|at| at.exists())
        else {
            return false;
        };
        let config = common(&own).unwrap_or(own).join("config");
        let text = File::open(config).and_then(|file| {
            let mut text = String::new();
            file.take(MAX_CONFIG_BYTES).read_to_string(&mut text).map(|_| text)
        });
        let heading = format!("[remote \"{name}\"]");
        text.is_ok_and(|text| text.lines().any(|line| line.trim() == heading))
    }

    fn exists(&self, absolute: &Path) -> bool {
        absolute.exists()
    }

    fn program(&self) -> Option<PathBuf> {
        OWN.as_ref().map(|own| own.path.clone())
    }

    fn is_program(&self, program: &Path) -> bool {
        let Some(own) = OWN.as_ref() else { return false };
        if program.components().count() > 1 || program.is_absolute() {
            return own.is(program);
        }
        let searched = std::env::var_os("PATH").unwrap_or_default();
        found(program, &searched).is_some_and(|path| own.is(&path))
    }
}

/// Looks at this very program, so that it is known even when another takes its place meanwhile.
pub fn know_program() {
    LazyLock::force(&OWN);
}

/// The program that a shell runs by this name: the first file that can be run in one of the folders.
fn found(program: &Path, folders: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(folders)
        .map(|folder| folder.join(program))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
}

/// The directory that a worktree or a submodule shares its settings with, by what its `.git` says; none
/// for one that is its own.
fn common(own: &Path) -> Option<PathBuf> {
    let mut text = String::new();
    File::open(own).ok()?.take(MAX_CONFIG_BYTES).read_to_string(&mut text).ok()?;
    let own = own.parent()?.join(text.trim().strip_prefix("gitdir: ")?);
    let mut shared = String::new();
    match File::open(own.join("commondir"))
        .map(|file| file.take(MAX_CONFIG_BYTES).read_to_string(&mut shared))
    {
        Ok(Ok(_)) => Some(own.join(shared.trim())),
        _ => Some(own),
    }
}

/// This very program, looked at once: it does not change while it runs.
struct Own {
    path: PathBuf,
    /// Where its bytes are, whatever lies at its path by now.
    bytes: PathBuf,
    metadata: Metadata,
}

/// What the system names the running program by, and what it puts behind the path of one that is gone.
const RUNNING: &str = "/proc/self/exe";
const GONE: &str = " (deleted)";

static OWN: LazyLock<Option<Own>> = LazyLock::new(|| Own::look(Path::new(RUNNING)));

impl Own {
    /// By the file that the system says is running, or by the path where it says nothing.
    fn look(running: &Path) -> Option<Self> {
        let path = at_first(std::env::current_exe().ok()?);
        let bytes = if running.exists() { running.to_owned() } else { path.clone() };
        let metadata = bytes.metadata().ok()?;
        Some(Self { path, bytes, metadata })
    }

    /// Whether a file is this program, by another name or as a copy. A copy costs reading both, which
    /// only a file of the same length does.
    fn is(&self, path: &Path) -> bool {
        let Ok(other) = path.metadata() else { return false };
        let same = other.dev() == self.metadata.dev() && other.ino() == self.metadata.ino();
        // What took the place of this program while it runs is metier as well.
        same || path == self.path
            || (other.is_file()
                && other.len() == self.metadata.len()
                && same_content(&self.bytes, path).unwrap_or(false))
    }
}

/// The path of a program before it was gone.
fn at_first(path: PathBuf) -> PathBuf {
    let before = path.to_str().and_then(|path| path.strip_suffix(GONE)).map(PathBuf::from);
    before.filter(|_| !path.exists()).unwrap_or(path)
}

fn same_content(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) =
        (BufReader::new(File::open(one)?), BufReader::new(File::open(other)?));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        if length == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        one.consume(length);
        other.consume(length);
    }
}

/// The disk as it is during one ruling: where a directory leads is asked once, and not for each word of
/// a command again. Whoever keeps it longer would miss links that are made meanwhile.
#[derive(Debug, Default)]
pub struct Glance {
    /// Where paths lead that were asked about, and whether they exist, by the bytes of the paths:
    /// comparing those part by part takes longer than asking the disk.
    seen: RefCell<BTreeMap<OsString, Lead>>,
    /// Links being followed, one within the other.
    links: Cell<usize>,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lead {
    /// Nothing where nobody can tell.
    to: Option<PathBuf>,
    exists: bool,
}

impl Resolve for Glance {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        // What leads up again depends on what exists before it.
        let plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
        match absolute.is_absolute() && absolute.components().all(plain) {
            true => self.lead(absolute).to,
            false => Disk.real(absolute),
        }
    }

    fn layout(&self, directory: &Path) -> Option<Layout> {
        Disk.layout(directory)
    }

    fn has_remote(&self, directory: &Path, name: &str) -> bool {
        Disk.has_remote(directory, name)
    }

    fn exists(&self, absolute: &Path) -> bool {
        Disk.exists(absolute)
    }

    fn program(&self) -> Option<PathBuf> {
        Disk.program()
    }

    fn is_program(&self, program: &Path) -> bool {
        Disk.is_program(program)
    }
}

impl Glance {
    /// Where a path leads, name by name from the part that is known. What lies in a directory that does
    /// not exist is not asked about, and a long path takes no more of the stack than a short one.
    fn lead(&self, path: &Path) -> Lead {
        let mut unknown = Vec::new();
        let mut lead = Lead { to: Some(PathBuf::from("/")), exists: true };
        for at in path.ancestors() {
            if let Some(seen) = self.seen.borrow().get(at.as_os_str()) {
                lead = seen.clone();
                break;
            }
            unknown.push(at);
        }
        while let Some(at) = unknown.pop() {
            if !lead.exists {
                let behind = at.parent().and_then(|parent| path.strip_prefix(parent).ok());
                lead.to = lead.to.zip(behind).map(|(to, behind)| to.join(behind));
                self.seen.borrow_mut().insert(path.into(), lead.clone());
                break;
            }
            lead = self.follow(at, lead);
            self.seen.borrow_mut().insert(at.into(), lead.clone());
        }
        lead
    }

    /// Where a path leads whose directory leads to `parent`, which exists: one question to the disk.
    fn follow(&self, path: &Path, parent: Lead) -> Lead {
        let Some(name) = path.file_name() else {
            return Lead { to: Some(path.to_owned()), exists: true };
        };
        let Some(within) = parent.to else { return Lead { to: None, exists: false } };
        let to = within.join(name);
        match to.read_link().map_err(|error| error.kind()) {
            // It is there, and no link.
            Err(ErrorKind::InvalidInput) => Lead { to: Some(to), exists: true },
            Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Lead { to: Some(to), exists: false }
            }
            Ok(target) if self.links.get() < MAX_LINKS => {
                self.links.set(self.links.get() + 1);
                let lead = self.along(&within, &target);
                self.links.set(self.links.get() - 1);
                lead.unwrap_or_else(|| asked(path))
            }
            Ok(_) | Err(_) => asked(path),
        }
    }

    /// Where a link in the real directory `from` to `target` leads; none where that takes a closer
    /// look.
    fn along(&self, from: &Path, target: &Path) -> Option<Lead> {
        let mut lead = Lead { to: Some(from.to_owned()), exists: true };
        for part in target.components() {
            let at = lead.to?;
            lead = match part {
                Component::RootDir => Lead { to: Some(PathBuf::from("/")), exists: true },
                Component::CurDir => Lead { to: Some(at), exists: lead.exists },
                // What is real has no link that leads up elsewhere.
                Component::ParentDir if at == from || lead.exists && at.is_dir() => {
                    Lead { to: Some(at.parent().unwrap_or(&at).to_owned()), exists: true }
                }
                Component::Normal(name) => self.lead(&at.join(name)),
                Component::ParentDir | Component::Prefix(_) => return None,
            };
        }
        Some(lead)
    }
}

/// Where a path leads that nothing is known about.
fn asked(path: &Path) -> Lead {
    Lead { exists: path.exists(), to: Disk.real(path) }
}

/// Where `absolute` leads, as far as it exists. Behind what does not exist `..` stays as it is written:
/// whoever opens it may make what is missing, or take the two for nothing.
fn real(absolute: &Path, links: usize) -> Option<PathBuf> {
    let mut rest: Vec<&OsStr> = Vec::new();
    let mut at = absolute;
    loop {
        let behind = |start: PathBuf| rest.iter().rev().fold(start, |path, part| path.join(part));
        if let Ok(real) = at.canonicalize() {
            return Some(behind(real));
        }
        // A link that points nowhere yet: what is written there is made where it points.
        if let Ok(target) = at.read_link() {
            let target = at.parent()?.join(target);
            return real(&behind(target), links.checked_sub(1)?);
        }
        // What is there and cannot be followed leads nobody knows where.
        if at.symlink_metadata().is_ok() {
            return None;
        }
        rest.push(at.file_name().unwrap_or(OsStr::new("..")));
        at = at.parent()?;
    }
}

#[cfg(test)]
#[path = "resolver_tests.rs"]
mod tests;
