//! The text a model receives when a skill is activated: the body between tags that nothing inside
//! can close or open.
//!
//! The tags are those the standard's client guide suggests. A body, a path or a name that contains
//! one of them has its `<` written as `&lt;`, and only then, so that ordinary HTML in a body stays
//! as its author wrote it.

use metier_format::text;

/// The tags of the wrapper.
const TAGS: &[&str] = &["skill_content", "skill_resources", "skill_directory"];

/// What goes between the tags.
#[derive(Clone, Copy, Debug)]
pub struct Wrapped<'a> {
    /// The skill's name.
    pub name: &'a str,
    /// The MCP server it is from, when it is from one. A model that is told so can tell what somebody
    /// else's server says from what its user does.
    pub origin: Option<&'a str>,
    /// The body, arguments already put in.
    pub body: &'a str,
    /// The skill's directory.
    pub directory: &'a str,
    /// Files of the skill, as many as are named.
    pub resources: &'a [String],
    /// How many more there are.
    pub omitted: usize,
    /// What to call to learn the rest.
    pub more: &'a str,
}

/// The wrapped text.
#[must_use]
pub fn wrap(wrapped: &Wrapped<'_>) -> String {
    let mut out = String::with_capacity(wrapped.body.len() + 512);
    out.push_str("<skill_content name=\"");
    out.push_str(&attribute(wrapped.name));
    if let Some(origin) = wrapped.origin {
        out.push_str("\" origin=\"");
        out.push_str(&attribute(origin));
    }
    out.push_str("\">\n");
    out.push_str(disarm(wrapped.body).trim());
    out.push_str("\n\n<skill_directory>");
    out.push_str(&line(wrapped.directory));
    out.push_str("</skill_directory>\n");
    out.push_str("Paths in this skill are relative to that directory.\n");
    if !wrapped.resources.is_empty() {
        out.push_str("<skill_resources>\n");
        for path in wrapped.resources {
            out.push_str("  <file>");
            out.push_str(&line(path));
            out.push_str("</file>\n");
        }
        if wrapped.omitted > 0 {
            out.push_str(&format!("  {} more files; {}\n", wrapped.omitted, wrapped.more));
        }
        out.push_str("</skill_resources>\n");
    }
    out.push_str("</skill_content>\n");
    out
}

/// `body` in which no tag of the wrapper is live. Linear in its length.
#[must_use]
pub fn disarm(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push_str(if opens_tag(from) { "&lt;" } else { "<" });
        rest = &from[1..];
    }
    out.push_str(rest);
    out
}

/// Whether `text`, which starts with `<`, could be read as a tag of the wrapper: white space,
/// slashes and characters nobody sees may stand between, in any case.
fn opens_tag(text: &str) -> bool {
    let skipped = |c: char| c.is_whitespace() || c == '/' || c.is_control() || text::is_hidden(c);
    let after = text[1..].trim_start_matches(skipped);
    let longest = TAGS.iter().map(|tag| tag.len()).max().unwrap_or(0);
    let name: String = after
        .chars()
        .filter(|c| !text::is_hidden(*c))
        .take(longest)
        .map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() })
        .collect();
    TAGS.iter().any(|tag| name.starts_with(tag))
}

/// Text inside an element, on one line.
fn line(text: &str) -> String {
    text::visible_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text inside a quoted attribute.
fn attribute(text: &str) -> String {
    line(text).replace('"', "&quot;")
}

#[cfg(test)]
#[path = "wrapper_tests.rs"]
mod tests;
