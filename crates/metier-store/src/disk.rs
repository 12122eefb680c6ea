//! The filesystem as ground to walk on. The file is opened before its directory is ever listed: a
//! directory that holds `SKILL.md` costs three system calls (open, read, close) and is never
//! listed, looked at or held open, since nothing beneath it can be another skill.
//!
//! No `stat` is made for a skill that is as it should be: what its directory is, its parent's
//! listing says. Reading at an offset keeps that safe, since fifos, sockets and terminals refuse
//! it; whatever does not turn out to be closed frontmatter is then looked at before more is read.

mod recall;

pub(crate) use recall::Way;

use std::cmp::min;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};

use metier_format::limits::MAX_PREFIX_BYTES;
use metier_format::{Code, Diagnostic};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat, fstatfs, openat,
    openat2, statat,
};
use rustix::io::{Errno, pread, retry_on_intr};

use crate::candidate::{self, SKILL_FILE, Spot, Start};
use crate::contained::{ContainedPath, OPEN_FILE, Refusal, SkillDirectory, kind_of};
use crate::discover::Found;
use crate::layer::Root;
use crate::level::{Child, Identity, Reached};
use crate::limits::{LISTING_BYTES, PREFIX_BYTES};
use crate::memo::{Memo, Stamp};
use crate::paths::{boxed_path, joined, path_of, shown};
use crate::walk::{Desk, Directory, Ground, is_hidden, may_be_listed};

const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// File systems whose directories no disk holds, by the number Linux gives each: processes, devices,
/// the kernel's own settings and counters, and what is mounted by being looked at. They have no
/// skills, and more directories than a walk may look at.
const KERNELS_OWN: [u64; 16] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x1cd1,      // devpts
    0x1980_0202, // mqueue
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x6265_6570, // configfs
    0xf97c_ff8c, // selinuxfs
    0x4249_4e4d, // binfmt_misc
    0x0187,      // autofs
];

/// One root on disk, held open. Everything below it is reached relative to it.
pub(crate) struct Disk {
    fd: OwnedFd,
    /// The root's own name, for a skill that is the root itself.
    name: Option<Box<[u8]>>,
    /// What the root is.
    pub(crate) identity: Identity,
    /// What the file system said of it before anybody listed it.
    pub(crate) stamp: Stamp,
    /// Whether links to directories are followed that are no skills themselves. Not in a project
    /// nobody trusts: one link to `/` would have every directory of the machine looked into.
    follows: bool,
    /// What is remembered of it, when somebody remembers.
    memo: Recall,
    /// Whether links are taken to lead where they led, until that is looked at.
    supposes: bool,
}

/// Whether anybody remembers what was read before.
pub(crate) enum Recall {
    /// Nobody does, and nothing is to be remembered.
    Never,
    /// What is read is to be remembered; nothing is yet.
    Nothing,
    /// This is remembered.
    Memo(Memo),
}

/// The start of a file, as far as it has been read.
struct Reading<'a> {
    fd: &'a OwnedFd,
    text: &'a mut Vec<u8>,
    length: usize,
    /// Bytes really read.
    bytes: u64,
}

/// What a directory turned out to be when its file was opened.
#[derive(PartialEq, Eq)]
enum Looked {
    /// A skill, good or bad: nothing beneath it is looked at.
    Skill,
    /// A directory without the file.
    Ordinary,
    /// Nothing to look into.
    Nothing,
}

/// Why the start of a file is not there.
enum Unread {
    /// The system said no.
    System(Errno),
    /// It is not a regular file but this.
    Special(FileType),
}

impl Disk {
    /// Opens the root, following links to it; out of its project only when it is trusted, otherwise
    /// that is [`Errno::XDEV`].
    pub(crate) fn open(root: &Root) -> Result<Self, Errno> {
        let mut fd = openat(CWD, &root.path, OPEN_DIRECTORY, Mode::empty())?;
        if let (false, Some(within)) = (root.trusted, &root.within)
            && let Ok(below) = root.path.strip_prefix(within)
            && !below.as_os_str().is_empty()
        {
            let project = openat(CWD, within, OPEN_DIRECTORY, Mode::empty())?;
            let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            fd = openat2(&project, below, OPEN_DIRECTORY, Mode::empty(), beneath)?;
        }
        let stat = fstat(&fd)?;
        let (identity, stamp) = (identity_of(&stat), Stamp::of_any(&stat));
        let name = root.path.file_name().map(|name| name.as_encoded_bytes().into());
        let memo = Recall::Never;
        let follows = root.trusted;
        Ok(Self { fd, name, identity, stamp, follows, memo, supposes: true })
    }

    /// The same root, of which `memo` is remembered.
    pub(crate) fn recalling(self, memo: Recall) -> Self {
        Self { memo, ..self }
    }

