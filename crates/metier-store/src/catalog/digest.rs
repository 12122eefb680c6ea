//! A catalog as one number, and what changed between two.

use std::cmp::Ordering;
use std::path::Path;

use metier_format::SkillName;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::discover::Found;
use crate::layer::RootId;

use super::{Catalog, Entry};

/// Changes when the digest's own make-up does, so that old and new ones never compare equal.
const MARK: &[u8] = b"metier catalog 1";

/// Bytes that are worth hashing.
const FULL: usize = 4096;

/// What happened between two catalogs, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogChange {
    /// Names only the newer one has.
    #[serde(serialize_with = "names")]
    pub added: Vec<SkillName>,
    /// Names only the older one has.
    #[serde(serialize_with = "names")]
    pub removed: Vec<SkillName>,
    /// Names both have, with another directory, frontmatter, layer, trust or visibility.
    #[serde(serialize_with = "names")]
    pub changed: Vec<SkillName>,
}

impl CatalogChange {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

fn names<S: Serializer>(names: &[SkillName], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names.iter().map(SkillName::as_str))
}

pub(super) fn diff(older: &Catalog, newer: &Catalog) -> CatalogChange {
    let mut change = CatalogChange::default();
    let (mut before, mut after) = (by_key(older).peekable(), by_key(newer).peekable());
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.found.name.key().cmp(&new.found.name.key()),
        };
        match order {
            Ordering::Less => change.removed.extend(before.next().map(name)),
            Ordering::Greater => change.added.extend(after.next().map(name)),
            Ordering::Equal => {
                let pair = before.next().zip(after.next());
                let differing = pair.filter(|(old, new)| differs((older, old), (newer, new)));
                change.changed.extend(differing.map(|(_, new)| name(new)));
            }
        }
    }
    change.added.sort_unstable();
    change.removed.sort_unstable();
    change.changed.sort_unstable();
    change
}

fn by_key(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.by_key.iter().filter_map(|index| catalog.entries.get(*index as usize))
}

fn name(entry: &Entry) -> SkillName {
    entry.found.name.clone()
}

fn differs((older, old): (&Catalog, &Entry), (newer, new): (&Catalog, &Entry)) -> bool {
    old.found.digest != new.found.digest
        || old.found.name != new.found.name
        || (old.trust, old.visibility) != (new.trust, new.visibility)
        || older.layer(&old.found) != newer.layer(&new.found)
        || older.directory(&old.found) != newer.directory(&new.found)
}

pub(super) fn digest(catalog: &Catalog) -> String {
    let mut hash = Fields { hash: Sha256::new(), waiting: Vec::with_capacity(2 * FULL) };
    hash.bytes(MARK);
    for entry in &catalog.entries {
        hash.text("entry");
        hash.found(catalog, &entry.found);
        hash.text(entry.trust.as_str());
        hash.text(entry.visibility.as_str());
    }
    for shadowed in &catalog.shadowed {
        hash.text("shadowed");
        hash.found(catalog, &shadowed.loser);
        hash.text(shadowed.rule.as_str());
        hash.location(catalog, shadowed.winner.root, &shadowed.winner.path);
    }
    for hidden in &catalog.hidden {
        hash.text("hidden");
        hash.found(catalog, &hidden.found);
        hash.text(hidden.reason.as_str());
    }
    hash.finish()
}

/// A hash over fields, each preceded by its length so that no two lists of fields look alike.
struct Fields {
    hash: Sha256,
    /// What is not hashed yet: fields are a few bytes each, and many of them at once take half the time.
    waiting: Vec<u8>,
}

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= FULL {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn found(&mut self, catalog: &Catalog, found: &Found) {
        self.text(found.name.as_str());
        self.location(catalog, found.root, &found.path);
        self.bytes(&found.digest);
    }

    /// A place without the directories above its root.
    fn location(&mut self, catalog: &Catalog, root: RootId, path: &Path) {
        let root = catalog.root(root);
        self.text(root.map_or("", |root| root.layer.as_str()));
        self.bytes(&root.map_or(u16::MAX, |root| root.client_order).to_le_bytes());
        self.bytes(path.as_os_str().as_encoded_bytes());
    }

    fn finish(mut self) -> String {
        use std::fmt::Write as _;
        let mut hex = String::with_capacity(64);
        self.hash.update(&self.waiting);
        for byte in self.hash.finalize() {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}
