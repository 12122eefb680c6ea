//! What one session promises.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use metier_policy::{ToolCall, Verdict};
use metier_runtime::clock::TickingClock;
use metier_runtime::event::Trigger;
use metier_runtime::journal::{
    Beat, Durability, FileJournal, Journal, JournalError, MemoryJournal, Turn, read,
};
use metier_runtime::limits::MAX_COLLISIONS;
use metier_runtime::session::{Again, Invocation, ReleaseError, ResourceError};
use metier_runtime::survive::{Keep, survivors};
use metier_runtime::{ActivationError, Event, Frame, Ids, Session, Setup, State};
use metier_store::discover::ScanLimits;
use metier_store::memory_store::MemoryStore;
use metier_store::store::ReadError;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};
use serde_json::json;

use crate::ground::{Faulty, by_hand, journal, open, policy, setup, skill};

fn bash(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({ "command": command }))
}

fn verdict(session: &mut Session, call: &ToolCall) -> Verdict {
    session.guard(call).unwrap().ruling.verdict
}

fn kinds(journal: &metier_runtime::journal::MemoryJournal) -> Vec<String> {
    journal.all().into_iter().map(|frame| frame.kind).collect()
}

#[test]
fn an_activation_gives_the_model_all_it_needs() {
    // S1, S10
    let journal = journal();
    let mut session = open(&journal);
    let invocation = Invocation { name: "Git_Helper", arguments: "main", trigger: Trigger::Auto };
    let activation = session.activate(&invocation).unwrap();
    assert_eq!(activation.name, "git-helper");
    assert!(activation.body.contains("Do it with main."), "{}", activation.body);
    assert_eq!(activation.resources, ["references/a.md", "scripts/run.py"]);
    assert_eq!(
        activation.allowed_tools.as_deref(),
        Some(&["Read".to_owned(), "Bash(git:*)".into()][..])
    );
    assert!(activation.text.starts_with("<skill_content name=\"git-helper\">"));
    assert!(activation.notice.is_some(), "present skills say that nobody approved them");
    let free = by_hand(&mut session, "free").unwrap();
    assert_eq!((free.model.as_deref(), free.context), (Some("big"), "fork"));
    assert_eq!(free.agent.as_deref(), Some("planner"));
}

#[test]
fn each_refusal_has_a_code_of_its_own_and_a_frame() {
    // S1, D4
    let journal = journal();
    let mut session = open(&journal);
    by_hand(&mut session, "reader").unwrap();
    let cases = [
        ("git-helpr", Trigger::Manual, "skill_not_found"),
        ("../etc", Trigger::Manual, "skill_not_found"),
        ("reader", Trigger::Manual, "skill_already_active"),
        ("stranger", Trigger::Manual, "skill_not_trusted"),
        ("elsewhere", Trigger::Manual, "skill_out_of_scope"),
        ("by-hand", Trigger::Auto, "skill_not_for_models"),
        ("by-model", Trigger::Manual, "skill_not_for_users"),
    ];
    for (name, trigger, code) in cases {
        let error = session.activate(&Invocation { name, arguments: "", trigger }).unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
        let last = journal.all().pop().unwrap();
        assert_eq!(
            (last.kind.as_str(), last.payload["code"].as_str()),
            ("skill_refused", Some(code))
        );
    }
    let error = by_hand(&mut session, "git-helpr").unwrap_err();
    assert!(
        matches!(&error, ActivationError::NotFound { suggestion: Some(s), .. } if s == "git-helper")
    );
    let long = "x".repeat(70_000);
    let invocation = Invocation { name: "free", arguments: &long, trigger: Trigger::Manual };
    let error = session.activate(&invocation).unwrap_err();
    assert!(matches!(error, ActivationError::ArgumentsTooLarge(70_000)));
    assert_eq!(session.state().stack.len(), 1, "nothing that was refused is active");
}

