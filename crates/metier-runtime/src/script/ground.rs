//! The ground scripts stand on: where programs lie, where a skill that is not on disk is put, and
//! the little that is kept between runs. This file is the door to the disk for all of it.
//!
//! Under metier's own directory, all of it derived and free to be deleted:
//!
//! - `bundled/DIGEST/`: the files of a skill that lies in the binary, or of an approved one that is
//!   not in the keep any more, read back and compared before every use, by one at a time
//!   (`bundled/DIGEST.lock`);
//! - `cache/uv/`: what uv made for each content of a skill, which no script can write (see `kept`);
//! - `cache/help/`: help texts, by digest of what gave them.

#![expect(clippy::disallowed_methods, reason = "this file is the scripts' door to the disk")]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use metier_sandbox::{Cancel, Runner, environment};
use metier_store::catalog::Trust;
use metier_store::client::AGENTS;
use metier_store::digest::{Tree, TreeKind, sha256};
use metier_store::store::{Location, Store};

use crate::journal::write_whole;
use crate::limits::{MAX_HELP_BYTES, MAX_SCRIPT_BYTES};

/// What running scripts needs of its surroundings.
#[derive(Clone, Debug)]
pub struct ScriptGround {
    /// Who runs them.
    pub runner: Runner,
    /// Ends what runs.
    pub cancel: Cancel,
    /// metier's own directory; without one there are no dependencies, no kept help, and no running
    /// of skills that are not on disk.
    pub home: Option<PathBuf>,
    /// The caller's environment. Scripts see of it what the law lets pass; `PATH` also says where
    /// interpreters lie.
    pub variables: Vec<(OsString, OsString)>,
}

/// See [`ScriptGround::guarded`]; the directories of agents come from their table.
const GUARDED: &[&str] =
    &[".devcontainer", ".envrc", ".git", ".mcp.json", ".metier", ".vscode", "skills.lock"];

/// Between two looks at a lock that somebody has. What it guards takes milliseconds, or minutes.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

impl Default for ScriptGround {
    fn default() -> Self {
        Self { runner: Runner::new(), cancel: Cancel::never(), home: None, variables: Vec::new() }
    }
}

impl ScriptGround {
    /// Where a program lies: in the directories every child sees, else in those of the caller's
    /// `PATH` that are absolute.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let path = self.variable("PATH").unwrap_or_default();
        let usual = std::env::split_paths(OsStr::new(environment::PATH)).collect::<Vec<_>>();
        let mut places = usual.into_iter().chain(std::env::split_paths(path));
        places.find_map(|place| {
            let program = place.join(name);
            (place.is_absolute() && is_program(&program)).then_some(program)
        })
    }

    /// Where a program lies that may run a skill trusted so far: one that nobody approved gets those
    /// of the system's directories. uv is another matter: it runs nothing of the skill.
    #[must_use]
    pub fn find_for(&self, name: &str, trust: Trust) -> Option<PathBuf> {
        let system = |path: &PathBuf| {
            std::env::split_paths(OsStr::new(environment::PATH))
                .any(|place| place.join(name) == *path)
        };
        let open = trust == Trust::Approved || name == "uv";
        self.find(name).filter(|path| open || system(path))
    }

    /// What a program outside the system's directories needs to read: itself, and the libraries it
    /// brings beside its `bin` (`~/.nvm/versions/node/v22/lib`). What else lies there, settings and
    /// tokens perhaps, is nobody's business; and in a home, in `~/.local` or around metier's own
    /// directory, not even libraries are.
    #[must_use]
    pub fn reads(&self, program: &Path) -> Vec<PathBuf> {
        let Ok(real) = program.canonicalize() else { return Vec::new() };
        let system = |path: &Path| {
            metier_sandbox::confinement::SYSTEM_READS.iter().any(|read| path.starts_with(read))
        };
        if system(&real) {
            return Vec::new();
        }
        let directory = real.parent().filter(|directory| directory.ends_with("bin"));
        let prefix = directory.and_then(Path::parent).filter(|prefix| {
            !self.holds_a_home(prefix)
                && !prefix.ends_with(".local")
                && prefix.components().count() > 2
        });
        let mut reads = vec![real.clone()];
        if let Some(prefix) = prefix {
            let beside = ["lib", "lib64", "libexec", "share"].map(|name| prefix.join(name));
            // Followed, a link could lead to anything.
            let own = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
            reads.extend(beside.into_iter().filter(|path| own(path) && !self.holds_a_home(path)));
        }
        if program != real {
            reads.push(program.to_owned());
        }
        reads
    }

    /// What in a project tells git, agents and metier what to do: a script that may change the project
    /// may not change these. A link is left out, for it could lead to anything.
    #[must_use]
    pub fn guarded(project: &Path) -> Vec<PathBuf> {
        let own = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| !found.is_symlink());
        let agents = AGENTS.iter().flat_map(|agent| agent.project.iter().chain(agent.also));
        let hidden = agents.filter_map(|directory| directory.split('/').next());
        let hidden = hidden.filter(|name| name.starts_with('.'));
        let names: BTreeSet<&str> = hidden.chain(GUARDED.iter().copied()).collect();
        names.into_iter().map(|name| project.join(name)).filter(own).collect()
    }

    /// Whether `path` is or holds the user's home or metier's own directory.
    #[must_use]
    pub fn holds_a_home(&self, path: &Path) -> bool {
        let user = self.variable("HOME").map(PathBuf::from);
        user.into_iter().chain(self.home.clone()).any(|home| {
            let real = home.canonicalize();
            let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let named = !home.as_os_str().is_empty() && home.starts_with(&path);
            named || real.is_ok_and(|real| real.starts_with(&path))
        })
    }

    /// The Pythons uv would find, as a text that changes when they do: what the system's `python3`
    /// is, and what lies in `managed`.
    pub(super) fn pythons(&self, managed: Option<&Path>) -> String {
        let system = self.find("python3").and_then(|path| path.canonicalize().ok());
        let entries = managed.and_then(|path| std::fs::read_dir(path).ok());
        let mut names: Vec<PathBuf> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        names.sort();
        format!("{system:?}{names:?}")
    }

    /// A variable of the caller's environment.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// Where a skill that is not on disk is put to be run.
    #[must_use]
    pub fn place_of(&self, tree: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join("bundled").join(tree))
    }

    /// The help text kept under `key`.
    #[must_use]
    pub fn kept_help(&self, key: &str) -> Option<String> {
        let path = self.help_file(key)?;
        if std::fs::metadata(&path).ok()?.len() > MAX_HELP_BYTES {
            return None;
        }
        String::from_utf8(std::fs::read(path).ok()?).ok()
    }

    /// Keeps a help text. What cannot be kept is asked for again next time.
    pub fn keep_help(&self, key: &str, text: &str) {
        if let Some(path) = self.help_file(key) {
            let _ = write_whole(&path, text.as_bytes(), 0o600);
        }
    }

    fn help_file(&self, key: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join("cache/help").join(key))
    }
}

