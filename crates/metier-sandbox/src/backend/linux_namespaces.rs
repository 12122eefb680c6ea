//! Namespaces: the child has users, mounts, processes, network, IPC and a host name of its own, and
//! a file system tree made only of what it may see. Landlock and seccomp stand inside as a second
//! wall where the kernel has them.

use super::{
    Backend, Ground, Mechanism, Shape, Support, Walls, bounds, memory_wall, syscalls_wall,
};
use crate::confinement::{Confinement, Network};
use crate::wire::{
    Access, Bind, LandlockPlan, Link, NamespacePlan, NetworkPlan, ProcessCap, Rules, Sockets,
    Surroundings, TcpRule, Tree,
};

/// Process ids below this are not given out again once a namespace has counted past them, so room
/// for the limit has to lie above it.
const RESERVED_PIDS: u64 = 300;

pub(crate) struct LinuxNamespaces;

impl Backend for LinuxNamespaces {
    fn walls(&self, confinement: &Confinement, support: &Support) -> Walls {
        let stands = |what: Mechanism| match &support.namespaces_problem {
            Some(problem) => Err(format!("namespaces do not work here ({problem})")),
            None => what,
        };
        Walls {
            filesystem: stands(Ok(match support.landlock {
                0 => "mount-namespace".to_owned(),
                abi => format!("mount-namespace+landlock-{abi}"),
            })),
            network: stands(Ok(network_wall(confinement, support))),
            syscalls: syscalls_wall(support),
            processes: stands(processes_wall(confinement, support)),
            memory: memory_wall(support),
            disk: stands(Ok(match &confinement.scratch {
                Some(scratch) => format!("tmpfs-{}", scratch.bytes),
                None => "no private directory".to_owned(),
            })),
            tree: stands(Ok("pid-namespace".to_owned())),
        }
    }

    fn shape(&self, confinement: &Confinement, support: &Support, ground: &Ground) -> Shape {
        Shape {
            tree: Tree::Namespaces(namespaces(confinement, support, ground)),
            landlock: (support.landlock > 0).then(|| landlock(confinement, support, ground)),
            seccomp: support.seccomp.then(|| rules(confinement)),
            drop_capabilities: true,
            processes: ProcessCap::Exact,
        }
    }
}

fn network_wall(confinement: &Confinement, support: &Support) -> String {
    match (&confinement.network, support.seccomp) {
        (Network::Off, true) => "network-namespace+seccomp",
        (Network::Full, _) => "open, as asked",
        _ => "network-namespace",
    }
    .to_owned()
}

fn processes_wall(confinement: &Confinement, support: &Support) -> Mechanism {
    let limit = confinement.limits.processes;
    if bounds(support, |groups| groups.processes) {
        return Ok(format!("pid-namespace+cgroup-pids-{limit}"));
    }
    match (support.superuser, support.pid_max) {
        (false, _) => Ok(format!("pid-namespace+rlimit-nproc-{limit}")),
        (true, true) => Ok(format!("pid-namespace-{}", pid_max(limit))),
        (true, false) => Err("this kernel cannot bound the superuser's processes".to_owned()),
    }
}

fn pid_max(limit: u64) -> u64 {
    RESERVED_PIDS.saturating_add(limit.max(1)).min(4_000_000)
}

fn namespaces(confinement: &Confinement, support: &Support, ground: &Ground) -> NamespacePlan {
    let bind = |access| move |path: &std::path::PathBuf| Bind { path: path.clone().into(), access };
    let devices = ground.devices.iter().map(bind(Access::Device));
    let links = ground.links.iter();
    NamespacePlan {
        network: match confinement.network {
            Network::Full => NetworkPlan::Shared,
            Network::Loopback => NetworkPlan::OwnWithLoopback,
            Network::Off | Network::Hosts(_) => NetworkPlan::Own,
        },
        binds: ground
            .read
            .iter()
            .map(bind(Access::Read))
            .chain(ground.write.iter().map(bind(Access::Write)))
            .chain(devices)
            .collect(),
        links: links
            .map(|(at, to)| Link { at: at.clone().into(), to: to.clone().into() })
            .collect(),
        pid_max: support.pid_max.then(|| pid_max(confinement.limits.processes)),
    }
}

/// Inside, everything visible may be read, so one rule covers it; what may be written is named.
fn landlock(confinement: &Confinement, support: &Support, ground: &Ground) -> LandlockPlan {
    let mut rules = vec![Bind { path: "/".into(), access: Access::Read }];
    let write = ground.write.iter().map(|path| path.clone().into());
    rules.extend(write.map(|path| Bind { path, access: Access::Write }));
    let devices = ground.devices.iter().map(|path| path.clone().into());
    rules.extend(devices.map(|path| Bind { path, access: Access::Device }));
    let tcp = if confinement.network == Network::Off { TcpRule::Deny } else { TcpRule::Free };
    LandlockPlan { abi: support.landlock, tcp, rules }
}

fn rules(confinement: &Confinement) -> Rules {
    let sockets =
        if confinement.network == Network::Off { Sockets::Pairs } else { Sockets::Internet };
    Rules { sockets, surroundings: Surroundings::Own }
}
