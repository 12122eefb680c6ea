//! Frontmatter as JSON the way other programs read YAML: plain words that are numbers, truth values
//! or nothing become that (YAML 1.2, core schema). metier itself keeps them as text; whoever
//! compares our JSON with the file field by field does not.

use metier_format::parse_frontmatter;
use metier_format::yaml::{self, Node, Style, Value as Yaml};
use serde_json::{Map, Number, Value};

/// The frontmatter of a `SKILL.md`; none when it is not YAML as it stands.
pub(crate) fn frontmatter(file: &[u8]) -> Option<Value> {
    let span = parse_frontmatter(file, None).frontmatter?;
    let start = span.start as usize;
    let text = std::str::from_utf8(file.get(start..span.end as usize)?).ok()?;
    let tree = yaml::read(text, start).ok()?;
    let mut members = Map::new();
    for entry in &tree.entries {
        members.insert(entry.key.to_string(), value(&entry.value));
    }
    Some(Value::Object(members))
}

fn value(node: &Node<'_>) -> Value {
    match &node.value {
        Yaml::Scalar(scalar) if scalar.style == Style::Plain => plain(&scalar.text),
        Yaml::Scalar(scalar) => Value::String(scalar.text.to_string()),
        Yaml::Sequence(items) => items.iter().map(value).collect(),
        Yaml::Mapping(entries) => Value::Object(
            entries.iter().map(|entry| (entry.key.to_string(), value(&entry.value))).collect(),
        ),
    }
}

/// A plain scalar, by the core schema. What JSON has no number for stays text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).unwrap_or_else(|| Value::String(text.to_owned()))
}

fn number(text: &str) -> Option<Value> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(Value::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(Value::from);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let signed = text.strip_prefix('+').unwrap_or(text);
        let whole = signed.parse::<i64>().ok().map(Value::from);
        let whole = whole.or_else(|| signed.parse::<u64>().ok().map(Value::from));
        return whole.or_else(|| float(signed));
    }
    is_float(unsigned).then(|| float(text.strip_prefix('+').unwrap_or(text)))?
}

/// None for what is too large: it would be read as infinite, which no number in JSON is.
fn float(text: &str) -> Option<Value> {
    Number::from_f64(text.parse().ok()?).map(Value::Number)
}

/// `[0-9]*.[0-9]*` or digits, with an exponent or not, with at least one digit.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent
}

#[cfg(test)]
#[path = "yaml_json_tests.rs"]
mod tests;
