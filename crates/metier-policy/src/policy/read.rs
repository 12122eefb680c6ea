//! A policy file's text to rules. Every complaint names the file and the line.

use std::cell::Cell;
use std::collections::BTreeSet;

use metier_format::{Position, ToolPattern};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use super::error::{PolicyError, PolicyErrorKind};
use super::{AllowedToolsMode, PolicyFile, Profile, ScriptRead};
use crate::call::ToolCall;
use crate::host::HostTable;
use crate::judge::Clause;
use crate::limits::{MAX_POLICY_BYTES, MAX_RULES};
use crate::overrides::OverrideKind;
use crate::pattern::Pattern;
use crate::programs::ProgramTable;
use crate::rule::{Conditions, Example, Rule};
use crate::verdict::Verdict;

/// A file and the examples its rules have to stand up to.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) file: PolicyFile,
    /// Rule, whether it must be about the example, the example.
    examples: Vec<(usize, bool, Example)>,
}

const KEYS: [&str; 9] = [
    "allowed-tools",
    "default",
    "overrides",
    "profile",
    "rule",
    "script-read",
    "scripts",
    "unresolvable",
    "version",
];

const RULE_KEYS: [&str; 15] = [
    "agent",
    "arguments",
    "id",
    "layer",
    "matches",
    "not_matches",
    "override",
    "pattern",
    "patterns",
    "reason",
    "skill",
    "tool",
    "tools",
    "trust",
    "verdict",
];

pub(super) type Table<'i> = DeTable<'i>;
pub(super) type Item<'i> = Spanned<DeValue<'i>>;

/// Reads the file without checking its examples.
pub(super) fn read(text: &str, name: &str) -> Result<Reading, PolicyError> {
    let reader = Reader::new(text, name);
    if text.len() > MAX_POLICY_BYTES {
        return Err(reader.error(None, PolicyErrorKind::TooLarge));
    }
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map(|span| span.start);
        reader.error(at, PolicyErrorKind::Syntax(error.message().to_owned()))
    })?;
    reader.file(table.get_ref())
}

impl Reading {
    /// Checks every rule against its own examples.
    pub(super) fn check_examples(&self) -> Result<(), PolicyError> {
        let programs = ProgramTable::built_in();
        for (index, expected, example) in &self.examples {
            let Some(rule) = self.file.rules.get(*index) else { continue };
            if rule.is_about(&example.call, programs) == *expected {
                continue;
            }
            let (rule, text) = (rule.id().to_owned(), example.text.clone());
            let kind = if *expected {
                PolicyErrorKind::MissedExample { rule, example: text }
            } else {
                PolicyErrorKind::HitCounterExample { rule, example: text }
            };
            let (file, place) = (self.file.name.clone(), Some(example.place));
            return Err(PolicyError { file, place, kind });
        }
        Ok(())
    }
}

pub(super) struct Reader<'t> {
    text: &'t str,
    name: &'t str,
    /// Where a line begins and which one it is: the last that was asked about, since places are
    /// mostly asked about in their order.
    line: Cell<(usize, u32)>,
}

pub(super) type Read<T> = Result<T, PolicyError>;

impl<'t> Reader<'t> {
    fn new(text: &'t str, name: &'t str) -> Self {
        Self { text, name, line: Cell::new((0, 1)) }
    }
}

