//! One walk below one root: level by level, each level in order, cut to the limits, spread over
//! threads when it is large.
//!
//! The walk knows levels, limits and threads; what a directory holds it asks a [`Ground`], which
//! is the disk (`disk`) or bytes in memory (`memory_store`). Start reading at [`walk`].
//!
//! The result depends on the tree alone. A level is the children of the level above, in the order
//! of their parents and then of their names; limits cut that order; threads take pieces of it and
//! hand back results by piece.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use metier_format::{Code, Diagnostic};

use crate::discover::{Found, Note, ScanLimits, ScanStats, Skipped};
use crate::disk::Way;
use crate::layer::RootId;
use crate::level::{Child, Identity, Level, Reached, Seen, Siblings, Tally};
use crate::limits;
use crate::memo::{Stamp, Stamped};
use crate::paths::{bytes_of, depth_of, last, path_of, path_order, shown};

/// Directories that hold no skills of the user's but may hold thousands of directories. They are
/// looked at for a `SKILL.md` of their own like any other, and never listed. Directories whose
/// name starts with a dot (`.git`, `.venv`, `.cache`, a `.disabled` somebody made) are passed over
/// entirely: no skill can be called so.
const NEVER_LISTED: [&str; 3] = ["node_modules", "__pycache__", "venv"];

/// What is walked over.
pub(crate) trait Ground: Sync {
    /// Looks at one directory: tells `desk` of the skill it is, or else of its subdirectories.
    fn look(&self, at: Directory<'_>, desk: &mut Desk<'_>);
}

/// A directory to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directory<'a> {
    /// Its path relative to the root; empty for the root.
    pub(crate) path: &'a [u8],
    /// What it is.
    pub(crate) identity: Identity,
    /// How it was come by.
    pub(crate) reached: Reached,
    /// Its place in its level.
    index: usize,
}

/// How a walk goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The root walked.
    pub(crate) root: RootId,
    /// Whether only the root's immediate subdirectories can be skills.
    pub(crate) immediate_only: bool,
    max_depth: usize,
    max_directories: usize,
    threads: usize,
    /// How many candidates are remembered.
    remembered: usize,
}

/// What a walk, or one thread of it, brought home.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    /// Candidates.
    pub(crate) found: Vec<Found>,
    /// Files that cannot be loaded, with the directory's identity.
    pub(crate) skipped: Vec<(Identity, Skipped)>,
    /// Notes about the walk.
    pub(crate) notes: Vec<Note>,
    /// How much was done.
    pub(crate) stats: ScanStats,
    /// Stamps of files that were read and are to be remembered, by their directories.
    pub(crate) stamps: Vec<Stamped>,
    /// Which candidates of the memo were as they were.
    pub(crate) recalled: Vec<usize>,
    /// How many entries the root has that may be directories, once it was listed.
    pub(crate) entries: Option<usize>,
    /// Whether a directory was not what it was supposed to be, so that nothing of this counts.
    pub(crate) mistaken: bool,
    /// Levels that had candidates; each is in order.
    runs: usize,
    /// Notes that were only counted.
    unnoted: usize,
}

/// Where one thread works: its buffers, and what it has found on this level.
pub(crate) struct Desk<'a> {
    /// The walk's plan.
    pub(crate) plan: &'a Plan,
    /// What it brings home.
    pub(crate) harvest: Harvest,
    /// Buffers used again for each directory.
    pub(crate) scratch: Scratch,
    /// Whether subdirectories belong to the next level, or lie too deep and are only counted.
    descends: bool,
    /// Children kept of all directories together: one more than may be looked at on the next
    /// level, so that the first one left out is known by name.
    cap: usize,
    children: Level,
    groups: Vec<Group>,
    deep: Tally,
    /// Where each piece of the level ended in `harvest.found`.
    pieces: Vec<Piece>,
}

/// A desk's buffers.
#[derive(Default)]
pub(crate) struct Scratch {
    /// A path to open.
    pub(crate) path: Vec<u8>,
    /// The start of a file.
    pub(crate) text: Vec<u8>,
    /// Directory entries as the kernel gives them.
    pub(crate) names: Vec<u8>,
    /// Where in the memo the next candidate is expected.
    pub(crate) next: usize,
    /// Where links led last.
    pub(crate) way: Way,
}

