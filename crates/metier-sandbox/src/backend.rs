//! Ways to build the walls, and which of them a run gets.
//!
//! A backend is pure: from a [`Confinement`] and what this system offers ([`Support`]) it says
//! which mechanism stands behind each wall, or why none does, and gives the plan that the helper
//! carries out. `choose` takes the first backend that builds every wall. There is no silent
//! second best: with [`Level::Require`] a missing wall refuses the run.

pub(crate) mod linux_bubblewrap;
pub(crate) mod linux_landlock;
pub(crate) mod linux_namespaces;
pub(crate) mod none;
pub mod seatbelt;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::confinement::{Confinement, Level, Network};
use crate::outcome::{Enforced, Missing, RunError, Wall};
use crate::wire::{Bytes, LandlockPlan, ProcessCap, Rules, Tree};

/// Where the private directory lies in a tree of the child's own.
const SCRATCH_INSIDE: &str = "/tmp";

/// The same when the caller grants the machine's `/tmp`.
const SCRATCH_ASIDE: &str = "/run/scratch";

/// The backends a run can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackendKind {
    /// Namespaces with a file system tree of its own, Landlock and seccomp inside.
    LinuxNamespaces,
    /// The same namespaces made by `bwrap`, where it is installed.
    LinuxBubblewrap,
    /// Landlock and seccomp on the machine's own tree.
    LinuxLandlock,
    /// Limits only.
    None,
}

impl BackendKind {
    /// Best first.
    pub const ALL: [Self; 4] =
        [Self::LinuxNamespaces, Self::LinuxBubblewrap, Self::LinuxLandlock, Self::None];

    /// The name as it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LinuxNamespaces => "linux-namespaces",
            Self::LinuxBubblewrap => "linux-bubblewrap",
            Self::LinuxLandlock => "linux-landlock",
            Self::None => "none",
        }
    }

    fn backend(self) -> &'static dyn Backend {
        match self {
            Self::LinuxNamespaces => &linux_namespaces::LinuxNamespaces,
            Self::LinuxBubblewrap => &linux_bubblewrap::LinuxBubblewrap,
            Self::LinuxLandlock => &linux_landlock::LinuxLandlock,
            Self::None => &none::None,
        }
    }
}

/// What this system offers, found by trying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// The Landlock version, 0 when there is none.
    pub landlock: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Why namespaces with a tree of their own do not work; `None` when they do.
    pub namespaces_problem: Option<String>,
    /// Whether a process-id namespace has a highest id of its own.
    pub pid_max: bool,
    /// Whether the user is the superuser, whom `RLIMIT_NPROC` does not bind.
    pub superuser: bool,
    /// Where control groups can be made, if they can.
    #[serde(default)]
    pub control_groups: Option<ControlGroups>,
    /// The `bwrap` program, where it is installed; where namespaces cannot be made directly it has
    /// also been tried.
    #[serde(default)]
    pub bubblewrap: Option<PathBuf>,
}

/// A place in which this user can make control groups (version 2), and what those have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlGroups {
    /// The directory in which a group is made for each run.
    pub parent: PathBuf,
    /// Whether they bound memory.
    pub memory: bool,
    /// Whether they bound the number of processes.
    pub processes: bool,
    /// Whether all in them can be killed at once.
    pub kill: bool,
}

impl Support {
    /// A system that offers nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            landlock: 0,
            seccomp: false,
            namespaces_problem: Some("not available on this system".to_owned()),
            pid_max: false,
            superuser: false,
            control_groups: None,
            bubblewrap: None,
        }
    }
}

/// The paths of a confinement after symbolic links are resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    /// The devices that are there.
    pub(crate) devices: Vec<PathBuf>,
    /// Names that were given but lead elsewhere, with where they lead.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
}

/// For each wall the mechanism that stands behind it, or why there is none.
pub(crate) struct Walls {
    pub(crate) filesystem: Mechanism,
    pub(crate) network: Mechanism,
    pub(crate) syscalls: Mechanism,
    pub(crate) processes: Mechanism,
    pub(crate) memory: Mechanism,
    pub(crate) disk: Mechanism,
    pub(crate) tree: Mechanism,
}

pub(crate) type Mechanism = Result<String, String>;

