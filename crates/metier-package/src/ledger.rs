//! The ledger: locks, approvals and stamps read together, to answer for any directory what is known
//! about the content in it. It is who vouches ([`Vouch`]) for lists, activations and script runs.
//!
//! What the answer goes by, first match:
//!
//! 1. somebody said yes to what is in this directory: it is that tree, or it changed;
//! 2. a lockfile says what is in this directory: it is that tree and nobody was asked, or it changed;
//! 3. nothing is known.
//!
//! A lockfile that cannot be read vouches for nothing: every skill in its place counts as changed,
//! and the reason is the difference that is shown. While a change is being carried out, both of its
//! ends are right.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_format::SkillName;
use metier_store::digest::{Tree, hex};
use metier_store::vouch::{Depth, Standing, Vouch, Vouched, is_served};

use crate::atomic::{Folder, real_path};
use crate::brief::{Brief, Briefs, Fresh, Original, of_approvals, of_lock};
use crate::change;
use crate::difference::{compare, shown};
use crate::home::{Home, LOCK_FILE, Place};
use crate::keep::read_tree;
use crate::limits::{MAX_LOCK_BYTES, MAX_RECORD_BYTES};
use crate::lockfile::Lockfile;
use crate::pinned::{Pinned, PinnedFile, files_of};
use crate::records::{RecordError, approvals, is_torn, key_below, text};
use crate::stamp::{self, Stamp, Stamped, Stamps};
use crate::trust::{APPROVALS, Approval};

/// The file of stamps.
pub(crate) const STAMPS: &str = "stamps";

/// What was said yes to, in short.
pub(crate) const APPROVALS_BRIEF: &str = "approvals.brief";

/// What a lock says, in short.
pub(crate) const LOCK_BRIEF: &str = "lock.brief";

/// Who vouches.
#[derive(Debug)]
pub struct Ledger {
    home: Home,
    project: Option<PathBuf>,
    now: i128,
    books: Mutex<Books>,
}

/// What was read, and what was found out since.
#[derive(Debug, Default)]
struct Books {
    /// What was said yes to, by the key of the directory.
    approvals: Briefs,
    /// Why approvals cannot be read.
    fault: Option<String>,
    /// The lock of each place.
    locks: Vec<Locked>,
    /// Whether a skill in one of them may be from an MCP server.
    name_servers: bool,
    /// The files all this was read from, as they were before.
    originals: Vec<(Original, Option<Stamp>)>,
    /// Briefs that are not written.
    briefs: Vec<Fresh>,
    /// What a change in progress allows besides, by the key of the directory.
    passing: BTreeMap<String, Vec<(Pinned, Option<Approval>)>>,
    /// What trees looked like, once somebody asked.
    stamps: Option<Stamps>,
    /// Whether stamps were found out that are not written.
    fresh: bool,
    /// What the keys of what lies in a directory begin with.
    beginnings: BTreeMap<OsString, String>,
}

/// The lock of one place.
#[derive(Debug)]
struct Locked {
    place: Place,
    /// The key of its skills' directory.
    skills: String,
    /// By name.
    lock: Result<Briefs, String>,
}

/// What one directory should hold, as far as somebody said.
struct Expected {
    approval: Option<Brief>,
    pinned: Option<(SkillName, Place, Brief)>,
    fault: Option<String>,
}

impl Ledger {
    /// The ledger of `home` and, when there is one, `project`. `now` is the time in nanoseconds
    /// since 1970.
    #[must_use]
    pub fn open(home: &Home, project: Option<&Path>, now: i128) -> Self {
        let ledger = Self {
            home: home.clone(),
            project: project.map(Path::to_owned),
            now,
            books: Mutex::default(),
        };
        ledger.read();
        ledger
    }

