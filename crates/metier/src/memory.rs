//! Where scans' memos are kept: two files a root in metier's own directory, for this very program. They
//! may be deleted at any time. Nothing is kept where there is no such directory yet: a look at
//! skills does not make one.

use std::path::{Path, PathBuf};

use metier_runtime::Clock as _;
use metier_store::digest::{hex, sha256};
use metier_store::limits::MAX_MEMO_BYTES;
use metier_store::memo::{Memory, Part};

use crate::clock::SystemClock;
use crate::settings::Settings;
use crate::{env, files, write};

/// The folder in metier's own directory.
pub(crate) const FOLDER: &str = "memos";

/// Memos in metier's own directory.
pub(crate) struct Memos {
    folder: PathBuf,
    maker: String,
}

impl Memos {
    /// Those of the settings' home; none when there is no home, or nobody knows which program this
    /// is.
    pub(crate) fn of(settings: &Settings) -> Option<Self> {
        let folder = settings.home.as_ref()?.join(FOLDER);
        let build = files::build_of(&env::program()?)?;
        let (version, user) = (env!("CARGO_PKG_VERSION"), rustix::process::geteuid().as_raw());
        Some(Self { folder, maker: format!("{version} {build} {user}") })
    }
}

impl Memory for Memos {
    fn recall(&self, root: &Path, part: Part) -> Option<Vec<u8>> {
        files::own(&self.folder.join(name(root, part)), MAX_MEMO_BYTES).ok()
    }

    fn keep(&self, root: &Path, part: Part, bytes: &[u8]) {
        // The next scan reads everything again.
        let _ = write::keep(&self.folder, &name(root, part), bytes);
    }

    fn maker(&self) -> String {
        self.maker.clone()
    }

    fn now(&self) -> i128 {
        i128::from(SystemClock.now().0) * 1_000_000
    }
}

/// The name of a part of a root's memo.
fn name(root: &Path, part: Part) -> String {
    let name = hex(&sha256(root.as_os_str().as_encoded_bytes()));
    match part {
        Part::Marks => name,
        Part::Texts => name + ".texts",
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
