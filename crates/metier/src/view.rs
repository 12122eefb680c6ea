//! What a command looks at: the roots the settings name, searched once, and the catalog made of
//! what was found.

use metier_format::text::visible_line;
use metier_format::{NameKey, Severity, SkillName};
use metier_store::{Catalog, Entry, Layer, LayeredStore, Root, Store};
use metier_store::{FileStore, client};

use crate::error::CommandError;
use crate::settings::{EnabledBy, Settings};
use crate::shape::SkippedShape;
use crate::ui::{Ui, counted};

/// The store and its catalog.
pub(crate) struct View {
    /// Where skills are loaded from.
    pub(crate) store: LayeredStore,
    /// What was found, resolved.
    pub(crate) catalog: Catalog,
}
