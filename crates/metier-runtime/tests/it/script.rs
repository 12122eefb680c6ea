//! Scripts through the library: what a surface sees.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_policy::{ToolCall, Verdict};
use metier_runtime::clock::TickingClock;
use metier_runtime::event::Trigger;
use metier_runtime::journal::{Durability, FileJournal, MemoryJournal, read};
use metier_runtime::script::{Input, ScriptCall, ScriptError, Start};
use metier_runtime::{ScriptGround, Session, Setup};
use metier_sandbox::{Cancel, Runner, Status, Support};
use metier_store::discover::ScanLimits;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};
use serde_json::json;

use crate::ground::{Faulty, journal, policy, setup, skill};

/// The `helper` example, built beside this test.
pub(crate) fn helper() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().unwrap().parent().unwrap().join("examples").join("helper")
}

struct Ground {
    directory: tempfile::TempDir,
    layer: Layer,
}

impl Ground {
    fn new(layer: Layer, more: &str, scripts: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("tool");
        std::fs::create_dir_all(place.join("scripts")).unwrap();
        std::fs::write(place.join("SKILL.md"), skill("tool", more)).unwrap();
        for (name, text) in scripts {
            std::fs::write(place.join("scripts").join(name), text).unwrap();
        }
        Self { directory, layer }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn setup(&self, runner: Runner) -> Setup {
        let store = FileStore::new(vec![Root::given(self.layer, self.path())]);
        let discovery = store.discover(&ScanLimits::default());
        let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
        Setup {
            store: Arc::new(store),
            catalog: Arc::new(catalog),
            scripts: ScriptGround {
                runner,
                home: Some(self.path().join("home")),
                ..ScriptGround::default()
            },
            ..setup()
        }
    }

    fn session(&self, journal: &MemoryJournal) -> Session {
        let setup = self.setup(Runner::new().with_helper(helper()));
        Session::open(setup, Box::new(journal.clone())).unwrap()
    }
}

fn kinds(journal: &MemoryJournal) -> Vec<String> {
    journal.all().into_iter().map(|frame| frame.kind).collect()
}

#[test]
fn a_run_is_recorded_before_and_after_and_replays_to_the_same_state() {
    // R3, J1, J3
    let ground = Ground::new(Layer::Personal, "", &[("a.sh", "cat; pwd\n"), ("b.sh", "exit 1\n")]);
    let journal = journal();
    let mut session = ground.session(&journal);
    let call = ScriptCall {
        input: Input::Bytes(b"in\n".to_vec()),
        start: Start::Skill,
        ..ScriptCall::new("Tool", "A")
    };
    let outcome = session.run(&call).unwrap();
    assert_eq!(outcome.status, Status::Exit(0));
    let place = ground.path().join("tool");
    assert_eq!(outcome.stdout.bytes, format!("in\n{}\n", place.display()).into_bytes());
    assert!(session.run(&ScriptCall::new("tool", "b")).unwrap().failure.is_some());
    let counters = session.state().counters;
    assert_eq!((counters.scripts_run, counters.scripts_failed), (2, 1));
    let replayed = metier_runtime::replay::replay(&journal.all());
    assert_eq!(replayed["s"], *session.state());
}

#[test]
fn what_the_journal_refuses_does_not_run() {
    // R3, J1
    let ground = Ground::new(Layer::Personal, "", &[("a.sh", "echo x\n")]);
    let refuses = Arc::new(AtomicBool::new(false));
    let inner = journal();
    let faulty = Faulty { inner: inner.clone(), refuses: Arc::clone(&refuses) };
    let setup = ground.setup(Runner::new().with_helper("/no/such/helper"));
    let mut session = Session::open(setup, Box::new(faulty)).unwrap();
    refuses.store(true, Ordering::Relaxed);
    let error = session.run(&ScriptCall::new("tool", "a")).unwrap_err();
    assert!(matches!(error, ScriptError::Journal(_)), "{error}");
    assert!(!kinds(&inner).contains(&"script_started".to_owned()));
}

#[test]
fn a_missing_wall_refuses_the_unapproved_and_is_said_to_the_approved() {
    // R6
    let run = |layer| {
        let ground = Ground::new(layer, "", &[("a.sh", "echo ran\n")]);
        let runner = Runner::new().with_helper(helper()).with_support(Support::nothing());
        let journal = journal();
        let mut session = Session::open(ground.setup(runner), Box::new(journal.clone())).unwrap();
        (session.run(&ScriptCall::new("tool", "a")), kinds(&journal).pop().unwrap())
    };
    let (refused, last) = run(Layer::Personal);
    let error = refused.unwrap_err();
    assert!(error.is_refusal());
    assert!(error.to_string().contains("filesystem: "), "{error}");
    assert_eq!(last, "script_finished");
    let (ran, _) = run(Layer::Bundled);
    let outcome = ran.unwrap();
    assert_eq!(outcome.stdout.bytes, b"ran\n");
    let note = outcome.notes.first().unwrap();
    assert!(note.starts_with("nothing here enforces its limits on filesystem"), "{note}");
}

#[test]
fn walls_that_policy_switched_off_are_said() {
    // R6
    let ground = Ground::new(Layer::Bundled, "", &[("a.sh", "echo ran\n")]);
    let mut setup = ground.setup(Runner::new().with_helper(helper()));
    setup.policy = policy("[scripts]\nlevel = 'off'\n");
    let mut session = Session::open(setup, Box::new(journal())).unwrap();
    let outcome = session.run(&ScriptCall::new("tool", "a")).unwrap();
    assert_eq!(outcome.notes, ["it ran without walls: policy switched them off"]);
    assert_eq!(outcome.enforced.filesystem, "off");
}

#[test]
fn a_cancelled_run_ends_and_is_recorded() {
    // R4
    let ground = Ground::new(Layer::Personal, "", &[("a.sh", "sleep 1000\n")]);
    let cancel = Cancel::new().unwrap();
    let mut setup = ground.setup(Runner::new().with_helper(helper()));
    setup.scripts.cancel = cancel.clone();
    let journal = journal();
    let mut session = Session::open(setup, Box::new(journal.clone())).unwrap();
    // Thrown before it starts, so that nothing depends on how fast it is.
    cancel.cancel();
    let outcome = session.run(&ScriptCall::new("tool", "a")).unwrap();
    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.failure.unwrap().0, "cancelled");
    assert_eq!(kinds(&journal).pop().unwrap(), "script_finished");
}

