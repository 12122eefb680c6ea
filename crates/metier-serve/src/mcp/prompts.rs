//! Prompts: each skill a user may invoke is one, with its arguments.

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::arguments::quoted;
use metier_runtime::event::Trigger;
use metier_runtime::session::Invocation;
use metier_runtime::{ActivationError, Session};
use metier_store::{Catalog, Entry, Store};
use serde_json::{Value, json};

use super::page::page;
use super::resources::{Audience, offered};
use super::sdk::{
    ErrorData, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use super::shown;
use crate::brief::described;

/// The argument of a skill that names none.
const ARGUMENTS: &str = "arguments";

pub(super) fn list(
    store: &dyn Store,
    catalog: &Catalog,
    cursor: Option<&str>,
) -> Result<ListPromptsResult, ErrorData> {
    let invocable = offered(catalog, Audience::Users).filter(|entry| is_for_users(entry));
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
    let hints = hint.as_deref().and_then(|hint| hints(hint, names.len()));
    let mut description = described(entry);
    if let (None, Some(hint)) = (&hints, &hint) {
        // What it says of all of them together belongs to none alone.
        description = format!("{description} Arguments: {}", visible(hint)).into();
    }
    let mut hints = hints.into_iter().flatten();
    let argument = |name: &String| {
        let argument = PromptArgument::new(name).with_required(false);
        match hints.next() {
            Some(hint) => argument.with_description(visible(hint)),
            None => argument,
        }
    };
    let arguments = names.iter().map(argument).collect();
    Prompt::new(entry.name().as_str(), Some(description), Some(arguments))
}

/// What is said of each of `count` arguments: all of it of the only one, and else a word of each when
/// there are as many words.
fn hints(hint: &str, count: usize) -> Option<Vec<&str>> {
    if count == 1 {
        return Some(vec![hint]);
    }
    let words: Vec<&str> = hint.split_whitespace().collect();
    (words.len() == count).then_some(words)
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
    let entry = session.catalog().get(&NameKey::of(name));
    let names = entry.map(|entry| arguments(session.store(), entry).0);
    let description = entry.map(|entry| described(entry).into_owned());
    if let Some(unknown) = names.as_deref().and_then(|names| unknown(names, given)) {
        let message = format!("`{}` has no argument `{}`", shown(name), shown(unknown));
        let data = json!({ "prompt": shown(name), "code": "invalid_arguments" });
        return Err(ErrorData::invalid_params(message, Some(data)));
    }
    let arguments = joined(&names.unwrap_or_default(), given);
    let invocation = Invocation { name, arguments: &arguments, trigger: Trigger::Manual };
    let activation = session.activate(&invocation).map_err(|error| explain(name, &error))?;
    let message = PromptMessage::new_text(Role::User, activation.text);
    let result = GetPromptResult::new(vec![message]);
    Ok(result.with_description(description.unwrap_or(activation.name)))
}

/// An argument that is given and that the skill does not name.
fn unknown<'a>(names: &[String], given: &'a JsonObject) -> Option<&'a str> {
    given.keys().map(String::as_str).find(|key| !names.iter().any(|name| name == key))
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
