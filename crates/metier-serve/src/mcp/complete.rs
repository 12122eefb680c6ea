//! Completion: names of skills and paths of their files, where an address has a place for them.

use metier_store::{Catalog, Entry, Store};

use super::resources::{Audience, offered, offered_as};
use super::sdk::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use crate::limits::MAX_COMPLETIONS;

pub(super) fn complete(
    store: &dyn Store,
    catalog: &Catalog,
    request: &CompleteRequestParams,
    audience: Audience,
) -> CompleteResult {
    let typed = request.argument.value.as_str();
    let all = match (&request.r#ref, request.argument.name.as_str()) {
        (Reference::Resource(_), "name") => {
            offered(catalog, audience).map(|entry| entry.name().to_string()).collect()
        }
        (Reference::Resource(_), "path") => {
            let context = request.context.as_ref();
            let name = context.and_then(|context| context.get_argument("name"));
            name.map(|name| files(store, offered_as(catalog, name, audience))).unwrap_or_default()
        }
        // What a skill takes as arguments is known to its author alone.
        _ => Vec::new(),
    };
    let mut values: Vec<String> =
        all.into_iter().filter(|v: &String| v.starts_with(typed)).collect();
    let total = u32::try_from(values.len()).ok();
    let more = values.len() > MAX_COMPLETIONS;
    values.truncate(MAX_COMPLETIONS);
    let info = CompletionInfo::with_pagination(values, total, more);
    CompleteResult::new(info.unwrap_or_default())
}

fn files(store: &dyn Store, entry: Option<&Entry>) -> Vec<String> {
    let Some(skill) = entry.and_then(|entry| store.load(&entry.location()).ok()) else {
        return Vec::new();
    };
    let files = skill.resources.files.into_iter().map(|file| file.path);
    std::iter::once("SKILL.md".to_owned()).chain(files).collect()
}
