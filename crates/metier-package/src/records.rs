//! What is written down about one place: lock, wishes, receipts, earlier generations, and the
//! approvals of the home. Read together under a turn, written back one file at a time, each whole
//! and only when it changed.

use std::collections::BTreeMap;
use std::path::Path;

use metier_format::SkillName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::atomic::{DiskError, Folder, real_path};
use crate::home::{Home, LOCK_FILE, Place, WANTED_FILE};
use crate::limits::{MAX_APPROVAL_BYTES, MAX_GENERATIONS, MAX_LOCK_BYTES, MAX_RECORD_BYTES};
use crate::lockfile::{LockError, LockErrorKind, Lockfile};
use crate::pinned::Pinned;
use crate::receipt::{self, Receipt, Receipts};
use crate::trust::{APPROVALS, Approval, Approvals, FOLDERS, Folders, Said};
use crate::wanted::{Want, Wanted};

/// The file of earlier generations.
pub(crate) const GENERATIONS: &str = "generations.json";

/// Why records cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// `skills.lock` or `skills.toml` cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// One of metier's own files is not as it was written.
    #[error("`{path}` is not as it was written: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What is to be written down cannot be: a path in it is not text.
    #[error("`{file}` cannot be written: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// The disk said no.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// One skill as it is installed at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Installed {
    /// Exactly what.
    pub(crate) pinned: Pinned,
    /// Who said yes to it.
    pub(crate) approval: Option<Approval>,
    /// How it is wanted.
    pub(crate) want: Option<Want>,
    /// When it was installed.
    pub(crate) at: String,
    /// What was installed before it, the latest last.
    pub(crate) earlier: Vec<Pinned>,
}

/// Everything written down about one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) lock: Lockfile,
    pub(crate) wanted: Wanted,
    pub(crate) receipts: Receipts,
    pub(crate) earlier: BTreeMap<String, Vec<Pinned>>,
    pub(crate) approvals: Approvals,
    /// The texts as they were read, to know what changed.
    texts: BTreeMap<&'static str, String>,
}

impl Records {
    /// Reads what is written down about `place`.
    pub(crate) fn read(home: &Home, place: &Place) -> Result<Self, RecordError> {
        let base = place.base(home);
        let lock = Lockfile::empty(&base.join(LOCK_FILE));
        let mut records = Self { approvals: approvals(home)?, lock, ..Self::default() };
        if let Some(text) = text(&base, LOCK_FILE, MAX_LOCK_BYTES)? {
            records.lock = Lockfile::read(&text, &base.join(LOCK_FILE))?;
            records.texts.insert(LOCK_FILE, text);
        }
        if let Some(text) = text(&base, WANTED_FILE, MAX_LOCK_BYTES)? {
            records.wanted = Wanted::read(&text, &base.join(WANTED_FILE))?;
            records.texts.insert(WANTED_FILE, text);
        }
        let own = home.records(place);
        records.receipts = records.json(&own, receipt::FILE)?;
        records.earlier = records.json(&own, GENERATIONS)?;
        Ok(records)
    }

    fn json<T: DeserializeOwned + Default>(
        &mut self,
        folder: &Path,
        file: &'static str,
    ) -> Result<T, RecordError> {
        let Some(text) = text(folder, file, MAX_RECORD_BYTES)? else { return Ok(T::default()) };
        let read = parse(&folder.join(file), &text)?;
        self.texts.insert(file, text);
        Ok(read)
    }

    /// The skill called `name` as it is installed, when it is.
    pub(crate) fn installed(
        &self,
        home: &Home,
        place: &Place,
        name: &SkillName,
    ) -> Option<Installed> {
        let pinned = self.lock.get(name)?.clone();
        let directory = key(home, &place.directory(home, name.as_str()));
        Some(Installed {
            approval: directory.and_then(|key| self.approvals.get(&key)).cloned(),
            want: self.wanted.get(name).cloned(),
            at: self
                .receipts
                .get(name.key().as_str())
                .map(|receipt| receipt.installed_at.clone())
                .unwrap_or_default(),
            earlier: self.earlier(name),
            pinned,
        })
    }

    /// What was installed under `name` before, the latest last.
    pub(crate) fn earlier(&self, name: &SkillName) -> Vec<Pinned> {
        self.earlier.get(name.as_str()).cloned().unwrap_or_default()
    }

    /// Makes the records say that `installed` is what is installed under `name`, in memory.
    pub(crate) fn set(
        &mut self,
        (home, place): (&Home, &Place),
        name: &SkillName,
        installed: Option<&Installed>,
        mut earlier: Vec<Pinned>,
    ) {
        let surplus = earlier.len().saturating_sub(MAX_GENERATIONS);
        earlier.drain(..surplus);
        match earlier.is_empty() {
            true => drop(self.earlier.remove(name.as_str())),
            false => drop(self.earlier.insert(name.to_string(), earlier)),
        }
        let Some(installed) = installed else {
            self.lock.remove(name);
            self.wanted.remove(name);
            self.receipts.0.remove(name.key().as_str());
            return;
        };
        self.lock.set(installed.pinned.clone());
        match &installed.want {
            Some(want) => self.wanted.set(name, want.clone()),
            None => self.wanted.remove(name),
        }
        let trusted = installed.approval.is_some();
        let receipt = Receipt::of(&installed.pinned, (home, place), &installed.at, trusted);
        self.receipts.set(receipt);
    }

