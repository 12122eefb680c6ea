//! An export on its way to an OpenTelemetry collector: OTLP over HTTP, encoded as JSON. What an
//! export says is decided in `metier-runtime`; this is the only module of the command that goes
//! online, and it does so when `--otlp-endpoint` is given and never otherwise.
//!
//! Start reading at [`send`]. [`target`] says where to and with which headers, [`answer`] what the
//! collector's answers mean; both are pure.

mod answer;
mod target;

use std::time::Duration;

use metier_format::text::visible_line;
use serde::Serialize;
use serde_json::Value;
use ureq::{Agent, Body};

use crate::command::metrics::Signal;
use crate::error::CommandError;
use crate::ui::counted;

use answer::Answer;
pub(crate) use target::Target;

/// Bytes of spans or metrics in one request. Collectors take 20 MiB unless told otherwise, some
/// of them 4.
const MAX_BATCH_BYTES: usize = 3 * 1024 * 1024;

/// Bytes of an answer that are read. Answers have a hundred; the protocol asks for no more than
/// that a client does not read without end.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// How often one request is sent to a collector that says it is busy.
const MAX_ATTEMPTS: u32 = 5;

/// The longest wait between two attempts. Who is asked to wait longer tries again later.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// What a collector took.
#[derive(Debug, Serialize)]
pub(crate) struct Sent {
    /// What it was sent.
    pub(crate) signal: Signal,
    /// Where, without the query.
    pub(crate) endpoint: String,
    /// Spans or data points sent.
    pub(crate) items: u64,
    /// Requests it took.
    pub(crate) requests: usize,
    /// How many of the items the collector did not want.
    pub(crate) rejected: u64,
    /// What it said about them, or by the way.
    pub(crate) message: Option<String>,
}

/// Why nothing, or not everything, was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// Nobody answers, or the connection broke.
    #[error("cannot reach the collector at `{endpoint}`")]
    Unreachable {
        /// Where.
        endpoint: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It takes too long.
    #[error("the collector at `{endpoint}` did not answer within {} ms", after.as_millis())]
    Silent {
        /// Where.
        endpoint: String,
        /// How long that was.
        after: Duration,
    },
    /// It answers, and does not speak the protocol.
    #[error("what answers at `{endpoint}` is no OTLP collector: {why}")]
    NotOtlp {
        /// Where.
        endpoint: String,
        /// What it does instead.
        why: String,
    },
    /// It said no.
    #[error("the collector at `{endpoint}` answers {status}{}", colon(message))]
    Status {
        /// Where.
        endpoint: String,
        /// The status of its answer.
        status: u16,
        /// What it said.
        message: String,
    },
    /// It kept saying that it is busy.
    #[error("the collector at `{endpoint}` is busy ({status}){}", colon(message))]
    Busy {
        /// Where.
        endpoint: String,
        /// The status of its last answer.
        status: u16,
        /// What it said, and how often it was asked.
        message: String,
    },
}

/// One request.
#[derive(Debug)]
struct Batch {
    body: String,
    items: u64,
}

/// Sends an export, in as many requests as it takes. Blocks; ends after a bounded time.
pub(crate) fn send(export: Value, target: &Target) -> Result<Sent, SendError> {
    let mut sent = Sent {
        signal: target.signal,
        endpoint: target.shown(),
        items: 0,
        requests: 0,
        rejected: 0,
        message: None,
    };
    let agent = agent(target.timeout);
    for batch in batches(target.signal, export, MAX_BATCH_BYTES) {
        let partial = deliver(&agent, target, &batch.body)?;
        sent.items += batch.items;
        sent.requests += 1;
        sent.rejected += partial.rejected;
        sent.message = partial.message.or(sent.message);
    }
    Ok(sent)
}

impl Sent {
    /// What a person reads.
    pub(crate) fn line(&self) -> String {
        let endpoint = visible_line(&self.endpoint);
        match self.items {
            0 => format!("nothing to send to {endpoint}: no session was recorded"),
            _ => format!("sent {} to {endpoint}", self.counted()),
        }
    }

    /// What the collector was not content with.
    pub(crate) fn complaint(&self) -> Option<String> {
        let message = self.message.as_deref().map(visible_line);
        let said = message.map_or(String::new(), |message| format!(": {message}"));
        match self.rejected {
            0 if said.is_empty() => None,
            0 => Some(format!("the collector says{said}")),
            n => Some(format!("the collector rejected {n} of {}{said}", self.counted())),
        }
    }

    fn counted(&self) -> String {
        let items = usize::try_from(self.items).unwrap_or(usize::MAX);
        match self.signal {
            Signal::Metrics => counted(items, "data point", "data points"),
            Signal::Traces => counted(items, "span", "spans"),
        }
    }
}

