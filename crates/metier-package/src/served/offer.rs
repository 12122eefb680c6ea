//! A server's skills as a source: every file is read once it is wanted, from the server that listed
//! it, by an address it listed, and held against digest and size before anybody gets it. Nothing of a
//! skill is read before its `SKILL.md` was found to be what the server says it is. What is wanted at
//! the same time is asked for together.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use metier_format::NameKey;
use metier_store::digest::{hex, sha256};

use super::listing::skill_at;
use super::{Claim, ClaimedFile, Fault, Listing, ServerError, SkillServer, connect, frontmatter};
use crate::entry::{Entry, Kind};
use crate::fetch::{Fetch, FetchError, Select};
use crate::offer::{Offer, Take};
use crate::progress::{Step, Tell};
use crate::reference::{Reference, Server};

/// Skills of one server.
struct Served<'a> {
    server: Box<dyn SkillServer + 'a>,
    place: String,
    claims: Vec<Held>,
    entries: Vec<Entry>,
    /// Which file of which skill each entry is; none for what is refused.
    owners: Vec<Option<(usize, usize)>>,
    paths: Vec<String>,
}

/// A claim, and the one file that was found true first.
struct Held {
    claim: Claim,
    manifest: Option<Vec<u8>>,
}

/// Connects, finds the wanted skills, and has them used.
pub(crate) fn with_served<T>(
    (server, reference): (&Server, &Reference),
    settings: &Fetch<'_>,
    tell: Tell<'_>,
    then: &mut dyn FnMut(&mut dyn Offer) -> Result<T, FetchError>,
) -> Result<T, FetchError> {
    let place = reference.to_string();
    tell(Step::Fetching { source: &place });
    let mut connected = connect(server, settings)?;
    let listing = match reference.path.as_str() {
        "" => Listing::all(connected.as_mut(), &place)?,
        path => Listing::one(connected.as_mut(), &place, path)?,
    };
    let listing = wanted(listing, settings.select)?;
    then(&mut Served::new(connected, place, listing))
}

/// Without the skills that nobody asked for, so that none of their files is ever read.
fn wanted(mut listing: Listing, select: Select<'_>) -> Result<Listing, FetchError> {
    let Select::Named(names) = select else { return Ok(listing) };
    let keys: Vec<NameKey> = names.iter().map(|name| NameKey::of(name)).collect();
    listing.claims.retain(|claim| keys.contains(&claim.name.key()));
    let asked = |(uri, _): &(String, Fault)| {
        let directory = uri.strip_suffix("/SKILL.md").and_then(|path| path.rsplit('/').next());
        let key = directory.map(NameKey::of);
        let has = |key: &NameKey| listing.claims.iter().any(|claim| claim.name.has_key(key));
        key.is_some_and(|key| keys.contains(&key) && !has(&key))
    };
    // Whoever asks for a skill by its name is told why it is not given.
    match listing.faults.iter().position(asked) {
        Some(at) => {
            let (uri, fault) = listing.faults.swap_remove(at);
            Err(FetchError::Refused(fault.hazard().at(uri.as_bytes())))
        }
        None => {
            listing.faults.clear();
            Ok(listing)
        }
    }
}

impl<'a> Served<'a> {
    fn new(server: Box<dyn SkillServer + 'a>, place: String, listing: Listing) -> Self {
        let paths = listing.claims.iter().map(|claim| claim.path.clone()).collect();
        let mut all: Vec<(Entry, Option<(usize, usize)>)> = Vec::new();
        for (number, claim) in listing.claims.iter().enumerate() {
            for (which, file) in claim.files.iter().enumerate() {
                let path = format!("{}/{}", claim.path, file.path).into_bytes().into();
                let kind = Kind::File { executable: false };
                all.push((Entry { path, kind, size: file.size }, Some((number, which))));
            }
        }
        for (uri, fault) in listing.faults {
            let path = format!("{}/SKILL.md", skill_at(&uri));
            let kind = Kind::Refused(fault.hazard());
            all.push((Entry { path: path.into_bytes().into(), kind, size: 0 }, None));
        }
        // Stable, so that of a file that two skills have, the first one's is read.
        all.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        all.dedup_by(|later, first| later.0.path == first.0.path);
        let (entries, owners) = all.into_iter().unzip();
        let held = |claim| Held { claim, manifest: None };
        let claims = listing.claims.into_iter().map(held).collect();
        Self { server, place, claims, entries, owners, paths }
    }

