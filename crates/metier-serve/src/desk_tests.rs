use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_policy::{HostTable, Policy, Profile};
use metier_runtime::clock::TickingClock;
use metier_runtime::event::Trigger;
use metier_runtime::journal::MemoryJournal;
use metier_runtime::redact::Redactor;
use metier_runtime::script::ScriptGround;
use metier_runtime::session::{Invocation, Settings, Whereabouts};
use metier_runtime::{Ids, JournalError, Session, Setup};
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::vouch::{Depth, Nobody};
use metier_store::watch::{Watch, WatchError};
use metier_store::{Layer, MemoryStore};

use super::{Client, Desk, Host, Seat};

struct Room {
    index: Arc<CatalogIndex>,
    journal: MemoryJournal,
    opened: AtomicUsize,
    now: Mutex<Duration>,
}

impl Room {
    fn new() -> Arc<Self> {
        let text = b"---\nname: reader\ndescription: d\nallowed-tools: Read\n---\nBody\n";
        let store = MemoryStore::new(Layer::Personal).file("reader/SKILL.md", &text[..]);
        let index = CatalogIndex::new(Arc::new(store), IndexSettings::default(), Duration::ZERO);
        let journal = MemoryJournal::new(Arc::new(TickingClock::starting_at(1)));
        let (opened, now) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { index: Arc::new(index), journal, opened, now })
    }

    fn desk(self: &Arc<Self>, session: Option<&str>) -> Desk {
        let client = Client { session: session.map(str::to_owned), ..Client::default() };
        Desk::new(Arc::clone(self) as Arc<dyn Host>, client, Arc::default())
    }

    fn count(&self, kind: &str) -> usize {
        self.journal.all().iter().filter(|frame| frame.kind == kind).count()
    }
}

impl Host for Room {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    fn now(&self) -> Duration {
        *self.now.lock().unwrap()
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let session = client.session.clone().unwrap_or_else(|| format!("s{number}"));
        let setup = Setup {
            store: Arc::clone(self.index.store()),
            catalog: self.index.latest(),
            policy: Policy::profile(Profile::FullAuto),
            policy_digest: String::new(),
            host: HostTable::plain().clone(),
            whereabouts: Whereabouts::default(),
            ids: Ids { session, ..Ids::default() },
            settings: Settings::default(),
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
        Ok(None)
    }
}

fn activate(session: &mut Session) {
    let invocation = Invocation { name: "reader", arguments: "", trigger: Trigger::Manual };
    session.activate(&invocation).unwrap();
}

#[test]
fn nothing_is_opened_before_something_is_done() {
    // U2
    let room = Room::new();
    let desk = room.desk(None);
    assert_eq!(room.opened.load(Ordering::Relaxed), 0);
    desk.act(activate).unwrap();
    desk.act(|session| assert_eq!(session.active_names(), ["reader"])).unwrap();
    assert_eq!(room.opened.load(Ordering::Relaxed), 1);
}

#[test]
fn what_takes_long_is_done_in_the_same_session() {
    // U2, S6
    let room = Room::new();
    let desk = room.desk(None);
    desk.act_apart(activate).unwrap();
    desk.act(|session| assert_eq!(session.active_names(), ["reader"])).unwrap();
    // While one act goes on apart, others are not held up.
    desk.act_apart(|_| desk.act(|session| session.release(None).unwrap()).unwrap()).unwrap();
    desk.act(|session| assert!(session.active_names().is_empty())).unwrap();
    assert_eq!(room.count("session_started"), 1);
}

#[test]
fn a_session_ends_with_its_client_unless_somebody_named_it() {
    // U2, S1
    let room = Room::new();
    let desk = room.desk(None);
    desk.act(activate).unwrap();
    drop(desk);
    assert_eq!((room.count("skill_deactivated"), room.count("session_ended")), (1, 1));
    let named = room.desk(Some("mine"));
    named.act(activate).unwrap();
    drop(named);
    assert_eq!(room.count("session_ended"), 1, "a named one goes on");
    room.desk(Some("mine")).act(|s| assert_eq!(s.active_names(), ["reader"])).unwrap();
    let never = room.desk(None);
    never.close().unwrap();
    assert_eq!(room.count("session_ended"), 1, "what never began has no end");
}

#[test]
fn an_act_that_panics_leaves_the_desk_usable() {
    // S6
    let room = Room::new();
    let desk = room.desk(None);
    desk.act(activate).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = desk.act(|_| panic!("a bug"));
    }));
    assert!(panicked.is_err());
    desk.act(|session| assert_eq!(session.active_names(), ["reader"])).unwrap();
}

#[test]
fn each_act_sees_the_catalog_as_it_is() {
    // D7
    let room = Room::new();
    let desk = room.desk(None);
    desk.act(|_| ()).unwrap();
    let before = room.count("skill_catalog_updated");
    *room.now.lock().unwrap() = Duration::from_secs(365 * 24 * 60 * 60);
    desk.act(|session| assert!(Arc::ptr_eq(session.shared_catalog(), &room.index.latest())))
        .unwrap();
    assert_eq!(room.count("skill_catalog_updated"), before, "the same skills are no news");
}