/// The children of one directory, by its place in its level.
struct Group {
    parent: usize,
    range: std::ops::Range<usize>,
    cut: u64,
}

struct Piece {
    start: usize,
    found: usize,
}

/// Walks `ground` from its root, which is `identity`. Visits each directory once; linear in their
/// number but for sorting names within each directory.
pub(crate) fn walk(ground: &impl Ground, plan: &Plan, identity: Identity) -> Harvest {
    walk_from(ground, plan, (b"", identity, Reached::Plainly))
}

/// The same from the directory at a path below the root. What it finds is what a walk from the root
/// finds there, unless a directory can be reached by two ways or a limit is reached.
pub(crate) fn walk_from(
    ground: &impl Ground,
    plan: &Plan,
    (path, identity, reached): (&[u8], Identity, Reached),
) -> Harvest {
    let mut harvest = Harvest::default();
    let (mut wide, mut deep) = (Tally::default(), Tally::default());
    let mut seen = Seen::default();
    let mut level = Level::of(path, identity, reached);
    let mut budget = plan.max_directories;
    for depth in depth_of(path)..=plan.max_depth {
        wide.merge(level.cut(budget));
        budget -= level.len();
        harvest.mistaken |= !seen.admit(&mut level);
        if level.len() == 0 || harvest.mistaken {
            break;
        }
        harvest.stats.directories += level.len() as u64;
        let mut desks = look_at_all(ground, plan, &level, (depth < plan.max_depth, budget));
        level = Level::default();
        merge_children(&mut desks, &mut level, &mut wide);
        for desk in &mut desks {
            deep.merge(std::mem::take(&mut desk.deep));
        }
        harvest.absorb(desks);
    }
    harvest.finish(plan, &wide, &deep);
    harvest
}

/// The note about a directory that cannot be read.
pub(crate) fn unreadable(root: RootId, path: &[u8], why: &str) -> Note {
    let message = format!("`{}` cannot be read: {why}", shown(path));
    let diagnostic = Diagnostic::new(Code::DirectoryUnreadable, message);
    Note { root, path: path_of(path), diagnostic }
}

/// Whether a directory called so is passed over.
pub(crate) fn is_hidden(name: &[u8]) -> bool {
    name.starts_with(b".")
}

/// Whether the directory at `path`, which is no skill, is listed.
pub(crate) fn may_be_listed(path: &[u8]) -> bool {
    let name = last(path);
    !NEVER_LISTED.iter().any(|never| never.as_bytes() == name)
}

impl Plan {
    /// The plan for one root under `limits`, with the number of threads already decided.
    pub(crate) fn new(root: RootId, immediate_only: bool, limits: &ScanLimits) -> Self {
        Self {
            root,
            immediate_only,
            max_depth: if immediate_only { 1.min(limits.max_depth) } else { limits.max_depth },
            max_directories: limits.max_directories.min(limits::MAX_DIRECTORIES_SETTING),
            threads: limits.threads.clamp(1, limits::MAX_THREADS),
            remembered: 0,
        }
    }

    /// The same plan where so many candidates are remembered.
    pub(crate) fn recalling(self, remembered: usize) -> Self {
        Self { remembered, ..self }
    }

    /// Whether the limits let a walk look at the root and so many directories in it.
    pub(crate) fn reaches(&self, directories: usize) -> bool {
        self.max_depth > 0 && directories < self.max_directories
    }

    /// How many threads look at so many directories, of which those that are remembered cost less.
    pub(crate) fn threads_for(&self, directories: usize) -> usize {
        let fresh = directories.saturating_sub(self.remembered);
        let worth = fresh / limits::DIRECTORIES_PER_THREAD
            + (directories - fresh) / limits::REMEMBERED_PER_THREAD;
        worth.clamp(1, self.threads)
    }
}