    /// Makes sure of the `SKILL.md` of these skills.
    fn prove(&mut self, skills: &BTreeSet<usize>) -> Result<(), FetchError> {
        let Self { server, place, claims, .. } = self;
        let unproven = |(number, held): &(usize, &mut Held)| {
            skills.contains(number) && held.manifest.is_none()
        };
        let held: Vec<&mut Held> =
            claims.iter_mut().enumerate().filter(unproven).map(|(_, held)| held).collect();
        let (manifests, mut slots): (Vec<ClaimedFile>, Vec<&mut Held>) = held
            .into_iter()
            .filter_map(|held| Some((held.claim.manifest()?.clone(), held)))
            .unzip();
        let files: Vec<&ClaimedFile> = manifests.iter().collect();
        read(server.as_mut(), &files, place, &mut |nth, bytes| {
            let (Some(file), Some(held)) = (files.get(nth), slots.get_mut(nth)) else {
                return Ok(());
            };
            frontmatter::compare(&bytes, &held.claim.frontmatter)
                .map_err(|why| lied(file, place, why))?;
            held.manifest = Some(bytes);
            Ok(())
        })
    }
}

impl Offer for Served<'_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn prepare(&mut self, _wanted: &[usize]) -> Result<(), FetchError> {
        Ok(())
    }

    fn read(&mut self, wanted: &[usize], take: Take<'_>) -> Result<(), FetchError> {
        let owner = |index: &usize| Some((*index, self.owners.get(*index).copied()??));
        let owned: Vec<(usize, (usize, usize))> = wanted.iter().filter_map(owner).collect();
        self.prove(&owned.iter().map(|(_, (skill, _))| *skill).collect())?;
        let Self { server, place, claims, .. } = self;
        let (mut files, mut indexes) = (Vec::new(), Vec::new());
        for (index, (skill, which)) in owned {
            let Some(held) = claims.get(skill) else { continue };
            match (which, &held.manifest, held.claim.files.get(which)) {
                (0, Some(manifest), _) => take(index, manifest)?,
                (_, _, Some(file)) => {
                    files.push(file);
                    indexes.push(index);
                }
                (_, _, None) => {}
            }
        }
        read(server.as_mut(), &files, place, &mut |nth, bytes| match indexes.get(nth) {
            Some(index) => take(*index, &bytes),
            None => Ok(()),
        })
    }

    fn skills(&self) -> Option<&[String]> {
        Some(&self.paths)
    }
}

/// Reads these files and gives on those that are what the server lists, until one is not.
fn read(
    server: &mut dyn SkillServer,
    files: &[&ClaimedFile],
    place: &str,
    give: &mut dyn FnMut(usize, Vec<u8>) -> Result<(), FetchError>,
) -> Result<(), FetchError> {
    let wanted: Vec<(&str, u64)> =
        files.iter().map(|file| (file.uri.as_str(), file.size)).collect();
    let (mut nth, mut done) = (0, Ok(()));
    server.read_many(&wanted, &mut |read| {
        let Some(file) = files.get(nth) else { return ControlFlow::Break(()) };
        done = checked(file, read, place).and_then(|bytes| give(nth, bytes));
        nth += 1;
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    match files.get(nth) {
        Some(file) if done.is_ok() => Err(lied(file, place, "it did not come".to_owned())),
        _ => done,
    }
}

/// What was read, when it is what the server lists.
fn checked(
    file: &ClaimedFile,
    read: Result<Vec<u8>, ServerError>,
    place: &str,
) -> Result<Vec<u8>, FetchError> {
    let bytes = read.map_err(|error| match error {
        ServerError::Unknown(why) => {
            lied(file, place, format!("the server does not give it: {}", super::said(&why)))
        }
        ServerError::TooMuch(_) => lied(file, place, "far more bytes came".to_owned()),
        other => FetchError::of_server(other, place),
    })?;
    if bytes.len() as u64 != file.size {
        let why = format!("it has {} bytes and not {}", bytes.len(), file.size);
        return Err(lied(file, place, why));
    }
    let found = hex(&sha256(&bytes));
    match found == file.sha256 {
        true => Ok(bytes),
        false => Err(lied(file, place, format!("its SHA-256 is {found} and not {}", file.sha256))),
    }
}

fn lied(file: &ClaimedFile, place: &str, why: String) -> FetchError {
    FetchError::Claim { place: place.to_owned(), uri: super::said(&file.uri), why }
}

#[cfg(test)]
#[path = "offer_tests.rs"]
mod tests;
