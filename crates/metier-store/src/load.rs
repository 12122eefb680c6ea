//! A `SKILL.md` read whole becomes a [`Skill`]. The same for every store: a store brings the bytes
//! and the list of files.

use std::path::{Path, PathBuf};

use metier_format::limits::MAX_FILE_BYTES;
use metier_format::{Code, Diagnostic, parse};

use crate::candidate::misnamed;
use crate::digest::{hex, sha256};
use crate::store::{LoadError, ReadError, Resource, Resources, Skill};

/// Most bytes of a `SKILL.md`.
pub(crate) const MAX_SKILL_BYTES: u64 = MAX_FILE_BYTES as u64;

/// A `SKILL.md` as a store found it.
pub(crate) struct Source {
    /// The skill's directory.
    pub(crate) directory: PathBuf,
    /// What the file is called there.
    pub(crate) file: String,
    /// The directory's own name, when it has one.
    pub(crate) name: Option<String>,
    /// The whole file.
    pub(crate) bytes: Vec<u8>,
}

/// The skill in `source`, with the files `resources` lists.
pub(crate) fn skill(
    source: Source,
    resources: impl FnOnce() -> Result<Resources, LoadError>,
) -> Result<Skill, LoadError> {
    let Source { directory, file, name, bytes } = source;
    let parsed = parse(&bytes, name.as_deref());
    let mut diagnostics = parsed.diagnostics;
    diagnostics.splice(0..0, misnamed(&file));
    let body = parsed.body.and_then(|start| bytes.get(start as usize..)).unwrap_or_default();
    let (Some(manifest), Ok(body)) = (parsed.manifest, std::str::from_utf8(body)) else {
        return Err(LoadError::Invalid { path: directory.join(file), diagnostics });
    };
    Ok(Skill {
        manifest,
        body: body.to_owned(),
        digest: hex(&sha256(&bytes)),
        directory,
        resources: resources()?,
        diagnostics,
        source: bytes,
    })
}

/// The failure of a file that has `size` bytes, too many.
pub(crate) fn too_large(path: &Path, size: u64) -> LoadError {
    let message = format!("The file has {size} bytes; the limit is {MAX_SKILL_BYTES}");
    let diagnostics = vec![Diagnostic::new(Code::FileTooLarge, message)];
    LoadError::Invalid { path: path.to_owned(), diagnostics }
}

/// A file that was read, as a resource.
pub(crate) fn resource(path: &str, bytes: Vec<u8>) -> Result<Resource, ReadError> {
    let binary = memchr::memchr(0, &bytes).is_some() || std::str::from_utf8(&bytes).is_err();
    Ok(Resource { path: path.to_owned(), bytes, binary })
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
