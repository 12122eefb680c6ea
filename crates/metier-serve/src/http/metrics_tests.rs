use axum::http::StatusCode;

use super::{Numbers, route};

#[test]
fn every_path_is_counted_under_one_of_few_names() {
    // U3
    let check = |path: &str, expect: &str| assert_eq!(route(path), expect, "{path}");
    check("/v1/guard", "guard");
    check("/v1/sessions/s1/guard", "guard");
    check("/v1/nonsense", "other");
    check("/v1/sessions/s1/nonsense", "other");
    check("/v1/events/stream", "stream");
    check("/v1/sessions/s1/events/stream", "stream");
    check("/v1/sessions/s1/events", "events");
    check("/mcp", "mcp");
    check("/health", "health");
    check("/.well-known/agent-skills/index.json", "well-known");
    check("/", "other");
    check("/a/b/c/d/e", "other");
}

#[test]
fn the_numbers_are_in_the_format_collectors_read() {
    // U3
    let numbers = Numbers::default();
    numbers.count("guard", StatusCode::OK);
    numbers.count("guard", StatusCode::OK);
    numbers.count("guard", StatusCode::FORBIDDEN);
    let one = numbers.connection();
    drop(numbers.connection());
    let text = numbers.text(3);
    for line in [
        "# TYPE metier_http_requests_total counter",
        "metier_http_requests_total{route=\"guard\",status=\"200\"} 2",
        "metier_http_requests_total{route=\"guard\",status=\"403\"} 1",
        "metier_http_connections 1",
        "metier_http_event_streams 0",
        "metier_http_sessions 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    drop(one);
}
