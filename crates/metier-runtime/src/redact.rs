//! Secrets do not reach the journal: declared values are removed wherever they stand, and what
//! looks like a credential is removed too.

use serde_json::Value;

/// What stands where a secret stood.
const MARK: &str = "[redacted]";

/// Shortest declared value that is searched for; shorter ones would blank ordinary words.
const MIN_SECRET: usize = 6;

/// Removes secrets from everything that is recorded.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
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
            Value::String(text) if !text.is_empty() && names_secret(key) => MARK.into(),
            _ => self.value(item),
        }
    }

    /// `text` without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for secret in &self.secrets {
            if out.contains(secret.as_str()) {
                out = out.replace(secret.as_str(), MARK);
            }
        }
        redact_shapes(&out)
    }
}

/// Whether a key says that its value is secret.
fn names_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace(['-', '_'], "");
    let words =
        ["password", "passwd", "secret", "apikey", "accesskey", "privatekey", "authorization"];
    words.iter().any(|word| key.contains(word)) || key.ends_with("token") || key == "auth"
}

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

fn redact_shapes(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let labelled = LABELS.iter().any(|label| lower.contains(label));
    let shaped = SHAPES.iter().any(|(start, _)| text.contains(start));
    if !labelled && !shaped {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let Some(skip) = credential_at(text, &lower, at) {
            out.push_str(&text[at..at + skip.keep]);
            out.push_str(MARK);
            at += skip.keep + skip.drop;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        out.push(c);
        at += c.len_utf8();
    }
    out
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
    let part = |c: char| c.is_ascii_alphanumeric() || "-_.+/=~:".contains(c);
    text.find(|c| !part(c)).unwrap_or(text.len())
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
