//! Layers of skills on disk to a catalog: discover, resolve, disclose, load, search, watch.
//!
//! This crate reads and never writes, runs or goes online; it reads neither environment nor clock.
//! Start reading at [`Store`], which says what a place that holds skills can do; `discover` fills a
//! [`Discovery`], `catalog` turns it into the one view a session has, `disclose` shows that view to
//! a model.

mod candidate;
pub mod catalog;
pub mod contained;
pub mod digest;
pub mod discover;
mod disk;
pub mod file_store;
pub mod layer;
mod level;
pub mod limits;
mod load;
mod paths;
mod resources;
mod scan;
pub mod selection;
pub mod store;
pub mod tokens;
mod walk;

#[cfg(test)]
mod fixture;

pub use catalog::{Catalog, Entry};
pub use contained::ContainedPath;
pub use discover::{Discovery, Facts, Found, Skipped};
pub use file_store::FileStore;
pub use layer::{Layer, Precedence, Root, RootId};
pub use selection::{Enabled, Selection};
pub use store::Store;
