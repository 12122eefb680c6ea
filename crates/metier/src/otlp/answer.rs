//! What a collector's answer means. Pure; reads any bytes.

use std::time::Duration;

use serde_json::Value;

/// Most characters of a collector's words that are repeated.
const MAX_MESSAGE: usize = 200;

/// The wait after the first attempt when the collector does not say; it doubles with every attempt.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The answer to one request.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// `Retry-After`.
    pub(crate) retry_after: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// What the collector did not take of a request it took.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Partial {
    /// How many spans or data points.
    pub(crate) rejected: u64,
    /// Why, or something it says by the way.
    pub(crate) message: Option<String>,
}

impl Answer {
    /// Whether the request was taken, all or in part.
    pub(crate) fn is_taken(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the same request may be taken later.
    pub(crate) fn is_busy(&self) -> bool {
        [429, 502, 503, 504].contains(&self.status)
    }

    /// What was rejected of a request that was taken; an error says how the answer is none.
    pub(crate) fn partial(&self) -> Result<Partial, String> {
        // Some collectors answer with nothing where the protocol wants an empty message.
        if self.body.trim_ascii().is_empty() {
            return Ok(Partial::default());
        }
        let answer: Value = serde_json::from_slice(&self.body)
            .map_err(|_| format!("it answers {} with something else than JSON", self.status))?;
        let Value::Object(answer) = answer else {
            return Err(format!("it answers {} with JSON that is no message", self.status));
        };
        let partial = answer.get("partialSuccess").unwrap_or(&Value::Null);
        let rejected = ["rejectedDataPoints", "rejectedSpans"].iter().find_map(|k| partial.get(k));
        let message = partial.get("errorMessage").and_then(Value::as_str);
        let message = message.filter(|text| !text.is_empty()).map(shortened);
        Ok(Partial { rejected: rejected.map_or(0, number), message })
    }

    /// What the collector says about a request it did not take.
    pub(crate) fn message(&self) -> String {
        let json = serde_json::from_slice::<Value>(&self.body).ok();
        let said = json.as_ref().and_then(|status| status.get("message")?.as_str());
        match said {
            Some(text) => shortened(text),
            None => {
                let text = String::from_utf8_lossy(&self.body);
                // A page for browsers says nothing that the status does not.
                let page = text.trim_start().starts_with('<');
                if page { String::new() } else { shortened(text.lines().next().unwrap_or("")) }
            }
        }
    }

    /// How long to wait after attempt number `attempt`: as long as the collector asks, in seconds,
    /// else twice as long each time. It may name a date instead; that one is not read.
    pub(crate) fn wait(&self, attempt: u32) -> Duration {
        let asked = self.retry_after.as_deref().and_then(|text| text.trim().parse().ok());
        let own = || FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        asked.map_or_else(own, Duration::from_secs)
    }
}

/// A 64-bit number, which OTLP's JSON writes as text and some collectors do not.
fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
