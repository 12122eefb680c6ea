//! What the commands that install, update and verify share: where metier's home is, who acts, how
//! something is fetched, how a person is asked, and what each failure is called. What is decided is
//! decided in `metier-package`.

mod explain;
mod preview;
mod record;
mod vouched;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use metier_format::SkillName;
use metier_format::text::visible_line;
use metier_package::approve::trusted_folders as folders;
use metier_package::index::{self, Asking, Contents, Index, IndexError, Listed};
use metier_package::reference::site;
use metier_package::replaced::Replaced;
use metier_package::served::{Claim, Servers};
use metier_package::trust::By;
use metier_package::{
    Bases, Done, Fetch, FetchError, Fetched, Home, Ledger, Locked, Offered, Outcome, Place,
    Progress, Reference, Refused, Repaired, Retry, Select, Step,
};
use metier_runtime::Clock as _;
use metier_sandbox::{Cancel, Runner};
use metier_serve::mcp_client::McpClient;
use serde::Serialize;

use crate::clock::{SystemClock, shown};
use crate::env;
use crate::error::CommandError;
use crate::interrupt::{self, Interrupt};
use crate::settings::Settings;
use crate::ui::{self, Ui};
use crate::view::checked_name;
use crate::write::Scratch;

pub(crate) use explain::{change_error, fetch_error, index_error, record_error, reference_error};
pub(crate) use preview::{History, Offer, show, show_files};
pub(crate) use record::{Recorder, Wish, approved, recorded, unchanged};

/// Where a skill is installed to, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerChoice {
    /// For the user, in metier's own directory
    Personal,
    /// For the project, in its `.agents/skills`
    Project,
}

/// What one skill became, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct DoneShape<'a> {
    pub(crate) name: &'a str,
    pub(crate) layer: &'static str,
    pub(crate) path: &'a str,
    pub(crate) old: Option<VersionShape<'a>>,
    pub(crate) new: Option<VersionShape<'a>>,
    /// What somebody had made of it, and where that is now.
    pub(crate) replaced: Option<&'a Replaced>,
}

/// One version of a skill, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct VersionShape<'a> {
    pub(crate) source: &'a str,
    pub(crate) path: &'a str,
    pub(crate) requested: Option<&'a str>,
    pub(crate) commit: Option<&'a str>,
    pub(crate) tree: &'a str,
    pub(crate) signature: &'static str,
    pub(crate) signer: Option<&'a str>,
}

/// metier's home; without one nothing can be installed or approved.
pub(crate) fn home(settings: &Settings) -> Result<Home, CommandError> {
    let home = settings.home.as_ref().map(Home::new);
    home.ok_or_else(|| {
        let error = CommandError::usage("there is no place for metier's own directory");
        error.hint("give `--home` a directory")
    })
}

/// Who vouches for skills, when there is a home to have it written down in.
pub(crate) fn ledger(settings: &Settings) -> Option<Ledger> {
    let home = Home::new(settings.home.as_ref()?);
    let now = i128::from(SystemClock.now().0) * 1_000_000;
    Some(Ledger::open(&home, Some(&settings.project), now))
}

/// The folders the user said yes to.
pub(crate) fn trusted_folders(settings: &Settings) -> Result<Vec<PathBuf>, CommandError> {
    match &settings.home {
        Some(home) => folders(&Home::new(home)).map_err(change_error),
        None => Ok(Vec::new()),
    }
}

/// Who acts, and when.
pub(crate) fn by(settings: &Settings) -> By {
    let uid = rustix::process::getuid().as_raw();
    let who = match settings.environment.user.as_deref() {
        Some(name) => format!("{} (uid {uid})", visible_line(name)),
        None => format!("uid {uid}"),
    };
    By { who, at: shown(SystemClock.now()).replace(' ', "T") }
}

/// The place a layer stands for.
pub(crate) fn place(layer: LayerChoice, settings: &Settings) -> Place {
    match layer {
        LayerChoice::Personal => Place::Personal,
        LayerChoice::Project => Place::Project(settings.project.clone()),
    }
}

/// Both places, the user's own first, or the one that was asked for.
pub(crate) fn places(layer: Option<LayerChoice>, settings: &Settings) -> Vec<Place> {
    let choices = layer.map_or(vec![LayerChoice::Personal, LayerChoice::Project], |one| vec![one]);
    choices.into_iter().map(|choice| place(choice, settings)).collect()
}