#[test]
fn selection_and_policy_refuse_in_their_own_words() {
    // S1, S4, D4
    let mut parts = setup();
    parts.policy = policy(
        "profile = \"full-auto\"\n[[rule]]\nid = \"no-free\"\nverdict = \"deny\"\ntool = \"Skill\"\narguments = { name = \"free\" }\nreason = \"not here\"\n",
    );
    let mut session = Session::open(parts, Box::new(journal())).unwrap();
    let error = by_hand(&mut session, "free").unwrap_err();
    assert!(
        matches!(&error, ActivationError::Denied { reason, .. } if reason.contains("not here")),
        "{error}"
    );
    let mut parts = setup();
    let selection = metier_store::Selection {
        enabled: metier_store::Enabled::parse("reader"),
        ..Default::default()
    };
    let discovery = parts.store.discover(&Default::default());
    parts.catalog =
        Arc::new(metier_store::Catalog::build(discovery, &Default::default(), &selection));
    let mut session = Session::open(parts, Box::new(journal())).unwrap();
    let error = by_hand(&mut session, "free").unwrap_err();
    assert!(matches!(error, ActivationError::Hidden { .. }), "{error}");
    assert_eq!(error.code(), "skill_hidden");
}

#[test]
fn asking_again_can_repeat_instead() {
    // S1
    let mut parts = setup();
    parts.settings.again = Again::Repeat;
    let mut session = Session::open(parts, Box::new(journal())).unwrap();
    by_hand(&mut session, "reader").unwrap();
    let again = by_hand(&mut session, "reader").unwrap();
    assert!(again.repeated && session.state().stack.len() == 1);
}

#[test]
fn an_unrestricted_skill_on_top_lifts_nothing() {
    // S3, S6
    let mut session = open(&journal());
    assert_eq!(verdict(&mut session, &bash("rm -rf x")), Verdict::Allow);
    by_hand(&mut session, "git-helper").unwrap();
    assert_eq!(verdict(&mut session, &bash("git status")), Verdict::Allow);
    assert_eq!(verdict(&mut session, &bash("git status; rm -rf x")), Verdict::Deny);
    by_hand(&mut session, "free").unwrap();
    assert_eq!(verdict(&mut session, &bash("rm -rf x")), Verdict::Deny);
    by_hand(&mut session, "reader").unwrap();
    assert_eq!(verdict(&mut session, &bash("git status")), Verdict::Deny, "both must allow");
    session.release(Some("reader")).unwrap();
    assert_eq!(verdict(&mut session, &bash("git status")), Verdict::Allow);
    session.end().unwrap();
    assert_eq!(verdict(&mut session, &bash("rm -rf x")), Verdict::Allow);
}

#[test]
fn tools_that_cannot_be_read_allow_nothing() {
    // S3
    let journal = journal();
    let mut session = open(&journal);
    by_hand(&mut session, "broken-tools").unwrap();
    assert_eq!(verdict(&mut session, &bash("git status")), Verdict::Deny);
    drop(session);
    assert_eq!(verdict(&mut open(&journal), &bash("git status")), Verdict::Deny);
}

#[test]
fn releasing_is_last_in_first_out() {
    // S1
    let mut session = open(&journal());
    assert!(matches!(session.release(None), Err(ReleaseError::NothingActive)));
    by_hand(&mut session, "reader").unwrap();
    by_hand(&mut session, "free").unwrap();
    let error = session.release(Some("reader")).unwrap_err();
    assert!(matches!(&error, ReleaseError::NotOnTop { top, .. } if top == "free"));
    assert_eq!(error.code(), "skill_stack_violation");
    assert!(matches!(session.release(Some("nobody")), Err(ReleaseError::NotActive(_))));
    assert_eq!(session.release(Some("FREE")).unwrap(), "free");
    by_hand(&mut session, "free").unwrap();
    assert_eq!(session.end().unwrap(), ["free", "reader"]);
}

