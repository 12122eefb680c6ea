//! Every operation there is, once: its name, what it takes, what it gives, how it fails, which
//! frames it writes. The command line, MCP, HTTP and the dialects are spellings of this table; they
//! decide nothing themselves.
//!
//! Start at [`Capability::ALL`], then [`invoke`]. `parameter` turns JSON into checked arguments,
//! `answer` has the shapes of the results, `invoke` ties each operation to the session.

mod answer;
mod error;
mod invoke;
mod parameter;
mod table;

use serde_json::{Value, json};

pub use answer::{
    Ended, FileAnswer, FrameList, HitShape, Hits, Listing, Prompted, Released, RuledCall,
    ShownFile, ShownSkill, Tiers, base64,
};
pub use error::CapabilityError;
pub use invoke::{Call, gives_bytes, invoke, write_out};
pub use parameter::{ArgumentError, Arguments, Kind, Parameter};

/// An operation, as a value to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// The catalog.
    List,
    /// The skills that answer a query.
    Search,
    /// Everything about one skill.
    Show,
    /// Which skill a name means, and why.
    Why,
    /// The catalog as a model sees it.
    Prompt,
    /// A skill goes onto the stack.
    Activate,
    /// The last skill leaves the stack.
    Release,
    /// Every skill leaves the stack, and the session is over.
    End,
    /// The session as it stands.
    Status,
    /// The ruling on one tool call.
    Guard,
    /// One file of a skill.
    Read,
    /// The session's frames.
    Events,
    /// The scripts there are.
    ScriptList,
    /// What a script says about itself.
    ScriptHelp,
    /// A script runs.
    ScriptRun,
}

/// What an operation does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It looks, and records nothing.
    Looks,
    /// It looks, and that it did is recorded.
    Records,
    /// It changes what the session allows.
    Changes,
    /// It runs what somebody else wrote, inside walls.
    Runs,
}

/// One operation.
#[derive(Debug)]
pub struct Capability {
    /// Which one.
    pub operation: Operation,
    /// Its stable name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, in one or two sentences a model can act on.
    pub description: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// The members its result always has, with their JSON types.
    pub result: &'static [(&'static str, &'static str)],
    /// Every code it can fail with, besides `invalid_arguments`.
    pub errors: &'static [&'static str],
    /// Every kind of frame it can write, besides those of opening a session.
    pub frames: &'static [&'static str],
    /// What it does to the world.
    pub effect: Effect,
}

impl Capability {
    /// Every operation, in the order people meet them.
    pub const ALL: &'static [Self] = table::ALL;

    /// The operation called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|capability| capability.name == name)
    }

    /// The JSON Schema of its parameters.
    #[must_use]
    pub fn parameters_schema(&self) -> Value {
        parameter::schema(self.parameters)
    }

    /// The JSON Schema of its result: what is always there. More may be added.
    #[must_use]
    pub fn result_schema(&self) -> Value {
        let properties: serde_json::Map<String, Value> =
            self.result.iter().map(|(name, kind)| ((*name).to_owned(), of_type(kind))).collect();
        let required: Vec<&str> = self.result.iter().map(|(name, _)| *name).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

impl Operation {
    /// Its row of the table.
    #[must_use]
    pub fn capability(self) -> &'static Capability {
        table::row(self)
    }
}

/// The schema of a member whose type is `kind`; `?` at the end lets it be null.
fn of_type(kind: &str) -> Value {
    match kind.strip_suffix('?') {
        Some(kind) => json!({ "type": [kind, "null"] }),
        None => json!({ "type": kind }),
    }
}

#[cfg(test)]
#[path = "capability_tests.rs"]
mod tests;
