//! What the tests of this crate share.

use metier_format::manifest::Text;
use metier_format::parse::Parsed;
use metier_format::{AllowedTools, Code, Diagnostic, Edit, Manifest, Mode, Severity};

/// A file with this frontmatter and a short body.
pub(crate) fn file(frontmatter: &str) -> String {
    format!("---\n{frontmatter}\n---\nBody\n")
}

/// A file with a good name and description, and `lines` below them.
pub(crate) fn file_with(lines: &str) -> String {
    file(&format!("name: my-skill\ndescription: A test skill\n{lines}"))
}

/// Parses `text` as the file of directory `my-skill`.
pub(crate) fn parse(text: impl AsRef<[u8]>) -> Parsed {
    metier_format::parse(text.as_ref(), Some("my-skill"))
}

/// The manifest of a file that must load.
#[track_caller]
pub(crate) fn load(text: &str) -> Manifest {
    let parsed = parse(text);
    let found = codes(&parsed);
    parsed.manifest.unwrap_or_else(|| panic!("does not load: {found:?}\n{text}"))
}

/// The codes of everything found.
pub(crate) fn codes(parsed: &Parsed) -> Vec<Code> {
    parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The codes that are errors when strict, as printed.
pub(crate) fn strict_errors(parsed: &Parsed) -> Vec<&'static str> {
    let errors = |d: &&Diagnostic| d.severity(Mode::Strict) == Severity::Error;
    parsed.diagnostics.iter().filter(errors).map(|d| d.code.as_str()).collect()
}

/// What a file must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has a manifest.
    Loads,
    /// It has none.
    Refused,
}

/// Checks a file: whether it loads, and exactly which codes are errors when strict.
#[track_caller]
pub(crate) fn check(text: impl AsRef<[u8]>, outcome: Outcome, strict: &[&str]) {
    check_in("my-skill", text, outcome, strict);
}

/// The same for a file in `directory`.
#[track_caller]
pub(crate) fn check_in(directory: &str, text: impl AsRef<[u8]>, outcome: Outcome, strict: &[&str]) {
    let text = text.as_ref();
    let parsed = metier_format::parse(text, Some(directory));
    let shown = String::from_utf8_lossy(text.get(..300).unwrap_or(text));
    assert_eq!(strict_errors(&parsed), strict, "strict errors of {shown}");
    let seen = if parsed.manifest.is_some() { Outcome::Loads } else { Outcome::Refused };
    assert_eq!(seen, outcome, "{shown}");
}

/// The body of a file, as it follows the closing fence.
#[track_caller]
pub(crate) fn body(text: &str) -> &str {
    let start = parse(text).body.expect("a file with both fences");
    text.get(start as usize..).expect("the body starts inside the file")
}

/// The tools a file allows, as text. None when it allows any.
pub(crate) fn tools(lines: &str) -> Option<Vec<String>> {
    match load(&file_with(lines)).allowed_tools?.value {
        AllowedTools::Only(patterns) => Some(patterns.iter().map(ToString::to_string).collect()),
        AllowedTools::Unreadable => Some(Vec::new()),
    }
}

/// The texts without their places.
pub(crate) fn values(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(|text| &*text.value).collect()
}

/// `text` with every fix made that does not touch another one.
pub(crate) fn fixed(text: &str, parsed: &Parsed) -> String {
    let mut edits: Vec<&Edit> = parsed.diagnostics.iter().flat_map(|d| &d.fix).collect();
    edits.sort_by_key(|edit| edit.span);
    let mut text = text.to_owned();
    let mut next = text.len();
    for edit in edits.into_iter().rev() {
        let range = edit.span.range();
        if range.end <= next {
            next = range.start;
            text.replace_range(range, &edit.text);
        }
    }
    text
}
