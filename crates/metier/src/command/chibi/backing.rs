//! What the plugin needs of this command: the skills, the caller's session, and packages.

use std::sync::{Arc, OnceLock};

use metier_package::index::{self, Contents, Index};
use metier_package::remove::is_foreign;
use metier_package::{Drift, Place, Request, Select, install, remove};
use metier_runtime::{JournalError, Session, Setup};
use metier_sandbox::Cancel;
use metier_serve::Dialect;
use metier_serve::chibi_plugin::Backing;
use metier_store::disclose::Disclose;
use metier_store::vouch::Vouch;
use metier_store::{Catalog, Store};

use crate::caller::{Marks, caller};
use crate::command::add::{self, Allowances};
use crate::command::remove::left_there;
use crate::env::{self, PathKind};
use crate::error::CommandError;
use crate::linking;
use crate::packages::{self, Fetching, Wish, change_error, fetch_error, index_error, recorded};
use crate::session::{self, Purpose, Stream};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::View;

/// Seconds a script may take under a host that ends every plugin after 30: there has to be time to
/// say so.
const SECONDS_WITH_LIMIT: u64 = 25;

/// Seconds a script may take under a host that waits.
const SECONDS_WITHOUT: u64 = 120;

/// Most tokens of the catalog in a prompt where nobody says how many: a few hundred skills.
const BUDGET: usize = 8_000;

/// How the host says what it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// In variables, until chibi 0.6; such a host waits for a plugin.
    Variables,
    /// On standard input, since; such a host ends a plugin after 30 seconds.
    Stdin,
}

/// The command behind the plugin.
pub(super) struct Plugin {
    settings: Settings,
    era: Era,
    cancel: Cancel,
    skills: OnceLock<Skills>,
}

struct Skills {
    store: Arc<dyn Store>,
    catalog: Arc<Catalog>,
    vouch: Arc<dyn Vouch>,
}

impl Plugin {
    /// Looks at nothing yet.
    pub(super) fn new(settings: Settings, era: Era, cancel: Cancel) -> Self {
        Self { settings, era, cancel, skills: OnceLock::new() }
    }

    /// Seconds a script may take.
    pub(super) fn seconds(&self) -> u64 {
        self.settings.chibi_seconds.unwrap_or(match self.era {
            Era::Stdin => SECONDS_WITH_LIMIT,
            Era::Variables => SECONDS_WITHOUT,
        })
    }

    fn skills(&self) -> &Skills {
        self.skills.get_or_init(|| {
            let View { store, catalog, vouch, .. } = View::open(&self.settings);
            Skills { store: Arc::new(store), catalog: Arc::new(catalog), vouch }
        })
    }

    /// The session somebody named, else the caller's own.
    fn stream(&self) -> Result<Stream, CommandError> {
        let named = Stream::of(&self.settings)?;
        if named.named {
            return Ok(named);
        }
        let session = caller().map_err(CommandError::failed)?.session();
        Ok(Stream { named: false, ..Stream::called(&session, &self.settings)? })
    }

    /// What the session is made of, and its journal.
    fn setup(&self, stream: &Stream, own: &[&str]) -> Result<Setup, CommandError> {
        let host = self.settings.session.config.host("chibi");
        let purpose = Purpose {
            host: host.with_skill_tools(own.iter().copied()),
            cancel: self.cancel.clone(),
            ..Purpose::with(None, &self.settings)
        };
        let ids = session::ids(&self.settings, &stream.session)?;
        let mut setup = session::setup(&self.settings, purpose, ids, &stream.journal);
        let again = self.settings.session.config.again;
        setup.settings.again = again.unwrap_or(Dialect::Chibi.again());
        Ok(setup)
    }

    fn begin(
        &self,
        stream: &Stream,
        setup: Setup,
        open: impl FnOnce(Setup, Box<dyn metier_runtime::Journal>) -> Result<Session, JournalError>,
    ) -> Result<Session, JournalError> {
        if let (false, Some(home)) = (stream.named, &self.settings.home) {
            // A session without a mark is ended by nobody, which is untidy and nothing worse.
            let _ = Marks::below(home).leave(stream.session.as_str());
        }
        let journal = session::journal(&self.settings, &stream.journal)?;
        open(setup, Box::new(journal))
    }

    fn with_skills(&self, mut setup: Setup) -> Setup {
        let skills = self.skills();
        setup.store = Arc::clone(&skills.store);
        setup.catalog = Arc::clone(&skills.catalog);
        setup.vouch = Arc::clone(&skills.vouch);
        setup
    }

    /// Ends the session of a caller that is gone.
    fn close(&self, session: &str) -> Result<(), CommandError> {
        let stream = Stream::called(session, &self.settings)?;
        let setup = self.setup(&stream, &[])?;
        let journal = session::journal(&self.settings, &stream.journal);
        let journal = Box::new(journal.map_err(session::journal_error)?);
        // With the skills at hand: some have a last word.
        let opened = Session::resume(self.with_skills(setup), journal);
        let mut opened = opened.map_err(session::journal_error)?;
        opened.end().map_err(session::journal_error)?;
        Ok(())
    }

