//! A scan of one directory of a file store and everything below it, for whoever knows that only that
//! changed.

use crate::discover::{Discovery, ScanLimits};
use crate::disk::Disk;
use crate::file_store::FileStore;
use crate::layer::{Root, RootId};
use crate::paths::{bytes_of, depth_of};
use crate::scan::{scan, thread_count};
use crate::store::{Location, Store};
use crate::walk::{Harvest, Plan, unreadable, walk_from};

impl FileStore {
    /// What [`Store::discover`] finds at and below `at`, which lies below no skill, unless a directory
    /// there can also be reached by another way or a limit is reached. Costs what lies there and
    /// nothing else.
    pub(crate) fn rescan(&self, at: &Location, limits: &ScanLimits) -> Discovery {
        let Some(root) = self.roots().get(usize::from(at.root.0)) else {
            return Discovery::default();
        };
        if at.path.as_os_str().is_empty() {
            return rescan_root(root, at.root, limits);
        }
        let limits = ScanLimits { threads: thread_count(limits.threads), ..*limits };
        let plan = Plan::new(at.root, root.immediate_only, &limits);
        let Harvest { found, skipped, notes, stats, .. } = rewalk(root, &plan, bytes_of(&at.path));
        let skipped = skipped.into_iter().map(|(_, skipped)| skipped).collect();
        Discovery { roots: Vec::new(), found, skipped, notes, stats }
    }
}

/// Says of everything in `part` that it lies in `root`.
pub(crate) fn renumber(part: &mut Discovery, root: RootId) {
    part.found.iter_mut().for_each(|found| found.root = root);
    part.skipped.iter_mut().for_each(|skipped| skipped.root = root);
    part.notes.iter_mut().for_each(|note| note.root = root);
}

fn rescan_root(root: &Root, id: RootId, limits: &ScanLimits) -> Discovery {
    let mut part = scan(std::slice::from_ref(root), limits);
    renumber(&mut part, id);
    part
}

fn rewalk(root: &Root, plan: &Plan, path: &[u8]) -> Harvest {
    let Ok(disk) = Disk::open(root) else { return Harvest::default() };
    if root.immediate_only && depth_of(path) > 1 {
        return Harvest::default();
    }
    match disk.directory(path) {
        Ok(Some((identity, reached))) => {
            let mut harvest = walk_from(&disk, plan, (path, identity, reached));
            // Nobody looked whether the way there leads over one.
            harvest.stats.links += 1;
            harvest
        }
        Ok(None) => Harvest::default(),
        Err(why) => {
            let mut harvest = Harvest::default();
            harvest.notes.push(unreadable(plan.root, path, &why));
            harvest
        }
    }
}

#[cfg(test)]
#[path = "rescan_tests.rs"]
mod tests;