/// The place at which the skill that `typed` names is installed: the user's own first.
pub(crate) fn installed(
    typed: &str,
    layer: Option<LayerChoice>,
    settings: &Settings,
) -> Result<(Place, metier_package::Pinned), CommandError> {
    let meant = checked_name(typed)?;
    let home = home(settings)?;
    let mut all: Vec<(Place, metier_package::Pinned)> = Vec::new();
    for place in places(layer, settings) {
        let locked = metier_package::installed::list(&home, &place).map_err(record_error)?;
        all.extend(locked.into_iter().map(|pinned| (place.clone(), pinned)));
    }
    // Who spells a name as it is means that skill, also where another one is looked up alike.
    let exact = all.iter().find(|(_, pinned)| pinned.name == meant);
    let alike = || all.iter().find(|(_, pinned)| pinned.name.key() == meant.key());
    if let Some(found) = exact.or_else(alike) {
        return Ok(found.clone());
    }
    let names = all.iter().map(|(_, pinned)| pinned.name.as_str());
    let error = crate::view::unknown_name(typed, names, "`metier info` lists what is installed");
    Err(error.code("not_installed"))
}

/// Brings to an end what an earlier process left unfinished, if nobody is at it.
pub(crate) fn repair(settings: &Settings, ui: &mut Ui) {
    let Some(home) = settings.home.as_ref().map(Home::new) else { return };
    let repaired = metier_package::installed::repair(&home);
    if let Ok(Some(repaired)) = &repaired {
        remark(Some(repaired), ui);
        record::repaired(repaired, settings, ui);
    }
    let links = metier_package::link::repair(&home);
    if let Ok(repaired) = &links {
        remark(repaired.as_ref(), ui);
    }
    let failed = [repaired.err(), links.err()].into_iter().flatten();
    let mut said: Vec<String> = failed.map(|error| change_error(error).message()).collect();
    // What keeps one from being finished may keep both.
    said.dedup();
    for said in said {
        ui.note(&format!("warning: what was left unfinished stays so: {said}"));
    }
}

/// Says what was left unfinished and is finished now.
pub(crate) fn remark(repaired: Option<&Repaired>, ui: &mut Ui) {
    let Some(repaired) = repaired else { return };
    let names: Vec<String> = repaired.names.iter().map(|n| visible_line(n).into_owned()).collect();
    let how = if repaired.finished { "finished" } else { "undone" };
    let why = repaired.reason.as_deref().map(|why| format!(": {}", visible_line(why)));
    ui.note(&format!(
        "note: an interrupted `{}` of {} was {how} first{}",
        visible_line(&repaired.act),
        names.join(", "),
        why.unwrap_or_default()
    ));
    for kept in &repaired.kept {
        ui.note(&format!("note: what somebody wrote there is kept in `{}`", visible_line(kept)));
    }
}

/// What short forms of sources are short for.
pub(crate) fn bases(settings: &Settings) -> Bases {
    let mut bases = Bases::new(settings.environment.directory.clone());
    bases.home.clone_from(&settings.environment.home);
    if let Some(repositories) = &settings.packages.repositories {
        bases.repositories.clone_from(repositories);
    }
    bases
}

/// What fetching needs, held together for one command.
pub(crate) struct Fetching {
    home: Home,
    runner: Runner,
    cancel: Cancel,
    scratch: Scratch,
    cache: PathBuf,
    variables: Vec<(OsString, OsString)>,
    signers: Option<PathBuf>,
    bases: Bases,
    indexes: Vec<Index>,
    client: McpClient,
    /// What indexes said that were asked.
    asked: std::cell::RefCell<vouched::Asked>,
    /// The sites of what was typed.
    typed: std::cell::RefCell<Vec<String>>,
    fetched: std::cell::Cell<usize>,
}

impl Fetching {
    /// As the settings say.
    pub(crate) fn new(settings: &Settings) -> Result<Self, CommandError> {
        let home = home(settings)?;
        let bases = bases(settings);
        let (runner, variables) = (Runner::new(), env::variables());
        Ok(Self {
            client: McpClient::new(runner.clone(), variables.clone()),
            indexes: index::list(&home).map_err(index_error)?,
            runner,
            cancel: Interrupt::cancel()?,
            scratch: Scratch::new().map_err(CommandError::failed)?,
            cache: home.path().join("cache"),
            home,
            variables,
            signers: settings.packages.signers.clone(),
            bases,
            asked: std::cell::RefCell::default(),
            typed: std::cell::RefCell::default(),
            fetched: std::cell::Cell::new(0),
        })
    }

    /// What short forms are short for.
    pub(crate) fn bases(&self) -> &Bases {
        &self.bases
    }

