//! `skill_marketplace`, and the same for people as `agent-skills`: installing, removing, finding.
//! What is installed here has nobody's approval: a model may have asked for it. Finding goes online
//! for nobody: remote indexes are known by what they listed when a person last asked them.

use std::collections::BTreeSet;

use metier_format::text::visible_line;
use metier_package::index::{self, Contents, Index, Listed};
use metier_runtime::capability::{Call, Operation, invoke};
use metier_runtime::event::Trigger;
use serde_json::{Value, json};

use super::{Backing, Fault};
use crate::limits::MAX_MARKET_SKILLS;

/// What it does.
pub(super) const ACTIONS: &[&str] = &["install", "remove", "search", "list", "list_installed"];

/// Those of them that change nothing.
pub(super) const LOOKS: &[&str] = &["search", "list", "list_installed"];

/// There is none to look into.
const NO_INDEX: &str = "There is no remote index; `metier index add NAME SOURCE` adds one. What follows is installed here";

pub(super) fn answer(arguments: &Value, backing: &dyn Backing) -> Result<String, Fault> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let (reference, query) = (text("skill_ref"), text("query"));
    match text("action") {
        action @ ("install" | "remove") if reference.is_empty() => {
            Err(Fault::Usage(format!("skill_ref required for {action}")))
        }
        "install" => match backing.install(reference).map_err(Fault::Failed)? {
            names if names.is_empty() => {
                Ok(format!("'{reference}' is already installed. Remove it first to reinstall."))
            }
            names => Ok(installed(&names)),
        },
        "remove" => {
            let name = backing.remove(name_in(reference)).map_err(Fault::Failed)?;
            Ok(format!("Successfully removed skill '{name}'."))
        }
        "list_installed" => Ok(pretty(all(backing))),
        "list" => {
            let remote = listed(backing).map_err(Fault::Failed)?;
            Ok(pretty(together(remote, all(backing))))
        }
        "search" if query.is_empty() => Err(Fault::Usage("query required for search".to_owned())),
        "search" => {
            let remote = searched(query, backing).map_err(Fault::Failed)?;
            Ok(pretty(together(remote, found(query, backing).map_err(Fault::Failed)?)))
        }
        other => {
            let known = ACTIONS.join(", ");
            Err(Fault::Usage(format!("Unknown action '{other}'. Known: {known}")))
        }
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

/// The name in `owner/name`, which is how what is installed was called. What leads elsewhere is no
/// such reference, and stays whole for the lookup to refuse.
fn name_in(reference: &str) -> &str {
    let leads_on = |part: &str| !part.is_empty() && part != "." && part != "..";
    match reference.rsplit_once('/') {
        Some((_, name)) if reference.split('/').all(leads_on) => name,
        _ => reference,
    }
}

/// What can be installed, then what is here and nowhere else. What is both stands once.
fn together(mut remote: Vec<Value>, mut here: Vec<Value>) -> Vec<Value> {
    let names = |skills: &[Value]| -> BTreeSet<String> {
        skills.iter().filter_map(|skill| Some(skill.get("name")?.as_str()?.to_owned())).collect()
    };
    let is_in = |names: &BTreeSet<String>, skill: &Value| {
        skill.get("name").and_then(Value::as_str).is_some_and(|name| names.contains(name))
    };
    let (listed, installed) = (names(&remote), names(&here));
    here.retain(|skill| !is_in(&listed, skill));
    let both = remote.iter_mut().filter(|skill| is_in(&installed, skill));
    both.chain(&mut here).for_each(|skill| skill["installed"] = true.into());
    [remote, here].concat()
}

/// What all indexes list, and what has to be said about them.
fn listed(backing: &dyn Backing) -> Result<Vec<Value>, String> {
    let indexes = backing.indexes()?;
    let mut told = remarks(&indexes);
    let skills = indexes.iter().filter_map(|(index, contents)| Some((index, contents.as_ref()?)));
    let skills =
        skills.flat_map(|(index, contents)| contents.skills.iter().map(|s| shape(&index.name, s)));
    let skills: Vec<Value> = skills.collect();
    if let Some(more) = skills.len().checked_sub(MAX_MARKET_SKILLS).filter(|more| *more > 0) {
        told.push(
            json!({ "message": format!("{more} more are listed; action search finds them") }),
        );
    }
    told.extend(skills.into_iter().take(MAX_MARKET_SKILLS));
    Ok(told)
}

/// What all indexes list that answers `query`, the best first.
fn searched(query: &str, backing: &dyn Backing) -> Result<Vec<Value>, String> {
    let indexes = backing.indexes()?;
    let mut told = remarks(&indexes);
    let known: Vec<(Index, Contents)> =
        indexes.into_iter().filter_map(|(index, contents)| Some((index, contents?))).collect();
    let hits = index::search(&known, query, MAX_MARKET_SKILLS);
    told.extend(hits.iter().map(|hit| shape(hit.index, hit.listed)));
    Ok(told)
}

/// That there is no index, or which of them never said what they list.
fn remarks(indexes: &[(Index, Option<Contents>)]) -> Vec<Value> {
    if indexes.is_empty() {
        return vec![json!({ "message": NO_INDEX })];
    }
    let silent = indexes.iter().filter(|(_, contents)| contents.is_none());
    let remark = |(index, _): &(Index, Option<Contents>)| {
        let name = visible_line(&index.name);
        json!({ "message": format!("What '{name}' lists is not known; `metier index refresh` asks it") })
    };
    silent.map(remark).collect()
}

/// A skill of an index, with what `install` takes to mean it.
fn shape(index: &str, listed: &Listed) -> Value {
    json!({
        "name": visible_line(&listed.name),
        "description": visible_line(&listed.description),
        "skill_ref": format!("index:{index}/{}", visible_line(&listed.name)),
    })
}

fn all(backing: &dyn Backing) -> Vec<Value> {
    let catalog = backing.catalog();
    let skill = |entry: &metier_store::Entry| {
        let description = visible_line(&entry.found.description);
        json!({ "name": entry.name().as_str(), "description": description })
    };
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
