//! Links and images: those that point to a file of the skill must find one, and none should point
//! out of the skill.

use std::borrow::Cow;

use super::Findings;
use super::files::Files;
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::text::quoted;

/// Destinations people write where a real one will stand.
const PLACEHOLDERS: [&str; 8] = ["url", "link", "path", "href", "uri", "src", "path/to", "example"];

/// Checks one link after the other.
pub(super) struct Links<'f, 'a> {
    files: Option<&'f Files<'a>>,
    findings: Findings,
}

/// Where a destination leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To a web address, an anchor, or nowhere yet: not a file of the skill.
    Other,
    /// Out of the skill's directory.
    Outside,
    /// To this path, relative to the skill, without `.` and `..`.
    Inside(String),
}

impl<'f, 'a> Links<'f, 'a> {
    pub(super) fn new(files: Option<&'f Files<'a>>) -> Self {
        Self { files, findings: Findings::default() }
    }

    /// Looks at one link and says where it leads.
    pub(super) fn visit(&mut self, destination: &str, span: Span) -> Target {
        let target = target(destination);
        match &target {
            Target::Other => {}
            Target::Outside => self.findings.push(Some(span), || leaves(destination)),
            Target::Inside(path) => self.expect(path, span),
        }
        target
    }

    pub(super) fn finish(self) -> Findings {
        self.findings
    }

    /// Reports `path` unless there is such a file.
    fn expect(&mut self, path: &str, span: Span) {
        let Some(files) = self.files else { return };
        if files.has(path) {
            return;
        }
        let slashes = path.replace('\\', "/");
        let help = if files.has(&slashes) {
            Some(format!("write {}, with `/`", quoted(&slashes)))
        } else {
            files.meant(path).map(|meant| meant.help())
        };
        // `array[index](call)` in prose is a link by its form alone.
        if help.is_none() && !looks_like_a_file(path) {
            return;
        }
        self.findings.push(Some(span), || {
            let message = format!("The link points to {}, which does not exist", quoted(path));
            let help = help.unwrap_or_else(|| "add the file, or correct the link".to_owned());
            Diagnostic::new(Code::DeadLink, message).help(help)
        });
    }
}

fn leaves(destination: &str) -> Diagnostic {
    let message = format!("The link {} leaves the skill's directory", quoted(destination));
    let finding = Diagnostic::new(Code::PathLeavesSkill, message);
    if destination.split(['#', '?']).next().is_some_and(|path| path.ends_with("SKILL.md")) {
        return finding.help("name the other skill instead; it may be installed elsewhere");
    }
    finding
}

/// Where `destination` leads, by its form.
pub(super) fn target(destination: &str) -> Target {
    let path = destination.split(['#', '?']).next().unwrap_or_default().trim();
    if path.is_empty() || is_web_address(path) || is_placeholder(path) {
        return Target::Other;
    }
    if path.starts_with(['/', '\\', '~']) || is_drive(path) || has_scheme(path, "file") {
        return Target::Outside;
    }
    resolve(&percent_decode(path)).map_or(Target::Outside, Target::Inside)
}

/// `path` without `.`, `..` and empty components, or nothing when it climbs out.
pub(super) fn resolve(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether the text has a character that stands for something to be filled in.
pub(super) fn has_placeholder_character(text: &str) -> bool {
    text.contains(['<', '>', '{', '}', '[', ']', '*', '$', '…', '|']) || text.contains("...")
}

fn is_placeholder(path: &str) -> bool {
    let lower = path.to_lowercase();
    has_placeholder_character(path)
        || PLACEHOLDERS.contains(&&*lower)
        || lower.starts_with("path/to/")
        || lower.contains("/path/to/")
}

/// `scheme:…` or `//host/…`. A single letter is a drive, and `file:` a path.
fn is_web_address(path: &str) -> bool {
    path.starts_with("//")
        || path.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && !scheme.eq_ignore_ascii_case("file")
                && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        })
}

fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'/' | b'\\'))
}

fn has_scheme(path: &str, scheme: &str) -> bool {
    path.split_once(':').is_some_and(|(start, _)| start.eq_ignore_ascii_case(scheme))
}

/// A directory, an extension, or a name all in capitals such as `LICENSE`.
fn looks_like_a_file(path: &str) -> bool {
    path.contains(['/', '.'])
        || (path.len() >= 4
            && path.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-')))
}

/// `path` with `%41` as `A`. A path that is not UTF-8 afterwards stays as it is written.
fn percent_decode(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |index: usize| tail.get(index).and_then(|b| char::from(*b).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(path), Cow::Owned)
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
