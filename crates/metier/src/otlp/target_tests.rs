use std::collections::BTreeMap;
use std::time::Duration;

use super::{Target, TargetError};
use crate::command::metrics::Signal::{self, Metrics, Traces};

fn target(signal: Signal, flag: &str, variables: &[(&str, &str)]) -> Result<Target, TargetError> {
    let owned = variables.iter().map(|(k, v)| (format!("OTEL_EXPORTER_OTLP_{k}"), (*v).to_owned()));
    Target::of(signal, flag, &owned.collect::<BTreeMap<_, _>>())
}

#[test]
fn the_flag_beats_the_variables_and_the_narrower_variable_the_wider() {
    // J4
    let check = |signal, flag: &str, variables: &[(&str, &str)], expect: &str| {
        assert_eq!(target(signal, flag, variables).unwrap().url, expect);
    };
    let all = &[("ENDPOINT", "http://all:1/base/"), ("TRACES_ENDPOINT", "http://one:2/in?k=1")][..];
    check(Metrics, "", &[], "http://localhost:4318/v1/metrics");
    check(Traces, "", &[], "http://localhost:4318/v1/traces");
    check(Metrics, "", all, "http://all:1/base/v1/metrics");
    check(Traces, "", all, "http://one:2/in?k=1");
    check(Traces, "http://flag", all, "http://flag/v1/traces");
    check(Traces, "http://[::1]:4318/x?q=2", &[], "http://[::1]:4318/x/v1/traces?q=2");
    assert_eq!(target(Traces, "", all).unwrap().shown(), "http://one:2/in");
}

#[test]
fn an_address_that_is_none_says_what_is_wrong_with_it() {
    // J4
    let check = |url: &str, words: &str| {
        let error = target(Metrics, url, &[]).unwrap_err();
        assert!(matches!(error, TargetError::Address { .. }));
        assert!(error.to_string().contains(words), "{url}: {error}");
    };
    check("localhost:4318", "does not begin with `http://`");
    check("ftp://host", "does not begin with `http://`");
    check("/v1", "does not begin with `http://`");
    check("http://a b", "not a URL");
    check("http://", "not a URL");
    check("http://u:secret@host", "OTEL_EXPORTER_OTLP_HEADERS");
    check("https://host", "`http` only");
    let error = target(Metrics, "", &[("METRICS_ENDPOINT", "no")]).unwrap_err();
    assert!(error.to_string().contains("`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`"), "{error}");
}

#[test]
fn headers_are_decoded_and_never_shown() {
    // J4, J2
    let headers =
        target(Metrics, "", &[("HEADERS", "authorization=Bearer%20a%2Cb, x-team = blue,")]);
    let headers = headers.unwrap().headers;
    let pairs: Vec<(&str, &[u8])> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    assert_eq!(pairs, [("authorization", &b"Bearer a,b"[..]), ("x-team", b"blue")]);
    assert!(!format!("{headers:?}").contains("Bearer"));
    let check = |list: &str, part: usize| {
        let error = target(Traces, "", &[("TRACES_HEADERS", list)]).unwrap_err();
        assert!(matches!(error, TargetError::Header { part: p, .. } if p == part), "{list}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    };
    check("s3cret", 1);
    check("a=b,é=s3cret", 2);
    check("a=s3cret%0d%0aX:y", 1);
    check("a=s3cret%2", 1);
    check("a=s3cret%zz", 1);
    check("Host=s3cret", 1);
    check("content-type=s3cret", 1);
}

#[test]
fn patience_is_a_number_of_milliseconds() {
    // J4
    assert_eq!(target(Metrics, "", &[]).unwrap().timeout, Duration::from_secs(10));
    let given = &[("TIMEOUT", "500"), ("TRACES_TIMEOUT", "900")][..];
    assert_eq!(target(Metrics, "", given).unwrap().timeout, Duration::from_millis(500));
    assert_eq!(target(Traces, "", given).unwrap().timeout, Duration::from_millis(900));
    for text in ["0", "-1", "soon", "600001", "1.5"] {
        let error = target(Metrics, "", &[("TIMEOUT", text)]).unwrap_err();
        assert_eq!(error, TargetError::Timeout { variable: "OTEL_EXPORTER_OTLP_TIMEOUT".into() });
    }
}
