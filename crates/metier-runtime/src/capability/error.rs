//! Why an operation failed, whatever the surface.

use metier_store::store::LoadError;

use super::ArgumentError;
use crate::journal::JournalError;
use crate::script::ScriptError;
use crate::session::{ActivationError, ReleaseError, ResourceError};

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum CapabilityError {
    /// The arguments do not fit.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// No skill has that name.
    #[error("there is no skill `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    NotFound {
        /// The name as given.
        name: String,
        /// The nearest name there is.
        suggestion: Option<String>,
    },
    /// Its project's folder is not trusted, and a model asks.
    #[error("`{0}` belongs to a project whose folder is not trusted")]
    NotTrusted(String),
    /// The skill cannot be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// It was not activated.
    #[error(transparent)]
    Activation(#[from] ActivationError),
    /// Nothing was released.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The file was not read.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The script was not run.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The journal refused.
    #[error("nothing was done, because it could not be recorded")]
    Journal(#[from] JournalError),
}

impl CapabilityError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Arguments(_) => "invalid_arguments",
            Self::NotFound { .. } => "skill_not_found",
            Self::NotTrusted(_) => "skill_not_trusted",
            Self::Load(_) => "skill_invalid",
            Self::Activation(error) => error.code(),
            Self::Release(error) => error.code(),
            Self::Resource(error) => error.code(),
            Self::Script(error) => error.code(),
            Self::Journal(_) => "journal_refused",
        }
    }

    /// The whole story in one line: this error and what caused it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            source = cause.source();
        }
        text
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