impl Reader<'_> {
    fn file(&self, table: &Table<'_>) -> Read<Reading> {
        self.check_keys(table, &KEYS)?;
        let mut file = PolicyFile { name: self.name.to_owned(), ..PolicyFile::default() };
        let verdict = |key| self.word(table, key, &Verdict::ALL.map(|v| (v.as_str(), v)));
        file.default = verdict("default")?;
        file.unresolvable = verdict("unresolvable")?;
        file.overrides = verdict("overrides")?;
        file.profile = self.word(table, "profile", &Profile::ALL.map(|p| (p.as_str(), p)))?;
        let modes = AllowedToolsMode::ALL.map(|mode| (mode.as_str(), mode));
        file.allowed_tools = self.word(table, "allowed-tools", &modes)?;
        let choices = ScriptRead::ALL.map(|choice| (choice.as_str(), choice));
        file.script_read = self.word(table, "script-read", &choices)?;
        file.scripts = self.scripts(table)?;
        self.version(table)?;
        let mut examples = Vec::new();
        if let Some(rules) = get(table, "rule") {
            let expected = "a list of tables, each starting with `[[rule]]`";
            let list = rules
                .get_ref()
                .as_array()
                .ok_or_else(|| self.wrong_type(rules, "rule", expected))?;
            self.rules(list, &mut file.rules, &mut examples)?;
        }
        Ok(Reading { file, examples })
    }

    /// The form of the file; there is one so far.
    fn version(&self, table: &Table<'_>) -> Read<()> {
        let Some(item) = get(table, "version") else { return Ok(()) };
        match item.get_ref().as_integer().map(toml::de::DeInteger::as_str) {
            Some("1") => Ok(()),
            _ => Err(self.wrong_type(item, "version", "the number 1")),
        }
    }

    fn rules(
        &self,
        list: &DeArray<'_>,
        rules: &mut Vec<Rule>,
        examples: &mut Vec<(usize, bool, Example)>,
    ) -> Read<()> {
        if list.len() > MAX_RULES {
            return Err(self.error(None, PolicyErrorKind::TooManyRules));
        }
        let mut ids = BTreeSet::new();
        for item in list.iter() {
            let Some(table) = item.get_ref().as_table() else {
                return Err(self.wrong_type(item, "rule", "a table"));
            };
            let line = self.place(item.span().start).line as usize;
            let rule = self.rule(table, item, rules.len())?;
            if !ids.insert(rule.id().to_owned()) {
                let id = get(table, "id").unwrap_or(item);
                return Err(self.error_at(id, PolicyErrorKind::DuplicateId(rule.id().to_owned())));
            }
            for (key, expected) in [("matches", true), ("not_matches", false)] {
                for example in self.examples(table, key)? {
                    examples.push((rules.len(), expected, example));
                }
            }
            rules.push(Rule { line, ..rule });
        }
        Ok(())
    }

    fn rule(&self, table: &Table<'_>, item: &Item<'_>, index: usize) -> Read<Rule> {
        self.check_keys(table, &RULE_KEYS)?;
        let verdict = self.word(table, "verdict", &Verdict::ALL.map(|v| (v.as_str(), v)))?;
        let verdict = verdict.ok_or_else(|| self.error_at(item, PolicyErrorKind::NoVerdict))?;
        let (mut patterns, mut except) = (Vec::new(), Vec::new());
        for key in ["tool", "tools", "pattern", "patterns"] {
            for (text, at) in self.words(table, key)? {
                let (negated, pattern) = self.pattern(&text, at)?;
                if negated { except.push(pattern) } else { patterns.push(pattern) }
            }
        }
        let overrides = self.override_kinds(table)?;
        if patterns.is_empty() && (overrides.is_empty() || !except.is_empty()) {
            return Err(self.error_at(item, PolicyErrorKind::NoPattern));
        }
        let id = self.text(table, "id")?.unwrap_or_else(|| format!("{}#{}", self.name, index + 1));
        let reason = self.text(table, "reason")?;
        let when = self.conditions(table)?;
        let adds = verdict > Verdict::Allow && when.is_about_skills();
        let clause = Clause::new(verdict, patterns);
        let clause = Clause { id: Some(id), except, adds, reason, ..clause };
        Ok(Rule { clause, when, overrides, line: 0 })
    }

    fn conditions(&self, table: &Table<'_>) -> Read<Conditions> {
        let words = |key| -> Read<Vec<String>> {
            Ok(self.words(table, key)?.into_iter().map(|(word, _)| word).collect())
        };
        let mut arguments = Vec::new();
        if let Some(item) = get(table, "arguments") {
            let fields = item.get_ref().as_table();
            let expected = "a table of fields and what they look like";
            let fields = fields.ok_or_else(|| self.wrong_type(item, "arguments", expected))?;
            for (field, wanted) in fields.iter() {
                let wanted = match wanted.get_ref() {
                    DeValue::String(text) => text.to_string(),
                    DeValue::Boolean(value) => value.to_string(),
                    DeValue::Integer(value) => value.as_str().to_owned(),
                    _ => {
                        return Err(self.wrong_type(
                            wanted,
                            field.get_ref(),
                            "text, a number or a boolean",
                        ));
                    }
                };
                arguments.push((field.get_ref().to_string(), wanted));
            }
        }
        Ok(Conditions {
            skills: words("skill")?,
            layers: words("layer")?,
            trusts: words("trust")?,
            agents: words("agent")?,
            arguments,
        })
    }

    fn override_kinds(&self, table: &Table<'_>) -> Read<Vec<OverrideKind>> {
        let mut kinds = Vec::new();
        for (word, at) in self.words(table, "override")? {
            match OverrideKind::ALL.into_iter().find(|kind| kind.as_str() == word) {
                Some(kind) => kinds.push(kind),
                None if word == "*" => kinds.extend(OverrideKind::ALL),
                None => {
                    let words = OverrideKind::ALL.map(OverrideKind::as_str);
                    return Err(self.unknown_value(at, "override", word, &words));
                }
            }
        }
        Ok(kinds)
    }

    /// One pattern, perhaps with `!` before it.
    fn pattern(&self, text: &str, at: usize) -> Read<(bool, Pattern)> {
        let (negated, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let compiled = parse_pattern(rest).map(|pattern| Pattern::compile(&pattern));
        let fault = match &compiled {
            Ok(pattern) => pattern.fault().map(str::to_owned),
            Err(fault) => Some(fault.clone()),
        };
        match (compiled, fault) {
            (Ok(pattern), None) => Ok((negated, pattern)),
            (_, fault) => {
                let kind = PolicyErrorKind::Pattern {
                    pattern: text.to_owned(),
                    fault: fault.unwrap_or_default(),
                };
                Err(self.error(Some(at), kind))
            }
        }
    }

    /// Calls written as patterns are, or as tables with `tool` and `arguments`.
    fn examples(&self, table: &Table<'_>, key: &str) -> Read<Vec<Example>> {
        let Some(item) = get(table, key) else { return Ok(Vec::new()) };
        let expected = "a list of calls such as \"Bash(git status)\"";
        let list = item.get_ref().as_array().ok_or_else(|| self.wrong_type(item, key, expected))?;
        let mut examples = Vec::new();
        for item in list.iter() {
            let place = self.place(item.span().start);
            let (text, call) = match item.get_ref() {
                DeValue::String(text) => {
                    let call = parse_pattern(text).map(|pattern| as_call(&pattern));
                    let call = call.map_err(|_| self.wrong_type(item, key, expected))?;
                    (text.to_string(), call)
                }
                DeValue::Table(fields) => {
                    let json = to_json(item.get_ref());
                    self.check_keys(fields, &["arguments", "tool"])?;
                    let call: Option<ToolCall> = serde_json::from_value(json.clone()).ok();
                    (json.to_string(), call.ok_or_else(|| self.wrong_type(item, key, expected))?)
                }
                _ => return Err(self.wrong_type(item, key, expected)),
            };
            examples.push(Example { text, call, place });
        }
        Ok(examples)
    }

    // Values -----------------------------------------------------------------------------------

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &self,
        table: &Table<'_>,
        key: &str,
        words: &[(&str, T)],
    ) -> Read<Option<T>> {
        let Some(item) = get(table, key) else { return Ok(None) };
        let text = item.get_ref().as_str().ok_or_else(|| self.wrong_type(item, key, "text"))?;
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(self.unknown_value(item.span().start, key, text.to_owned(), &known))
            }
        }
    }

    fn text(&self, table: &Table<'_>, key: &str) -> Read<Option<String>> {
        let Some(item) = get(table, key) else { return Ok(None) };
        let text = item.get_ref().as_str().ok_or_else(|| self.wrong_type(item, key, "text"))?;
        Ok(Some(text.to_owned()))
    }

    /// Text or a list of texts, each with where it stands.
    pub(super) fn words(&self, table: &Table<'_>, key: &str) -> Read<Vec<(String, usize)>> {
        let Some(item) = get(table, key) else { return Ok(Vec::new()) };
        let expected = "text or a list of texts";
        let one = |item: &Item<'_>| match item.get_ref().as_str() {
            Some(text) => Ok((text.to_owned(), item.span().start)),
            None => Err(self.wrong_type(item, key, expected)),
        };
        match item.get_ref() {
            DeValue::Array(list) => list.iter().map(one).collect(),
            _ => Ok(vec![one(item)?]),
        }
    }

    pub(super) fn check_keys(&self, table: &Table<'_>, known: &[&str]) -> Read<()> {
        for (key, _) in table.iter() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let alike = known.iter().min_by_key(|known| distance(known, name));
            let suggestion = alike
                .filter(|known| distance(known, name) <= name.len().div_ceil(4))
                .map(|s| (*s).to_owned());
            let kind = PolicyErrorKind::UnknownKey { key: name.to_owned(), suggestion };
            return Err(self.error(Some(key.span().start), kind));
        }
        Ok(())
    }

    // Complaints -------------------------------------------------------------------------------

    pub(super) fn error(&self, at: Option<usize>, kind: PolicyErrorKind) -> PolicyError {
        PolicyError { file: self.name.to_owned(), place: at.map(|at| self.place(at)), kind }
    }

    fn error_at(&self, item: &Item<'_>, kind: PolicyErrorKind) -> PolicyError {
        self.error(Some(item.span().start), kind)
    }

    pub(super) fn wrong_type(
        &self,
        item: &Item<'_>,
        key: &str,
        expected: &'static str,
    ) -> PolicyError {
        self.error_at(item, PolicyErrorKind::WrongType { key: key.to_owned(), expected })
    }

    fn unknown_value(&self, at: usize, key: &str, value: String, words: &[&str]) -> PolicyError {
        let expected = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        self.error(Some(at), PolicyErrorKind::UnknownValue { key: key.to_owned(), value, expected })
    }

    /// The same as [`Position::of`], counted from the last line that was asked about.
    fn place(&self, at: usize) -> Position {
        let bytes = self.text.as_bytes();
        let at = at.min(bytes.len());
        let (start, number) =
            Some(self.line.get()).filter(|(from, _)| *from <= at).unwrap_or((0, 1));
        let rest = bytes.get(start..).unwrap_or_default();
        let before = rest.get(..at - start).unwrap_or_default();
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let number = number + Position::of(rest, line).line - 1;
        self.line.set((start + line, number));
        let tail = rest.get(line..).unwrap_or_default();
        if start + line > 0 && tail.starts_with("\u{feff}".as_bytes()) {
            return Position::of(bytes, at);
        }
        let position = Position::of(tail, at - start - line);
        Position { line: position.line + number - 1, ..position }
    }
}

