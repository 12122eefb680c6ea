//! Whoever vouches is asked again before content is used, and the answer counts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use metier_format::{NameKey, SkillName};
use metier_runtime::session::{ActivationError, ContentChanged, ResourceError};
use metier_runtime::{Event, Session};
use metier_store::catalog::Trust;
use metier_store::vouch::{Depth, Standing, Vouch, Vouched};

use crate::ground::{by_hand, journal, setup};

/// Somebody whose answer can be changed at any time.
#[derive(Default)]
struct Somebody(AtomicU8);

impl Vouch for Somebody {
    fn vouch(&self, _name: &SkillName, _directory: &Path, depth: Depth) -> Vouched {
        assert_eq!(depth, Depth::Bytes, "as closely as the setup says");
        let standing = match self.0.load(Ordering::Relaxed) {
            0 => Standing::Unknown,
            1 => Standing::Approved,
            _ => Standing::Changed,
        };
        Vouched {
            standing,
            source: Some("https://git.example/skills".into()),
            commit: Some("c0ffee".into()),
            tree: Some("abc".into()),
            approval: Some("ada at noon".into()),
            differences: vec!["changed SKILL.md".into()],
            ..Vouched::default()
        }
    }
}

fn session(somebody: &Arc<Somebody>) -> (Session, metier_runtime::journal::MemoryJournal) {
    let journal = journal();
    let mut setup = setup();
    setup.vouch = somebody.clone();
    setup.depth = Depth::Bytes;
    (Session::open(setup, Box::new(journal.clone())).unwrap(), journal)
}

/// A skill of the ground that may be activated.
fn some_skill(session: &Session) -> String {
    session.catalog().visible().next().unwrap().name().to_string()
}

#[test]
fn frames_record_every_link_of_the_chain() {
    // P4, J1, J2
    let somebody = Arc::new(Somebody(AtomicU8::new(1)));
    let (mut session, journal) = session(&somebody);
    let name = some_skill(&session);
    let activation = by_hand(&mut session, &name).unwrap();
    assert_eq!((activation.trust, activation.notice), ("approved", None));
    assert_eq!(activation.chain.commit.as_deref(), Some("c0ffee"));
    let frames = journal.all();
    let chains: Vec<_> = frames
        .iter()
        .filter_map(|frame| match frame.event() {
            Event::SkillLoaded(loaded) => Some(loaded.chain),
            Event::SkillActivated(activated) => Some(activated.chain),
            _ => None,
        })
        .collect();
    assert_eq!(chains, [activation.chain.clone(), activation.chain]);
}

#[test]
fn changed_content_is_neither_activated_nor_read() {
    // P4
    let somebody = Arc::new(Somebody(AtomicU8::new(2)));
    let (mut session, _) = session(&somebody);
    let name = some_skill(&session);
    let error = by_hand(&mut session, &name).unwrap_err();
    assert_eq!(error.code(), "skill_changed");
    assert!(matches!(&error, ActivationError::Changed(ContentChanged { differences, .. })
        if *differences == ["changed SKILL.md"]));
    assert!(
        error.to_string().ends_with("changed since it was approved: changed SKILL.md"),
        "{error}"
    );
    assert!(session.state().stack.is_empty());
    let error = session.read(&name, "SKILL.md", 1000).unwrap_err();
    assert!(
        matches!(error, ResourceError::Changed(_)) && error.code() == "skill_changed",
        "{error}"
    );
    somebody.0.store(0, Ordering::Relaxed);
    assert_eq!(by_hand(&mut session, &name).unwrap().trust, "present");
    session.read(&name, "SKILL.md", 100_000).unwrap();
}

#[test]
fn whoever_runs_something_asks_the_same_question() {
    // P4
    let somebody = Arc::new(Somebody(AtomicU8::new(1)));
    let (session, _) = session(&somebody);
    let name = some_skill(&session);
    let entry = session.catalog().get(&NameKey::of(&name)).unwrap().clone();
    let vouched = session.vouched(&entry).unwrap();
    assert_eq!(session.trust_now(&entry, &vouched), Trust::Approved);
    somebody.0.store(2, Ordering::Relaxed);
    assert_eq!(session.vouched(&entry).unwrap_err().name, name);
}
