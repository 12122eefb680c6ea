//! Sessions over skills in memory.

use std::path::PathBuf;
use std::sync::Arc;

use metier_policy::{HostTable, Policy, PolicyFile, PolicyLayer, Profile};
use metier_runtime::clock::TickingClock;
use metier_runtime::event::Trigger;
use metier_runtime::journal::{Journal, JournalError, MemoryJournal};
use metier_runtime::redact::Redactor;
use metier_runtime::session::{Activation, ActivationError, Invocation, Settings, Whereabouts};
use metier_runtime::{Ids, ScriptGround, Session, Setup};
use metier_store::memory_store::MemoryStore;
use metier_store::{Catalog, Enabled, Layer, LayeredStore, Precedence, Root, Selection, Store};

/// A skill's `SKILL.md` with more frontmatter lines.
pub(crate) fn skill(name: &str, more: &str) -> Vec<u8> {
    let end = if more.is_empty() || more.ends_with('\n') { "" } else { "\n" };
    format!("---\nname: {name}\ndescription: Does {name}. Use when {name} is asked for.\n{more}{end}---\n\n# {name}\n\nDo it with $ARGUMENTS.\n")
        .into_bytes()
}

/// The skills most tests use.
pub(crate) fn personal() -> MemoryStore {
    MemoryStore::new(Layer::Personal)
        .file("git-helper/SKILL.md", skill("git-helper", "allowed-tools: Read Bash(git:*)"))
        .file("git-helper/scripts/run.py", &b"print(1)\n"[..])
        .file("git-helper/references/a.md", &b"# A\n"[..])
        .file("free/SKILL.md", skill("free", "model: big\ncontext: fork\nagent: planner"))
        .file("reader/SKILL.md", skill("reader", "allowed-tools: Read"))
        .file("broken-tools/SKILL.md", skill("broken-tools", "allowed-tools: Bash(git"))
        .file("by-hand/SKILL.md", skill("by-hand", "disable-model-invocation: true"))
        .file("by-model/SKILL.md", skill("by-model", "user-invocable: false"))
        .file("elsewhere/SKILL.md", skill("elsewhere", "scope:\n  agents: [other]"))
        .file("pushy/SKILL.md", skill("pushy", "overrides:\n  model: huge\n  provider: mine"))
}

/// A project nobody trusts.
fn untrusted() -> MemoryStore {
    MemoryStore::with_root(Root {
        layer: Layer::Project,
        path: PathBuf::from("project"),
        client_order: 0,
        immediate_only: false,
        trusted: false,
        optional: false,
        within: None,
    })
    .file("stranger/SKILL.md", skill("stranger", ""))
}

/// What a test session is made of; change it before opening.
pub(crate) fn setup() -> Setup {
    let store = LayeredStore::new(vec![Box::new(personal()), Box::new(untrusted())]);
    let selection = Selection {
        agent: Some("mine".into()),
        disabled: vec![metier_format::NameKey::of("never")],
        enabled: Enabled::All,
        ..Selection::default()
    };
    let discovery = store.discover(&metier_store::discover::ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &selection);
    Setup {
        store: Arc::new(store),
        catalog: Arc::new(catalog),
        policy: Policy::profile(Profile::FullAuto),
        policy_digest: String::new(),
        host: HostTable::plain().clone(),
        whereabouts: Whereabouts { cwd: "/project".into(), home: None, ..Whereabouts::default() },
        ids: Ids { session: "s".into(), agent: Some("mine".into()), ..Ids::default() },
        settings: Settings::default(),
        redactor: Redactor::new(["canary-7731".to_owned()]),
        scripts: ScriptGround::default(),
        artifacts: None,
        vouch: Arc::new(metier_store::vouch::Nobody),
        depth: metier_store::vouch::Depth::Stamps,
    }
}

pub(crate) fn journal() -> MemoryJournal {
    MemoryJournal::new(Arc::new(TickingClock::starting_at(1000)))
}

pub(crate) fn open(journal: &MemoryJournal) -> Session {
    Session::open(setup(), Box::new(journal.clone())).unwrap()
}

/// A policy of one file.
pub(crate) fn policy(text: &str) -> Policy {
    Policy::merge([(PolicyLayer::Personal, PolicyFile::read(text, "policy.toml").unwrap())])
}

pub(crate) fn by_hand(session: &mut Session, name: &str) -> Result<Activation, ActivationError> {
    session.activate(&Invocation { name, arguments: "", trigger: Trigger::Manual })
}

/// A journal that refuses whenever it is told to.
pub(crate) struct Faulty {
    pub(crate) inner: MemoryJournal,
    pub(crate) refuses: Arc<std::sync::atomic::AtomicBool>,
}

impl Journal for Faulty {
    fn append(
        &mut self,
        ids: &Ids,
        event: &metier_runtime::Event,
        beat: metier_runtime::journal::Beat,
    ) -> Result<metier_runtime::Frame, JournalError> {
        if self.refuses.load(std::sync::atomic::Ordering::Relaxed) {
            let source = std::io::Error::other("the disk is full");
            return Err(JournalError::Io { act: "append to", path: "memory".into(), source });
        }
        self.inner.append(ids, event, beat)
    }

    fn turn(&mut self) -> Result<Arc<metier_runtime::journal::Turn>, JournalError> {
        self.inner.turn()
    }

    fn news(&mut self, session: &str, frames: u64) -> Option<metier_runtime::State> {
        self.inner.news(session, frames)
    }

    fn frames(&mut self, session: &str) -> Result<Vec<metier_runtime::Frame>, JournalError> {
        self.inner.frames(session)
    }
}
