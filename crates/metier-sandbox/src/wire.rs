//! What the runner and its helper say to each other: one [`Plan`] in, one [`Report`] out.
//!
//! The plan holds no decision left to make. The helper does exactly what it says or fails; it never
//! does less.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::{Limit, Limits};

/// The name under which a program is started as a helper. No person types it.
pub(crate) const MARKER: &str = "metier-sandbox-helper";

/// Where `bwrap` finds the helper inside, and the name it then has. No person types it.
pub(crate) const INNER: &str = "/run/metier-sandbox-helper";

/// Everything the helper has to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) job: Job,
    pub(crate) limits: Limits,
    pub(crate) scratch: Option<ScratchPlan>,
    pub(crate) tree: Tree,
    pub(crate) landlock: Option<LandlockPlan>,
    pub(crate) seccomp: Option<Rules>,
    pub(crate) drop_capabilities: bool,
    pub(crate) processes: ProcessCap,
    /// The control group the child is born into, where one can be made.
    pub(crate) group: Option<GroupPlan>,
}

/// What to run; nothing at all when the plan only finds out whether the walls can be built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Job {
    Probe,
    Run { program: Bytes, args: Vec<Bytes>, environment: Vec<(Bytes, Bytes)>, cwd: Bytes },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScratchPlan {
    pub(crate) bytes: u64,
    pub(crate) entries: u64,
    /// Where it lies: in the child's own tree, or on the machine.
    pub(crate) path: Bytes,
}

/// A control group to be made, with the limits its controllers can hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct GroupPlan {
    pub(crate) path: Bytes,
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u64>,
}

/// How the whole tree of processes is ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Tree {
    /// Everything lives in namespaces of its own and dies with their first process.
    Namespaces(NamespacePlan),
    /// The same, made by `bwrap`.
    Bubblewrap(BubblewrapPlan),
    /// The supervisor adopts every orphan and kills until none is left.
    Sweep,
}

/// The program and its arguments, without the end that only the helper knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BubblewrapPlan {
    pub(crate) program: Bytes,
    pub(crate) words: Vec<Bytes>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct NamespacePlan {
    pub(crate) network: NetworkPlan,
    pub(crate) binds: Vec<Bind>,
    pub(crate) links: Vec<Link>,
    /// The highest process id, where the kernel keeps one per namespace.
    pub(crate) pid_max: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) enum NetworkPlan {
    #[default]
    Own,
    OwnWithLoopback,
    Shared,
}

/// A real path made visible at the same place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bind {
    pub(crate) path: Bytes,
    pub(crate) access: Access,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Access {
    Read,
    Write,
    Device,
}

/// A name that leads to a real path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) at: Bytes,
    pub(crate) to: Bytes,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LandlockPlan {
    pub(crate) abi: u32,
    pub(crate) tcp: TcpRule,
    pub(crate) rules: Vec<Bind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TcpRule {
    Deny,
    Free,
}

/// What the system call filter lets through besides what it never lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub(crate) sockets: Sockets,
    pub(crate) surroundings: Surroundings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sockets {
    /// Connected pairs only.
    Pairs,
    /// Pairs, and TCP and UDP over IP.
    Internet,
}

/// What lies around the child once the other walls stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Surroundings {
    /// Its own process ids and file system: nothing to reach.
    Own,
    /// The machine's. Calls that change what Landlock does not watch (modes, owners, times,
    /// priorities, limits of others) are refused.
    Shared,
}

/// How `RLIMIT_NPROC`, which counts all processes of a user, is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ProcessCap {
    /// The user is counted from zero in the child's own user namespace.
    Exact,
    /// What the user already runs comes on top.
    OnTop,
    /// Not set.
    Unset,
}

/// How it went, from the helper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) failure: Option<Failure>,
    /// The child's raw wait status, when it ended by itself.
    pub(crate) wait: Option<i32>,
    /// The limit the supervisor stopped it for.
    pub(crate) limit: Option<Limit>,
    pub(crate) cpu_micros: u64,
    pub(crate) max_rss: u64,
}

/// A step of the helper that failed before the program started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) step: String,
    pub(crate) errno: i32,
    /// Whether the step was the start of the program itself.
    pub(crate) start: bool,
}

/// Bytes that are mostly text, spelled in JSON as one character per byte: short, and no byte is
/// lost.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    pub(crate) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<OsString> for Bytes {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

impl From<PathBuf> for Bytes {
    fn from(path: PathBuf) -> Self {
        path.into_os_string().into()
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|byte| char::from(*byte)).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        bytes.map(Self).map_err(|_| serde::de::Error::custom("a character that is no byte"))
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
