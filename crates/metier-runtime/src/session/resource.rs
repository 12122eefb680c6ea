//! Reading a file of a skill: the name is looked up before the path is looked at.

use metier_format::NameKey;
use metier_store::catalog::Visibility;
use metier_store::digest;
use metier_store::store::{ReadError, Resource};

use super::Session;
use crate::event::{Event, ResourceRead, ResourceRequested};
use crate::journal::{Beat, JournalError};

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// No skill has that name.
    #[error("there is no skill `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    SkillNotFound {
        /// The name as typed.
        name: String,
        /// The nearest name there is.
        suggestion: Option<String>,
    },
    /// Its project's folder is not trusted.
    #[error("`{0}` belongs to a project whose folder is not trusted")]
    NotTrusted(String),
    /// The file cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// The journal refused, so nothing was read.
    #[error("nothing was read, because it could not be recorded")]
    Journal(#[from] JournalError),
}

impl ResourceError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::SkillNotFound { .. } => "skill_not_found",
            Self::NotTrusted(_) => "skill_not_trusted",
            Self::Read(ReadError::InvalidPath(_) | ReadError::LeavesSkill(_)) => "invalid_path",
            Self::Read(ReadError::NotFound(_)) => "file_not_found",
            Self::Read(ReadError::NotAFile(_)) => "not_a_file",
            Self::Read(ReadError::TooLarge { .. }) => "file_too_large",
            Self::Read(ReadError::Io { .. }) => "unreadable",
            Self::Journal(_) => "journal_refused",
        }
    }
}

impl Session {
    /// Reads `path` of the skill called `name`, at most `max_bytes` of it.
    pub fn read(
        &mut self,
        name: &str,
        path: &str,
        max_bytes: u64,
    ) -> Result<Resource, ResourceError> {
        self.act(|session| session.read_in_turn(name, path, max_bytes))
    }

    fn read_in_turn(
        &mut self,
        name: &str,
        path: &str,
        max_bytes: u64,
    ) -> Result<Resource, ResourceError> {
        let Some(entry) = self.setup.catalog.get(&NameKey::of(name)) else {
            let suggestion = self.suggestion(name);
            return Err(ResourceError::SkillNotFound { name: name.to_owned(), suggestion });
        };
        if entry.visibility == Visibility::Untrusted {
            return Err(ResourceError::NotTrusted(entry.name().to_string()));
        }
        let (name, location) = (entry.name().to_string(), entry.location());
        let directory = self.setup.catalog.place(&location).to_string_lossy().into_owned();
        let shown = self.setup.redactor.text(path);
        let requested = ResourceRequested { name: name.clone(), path: shown.clone() };
        self.record(&Event::ResourceRequested(requested), Beat::Intent)?;
        let result = self.setup.store.read(&location, path, max_bytes).map_err(ResourceError::Read);
        let read = match &result {
            Ok(resource) => ResourceRead {
                name,
                directory,
                path: shown,
                digest: digest::hex(&digest::sha256(&resource.bytes)),
                bytes: resource.bytes.len() as u64,
                refused: None,
            },
            Err(error) => ResourceRead {
                name,
                directory,
                path: shown,
                refused: Some(error.code().to_owned()),
                ..ResourceRead::default()
            },
        };
        self.record(&Event::ResourceRead(read), Beat::Result)?;
        result
    }
}
