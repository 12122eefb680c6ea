use super::*;

#[test]
fn what_curl_and_the_server_say_is_understood() {
    // P2
    for (code, http, expect) in [
        (22, 401, Failure::Authentication),
        (22, 403, Failure::Authentication),
        (22, 404, Failure::NotFound),
        (22, 410, Failure::NotFound),
        (22, 429, Failure::RateLimited),
        (22, 500, Failure::Transient),
        (22, 503, Failure::Transient),
        (22, 418, Failure::Other),
        (6, 0, Failure::Transient),
        (7, 0, Failure::Transient),
        (18, 200, Failure::Transient),
        (28, 0, Failure::Transient),
        (60, 0, Failure::Untrusted),
        (63, 200, Failure::TooMuch),
        (23, 200, Failure::NoSpace),
        (1, 0, Failure::Other),
    ] {
        assert_eq!(failure(code, http), expect, "{code} {http}");
    }
}

#[test]
fn a_version_is_remembered_when_it_can_be_sent_back() {
    // P6
    let check = |headers: &str, expect: Option<&str>| {
        assert_eq!(version(headers.as_bytes()).as_deref(), expect, "{headers}");
    };
    check("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n", Some("\"v1\""));
    check(
        "HTTP/1.1 302 x\r\netag: \"a\"\r\n\r\nHTTP/1.1 200 OK\r\netag: W/\"b\"\r\n",
        Some("W/\"b\""),
    );
    check("HTTP/1.1 200 OK\r\n\r\n", None);
    check("ETag: v1\r\n", None);
    check("ETag: \"a\" \u{1b}\"\r\n", None);
    check(&format!("ETag: \"{}\"\r\n", "x".repeat(300)), None);
}
