//! From a tree to a [`Manifest`], with a diagnostic for everything the standard or a field's type
//! forbids. Findings accumulate; only what makes a skill impossible to load leaves no manifest.

use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::{Invocation, Manifest, Origin, Parts, Scope};
use crate::name::SkillName;
use crate::span::Spanned;
use crate::yaml::Tree;

/// Reads `tree` into a manifest. `source` is the whole file (for line numbers), `directory` the
/// name of the directory it lies in, when known.
#[must_use]
pub fn manifest(
    tree: Tree<'_>,
    _source: &[u8],
    _directory: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Manifest> {
    // STUB until the real one lands.
    let mut name = None;
    let mut description = None;
    for entry in tree.entries {
        let span = entry.value.span;
        let text = entry.value.as_text().map(str::to_owned);
        match (&*entry.key, text) {
            ("name", Some(text)) => {
                name = SkillName::parse(&text).ok().map(|n| Spanned::new(n, span))
            }
            ("description", Some(text)) => description = Some(Spanned::new(text, span)),
            _ => {}
        }
    }
    if name.is_none() {
        diagnostics.push(Diagnostic::new(Code::NameMissing, "`name` is missing"));
    }
    if description.is_none() {
        diagnostics.push(Diagnostic::new(Code::DescriptionMissing, "`description` is missing"));
    }
    Some(Manifest {
        name: name?,
        description: description?,
        license: None,
        compatibility: None,
        metadata: Vec::new(),
        allowed_tools: None,
        invocation: Invocation::default(),
        priority: 0,
        tags: Vec::new(),
        scope: Scope::default(),
        origin: Origin::default(),
        parts: Parts::default(),
        overrides: None,
        extra: Vec::new(),
        keys: Vec::new(),
    })
}
