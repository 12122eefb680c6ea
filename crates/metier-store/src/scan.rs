//! A scan of all roots of a file store: each root walked in turn, the same directory counted once
//! over all of them, everything in order.

use std::path::{Path, PathBuf};

use metier_format::{Code, Diagnostic};
use rustix::io::Errno;
use rustix::thread::sched_getaffinity;

use crate::discover::{Discovery, Found, Note, ScanLimits, Skipped};
use crate::disk::{Disk, Recall, reason};
use crate::layer::{Root, RootId};
use crate::level::Identity;
use crate::limits::{MAX_ROOTS, MAX_THREADS, ROOM_FOR_OTHERS};
use crate::memo::{self, Maker, Memo, Memory, Part, believable};
use crate::paths::{bytes_of, shown};
use crate::repeats::{Place, drop_repeated, remove, repeats};
use crate::surroundings::Surroundings;
use crate::walk::{Harvest, Plan, walk};

/// Scans `roots`. A root that is the same directory as an earlier one adds nothing; a skill
/// reached through two roots belongs to the earlier one. Every trusted root counts as earlier than
/// the others, so that a project cannot take a skill of the user's by a link to it.
pub(crate) fn scan(roots: &[Root], limits: &ScanLimits) -> Discovery {
    scan_with(roots, limits, None)
}

/// The same, with a memory of what was read before. What is found does not depend on it.
pub(crate) fn scan_with(
    roots: &[Root],
    limits: &ScanLimits,
    memory: Option<&dyn Memory>,
) -> Discovery {
    let limits = ScanLimits { threads: thread_count(limits.threads), ..*limits };
    let mut discovery = Discovery { roots: roots.to_vec(), ..Discovery::default() };
    let mut walked: Vec<(Identity, bool)> = Vec::new();
    let mut harvests = Vec::new();
    let mut order: Vec<(RootId, &Root)> =
        (0..).map(RootId).zip(roots.iter().take(MAX_ROOTS)).collect();
    order.sort_by_key(|(_, root)| !root.trusted);
    let surroundings = Surroundings::of(roots);
    for (id, root) in order {
        if root.optional && surroundings.lack(&root.path) {
            continue;
        }
        let disk = match Disk::open(root) {
            Ok(disk) => disk,
            Err(Errno::NOENT | Errno::NOTDIR) if root.optional => continue,
            Err(Errno::XDEV) => {
                let why = "it is a link out of its project, which is not trusted";
                discovery.notes.push(unreadable(id, root, why));
                continue;
            }
            Err(errno) => {
                discovery.notes.push(unreadable(id, root, &reason(errno)));
                continue;
            }
        };
        let this = (disk.identity, root.immediate_only);
        if walked.contains(&this) || walked.contains(&(disk.identity, false)) {
            continue;
        }
        walked.push(this);
        let plan = Plan::new(id, root.immediate_only, &limits);
        harvests.push(match memory {
            Some(memory) => walk_remembering(disk, &plan, root, memory, limits.brief),
            None => walk(&disk, &plan, disk.identity),
        });
    }
    if let (Some(root), Ok(count)) = (roots.get(MAX_ROOTS), u16::try_from(MAX_ROOTS)) {
        let why = format!("a store has at most {MAX_ROOTS} roots");
        discovery.notes.push(unreadable(RootId(count), root, &why));
    }
    gather(&mut discovery, harvests);
    discovery
}

