//! Where we stand watch: keeps the watched directories in step with what a scan looks at.
//!
//! A directory is watched before it is listed, so whatever comes later is told. Opening, listing and
//! resolving of directories for watching happen here and nowhere else; what the listing means is the
//! same as in `walk`, and what is found in doubt is watched rather than not.

#![expect(
    clippy::disallowed_methods,
    reason = "the system tells of real paths, so links to watched directories are resolved here"
)]

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::{CWD, FileType, Mode, OFlags, openat};

use super::source::Source;
use super::tree::{End, Kind, Tree};
use super::{WatchError, lock};
use crate::candidate::{SKILL_FILE, is_skill_file};
use crate::discover::{ScanLimits, join};
use crate::disk::for_each_entry;
use crate::layer::{Root, RootId};
use crate::limits::MAX_LINKS;
use crate::paths::bytes_of;
use crate::store::Location;
use crate::walk::{is_hidden, may_be_listed};

/// The watched directories and the means to watch more.
pub(super) struct Posts {
    source: Source,
    tree: Arc<Mutex<Tree>>,
    roots: Vec<Root>,
    limits: ScanLimits,
    max_watches: usize,
}

/// A directory to stand at.
struct Post {
    at: Location,
    /// Its real path, when that is known.
    real: Option<PathBuf>,
    linked: bool,
}

/// What a directory holds, as far as watching needs it.
#[derive(Default)]
struct Listing {
    is_skill: bool,
    /// Subdirectories in order, each with whether it may be a link.
    directories: Vec<(OsString, bool)>,
}

impl Posts {
    /// No posts yet. `tree` is shared with whoever hears what `source` says.
    pub(super) fn new(
        source: Source,
        tree: Arc<Mutex<Tree>>,
        roots: Vec<Root>,
        limits: ScanLimits,
        max_watches: usize,
    ) -> Self {
        Self { source, tree, roots, limits, max_watches }
    }

    /// Stands watch over every root.
    pub(super) fn sync_all(&mut self) -> Result<(), WatchError> {
        for root in (0..).map(RootId).take(self.roots.len()) {
            self.sync_root(root)?;
        }
        Ok(())
    }

    /// Stands watch over a root: over the way to it, and over everything in it.
    pub(super) fn sync_root(&mut self, root: RootId) -> Result<(), WatchError> {
        self.sync_anchor(root)?;
        self.sync(&Location { root, path: Path::new("").into() })
    }

    /// Stands watch over a place and everything below it that a scan looks at.
    pub(super) fn sync(&mut self, at: &Location) -> Result<(), WatchError> {
        let unneeded = lock(&self.tree).remove_below(at);
        let mut queue = VecDeque::from([Post { at: at.clone(), real: None, linked: false }]);
        while let Some(post) = queue.pop_front() {
            if let Some(children) = self.stand(post)? {
                queue.extend(children);
            }
        }
        self.unwatch(unneeded);
        Ok(())
    }

    /// Whether some directory can be reached by two ways.
    pub(super) fn overlaps(&self) -> bool {
        lock(&self.tree).overlaps()
    }

    /// Stands at one directory and says which ones come next. None when there is no such directory.
    fn stand(&mut self, post: Post) -> Result<Option<Vec<Post>>, WatchError> {
        let Some((real, linked)) = self.resolve(&post) else {
            let path = join(&self.roots, post.at.root, &post.at.path);
            if std::fs::read_link(&path).is_ok() {
                self.anchor(&path, &End::Place(post.at))?;
            }
            return Ok(None);
        };
        let Ok(directory) = open(&real) else { return Ok(None) };
        let first = {
            let mut tree = lock(&self.tree);
            let first = tree.insert(&real, &post.at, linked);
            if tree.len() > self.max_watches {
                return Err(WatchError::TooMany { limit: self.max_watches });
            }
            first
        };
        if let Err(error) = self.source.watch(&real) {
            lock(&self.tree).remove(&post.at);
            // One that went in the meantime, or may not be read, is no reason to stop.
            return if error == WatchError::SystemLimit { Err(error) } else { Ok(None) };
        }
        let listing = list(&directory);
        let kind = self.kind(&post.at, &listing);
        lock(&self.tree).set_kind(&post.at, kind);
        if !first || kind != Kind::Open {
            return Ok(None);
        }
        let child = |(name, linked): (OsString, bool)| Post {
            at: Location { root: post.at.root, path: post.at.path.join(&name).into() },
            real: (!linked).then(|| real.join(&name)),
            linked,
        };
        Ok(Some(listing.directories.into_iter().map(child).collect()))
    }