impl Desk<'_> {
    /// Whether `at` is the root of a walk on which only its subdirectories can be skills.
    pub(crate) fn is_bare_root(&self, at: Directory<'_>) -> bool {
        self.plan.immediate_only && at.path.is_empty()
    }

    /// A candidate was found.
    pub(crate) fn found(&mut self, found: Found) {
        self.harvest.found.push(found);
    }

    /// The file of the skill at `at` is to be remembered.
    pub(crate) fn remember(&mut self, at: Directory<'_>, stamp: Stamp) {
        self.harvest.stamps.push((at.path.into(), stamp));
    }

    /// The file at `path` cannot be loaded.
    pub(crate) fn skipped(&mut self, at: Directory<'_>, path: PathBuf, why: Vec<Diagnostic>) {
        let skipped = Skipped { root: self.plan.root, path, diagnostics: why };
        self.harvest.skipped.push((at.identity, skipped));
    }

    /// The directory at `path` cannot be read.
    pub(crate) fn unreadable(&mut self, path: &[u8], why: &str) {
        self.harvest.notes.push(unreadable(self.plan.root, path, why));
        if self.harvest.notes.len() > 2 * limits::MAX_NOTES {
            self.harvest.keep_first_notes();
        }
    }

    /// Starts the list of subdirectories of `at`.
    pub(crate) fn children(&mut self, at: Directory<'_>) -> Siblings {
        let left = self.cap.saturating_sub(self.children.len());
        self.children.siblings(at.path, left)
    }

    /// Adds one subdirectory of `at`.
    pub(crate) fn child(&mut self, group: &mut Siblings, at: Directory<'_>, child: Child<'_>) {
        if self.descends {
            self.children.add(group, at.path, child);
        } else if !self.plan.immediate_only {
            group.deep.add(at.path, child.name);
        }
    }

    /// Ends the list of subdirectories of `at`.
    pub(crate) fn close(&mut self, mut group: Siblings, at: Directory<'_>) {
        self.deep.merge(std::mem::take(&mut group.deep));
        let (range, cut) = self.children.close(group);
        if !range.is_empty() || cut > 0 {
            self.groups.push(Group { parent: at.index, range, cut });
        }
    }

    /// Throws away the list of subdirectories of `at`, which is a skill after all, and what was
    /// said about them.
    pub(crate) fn discard(&mut self, group: &Siblings, at: Directory<'_>) {
        self.children.discard(group);
        let directory = path_of(at.path);
        self.harvest.notes.retain(|note| note.path.parent() != Some(&directory));
    }
}

impl<'a> Desk<'a> {
    fn new(plan: &'a Plan, (descends, budget): (bool, usize)) -> Self {
        Self {
            plan,
            harvest: Harvest::default(),
            scratch: Scratch::default(),
            descends,
            cap: budget + 1,
            children: Level::default(),
            groups: Vec::new(),
            deep: Tally::default(),
            pieces: Vec::new(),
        }
    }

    /// Looks at directories `start..end` of `level`.
    fn work(&mut self, ground: &impl Ground, level: &Level, start: usize, end: usize) {
        let before = self.harvest.found.len();
        for index in start..end.min(level.len()) {
            if let Some((path, identity, reached)) = level.get(index) {
                ground.look(Directory { path, identity, reached, index }, self);
            }
        }
        self.pieces.push(Piece { start, found: self.harvest.found.len() - before });
    }
}

impl Harvest {
    /// Candidates in order, and what was done for them.
    pub(crate) fn of(found: Vec<Found>, stats: ScanStats) -> Self {
        Self { found, stats, ..Self::default() }
    }

    /// Whether any skill was met, good or bad.
    pub(crate) fn has_skills(&self) -> bool {
        !self.found.is_empty() || !self.skipped.is_empty()
    }

    /// Takes what the desks of one level found, in the order of the level.
    fn absorb(&mut self, desks: Vec<Desk<'_>>) {
        let mut order = Vec::new();
        let mut heaps = Vec::new();
        let before = self.found.len();
        for (index, desk) in desks.into_iter().enumerate() {
            order.extend(desk.pieces.iter().map(|piece| (piece.start, index, piece.found)));
            self.skipped.extend(desk.harvest.skipped);
            self.notes.extend(desk.harvest.notes);
            self.unnoted += desk.harvest.unnoted;
            self.stats += desk.harvest.stats;
            self.stamps.extend(desk.harvest.stamps);
            self.recalled.extend(desk.harvest.recalled);
            self.mistaken |= desk.harvest.mistaken;
            self.entries = self.entries.or(desk.harvest.entries);
            heaps.push(desk.harvest.found.into_iter());
        }
        order.sort_unstable();
        if let ([heap], true) = (&mut heaps[..], self.found.is_empty()) {
            // One thread found them all, in order.
            self.found = std::mem::take(heap).collect();
            self.runs += usize::from(!self.found.is_empty());
            return;
        }
        self.found.reserve_exact(order.iter().map(|piece| piece.2).sum());
        for (_, desk, count) in order {
            if let Some(heap) = heaps.get_mut(desk) {
                self.found.extend(heap.take(count));
            }
        }
        self.runs += usize::from(self.found.len() > before);
    }

