//! The shapes that several commands print as JSON. They are contracts: fields are added, never
//! renamed. Human output is made from the same values, so the two cannot disagree.

use std::path::Path;

use metier_format::{Diagnostic, Mode};
use metier_store::catalog::{Hidden, Shadowed, Visibility};
use metier_store::discover::Note;
use metier_store::vouch::{Standing, Vouched};
use metier_store::{Catalog, Entry, Found, Skipped};
use serde::Serialize;

/// Why a skill of an untrusted project is not active, as a clause that follows its name.
pub const UNTRUSTED: &str = "belongs to a project that is not trusted";

/// Why a skill is not active whose content somebody touched, as a clause that follows its name.
pub const CHANGED: &str = "changed since it was approved";

/// One skill of the catalog.
#[derive(Debug, Serialize)]
pub struct SkillShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its description, as the file has it.
    pub description: &'a str,
    /// Its layer.
    pub layer: &'static str,
    /// Its directory.
    pub path: String,
    /// approved, present or untrusted.
    pub trust: &'static str,
    /// Whether a model or a user may use it now.
    pub active: bool,
    /// Its tags.
    pub tags: &'a [Box<str>],
    /// Its version, when it has one.
    pub version: Option<&'a str>,
    /// Who sees it: model, user-only, untrusted or hidden.
    pub visibility: &'static str,
    /// Why it is not active, in a clause that follows the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it was installed from, when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The commit it was installed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What is wrong with it without keeping it from loading.
    pub diagnostics: Vec<DiagnosticShape<'a>>,
}

/// A candidate that another one of the same name beat.
#[derive(Debug, Serialize)]
pub struct ShadowedShape<'a> {
    /// The name both have.
    pub name: &'a str,
    /// The winner's directory.
    pub winner: String,
    /// The loser's directory.
    pub loser: String,
    /// What decided.
    pub reason: &'static str,
}

/// A file that cannot be loaded, or a directory that could not be looked into.
#[derive(Debug, Serialize)]
pub struct SkippedShape<'a> {
    /// The file or directory.
    pub path: String,
    /// Why.
    pub diagnostics: Vec<DiagnosticShape<'a>>,
}

/// One finding, as `lint` prints it.
#[derive(Debug, Serialize)]
pub struct DiagnosticShape<'a> {
    /// Its stable code.
    pub code: &'static str,
    /// advice, warning or error, by the rules for loading.
    pub severity: &'static str,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// Its column, from 1.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: &'a str,
    /// What to do.
    pub help: Option<&'a str>,
}

impl<'a> SkillShape<'a> {
    /// A winner.
    pub fn entry(catalog: &Catalog, entry: &'a Entry) -> Self {
        let active = entry.visibility != Visibility::Untrusted;
        let why = if entry.found.standing == Standing::Changed { CHANGED } else { UNTRUSTED };
        let reason = (!active).then(|| why.to_owned());
        Self::new(catalog, &entry.found, entry.visibility.as_str(), reason)
    }

    /// A candidate that the selection leaves out.
    pub fn hidden(catalog: &Catalog, hidden: &'a Hidden) -> Self {
        Self::new(catalog, &hidden.found, "hidden", Some(hidden.reason.sentence()))
    }

    /// The same with where it is from, as `recorded` says.
    #[must_use]
    pub fn from(self, recorded: &Vouched) -> Self {
        Self { source: recorded.source.clone(), commit: recorded.commit.clone(), ..self }
    }

    fn new(
        catalog: &Catalog,
        found: &'a Found,
        visibility: &'static str,
        reason: Option<String>,
    ) -> Self {
        let facts = found.facts.as_deref();
        Self {
            name: found.name.as_str(),
            description: &found.description,
            layer: catalog.layer(found).as_str(),
            path: path(&catalog.directory(found)),
            trust: catalog.trust(found).as_str(),
            active: reason.is_none(),
            tags: facts.map_or(&[], |facts| &*facts.tags),
            version: facts.and_then(|facts| facts.version.as_deref()),
            visibility,
            reason,
            source: found.origin.as_deref().map(str::to_owned),
            commit: None,
            diagnostics: diagnostics(&found.diagnostics),
        }
    }
}

impl<'a> ShadowedShape<'a> {
    /// A loser.
    pub fn of(catalog: &Catalog, shadowed: &'a Shadowed) -> Self {
        Self {
            name: shadowed.loser.name.as_str(),
            winner: path(&catalog.place(&shadowed.winner)),
            loser: path(&catalog.directory(&shadowed.loser)),
            reason: shadowed.rule.as_str(),
        }
    }
}

impl<'a> SkippedShape<'a> {
    /// A file that cannot be loaded.
    pub fn skipped(catalog: &Catalog, skipped: &'a Skipped) -> Self {
        let root = catalog.root(skipped.root).map(|root| root.path.clone()).unwrap_or_default();
        Self {
            path: path(&root.join(&skipped.path)),
            diagnostics: diagnostics(&skipped.diagnostics),
        }
    }

    /// Something about the walk.
    pub fn note(catalog: &Catalog, note: &'a Note) -> Self {
        let root = catalog.root(note.root).map(|root| root.path.clone()).unwrap_or_default();
        let place = if note.path.as_os_str().is_empty() { root } else { root.join(&note.path) };
        let diagnostics = diagnostics(std::slice::from_ref(&note.diagnostic));
        Self { path: path(&place), diagnostics }
    }
}

/// The findings as JSON has them.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<DiagnosticShape<'_>> {
    diagnostics
        .iter()
        .map(|diagnostic| DiagnosticShape {
            code: diagnostic.code.as_str(),
            severity: diagnostic.severity(Mode::Lenient).as_str(),
            line: diagnostic.position.map(|position| position.line),
            column: diagnostic.position.map(|position| position.column),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        })
        .collect()
}

/// A path as text. Bytes that are no text are shown as `�`; JSON has no other way.
pub fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
