//! The skills extension: `skills/list`, `skills/get` and `resources/directory/read`. Every file of
//! a skill is named once with its digest and size, so that a host can bind an approval to them.

use std::collections::BTreeMap;

use metier_store::{Catalog, Entry, Store};
use serde_json::{Map, Value, json};

use super::page::page;
use super::resources::{Audience, mime_type, offered};
use super::sdk::{ErrorCode, ErrorData, ReadResourceResult, ResourceContents};
use super::{shown, uri};
use crate::digests::{self, Digested};
use crate::yaml_json;

/// How long an answer may be kept, in milliseconds. Files change when people edit them.
const TTL_MS: u64 = 5_000;

/// Where agents that were built before the extension was settled look for skills.
pub(super) const INDEX: &str = "skill://index.json";

/// Most skills of that index; those agents drop what is beyond.
const INDEXED: usize = 100;

/// Methods of the protocol itself.
const PROTOCOL: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Those of them that only a client with a handshake has.
const HANDSHAKE: [&str; 4] =
    ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// The index such an agent reads: each skill's frontmatter, address and digest.
pub(super) fn index(
    store: &dyn Store,
    catalog: &Catalog,
    audience: Audience,
) -> ReadResourceResult {
    let entry = |entry: &Entry| {
        let skill = skill(store, entry)?;
        let digest = skill.pointer("/resources/0/digest").cloned();
        Some(json!({ "frontmatter": skill["frontmatter"], "url": skill["uri"], "digest": digest }))
    };
    let skills: Vec<Value> = standard(catalog, audience).take(INDEXED).filter_map(entry).collect();
    let text = json!({ "skills": skills }).to_string();
    let contents = ResourceContents::text(text, INDEX).with_mime_type("application/json");
    ReadResourceResult::new(vec![contents])
}

/// One question of the extension, and who asks it.
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) params: Value,
    /// Whether there was no handshake.
    pub(super) stateless: bool,
    pub(super) audience: Audience,
}

/// The answer to one of the extension's methods.
pub(super) fn answer(
    store: &dyn Store,
    catalog: &Catalog,
    asked: &Asked,
) -> Result<Value, ErrorData> {
    let Asked { params, stateless, audience, .. } = asked;
    let (method, stateless, audience) = (asked.method.as_str(), *stateless, *audience);
    match method {
        "skills/list" => list(store, (catalog, audience), params),
        "skills/get" => get(store, (catalog, audience), params),
        "resources/directory/read" => directory(store, (catalog, audience), params),
        // The SDK gives what has other parameters than a method has as if there were no such method.
        _ if PROTOCOL.contains(&method) && !(stateless && HANDSHAKE.contains(&method)) => {
            let message = format!("these are not the parameters of `{method}`");
            Err(ErrorData::invalid_params(message, None))
        }
        _ => {
            let message = format!("there is no method `{}` here", shown(method));
            Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
        }
    }
}

/// A catalog, and who is told of it.
type Seen<'a> = (&'a Catalog, Audience);

fn list(
    store: &dyn Store,
    (catalog, audience): Seen<'_>,
    params: &Value,
) -> Result<Value, ErrorData> {
    let cursor = params.get("cursor").and_then(Value::as_str);
    let entries = standard(catalog, audience);
    let (entries, next) = page(entries, |entry| entry.name().as_str(), cursor)?;
    let skills: Vec<Value> = entries.iter().filter_map(|entry| skill(store, entry)).collect();
    Ok(complete("skills", skills.into(), next))
}

fn get(store: &dyn Store, seen: Seen<'_>, params: &Value) -> Result<Value, ErrorData> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let entry = uri::read(uri).and_then(|(name, path)| match path.as_str() {
        "" | "SKILL.md" => find(seen, &name),
        _ => None,
    });
    let skill = entry.and_then(|entry| skill(store, entry)).ok_or_else(|| unknown(uri))?;
    Ok(complete("skill", skill, None))
}

