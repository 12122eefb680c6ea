//! `allowed-tools` as a list of patterns. One tokenizer serves every form: it splits on white space
//! and commas outside parentheses only, and refuses unbalanced ones.
//!
//! What a pattern matches is decided elsewhere; here it is only taken apart, and whatever cannot be
//! taken apart without guessing is an error, so that a guess never widens what is allowed.

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

/// Why a text is not a list of tools. Offsets are bytes in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolPatternError {
    /// A parenthesis is not closed, or closed without being opened.
    #[error("unbalanced parenthesis")]
    Unbalanced(usize),
    /// A parenthesis opens without a tool before it. `Bash (git:*)` must not be read as all of
    /// `Bash`.
    #[error("a parenthesis without a tool before it")]
    Nameless(usize),
    /// Text goes on after a closing parenthesis, as in `Bash(x)y`.
    #[error("text right after a closing parenthesis")]
    Trailing(usize),
    /// More tools than are read.
    #[error("more than {MAX_TOOL_PATTERNS} tools")]
    TooMany,
}

impl ToolPatternError {
    /// Where in the text, when it is one place.
    #[must_use]
    pub fn offset(self) -> Option<usize> {
        match self {
            Self::Unbalanced(at) | Self::Nameless(at) | Self::Trailing(at) => Some(at),
            Self::TooMany => None,
        }
    }
}

impl ToolPattern {
    /// Splits `text` into patterns. Linear in its length.
    pub fn tokenize(text: &str) -> Result<Vec<Self>, ToolPatternError> {
        let mut patterns = Vec::new();
        let mut at = 0;
        while let Some(start) = find_from(text, at, |c| !is_separator(c)) {
            let end = token_end(text, start)?;
            if patterns.len() == MAX_TOOL_PATTERNS {
                return Err(ToolPatternError::TooMany);
            }
            patterns.push(Self::of_token(text.get(start..end).unwrap_or_default()));
            at = end;
        }
        Ok(patterns)
    }

    /// The pattern of one whole token, whose parentheses are known to be balanced.
    fn of_token(token: &str) -> Self {
        match token.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
            Some((tool, argument)) => {
                Self { tool: tool.to_owned(), argument: Some(argument.to_owned()) }
            }
            None => Self { tool: token.to_owned(), argument: None },
        }
    }
}

impl fmt::Display for ToolPattern {
    /// As [`ToolPattern::tokenize`] reads it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// The first character at or after `at` that `wanted` accepts.
fn find_from(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> Option<usize> {
    text.get(at..)?.find(wanted).map(|length| at + length)
}

/// Where the token that starts at `start` ends. Neither quotes nor backslashes hide a parenthesis:
/// no two agents agree on them.
fn token_end(text: &str, start: usize) -> Result<usize, ToolPatternError> {
    let stop = |c: char| is_separator(c) || c == '(' || c == ')';
    let Some(open) = find_from(text, start, stop) else { return Ok(text.len()) };
    match text.as_bytes().get(open) {
        Some(b')') => return Err(ToolPatternError::Unbalanced(open)),
        Some(b'(') if open == start => return Err(ToolPatternError::Nameless(open)),
        Some(b'(') => {}
        _ => return Ok(open),
    }
    let end = closing(text, open).ok_or(ToolPatternError::Unbalanced(open))?;
    match text.get(end..).and_then(|rest| rest.chars().next()) {
        None => Ok(end),
        Some(next) if is_separator(next) => Ok(end),
        Some(')') => Err(ToolPatternError::Unbalanced(end)),
        Some(_) => Err(ToolPatternError::Trailing(end)),
    }
}

/// One past the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "tool_pattern_tests.rs"]
mod tests;
