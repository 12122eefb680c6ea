use std::sync::Arc;
use std::time::Duration;

use metier_runtime::JournalError;
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};

use super::{Client, Host, Place};
use crate::desk::Seat;
use crate::who::Who;

/// A host of which only the sections are asked: it has one, `team`.
struct Sections;

impl Host for Sections {
    fn index(&self) -> &Arc<CatalogIndex> {
        unreachable!("names are no business of the catalog")
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn section(&self, name: &str) -> Option<Arc<str>> {
        (name == "team").then(|| "team".into())
    }

    fn open(&self, _: &Client) -> Result<Seat, JournalError> {
        unreachable!("nothing is opened to know who may name it")
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}

#[test]
fn a_sections_sessions_are_named_by_its_client_alone() {
    // U2, U3
    let said = Who { said: Some("team".into()), ..Who::default() };
    for who in [Who::default(), said, Who { anybody: true, ..Who::default() }] {
        assert_eq!(Place::of(&Sections, &who, "team.s1").unwrap_err().code, "not_yours");
        for name in ["team", "teams.s1", "other.s1", "x.team.s1"] {
            assert_eq!(Place::of(&Sections, &who, name).unwrap().session, name);
        }
    }
    let other = Who::known("other");
    assert_eq!(Place::of(&Sections, &other, "team.s1").unwrap().session, "other.team.s1");
    assert_eq!(Place::of(&Sections, &Who::known("team"), "s1").unwrap().session, "team.s1");
}

#[test]
fn a_bad_name_is_a_bad_request_that_says_what_is_allowed() {
    // U3, S6
    let team = Who::known("team");
    for (who, name) in [(&Who::default(), "../x".to_owned()), (&team, "x".repeat(128))] {
        let problem = Place::of(&Sections, who, &name).unwrap_err();
        assert_eq!(problem.code, "bad_request");
        assert!(problem.message.contains("no `.` in front"), "{}", problem.message);
    }
}

#[test]
fn an_agents_own_session_is_for_those_who_have_proved_themselves() {
    // U3, U5
    let anybody = Who { anybody: true, ..Who::default() };
    for name in ["claude-code.A1", "codex.x", "chibi-1-2-3-4-5"] {
        assert_eq!(Place::of(&Sections, &anybody, name).unwrap_err().code, "not_yours", "{name}");
        assert_eq!(Place::of(&Sections, &Who::default(), name).unwrap().session, name);
        // A client of its own has only sessions of its own.
        let team = Who::known("team");
        assert_eq!(Place::of(&Sections, &team, name).unwrap().session, format!("team.{name}"));
    }
    // One that is called like an agent has no sessions here at all.
    let twin = Who::known("claude-code");
    assert_eq!(Place::of(&Sections, &twin, "abc").unwrap_err().code, "not_yours");
    assert_eq!(Place::of(&Sections, &anybody, "Claude-Code.abc").unwrap_err().code, "not_yours");
    assert_eq!(Place::of(&Sections, &anybody, "s1").unwrap().session, "s1");
}
