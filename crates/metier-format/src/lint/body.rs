//! How long the body is, and whether there is one.

use super::{Body, Findings};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::{MAX_BODY_LINES, MAX_BODY_TOKENS, MAX_MARKDOWN_BYTES};
use crate::span::Span;

/// Bytes a token takes on average. Real bodies measure 4.2, so a body said to be too large by this
/// estimate may be 5 % below the limit, never far below.
const BYTES_PER_TOKEN: usize = 4;

pub(super) fn check(body: Body<'_>, tokens: Option<usize>) -> Findings {
    let mut findings = Findings::default();
    let start = Span::at(body.start);
    if body.text.trim().is_empty() {
        findings.push(Some(start), || Diagnostic::new(Code::EmptyBody, "The body is empty"));
        return findings;
    }
    let lines = count_lines(body.text);
    if lines > MAX_BODY_LINES {
        findings.push(Some(first_line_too_many(body)), || {
            let message = format!("The body has {lines} lines, more than {MAX_BODY_LINES}");
            Diagnostic::new(Code::BodyTooManyLines, message)
        });
    }
    let estimate = body.text.len() / BYTES_PER_TOKEN;
    if tokens.unwrap_or(estimate) > MAX_BODY_TOKENS {
        let size = tokens.map_or_else(|| format!("about {estimate}"), |exact| exact.to_string());
        findings.push(Some(start), || {
            let message = format!("The body has {size} tokens, more than {MAX_BODY_TOKENS}");
            Diagnostic::new(Code::BodyTooManyTokens, message)
        });
    }
    let bytes = body.text.len();
    if bytes > MAX_MARKDOWN_BYTES {
        findings.push(Some(start), || {
            let message = format!(
                "The body has {bytes} bytes; links and scripts are looked for in the first \
                 {MAX_MARKDOWN_BYTES}"
            );
            Diagnostic::new(Code::BodyTooManyTokens, message)
        });
    }
    findings
}

/// How many lines [`str::lines`] would give.
fn count_lines(text: &str) -> usize {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The first line past the limit: what stands before it may stay.
fn first_line_too_many(body: Body<'_>) -> Span {
    let kept: usize = body.text.split_inclusive('\n').take(MAX_BODY_LINES).map(str::len).sum();
    let line = body.text.get(kept..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    Span::new(body.start + kept, body.start + kept + line.len())
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