/// Makes a directory for metier's own use, which nobody else may enter.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
}

/// Whether there is something at `path`.
pub(super) fn exists(path: &Path) -> bool {
    path.exists()
}

/// Waits for the lock of the file at `path`, which is made when it is not there; an error of the kind
/// `Interrupted` when `cancel` is thrown meanwhile. Dropping the file lets others go on.
pub(super) fn lock(path: &Path, cancel: &Cancel) -> io::Result<File> {
    loop {
        if let Some(file) = try_lock(path)? {
            return Ok(file);
        }
        if cancel.is_thrown() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        std::thread::sleep(LOCK_PAUSE);
    }
}

/// [`lock`], unless somebody else has it.
pub(super) fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let options = File::options().create(true).truncate(false).write(true).mode(0o600).to_owned();
    let file = options.open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => {
            // Whoever had it may have removed the file, and a lock on what is gone excludes nobody.
            let there = std::fs::symlink_metadata(path).is_ok_and(|there| {
                file.metadata()
                    .is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
            });
            Ok(there.then_some(file))
        }
    }
}

/// What is said of a file that is not as it was approved.
pub(crate) const CHANGED: &str = "it changed since it was approved";

/// Puts every file of the skill into `place`, or makes sure that every one lies there as it is in
/// the store and nothing else does. What differs is written again. One at a time does this: to
/// another, what is half written would be something else.
///
/// Where `files` are known, these are put there and no others: bytes that do not have the digest of
/// their file are an error.
pub(crate) fn materialise(
    (store, at): (&dyn Store, &Location),
    files: Option<&Tree>,
    place: &Path,
    cancel: &Cancel,
) -> io::Result<()> {
    let read;
    let tree = match files {
        Some(files) => files,
        None => {
            read = store.tree(at).map_err(io::Error::other)?;
            &read
        }
    };
    private_directory(place)?;
    let _lock = lock(&place.with_extension("lock"), cancel)?;
    let mut wanted = Vec::new();
    for file in tree.files() {
        let path = std::str::from_utf8(&file.path).map_err(io::Error::other)?;
        wanted.push((path, file, place.join(path)));
    }
    // First, so that nothing is written through a link somebody put there.
    remove_others(place, &wanted.iter().map(|(.., target)| target.clone()).collect::<Vec<_>>())?;
    for (path, file, target) in wanted {
        if let Some(leads) = tree.target(&file.path) {
            put_link(&target, OsStr::from_bytes(leads))?;
            continue;
        }
        let resource = store.read(at, path, MAX_SCRIPT_BYTES).map_err(io::Error::other)?;
        if files.is_some() && sha256(&resource.bytes) != file.digest {
            return Err(io::Error::other(format!("`{path}`: {CHANGED}")));
        }
        put_file(&target, &resource.bytes, file.kind)?;
    }
    Ok(())
}

fn put_file(target: &Path, bytes: &[u8], kind: TreeKind) -> io::Result<()> {
    let is_file = std::fs::symlink_metadata(target).is_ok_and(|found| found.is_file());
    if is_file && std::fs::read(target).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let mode = if kind == TreeKind::Executable { 0o700 } else { 0o600 };
    write_whole(target, bytes, mode)
}

fn put_link(target: &Path, leads: &OsStr) -> io::Result<()> {
    if std::fs::read_link(target).is_ok_and(|there| there == leads) {
        return Ok(());
    }
    match std::fs::symlink_metadata(target) {
        Ok(there) if there.is_dir() => std::fs::remove_dir_all(target)?,
        Ok(_) => std::fs::remove_file(target)?,
        Err(_) => {}
    }
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::os::unix::fs::symlink(leads, target)
}

/// Removes every file below `place` that is not `wanted`.
fn remove_others(place: &Path, wanted: &[PathBuf]) -> io::Result<()> {
    for entry in std::fs::read_dir(place)? {
        let path = entry?.path();
        let kind = std::fs::symlink_metadata(&path)?;
        if kind.is_dir() && wanted.iter().any(|file| file.starts_with(&path)) {
            remove_others(&path, wanted)?;
        } else if kind.is_dir() {
            std::fs::remove_dir_all(&path)?;
        } else if !wanted.contains(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
#[path = "ground_tests.rs"]
mod tests;
