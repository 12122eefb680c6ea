//! What the server says of itself when a client connects. Some agents show a model nothing else
//! until it searches, so the skills are in it, as many as fit.

use metier_store::Catalog;

use crate::brief::brief;
use crate::dialect::{Dialect, units};
use crate::limits::MAX_INSTRUCTION_CHARS;

pub(super) fn write(dialect: Dialect, catalog: &Catalog) -> String {
    if catalog.visible().next().is_none() {
        return "Skills are instructions for particular tasks. There are none here now.".to_owned();
    }
    let how = dialect.how_to_use();
    let start = format!("Skills are instructions for particular tasks. {how}\n\n");
    let room = MAX_INSTRUCTION_CHARS.saturating_sub(units(&start));
    let skills = brief(catalog, room, dialect.finder());
    format!("{start}{skills}").trim_end().to_owned()
}