    /// The same root, of which is remembered what `tell` makes of the memo.
    pub(crate) fn telling(self, tell: impl FnOnce(Memo) -> Option<Memo>) -> Self {
        let memo = match self.memo {
            Recall::Memo(memo) => tell(memo).map_or(Recall::Nothing, Recall::Memo),
            nothing @ (Recall::Never | Recall::Nothing) => nothing,
        };
        Self { memo, ..self }
    }

    /// The same root, in which every link is followed.
    pub(crate) fn supposing_nothing(self) -> Self {
        Self { supposes: false, ..self }
    }

    /// What is remembered of it.
    pub(crate) fn memo(&self) -> Option<&Memo> {
        match &self.memo {
            Recall::Memo(memo) => Some(memo),
            Recall::Never | Recall::Nothing => None,
        }
    }

    /// What the directory at `path` is, as a listing of its parent would tell: nothing when there is
    /// none, and in words why a link there is not followed.
    pub(crate) fn directory(&self, path: &[u8]) -> Result<Option<(Identity, Reached)>, String> {
        match statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if kind_of(&stat) == FileType::Symlink => self.behind(path),
            Ok(stat) => {
                let plainly = || (identity_of(&stat), Reached::Plainly);
                Ok((kind_of(&stat) == FileType::Directory).then(plainly))
            }
            Err(_) => Ok(None),
        }
    }

    /// The directory that the link at `path` leads to; nothing when it leads to something else.
    fn behind(&self, path: &[u8]) -> Result<Option<(Identity, Reached)>, String> {
        let stat = statat(&self.fd, path, AtFlags::empty()).map_err(link_reason)?;
        if kind_of(&stat) != FileType::Directory {
            return Ok(None);
        }
        let file = joined(path, SKILL_FILE.as_bytes());
        if self.follows || statat(&self.fd, file, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Ok(Some((identity_of(&stat), Reached::ByLink)));
        }
        Err("it is a link to a directory that is no skill, in a project that is not trusted".into())
    }

    /// Opens `file` in the directory and makes what it says known.
    fn probe(&self, at: Directory<'_>, file: &str, desk: &mut Desk<'_>) -> Looked {
        let path = &mut desk.scratch.path;
        set_path(path, at.path, file.as_bytes());
        let Ok(path) = CStr::from_bytes_with_nul(path) else { return Looked::Nothing };
        match openat(&self.fd, path, OPEN_FILE | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => {
                let before = desk.harvest.found.len();
                self.take(&fd, at, file, desk);
                if desk.harvest.found.len() > before && file == SKILL_FILE {
                    self.remember(&fd, at, desk);
                }
                Looked::Skill
            }
            Err(Errno::NOENT) => Looked::Ordinary,
            // It is no directory, or none any more.
            Err(Errno::NOTDIR) => Looked::Nothing,
            Err(Errno::LOOP) => {
                self.take_link(at, file, desk);
                Looked::Skill
            }
            Err(errno) => match statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let why = not_opened(kind_of(&stat), errno, &joined(at.path, file.as_bytes()));
                    desk.skipped(at, path_of(&joined(at.path, file.as_bytes())), vec![why]);
                    Looked::Skill
                }
                Err(errno) => {
                    desk.unreadable(at.path, &reason(errno));
                    Looked::Nothing
                }
            },
        }
    }

    /// The open file, whatever it is, becomes a candidate or a skipped file.
    fn take(&self, fd: &OwnedFd, at: Directory<'_>, file: &str, desk: &mut Desk<'_>) {
        let directory = candidate::directory_name(at.path, self.name.as_deref());
        let spot = Spot { root: desk.plan.root, path: at.path, identity: at.identity };
        desk.harvest.stats.files += 1;
        let mut reading = Reading { fd, text: &mut desk.scratch.text, length: 0, bytes: 0 };
        let outcome = reading.candidate(file, directory, spot);
        desk.harvest.stats.bytes_read += reading.bytes;
        match outcome {
            Ok(found) => {
                let link = self.link(at);
                let straight = link.as_deref().is_some_and(|link| self.is_straight(at.path, link));
                desk.found(Found { link: link.as_deref().map(boxed_path), straight, ..found });
            }
            Err(why) => desk.skipped(at, path_of(&joined(at.path, file.as_bytes())), why),
        }
    }

    /// The file is a link: followed when it stays inside the directory.
    fn take_link(&self, at: Directory<'_>, file: &str, desk: &mut Desk<'_>) {
        let path = joined(at.path, file.as_bytes());
        let contained = ContainedPath::parse(file).map_err(|_| Refusal::Missing);
        let resolved = contained.and_then(|contained| {
            SkillDirectory::open(&self.fd, at.path).map_err(Refusal::System)?.file(&contained)
        });
        match resolved {
            Ok((fd, _)) => self.take(&fd, at, file, desk),
            Err(refusal) => desk.skipped(at, path_of(&path), vec![refused_link(refusal, &path)]),
        }
    }

    /// Lists the directory: its subdirectories go on the next level, unless some other spelling of
    /// `SKILL.md` lies among them, which makes it a skill after all.
    fn list(&self, at: Directory<'_>, desk: &mut Desk<'_>) {
        let path = if at.path.is_empty() { b"." } else { at.path };
        let opened = openat(&self.fd, path, OPEN_DIRECTORY, Mode::empty())
            .and_then(|fd| fstat(&fd).map(|stat| (fd, stat.st_dev)));
        let (fd, device) = match opened {
            Ok(opened) => opened,
            Err(errno) => return desk.unreadable(at.path, &reason(errno)),
        };
        let mounted = device != self.identity.0 || at.path.is_empty();
        if mounted && fstatfs(&fd).is_ok_and(|system| KERNELS_OWN.contains(&(system.f_type as u64)))
        {
            return desk.unreadable(at.path, "the kernel makes up what lies there");
        }
        let mut group = desk.children(at);
        let mut file: Option<Box<str>> = None;
        let mut names = std::mem::take(&mut desk.scratch.names);
        let mut entries = 0;
        let listed = for_each_entry(&fd, &mut names, |name, kind, inode| {
            let may_be = [FileType::Directory, FileType::Symlink, FileType::Unknown];
            entries += usize::from(may_be.contains(&kind) && !is_hidden(name));
            if kind != FileType::Directory && candidate::is_skill_file(name) {
                let name = String::from_utf8_lossy(name);
                if file.as_ref().is_none_or(|known| *name < **known) {
                    file = Some(name.into());
                }
            } else if let Some(child) = self.child(at, name, (kind, device, inode), desk) {
                desk.child(&mut group, at, child);
            }
        });
        desk.scratch.names = names;
        match listed {
            // Where the root has the file itself, it depends on the plan whether that makes it a skill.
            Ok(()) if at.path.is_empty() && file.is_none() => desk.harvest.entries = Some(entries),
            Ok(()) => {}
            Err(errno) => desk.unreadable(at.path, &reason(errno)),
        }
        match file {
            Some(file) if !desk.is_bare_root(at) => {
                desk.discard(&group, at);
                self.probe(at, &file, desk);
            }
            Some(_) | None => desk.close(group, at),
        }
    }

    /// The directory entry as a subdirectory to look at, if it is one.
    fn child<'a>(
        &self,
        at: Directory<'_>,
        name: &'a [u8],
        (kind, device, inode): (FileType, u64, u64),
        desk: &mut Desk<'_>,
    ) -> Option<Child<'a>> {
        if is_hidden(name) {
            return None;
        }
        let path = || joined(at.path, name);
        let found = match kind {
            FileType::Directory => {
                let reached = Reached::Plainly;
                return Some(Child { name, identity: (device, inode), reached });
            }
            FileType::Symlink => {
                let path = path();
                if let Some(identity) = self.supposed(&path) {
                    desk.harvest.stats.links += 1;
                    return Some(Child { name, identity, reached: Reached::Supposedly });
                }
                self.behind(&path)
            }
            FileType::Unknown => self.directory(&path()),
            _ => Ok(None),
        };
        match found {
            Ok(directory) => directory.map(|(identity, reached)| {
                desk.harvest.stats.links += u64::from(reached == Reached::ByLink);
                Child { name, identity, reached }
            }),
            Err(why) => {
                desk.unreadable(&path(), &why);
                None
            }
        }
    }
}

