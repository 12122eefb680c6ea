//! Files that are no files of skills, read and bounded: settings and policy files whole, journals
//! line by line while others append to them.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door to settings, policy files, journals that are only looked at, tokens, and input"
)]

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use metier_runtime::limits::MAX_FRAME_BYTES;
use rustix::fs::OFlags;

/// Bytes of a journal looked at in one go: a few of the longest lines.
const BATCH: u64 = 4 * MAX_FRAME_BYTES as u64;

/// The text of a regular file of at most `most` bytes. One byte more is read and kept, so that
/// whoever checks the length sees that there is more.
pub(crate) fn text(path: &Path, most: usize) -> io::Result<String> {
    let file = open(path)?;
    let mut text = String::new();
    file.take(most as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The bytes of a file of metier's own, at most `most`. Refused when somebody else has or may have
/// written it.
pub(crate) fn own(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !ours || metadata.mode() & 0o022 != 0 || metadata.len() > most as u64 {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "others may have written it"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What tells one build of a program from another without reading it; none when it is gone.
pub(crate) fn build_of(program: &Path) -> Option<String> {
    let file = std::fs::metadata(program).ok()?;
    let (size, seconds, nanoseconds) = (file.len(), file.mtime(), file.mtime_nsec());
    Some(format!("{}:{}:{size}:{seconds}.{nanoseconds:09}", file.dev(), file.ino()))
}

/// The journals in `folder`, sorted; none when there is no such folder.
pub(crate) fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut journals = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if is_journal(&path) {
            journals.push(path);
        }
    }
    journals.sort();
    Ok(journals)
}

/// Whether a file in the folder of journals is one, by its name.
pub(crate) fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

/// A regular file, open for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // A fifo would keep us waiting for its other end, and a device has no end. Opened like this,
    // neither does, and what was opened is what is looked at.
    let unhurried = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = File::options().read(true).custom_flags(unhurried).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(file)
}

/// The text of a file that holds a secret, at most `most` bytes and one. Refused when others than
/// its owner may read it.
pub(crate) fn secret(path: &Path, most: usize) -> io::Result<String> {
    let file = open(path)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        let message = "others than its owner may read or write it";
        return Err(io::Error::new(ErrorKind::PermissionDenied, message));
    }
    let mut text = String::new();
    file.take(most as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// Everything on standard input, at most `most` bytes.
pub(crate) fn standard_input(most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {most} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// A journal read from its beginning, and on as it grows.
#[derive(Debug)]
pub(crate) struct Lines {
    path: PathBuf,
    at: u64,
}

impl Lines {
    /// The lines of the journal at `path`, which need not exist yet.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), at: 0 }
    }

    /// The next whole lines, without their line breaks; none when there are no more for now. A last
    /// line that is still being written is left for later.
    pub(crate) fn next(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound && self.at == 0 => {
                return Ok(Vec::new());
            }
            other => other?,
        };
        let length = file.metadata()?.len();
        if length < self.at {
            return Err(io::Error::new(ErrorKind::InvalidData, "it became shorter"));
        }
        file.seek(SeekFrom::Start(self.at))?;
        let mut reader = BufReader::new(file.take(BATCH));
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            let read = reader.read_until(b'\n', &mut line)?;
            if line.pop_if(|byte| *byte == b'\n').is_none() {
                break;
            }
            self.at += read as u64;
            lines.push(line);
        }
        if lines.is_empty() && length - self.at >= BATCH {
            return Err(io::Error::new(ErrorKind::InvalidData, "a line is too long"));
        }
        Ok(lines)
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
