use std::collections::BTreeMap;
use std::sync::Arc;

use metier_runtime::clock::TickingClock;
use metier_runtime::event::{SkillWarning, ToolRuled};
use metier_runtime::journal::{Beat, MemoryJournal, Turn};
use metier_runtime::{Event, Frame, Ids, Journal, JournalError, State};

use super::Tally;

/// A journal that takes nothing.
struct Full;

fn full() -> JournalError {
    JournalError::TooLarge(1)
}

impl Journal for Full {
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        Err(full())
    }

    fn append(&mut self, _: &Ids, _: &Event, _: Beat) -> Result<Frame, JournalError> {
        Err(full())
    }

    fn news(&mut self, _: &str, _: u64) -> Option<State> {
        None
    }

    fn frames(&mut self, _: &str) -> Result<Vec<Frame>, JournalError> {
        Err(full())
    }
}

fn ruled(verdict: &str) -> Event {
    let ruled = ToolRuled { verdict: verdict.to_owned(), ..ToolRuled::default() };
    match verdict {
        "allow" => Event::ToolExecutionInSkill(ruled),
        _ => Event::ToolRestrictionViolated(ruled),
    }
}

#[test]
fn what_is_written_and_what_is_refused_is_counted() {
    // U3, J4
    let tally = Arc::new(Tally::default());
    let memory = MemoryJournal::new(Arc::new(TickingClock::starting_at(1)));
    let mut journal = tally.around(Box::new(memory.clone()));
    let mut shut = tally.around(Box::new(Full));
    assert_eq!(tally.sessions(), 2);
    let ids = Ids { session: "s".to_owned(), ..Ids::default() };
    let warning = Event::SkillWarning(SkillWarning::default());
    for event in [ruled("allow"), ruled("allow"), ruled("deny"), ruled("ask"), warning] {
        let turn = journal.turn().unwrap();
        journal.append(&ids, &event, Beat::Result).unwrap();
        drop(turn);
        assert!(shut.append(&ids, &event, Beat::Result).is_err());
    }
    assert!(shut.turn().is_err());
    assert_eq!(journal.frames("s").unwrap().len(), 5);
    assert_eq!(journal.news("s", 0).map(|state| state.frames), Some(5));
    assert_eq!(journal.news("s", 5), None);
    let counted = tally.counted();
    assert_eq!(counted.frames.values().sum::<u64>(), memory.all().len() as u64);
    assert_eq!(counted.frames["skill_warning"], 1);
    let rulings = [("allow", 2), ("ask", 1), ("deny", 1)];
    let rulings: BTreeMap<String, u64> = rulings.map(|(v, n)| (v.to_owned(), n)).into();
    assert_eq!((counted.rulings, counted.refused), (rulings, 6));
    drop((journal, shut));
    assert_eq!(tally.sessions(), 0);
}