#[test]
fn a_process_that_starts_again_has_the_same_stack() {
    // S6, J3
    let journal = journal();
    let mut session = open(&journal);
    by_hand(&mut session, "git-helper").unwrap();
    let before = session.state().clone();
    drop(session);
    let mut session = open(&journal);
    assert_eq!(session.state().stack, before.stack);
    assert_eq!(verdict(&mut session, &bash("ls")), Verdict::Deny);
    let status = session.status();
    assert_eq!(status.grant[0].tools, ["Read", "Bash(git:*)"]);
}

#[test]
fn nothing_happens_that_the_journal_refuses() {
    // J1, S6
    let refuses = Arc::new(AtomicBool::new(false));
    let inner = journal();
    let faulty = Faulty { inner: inner.clone(), refuses: Arc::clone(&refuses) };
    let mut session = Session::open(setup(), Box::new(faulty)).unwrap();
    by_hand(&mut session, "reader").unwrap();
    let before = session.state().clone();
    refuses.store(true, Ordering::Relaxed);
    assert!(matches!(by_hand(&mut session, "free"), Err(ActivationError::Journal(_))));
    assert!(session.guard(&bash("ls")).is_err());
    assert!(matches!(session.release(None), Err(ReleaseError::Journal(_))));
    let read = session.read("reader", "SKILL.md", 100);
    assert!(matches!(read, Err(ResourceError::Journal(_))));
    assert!(session.end().is_err());
    assert_eq!(session.state(), &before);
    refuses.store(false, Ordering::Relaxed);
    assert_eq!(verdict(&mut session, &bash("ls")), Verdict::Deny, "still restricted");
}

#[test]
fn files_are_read_by_name_first_and_recorded() {
    // R1, J1
    let journal = journal();
    let mut session = open(&journal);
    let resource = session.read("git-helper", "references/a.md", 1000).unwrap();
    assert_eq!(resource.bytes, b"# A\n");
    let refused = |session: &mut Session, name: &str, path: &str, limit: u64| {
        session.read(name, path, limit).unwrap_err().code()
    };
    assert_eq!(refused(&mut session, "nobody", "../../etc/passwd", 9), "skill_not_found");
    assert_eq!(refused(&mut session, "../..", "etc/passwd", 9), "skill_not_found");
    assert_eq!(refused(&mut session, "git-helper", "../free/SKILL.md", 9), "invalid_path");
    assert_eq!(refused(&mut session, "git-helper", "references/b.md", 9), "file_not_found");
    assert_eq!(refused(&mut session, "git-helper", "references/a.md", 2), "file_too_large");
    assert_eq!(refused(&mut session, "stranger", "SKILL.md", 9), "skill_not_trusted");
    let error = session.read("git-helper", "references", 9).unwrap_err();
    assert!(matches!(error, ResourceError::Read(ReadError::NotAFile(_))), "{error}");
    let read = journal.all().into_iter().filter(|f| f.kind == "resource_read").count();
    assert_eq!(read, 5);
}

#[test]
fn overrides_are_ruled_on_and_recorded() {
    // S7, J1
    let journal = journal();
    let mut parts = setup();
    parts.policy = policy("profile = \"default\"\n");
    let mut session = Session::open(parts, Box::new(journal.clone())).unwrap();
    let activation = by_hand(&mut session, "pushy").unwrap();
    assert_eq!(activation.overrides.len(), 2);
    assert!(activation.overrides.iter().all(|o| o.ruling.verdict != Verdict::Allow));
    let ruled = kinds(&journal).iter().filter(|kind| *kind == "override_ruled").count();
    assert_eq!(ruled, 2);
}

