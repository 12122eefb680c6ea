//! How a command comes to a session: which one it is, where its journal lies, whose it is, which
//! law holds. [`open`] is for commands that act, [`look`] for those that only look and therefore
//! write nothing. What a session does is decided in `metier-runtime`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use metier_format::text::{quoted, visible_line};
use metier_policy::programs::Program;
use metier_policy::{HostTable, Profile};
use metier_runtime::arguments::Base;
use metier_runtime::journal::{self, Artifacts, Durability, FileJournal, Reading, files_of};
use metier_runtime::redact::Redactor;
use metier_runtime::session::{Again, Settings as SessionSettings, Whereabouts};
use metier_runtime::{
    Ids, Journal, JournalError, ScriptGround, Session, SessionName, Setup, State,
};
use metier_sandbox::Cancel;
use metier_store::vouch::Depth;

use crate::clock::SystemClock;
use crate::command::hook::setup::hooked_files;
use crate::config::{ClientPolicy, Hosts};
use crate::env;
use crate::error::CommandError;
use crate::files;
use crate::interrupt::Interrupt;
use crate::law::Law;
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Ui, counted};
use crate::view::View;

/// Longest id in a frame.
const MAX_ID: usize = 128;

/// The session of changes to what is installed, when nobody names one.
const PACKAGES_SESSION: &str = "packages";

/// The session when nobody names one.
const DEFAULT_SESSION: &str = "default";

/// The folder in metier's own directory for what sessions load and read.
const ARTIFACTS: &str = "artifacts";

/// Flags that say which session, which journal and which policy.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct SessionArgs {
    /// The session: letters, digits, `-`, `_` and `.` [default: `default`]
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The journal [default: `sessions/ID.jsonl` in metier's own directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// One policy file more; of all files the strictest answer counts
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// What holds where no policy file decides [default: default]
    #[arg(long, global = true, value_name = "PROFILE", value_parser = profiles())]
    pub(crate) profile: Option<Profile>,
}

/// What the settings file says about sessions, journals and policies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionConfig {
    /// `session.again`.
    pub(crate) again: Option<Again>,
    /// `session.first-argument`.
    pub(crate) base: Option<Base>,
    /// `journal.durability`.
    pub(crate) durability: Option<Durability>,
    /// `journal.artifacts`.
    pub(crate) artifacts: Option<bool>,
    /// `policy.files`, resolved.
    pub(crate) policy_files: Vec<PathBuf>,
    /// `policy.profile`.
    pub(crate) profile: Option<Profile>,
    /// `hosts`.
    pub(crate) hosts: Hosts,
    /// `programs`.
    pub(crate) programs: Vec<Program>,
}

impl SessionConfig {
    /// What the host calls its tools, the user's own names included.
    pub(crate) fn host(&self, name: &str) -> HostTable {
        let table = HostTable::named(name).unwrap_or_else(|| HostTable::plain()).clone();
        let more = self.hosts.get(&table.name).into_iter().flatten();
        more.fold(table, |table, tool| table.with_tool(tool.clone()))
    }
}

/// What flags and file say; the environment has its say in [`Stream::of`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionChoices {
    /// The flags.
    pub(crate) args: SessionArgs,
    /// The file.
    pub(crate) config: SessionConfig,
    /// What holds besides, for the client whose session it is.
    pub(crate) narrowing: Vec<ClientPolicy>,
}

/// One session's part of one journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The session.
    pub(crate) session: SessionName,
    /// Whether somebody named the session.
    pub(crate) named: bool,
    /// The journal.
    pub(crate) journal: PathBuf,
}

/// A session that is only looked at.
#[derive(Debug)]
pub(crate) struct Look {
    /// Where.
    pub(crate) stream: Stream,
    /// The journal, as far as it exists; it has no fault.
    pub(crate) reading: Reading,
    /// The session's state.
    pub(crate) state: State,
}

/// What a session is opened for.
pub(crate) struct Purpose {
    /// The skills, when some may be looked up.
    pub(crate) view: Option<View>,
    /// What the host calls its tools.
    pub(crate) host: HostTable,
    /// Where the host's tools start.
    pub(crate) cwd: PathBuf,
    /// Ends what runs.
    pub(crate) cancel: Cancel,
}

impl Purpose {
    /// To look up skills in `view`, for no host in particular.
    pub(crate) fn with(view: Option<View>, settings: &Settings) -> Self {
        Self {
            view,
            host: settings.session.config.host("plain"),
            cwd: settings.environment.directory.clone(),
            cancel: Cancel::never(),
        }
    }
}

impl Stream {
    /// The session and journal that flags, environment or defaults name.
    pub(crate) fn of(settings: &Settings) -> Result<Self, CommandError> {
        Self::or(settings, DEFAULT_SESSION)
    }

    /// Where changes of what is installed are recorded: the session and journal that flags or
    /// environment name, else their own.
    pub(crate) fn of_packages(settings: &Settings) -> Result<Self, CommandError> {
        Self::or(settings, PACKAGES_SESSION)
    }