    /// Writes every file that changed.
    pub(crate) fn write(&self, home: &Home, place: &Place) -> Result<(), RecordError> {
        let receipts = json_text(receipt::FILE, &self.receipts, self.receipts.0.is_empty())?;
        let earlier = json_text(GENERATIONS, &self.earlier, self.earlier.is_empty())?;
        let base = place.base(home);
        let lock = if self.lock.is_empty() && !self.texts.contains_key(LOCK_FILE) {
            String::new()
        } else {
            self.lock.to_string()
        };
        self.put(&base, LOCK_FILE, &lock, 0o644)?;
        self.put(&base, WANTED_FILE, &self.wanted.to_string(), 0o644)?;
        let own = home.records(place);
        self.put(&own, receipt::FILE, &receipts, 0o600)?;
        Ok(self.put(&own, GENERATIONS, &earlier, 0o600)?)
    }

    fn put(
        &self,
        folder: &Path,
        file: &'static str,
        text: &str,
        mode: u32,
    ) -> Result<(), DiskError> {
        let before = self.texts.get(file).map_or("", String::as_str);
        if before == text {
            return Ok(());
        }
        Folder::make_all(folder)?.replace(file, text.as_bytes(), mode)
    }
}

/// The approvals of `home`.
pub(crate) fn approvals(home: &Home) -> Result<Approvals, RecordError> {
    let Some(folder) = existing(home.path())? else { return Ok(Approvals::default()) };
    let bytes = folder.read(APPROVALS, MAX_APPROVAL_BYTES)?;
    Ok(bytes.map(|bytes| Approvals::read(&bytes)).unwrap_or_default())
}

/// Whether the last line of the approvals was cut short. Costs one byte when it was not.
pub(crate) fn is_torn(home: &Home) -> bool {
    let folder = existing(home.path()).ok().flatten();
    let ends = folder.is_none_or(|folder| folder.ends_with_line(APPROVALS).unwrap_or(true));
    !ends && approvals(home).is_ok_and(|approvals| approvals.torn)
}

/// Makes each approval the last word on what is in its directory, unless it is already. All lines
/// are appended in one piece: a crash leaves the first of them, and whoever repairs says the rest.
pub(crate) fn say(home: &Home, words: &[(String, Option<&Approval>)]) -> Result<(), RecordError> {
    let known = approvals(home)?;
    let line = |(directory, approval): &(String, Option<&Approval>)| match (
        known.get(directory),
        *approval,
    ) {
        (Some(last), Some(new)) if last == new => Ok(String::new()),
        (_, Some(new)) => new.line(),
        (Some(last), None) => Approval { said: Said::Revoked, ..last.clone() }.line(),
        (None, None) => Ok(String::new()),
    };
    let lines = words.iter().map(line).collect::<Result<String, RecordError>>()?;
    if lines.is_empty() {
        return Ok(());
    }
    Ok(Folder::make_all(home.path())?.append(APPROVALS, lines.as_bytes(), 0o600)?)
}

/// The folders trusted in `home`.
pub(crate) fn folders(home: &Home) -> Result<Folders, RecordError> {
    match text(home.path(), FOLDERS, MAX_RECORD_BYTES)? {
        Some(text) => parse(&home.path().join(FOLDERS), &text),
        None => Ok(Folders::default()),
    }
}

/// The one spelling of a directory in records: where it really is, from the home if it is in it.
/// None when it is nowhere, or its path is not text.
pub(crate) fn key(home: &Home, directory: &Path) -> Option<String> {
    let (parent, name) = directory.parent().zip(directory.file_name())?;
    let parent = real_path(parent)?;
    key_below(&real_path(home.path())?, &parent.join(name))
}

/// [`key`] of a directory whose parent is without links already.
pub(crate) fn key_below(home: &Path, directory: &Path) -> Option<String> {
    match directory.strip_prefix(home) {
        Ok(below) => Some(format!("home:{}", below.to_str()?)),
        Err(_) => Some(directory.to_str()?.to_owned()),
    }
}

/// `value` as it is written to `file`, for people to read as well. An error, and not an empty file,
/// when it has a path in it that is not text.
pub(crate) fn to_json(
    file: &str,
    value: &(impl Serialize + ?Sized),
) -> Result<String, RecordError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| unwritable(file, &error))?;
    text.push('\n');
    Ok(text)
}

/// [`to_json`] on one line.
pub(crate) fn to_json_line(file: &str, value: &impl Serialize) -> Result<String, RecordError> {
    let mut text = serde_json::to_string(value).map_err(|error| unwritable(file, &error))?;
    text.push('\n');
    Ok(text)
}

fn unwritable(file: &str, error: &serde_json::Error) -> RecordError {
    RecordError::Unwritable { file: file.to_owned(), reason: error.to_string() }
}

/// [`to_json`]; nothing at all when there is nothing to say.
fn json_text(file: &str, value: &impl Serialize, empty: bool) -> Result<String, RecordError> {
    if empty { Ok(String::new()) } else { to_json(file, value) }
}

pub(crate) fn parse<T: DeserializeOwned + Default>(
    path: &Path,
    text: &str,
) -> Result<T, RecordError> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text).map_err(|error| RecordError::Damaged {
        path: path.to_string_lossy().into_owned(),
        reason: error.to_string(),
    })
}

/// The text of a file, when folder and file are there.
pub(crate) fn text(folder: &Path, file: &str, max: u64) -> Result<Option<String>, RecordError> {
    let Some(folder) = existing(folder)? else { return Ok(None) };
    let Some(bytes) = folder.read(file, max)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let before = error.as_bytes().get(..error.utf8_error().valid_up_to());
            let line = 1 + before.unwrap_or_default().iter().filter(|b| **b == b'\n').count();
            let kind = LockErrorKind::Syntax("the file is not UTF-8 text".to_owned());
            Err(LockError { path: folder.path().join(file), line, kind }.into())
        }
    }
}

pub(crate) fn existing(path: &Path) -> Result<Option<Folder>, DiskError> {
    match Folder::open(path) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
