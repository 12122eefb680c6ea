//! Resources: every skill's `SKILL.md` is listed, every file of a skill can be read.

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::Session;
use metier_runtime::capability::base64;
use metier_runtime::limits::MAX_READ_BYTES;
use metier_runtime::session::ResourceError;
use metier_store::catalog::Visibility;
use metier_store::{Catalog, Entry};
use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;

use super::page::page;
use super::{shown, uri};

/// What a file of a skill is, by the end of its name.
const TYPES: &[(&str, &str)] = &[
    ("md", "text/markdown"),
    ("txt", "text/plain"),
    ("json", "application/json"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("html", "text/html"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("py", "text/x-python"),
    ("sh", "text/x-shellscript"),
    ("js", "text/javascript"),
    ("ts", "text/typescript"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("pdf", "application/pdf"),
];

/// The skills a host may be told of: all but those of projects nobody trusts.
pub(super) fn offered(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.entries.iter().filter(|entry| is_offered(entry))
}

/// The skill called `name`, when a host may be told of it.
pub(super) fn offered_as<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a Entry> {
    catalog.get(&NameKey::of(name)).filter(|entry| is_offered(entry))
}

fn is_offered(entry: &Entry) -> bool {
    entry.visibility != Visibility::Untrusted
}

pub(super) fn list(
    catalog: &Catalog,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let (entries, next) = page(offered(catalog), |entry| entry.name().as_str(), cursor)?;
    let resources = entries.into_iter().map(resource).collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

fn resource(entry: &Entry) -> Resource {
    let name = entry.name().as_str();
    Resource::new(uri::write(name, "SKILL.md"), name)
        .with_description(visible(&entry.found.description))
        .with_mime_type("text/markdown")
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("skill://{name}/{+path}", "skill-file")
        .with_title("File of a skill")
        .with_description("`path` is relative to the skill, such as SKILL.md")
}

pub(super) fn read(session: &mut Session, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = || {
        let data = json!({ "uri": shown(uri) });
        ErrorData::resource_not_found("there is no such resource", Some(data))
    };
    let (name, path) = uri::read(uri).ok_or_else(missing)?;
    let file = session.read(&name, &path, MAX_READ_BYTES).map_err(|error| match error {
        ResourceError::Journal(error) => super::refused(&error),
        ResourceError::SkillNotFound { .. }
        | ResourceError::Hidden { .. }
        | ResourceError::NotTrusted(_)
        | ResourceError::Denied { .. }
        | ResourceError::Changed(_)
        | ResourceError::Read(_) => {
            let mut failure = missing();
            failure.message = visible(&error.to_string()).into_owned().into();
            if let Some(data) = &mut failure.data {
                data["code"] = error.code().into();
            }
            failure
        }
    })?;
    let kind = mime_type(&path, file.binary);
    let contents = match String::from_utf8(file.bytes) {
        Ok(text) if !file.binary => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(base64(text.as_bytes()), uri),
        Err(error) => ResourceContents::blob(base64(error.as_bytes()), uri),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(kind)]))
}

/// The type of a file, by its name, else by whether it is text.
pub(super) fn mime_type(path: &str, binary: bool) -> &'static str {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = TYPES.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    match known {
        Some((_, kind)) => kind,
        None if binary => "application/octet-stream",
        None => "text/plain",
    }
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
