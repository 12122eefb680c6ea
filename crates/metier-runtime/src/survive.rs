//! Compaction: which activations must survive when a host shortens its conversation, in what order,
//! within how many tokens.

use serde::Serialize;

use crate::state::State;

/// How much of an activation is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// The whole text.
    Whole,
    /// Its name, with the advice to activate it again.
    Name,
}

/// One activation that survives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// The skill.
    pub name: String,
    /// How much of it.
    pub keep: Keep,
    /// What that costs, in tokens as recorded.
    pub tokens: usize,
}

/// Tokens a name and its advice cost.
const NAME_TOKENS: usize = 24;

/// What survives of the active skills: all of them, the last activated whole first, as many as fit
/// into `limit` tokens; the others by name. In the order they were activated.
#[must_use]
pub fn survivors(state: &State, limit: usize) -> Vec<Survivor> {
    let mut left = limit.saturating_sub(state.stack.len() * NAME_TOKENS);
    let mut survivors: Vec<Survivor> = Vec::with_capacity(state.stack.len());
    for active in state.stack.iter().rev() {
        let tokens = active.skill.tokens;
        let fits = tokens <= left + NAME_TOKENS;
        if fits {
            left = (left + NAME_TOKENS).saturating_sub(tokens);
        }
        survivors.push(Survivor {
            name: active.skill.name.clone(),
            keep: if fits { Keep::Whole } else { Keep::Name },
            tokens: if fits { tokens } else { NAME_TOKENS },
        });
    }
    survivors.reverse();
    survivors
}
