//! Resources a client wants to hear about: each is looked at in intervals, by its stamp, and whoever
//! subscribed to one that changed is told. One that is not there yet may be subscribed to, and is
//! told of when it comes; whether it is somebody else's cannot be told from that.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metier_store::store::FileStamp;
use metier_store::{Catalog, Store};
use serde_json::json;
use tokio::time::Instant;

use super::resources::{Audience, offered, offered_as};
use super::sdk::ErrorData;
use super::{shown, skills, uri};
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::who::Who;

/// How often subscribed resources are looked at: at once for a person, nothing for a disk.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// What can be heard of. That a file changes says nothing of what is in it, so that a skill for people
/// only counts whoever listens.
const HEARS: Audience = Audience::Host;

/// The stamp of the index each client has, made once in an interval for all who are like it: to make
/// one, the disk is asked about every skill.
#[derive(Default)]
pub(super) struct IndexStamps(Mutex<BTreeMap<Who, (Instant, FileStamp)>>);

/// What a client can see, and what is shared of it with others who look.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) who: &'a Who,
    pub(super) catalog: &'a Catalog,
    pub(super) store: &'a dyn Store,
    pub(super) shared: &'a IndexStamps,
}

impl IndexStamps {
    /// The stamp that `who` has, which is `make` when the last is too old. Whoever comes while it is
    /// made waits for it.
    fn get(&self, who: &Who, make: impl FnOnce() -> FileStamp) -> FileStamp {
        let mut stamps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match stamps.get(who) {
            Some((made, stamp)) if made.elapsed() < INTERVAL => *stamp,
            _ => {
                let stamp = make();
                stamps.insert(who.clone(), (Instant::now(), stamp));
                stamp
            }
        }
    }
}

/// What was known of each resource when it was last looked at.
#[derive(Default)]
pub(super) struct Subscriptions(Mutex<Table>);

#[derive(Default)]
struct Table {
    known: BTreeMap<String, Option<FileStamp>>,
    /// Whether somebody looks.
    watched: bool,
}

impl Subscriptions {
    /// Those of a stream that names all of them at once.
    pub(super) fn of(uris: &[String], sight: Sight<'_>) -> Self {
        let known = uris.iter().map(|uri| (uri.clone(), stamp(uri, sight))).collect();
        Self(Mutex::new(Table { known, watched: true }))
    }

    /// Adds a resource. True when nobody looks yet, and whoever asks has to begin.
    pub(super) fn add(&self, uri: &str, stamp: Option<FileStamp>) -> Result<bool, ErrorData> {
        let mut table = self.table();
        if table.known.len() >= MAX_SUBSCRIPTIONS && !table.known.contains_key(uri) {
            let message = format!("a client hears about {MAX_SUBSCRIPTIONS} resources at most");
            return Err(ErrorData::invalid_params(message, Some(json!({ "uri": shown(uri) }))));
        }
        table.known.insert(uri.to_owned(), stamp);
        Ok(!std::mem::replace(&mut table.watched, true))
    }

    /// Takes a resource away; one that is not there is gone already.
    pub(super) fn remove(&self, uri: &str) {
        self.table().known.remove(uri);
    }

    /// Those that changed since the last look. None when there are none left to look at; then whoever
    /// looks may stop.
    pub(super) fn changed(&self, sight: Sight<'_>) -> Option<Vec<String>> {
        let mut table = self.table();
        if table.known.is_empty() {
            table.watched = false;
            return None;
        }
        let mut changed = Vec::new();
        for (uri, known) in &mut table.known {
            let now = stamp(uri, sight);
            if std::mem::replace(known, now) != now {
                changed.push(uri.clone());
            }
        }
        Some(changed)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Changed in single steps, so a panic elsewhere left it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether `uri` can be the address of something here, now or later.
pub(super) fn is_ours(uri: &str) -> bool {
    uri == skills::INDEX || uri::read(uri).is_some_and(|(_, path)| !path.is_empty())
}

/// The addresses of `requested` that can be subscribed to, each once, as many as there may be.
pub(super) fn accepted(requested: &[String]) -> Vec<String> {
    let mut accepted: Vec<String> = Vec::new();
    for uri in requested.iter().filter(|uri| is_ours(uri)) {
        if accepted.len() < MAX_SUBSCRIPTIONS && !accepted.contains(uri) {
            accepted.push(uri.clone());
        }
    }
    accepted
}

/// What tells the states of a resource apart; nothing when it is not in the catalog.
pub(super) fn stamp(uri: &str, sight: Sight<'_>) -> Option<FileStamp> {
    let Sight { catalog, store, .. } = sight;
    if uri == skills::INDEX {
        // Bodies are no part of the catalog's digest, and have their digest in the index.
        let make = || {
            let stamps =
                offered(catalog, HEARS).map(|entry| store.stamp(&entry.location(), "SKILL.md"));
            let all: Vec<Option<FileStamp>> = stamps.collect();
            FileStamp::of_bytes(format!("{} {all:?}", catalog.digest()).as_bytes())
        };
        return Some(sight.shared.get(sight.who, make));
    }
    let (name, path) = uri::read(uri)?;
    let entry = offered_as(catalog, &name, HEARS)?;
    store.stamp(&entry.location(), &path)
}

#[cfg(test)]
#[path = "subscriptions_tests.rs"]
mod tests;
