//! The standard's six fields. Their rules are the standard's; what breaks one is an error when
//! strict, and loads all the same when the skill can still be used.

use super::Reader;
use crate::diagnostic::{Code, Edit};
use crate::field::Field;
use crate::limits::{MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TOOL_PATTERNS};
use crate::manifest::Text;
use crate::name::{NameError, NameFault, SkillName, trim};
use crate::span::{Span, Spanned};
use crate::text::quoted;
use crate::tool_pattern::{AllowedTools, ToolPattern, ToolPatternError};
use crate::yaml::{Entry, Node, Value};

impl Reader<'_> {
    pub(super) fn standard(&mut self, entry: Entry<'_>, field: Field) {
        let node = &entry.value;
        match field {
            Field::Name => {
                self.draft.seen[0] = true;
                self.draft.name = self.name(node);
            }
            Field::Description => {
                self.draft.seen[1] = true;
                self.draft.description = self.description(node);
            }
            Field::License => self.draft.license = self.license(node),
            Field::Compatibility => self.draft.compatibility = self.compatibility(node),
            Field::Metadata => self.metadata(node),
            Field::AllowedTools => {
                let tools = self.tools(node);
                let plain = is_standard_form(node, &tools);
                self.draft.allowed_tools = Some(Spanned::new(tools, node.span));
                self.draft.allowed_tools_written =
                    (!plain).then(|| Box::new(entry.value.into_owned()));
            }
            _ => {}
        }
    }

    fn name(&mut self, node: &Node<'_>) -> Option<Spanned<SkillName>> {
        let Some(text) = node.as_text() else {
            self.find(Code::NameEmpty, node.span, "`name` is not text".to_owned());
            return None;
        };
        let name = match SkillName::parse(text) {
            Ok(name) => name,
            Err(NameError::Empty) => {
                self.find(Code::NameEmpty, node.span, "`name` is empty".to_owned());
                return None;
            }
            Err(error) => {
                let message = format!("{} cannot be a name: {error}", quoted(trim(text)));
                self.find(Code::NameUnusable, node.span, message);
                return None;
            }
        };
        if name.as_str() != trim(text) {
            let message = format!("{} is read as {}", quoted(trim(text)), quoted(name.as_str()));
            self.find(Code::NameNormalized, node.span, message);
        }
        for fault in name.faults() {
            self.name_fault(&name, fault, node.span);
        }
        self.name_and_directory(&name, node.span);
        Some(Spanned::new(name, node.span))
    }

    fn name_fault(&mut self, name: &SkillName, fault: NameFault, span: Span) {
        let shown = quoted(name.as_str());
        let (code, message) = match fault {
            NameFault::TooLong => {
                let count = name.as_str().chars().count();
                (Code::NameTooLong, format!("{shown} has {count} characters, more than 64"))
            }
            NameFault::NotLowercase => {
                (Code::NameNotLowercase, format!("{shown} has uppercase letters"))
            }
            NameFault::EdgeHyphen => {
                (Code::NameEdgeHyphen, format!("{shown} starts or ends with a hyphen"))
            }
            NameFault::DoubleHyphen => {
                (Code::NameDoubleHyphen, format!("{shown} has two hyphens in a row"))
            }
            NameFault::Characters => (
                Code::NameCharacters,
                format!("{shown} has characters other than letters, digits and hyphens"),
            ),
        };
        self.find(code, span, message);
    }

    fn name_and_directory(&mut self, name: &SkillName, span: Span) {
        let Some(directory) = self.directory else { return };
        if name.matches_directory(directory) {
            return;
        }
        let (name, directory) = (quoted(name.as_str()), quoted(directory));
        let message = format!("The name {name} differs from its directory {directory}");
        let help = format!("rename the directory to {name}, or set `name` to {directory}");
        self.find(Code::NameNotDirectory, span, message).help = Some(help);
    }

    /// Counted after trimming: the line break that a block scalar ends with is YAML's, not the
    /// author's, so 1024 characters after `|` are 1024 characters.
    fn description(&mut self, node: &Node<'_>) -> Option<Text> {
        let Some(text) = node.as_text() else {
            let message = "`description` is not text".to_owned();
            self.find(Code::DescriptionEmpty, node.span, message);
            return None;
        };
        let text = trim(text);
        if text.is_empty() {
            let message = "`description` is empty".to_owned();
            self.find(Code::DescriptionEmpty, node.span, message);
            return None;
        }
        if let Some(count) = longer_than(text, MAX_DESCRIPTION_CHARS) {
            let message =
                format!("`description` has {count} characters, more than {MAX_DESCRIPTION_CHARS}");
            self.find(Code::DescriptionTooLong, node.span, message);
        }
        Some(Spanned::new(text.to_owned(), node.span))
    }

    fn license(&mut self, node: &Node<'_>) -> Option<Text> {
        if node.as_text().is_none() {
            self.find(Code::LicenseType, node.span, "`license` is not text".to_owned());
            return None;
        }
        self.text(Field::License, node)
    }

    fn compatibility(&mut self, node: &Node<'_>) -> Option<Text> {
        let Some(text) = node.as_text() else {
            let message = "`compatibility` is not text".to_owned();
            self.find(Code::CompatibilityType, node.span, message);
            return None;
        };
        let text = trim(text);
        if text.is_empty() {
            let message = "`compatibility` is empty".to_owned();
            self.find(Code::CompatibilityEmpty, node.span, message);
            return None;
        }
        if let Some(count) = longer_than(text, MAX_COMPATIBILITY_CHARS) {
            let message = format!(
                "`compatibility` has {count} characters, more than {MAX_COMPATIBILITY_CHARS}"
            );
            self.find(Code::CompatibilityTooLong, node.span, message);
        }
        Some(Spanned::new(text.to_owned(), node.span))
    }

    fn metadata(&mut self, node: &Node<'_>) {
        let entries = match &node.value {
            Value::Mapping(entries) if !entries.is_empty() => entries,
            Value::Mapping(_) => return self.empty("metadata", node),
            Value::Scalar(scalar) if trim(&scalar.text).is_empty() => {
                return self.empty("metadata", node);
            }
            Value::Scalar(_) | Value::Sequence(_) => {
                self.find(Code::MetadataType, node.span, "`metadata` is not a map".to_owned());
                return;
            }
        };
        let mut metadata: Vec<(Text, Text)> = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = Spanned::new(entry.key.to_string(), entry.key_span);
            metadata.push((key, self.metadata_value(entry)));
        }
        self.draft.metadata = if self.repeats { last_of_each(metadata) } else { metadata };
    }

    /// A value that is not text is kept as its JSON.
    fn metadata_value(&mut self, entry: &Entry<'_>) -> Text {
        let node = &entry.value;
        let text = match node.as_text() {
            Some(text) => text.to_owned(),
            None => {
                let message = format!("The value of {} is not text", quoted(&entry.key));
                self.find(Code::MetadataValue, node.span, message);
                node.to_json().to_string()
            }
        };
        Spanned::new(text, node.span)
    }

    /// Whatever cannot be read allows nothing: a restriction is never dropped because it is
    /// misspelt.
    fn tools(&mut self, node: &Node<'_>) -> AllowedTools {
        let patterns = match &node.value {
            Value::Scalar(scalar) => self.tokenize(&scalar.text, node.span),
            Value::Sequence(items) => self.tool_list(items),
            Value::Mapping(_) => {
                self.find(Code::ToolsType, node.span, "`allowed-tools` is a map".to_owned());
                None
            }
        };
        let Some(patterns) = patterns else { return AllowedTools::Unreadable };
        if patterns.is_empty() {
            let message = "`allowed-tools` is empty, so no tool is allowed".to_owned();
            self.find(Code::ToolsEmpty, node.span, message);
        } else {
            self.tools_form(node, &patterns);
        }
        AllowedTools::Only(patterns)
    }

    fn tool_list(&mut self, items: &[Node<'_>]) -> Option<Vec<ToolPattern>> {
        let mut patterns = Vec::new();
        for item in items {
            let Some(text) = item.as_text() else {
                let message = "An item of `allowed-tools` is not text".to_owned();
                self.find(Code::ToolsType, item.span, message);
                return None;
            };
            patterns.extend(self.tokenize(text, item.span)?);
            if patterns.len() > MAX_TOOL_PATTERNS {
                self.tools_error(ToolPatternError::TooMany, item.span);
                return None;
            }
        }
        Some(patterns)
    }

    fn tokenize(&mut self, text: &str, span: Span) -> Option<Vec<ToolPattern>> {
        match ToolPattern::tokenize(text) {
            Ok(patterns) => Some(patterns),
            Err(error) => {
                // The offset is one in the file only where the text stands there as it is.
                let at = error.offset().filter(|_| self.is_verbatim(text, span));
                let (start, end) = (span.start as usize, span.end as usize);
                let place = at.map_or(span, |at| Span::new(start + at, end));
                self.tools_error(error, place);
                None
            }
        }
    }

    fn tools_error(&mut self, error: ToolPatternError, span: Span) {
        let code = match error {
            ToolPatternError::TooMany => Code::ToolsTooMany,
            ToolPatternError::Unbalanced(_)
            | ToolPatternError::Nameless(_)
            | ToolPatternError::Trailing(_) => Code::ToolsUnbalanced,
        };
        self.find(code, span, format!("`allowed-tools` cannot be read: {error}"));
    }

    /// The standard has one form: a string with spaces between the tools.
    fn tools_form(&mut self, node: &Node<'_>, patterns: &[ToolPattern]) {
        let message = match &node.value {
            Value::Scalar(scalar) if !has_outer_comma(&scalar.text) => return,
            Value::Scalar(_) => "`allowed-tools` has commas between the tools",
            Value::Sequence(_) | Value::Mapping(_) => "`allowed-tools` is a list",
        };
        let raw = self.source.get(node.span.range()).unwrap_or_default();
        let one_line = !raw.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b'#'));
        let form = one_line.then(|| standard_form(patterns)).flatten();
        let diagnostic = self.find(Code::ToolsForm, node.span, message.to_owned());
        if let Some(text) = form {
            diagnostic.fix = vec![Edit { span: node.span, text }];
        }
    }
}

