//! What a memo spares a walk of the disk: files that are not opened, links that are not followed and a
//! root that is not listed, each as long as the file system says that it is what it was. What is
//! remembered and how is `memo`'s business. Start at [`Disk::recall`].

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};

use super::{Disk, OPEN_DIRECTORY, Recall, set_path};
use crate::candidate::{SKILL_FILE, Spot};
use crate::contained::kind_of;
use crate::discover::{Found, ScanStats};
use crate::level::{Identity, Reached};
use crate::limits::LOOKS_AT_ONCE;
use crate::memo::{Memo, Remembered, Stamp, Stamped};
use crate::paths::{boxed_path, bytes_of, joined};
use crate::walk::{Desk, Directory, Harvest, Plan, Scratch};

/// The directory that links led into last, by what they said, held open: most lead into one.
pub(crate) type Way = Option<(Vec<u8>, OwnedFd)>;

/// A look at the file of every skill that is remembered, shared by threads.
struct Round<'a> {
    disk: &'a Disk,
    memo: &'a Memo,
    /// The first one nobody looks at yet.
    next: AtomicUsize,
    /// Whether one is not what it was.
    differs: AtomicBool,
}

impl Disk {
    /// All that a walk would find, by what is remembered alone: when the root is as it was when nothing
    /// but remembered skills was in it, and the file of each is as it was. None otherwise.
    pub(crate) fn recall_all(&self, plan: &Plan) -> Option<Harvest> {
        let memo =
            self.memo().filter(|memo| memo.lists(&self.stamp) && plan.reaches(memo.len()))?;
        if !memo.ways().all(|(way, stamp)| self.stamp_of(way) == Some(stamp)) {
            return None;
        }
        let (next, differs) = (AtomicUsize::new(0), AtomicBool::new(false));
        let round = Round { disk: self, memo, next, differs };
        let found: Option<Vec<Found>> = std::thread::scope(|scope| {
            for _ in 1..plan.threads_for(memo.len()) {
                scope.spawn(|| round.go());
            }
            // Memory is taken on one thread only, where it costs least.
            let found = memo.candidates(plan.root);
            round.go();
            found
        });
        let found = found.filter(|_| !round.differs.into_inner())?;
        let links = found.iter().filter(|found| found.link.is_some()).count() as u64;
        let directories = 1 + found.len() as u64;
        let stats = ScanStats { directories, links, ..ScanStats::default() };
        Some(Harvest::of(found, stats))
    }

    /// Whether the directory is a skill whose file is as it is remembered, which is then made known.
    /// Of a directory that is only supposed to be what it is this is also the proof: a file that was
    /// put elsewhere has another time of change, and one with a single name has a single place.
    pub(super) fn recall(&self, at: Directory<'_>, desk: &mut Desk<'_>) -> bool {
        let Some(memo) = self.memo() else { return false };
        let spot = Spot { root: desk.plan.root, path: at.path, identity: at.identity };
        let Scratch { path, next, way, .. } = &mut desk.scratch;
        let mut link = None;
        let known = memo.candidate(spot, next, || {
            link = self.link(at);
            let stat = match &link {
                Some(link) => self.along(&joined_by(at.path, link), path, way)?,
                None => look_at(&self.fd, path, at.path)?,
            };
            Stamp::of(&stat).filter(|_| is_proof(&stat, at.reached == Reached::Supposedly))
        });
        let Some((index, found)) = known else { return false };
        desk.harvest.recalled.push(index);
        let straight = link.as_deref().is_some_and(|link| self.is_straight(at.path, link));
        desk.found(Found { link: link.as_deref().map(boxed_path), straight, ..found });
        true
    }

    /// Whether what the link at `path` says is a directory itself, seen from where the link is. What lies
    /// in `/` does not count: it has no way there ([`Disk::ways`]).
    pub(super) fn is_straight(&self, path: &[u8], link: &[u8]) -> bool {
        let target = joined_by(path, link);
        let has_way = |(head, last): (&[u8], &[u8])| {
            !is_odd(last) && (!head.is_empty() || !target.starts_with(b"/"))
        };
        let stat = || statat(&self.fd, &*target, AtFlags::SYMLINK_NOFOLLOW).ok();
        split(&target).is_some_and(has_way)
            && stat().is_some_and(|stat| kind_of(&stat) == FileType::Directory)
    }

    /// The directories that links to the candidates lead into, each with its stamp: as long as that is
    /// what it was, what is a directory there still is. None when one cannot be looked at.
    pub(crate) fn ways(&self, found: &[Found]) -> Option<Vec<Stamped>> {
        let target = |found: &Found| {
            let link = found.link.as_deref().filter(|_| found.straight)?;
            Some(joined_by(bytes_of(&found.path), bytes_of(link)))
        };
        let heads: BTreeSet<Vec<u8>> = found
            .iter()
            .filter_map(target)
            .filter_map(|target| split(&target).map(|(head, _)| head.to_vec()))
            .filter(|head| !head.is_empty())
            .collect();
        let stamped = |head: Vec<u8>| self.stamp_of(&head).map(|stamp| (head.into(), stamp));
        heads.into_iter().map(stamped).collect()
    }

