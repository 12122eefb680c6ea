//! Changes of what is installed, as frames of a journal: what is asked for is recorded before
//! anything is changed, what came of it after. A journal that refuses the intent stops the act. What
//! changes is decided in `metier-package`, what a frame is in `metier-runtime`; here they meet.

use metier_package::trust::Approval;
use metier_package::{ChangeError, Done, Outcome, Pinned, Repaired, Request, Staged};
use metier_runtime::event::{Chain, SkillChanged, SkillWarning};
use metier_runtime::journal::{Beat, FileJournal, Journal as _};
use metier_runtime::redact::Redactor;
use metier_runtime::{Event, Ids, JournalError};
use metier_store::digest::hex;
use serde_json::Value;

use crate::env;
use crate::error::CommandError;
use crate::packages::{change_error, record_error};
use crate::session::{self, Stream, journal_error, remark_on_torn};
use crate::settings::Settings;
use crate::ui::Ui;

/// One skill as it is to be; nothing when it is to be gone.
pub(crate) struct Wish {
    name: String,
    after: Option<Chain>,
}

/// Records what is done to installed skills.
pub(crate) struct Recorder {
    journal: FileJournal,
    ids: Ids,
    redactor: Redactor,
}

impl Wish {
    /// What was fetched.
    pub(crate) fn of_staged(staged: &Staged) -> Self {
        let locked = &staged.locked;
        let chain = Chain {
            source: Some(locked.source.clone()),
            commit: locked.commit.clone(),
            tree: Some(hex(&staged.tree.digest())),
            approval: None,
        };
        Self { name: staged.name.to_string(), after: Some(chain) }
    }

    /// What is locked, or was.
    pub(crate) fn of_pinned(pinned: &Pinned) -> Self {
        Self { name: pinned.name.to_string(), after: Some(chain(pinned, None)) }
    }

    /// That it is gone.
    pub(crate) fn gone(name: &impl ToString) -> Self {
        Self { name: name.to_string(), after: None }
    }
}

impl Recorder {
    /// Opens the journal of the session that is named, else the one of packages.
    pub(crate) fn open(settings: &Settings, ui: &mut Ui) -> Result<Self, CommandError> {
        let stream = Stream::of_packages(settings)?;
        let ids = session::ids(settings, &stream.session)?;
        let journal = session::journal(settings, &stream.journal).map_err(journal_error)?;
        remark_on_torn(journal.torn(), ui);
        Ok(Self { journal, ids, redactor: Redactor::new(env::secrets()) })
    }

    /// Records what is about to be done. When this fails it must not be done.
    pub(crate) fn intend(&mut self, intents: &[SkillChanged]) -> Result<(), CommandError> {
        let events = intents.iter().cloned().map(Event::SkillChangeRequested).collect();
        self.append(events, Beat::Intent).map_err(journal_error)
    }

    /// Records what was done.
    pub(crate) fn conclude(&mut self, events: Vec<Event>) -> Result<(), CommandError> {
        self.append(events, Beat::Result).map_err(|error| {
            let error = journal_error(error);
            error.hint("what was asked for was done; only its record is missing")
        })
    }

    /// Records that what was intended did not come about.
    pub(crate) fn give_up(&mut self, intents: Vec<SkillChanged>, error: &CommandError) {
        let said = error.to_json();
        let code = said["code"].as_str().or_else(|| said["error"]["code"].as_str());
        let stopped = |intent: SkillChanged| {
            unchanged(intent, code.unwrap_or("failed"), Some(error.message()))
        };
        // Why nothing was done is what is reported; that it is not recorded adds nothing to it.
        let _ = self.append(intents.into_iter().map(stopped).collect(), Beat::Result);
    }

    /// Appends in one turn; the last frame has the beat, those before it are not flushed alone.
    fn append(&mut self, events: Vec<Event>, beat: Beat) -> Result<(), JournalError> {
        let _turn = self.journal.turn()?;
        let last = events.len().saturating_sub(1);
        for (number, event) in events.into_iter().enumerate() {
            let beat = if number == last { beat } else { Beat::Intent };
            let event = self.redacted(&event);
            self.journal.append(&self.ids, &event, beat)?;
        }
        Ok(())
    }

    /// The event without secrets: a source may have one in it.
    fn redacted(&self, event: &Event) -> Event {
        match self.redactor.value(&Value::Object(event.payload())) {
            Value::Object(payload) => Event::read(event.name(), &payload),
            _ => event.clone(),
        }
    }
}

