//! The environment, read once at start. [`VARIABLES`] is every variable metier looks at, with what
//! it means; the help and the documentation are made from it. Nobody else reads the environment,
//! the working directory, or asks whether a stream is a terminal.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door to the environment, the working directory and the project's root"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::off_variables;
use metier_store::client;

/// One variable metier looks at.
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it does, in one line.
    pub(crate) meaning: &'static str,
}

/// Every variable metier looks at, besides those that say where other agents keep their skills;
/// the table of agents has those. Nothing else is read.
pub(crate) const VARIABLES: &[Variable] = &[
    Variable { name: "METIER_CONFIG", meaning: "the settings file, as `--config`" },
    Variable { name: "METIER_HOME", meaning: "metier's own directory, as `--home`" },
    Variable { name: "METIER_PROJECT", meaning: "the project directory, as `--project`" },
    Variable { name: "METIER_SKILLS", meaning: "the enabled skills, as `--skills`; empty is none" },
    Variable { name: "AGENT_SKILLS", meaning: "the same, read when `METIER_SKILLS` is not set" },
    Variable { name: "METIER_SESSION", meaning: "the session, as `--session`" },
    Variable { name: "METIER_JOURNAL", meaning: "the journal, as `--journal`" },
    Variable { name: "METIER_AGENT", meaning: "the agent that frames name" },
    Variable { name: "METIER_TASK", meaning: "the task that frames name" },
    Variable { name: "METIER_TENANT", meaning: "the tenant that frames name" },
    Variable { name: "METIER_CORRELATION", meaning: "what ties frames to something outside" },
    Variable { name: "CHIBI_HOOK", meaning: "the hook chibi calls its plugin for" },
    Variable { name: "CHIBI_HOOK_DATA", meaning: "what it says about it, until chibi 0.6" },
    Variable { name: "CHIBI_TOOL_NAME", meaning: "the tool chibi calls its plugin for" },
    Variable { name: "CHIBI_TOOL_ARGS", meaning: "the tool's arguments, until chibi 0.6" },
    Variable { name: "CHIBI_HOME", meaning: "where chibi keeps its plugins, when absolute" },
    Variable { name: "METIER_SERVE_TOKEN", meaning: "what clients of `serve` have to know" },
    Variable {
        name: "OPENCODE_PURE",
        meaning: "when set, opencode has no plugins; `doctor` says so",
    },
    Variable { name: "HOME", meaning: "the user's home directory" },
    Variable { name: "USER", meaning: "who approvals say it was, beside the number of the user" },
    Variable { name: "XDG_CONFIG_HOME", meaning: "where settings live, when absolute" },
    Variable { name: "XDG_DATA_HOME", meaning: "where data lives, when absolute" },
    Variable { name: "NO_COLOR", meaning: "when not empty, no colour unless `--color always`" },
    Variable { name: "TERM", meaning: "when `dumb`, no colour" },
    Variable { name: "COLUMNS", meaning: "the terminal's width; 0 means unlimited" },
    Variable {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning: "where `metrics --otlp-endpoint` sends",
    },
    Variable {
        name: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        meaning: "the same for metrics, taken as it is",
    },
    Variable {
        name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        meaning: "the same for traces, taken as it is",
    },
    Variable { name: "OTEL_EXPORTER_OTLP_HEADERS", meaning: "headers it sends: `name=value,…`" },
    Variable { name: "OTEL_EXPORTER_OTLP_METRICS_HEADERS", meaning: "the same for metrics" },
    Variable { name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", meaning: "the same for traces" },
    Variable { name: "OTEL_EXPORTER_OTLP_TIMEOUT", meaning: "milliseconds it waits for an answer" },
    Variable { name: "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", meaning: "the same for metrics" },
    Variable { name: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", meaning: "the same for traces" },
];

/// What the variables for sending to a collector begin with. They fill in details and never cause
/// anything to be sent.
pub(crate) const OTLP: &str = "OTEL_EXPORTER_OTLP_";
/// Bytes of a typed answer that are read.
const MAX_TYPED_LINE: u64 = 4096;

/// What metier knows about where it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    /// `METIER_CONFIG`.
    pub(crate) config: Option<PathBuf>,
    /// `METIER_HOME`.
    pub(crate) metier_home: Option<PathBuf>,
    /// `METIER_PROJECT`.
    pub(crate) project: Option<PathBuf>,
    /// `METIER_SKILLS`, else `AGENT_SKILLS`, also when empty.
    pub(crate) skills: Option<EnvironmentSkills>,
    /// Whose session it is.
    pub(crate) session: SessionVariables,
    /// What chibi says to its plugin.
    pub(crate) chibi: ChibiVariables,
    /// `METIER_SERVE_TOKEN`.
    pub(crate) serve_token: Option<Secret>,
    /// The variables other agents look at, those that are set and text.
    pub(crate) agents: BTreeMap<String, String>,
    /// The variables that switch agents' hooks off, those that are set.
    pub(crate) hooks_off: BTreeMap<String, String>,
    /// The variables for sending to a collector, those that are set and text.
    pub(crate) otlp: BTreeMap<String, String>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `USER`.
    pub(crate) user: Option<String>,
    /// `XDG_CONFIG_HOME`, when absolute.
    pub(crate) xdg_config_home: Option<PathBuf>,
    /// `XDG_DATA_HOME`, when absolute.
    pub(crate) xdg_data_home: Option<PathBuf>,
    /// Whether `NO_COLOR` or `TERM` speaks against colour.
    pub(crate) plain: bool,
    /// `COLUMNS`, when it is a number.
    pub(crate) columns: Option<usize>,
    /// The working directory; `.` when the system does not tell.
    pub(crate) directory: PathBuf,
}

/// A value that is not to be seen.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The enabled skills as a variable says, and which variable it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentSkills {
    /// The variable's name.
    pub(crate) variable: &'static str,
    /// Its value.
    pub(crate) list: String,
}

