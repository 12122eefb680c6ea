//! Seatbelt, the walls of macOS: the profile text for a confinement. The text is made and tested
//! everywhere; the runner itself starts children on Linux only.

use std::path::Path;

use crate::confinement::{Confinement, Network};

/// What every child may read on macOS.
const SYSTEM_READS: &[&str] = &[
    "/System/Library",
    "/usr",
    "/bin",
    "/sbin",
    "/opt/homebrew",
    "/Library/Developer/CommandLineTools",
    "/Library/Frameworks/Python.framework",
    "/private/etc/ssl",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
];

const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"];

/// The profile: everything is refused that is not named. `scratch` is the private directory. `None`
/// when the confinement asks for what a profile cannot say.
#[must_use]
pub fn profile(confinement: &Confinement, scratch: Option<&Path>) -> Option<String> {
    let mut text = String::from(
        "(version 1)\n\
         (deny default)\n\
         (allow process-exec process-fork)\n\
         (allow signal (target same-sandbox))\n\
         (allow sysctl-read)\n\
         (allow file-read-metadata)\n",
    );
    let system = SYSTEM_READS.iter().map(Path::new);
    let read = confinement.read.iter().map(AsRef::as_ref);
    let write: Vec<&Path> = confinement.write.iter().map(AsRef::as_ref).chain(scratch).collect();
    let readable = system.chain(read).chain(write.iter().copied());
    text.push_str(&rule("file-read*", "subpath", readable)?);
    text.push_str(&rule("file-read* file-write-data", "literal", DEVICES.iter().map(Path::new))?);
    if !write.is_empty() {
        text.push_str(&rule("file-write*", "subpath", write.iter().copied())?);
    }
    text.push_str(network(&confinement.network)?);
    Some(text)
}

fn network(network: &Network) -> Option<&'static str> {
    match network {
        Network::Off => Some(""),
        Network::Full => Some("(allow network*)\n(allow system-socket)\n"),
        // A profile can name the loopback address, but it is the machine's, not one of its own.
        Network::Loopback | Network::Hosts(_) => None,
    }
}

fn rule<'a>(
    operations: &str,
    filter: &str,
    paths: impl Iterator<Item = &'a Path>,
) -> Option<String> {
    let mut text = format!("(allow {operations}");
    for path in paths {
        text.push_str(&format!("\n    ({filter} {})", quoted(path)?));
    }
    text.push_str(")\n");
    Some(text)
}

/// A path as a string of the profile language; `None` for one that could end the string early or
/// that the language cannot spell.
fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control))?;
    Some(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
#[path = "seatbelt_tests.rs"]
mod tests;
