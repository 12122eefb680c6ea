//! What a memo spares a walk of the disk: files that are not opened, links that are not followed and a
//! root that is not listed, each as long as the file system says that it is what it was. What is
//! remembered and how is `memo`'s business. Start at [`Disk::recall`].

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};

use super::{Disk, OPEN_DIRECTORY, Recall, set_path};
use crate::candidate::{SKILL_FILE, Spot};
use crate::discover::Found;
use crate::level::{Child, Identity, Reached};
use crate::memo::{Memo, Stamp};
use crate::paths::{boxed_path, joined};
use crate::walk::{Desk, Directory, Scratch};

impl Disk {
    /// Whether the directory is a skill whose file is as it is remembered, which is then made known.
    /// Of a directory that is only supposed to be what it is this is also the proof: a file that was
    /// put elsewhere has another time of change, and one with a single name has a single place.
    pub(super) fn recall(&self, at: Directory<'_>, desk: &mut Desk<'_>) -> bool {
        let Some(memo) = self.memo() else { return false };
        let spot = Spot { root: desk.plan.root, path: at.path, identity: at.identity };
        let Scratch { path, next, way, .. } = &mut desk.scratch;
        let mut link = None;
        let known = memo.candidate(spot, next, |said| {
            link = match said {
                // It is in the root itself, which is as it was.
                Some(said) if self.listed => Some(said.to_vec()),
                _ => self.link(at),
            };
            let stat = match &link {
                Some(link) => self.along(&joined_by(at.path, link), path, way)?,
                None => look_at(&self.fd, path, at.path)?,
            };
            let is_proof = at.reached != Reached::Supposedly || stat.st_nlink == 1;
            Stamp::of(&stat).filter(|_| is_proof)
        });
        let Some((index, found)) = known else { return false };
        desk.harvest.recalled.push(index);
        desk.found(Found { link: link.as_deref().map(boxed_path), ..found });
        true
    }

    /// The directory that the link at `path` led to when a scan last remembered a skill there.
    pub(super) fn supposed(&self, path: &[u8]) -> Option<Identity> {
        self.memo().filter(|_| self.supposes)?.identity(path)
    }

    /// Lists the root, which is as it was when all directories in it were remembered.
    pub(super) fn list_from_memory(&self, at: Directory<'_>, desk: &mut Desk<'_>) {
        let mut group = desk.children(at);
        for (name, identity, linked) in self.memo().iter().flat_map(|memo| memo.directories()) {
            desk.harvest.stats.links += u64::from(linked);
            let reached = if linked { Reached::Supposedly } else { Reached::Plainly };
            desk.child(&mut group, at, Child { name, identity, reached });
        }
        desk.harvest.entries = self.memo().map(Memo::len);
        desk.close(group, at);
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
    fn along(
        &self,
        target: &[u8],
        path: &mut Vec<u8>,
        way: &mut Option<(Vec<u8>, OwnedFd)>,
    ) -> Option<Stat> {
        let slash = target.iter().rposition(|byte| *byte == b'/').filter(|slash| *slash > 0);
        let (head, last) = target.split_at_checked(slash.unwrap_or(0))?;
        let last = last.strip_prefix(b"/").unwrap_or(last);
        if head.is_empty() || matches!(last, b"" | b"." | b"..") {
            return look_at(&self.fd, path, target);
        }
        if way.as_ref().is_none_or(|(known, _)| known != head) {
            let flags = OPEN_DIRECTORY | OFlags::PATH;
            *way = Some((head.to_vec(), openat(&self.fd, head, flags, Mode::empty()).ok()?));
        }
        look_at(&way.as_ref()?.1, path, last)
    }
}

/// What the file of the skill at `directory` is, seen from `from`; a link is not followed.
fn look_at(from: &OwnedFd, path: &mut Vec<u8>, directory: &[u8]) -> Option<Stat> {
    set_path(path, directory, SKILL_FILE.as_bytes());
    let path = CStr::from_bytes_with_nul(path).ok()?;
    statat(from, path, AtFlags::SYMLINK_NOFOLLOW).ok()
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
