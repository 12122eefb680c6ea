//! Findings as text: for people, as JSON, as SARIF 2.1.0.

mod human;
mod json;
mod sarif;

use crate::diagnostic::{Diagnostic, Mode, Severity};

pub use human::human;
pub use json::json;
pub use sarif::sarif;

/// The findings about one file.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// The path as the user named it.
    pub path: String,
    /// The file's bytes, for snippets; empty when it could not be read.
    pub source: Vec<u8>,
    /// What was found, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// How many findings of `severity` there are under `mode`.
#[must_use]
pub fn count(files: &[FileReport], mode: Mode, severity: Severity) -> usize {
    files.iter().flat_map(|f| &f.diagnostics).filter(|d| d.severity(mode) == severity).count()
}