impl Walls {
    fn mechanism(&self, wall: Wall) -> &Mechanism {
        match wall {
            Wall::Filesystem => &self.filesystem,
            Wall::Network => &self.network,
            Wall::Syscalls => &self.syscalls,
            Wall::Processes => &self.processes,
            Wall::Memory => &self.memory,
            Wall::Disk => &self.disk,
            Wall::Tree => &self.tree,
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let walls = Wall::ALL.into_iter();
        walls
            .filter_map(|wall| {
                self.mechanism(wall).clone().err().map(|reason| Missing { wall, reason })
            })
            .collect()
    }

    fn enforced(self, backend: &str) -> Enforced {
        let say = |mechanism: Mechanism| mechanism.unwrap_or_else(|_| "none".to_owned());
        Enforced {
            backend: backend.to_owned(),
            filesystem: say(self.filesystem),
            network: say(self.network),
            syscalls: say(self.syscalls),
            processes: say(self.processes),
            memory: say(self.memory),
            disk: say(self.disk),
            tree: say(self.tree),
        }
    }
}

/// The part of a plan that a backend decides.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    pub(crate) tree: Tree,
    pub(crate) landlock: Option<LandlockPlan>,
    pub(crate) seccomp: Option<Rules>,
    pub(crate) drop_capabilities: bool,
    pub(crate) processes: ProcessCap,
}

/// One way to build the walls.
pub(crate) trait Backend {
    /// Which mechanism stands behind each wall for this confinement on this system.
    fn walls(&self, confinement: &Confinement, support: &Support) -> Walls;

    /// What the helper has to do.
    fn shape(&self, confinement: &Confinement, support: &Support, ground: &Ground) -> Shape;
}

/// The chosen backend and what it enforces.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) kind: BackendKind,
    pub(crate) enforced: Enforced,
}

impl Choice {
    pub(crate) fn shape(&self, c: &Confinement, support: &Support, ground: &Ground) -> Shape {
        self.kind.backend().shape(c, support, ground)
    }
}

/// The backend for a run: with `only`, that one; otherwise the first that builds every wall. When
/// none does, [`Level::Prefer`] gets the one that misses fewest, [`Level::Require`] a refusal that
/// names what that one misses. A list of hosts is refused at every level.
pub(crate) fn choose(
    confinement: &Confinement,
    support: &Support,
    only: Option<BackendKind>,
) -> Result<Choice, RunError> {
    if let Network::Hosts(_) = confinement.network {
        let reason = "no mechanism can hold a child to a list of hosts, only to none, to a loopback of \
                      its own, or to all";
        let reason = reason.to_owned();
        let missing = vec![Missing { wall: Wall::Network, reason }];
        return Err(RunError::CannotEnforce { missing });
    }
    if confinement.level == Level::Off {
        let enforced = none::switched_off(confinement, support);
        return Ok(Choice { kind: BackendKind::None, enforced });
    }
    let unasked = |kind: BackendKind| {
        kind != BackendKind::LinuxBubblewrap || support.namespaces_problem.is_some()
    };
    let candidates = BackendKind::ALL.into_iter();
    let candidates = candidates.filter(|kind| only.map_or(unasked(*kind), |o| o == *kind));
    let best = candidates
        .map(|kind| (kind, kind.backend().walls(confinement, support)))
        .min_by_key(|(_, walls)| walls.missing().len());
    let Some((kind, walls)) = best else {
        return Err(RunError::CannotEnforce { missing: Vec::new() });
    };
    let missing = walls.missing();
    if confinement.level == Level::Require && !missing.is_empty() {
        return Err(RunError::CannotEnforce { missing });
    }
    Ok(Choice { kind, enforced: walls.enforced(kind.name()) })
}

/// Memory is bounded the same way everywhere: over the tree by a control group where there is one
/// and by looking where there is none, and per process by a limit of its own.
fn memory_wall(support: &Support) -> Mechanism {
    Ok(match bounds(support, |groups| groups.memory) {
        true => "cgroup-memory+rlimit-data".to_owned(),
        false => return memory_by_looking(),
    })
}

fn memory_by_looking() -> Mechanism {
    Ok("rlimit-data+sampled-tree".to_owned())
}

/// Where the private directory lies in a tree of the child's own.
pub(crate) fn scratch_inside(ground: &Ground) -> Bytes {
    let usual = Path::new(SCRATCH_INSIDE);
    let taken = ground.read.iter().chain(&ground.write).any(|path| path == usual);
    if taken { SCRATCH_ASIDE.into() } else { SCRATCH_INSIDE.into() }
}

/// What ends a tree that has no process-id namespace.
fn sweep_wall(support: &Support) -> String {
    match bounds(support, |groups| groups.kill) {
        true => "cgroup-kill+subreaper-sweep".to_owned(),
        false => "subreaper-sweep".to_owned(),
    }
}

/// Whether a control group can be made that does this.
fn bounds(support: &Support, what: fn(&ControlGroups) -> bool) -> bool {
    support.control_groups.as_ref().is_some_and(what)
}

fn syscalls_wall(support: &Support) -> Mechanism {
    if support.seccomp {
        Ok("seccomp".to_owned())
    } else {
        Err("seccomp does not work here".to_owned())
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
