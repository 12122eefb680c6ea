//! What the YAML parser's errors mean to somebody who wrote a frontmatter: one sentence in plain
//! words, and the text to mark. Knows granit's error kinds and nothing of trees.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use super::{YamlError, YamlErrorKind};
use crate::limits::MAX_DEPTH;
use crate::span::Span;

/// The error for `error`, found in `text`, whose first byte stands at `base` in its file.
pub(super) fn explain(error: &ScanError, text: &str, base: usize) -> YamlError {
    let offset = error.marker().byte_offset().unwrap_or(0).min(text.len());
    let at = |range: Range<usize>| Span::new(base + range.start, base + range.end);
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(at(one_character(text, offset)));
    }
    let (message, range) = match error.kind() {
        ErrorKind::UnexpectedCharacter { character } => character_error(*character, text, offset),
        ErrorKind::ExpectedBlockMappingKey => key_error(text, offset),
        ErrorKind::InvalidQuotedScalarIndent if offset == text.len() => {
            (UNCLOSED_QUOTE.into(), offset..offset)
        }
        kind if is_tab(kind) => (TAB.into(), tab_near(text, offset)),
        kind => match value_error(kind) {
            Some(message) => (message.into(), value_at(text, offset)),
            None => (place_error(kind), one_character(text, offset)),
        },
    };
    let kind = if is_tag(error.kind()) { YamlErrorKind::Tag } else { YamlErrorKind::Syntax };
    YamlError { kind, span: at(range), message: message.into_owned() }
}

/// The error for a value nested too deeply at `span`.
pub(super) fn too_deep(span: Span) -> YamlError {
    let message = format!("Values are nested more than {MAX_DEPTH} levels deep");
    YamlError { kind: YamlErrorKind::TooDeep, span, message }
}

/// The error for a tab that indents, at `span`.
pub(super) fn tab(span: Span) -> YamlError {
    YamlError { kind: YamlErrorKind::Syntax, span, message: TAB.to_owned() }
}

const TAB: &str = "A tab is used as indentation; use spaces";
const LIST_ITEM: &str =
    "A list item (`- `) cannot start here; give it a line of its own, or quote the value";
const INDENTATION: &str = "The indentation of this line fits no line above it";
const UNCLOSED_QUOTE: &str = "A quote is opened and never closed";
const TRAILING: &str = "Text follows the end of the value; put the whole value in quotes";

/// Mistakes that make a whole value unreadable, so that the value is marked.
fn value_error(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::MappingValueNotAllowed => {
            "A value without quotes contains `: ` or ends with `:`; put the value in quotes"
        }
        ErrorKind::MappingKeyNotAllowed => "A value cannot start with `? `; put it in quotes",
        ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => {
            LIST_ITEM
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => TRAILING,
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            UNCLOSED_QUOTE
        }
        ErrorKind::MissingAnchorOrAliasName => {
            "A value cannot start with `*` or `&`; put it in quotes"
        }
        ErrorKind::UnexpectedEofBlockMapping | ErrorKind::UnexpectedEofBlockSequence => {
            "A value cannot start with this character; put it in quotes"
        }
        ErrorKind::InvalidBlockScalarHeader => {
            "Text follows `|` or `>` on the same line; start it on the next, or quote the value"
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            "This line is not `key: value`; indent it if it continues the value above"
        }
        kind if is_tag(kind) => "A value that starts with `!` is a tag; put it in quotes",
        kind if is_escape(kind) => {
            r"An unknown `\` escape in double quotes; double the backslash, or use single quotes"
        }
        _ => return None,
    })
}

/// Everything else, marked at the character where reading stopped.
fn place_error(kind: &ErrorKind) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        ErrorKind::InvalidQuotedScalarIndent => {
            "The quoted value above is left open, and this line is not indented to continue it"
        }
        ErrorKind::InvalidIndentation
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::ExpectedDocumentStart => INDENTATION,
        ErrorKind::InvalidColonPlacement => {
            "A `:` cannot stand here; a bracket or quote before it may be left open"
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            return format!("`{open}` is opened and never closed").into();
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return format!("`{open}` is closed by `{close}`").into();
        }
        ErrorKind::MisplacedFlowCollectionEnd => {
            "A bracket is closed that was never opened; put the value in quotes"
        }
        ErrorKind::ExpectedFlowSequenceSeparator | ErrorKind::ExpectedFlowMappingSeparator => {
            "A `,` or a closing bracket is missing before this"
        }
        ErrorKind::CommentInterceptedScalar => {
            "A comment stands inside a value that goes on in the next line"
        }
        ErrorKind::CommentNotSeparated => "A comment needs a space before its `#`",
        ErrorKind::DirectiveDisallowed => "A line cannot start with `%`",
        ErrorKind::InvalidDocumentEnd => "Text follows `...`, which ends the YAML",
        ErrorKind::BomInsideDocument => "A byte-order mark stands inside the text; remove it",
        ErrorKind::ZeroBlockScalarIndent => "The indentation after `|` or `>` cannot be 0",
        ErrorKind::InvalidMappingValueWhitespace
        | ErrorKind::FlowMappingValueAdjacentCollection => "A space is missing after `:`",
        _ => "This is not valid YAML",
    })
}

