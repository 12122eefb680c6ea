//! Looking at the tree from time to time, for what no limit of the kernel bounds: the memory of all
//! processes together, and the private directory where it lies on the machine's disk.

#![expect(
    clippy::disallowed_methods,
    reason = "reads the kernel's lists of processes in `/proc` and the clock"
)]

use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::time::Timespec;

use super::group::Group;
use super::{scratch, sys};
use crate::limits::Limit;
use crate::wire::ScratchPlan;

/// How long between two looks at most, however much room there is.
const LONGEST: Duration = Duration::from_millis(50);

/// How long between two looks at least, however little room there is.
const SHORTEST: Duration = Duration::from_millis(2);

/// Bytes a tree is thought to fill in a millisecond: more than a handful of cores can. The time to
/// the next look follows from it and from the room that is left, so that a tree is seen before it
/// is far over its limit.
const FILLED_PER_MS: u64 = 8 << 20;

/// A look never takes more than this share of the time.
const SHARE_OF_TIME: u32 = 4;

/// The private directory is walked only every so many looks; a walk costs more than a look.
const WALK_EVERY: u32 = 4;

/// What is looked at.
pub(super) struct Watch<'a> {
    memory: u64,
    scratch: Option<(PathBuf, u64, u64)>,
    group: Option<&'a Group>,
    looks: u32,
    last: Instant,
    pause: Duration,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        memory: u64,
        scratch: Option<&ScratchPlan>,
        group: Option<&'a Group>,
    ) -> Self {
        let scratch = scratch.map(|s| (s.path.path().to_owned(), s.bytes, s.entries));
        let pause = pause(memory, 0);
        Self { memory, scratch, group, looks: 0, last: Instant::now(), pause }
    }

    /// Waits until one of the descriptors is ready or it is time to look.
    pub(super) fn wait(&self, descriptors: &[BorrowedFd<'_>]) {
        let mut fds: Vec<_> = descriptors.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: self.pause.subsec_nanos().into() };
        // An interruption is as good as something to do: the caller looks and comes back.
        let _ = rustix::event::poll(&mut fds, Some(&timeout));
    }

    /// The limit that is exceeded, if it is time to look and one is.
    pub(super) fn over_limit(&mut self, tree: fn() -> Vec<libc::pid_t>) -> Option<Limit> {
        // By the clock and not by an idle wait: a child can see to it that there is always something
        // to do.
        if self.last.elapsed() < self.pause {
            return None;
        }
        let start = Instant::now();
        let limit = self.look(tree);
        self.last = Instant::now();
        self.pause = self.pause.max(start.elapsed() * SHARE_OF_TIME);
        limit
    }

    /// What the kernel knows after the child's end that no look saw.
    pub(super) fn at_the_end(&self) -> Option<Limit> {
        self.group.is_some_and(Group::ran_out_of_memory).then_some(Limit::Memory)
    }

    fn look(&mut self, tree: fn() -> Vec<libc::pid_t>) -> Option<Limit> {
        self.looks = self.looks.wrapping_add(1);
        let used = used(self.memory, &tree());
        self.pause = pause(self.memory, used);
        // What one process had that came and went between two looks is known from its end.
        let most = used.max(sys::children_usage().1);
        if most > self.memory || self.group.is_some_and(Group::ran_out_of_memory) {
            return Some(Limit::Memory);
        }
        if !self.looks.is_multiple_of(WALK_EVERY) {
            return None;
        }
        let (path, bytes, entries) = self.scratch.as_ref()?;
        let (used, seen) = scratch::measure(path, *bytes, *entries);
        let full = used.saturating_add(nameless(path, &tree())) > *bytes || seen > *entries;
        full.then_some(Limit::Scratch)
    }
}

/// How many ended processes are dealt with before anything else gets its turn again.
const AT_ONCE: usize = 256;

/// Waits for children that have ended, some at a time. The status of `child`, if it is one of them.
pub(super) fn reap_some(child: libc::pid_t) -> Option<i32> {
    for _ in 0..AT_ONCE {
        let Ok(Some((pid, status))) = sys::reap(-1, false) else { return None };
        if pid == child {
            return Some(status);
        }
    }
    None
}

