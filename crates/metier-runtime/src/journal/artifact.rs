//! Content that frames refer to by digest: bodies, outputs, anything too long for a line. A file's
//! name is the SHA-256 of its bytes, so writing twice is writing once.

#![expect(clippy::disallowed_methods, reason = "this file is the artifacts' door to the disk")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::file::content_digest;
use crate::limits::MAX_ARTIFACT_BYTES;

/// A folder of content, by digest.
#[derive(Clone, Debug)]
pub struct Artifacts {
    folder: PathBuf,
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Files kept because a frame refers to them.
    pub kept: usize,
    /// Files removed.
    pub removed: usize,
}

impl Artifacts {
    /// Content under `folder`, which is made when something is first kept.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Keeps `bytes` and returns their digest. Atomic: a reader sees all of it or nothing.
    pub fn keep(&self, bytes: &[u8]) -> std::io::Result<String> {
        if bytes.len() > MAX_ARTIFACT_BYTES {
            return Err(std::io::Error::new(
                std::io::ErrorKind::FileTooLarge,
                "artifact too large",
            ));
        }
        let digest = content_digest(bytes);
        let path = self.path(&digest);
        if path.exists() {
            return Ok(digest);
        }
        let folder = path.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder)?;
        let temporary = folder.join(format!(".{digest}.{}", std::process::id()));
        let mut file = std::fs::File::create(&temporary)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        let moved = written.and_then(|()| std::fs::rename(&temporary, &path));
        if moved.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        moved.map(|()| digest)
    }

    /// The bytes with that digest; none when they are not there or are not what they were.
    #[must_use]
    pub fn get(&self, digest: &str) -> Option<Vec<u8>> {
        if digest.len() != 64 || !digest.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let bytes = std::fs::read(self.path(digest)).ok()?;
        (content_digest(&bytes) == digest).then_some(bytes)
    }

    /// Removes what no digest in `referenced` names. Files being written are left alone.
    pub fn sweep(&self, referenced: &BTreeSet<String>) -> std::io::Result<Swept> {
        let mut swept = Swept::default();
        let Ok(shelves) = std::fs::read_dir(&self.folder) else { return Ok(swept) };
        for shelf in shelves {
            let shelf = shelf?.path();
            if !shelf.is_dir() {
                continue;
            }
            for file in std::fs::read_dir(shelf)? {
                let file = file?;
                let name = file.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') || referenced.contains(&name) {
                    swept.kept += usize::from(!name.starts_with('.'));
                    continue;
                }
                std::fs::remove_file(file.path())?;
                swept.removed += 1;
            }
        }
        Ok(swept)
    }

    /// `folder/ab/abcdef…`
    fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(digest.get(..2).unwrap_or("__")).join(digest)
    }
}