impl Ground for Disk {
    fn look(&self, at: Directory<'_>, desk: &mut Desk<'_>) {
        let may_be_skill = !desk.is_bare_root(at);
        if may_be_skill && self.recall(at, desk) {
            return;
        }
        if at.reached == Reached::Supposedly {
            desk.harvest.mistaken = true;
            return;
        }
        if may_be_skill && self.probe(at, SKILL_FILE, desk) != Looked::Ordinary {
            return;
        }
        if may_be_listed(at.path) {
            self.list(at, desk);
        }
    }
}

impl Reading<'_> {
    /// The candidate, or what is wrong with the file: one page is read, and more only while the
    /// frontmatter is not closed.
    fn candidate(
        &mut self,
        file: &str,
        directory: Option<&[u8]>,
        spot: Spot<'_>,
    ) -> Result<Found, Vec<Diagnostic>> {
        let refused = |unread: Unread| vec![unread.diagnostic(&joined(spot.path, file.as_bytes()))];
        self.read_to(PREFIX_BYTES).map_err(refused)?;
        let misnamed = candidate::misnamed(file);
        if misnamed.is_none()
            && let Some(found) = candidate::at_a_glance(self.start(), directory, spot)
        {
            return Ok(found);
        }
        self.read_on().map_err(refused)?;
        let mut parsed = candidate::parsed(self.start(), directory);
        parsed.diagnostics.splice(0..0, misnamed);
        candidate::candidate(self.start(), parsed, spot)
    }

    /// Reads until the frontmatter is closed, there is none, or the limit or the end is reached.
    fn read_on(&mut self) -> Result<(), Unread> {
        if candidate::start(self.start()) == Start::Closed {
            return Ok(());
        }
        match kind_of(&fstat(self.fd).map_err(Unread::System)?) {
            FileType::RegularFile => {}
            kind => return Err(Unread::Special(kind)),
        }
        while self.length < MAX_PREFIX_BYTES && candidate::start(self.start()) == Start::GoesOn {
            let before = self.length;
            self.read_to(min(MAX_PREFIX_BYTES, before.max(PREFIX_BYTES) * 2))?;
            if self.length == before {
                break;
            }
        }
        Ok(())
    }

    /// Reads once, as far as `end` at most.
    fn read_to(&mut self, end: usize) -> Result<(), Unread> {
        if self.text.len() < end {
            self.text.resize(end, 0);
        }
        let free = self.text.get_mut(self.length..end).unwrap_or_default();
        match retry_on_intr(|| pread(self.fd, &mut *free, self.length as u64)) {
            Ok(count) => {
                self.length += count;
                self.bytes += count as u64;
                Ok(())
            }
            Err(errno) => Err(match fstat(self.fd).map(|stat| kind_of(&stat)) {
                Ok(FileType::RegularFile) | Err(_) => Unread::System(errno),
                Ok(kind) => Unread::Special(kind),
            }),
        }
    }

    fn start(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }
}

