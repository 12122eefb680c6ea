use std::sync::Arc;

use axum::http::StatusCode;
use metier_runtime::clock::TickingClock;
use metier_runtime::event::ToolRuled;
use metier_runtime::journal::{Beat, MemoryJournal};
use metier_runtime::{Event, Ids, Journal as _};

use super::{Numbers, label, route};
use crate::tally::Tally;

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
    let text = numbers.text(3, None);
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

#[test]
fn what_the_journals_took_is_told_with_every_verdict() {
    // U3, J4
    let tally = Arc::new(Tally::default());
    let memory = MemoryJournal::new(Arc::new(TickingClock::starting_at(1)));
    let mut journal = tally.around(Box::new(memory));
    let ruled = ToolRuled { verdict: "deny".to_owned(), ..ToolRuled::default() };
    let event = Event::ToolRestrictionViolated(ruled);
    journal.append(&Ids::default(), &event, Beat::Result).unwrap();
    tally.refused();
    let text = Numbers::default().text(0, Some(&tally));
    for line in [
        "# TYPE metier_journal_frames_total counter",
        "metier_journal_frames_total{type=\"tool_restriction_violated\"} 1",
        "metier_journal_refused_total 1",
        "metier_rulings_total{verdict=\"allow\"} 0",
        "metier_rulings_total{verdict=\"ask\"} 0",
        "metier_rulings_total{verdict=\"deny\"} 1",
        "# TYPE metier_sessions gauge",
        "metier_sessions 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    assert_eq!(label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
}
