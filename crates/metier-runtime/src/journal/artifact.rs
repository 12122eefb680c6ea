//! Content that frames refer to by digest: bodies, files, outputs, anything too long for a line. A
//! file's name is the SHA-256 of its bytes, so writing twice is writing once.
//!
//! Nothing a frame refers to is ever collected, whatever the clock says: whoever keeps content holds
//! it (a shared lock) until the frame that names it is written, and [`Artifacts::collect`] removes
//! only while nobody holds anything, after looking at what was appended until then. Any 64 hex
//! digits in a journal count as a reference, so frames of other versions, faults and torn lines
//! lose nothing either. Journals elsewhere are remembered when they first keep something.

#![expect(clippy::disallowed_methods, reason = "this file is the artifacts' door to the disk")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use metier_store::digest::is_digest;
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use serde::Serialize;

use super::file::content_digest;
use crate::clock::Moment;
use crate::limits::MAX_ARTIFACT_BYTES;

/// A file's times when it is used: changed now, by the system's own clock.
pub(crate) const USED_NOW: Timestamps = Timestamps {
    last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
    last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
};

/// A folder of content, by digest.
#[derive(Clone, Debug)]
pub struct Artifacts {
    folder: PathBuf,
    journal: Option<PathBuf>,
}

/// Content that was kept. While this lives nothing is collected; let go of it once a frame that
/// names the digest is written.
#[derive(Debug)]
pub struct Kept {
    /// The content's digest.
    pub digest: String,
    _hold: File,
}

/// What a collection may take.
pub struct Collection<'a> {
    /// The journals there are besides those that are remembered; asked for twice, since some may
    /// begin meanwhile. One that does not exist refers to nothing.
    pub journals: &'a dyn Fn() -> std::io::Result<Vec<PathBuf>>,
    /// Only content last kept before this moment is taken.
    pub before: Moment,
    /// Whether anything is really removed.
    pub remove: bool,
}

/// What a collection did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Collected {
    /// Files that stay.
    pub kept: usize,
    /// Their bytes.
    pub kept_bytes: u64,
    /// Files removed.
    pub removed: usize,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Journals that were looked through.
    pub journals: usize,
}

