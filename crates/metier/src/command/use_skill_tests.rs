use metier_runtime::arguments::split;
use metier_runtime::event::Trigger;

use metier_runtime::{ActivationError, JournalError};
use metier_store::Catalog;
use metier_store::store::LoadError;
use metier_testing::World;

use super::{UseArgs, explain, joined, wanted};
use crate::args::Global;
use crate::env::Environment;
use crate::error::Kind;
use crate::settings::Settings;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn several_arguments_split_into_themselves_again() {
    // S2
    for list in [
        &["a", "b"][..],
        &["a b", "c"],
        &["", "x"],
        &["say \"hi\"", "it's"],
        &["back\\slash", "end\\"],
        &["tab\there", "new\nline"],
    ] {
        let list = words(list);
        assert_eq!(split(&joined(&list)), list);
    }
}

#[test]
fn one_argument_is_the_text_a_host_has() {
    // S2
    assert_eq!(joined(&words(&["report.pdf in two columns"])), "report.pdf in two columns");
    assert_eq!(joined(&[]), "");
}

#[test]
fn a_slash_command_names_skill_and_arguments() {
    // S2
    let check = |name: &str, args: &[&str], expect: (&str, &str)| {
        let args = UseArgs { name: name.to_owned(), args: words(args), auto: false };
        let (name, arguments) = wanted(&args);
        assert_eq!((name.as_str(), arguments.as_str()), expect);
    };
    check("pdf", &["a", "b"], ("pdf", "a b"));
    check("/pdf a b", &[], ("pdf", "a b"));
    check("/skill:pdf a", &["b"], ("pdf", "a b"));
    check("/etc/hosts", &[], ("/etc/hosts", ""));
}

#[test]
fn every_failure_has_its_kind_and_its_code() {
    // S1, U1
    let world = World::new();
    let environment = Environment::from_lookup(|_| None, world.project());
    let settings = Settings::load(&Global::default(), &environment).unwrap();
    let name = || "pdf".to_owned();
    let reason = || "so it is".to_owned();
    let journal =
        |path: &str| JournalError::Changed { path: path.into(), frame: 3, reason: reason() };
    for (error, kind, code) in [
        (
            ActivationError::NotFound { name: name(), suggestion: None },
            Kind::Failed,
            "skill_not_found",
        ),
        (
            ActivationError::Ambiguous { name: name(), winner: name(), other: "PDF".into() },
            Kind::Refused,
            "skill_ambiguous",
        ),
        (ActivationError::AlreadyActive(name()), Kind::Failed, "skill_already_active"),
        (ActivationError::Outdated(name()), Kind::Refused, "skill_outdated"),
        (ActivationError::NotTrusted(name()), Kind::Refused, "skill_not_trusted"),
        (ActivationError::Hidden { name: name(), reason: reason() }, Kind::Refused, "skill_hidden"),
        (
            ActivationError::OutOfScope { name: name(), reason: reason() },
            Kind::Refused,
            "skill_out_of_scope",
        ),
        (ActivationError::NotForModels(name()), Kind::Refused, "skill_not_for_models"),
        (ActivationError::NotForUsers(name()), Kind::Refused, "skill_not_for_users"),
        (ActivationError::StackFull(name()), Kind::Failed, "skill_stack_full"),
        (ActivationError::ArgumentsTooLarge(9), Kind::Failed, "skill_arguments_too_large"),
        (ActivationError::Denied { name: name(), reason: reason() }, Kind::Refused, "skill_denied"),
        (
            ActivationError::Hook { name: name(), hook: "pre.sh".into(), reason: reason() },
            Kind::Refused,
            "skill_hook_failed",
        ),
        (
            ActivationError::Invalid { name: name(), source: LoadError::NotFound("x".into()) },
            Kind::Failed,
            "skill_invalid",
        ),
        (ActivationError::Journal(journal("j")), Kind::Refused, "journal_changed"),
        (ActivationError::Journal(JournalError::TooLarge(7)), Kind::Failed, "journal_refused"),
    ] {
        let explained = explain(error, Trigger::Manual, &Catalog::default(), &settings);
        assert_eq!((explained.kind, explained.code), (kind, Some(code)), "{explained:?}");
    }
}
