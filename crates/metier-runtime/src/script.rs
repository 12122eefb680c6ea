//! Running a skill's scripts: what is asked, what came of it, and how it is said.
//!
//! The session runs them (`session/script.rs`). Here are the values that go in and come out, and
//! the pure parts: which interpreter (`interpreter`, `metadata`), which walls (`confine`), which
//! words (`envelope`). `ground` is the door to the disk, `uv` provides Python's dependencies
//! and `kept` keeps them.

pub mod confine;
pub mod envelope;
pub mod ground;
pub mod interpreter;
pub(crate) mod kept;
pub mod metadata;
pub(crate) mod uv;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use metier_policy::Ruling;
use metier_sandbox::{Captured, Confinement, Denial, Enforced, Missing, RunError, Status, Stdin};
use metier_store::scripts::ScriptNameError;
use metier_store::store::ReadError;
use serde_json::Value;

use crate::event::Trigger;
use crate::journal::JournalError;
use crate::limits::{MAX_SCRIPT_ARG_BYTES, MAX_SCRIPT_ARGS};
use crate::session::ActivationError;
use interpreter::InterpreterError;

pub use envelope::Envelope;
pub use ground::ScriptGround;

/// Which script is to run, with what.
#[derive(Debug)]
pub struct ScriptCall {
    /// The skill's name as typed.
    pub skill: String,
    /// The script's name as typed.
    pub script: String,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What its output is taken for.
    pub mode: Mode,
    /// Where it starts.
    pub start: Start,
    /// What it reads.
    pub input: Input,
    /// How long the caller waits; nothing for the usual time. Policy may allow less.
    pub timeout: Option<Duration>,
    /// Who asks.
    pub trigger: Trigger,
    /// Whether a person has said yes to this very call, where policy wants to be asked. A person who
    /// asks has.
    pub confirmed: bool,
}

impl ScriptCall {
    /// A call by a person, for text.
    pub fn new(skill: impl Into<String>, script: impl Into<String>) -> Self {
        Self {
            skill: skill.into(),
            script: script.into(),
            args: Vec::new(),
            mode: Mode::Text,
            start: Start::default(),
            input: Input::default(),
            timeout: None,
            trigger: Trigger::Manual,
            confirmed: false,
        }
    }

    /// The same with these arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// The same, its output being JSON. `--json` is then appended to the arguments, as agent-base
    /// does.
    #[must_use]
    pub fn json(mut self) -> Self {
        self.mode = Mode::Json { flag: true };
        self
    }

    /// Whether the arguments keep within their limits, counted in bytes.
    pub(crate) fn check_args(&self) -> Result<(), ScriptError> {
        let bytes = self.args.iter().map(|arg| arg.len()).sum();
        if self.args.len() > MAX_SCRIPT_ARGS {
            return Err(ScriptError::TooManyArgs(self.args.len()));
        }
        if bytes > MAX_SCRIPT_ARG_BYTES {
            return Err(ScriptError::ArgsTooLarge(bytes));
        }
        Ok(())
    }

    /// Everything the script is given on its command line.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let flag = (self.mode == Mode::Json { flag: true }).then(|| OsString::from("--json"));
        self.args.iter().cloned().chain(flag).collect()
    }
}

/// What a script's output is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Text.
    #[default]
    Text,
    /// One JSON document.
    Json {
        /// Whether `--json` is appended to the arguments.
        flag: bool,
    },
}

/// Where a script starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In the directory it lies in, as agent-base has it.
    #[default]
    Beside,
    /// In the skill's directory, as chibi has it.
    Skill,
    /// In its private directory.
    Scratch,
}

/// What a script reads from standard input. The caller's own is never inherited.
#[derive(Debug, Default)]
pub enum Input {
    /// Nothing.
    #[default]
    Closed,
    /// These bytes.
    Bytes(Vec<u8>),
    /// What is in this file.
    File(File),
}

impl Input {
    pub(crate) fn stdin(&self) -> std::io::Result<Stdin> {
        Ok(match self {
            Self::Closed => Stdin::Closed,
            Self::Bytes(bytes) => Stdin::Bytes(bytes.clone()),
            Self::File(file) => Stdin::File(file.try_clone()?),
        })
    }
}

/// One script of one skill, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Where it lies: on disk, or inside metier.
    pub path: String,
}

/// The scripts of one skill.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SkillScripts {
    /// The skill.
    pub skill: String,
    /// Its scripts.
    pub scripts: Vec<Listed>,
    /// What it names as scripts and is none, each with the reason.
    pub refused: Vec<metier_store::scripts::Refused>,
}

