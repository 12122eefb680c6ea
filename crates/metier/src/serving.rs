//! What a server needs of this command: the catalog kept, sessions opened by name, the clock. What
//! is served and how is decided in `metier-serve`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use metier_format::{NameKey, SkillName};
use metier_runtime::journal::Followed;
use metier_runtime::{Clock as _, Frame, JournalError, Session};
use metier_serve::tally::Tally;
use metier_serve::{Client, Host, Seat, Tail, Who};
use metier_store::digest::Tree;
use metier_store::discover::ScanLimits;
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::limits::CATALOG_TTL;
use metier_store::selection::Enabled;
use metier_store::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, TreeError};
use metier_store::vouch::{Depth, Nobody, Vouch, Vouched, attest};
use metier_store::watch::{Watch, WatchError, WatchSettings};
use metier_store::{Catalog, Discovery, LayeredStore, Root, Store};

use crate::clock::{Stopwatch, SystemClock};
use crate::config;
use crate::error::CommandError;
use crate::files::Lines;
use crate::packages;
use crate::session::{self, Purpose, Stream};
use crate::settings::Settings;
use crate::view;

/// Narrowed catalogs that are kept: one for each client, and for each name clients give themselves.
const MAX_NARROWED: usize = 128;

/// The skills and sessions that the settings name.
pub(crate) struct Serving {
    settings: Settings,
    index: Arc<CatalogIndex>,
    stopwatch: Stopwatch,
    /// The session every client has, when somebody named one.
    named: Option<String>,
    /// How many sessions nobody named.
    unnamed: AtomicU64,
    /// What was recorded since the server runs.
    tally: Arc<Tally>,
    /// What each client has of which catalog.
    narrowed: Mutex<BTreeMap<Who, Narrowed>>,
}

/// A catalog, and what a client has of it.
struct Narrowed {
    whole: Arc<Catalog>,
    part: Arc<Catalog>,
}

/// The skills a section leaves.
struct Left {
    enabled: Enabled,
    disabled: Vec<NameKey>,
}

impl Left {
    fn has(&self, key: &NameKey) -> bool {
        self.enabled.names(key) && !self.disabled.contains(key)
    }
}

impl Serving {
    /// Reads the catalog. Fails when no session could be opened later.
    pub(crate) fn new(settings: &Settings) -> Result<Self, CommandError> {
        let stream = Stream::of(settings)?;
        session::ids(settings, &stream.session)?;
        let making = IndexSettings {
            limits: settings.limits,
            precedence: settings.precedence,
            selection: settings.selection.clone(),
            ttl: CATALOG_TTL,
        };
        let store = Arc::new(Attested { store: view::store(settings), settings: settings.clone() });
        let index = Arc::new(CatalogIndex::new(store, making, Duration::ZERO));
        let named = stream.named.then(|| stream.session.to_string());
        let (settings, stopwatch) = (settings.clone(), Stopwatch::start());
        let (unnamed, narrowed) = (AtomicU64::new(0), Mutex::default());
        let tally = Arc::default();
        Ok(Self { settings, index, stopwatch, named, unnamed, narrowed, tally })
    }

    /// What the client's sections leave of `whole`; the same value as long as that is the same.
    fn part(&self, whole: Arc<Catalog>, who: &Who) -> Arc<Catalog> {
        if who.sections().next().is_none() {
            return whole;
        }
        // Replaced whole, so a panic elsewhere left nothing half done.
        let mut narrowed = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = narrowed.get(who).filter(|known| Arc::ptr_eq(&known.whole, &whole)) {
            return Arc::clone(&known.part);
        }
        let sections: Vec<Left> = who.sections().map(|name| self.left(name)).collect();
        let part = whole.narrowed(|key| sections.iter().all(|left| left.has(key)));
        let part = Arc::new(part);
        if narrowed.len() >= MAX_NARROWED {
            narrowed.clear();
        }
        narrowed.insert(who.clone(), Narrowed { whole, part: Arc::clone(&part) });
        part
    }

    /// The skills a section leaves. One that is not there leaves none.
    fn left(&self, section: &str) -> Left {
        let Some(client) = self.settings.clients.get(section) else {
            return Left { enabled: Enabled::None, disabled: Vec::new() };
        };
        Left {
            enabled: client.skills.as_deref().map_or(Enabled::Unset, Enabled::parse),
            disabled: client.disabled.iter().map(|name| NameKey::of(name)).collect(),
        }
    }

    /// The whole name of the session of `client`, and whether somebody named it.
    fn session(&self, client: &Client) -> (String, bool) {
        match (&client.session, &self.named) {
            (Some(name), _) => (name.clone(), true),
            (None, Some(name)) => (client.who.session(name), true),
            (None, None) => (client.who.session(&self.fresh()), false),
        }
    }

