//! The journal as OpenTelemetry: frames become spans and metrics in OTLP's JSON encoding. Pure; who
//! sends them, and where, is not decided here.
//!
//! One trace a session: the session is the root span, each activation a span below it, rulings and
//! reads are events of the span they happened in. Ids are made from the session and the frame's
//! number, so that the same journal gives the same trace.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event::Event;
use crate::journal::{Frame, digest_of};
use crate::limits::MAX_SPAN_EVENTS;
use crate::state::State;

/// Attributes of a span or a data point.
type Attributes = Vec<Value>;

/// The body of an OTLP trace export: every session in `frames`, in order.
#[must_use]
pub fn spans(frames: &[Frame]) -> Value {
    let mut sessions: BTreeMap<&str, Vec<&Frame>> = BTreeMap::new();
    for frame in frames {
        sessions.entry(&frame.ids.session).or_default().push(frame);
    }
    let spans: Vec<Value> =
        sessions.iter().flat_map(|(session, frames)| Trace::of(session, frames)).collect();
    json!({ "resourceSpans": [{
        "resource": resource(),
        "scopeSpans": [{ "scope": scope(), "spans": spans }],
    }] })
}

/// The body of an OTLP metrics export: what each session's state has counted.
#[must_use]
pub fn metrics(states: &BTreeMap<String, State>, now_ms: u64) -> Value {
    let metrics: Vec<Value> = MEASURES
        .iter()
        .map(|(name, unit, read)| {
            let points: Vec<Value> = states
                .iter()
                .map(|(session, state)| {
                    json!({
                        "asInt": read(state).to_string(),
                        "timeUnixNano": nanos(now_ms),
                        "attributes": [text("session.id", session)],
                    })
                })
                .collect();
            json!({ "name": name, "unit": unit, "sum": {
                "dataPoints": points, "aggregationTemporality": 2, "isMonotonic": true,
            } })
        })
        .collect();
    json!({ "resourceMetrics": [{
        "resource": resource(),
        "scopeMetrics": [{ "scope": scope(), "metrics": metrics }],
    }] })
}

/// One metric: its name, its unit, and what it reads.
type Measure = (&'static str, &'static str, fn(&State) -> u64);

/// Every metric. All of them only grow.
pub const MEASURES: &[Measure] = &[
    ("skill.activations", "1", |s| s.counters.activations),
    ("skill.refusals", "1", |s| s.counters.refusals),
    ("skill.tokens", "{token}", |s| s.counters.tokens),
    ("skill.resources_read", "1", |s| s.counters.resources_read),
    ("skill.scripts_run", "1", |s| s.counters.scripts_run),
    ("skill.scripts_failed", "1", |s| s.counters.scripts_failed),
    ("skill.warnings", "1", |s| s.counters.warnings),
    ("tool.allowed", "1", |s| s.counters.allowed),
    ("tool.asked", "1", |s| s.counters.asked),
    ("tool_restriction_violations", "1", |s| s.counters.denied),
    ("script_read_attempts_blocked", "1", |s| s.counters.script_reads_blocked),
];

/// A session on its way to spans.
struct Trace<'a> {
    session: &'a str,
    spans: Vec<Span>,
    /// Indices of the open spans; the first is the session's.
    open: Vec<usize>,
}

struct Span {
    id: String,
    parent: Option<String>,
    name: String,
    start: u64,
    end: u64,
    attributes: Attributes,
    events: Vec<Value>,
    /// Events there was no room for.
    dropped: u64,
}

impl<'a> Trace<'a> {
    fn of(session: &'a str, frames: &[&Frame]) -> Vec<Value> {
        let mut trace = Self { session, spans: Vec::new(), open: Vec::new() };
        if let Some(first) = frames.first() {
            trace.begin(first, "skill.session".to_owned(), session_attributes(first));
        }
        for frame in frames {
            trace.take(frame);
        }
        let last = frames.last().map_or(0, |frame| frame.time.0);
        for at in std::mem::take(&mut trace.open) {
            trace.finish(at, last);
        }
        let trace_id = id(session, 32);
        trace.spans.into_iter().map(|span| span.json(&trace_id)).collect()
    }

    fn take(&mut self, frame: &Frame) {
        match frame.event() {
            Event::SkillActivated(skill) => {
                let attributes = vec![
                    text("skill.name", &skill.name),
                    text("skill.layer", &skill.layer),
                    text("skill.trust", &skill.trust),
                    text("skill.digest", &skill.digest),
                    number("skill.tokens", skill.tokens as u64),
                ];
                self.begin(frame, format!("skill {}", skill.name), attributes);
            }
            Event::SkillDeactivated(gone) => {
                let name = format!("skill {}", gone.name);
                let open = self.open.iter().rposition(|at| self.spans[*at].name == name);
                if let Some(at) = open {
                    let span = self.open.remove(at);
                    self.finish(span, frame.time.0);
                }
            }
            event => self.note(frame, &event),
        }
    }

