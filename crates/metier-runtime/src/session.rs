//! One session: the only place where skills are activated, calls are guarded and files are read.
//!
//! Every effect looks alike: look up, decide, append the intent, act, append the result. If the
//! journal refuses the intent, the act does not happen. The stack is only ever changed by applying
//! a frame that was written, by this process or another: every act takes a turn on the journal and
//! catches up first, so a session may stay open for hours while others act in it. Start at
//! [`Session::open`]; the effects are in `activation`, `guard`, `resource`,
//! `script`, `hook` and `release`.

mod activation;
mod guard;
mod hook;
mod release;
mod resource;
mod script;
mod vouched;

use std::path::PathBuf;
use std::sync::Arc;

use metier_format::{AllowedTools, SkillName};
use metier_policy::{ActiveSkill, ActiveStack, HostTable, Policy};
use metier_store::catalog::{Catalog, Entry, Shadowed, Visibility};
use metier_store::disclose::Disclose;
use metier_store::vouch::{Depth, Standing, Vouch, Vouched};
use metier_store::{Found, Layer, Store, suggest};
use serde::Serialize;

use crate::arguments::Base;
use crate::capability::CapabilityError;
use crate::event::{Event, SessionStarted, SkillCatalogUpdated, SkillWarning, Trigger};
use crate::finder::Finder;
use crate::journal::{Artifacts, Beat, Frame, Ids, Journal, JournalError, Kept};
use crate::limits::MAX_COLLISIONS;
use crate::redact::Redactor;
use crate::script::ScriptGround;
use crate::state::{Active, Counters, State};

pub use activation::{Activation, ActivationError, Invocation, Overrides};
pub use guard::Guarded;
pub use release::ReleaseError;
pub use resource::ResourceError;
pub use vouched::ContentChanged;

/// What happens when an active skill is asked for again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// It is an error.
    #[default]
    Refuse,
    /// The same text is given once more, and the stack stays as it is.
    Repeat,
}

/// Choices that do not change what is allowed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What happens when an active skill is asked for again.
    pub again: Again,
    /// What number the first argument has.
    pub base: Base,
    /// How the catalog is shown to a model where nobody says otherwise.
    pub disclose: Disclose,
}

/// Where calls take place.
#[derive(Clone, Debug, Default)]
pub struct Whereabouts {
    /// The working directory of the host's tools.
    pub cwd: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The project's directory.
    pub project: Option<PathBuf>,
    /// Directories and files of metier itself, where no call writes.
    pub protected: Vec<PathBuf>,
}

/// What a session is made of.
pub struct Setup {
    /// Where skills are loaded from.
    pub store: Arc<dyn Store>,
    /// Which skills there are.
    pub catalog: Arc<Catalog>,
    /// The law.
    pub policy: Policy,
    /// SHA-256 of the policy files' texts, hex; empty for a built-in profile.
    pub policy_digest: String,
    /// What the host calls its tools.
    pub host: HostTable,
    /// Where calls take place.
    pub whereabouts: Whereabouts,
    /// Whose session it is.
    pub ids: Ids,
    /// Choices.
    pub settings: Settings,
    /// What must not be recorded.
    pub redactor: Redactor,
    /// What running scripts needs of its surroundings.
    pub scripts: ScriptGround,
    /// Where what was loaded, read and printed is kept; none keeps nothing.
    pub artifacts: Option<Artifacts>,
    /// Who vouches for the content of skills.
    pub vouch: Arc<dyn Vouch>,
    /// How closely the content is looked at before it is used.
    pub depth: Depth,
}

/// One session.
pub struct Session {
    setup: Setup,
    journal: Box<dyn Journal>,
    state: State,
    /// The state's stack as the policy sees it, patterns compiled.
    stack: ActiveStack,
    finder: Arc<Finder>,
    /// Whether the catalog has yet to be recorded.
    untold: bool,
    /// What this act kept; held until its frames are written.
    kept: Vec<Kept>,
    /// What files are in trees that were looked at.
    known: vouched::Known,
}

/// The session as `metier status` shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The session's id.
    pub session: String,
    /// Whether it has begun and not ended.
    pub open: bool,
    /// The active skills, the last activated last.
    pub stack: Vec<Active>,
    /// What the stack leaves: one list a restricting skill; a tool must be on all of them.
    pub grant: Vec<GrantLine>,
    /// What has been counted.
    pub counters: Counters,
}

/// What one skill leaves of the tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrantLine {
    /// The skill.
    pub skill: String,
    /// Its tools; none at all when its list cannot be read.
    pub tools: Vec<String>,
}

