//! Messages for a client that asked for them: once for all with a level where there was a handshake,
//! and with each request where there was none.

#![expect(deprecated, reason = "the protocol means to drop logging, and clients still ask for it")]

use std::sync::atomic::{AtomicU8, Ordering};

use metier_runtime::state::State;
use metier_runtime::{JournalError, Session};
use serde_json::Value;

use super::sdk::{
    LoggingLevel, LoggingMessageNotificationParam, Peer, RequestContext, RoleServer,
    SetLevelRequestParams,
};
use super::{is_stateless, shown};
use crate::dialect::{Dialect, Reply};

/// A call of a tool: what it answers, and what is to be said about it.
pub(super) struct Called {
    /// The answer; none when there is no such tool.
    pub(super) reply: Option<Reply>,
    notes: Vec<(LoggingLevel, String)>,
}

impl Called {
    /// Calls `tool`.
    pub(super) fn of(
        session: &mut Session,
        dialect: Dialect,
        tool: &str,
        arguments: Value,
    ) -> Self {
        let about = ["tool", "name", "skill_name", "skill", "script"];
        let about = about.into_iter().find_map(|name| arguments.get(name)?.as_str().map(shown));
        let before = session.state().clone();
        let reply = dialect.call(session, tool, arguments);
        let mut notes = vec![(LoggingLevel::Debug, format!("`{}` was called", shown(tool)))];
        let about = about.map(|about| format!(": `{about}`")).unwrap_or_default();
        let changes = changes(&before, session.state());
        notes.extend(changes.map(|(level, what)| (level, format!("{what}{about}"))));
        Self { reply, notes }
    }

    /// An answer nothing was done for.
    pub(super) fn unheard(reply: Reply) -> Self {
        Self { reply: Some(reply), notes: Vec::new() }
    }
}

/// What happened to a session between the two, and how much it matters.
fn changes(
    before: &State,
    after: &State,
) -> impl Iterator<Item = (LoggingLevel, &'static str)> + use<> {
    let (old, new) = (before.counters, after.counters);
    let fewer = after.stack.len() < before.stack.len();
    let happened = [
        (new.activations > old.activations, LoggingLevel::Info, "a skill was activated"),
        (fewer, LoggingLevel::Info, "a skill was released"),
        (new.refusals > old.refusals, LoggingLevel::Notice, "a skill was refused"),
        (new.asked > old.asked, LoggingLevel::Notice, "a person has to be asked"),
        (new.denied > old.denied, LoggingLevel::Notice, "a tool call was denied"),
        (new.scripts_run > old.scripts_run, LoggingLevel::Info, "a script was run"),
        (new.scripts_failed > old.scripts_failed, LoggingLevel::Notice, "a script failed"),
        (new.warnings > old.warnings, LoggingLevel::Warning, "there was a warning"),
    ];
    happened.into_iter().filter(|(did, ..)| *did).map(|(_, level, what)| (level, what))
}

/// How much a client wants to hear.
pub(super) struct Log(AtomicU8);

impl Default for Log {
    fn default() -> Self {
        Self(AtomicU8::new(LoggingLevel::Warning as u8))
    }
}

impl Log {
    /// The client asks for messages of this level and above.
    pub(super) fn set(&self, request: &SetLevelRequestParams) {
        self.0.store(request.level as u8, Ordering::Relaxed);
    }

    /// Says that something happened that was not asked for.
    pub(super) async fn info(&self, peer: &Peer<RoleServer>, message: &str) {
        let least = self.0.load(Ordering::Relaxed);
        say(peer, Some(least), (LoggingLevel::Info, message)).await;
    }

    /// Says what came of a call, or that it failed, to whoever asked it.
    pub(super) async fn tell(
        &self,
        context: &RequestContext<RoleServer>,
        called: Result<&Called, &JournalError>,
    ) {
        let least = self.least(context);
        match called {
            Ok(called) => {
                for (level, message) in &called.notes {
                    say(&context.peer, least, (*level, message)).await;
                }
            }
            Err(error) => {
                say(&context.peer, least, (LoggingLevel::Error, &error.to_string())).await;
            }
        }
    }

    /// The least level the asker of this request hears of; none when it hears of nothing. Without a
    /// handshake each request says so for itself.
    fn least(&self, context: &RequestContext<RoleServer>) -> Option<u8> {
        match is_stateless(context) {
            true => context.meta.log_level().map(|level| level as u8),
            false => Some(self.0.load(Ordering::Relaxed)),
        }
    }
}

async fn say(peer: &Peer<RoleServer>, least: Option<u8>, (level, message): (LoggingLevel, &str)) {
    if least.is_none_or(|least| (level as u8) < least) {
        return;
    }
    let note = LoggingMessageNotificationParam::new(level, message.into());
    // A client that is gone is told nothing.
    let _ = peer.notify_logging_message(note.with_logger("metier")).await;
}
