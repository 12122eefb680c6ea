//! Layers of skills on disk to a catalog: discover, resolve, disclose, load, search, watch.
//!
//! This crate reads and never writes, runs or goes online; it reads neither environment nor clock.
//! Start reading at [`Store`], which says what a place that holds skills can do; `discover` fills a
//! [`Discovery`], `catalog` turns it into the one view a session has, `disclose` shows that view to
//! a model.

pub mod bundled;
mod candidate;
pub mod catalog;
pub mod client;
pub mod contained;
pub mod digest;
pub mod disclose;
pub mod discover;
mod disk;
pub mod draft;
pub mod file_store;
pub mod guide;
pub mod index;
pub mod layer;
pub mod layered_store;
mod level;
pub mod limits;
mod load;
pub mod memo;
pub mod memory_store;
mod paths;
pub mod remembering_store;
mod repeats;
mod rescan;
mod resources;
mod scan;
pub mod scripts;
pub mod search;
pub mod selection;
pub mod store;
pub mod suggest;
mod surroundings;
pub mod tokens;
mod tree;
pub mod vouch;
mod walk;
pub mod watch;
pub mod why;

#[cfg(test)]
mod fixture;

pub use catalog::{Catalog, Entry};
pub use contained::ContainedPath;
pub use disclose::{Disclose, Disclosure, Style, disclose};
pub use discover::{Discovery, Facts, Found, Skipped};
pub use draft::{Draft, Neighbourhood};
pub use file_store::FileStore;
pub use layer::{Layer, Precedence, Root, RootId};
pub use layered_store::LayeredStore;
pub use memo::Memory;
pub use memory_store::MemoryStore;
pub use remembering_store::RememberingStore;
pub use scripts::{Script, Scripts};
pub use selection::{Enabled, Selection};
pub use store::Store;