impl Status {
    /// The session called `session` in `state`, which may have been replayed by somebody who only
    /// looks.
    #[must_use]
    pub fn of(session: &str, state: &State) -> Self {
        let grant = state.stack.iter().filter_map(|active| {
            let skill = &active.skill;
            let restricts = skill.tools_unreadable || skill.allowed_tools.is_some();
            let tools = skill.allowed_tools.clone().unwrap_or_default();
            restricts.then(|| GrantLine { skill: skill.name.clone(), tools })
        });
        Self {
            session: session.to_owned(),
            open: state.open,
            stack: state.stack.clone(),
            grant: grant.collect(),
            counters: state.counters,
        }
    }
}

impl Session {
    /// Opens a session on `journal`: what was recorded under the same id, by whatever process, is
    /// applied first. A session that has ended begins anew.
    pub fn open(setup: Setup, journal: Box<dyn Journal>) -> Result<Self, JournalError> {
        let mut session = Self::prepare(setup, journal)?;
        session.begin_now()?;
        Ok(session)
    }

    /// As [`Session::open`], for whoever may do no more than look: nothing is recorded before the
    /// first act, which then begins with what opening would have recorded.
    pub fn prepare(setup: Setup, journal: Box<dyn Journal>) -> Result<Self, JournalError> {
        let mut session = Self { untold: true, ..Self::new(setup, journal) };
        session.catch_up()?;
        Ok(session)
    }

    /// Has recorded what [`Session::prepare`] left to the first act.
    pub fn begin_now(&mut self) -> Result<(), JournalError> {
        self.act(|_| Ok(()))
    }

    /// As [`Session::prepare`], for whoever only guards or releases: the catalog in `setup` may be
    /// empty and is not recorded. Skills cannot be looked up in it.
    pub fn resume(setup: Setup, journal: Box<dyn Journal>) -> Result<Self, JournalError> {
        let mut session = Self::new(setup, journal);
        session.catch_up()?;
        Ok(session)
    }

    fn new(setup: Setup, journal: Box<dyn Journal>) -> Self {
        crate::resolver::know_program();
        let (state, stack) = (State::default(), ActiveStack::default());
        let (kept, known, finder) = (Vec::new(), Vec::new(), Arc::default());
        Self { setup, journal, state, stack, finder, untold: false, kept, known }
    }

