//! Skills that an MCP server has: `mcp:LABEL//skill/path` for a server the user has given a name, and
//! `mcp+https://host/path//skill/path` for one that anybody finds by its address. What is started to
//! talk with a server never stands in a reference, since references come from files of others.

use super::address::Place;
use super::{Origin, Reference, ReferenceError, Server, checked_path};
use crate::limits::MAX_INDEX_NAME;

/// What names a server by its label.
const LABEL: &str = "mcp:";

/// What `text` means when it is about a server; none when it is about something else.
pub(super) fn parse(text: &str) -> Option<Result<Reference, ReferenceError>> {
    let lower = text.get(..10).unwrap_or(text).to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("mcp+") {
        let scheme = rest.split(':').next().unwrap_or_default().to_owned();
        return Some(web(&scheme, text));
    }
    text.strip_prefix(LABEL).map(labelled)
}

/// Whether `text` can be what the user calls a server or another index.
pub(crate) fn is_label(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let starts = !text.is_empty() && !text.starts_with('-');
    starts && text.len() <= MAX_INDEX_NAME && text.chars().all(fits)
}

fn labelled(rest: &str) -> Result<Reference, ReferenceError> {
    let (label, path) = split(rest)?;
    match is_label(label) {
        true => Ok(reference(Server::Label(label.to_owned()), path)),
        false => Err(ReferenceError::Label(label.chars().take(MAX_INDEX_NAME).collect())),
    }
}

fn web(scheme: &str, text: &str) -> Result<Reference, ReferenceError> {
    let scheme = match scheme {
        "https" => "https",
        "http" => "http",
        other => return Err(ReferenceError::Scheme(format!("mcp+{other}"))),
    };
    let rest = text.split_once("://").map(|(_, rest)| rest);
    let (address, skill) = split(rest.unwrap_or_default())?;
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    let place = Place::new(scheme, authority)?;
    let path = path.trim_end_matches('/');
    let bad = |c: char| !c.is_ascii_alphanumeric() && !"/._~+-".contains(c);
    let parts = path.split('/').any(|part| matches!(part, "" | "." | ".."));
    if !path.is_empty() && (path.contains(bad) || parts) {
        return Err(ReferenceError::Repository(path.to_owned()));
    }
    let slash = if path.is_empty() { "" } else { "/" };
    Ok(reference(Server::Url(format!("{}{slash}{path}", place.prefix())), skill))
}

/// Where the server is, and the skill behind `//`.
fn split(text: &str) -> Result<(&str, String), ReferenceError> {
    if text.contains('#') {
        return Err(ReferenceError::Unversioned);
    }
    let (server, path) = text.split_once("//").unwrap_or((text, ""));
    Ok((server, checked_path(path)?))
}

fn reference(server: Server, path: String) -> Reference {
    let origin = Origin::Mcp(server);
    Reference { origin, path, requested: None, viewed: false, otherwise: None }
}