    /// What cannot be read, in a sentence each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let books = self.books();
        let locks = books.locks.iter().filter_map(|locked| locked.lock.as_ref().err().cloned());
        let torn = is_torn(&self.home).then(|| {
            let path = self.home.path().join(APPROVALS);
            format!("the last line of `{}` was cut short and does not count", path.display())
        });
        books.fault.clone().into_iter().chain(torn).chain(locks).collect()
    }

    /// Whether anybody said anything about any skill. Where nobody did, there is nothing to ask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let books = self.books();
        books.fault.is_none()
            && books.approvals.is_empty()
            && books.locks.iter().all(|locked| locked.lock.as_ref().is_ok_and(Briefs::is_empty))
    }

    /// Writes down the stamps and briefs that were found out. Whether that works changes nothing
    /// but time.
    pub fn save(&self) {
        let mut books = self.books();
        std::mem::take(&mut books.briefs).iter().for_each(Fresh::write);
        if !books.fresh {
            return;
        }
        books.fresh = false;
        if let Ok(folder) = Folder::open(self.home.path()) {
            let text = books.stamps(&self.home).text();
            let _ = folder.replace(STAMPS, text.as_bytes(), 0o600);
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Whoever panicked left values behind that are whole, or will be read again.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) {
        let mut books = self.books();
        *books = Books { stamps: books.stamps.take(), ..Books::default() };
        let said = Original {
            folder: self.home.path().to_owned(),
            file: APPROVALS,
            beside: self.home.path().to_owned(),
            brief: APPROVALS_BRIEF,
        };
        let parse = || match approvals(&self.home) {
            Ok(approvals) => Ok(Some(of_approvals(&approvals))),
            Err(error) => Err(error.to_string()),
        };
        match books.brief(said, self.now, parse) {
            Ok(approvals) => books.approvals = approvals.unwrap_or_default(),
            Err(fault) => books.fault = Some(fault),
        }
        let places =
            [Some(Place::Personal), self.project.clone().map(Place::Project)].into_iter().flatten();
        let home = real_path(self.home.path());
        for place in places {
            let skills = place.base(&self.home).join(place.skills());
            let Some(skills) = real_path(&skills) else { continue };
            let key = home.as_deref().map_or_else(
                || skills.to_str().map(str::to_owned),
                |home| key_below(home, &skills),
            );
            let original = Original {
                folder: place.base(&self.home),
                file: LOCK_FILE,
                beside: self.home.records(&place),
                brief: LOCK_BRIEF,
            };
            let parse = || Ok(self.lock(&place).transpose()?.as_ref().map(of_lock));
            let lock = books.brief(original, self.now, parse).transpose();
            let found = key.zip(lock).map(|(skills, lock)| Locked { place, skills, lock });
            books.locks.extend(found);
        }
        let mut locks = books.locks.iter().filter_map(|locked| locked.lock.as_ref().ok());
        books.name_servers = locks.any(Briefs::name_servers);
        let folder = self.home.path().to_owned();
        let (beside, brief) = (folder.clone(), "");
        let note = Original { folder, file: change::PENDING, beside, brief };
        let stamp = note.stamp();
        books.originals.push((note, stamp));
        if let Ok(Some(pending)) = change::pending(&self.home) {
            self.let_pass(&pending, &mut books);
        }
    }

    /// The lock of `place`; none when it has none.
    fn lock(&self, place: &Place) -> Option<Result<Lockfile, String>> {
        let base = place.base(&self.home);
        let path = base.join(LOCK_FILE);
        let read = text(&base, LOCK_FILE, MAX_LOCK_BYTES).transpose()?;
        let lock = read.and_then(|text| Lockfile::read(&text, &path).map_err(RecordError::from));
        Some(lock.map_err(|error| error.to_string()))
    }

    fn let_pass(&self, pending: &change::Pending, books: &mut Books) {
        for change in &pending.changes {
            let directory = pending.place.directory(&self.home, &change.name);
            let Some(key) = crate::records::key(&self.home, &directory) else { continue };
            let ends = [&change.before, &change.after].into_iter().flatten();
            let ends = ends.map(|end| (end.pinned.clone(), end.approval.clone()));
            books.passing.entry(key).or_default().extend(ends);
        }
    }

    fn answer(&self, directory: &Path, depth: Depth) -> Vouched {
        let mut books = self.books();
        let Some(key) = books.key(&self.home, directory) else { return Vouched::default() };
        let expected = books.expected(&key);
        if expected.is_nothing() && !books.passing.contains_key(&key) {
            return Vouched::default();
        }
        let looked = books.look(&self.home, &key, directory, (depth, self.now));
        let (looked, files) = match looked {
            Ok((tree, files)) => (Ok(tree), files),
            Err(reason) => (Err(reason), None),
        };
        let passing = looked.as_ref().ok().and_then(|tree| books.passing(&key, tree));
        drop(books);
        let vouched = passing.unwrap_or_else(|| self.weigh(expected, looked, directory));
        match vouched.standing {
            Standing::Changed => vouched,
            // What was looked at is the tree that is right, so these are its files.
            Standing::Approved | Standing::Unknown => {
                let kept = vouched.tree.as_ref().filter(|_| files.is_some());
                let kept = kept.map(|tree| self.kept(tree, directory));
                Vouched { files: files.map(Arc::new), kept, ..vouched }
            }
        }
    }

    /// Where the keep has `tree`, or would have it: `directory`, where that leads there and is the
    /// home's own. A link elsewhere may lead somewhere else a moment later.
    fn kept(&self, tree: &str, directory: &Path) -> PathBuf {
        let kept = self.home.kept(tree);
        let own = directory.starts_with(self.home.path());
        match own && real_path(directory).is_some_and(|real| real_path(&kept) == Some(real)) {
            true => directory.to_owned(),
            false => kept,
        }
    }

    /// What follows from what should be there and what is.
    fn weigh(
        &self,
        expected: Expected,
        looked: Result<String, String>,
        directory: &Path,
    ) -> Vouched {
        let Expected { approval, pinned, fault } = expected;
        let lock = pinned.as_ref().map(|(_, _, brief)| brief);
        let right = approval.as_ref().or(lock).map(|brief| brief.tree.clone());
        let mut vouched = Vouched {
            standing: Standing::Changed,
            source: lock.and_then(|brief| brief.source.clone()),
            commit: lock.and_then(|brief| brief.commit.clone()),
            approval: approval.as_ref().and_then(|brief| brief.approval.clone()),
            tree: right.clone(),
            ..Vouched::default()
        };
        match (looked, right) {
            (Ok(tree), Some(right)) if tree == right => {
                vouched.standing = match (&approval, fault) {
                    (Some(_), _) => Standing::Approved,
                    (None, None) => Standing::Unknown,
                    (None, Some(fault)) => {
                        vouched.differences = vec![fault];
                        Standing::Changed
                    }
                };
            }
            (Ok(_), Some(right)) => {
                vouched.differences = self.differences(&right, pinned.as_ref(), directory);
            }
            (Ok(_), None) => vouched.differences.extend(fault),
            (Err(reason), _) => vouched.differences = vec![reason],
        }
        vouched
    }

    /// How `directory` differs from the tree `right`, whose files the lock or the keep knows.
    fn differences(
        &self,
        right: &str,
        pinned: Option<&(SkillName, Place, Brief)>,
        directory: &Path,
    ) -> Vec<String> {
        let kept = read_tree(&self.home.kept(right)).ok();
        let kept = kept.filter(|kept| hex(&kept.digest()) == right);
        let known: Option<Vec<PinnedFile>> =
            kept.and_then(|tree| files_of(&tree).ok()).or_else(|| {
                let (name, place, _) = pinned.filter(|(_, _, brief)| brief.tree == right)?;
                let lock = self.lock(place)?.ok()?;
                Some(lock.get(name)?.files.clone())
            });
        match (known, read_tree(directory)) {
            (Some(files), Ok(found)) => shown(&compare(&files, &found)),
            (None, Ok(_)) => vec!["it is not the tree that was approved".to_owned()],
            (_, Err(error)) => vec![error.to_string()],
        }
    }
}