/// The variables that say whose session a run belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionVariables {
    /// `METIER_SESSION`.
    pub(crate) session: Option<String>,
    /// `METIER_JOURNAL`.
    pub(crate) journal: Option<PathBuf>,
    /// `METIER_AGENT`.
    pub(crate) agent: Option<String>,
    /// `METIER_TASK`.
    pub(crate) task: Option<String>,
    /// `METIER_TENANT`.
    pub(crate) tenant: Option<String>,
    /// `METIER_CORRELATION`.
    pub(crate) correlation: Option<String>,
}

/// What chibi says to its plugin. An empty text is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChibiVariables {
    /// `CHIBI_HOOK`.
    pub(crate) hook: Option<String>,
    /// `CHIBI_HOOK_DATA`.
    pub(crate) hook_data: Option<String>,
    /// `CHIBI_TOOL_NAME`.
    pub(crate) tool: Option<String>,
    /// `CHIBI_TOOL_ARGS`.
    pub(crate) tool_arguments: Option<String>,
    /// `CHIBI_HOME`, when absolute.
    pub(crate) home: Option<PathBuf>,
}

/// What stands at a path somebody typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// A directory.
    Directory,
    /// Nothing.
    Missing,
    /// A file, or something that is to be read like one.
    Other,
}

impl Environment {
    /// The process's own environment.
    pub(crate) fn read() -> Self {
        let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Self::from_lookup(|name| std::env::var_os(name), directory)
    }

    /// An environment in which `lookup` answers for the variables.
    pub(crate) fn from_lookup(
        lookup: impl Fn(&str) -> Option<OsString>,
        directory: PathBuf,
    ) -> Self {
        // An empty variable is as good as none, except for the lists of skills.
        let text = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(PathBuf::from);
        let word = |name: &str| text(name).map(|value| value.to_string_lossy().into_owned());
        let said = |name: &str| lookup(name).map(|value| value.to_string_lossy().into_owned());
        let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
        let known = |names: &mut dyn Iterator<Item = &'static str>| -> BTreeMap<String, String> {
            names
                .filter_map(|name| Some((name.to_owned(), text(name)?.into_string().ok()?)))
                .collect()
        };
        let skills = |variable: &'static str| {
            let list = lookup(variable)?.to_string_lossy().into_owned();
            Some(EnvironmentSkills { variable, list })
        };
        Self {
            config: path("METIER_CONFIG"),
            metier_home: path("METIER_HOME"),
            project: path("METIER_PROJECT"),
            skills: skills("METIER_SKILLS").or_else(|| skills("AGENT_SKILLS")),
            session: SessionVariables {
                session: word("METIER_SESSION"),
                journal: path("METIER_JOURNAL"),
                agent: word("METIER_AGENT"),
                task: word("METIER_TASK"),
                tenant: word("METIER_TENANT"),
                correlation: word("METIER_CORRELATION"),
            },
            chibi: ChibiVariables {
                hook: word("CHIBI_HOOK"),
                hook_data: said("CHIBI_HOOK_DATA"),
                tool: word("CHIBI_TOOL_NAME"),
                tool_arguments: said("CHIBI_TOOL_ARGS"),
                home: absolute("CHIBI_HOME"),
            },
            // One that is set and empty is a mistake, and no wish to serve without.
            serve_token: said("METIER_SERVE_TOKEN").map(Secret),
            agents: known(&mut client::variables().into_iter()),
            hooks_off: known(&mut HookAgent::ALL.into_iter().flat_map(off_variables).copied()),
            otlp: known(
                &mut VARIABLES.iter().map(|v| v.name).filter(|name| name.starts_with(OTLP)),
            ),
            home: absolute("HOME"),
            user: word("USER"),
            xdg_config_home: absolute("XDG_CONFIG_HOME"),
            xdg_data_home: absolute("XDG_DATA_HOME"),
            plain: text("NO_COLOR").is_some() || lookup("TERM").is_some_and(|t| t == "dumb"),
            columns: text("COLUMNS").and_then(|c| c.to_str()?.parse().ok()),
            directory,
        }
    }

    /// The environment as an agent's hook goes by it: nothing in it that says which settings, which
    /// directory, which skills or which session count. A project can set variables for an agent, and
    /// the hook that guards the agent does not take its orders from the project.
    pub(crate) fn of_a_hook(&self) -> Self {
        Self {
            config: None,
            metier_home: None,
            project: None,
            skills: None,
            session: SessionVariables { session: None, journal: None, ..self.session.clone() },
            ..self.clone()
        }
    }

    /// The variables that decide where metier and agents look, each with its value, empty when it
    /// has none.
    pub(crate) fn places(&self) -> Vec<(String, String)> {
        let text = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let mut places: BTreeMap<String, String> = client::variables()
            .into_iter()
            .map(|name| (name.to_owned(), self.agents.get(name).cloned().unwrap_or_default()))
            .collect();
        places.insert("HOME".to_owned(), text(&self.home));
        places.insert("XDG_CONFIG_HOME".to_owned(), text(&self.xdg_config_home));
        places.insert("XDG_DATA_HOME".to_owned(), text(&self.xdg_data_home));
        places.into_iter().collect()
    }

    /// `path` with a leading `~` replaced by the home directory, made absolute below `base`.
    pub(crate) fn resolve(&self, path: &Path, base: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) if rest.as_os_str().is_empty() => home.clone(),
            (Ok(rest), Some(home)) => home.join(rest),
            _ => base.join(path),
        }
    }
}

