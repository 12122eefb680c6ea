//! Who wins. Works on small records of what decides, and moves each candidate exactly once, to
//! where it ends up.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::path::Path;

use metier_format::NameKey;

use crate::discover::{Discovery, Found, Note, Skipped, join};
use crate::layer::{Precedence, Root, RootId};
use crate::selection::{Filter, Selection};
use crate::vouch::Standing;

use super::{Catalog, Entry, Hidden, Rule, Shadowed, Trust, Visibility, location};

/// What decides about one candidate, most important first.
struct Candidate {
    /// What its name is looked up by, unless that is the name itself.
    other_key: Option<NameKey>,
    /// Whether it stands back behind every trusted one.
    stands_back: bool,
    layer: usize,
    priority: Reverse<i64>,
    client_order: u16,
    /// Its index among the found ones.
    slot: usize,
}

pub(super) fn build(
    discovery: Discovery,
    precedence: &Precedence,
    selection: &Selection,
) -> Catalog {
    let Discovery { roots, found, skipped, notes, stats } = discovery;
    let filter = Filter::new(selection);
    let mut catalog =
        Catalog { roots, precedence: *precedence, skipped, notes, stats, ..Catalog::default() };
    let mut named = filter.named();
    let (mut pool, mut candidates) = admit(found, &filter, selection, &mut catalog);
    // Those of one root mostly are in order already, and this sort takes what is as it is.
    candidates.sort_by(|a, b| order(a, b, &pool, &catalog.roots));
    catalog.entries.reserve_exact(candidates.len());
    let mut rest = &*candidates;
    while let Some(first) = rest.first() {
        let key = first.key(&pool);
        let count = 1 + rest.iter().skip(1).take_while(|next| next.key(&pool) == key).count();
        if !named.is_empty() {
            named.remove(&NameKey::of(key));
        }
        let (group, others) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        settle(group, &mut pool, &filter, &mut catalog);
        rest = others;
    }
    catalog.unmatched = unmatched(named, &catalog);
    finish(&mut catalog);
    catalog
}

/// Sets aside the candidates that their own conditions exclude, and weighs the others.
fn admit(
    found: Vec<Found>,
    filter: &Filter<'_>,
    selection: &Selection,
    catalog: &mut Catalog,
) -> (Vec<Option<Found>>, Vec<Candidate>) {
    let mut candidates: Vec<Candidate> = Vec::with_capacity(found.len());
    let admitted = found.into_iter().filter_map(|found| {
        if let Some(facts) = found.facts.as_deref() {
            let faults = filter.unreadable_versions(facts).into_iter();
            catalog.notes.extend(faults.map(|diagnostic| Note {
                root: found.root,
                path: found.path.to_path_buf(),
                diagnostic,
            }));
            if let Some(reason) = filter.refuses(facts) {
                catalog.hidden.push(Hidden { found, reason });
                return None;
            }
        }
        candidates.push(weigh(&found, candidates.len(), selection, catalog));
        Some(Some(found))
    });
    // The pool takes the room of what was found.
    let pool = admitted.collect();
    (pool, candidates)
}

fn weigh(found: &Found, slot: usize, selection: &Selection, catalog: &Catalog) -> Candidate {
    let untrusted = catalog.trust(found) == Trust::Untrusted;
    let changed = found.standing == Standing::Changed;
    Candidate {
        other_key: found.name.other_key(),
        // Whoever asks for untrusted ones asks for projects nobody vouches for, not for content that
        // was tampered with.
        stands_back: untrusted && (!selection.enabled.admits_untrusted() || changed),
        layer: catalog.precedence.rank(catalog.layer(found)),
        priority: Reverse(found.facts.as_deref().map_or(0, |facts| facts.priority)),
        client_order: catalog.root(found.root).map_or(u16::MAX, |root| root.client_order),
        slot,
    }
}

impl Candidate {
    /// What its name is looked up by, as long as it is in the pool.
    fn key<'a>(&'a self, pool: &'a [Option<Found>]) -> &'a str {
        match &self.other_key {
            Some(key) => key.as_str(),
            None => at(pool, self.slot).map_or("", |found| found.name.as_str()),
        }
    }
}

/// By name, then winner first.
fn order(a: &Candidate, b: &Candidate, pool: &[Option<Found>], roots: &[Root]) -> Ordering {
    a.key(pool)
        .cmp(b.key(pool))
        .then_with(|| a.stands_back.cmp(&b.stands_back))
        .then_with(|| a.layer.cmp(&b.layer))
        .then_with(|| a.priority.cmp(&b.priority))
        .then_with(|| a.client_order.cmp(&b.client_order))
        .then_with(|| match (at(pool, a.slot), at(pool, b.slot)) {
            (Some(a), Some(b)) => by_path(roots, (a.root, &a.path), (b.root, &b.path)),
            _ => Ordering::Equal,
        })
}

fn at(pool: &[Option<Found>], slot: usize) -> Option<&Found> {
    pool.get(slot).and_then(Option::as_ref)
}