#[test]
fn a_session_leaves_the_frames_the_contract_names() {
    // J1, J2
    let journal = journal();
    let mut session = open(&journal);
    by_hand(&mut session, "git-helper").unwrap();
    session.guard(&bash("git status")).unwrap();
    session.guard(&bash("ls")).unwrap();
    session.end().unwrap();
    let expect = [
        "session_started",
        "skill_catalog_updated",
        "skill_invoked",
        "skill_loaded",
        "skill_activated",
        "tool_execution_in_skill",
        "tool_restriction_violated",
        "skill_deactivated",
        "session_ended",
    ];
    assert_eq!(kinds(&journal), expect);
    let frames = journal.all();
    assert!(frames.iter().all(|f| f.ids.agent.as_deref() == Some("mine")));
    let loaded = &frames[3].payload;
    assert_eq!(loaded["frontmatter"]["allowed-tools"], "Read Bash(git:*)");
    assert_eq!(loaded["digest"].as_str().map(str::len), Some(64));
}

#[test]
fn secrets_never_reach_the_journal() {
    // J2, R5
    let journal = journal();
    let mut session = open(&journal);
    let secret = "canary-7731";
    let _ = by_hand(&mut session, secret);
    let invocation = Invocation { name: "free", arguments: secret, trigger: Trigger::Manual };
    session.activate(&invocation).unwrap();
    session.guard(&bash(&format!("curl -H 'X: {secret}' x"))).unwrap();
    session.guard(&ToolCall::new(secret, json!({ secret: [secret, { "a": secret }] }))).unwrap();
    let _ = session.read("free", secret, 9);
    let text: String = journal.all().iter().map(|f| format!("{:?}", f.payload)).collect();
    assert!(!text.contains(secret), "{text}");
}

#[test]
fn compaction_keeps_the_last_skills_whole_and_all_by_name() {
    // S1
    let mut session = open(&journal());
    for name in ["reader", "free", "git-helper"] {
        by_hand(&mut session, name).unwrap();
    }
    let tokens: Vec<usize> = session.state().stack.iter().map(|a| a.skill.tokens).collect();
    let all = survivors(session.state(), tokens.iter().sum::<usize>() + 100);
    assert!(all.iter().all(|s| s.keep == Keep::Whole));
    let some = survivors(session.state(), tokens[2] + 60);
    let kept: Vec<(&str, Keep)> = some.iter().map(|s| (s.name.as_str(), s.keep)).collect();
    assert_eq!(kept, [("reader", Keep::Name), ("free", Keep::Name), ("git-helper", Keep::Whole)]);
}

#[test]
fn the_stack_has_a_bound() {
    // S1
    let mut parts = setup();
    let mut store = metier_store::memory_store::MemoryStore::new(metier_store::Layer::Personal);
    for n in 0..20 {
        let name = format!("s{n}");
        store = store.file(&format!("{name}/SKILL.md"), crate::ground::skill(&name, ""));
    }
    let discovery = metier_store::Store::discover(&store, &Default::default());
    parts.catalog =
        Arc::new(metier_store::Catalog::build(discovery, &Default::default(), &Default::default()));
    parts.store = Arc::new(store);
    let mut session = Session::open(parts, Box::new(journal())).unwrap();
    let outcome: Vec<bool> =
        (0..20).map(|n| by_hand(&mut session, &format!("s{n}")).is_ok()).collect();
    assert_eq!(outcome.iter().filter(|ok| **ok).count(), 16);
    let error = by_hand(&mut session, "s19").unwrap_err();
    assert!(matches!(error, ActivationError::StackFull(_)));
}