impl Vouch for Ledger {
    fn vouch(&self, _name: &SkillName, directory: &Path, depth: Depth) -> Vouched {
        let first = self.answer(directory, depth);
        if first.standing != Standing::Changed {
            return first;
        }
        // Somebody may have installed something since the books were read.
        if self.books().are_current(self.now) {
            return first;
        }
        self.read();
        self.answer(directory, depth)
    }

    fn standing(&self, name: &SkillName, directory: &Path, depth: Depth) -> Standing {
        let at_once = match depth {
            Depth::Stamps => self.books().standing(&self.home, directory),
            Depth::Bytes => None,
        };
        at_once.unwrap_or_else(|| self.vouch(name, directory, depth).standing)
    }

    fn recorded_standing(&self, name: &SkillName, directory: &Path) -> Standing {
        let recorded = self.books().recorded_standing(&self.home, directory);
        recorded.unwrap_or_else(|| self.vouch(name, directory, Depth::Stamps).standing)
    }

    fn origin(&self, _name: &SkillName, directory: &Path) -> Option<String> {
        let mut books = self.books();
        // This is asked about every skill, and most people have none from a server.
        if !books.name_servers {
            return None;
        }
        let key = books.key(&self.home, directory)?;
        let (_, _, brief) = books.expected(&key).pinned?;
        brief.source.filter(|source| is_served(source))
    }

