//! Sending to a collector: a real socket on the loopback, behind which stands a small collector that
//! reads requests with the official types and answers as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use metier_testing::World;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;

use crate::metrics::counted;
use crate::{hermetic, workshop};

/// What a client sent.
struct Request {
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// A collector that gives these answers, one a request, and then closes its door.
struct Collector {
    address: String,
    work: JoinHandle<Vec<Request>>,
}

impl Collector {
    /// Every answer is a whole HTTP answer as it goes over the wire.
    fn answering(answers: &[String]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = answers.to_vec();
        let work = std::thread::spawn(move || {
            answers.iter().map(|answer| serve(listener.accept().unwrap().0, answer)).collect()
        });
        Self { address, work }
    }

    /// What it was sent.
    fn requests(self) -> Vec<Request> {
        self.work.join().unwrap()
    }
}

fn serve(stream: TcpStream, answer: &str) -> Request {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    reader.get_mut().write_all(answer.as_bytes()).unwrap();
    Request { path, headers, body }
}

/// An answer with this status, these header lines and this body.
fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

fn ok() -> String {
    answer("200 OK", "Content-Type: application/json\r\n", "{}")
}

/// Sends the traces to a collector that gives these answers; what it printed, its exit code and
/// the number of requests.
fn sent_to(answers: &[String]) -> (String, i32, usize) {
    let collector = Collector::answering(answers);
    let args = ["metrics", "--otlp", "traces", "--otlp-endpoint", &collector.address];
    let world = workshop();
    hermetic(&world, &["use", "files"]);
    let run = hermetic(&world, &args);
    (format!("{}{}", run.stdout, run.stderr), run.code, collector.requests().len())
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<Any> {
    attributes.iter().find(|a| a.key == key)?.value.clone()?.value
}

fn text(attributes: &[KeyValue], key: &str) -> String {
    match attribute(attributes, key) {
        Some(Any::StringValue(text)) => text,
        other => format!("no text but {other:?}"),
    }
}

#[test]
fn a_collector_receives_the_traces_with_the_attributes_it_is_promised() {
    // J4
    let world = counted();
    hermetic(&world, &["end"]);
    let collector = Collector::answering(&[ok()]);
    let args = ["metrics", "--otlp", "traces", "--otlp-endpoint", &collector.address];
    let run = hermetic(&world, &args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, format!("sent 3 spans to {}/v1/traces\n", collector.address));
    let requests = collector.requests();
    assert_eq!(requests[0].path, "/v1/traces");
    assert_eq!(requests[0].headers["content-type"], "application/json");
    let export: ExportTraceServiceRequest = serde_json::from_slice(&requests[0].body).unwrap();
    let resource = export.resource_spans[0].resource.as_ref().unwrap();
    assert_eq!(text(&resource.attributes, "service.name"), "metier");
    let spans = &export.resource_spans[0].scope_spans[0].spans;
    let skill = spans.iter().find(|span| span.name == "skill files").unwrap();
    assert_eq!(text(&skill.attributes, "skill.name"), "files");
    assert_eq!(skill.trace_id.len(), 16);
    assert!(skill.end_time_unix_nano >= skill.start_time_unix_nano);
    let events: Vec<_> = spans.iter().flat_map(|span| &span.events).collect();
    let denied = events.iter().find(|e| e.name == "tool_restriction_violated").unwrap();
    assert_eq!(text(&denied.attributes, "tool.name"), "Read");
    let refused = events.iter().find(|event| event.name == "skill_refused").unwrap();
    assert_eq!(text(&refused.attributes, "skill.name"), "nobody");
    assert_eq!(text(&refused.attributes, "skill.error_type"), "skill_not_found");
}

#[test]
fn a_collector_receives_metrics_and_traces_at_their_places() {
    // J4
    let mut world = counted();
    let collector = Collector::answering(&[ok(), ok()]);
    world.env("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("{}/base/", collector.address));
    world.env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0p,x-team=blue");
    world.env("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-team=green");
    let run = hermetic(&world, &["metrics", "--otlp-endpoint", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document = run.json();
    assert_eq!(document["sent"][0]["signal"], "metrics");
    assert_eq!(document["sent"][0]["items"], 11);
    assert_eq!(document["sent"][1]["items"], 3);
    let requests = collector.requests();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/base/v1/metrics", "/base/v1/traces"]);
    assert_eq!(requests[0].headers["authorization"], "Bearer t0p");
    assert_eq!(requests[0].headers["x-team"], "blue");
    assert_eq!(requests[1].headers["x-team"], "green");
    assert!(!requests[1].headers.contains_key("authorization"));
    let export: ExportMetricsServiceRequest = serde_json::from_slice(&requests[0].body).unwrap();
    let metrics = &export.resource_metrics[0].scope_metrics[0].metrics;
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
    for name in ["tool_restriction_violations", "script_read_attempts_blocked", "skill.tokens"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn nothing_is_sent_without_the_flag_whatever_the_variables_say() {
    // J4
    let mut world = counted();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    world.env("OTEL_EXPORTER_OTLP_ENDPOINT", &address);
    for args in [&["metrics"][..], &["metrics", "--otlp", "traces"], &["status"], &["events"]] {
        assert_eq!(hermetic(&world, args).code, 0);
    }
    let waiting = listener.accept().map(|_| ()).unwrap_err();
    assert_eq!(waiting.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_busy_collector_is_asked_again_and_not_for_ever() {
    // J4
    let busy = |status: &str| answer(status, "Retry-After: 0\r\n", "");
    let taken = [busy("503 Service Unavailable"), busy("429 Too Many Requests"), ok()];
    let (printed, code, requests) = sent_to(&taken);
    assert_eq!((code, requests), (0, 3), "{printed}");
    let (printed, code, requests) = sent_to(&vec![busy("429 Too Many Requests"); 5]);
    assert_eq!((code, requests), (1, 5));
    assert!(printed.contains("is busy (429): asked 5 times"), "{printed}");
    let long = answer("503 Service Unavailable", "Retry-After: 3600\r\n", "{\"message\":\"full\"}");
    let (printed, code, requests) = sent_to(&[long]);
    assert_eq!((code, requests), (1, 1));
    assert!(printed.contains("is busy (503): full; asked 1 time"), "{printed}");
}

#[test]
fn what_a_collector_rejects_is_said_and_is_an_exit_code() {
    // J4
    let partial = r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#;
    let (printed, code, _) = sent_to(&[answer("200 OK", "", partial)]);
    assert_eq!(code, 1);
    assert!(printed.contains("the collector rejected 2 of 2 spans: too old"), "{printed}");
    let warning = r#"{"partialSuccess":{"errorMessage":"deprecated"}}"#;
    let (printed, code, _) = sent_to(&[answer("200 OK", "", warning)]);
    assert_eq!(code, 0);
    assert!(printed.contains("warning: the collector says: deprecated"), "{printed}");
}

#[test]
fn each_way_to_fail_has_its_own_words() {
    // J4, U1
    let check = |answered: String, words: &[&str]| {
        let (printed, code, _) = sent_to(&[answered]);
        assert_eq!(code, 1, "{printed}");
        for word in words {
            assert!(printed.contains(word), "no `{word}` in {printed}");
        }
        assert!(!printed.contains('\u{1b}'), "{printed}");
    };
    let said = r#"{"message":"who are \u001b[31myou"}"#;
    check(answer("401 Unauthorized", "", said), &["answers 401: who are", "OTLP_HEADERS"]);
    check(answer("404 Not Found", "", "<html>"), &["answers 404", "are appended"]);
    check(answer("307 X", "Location: http://127.0.0.1:1/\r\n", ""), &["307", "not followed"]);
    check(answer("400 Bad Request", "", "no"), &["answers 400: no"]);
    check(answer("200 OK", "", "<html>hello</html>"), &["no OTLP collector", "than JSON"]);
    check("PRI * HTTP/2.0\r\n\r\n".to_owned(), &["no OTLP collector", "4317 is for gRPC"]);
    let endless = answer("200 OK", "", &" ".repeat(200_000));
    check(endless, &["no OTLP collector", "more than 65536 bytes"]);
}

#[test]
fn a_collector_that_is_not_there_or_says_nothing_ends_in_time() {
    // J4
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let mut world = counted();
    world.env("OTEL_EXPORTER_OTLP_TIMEOUT", "300");
    let run = hermetic(&world, &["metrics", "--otlp-endpoint", &address]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("did not answer within 300 ms"), "{}", run.stderr);
    drop(listener);
    let run = hermetic(&world, &["metrics", "--otlp-endpoint", &address, "--json"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.json()["error"]["code"], "otlp_unreachable");
    assert!(run.stderr.contains("cannot reach the collector"), "{}", run.stderr);
}

#[test]
fn a_wrong_address_or_variable_is_wrong_usage_and_nothing_is_sent() {
    // J4
    let check = |variables: &[(&str, &str)], args: &[&str], words: &str| {
        let mut world = World::new();
        variables.iter().for_each(|(name, value)| world.env(name, value));
        let run = hermetic(&world, &[&["metrics"], args].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    };
    check(&[], &["--otlp-endpoint", "localhost:4318"], "does not begin with `http://`");
    check(&[], &["--otlp-endpoint", "https://h"], "`http` only");
    check(&[("OTEL_EXPORTER_OTLP_HEADERS", "nope")], &["--otlp-endpoint"], "part 1 has no `=`");
    check(&[("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")], &["--otlp-endpoint"], "milliseconds");
    check(&[], &["--otlp-endpoint", "http://h", "--prometheus"], "cannot be used with");
    let empty = hermetic(&World::new(), &["metrics", "--otlp-endpoint", "http://127.0.0.1:9"]);
    assert_eq!(empty.code, 0, "{}", empty.stderr);
    assert!(empty.stdout.contains("nothing to send"), "{}", empty.stdout);
}