#[test]
fn lists_name_every_usable_skill_and_models_see_only_theirs() {
    // R3
    let ground = Ground::new(Layer::Personal, "disable-model-invocation: true", &[("a.sh", "")]);
    let session = ground.session(&journal());
    let by_hand = session.scripts(None, Trigger::Manual).unwrap();
    assert_eq!((by_hand.len(), by_hand[0].scripts[0].name.as_str()), (1, "a"));
    assert!(session.scripts(None, Trigger::Auto).unwrap().is_empty());
    let error = session.scripts(Some("tool"), Trigger::Auto).unwrap_err();
    assert_eq!(error.code(), "permission_denied");
    assert_eq!(session.scripts(Some("no"), Trigger::Manual).unwrap_err().code(), "not_found");
    assert_eq!(session.scripts(Some("../x"), Trigger::Manual).unwrap_err().code(), "invalid_name");
}

#[test]
fn a_skill_in_memory_needs_a_place_on_disk() {
    // R3, B1
    let mut session = Session::open(setup(), Box::new(journal())).unwrap();
    let error = session.run(&ScriptCall::new("git-helper", "run")).unwrap_err();
    assert!(matches!(error, ScriptError::NoHome(_)), "{error}");
    let home = tempfile::tempdir().unwrap();
    let mut setup = setup();
    setup.scripts.home = Some(home.path().to_owned());
    setup.scripts.runner = Runner::new().with_helper(helper());
    let mut session = Session::open(setup, Box::new(journal())).unwrap();
    let outcome = session.run(&ScriptCall::new("git-helper", "run")).unwrap();
    assert_eq!(outcome.stdout.bytes, b"1\n", "{:?}", outcome.stderr);
}

