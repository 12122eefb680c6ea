//! What happens to the child itself, between its first instruction and the program's: the last walls
//! go up in an order in which each can still be built.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, Signal};

use super::group::Group;
use super::supervisor::tell;
use super::sys::Forked;
use super::{Broken, Step, landlock, privileges, sample, seccomp, sys};
use crate::limits::Limits;
use crate::wire::{Bytes, Job, Plan, ProcessCap, Report, Tree};

/// Where the private directory has the child's home.
const HOME: &str = "home";

/// Starts the process that becomes the program: in the control group, where there is one.
pub(super) fn fork(group: Option<&Group>) -> std::io::Result<Forked> {
    match group {
        Some(group) => sys::fork_into(group.directory()),
        None => sys::fork(),
    }
}

/// Never returns: either the program runs, or the failure is told and this copy ends.
pub(super) fn main(plan: &Plan, results: &OwnedFd) -> ! {
    if let Err(broken) = become_program(plan) {
        tell(results, &Report { failure: Some(broken.failure()), ..Report::default() });
        sys::exit(127)
    }
    sys::exit(0)
}

/// Returns only when the plan has nothing to run, or to say what failed.
fn become_program(plan: &Plan) -> Result<(), Broken> {
    rustix::process::setsid().step("a new session")?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).step("a parent's end")?;
    if let Tree::Namespaces(_) = plan.tree {
        // Here and not with the others: what the child sees of control groups begins at its own.
        sys::unshare(libc::CLONE_NEWCGROUP).step("the control group namespace")?;
    }
    rustix::process::umask(Mode::WGRP | Mode::WOTH);
    make_home(plan)?;
    let program = Program::of(plan)?;
    if let Job::Run { cwd, .. } = &plan.job {
        rustix::process::chdir(cwd.path()).step("the working directory")?;
    }
    build_walls(plan)?;
    program.map_or(Ok(()), |program| Err(program.exec()))
}

fn make_home(plan: &Plan) -> Result<(), Broken> {
    let Some(scratch) = &plan.scratch else { return Ok(()) };
    let home = scratch.path.path().join(HOME);
    rustix::fs::mkdir(home, Mode::RWXU).step("the home directory")
}

/// Landlock before seccomp, because the filter could refuse it; limits last, because they could
/// stop the setup itself.
fn build_walls(plan: &Plan) -> Result<(), Broken> {
    let ruleset = match &plan.landlock {
        Some(rules) => Some(landlock::ruleset(rules, plan.scratch.as_ref())?),
        None => None,
    };
    let taken = match plan.processes {
        ProcessCap::OnTop => sample::threads_of_user(),
        ProcessCap::Exact | ProcessCap::Unset => 0,
    };
    if plan.drop_capabilities {
        privileges::drop_all()?;
    }
    rustix::thread::set_no_new_privs(true).step("no new privileges")?;
    if let Some(ruleset) = ruleset {
        landlock::restrict(&ruleset)?;
    }
    sys::close_from_on_exec(3).step("closed descriptors")?;
    sys::reset_signals();
    set_limits(&plan.limits)?;
    if plan.processes != ProcessCap::Unset {
        let most = plan.limits.processes.saturating_add(taken);
        set_limit(Resource::Nproc, most)?;
    }
    match plan.seccomp {
        Some(rules) => seccomp::install(rules).step("the system call filter"),
        None => Ok(()),
    }
}

fn set_limits(limits: &Limits) -> Result<(), Broken> {
    set_limit(Resource::Core, 0)?;
    set_limit(Resource::Fsize, limits.file_size)?;
    set_limit(Resource::Nofile, limits.open_files)?;
    set_limit(Resource::Data, limits.memory)?;
    set_limit(Resource::As, limits.address_space)?;
    // The soft limit asks the program to end with a signal of its own, so that the reason is known.
    let seconds = limits.cpu_seconds;
    let limit = Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(1)) };
    set(Resource::Cpu, limit)
}

fn set_limit(resource: Resource, value: u64) -> Result<(), Broken> {
    set(resource, Rlimit { current: Some(value), maximum: Some(value) })
}

/// Never more than this process has itself.
fn set(resource: Resource, wanted: Rlimit) -> Result<(), Broken> {
    let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let cut = |value: Option<u64>| value.map(|value| value.min(most));
    let limit = Rlimit { current: cut(wanted.current), maximum: cut(wanted.maximum) };
    rustix::process::setrlimit(resource, limit).step("the limits")
}

/// A program with everything `exec` needs, allocated before limits could forbid it.
struct Program {
    candidates: Vec<CString>,
    args: Vec<CString>,
    environment: Vec<CString>,
}

impl Program {
    fn of(plan: &Plan) -> Result<Option<Self>, Broken> {
        let Job::Run { program, args, environment, .. } = &plan.job else { return Ok(None) };
        let environment = with_places(environment, plan);
        let candidates = candidates(&program.0, &environment);
        let mut words = vec![program.0.clone()];
        words.extend(args.iter().map(|arg| arg.0.clone()));
        let pairs = environment.into_iter().map(|(name, value)| [name, value].join(&b'='));
        Ok(Some(Self {
            candidates: strings(candidates)?,
            args: strings(words)?,
            environment: strings(pairs.collect())?,
        }))
    }

    /// Tries each place the program may be. A directory that is none, or that may not be looked
    /// into, and a file that may not be run hide no program that comes later; but that something
    /// was there is what is said in the end.
    fn exec(&self) -> Broken {
        let mut reason = std::io::Error::from_raw_os_error(libc::ENOENT);
        for candidate in &self.candidates {
            let error = sys::exec(candidate, &self.args, &self.environment);
            match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => {}
                Some(libc::EACCES) => reason = error,
                _ => {
                    reason = error;
                    break;
                }
            }
        }
        Broken { step: "the program".to_owned(), source: reason, start: true }
    }
}

type Variables = Vec<(Vec<u8>, Vec<u8>)>;

/// The environment with the places that only the helper knows.
fn with_places(environment: &[(Bytes, Bytes)], plan: &Plan) -> Variables {
    let mut list: Variables =
        environment.iter().map(|(name, value)| (name.0.clone(), value.0.clone())).collect();
    if let Some(scratch) = &plan.scratch {
        let directory = scratch.path.0.clone();
        let home = scratch.path.path().join(HOME).as_os_str().as_bytes().to_vec();
        list.retain(|(name, _)| name != b"HOME" && name != b"TMPDIR");
        list.push((b"HOME".to_vec(), home));
        list.push((b"TMPDIR".to_vec(), directory));
    }
    list
}

/// A name with a slash is a path; any other is looked up in the child's own `PATH`, of which only
/// absolute entries count.
fn candidates(program: &[u8], environment: &Variables) -> Vec<Vec<u8>> {
    if program.contains(&b'/') {
        return vec![program.to_vec()];
    }
    let path = environment.iter().find(|(name, _)| name == b"PATH");
    let path = path.map(|(_, value)| value.as_slice()).unwrap_or_default();
    let directories = path.split(|byte| *byte == b':').filter(|entry| entry.starts_with(b"/"));
    directories.map(|directory| [directory, program].join(&b'/')).collect()
}

fn strings(list: Vec<Vec<u8>>) -> Result<Vec<CString>, Broken> {
    let strings: Result<Vec<_>, _> = list.into_iter().map(CString::new).collect();
    strings.map_err(|_| rustix::io::Errno::INVAL).step("the program's arguments")
}

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;
