//! The supervisor: takes the plan, starts what it says, and outlives both the child and the runner.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal};

use super::group::Group;
use super::sys::{self, Forked};
use super::{Broken, Step, bubblewrap, init, sweep};
use crate::channel;
use crate::wire::{NamespacePlan, NetworkPlan, Plan, Report, Tree};

/// Runs the helper from start to end. The runner learns everything from the report; the exit code
/// only matters to a person who started this by hand.
pub(super) fn main() -> ExitCode {
    let Ok(control) = take_control() else { return ExitCode::FAILURE };
    let report = match work(&control) {
        Ok(report) => report,
        Err(broken) => Report { failure: Some(broken.failure()), ..Report::default() },
    };
    let (cpu_micros, max_rss) = sys::children_usage();
    let report = Report { cpu_micros, max_rss, ..report };
    let sent = serde_json::to_vec(&report).map(|text| channel::send(control.as_fd(), &text));
    if matches!(sent, Ok(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the runner asks for the end: it says so by closing its side, or by ending itself.
pub(super) fn is_stop(control: BorrowedFd<'_>) -> bool {
    let mut fds = [PollFd::new(&control, PollFlags::IN)];
    let ready = rustix::event::poll(&mut fds, Some(&ZERO));
    ready.is_ok_and(|count| count > 0)
}

pub(super) const ZERO: rustix::time::Timespec = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };

/// Lets go of the child's streams, so that their readers see the end when the child ends.
pub(super) fn detach_streams() -> io::Result<()> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// The control socket, which arrives as standard input, moved out of the child's way. Everything
/// else that was inherited is closed first.
fn take_control() -> io::Result<OwnedFd> {
    sys::close_from(3)?;
    // What the runner ignores would stay ignored here, and the end of children with it.
    sys::reset_signals();
    let control = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    // Away from the terminal: its signals are meant for the runner, whose end is our signal.
    rustix::process::setsid()?;
    // Of no directory of the runner's, which somebody may want to unmount or remove.
    rustix::process::chdir("/")?;
    Ok(control)
}

fn work(control: &OwnedFd) -> Result<Report, Broken> {
    let (text, stdin) = channel::receive_with(control.as_fd()).step("the plan")?;
    let plan: Plan = serde_json::from_slice(&text).map_err(io::Error::from).step("the plan")?;
    rustix::stdio::dup2_stdin(&stdin).step("standard input")?;
    drop(stdin);
    let group = plan.group.as_ref().map(Group::make).transpose()?;
    match &plan.tree {
        Tree::Namespaces(namespaces) => in_namespaces(control, &plan, (namespaces, group.as_ref())),
        Tree::Bubblewrap(wrap) => bubblewrap::run(control, &plan, wrap),
        Tree::Sweep => sweep::run(control, &plan, group.as_ref()),
    }
}

fn in_namespaces(
    control: &OwnedFd,
    plan: &Plan,
    (namespaces, group): (&NamespacePlan, Option<&Group>),
) -> Result<Report, Broken> {
    enter_namespaces(namespaces)?;
    let (results, results_in) = pipe()?;
    let (life, life_in) = pipe()?;
    let init = match sys::fork().step("the first process")? {
        Forked::Child => {
            drop(life_in);
            init::main(plan, (namespaces, group), &results_in, &life)
        }
        Forked::Parent(pid) => pid,
    };
    drop((results_in, life));
    hide().step("the supervisor's secrecy")?;
    detach_streams().step("the supervisor's streams")?;
    let text = wait_for_results(control, &results, init);
    let _ = sys::reap(init, true);
    drop(life_in);
    Ok(merge(&text))
}

pub(super) fn pipe() -> Result<(OwnedFd, OwnedFd), Broken> {
    rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).step("a pipe")
}

/// Not dumpable: the child can look into none of the helper's processes.
pub(super) fn hide() -> rustix::io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

fn enter_namespaces(plan: &NamespacePlan) -> Result<(), Broken> {
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    if uid.is_root() {
        // Only the superuser can; without it the child would keep the groups of whoever it was.
        rustix::thread::set_thread_groups(&[]).step("the groups")?;
    }
    let network = if plan.network == NetworkPlan::Shared { 0 } else { libc::CLONE_NEWNET };
    let flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | network;
    sys::unshare(flags).step("the namespaces")?;
    // The same ids inside as outside: files look like what they are.
    write_self("setgroups", "deny")?;
    write_self("uid_map", &format!("{0} {0} 1", uid.as_raw()))?;
    write_self("gid_map", &format!("{0} {0} 1", gid.as_raw()))
}

fn write_self(name: &str, text: &str) -> Result<(), Broken> {
    use rustix::fs::{Mode, OFlags};
    let path = format!("/proc/self/{name}");
    let file = rustix::fs::open(&path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    let file = file.step(&path)?;
    rustix::io::write(&file, text.as_bytes()).step(&path).map(drop)
}

/// Collects what init and the child say until both are gone. A stop kills init, with which every
/// process in its namespace ends.
pub(super) fn wait_for_results(control: &OwnedFd, results: &OwnedFd, init: libc::pid_t) -> Vec<u8> {
    let mut text = Vec::new();
    let mut stopping = false;
    loop {
        let mut fds =
            vec![PollFd::new(results, PollFlags::IN), PollFd::new(control, PollFlags::IN)];
        fds.truncate(if stopping { 1 } else { 2 });
        if rustix::event::poll(&mut fds, None).is_err() {
            continue;
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        if ready.get(1) == Some(&true) {
            kill(init);
            stopping = true;
        }
        if ready.first() == Some(&true) && !read_some(results, &mut text) {
            return text;
        }
    }
}

/// Reads what is there; `false` at the end.
pub(super) fn read_some(from: &OwnedFd, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 4096];
    match rustix::io::read(from, &mut buffer) {
        Ok(0) => false,
        Ok(count) => {
            into.extend_from_slice(buffer.get(..count).unwrap_or_default());
            true
        }
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => true,
        Err(_) => false,
    }
}

/// Kills one process that this one started.
pub(super) fn kill(pid: libc::pid_t) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// Says one thing to whoever reads the results.
pub(super) fn tell(results: &OwnedFd, report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ = rustix::io::write(results, &line);
    }
}

/// The lines of the results as one report. A failure comes from the child before its program
/// started; whatever was said of its end then means nothing.
pub(super) fn merge(text: &[u8]) -> Report {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice::<Report>(line).ok()).fold(
        Report::default(),
        |sum, line| Report {
            failure: sum.failure.or(line.failure),
            wait: sum.wait.or(line.wait),
            limit: sum.limit.or(line.limit),
            ..Report::default()
        },
    )
}

#[cfg(test)]
#[path = "supervisor_tests.rs"]
mod tests;
