//! N2, N4: what a session costs beside a floor in the same run: rulings beside a string comparison,
//! activation beside reading the file, appends beside a bare write.
//!
//!     cargo bench -p metier-runtime --bench session

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reads the clock, writes files and prints what it measured"
)]

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, ToolCall, decide,
};
use metier_runtime::clock::TickingClock;
use metier_runtime::event::{Event, SkillWarning, Trigger};
use metier_runtime::journal::{
    Beat, Durability, FileJournal, Journal, JournalError, MemoryJournal, Turn,
};
use metier_runtime::redact::Redactor;
use metier_runtime::session::{Invocation, Settings, Whereabouts};
use metier_runtime::{Frame, Ids, Session, Setup, State, resolver};
use metier_store::discover::ScanLimits;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};
use serde_json::json;

/// Best and median nanoseconds of one call, over `rounds` rounds of `calls` calls.
fn measure(rounds: usize, calls: usize, mut act: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| act());
            start.elapsed().as_secs_f64() * 1e9 / calls as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[rounds / 2])
}

fn line(what: &str, (best, median): (f64, f64)) {
    println!("{what:<44}{best:>12.0} ns best{median:>12.0} ns median");
}

/// A journal that keeps nothing, so that a ruling is measured and not the disk.
struct Nowhere(MemoryJournal, u64);

impl Journal for Nowhere {
    fn append(&mut self, ids: &Ids, event: &Event, _: Beat) -> Result<Frame, JournalError> {
        self.1 += 1;
        Ok(Frame {
            seq: self.1 - 1,
            ids: ids.clone(),
            time: metier_runtime::Moment(0),
            kind: event.name().to_owned(),
            payload: serde_json::Map::new(),
            extra: serde_json::Map::new(),
            prev: String::new(),
            digest: String::new(),
        })
    }

    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        self.0.turn()
    }

    fn news(&mut self, _: &str, _: u64) -> Option<State> {
        None
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        self.0.frames(session)
    }
}

fn setup(folder: &Path) -> Setup {
    let store = FileStore::new(vec![Root::given(Layer::Personal, folder.to_owned())]);
    let discovery = store.discover(&ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
    Setup {
        store: Arc::new(store),
        catalog: Arc::new(catalog),
        policy: Policy::profile(Profile::Default),
        policy_digest: String::new(),
        host: HostTable::plain().clone(),
        whereabouts: Whereabouts { cwd: folder.to_owned(), home: None, ..Whereabouts::default() },
        ids: Ids { session: "bench".into(), ..Ids::default() },
        settings: Settings::default(),
        redactor: Redactor::default(),
        scripts: metier_runtime::ScriptGround::default(),
        artifacts: None,
        vouch: Arc::new(metier_store::vouch::Nobody),
        depth: metier_store::vouch::Depth::Stamps,
    }
}

fn rulings(folder: &Path) {
    let nowhere = || Box::new(Nowhere(MemoryJournal::new(Arc::new(TickingClock::default())), 0));
    let mut session = Session::open(setup(folder), nowhere()).unwrap();
    let name = session.catalog().entries[0].name().to_string();
    let manual = |name| Invocation { name, arguments: "", trigger: Trigger::Manual };
    session.activate(&manual(&name)).unwrap();
    let plain = ToolCall::new("Glob", json!({ "pattern": "*.rs" }));
    let shell = ToolCall::new("Bash", json!({ "command": "git log --oneline | head -5" }));
    let allowed = ["read".to_owned(), "bash".to_owned()];
    line(
        "floor: one name among two",
        measure(50, 1000, || {
            black_box(allowed.iter().any(|tool| tool == black_box("glob")));
        }),
    );
    let parts = setup(folder);
    let place =
        Place { cwd: folder, home: None, project: None, protected: &[], resolver: &resolver::Disk };
    let mut stack = ActiveStack::default();
    stack.push(ActiveSkill {
        name: metier_format::SkillName::parse(&name).unwrap(),
        allowed: None,
        layer: "personal".into(),
        trust: "present".into(),
        scripts: Vec::new(),
        directory: Some(folder.join(&name)),
        served: false,
    });
    let calls = [("plain tool", &plain), ("shell command", &shell)];
    for (what, call) in calls {
        let cost = measure(50, 500, || {
            black_box(decide(&parts.policy, &stack, call, &parts.host, &place));
        });
        line(&format!("decide alone, {what}"), cost);
    }
    for (what, call) in calls {
        let cost = measure(50, 500, || {
            black_box(session.guard(call).unwrap());
        });
        line(&format!("guard, {what}, recorded nowhere"), cost);
    }
    let path = folder.with_file_name("guarded.jsonl");
    let clock = Arc::new(TickingClock::default());
    let journal = FileJournal::open(&path, Durability::System, clock).unwrap();
    let mut session = Session::open(setup(folder), Box::new(journal)).unwrap();
    session.activate(&manual(&name)).unwrap();
    for (what, call) in calls {
        let cost = measure(50, 200, || {
            black_box(session.guard(call).unwrap());
        });
        line(&format!("guard, {what}, in a file"), cost);
    }
}

fn activations(folder: &Path) {
    let mut session = Session::open(
        setup(folder),
        Box::new(MemoryJournal::new(Arc::new(TickingClock::default()))),
    )
    .unwrap();
    let name = session.catalog().entries[0].name().to_string();
    let file = folder.join(&name).join("SKILL.md");
    line(
        "floor: read SKILL.md",
        measure(20, 50, || {
            black_box(std::fs::read(&file).unwrap());
        }),
    );
    line(
        "activate and release, digest included",
        measure(20, 50, || {
            let invocation = Invocation { name: &name, arguments: "", trigger: Trigger::Manual };
            black_box(session.activate(&invocation).unwrap());
            session.release(None).unwrap();
        }),
    );
}

fn appends(folder: &Path) {
    let warning = SkillWarning { name: None, kind: "bench".into(), detail: "x".repeat(200) };
    let event = Event::SkillWarning(warning);
    let ids = Ids { session: "bench".into(), ..Ids::default() };
    let mut bare = std::fs::File::create(folder.join("bare")).unwrap();
    let bytes = [b'x'; 600];
    line(
        "floor: one write of 600 bytes",
        measure(20, 200, || {
            bare.write_all(&bytes).unwrap();
        }),
    );
    for (what, durability, calls) in [
        ("append, left to the system", Durability::System, 200),
        ("append, durable each act", Durability::EachAct, 10),
        ("append, durable each frame", Durability::EachFrame, 10),
    ] {
        let path = folder.join(format!("{durability:?}.jsonl"));
        let clock = Arc::new(TickingClock::default());
        let mut journal = FileJournal::open(&path, durability, clock).unwrap();
        let cost = measure(20, calls, || {
            black_box(journal.append(&ids, &event, Beat::Result).unwrap());
        });
        line(what, cost);
        println!("{:<44}{:>12.0} appends a second, median", "", 1e9 / cost.1);
    }
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let skills = folder.path().join("skills");
    metier_testing::generate_skills(&skills, 1000, metier_testing::Layout::Flat);
    rulings(&skills);
    activations(&skills);
    appends(folder.path());
}
