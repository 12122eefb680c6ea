//! The child's walls as a value: what it may read, write, reach and see, and how hard that is meant.
//!
//! Nothing here acts. A caller builds a [`Confinement`], may print it (`Display`, or JSON through
//! `Serialize`), and hands it to [`Runner::run`](crate::Runner::run). Values of variables are never
//! printed, only their names.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use crate::environment;
use crate::limits::{Limits, SCRATCH_BYTES, SCRATCH_ENTRIES};

/// What one child may read, write, reach, see and use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confinement {
    /// Files and directories the child may read and execute, beyond [`SYSTEM_READS`].
    pub read: Vec<PathBuf>,
    /// Files and directories the child may also change, except those named in `read` inside them,
    /// which stay as they are where the backend mounts; Landlock alone cannot keep them.
    pub write: Vec<PathBuf>,
    /// What the child may reach over a network.
    pub network: Network,
    /// The child's whole environment, except `HOME` and `TMPDIR`, which lie in the private
    /// directory. Printed as names only.
    #[serde(serialize_with = "names_only")]
    pub environment: Vec<(OsString, OsString)>,
    /// How much the child may use.
    pub limits: Limits,
    /// How hard the walls are meant.
    pub level: Level,
    /// The private directory; without one there is nowhere to write but `write`.
    pub scratch: Option<Scratch>,
}

impl Default for Confinement {
    fn default() -> Self {
        Self {
            read: Vec::new(),
            write: Vec::new(),
            network: Network::Off,
            environment: environment::build(&[], &[]),
            limits: Limits::default(),
            level: Level::Require,
            scratch: Some(Scratch::default()),
        }
    }
}

/// What a child may reach over a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nothing, not even itself.
    Off,
    /// A loopback interface of its own; the machine's own loopback is not on it.
    Loopback,
    /// Whatever the machine reaches, the machine's loopback included.
    Full,
    /// The named hosts. No mechanism here can hold a child to names, so this is refused.
    Hosts(Vec<String>),
}

/// How hard the walls are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A wall that cannot be built refuses the run before anything starts.
    Require,
    /// Run inside the walls that can be built, and say which.
    Prefer,
    /// No walls. Limits, the private directory and the end of the whole tree remain.
    Off,
}

/// A fresh private directory, gone after the run. `HOME` and `TMPDIR` point into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scratch {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files and directories.
    pub entries: u64,
    /// Where the directory is made when the child has no file system tree of its own.
    pub base: PathBuf,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { bytes: SCRATCH_BYTES, entries: SCRATCH_ENTRIES, base: PathBuf::from("/tmp") }
    }
}

/// What every child may read: programs, libraries and the public part of their configuration.
///
/// `/etc` as a whole is not in it: it holds password hashes, host keys and tokens. Of `/etc/ssl`
/// only the public certificates are. Accounts are not: a child with its own file system tree sees a
/// made-up `/etc/passwd` with its own name only. What does not exist is passed over.
pub const SYSTEM_READS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/perl",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// What a child that has a network may read besides: how names become addresses.
pub const NETWORK_READS: &[&str] = &[
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
];

/// The devices every child may open. None of them leads anywhere.
pub const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

impl Confinement {
    /// The system paths this child may read.
    pub fn system_reads(&self) -> impl Iterator<Item = &'static str> {
        let network = if self.network == Network::Off { &[][..] } else { NETWORK_READS };
        SYSTEM_READS.iter().chain(network).copied()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Loopback => f.write_str("own loopback only"),
            Self::Full => f.write_str("everything"),
            Self::Hosts(hosts) => write!(f, "only {}", hosts.join(", ")),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Require => "require",
            Self::Prefer => "prefer",
            Self::Off => "off",
        })
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "walls        {}", self.level)?;
        writeln!(f, "read         the system's programs and libraries")?;
        self.read.iter().try_for_each(|p| writeln!(f, "             {}", p.display()))?;
        match &self.scratch {
            Some(s) => writeln!(f, "write        a private directory of {}", size(s.bytes))?,
            None => writeln!(f, "write        no private directory")?,
        }
        self.write.iter().try_for_each(|p| writeln!(f, "             {}", p.display()))?;
        writeln!(f, "network      {}", self.network)?;
        let names: Vec<_> =
            self.environment.iter().map(|(name, _)| name.to_string_lossy()).collect();
        writeln!(f, "environment  {}", names.join(" "))?;
        let l = &self.limits;
        writeln!(f, "time         {} ms, {} s of CPU a process", l.wall_ms, l.cpu_seconds)?;
        writeln!(f, "memory       {}, {} processes", size(l.memory), l.processes)?;
        writeln!(f, "files        {} each, {} open", size(l.file_size), l.open_files)?;
        write!(f, "output       {} and {} of errors", size(l.stdout), size(l.stderr))
    }
}

/// Bytes as a person says them; exact values only.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units.iter().find(|(shift, _)| bytes != 0 && bytes.trailing_zeros() >= *shift);
    match exact {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} bytes"),
    }
}

fn names_only<S: Serializer>(
    environment: &[(OsString, OsString)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(environment.iter().map(|(name, _)| name.to_string_lossy()))
}

#[cfg(test)]
#[path = "confinement_tests.rs"]
mod tests;
