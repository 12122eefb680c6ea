//! No walls: limits on one process, a private directory, and the end of the whole tree.

use super::{Backend, Ground, Mechanism, Shape, Support, Walls, memory_wall, sweep_wall};
use crate::confinement::{Confinement, Network};
use crate::outcome::Enforced;
use crate::wire::{ProcessCap, Tree};

pub(crate) struct None;

impl Backend for None {
    fn walls(&self, confinement: &Confinement, support: &Support) -> Walls {
        let nothing = || -> Mechanism { Err("no mechanism works here".to_owned()) };
        let open = confinement.network == Network::Full;
        Walls {
            filesystem: nothing(),
            network: if open { Ok("open, as asked".to_owned()) } else { nothing() },
            syscalls: nothing(),
            processes: nothing(),
            memory: memory_wall(support),
            disk: Ok("sampled".to_owned()),
            tree: Ok(sweep_wall(support)),
        }
    }

    fn shape(&self, _: &Confinement, support: &Support, _: &Ground) -> Shape {
        Shape {
            tree: Tree::Sweep,
            landlock: Option::None,
            seccomp: Option::None,
            drop_capabilities: false,
            processes: if support.superuser { ProcessCap::Unset } else { ProcessCap::OnTop },
        }
    }
}

/// What is said of a run whose walls the caller switched off.
pub(crate) fn switched_off(confinement: &Confinement, support: &Support) -> Enforced {
    let off = || "off".to_owned();
    Enforced {
        backend: "none".to_owned(),
        filesystem: off(),
        network: off(),
        syscalls: off(),
        processes: off(),
        memory: memory_wall(support).unwrap_or_default(),
        disk: confinement.scratch.as_ref().map_or("no private directory", |_| "sampled").to_owned(),
        tree: sweep_wall(support),
    }
}