impl From<SendError> for CommandError {
    fn from(error: SendError) -> Self {
        let (code, hint) = match &error {
            SendError::Unreachable { .. } => {
                ("otlp_unreachable", "is a collector listening there? OTLP over HTTP is port 4318")
            }
            SendError::Silent { .. } => {
                ("otlp_silent", "`OTEL_EXPORTER_OTLP_TIMEOUT` sets how long to wait")
            }
            SendError::NotOtlp { .. } => (
                "otlp_not_otlp",
                "collectors take OTLP over HTTP on port 4318; port 4317 is for gRPC",
            ),
            SendError::Status { status: 401 | 403, .. } => (
                "otlp_refused",
                "credentials go into `OTEL_EXPORTER_OTLP_HEADERS`, as `authorization=Bearer%20…`",
            ),
            SendError::Status { status: 404 | 405, .. } => (
                "otlp_refused",
                "`/v1/metrics` and `/v1/traces` are appended to the address that is given",
            ),
            SendError::Status { status: 300..=399, .. } => {
                ("otlp_refused", "redirections are not followed: give the address itself")
            }
            SendError::Status { .. } => ("otlp_refused", "the collector's own log says more"),
            SendError::Busy { .. } => ("otlp_busy", "try again later; nothing is lost meanwhile"),
        };
        Self::failed(error).code(code).hint(hint)
    }
}

/// A client that goes nowhere but where it is told: no redirections, no proxies, no cookies.
fn agent(timeout: Duration) -> Agent {
    Agent::config_builder()
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("metier/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Sends one request until the collector takes it or does not want it.
fn deliver(agent: &Agent, target: &Target, body: &str) -> Result<answer::Partial, SendError> {
    let endpoint = target.shown();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let answer = post(agent, target, body)?;
        if answer.is_taken() {
            return answer.partial().map_err(|why| SendError::NotOtlp { endpoint, why });
        }
        let (status, message) = (answer.status, answer.message());
        if !answer.is_busy() {
            return Err(SendError::Status { endpoint, status, message });
        }
        let wait = answer.wait(attempt);
        if attempt >= MAX_ATTEMPTS || wait > MAX_WAIT {
            let asked = counted(attempt as usize, "time", "times");
            let later = format!("asked {asked}, the last wait would be {} s", wait.as_secs());
            let said = if message.is_empty() { later } else { format!("{message}; {later}") };
            return Err(SendError::Busy { endpoint, status, message: said });
        }
        std::thread::sleep(wait);
    }
}

fn post(agent: &Agent, target: &Target, body: &str) -> Result<Answer, SendError> {
    let mut request = agent.post(&target.url).content_type("application/json");
    for (name, value) in &target.headers {
        request = request.header(name, value);
    }
    let failed = |error| failure(error, target);
    let mut response = request.send(body).map_err(failed)?;
    let retry_after = response.headers().get("retry-after");
    let retry_after = retry_after.and_then(|value| Some(value.to_str().ok()?.to_owned()));
    let status = response.status().as_u16();
    let body = read(response.body_mut()).map_err(failed)?;
    Ok(Answer { status, retry_after, body })
}

fn read(body: &mut Body) -> Result<Vec<u8>, ureq::Error> {
    body.with_config().limit(MAX_ANSWER_BYTES).read_to_vec()
}

fn failure(error: ureq::Error, target: &Target) -> SendError {
    use ureq::Error as E;
    let endpoint = target.shown();
    match error {
        E::Timeout(_) => SendError::Silent { endpoint, after: target.timeout },
        E::BodyExceedsLimit(most) => {
            SendError::NotOtlp { endpoint, why: format!("its answer has more than {most} bytes") }
        }
        E::Protocol(_) | E::Http(_) | E::LargeResponseHeader(..) => {
            SendError::NotOtlp { endpoint, why: format!("its answer is not HTTP ({error})") }
        }
        E::Io(source) => SendError::Unreachable { endpoint, source: source.into() },
        source => SendError::Unreachable { endpoint, source: source.into() },
    }
}

/// An export cut into requests of about `most` bytes, each with whole spans or whole metrics. An
/// export without any gives none.
fn batches(signal: Signal, mut export: Value, most: usize) -> Vec<Batch> {
    let pointer = match signal {
        Signal::Metrics => "/resourceMetrics/0/scopeMetrics/0/metrics",
        Signal::Traces => "/resourceSpans/0/scopeSpans/0/spans",
    };
    let taken = export.pointer_mut(pointer).map(Value::take);
    let Some(Value::Array(items)) = taken else { return Vec::new() };
    let mut batches = Vec::new();
    let (mut group, mut bytes, mut count) = (Vec::new(), 0, 0);
    let mut close = |group: Vec<Value>, items: u64| {
        if let (Some(place), true) = (export.pointer_mut(pointer), items > 0) {
            *place = Value::Array(group);
            batches.push(Batch { body: export.to_string(), items });
        }
    };
    for item in items {
        let size = item.to_string().len();
        if bytes + size > most && !group.is_empty() {
            close(std::mem::take(&mut group), std::mem::take(&mut count));
            bytes = 0;
        }
        bytes += size;
        count += weight(signal, &item);
        group.push(item);
    }
    close(group, count);
    batches
}

/// How many of the things collectors count an item has.
fn weight(signal: Signal, item: &Value) -> u64 {
    match signal {
        Signal::Metrics => {
            let points = item.pointer("/sum/dataPoints").and_then(Value::as_array);
            points.map_or(0, |points| points.len() as u64)
        }
        Signal::Traces => 1,
    }
}

/// `: text`, when there is one.
fn colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

#[cfg(test)]
#[path = "otlp_tests.rs"]
mod tests;
