use std::time::Duration;

use metier_runtime::event::Trigger;
use metier_runtime::script::ScriptError;
use metier_runtime::script::interpreter::InterpreterError;
use metier_runtime::{ActivationError, JournalError};
use metier_sandbox::{Missing, Wall};
use metier_store::Catalog;
use metier_store::scripts::ScriptNameError;
use metier_testing::World;

use super::{explain, quoted, seconds};
use crate::args::Global;
use crate::env::Environment;
use crate::error::Kind;
use crate::settings::Settings;

#[test]
fn seconds_may_have_a_fraction_and_must_be_some() {
    // R4
    assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
    for text in ["", "0", "-1", "nan", "inf", "1e99", "ten"] {
        assert!(seconds(text).is_err(), "{text}");
    }
}

#[test]
fn words_are_quoted_as_a_shell_reads_them() {
    // R6
    for (word, expect) in
        [("a", "a"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$x", "'$x'")]
    {
        assert_eq!(quoted(word), expect);
    }
}

#[test]
fn every_failure_has_its_kind_its_code_and_a_hint_where_one_helps() {
    // R3, U1
    let world = World::new();
    let environment = Environment::from_lookup(|_| None, world.project());
    let settings = Settings::load(&Global::default(), &environment).unwrap();
    let s = |text: &str| text.to_owned();
    let missing = |wall| vec![Missing { wall, reason: s("no") }];
    let name = |source| ScriptError::Name { skill: s("tool"), source };
    let walls = |wall| ScriptError::Walls { skill: s("x"), script: s("y"), missing: missing(wall) };
    let not_installed =
        InterpreterError::Missing { script: s("a"), programs: Vec::new(), install: s("get it") };
    for (error, kind, code, hint) in [
        (ScriptError::InvalidSkill(s("..")), Kind::Failed, "invalid_name", ""),
        (
            ScriptError::Skill(ActivationError::NotTrusted(s("x"))),
            Kind::Refused,
            "permission_denied",
            "",
        ),
        (
            name(ScriptNameError::NotFound { name: s("n"), suggestion: None }),
            Kind::Failed,
            "not_found",
            "metier scripts tool",
        ),
        (
            ScriptError::Denied { skill: s("x"), script: s("y"), reason: s("z") },
            Kind::Refused,
            "permission_denied",
            "metier status",
        ),
        (
            ScriptError::Unconfirmed { skill: s("x"), script: s("y"), reason: s("z") },
            Kind::Refused,
            "permission_denied",
            "--yes",
        ),
        (ScriptError::NotActive(s("x")), Kind::Refused, "permission_denied", "metier use x"),
        (walls(Wall::Network), Kind::Refused, "permission_denied", "network"),
        (walls(Wall::Tree), Kind::Refused, "permission_denied", "approved"),
        (ScriptError::Interpreter(not_installed), Kind::Failed, "interpreter_missing", "get it"),
        (ScriptError::NoHome(s("x")), Kind::Failed, "execution_failed", ""),
        (ScriptError::Journal(JournalError::TooLarge(1)), Kind::Failed, "journal_refused", ""),
    ] {
        let explained = explain(error, Trigger::Manual, &Catalog::default(), &settings);
        assert_eq!((explained.kind, explained.code), (kind, Some(code)));
        assert!(hint.is_empty() || explained.hints.iter().any(|h| h.contains(hint)), "{hint}");
    }
    let cancelled =
        explain(ScriptError::Cancelled, Trigger::Manual, &Catalog::default(), &settings);
    assert_eq!(cancelled.kind, Kind::Interrupted);
}