    fn or(settings: &Settings, default: &str) -> Result<Self, CommandError> {
        let environment = &settings.environment;
        let named = settings.session.args.session.as_ref().or(environment.session.session.as_ref());
        let session = named.map_or(default, String::as_str);
        Ok(Self { named: named.is_some(), ..Self::called(session, settings)? })
    }

    /// The session called `session`, in the journal that flags, environment or defaults name.
    pub(crate) fn called(session: &str, settings: &Settings) -> Result<Self, CommandError> {
        let args = &settings.session.args;
        let environment = &settings.environment;
        let session = session_name(session)?;
        let given = args.journal.as_ref().or(environment.session.journal.as_ref());
        let journal = match (given, &settings.home) {
            (Some(path), _) => environment.resolve(path, &environment.directory),
            (None, Some(home)) => home.join("sessions").join(format!("{session}.jsonl")),
            (None, None) => {
                let error = CommandError::usage("there is no place for the journal");
                return Err(error.hint("give `--journal` a file or `--home` a directory"));
            }
        };
        Ok(Self { session, named: true, journal })
    }
}

/// Opens the session for `purpose`, on behalf of whoever the environment names.
pub(crate) fn open(
    settings: &Settings,
    purpose: Purpose,
    ui: &mut Ui,
) -> Result<Session, CommandError> {
    let begin = match purpose.view.is_some() {
        true => Session::open,
        false => Session::resume,
    };
    begun(settings, purpose, begin, ui)
}

/// As [`open`], for a command that only looks: nothing is recorded.
pub(crate) fn open_to_look(
    settings: &Settings,
    purpose: Purpose,
    ui: &mut Ui,
) -> Result<Session, CommandError> {
    begun(settings, purpose, Session::prepare, ui)
}

/// How a session begins.
type Begin = fn(Setup, Box<dyn Journal>) -> Result<Session, JournalError>;

fn begun(
    settings: &Settings,
    purpose: Purpose,
    begin: Begin,
    ui: &mut Ui,
) -> Result<Session, CommandError> {
    let stream = Stream::of(settings)?;
    let ids = ids(settings, &stream.session)?;
    let journal = journal(settings, &stream.journal).map_err(journal_error)?;
    remark_on_torn(journal.torn(), ui);
    let setup = setup(settings, purpose, ids, &stream.journal);
    begin(setup, Box::new(journal)).map_err(journal_error)
}

/// The journal at `path`, written as durably as the settings say.
pub(crate) fn journal(settings: &Settings, path: &Path) -> Result<FileJournal, JournalError> {
    let durability = settings.session.config.durability.unwrap_or_default();
    FileJournal::open(path, durability, Arc::new(SystemClock))
}

/// What no call of a model in `host` writes: metier's own, the journal wherever it is, and the settings
/// of agents that hold its hooks or could switch them off.
fn protected(settings: &Settings, journal: &Path, host: &str) -> Vec<PathBuf> {
    let mut places = settings.own_places();
    // The usual one lies in metier's directory, together with what is beside it.
    if !settings.home.as_ref().is_some_and(|home| journal.starts_with(home)) {
        places.extend(files_of(journal));
    }
    places.extend(hooked_files(settings, host));
    places
}

/// What a session for `purpose` is made of.
pub(crate) fn setup(settings: &Settings, purpose: Purpose, ids: Ids, journal: &Path) -> Setup {
    let law = Law::load(settings);
    let config = &settings.session.config;
    let view = purpose.view.unwrap_or_else(View::nothing);
    let protected = protected(settings, journal, &purpose.host.name);
    Setup {
        store: Arc::new(view.store),
        catalog: Arc::new(view.catalog),
        policy: law.policy,
        policy_digest: law.digest,
        host: purpose.host,
        whereabouts: Whereabouts {
            cwd: purpose.cwd,
            home: settings.environment.home.clone(),
            project: Some(settings.project.clone()),
            protected,
        },
        ids,
        settings: SessionSettings {
            again: config.again.unwrap_or_default(),
            base: config.base.unwrap_or_default(),
            disclose: settings.disclose(),
        },
        redactor: Redactor::new(env::secrets()),
        scripts: ScriptGround {
            home: settings.home.clone(),
            variables: env::variables(),
            cancel: purpose.cancel,
            ..ScriptGround::default()
        },
        artifacts: artifact_folder(settings).filter(|_| config.artifacts.unwrap_or(true)).map(
            |(_, artifacts)| match is_at_home(settings, journal) {
                true => artifacts,
                false => artifacts.of_journal(journal),
            },
        ),
        vouch: view.vouch,
        depth: settings.packages.verify.unwrap_or(Depth::Stamps),
    }
}

/// Whether whoever collects content that no journal names looks at this journal anyway, so that
/// nobody has to remember it.
fn is_at_home(settings: &Settings, journal: &Path) -> bool {
    let sessions = settings.home.as_ref().map(|home| home.join("sessions"));
    sessions.is_some() && journal.parent() == sessions.as_deref() && files::is_journal(journal)
}