fn find<'a>((catalog, audience): Seen<'a>, name: &str) -> Option<&'a Entry> {
    standard(catalog, audience).find(|entry| entry.name().as_str() == name)
}

/// The skills the extension knows: those whose names are the standard's. Hosts refuse the others,
/// and with them the whole answer.
fn standard(catalog: &Catalog, audience: Audience) -> impl Iterator<Item = &Entry> {
    offered(catalog, audience).filter(|entry| {
        let name = entry.name();
        name.as_str().is_ascii() && name.faults().is_empty()
    })
}

/// One skill as the extension has it; none when its file is gone or is no YAML as it stands, which
/// a host that compares it with ours could not check. For that comparison the frontmatter stays as it
/// is, live characters included; only what models and people are told is written out.
fn skill(store: &dyn Store, entry: &Entry) -> Option<Value> {
    let manifest = digests::manifest(store, &entry.location())?;
    let frontmatter = yaml_json::frontmatter(&manifest.source)?;
    let name = frontmatter.get("name")?.as_str()?;
    let resource = |file: &Digested| {
        json!({
            "uri": uri::write(name, &file.path),
            "digest": format!("sha256:{}", file.digest),
            "size": file.size,
        })
    };
    let resources = match &manifest.files {
        Some(files) => files.iter().map(resource).collect(),
        None => Value::from("dynamic"),
    };
    Some(json!({
        "uri": uri::write(name, "SKILL.md"),
        "frontmatter": frontmatter,
        "resources": resources,
    }))
}

/// The direct children of a directory of a skill, or of the skill itself.
fn directory(store: &dyn Store, seen: Seen<'_>, params: &Value) -> Result<Value, ErrorData> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let cursor = params.get("cursor").and_then(Value::as_str);
    let (name, path) = uri::read(uri).ok_or_else(|| unknown(uri))?;
    let skill = find(seen, &name).and_then(|entry| store.load(&entry.location()).ok());
    let skill = skill.ok_or_else(|| unknown(uri))?;
    let mut children: BTreeMap<String, Value> = BTreeMap::new();
    let files = skill.resources.files.iter().map(|file| (file.path.as_str(), file.size));
    let own = ("SKILL.md", skill.source.len() as u64);
    for (file, size) in std::iter::once(own).chain(files) {
        let below = match path.is_empty() {
            true => Some(file),
            false => file.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(below) = below else { continue };
        let (child, deeper) = below.split_once('/').map_or((below, false), |(c, _)| (c, true));
        let full = if path.is_empty() { child.to_owned() } else { format!("{path}/{child}") };
        let mut shown = json!({ "uri": uri::write(&name, &full), "name": child });
        if let Value::Object(shown) = &mut shown {
            let kind = if deeper { "inode/directory" } else { mime_type(child, false) };
            shown.insert("mimeType".to_owned(), kind.into());
            if !deeper {
                shown.insert("size".to_owned(), size.into());
            }
        }
        children.insert(child.to_owned(), shown);
    }
    if children.is_empty() {
        return Err(unknown(uri));
    }
    let (listed, next) = page(children.iter(), |(name, _)| name.as_str(), cursor)?;
    let listed: Vec<&Value> = listed.into_iter().map(|(_, child)| child).collect();
    Ok(complete("resources", json!(listed), next))
}

/// A whole result, with what clients of 2026-07-28 ask of one.
fn complete(member: &str, value: Value, next: Option<String>) -> Value {
    let mut result = Map::new();
    result.insert("resultType".to_owned(), "complete".into());
    result.insert("ttlMs".to_owned(), TTL_MS.into());
    result.insert("cacheScope".to_owned(), "private".into());
    result.insert(member.to_owned(), value);
    if let Some(next) = next {
        result.insert("nextCursor".to_owned(), next.into());
    }
    Value::Object(result)
}

fn unknown(uri: &str) -> ErrorData {
    let data = Some(json!({ "uri": shown(uri) }));
    ErrorData::invalid_params("there is nothing at this address", data)
}