/// Walks a root with what is remembered of it, and has what was learned remembered. Texts are left
/// alone only where nothing has to be remembered anew.
fn walk_remembering(
    disk: Disk,
    plan: &Plan,
    root: &Root,
    memory: &dyn Memory,
    is_brief: bool,
) -> Harvest {
    let (maker, now) = (memory.maker(), memory.now());
    let recall = |part: Part| memory.recall(&root.path, part);
    let tell = |memo: Memo| memo.telling(recall(Part::Texts)?);
    let memo = recall(Part::Marks).and_then(|marks| Memo::read(marks, &root.path, &maker));
    let mut disk = disk.recalling(memo.map_or(Recall::Nothing, Recall::Memo));
    if !is_brief {
        disk = disk.telling(tell);
    }
    let known = |disk: &Disk| disk.memo().map_or(0, Memo::len);
    if let Some(harvest) = disk.recall_all(&plan.recalling(known(&disk))) {
        return harvest;
    }
    if is_brief {
        disk = disk.telling(tell);
    }
    let known = known(&disk);
    let plan = plan.recalling(known);
    let mut harvest = walk(&disk, &plan, disk.identity);
    if harvest.mistaken {
        disk = disk.supposing_nothing();
        harvest = walk(&disk, &plan, disk.identity);
    }
    let before = disk.memo();
    let listing = harvest.entries.map(|entries| (disk.stamp, entries));
    let ways = disk.ways(&harvest.found);
    let ways = ways.as_deref();
    let maker = Maker { root: &root.path, name: &maker, now, listing, ways };
    let is_news = harvest.recalled.len() < known
        || believable(&harvest.stamps, now) > 0
        || memo::listing(&maker, &harvest.found, known).is_some_and(|stamp| {
            before.is_some_and(|memo| !memo.lists(&stamp) || !memo.leads(ways))
        });
    let before = before.map(|memo| (memo, &*harvest.recalled));
    if is_news && let Some(memo) = memo::write(maker, &harvest.found, &harvest.stamps, before) {
        // Marks without their texts are worth nothing.
        memory.keep(&root.path, Part::Texts, &memo.texts);
        memory.keep(&root.path, Part::Marks, &memo.marks);
    }
    harvest
}

/// Puts the harvests of all roots together, of which the first to meet a directory keeps it. Within
/// one root the walk has seen to it that no directory is met twice, so only several roots need to
/// be compared, and to be put back into their order.
fn gather(discovery: &mut Discovery, harvests: Vec<Harvest>) {
    let several = harvests.iter().filter(|harvest| harvest.has_skills()).count() > 1;
    let mut skipped = Vec::new();
    for harvest in harvests {
        discovery.stats += harvest.stats;
        append(&mut discovery.found, harvest.found);
        skipped.extend(harvest.skipped);
        discovery.notes.extend(harvest.notes);
    }
    if several {
        drop_repeated(&mut discovery.found, &discovery.roots);
        drop_repeated_files(&mut skipped, &discovery.roots);
        discovery.found.sort_by_key(|found| found.root);
        skipped.sort_by_key(|(_, file)| file.root);
    }
    discovery.skipped = skipped.into_iter().map(|(_, skipped)| skipped).collect();
    discovery.notes.sort_by_key(|note| note.root);
}

fn drop_repeated_files(skipped: &mut Vec<(Identity, Skipped)>, roots: &[Root]) {
    let directory = |file: &'_ Skipped| file.path.parent().map(Path::to_owned).unwrap_or_default();
    let paths: Vec<PathBuf> = skipped.iter().map(|(_, file)| directory(file)).collect();
    let places: Vec<Place<'_>> = skipped
        .iter()
        .zip(&paths)
        .map(|((identity, file), path)| Place { identity: *identity, root: file.root, path })
        .collect();
    remove(skipped, &repeats(&places, roots));
}

/// `all` followed by `more`, without room to spare but for a few that another store may add.
fn append(all: &mut Vec<Found>, mut more: Vec<Found>) {
    if all.is_empty() {
        more.shrink_to(more.len() + ROOM_FOR_OTHERS);
        *all = more;
    } else {
        all.reserve_exact(more.len());
        all.append(&mut more);
    }
}

fn unreadable(root: RootId, at: &Root, why: &str) -> Note {
    let message = format!("`{}` cannot be read: {why}", shown(bytes_of(&at.path)));
    let diagnostic = Diagnostic::new(Code::RootUnreadable, message);
    Note { root, path: PathBuf::new(), diagnostic }
}

/// The number of threads to use when `asked` were asked for: as many as there are processors this
/// process may run on, when none were.
pub(crate) fn thread_count(asked: usize) -> usize {
    let available = || sched_getaffinity(None).map_or(1, |set| set.count() as usize);
    let count = if asked == 0 { available() } else { asked };
    count.clamp(1, MAX_THREADS)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
