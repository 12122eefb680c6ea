use serde_json::{Value, json};

use super::{Sent, batches};
use crate::command::metrics::Signal;

fn traces(spans: usize) -> Value {
    let spans: Vec<Value> = (0..spans).map(|n| json!({ "name": format!("span {n:03}") })).collect();
    json!({ "resourceSpans": [{ "resource": {"r": 1}, "scopeSpans": [{ "spans": spans }] }] })
}

#[test]
fn an_export_is_cut_between_spans_and_loses_none() {
    // J4
    let one = json!({ "name": "span 000" }).to_string().len();
    for (spans, most, expect) in [(0, 100, 0), (1, 1, 1), (10, one * 3, 4), (10, usize::MAX, 1)] {
        let cut = batches(Signal::Traces, traces(spans), most);
        assert_eq!(cut.len(), expect);
        let mut names = Vec::new();
        for batch in &cut {
            let body: Value = serde_json::from_str(&batch.body).unwrap();
            assert_eq!(body["resourceSpans"][0]["resource"]["r"], 1);
            let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
            assert_eq!(spans.len() as u64, batch.items);
            names.extend(spans.iter().map(|span| span["name"].clone()));
        }
        let all = traces(spans);
        let all = all["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
        assert_eq!(names, all.iter().map(|span| span["name"].clone()).collect::<Vec<_>>());
    }
}

#[test]
fn metrics_without_a_point_are_not_sent_and_points_are_what_counts() {
    // J4
    let metrics = |points: Value| {
        let metric = json!({ "name": "m", "sum": { "dataPoints": points } });
        json!({ "resourceMetrics": [{ "scopeMetrics": [{ "metrics": [metric] }] }] })
    };
    assert!(batches(Signal::Metrics, metrics(json!([])), 1000).is_empty());
    assert_eq!(batches(Signal::Metrics, metrics(json!([{}, {}])), 1000)[0].items, 2);
    assert!(batches(Signal::Metrics, json!({}), 1000).is_empty());
}

#[test]
fn a_person_reads_what_was_sent_and_what_was_not_wanted() {
    // J4, U1
    let sent = |items: u64, rejected: u64, message: Option<&str>| Sent {
        signal: Signal::Traces,
        endpoint: "http://h/v1/traces".to_owned(),
        items,
        requests: 1,
        rejected,
        message: message.map(str::to_owned),
    };
    assert_eq!(sent(2, 0, None).line(), "sent 2 spans to http://h/v1/traces");
    assert_eq!(sent(1, 0, None).line(), "sent 1 span to http://h/v1/traces");
    assert!(sent(0, 0, None).line().starts_with("nothing to send"));
    assert_eq!(sent(2, 0, None).complaint(), None);
    let complaint = sent(2, 1, Some("too\u{1b} old")).complaint().unwrap();
    assert!(complaint.starts_with("the collector rejected 1 of 2 spans: too"), "{complaint}");
    assert!(!complaint.contains('\u{1b}'));
    assert_eq!(sent(2, 0, Some("slow")).complaint().unwrap(), "the collector says: slow");
}
