//! Faults on demand, for the crash tables: the n-th call of this thread that changes the disk fails,
//! or it is the last one that happens at all.

use std::cell::RefCell;

use rustix::io::Errno;

/// What happens at which call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The call fails with this; later ones do not.
    Fails(Errno),
    /// The process is gone: neither this call nor any later one happens.
    Gone,
    /// The process is killed by a signal nobody can catch.
    Killed,
    /// Somebody else does this before the call, which then happens.
    Meanwhile(fn()),
}

#[derive(Default)]
struct Plan {
    calls: Vec<&'static str>,
    at: Option<(usize, Fault)>,
}

thread_local! {
    static PLAN: RefCell<Plan> = RefCell::new(Plan::default());
}

/// Does `work` with `fault` at its call number `at`, from 0; gives what it gave and the calls made.
pub(crate) fn with<T>(
    at: Option<(usize, Fault)>,
    work: impl FnOnce() -> T,
) -> (T, Vec<&'static str>) {
    PLAN.with_borrow_mut(|plan| *plan = Plan { calls: Vec::new(), at });
    let value = work();
    let plan = PLAN.take();
    (value, plan.calls)
}

pub(crate) fn step(call: &'static str) -> Result<(), Errno> {
    let meanwhile = PLAN.with_borrow(|plan| match plan.at {
        Some((at, Fault::Meanwhile(act))) if at == plan.calls.len() => Some(act),
        _ => None,
    });
    if let Some(act) = meanwhile {
        act();
    }
    PLAN.with_borrow_mut(|plan| {
        let number = plan.calls.len();
        plan.calls.push(call);
        match plan.at {
            Some((at, Fault::Fails(errno))) if at == number => Err(errno),
            Some((at, Fault::Gone)) if number >= at => Err(Errno::CANCELED),
            Some((at, Fault::Killed)) if number >= at => {
                let me = rustix::process::getpid();
                let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
                Err(Errno::CANCELED)
            }
            _ => Ok(()),
        }
    })
}
