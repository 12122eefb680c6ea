//! Secrets do not reach the journal: declared values are removed wherever they stand, and what
//! looks like a credential is removed too.

use serde_json::Value;

/// Shortest declared value that is searched for; shorter ones would blank ordinary words.
const MIN_SECRET: usize = 6;

/// Removes secrets from everything that is recorded.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
    /// What stands where a secret stood.
    pub(crate) const MARK: &str = "[redacted]";

    /// Knows these values as secrets, besides what looks like one.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> =
            secrets.into_iter().filter(|secret| secret.len() >= MIN_SECRET).collect();
        // Longest first, so that a secret containing another is removed whole.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        secrets.dedup();
        Self { secrets }
    }

    /// `value` with every string in it redacted, keys included. A string under a key that names a
    /// secret goes whole.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => Value::Object(
                map.iter().map(|(key, item)| (self.text(key), self.member(key, item))).collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn member(&self, key: &str, item: &Value) -> Value {
        match item {
            Value::String(text) if !text.is_empty() && Self::names_secret(key) => Self::MARK.into(),
            _ => self.value(item),
        }
    }

    /// Whether a declared secret is in `bytes`. What only looks like one is not asked about: skills
    /// are full of examples.
    #[must_use]
    pub fn finds_declared(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        self.secrets.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Whether a key says that its value is secret.
    pub(crate) fn names_secret(key: &str) -> bool {
        let key = key.to_ascii_lowercase().replace(['-', '_'], "");
        let words =
            ["password", "passwd", "secret", "apikey", "accesskey", "privatekey", "authorization"];
        words.iter().any(|word| key.contains(word)) || key.ends_with("token") || key == "auth"
    }

    /// How many bytes from its first byte on are enough to see any secret.
    pub(crate) fn longest(&self) -> usize {
        self.secrets.first().map_or(0, String::len).max(LONGEST_SHAPE)
    }

    /// `text` without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for secret in &self.secrets {
            if out.contains(secret.as_str()) {
                out = out.replace(secret.as_str(), Self::MARK);
            }
        }
        redact_shapes(out)
    }
}

/// More bytes than any label or shape needs to be seen.
const LONGEST_SHAPE: usize = 128;

/// Shortest text with a label and a secret, or a shape, in it. Most keys and many values are
/// shorter.
const SHORTEST_SHAPE: usize = 11;

/// Fewest characters of a shape: its start and what must follow.
const SHORTEST_RUN: usize = 20;

/// Starts of credentials that are known by their shape, with the fewest characters that must
/// follow.
const SHAPES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxa-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("eyJ", 40),
    ("npm_", 30),
    ("hf_", 30),
    ("-----BEGIN ", 20),
];

/// Words after which a value is a secret: `password=…`, `Bearer …`.
const LABELS: &[&str] = &[
    "bearer ",
    "basic ",
    "password=",
    "passwd=",
    "secret=",
    "token=",
    "api_key=",
    "apikey=",
    "api-key=",
];

fn redact_shapes(text: String) -> String {
    if !may_hold_shapes(&text) {
        return text;
    }
    let lower = text.to_ascii_lowercase();
    let labelled = LABELS.iter().any(|label| lower.contains(label));
    let shaped = SHAPES.iter().any(|(start, _)| text.contains(start));
    if !labelled && !shaped {
        return text;
    }
    let text = text.as_str();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let Some(skip) = credential_at(text, &lower, at) {
            out.push_str(&text[at..at + skip.keep]);
            out.push_str(Redactor::MARK);
            at += skip.keep + skip.drop;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        out.push(c);
        at += c.len_utf8();
    }
    out
}

/// Whether it is worth looking: every label ends in a space or `=`, every shape is a long run of a
/// credential's characters, and most text has neither.
fn may_hold_shapes(text: &str) -> bool {
    if text.len() < SHORTEST_SHAPE {
        return false;
    }
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if is_part(byte) { run + 1 } else { 0 };
        byte == b' ' || byte == b'=' || run >= SHORTEST_RUN
    })
}

/// Bytes to keep (a label) and to drop (the credential).
struct Skip {
    keep: usize,
    drop: usize,
}

fn credential_at(text: &str, lower: &str, at: usize) -> Option<Skip> {
    let boundary = text[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
    if !boundary {
        return None;
    }
    for label in LABELS {
        if lower[at..].starts_with(label) {
            let drop = run(&text[at + label.len()..]);
            return (drop >= MIN_SECRET).then_some(Skip { keep: label.len(), drop });
        }
    }
    if text[at..].starts_with("-----BEGIN ") {
        let rest = &text[at..];
        let end = rest
            .find("-----END ")
            .map_or(rest.len(), |end| rest[end..].find('\n').map_or(rest.len(), |line| end + line));
        return Some(Skip { keep: 0, drop: end });
    }
    let (start, least) = SHAPES.iter().find(|(start, _)| text[at..].starts_with(start))?;
    let follows = run(&text[at + start.len()..]);
    (follows >= *least).then_some(Skip { keep: 0, drop: start.len() + follows })
}

/// How far a credential's characters go.
fn run(text: &str) -> usize {
    text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// Whether a credential may have that character.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.+/=~:".contains(&byte)
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
