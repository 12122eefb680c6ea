//! Which process started this one, and which of the processes that did so earlier are still there.
//! Each caller that has a session leaves an empty file named after it in `chibi/`, so that its
//! session can be ended when it is gone. Losing these files costs nothing but that.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door to what `/proc` says about callers, and to their marks"
)]

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use metier_serve::chibi_plugin::caller::Caller;

/// Most marks that are looked at in one go. The rest has its turn next time.
const MAX_MARKS: usize = 256;

/// The process that started this one.
pub(crate) fn caller() -> io::Result<Caller> {
    let none = || io::Error::new(ErrorKind::NotFound, "nobody knows which process asks");
    let parent = rustix::process::getppid().ok_or_else(none)?;
    let pid = u32::try_from(parent.as_raw_nonzero().get()).map_err(|_| none())?;
    let line = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    Ok(Caller {
        machine: line("/etc/machine-id"),
        boot: line("/proc/sys/kernel/random/boot_id"),
        space: fs::metadata("/proc/self/ns/pid").map(|found| found.ino()).unwrap_or_default(),
        pid,
        started: started(pid).ok_or_else(none)?,
    })
}

/// When the process with this number was started, in ticks since the machine runs; none when there
/// is no such process.
pub(crate) fn started(pid: u32) -> Option<u64> {
    start_in(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The callers' marks.
pub(crate) struct Marks(PathBuf);

impl Marks {
    /// Those below metier's own directory.
    pub(crate) fn below(home: &Path) -> Self {
        Self(home.join("chibi"))
    }

    /// Leaves a mark for `session`.
    pub(crate) fn leave(&self, session: &str) -> io::Result<()> {
        let make = || {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600).open(self.0.join(session))
        };
        match make() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&self.0)?;
                make().map(drop)
            }
            other => other.map(drop),
        }
    }

    /// The sessions with a mark whose caller is gone, as seen from `here`.
    pub(crate) fn stale(&self, here: &Caller) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.0) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.file_name());
        let sessions = names.filter_map(|name: OsString| name.into_string().ok());
        let gone = |session: &String| {
            Caller::of_session(session).is_some_and(|caller| caller.is_gone(here, started))
        };
        let mut stale: Vec<String> = sessions.filter(gone).take(MAX_MARKS).collect();
        stale.sort();
        stale
    }

    /// Takes the mark of `session` away.
    pub(crate) fn remove(&self, session: &str) {
        // One that stays is looked at again next time.
        let _ = fs::remove_file(self.0.join(session));
    }
}

/// The start time in a line of `/proc/PID/stat`. The second field is the program's name, in
/// brackets and with whatever characters it likes, so that counting begins behind the last one.
fn start_in(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
