//! `skill_marketplace`, and the same for people as `agent-skills`: installing, removing, finding.
//! What is installed here has nobody's approval: a model may have asked for it.

use metier_runtime::capability::{Call, Operation, invoke};
use metier_runtime::event::Trigger;
use serde_json::{Value, json};

use super::Backing;

/// What it does.
pub(super) const ACTIONS: &[&str] = &["install", "remove", "search", "list", "list_installed"];

/// Those of them that change nothing.
pub(super) const LOOKS: &[&str] = &["search", "list", "list_installed"];

/// No remote index is searched.
const NO_INDEX: &str = "No remote index is searched; what follows is installed here";

pub(super) fn answer(arguments: &Value, backing: &dyn Backing) -> String {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let (reference, query) = (text("skill_ref"), text("query"));
    match text("action") {
        action @ ("install" | "remove") if reference.is_empty() => {
            format!("Error: skill_ref required for {action}")
        }
        "install" => match backing.install(reference) {
            Err(why) => format!("Error: {why}"),
            Ok(names) if names.is_empty() => {
                format!("'{reference}' is already installed. Remove it first to reinstall.")
            }
            Ok(names) => installed(&names),
        },
        "remove" => match backing.remove(name_in(reference)) {
            Err(why) => format!("Error: {why}"),
            Ok(name) => format!("Successfully removed skill '{name}'."),
        },
        "list_installed" => pretty(all(backing)),
        "list" => pretty([vec![json!({ "message": NO_INDEX })], all(backing)].concat()),
        "search" if query.is_empty() => "Error: query required for search".to_owned(),
        "search" => match found(query, backing) {
            Err(why) => format!("Error: {why}"),
            Ok(hits) => pretty([vec![json!({ "message": NO_INDEX })], hits].concat()),
        },
        other => format!("Error: Unknown action '{other}'. Known: {}", ACTIONS.join(", ")),
    }
}

fn installed(names: &[String]) -> String {
    let lines = names.iter().map(|name| {
        format!(
            "Successfully installed skill '{name}'. Its tools are there when chibi starts next; \
             `metier trust {name}` approves it."
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The name in `owner/name`, which is how what is installed was called.
fn name_in(reference: &str) -> &str {
    reference.rsplit_once('/').map_or(reference, |(_, name)| name)
}

fn all(backing: &dyn Backing) -> Vec<Value> {
    let catalog = backing.catalog();
    let skill = |entry: &metier_store::Entry| json!({ "name": entry.name().as_str(), "description": entry.found.description.to_string() });
    catalog.visible().map(skill).collect()
}

fn found(query: &str, backing: &dyn Backing) -> Result<Vec<Value>, String> {
    let mut session = backing.open().map_err(|error| error.to_string())?;
    let arguments = json!({ "query": query });
    let call = Call { operation: Operation::Search, arguments, asker: Trigger::Auto };
    let mut answer = invoke(&mut session, call).map_err(|error| error.sentence())?;
    let hits = answer.get_mut("hits").map(Value::take);
    let hits = hits.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let shape = |hit: &Value| json!({ "name": hit["name"], "description": hit["description"] });
    Ok(hits.iter().map(shape).collect())
}

fn pretty(list: Vec<Value>) -> String {
    // Text for keys and nothing but text: there is nothing that could fail.
    serde_json::to_string_pretty(&list).unwrap_or_default()
}
