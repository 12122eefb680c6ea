//! All that a server lists, page by page, and not without end.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Claim, Fault, ServerError, SkillServer, said};
use crate::fetch::FetchError;
use crate::limits::{MAX_CURSOR_BYTES, MAX_EMPTY_PAGES, MAX_INDEX_SKILLS, MAX_SERVED_PAGES};
use crate::source::Refused;

/// What a server lists.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// What can be believed, in the server's order.
    pub(crate) claims: Vec<Claim>,
    /// What cannot, by address as it can be shown.
    pub(crate) faults: Vec<(String, Fault)>,
    known: BTreeSet<String>,
}

impl Listing {
    /// Everything.
    pub(crate) fn all(server: &mut dyn SkillServer, place: &str) -> Result<Self, FetchError> {
        let mut listing = Self::default();
        let mut cursors: BTreeSet<String> = BTreeSet::new();
        let mut cursor: Option<String> = None;
        let mut empty = 0;
        for _ in 0..MAX_SERVED_PAGES {
            let page = server.list(cursor.as_deref());
            let page = page.map_err(|error| FetchError::of_server(error, place))?;
            let before = listing.len();
            let next = listing.take(&page).map_err(|why| nonsense(why, place))?;
            let Some(next) = next else { return Ok(listing) };
            empty = if listing.len() == before { empty + 1 } else { 0 };
            if empty >= MAX_EMPTY_PAGES {
                let why = format!("{MAX_EMPTY_PAGES} of its pages in a row have no skill");
                return Err(nonsense(why, place));
            }
            if !cursors.insert(next.clone()) {
                return Err(nonsense("its pages go round in a circle".to_owned(), place));
            }
            cursor = Some(next);
        }
        Err(nonsense(format!("it has more than {MAX_SERVED_PAGES} pages"), place))
    }

    /// The skill at `path`.
    pub(crate) fn one(
        server: &mut dyn SkillServer,
        place: &str,
        path: &str,
    ) -> Result<Self, FetchError> {
        let uri = Claim::uri_of(path);
        let answer = match server.get(&uri) {
            Ok(answer) => answer,
            Err(ServerError::Unknown(_)) => return Self::among_all(server, place, path),
            Err(other) => return Err(FetchError::of_server(other, place)),
        };
        let entry = whole(&answer).and_then(|()| {
            answer.get("skill").ok_or_else(|| "there is no `skill` in it".to_owned())
        });
        let entry = entry.map_err(|why| nonsense(why, place))?;
        if entry.get("uri").and_then(Value::as_str) != Some(&uri) {
            return Err(nonsense("it answers for another skill".to_owned(), place));
        }
        let mut listing = Self::default();
        listing.admit(entry);
        Ok(listing)
    }

    /// The skill at `path`, whatever the scheme of its address is.
    fn among_all(
        server: &mut dyn SkillServer,
        place: &str,
        path: &str,
    ) -> Result<Self, FetchError> {
        let mut listing = Self::all(server, place)?;
        listing.claims.retain(|claim| claim.path == path);
        listing.faults.retain(|(uri, _)| skill_at(uri) == path);
        match listing.claims.is_empty() && listing.faults.is_empty() {
            true => Err(FetchError::NoSuchPath { place: place.to_owned(), path: path.to_owned() }),
            false => Ok(listing),
        }
    }

    /// What cannot be believed, as a source's refused skills are said.
    pub(crate) fn refused(&self) -> Vec<Refused> {
        let refused = |(uri, fault): &(String, Fault)| {
            let hazard = fault.clone().hazard();
            let (path, code) = (skill_at(uri).to_owned(), hazard.code());
            Refused { path, code, reason: hazard.at(uri.as_bytes()).to_string() }
        };
        self.faults.iter().map(refused).collect()
    }

    /// One page; where the next one is.
    fn take(&mut self, page: &Value) -> Result<Option<String>, String> {
        whole(page)?;
        let skills = page.get("skills").and_then(Value::as_array);
        for entry in skills.ok_or("there is no list `skills` in it")? {
            if self.len() >= MAX_INDEX_SKILLS {
                return Err(format!("it lists more than {MAX_INDEX_SKILLS} skills"));
            }
            self.admit(entry);
        }
        match page.get("nextCursor") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(next)) if next.len() <= MAX_CURSOR_BYTES => Ok(Some(next.clone())),
            Some(_) => Err("`nextCursor` is not a short text".to_owned()),
        }
    }

    /// How many entries it has, believed or not.
    fn len(&self) -> usize {
        self.known.len() + self.faults.len()
    }

    fn admit(&mut self, entry: &Value) {
        let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
        match Claim::read(entry) {
            // By path, since two schemes do not make two skills of one directory.
            Ok(claim) if self.known.insert(claim.path.clone()) => self.claims.push(claim),
            Ok(_) => self.faults.push((said(uri), Fault::Twice)),
            Err(fault) => self.faults.push((said(uri), fault)),
        }
    }
}

/// Where the skill would be that an address names, believed or not.
pub(super) fn skill_at(uri: &str) -> &str {
    let bare = uri.split_once("://").map_or(uri, |(_, bare)| bare);
    bare.strip_suffix("/SKILL.md").unwrap_or(bare)
}

/// Whether an answer is one, and not a question back.
fn whole(answer: &Value) -> Result<(), String> {
    match answer.get("resultType") {
        None => Ok(()),
        Some(kind) if kind == "complete" => Ok(()),
        Some(_) => Err("it asks something back instead of answering".to_owned()),
    }
}

fn nonsense(why: String, place: &str) -> FetchError {
    FetchError::of_server(ServerError::Nonsense(why), place)
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