/// Does `work` for `wishes`, recorded before and after.
pub(crate) fn recorded(
    request: &Request<'_>,
    wishes: Vec<Wish>,
    (settings, ui): (&Settings, &mut Ui),
    work: impl FnOnce() -> Result<Outcome, ChangeError>,
) -> Result<Outcome, CommandError> {
    let intents = intents(request, wishes)?;
    if intents.is_empty() {
        return work().map_err(change_error);
    }
    let mut recorder = Recorder::open(settings, ui)?;
    recorder.intend(&intents)?;
    let outcome = match work() {
        Ok(outcome) => outcome,
        Err(error) => {
            let error = change_error(error);
            recorder.give_up(intents, &error);
            return Err(error);
        }
    };
    let is_done = |intent: &SkillChanged| outcome.done.iter().any(|d| d.name == intent.name);
    let idle = intents.iter().filter(|intent| !is_done(intent)).cloned();
    let mut events: Vec<Event> = idle.map(|intent| unchanged(intent, "as_asked", None)).collect();
    events.extend(outcome.done.iter().map(|done| result(request, done)));
    recorder.conclude(events)?;
    Ok(outcome)
}

/// Records that what another process left unfinished was brought to an end.
pub(crate) fn repaired(repaired: &Repaired, settings: &Settings, ui: &mut Ui) {
    let how = if repaired.finished { "finished" } else { "undone" };
    let detail = format!("`{}` of {} was {how}", repaired.act, repaired.names.join(", "));
    let kind = "repaired".to_owned();
    let event = Event::SkillWarning(SkillWarning { name: None, kind, detail });
    let recorder = Recorder::open(settings, ui);
    if let Err(error) = recorder.and_then(|mut recorder| recorder.conclude(vec![event])) {
        ui.note(&format!("warning: that is not recorded: {}", error.message()));
    }
}

/// The links of the chain that an approval knows.
pub(crate) fn approved(approval: &Approval) -> Chain {
    Chain {
        source: approval.source.clone(),
        commit: approval.commit.clone(),
        tree: Some(approval.tree.clone()),
        approval: Some(approval.shown()),
    }
}

/// That nothing came of `intent`.
pub(crate) fn unchanged(intent: SkillChanged, code: &str, reason: Option<String>) -> Event {
    let code = Some(code.to_owned());
    Event::SkillUnchanged(SkillChanged { after: intent.before.clone(), code, reason, ..intent })
}

fn intents(request: &Request<'_>, wishes: Vec<Wish>) -> Result<Vec<SkillChanged>, CommandError> {
    let Request { home, place, act, by, .. } = *request;
    let installed = metier_package::installed::list(home, place).map_err(record_error)?;
    let intent = |Wish { name, after }: Wish| {
        let before = installed.iter().find(|pinned| pinned.name.as_str() == name);
        SkillChanged {
            act: act.to_owned(),
            layer: place.as_str().to_owned(),
            path: place.directory(home, &name).to_string_lossy().into_owned(),
            by: by.who.clone(),
            before: before.map(|pinned| chain(pinned, None)),
            after,
            name,
            ..SkillChanged::default()
        }
    };
    Ok(wishes.into_iter().map(intent).collect())
}

fn result(request: &Request<'_>, done: &Done) -> Event {
    let before = done.before.as_ref().map(|pinned| chain(pinned, done.approved_before.clone()));
    let after = done.after.as_ref().map(|pinned| chain(pinned, done.approved_after.clone()));
    let kind = match (&before, &after) {
        (None, Some(_)) => Event::SkillInstalled,
        (Some(_), Some(_)) => Event::SkillUpdated,
        (_, None) => Event::SkillRemoved,
    };
    kind(SkillChanged {
        act: request.act.to_owned(),
        name: done.name.clone(),
        layer: request.place.as_str().to_owned(),
        path: done.directory.clone(),
        by: request.by.who.clone(),
        before,
        after,
        ..SkillChanged::default()
    })
}

fn chain(pinned: &Pinned, approval: Option<String>) -> Chain {
    Chain {
        source: Some(pinned.locked.source.clone()),
        commit: pinned.locked.commit.clone(),
        tree: Some(pinned.tree.clone()),
        approval,
    }
}