/// What would be done, before it is.
#[derive(Clone, Debug)]
pub struct ScriptPlan {
    /// The skill.
    pub skill: String,
    /// The script's name.
    pub name: String,
    /// The script's path inside it.
    pub script: String,
    /// SHA-256 of the script.
    pub digest: String,
    /// What it is run with.
    pub interpreter: String,
    /// The command, word by word. For a script with dependencies its first word is found by uv.
    pub command: Vec<OsString>,
    /// Where it starts; nothing means in its private directory.
    pub cwd: Option<PathBuf>,
    /// The walls.
    pub confinement: Confinement,
    /// For a script with dependencies: whether packages may be fetched.
    pub fetches: Option<bool>,
    /// What the law says to it.
    pub ruling: Ruling,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What came of a run that took place.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptOutcome {
    /// The skill.
    pub skill: String,
    /// The script's name.
    pub name: String,
    /// The script's path inside it.
    pub script: String,
    /// How it ended.
    pub status: Status,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took.
    pub duration: Duration,
    /// CPU time of everything it started.
    pub cpu: Duration,
    /// Bytes of resident memory of its largest process.
    pub max_rss: u64,
    /// Seconds it was allowed.
    pub allowed: Duration,
    /// Which walls stood.
    pub enforced: Enforced,
    /// The walls it ran into, as far as that is known.
    pub denials: Vec<Denial>,
    /// Its output as JSON, where it is.
    pub json: Option<Value>,
    /// Why it is not a success, where it is none: the code and the message.
    pub failure: Option<(&'static str, String)>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What a script says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptHelp {
    /// What `--help` printed.
    pub text: String,
    /// Whether it was known already.
    pub kept: bool,
    /// Why there is none: the code and the message.
    pub failure: Option<(&'static str, String)>,
}

impl ScriptHelp {
    /// The part that says how to call it: the paragraph that begins with `usage`, else the first
    /// line.
    #[must_use]
    pub fn usage(&self) -> String {
        let begins = |line: &&str| {
            line.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("usage"))
        };
        let lines = self.text.lines();
        let paragraph: Vec<&str> = lines
            .clone()
            .skip_while(|line| !begins(line))
            .take_while(|l| !l.trim().is_empty())
            .collect();
        match paragraph.is_empty() {
            true => {
                lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
            }
            false => paragraph.join("\n").trim().to_owned(),
        }
    }
}

/// Why a script was not run.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The skill's name cannot be one.
    #[error("`{}` cannot be a skill's name", .0.escape_debug())]
    InvalidSkill(String),
    /// The skill cannot be used.
    #[error(transparent)]
    Skill(ActivationError),
    /// The name means no script of the skill.
    #[error("in skill `{skill}`")]
    Name {
        /// The skill.
        skill: String,
        /// Why.
        source: ScriptNameError,
    },
    /// There are too many arguments.
    #[error("there are {0} arguments; the limit is {MAX_SCRIPT_ARGS}")]
    TooManyArgs(usize),
    /// The arguments are too long.
    #[error("the arguments have {0} bytes; the limit is {MAX_SCRIPT_ARG_BYTES}")]
    ArgsTooLarge(usize),
    /// Policy lets only active skills run scripts.
    #[error("`{0}` is not active, and policy lets only active skills run scripts")]
    NotActive(String),
    /// Policy does not allow it.
    #[error("policy does not allow `{script}` of `{skill}`: {reason}")]
    Denied {
        /// The skill.
        skill: String,
        /// The script.
        script: String,
        /// Why.
        reason: String,
    },
    /// Policy wants a person to be asked first.
    #[error("policy asks before `{script}` of `{skill}` runs: {reason}")]
    Unconfirmed {
        /// The skill.
        skill: String,
        /// The script.
        script: String,
        /// Why.
        reason: String,
    },
    /// Nothing runs it.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// It cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// A wall that is required cannot be built.
    #[error("`{script}` of `{skill}` may only run confined, and this system cannot enforce {}", list(.missing))]
    Walls {
        /// The skill.
        skill: String,
        /// The script.
        script: String,
        /// Which walls, each with the reason.
        missing: Vec<Missing>,
    },
    /// Its dependencies cannot be provided.
    #[error("the dependencies of `{script}` cannot be provided: {detail}")]
    Dependencies {
        /// The script.
        script: String,
        /// What is known.
        detail: String,
        /// How they could be.
        hint: Option<&'static str>,
    },
    /// Something it needs on disk cannot be made.
    #[error("cannot prepare `{}`", path.display())]
    Ground {
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no place for what has to be kept.
    #[error("`{0}` cannot be run without a directory of metier's own")]
    NoHome(String),
    /// It did not start.
    #[error("`{script}` could not be run")]
    Run {
        /// The script.
        script: String,
        /// Why.
        source: RunError,
    },
    /// It was cancelled before it began.
    #[error("cancelled")]
    Cancelled,
    /// The journal refused, so nothing was run.
    #[error("nothing was run, because it could not be recorded")]
    Journal(#[from] JournalError),
}

impl ScriptError {
    /// The stable code: one of agent-base's seven where it has one for this.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidSkill(_) | Self::Skill(ActivationError::Ambiguous { .. }) => {
                "invalid_name"
            }
            Self::Skill(ActivationError::NotFound { .. }) => "not_found",
            Self::Skill(ActivationError::Invalid { .. }) => "execution_failed",
            Self::Skill(_) | Self::NotActive(_) => "permission_denied",
            Self::Name { source, .. } => match source {
                ScriptNameError::NotFound { .. } => "not_found",
                ScriptNameError::Refused { .. } => "permission_denied",
                ScriptNameError::Invalid(_) | ScriptNameError::Ambiguous { .. } => "invalid_name",
            },
            Self::TooManyArgs(_) | Self::ArgsTooLarge(_) => "args_too_large",
            Self::Denied { .. } | Self::Unconfirmed { .. } | Self::Walls { .. } => {
                "permission_denied"
            }
            Self::Interpreter(InterpreterError::Unusable { .. }) => "script_unusable",
            Self::Interpreter(_) => "interpreter_missing",
            Self::Dependencies { .. } => "dependencies_missing",
            Self::Read(_) | Self::Ground { .. } | Self::NoHome(_) | Self::Run { .. } => {
                "execution_failed"
            }
            Self::Cancelled => "cancelled",
            Self::Journal(_) => "journal_refused",
        }
    }

    /// Whether policy, trust or a missing wall said no, rather than something going wrong.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.code() == "permission_denied"
    }
}

fn list(missing: &[Missing]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