    /// Keeps the notes that are first by path and counts the others.
    fn keep_first_notes(&mut self) {
        self.notes.sort_by(|a, b| path_order(bytes_of(&a.path), bytes_of(&b.path)));
        self.unnoted += self.notes.len().saturating_sub(limits::MAX_NOTES);
        self.notes.truncate(limits::MAX_NOTES);
    }

    /// Puts everything in order of path and says which limits were reached.
    fn finish(&mut self, plan: &Plan, wide: &Tally, deep: &Tally) {
        self.keep_first_notes();
        if self.unnoted > 0 {
            let message = format!("{} more directories cannot be read", self.unnoted);
            let diagnostic = Diagnostic::new(Code::DirectoryUnreadable, message);
            self.notes.push(Note { root: plan.root, path: PathBuf::new(), diagnostic });
        }
        let limit = plan.max_depth;
        let below = format!("more than {limit} levels below the root, not looked into");
        self.limit_note(plan.root, Code::WalkTooDeep, deep, &below);
        let limit = plan.max_directories;
        let beyond = format!("past the limit of {limit} directories, not looked into");
        self.limit_note(plan.root, Code::WalkTooWide, wide, &beyond);
        // Each level is in order already, so this merges runs.
        if self.runs > 1 {
            self.found.sort_by(|a, b| path_order(bytes_of(&a.path), bytes_of(&b.path)));
        }
        self.stamps.sort_unstable_by(|a, b| path_order(&a.0, &b.0));
        self.skipped.sort_by(|a, b| path_order(bytes_of(&a.1.path), bytes_of(&b.1.path)));
        self.notes.sort_by(|a, b| {
            path_order(bytes_of(&a.path), bytes_of(&b.path))
                .then(a.diagnostic.code.cmp(&b.diagnostic.code))
        });
    }

    fn limit_note(&mut self, root: RootId, code: Code, tally: &Tally, what: &str) {
        let Some(first) = &tally.first else { return };
        let path = shown(first);
        let message = match tally.count {
            1 => format!("`{path}` lies {what}"),
            2 => format!("`{path}` and 1 more directory lie {what}"),
            count => format!("`{path}` and {} more directories lie {what}", count - 1),
        };
        let diagnostic = Diagnostic::new(code, message);
        self.notes.push(Note { root, path: path_of(first), diagnostic });
    }
}

/// Looks at every directory of `level`, on several threads when there are enough of them.
fn look_at_all<'a>(
    ground: &impl Ground,
    plan: &'a Plan,
    level: &Level,
    below: (bool, usize),
) -> Vec<Desk<'a>> {
    let count = level.len();
    let threads = plan.threads_for(count);
    if threads == 1 {
        let mut desk = Desk::new(plan, below);
        desk.harvest.found.reserve_exact(plan.remembered.min(count));
        desk.work(ground, level, 0, count);
        return vec![desk];
    }
    let piece = (count / (threads * 8)).clamp(16, 256);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut desk = Desk::new(plan, below);
        loop {
            let start = next.fetch_add(piece, Ordering::Relaxed);
            if start >= count {
                return desk;
            }
            desk.work(ground, level, start, start + piece);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut desks = vec![work()];
        for other in others {
            match other.join() {
                Ok(desk) => desks.push(desk),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        desks
    })
}

/// Puts the children found at all desks into one level, in the order of their parents.
fn merge_children(desks: &mut [Desk<'_>], level: &mut Level, wide: &mut Tally) {
    let mut groups: Vec<(usize, usize, std::ops::Range<usize>)> = Vec::new();
    for (index, desk) in desks.iter_mut().enumerate() {
        for group in std::mem::take(&mut desk.groups) {
            wide.count += group.cut;
            groups.push((group.parent, index, group.range));
        }
    }
    groups.sort_unstable_by_key(|group| group.0);
    for (_, desk, range) in groups {
        if let Some(desk) = desks.get(desk) {
            level.append(&desk.children, range);
        }
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
