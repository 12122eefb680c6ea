//! Saying yes, and taking it back: to what is in a directory as it is now, and to folders.

use std::path::{Path, PathBuf};

use metier_store::digest::hex;
use metier_store::store::TreeError;

use crate::atomic::{Folder, real_path};
use crate::change::{ChangeError, Hand};
use crate::home::{Home, Place};
use crate::keep::read_tree;
use crate::pinned::{Pinned, files_of};
use crate::records::{self, Records, key, to_json};
use crate::trust::{Approval, By, FOLDERS, Folders, Said};

/// Why nothing was approved.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// What is there cannot be read whole, so there is nothing to say yes to.
    #[error("`{}` cannot be read whole", path.display())]
    Tree {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: TreeError,
    },
    /// There is no such directory, or its path is not text.
    #[error("`{}` is not a directory that can be named", .0.display())]
    NoDirectory(PathBuf),
    /// What is there now is not what was looked at.
    #[error("`{}` changed while it was looked at: it is sha256:{found} now", path.display())]
    Changed {
        /// The directory.
        path: PathBuf,
        /// The digest of what is there now, hexadecimal.
        found: String,
    },
    /// It could not be recorded.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// The digest of what is in `directory` now, hexadecimal: what somebody says yes to.
pub fn digest(directory: &Path) -> Result<String, ApproveError> {
    let tree = read_tree(directory);
    let tree = tree.map_err(|source| ApproveError::Tree { path: directory.to_owned(), source })?;
    Ok(hex(&tree.digest()))
}

/// Says yes to what is in `directory`, which must still be what has the digest `seen`. The tree is
/// kept, so that later it can be said what changed since.
pub fn approve(
    home: &Home,
    directory: &Path,
    seen: &str,
    by: &By,
) -> Result<Approval, ApproveError> {
    let hand = Hand::take(home)?;
    let at = key(home, directory);
    let at = at.ok_or_else(|| ApproveError::NoDirectory(directory.to_owned()))?;
    let tree = read_tree(directory);
    let tree = tree.map_err(|source| ApproveError::Tree { path: directory.to_owned(), source })?;
    let digest = hex(&tree.digest());
    if digest != seen {
        return Err(ApproveError::Changed { path: directory.to_owned(), found: digest });
    }
    let kept = files_of(&tree).and_then(|_| hand.keep.stage(&tree, directory, 0));
    let kept = kept.map_err(ChangeError::from)?;
    hand.keep.publish(&[kept], &hand.turn)?;
    let pinned = pinned(home, directory)?.filter(|pinned| pinned.tree == digest);
    let approval = Approval {
        said: Said::Approved,
        directory: at.clone(),
        tree: digest,
        by: by.clone(),
        source: pinned.as_ref().map(|pinned| pinned.locked.source.clone()),
        commit: pinned.as_ref().and_then(|pinned| pinned.locked.commit.clone()),
        signer: pinned.as_ref().and_then(|pinned| pinned.signer().map(str::to_owned)),
    };
    records::say(home, &[(at, Some(&approval))]).map_err(ChangeError::from)?;
    Ok(approval)
}

/// Takes back what was said about `directory`; false when nothing was.
pub fn revoke(home: &Home, directory: &Path) -> Result<bool, ApproveError> {
    let _hand = Hand::take(home)?;
    let at = key(home, directory);
    let at = at.ok_or_else(|| ApproveError::NoDirectory(directory.to_owned()))?;
    let known = records::approvals(home).map_err(ChangeError::from)?;
    if known.get(&at).is_none() {
        return Ok(false);
    }
    records::say(home, &[(at, None)]).map_err(ChangeError::from)?;
    Ok(true)
}

/// Trusts `folder`: projects at or below it may bring skills. False when it was trusted already.
pub fn trust_folder(home: &Home, folder: &Path, by: &By) -> Result<bool, ApproveError> {
    change_folders(home, folder, |folders, folder| folders.add(folder, by.clone()))
}

/// Trusts `folder` no more; false when it was not trusted.
pub fn untrust_folder(home: &Home, folder: &Path) -> Result<bool, ApproveError> {
    change_folders(home, folder, |folders, folder| folders.remove(&folder))
}

/// The folders that are trusted.
pub fn trusted_folders(home: &Home) -> Result<Vec<PathBuf>, ChangeError> {
    let folders = records::folders(home)?;
    Ok(folders.folders.into_iter().map(|trusted| trusted.folder).collect())
}

fn change_folders(
    home: &Home,
    folder: &Path,
    change: impl FnOnce(&mut Folders, PathBuf) -> bool,
) -> Result<bool, ApproveError> {
    let _hand = Hand::take(home)?;
    let real = real_path(folder).ok_or_else(|| ApproveError::NoDirectory(folder.to_owned()))?;
    if real.to_str().is_none() {
        return Err(ApproveError::NoDirectory(folder.to_owned()));
    }
    let mut folders = records::folders(home).map_err(ChangeError::from)?;
    if !change(&mut folders, real) {
        return Ok(false);
    }
    let text = to_json(FOLDERS, &folders).map_err(ChangeError::from)?;
    let written = Folder::make_all(home.path())
        .and_then(|folder| folder.replace(FOLDERS, text.as_bytes(), 0o600));
    written.map_err(ChangeError::from)?;
    Ok(true)
}

/// What the home's lock says about a directory of the home.
fn pinned(home: &Home, directory: &Path) -> Result<Option<Pinned>, ChangeError> {
    let Some(name) = directory.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    let Ok(name) = metier_format::SkillName::parse(name) else { return Ok(None) };
    if key(home, directory) != key(home, &Place::Personal.directory(home, name.as_str())) {
        return Ok(None);
    }
    let records = Records::read(home, &Place::Personal)?;
    Ok(records.lock.get(&name).cloned())
}

#[cfg(test)]
#[path = "approve_tests.rs"]
mod tests;