    /// What `text` means.
    pub(crate) fn reference(&self, text: &str) -> Result<Reference, CommandError> {
        Reference::parse(text, &self.bases).map_err(|error| reference_error(error, text))
    }

    /// Somebody typed this source himself, in the command or in his list of indexes.
    pub(crate) fn typed(&self, source: &str) {
        self.typed.borrow_mut().extend(site(source));
    }

    /// Fetches what a reference names.
    pub(crate) fn fetch(
        &self,
        reference: &Reference,
        select: Select<'_>,
    ) -> Result<Fetched, FetchError> {
        self.with(select, |fetch| metier_package::fetch(reference, fetch, &mut teller()))
    }

    /// metier's home.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Asks an index what it lists.
    pub(crate) fn index(
        &self,
        index: &Index,
        known: Option<&Contents>,
    ) -> Result<Contents, IndexError> {
        self.typed(&index.source);
        // What it listed before is at hand, so nobody is kept waiting for one who does not answer.
        let once = Retry { delays: &[], ..Retry::default() };
        self.asking(|asking| {
            let fetch = &Fetch { retry: &once, ..*asking.fetch };
            index::refresh(index, known, &Asking { fetch, ..*asking }, &mut teller())
        })
    }

    /// Fetches what an index lists.
    pub(crate) fn listed(&self, listed: &Listed) -> Result<Fetched, IndexError> {
        self.asking(|asking| index::fetch_listed(listed, asking, &mut teller()))
    }

    fn asking<T>(
        &self,
        work: impl FnOnce(&Asking<'_>) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let now = SystemClock.now().0;
        self.with(Select::All, |fetch| Ok(work(&Asking { fetch, bases: &self.bases, now })))?
    }

    /// Fetches exactly what a lockfile names.
    pub(crate) fn fetch_locked(&self, locked: &Locked) -> Result<Fetched, FetchError> {
        self.with(Select::All, |fetch| metier_package::fetch_locked(locked, fetch, &mut teller()))
    }

    /// What a reference offers, without its content, and what of it is not handed out.
    pub(crate) fn offered(
        &self,
        reference: &Reference,
    ) -> Result<(Vec<Offered>, Vec<Refused>), FetchError> {
        self.with(Select::All, |fetch| metier_package::offered(reference, fetch, &mut teller()))
    }

    /// What a server says that a skill is now.
    pub(crate) fn claimed(&self, reference: &Reference) -> Result<Option<Claim>, FetchError> {
        self.with(Select::All, |fetch| metier_package::served::claimed(reference, fetch))
    }

    /// What a reference would be now.
    pub(crate) fn resolve(&self, reference: &Reference) -> Result<Locked, FetchError> {
        self.with(Select::All, |fetch| metier_package::resolve(reference, fetch, &mut teller()))
    }

    fn with<T>(
        &self,
        select: Select<'_>,
        work: impl FnOnce(&Fetch<'_>) -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        let number = self.fetched.replace(self.fetched.get() + 1);
        let staging = self.scratch.path().join(number.to_string());
        let own = self.indexes.iter().filter_map(|index| site(&index.source));
        let sites: Vec<String> = own.chain(self.typed.borrow().iter().cloned()).collect();
        let client = self.client.clone().with_sites(sites.clone());
        work(&Fetch {
            runner: &self.runner,
            cancel: &self.cancel,
            cache: &self.cache,
            staging: &staging,
            environment: &self.variables,
            select,
            offline: false,
            signers: self.signers.as_deref(),
            sites: &sites,
            retry: &Retry::default(),
            servers: Some(Servers { indexes: &self.indexes, client: &client }),
        })
    }
}

/// Says on a terminal what is going on.
struct Teller {
    speaks: bool,
}

fn teller() -> Teller {
    Teller { speaks: env::stderr_is_terminal() }
}

impl Progress for Teller {
    fn step(&mut self, step: Step<'_>) {
        if !self.speaks {
            return;
        }
        let line = match step {
            Step::Resolving { source } => format!("asking {}", visible_line(source)),
            Step::Fetching { source } => format!("fetching {}", visible_line(source)),
            Step::Retrying { reason, after } => {
                format!("trying again in {} s: {}", after.as_secs_f32(), visible_line(reason))
            }
            Step::Verifying { what } => format!("verifying {}", visible_line(what)),
            Step::Installing { skill } => format!("installing {}", visible_line(skill)),
            Step::Received { .. } | Step::Staging { .. } => return,
        };
        ui::write_stderr(&format!("{line}\n"));
    }
}

/// A person's yes: given by the flag, else asked for on a terminal, else refused.
pub(crate) fn confirm(question: &str, yes: bool, ui: &mut Ui) -> Result<(), CommandError> {
    if yes {
        return Ok(());
    }
    match ask(question, ui)? {
        Some(true) => Ok(()),
        Some(false) => Err(CommandError::refused("it was not confirmed").code("not_confirmed")),
        None => {
            let error = CommandError::refused("nobody can be asked here, and nobody said yes");
            Err(error.code("not_confirmed").hint("`--yes` says yes beforehand"))
        }
    }
}

/// What a person on a terminal says to `question`; none when nobody can be asked.
pub(crate) fn ask(question: &str, ui: &mut Ui) -> Result<Option<bool>, CommandError> {
    if !env::can_ask() || ui.json() {
        return Ok(None);
    }
    ui.flush().map_err(CommandError::output)?;
    ui::write_stderr(&format!("{question} [y/N] "));
    let answer = answer()?;
    Ok(Some(matches!(answer.as_deref(), Some("y" | "Y" | "yes" | "Yes"))))
}

/// What somebody types behind a question; Ctrl-C ends the command, below the question's line.
pub(crate) fn answer() -> Result<Option<String>, CommandError> {
    interrupt::answer().inspect_err(|_| ui::write_stderr("\n"))
}

/// What came of a request, as JSON and in lines.
pub(crate) fn report(outcome: &Outcome, place: &Place, ui: &mut Ui) {
    remark(outcome.repaired.as_ref(), ui);
    for done in &outcome.done {
        ui.line(sentence(done, place));
        let Some(replaced) = &done.replaced else { continue };
        let kept = visible_line(&replaced.kept).into_owned();
        for difference in &replaced.differences {
            ui.line(format!("    {}", visible_line(difference)));
        }
        ui.line(format!("    as it was changed it is kept in `{kept}`"));
        if matches!(place, Place::Project(_)) {
            let directory = visible_line(&done.directory);
            ui.note(&format!("hint: `cp -r {kept}/. {directory}` brings the changes back"));
        }
    }
}

/// The same as JSON has it.
pub(crate) fn shapes<'a>(outcome: &'a Outcome, place: &Place) -> Vec<DoneShape<'a>> {
    let layer = place.as_str();
    outcome
        .done
        .iter()
        .map(|done| DoneShape {
            name: &done.name,
            layer,
            path: &done.directory,
            old: done.before.as_ref().map(VersionShape::of),
            new: done.after.as_ref().map(VersionShape::of),
            replaced: done.replaced.as_ref(),
        })
        .collect()
}