/// Where what sessions load and read is kept, when it is.
pub(crate) fn artifact_folder(settings: &Settings) -> Option<(PathBuf, Artifacts)> {
    let folder = settings.home.as_ref()?.join(ARTIFACTS);
    let artifacts = Artifacts::at(&folder);
    Some((folder, artifacts))
}

/// Looks at the session without writing anything. A journal that does not exist is an empty one; a
/// journal that is not as it was written is refused.
pub(crate) fn look(settings: &Settings) -> Result<Look, CommandError> {
    let stream = Stream::of(settings)?;
    let reading = match journal::read(&stream.journal) {
        Err(JournalError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Reading::default()
        }
        other => other.map_err(journal_error)?,
    };
    if let Some(fault) = &reading.fault {
        let (path, frame) = (stream.journal.clone(), fault.frame);
        let reason = fault.kind.to_string();
        return Err(journal_error(JournalError::Changed { path, frame, reason }));
    }
    let state = reading.states.get(stream.session.as_str()).cloned().unwrap_or_default();
    Ok(Look { stream, reading, state })
}

/// Opens the session to release skills: with the skills at hand when one of them wants a script run
/// before it goes.
pub(crate) fn open_to_release(settings: &Settings, ui: &mut Ui) -> Result<Session, CommandError> {
    let has_hook =
        |state: &State| state.stack.iter().any(|active| active.skill.hook_post.is_some());
    let view = has_hook(&look(settings)?.state).then(|| View::open(settings));
    let purpose = Purpose { cancel: Interrupt::cancel()?, ..Purpose::with(view, settings) };
    open(settings, purpose, ui)
}

/// Says that a crash left a line half written, when one did.
pub(crate) fn remark_on_torn(torn: Option<u64>, ui: &mut Ui) {
    if let Some(bytes) = torn {
        let bytes = counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte", "bytes");
        ui.note(&format!(
            "warning: the journal ends in a line of {bytes} that was never finished; nothing that \
             was acknowledged is lost"
        ));
    }
}

/// The journal's refusal as the command reports it.
pub(crate) fn journal_error(error: JournalError) -> CommandError {
    match &error {
        JournalError::Changed { path, .. } => {
            let shown = visible_line(&shape::path(path)).into_owned();
            CommandError::refused(error)
                .code("journal_changed")
                .hint(format!("`metier replay {shown} --verify` says what is left of it"))
                .hint("another `--session` or `--journal` begins anew")
        }
        JournalError::Gone { path, .. } => {
            let shown = visible_line(&shape::path(path)).into_owned();
            CommandError::refused(error)
                .code("journal_gone")
                .hint(format!("`{shown}.head` tells of it; put the journal back if it was moved"))
                .hint("another `--session` or `--journal` begins anew")
        }
        JournalError::Io { source, .. } if is_closed_to_us(source.kind()) => {
            CommandError::failed(error)
                .code("journal_refused")
                .hint("give `--home` a directory, or `--journal` a file, that can be written")
        }
        JournalError::Io { .. } | JournalError::TooLarge(_) => {
            CommandError::failed(error).code("journal_refused")
        }
    }
}

fn is_closed_to_us(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Whose frames these are.
pub(crate) fn ids(settings: &Settings, session: &SessionName) -> Result<Ids, CommandError> {
    let variables = &settings.environment.session;
    let selection = &settings.selection;
    let agent = variables.agent.as_ref().or(selection.agent.as_ref());
    let tenant = variables.tenant.as_ref().or(selection.tenant.as_ref());
    Ok(Ids {
        session: session.to_string(),
        agent: check_id("METIER_AGENT", agent)?,
        task: check_id("METIER_TASK", variables.task.as_ref())?,
        tenant: check_id("METIER_TENANT", tenant)?,
        correlation: check_id("METIER_CORRELATION", variables.correlation.as_ref())?,
    })
}

/// An id as frames carry it: short, and nothing a reader would not see.
fn check_id(variable: &str, id: Option<&String>) -> Result<Option<String>, CommandError> {
    let Some(id) = id else { return Ok(None) };
    let odd = id.len() > MAX_ID || id.chars().any(|c| c.is_control());
    if odd {
        let message = format!("the value of `{variable}` cannot be an id");
        let error = CommandError::usage(message);
        return Err(error.hint(format!("an id has at most {MAX_ID} bytes, none of them control")));
    }
    Ok(Some(id.clone()))
}

/// The session that somebody calls so.
fn session_name(text: &str) -> Result<SessionName, CommandError> {
    SessionName::parse(text).map_err(|error| {
        let message = format!("{} cannot name a session", quoted(text));
        CommandError::usage(message).hint(error.to_string())
    })
}

/// The profiles as the parser takes them.
fn profiles() -> impl TypedValueParser<Value = Profile> {
    let named = |word: String| Profile::ALL.into_iter().find(|profile| profile.as_str() == word);
    // The parser lets only these words through; were it not so, the strictest would hold.
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str))
        .map(move |word| named(word).unwrap_or(Profile::Strict))
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