    fn begin(&mut self, frame: &Frame, name: String, attributes: Attributes) {
        let parent = self.open.last().map(|at| self.spans[*at].id.clone());
        let key = format!("{}:{}:{name}", self.session, frame.seq);
        self.open.push(self.spans.len());
        self.spans.push(Span {
            id: id(&key, 16),
            parent,
            name,
            start: frame.time.0,
            end: frame.time.0,
            attributes,
            events: Vec::new(),
            dropped: 0,
        });
    }

    fn finish(&mut self, at: usize, time: u64) {
        let span = &mut self.spans[at];
        span.end = time.max(span.start);
    }

    /// Puts an event on the innermost open span.
    fn note(&mut self, frame: &Frame, event: &Event) {
        let Some(at) = self.open.last() else { return };
        let span = &mut self.spans[*at];
        if span.events.len() == MAX_SPAN_EVENTS {
            span.dropped += 1;
            return;
        }
        span.events.push(json!({
            "timeUnixNano": nanos(frame.time.0),
            "name": frame.kind,
            "attributes": event_attributes(event),
        }));
    }
}

impl Span {
    fn json(self, trace: &str) -> Value {
        let mut span = json!({
            "traceId": trace,
            "spanId": self.id,
            "name": self.name,
            "kind": 1,
            "startTimeUnixNano": nanos(self.start),
            "endTimeUnixNano": nanos(self.end),
            "attributes": self.attributes,
            "events": self.events,
        });
        if self.dropped > 0 {
            span["droppedEventsCount"] = self.dropped.into();
        }
        if let Some(parent) = self.parent {
            span["parentSpanId"] = parent.into();
        }
        span
    }
}

fn session_attributes(frame: &Frame) -> Attributes {
    let mut attributes = vec![text("session.id", &frame.ids.session)];
    let optional = [
        ("agent.id", &frame.ids.agent),
        ("task.id", &frame.ids.task),
        ("tenant.id", &frame.ids.tenant),
        ("correlation.id", &frame.ids.correlation),
    ];
    for (key, value) in optional {
        attributes.extend(value.as_deref().map(|value| text(key, value)));
    }
    attributes
}

fn event_attributes(event: &Event) -> Attributes {
    match event {
        Event::ToolExecutionInSkill(ruled) | Event::ToolRestrictionViolated(ruled) => {
            let mut attributes =
                vec![text("tool.name", &ruled.tool), text("tool.verdict", &ruled.verdict)];
            attributes.extend(ruled.skill.as_deref().map(|skill| text("skill.name", skill)));
            attributes.extend(ruled.rule.as_deref().map(|rule| text("policy.rule", rule)));
            attributes
        }
        Event::SkillRefused(refused) => {
            vec![text("skill.name", &refused.name), text("skill.error_type", &refused.code)]
        }
        Event::ResourceRead(read) => {
            let mut attributes = vec![
                text("skill.name", &read.name),
                text("skill.resource", &read.path),
                number("skill.resource_bytes", read.bytes),
            ];
            let refused = read.refused.as_deref();
            attributes.extend(refused.map(|code| text("skill.error_type", code)));
            attributes
        }
        Event::ScriptStarted(started) => vec![
            text("skill.name", &started.name),
            text("skill.script", &started.script),
            text("skill.script_purpose", &started.purpose),
        ],
        Event::ScriptFinished(finished) => {
            let mut attributes = vec![
                text("skill.name", &finished.name),
                text("skill.script", &finished.script),
                number("skill.script_duration_ms", finished.duration_ms),
                number("skill.script_cpu_ms", finished.cpu_ms),
                text("skill.success", if finished.error.is_none() { "true" } else { "false" }),
            ];
            let error = finished.error.as_deref();
            attributes.extend(error.map(|code| text("skill.error_type", code)));
            attributes
        }
        Event::SkillLoaded(loaded) => vec![text("skill.name", &loaded.name)],
        Event::SkillInvoked(invoked) => vec![text("skill.name", &invoked.name)],
        Event::SkillCatalogUpdated(updated) => vec![number("skill.count", updated.count as u64)],
        _ => Vec::new(),
    }
}

fn resource() -> Value {
    json!({ "attributes": [text("service.name", "metier")] })
}

fn scope() -> Value {
    json!({ "name": "metier", "version": env!("CARGO_PKG_VERSION") })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn number(key: &str, value: u64) -> Value {
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

/// OTLP's JSON writes 64-bit numbers as text.
fn nanos(milliseconds: u64) -> String {
    milliseconds.saturating_mul(1_000_000).to_string()
}

/// The first `length` hex digits of a digest.
fn id(key: &str, length: usize) -> String {
    let mut digest = digest_of(key.as_bytes());
    digest.truncate(length);
    digest
}

#[cfg(test)]
#[path = "telemetry_tests.rs"]
mod tests;