    fn recorded(&self, _name: &SkillName, directory: &Path) -> Vouched {
        let mut books = self.books();
        let Some(key) = books.key(&self.home, directory) else { return Vouched::default() };
        let Expected { approval, pinned, .. } = books.expected(&key);
        let lock = pinned.as_ref().map(|(_, _, brief)| brief);
        Vouched {
            source: lock.and_then(|brief| brief.source.clone()),
            commit: lock.and_then(|brief| brief.commit.clone()),
            tree: approval.as_ref().or(lock).map(|brief| brief.tree.clone()),
            approval: approval.as_ref().and_then(|brief| brief.approval.clone()),
            ..Vouched::default()
        }
    }
}

impl Books {
    /// What a file says in brief.
    fn brief(
        &mut self,
        original: Original,
        now: i128,
        parse: impl FnOnce() -> Result<Option<Briefs>, String>,
    ) -> Result<Option<Briefs>, String> {
        let stamp = original.stamp();
        let read = original.read(now, parse);
        self.originals.push((original, stamp));
        let (briefs, fresh) = read?;
        self.briefs.extend(fresh);
        Ok(briefs)
    }

    /// Whether every file is provably as it was when it was read.
    fn are_current(&self, now: i128) -> bool {
        self.originals.iter().all(|(original, then)| {
            let old = then.as_ref().is_none_or(|stamp| stamp.is_older_than(now));
            old && original.stamp() == *then
        })
    }

    fn key(&mut self, home: &Home, directory: &Path) -> Option<String> {
        let (parent, name) = split(directory)?;
        // Thousands of skills lie in a few directories.
        if let Some(beginning) = self.beginnings.get(parent.as_os_str()) {
            return Some([beginning, name].concat());
        }
        let (home, real) = (real_path(home.path())?, real_path(parent)?);
        let key = key_below(&home, &real.join(name))?;
        // Beside the home itself, which is spelled otherwise, one key tells nothing about the next.
        if home.parent() != Some(&real)
            && let Some(beginning) = key.strip_suffix(name)
        {
            self.beginnings.insert(parent.into(), beginning.to_owned());
        }
        Some(key)
    }

    fn expected(&self, key: &str) -> Expected {
        let approval = self.approvals.get(key);
        let mut expected = Expected { approval, pinned: None, fault: self.fault.clone() };
        let Some((parent, last)) = key.rsplit_once('/') else { return expected };
        for Locked { place, lock, .. } in self.locks.iter().filter(|l| l.skills == parent) {
            // By the directory's name, whatever the skill in it calls itself now.
            match (lock, SkillName::parse(last)) {
                (Ok(_), Err(_)) => {}
                (Ok(lock), Ok(name)) => {
                    let brief = lock.get(name.as_str());
                    expected.pinned = brief.map(|brief| (name, place.clone(), brief));
                }
                (Err(fault), _) => expected.fault = Some(fault.clone()),
            }
        }
        expected
    }

    /// The stamps, read when they are first needed.
    fn stamps(&mut self, home: &Home) -> &mut Stamps {
        self.stamps.get_or_insert_with(|| {
            let text = text(home.path(), STAMPS, MAX_RECORD_BYTES).ok().flatten();
            text.map(|text| Stamps::read(&text)).unwrap_or_default()
        })
    }

