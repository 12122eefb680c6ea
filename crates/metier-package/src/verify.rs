//! Is what is on disk what the lock says, or what somebody said yes to? Every byte is read; nothing is changed, nobody is waited
//! for.

use std::path::Path;

use metier_format::SkillName;
use metier_store::digest::hex;
use metier_store::store::TreeError;
use serde::Serialize;

use crate::change::link_to;
use crate::difference::{Difference, DifferenceKind, compare};
use crate::home::{Home, Place};
use crate::keep::read_tree;
use crate::pinned::{Pinned, files_of};
use crate::records::{RecordError, Records, existing};
use crate::stamp;

/// One locked skill held against the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: String,
    /// The tree it should be.
    pub tree: String,
    /// The commit it should be.
    pub commit: Option<String>,
    /// Every file that is not as it should be.
    pub differences: Vec<Difference>,
    /// Why it cannot be read at all, when it cannot.
    pub fault: Option<String>,
}

impl Verified {
    /// Whether it is what the lock says, to the byte.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differences.is_empty() && self.fault.is_none()
    }
}

/// Holds every locked skill of `place` against the disk, or only the one called `only`.
pub fn verify(
    home: &Home,
    place: &Place,
    only: Option<&SkillName>,
) -> Result<Vec<Verified>, RecordError> {
    let records = Records::read(home, place)?;
    let wanted = |pinned: &&Pinned| only.is_none_or(|name| pinned.name == *name);
    Ok(records.lock.skills().filter(wanted).map(|pinned| look(home, place, pinned)).collect())
}

/// Holds what is in `directory` against the tree somebody said yes to there.
#[must_use]
pub fn against_approval(home: &Home, name: &SkillName, directory: &Path, tree: &str) -> Verified {
    let kept = read_tree(&home.kept(tree)).ok().filter(|kept| hex(&kept.digest()) == tree);
    let kept = kept.and_then(|kept| files_of(&kept).ok());
    let (differences, fault) = match (read_tree(directory), kept) {
        (Ok(found), _) if hex(&found.digest()) == tree => (Vec::new(), None),
        (Ok(found), Some(files)) => (compare(&files, &found), None),
        (Ok(_), None) => (Vec::new(), Some("it is not what was approved".to_owned())),
        (Err(error), _) => (Vec::new(), Some(error.to_string())),
    };
    Verified {
        name: name.to_string(),
        directory: directory.to_string_lossy().into_owned(),
        tree: tree.to_owned(),
        commit: None,
        differences,
        fault,
    }
}

/// Holds one pinned skill against the disk.
#[must_use]
pub fn look(home: &Home, place: &Place, pinned: &Pinned) -> Verified {
    let directory = place.directory(home, pinned.name.as_str());
    let (differences, fault) = match read_tree(&directory) {
        Ok(found) => {
            let mut differences = compare(&pinned.files, &found);
            // A name that has no stamps no lock can spell, so it is among the extra files already.
            if let Ok(stamps) = stamp::look(&directory) {
                differences.extend(stamp::odd_rights(&stamps));
            }
            differences.sort();
            differences.dedup();
            (differences, strange_link(home, place, pinned))
        }
        Err(TreeError::NotFound(_)) => {
            let missing =
                |path: &String| Difference { path: path.clone(), kind: DifferenceKind::Missing };
            (pinned.files.iter().map(|file| missing(&file.path)).collect(), None)
        }
        Err(TreeError::NotAFile(path)) => {
            (vec![Difference { path, kind: DifferenceKind::Kind }], None)
        }
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    Verified {
        name: pinned.name.to_string(),
        directory: directory.to_string_lossy().into_owned(),
        tree: pinned.tree.clone(),
        commit: pinned.locked.commit.clone(),
        differences,
        fault,
    }
}

/// A skill of the home is a link to the kept tree it is pinned to. Another one may hold the same
/// bytes today and others tomorrow.
fn strange_link(home: &Home, place: &Place, pinned: &Pinned) -> Option<String> {
    if *place != Place::Personal {
        return None;
    }
    let skills = existing(&place.base(home).join(place.skills())).ok()??;
    let target = skills.target(pinned.name.as_str()).ok()?;
    let right = target.is_some_and(|target| target.as_os_str() == link_to(&pinned.tree).as_str());
    (!right).then(|| "it is not the link that metier made".to_owned())
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