    /// The stamp of the directory at `path`, links followed.
    fn stamp_of(&self, path: &[u8]) -> Option<Stamp> {
        statat(&self.fd, path, AtFlags::empty()).ok().map(|stat| Stamp::of_any(&stat))
    }

    /// The directory that the link at `path` led to when a scan last remembered a skill there.
    pub(super) fn supposed(&self, path: &[u8]) -> Option<Identity> {
        self.memo().filter(|_| self.supposes)?.identity(path)
    }

    /// Remembers the file just read, when it made a candidate without findings. Looked at after it
    /// was read: what was written meanwhile has changed too lately to be believed.
    pub(super) fn remember(&self, fd: &OwnedFd, at: Directory<'_>, desk: &mut Desk<'_>) {
        if matches!(self.memo, Recall::Never) {
            return;
        }
        let is_sound = |found: &Found| found.diagnostics.is_empty();
        let stamp = fstat(fd).ok().and_then(|stat| Stamp::of(&stat));
        if let Some(stamp) = stamp.filter(|_| desk.harvest.found.last().is_some_and(is_sound)) {
            desk.remember(at, stamp);
        }
    }

    /// What the link says that the directory is, when it is one.
    pub(super) fn link(&self, at: Directory<'_>) -> Option<Vec<u8>> {
        let is_link = at.reached != Reached::Plainly;
        is_link.then(|| readlinkat(&self.fd, at.path, Vec::new()).ok()).flatten().map(Into::into)
    }

    /// Looks at the file of the skill that a link leads to, by what it says: the way there is shorter
    /// than the one by the link, and most of it is gone once for all links into one directory.
    fn along(&self, target: &[u8], path: &mut Vec<u8>, way: &mut Way) -> Option<Stat> {
        let (head, last) = split(target)?;
        if head.is_empty() || is_odd(last) {
            return look_at(&self.fd, path, target);
        }
        if way.as_ref().is_none_or(|(known, _)| known != head) {
            let flags = OPEN_DIRECTORY | OFlags::PATH;
            *way = Some((head.to_vec(), openat(&self.fd, head, flags, Mode::empty()).ok()?));
        }
        look_at(&way.as_ref()?.1, path, last)
    }
}

impl Round<'_> {
    /// Looks at files as long as there are any and all are as they were.
    fn go(&self) {
        let (mut path, mut way) = (Vec::new(), None);
        loop {
            let start = self.next.fetch_add(LOOKS_AT_ONCE, Ordering::Relaxed);
            if start >= self.memo.len() || self.differs.load(Ordering::Relaxed) {
                return;
            }
            for at in start..self.memo.len().min(start + LOOKS_AT_ONCE) {
                let known = self.memo.remembered(at);
                if !known.is_some_and(|known| self.is_as_it_was(&known, &mut path, &mut way)) {
                    self.differs.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    }

    /// Whether the file is, and so its directory; see [`Disk::recall`]. It is in the root itself, whose
    /// links say what they said.
    fn is_as_it_was(&self, known: &Remembered<'_>, path: &mut Vec<u8>, way: &mut Way) -> bool {
        let stat = match known.link {
            Some(link) => self.disk.along(link, path, way),
            None => look_at(&self.disk.fd, path, known.path),
        };
        let is_same = |stat: Stat| {
            is_proof(&stat, known.link.is_some()) && Stamp::of(&stat).as_ref() == Some(&known.stamp)
        };
        stat.is_some_and(is_same)
    }
}

/// Whether a file's stamp tells what its directory is, which matters where that is only supposed.
fn is_proof(stat: &Stat, is_supposed: bool) -> bool {
    !is_supposed || stat.st_nlink == 1
}

/// What the file of the skill at `directory` is, seen from `from`; a link is not followed.
fn look_at(from: &OwnedFd, path: &mut Vec<u8>, directory: &[u8]) -> Option<Stat> {
    set_path(path, directory, SKILL_FILE.as_bytes());
    let path = CStr::from_bytes_with_nul(path).ok()?;
    statat(from, path, AtFlags::SYMLINK_NOFOLLOW).ok()
}

/// A path before and behind its last slash; nothing is before one at its beginning.
fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = path.iter().rposition(|byte| *byte == b'/').filter(|slash| *slash > 0);
    let (head, last) = path.split_at_checked(slash.unwrap_or(0))?;
    Some((head, last.strip_prefix(b"/").unwrap_or(last)))
}

/// Whether the last part of a path is no name.
fn is_odd(last: &[u8]) -> bool {
    matches!(last, b"" | b"." | b"..")
}

/// Where the link at `path` leads, by what it says: from the directory it is in, or from `/`.
fn joined_by(path: &[u8], target: &[u8]) -> Vec<u8> {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) if !target.starts_with(b"/") => {
            joined(path.get(..slash).unwrap_or_default(), target)
        }
        Some(_) | None => target.to_vec(),
    }
}
