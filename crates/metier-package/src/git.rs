//! The `git` program, run as nobody's agent: the caller's credentials and proxies for talking to a
//! server, nothing of anybody for reading what came.
//!
//! Nothing is ever checked out. A repository is a bare cache of ours ([`repository`]); what is in it
//! is listed and read object by object ([`objects`]). So hooks, filters, attributes, submodules and
//! links of a repository never get to act. Every run goes through the sandbox: with walls for what
//! only reads, without for what needs the caller's keys, agents and helpers, and always with limits.

pub(crate) mod cache;
pub(crate) mod objects;
pub(crate) mod refs;
pub(crate) mod repository;
pub(crate) mod signature;
pub(crate) mod stderr;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use metier_sandbox::{
    Confinement, Invocation, Level, Limit, Limits, Network, Outcome, Overflow, RunError, Scratch,
    Status, Stdin, environment,
};

use crate::fetch::{Fetch, FetchError};
use crate::git::stderr::Failure;
use crate::limits::{LOCAL_SECONDS, MAX_PACK_BYTES, REMOTE_SECONDS};

/// What of the caller's environment git needs to reach a server the way the caller does.
pub(crate) const REMOTE_VARIABLES: &[&str] = &[
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_*",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_VALUE_*",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GNUPGHOME",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PATH",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// What is said to every git: ask nobody, run nothing of the repository's, trust no replacement.
const ALWAYS: &[(&str, &str)] = &[
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// Settings that win over every configuration file.
const SETTINGS: &[&str] = &[
    "advice.detachedHead=false",
    "core.alternateRefsCommand=",
    "core.askPass=",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.symlinks=false",
    "credential.interactive=false",
    "fetch.fsck.badTimezone=ignore",
    "fetch.fsck.missingSpaceBeforeDate=ignore",
    "fetch.fsck.zeroPaddedFilemode=ignore",
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
    "transfer.fsckObjects=true",
];

/// How a git is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach<'a> {
    /// It reads the cache and nothing else.
    Cache,
    /// It reads the cache and this file.
    CacheAnd(&'a std::path::Path),
    /// It talks to a server by these ways of transport.
    Server(&'a str),
    /// It reads the cache and the caller's keyring.
    Keyring,
}

/// Runs git for one fetch.
pub(crate) struct Git<'a> {
    pub(crate) settings: &'a Fetch<'a>,
    /// The bare cache it is run in.
    pub(crate) directory: PathBuf,
}

/// One git command.
pub(crate) struct Command<'a> {
    pub(crate) reach: Reach<'a>,
    pub(crate) settings: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Vec<u8>,
    /// Most bytes it may write; more stops it.
    pub(crate) stdout: u64,
}

impl<'a> Command<'a> {
    pub(crate) fn new(reach: Reach<'a>, args: &[&str]) -> Self {
        Self {
            reach,
            settings: Vec::new(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            stdin: Vec::new(),
            stdout: 1 << 20,
        }
    }
}

/// How a git ended that did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    /// What git said, on one line.
    pub(crate) detail: String,
}

impl Git<'_> {
    /// Runs one command to its end and gives what it wrote.
    pub(crate) fn run(&self, command: Command<'_>) -> Result<Result<Vec<u8>, Failed>, FetchError> {
        let outcome = self.outcome(command)?;
        match outcome.status {
            Status::Exit(0) => Ok(Ok(outcome.stdout.bytes)),
            Status::Cancelled => Err(FetchError::Interrupted),
            status => Ok(Err(failed(status, &outcome.stderr.bytes))),
        }
    }

    /// Runs one command; that it failed is for the caller to judge.
    pub(crate) fn outcome(&self, command: Command<'_>) -> Result<Outcome, FetchError> {
        let confinement = self.confinement(command.reach, command.stdout);
        let mut args: Vec<OsString> = vec!["--no-pager".into()];
        let settings = SETTINGS.iter().map(|s| (*s).to_owned()).chain(command.settings);
        args.extend(settings.flat_map(|setting| [OsString::from("-c"), setting.into()]));
        args.push("--git-dir".into());
        args.push(self.directory.clone().into());
        args.extend(command.args.into_iter().map(OsString::from));
        let stdin = match command.stdin {
            bytes if bytes.is_empty() => Stdin::Closed,
            bytes => Stdin::Bytes(bytes),
        };
        let cwd = Some("/".into());
        let invocation = Invocation { args, cwd, stdin, ..Invocation::new("git") };
        let ran = self.settings.runner.run(&invocation, &confinement, self.settings.cancel);
        ran.map_err(|error| match error {
            RunError::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                FetchError::NoGit
            }
            other => FetchError::Run(other),
        })
    }

    fn confinement(&self, reach: Reach<'_>, stdout: u64) -> Confinement {
        let outside = matches!(reach, Reach::Server(_) | Reach::Keyring);
        let names: &[&str] = if outside { REMOTE_VARIABLES } else { &["PATH"] };
        let mut variables = environment::build(names, self.settings.environment);
        let mut set = |name: &str, value: &str| {
            variables.retain(|(known, _)| known != name);
            variables.push((name.into(), value.into()));
        };
        ALWAYS.iter().for_each(|(name, value)| set(name, value));
        let protocols = match reach {
            Reach::Server(protocols) => protocols,
            // Not the name of any way of transport.
            Reach::Cache | Reach::CacheAnd(_) | Reach::Keyring => "none",
        };
        set("GIT_ALLOW_PROTOCOL", protocols);
        if !outside {
            set("GIT_CONFIG_GLOBAL", "/dev/null");
            set("GIT_CONFIG_NOSYSTEM", "1");
        }
        let seconds = if outside { REMOTE_SECONDS } else { LOCAL_SECONDS };
        let mut read = vec![self.directory.clone()];
        if let Reach::CacheAnd(file) = reach {
            read.push(file.to_owned());
        }
        Confinement {
            read,
            write: Vec::new(),
            network: if outside { Network::Full } else { Network::Off },
            environment: variables,
            limits: Limits {
                wall_ms: seconds * 1000,
                cpu_seconds: seconds,
                file_size: MAX_PACK_BYTES,
                stdout,
                overflow: Overflow::Stop,
                ..Limits::default()
            },
            level: if outside { Level::Off } else { Level::Prefer },
            scratch: (!outside).then(Scratch::default),
        }
    }
}

fn failed(status: Status, stderr: &[u8]) -> Failed {
    let detail = stderr::told(stderr);
    match status {
        Status::Exit(_) => Failed { failure: stderr::classify(stderr), detail },
        Status::TimedOut => Failed { failure: Failure::TimedOut, detail },
        Status::OutOfLimit(Limit::Stdout) => {
            Failed { failure: Failure::TooMuch, detail: status.to_string() }
        }
        other => Failed { failure: Failure::Other, detail: format!("git was {other}") },
    }
}

#[cfg(test)]
#[path = "git_tests.rs"]
mod tests;