    /// The real path of a post, and whether a link leads there.
    fn resolve(&self, post: &Post) -> Option<(PathBuf, bool)> {
        if let Some(real) = &post.real {
            return Some((real.clone(), post.linked));
        }
        let path = join(&self.roots, post.at.root, &post.at.path);
        let real = std::fs::canonicalize(&path).ok()?;
        // Links on the way to a root are everybody's; a link below it is this place's own.
        let parent = post.at.path.parent().map(|up| join(&self.roots, post.at.root, up));
        let expected =
            parent.and_then(|up| Some(std::fs::canonicalize(up).ok()?.join(path.file_name()?)));
        let linked = post.linked || expected.is_some_and(|expected| expected != real);
        Some((real, linked))
    }

    fn kind(&self, at: &Location, listing: &Listing) -> Kind {
        let depth = at.path.components().count();
        let root = self.roots.get(usize::from(at.root.0));
        let immediate = root.is_some_and(|root| root.immediate_only);
        let is_skill = listing.is_skill && !(immediate && depth == 0);
        if is_skill || !may_be_listed(bytes_of(&at.path)) || (immediate && depth > 0) {
            Kind::Closed
        } else if depth > 0 && root.is_some_and(|root| !root.trusted) && self.is_link(at) {
            // The scan does not look behind it either.
            Kind::Closed
        } else if depth >= self.limits.max_depth {
            Kind::Deepest
        } else {
            Kind::Open
        }
    }

    fn is_link(&self, at: &Location) -> bool {
        let path = join(&self.roots, at.root, &at.path);
        std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Stands watch over the way to a root, so that one that is not there yet, goes, or is a link
    /// that is turned elsewhere, is noticed.
    fn sync_anchor(&mut self, root: RootId) -> Result<(), WatchError> {
        let unneeded = lock(&self.tree).remove_anchors(root);
        if let Some(path) = self.roots.get(usize::from(root.0)).map(|root| root.path.clone()) {
            self.anchor(&path, &End::Root(root))?;
        }
        self.unwatch(unneeded);
        Ok(())
    }

    /// Stands watch over the way to `path`.
    fn anchor(&mut self, path: &Path, end: &End) -> Result<(), WatchError> {
        let mut new = true;
        // Between looking and watching the next step may have been made: look until nothing is new.
        while std::mem::take(&mut new) {
            for (real, name) in ways(path) {
                if lock(&self.tree).anchor(&real, &name, end) {
                    new = true;
                    if self.source.watch(&real) == Err(WatchError::SystemLimit) {
                        return Err(WatchError::SystemLimit);
                    }
                }
            }
        }
        Ok(())
    }

    fn unwatch(&mut self, unneeded: BTreeSet<PathBuf>) {
        for real in unneeded {
            if !lock(&self.tree).contains(&real) {
                self.source.unwatch(&real);
            }
        }
    }
}

/// The steps of the way to `path` that can be watched: the nearest directory above it that is there
/// with the name that leads on, and, while that is a link to nowhere, the same for where it points.
fn ways(path: &Path) -> Vec<(PathBuf, OsString)> {
    let mut ways = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some((real, name)) = next.take().and_then(|path| nearest(&path)) {
        let step = real.join(&name);
        if ways.len() < MAX_LINKS && std::fs::canonicalize(&step).is_err() {
            next = std::fs::read_link(&step).ok().map(|link| real.join(link));
        }
        ways.push((real, name));
    }
    ways
}

/// The nearest directory above `path` that is there, and the name in it that leads to `path`.
fn nearest(path: &Path) -> Option<(PathBuf, OsString)> {
    let mut name = path.file_name()?;
    for above in path.ancestors().skip(1) {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        if let Ok(real) = std::fs::canonicalize(above) {
            return Some((real, name.to_owned()));
        }
        name = above.file_name().unwrap_or(OsStr::new(""));
    }
    None
}

fn open(directory: &Path) -> rustix::io::Result<OwnedFd> {
    openat(CWD, directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

fn list(directory: &OwnedFd) -> Listing {
    let mut listing = Listing::default();
    // A directory that cannot be listed whole is noted by the scan.
    let _ = for_each_entry(directory, &mut Vec::new(), |name, kind, _| {
        let is_file = kind != FileType::Directory && is_skill_file(name);
        listing.is_skill |= is_file || name == SKILL_FILE.as_bytes();
        let linked = matches!(kind, FileType::Symlink | FileType::Unknown);
        if (linked || kind == FileType::Directory) && !is_hidden(name) {
            listing.directories.push((OsString::from_vec(name.to_vec()), linked));
        }
    });
    listing.directories.sort_unstable();
    listing
}

#[cfg(test)]
#[path = "posts_tests.rs"]
mod tests;
