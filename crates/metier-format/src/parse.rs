//! Bytes of a `SKILL.md` to a [`Parsed`]: fences, YAML, repair, manifest, in that order. Pure and
//! total: any bytes give a value and diagnostics.
//!
//! The ordinary file is read without allocating for findings; everything that only a faulty file
//! needs (repair, near misses of fences, lines and columns) happens on the way out. `fences` and
//! `characters` check the bytes, `moves` and `order` finish what they found.

mod characters;
mod fences;
mod glance;
mod moves;
mod order;

use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::limits::MAX_FILE_BYTES;
use crate::manifest::Manifest;
use crate::repair::repair;
use crate::span::Span;
use crate::text::{quoted, visible_line};
use crate::validate;
use crate::yaml::{self, Tree, YamlError, YamlErrorKind};
use characters::{characters, check_utf8, is_utf16_or_32};
use fences::{fences, place};
use moves::Moves;

pub use glance::{Glance, glance};

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The manifest, exactly when none of the diagnostics prevents loading.
    pub manifest: Option<Manifest>,
    /// The bytes between the fences, when there are fences.
    pub frontmatter: Option<Span>,
    /// First byte of the body, when there are fences.
    pub body: Option<u32>,
    /// Everything found, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the frontmatter of a file. `bytes` may be a prefix of it that is long enough: one for
/// which [`crate::frontmatter::find`], told that it is a prefix, no longer says `Unclosed`, or one
/// of [`MAX_PREFIX_BYTES`](crate::limits::MAX_PREFIX_BYTES). The body is not looked at.
/// `directory` is the name of the directory the file lies in.
#[must_use]
pub fn parse_frontmatter(bytes: &[u8], directory: Option<&str>) -> Parsed {
    let mut parsed = Parsed::default();
    read(bytes, directory, &mut parsed);
    finish(bytes, &mut parsed);
    parsed
}

/// Parses a whole file: [`parse_frontmatter`], and the body must be UTF-8 too.
///
/// ```
/// let file = b"---\nname: tidy-notes\ndescription: Sorts notes by date.\n---\nSort them.\n";
/// let parsed = metier_format::parse(file, Some("tidy-notes"));
/// assert!(parsed.diagnostics.is_empty());
/// assert!(parsed.manifest.is_some_and(|manifest| manifest.name.as_str() == "tidy-notes"));
/// ```
#[must_use]
pub fn parse(bytes: &[u8], directory: Option<&str>) -> Parsed {
    let mut parsed = Parsed::default();
    if bytes.len() > MAX_FILE_BYTES && !is_utf16_or_32(bytes) {
        let message = format!("The file has {} bytes, more than {MAX_FILE_BYTES}", bytes.len());
        parsed.diagnostics.push(place(Code::FileTooLarge, message, Span::at(0)));
        finish(bytes, &mut parsed);
        return parsed;
    }
    read(bytes, directory, &mut parsed);
    if let Some(body) = parsed.body {
        let body = body as usize..bytes.len();
        parsed.diagnostics.extend(check_utf8(bytes, body).err());
    }
    finish(bytes, &mut parsed);
    parsed
}

/// Fences, then characters, then YAML. Stops at the first of the three that fails.
fn read(bytes: &[u8], directory: Option<&str>, parsed: &mut Parsed) {
    let Parsed { manifest, frontmatter, body, diagnostics } = parsed;
    if is_utf16_or_32(bytes) {
        let message = "The file is UTF-16 or UTF-32, not UTF-8";
        diagnostics.push(place(Code::Utf16, message, Span::new(0, 2)));
        return;
    }
    let Some(found) = fences(bytes, diagnostics) else { return };
    *frontmatter = Some(found.yaml);
    *body = Some(found.body);
    let Some(text) = characters(bytes, &found, diagnostics) else { return };
    let before = diagnostics.len();
    let file = File { bytes, directory };
    let base = found.yaml.start as usize;
    *manifest = match yaml::read(text, base) {
        Ok(tree) => validate::manifest(tree, bytes, directory, diagnostics),
        Err(error) => file.after_error(text, base, &error, diagnostics),
    };
    // What is missing is missing from the frontmatter, so it is shown there.
    for diagnostic in diagnostics.iter_mut().skip(before) {
        diagnostic.span.get_or_insert(found.opening);
    }
}

