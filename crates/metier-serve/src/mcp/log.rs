//! Messages for a client that asked for them. The protocol's newest version has dropped logging;
//! clients of the versions before it still set a level.

#![expect(deprecated, reason = "clients of the handshake era still ask for it")]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestParams};
use rmcp::service::Peer;

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

    /// Says that something failed.
    pub(super) async fn error(&self, peer: &Peer<RoleServer>, message: &str) {
        self.say(peer, LoggingLevel::Error, message).await;
    }

    /// Says that something happened.
    pub(super) async fn info(&self, peer: &Peer<RoleServer>, message: &str) {
        self.say(peer, LoggingLevel::Info, message).await;
    }

    async fn say(&self, peer: &Peer<RoleServer>, level: LoggingLevel, message: &str) {
        if (level as u8) < self.0.load(Ordering::Relaxed) {
            return;
        }
        let note = LoggingMessageNotificationParam::new(level, message.into());
        // A client that is gone is told nothing.
        let _ = peer.notify_logging_message(note.with_logger("metier")).await;
    }
}
