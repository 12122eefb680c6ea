//! Whose session it is: that of the process that started the plugin. chibi says in no tool call
//! which conversation it belongs to, but all hooks and tools of one run have the same parent. A
//! process's number comes again after it; with the time it was started it does not. Pure.

/// A running chibi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The machine, as far as it is known.
    pub machine: String,
    /// Since when the machine runs, as far as it is known.
    pub boot: String,
    /// The space its number counts in.
    pub space: u64,
    /// Its number.
    pub pid: u32,
    /// When it was started, in ticks since the machine runs.
    pub started: u64,
}

impl Caller {
    /// The name of its session.
    #[must_use]
    pub fn session(&self) -> String {
        let Self { machine, boot, space, pid, started } = self;
        format!("chibi-{}-{}-{space}-{pid}-{started}", short(machine), short(boot))
    }

    /// The caller a session is named after.
    #[must_use]
    pub fn of_session(session: &str) -> Option<Self> {
        let mut parts = session.strip_prefix("chibi-")?.split('-');
        let caller = Self {
            machine: parts.next()?.to_owned(),
            boot: parts.next()?.to_owned(),
            space: parts.next()?.parse().ok()?,
            pid: parts.next()?.parse().ok()?,
            started: parts.next()?.parse().ok()?,
        };
        (parts.next().is_none() && caller.session() == session).then_some(caller)
    }

    /// Whether it is gone, for certain, as seen from `here`; `alive` gives the start of a running
    /// process. What counts in another space, or runs on another machine, cannot be seen from here.
    #[must_use]
    pub fn is_gone(&self, here: &Self, alive: impl Fn(u32) -> Option<u64>) -> bool {
        let same = |a: &str, b: &str| short(a) == short(b);
        if !same(&self.machine, &here.machine) {
            return false;
        }
        if !same(&self.boot, &here.boot) {
            // Nothing outlives the machine it runs on; where it has no name, it may be another.
            return short(&self.machine) != UNKNOWN;
        }
        self.space == here.space && alive(self.pid) != Some(self.started)
    }
}

/// What stands for a machine that does not say which one it is.
const UNKNOWN: &str = "0";

/// The first letters and digits of an id: enough to tell machines apart, and part of a file's name.
fn short(id: &str) -> String {
    let short: String = id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    if short.is_empty() { UNKNOWN.to_owned() } else { short }
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