impl<'a> VersionShape<'a> {
    /// The version that is pinned.
    pub(crate) fn of(pinned: &'a metier_package::Pinned) -> Self {
        let locked = &pinned.locked;
        Self {
            source: &locked.source,
            path: &locked.path,
            requested: locked.requested.as_deref(),
            commit: locked.commit.as_deref(),
            tree: &pinned.tree,
            signature: locked.signature.as_str(),
            signer: pinned.signer(),
        }
    }
}

fn sentence(done: &Done, place: &Place) -> String {
    let name = visible_line(&done.name);
    let layer = place.as_str();
    match (&done.before, &done.after) {
        (None, Some(new)) => format!("installed {name} ({layer}, {})", new.short()),
        (Some(old), Some(new)) if old == new => {
            format!("{name} is in order again ({layer}, {})", new.short())
        }
        (Some(old), Some(new)) if old.locked.source != new.locked.source => {
            let source = visible_line(&new.locked.source);
            format!("installed {name} from {source} now ({layer}, {})", new.short())
        }
        (Some(old), Some(new)) if old.short() == new.short() => {
            format!("{name} is locked anew ({layer}, {})", new.short())
        }
        (Some(old), Some(new)) => {
            format!("{name}: {} → {} ({layer})", old.short(), new.short())
        }
        (_, None) => format!("removed {name} ({layer})"),
    }
}

/// The name that somebody typed, when it can be one.
pub(crate) fn skill_name(typed: &str) -> Result<SkillName, CommandError> {
    checked_name(typed)
}

/// Whether `text` is a path rather than a name.
pub(crate) fn is_path(text: &str) -> bool {
    text.contains('/') || text == "." || text == ".." || text.starts_with('~')
}

/// A path somebody typed, made absolute.
pub(crate) fn resolve_path(text: &str, settings: &Settings) -> PathBuf {
    let environment = &settings.environment;
    let path = environment.resolve(Path::new(text), &environment.directory);
    // Without the `.` that somebody typed.
    path.components().collect()
}
