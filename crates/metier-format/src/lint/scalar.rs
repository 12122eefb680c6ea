//! Text fields written so that YAML 1.1 readers take them for something else: `version: 1.10`
//! becomes the number 1.1, `yes` a boolean, `2024-01-01` a date. metier keeps them as text; the
//! next reader may not.

use super::{Findings, Source};
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::manifest::{Manifest, Text};
use crate::span::Span;
use crate::text::quoted;

pub(super) fn check(source: Source<'_>, manifest: &Manifest) -> Findings {
    let mut spans = text_spans(manifest);
    spans.sort_unstable();
    spans.dedup();
    let mut findings = Findings::default();
    for span in spans {
        // The source, not the value: a quoted or folded scalar starts with its indicator and is
        // never taken for anything but text.
        let written = span.slice(source.text).trim();
        let Some(kind) = taken_for(written) else { continue };
        findings.push(Some(span), || {
            let message = format!("Some YAML readers take {} for {kind}", quoted(written));
            let text = format!("\"{written}\"");
            Diagnostic::new(Code::CoercedScalar, message)
                .help(format!("write {}", quoted(&text)))
                .fix(vec![Edit { span, text }])
        });
    }
    findings
}

/// Where the fields stand whose values are text. Flags, numbers and lists are left out: there a
/// reader that knows types is right. So are unknown fields, whose type nobody knows.
fn text_spans(manifest: &Manifest) -> Vec<Span> {
    let Manifest { origin, invocation, .. } = manifest;
    let optional: [&Option<Text>; 10] = [
        &manifest.license,
        &manifest.compatibility,
        &origin.version,
        &origin.author,
        &origin.repository,
        &origin.min_host_version,
        &origin.max_host_version,
        &invocation.model,
        &invocation.agent,
        &invocation.argument_hint,
    ];
    let mut spans = vec![manifest.name.span, manifest.description.span];
    spans.extend(optional.into_iter().flatten().map(|text| text.span));
    spans.extend(manifest.metadata.iter().map(|(_, value)| value.span));
    spans
}

/// What a YAML 1.1 reader makes of the plain scalar `text`, when that is not text.
fn taken_for(text: &str) -> Option<&'static str> {
    // The words have five letters at most; all else starts with a digit or what stands before one.
    let starts_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '_');
    if text.len() > 5 && !text.starts_with(starts_number) {
        return None;
    }
    match text {
        "~" | "null" | "Null" | "NULL" => Some("nothing at all"),
        "y" | "Y" | "n" | "N" => Some("a boolean"),
        _ if is_boolean_word(text) => Some("a boolean"),
        _ if is_number(text) => Some("a number"),
        _ if is_sexagesimal(text) => Some("a number, in base 60"),
        _ if is_date(text) => Some("a date"),
        _ => None,
    }
}

/// The words for yes and no, in lower case, capitalised or in upper case.
fn is_boolean_word(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let tail = text.get(1..).unwrap_or_default();
    matches!(&*lower, "yes" | "no" | "true" | "false" | "on" | "off")
        && (text == lower
            || tail == lower.get(1..).unwrap_or_default()
            || text == text.to_ascii_uppercase())
}

/// Integers in four bases, floats, infinity and not-a-number. `1.2.3` is none of them.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |rest: &str, radix| {
        rest.chars().any(|c| c != '_') && rest.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = unsigned.strip_prefix(prefix) {
            return digits(rest, radix);
        }
    }
    matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || matches!(text, ".nan" | ".NaN" | ".NAN")
        || is_decimal(unsigned)
}

/// Digits, perhaps a point among them, perhaps an exponent after them.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    is_digits(whole)
        && is_digits(fraction)
        && mantissa.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && mantissa.bytes().any(|b| b.is_ascii_digit())
        && !power.is_empty()
        && power.bytes().all(|b| b.is_ascii_digit())
}

/// `12:30:45`, which YAML 1.1 reads as a number in base 60.
fn is_sexagesimal(text: &str) -> bool {
    let mut parts = text.strip_prefix(['+', '-']).unwrap_or(text).split(':');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let is_sixtieth = |part: &&str| {
        let whole = part.split_once('.').map_or(*part, |(whole, _)| whole);
        (1..=2).contains(&whole.len()) && whole.parse::<u8>().is_ok_and(|n| n < 60)
    };
    !rest.is_empty()
        && !first.is_empty()
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && rest.iter().all(is_sixtieth)
}

/// `2024-01-01`, alone or followed by a time of day.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time.trim_start())),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let has = |part: &str, least, most| {
        (least..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let least = if time.is_some() { 1 } else { 2 };
    has(year, 4, 4)
        && has(month, least, 2)
        && has(day, least, 2)
        && time
            .is_none_or(|time| time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':'))
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
