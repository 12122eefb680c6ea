//! From the start of a `SKILL.md` to a candidate, whatever the bytes came from. Pure: the disk and
//! the memory store call the same functions and so agree.

use metier_format::frontmatter::{self, Extent, Fences};
use metier_format::manifest::{Manifest, Scope, Text};
use metier_format::{
    AllowedTools, Code, Diagnostic, Glance, Parsed, ToolPattern, glance, parse_frontmatter,
};

use crate::digest::sha256;
use crate::discover::{Facts, Found, FoundScope};
use crate::layer::RootId;
use crate::level::Identity;
use crate::paths::{boxed_path, last};
use crate::vouch::Standing;

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
    /// The frontmatter is all here.
    Closed,
    /// There is none.
    Absent,
    /// It may go on in the bytes that follow.
    GoesOn,
}

/// What `text`, the start of a file that may go on, tells about the rest.
pub(crate) fn start(text: &[u8]) -> Start {
    match frontmatter::find(text, Extent::Prefix) {
        Fences::Closed { .. } => Start::Closed,
        Fences::Absent => Start::Absent,
        Fences::Unclosed { .. } => Start::GoesOn,
    }
}

/// The candidate that a glance at `text` shows: nearly every skill there is. None says nothing but
/// that the file has to be parsed, or read further.
pub(crate) fn at_a_glance(text: &[u8], directory: Option<&[u8]>, spot: Spot<'_>) -> Option<Found> {
    let directory = std::str::from_utf8(directory?).ok()?;
    let Glance { name, description, compatibility, version, allowed_tools, frontmatter, body } =
        glance(text, directory)?;
    // A fence that ends where the bytes end may be the start of a longer line.
    if body as usize >= text.len() {
        return None;
    }
    let plain = version.is_none() && compatibility.is_none() && allowed_tools.is_none();
    let facts = || Facts {
        version: version.map(Box::from),
        compatibility: compatibility.map(Box::from),
        allowed_tools: allowed_tools.map(Box::from),
        ..Facts::default()
    };
    Some(Found {
        name,
        description: Box::from(description),
        root: spot.root,
        path: boxed_path(spot.path),
        identity: spot.identity,
        link: None,
        straight: false,
        digest: sha256(text.get(frontmatter.range()).unwrap_or_default()),
        facts: (!plain).then(|| Box::new(facts())),
        diagnostics: Box::default(),
        standing: Standing::Unknown,
        origin: None,
    })
}

/// What the frontmatter of `text` says, given the directory the file lies in. `text` is the whole
/// file, a start of it that does not go on, or one of the greatest length that is read.
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
        link: None,
        straight: false,
        digest: sha256(yaml),
        diagnostics: diagnostics.into_boxed_slice(),
        standing: Standing::Unknown,
        origin: None,
    })
}

/// What is wrong when the file is called `name`, which is some other spelling of `SKILL.md`.
pub(crate) fn misnamed(name: &str) -> Option<Diagnostic> {
    (name != SKILL_FILE)
        .then(|| Diagnostic::new(Code::FileName, format!("The file is called `{name}`")))
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
/// list, so both are the empty text. Put together by hand: this runs for nearly every skill.
fn tools_text(tools: &AllowedTools) -> Box<str> {
    let AllowedTools::Only(patterns) = tools else { return Box::default() };
    let length = |pattern: &ToolPattern| {
        pattern.tool.len() + pattern.argument.as_ref().map_or(0, |argument| argument.len() + 2) + 1
    };
    let mut text = String::with_capacity(patterns.iter().map(length).sum());
    for pattern in patterns {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&pattern.tool);
        if let Some(argument) = &pattern.argument {
            text.push('(');
            text.push_str(argument);
            text.push(')');
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

#[cfg(test)]
#[path = "candidate_tests.rs"]
mod tests;
