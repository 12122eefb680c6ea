//! What the server counts, in the text format that collectors scrape.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Extension, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use metier_runtime::Capability;

use super::problem::Problem;
use super::routes::Api;
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

    fn text(&self, sessions: usize) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, u64)>| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
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
        text
    }
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
    Ok(([(header::CONTENT_TYPE, kind)], api.numbers.text(api.desks.count())).into_response())
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
