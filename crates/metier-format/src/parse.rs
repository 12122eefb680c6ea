//! Bytes of a `SKILL.md` to a [`Parsed`]: fences, YAML, repair, manifest, in that order. Pure and
//! total: any bytes give a value and diagnostics.

use crate::diagnostic::{Code, Diagnostic};
use crate::frontmatter::{self, Fences};
use crate::manifest::Manifest;
use crate::span::Span;
use crate::{validate, yaml};

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The manifest, unless something prevents loading.
    pub manifest: Option<Manifest>,
    /// The bytes between the fences, when there are fences.
    pub frontmatter: Option<Span>,
    /// First byte of the body, when there are fences.
    pub body: Option<u32>,
    /// Everything found, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the frontmatter of a file, of which `bytes` may be a prefix as long as it holds the
/// closing fence. The body is not looked at. `directory` is the name of the directory the file
/// lies in.
#[must_use]
pub fn parse_frontmatter(bytes: &[u8], directory: Option<&str>) -> Parsed {
    // STUB until the real one lands.
    let mut parsed = Parsed::default();
    let Fences::Closed { yaml, body, .. } = frontmatter::find(bytes, frontmatter::Extent::Whole)
    else {
        parsed.diagnostics.push(Diagnostic::new(Code::NoFrontmatter, "no frontmatter"));
        return parsed;
    };
    parsed.frontmatter = Some(yaml);
    parsed.body = Some(body);
    let Ok(text) = std::str::from_utf8(&bytes[yaml.range()]) else {
        parsed.diagnostics.push(Diagnostic::new(Code::NotUtf8, "not UTF-8"));
        return parsed;
    };
    if let Ok(tree) = yaml::read(text, yaml.start as usize) {
        parsed.manifest = validate::manifest(tree, bytes, directory, &mut parsed.diagnostics);
    }
    parsed
}

/// Parses a whole file: [`parse_frontmatter`], and the body must be UTF-8 too.
#[must_use]
pub fn parse(bytes: &[u8], directory: Option<&str>) -> Parsed {
    parse_frontmatter(bytes, directory)
}
