//! The tools as the host is told of them. The host hands a model names, types and descriptions and
//! loses the rest, so that what has to be known stands in the descriptions. It calls a hook once
//! for each tool that lists it, so that one tool lists them all.

use metier_store::Catalog;
use serde_json::{Value, json};

use super::market::ACTIONS;
use super::{COMMAND, hook};
use crate::dialect::Tool;
use crate::dialect::chibi::{self, MARKET};

/// The tools over the skills of `catalog`.
pub(super) fn schema(catalog: &Catalog) -> Value {
    listed(&chibi::tools(catalog))
}

/// The tools there are whatever skills there are.
pub(super) fn bare() -> Value {
    listed(&chibi::own())
}

fn listed(tools: &[Tool]) -> Value {
    let mut all = vec![market(), command()];
    all.extend(tools.iter().map(|tool| {
        json!({ "name": tool.name, "description": tool.description, "parameters": tool.input })
    }));
    Value::Array(all)
}

fn market() -> Value {
    let actions = ACTIONS.join(", ");
    json!({
        "name": MARKET,
        "description": format!("Install, remove, search or list Agent Skills; action is one of {actions}"),
        "parameters": {
            "type": "object",
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ACTIONS,
                    "description": format!("What to do: one of {actions}"),
                },
                "skill_ref": {
                    "type": "string",
                    "description": "For install: owner/name, owner/repo/path, a git URL, a path, or \
                                    what search and list give. For remove: the skill's name",
                },
                "query": { "type": "string", "description": "For search: what to look for" },
            },
            "required": ["action"],
        },
        "hooks": hook::names().collect::<Vec<_>>(),
    })
}

/// What `chibi -P agent-skills …` looks up.
fn command() -> Value {
    json!({
        "name": COMMAND,
        "description": "For people on chibi's command line only: install, remove, list_installed, search",
        "parameters": {
            "type": "object",
            "properties": {
                "args": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The words of the command line",
                },
            },
        },
    })
}
