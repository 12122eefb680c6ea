//! Findings as text: for people, as JSON, as SARIF 2.1.0. All three are safe to print: nothing a
//! skill's author wrote reaches the output as a live control or hidden character.

mod excerpt;
mod human;
mod json;
mod sarif;

use crate::diagnostic::{Diagnostic, Mode, Severity};
use crate::place;
use crate::span::Position;

pub use human::{human, human_file, human_summary};
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

/// Whether text for people carries colours. It says the same without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Text alone.
    #[default]
    Plain,
    /// Text with ANSI escapes.
    Ansi,
}

/// How many findings there are of each kind, and in how many files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files that were looked at.
    pub files: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Pieces of advice.
    pub advice: usize,
    /// Findings that `metier lint --fix` can repair.
    pub fixable: usize,
}

impl Tally {
    /// That of one file.
    #[must_use]
    pub fn of(file: &FileReport, mode: Mode) -> Self {
        let mut tally = Self { files: 1, ..Self::default() };
        for diagnostic in &file.diagnostics {
            tally.fixable += usize::from(!diagnostic.fix.is_empty());
            *match diagnostic.severity(mode) {
                Severity::Error => &mut tally.errors,
                Severity::Warning => &mut tally.warnings,
                Severity::Advice => &mut tally.advice,
            } += 1;
        }
        tally
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.advice += other.advice;
        self.fixable += other.fixable;
    }
}

/// How many findings of `severity` there are under `mode`.
#[must_use]
pub fn count(files: &[FileReport], mode: Mode, severity: Severity) -> usize {
    files.iter().flat_map(|f| &f.diagnostics).filter(|d| d.severity(mode) == severity).count()
}

/// How many findings `metier lint --fix` can repair.
#[must_use]
pub fn count_fixable(files: &[FileReport]) -> usize {
    files.iter().flat_map(|f| &f.diagnostics).filter(|d| !d.fix.is_empty()).count()
}

/// Where a range of bytes starts and ends, as a person counts; the end is one past the last
/// character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    start: Position,
    end: Position,
}

/// The regions of a file's findings and of their edits, in one pass over the file.
struct Regions {
    findings: Vec<Option<Region>>,
    edits: Vec<Vec<Region>>,
}

impl Regions {
    fn of(file: &FileReport) -> Self {
        let mut offsets = Vec::new();
        for diagnostic in &file.diagnostics {
            let spans = diagnostic.span.iter().chain(diagnostic.fix.iter().map(|edit| &edit.span));
            offsets.extend(spans.flat_map(|span| [span.start, span.end]));
        }
        let mut positions = place::positions(&file.source, &offsets).into_iter();
        let mut next = || Some(Region { start: positions.next()?, end: positions.next()? });
        let (mut findings, mut edits) = (Vec::new(), Vec::new());
        for diagnostic in &file.diagnostics {
            findings.push(diagnostic.span.and_then(|_| next()));
            edits.push(diagnostic.fix.iter().filter_map(|_| next()).collect());
        }
        Self { findings, edits }
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
