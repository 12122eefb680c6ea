//! The name of the session an agent's own id stands for. Two ids never share a name, and a name is
//! always one a file can have.

use metier_store::digest;

use super::agent::HookAgent;
use crate::limits::MAX_EVENT_ID_BYTES;

/// What stands before the digest of an id that cannot stand for itself.
const DIGEST: &str = "sha256-";

/// Whether a session is kept by an agent's hooks or by chibi's plugin, so that no other client may
/// name it: what holds in it would be lifted from outside.
#[must_use]
pub fn is_of_an_agent(session: &str) -> bool {
    let session = session.to_ascii_lowercase();
    let hooked = |agent: HookAgent| {
        session.strip_prefix(agent.as_str()).is_some_and(|rest| rest.starts_with('.'))
    };
    session.starts_with("chibi-") || HookAgent::ALL.into_iter().any(hooked)
}

/// The session called `id` by `agent`.
pub(super) fn session(agent: HookAgent, id: &str) -> String {
    let usual = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let plain = id.len() <= MAX_EVENT_ID_BYTES && id.chars().all(usual) && !id.starts_with(DIGEST);
    match plain {
        true => format!("{}.{id}", agent.as_str()),
        false => {
            let digest = digest::hex(&digest::sha256(id.as_bytes()));
            format!("{}.{DIGEST}{digest}", agent.as_str())
        }
    }
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