    /// Takes into account what other processes recorded since the last act. Every act begins with
    /// this; whoever only shows the session asks for it.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        let _turn = self.journal.turn()?;
        self.take_news();
        Ok(())
    }

    /// The state, as applied so far.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The catalog of this session.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.setup.catalog
    }

    /// The catalog of this session, to share.
    #[must_use]
    pub fn shared_catalog(&self) -> &Arc<Catalog> {
        &self.setup.catalog
    }

    /// Where this session's skills are loaded from.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.setup.store
    }

    /// What searches this session's catalog.
    #[must_use]
    pub fn finder(&self) -> &Finder {
        &self.finder
    }

    /// Shares what searches the catalog with other sessions that have the same one.
    pub fn set_finder(&mut self, finder: Arc<Finder>) {
        self.finder = finder;
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.setup.ids.session
    }

    /// How the catalog is shown to a model where nobody says otherwise.
    pub(crate) fn disclose(&self) -> &Disclose {
        &self.setup.settings.disclose
    }

    /// The law of this session.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.setup.policy
    }

    /// Whether the law comes from a file that somebody wrote, and not only from a built-in profile.
    #[must_use]
    pub fn has_written_policy(&self) -> bool {
        !self.setup.policy_digest.is_empty()
    }

    /// The names of the active skills, the last activated last.
    #[must_use]
    pub fn active_names(&self) -> Vec<String> {
        self.state.stack.iter().map(|active| active.skill.name.clone()).collect()
    }

    /// Every frame of this session, by whatever process.
    pub fn frames(&mut self) -> Result<Vec<Frame>, JournalError> {
        self.journal.frames(&self.setup.ids.session)
    }

    /// What stops a script that runs, from now on.
    pub fn set_cancel(&mut self, cancel: metier_sandbox::Cancel) {
        self.setup.scripts.cancel = cancel;
    }

    /// What is written down about a candidate, without a look at its content.
    pub(crate) fn recorded(&self, found: &Found) -> Vouched {
        let catalog = &self.setup.catalog;
        match catalog.layer(found) {
            Layer::Bundled => Vouched::default(),
            _ => self.setup.vouch.recorded(&found.name, &catalog.directory(found)),
        }
    }

    /// What is known about the content of a candidate now.
    pub(crate) fn standing(&self, found: &Found) -> Vouched {
        let catalog = &self.setup.catalog;
        match catalog.layer(found) {
            Layer::Bundled => Vouched { standing: Standing::Approved, ..Vouched::default() },
            _ => self.setup.vouch.vouch(&found.name, &catalog.directory(found), Depth::Stamps),
        }
    }

    /// The failure of a name that nothing has.
    pub(crate) fn unknown(&self, name: &str, asker: Trigger) -> CapabilityError {
        let name: String = name.chars().take(512).collect();
        let suggestion = self.suggestion(&name, asker);
        CapabilityError::NotFound { name, suggestion }
    }

    /// The session as it is shown.
    #[must_use]
    pub fn status(&self) -> Status {
        Status::of(&self.setup.ids.session, &self.state)
    }

    /// Replaces the catalog, after a change on disk, and records that; in a session that is not
    /// open, once it begins.
    pub fn set_catalog(&mut self, catalog: Arc<Catalog>) -> Result<(), JournalError> {
        self.setup.catalog = catalog;
        self.untold = true;
        match self.state.open {
            true => self.act(|_| Ok(())),
            false => Ok(()),
        }
    }

    /// The digest of the catalog, which costs nothing once it is recorded.
    pub(crate) fn catalog_digest(&self) -> String {
        match self.untold {
            true => self.setup.catalog.digest(),
            false => self.state.catalog.clone(),
        }
    }

    /// Runs `act` in one turn: nobody else acts on the journal meanwhile, and what others did before
    /// is known. A session that has ended, by whoever's hand, begins anew. An act within an act is
    /// part of it. What takes long (a script) is not done in a turn, but between two.
    fn act<T, E: From<JournalError>>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.in_turn(|session| {
            session.begin()?;
            act(session)
        })
    }

    /// Runs `act` in one turn, for the result of what an earlier turn began: a session that somebody
    /// has ended meanwhile stays ended, and the result is recorded all the same.
    fn conclude<T, E: From<JournalError>>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.in_turn(|session| {
            session.take_news();
            act(session)
        })
    }

    fn in_turn<T, E: From<JournalError>>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let _turn = self.journal.turn()?;
        let around = std::mem::take(&mut self.kept);
        let result = act(self);
        self.kept = around;
        result
    }

    fn begin(&mut self) -> Result<(), JournalError> {
        self.take_news();
        if !self.state.open {
            let started = SessionStarted {
                host: self.setup.host.name.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                policy: self.setup.policy_digest.clone(),
            };
            self.record(&Event::SessionStarted(started), Beat::Result)?;
        }
        if self.untold {
            self.record_catalog()?;
            self.untold = false;
        }
        Ok(())
    }

    /// Keeps `bytes` for the frame that will name their digest, which must be written in the same
    /// act. Returns the digest; none when nothing is kept, by choice, because they hold a declared
    /// secret, or because the disk refused. The last two are recorded as warnings.
    fn keep(&mut self, bytes: &[u8]) -> Option<String> {
        let artifacts = self.setup.artifacts.as_ref()?;
        let refused = match self.setup.redactor.finds_declared(bytes) {
            true => "a declared secret is in them".to_owned(),
            false => match artifacts.keep(bytes) {
                Ok(kept) => {
                    let digest = kept.digest.clone();
                    self.kept.push(kept);
                    return Some(digest);
                }
                Err(error) => error.to_string(),
            },
        };
        let detail = format!("{} bytes are not kept: {refused}", bytes.len());
        // When the journal refuses this it refuses the frame that follows.
        let _ = self.warn(None, "artifact_not_kept", &detail);
        None
    }

    /// Makes the journal's state this session's, where the journal has come further.
    fn take_news(&mut self) {
        if let Some(state) = self.journal.news(&self.setup.ids.session, self.state.frames) {
            self.state = state;
            self.stack = active_stack(&self.state);
        }
    }

    /// Appends `event` and, once it is written, applies it.
    fn record(&mut self, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        let frame = self.journal.append(&self.setup.ids, event, beat)?;
        if frame.seq != self.state.frames {
            // Outside a turn others may have been first.
            self.take_news();
            return Ok(frame);
        }
        self.state.apply(frame.seq, event);
        if event.changes_stack() {
            self.stack = active_stack(&self.state);
        }
        Ok(frame)
    }

    /// Records the catalog when it is not the one recorded last, with a warning a collision.
    fn record_catalog(&mut self) -> Result<(), JournalError> {
        let catalog = Arc::clone(&self.setup.catalog);
        let digest = catalog.digest();
        if self.state.catalog == digest {
            return Ok(());
        }
        let mut collisions: Vec<String> =
            catalog.shadowed.iter().map(|shadowed| shadowed.loser.name.to_string()).collect();
        collisions.dedup();
        let more_collisions = collisions.len().saturating_sub(MAX_COLLISIONS);
        collisions.truncate(MAX_COLLISIONS);
        let root = |root: &metier_store::Root| {
            format!("{}:{}", root.layer.as_str(), root.path.to_string_lossy())
        };
        let updated = SkillCatalogUpdated {
            count: catalog.visible().count(),
            roots: catalog.roots.iter().map(root).collect(),
            collisions,
            more_collisions,
            digest,
        };
        // One act, however many frames it has: the last one flushes them all.
        let mut events = vec![Event::SkillCatalogUpdated(updated)];
        events.extend(self.collisions(&catalog));
        let last = events.len() - 1;
        for (at, event) in events.iter().enumerate() {
            self.record(event, if at == last { Beat::Result } else { Beat::Intent })?;
        }
        Ok(())
    }

    /// A warning for each of the first collisions, and one for all the others.
    fn collisions(&self, catalog: &Catalog) -> Vec<Event> {
        let warning = |shadowed: &Shadowed| {
            let detail = format!(
                "`{}` is taken from {} and not from {}: {}",
                shadowed.loser.name,
                catalog.place(&shadowed.winner).to_string_lossy(),
                catalog.directory(&shadowed.loser).to_string_lossy(),
                shadowed.rule.sentence(),
            );
            self.warning(Some(shadowed.loser.name.as_str()), "collision", &detail)
        };
        let named = catalog.shadowed.iter().take(MAX_COLLISIONS).map(warning);
        let more = catalog.shadowed.len().saturating_sub(MAX_COLLISIONS);
        let rest = (more > 0).then(|| {
            let detail = format!("{more} more skills are shadowed; `metier list --all` names them");
            self.warning(None, "collision", &detail)
        });
        named.chain(rest).collect()
    }

    fn warn(&mut self, name: Option<&str>, kind: &str, detail: &str) -> Result<(), JournalError> {
        let warning = self.warning(name, kind, detail);
        self.record(&warning, Beat::Result).map(drop)
    }

    fn warning(&self, name: Option<&str>, kind: &str, detail: &str) -> Event {
        Event::SkillWarning(SkillWarning {
            name: name.map(str::to_owned),
            kind: kind.to_owned(),
            detail: self.setup.redactor.text(detail),
        })
    }

    /// The name nearest to one that does not exist.
    /// The name that may have been meant, of those that `asker` may know.
    fn suggestion(&self, typed: &str, asker: Trigger) -> Option<String> {
        let entries = self.setup.catalog.entries.iter();
        let known = entries
            .filter(|entry| asker == Trigger::Manual || entry.visibility == Visibility::Model);
        suggest::did_you_mean(typed, known.map(|entry: &Entry| entry.name().as_str()))
    }
}

