//! The end of a tree without a process-id namespace: the supervisor is told to adopt every orphan
//! beneath it, so that nothing leaves the tree by forking twice or by a new session, and kills until
//! nothing is left.

use std::os::fd::{AsFd, OwnedFd};

use rustix::process::{Pid, Resource, Rlimit, Signal};

use super::group::Group;
use super::sample::{self, Watch};
use super::supervisor::{detach_streams, hide, is_stop, kill, merge, read_some};
use super::sys::{self, Forked};
use super::{Broken, Step, inside, scratch};
use crate::wire::{Plan, Report};

/// Runs the child and ends everything it started.
pub(super) fn run(control: &OwnedFd, plan: &Plan, group: Option<&Group>) -> Result<Report, Broken> {
    let myself = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(myself)).step("the adoption of orphans")?;
    let directory = plan.scratch.as_ref().map(|scratch| scratch.path.path());
    if let Some(directory) = directory {
        scratch::make(directory).step("the private directory")?;
    }
    let report = start_and_watch(control, plan, group);
    if let Some(group) = group {
        group.kill();
    }
    end_everything();
    if let Some(directory) = directory {
        scratch::remove(directory).step("the end of the private directory")?;
    }
    report
}

fn start_and_watch(
    control: &OwnedFd,
    plan: &Plan,
    group: Option<&Group>,
) -> Result<Report, Broken> {
    let flags = rustix::pipe::PipeFlags::CLOEXEC | rustix::pipe::PipeFlags::NONBLOCK;
    let (results, results_in) = rustix::pipe::pipe_with(flags).step("a pipe")?;
    let signals = sys::child_signals().step("signals")?;
    let child = match inside::fork(group).step("the child process")? {
        Forked::Child => inside::main(plan, &results_in),
        Forked::Parent(pid) => pid,
    };
    drop(results_in);
    hide().step("the supervisor's secrecy")?;
    detach_streams().step("the supervisor's streams")?;
    let watch = Watch::new(plan.limits.memory, plan.scratch.as_ref(), group);
    let report = attend(control, watch, child, &signals);
    let mut text = Vec::new();
    // The child is gone or will be killed; what it said of a failed start is in the pipe by now.
    read_some(&results, &mut text);
    Ok(Report { failure: merge(&text).failure, ..report })
}

fn attend(
    control: &OwnedFd,
    mut watch: Watch<'_>,
    child: libc::pid_t,
    signals: &OwnedFd,
) -> Report {
    loop {
        watch.wait(&[signals.as_fd(), control.as_fd()]);
        sample::drain(signals);
        if let Some(status) = sample::reap_some(child) {
            return Report { wait: Some(status), limit: watch.at_the_end(), ..Report::default() };
        }
        if is_stop(control.as_fd()) {
            return Report::default();
        }
        if let Some(limit) = watch.over_limit(sample::descendants) {
            return Report { limit: Some(limit), ..Report::default() };
        }
    }
}

/// Waits until this process has no descendant, killing what is left. A descendant is a child of this
/// process or becomes one when its own parent ends, so having no child means that none is left.
fn end_everything() {
    loop {
        match sys::reap(-1, false) {
            Err(_) => return,
            Ok(Some(_)) => continue,
            Ok(None) => {}
        }
        let living = hold_still();
        if living.is_empty() {
            // All that is left is on its way out.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        living.into_iter().for_each(kill);
    }
}

/// How often a tree is told to hold still before what is known of it is killed all the same.
const ROUNDS: u32 = 64;

/// Every living descendant, none of which starts another any more.
///
/// Killing alone can go on for ever: whatever is killed makes room for what the others start, and
/// on a busy machine a fork bomb is faster than whoever ends it. So each is first forbidden to start
/// any and stopped, which makes no room. What was started in between is found in the next round,
/// and with every round more of the child's limit on processes is taken by those that hold still.
fn hold_still() -> Vec<libc::pid_t> {
    let mut known: Vec<libc::pid_t> = Vec::new();
    for _ in 0..ROUNDS {
        let mut living = sample::descendants();
        living.sort_unstable();
        if living == known {
            break;
        }
        living.iter().filter(|pid| !known.contains(pid)).for_each(|pid| still(*pid));
        known = living;
    }
    known
}

/// Forbids one process to start others, and stops it. It may have ended meanwhile.
fn still(pid: libc::pid_t) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::prlimit(Some(pid), Resource::Nproc, none);
    let _ = rustix::process::kill_process(pid, Signal::STOP);
}
