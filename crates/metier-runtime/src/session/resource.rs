//! Reading a file of a skill: the name is looked up before the path is looked at, and policy is
//! asked before the file is.

use std::path::Path;

use metier_format::NameKey;
use metier_policy::{HostTable, Reason, ToolCall, Verdict};
use metier_store::catalog::Visibility;
use metier_store::digest;
use metier_store::store::{ReadError, Resource};
use metier_store::vouch::Standing;

use super::{ContentChanged, Session};
use crate::event::{Event, ResourceRead, ResourceRequested, Trigger};
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
    /// The selection leaves it out.
    #[error("`{name}` is not offered here: {reason}")]
    Hidden {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// Its project's folder is not trusted.
    #[error("`{0}` belongs to a project whose folder is not trusted")]
    NotTrusted(String),
    /// A rule of the policy does not let it be read.
    #[error("policy does not allow reading `{path}` of `{name}`: {reason}")]
    Denied {
        /// The skill.
        name: String,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The skill's content is not what was locked or approved.
    #[error(transparent)]
    Changed(#[from] ContentChanged),
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
            Self::Hidden { .. } => "skill_hidden",
            Self::NotTrusted(_) => "skill_not_trusted",
            Self::Denied { .. } => "read_denied",
            Self::Changed(_) => ContentChanged::CODE,
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
            return Err(self.not_offered(name));
        };
        if entry.visibility == Visibility::Untrusted {
            if entry.found.standing == Standing::Changed {
                self.vouched(entry)?;
            }
            return Err(ResourceError::NotTrusted(entry.name().to_string()));
        }
        let entry = entry.clone();
        let (name, location) = (entry.name().to_string(), entry.location());
        let directory = self.setup.catalog.place(&location).to_string_lossy().into_owned();
        let shown = self.setup.redactor.text(path);
        let requested = ResourceRequested { name: name.clone(), path: shown.clone() };
        self.record(&Event::ResourceRequested(requested), Beat::Intent)?;
        let result = match self.denied(&directory, path) {
            Some(reason) => {
                let (name, path) = (name.clone(), shown.clone());
                Err(ResourceError::Denied { name, path, reason })
            }
            None => self.setup.store.read(&location, path, max_bytes).map_err(ResourceError::Read),
        };
        let result = result.and_then(|resource| {
            self.prove_file(&entry, &resource.path, &resource.bytes)?;
            Ok(resource)
        });
        if let Ok(resource) = &result {
            self.keep(&resource.bytes);
        }
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

    /// Why there is no skill to read from under `name`.
    fn not_offered(&self, name: &str) -> ResourceError {
        let key = NameKey::of(name);
        let hidden = self.setup.catalog.hidden.iter().find(|h| h.found.name.has_key(&key));
        match hidden {
            Some(hidden) => {
                let name = hidden.found.name.to_string();
                ResourceError::Hidden { name, reason: hidden.reason.sentence() }
            }
            None => {
                let suggestion = self.suggestion(name, Trigger::Auto);
                ResourceError::SkillNotFound { name: name.to_owned(), suggestion }
            }
        }
    }

    /// Why policy denies reading that file of a skill, when one of its rules does. What holds where
    /// no rule speaks does not count, nor do the active skills' tools: a skill's own files are there
    /// to be read.
    fn denied(&self, directory: &str, path: &str) -> Option<String> {
        let file = Path::new(directory).join(path).to_string_lossy().into_owned();
        let call = ToolCall::new("Read", serde_json::json!({ "file_path": file }));
        let ruling = self.rule_as(&call, HostTable::plain());
        let counts = |reason: &&Reason| {
            reason.verdict == Verdict::Deny && reason.skill.is_none() && !reason.by_default
        };
        ruling.reasons.iter().find(counts).map(|reason| reason.text.clone())
    }
}
