//! Skills of one directory over MCP on a loopback port: what it takes to serve them from a program
//! of one's own. Sessions are kept in memory.
//!
//!     cargo run -p metier-serve --example mcp_http -- ./skills 7777
//!
//! Prints the address it listens at. Port 0 takes any that is free.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads its arguments and the clock, and says where it listens"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use metier_policy::{HostTable, Policy, Profile};
use metier_runtime::journal::MemoryJournal;
use metier_runtime::redact::Redactor;
use metier_runtime::script::ScriptGround;
use metier_runtime::session::{Settings, Whereabouts};
use metier_runtime::{Clock, Ids, JournalError, Moment, Session, Setup};
use metier_serve::mcp::{HttpSettings, Service, http_service};
use metier_serve::{Client, Dialect, Host, Seat};
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::vouch::{Depth, Nobody};
use metier_store::watch::{Watch, WatchError, WatchSettings};
use metier_store::{FileStore, Layer, Root};

struct Wall;

impl Clock for Wall {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

struct Example {
    root: Root,
    index: Arc<CatalogIndex>,
    journal: MemoryJournal,
    started: Instant,
    sessions: AtomicU64,
}

impl Host for Example {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        let name = client.session.clone().unwrap_or_else(|| format!("session-{number}"));
        let setup = Setup {
            store: Arc::clone(self.index.store()),
            catalog: self.index.latest(),
            policy: Policy::profile(Profile::Default),
            policy_digest: String::new(),
            host: HostTable::plain().clone(),
            whereabouts: Whereabouts::default(),
            ids: Ids { session: name, ..Ids::default() },
            settings: Settings { again: client.again, ..Settings::default() },
            redactor: Redactor::new([]),
            scripts: ScriptGround::default(),
            artifacts: None,
            vouch: Arc::new(Nobody),
            depth: Depth::Stamps,
        };
        let session = Session::open(setup, Box::new(self.journal.clone()))?;
        Ok(Seat { session, stays: client.session.is_some() })
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        let files = FileStore::new(vec![self.root.clone()]);
        Watch::start(&self.index, files, WatchSettings::default()).map(Some)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("give a directory with skills")?;
    let port = arguments.next().unwrap_or_else(|| "7777".to_owned()).parse::<u16>()?;
    let root = Root::given(Layer::Personal, &directory);
    let store = Arc::new(FileStore::new(vec![root.clone()]));
    let index = CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO);
    let host = Arc::new(Example {
        root,
        index: Arc::new(index),
        journal: MemoryJournal::new(Arc::new(Wall)),
        started: Instant::now(),
        sessions: AtomicU64::new(0),
    });
    let service = Service::new(host, Dialect::Plain);
    service.watch();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        let own = format!("http://{}", listener.local_addr()?);
        println!("{own}/mcp");
        let settings = HttpSettings { origins: vec![own], ..HttpSettings::default() };
        let routes = http_service(&service, &settings);
        axum::serve(listener, routes).await?;
        Ok(())
    })
}