/// Where this very program is.
pub(crate) fn program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// The process's arguments.
pub(crate) fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// All variables, for children: which of them one sees is policy's to say. Nothing else looks at
/// them.
pub(crate) fn variables() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// Whether somebody sits there who can be asked: standard input and standard error are a terminal.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && stderr_is_terminal()
}

/// The next line somebody types; none at the end.
pub(crate) fn typed_line() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().take(MAX_TYPED_LINE).read_line(&mut line);
    read.ok().filter(|count| *count > 0).map(|_| line.trim().to_owned())
}

/// The values of all variables that are called like secrets, so that none of them is recorded.
/// They are looked for in what is recorded and used for nothing else.
pub(crate) fn secrets() -> Vec<String> {
    secret_values(std::env::vars_os())
}

/// The values of those `variables` whose name says that they are secret.
fn secret_values(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let named = variables.filter(|(name, _)| is_secret_name(&name.to_string_lossy()));
    named.filter_map(|(_, value)| value.into_string().ok()).collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = ["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS"];
    ends.iter().any(|end| name.ends_with(end))
}

/// The columns of the terminal that standard output is, when it is one: the variable, else what
/// the terminal says; none when either says 0.
pub(crate) fn terminal_columns(environment: &Environment) -> Option<usize> {
    let asked = || {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0))
    };
    if !stdout_is_terminal() {
        return None;
    }
    environment.columns.or_else(asked).filter(|columns| *columns > 0)
}

/// Whether standard input is a terminal.
pub(crate) fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Whether whatever is written to standard output is lost. Rust's runtime opens one that was closed so.
pub(crate) fn stdout_is_null() -> bool {
    let out = rustix::fs::fstat(std::io::stdout());
    let null = rustix::fs::stat("/dev/null");
    matches!((out, null), (Ok(out), Ok(null)) if out.st_rdev == null.st_rdev && out.st_rdev != 0)
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// The nearest directory at or above `start` that holds `.git`, else `start`.
pub(crate) fn find_project(start: &Path) -> &Path {
    start.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(start)
}

/// `path` with every link resolved; none when it does not exist.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// What `path` is on disk, links followed: its device and its number there.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// What stands at `path`, links followed.
pub(crate) fn kind_of(path: &Path) -> PathKind {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => PathKind::Directory,
        Ok(_) => PathKind::Other,
        // What cannot be looked at is there; whoever reads it says what is wrong.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => PathKind::Other,
        Err(_) => PathKind::Missing,
    }
}

/// Whether `path` is a file that somebody may execute, links followed.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The table as help shows it.
pub(crate) fn table() -> String {
    let width = VARIABLES.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for variable in VARIABLES {
        let _ = writeln!(text, "  {:width$}  {}", variable.name, variable.meaning);
    }
    let _ = writeln!(
        text,
        "  values of variables ending in TOKEN, KEY, SECRET or PASSWORD are never recorded"
    );
    let _ = writeln!(text, "  and, for where other agents keep their skills,");
    let _ = writeln!(text, "  {}", agent_variables().join(", "));
    text
}

/// The variables only other agents look at.
fn agent_variables() -> Vec<&'static str> {
    let mut names = client::variables();
    names.retain(|name| !VARIABLES.iter().any(|variable| variable.name == *name));
    names
}

#[cfg(test)]
#[path = "env_tests.rs"]
mod tests;
