//! STUB until the real one lands.
use super::FileReport;
use crate::diagnostic::Mode;

/// The findings as human.
#[must_use]
pub fn human(_files: &[FileReport], _mode: Mode) -> String {
    String::new()
}
