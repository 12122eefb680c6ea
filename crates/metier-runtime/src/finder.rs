//! Search over the catalogs that sessions have, with the index of each kept until a skill changes.
//!
//! Building an index reads every body once, so it happens at the first search and not before. A
//! catalog that was made anew is searched with the index there is, as long as the files' stamps are
//! those the index was made from. Who serves many sessions gives them one finder.

use std::sync::{Arc, Mutex, PoisonError};

use metier_format::limits::MAX_FILE_BYTES;
use metier_format::parse_frontmatter;
use metier_store::limits::MAX_SEARCH_FIELD_BYTES;
use metier_store::search::SearchIndex;
use metier_store::store::FileStamp;
use metier_store::{Catalog, Entry, Store};

use crate::limits::MAX_KEPT_INDEXES;

/// The file whose body is searched.
const FILE: &str = "SKILL.md";

/// Keeps the indexes of the catalogs asked for last.
#[derive(Default)]
pub struct Finder {
    /// The one asked for last stands last.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    catalog: Arc<Catalog>,
    /// What was known of each entry's file before it was read.
    stamps: Vec<Option<FileStamp>>,
    index: Arc<SearchIndex>,
}

impl Finder {
    /// The index of `catalog`, whose documents are its entries. Built when none of those kept was
    /// made from the same entries and the same files; meanwhile others wait. Asking again for the
    /// same catalog costs nothing, a catalog that was made anew a look at each file's stamp.
    pub fn index(&self, catalog: &Arc<Catalog>, store: &dyn Store) -> Arc<SearchIndex> {
        // What is kept is replaced whole, so a panic elsewhere left nothing half done.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|kept| Arc::ptr_eq(&kept.catalog, catalog)) {
            let known = kept.remove(at);
            let index = Arc::clone(&known.index);
            kept.push(known);
            return index;
        }
        // Before anything is read: what changes meanwhile has another stamp the next time.
        let stamps: Vec<Option<FileStamp>> =
            catalog.entries.iter().map(|entry| store.stamp(&entry.location(), FILE)).collect();
        let alike = kept.iter().position(|kept| kept.is_of(catalog, &stamps));
        let index = match alike.map(|at| kept.remove(at)) {
            Some(known) => known.index,
            None => {
                let body = |entry: &Entry| body(store, entry);
                Arc::new(SearchIndex::of_entries(&catalog.entries, body))
            }
        };
        if kept.len() >= MAX_KEPT_INDEXES {
            kept.remove(0);
        }
        kept.push(Kept { catalog: Arc::clone(catalog), stamps, index: Arc::clone(&index) });
        index
    }
}

impl Kept {
    /// Whether the index is that of `catalog` too, whose files have these stamps.
    fn is_of(&self, catalog: &Catalog, stamps: &[Option<FileStamp>]) -> bool {
        // Two files of no stamp may differ.
        self.stamps == stamps
            && stamps.iter().all(Option::is_some)
            && self.catalog.entries == catalog.entries
    }
}

/// The body of a skill. One that cannot be read is searched without.
fn body(store: &dyn Store, entry: &Entry) -> Option<String> {
    let read = store.read(&entry.location(), FILE, MAX_FILE_BYTES as u64).ok()?;
    let start = parse_frontmatter(&read.bytes, None).body?;
    let body = std::str::from_utf8(read.bytes.get(start as usize..)?).ok()?;
    // The index looks at less than this.
    body.get(..body.floor_char_boundary(2 * MAX_SEARCH_FIELD_BYTES)).map(str::to_owned)
}

#[cfg(test)]
#[path = "finder_tests.rs"]
mod tests;