/// The active skills as the policy sees them. A recorded name that is none any more restricts all
/// the same, under a name of its own.
fn active_stack(state: &State) -> ActiveStack {
    let mut stack = ActiveStack::default();
    for active in &state.stack {
        let skill = &active.skill;
        let Ok(name) = SkillName::parse(&skill.name).or_else(|_| SkillName::parse("unnamed"))
        else {
            continue;
        };
        let directory = PathBuf::from(&skill.path);
        stack.push(ActiveSkill {
            name,
            allowed: allowed(active),
            layer: skill.layer.clone(),
            trust: skill.trust.clone(),
            scripts: skill.scripts.iter().map(|script| directory.join(script)).collect(),
            directory: Some(directory),
            served: skill.chain.served().is_some(),
        });
    }
    stack
}

/// The tools an active skill allows, read back from what was recorded.
fn allowed(active: &Active) -> Option<AllowedTools> {
    let skill = &active.skill;
    if skill.tools_unreadable {
        return Some(AllowedTools::Unreadable);
    }
    let patterns = skill.allowed_tools.as_ref()?;
    let read: Result<Vec<_>, _> =
        patterns.iter().map(|text| metier_format::ToolPattern::tokenize(text)).collect();
    Some(match read {
        Ok(patterns) => AllowedTools::Only(patterns.into_iter().flatten().collect()),
        Err(_) => AllowedTools::Unreadable,
    })
}
