//! The same directory reached through two roots or two stores counts once, for the first.

use std::path::Path;

use crate::discover::{Found, join};
use crate::disk::identity_of;
use crate::layer::{Root, RootId};
use crate::level::Identity;

/// A directory that was found somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// What a listing said it is; zeros when it is not on disk.
    pub(crate) identity: Identity,
    /// Its root.
    pub(crate) root: RootId,
    /// Its path below the root.
    pub(crate) path: &'a Path,
}

/// Drops the candidates whose directory is that of an earlier one.
pub(crate) fn drop_repeated(found: &mut Vec<Found>, roots: &[Root]) {
    let places: Vec<Place<'_>> = found
        .iter()
        .map(|found| Place { identity: found.identity, root: found.root, path: &found.path })
        .collect();
    let repeated = repeats(&places, roots);
    remove(found, &repeated);
}

/// Removes the elements at `indices`, which are in order.
pub(crate) fn remove<T>(list: &mut Vec<T>, indices: &[usize]) {
    let mut indices = indices.iter().peekable();
    let mut at = 0;
    list.retain(|_| {
        let goes = indices.next_if(|index| **index == at).is_some();
        at += 1;
        !goes
    });
}

/// The indices of `places` that are the same directory as an earlier one, in order. Sorts them by
/// what they are; only those that look the same are looked at again.
pub(crate) fn repeats(places: &[Place<'_>], roots: &[Root]) -> Vec<usize> {
    let mut order: Vec<(Identity, usize)> = places
        .iter()
        .enumerate()
        .filter(|(_, place)| place.identity != (0, 0))
        .map(|(index, place)| (place.identity, index))
        .collect();
    order.sort_unstable();
    let mut repeated = Vec::new();
    for alike in order.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        let places = alike.iter().filter_map(|(_, index)| Some((*index, *places.get(*index)?)));
        repeated.extend(confirmed(places, roots));
    }
    repeated.sort_unstable();
    repeated
}

/// Of places a listing calls the same, those that are. Listings of stacked filesystems may give
/// one number to two directories, and no skill may be lost to that.
fn confirmed<'a>(places: impl Iterator<Item = (usize, Place<'a>)>, roots: &[Root]) -> Vec<usize> {
    let mut known: Vec<Option<Identity>> = Vec::new();
    let mut repeated = Vec::new();
    for (index, place) in places {
        let real = real_identity(&join(roots, place.root, place.path));
        if known.contains(&real) {
            repeated.push(index);
        } else {
            known.push(real);
        }
    }
    repeated
}

fn real_identity(path: &Path) -> Option<Identity> {
    rustix::fs::stat(path).ok().map(|stat| identity_of(&stat))
}

#[cfg(test)]
#[path = "repeats_tests.rs"]
mod tests;
