//! A place of its own for each test: a cache, a staging directory, and how fetching is called in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use metier_package::{
    Bases, Fetch, FetchError, Fetched, Locked, Offered, Progress, Reference, Retry, Select, Step,
    fetch, fetch_locked, offered, resolve,
};
use metier_sandbox::{Cancel, Runner};
use tempfile::TempDir;

pub(crate) struct Place {
    directory: TempDir,
    runner: Runner,
    pub(crate) cancel: Cancel,
    pub(crate) bases: Bases,
    pub(crate) offline: bool,
    pub(crate) cache: PathBuf,
    pub(crate) staging: PathBuf,
    pub(crate) signers: Option<PathBuf>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What was waited for.
    pub(crate) slept: Mutex<Vec<Duration>>,
    /// What was told.
    pub(crate) told: Mutex<Vec<String>>,
}

struct Teller<'a>(&'a Mutex<Vec<String>>);

impl Progress for Teller<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.0.lock().unwrap().push(format!("{step:?}"));
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = TempDir::with_prefix("metier-package-").unwrap();
        let home = directory.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let environment =
            [("HOME", home.as_os_str()), ("PATH", "/usr/local/bin:/usr/bin:/bin".as_ref())];
        Self {
            runner: Runner::new().with_helper(env!("CARGO_BIN_EXE_metier-package-probe")),
            cancel: Cancel::new().unwrap(),
            bases: Bases { home: Some(home.clone()), ..Bases::new(directory.path()) },
            offline: false,
            cache: directory.path().join("cache"),
            staging: directory.path().join("staging"),
            signers: None,
            environment: environment.map(|(n, v)| (n.into(), v.to_owned())).to_vec(),
            slept: Mutex::default(),
            told: Mutex::default(),
            directory,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file below the place.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, bytes).unwrap();
        full
    }

    pub(crate) fn reference(&self, text: &str) -> Reference {
        Reference::parse(text, &self.bases).unwrap()
    }

    pub(crate) fn fetch(&self, text: &str) -> Result<Fetched, FetchError> {
        self.fetch_some(text, Select::All)
    }

    /// Fetches into a staging directory that is emptied before.
    pub(crate) fn fetch_some(&self, text: &str, select: Select<'_>) -> Result<Fetched, FetchError> {
        let reference = self.reference(text);
        self.with(select, |settings, progress| fetch(&reference, settings, progress))
    }

    /// The same with another runner.
    pub(crate) fn fetch_with(&self, runner: &Runner, text: &str) -> Result<Fetched, FetchError> {
        let reference = self.reference(text);
        self.with(Select::All, |settings, progress| {
            fetch(&reference, &Fetch { runner, ..*settings }, progress)
        })
    }

    pub(crate) fn fetch_locked(&self, locked: &Locked) -> Result<Fetched, FetchError> {
        self.with(Select::All, |settings, progress| fetch_locked(locked, settings, progress))
    }

    pub(crate) fn offered(&self, text: &str) -> Result<Vec<Offered>, FetchError> {
        let reference = self.reference(text);
        let all =
            self.with(Select::All, |settings, progress| offered(&reference, settings, progress));
        all.map(|(offered, refused)| {
            assert_eq!(refused, []);
            offered
        })
    }

    pub(crate) fn resolve(&self, text: &str) -> Result<Locked, FetchError> {
        let reference = self.reference(text);
        self.with(Select::All, |settings, progress| resolve(&reference, settings, progress))
    }

    fn with<T>(
        &self,
        select: Select<'_>,
        act: impl FnOnce(&Fetch<'_>, &mut dyn Progress) -> T,
    ) -> T {
        let _ = std::fs::remove_dir_all(&self.staging);
        let slept = &self.slept;
        let sleep = |delay| slept.lock().unwrap().push(delay);
        let retry = Retry { sleep: &sleep, ..Retry::default() };
        let settings = Fetch {
            runner: &self.runner,
            cancel: &self.cancel,
            cache: &self.cache,
            staging: &self.staging,
            environment: &self.environment,
            select,
            offline: self.offline,
            signers: self.signers.as_deref(),
            sites: &[],
            retry: &retry,
            servers: None,
        };
        act(&settings, &mut Teller(&self.told))
    }
}

/// The names of the skills that were fetched.
pub(crate) fn names(fetched: &Fetched) -> Vec<&str> {
    fetched.skills.iter().map(|skill| skill.name.as_str()).collect()
}

/// Every file below a directory with its mode, sorted.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let mut all = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(place) = waiting.pop() {
        for entry in std::fs::read_dir(&place).unwrap().flatten() {
            let path = entry.path();
            let data = std::fs::symlink_metadata(&path).unwrap();
            if data.is_dir() {
                waiting.push(path);
                continue;
            }
            let inner = path.strip_prefix(directory).unwrap().display().to_string();
            let kind = if data.is_file() { "" } else { " SPECIAL" };
            all.push(format!("{inner} {:o}{kind}", data.permissions().mode() & 0o7777));
        }
    }
    all.sort();
    all
}