    /// The standing of what nobody spoke of, and of what is as it should be by its stamps. None
    /// says nothing but that a closer look is needed.
    fn standing(&mut self, home: &Home, directory: &Path) -> Option<Standing> {
        let Some(key) = self.key(home, directory) else { return Some(Standing::Unknown) };
        if self.is_doubtful(&key) {
            return None;
        }
        let Some(tree) = self.approvals.tree(&key).map(str::to_owned) else {
            return (!self.is_locked(&key)).then_some(Standing::Unknown);
        };
        let stamped = self.stamps(home).get(&key)?;
        let holds = stamped.tree == tree && stamped.holds(directory);
        holds.then_some(Standing::Approved)
    }

    /// The standing by what is written down alone. None says nothing but that it takes a look.
    fn recorded_standing(&mut self, home: &Home, directory: &Path) -> Option<Standing> {
        let Some(key) = self.key(home, directory) else { return Some(Standing::Unknown) };
        if self.is_doubtful(&key) {
            return None;
        }
        Some(match self.approvals.has(&key) {
            true => Standing::Approved,
            false => Standing::Unknown,
        })
    }

    /// Whether what is written down about the directory cannot be read, or is just being changed.
    fn is_doubtful(&self, key: &str) -> bool {
        let broken = |locked: &Locked| locked.lock.is_err() && locked.has(key);
        self.fault.is_some() || self.passing.contains_key(key) || self.locks.iter().any(broken)
    }

    /// Whether the directory lies where a lock speaks.
    fn is_locked(&self, key: &str) -> bool {
        self.locks.iter().any(|locked| locked.has(key))
    }

    /// The digest of what is in `directory` now, with what was read when something was; or why there
    /// is none.
    fn look(
        &mut self,
        home: &Home,
        key: &str,
        directory: &Path,
        (depth, now): (Depth, i128),
    ) -> Result<(String, Option<Tree>), String> {
        if depth == Depth::Stamps
            && let Some(stamped) = self.stamps(home).get(key)
            && stamped.holds(directory)
        {
            return Ok((stamped.tree.clone(), None));
        }
        let before = stamp::look(directory);
        let tree = read_tree(directory).map_err(|error| error.to_string())?;
        let tree_digest = hex(&tree.digest());
        let Ok(before) = before else { return Ok((tree_digest, Some(tree))) };
        let odd = stamp::odd_rights(&before);
        if !odd.is_empty() {
            return Err(shown(&odd).join(", "));
        }
        let after = stamp::look(directory).unwrap_or_default();
        if let Some(stamped) = Stamped::new(&tree_digest, before, &after, now) {
            self.stamps(home).insert(key, stamped);
            self.fresh = true;
        }
        Ok((tree_digest, Some(tree)))
    }

    /// The answer while a change to or from `tree` is being carried out.
    fn passing(&self, key: &str, tree: &str) -> Option<Vouched> {
        let ends = self.passing.get(key)?;
        let (pinned, approval) = ends.iter().find(|(pinned, _)| pinned.tree == tree)?;
        Some(Vouched {
            standing: match approval {
                Some(_) => Standing::Approved,
                None => Standing::Unknown,
            },
            source: Some(pinned.locked.source.clone()),
            commit: pinned.locked.commit.clone(),
            tree: Some(tree.to_owned()),
            approval: approval.as_ref().map(Approval::shown),
            ..Vouched::default()
        })
    }
}

impl Locked {
    /// Whether the directory of this key is one of the place's.
    fn has(&self, key: &str) -> bool {
        key.rsplit_once('/').is_some_and(|(parent, _)| parent == self.skills)
    }
}

impl Expected {
    fn is_nothing(&self) -> bool {
        self.approval.is_none() && self.pinned.is_none() && self.fault.is_none()
    }
}

/// The directory that `directory` is in, and its name there. Where the last slash shows both, the path
/// is not taken apart.
fn split(directory: &Path) -> Option<(&Path, &str)> {
    let plain = directory.to_str().and_then(|text| text.rsplit_once('/'));
    match plain.filter(|(parent, name)| !parent.is_empty() && !matches!(*name, "" | "." | "..")) {
        Some((parent, name)) => Some((Path::new(parent), name)),
        None => Some((directory.parent()?, directory.file_name()?.to_str()?)),
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