impl Unread {
    fn diagnostic(&self, path: &[u8]) -> Diagnostic {
        match self {
            Self::System(errno) => not_opened(FileType::RegularFile, *errno, path),
            Self::Special(kind) => special(*kind, path),
        }
    }
}

/// The finding about a file that is not a regular file but `kind`.
pub(crate) fn special(kind: FileType, path: &[u8]) -> Diagnostic {
    let (code, what) = match kind {
        FileType::Directory => (Code::IsDirectory, "a directory"),
        FileType::Fifo => (Code::IsFifo, "a fifo"),
        FileType::Socket => (Code::IsSocket, "a socket"),
        _ => (Code::IsDevice, "a device"),
    };
    Diagnostic::new(code, format!("`{}` is {what}", shown(path)))
}

/// The finding about a link that was not followed.
pub(crate) fn refused_link(refusal: Refusal, path: &[u8]) -> Diagnostic {
    let shown = shown(path);
    match refusal {
        Refusal::Leaves => {
            let message = format!("`{shown}` is a link that leaves the skill's directory");
            Diagnostic::new(Code::LinkLeavesSkill, message)
        }
        Refusal::Special(kind) => special(kind, path),
        Refusal::Missing | Refusal::TooLarge { .. } => {
            Diagnostic::new(Code::Unreadable, format!("`{shown}` is a link that points nowhere"))
        }
        Refusal::System(errno) => not_opened(FileType::RegularFile, errno, path),
    }
}

/// Calls `each` with name, type and inode of every entry of the directory but `.` and `..`, in the
/// order the directory has them.
pub(crate) fn for_each_entry(
    directory: &OwnedFd,
    buffer: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], FileType, u64),
) -> Result<(), Errno> {
    buffer.clear();
    buffer.reserve(LISTING_BYTES);
    let mut entries = RawDir::new(directory.as_fd(), buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(name, entry.file_type(), entry.ino());
        }
    }
    Ok(())
}

/// Device and inode.
pub(crate) fn identity_of(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

/// What the system said, in its words.
pub(crate) fn reason(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}

/// Why a link to a directory was not followed.
pub(crate) fn link_reason(errno: Errno) -> String {
    match errno {
        Errno::NOENT => "it is a link that points nowhere".to_owned(),
        Errno::LOOP => "it is a link that leads back to itself".to_owned(),
        other => reason(other),
    }
}

fn not_opened(kind: FileType, errno: Errno, path: &[u8]) -> Diagnostic {
    if kind == FileType::RegularFile {
        let message = format!("`{}` cannot be read: {}", shown(path), reason(errno));
        return Diagnostic::new(Code::Unreadable, message);
    }
    special(kind, path)
}

/// `parent/name` with a NUL at its end, in a buffer that is used again.
fn set_path(path: &mut Vec<u8>, parent: &[u8], name: &[u8]) {
    path.clear();
    if !parent.is_empty() {
        path.extend_from_slice(parent);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path.push(0);
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