pub(super) fn get<'t, 'i>(table: &'t Table<'i>, key: &str) -> Option<&'t Item<'i>> {
    table
        .iter()
        .find(|(name, _)| {
            let name: &DeString<'_> = name.get_ref();
            name == key
        })
        .map(|(_, item)| item)
}

/// `Name` or `Name(argument)`; the argument is whatever stands between the outer parentheses.
fn parse_pattern(text: &str) -> Result<ToolPattern, String> {
    let text = text.trim();
    let Some((tool, rest)) = text.split_once('(') else {
        if text.is_empty() || text.contains([' ', ')']) {
            return Err("it is not of the form `Tool` or `Tool(argument)`".to_owned());
        }
        return Ok(ToolPattern { tool: text.to_owned(), argument: None });
    };
    let argument = rest.strip_suffix(')').ok_or("its parenthesis is not closed")?;
    if tool.is_empty() || tool.contains(' ') {
        return Err("it is not of the form `Tool` or `Tool(argument)`".to_owned());
    }
    Ok(ToolPattern { tool: tool.to_owned(), argument: Some(argument.to_owned()) })
}

/// An example in pattern form as the call it stands for.
fn as_call(pattern: &ToolPattern) -> ToolCall {
    let name = pattern.tool.to_lowercase();
    let field = match HostTable::plain().canonical(&name) {
        "bash" => "command",
        "read" | "write" | "edit" => "file_path",
        "glob" | "grep" | "ls" => "path",
        "webfetch" => "url",
        _ => "argument",
    };
    let arguments = match &pattern.argument {
        Some(argument) => serde_json::json!({ field: argument }),
        None => Value::Object(serde_json::Map::new()),
    };
    ToolCall::new(pattern.tool.clone(), arguments)
}

fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(value) => value.as_str().parse::<i64>().map_or(Value::Null, Value::from),
        DeValue::Float(value) => value.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Datetime(value) => Value::String(value.to_string()),
        DeValue::Array(items) => items.iter().map(|item| to_json(item.get_ref())).collect(),
        DeValue::Table(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, item)| (key.get_ref().to_string(), to_json(item.get_ref())))
                .collect(),
        ),
    }
}

/// How many characters differ: insertions, deletions and replacements, `_` and `-` being one.
fn distance(one: &str, other: &str) -> usize {
    let fold = |text: &str| text.to_lowercase().replace('_', "-").chars().collect::<Vec<_>>();
    let (one, other) = (fold(one), fold(other));
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut previous = i;
        let mut next = vec![i + 1];
        for (b, above) in other.iter().zip(row.iter().skip(1)) {
            let left = next.last().copied().unwrap_or(i);
            next.push((previous + usize::from(a != b)).min(above + 1).min(left + 1));
            previous = *above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
