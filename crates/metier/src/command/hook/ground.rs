//! Where a hook call's session and skills come from: the settings, as for every other command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_runtime::Session;
use metier_runtime::journal::Durability;
use metier_runtime::session::Again;
use metier_sandbox::Cancel;
use metier_serve::agent_hook::{About, Choice, Event, Ground, HookAgent, HookError};
use metier_store::client::{self, Agent};
use metier_store::{Layer, Store as _};

use crate::args::RootArgument;
use crate::env::{self, PathKind};
use crate::error::CommandError;
use crate::files;
use crate::session::{self, Purpose, Stream};
use crate::settings::Settings;
use crate::view::{self, View};

/// Most bytes of two `SKILL.md` that are compared; a longer one is no copy anybody can vouch for.
const MAX_COMPARED: usize = 1024 * 1024;

/// The settings, for one agent.
pub(super) struct Grounds {
    agent: HookAgent,
    settings: Settings,
    /// Ends what runs, before the agent stops waiting.
    cancel: Cancel,
}

impl Grounds {
    /// What `settings` say for `agent`. A frame is on its way to the disk when the answer is given,
    /// unless the settings ask for more: whatever stops the machine also stops the agent, and what
    /// only stops metier loses nothing.
    pub(super) fn new(agent: HookAgent, mut settings: Settings, cancel: Cancel) -> Self {
        settings.session.config.durability.get_or_insert(Durability::System);
        if agent == HookAgent::ClaudeCode && settings.default_roots {
            settings.roots.extend(plugins(&settings));
        }
        Self { agent, settings, cancel }
    }

    fn seat(&self, event: &Event, view: Option<View>) -> Result<Session, HookError> {
        let settings = &self.settings;
        let given = Stream::of(settings).map_err(unusable)?;
        // A session that somebody named is shared with whatever else has that name.
        let stream = match given.named {
            true => given,
            false => Stream::called(&event.session, settings).map_err(unusable)?,
        };
        let ids = session::ids(settings, &stream.session).map_err(unusable)?;
        let journal = session::journal(settings, &stream.journal)?;
        let has_view = view.is_some();
        let purpose = Purpose {
            host: settings.session.config.host(self.agent.as_str()),
            cwd: event.cwd.clone().unwrap_or_else(|| settings.environment.directory.clone()),
            cancel: self.cancel.clone(),
            view,
        };
        let mut setup = session::setup(settings, purpose, ids, &stream.journal);
        setup.settings.again = Again::Repeat;
        // This process ends with its answer; to take the skills apart before would only take time.
        std::mem::forget(Arc::clone(&setup.catalog));
        Ok(match has_view {
            true => Session::prepare(setup, Box::new(journal))?,
            false => Session::resume(setup, Box::new(journal))?,
        })
    }
}

impl Ground for Grounds {
    fn resume(&self, event: &Event) -> Result<Session, HookError> {
        self.seat(event, None)
    }

    fn open(&self, event: &Event, about: &About<'_>) -> Result<Session, HookError> {
        let view = View::of_named(&self.settings, |discovery| about.names(discovery));
        let mut session = self.seat(event, Some(view))?;
        let recorded = &session.state().catalog;
        if !recorded.is_empty() && *recorded != session.catalog().digest() {
            // Something changed, or somebody else recorded what changed before: now it is looked at
            // closely, so that no two of them record their catalogs in turns.
            session.set_catalog(Arc::new(View::open(&self.settings).catalog))?;
        }
        session.begin_now()?;
        Ok(session)
    }

    fn roots(&self) -> Vec<PathBuf> {
        view::files(&self.settings).roots().iter().map(|root| root.path.clone()).collect()
    }

    fn choices(&self, agent: HookAgent, name: &str, known: &[PathBuf]) -> Vec<Choice> {
        let Some(emulation) = Agent::profile(agent.as_str()) else { return Vec::new() };
        let mut roots = client::roots_for(emulation, &self.settings.places());
        roots.sort_by_key(|root| root.client_order);
        let mut choices = Vec::new();
        for root in roots {
            let called = root.path.join(name);
            let is_skill = env::kind_of(&called.join("SKILL.md")) == PathKind::Other;
            let called = Some(called).filter(|at| is_skill && !known.contains(at));
            let is_read = |at: &&PathBuf| match root.immediate_only {
                true => at.parent() == Some(root.path.as_path()),
                false => at.starts_with(&root.path),
            };
            let read = known.iter().filter(is_read).cloned().chain(called);
            let rank = root.client_order;
            choices.extend(read.map(|directory| Choice { rank, directory }));
        }
        choices
    }

    fn same(&self, one: &Path, other: &Path) -> bool {
        let real = env::real_path(one);
        if real.is_some() && real == env::real_path(other) {
            return true;
        }
        let text = |directory: &Path| files::text(&directory.join("SKILL.md"), MAX_COMPARED).ok();
        let short = |text: &String| text.len() <= MAX_COMPARED;
        text(one).filter(short).is_some_and(|text_of_one| text(other) == Some(text_of_one))
    }
}

/// Where Claude Code keeps plugins, those that are installed first: their skills are launched as
/// `plugin:skill`, and have to be known to be held to their tools.
fn plugins(settings: &Settings) -> Vec<RootArgument> {
    let environment = &settings.environment;
    let told = environment.agents.get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let home = told.or_else(|| environment.home.as_ref().map(|home| home.join(".claude")));
    let kept = home
        .into_iter()
        .flat_map(|home| ["plugins/cache", "plugins/marketplaces"].map(|kept| home.join(kept)));
    let there = kept.filter(|path| env::kind_of(path) == PathKind::Directory);
    let root = |path| RootArgument { layer: Layer::Plugin, path, immediate_only: false };
    there.map(root).collect()
}

fn unusable(error: CommandError) -> HookError {
    HookError::Settings(error.message())
}
