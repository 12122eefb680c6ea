use crate::{hermetic, transcript, workshop};

/// A world whose journal has something of everything that is counted.
pub(crate) fn counted() -> metier_testing::World {
    let world = workshop();
    hermetic(&world, &["use", "files"]);
    let script = world.path().join("roots/personal/files/scripts/run.py");
    let call = serde_json::json!({"file_path": script}).to_string();
    hermetic(&world, &["guard", "Read", &call]);
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "git log"}"#]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "curl x"}"#]);
    hermetic(&world, &["use", "nobody"]);
    hermetic(&world, &["read", "files", "references/a.md"]);
    world
}

#[test]
fn what_the_journal_counts_is_shown() {
    // J4, U1
    let world = counted();
    let run = hermetic(&world, &["metrics"]);
    let text = transcript(&world, &run);
    // Tokens depend on where the world lies; everything else does not.
    let steady: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("tokens given") && !line.starts_with("  "))
        .collect();
    insta::assert_snapshot!(steady.join("\n"));
}

#[test]
fn json_counts_each_session_and_each_skill() {
    // J4
    let world = counted();
    let document = hermetic(&world, &["metrics", "--json"]).json();
    let counters = &document["sessions"]["default"]["counters"];
    for (name, value) in [
        ("activations", 2),
        ("refusals", 1),
        ("tool_calls_allowed", 1),
        ("restriction_violations", 2),
        ("script_reads_blocked", 1),
        ("resources_read", 1),
    ] {
        assert_eq!(counters[name], value, "{name}");
        assert_eq!(document["total"][name], value, "{name}");
    }
    let tokens = document["sessions"]["default"]["tokens_per_skill"].as_object().unwrap();
    assert_eq!(tokens.keys().collect::<Vec<_>>(), ["files", "notes"]);
    let sum: u64 = tokens.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counters["tokens"], sum);
}

#[test]
fn collectors_get_the_text_they_scrape() {
    // J4
    let world = counted();
    let run = hermetic(&world, &["metrics", "--prometheus"]);
    assert_eq!(run.code, 0);
    let violations = "metier_restriction_violations_total{session=\"default\"} 2\n";
    assert!(run.stdout.contains(violations), "{}", run.stdout);
    for line in run.stdout.lines() {
        let is_comment = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
        let value = line.rsplit(' ').next().unwrap();
        assert!(is_comment || value.parse::<u64>().is_ok(), "{line}");
    }
}

#[test]
fn an_export_is_what_an_endpoint_takes() {
    // J4
    let world = counted();
    hermetic(&world, &["end"]);
    let traces = hermetic(&world, &["metrics", "--otlp", "traces"]).json();
    let spans = traces["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"skill files") && names.contains(&"skill notes"), "{names:?}");
    let metrics = hermetic(&world, &["metrics", "--otlp", "metrics"]).json();
    let points = metrics["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let violations = points.iter().find(|m| m["name"] == "tool_restriction_violations").unwrap();
    assert_eq!(violations["sum"]["dataPoints"][0]["asInt"], "2");
    assert_eq!(hermetic(&world, &["metrics", "--otlp", "logs"]).code, 2);
}
