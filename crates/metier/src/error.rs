//! Why a command did not do what it was asked: the kind decides the exit code, the chain of causes
//! says what happened, the hints say what to type next. Nothing here prints.

use std::error::Error;
use std::fmt::Write as _;

use metier_format::text::visible_line;
use serde_json::json;

/// What went wrong, by whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The request failed: not found, invalid, not readable.
    Failed,
    /// The command line or the settings are wrong.
    Usage,
    /// Policy, trust or integrity said no.
    Refused,
    /// Standard output was closed by whoever reads it. Not a fault.
    BrokenPipe,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// metier itself is wrong.
    Bug,
}

/// How a command ended when it did what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All is well.
    Ok,
    /// The answer was given, and something that was asked besides could not be done. It was said.
    Partly,
    /// The answer was given, and it is no.
    Refused,
    /// Lint found errors.
    LintErrors,
    /// A script ended with this code, which is passed on.
    Script(u8),
}

/// A command's failure.
#[derive(Debug)]
pub(crate) struct CommandError {
    /// Decides the exit code.
    pub(crate) kind: Kind,
    /// What happened, with its causes.
    pub(crate) source: Box<dyn Error + Send + Sync>,
    /// What to do about it, one line each.
    pub(crate) hints: Vec<String>,
    /// The stable code, where programs tell failures of one kind apart.
    pub(crate) code: Option<&'static str>,
    /// What `--json` prints instead of the document of every failure, where a command has promised
    /// a shape of its own.
    pub(crate) document: Option<Box<serde_json::Value>>,
}

/// What a command returns.
pub(crate) type CommandResult = Result<Status, CommandError>;

impl Kind {
    /// The word used in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Refused => "refused",
            Self::BrokenPipe => "broken-pipe",
            Self::Interrupted => "interrupted",
            Self::Bug => "bug",
        }
    }

    /// The exit code, a contract.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::BrokenPipe => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Bug => 70,
            Self::Interrupted => 130,
        }
    }
}

impl Status {
    /// The exit code, a contract.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Partly => 1,
            Self::Refused => 3,
            Self::LintErrors => 4,
            Self::Script(code) => code,
        }
    }
}

impl CommandError {
    /// The request failed because of `source`.
    pub(crate) fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Kind::Failed, source)
    }

    /// The command line or the settings are wrong because of `source`.
    pub(crate) fn usage(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Kind::Usage, source)
    }

    /// Standard output could not be written. Whoever closed it early wanted no more, and that is
    /// no fault.
    pub(crate) fn output(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(Kind::BrokenPipe, error);
        }
        Self::failed(OutputError(error))
    }

    /// Policy, trust or integrity said no, as `source` tells.
    pub(crate) fn refused(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Kind::Refused, source)
    }

    /// A failure of `kind` because of `source`.
    pub(crate) fn new(kind: Kind, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind, source: source.into(), hints: Vec::new(), code: None, document: None }
    }

    /// The same failure with its stable code.
    #[must_use]
    pub(crate) fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The same failure with one more hint.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// What happened and why, on one line, safe for a terminal.
    pub(crate) fn message(&self) -> String {
        let mut message = visible_line(&self.source.to_string()).into_owned();
        let mut cause = self.source.source();
        while let Some(error) = cause {
            let _ = write!(message, ": {}", visible_line(&error.to_string()));
            cause = error.source();
        }
        message
    }

    /// The failure as standard error shows it.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("error: {}\n", self.message());
        for hint in &self.hints {
            let _ = writeln!(text, "hint: {}", visible_line(hint));
        }
        text
    }

    /// The failure as the one document `--json` promises.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        if let Some(document) = &self.document {
            return document.as_ref().clone();
        }
        let mut error = json!({
            "kind": self.kind.as_str(),
            "message": self.message(),
            "hints": self.hints,
        });
        if let (Some(code), Some(members)) = (self.code, error.as_object_mut()) {
            members.insert("code".to_owned(), code.into());
        }
        json!({ "error": error })
    }
}

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output")]
struct OutputError(#[source] std::io::Error);

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
