//! Search over the catalog a session has, with the index kept until the catalog changes.
//!
//! Building the index reads every body once, so it happens at the first search and not before. Who
//! serves many sessions over one catalog gives them one finder.

use std::sync::{Arc, Mutex, PoisonError};

use metier_format::limits::MAX_FILE_BYTES;
use metier_format::parse_frontmatter;
use metier_store::limits::MAX_SEARCH_FIELD_BYTES;
use metier_store::search::SearchIndex;
use metier_store::{Catalog, Entry, Store};

/// Keeps the index of one catalog.
#[derive(Default)]
pub struct Finder {
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    catalog: Arc<Catalog>,
    index: Arc<SearchIndex>,
}

impl Finder {
    /// The index of `catalog`, whose documents are its entries. Built when it is not the one asked
    /// for last; meanwhile others wait.
    pub fn index(&self, catalog: &Arc<Catalog>, store: &dyn Store) -> Arc<SearchIndex> {
        // What is kept is replaced whole, so a panic elsewhere left nothing half done.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| Arc::ptr_eq(&kept.catalog, catalog)) {
            return Arc::clone(&kept.index);
        }
        let built = SearchIndex::of_entries(&catalog.entries, |entry| body(store, entry));
        let index = Arc::new(built);
        *kept = Some(Kept { catalog: Arc::clone(catalog), index: Arc::clone(&index) });
        index
    }
}

/// The body of a skill. One that cannot be read is searched without.
fn body(store: &dyn Store, entry: &Entry) -> Option<String> {
    let read = store.read(&entry.location(), "SKILL.md", MAX_FILE_BYTES as u64).ok()?;
    let start = parse_frontmatter(&read.bytes, None).body?;
    let body = std::str::from_utf8(read.bytes.get(start as usize..)?).ok()?;
    // The index looks at less than this.
    body.get(..body.floor_char_boundary(2 * MAX_SEARCH_FIELD_BYTES)).map(str::to_owned)
}