#[test]
fn a_session_that_was_ended_while_a_script_ran_stays_ended() {
    // R3, S6, J1
    let wait = "while [ ! -e go ]; do sleep 0.02; done; echo done\n";
    let ground = Ground::new(Layer::Personal, "", &[("a.sh", wait)]);
    let journal = journal();
    let (mut session, mut other) = (ground.session(&journal), ground.session(&journal));
    let outcome = std::thread::scope(|scope| {
        let call = ScriptCall { start: Start::Skill, ..ScriptCall::new("tool", "a") };
        let run = scope.spawn(move || (session.run(&call), session));
        while !kinds(&journal).contains(&"script_started".to_owned()) {
            std::thread::yield_now();
        }
        other.end().unwrap();
        std::fs::write(ground.path().join("tool/go"), "").unwrap();
        let (outcome, session) = run.join().unwrap();
        assert!(!session.state().open);
        outcome.unwrap()
    });
    assert_eq!(outcome.stdout.bytes, b"done\n");
    assert_eq!(kinds(&journal)[3..], ["script_started", "session_ended", "script_finished"]);
    let replayed = metier_runtime::replay::replay(&journal.all());
    assert!(!replayed["s"].open && replayed["s"].counters.scripts_run == 1);
}

/// A skill whose hooks wait for a file beside it, called `in` and `out`.
fn hooked() -> Ground {
    let wait = |name: &str| format!("while [ ! -e {name} ]; do sleep 0.02; done\n");
    let more = "hooks:\n  pre: scripts/in.sh\n  post: scripts/out.sh\nallowed-tools: Read";
    // Hooks start beside themselves.
    let (pre, post) = (wait("in"), wait("out"));
    Ground::new(Layer::Personal, more, &[("in.sh", &pre), ("out.sh", &post)])
}

/// Waits until that many scripts were started.
fn wait_for(journal: &Path, started: usize) {
    let begun = |frame: &metier_runtime::Frame| frame.kind == "script_started";
    while read(journal).unwrap().frames.iter().filter(|frame| begun(frame)).count() < started {
        std::thread::yield_now();
    }
}

#[test]
fn nobody_waits_for_a_hook_but_whoever_asked_for_its_skill() {
    // S9, S6
    let ground = hooked();
    let path = ground.path().join("s.jsonl");
    let session = || {
        let clock = Arc::new(TickingClock::starting_at(1));
        let journal = FileJournal::open(&path, Durability::System, clock).unwrap();
        let setup = ground.setup(Runner::new().with_helper(helper()));
        Session::open(setup, Box::new(journal)).unwrap()
    };
    let (mut one, mut two) = (session(), session());
    let ls = ToolCall::new("Bash", json!({ "command": "ls" }));
    let verdict = |session: &mut Session| session.guard(&ls).unwrap().ruling.verdict;
    std::thread::scope(|scope| {
        let activating = scope.spawn(|| crate::ground::by_hand(&mut one, "tool").map(drop));
        wait_for(&path, 1);
        assert_eq!(verdict(&mut two), Verdict::Allow, "not active yet");
        std::fs::write(ground.path().join("tool/scripts/in"), "").unwrap();
        activating.join().unwrap().unwrap();
    });
    assert_eq!(verdict(&mut two), Verdict::Deny);
    std::thread::scope(|scope| {
        let ending = scope.spawn(|| one.end());
        wait_for(&path, 2);
        assert_eq!(verdict(&mut two), Verdict::Deny, "still active");
        std::fs::write(ground.path().join("tool/scripts/out"), "").unwrap();
        assert_eq!(ending.join().unwrap().unwrap(), ["tool"]);
    });
    two.catch_up().unwrap();
    assert!(!two.state().open && two.state().stack.is_empty());
}
