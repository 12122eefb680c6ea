//! Prompts: each skill a user may invoke is one, with its arguments.

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::arguments::quoted;
use metier_runtime::event::Trigger;
use metier_runtime::session::Invocation;
use metier_runtime::{ActivationError, Session};
use metier_store::{Catalog, Entry, Store};
use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::{Value, json};

use super::page::page;
use super::resources::offered;
use super::shown;

/// The argument of a skill that names none.
const ARGUMENTS: &str = "arguments";

pub(super) fn list(
    store: &dyn Store,
    catalog: &Catalog,
    cursor: Option<&str>,
) -> Result<ListPromptsResult, ErrorData> {
    let invocable = offered(catalog).filter(|entry| is_for_users(entry));
    let (entries, next) = page(invocable, |entry| entry.name().as_str(), cursor)?;
    let prompts = entries.into_iter().map(|entry| prompt(store, entry)).collect();
    let mut result = ListPromptsResult::with_all_items(prompts);
    result.next_cursor = next;
    Ok(result)
}

fn is_for_users(entry: &Entry) -> bool {
    entry.facts().is_none_or(|facts| facts.user_invocable)
}

fn prompt(store: &dyn Store, entry: &Entry) -> Prompt {
    let (names, hint) = arguments(store, entry);
    let argument = |name: &String| {
        let argument = PromptArgument::new(name).with_required(false);
        match &hint {
            Some(hint) => argument.with_description(visible(hint)),
            None => argument,
        }
    };
    let arguments = names.iter().map(argument).collect();
    let description = visible(&entry.found.description);
    Prompt::new(entry.name().as_str(), Some(description), Some(arguments))
}

/// The names of a skill's arguments, and what it says about them.
pub(super) fn arguments(store: &dyn Store, entry: &Entry) -> (Vec<String>, Option<String>) {
    let usual = || vec![ARGUMENTS.to_owned()];
    let Ok(skill) = store.load(&entry.location()) else { return (usual(), None) };
    let invocation = &skill.manifest.invocation;
    let named: Vec<String> = invocation.arguments.iter().map(|text| text.value.clone()).collect();
    let hint = invocation.argument_hint.as_ref().map(|hint| hint.value.clone());
    (if named.is_empty() { usual() } else { named }, hint)
}

pub(super) fn get(
    session: &mut Session,
    name: &str,
    given: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let names = match session.catalog().get(&NameKey::of(name)) {
        Some(entry) => arguments(session.store(), entry).0,
        None => Vec::new(),
    };
    let arguments = joined(&names, given);
    let invocation = Invocation { name, arguments: &arguments, trigger: Trigger::Manual };
    let activation = session.activate(&invocation).map_err(|error| explain(name, &error))?;
    let message = PromptMessage::new_text(Role::User, activation.text);
    Ok(GetPromptResult::new(vec![message]).with_description(activation.name))
}

/// The values in the order the skill names them, as one text that splits into them again.
fn joined(names: &[String], given: &JsonObject) -> String {
    let value = |name: &String| match given.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    if let [only] = names
        && only == ARGUMENTS
    {
        return value(only);
    }
    let mut values: Vec<String> = names.iter().map(value).collect();
    while values.last().is_some_and(String::is_empty) {
        values.pop();
    }
    let words: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    words.join(" ")
}

fn explain(name: &str, error: &ActivationError) -> ErrorData {
    match error {
        ActivationError::Journal(error) => super::refused(error),
        _ => {
            let data = json!({ "prompt": shown(name), "code": error.code() });
            ErrorData::invalid_params(visible(&error.to_string()).into_owned(), Some(data))
        }
    }
}

#[cfg(test)]
#[path = "prompts_tests.rs"]
mod tests;