/// How many characters `text` has, when they are more than `limit`.
fn longer_than(text: &str, limit: usize) -> Option<usize> {
    // A text with no more bytes than that cannot have more characters.
    if text.len() <= limit {
        return None;
    }
    Some(text.chars().count()).filter(|count| *count > limit)
}

/// Of entries with the same key, the last value at the first one's place, as in JSON.
fn last_of_each(entries: Vec<(Text, Text)>) -> Vec<(Text, Text)> {
    let mut places = std::collections::BTreeMap::new();
    let mut kept: Vec<(Text, Text)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match places.get(&key.value).and_then(|place: &usize| kept.get_mut(*place)) {
            Some(earlier) => *earlier = (key, value),
            None => {
                places.insert(key.value.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    kept
}

/// Whether the value is the very text that the tools are written as by joining them with spaces.
fn is_standard_form(node: &Node<'_>, tools: &AllowedTools) -> bool {
    let (Some(text), AllowedTools::Only(patterns)) = (node.as_text(), tools) else { return false };
    let length = |pattern: &ToolPattern| {
        pattern.tool.len() + pattern.argument.as_ref().map_or(0, |argument| argument.len() + 2)
    };
    // Then every separator is one byte: a space, a comma, or another white space.
    let spaces = patterns.len().saturating_sub(1);
    text.len() == patterns.iter().map(length).sum::<usize>() + spaces
        && !has_outer_comma(text)
        && !text.bytes().any(|byte| byte.is_ascii_control())
}

/// Whether a comma stands outside parentheses, which are known to be balanced.
fn has_outer_comma(text: &str) -> bool {
    let mut depth = 0i32;
    text.bytes().any(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth == 0 && byte == b','
    })
}

/// The tools on one line, when that line means the same without quotes wherever it stands.
fn standard_form(patterns: &[ToolPattern]) -> Option<String> {
    let words: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    let line = words.join(" ");
    let plain = |c: char| c.is_ascii_alphanumeric() || " _-.*()/:".contains(c);
    let safe = line.starts_with(|c: char| c.is_ascii_alphanumeric())
        && line.chars().all(plain)
        && !line.contains(": ")
        && !line.contains("  ")
        && !line.ends_with(':');
    safe.then_some(line)
}
