//! Advice beyond the standard: length, wording, links, files nobody mentions, hidden characters.
//! Pure: the files around a `SKILL.md` are passed in as a list.

use crate::diagnostic::Diagnostic;
use crate::parse::Parsed;

/// One file or directory of the skill, relative to its root, with `/` between components.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The relative path.
    pub path: String,
    /// Whether it is a directory.
    pub directory: bool,
}

/// What lint may know besides the file itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Everything under the skill's directory, sorted by path, when it is known.
    pub files: Option<&'a [Neighbour]>,
    /// The body's size in tokens, when somebody counted.
    pub body_tokens: Option<usize>,
}

/// Everything lint has to say about `bytes` beyond `parsed.diagnostics`, in file order.
#[must_use]
pub fn lint(_bytes: &[u8], _parsed: &Parsed, _around: &Surroundings<'_>) -> Vec<Diagnostic> {
    // STUB until the real one lands.
    Vec::new()
}
