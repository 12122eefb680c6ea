//! The same names on systems where no runner is built yet: everything is refused, and says so.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::backend::{BackendKind, Support};
use crate::confinement::Confinement;
use crate::invocation::Invocation;
use crate::outcome::{Enforced, Missing, Outcome, RunError, Wall};

/// A switch to end a run. There is no run here that it could end.
#[derive(Debug, Clone)]
pub struct Cancel;

impl Cancel {
    /// A switch.
    ///
    /// # Errors
    /// Never on this system.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// A switch nobody can throw.
    #[must_use]
    pub fn never() -> Self {
        Self
    }

    /// Throws the switch.
    pub fn cancel(&self) {}
}

/// Nothing starts this program as a helper here.
#[must_use]
pub fn helper_main() -> Option<ExitCode> {
    None
}

/// Refuses every run.
#[derive(Debug, Clone, Default)]
pub struct Runner;

impl Runner {
    /// A runner that refuses.
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// The same.
    #[must_use]
    pub fn with_helper(self, _program: impl Into<PathBuf>) -> Self {
        self
    }

    /// The same.
    #[must_use]
    pub fn with_backend(self, _kind: BackendKind) -> Self {
        self
    }

    /// The same.
    #[must_use]
    pub fn with_support(self, _support: Support) -> Self {
        self
    }

    /// Nothing.
    #[must_use]
    pub fn support(&self) -> Support {
        Support::nothing()
    }

    /// Always a refusal.
    ///
    /// # Errors
    /// Always.
    pub fn enforceable(&self, _confinement: &Confinement) -> Result<Enforced, RunError> {
        let reason = "children are run on Linux only".to_owned();
        let missing = Wall::ALL.map(|wall| Missing { wall, reason: reason.clone() }).to_vec();
        Err(RunError::CannotEnforce { missing })
    }

    /// Always a refusal, at every level: nothing here would end the whole tree.
    ///
    /// # Errors
    /// Always.
    pub fn run(
        &self,
        _invocation: &Invocation,
        confinement: &Confinement,
        _cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        Err(self
            .enforceable(confinement)
            .err()
            .unwrap_or(RunError::CannotEnforce { missing: Vec::new() }))
    }
}
