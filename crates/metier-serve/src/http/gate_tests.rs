use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};

use super::{Badge, Gate};
use crate::http::Token;
use crate::who::Who;

/// The code a request is refused with; `in` when it may come in.
fn ask(gate: &Gate, uri: &str, headers: &[(&str, &str)]) -> &'static str {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        map.append(name, HeaderValue::from_str(value).unwrap());
    }
    let uri: Uri = uri.parse().unwrap();
    gate.check(&uri, &map).err().map_or("in", |problem| problem.code)
}

#[test]
fn a_request_is_for_this_machine_by_its_own_name_only() {
    // U3
    let gate = Gate::default();
    let check = |host: &str, expect: &str| {
        assert_eq!(ask(&gate, "/v1/list", &[("host", host)]), expect, "{host}");
    };
    for host in ["localhost", "LocalHost:7777", "127.0.0.1:80", "127.9.9.9", "[::1]", "[::1]:7777"]
    {
        check(host, "in");
    }
    for host in [
        "evil.example",
        "evil.example:7777",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.1",
        "[fe80::1]",
        "localhost:",
        "localhost:port",
        "localhost:123456",
        ":7777",
        "",
        "[::1",
        "::1",
        "0.0.0.0",
    ] {
        check(host, "wrong_host");
    }
}

#[test]
fn a_request_says_once_what_it_is_for_and_means_it() {
    // U3
    let gate = Gate::default();
    assert_eq!(ask(&gate, "/", &[]), "bad_request");
    assert_eq!(ask(&gate, "/", &[("host", "localhost"), ("host", "localhost")]), "bad_request");
    let host = [("host", "localhost")];
    assert_eq!(ask(&gate, "http://evil.example/v1/list", &host), "wrong_host");
    assert_eq!(ask(&gate, "http://localhost:7777/v1/list", &host), "in");
}

#[test]
fn other_names_are_those_somebody_allowed_and_addresses_where_others_are_listened_to() {
    // U3
    let gate = Gate { hosts: vec!["skills.example".to_owned()], wide: true, ..Gate::default() };
    for (host, expect) in [
        ("skills.example", "in"),
        ("Skills.Example:443", "in"),
        ("192.168.1.1:7777", "in"),
        ("[fe80::1]:7777", "in"),
        ("other.example", "wrong_host"),
    ] {
        assert_eq!(ask(&gate, "/", &[("host", host)]), expect, "{host}");
    }
}

#[test]
fn pages_of_others_may_not_ask() {
    // U3
    let gate = Gate { origins: vec!["https://tools.example".to_owned()], ..Gate::default() };
    let check = |name: &str, value: &str, expect: &str| {
        let headers = [("host", "localhost:7777"), (name, value)];
        assert_eq!(ask(&gate, "/v1/list", &headers), expect, "{name}: {value}");
    };
    check("origin", "http://localhost:7777", "in");
    check("origin", "https://localhost:7777", "in");
    check("origin", "https://tools.example", "in");
    for origin in ["null", "http://localhost:3000", "http://localhost", "https://evil.example", ""]
    {
        check("origin", origin, "wrong_origin");
    }
    check("sec-fetch-site", "cross-site", "wrong_origin");
    check("sec-fetch-site", "same-site", "wrong_origin");
    check("sec-fetch-site", "same-origin", "in");
    check("sec-fetch-site", "none", "in");
}

#[test]
fn where_there_is_a_token_everybody_needs_it_but_for_the_health() {
    // U3
    let token = Some(Token::parse("0123456789abcdef").unwrap());
    let gate = Gate { token, ..Gate::default() };
    let right = ("authorization", "Bearer 0123456789abcdef");
    let wrong = ("authorization", "Bearer 0123456789abcdee");
    let host = ("host", "localhost");
    for path in ["/", "/v1/list", "/mcp", "/metrics", "/health/", "//health", "/healthy"] {
        assert_eq!(ask(&gate, path, &[host]), "unauthorized", "{path}");
        assert_eq!(ask(&gate, path, &[host, wrong]), "unauthorized", "{path}");
        assert_eq!(ask(&gate, path, &[host, right, wrong]), "unauthorized", "{path}");
        assert_eq!(ask(&gate, path, &[host, right]), "in", "{path}");
    }
    assert_eq!(ask(&gate, "/health", &[host]), "in");
    assert_eq!(ask(&gate, "/health", &[("host", "evil.example")]), "wrong_host");
}

#[test]
fn a_token_of_its_own_says_who_a_client_is_and_nobody_comes_without_one() {
    // U2, U3
    let token = |text: &str| Token::parse(text).unwrap();
    let badge = |section: &str, text: &str| Badge { section: section.into(), token: token(text) };
    let badges = vec![badge("one", "token-of-client-one"), badge("two", "token-of-client-two")];
    let gate = Gate { badges: badges.clone(), ..Gate::default() };
    let who = |gate: &Gate, given: &str| {
        let mut headers = HeaderMap::new();
        headers.append("host", HeaderValue::from_static("localhost"));
        headers.append("authorization", HeaderValue::from_str(&format!("Bearer {given}")).unwrap());
        gate.check(&Uri::from_static("/v1/list"), &headers).map_err(|problem| problem.code)
    };
    assert_eq!(who(&gate, "token-of-client-one"), Ok(Who::known("one")));
    assert_eq!(who(&gate, "token-of-client-two"), Ok(Who::known("two")));
    assert_eq!(who(&gate, "token-of-the-operator"), Err("unauthorized"));
    let host = [("host", "localhost")];
    assert_eq!(ask(&gate, "/v1/list", &host), "unauthorized", "less is not had by saying nothing");
    assert_eq!(ask(&gate, "/health", &host), "in");
    let gate = Gate { badges, token: Some(token("token-of-the-operator")), ..Gate::default() };
    assert_eq!(who(&gate, "token-of-the-operator"), Ok(Who::default()));
    assert_eq!(who(&gate, "token-of-client-one"), Ok(Who::known("one")));
    assert!(token("token-of-client-one").is_same(&token("token-of-client-one ")));
    assert!(!token("token-of-client-one").is_same(&token("token-of-client-two")));
}