    /// The name of a session that nobody has yet.
    fn fresh(&self) -> String {
        // Two clients may come in the same millisecond.
        let number = self.unnamed.fetch_add(1, Ordering::Relaxed);
        format!("mcp-{}-{}-{number}", std::process::id(), SystemClock.now().0)
    }
}

impl Host for Serving {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    fn now(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    fn section(&self, name: &str) -> Option<Arc<str>> {
        config::section(&self.settings.clients, name).map(Arc::from)
    }

    fn catalog(&self, who: &Who) -> Arc<Catalog> {
        self.part(self.index.get(self.now()), who)
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        let (name, stays) = self.session(client);
        let settings = self.settings.narrowed(client.who.sections());
        let stream = Stream::called(&name, &settings).map_err(|error| unnamed(&error))?;
        let mut ids = session::ids(&settings, &stream.session).map_err(|error| unnamed(&error))?;
        // Of several clients of one server the journal says which it was.
        ids.agent = client.who.known.as_deref().map(str::to_owned).or(ids.agent);
        let journal = session::journal(&settings, &stream.journal);
        let journal = journal.inspect_err(|_| self.tally.refused())?;
        let purpose = Purpose::with(None, &settings);
        let mut setup = session::setup(&settings, purpose, ids, &stream.journal);
        setup.vouch = Arc::new(Fresh(self.settings.clone()));
        setup.store = Arc::clone(self.index.store());
        setup.catalog = self.part(self.index.latest(), &client.who);
        setup.settings.again = self.settings.session.config.again.unwrap_or(client.again);
        let session = Session::prepare(setup, Box::new(self.tally.around(Box::new(journal))))?;
        Ok(Seat { session, stays })
    }

    fn vouch(&self) -> Arc<dyn Vouch> {
        Arc::new(Fresh(self.settings.clone()))
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        let files = view::files(&self.settings);
        Watch::start(&self.index, files, WatchSettings::default()).map(Some)
    }

    fn tally(&self) -> Option<&Tally> {
        Some(&self.tally)
    }

    fn tail(&self, client: &Client) -> Result<Box<dyn Tail>, JournalError> {
        let (name, _) = self.session(client);
        let stream = Stream::called(&name, &self.settings).map_err(|error| unnamed(&error))?;
        let lines = Lines::of(&stream.journal);
        Ok(Box::new(Following { stream, lines, followed: Followed::default() }))
    }
}

/// A session's part of a journal file, read from its beginning and on as it grows.
struct Following {
    stream: Stream,
    lines: Lines,
    followed: Followed,
}

impl Tail for Following {
    fn next(&mut self) -> Result<Vec<Frame>, JournalError> {
        let read = self.lines.next().map_err(|source| {
            let path = self.stream.journal.clone();
            JournalError::Io { act: "read", path, source }
        })?;
        let mut frames = Vec::new();
        for line in read {
            let frame = self.followed.take(&line).map_err(|fault| JournalError::Changed {
                path: self.stream.journal.clone(),
                frame: self.followed.frames(),
                reason: fault.to_string(),
            })?;
            frames.extend(
                Some(frame).filter(|frame| frame.ids.session == self.stream.session.as_str()),
            );
        }
        Ok(frames)
    }
}

/// The store of the settings, with what locks and approvals say of each candidate.
struct Attested {
    store: LayeredStore,
    settings: Settings,
}

impl Store for Attested {
    fn roots(&self) -> &[Root] {
        self.store.roots()
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        let mut discovery = self.store.discover(limits);
        if let Some(ledger) = packages::ledger(&self.settings).filter(|ledger| !ledger.is_empty()) {
            // A list looks at stamps even where every use looks at bytes: nothing is used here.
            attest(&mut discovery, &ledger, Depth::Stamps);
            ledger.save();
        }
        discovery
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        self.store.load(at)
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        self.store.read(at, path, max_bytes)
    }

    fn directory(&self, at: &Location) -> Option<PathBuf> {
        self.store.directory(at)
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        self.store.stamp(at, path)
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        self.store.tree(at)
    }
}

/// Locks and approvals as they are when somebody asks: a server outlives them.
struct Fresh(Settings);

impl Vouch for Fresh {
    fn vouch(&self, name: &SkillName, directory: &Path, depth: Depth) -> Vouched {
        match packages::ledger(&self.0) {
            Some(ledger) => ledger.vouch(name, directory, depth),
            None => Nobody.vouch(name, directory, depth),
        }
    }

    fn recorded(&self, name: &SkillName, directory: &Path) -> Vouched {
        match packages::ledger(&self.0) {
            Some(ledger) => ledger.recorded(name, directory),
            None => Vouched::default(),
        }
    }
}

/// A name no session can have, as the failure of opening it.
fn unnamed(error: &CommandError) -> JournalError {
    let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, error.message());
    JournalError::Io { act: "open", path: PathBuf::new(), source }
}
