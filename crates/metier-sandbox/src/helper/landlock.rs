//! Landlock: rules on the tree as it is, kept by the kernel. Everything the found version can watch
//! is watched; what a rule does not name is refused.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags};

use super::sys::{self, RulesetAttributes};
use super::{Broken, Step};
use crate::wire::{Access, Bind, LandlockPlan, ScratchPlan, TcpRule};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

const TCP: u64 = 0b11;

/// Abstract sockets and signals of processes outside.
const SCOPES: u64 = 0b11;

/// What the versions watch.
const FIRST: u64 = (1 << 13) - 1;
const SINCE: &[(u32, u64)] = &[(2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)];
const TCP_SINCE: u32 = 4;
const SCOPES_SINCE: u32 = 6;

/// Rights that have a meaning for something that is not a directory.
const FILE_RIGHTS: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/// The ruleset, ready to be put on. Paths are opened here, so this comes while they can be.
pub(super) fn ruleset(
    plan: &LandlockPlan,
    scratch: Option<&ScratchPlan>,
) -> Result<OwnedFd, Broken> {
    let attributes = attributes(plan);
    let ruleset = sys::landlock_ruleset(&attributes, attributes_size(plan.abi)).step("Landlock")?;
    let own = scratch.map(|s| Bind { path: s.path.clone(), access: Access::Write });
    for rule in plan.rules.iter().chain(own.as_ref()) {
        allow(&ruleset, rule, attributes.files)?;
    }
    Ok(ruleset)
}

/// Puts the ruleset on this process for good.
pub(super) fn restrict(ruleset: &OwnedFd) -> Result<(), Broken> {
    sys::landlock_restrict(ruleset.as_fd()).step("Landlock")
}

fn attributes(plan: &LandlockPlan) -> RulesetAttributes {
    let since = SINCE.iter().filter(|(version, _)| plan.abi >= *version);
    let tcp = plan.abi >= TCP_SINCE && plan.tcp == TcpRule::Deny;
    RulesetAttributes {
        files: since.fold(FIRST, |all, (_, right)| all | right),
        network: if tcp { TCP } else { 0 },
        scoped: if plan.abi >= SCOPES_SINCE { SCOPES } else { 0 },
    }
}

/// Older kernels refuse a structure longer than they know.
fn attributes_size(abi: u32) -> usize {
    match abi {
        0..TCP_SINCE => 8,
        TCP_SINCE..SCOPES_SINCE => 16,
        _ => 24,
    }
}

fn rights(access: Access) -> u64 {
    let read = EXECUTE | READ_FILE | READ_DIR;
    match access {
        Access::Read => read,
        // Everything but device files, which nobody needs in a project.
        Access::Write => (FIRST | REFER | TRUNCATE) & !(MAKE_CHAR | MAKE_BLOCK),
        Access::Device => READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    }
}

fn allow(ruleset: &OwnedFd, rule: &Bind, watched: u64) -> Result<(), Broken> {
    let name = rule.path.path();
    let step = format!("Landlock for `{}`", name.display());
    let path = rustix::fs::open(name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).step(&step)?;
    let kind = rustix::fs::fstat(&path).step(&step)?.st_mode;
    let directory = FileType::from_raw_mode(kind) == FileType::Directory;
    let meaningful = if directory { u64::MAX } else { FILE_RIGHTS };
    let rights = rights(rule.access) & watched & meaningful;
    sys::landlock_allow(ruleset.as_fd(), path.as_fd(), rights).step(&step)
}

#[cfg(test)]
#[path = "landlock_tests.rs"]
mod tests;