/// Findings in order; a manifest only when nothing prevents loading.
fn finish(bytes: &[u8], parsed: &mut Parsed) {
    if parsed.diagnostics.is_empty() {
        return;
    }
    if parsed.diagnostics.iter().any(|diagnostic| diagnostic.code.prevents_loading()) {
        parsed.manifest = None;
    }
    order::order(bytes, &mut parsed.diagnostics);
}

/// What stays the same while one file is read.
#[derive(Clone, Copy)]
struct File<'f> {
    bytes: &'f [u8],
    directory: Option<&'f str>,
}

impl File<'_> {
    /// What is left to do with a frontmatter that is not YAML: repair it, or say why it is not.
    fn after_error(
        self,
        text: &str,
        base: usize,
        error: &YamlError,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Manifest> {
        if let Some(repair) = repair(text, base)
            && let Ok(tree) = yaml::read(&repair.text, base)
        {
            return self.repaired(tree, &repair.edits, diagnostics);
        }
        diagnostics.push(place(code_of(error.kind), sentence(&error.message), error.span));
        None
    }

    /// The manifest of a repaired text, with every place moved to where it is in the file.
    fn repaired(
        self,
        mut tree: Tree<'_>,
        edits: &[Edit],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Manifest> {
        diagnostics.extend(edits.iter().map(|edit| self.mending(edit)));
        Moves::of(edits).tree(&mut tree);
        let before = diagnostics.len();
        let manifest = validate::manifest(tree, self.bytes, self.directory, diagnostics);
        // Two edits of the same bytes cannot both be made; the repair is the one that must be.
        for diagnostic in diagnostics.iter_mut().skip(before) {
            diagnostic.fix.retain(|fix| !touches(edits, fix.span));
        }
        manifest
    }

    /// The finding for one repair: a tab made spaces, a space put after a colon, a value quoted.
    fn mending(self, edit: &Edit) -> Diagnostic {
        let replaced = self.bytes.get(edit.span.range()).unwrap_or_default();
        let found = |message: String| place(Code::Repaired, message, edit.span);
        let diagnostic = if edit.text.trim().is_empty() && replaced.contains(&b'\t') {
            found("The line is indented with a tab, which YAML does not allow".to_owned())
                .help("indent with spaces, or run `metier lint --fix`")
        } else if edit.text.trim().is_empty() {
            found(format!("{} lacks a space after its colon", self.value_of(edit)))
                .help("put a space after the colon, or run `metier lint --fix`")
        } else {
            found(format!("{} is not valid YAML and was read as text", self.value_of(edit)))
        };
        diagnostic.fix(vec![edit.clone()])
    }

    /// How a message speaks of the value that starts where `edit` does.
    fn value_of(self, edit: &Edit) -> String {
        let before = self.bytes.get(..edit.span.start as usize).unwrap_or_default();
        let line = before.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        match line.trim().trim_start_matches("- ").strip_suffix(':') {
            Some(key) => format!("The value of {}", quoted(key.trim_end())),
            None => "A value".to_owned(),
        }
    }
}

/// Whether one of `edits`, which are in file order and apart from each other, changes bytes of
/// `span`.
fn touches(edits: &[Edit], span: Span) -> bool {
    let after = edits.partition_point(|edit| edit.span.end <= span.start);
    edits.get(after).is_some_and(|edit| edit.span.start < span.end)
}

fn code_of(kind: YamlErrorKind) -> Code {
    match kind {
        YamlErrorKind::Syntax => Code::InvalidYaml,
        YamlErrorKind::NotAMapping => Code::NotAMapping,
        YamlErrorKind::TooDeep => Code::TooDeep,
        YamlErrorKind::TooManyNodes => Code::TooManyNodes,
        YamlErrorKind::Alias => Code::YamlAlias,
        YamlErrorKind::Anchor => Code::YamlAnchor,
        YamlErrorKind::Tag => Code::YamlTag,
        YamlErrorKind::ComplexKey => Code::ComplexKey,
    }
}

/// A message that may quote the file, with nothing live in it.
fn sentence(message: &str) -> String {
    visible_line(message).into_owned()
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
