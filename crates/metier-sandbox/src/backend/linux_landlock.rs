//! Landlock and seccomp on the machine's own file system tree, for systems that forbid namespaces.
//!
//! What it does not hide: names, sizes and times of files outside (Landlock does not watch `stat`),
//! and that other processes exist. What Landlock does not watch but a child could change (modes,
//! owners, times and attributes of files it owns, limits and priorities of its user's other
//! processes) the system call filter refuses altogether, in the private directory too.

use super::{
    Backend, Ground, Mechanism, Shape, Support, Walls, bounds, memory_wall, sweep_wall,
    syscalls_wall,
};
use crate::confinement::{Confinement, Network};
use crate::wire::{
    Access, Bind, LandlockPlan, ProcessCap, Rules, Sockets, Surroundings, TcpRule, Tree,
};

/// Before this version a file that may only be read could still be cut to nothing.
const TRUNCATE: u32 = 3;

/// Before this version a signal could reach any process of the same user.
const SIGNALS: u32 = 6;

pub(crate) struct LinuxLandlock;

impl Backend for LinuxLandlock {
    fn walls(&self, confinement: &Confinement, support: &Support) -> Walls {
        Walls {
            filesystem: filesystem_wall(support),
            network: network_wall(confinement, support),
            syscalls: syscalls_wall(support),
            processes: processes_wall(confinement, support),
            memory: memory_wall(support),
            disk: Ok(match &confinement.scratch {
                Some(scratch) => format!("sampled-{}", scratch.bytes),
                None => "no private directory".to_owned(),
            }),
            tree: Ok(sweep_wall(support)),
        }
    }

    fn shape(&self, confinement: &Confinement, support: &Support, ground: &Ground) -> Shape {
        let off = confinement.network == Network::Off;
        let sockets = if off { Sockets::Pairs } else { Sockets::Internet };
        Shape {
            tree: Tree::Sweep,
            landlock: (support.landlock > 0).then(|| landlock(confinement, support, ground)),
            seccomp: support
                .seccomp
                .then_some(Rules { sockets, surroundings: Surroundings::Shared }),
            drop_capabilities: true,
            processes: if support.superuser { ProcessCap::Unset } else { ProcessCap::OnTop },
        }
    }
}

fn filesystem_wall(support: &Support) -> Mechanism {
    match support.landlock {
        0 => Err("this kernel has no Landlock".to_owned()),
        abi if abi < TRUNCATE => Err(format!("Landlock {abi} does not guard truncation")),
        abi => Ok(format!("landlock-{abi}")),
    }
}

fn network_wall(confinement: &Confinement, support: &Support) -> Mechanism {
    match (&confinement.network, support.seccomp) {
        (Network::Full, _) => Ok("open, as asked".to_owned()),
        (Network::Off, true) => Ok("seccomp".to_owned()),
        (Network::Off, false) => Err("seccomp does not work here".to_owned()),
        _ => Err("loopback alone needs a network namespace".to_owned()),
    }
}

fn processes_wall(confinement: &Confinement, support: &Support) -> Mechanism {
    if support.landlock < SIGNALS {
        return Err("signals to other processes need Landlock 6 or namespaces".to_owned());
    }
    if bounds(support, |groups| groups.processes) {
        return Ok(format!("landlock-scope+cgroup-pids-{}", confinement.limits.processes));
    }
    if support.superuser {
        return Err("the superuser's processes can only be bounded in a namespace".to_owned());
    }
    Ok(format!("landlock-scope+rlimit-nproc-{}", confinement.limits.processes))
}

pub(super) fn landlock(
    confinement: &Confinement,
    support: &Support,
    ground: &Ground,
) -> LandlockPlan {
    let read = ground.read.iter().map(|p| Bind { path: p.clone().into(), access: Access::Read });
    let write = ground.write.iter().map(|p| Bind { path: p.clone().into(), access: Access::Write });
    let devices = ground.devices.iter();
    let devices = devices.map(|p| Bind { path: p.clone().into(), access: Access::Device });
    // The child's own entry only; other processes' environments stay closed.
    let own = std::iter::once(Bind { path: "/proc/self".into(), access: Access::Read });
    let tcp = if confinement.network == Network::Off { TcpRule::Deny } else { TcpRule::Free };
    let rules = read.chain(write).chain(devices).chain(own).collect();
    LandlockPlan { abi: support.landlock, tcp, rules }
}
