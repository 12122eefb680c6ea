//! Process 1 of the child's process-id namespace: builds the tree, starts the child, adopts orphans,
//! watches memory. When it ends, for whatever reason, the kernel ends everything in there.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;

use super::group::Group;
use super::sample::{self, Watch};
use super::supervisor::{ZERO, detach_streams, hide, tell};
use super::sys::{self, Forked};
use super::{Broken, Step, inside, mounts};
use crate::wire::{NamespacePlan, NetworkPlan, Plan, Report, Tree};

/// Never returns: the supervisor's copy of this program ends here.
pub(super) fn main(
    plan: &Plan,
    (namespaces, group): (&NamespacePlan, Option<&Group>),
    results: &OwnedFd,
    life: &OwnedFd,
) -> ! {
    let started = start(plan, (namespaces, group), results, life);
    conclude(plan, group, results, started);
    sys::exit(0)
}

/// The same where `bwrap` made the namespaces and the tree, and started this as their first process.
pub(super) fn in_made_namespaces(plan: &Plan, results: &OwnedFd, life: &OwnedFd) -> ExitCode {
    let started = prepare(life).and_then(|()| start_child(plan, None, results));
    conclude(plan, None, results, started)
}

fn start(
    plan: &Plan,
    (namespaces, group): (&NamespacePlan, Option<&Group>),
    results: &OwnedFd,
    life: &OwnedFd,
) -> Result<Started, Broken> {
    prepare(life)?;
    mounts::build(namespaces, plan.scratch.as_ref())?;
    rustix::system::sethostname(b"metier").step("the host name")?;
    if namespaces.network == NetworkPlan::OwnWithLoopback {
        loopback().step("the loopback interface")?;
    }
    start_child(plan, group, results)
}

fn prepare(life: &OwnedFd) -> Result<(), Broken> {
    die_with_the_supervisor(life.as_fd())?;
    hide().step("the first process's secrecy")
}

type Started = (libc::pid_t, OwnedFd);

fn start_child(plan: &Plan, group: Option<&Group>, results: &OwnedFd) -> Result<Started, Broken> {
    let signals = sys::child_signals().step("signals")?;
    let child = match inside::fork(group).step("the child process")? {
        Forked::Child => inside::main(plan, results),
        Forked::Parent(pid) => pid,
    };
    detach_streams().step("the first process's streams")?;
    Ok((child, signals))
}

/// Watches a child that was started, and says how it went.
fn conclude(
    plan: &Plan,
    group: Option<&Group>,
    results: &OwnedFd,
    started: Result<Started, Broken>,
) -> ExitCode {
    let report = match started {
        Ok((child, signals)) => watch(plan, group, child, &signals),
        Err(broken) => Report { failure: Some(broken.failure()), ..Report::default() },
    };
    tell(results, &report);
    ExitCode::SUCCESS
}

/// The kernel kills this process when the supervisor ends. It may have ended before that was asked
/// for; then its end of the pipe is already closed.
fn die_with_the_supervisor(life: BorrowedFd<'_>) -> Result<(), Broken> {
    let step = "the end with the supervisor";
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).step(step)?;
    let mut fds = [PollFd::new(&life, PollFlags::IN)];
    rustix::event::poll(&mut fds, Some(&ZERO)).step(step)?;
    match fds.iter().all(|fd| fd.revents().is_empty()) {
        true => Ok(()),
        false => Err(rustix::io::Errno::CHILD).step(step),
    }
}

fn loopback() -> std::io::Result<()> {
    use rustix::net::{AddressFamily, SocketType, socket};
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    sys::loopback_up(socket.as_fd())
}

fn watch(plan: &Plan, group: Option<&Group>, child: libc::pid_t, signals: &OwnedFd) -> Report {
    // A private directory that `bwrap` made bounds bytes; entries are counted by looking.
    let scratch = match plan.tree {
        Tree::Bubblewrap(_) => plan.scratch.as_ref(),
        Tree::Namespaces(_) | Tree::Sweep => None,
    };
    let mut watch = Watch::new(plan.limits.memory, scratch, group);
    loop {
        watch.wait(&[signals.as_fd()]);
        sample::drain(signals);
        if let Some(status) = sample::reap_some(child) {
            return Report { wait: Some(status), limit: watch.at_the_end(), ..Report::default() };
        }
        if let Some(limit) = watch.over_limit(sample::everybody) {
            return Report { limit: Some(limit), ..Report::default() };
        }
    }
}
