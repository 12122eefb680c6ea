//! Resources: every skill's `SKILL.md` is listed, every file of a skill can be read.

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::Session;
use metier_runtime::capability::base64;
use metier_runtime::session::ResourceError;
use metier_store::catalog::Visibility;
use metier_store::{Catalog, Entry};
use serde_json::json;

use super::page::page;
use super::sdk::{
    ErrorData, ListResourcesResult, MetaObject, ReadResourceResult, RequestContext, Resource,
    ResourceContents, ResourceTemplate, RoleServer,
};
use super::{ORIGIN_KEY, SKILLS_EXTENSION, shown, uri};
use crate::brief::described;
use crate::limits::MAX_SKILL_BYTES;

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

/// Who is told of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// Whoever shows a model everything: agents give models tools that list and read resources.
    Models,
    /// A host that says it has the skills extension. It reads the frontmatter, and keeps skills that
    /// are for people only from models itself.
    Host,
    /// People, who may start what models may not.
    Users,
}

impl Audience {
    /// Who the client of this request is.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let extensions = context.client_capabilities().and_then(|client| client.extensions);
        match extensions.is_some_and(|known| known.contains_key(SKILLS_EXTENSION)) {
            true => Self::Host,
            false => Self::Models,
        }
    }

    /// Whether it is told of `entry`: never of what is in projects nobody trusts.
    fn is_offered(self, entry: &Entry) -> bool {
        match entry.visibility {
            Visibility::Model => true,
            Visibility::UserOnly => self != Self::Models,
            Visibility::Untrusted => false,
        }
    }
}

/// The skills `audience` is told of.
pub(super) fn offered(catalog: &Catalog, audience: Audience) -> impl Iterator<Item = &Entry> {
    catalog.entries.iter().filter(move |entry| audience.is_offered(entry))
}

/// The skill called `name`, when `audience` is told of it.
pub(super) fn offered_as<'a>(
    catalog: &'a Catalog,
    name: &str,
    audience: Audience,
) -> Option<&'a Entry> {
    catalog.get(&NameKey::of(name)).filter(|entry| audience.is_offered(entry))
}

pub(super) fn list(
    catalog: &Catalog,
    cursor: Option<&str>,
    audience: Audience,
) -> Result<ListResourcesResult, ErrorData> {
    let entries = offered(catalog, audience);
    let (entries, next) = page(entries, |entry| entry.name().as_str(), cursor)?;
    let resources = entries.into_iter().map(resource).collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

fn resource(entry: &Entry) -> Resource {
    let name = entry.name().as_str();
    Resource::new(uri::write(name, "SKILL.md"), name)
        .with_description(described(entry))
        .with_mime_type("text/markdown")
}

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("skill://{name}/{+path}", "skill-file")
        .with_title("File of a skill")
        .with_description("`path` is relative to the skill, such as SKILL.md")
}

/// The whole of a file. As many bytes as a whole skill may have, since every file that is listed with
/// a digest can be read.
pub(super) fn read(
    session: &mut Session,
    uri: &str,
    audience: Audience,
) -> Result<ReadResourceResult, ErrorData> {
    let (name, path) = uri::read(uri).ok_or_else(|| missing(uri))?;
    let found = session.catalog().get(&NameKey::of(&name));
    let active = session.active_names();
    // Its files are for a model from the moment its user has started it.
    let kept = |entry: &Entry| {
        entry.visibility == Visibility::UserOnly
            && !audience.is_offered(entry)
            && !active.iter().any(|name| name == entry.name().as_str())
    };
    if found.is_some_and(kept) {
        let error = ResourceError::SkillNotFound { name, suggestion: None };
        return Err(explain(uri, &error));
    }
    let origin = found.and_then(|entry| entry.found.origin.clone());
    let file = session.read(&name, &path, MAX_SKILL_BYTES).map_err(|error| explain(uri, &error))?;
    let kind = mime_type(&path, file.binary);
    let contents = match String::from_utf8(file.bytes) {
        Ok(text) if !file.binary => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(base64(text.as_bytes()), uri),
        Err(error) => ResourceContents::blob(base64(error.as_bytes()), uri),
    };
    let contents = contents.with_mime_type(kind);
    Ok(ReadResourceResult::new(vec![match origin {
        Some(origin) => contents.with_meta(from(&origin)),
        None => contents,
    }]))
}

/// Which server something is from, beside it: a file stays as it is.
pub(super) fn from(origin: &str) -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(ORIGIN_KEY.to_owned(), visible(origin).into());
    meta
}

fn missing(uri: &str) -> ErrorData {
    let data = json!({ "uri": shown(uri) });
    ErrorData::resource_not_found("there is no such resource", Some(data))
}

fn explain(uri: &str, error: &ResourceError) -> ErrorData {
    if let ResourceError::Journal(error) = error {
        return super::refused(error);
    }
    let mut failure = missing(uri);
    failure.message = visible(&error.to_string()).into_owned().into();
    if let Some(data) = &mut failure.data {
        data["code"] = error.code().into();
    }
    failure
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