    fn fetch_and_install(&self, reference: &str) -> Result<Vec<String>, CommandError> {
        let settings = &self.settings;
        let (home, place) = (packages::home(settings)?, Place::Personal);
        let fetching = Fetching::new(settings)?;
        let fetched = match reference.strip_prefix(add::INDEX) {
            Some(listed) => add::listed_in_index(listed, &fetching)?,
            None => {
                let source = fetching.reference(reference)?;
                fetching.fetch(&source, Select::All).map_err(fetch_error)?
            }
        };
        let names: Vec<&str> = fetched.skills.iter().map(|staged| staged.name.as_str()).collect();
        if names.len() > 1 {
            let message = format!("there are {} skills: {}", names.len(), names.join(", "));
            let error = CommandError::usage(message).code("which_skill");
            return Err(error.hint(format!("write `{reference}/PATH` for one of them")));
        }
        let Some(staged) = fetched.skills.into_iter().next() else {
            let why = fetched.refused.first().map(|refused| refused.reason.clone());
            let why = why.unwrap_or_else(|| "there is no skill".to_owned());
            return Err(CommandError::refused(why).code("package_refused"));
        };
        let offer = add::offer(staged, &home, &place)?;
        add::check(&offer, Allowances::default(), settings)?;
        add::check_names(std::slice::from_ref(&offer), &home, &place)?;
        // A person may say yes to another skill of the same name; nobody says anything here.
        add::check_source(&offer)?;
        let mut candidate = add::candidate(offer);
        // A model may have asked. Whoever has looked at it approves it by `metier trust`.
        candidate.approved = false;
        let by = packages::by(settings);
        let request =
            Request { home: &home, place: &place, act: "add", by: &by, drift: Drift::Refuse };
        let wishes = vec![Wish::of_staged(&candidate.staged)];
        let candidates = [candidate];
        let mut unheard = Ui::plain(None);
        let outcome = recorded(&request, wishes, (settings, &mut unheard), || {
            install(&request, &candidates)
        })?;
        linking::relink(&place, settings, &mut unheard);
        Ok(outcome.done.into_iter().map(|done| done.name).collect())
    }

    fn look_up_and_remove(&self, name: &str) -> Result<String, CommandError> {
        let settings = &self.settings;
        let home = packages::home(settings)?;
        let (place, pinned) = packages::installed(name, None, settings)?;
        let by = packages::by(settings);
        let request =
            Request { home: &home, place: &place, act: "remove", by: &by, drift: Drift::Refuse };
        let name = &pinned.name;
        let foreign = is_foreign(&home, &place, name).map_err(change_error)?;
        let mut unheard = Ui::plain(None);
        recorded(&request, vec![Wish::gone(name)], (settings, &mut unheard), || {
            remove(&request, std::slice::from_ref(name))
        })?;
        linking::relink(&place, settings, &mut unheard);
        match foreign {
            true => Err(left_there(name, &place.directory(&home, name.as_str()))),
            false => Ok(name.to_string()),
        }
    }

    fn known_indexes(&self) -> Result<Vec<(Index, Option<Contents>)>, CommandError> {
        let home = packages::home(&self.settings)?;
        let listed = index::list(&home).map_err(index_error)?;
        let with_contents = |index: Index| {
            let contents = index::cached(&home, &index).map_err(index_error)?;
            Ok((index, contents))
        };
        listed.into_iter().map(with_contents).collect()
    }
}

impl Backing for Plugin {
    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.skills().catalog)
    }

    fn open(&self) -> Result<Session, JournalError> {
        let stream = self.stream().map_err(|error| failure(&error))?;
        // Under this name an activation is ruled on: one skill may ask for the next.
        let setup = self.setup(&stream, &["skill"]).map_err(|error| failure(&error))?;
        self.begin(&stream, self.with_skills(setup), Session::prepare)
    }

    fn open_to_rule(&self, own: &[&str]) -> Result<Session, JournalError> {
        let stream = self.stream().map_err(|error| failure(&error))?;
        let setup = self.setup(&stream, own).map_err(|error| failure(&error))?;
        self.begin(&stream, setup, Session::resume)
    }

    fn is_begun(&self) -> bool {
        let exists = |stream: Stream| env::kind_of(&stream.journal) != PathKind::Missing;
        self.stream().is_ok_and(exists)
    }

    fn close_stale(&self) {
        let (Some(home), Ok(here)) = (&self.settings.home, caller()) else { return };
        let marks = Marks::below(home);
        for session in marks.stale(&here) {
            // What cannot be ended keeps its mark, and restricts nobody.
            if self.close(&session).is_ok() {
                marks.remove(&session);
            }
        }
    }

    fn disclose(&self) -> Disclose {
        let usual = self.settings.disclose();
        Disclose { budget: usual.budget.or(Some(BUDGET)), ..usual }
    }

    fn script_seconds(&self) -> u64 {
        self.seconds()
    }

    fn indexes(&self) -> Result<Vec<(Index, Option<Contents>)>, String> {
        self.known_indexes().map_err(|error| words(&error))
    }

    fn install(&self, reference: &str) -> Result<Vec<String>, String> {
        self.fetch_and_install(reference).map_err(|error| words(&error))
    }

    fn remove(&self, name: &str) -> Result<String, String> {
        self.look_up_and_remove(name).map_err(|error| words(&error))
    }
}

/// A failure before there is a journal, as one of the journal's.
fn failure(error: &CommandError) -> JournalError {
    let source = std::io::Error::other(error.message());
    JournalError::Io { act: "open", path: std::path::PathBuf::new(), source }
}

/// A failure with its hints, as a sentence.
fn words(error: &CommandError) -> String {
    let hints: String = error.hints.iter().map(|hint| format!("\nhint: {hint}")).collect();
    format!("{}{hints}", error.message())
}