#[test]
fn collisions_are_named_up_to_a_bound_and_counted_beyond_it() {
    // D3, F4, J1
    let many = MAX_COLLISIONS + 5;
    // As long as a name may be, in characters of four bytes each.
    let name = |number: usize| format!("{number:04}{}", "\u{20000}".repeat(252));
    let store = (0..many).fold(MemoryStore::new(Layer::Personal), |store, number| {
        let text = skill(&name(number), "");
        store
            .file(&format!("a/{number}/SKILL.md"), text.clone())
            .file(&format!("b/{number}/SKILL.md"), text)
    });
    let discovery = store.discover(&ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
    assert_eq!(catalog.shadowed.len(), many);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let clock = Arc::new(TickingClock::starting_at(1));
    let journal = FileJournal::open(&path, Durability::System, clock).unwrap();
    let parts = Setup { store: Arc::new(store), catalog: Arc::new(catalog), ..setup() };
    let session = Session::open(parts, Box::new(journal)).unwrap();
    let frames = read(&path).unwrap().frames;
    let updated = &frames[1].payload;
    assert_eq!(updated["collisions"].as_array().unwrap().len(), MAX_COLLISIONS);
    assert_eq!(updated["more_collisions"], many - MAX_COLLISIONS);
    assert_eq!(frames.len(), 2 + MAX_COLLISIONS + 1, "one warning each, and one for the rest");
    let last = frames.last().unwrap().payload["detail"].as_str().unwrap().to_owned();
    assert!(last.contains(&(many - MAX_COLLISIONS).to_string()), "{last}");
    assert!(session.state().open);
}

/// A journal that says of every frame how it was written.
struct Beats(MemoryJournal, Arc<Mutex<Vec<Beat>>>);

impl Journal for Beats {
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        self.0.turn()
    }

    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        self.1.lock().unwrap().push(beat);
        self.0.append(ids, event, beat)
    }

    fn news(&mut self, session: &str, frames: u64) -> Option<State> {
        self.0.news(session, frames)
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        self.0.frames(session)
    }
}

#[test]
fn a_catalog_and_its_collisions_are_flushed_once() {
    // D3, J1
    let doubled = |place: &str| (format!("{place}/twice/SKILL.md"), skill("twice", ""));
    let ((a, text), (b, _)) = (doubled("a"), doubled("b"));
    let store = MemoryStore::new(Layer::Personal).file(&a, text.clone()).file(&b, text);
    let discovery = store.discover(&ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
    let parts = Setup { store: Arc::new(store), catalog: Arc::new(catalog), ..setup() };
    let (inner, beats) = (journal(), Arc::default());
    Session::open(parts, Box::new(Beats(inner.clone(), Arc::clone(&beats)))).unwrap();
    assert_eq!(kinds(&inner), ["session_started", "skill_catalog_updated", "skill_warning"]);
    assert_eq!(*beats.lock().unwrap(), [Beat::Result, Beat::Intent, Beat::Result]);
}

#[test]
fn a_skill_that_changed_since_it_was_activated_is_not_given_as_if_it_had_not() {
    // S1, S6, P4
    let folder = tempfile::tempdir().unwrap();
    let write = |tools: &str| {
        std::fs::create_dir_all(folder.path().join("tool")).unwrap();
        let text = skill("tool", &format!("allowed-tools: {tools}"));
        std::fs::write(folder.path().join("tool/SKILL.md"), text).unwrap();
    };
    write("Read");
    let store = FileStore::new(vec![Root::given(Layer::Personal, folder.path())]);
    let discovery = store.discover(&ScanLimits::default());
    let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
    let mut parts = Setup { store: Arc::new(store), catalog: Arc::new(catalog), ..setup() };
    parts.settings.again = Again::Repeat;
    let journal = journal();
    let mut session = Session::open(parts, Box::new(journal.clone())).unwrap();
    by_hand(&mut session, "tool").unwrap();
    assert!(by_hand(&mut session, "tool").unwrap().repeated);
    write("Read Bash");
    let error = by_hand(&mut session, "tool").unwrap_err();
    assert_eq!(error.code(), "skill_outdated", "{error}");
    assert_eq!(kinds(&journal).pop().unwrap(), "skill_refused");
    assert_eq!(verdict(&mut session, &bash("ls")), Verdict::Deny, "the old grant still holds");
    session.release(Some("tool")).unwrap();
    let anew = by_hand(&mut session, "tool").unwrap();
    assert_eq!(anew.allowed_tools.unwrap(), ["Read", "Bash"]);
    assert_eq!(verdict(&mut session, &bash("ls")), Verdict::Allow);
}
