use metier_store::store::{LoadError, ReadError};

use super::CapabilityError;
use crate::capability::ArgumentError;
use crate::journal::JournalError;
use crate::script::ScriptError;
use crate::session::{ActivationError, ReleaseError, ResourceError};

fn full() -> JournalError {
    let source = std::io::Error::other("the disk is full");
    JournalError::Io { act: "append to", path: "j".into(), source }
}

#[test]
fn every_failure_has_a_code_and_tells_its_cause() {
    // U7
    let name = || "pdf".to_owned();
    let cases: Vec<(CapabilityError, &str, &str)> = vec![
        (CapabilityError::Arguments(ArgumentError::NotAnObject), "invalid_arguments", "object"),
        (
            CapabilityError::NotFound { name: name(), suggestion: Some("pdfs".to_owned()) },
            "skill_not_found",
            "did you mean `pdfs`?",
        ),
        (CapabilityError::NotTrusted(name()), "skill_not_trusted", "not trusted"),
        (CapabilityError::Load(LoadError::NotFound("x".into())), "skill_invalid", "not there"),
        (
            CapabilityError::Activation(ActivationError::AlreadyActive(name())),
            "skill_already_active",
            "active already",
        ),
        (
            CapabilityError::Release(ReleaseError::NothingActive),
            "skill_not_active",
            "no skill is active",
        ),
        (
            CapabilityError::Resource(ResourceError::Read(ReadError::NotFound(name()))),
            "file_not_found",
            "does not exist",
        ),
        (CapabilityError::Script(ScriptError::Cancelled), "cancelled", "cancelled"),
        (CapabilityError::Journal(full()), "journal_refused", "the disk is full"),
    ];
    for (error, code, said) in cases {
        assert_eq!(error.code(), code);
        assert!(error.sentence().contains(said), "{}", error.sentence());
    }
}