/// The bytes of two whole paths; the root's id only tells apart what has the same path.
fn by_path(roots: &[Root], a: (RootId, &Path), b: (RootId, &Path)) -> Ordering {
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_owned();
    if a.0 == b.0 {
        return a.1.as_os_str().as_encoded_bytes().cmp(b.1.as_os_str().as_encoded_bytes());
    }
    let whole = |(root, path)| bytes(&join(roots, root, path));
    whole(a).cmp(&whole(b)).then(a.0.cmp(&b.0))
}

/// Moves the candidates of one name to where they end up: the first one wins.
fn settle(
    group: &[Candidate],
    pool: &mut [Option<Found>],
    filter: &Filter<'_>,
    catalog: &mut Catalog,
) {
    let mut take = |candidate: &Candidate| pool.get_mut(candidate.slot).and_then(Option::take);
    let Some((first, rest)) = group.split_first() else { return };
    let Some(winner) = take(first) else { return };
    for candidate in rest {
        let Some(loser) = take(candidate) else { continue };
        let rule = rule(first, candidate, (&winner, &loser));
        catalog.shadowed.push(Shadowed { winner: location(&winner), loser, rule });
    }
    match filter.refuses_name(&winner.name) {
        Some(reason) => catalog.hidden.push(Hidden { found: winner, reason }),
        None => {
            let (trust, visibility) = standing(&winner, first, catalog);
            catalog.entries.push(Entry { found: winner, trust, visibility });
        }
    }
}

/// What decided between a winner and a loser. Trust is named only where the layer alone would have
/// decided otherwise or not at all.
fn rule(winner: &Candidate, loser: &Candidate, found: (&Found, &Found)) -> Rule {
    if found.0.identity == found.1.identity && found.0.identity != (0, 0) {
        return Rule::SameDirectory;
    }
    match winner.layer.cmp(&loser.layer) {
        Ordering::Less => return Rule::Layer,
        Ordering::Greater => return Rule::Trust,
        Ordering::Equal => {}
    }
    if winner.stands_back != loser.stands_back {
        Rule::Trust
    } else if winner.priority != loser.priority {
        Rule::Priority
    } else if winner.client_order != loser.client_order {
        Rule::ClientOrder
    } else {
        Rule::Path
    }
}

fn standing(winner: &Found, weighed: &Candidate, catalog: &Catalog) -> (Trust, Visibility) {
    let user_only = winner.facts.as_deref().is_some_and(|facts| facts.disable_model_invocation);
    let visibility = if weighed.stands_back {
        Visibility::Untrusted
    } else if user_only {
        Visibility::UserOnly
    } else {
        Visibility::Model
    };
    (catalog.trust(winner), visibility)
}

/// The names nothing has: neither a candidate left out by its own conditions nor the directory of a
/// broken skill, of which other lists speak.
fn unmatched(mut named: BTreeSet<&NameKey>, catalog: &Catalog) -> Vec<NameKey> {
    if named.is_empty() {
        return Vec::new();
    }
    for hidden in &catalog.hidden {
        named.remove(&hidden.found.name.key());
    }
    for key in catalog.skipped.iter().filter_map(|s| directory_key(&catalog.roots, s)) {
        named.remove(&key);
    }
    named.into_iter().cloned().collect()
}

/// The name a skill that cannot be loaded would have by its directory, which may be the root.
pub(crate) fn directory_key(roots: &[Root], skipped: &Skipped) -> Option<NameKey> {
    let file = join(roots, skipped.root, &skipped.path);
    Some(NameKey::of(&file.parent()?.file_name()?.to_string_lossy()))
}

/// Puts every list in its order. Winners arrive sorted by key, which for most names is the name.
fn finish(catalog: &mut Catalog) {
    let Catalog { roots, entries, hidden, skipped, notes, .. } = catalog;
    catalog.by_key = sort_entries(entries);
    hidden.sort_by(|a, b| {
        let (a, b) = (&a.found, &b.found);
        a.name.cmp(&b.name).then_with(|| by_path(roots, (a.root, &a.path), (b.root, &b.path)))
    });
    skipped.sort_by(|a, b| by_path(roots, (a.root, &a.path), (b.root, &b.path)));
    notes.sort_by(|a, b| {
        let (left, right) = (&a.diagnostic, &b.diagnostic);
        by_path(roots, (a.root, &a.path), (b.root, &b.path))
            .then_with(|| left.code.cmp(&right.code))
            .then_with(|| left.message.cmp(&right.message))
    });
}

/// Sorts by the bytes of the names and gives the indices sorted by key.
fn sort_entries(entries: &mut [Entry]) -> Vec<u32> {
    if entries.is_sorted_by(|a, b| a.found.name <= b.found.name) {
        return (0..).zip(&*entries).map(|(index, _)| index).collect();
    }
    entries.sort_by(|a, b| a.found.name.cmp(&b.found.name));
    let mut keys: Vec<(NameKey, u32)> =
        entries.iter().zip(0..).map(|(entry, index)| (entry.found.name.key(), index)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, index)| index).collect()
}
