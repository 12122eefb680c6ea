//! Bubblewrap: the same namespaces, made by a program that may be set-user-id. For systems where a
//! user may not make them alone and `bwrap` is installed. Never required, and taken without being
//! asked for only where namespaces cannot be made directly.
//!
//! `bwrap` makes the namespaces and the file system tree and starts this crate's helper as their
//! first process; Landlock, seccomp and the limits are built by that helper as everywhere else. What
//! it has less than namespaces made directly: entries of the private directory are counted by
//! looking, there is no made-up `/etc/passwd`, and the superuser's processes are not bounded.

use std::path::Path;

use super::{
    Backend, Ground, Mechanism, Shape, Support, Walls, linux_landlock, memory_by_looking,
    syscalls_wall,
};
use crate::confinement::{Confinement, Network, Scratch};
use crate::wire::{Access, BubblewrapPlan, Bytes, ProcessCap, Rules, Sockets, Surroundings, Tree};

pub(crate) struct LinuxBubblewrap;

/// Asked of every run. `--unshare-user-try`, because a set-user-id `bwrap` does without.
const ALWAYS: &[&str] = &[
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--hostname",
    "metier",
    "--die-with-parent",
    "--as-pid-1",
];

/// What programs expect to find as files.
const STREAMS: &[(&str, &str)] = &[
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
];

impl Backend for LinuxBubblewrap {
    fn walls(&self, confinement: &Confinement, support: &Support) -> Walls {
        let stands = |what: Mechanism| match support.bubblewrap {
            None => Err("`bwrap` is not installed or does not work here".to_owned()),
            Some(_) => what,
        };
        Walls {
            filesystem: stands(Ok(match support.landlock {
                0 => "bubblewrap".to_owned(),
                abi => format!("bubblewrap+landlock-{abi}"),
            })),
            network: stands(Ok(match (&confinement.network, support.seccomp) {
                (Network::Off, true) => "bubblewrap+seccomp".to_owned(),
                (Network::Full, _) => "open, as asked".to_owned(),
                _ => "bubblewrap".to_owned(),
            })),
            syscalls: syscalls_wall(support),
            processes: stands(match support.superuser {
                true => Err("bubblewrap cannot bound the superuser's processes".to_owned()),
                false => Ok(format!("bubblewrap+rlimit-nproc-{}", confinement.limits.processes)),
            }),
            memory: memory_by_looking(),
            disk: stands(Ok(match &confinement.scratch {
                Some(scratch) => format!("tmpfs-{}+sampled-entries", scratch.bytes),
                None => "no private directory".to_owned(),
            })),
            tree: stands(Ok("bubblewrap-pid-namespace".to_owned())),
        }
    }

    fn shape(&self, confinement: &Confinement, support: &Support, ground: &Ground) -> Shape {
        let sockets = match confinement.network {
            Network::Off => Sockets::Pairs,
            _ => Sockets::Internet,
        };
        let rules = Rules { sockets, surroundings: Surroundings::Own };
        let program = support.bubblewrap.clone().unwrap_or_default();
        let words = words(confinement, ground);
        Shape {
            tree: Tree::Bubblewrap(BubblewrapPlan { program: program.into(), words }),
            landlock: (support.landlock > 0)
                .then(|| linux_landlock::landlock(confinement, support, ground)),
            seccomp: support.seccomp.then_some(rules),
            drop_capabilities: true,
            processes: if support.superuser { ProcessCap::Unset } else { ProcessCap::OnTop },
        }
    }
}

/// The arguments for `bwrap`, without the end that only the helper knows.
fn words(confinement: &Confinement, ground: &Ground) -> Vec<Bytes> {
    let mut words: Vec<Bytes> = ALWAYS.iter().map(|word| Bytes::from(*word)).collect();
    if confinement.network != Network::Full {
        words.push("--unshare-net".into());
    }
    let scratch = confinement.scratch.as_ref().map(|s| (s, super::scratch_inside(ground)));
    if let Some((scratch, at)) = &scratch {
        words.extend(private_directory(scratch, at));
    }
    words.extend(binds(ground));
    words.extend([Bytes::from("--proc"), "/proc".into()]);
    let streams = STREAMS.iter().map(|(to, at)| (Bytes::from(*to), Bytes::from(*at)));
    let shared = scratch.map(|(_, at)| (at, Bytes::from("/dev/shm")));
    let named = ground.links.iter().filter(|(at, _)| !is_covered(at, ground));
    let named = named.map(|(at, to)| (to.clone().into(), at.clone().into()));
    for (to, at) in streams.chain(shared).chain(named) {
        words.extend(["--symlink".into(), to, at]);
    }
    words
}

fn private_directory(scratch: &Scratch, at: &Bytes) -> [Bytes; 6] {
    let size = scratch.bytes.to_string();
    let words = ["--perms", "0700", "--size", size.as_str(), "--tmpfs"];
    let [a, b, c, d, e] = words.map(Bytes::from);
    [a, b, c, d, e, at.clone()]
}

/// What is visible, each at its own place, outer places before those inside them.
fn binds(ground: &Ground) -> Vec<Bytes> {
    let with = |access| move |path: &std::path::PathBuf| (path.clone(), access);
    let read = ground.read.iter().map(with(Access::Read));
    let write = ground.write.iter().map(with(Access::Write));
    let devices = ground.devices.iter().map(with(Access::Device));
    let mut all: Vec<_> = read.chain(write).chain(devices).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let words = all.into_iter().map(|(path, access)| {
        let flag = match access {
            Access::Read => "--ro-bind",
            Access::Write => "--bind",
            Access::Device => "--dev-bind",
        };
        [flag.into(), path.clone().into(), path.into()]
    });
    words.flatten().collect()
}

/// Whether a name lies in a tree that is visible, so that it is there already.
fn is_covered(at: &Path, ground: &Ground) -> bool {
    ground.read.iter().chain(&ground.write).any(|path| at.starts_with(path))
}

#[cfg(test)]
#[path = "linux_bubblewrap_tests.rs"]
mod tests;
