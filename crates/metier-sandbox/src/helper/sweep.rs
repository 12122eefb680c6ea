//! The end of a tree without a process-id namespace: the supervisor is told to adopt every orphan
//! beneath it, so that nothing leaves the tree by forking twice or by a new session, and kills until
//! nothing is left.

use std::os::fd::{AsFd, OwnedFd};

use super::sample::{self, Watch};
use super::supervisor::{detach_streams, hide, is_stop, kill, merge, read_some};
use super::sys::{self, Forked};
use super::{Broken, Step, inside, scratch};
use crate::wire::{Plan, Report};

/// Runs the child and ends everything it started.
pub(super) fn run(control: &OwnedFd, plan: &Plan) -> Result<Report, Broken> {
    let myself = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(myself)).step("the adoption of orphans")?;
    let directory = plan.scratch.as_ref().map(|scratch| scratch.path.path());
    if let Some(directory) = directory {
        scratch::make(directory).step("the private directory")?;
    }
    let report = start_and_watch(control, plan);
    end_everything();
    if let Some(directory) = directory {
        scratch::remove(directory).step("the end of the private directory")?;
    }
    report
}

fn start_and_watch(control: &OwnedFd, plan: &Plan) -> Result<Report, Broken> {
    let flags = rustix::pipe::PipeFlags::CLOEXEC | rustix::pipe::PipeFlags::NONBLOCK;
    let (results, results_in) = rustix::pipe::pipe_with(flags).step("a pipe")?;
    let signals = sys::child_signals().step("signals")?;
    let child = match sys::fork().step("the child process")? {
        Forked::Child => inside::main(plan, &results_in),
        Forked::Parent(pid) => pid,
    };
    drop(results_in);
    hide().step("the supervisor's secrecy")?;
    detach_streams().step("the supervisor's streams")?;
    let report = watch(control, plan, child, &signals);
    let mut text = Vec::new();
    // The child is gone or will be killed; what it said of a failed start is in the pipe by now.
    read_some(&results, &mut text);
    Ok(Report { failure: merge(&text).failure, ..report })
}

fn watch(control: &OwnedFd, plan: &Plan, child: libc::pid_t, signals: &OwnedFd) -> Report {
    let mut watch = Watch::new(plan.limits.memory, plan.scratch.as_ref());
    loop {
        watch.wait(&[signals.as_fd(), control.as_fd()]);
        sample::drain(signals);
        if let Some(status) = sample::reap_some(child) {
            return Report { wait: Some(status), ..Report::default() };
        }
        if is_stop(control.as_fd()) {
            return Report::default();
        }
        if let Some(limit) = watch.over_limit(sample::descendants) {
            return Report { limit: Some(limit), ..Report::default() };
        }
    }
}

/// Kills and waits until this process has no descendant. A killed process starts no more, so every
/// round leaves fewer. A descendant is a child of this process or becomes one when its own parent
/// ends, so having no child means that none is left, and nobody has to be looked for.
fn end_everything() {
    loop {
        match sys::reap(-1, false) {
            Err(_) => return,
            Ok(Some(_)) => continue,
            Ok(None) => {}
        }
        let living = sample::descendants();
        if living.is_empty() {
            // All that is left is on its way out.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        living.into_iter().for_each(kill);
    }
}
