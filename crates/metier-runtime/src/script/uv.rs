//! Python with the dependencies a script declares, provided by uv.
//!
//! Two steps, and a cache for each skill, so that a skill cannot poison what others use:
//!
//! 1. *Prepare*: uv itself, inside walls of its own, with the skill's cache writable. It reads the
//!    script's metadata, fetches wheels and makes an environment. Nothing of the skill runs, and
//!    since nothing is built (`UV_NO_BUILD`), no package's build does: one without a wheel is
//!    refused. Settings lying about (`uv.toml`, `pyproject.toml`) are not read.
//! 2. *Run*: the environment's Python, without uv, with the environment readable and nothing of it
//!    writable.
//!
//! The cache is the skill's own because uv asks an environment's Python about itself, and a `.pth`
//! file in any package runs code then, while the cache is writable. What such code can reach is
//! what that skill alone will use.
//!
//! uv has the network in step 1 when the skill was approved and the law does not switch it off: the
//! metadata is the asking. Otherwise it is told to be offline, and what is cached is used.
//! A Python that uv manages is found and never downloaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_policy::{ScriptLaw, ScriptNetwork};
use metier_sandbox::{Cancel, Confinement, Invocation, Limits, Network, Outcome, RunError, Runner};
use metier_store::catalog::Trust;
use metier_store::digest;

use super::ground::{self, ScriptGround};
use crate::limits::PREPARE_SECONDS;

/// What uv is to prepare.
#[derive(Clone, Debug)]
pub(crate) struct Preparation {
    /// uv itself.
    pub(crate) uv: PathBuf,
    /// Its cache for this skill.
    pub(crate) cache: PathBuf,
    /// Pythons that uv has installed before, when there are some.
    pub(crate) pythons: Option<PathBuf>,
    /// Whether it may fetch.
    pub(crate) online: bool,
    /// Whether the versions are fixed in a file beside the script.
    pub(crate) locked: bool,
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
}

/// Why there is no environment.
#[derive(Debug)]
pub(crate) enum PrepareError {
    /// The cache cannot be made.
    Cache(PathBuf, std::io::Error),
    /// uv did not run.
    Run(RunError),
    /// uv said no, and this.
    Failed(String),
    /// The caller cancelled it.
    Cancelled,
}

impl Preparation {
    /// What there is to do on this ground for a script of `skill`; nothing without a home for the
    /// cache.
    pub(crate) fn plan(
        ground: &ScriptGround,
        (uv, skill): (&Path, &Path),
        (law, trust): (&ScriptLaw, Trust),
        locked: bool,
    ) -> Option<Self> {
        let mut own = digest::hex(&digest::sha256(skill.as_os_str().as_encoded_bytes()));
        own.truncate(16);
        let cache = ground.home.as_ref()?.join("cache/uv").join(own);
        let data = ground.variable("XDG_DATA_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(ground.variable("HOME")?).join(".local/share"));
        let named = ground.variable("UV_PYTHON_INSTALL_DIR").map(PathBuf::from);
        let usual = || Some(data.or_else(home)?.join("uv/python"));
        let pythons = named.or_else(usual).filter(|path| path.is_absolute());
        Some(Self {
            uv: uv.to_owned(),
            cache,
            pythons: pythons.filter(|path| ground::exists(path)),
            online: trust == Trust::Approved && law.network != ScriptNetwork::Off,
            locked,
            reaching: ground
                .variables
                .iter()
                .filter(|(name, _)| REACHING.iter().any(|known| name == known))
                .cloned()
                .collect(),
        })
    }

    /// Has uv make the environment for `script`, which lies in `skill`.
    pub(crate) fn prepare(
        &self,
        script: &Path,
        skill: &Path,
        (runner, cancel, walls): (&Runner, &Cancel, &Confinement),
    ) -> Result<Prepared, PrepareError> {
        ground::private_directory(&self.cache)
            .map_err(|error| PrepareError::Cache(self.cache.clone(), error))?;
        let confinement = self.confinement(skill, walls);
        let uv = |words: &[&str]| {
            let mut invocation = Invocation::new(&self.uv);
            invocation.args = words.iter().map(OsString::from).collect();
            invocation.args.extend(["--no-config".into(), "--script".into(), script.into()]);
            let outcome =
                runner.run(&invocation, &confinement, cancel).map_err(PrepareError::Run)?;
            answer(&outcome)
        };
        uv(if self.locked { &["sync", "--quiet", "--frozen"] } else { &["sync", "--quiet"] })?;
        let found = uv(&["python", "find"])?;
        let python = PathBuf::from(found.trim());
        if !python.starts_with(&self.cache) {
            let shown = python.display();
            return Err(PrepareError::Failed(format!("uv named `{shown}`, which is not its own")));
        }
        let environment = python.parent().and_then(Path::parent).unwrap_or(&python).to_owned();
        let mut reads = vec![environment];
        reads.extend(self.pythons.clone());
        Ok(Prepared { python, reads })
    }

    /// The walls around uv: as hard as the script's own.
    fn confinement(&self, skill: &Path, walls: &Confinement) -> Confinement {
        let mut read = vec![self.uv.clone(), skill.to_owned()];
        read.extend(self.pythons.clone());
        let mut environment = metier_sandbox::environment::build(&[], &[]);
        let mut set = |name: &str, value: OsString| environment.push((name.into(), value));
        set("UV_CACHE_DIR", self.cache.clone().into());
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
            write: vec![self.cache.clone()],
            network: if self.online { Network::Full } else { Network::Off },
            environment,
            limits: Limits {
                wall_ms: PREPARE_SECONDS * 1000,
                cpu_seconds: PREPARE_SECONDS,
                file_size: 2 << 30,
                ..Limits::default()
            },
            level: walls.level,
            scratch: walls.scratch.clone(),
        }
    }
}

/// What uv printed, or what it complained about.
fn answer(outcome: &Outcome) -> Result<String, PrepareError> {
    use metier_sandbox::Status;
    match outcome.status {
        Status::Exit(0) => Ok(String::from_utf8_lossy(&outcome.stdout.bytes).into_owned()),
        Status::Cancelled => Err(PrepareError::Cancelled),
        status => {
            let said = String::from_utf8_lossy(&outcome.stderr.bytes);
            Err(PrepareError::Failed(format!("uv: {status}\n{}", said.trim())))
        }
    }
}
