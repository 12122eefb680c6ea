use std::sync::Arc;
use std::time::Duration;

use metier_runtime::JournalError;
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};

use super::{NotYours, Who};
use crate::desk::{Client, Host, Seat};

#[test]
fn sections_add_up_and_a_known_client_has_sessions_of_its_own() {
    // U2
    let sections = |who: &Who| who.sections().map(str::to_owned).collect::<Vec<_>>();
    let nobody = Who::default();
    assert!(sections(&nobody).is_empty());
    assert_eq!(nobody.session("s1"), "s1");
    let known = Who::known("team");
    assert_eq!((sections(&known), known.session("s1")), (vec!["team".into()], "team.s1".into()));
    let both = Who { said: Some("editor".into()), ..known.clone() };
    assert_eq!(sections(&both), ["team", "editor"]);
    assert_eq!(both.session("s1"), "team.s1", "what it says of itself names nothing");
    let same = Who { said: Some("team".into()), ..known };
    assert_eq!(sections(&same), ["team"]);
    let said = Who { said: Some("editor".into()), ..Who::default() };
    assert_eq!((sections(&said), said.session("s1")), (vec!["editor".into()], "s1".into()));
}

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
        assert_eq!(who.may_name("team.s1", &Sections).unwrap_err(), NotYours::Section);
        for name in ["team", "teams.s1", "other.s1", "x.team.s1"] {
            assert_eq!(who.may_name(name, &Sections).unwrap(), name);
        }
    }
    let other = Who::known("other");
    assert_eq!(other.may_name("team.s1", &Sections).unwrap(), "other.team.s1");
    assert_eq!(Who::known("team").may_name("s1", &Sections).unwrap(), "team.s1");
}

#[test]
fn who_errs_in_a_sessions_name_is_told_what_can_be_one() {
    // U2, U3, S6
    assert_eq!(Who::default().may_name("s-1", &Sections), Ok("s-1".to_owned()));
    let check = |who: &Who, name: &str| {
        let error = who.may_name(name, &Sections).unwrap_err();
        assert!(matches!(error, NotYours::Invalid(_)) && error.code() == "bad_request");
        let said = error.to_string();
        assert!(said.contains("cannot name a session; a session has letters, digits"), "{said}");
        assert!(said.contains("no `.` in front") && said.len() < 300, "{said}");
        assert!(!said.contains('\0'), "{said}");
    };
    for name in ["", "..", "../x", "a b", "a\0", "team.a b", "codex./x", &"x".repeat(129)] {
        check(&Who::default(), name);
    }
    // Too long with the section in front of it.
    check(&Who::known("team"), &"x".repeat(128));
}

#[test]
fn an_agents_own_session_is_for_those_who_have_proved_themselves() {
    // U3, U5
    let anybody = Who { anybody: true, ..Who::default() };
    for name in ["claude-code.A1", "codex.x", "chibi-1-2-3-4-5"] {
        assert_eq!(anybody.may_name(name, &Sections).unwrap_err(), NotYours::Agents, "{name}");
        assert_eq!(Who::default().may_name(name, &Sections).unwrap(), name);
        // A client of its own has only sessions of its own.
        let team = Who::known("team");
        assert_eq!(team.may_name(name, &Sections).unwrap(), format!("team.{name}"));
    }
    // One that is called like an agent has no sessions here at all.
    let twin = Who::known("claude-code");
    assert_eq!(twin.may_name("abc", &Sections).unwrap_err(), NotYours::Agents);
    assert_eq!(anybody.may_name("Claude-Code.abc", &Sections).unwrap_err(), NotYours::Agents);
    assert_eq!(anybody.may_name("s1", &Sections).unwrap(), "s1");
    assert_eq!((NotYours::Agents.code(), NotYours::Section.code()), ("not_yours", "not_yours"));
}
