//! File changes become catalog changes, within a fifth of a second and without scanning everything.
//!
//! Every directory a scan looks at is watched: the roots, the directories between, the skills'
//! own, and the nearest directory above each root. Not the directories inside skills: a catalog does
//! not depend on them, nor on the Markdown after the frontmatter. When something happens, the watch
//! waits for a moment's quiet, looks again at the directories concerned and nothing else, and hands
//! what it found to the [`CatalogIndex`], which tells its subscribers.
//!
//! The whole store is scanned again only when the system lost events, when a limit of the walk is
//! reached, or when directories that can be reached by two ways come or go. Where the system cannot
//! watch, files are looked at in intervals instead, and [`Watch::watching`] says so.
//!
//! Not noticed before the catalog's time is over: a directory further up than the one above a root
//! being renamed, and a link on the way to a root being turned elsewhere.
//!
//! Start at [`Watch::start`]; `tree` says what an event concerns, `posts` keeps the watched
//! directories in step, `pending` gathers, `source` is the door to the system.

mod patches;
mod pending;
mod posts;
mod source;
mod tree;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::file_store::FileStore;
use crate::index::{CatalogIndex, Keeper};
use crate::limits::{MAX_WATCHES, POLL_INTERVAL, WATCH_LONGEST, WATCH_QUIET, WATCH_REST};
use crate::store::Store;

use pending::{Batch, Pending};
use posts::Posts;
use source::{Source, Word};
use tree::Tree;

/// How to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// How long nothing must happen before a change is looked at. Editors and installers write in
    /// bursts.
    pub quiet: Duration,
    /// How long a change waits at most, however much goes on happening.
    pub longest: Duration,
    /// How many directories are watched at most.
    pub max_watches: usize,
    /// How often files are looked at where the system cannot watch them.
    pub poll: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            quiet: WATCH_QUIET,
            longest: WATCH_LONGEST,
            max_watches: MAX_WATCHES,
            poll: POLL_INTERVAL,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watching {
    /// The system tells.
    Live {
        /// How many directories are watched.
        directories: usize,
    },
    /// Everything is scanned again in intervals.
    Polling {
        /// Why the system does not tell.
        why: WatchError,
        /// How often.
        every: Duration,
    },
}

/// Why files cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The system has no watches left for this user. On Linux `fs.inotify.max_user_watches` sets how
    /// many there are.
    #[error("the system watches no more directories for this user")]
    SystemLimit,
    /// There are more directories than may be watched.
    #[error("more than {limit} directories would have to be watched")]
    TooMany {
        /// How many may be.
        limit: usize,
    },
    /// The system said no.
    #[error("files cannot be watched: {0}")]
    System(String),
}

/// Watches the directories of a store until it is dropped.
pub struct Watch {
    pending: Arc<Pending>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Watches the roots of `files`, which is the store of `index` or one of those it is made of.
    /// Whatever happens to them after this returns reaches the index. Scans the store once.
    ///
    /// Fails only when no thread can be started; when the system cannot watch, see
    /// [`Watch::watching`].
    pub fn start(
        index: &Arc<CatalogIndex>,
        files: FileStore,
        settings: WatchSettings,
    ) -> Result<Self, WatchError> {
        let pending = Arc::new(Pending::default());
        let tree = Arc::new(Mutex::new(Tree::default()));
        let posts = stand(index, &files, settings, (&pending, &tree));
        let keeper = index.keep();
        let watcher = Watcher { keeper, files, settings, tree, pending: Arc::clone(&pending) };
        watcher.report(posts.as_ref().err());
        let thread = std::thread::Builder::new()
            .name("metier-watch".to_owned())
            .spawn(move || watcher.run(posts.ok()))
            .map_err(|error| WatchError::System(error.to_string()))?;
        Ok(Self { pending, thread: Some(thread) })
    }

    /// How changes are noticed.
    #[must_use]
    pub fn watching(&self) -> Watching {
        self.pending.watching()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.pending.stop();
        if let Some(thread) = self.thread.take() {
            // A panic there was reported by the runtime already; dropping must not start another.
            let _ = thread.join();
        }
    }
}

/// What the watching thread has.
struct Watcher {
    keeper: Keeper,
    files: FileStore,
    settings: WatchSettings,
    tree: Arc<Mutex<Tree>>,
    pending: Arc<Pending>,
}

impl Watcher {
    fn run(self, posts: Option<Posts>) {
        if let Some(posts) = posts {
            let failure = self.watch(posts);
            match failure {
                None => return,
                Some(why) => self.report(Some(&why)),
            }
            // Nothing is known of what happened since the last event.
            self.keeper.reload();
        }
        while self.pending.sleep(self.settings.poll) {
            self.keeper.reload();
        }
    }

    /// Handles what the system tells until told to stop, or until it cannot be relied on any more.
    fn watch(&self, mut posts: Posts) -> Option<WatchError> {
        while let Some(batch) = self.pending.next(self.settings.quiet, self.settings.longest) {
            if let Some(why) = batch.failed {
                return Some(why);
            }
            if let Err(why) = self.handle(&mut posts, batch) {
                return Some(why);
            }
            self.report(None);
        }
        None
    }

    fn handle(&self, posts: &mut Posts, batch: Batch) -> Result<(), WatchError> {
        if batch.lost {
            posts.sync_all()?;
            self.keeper.reload();
            // So much goes on that scanning after every loss would be all we do.
            self.pending.sleep(WATCH_REST);
            return Ok(());
        }
        // A way that is gone now may be why another one did not count until now.
        let overlapped = posts.overlaps();
        for root in &batch.roots {
            posts.sync_root(*root)?;
        }
        for places in &batch.places {
            places.iter().try_for_each(|place| posts.sync(place))?;
        }
        let overlaps = overlapped || posts.overlaps();
        match patches::patches(&self.keeper, &self.files, batch, overlaps) {
            Some(patches) => self.keeper.apply(patches),
            None => self.keeper.reload(),
        }
        Ok(())
    }

    fn report(&self, why: Option<&WatchError>) {
        self.pending.set_watching(match why {
            None => Watching::Live { directories: lock(&self.tree).len() },
            Some(why) => Watching::Polling { why: why.clone(), every: self.settings.poll },
        });
    }
}

/// Stands watch over everything there is.
fn stand(
    index: &CatalogIndex,
    files: &FileStore,
    settings: WatchSettings,
    (pending, tree): (&Arc<Pending>, &Arc<Mutex<Tree>>),
) -> Result<Posts, WatchError> {
    let (heard, known) = (Arc::clone(pending), Arc::clone(tree));
    let source = Source::new(move |word| match word {
        Word::Happened(path, happening) => heard.add(lock(&known).concern(path, happening)),
        Word::Lost => heard.lost(),
        Word::Failed(why) => heard.failed(why),
    })?;
    let (tree, roots) = (Arc::clone(tree), files.roots().to_vec());
    let mut posts = Posts::new(source, tree, roots, index.settings().limits, settings.max_watches);
    posts.sync_all()?;
    Ok(posts)
}

/// A lock. What it guards is changed in single steps, so a thread that panicked left it whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
