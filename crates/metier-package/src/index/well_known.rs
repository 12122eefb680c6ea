//! The list a web server has at a well-known address, version 0.2: names, addresses and digests.

use std::collections::BTreeSet;

use metier_format::SkillName;
use metier_format::text::visible_line;
use serde_json::Value;

use super::{Contents, IndexError, Kind, Listed};
use crate::distance::distance;
use crate::limits::{MAX_INDEX_DESCRIPTION, MAX_INDEX_SKILLS};
use crate::reference::address::{web_file, web_source};

/// Where a server has its list.
pub const WELL_KNOWN: &str = "/.well-known/agent-skills/index.json";

/// What a list says it is.
pub const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// What the list at `url` says.
pub(super) fn read(document: &Value, url: &str) -> Result<Contents, IndexError> {
    match document.get("$schema").and_then(Value::as_str) {
        Some(SCHEMA) => {}
        Some(other) => return Err(IndexError::Schema(visible_line(&short(other)).into_owned())),
        None => return Err(IndexError::NoSchema),
    }
    let Some(skills) = document.get("skills").and_then(Value::as_array) else {
        return Err(IndexError::NotAnIndex("it has no list `skills`".to_owned()));
    };
    let mut contents = Contents::default();
    let mut names = BTreeSet::new();
    for (number, entry) in skills.iter().enumerate() {
        if contents.skills.len() >= MAX_INDEX_SKILLS {
            contents.trouble(format!("only {MAX_INDEX_SKILLS} of its skills are listed"));
            break;
        }
        match skill(entry, url) {
            Ok(listed) if !names.insert(listed.name.clone()) => {
                contents.trouble(format!("`{}` is listed twice; the first counts", listed.name));
            }
            Ok(listed) => contents.skills.push(listed),
            Err(why) => contents.trouble(format!("skill {number}: {why}")),
        }
    }
    Ok(contents)
}

fn skill(entry: &Value, url: &str) -> Result<Listed, String> {
    let text = |name: &str| {
        let value = entry.get(name).and_then(Value::as_str);
        value.ok_or_else(|| format!("`{name}` is missing or no text"))
    };
    let kind = match text("type")? {
        "skill-md" => Kind::SkillMd,
        "archive" => Kind::Archive,
        other => {
            let (name, kind) =
                (text("name").unwrap_or_default(), visible_line(&short(other)).into_owned());
            let name = visible_line(&short(name)).into_owned();
            return Err(format!("`{name}` is of the type `{kind}`, which is not known here"));
        }
    };
    let name = name(text("name")?)?;
    let digest = text("digest")?.strip_prefix("sha256:").unwrap_or_default();
    if digest.len() != 64 || !digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(format!("`{name}` has no digest that could be checked"));
    }
    let at = resolve(url, text("url")?);
    let at = web_file(&at).map_err(|error| format!("the address of `{name}`: {error}"))?;
    if distance(&at) > distance(url) {
        return Err(format!("the address of `{name}` is on this machine"));
    }
    let description = description(text("description")?);
    let digest = Some(digest.to_owned());
    Ok(Listed { name, description, reference: web_source(&at), digest, kind })
}

/// The name of a skill, as the standard has names: an index is no place for odd ones.
pub(super) fn name(text: &str) -> Result<String, String> {
    let name = SkillName::parse(text).map_err(|error| error.to_string())?;
    match name.faults().is_empty() {
        true => Ok(name.to_string()),
        false => Err(format!("`{}` is not a skill's name", visible_line(&short(text)))),
    }
}

/// A description as it is kept: one line, not too long, nothing that a terminal obeys.
pub(super) fn description(text: &str) -> String {
    let cut: String = text.chars().take(MAX_INDEX_DESCRIPTION).collect();
    visible_line(&cut).into_owned()
}

/// What `address` means in a document at `base`, `.` and `..` in it resolved.
fn resolve(base: &str, address: &str) -> String {
    if address.contains("://") {
        return address.to_owned();
    }
    let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(other) = address.strip_prefix("//") {
        return format!("{scheme}://{other}");
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = match address.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{address}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{scheme}://{host}/{}", parts.join("/"))
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
#[path = "well_known_tests.rs"]
mod tests;
