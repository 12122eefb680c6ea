//! The name of a session, as people and programs give it. It becomes part of a file's name, so it can
//! be neither a path nor hidden; what journals of others call their sessions is not its business.

use std::fmt;

use crate::limits::MAX_SESSION_NAME_BYTES;

/// A name that a session can have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionName(String);

/// A text that cannot name a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a session has letters, digits, `-`, `_` and `.`, no `.` in front, at most \
     {MAX_SESSION_NAME_BYTES} of them"
)]
pub struct SessionNameError;

impl SessionName {
    /// What a name looks like, as a regular expression; besides, it is bounded.
    pub const PATTERN: &str = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$";

    /// The name that `text` is.
    pub fn parse(text: &str) -> Result<Self, SessionNameError> {
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = !text.is_empty() && text.len() <= MAX_SESSION_NAME_BYTES;
        match fits && !text.starts_with('.') && text.chars().all(usual) {
            true => Ok(Self(text.to_owned())),
            false => Err(SessionNameError),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<SessionName> for String {
    fn from(name: SessionName) -> Self {
        name.0
    }
}

#[cfg(test)]
#[path = "session_name_tests.rs"]
mod tests;
