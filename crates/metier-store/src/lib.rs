//! Layers of skills on disk to a catalog: discover, resolve, disclose, load, search, watch.
//!
//! This crate reads and never writes, runs or goes online; it reads neither environment nor clock.
//! Start reading at [`Store`], which says what a place that holds skills can do; `discover` fills a
//! [`Discovery`], `catalog` turns it into the one view a session has, `disclose` shows that view to
//! a model.

pub mod catalog;
pub mod client;
pub mod disclose;
pub mod discover;
pub mod guide;
pub mod layer;
pub mod limits;
pub mod selection;
pub mod store;
pub mod tokens;
pub mod why;

#[cfg(test)]
mod fixture;

pub use catalog::{Catalog, Entry};
pub use disclose::{Disclose, Disclosure, Style, disclose};
pub use discover::{Discovery, Facts, Found, Skipped};
pub use layer::{Layer, Precedence, Root, RootId};
pub use selection::{Enabled, Selection};
pub use store::Store;
