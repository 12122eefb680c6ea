use std::collections::BTreeMap;
use std::sync::Arc;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;

use super::{MEASURES, metrics, spans};
use crate::clock::TickingClock;
use crate::event::{Event, SessionStarted, SkillActivated, SkillDeactivated, ToolRuled};
use crate::journal::{Beat, Frame, Ids, Journal as _, MemoryJournal};
use crate::limits::MAX_SPAN_EVENTS;
use crate::replay::replay;

fn frames() -> Vec<Frame> {
    let mut journal = MemoryJournal::new(Arc::new(TickingClock::starting_at(1000)));
    let ids = Ids { session: "s".into(), tenant: Some("t".into()), ..Ids::default() };
    let activated = |name: &str| {
        Event::SkillActivated(SkillActivated { name: name.into(), tokens: 7, ..Default::default() })
    };
    let ruled = ToolRuled { tool: "Bash".into(), verdict: "deny".into(), ..Default::default() };
    let events = [
        Event::SessionStarted(SessionStarted::default()),
        activated("outer"),
        activated("inner"),
        Event::ToolRestrictionViolated(ruled),
        Event::SkillDeactivated(SkillDeactivated {
            name: "inner".into(),
            reason: "released".into(),
        }),
    ];
    for event in &events {
        journal.append(&ids, event, Beat::Result).unwrap();
    }
    journal.all()
}

#[test]
fn a_collector_reads_the_trace_of_a_session() {
    // J4
    let body = spans(&frames());
    let request: ExportTraceServiceRequest = serde_json::from_value(body).unwrap();
    let spans = &request.resource_spans[0].scope_spans[0].spans;
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["skill.session", "skill outer", "skill inner"]);
    assert!(spans.iter().all(|s| s.trace_id == spans[0].trace_id && s.trace_id.len() == 16));
    assert_eq!(spans[1].parent_span_id, spans[0].span_id);
    assert_eq!(spans[2].parent_span_id, spans[1].span_id);
    assert_eq!(spans[2].events[0].name, "tool_restriction_violated");
    assert_eq!(spans[2].end_time_unix_nano, 1_004_000_000);
    assert_eq!(spans[1].end_time_unix_nano, 1_004_000_000, "still open when the journal ends");
    let keys: Vec<&str> = spans[1].attributes.iter().map(|a| a.key.as_str()).collect();
    assert_eq!(keys, ["skill.name", "skill.layer", "skill.trust", "skill.digest", "skill.tokens"]);
}

#[test]
fn a_span_with_too_many_events_says_how_many_it_left_out() {
    // J4
    let mut journal = MemoryJournal::new(Arc::new(TickingClock::starting_at(1000)));
    let ids = Ids { session: "s".into(), ..Ids::default() };
    let ruled =
        Event::ToolExecutionInSkill(ToolRuled { tool: "Read".into(), ..Default::default() });
    for _ in 0..MAX_SPAN_EVENTS + 3 {
        journal.append(&ids, &ruled, Beat::Result).unwrap();
    }
    let request: ExportTraceServiceRequest = serde_json::from_value(spans(&journal.all())).unwrap();
    let span = &request.resource_spans[0].scope_spans[0].spans[0];
    assert_eq!((span.events.len(), span.dropped_events_count), (MAX_SPAN_EVENTS, 3));
}

#[test]
fn the_same_journal_gives_the_same_trace() {
    // J4, J3
    assert_eq!(spans(&frames()), spans(&frames()));
}

#[test]
fn a_collector_reads_the_metrics() {
    // J4
    let states = replay(&frames());
    let request: ExportMetricsServiceRequest = serde_json::from_value(metrics(&states, 5)).unwrap();
    let metrics = &request.resource_metrics[0].scope_metrics[0].metrics;
    assert_eq!(metrics.len(), MEASURES.len());
    let value = |name: &str| -> u64 {
        let (_, _, read) = MEASURES.iter().find(|(n, ..)| *n == name).unwrap();
        read(&states["s"])
    };
    assert_eq!(value("tool_restriction_violations"), 1);
    assert_eq!(value("skill.activations"), 2);
    assert_eq!(value("skill.tokens"), 14);
    let none = super::metrics(&BTreeMap::new(), 5);
    assert!(serde_json::from_value::<ExportMetricsServiceRequest>(none).is_ok());
}
