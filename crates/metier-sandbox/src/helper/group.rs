//! A control group (version 2) around one child: the kernel counts its memory and its processes
//! over the whole tree, and kills all of it with one write.
//!
//! Never required. A group can be made by the superuser and in a subtree that was delegated to the
//! user; [`find`] tries. Which controllers it then has is the system's choice, and only what is
//! there is used and said. The supervisor makes the group and stays outside; the child is born in
//! it, because moving a process into a group waits for every processor.

#![expect(
    clippy::disallowed_methods,
    reason = "makes, reads and removes directories of the control group file system"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, Mode, OFlags};

use super::{Broken, Step};
use crate::backend::ControlGroups;
use crate::wire::GroupPlan;

/// How often the removal of a group is tried, a millisecond apart: the last process may still be
/// on its way out.
const REMOVALS: u32 = 500;

/// A group that was made for one child.
pub(super) struct Group {
    directory: OwnedFd,
    path: PathBuf,
    /// What the kernel counted, where it counts memory.
    events: Option<OwnedFd>,
}

impl Group {
    /// Makes the group with the limits of the plan. Does all of it or fails.
    pub(super) fn make(plan: &GroupPlan) -> Result<Self, Broken> {
        let path = plan.path.path();
        std::fs::create_dir(path).step("the control group")?;
        let group = Self::furnish(path, plan);
        if group.is_err() {
            let _ = std::fs::remove_dir(path);
        }
        group
    }

    fn furnish(path: &Path, plan: &GroupPlan) -> Result<Self, Broken> {
        let set = |name: &str, value: String| {
            std::fs::write(path.join(name), value).step(&format!("the control group's `{name}`"))
        };
        if let Some(bytes) = plan.memory {
            set("memory.max", bytes.to_string())?;
            set("memory.oom.group", "1".to_owned())?;
            // Not there without swap, and then not needed.
            let _ = std::fs::write(path.join("memory.swap.max"), "0");
        }
        if let Some(count) = plan.processes {
            set("pids.max", count.to_string())?;
        }
        let open =
            |path: &Path, flags| rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty());
        let directory = open(path, OFlags::PATH | OFlags::DIRECTORY).step("the control group")?;
        let events = plan.memory.map(|_| open(&path.join("memory.events"), OFlags::RDONLY));
        let events = events.transpose().step("the control group's events")?;
        Ok(Self { directory, path: path.to_owned(), events })
    }

    /// Where a child is born into.
    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Whether the kernel ended anything in it for its memory.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let mut text = [0; 512];
        let Some(events) = &self.events else { return false };
        let Ok(count) = rustix::io::pread(events, &mut text, 0) else { return false };
        kills(&String::from_utf8_lossy(text.get(..count).unwrap_or_default())) > 0
    }

    /// Kills everything in it, where the kernel can do that at once.
    pub(super) fn kill(&self) {
        kill(&self.path);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Ends what is left of a group whose supervisor is gone, and removes it.
pub(crate) fn end(path: &Path) {
    kill(path);
    remove(path);
}

/// Where this process may make groups, and what they have: in its own group, or beside it.
pub(crate) fn find() -> Option<ControlGroups> {
    let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let own = place(&own, &mounts)?;
    let mut found: Vec<_> = [Some(own.as_path()), own.parent()].into_iter().flatten().collect();
    found.dedup();
    found.into_iter().filter_map(offers).max_by_key(|groups| groups.memory)
}

/// The directory of the group of this process, from `/proc/self/cgroup` and `mountinfo`.
fn place(own: &str, mounts: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    if own.starts_with("..") {
        return None;
    }
    let mount = mounts.lines().find_map(|line| {
        let (head, tail) = line.split_once(" - ")?;
        let mut fields = head.split(' ');
        let (root, at) = (fields.nth(3)?, fields.next()?);
        (tail.starts_with("cgroup2 ") && root == "/").then_some(at)
    })?;
    Some(Path::new(mount).join(own))
}

/// What a group made in this directory would have; found out by making one.
fn offers(parent: &Path) -> Option<ControlGroups> {
    rustix::fs::access(parent.join("cgroup.procs"), Access::WRITE_OK).ok()?;
    let try_path = parent.join(format!("metier-{}-try", std::process::id()));
    std::fs::create_dir(&try_path).ok()?;
    let has = |name: &str| rustix::fs::access(try_path.join(name), Access::WRITE_OK).is_ok();
    let groups = ControlGroups {
        parent: parent.to_owned(),
        memory: has("memory.max") && has("memory.oom.group"),
        processes: has("pids.max"),
        kill: has("cgroup.kill"),
    };
    remove(&try_path);
    Some(groups)
}

/// The count behind `oom_kill` in `memory.events`.
fn kills(events: &str) -> u64 {
    let count = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

fn kill(path: &Path) {
    // Without the file the tree is ended one process after another.
    let _ = std::fs::write(path.join("cgroup.kill"), "1");
}

/// A group can be removed once nobody is in it. One that stays is empty and costs nothing.
fn remove(path: &Path) {
    for _ in 0..REMOVALS {
        match std::fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => return,
        }
    }
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
