//! What the doctor looks at on the disk itself: rights, and links in the agents' directories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use metier_store::client::AGENTS;
use rustix::fs::{AtFlags, CWD, statat};

use super::{Code, Finding, Patient};
use crate::agents::{is_there, real};
use crate::atomic::{DRAFT, DiskError, Folder, Kind};
use crate::change::{ChangeError, Hand};
use crate::home::{Home, LOCK_FILE, Place, WANTED_FILE};
use crate::limits::MAX_AGENT_ENTRIES;
use crate::link::spelled;
use crate::links::{self, Links};
use crate::records::existing;
use crate::{change, receipt, records, trust};

/// Rights nobody but the owner should have here.
const OTHERS_WRITE: u32 = 0o022;

/// What is looked at in the home: what decides which content counts.
fn guarded() -> [&'static str; 11] {
    [
        ".",
        "store",
        "skills",
        LOCK_FILE,
        WANTED_FILE,
        trust::APPROVALS,
        trust::FOLDERS,
        receipt::FILE,
        records::GENERATIONS,
        links::FILE,
        change::PENDING,
    ]
}

/// What others may write to.
pub(super) fn open_to_others(home: &Home) -> Vec<Finding> {
    let open = |name: &&str| mode(&home.path().join(name)).is_some_and(|m| m & OTHERS_WRITE != 0);
    let finding = |name: &str| {
        let path = if name == "." { home.path().to_owned() } else { home.path().join(name) };
        Finding::new(Code::OpenToOthers, &path, "others than you may write here")
    };
    guarded().into_iter().filter(open).map(finding).collect()
}

/// Takes that right from them.
pub(super) fn close_to_others(home: &Home) -> Result<(), DiskError> {
    let folder = Folder::open(home.path())?;
    for name in guarded() {
        if let Some(mode) = mode(&home.path().join(name)).filter(|m| m & OTHERS_WRITE != 0) {
            folder.set_mode_of(name, mode & 0o7777 & !OTHERS_WRITE)?;
        }
    }
    Ok(())
}

/// A link in an agent's directory that leads into a place of ours.
struct Strange {
    folder: PathBuf,
    name: String,
    dangling: bool,
    recorded: bool,
}

/// Links into our places that lead nowhere, or that nobody wrote down.
pub(super) fn strange_links(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for link in all_links(patient) {
        let path = link.folder.join(&link.name);
        if link.dangling {
            let message = "a link to a skill leads nowhere";
            findings.push(Finding::new(Code::LinkDangling, &path, message));
        } else if !link.recorded {
            let message = "a link to an installed skill that metier has no record of";
            findings.push(Finding::new(Code::LinkUnrecorded, &path, message));
        }
    }
    findings
}

/// Removes the links into our places that lead nowhere.
pub(super) fn remove_dangling(patient: &Patient<'_>) -> Result<(), ChangeError> {
    let _hand = Hand::take(patient.home)?;
    for link in all_links(patient).iter().filter(|link| link.dangling) {
        let folder = Folder::open(&link.folder)?;
        folder.unlink(&link.name)?;
        folder.sync()?;
    }
    Ok(())
}

fn all_links(patient: &Patient<'_>) -> Vec<Strange> {
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut found = Vec::new();
    for place in patient.places {
        let ours = real(&place.base(patient.home).join(place.skills()));
        let links = Links::read(patient.home, place).unwrap_or_default();
        for agent in AGENTS {
            let directories = match place {
                Place::Personal => agent.personal,
                Place::Project(_) => agent.project,
            };
            for path in directories.iter().filter_map(|text| patient.agents.resolve(text)) {
                let folder = real(&path);
                let outside = matches!(place, Place::Project(p) if !folder.starts_with(real(p)));
                if folder == ours || outside || !seen.insert(folder.clone()) {
                    continue;
                }
                let spelled = spelled(place, &path).unwrap_or_default();
                in_folder(&folder, &ours, |name, dangling| {
                    let recorded = links.find(&spelled, &name).is_some()
                        || links.made.iter().any(|made| {
                            made.name == name && real(Path::new(&made.folder)) == folder
                        });
                    found.push(Strange { folder: folder.clone(), name, dangling, recorded });
                });
            }
        }
    }
    found
}

/// Calls `take` for each link in `folder` that leads into `ours`.
fn in_folder(folder: &Path, ours: &Path, mut take: impl FnMut(String, bool)) {
    let Ok(Some(open)) = existing(folder) else { return };
    let names = open.names().unwrap_or_default();
    let names = names.into_iter().filter(|name| !name.starts_with(DRAFT));
    for name in names.take(MAX_AGENT_ENTRIES) {
        if !matches!(open.kind(&name), Ok(Some(Kind::Link))) {
            continue;
        }
        let Ok(Some(target)) = open.target(&name) else { continue };
        let target = folder.join(target);
        let parent = target.parent().map(real);
        if parent.is_some_and(|parent| parent == ours) {
            take(name, !is_there(&target));
        }
    }
}

/// The rights of what is at `path`; none when there is nothing, or a link.
fn mode(path: &Path) -> Option<u32> {
    let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_link = crate::atomic::kind_of(&stat) == Kind::Link;
    (!is_link).then_some(stat.st_mode)
}