fn character_error(
    character: char,
    text: &str,
    offset: usize,
) -> (Cow<'static, str>, Range<usize>) {
    if matches!(character, '@' | '`' | '%' | '|' | '>') {
        let message = format!("A value cannot start with {}; put it in quotes", code(character));
        return (message.into(), value_at(text, offset));
    }
    // The error stands at the start of the value; the character is further on.
    let found = text.get(offset..).and_then(|rest| rest.find(character)).unwrap_or(0);
    let message = format!("The control character U+{:04X} is not allowed", u32::from(character));
    (message.into(), one_character(text, offset + found))
}

/// A key was expected: either something follows a finished value, or a line has moved.
fn key_error(text: &str, offset: usize) -> (Cow<'static, str>, Range<usize>) {
    let line = line_at(text, offset);
    let before = text.get(line.start..offset).unwrap_or("");
    match before.trim_start_matches(' ') {
        "" => (INDENTATION.into(), one_character(text, offset)),
        before if before.starts_with("- ") => (LIST_ITEM.into(), value_at(text, offset)),
        _ => (TRAILING.into(), value_at(text, offset)),
    }
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
            | ErrorKind::InvalidBlockEntryWhitespace
    )
}

fn is_tag(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UndeclaredTagHandle
            | ErrorKind::ExpectedTagBang
            | ErrorKind::InvalidGlobalTagCharacter
            | ErrorKind::InvalidTagTerminator
            | ErrorKind::MissingTagUri
            | ErrorKind::UnclosedVerbatimTag
            | ErrorKind::InvalidTagEscape
            | ErrorKind::InvalidTagUtf8LeadingByte
            | ErrorKind::InvalidTagUtf8TrailingByte
            | ErrorKind::InvalidTagUtf8
    )
}

fn is_escape(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownQuotedScalarEscape
            | ErrorKind::InvalidQuotedScalarHexEscape
            | ErrorKind::InvalidLowSurrogateHexEscape
            | ErrorKind::InvalidLowSurrogate
            | ErrorKind::MissingLowSurrogate
            | ErrorKind::UnpairedLowSurrogate
            | ErrorKind::InvalidUnicodeEscape
    )
}

/// A character between backticks; the backtick itself between double ones.
fn code(character: char) -> String {
    match character {
        '`' => "`` ` ``".to_owned(),
        other => format!("`{other}`"),
    }
}

/// The value of the `key: value` line around `offset`, or else the whole line's text.
fn value_at(text: &str, offset: usize) -> Range<usize> {
    let line = line_at(text, offset);
    let whole = text.get(line.clone()).unwrap_or("");
    let end = line.start + whole.trim_end_matches([' ', '\t']).len();
    let colon = [": ", ":\t"].iter().filter_map(|colon| whole.find(colon)).min();
    let colon = colon.map(|colon| colon + 1);
    let value = colon.map(|colon| skip_blanks(whole, colon)).filter(|at| line.start + at <= offset);
    let start = line.start + value.unwrap_or_else(|| skip_blanks(whole, 0));
    start..end.max(start)
}

/// The first offset from `at` on that is neither a space nor a tab.
fn skip_blanks(line: &str, at: usize) -> usize {
    let rest = line.get(at..).unwrap_or("");
    at + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
}

/// The tab that granit complains about: on the line, before `offset`, or else the next one.
fn tab_near(text: &str, offset: usize) -> Range<usize> {
    let line = line_at(text, offset);
    let before = text.get(line.start..offset).and_then(|before| before.rfind('\t'));
    let after = || text.get(offset..).and_then(|after| after.find('\t')).map(|at| offset + at);
    let tab = before.map(|at| line.start + at).or_else(after).unwrap_or(offset);
    one_character(text, tab)
}

/// The line around `offset`, without its line break.
fn line_at(text: &str, offset: usize) -> Range<usize> {
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let start = before.rfind(['\n', '\r']).map_or(0, |index| index + 1);
    let end = offset + after.find(['\n', '\r']).unwrap_or(after.len());
    start..end
}

/// The character at `offset`, or nothing at the end of a line.
fn one_character(text: &str, offset: usize) -> Range<usize> {
    let next = text.get(offset..).and_then(|rest| rest.chars().next());
    let length = next.filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
    offset..offset + length
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
