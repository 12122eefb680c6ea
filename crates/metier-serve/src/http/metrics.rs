//! What the server counts, in the text format that collectors scrape: requests, and what the
//! journals took since it runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Extension, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use metier_policy::Verdict;
use metier_runtime::Capability;

use super::problem::Problem;
use super::routes::Api;
use crate::tally::Tally;
use crate::who::Who;

/// What is counted.
#[derive(Default)]
pub(super) struct Numbers {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    connections: Arc<AtomicU64>,
    streams: Arc<AtomicU64>,
}

/// One of those that are open now.
pub(super) struct Open(Arc<AtomicU64>);

impl Numbers {
    pub(super) fn count(&self, route: &'static str, status: StatusCode) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status.as_u16())).or_default() += 1;
    }

    pub(super) fn connection(&self) -> Open {
        Open::new(&self.connections)
    }

    pub(super) fn stream(&self) -> Open {
        Open::new(&self.streams)
    }

    fn text(&self, sessions: usize, tally: Option<&Tally>) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, u64)>| {
            write_family(&mut text, &Family { name, kind, help }, lines);
        };
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let labelled = |((route, status), count): (&(&str, u16), &u64)| {
            (format!("{{route=\"{route}\",status=\"{status}\"}}"), *count)
        };
        let requests = requests.iter().map(labelled).collect();
        family("metier_http_requests_total", "counter", "requests answered", requests);
        let now = |count: u64| vec![(String::new(), count)];
        let connections = now(self.connections.load(Ordering::Relaxed));
        family("metier_http_connections", "gauge", "connections open", connections);
        let streams = now(self.streams.load(Ordering::Relaxed));
        family("metier_http_event_streams", "gauge", "event streams open", streams);
        let sessions = now(sessions as u64);
        family("metier_http_sessions", "gauge", "sessions held open", sessions);
        if let Some(tally) = tally {
            journals(&mut text, tally);
        }
        text
    }
}

/// Numbers that belong together.
struct Family<'a> {
    name: &'a str,
    kind: &'a str,
    help: &'a str,
}

fn write_family(text: &mut String, family: &Family<'_>, lines: Vec<(String, u64)>) {
    let Family { name, kind, help } = family;
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in lines {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

/// What the journals took. Every verdict is named, also those that were never given.
fn journals(text: &mut String, tally: &Tally) {
    let counted = tally.counted();
    let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, u64)>| {
        write_family(text, &Family { name, kind, help }, lines);
    };
    let frame = |(kind, count): (&String, &u64)| (format!("{{type=\"{}\"}}", label(kind)), *count);
    let frames = counted.frames.iter().map(frame).collect();
    family("metier_journal_frames_total", "counter", "frames written", frames);
    let refused = vec![(String::new(), counted.refused)];
    family("metier_journal_refused_total", "counter", "times a journal said no", refused);
    let verdicts = Verdict::ALL.map(Verdict::as_str);
    let given = |verdict: &str| counted.rulings.get(verdict).copied().unwrap_or_default();
    let rulings = verdicts.map(|v| (format!("{{verdict=\"{v}\"}}"), given(v))).to_vec();
    family("metier_rulings_total", "counter", "rulings on tool calls", rulings);
    let sessions = vec![(String::new(), tally.sessions())];
    family("metier_sessions", "gauge", "sessions open, by whatever surface", sessions);
}

/// A label's value, with what would end it made harmless.
fn label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Open {
    fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// `GET /metrics`. The numbers are of all clients, so a single one does not get them.
pub(super) async fn show(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
) -> Result<Response, Problem> {
    if who.known.is_some() {
        return Err(Problem::forbidden("not_yours", "the numbers are not for single clients"));
    }
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    let text = api.numbers.text(api.desks.count(), api.host.tally());
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// The route a path belongs to; few enough of them to be counted apart.
pub(super) fn route(path: &str) -> &'static str {
    let named = |name: &str| Capability::named(name).map_or("other", |capability| capability.name);
    let mut parts = path.trim_start_matches('/').split('/');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("mcp"), None, ..) => "mcp",
        (Some("health"), None, ..) => "health",
        (Some("metrics"), None, ..) => "metrics",
        (Some("openapi.json"), None, ..) => "openapi",
        (Some(".well-known"), ..) => "well-known",
        (Some("v1"), Some("sessions"), Some(_), Some("events")) if parts.next().is_some() => {
            "stream"
        }
        (Some("v1"), Some("sessions"), Some(_), Some(name)) => named(name),
        (Some("v1"), Some("events"), Some(_), None) => "stream",
        (Some("v1"), Some(name), None, _) => named(name),
        _ => "other",
    }
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