impl Artifacts {
    /// Content under `folder`, which is made when something is first kept.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), journal: None }
    }

    /// The same, for the frames of the journal at `path`, which is remembered.
    #[must_use]
    pub fn of_journal(self, path: &Path) -> Self {
        Self { journal: Some(path.to_owned()), ..self }
    }

    /// Keeps `bytes`. Atomic: a reader sees all of them or nothing.
    pub fn keep(&self, bytes: &[u8]) -> std::io::Result<Kept> {
        if bytes.len() > MAX_ARTIFACT_BYTES {
            return Err(std::io::Error::new(ErrorKind::FileTooLarge, "artifact too large"));
        }
        make_folder(&self.folder)?;
        let hold = self.lock_file()?;
        hold.lock_shared()?;
        self.remember_journal()?;
        let digest = content_digest(bytes);
        let path = self.path(&digest);
        match File::open(&path) {
            // It is as old as its last use.
            Ok(file) => drop(rustix::fs::futimens(&file, &USED_NOW)),
            Err(_) => write_whole(&path, bytes, 0o600)?,
        }
        Ok(Kept { digest, _hold: hold })
    }

    /// The bytes with that digest; none when they are not there or are not what they were.
    #[must_use]
    pub fn get(&self, digest: &str) -> Option<Vec<u8>> {
        if !is_digest(digest) {
            return None;
        }
        let file = File::open(self.path(digest)).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_ARTIFACT_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
        (content_digest(&bytes) == digest).then_some(bytes)
    }

    /// Where the content with that digest lies, if it is kept.
    #[must_use]
    pub fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(digest.get(..2).unwrap_or("__")).join(digest)
    }

    /// Removes what no journal refers to. Sessions may go on meanwhile; they wait only while what
    /// they appended since is looked through. A journal that cannot be read ends it before anything
    /// is removed: it may refer to anything.
    pub fn collect(&self, collection: &Collection<'_>) -> std::io::Result<Collected> {
        let mut found = Found::default();
        if !self.folder.is_dir() {
            return Ok(found.collected);
        }
        found.list(&self.folder, collection.before)?;
        let mut seen = BTreeMap::new();
        self.look_through(collection, &mut seen, &mut found)?;
        let lock = self.lock_file()?;
        lock.lock()?;
        self.look_through(collection, &mut seen, &mut found)?;
        if collection.remove {
            found.remove()?;
            self.forget_journals()?;
        }
        found.collected.removed = found.candidates.len();
        found.collected.removed_bytes = found.candidates.values().map(|(_, bytes)| bytes).sum();
        found.collected.journals = seen.len();
        Ok(found.collected)
    }

    /// Takes what the journals refer to off the list, from where each was last looked at.
    fn look_through(
        &self,
        collection: &Collection<'_>,
        seen: &mut BTreeMap<PathBuf, u64>,
        found: &mut Found,
    ) -> std::io::Result<()> {
        let mut journals: BTreeSet<PathBuf> = (collection.journals)()?.into_iter().collect();
        journals.extend(self.remembered()?.into_values());
        for journal in journals {
            let from = seen.get(&journal).copied().unwrap_or(0);
            match references(&journal, from, |digest| found.refer(digest)) {
                Ok(to) => drop(seen.insert(journal, to)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The journals that kept something, by the file that remembers each.
    fn remembered(&self) -> std::io::Result<BTreeMap<PathBuf, PathBuf>> {
        let mut journals = BTreeMap::new();
        let Some(entries) = folder(&self.folder.join("journals"))? else { return Ok(journals) };
        for entry in entries {
            let path = entry?.path();
            let journal = PathBuf::from(OsStr::from_bytes(&std::fs::read(&path)?));
            journals.insert(path, journal);
        }
        Ok(journals)
    }

    fn remember_journal(&self) -> std::io::Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let path = std::path::absolute(journal)?;
        let bytes = path.as_os_str().as_bytes();
        let note = self.folder.join("journals").join(content_digest(bytes));
        if note.exists() { Ok(()) } else { write_whole(&note, bytes, 0o600) }
    }

    /// Forgets the journals that are gone.
    fn forget_journals(&self) -> std::io::Result<()> {
        let gone = |journal: &Path| matches!(journal.try_exists(), Ok(false));
        let notes = self.remembered()?.into_iter().filter(|(_, journal)| gone(journal));
        notes.map(|(note, _)| note).try_for_each(std::fs::remove_file)
    }

    /// Shared by those who keep, exclusive to whoever collects.
    fn lock_file(&self) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        options.open(self.folder.join(".lock"))
    }
}

/// What lies in the folder.
#[derive(Default)]
struct Found {
    /// What may be taken, by digest, with its bytes.
    candidates: BTreeMap<String, (PathBuf, u64)>,
    /// What was begun and never finished.
    unfinished: Vec<PathBuf>,
    collected: Collected,
}

impl Found {
    /// Lists `folder/ab/abcdef…`. What is called otherwise is somebody else's and is left alone.
    fn list(&mut self, at: &Path, before: Moment) -> std::io::Result<()> {
        for shelf in folder(at)?.into_iter().flatten() {
            let shelf = shelf?;
            let name = shelf.file_name().to_string_lossy().into_owned();
            if name.len() != 2 || !name.bytes().all(is_hex) {
                continue;
            }
            for file in folder(&shelf.path())?.into_iter().flatten() {
                self.see(&file?, before)?;
            }
        }
        Ok(())
    }

    fn see(&mut self, file: &std::fs::DirEntry, before: Moment) -> std::io::Result<()> {
        let name = file.file_name().to_string_lossy().into_owned();
        let metadata = file.metadata()?;
        if name.starts_with('.') {
            self.unfinished.push(file.path());
        } else if metadata.is_file() && is_digest(&name) {
            let age = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            if age.as_millis() < u128::from(before.0) {
                self.candidates.insert(name, (file.path(), metadata.len()));
                return Ok(());
            }
            self.stays(metadata.len());
        }
        Ok(())
    }

    fn refer(&mut self, digest: &str) {
        if let Some((_, bytes)) = self.candidates.remove(digest) {
            self.stays(bytes);
        }
    }

    fn stays(&mut self, bytes: u64) {
        self.collected.kept += 1;
        self.collected.kept_bytes += bytes;
    }

    /// Removes what is left on the list. Only while nobody keeps anything: what is unfinished then
    /// belongs to nobody.
    fn remove(&mut self) -> std::io::Result<()> {
        let candidates = self.candidates.values().map(|(path, _)| path);
        for path in candidates.chain(&self.unfinished) {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Calls `refer` with every 64 hex digits in the file from byte `from` on that stand alone. Returns
/// where the last whole line ends. Linear, one block in memory.
fn references(path: &Path, from: u64, mut refer: impl FnMut(&str)) -> std::io::Result<u64> {
    let mut file = File::open(path)?;
    // Whoever cut the file may have written it anew.
    let from = if file.metadata()?.len() < from { 0 } else { from };
    file.seek(SeekFrom::Start(from))?;
    let mut block = vec![0; 64 * 1024];
    let (mut at, mut line_end, mut run) = (from, from, Vec::with_capacity(65));
    loop {
        let read = file.read(&mut block)?;
        for byte in block.iter().take(read) {
            at += 1;
            if is_hex(*byte) {
                // A longer run is no digest, however long it is.
                run.truncate(64);
                run.push(*byte);
                continue;
            }
            if let (64, Ok(digest)) = (run.len(), std::str::from_utf8(&run)) {
                refer(digest);
            }
            run.clear();
            line_end = if *byte == b'\n' { at } else { line_end };
        }
        if read == 0 {
            return Ok(line_end);
        }
    }
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// What lies in a folder; none when there is none.
fn folder(path: &Path) -> std::io::Result<Option<std::fs::ReadDir>> {
    match std::fs::read_dir(path) {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(None)
        }
        other => other.map(Some),
    }
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file that is whole or not there, whoever else writes it at the same time.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let shelf = path.parent().unwrap_or(Path::new(""));
    make_folder(shelf)?;
    let (temporary, mut file) = temporary(shelf, mode)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    let moved = written.and_then(|()| std::fs::rename(&temporary, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    moved
}

/// A new file in `shelf` that nobody else has, not even a process of the same number elsewhere.
fn temporary(shelf: &Path, mode: u32) -> std::io::Result<(PathBuf, File)> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = shelf.join(format!(".{}.{number}", std::process::id()));
        match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (path, file)),
        }
    }
}