/// Empties a signal descriptor; who ended is asked of the kernel, not of it.
pub(super) fn drain(signals: &OwnedFd) {
    let mut buffer = [0; 1024];
    while matches!(rustix::io::read(signals, &mut buffer), Ok(count) if count > 0) {}
}

/// Every process but this one. In a process-id namespace of its own that is the tree.
pub(super) fn everybody() -> Vec<libc::pid_t> {
    let myself = rustix::process::getpid().as_raw_pid();
    processes().into_iter().filter(|pid| *pid != myself).collect()
}

/// Every living process beneath this one. Costs one small file per process on the machine.
pub(super) fn descendants() -> Vec<libc::pid_t> {
    let mut found = vec![rustix::process::getpid().as_raw_pid()];
    let mut rest: Vec<(libc::pid_t, libc::pid_t)> =
        processes().into_iter().filter_map(parent).collect();
    let mut next = 0;
    while let Some(above) = found.get(next).copied() {
        let (children, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, p)| *p == above);
        found.extend(children.into_iter().map(|(pid, _)| pid));
        rest = others;
        next += 1;
    }
    found.split_off(1)
}

/// Threads of this user on the whole machine.
pub(super) fn threads_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let uid = rustix::process::getuid().as_raw();
    let mine = processes().into_iter().filter(|pid| {
        std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|entry| entry.uid() == uid)
    });
    mine.filter_map(|pid| field(pid, 17)).sum()
}

fn processes() -> Vec<libc::pid_t> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// A living process and its parent.
fn parent(pid: libc::pid_t) -> Option<(libc::pid_t, libc::pid_t)> {
    let text = stat(pid)?;
    let mut fields = text.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z" && state != "X").then_some((pid, parent))
}

/// A number from `/proc/PID/stat`, counted from the state as 0.
fn field(pid: libc::pid_t, index: usize) -> Option<u64> {
    stat(pid)?.split(' ').nth(index)?.parse().ok()
}

/// `/proc/PID/stat` after the name, which may itself hold spaces and parentheses.
fn stat(pid: libc::pid_t) -> Option<String> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    text.rsplit_once(") ").map(|(_, rest)| rest.to_owned())
}

/// Bytes in files that these processes hold open on the directory's disk and that no longer have a
/// name: what a walk cannot see.
fn nameless(directory: &Path, tree: &[libc::pid_t]) -> u64 {
    let Ok(disk) = rustix::fs::stat(directory).map(|stat| stat.st_dev) else { return 0 };
    let mut files = BTreeMap::new();
    for pid in tree {
        let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        for entry in entries.flatten() {
            let Ok(stat) = rustix::fs::stat(entry.path()) else { continue };
            if stat.st_dev == disk && stat.st_nlink == 0 {
                files.insert(stat.st_ino, scratch::on_disk(&stat));
            }
        }
    }
    files.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
}

/// The memory these processes hold. The quick sum counts shared pages once per process; only when
/// that is too much is each page counted once.
fn used(limit: u64, tree: &[libc::pid_t]) -> u64 {
    let quick = tree.iter().map(|pid| resident(*pid)).sum();
    if quick > limit { tree.iter().map(|pid| proportional(*pid)).sum() } else { quick }
}

/// How long until the next look: as long as a tree needs to fill the room it has left.
fn pause(limit: u64, used: u64) -> Duration {
    Duration::from_millis(limit.saturating_sub(used) / FILLED_PER_MS).clamp(SHORTEST, LONGEST)
}

fn resident(pid: libc::pid_t) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/statm")) else { return 0 };
    let pages: u64 = text.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// The share of each page that falls on this process; all of it when the kernel does not say.
fn proportional(pid: libc::pid_t) -> u64 {
    let share =
        std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("Pss:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        });
    share.map_or_else(|| resident(pid), |kilobytes| kilobytes * 1024)
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
