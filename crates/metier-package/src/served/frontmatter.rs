//! What a server says that a skill's frontmatter is, against what the file says, field by field.
//!
//! Programs read plain words of YAML differently: `1.0` is a text to some and a number to others,
//! `yes` a truth value to few. The rule: a text has to be the scalar as it is written; a number, a
//! truth value or nothing has to be what YAML 1.1 or 1.2 reads the plain scalar as. A quoted scalar
//! is a text and nothing else. What metier uses is the file.

use metier_format::parse_frontmatter;
use metier_format::yaml::{self, Entry, Node, Scalar, Style, Value as Yaml};
use serde_json::{Map, Value};

/// Compares; the first field that differs is said.
pub(super) fn compare(file: &[u8], claimed: &Map<String, Value>) -> Result<(), String> {
    let unreadable = || "its frontmatter is not YAML as it stands".to_owned();
    let span = parse_frontmatter(file, None).frontmatter.ok_or_else(unreadable)?;
    let start = span.start as usize;
    let text = file.get(start..span.end as usize).and_then(|text| std::str::from_utf8(text).ok());
    let tree = yaml::read(text.ok_or_else(unreadable)?, start).map_err(|_| unreadable())?;
    members(&tree.entries, claimed, "")
}

fn members(
    entries: &[Entry<'_>],
    claimed: &Map<String, Value>,
    within: &str,
) -> Result<(), String> {
    let path = |key: &str| match within {
        "" => key.to_owned(),
        within => format!("{within}.{key}"),
    };
    for entry in entries {
        let at = path(&entry.key);
        let Some(claim) = claimed.get(&*entry.key) else {
            return Err(format!("the file has `{}`, which the server does not list", shown(&at)));
        };
        node(&entry.value, claim, &at)?;
    }
    match claimed.keys().find(|key| !entries.iter().any(|entry| *entry.key == **key)) {
        Some(key) => Err(format!("the server lists `{}`, which is not in it", shown(&path(key)))),
        None => Ok(()),
    }
}

fn node(node: &Node<'_>, claim: &Value, at: &str) -> Result<(), String> {
    let differs = || Err(format!("`{}` is not what the server lists", shown(at)));
    match (&node.value, claim) {
        (Yaml::Mapping(entries), Value::Object(claimed)) => members(entries, claimed, at),
        (Yaml::Sequence(items), Value::Array(claimed)) if items.len() == claimed.len() => {
            let pairs = items.iter().zip(claimed).enumerate();
            pairs.into_iter().try_for_each(|(number, (item, claim))| {
                self::node(item, claim, &format!("{at}.{number}"))
            })
        }
        (Yaml::Scalar(scalar), claim) if same(scalar, claim) => Ok(()),
        _ => differs(),
    }
}

fn same(scalar: &Scalar<'_>, claim: &Value) -> bool {
    let text = &*scalar.text;
    let plain = scalar.style == Style::Plain;
    match claim {
        Value::String(said) => said == text || (plain && is_day(text) && *said == midnight(text)),
        Value::Null => plain && matches!(text, "" | "~" | "null" | "Null" | "NULL"),
        Value::Bool(said) => plain && truth(text) == Some(*said),
        Value::Number(said) => {
            plain && number(text).is_some_and(|value| said.as_f64() == Some(value))
        }
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn truth(text: &str) -> Option<bool> {
    let capital = text.chars().next().is_some_and(char::is_uppercase);
    let (first, rest) = text.split_at_checked(1)?;
    let one_case = rest == rest.to_lowercase() || (capital && rest == rest.to_uppercase());
    let lower = format!("{}{}", first.to_lowercase(), rest.to_lowercase());
    match lower.as_str() {
        "true" | "yes" | "on" | "y" if one_case => Some(true),
        "false" | "no" | "off" | "n" if one_case => Some(false),
        _ => None,
    }
}

/// The number a plain scalar is to YAML 1.1 or 1.2. Where they disagree (`017`), it is none.
fn number(text: &str) -> Option<f64> {
    let bare = text.replace('_', "");
    let (negative, unsigned) = match bare.split_at_checked(1) {
        Some(("-", rest)) => (true, rest),
        Some(("+", rest)) => (false, rest),
        _ => (false, bare.as_str()),
    };
    let radix = |prefix: &str, radix: u32| {
        unsigned.strip_prefix(prefix).and_then(|digits| u64::from_str_radix(digits, radix).ok())
    };
    let whole = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let octal = unsigned.len() > 1 && unsigned.starts_with('0') && digits(unsigned);
    let decimal = |text: &str| {
        let usual = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
        let some = text.bytes().any(|byte| byte.is_ascii_digit());
        (some && text.bytes().all(usual)).then(|| text.parse::<f64>().ok()).flatten()
    };
    let value = match whole {
        // Beyond 2^53 digits are lost, as they are to others who read JSON.
        Some(whole) => whole as f64,
        None if octal => return None,
        None => decimal(unsigned).filter(|value| value.is_finite())?,
    };
    Some(if negative { -value } else { value })
}

/// Whether a text is a day, which some readers make the first instant of.
fn is_day(text: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

fn midnight(day: &str) -> String {
    format!("{day}T00:00:00.000Z")
}

fn shown(field: &str) -> String {
    crate::hazard::shown(field.as_bytes())
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
