//! Python with the dependencies a script declares, provided by uv.
//!
//! Two steps:
//!
//! 1. *Prepare*, once for each content of a skill: uv itself, inside walls of its own, with one
//!    empty directory writable. It fetches wheels and makes an environment. Of the skill it sees what
//!    is written down for it: the script's metadata as it was understood here, the versions fixed
//!    beside the script, and wheels the metadata names. So nothing of the skill runs, and since
//!    nothing is built (`UV_NO_BUILD`) or compiled, nothing of a package does: one without a wheel is
//!    refused. Settings lying about (`uv.toml`, `pyproject.toml`) are not read.
//! 2. *Run*: the environment's Python, without uv, with the environment readable and nothing of it
//!    writable.
//!
//! uv is not asked about an environment that has packages: it would start its Python, a `.pth` file
//! in any package runs code then, and that code would write and answer as it likes. The environment
//! is found by looking (see `kept`), and what the run may read besides it is known before uv starts:
//! the system's Pythons and those that uv has installed.
//!
//! What was made for one content of a skill, trusted so far, is never used for another: the place is
//! named by the digest of the whole skill, by the trust, and by the Pythons there are.
//!
//! A Python that uv manages is found and never downloaded.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use metier_format::manifest::Parts;
use metier_policy::{ScriptDependencies, ScriptLaw, ScriptNetwork};
use metier_sandbox::{
    Cancel, Confinement, Enforced, Invocation, Limits, Network, Outcome, RunError, Runner,
};
use metier_store::catalog::Trust;
use metier_store::digest;
use metier_store::store::ReadError;

use super::ground::{self, ScriptGround};
use super::kept::{Environment, Kept, Unkept};
use super::metadata::{Metadata, lock_is_plain};
use crate::limits::{MAX_PREPARED_BYTES, MAX_UNAPPROVED_BYTES, PREPARE_SECONDS, QUOTA_SAMPLE_MS};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// uv itself.
    pub(crate) uv: &'a Path,
    /// The digest of the whole skill.
    pub(crate) tree: &'a str,
    /// The script's path inside it.
    pub(crate) script: &'a str,
    /// How far the skill is trusted.
    pub(crate) trust: Trust,
    /// Whether uv may fetch.
    pub(crate) online: bool,
    /// Whether the versions are fixed in a file beside the script.
    pub(crate) locked: bool,
    /// What the script says it needs.
    pub(crate) metadata: &'a Metadata,
}

/// Whether uv may fetch for a skill: when it was approved, the law does not switch the network off,
/// and the skill's own asking for the network or the law's word on packages allows it.
pub(crate) fn may_fetch(law: &ScriptLaw, parts: &Parts, trust: Trust) -> bool {
    let allowed = match law.dependencies {
        ScriptDependencies::Never => false,
        ScriptDependencies::Declared => !parts.network.is_empty(),
        ScriptDependencies::Fetch => true,
    };
    allowed && trust == Trust::Approved && law.network != ScriptNetwork::Off
}

/// How packages come to be fetched, for somebody who has none.
pub(crate) const HOW_TO_FETCH: &str = "packages are fetched when the skill is approved and either its `permissions` ask for the network or \
     policy says `dependencies = \"fetch\"` under `[scripts]`; never for help alone";

/// What uv is to prepare.
#[derive(Clone, Debug)]
pub(crate) struct Preparation {
    /// uv itself.
    pub(crate) uv: PathBuf,
    /// Where the environment is kept.
    pub(crate) kept: Kept,
    /// Pythons that uv has installed before, when there are some.
    pub(crate) pythons: Option<PathBuf>,
    /// Whether it may fetch.
    pub(crate) online: bool,
    /// The script's path inside the skill.
    script: String,
    /// The metadata, for uv to read.
    header: String,
    /// The file beside the script that fixes the versions, when there is one.
    lock: Option<String>,
    /// Wheels of the skill, by their paths in it; nothing when one of them lies outside.
    wheels: Option<Vec<String>>,
    /// Bytes it may take on disk.
    pub(crate) most: u64,
    /// The caller's variables that say how packages are reached.
    reaching: Vec<(OsString, OsString)>,
}

/// Variables of the caller that say how packages are reached. uv alone sees them.
const REACHING: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_NATIVE_TLS",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// What the run needs of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    /// The environment's Python.
    pub(crate) python: PathBuf,
    /// What it reads besides the skill.
    pub(crate) reads: Vec<PathBuf>,
    /// The walls that stood around uv; nothing when the environment was there already.
    pub(crate) enforced: Option<Enforced>,
}

