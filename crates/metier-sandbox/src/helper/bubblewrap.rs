//! Both sides of `bwrap`: the supervisor starts it, and it starts this program again as the first
//! process of the namespaces it made. The plan and the two pipes go through it as open descriptors
//! whose numbers are arguments.

use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use rustix::fs::{MemfdFlags, Mode, OFlags};
use rustix::io::FdFlags;

use super::supervisor::{detach_streams, hide, merge, pipe, wait_for_results};
use super::sys::{self, Forked};
use super::{Broken, Step, init};
use crate::wire::{BubblewrapPlan, Bytes, Failure, INNER, Plan, Report};

/// Runs the child in namespaces that `bwrap` makes.
pub(super) fn run(control: &OwnedFd, plan: &Plan, wrap: &BubblewrapPlan) -> Result<Report, Broken> {
    // What `bwrap` leaves behind when it is killed becomes a child of this process, and its end can
    // be waited for.
    let myself = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(myself)).step("the adoption of orphans")?;
    let (results, results_in) = pipe()?;
    let (life, life_in) = pipe()?;
    let text = written(plan).step("the plan for `bwrap`")?;
    let first = match sys::fork().step("`bwrap`")? {
        Forked::Child => {
            drop(life_in);
            let broken = become_bubblewrap(wrap, [&text, &results_in, &life]);
            super::supervisor::tell(
                &results_in,
                &Report { failure: Some(broken.failure()), ..Report::default() },
            );
            sys::exit(127)
        }
        Forked::Parent(pid) => pid,
    };
    drop((results_in, life, text));
    hide().step("the supervisor's secrecy")?;
    detach_streams().step("the supervisor's streams")?;
    let text = wait_for_results(control, &results, first);
    let begun = !text.is_empty();
    drop(life_in);
    let _ = sys::reap(first, true);
    while sys::reap(-1, true).is_ok() {}
    let stopped = super::supervisor::is_stop(control.as_fd());
    if begun || stopped {
        return Ok(merge(&text));
    }
    // It ended before it started anything; it has said why on standard error.
    Ok(Report { failure: Some(nothing_began()), ..Report::default() })
}

/// The first process inside. Only `bwrap` starts a program under this name.
pub(super) fn inner() -> ExitCode {
    let Ok((plan, results, life)) = taken() else { return ExitCode::FAILURE };
    init::in_made_namespaces(&plan, &results, &life)
}

fn nothing_began() -> Failure {
    let step = "the namespaces with `bwrap`".to_owned();
    Failure { step, errno: libc::EPERM, start: false }
}

fn written(plan: &Plan) -> io::Result<OwnedFd> {
    let text = serde_json::to_vec(plan)?;
    let memory = rustix::fs::memfd_create("plan", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(&text)?;
    Ok(file.into())
}

fn become_bubblewrap(wrap: &BubblewrapPlan, handed: [&OwnedFd; 3]) -> Broken {
    match words(wrap, handed) {
        Ok((program, words)) => {
            let source = sys::exec(&program, &words, &[]);
            Broken { step: "`bwrap`".to_owned(), source, start: false }
        }
        Err(source) => Broken { step: "`bwrap`".to_owned(), source, start: false },
    }
}

/// The whole command line, with the helper at its place in there and the numbers of what it is
/// handed. Nothing can be added to the root after that.
fn words(wrap: &BubblewrapPlan, handed: [&OwnedFd; 3]) -> io::Result<(CString, Vec<CString>)> {
    let myself = std::fs::read_link("/proc/self/exe")?;
    let helper = Bytes(myself.as_os_str().as_bytes().to_vec());
    let mut words = vec![wrap.program.clone()];
    words.extend(wrap.words.iter().cloned());
    words.extend(["--ro-bind".into(), helper, INNER.into()]);
    words.extend(["--remount-ro", "/", "--chdir", "/", "--", INNER].map(Bytes::from));
    for descriptor in handed {
        rustix::io::fcntl_setfd(descriptor, FdFlags::empty())?;
        words.push(descriptor.as_raw_fd().to_string().as_str().into());
    }
    let words: Result<Vec<_>, _> = words.into_iter().map(|word| CString::new(word.0)).collect();
    Ok((CString::new(wrap.program.0.clone())?, words?))
}

/// What was handed through `bwrap`, opened afresh by its numbers.
fn taken() -> io::Result<(Plan, OwnedFd, OwnedFd)> {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let [text, results, life] = numbers[..] else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let open = |number: u32, flags: OFlags| {
        let path = format!("/proc/self/fd/{number}");
        rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())
    };
    let mut bytes = Vec::new();
    std::fs::File::from(open(text, OFlags::RDONLY)?).read_to_end(&mut bytes)?;
    let (results, life) = (open(results, OFlags::WRONLY)?, open(life, OFlags::RDONLY)?);
    Ok((serde_json::from_slice(&bytes)?, results, life))
}

#[cfg(test)]
#[path = "bubblewrap_tests.rs"]
mod tests;
