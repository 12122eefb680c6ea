//! From the start of a `SKILL.md` to a candidate, whatever the bytes came from. Pure: the disk and
//! the memory store call the same functions and so agree.

use metier_format::frontmatter::{self, Fences};
use metier_format::limits::MAX_FRONTMATTER_BYTES;
use metier_format::manifest::{Manifest, Scope, Text};
use metier_format::{AllowedTools, Code, Diagnostic, Parsed, parse_frontmatter};

use crate::digest::sha256;
use crate::discover::{Facts, Found, FoundScope};
use crate::layer::RootId;
use crate::level::Identity;
use crate::paths::{boxed_path, last};

/// The one name a skill's file has.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Where a candidate lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    /// Its root.
    pub(crate) root: RootId,
    /// Its directory relative to the root.
    pub(crate) path: &'a [u8],
    /// What the directory is.
    pub(crate) identity: Identity,
}

/// What the start of a file tells about the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The frontmatter is all here, or there is none: nothing more needs to be read.
    Enough,
    /// The frontmatter may go on in the bytes that follow.
    GoesOn,
}

/// Whether `text`, the start of a file that may go on, has to be read further.
pub(crate) fn start(text: &[u8]) -> Start {
    match frontmatter::find(text) {
        // A fence that ends where the bytes end may be the start of a longer line.
        Fences::Closed { body, .. } if (body as usize) < text.len() => Start::Enough,
        Fences::Closed { .. } | Fences::Unclosed { .. } => Start::GoesOn,
        Fences::Absent if is_blank(text) => Start::GoesOn,
        Fences::Absent => Start::Enough,
    }
}

/// What is wrong when the frontmatter did not end within the bytes that are read at most.
pub(crate) fn too_large() -> Diagnostic {
    let message = format!("the frontmatter does not end within {MAX_FRONTMATTER_BYTES} bytes");
    Diagnostic::new(Code::FrontmatterTooLarge, message)
}

/// What the frontmatter of `text` says, given the directory the file lies in.
pub(crate) fn parsed(text: &[u8], directory: Option<&[u8]>) -> Parsed {
    match directory {
        // A directory whose name is not text still has a name, and no skill's name equals it.
        Some(name) => parse_frontmatter(text, Some(&String::from_utf8_lossy(name))),
        None => parse_frontmatter(text, None),
    }
}

/// The name of the directory at `path`, or the root's own for the root itself.
pub(crate) fn directory_name<'a>(path: &'a [u8], root: Option<&'a [u8]>) -> Option<&'a [u8]> {
    if path.is_empty() { root } else { Some(last(path)) }
}

/// The candidate, or everything that was found wrong when one thing prevents loading.
pub(crate) fn candidate(
    text: &[u8],
    parsed: Parsed,
    spot: Spot<'_>,
) -> Result<Found, Vec<Diagnostic>> {
    let Parsed { manifest, frontmatter, diagnostics, .. } = parsed;
    let Some(mut manifest) = manifest else { return Err(diagnostics) };
    let yaml = frontmatter.and_then(|span| text.get(span.range())).unwrap_or_default();
    Ok(Found {
        facts: facts(&mut manifest),
        name: manifest.name.value,
        description: manifest.description.value.into_boxed_str(),
        root: spot.root,
        path: boxed_path(spot.path),
        identity: spot.identity,
        digest: sha256(yaml),
        diagnostics: diagnostics.into_boxed_slice(),
    })
}

/// What is wrong when the file is called `name`, which is some other spelling of `SKILL.md`.
pub(crate) fn misnamed(name: &str) -> Option<Diagnostic> {
    (name != SKILL_FILE)
        .then(|| Diagnostic::new(Code::FileName, format!("the file is called `{name}`")))
}

/// Whether `name` is `SKILL.md` but for its case.
pub(crate) fn is_skill_file(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE.as_bytes())
}

/// The facts worth keeping: none when the manifest says nothing beyond name and description.
fn facts(manifest: &mut Manifest) -> Option<Box<Facts>> {
    let origin = &mut manifest.origin;
    let invocation = &manifest.invocation;
    let facts = Facts {
        priority: manifest.priority,
        tags: manifest.tags.drain(..).map(|tag| tag.value.into_boxed_str()).collect(),
        version: boxed(&mut origin.version),
        compatibility: boxed(&mut manifest.compatibility),
        allowed_tools: manifest.allowed_tools.as_ref().map(|tools| tools_text(tools)),
        scope: scope(&mut manifest.scope),
        min_host_version: boxed(&mut origin.min_host_version),
        max_host_version: boxed(&mut origin.max_host_version),
        disable_model_invocation: invocation.disable_model_invocation,
        user_invocable: invocation.user_invocable,
    };
    (facts != Facts::default()).then(|| Box::new(facts))
}

fn boxed(text: &mut Option<Text>) -> Option<Box<str>> {
    text.take().map(|text| text.value.into_boxed_str())
}

/// The patterns with a space between them. What cannot be read allows nothing, as does an empty
/// list, so both are the empty text.
fn tools_text(tools: &AllowedTools) -> Box<str> {
    use std::fmt::Write as _;
    let mut text = String::new();
    if let AllowedTools::Only(patterns) = tools {
        for pattern in patterns {
            let space = if text.is_empty() { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{space}{pattern}");
        }
    }
    text.into_boxed_str()
}

fn scope(scope: &mut Scope) -> Option<Box<FoundScope>> {
    let list = |texts: &mut Option<Vec<Text>>| {
        texts.take().map(|texts| texts.into_iter().map(|text| text.value).collect())
    };
    let found = FoundScope {
        agents: list(&mut scope.agents),
        tenants: list(&mut scope.tenants),
        environments: list(&mut scope.environments),
    };
    (found != FoundScope::default()).then(|| Box::new(found))
}

/// Nothing but white space, after a byte-order mark if there is one.
fn is_blank(text: &[u8]) -> bool {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii().is_empty()
}