/// Reads a file of the skill, contained and bounded.
pub(crate) type Read<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, ReadError>;

/// Why there is no environment.
#[derive(Debug)]
pub(crate) enum PrepareError {
    /// The place for it cannot be made.
    Cache(PathBuf, std::io::Error),
    /// uv did not run.
    Run(RunError),
    /// uv said no, and this.
    Failed(String),
    /// The caller cancelled it.
    Cancelled,
}

impl Preparation {
    /// What there is to do on this ground; nothing without a home for what is made.
    pub(crate) fn plan(ground: &ScriptGround, wanted: Wanted<'_>) -> Option<Self> {
        let data = ground.variable("XDG_DATA_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(ground.variable("HOME")?).join(".local/share"));
        let named = ground.variable("UV_PYTHON_INSTALL_DIR").map(PathBuf::from);
        let usual = || Some(data.or_else(home)?.join("uv/python"));
        let pythons = named.or_else(usual).filter(|path| path.is_absolute());
        let pythons = pythons.filter(|path| ground::exists(path));
        let uv = wanted.uv.to_string_lossy();
        let there = ground.pythons(pythons.as_deref());
        let parts = [wanted.tree, wanted.script, wanted.trust.as_str(), &uv, &there];
        let mut key = digest::hex(&digest::sha256(parts.join("\0").as_bytes()));
        key.truncate(32);
        Some(Self {
            uv: wanted.uv.to_owned(),
            kept: Kept::new(&ground.home.as_ref()?.join("cache/uv"), &key),
            pythons,
            online: wanted.online,
            script: wanted.script.to_owned(),
            header: wanted.metadata.header(),
            lock: wanted.locked.then(|| format!("{}.lock", wanted.script)),
            wheels: wanted.metadata.wheels_beside(wanted.script),
            most: match wanted.trust {
                Trust::Approved => MAX_PREPARED_BYTES,
                _ => MAX_UNAPPROVED_BYTES,
            },
            reaching: ground
                .variables
                .iter()
                .filter(|(name, _)| REACHING.iter().any(|known| name == known))
                .cloned()
                .collect(),
        })
    }

    /// The environment for the script: the one that is kept, else uv makes it from files that `read`
    /// gives by their paths in the skill.
    pub(crate) fn prepare(
        &self,
        read: Read<'_>,
        (runner, cancel, walls): (&Runner, &Cancel, &Confinement),
    ) -> Result<Prepared, PrepareError> {
        if let Some(environment) = self.kept.ready() {
            return Ok(self.prepared(environment, None));
        }
        let disk = |error| PrepareError::Cache(self.kept.place().to_owned(), error);
        let _lock = self.kept.lock(cancel).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => PrepareError::Cancelled,
            _ => disk(error),
        })?;
        // Somebody else may have made it meanwhile.
        if let Some(environment) = self.kept.ready() {
            return Ok(self.prepared(environment, None));
        }
        self.kept.begin().map_err(disk)?;
        let asked = self.ask(read);
        let made = asked.and_then(|()| self.make((runner, cancel, &self.confinement(walls))));
        let kept = made.and_then(|outcome| {
            let environment = self.kept.finish(self.most).map_err(|error| self.unkept(error))?;
            Ok(self.prepared(environment, Some(outcome.enforced)))
        });
        if kept.is_err() {
            // What is left of it is removed before it is made again, too.
            let _ = self.kept.clear();
        }
        kept
    }

    /// Writes down what uv reads.
    fn ask(&self, read: Read<'_>) -> Result<(), PrepareError> {
        let outside = || PrepareError::Failed("a wheel it names lies outside the skill".to_owned());
        let wheels = self.wheels.as_ref().ok_or_else(outside)?;
        let disk = |error| PrepareError::Cache(self.kept.asked(), error);
        for path in wheels.iter().chain(&self.lock) {
            let unread = |error: ReadError| PrepareError::Failed(format!("`{path}`: {error}"));
            let bytes = read(path).map_err(unread)?;
            if Some(path) == self.lock.as_ref() {
                let told = |error| PrepareError::Failed(format!("`{path}`: {error}"));
                lock_is_plain(&bytes).map_err(told)?;
            }
            self.kept.ask(path, &bytes).map_err(disk)?;
        }
        // Last: a script that calls itself a wheel is not what uv reads.
        self.kept.ask(&self.script, self.header.as_bytes()).map_err(disk)
    }

    /// Has uv make it, and ends uv when it writes too much.
    fn make(
        &self,
        (runner, cancel, walls): (&Runner, &Cancel, &Confinement),
    ) -> Result<Outcome, PrepareError> {
        let mut invocation = Invocation::new(&self.uv);
        let frozen = self.lock.as_ref().map(|_| "--frozen");
        let words = ["sync", "--quiet", "--no-config", "--no-compile-bytecode"].into_iter();
        let words = words.chain(frozen).chain(["--script"]);
        invocation.args = words.map(OsString::from).collect();
        invocation.args.push(self.kept.asked().join(&self.script).into());
        let disk = |error| PrepareError::Cache(self.kept.place().to_owned(), error);
        let stop = Cancel::new().map_err(disk)?;
        let (ended, watched) = std::sync::mpsc::channel::<()>();
        let (outcome, too_large) = std::thread::scope(|scope| {
            let stop = &stop;
            let watcher = scope.spawn(move || self.watch(&watched, cancel, stop));
            let outcome = runner.run(&invocation, walls, stop);
            drop(ended);
            (outcome, watcher.join().unwrap_or(true))
        });
        if too_large {
            return Err(self.unkept(Unkept::TooLarge(self.most)));
        }
        answer(outcome.map_err(PrepareError::Run)?)
    }

    /// Throws `stop` when the caller cancels or too much is written, until the other end of `ended`
    /// is gone; whether it was too much.
    fn watch(&self, ended: &Receiver<()>, cancel: &Cancel, stop: &Cancel) -> bool {
        let step = Duration::from_millis(QUOTA_SAMPLE_MS / 10);
        for count in 1_u32.. {
            if ended.recv_timeout(step) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
            if cancel.is_thrown() {
                stop.cancel();
            }
            if count % 10 == 0 && self.kept.exceeds(self.most) {
                stop.cancel();
                return true;
            }
        }
        false
    }

    fn prepared(&self, environment: Environment, enforced: Option<Enforced>) -> Prepared {
        let reads = std::iter::once(environment.directory).chain(self.pythons.clone()).collect();
        Prepared { python: environment.python, reads, enforced }
    }

    fn unkept(&self, error: Unkept) -> PrepareError {
        match error {
            Unkept::Disk(error) => PrepareError::Cache(self.kept.place().to_owned(), error),
            Unkept::Strange => {
                PrepareError::Failed("uv made no environment where it makes them".to_owned())
            }
            Unkept::TooLarge(most) => PrepareError::Failed(format!(
                "they take more than {} MiB on disk, or too many files",
                most >> 20
            )),
        }
    }

    /// The walls around uv: as hard as the script's own.
    pub(crate) fn confinement(&self, walls: &Confinement) -> Confinement {
        let mut read = vec![self.uv.clone(), self.kept.asked()];
        read.extend(self.pythons.clone());
        let mut environment = metier_sandbox::environment::build(&[], &[]);
        let mut set = |name: &str, value: OsString| environment.push((name.into(), value));
        set("UV_CACHE_DIR", self.kept.made().into());
        set("UV_NO_BUILD", "1".into());
        set("UV_NO_PROGRESS", "1".into());
        set("UV_PYTHON_DOWNLOADS", "never".into());
        // What one script is given must not change when another writes to its own copy.
        set("UV_LINK_MODE", "copy".into());
        if let Some(pythons) = &self.pythons {
            set("UV_PYTHON_INSTALL_DIR", pythons.clone().into());
        }
        if self.online {
            self.reaching
                .iter()
                .for_each(|(name, value)| set(&name.to_string_lossy(), value.clone()));
        } else {
            set("UV_OFFLINE", "1".into());
        }
        environment.sort();
        Confinement {
            read,
            write: vec![self.kept.made()],
            network: if self.online { Network::Full } else { Network::Off },
            environment,
            limits: Limits {
                wall_ms: PREPARE_SECONDS * 1000,
                cpu_seconds: PREPARE_SECONDS,
                file_size: self.most.min(2 << 30),
                ..Limits::default()
            },
            level: walls.level,
            scratch: walls.scratch.clone(),
        }
    }
}

/// How uv ended, when it ended well; else what it complained about.
fn answer(outcome: Outcome) -> Result<Outcome, PrepareError> {
    use metier_sandbox::Status;
    match outcome.status {
        Status::Exit(0) => Ok(outcome),
        Status::Cancelled => Err(PrepareError::Cancelled),
        status => {
            let said = String::from_utf8_lossy(&outcome.stderr.bytes);
            Err(PrepareError::Failed(format!("uv: {status}\n{}", said.trim())))
        }
    }
}

#[cfg(test)]
#[path = "uv_tests.rs"]
mod tests;
