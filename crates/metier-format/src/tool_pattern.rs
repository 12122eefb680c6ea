//! `allowed-tools` as a list of patterns. One tokenizer serves every form: it splits on white space
//! and commas outside parentheses only, and refuses unbalanced ones.

use std::fmt;

use crate::limits::MAX_TOOL_PATTERNS;

/// One tool of `allowed-tools`: a name and, in parentheses, what its arguments must look like.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolPattern {
    /// The tool's name as written, such as `Bash` or `mcp__server__*`.
    pub tool: String,
    /// What stood between the parentheses, such as `git:*`.
    pub argument: Option<String>,
}

/// What a skill's `allowed-tools` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTools {
    /// These tools, in the order written.
    Only(Vec<ToolPattern>),
    /// Something that cannot be understood: nothing is allowed.
    Unreadable,
}

/// Why a text is not a list of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolPatternError {
    /// A parenthesis is not closed, or closed without being opened. Byte offset in the text.
    #[error("unbalanced parenthesis")]
    Unbalanced(usize),
    /// More tools than are read.
    #[error("more than {MAX_TOOL_PATTERNS} tools")]
    TooMany,
}

impl ToolPattern {
    /// Splits `text` into patterns. Linear in its length.
    pub fn tokenize(text: &str) -> Result<Vec<Self>, ToolPatternError> {
        // STUB until the real tokenizer lands.
        Ok(text
            .split([' ', ','])
            .filter(|t| !t.is_empty())
            .map(|t| Self { tool: t.to_owned(), argument: None })
            .collect())
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}
