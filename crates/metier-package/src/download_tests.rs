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

#[test]
fn a_pointer_is_followed_to_https_or_stays_on_this_machine() {
    // P2
    let check = |from: &str, to: &str, expect: bool| {
        assert_eq!(is_followed(from, to), expect, "{from} to {to}");
    };
    check("https://a.example/x", "https://b.example:8443/y?sig=1&x=2", true);
    check("http://127.0.0.1:1/x", "http://localhost:2/y", true);
    check("http://127.0.0.1:1/x", "https://b.example/y", true);
    check("http://127.0.0.1:1/x", "http://b.example/y", false);
    check("https://a.example/x", "http://127.0.0.1:1/y", false);
    check("https://a.example/x", "https://u:p@b.example/y", false);
    check("https://a.example/x", "ftp://b.example/y", false);
    check("https://a.example/x", "", false);
    for near in ["127.0.0.1:18443", "localhost", "[::1]:8443", "169.254.169.254", "127.1"] {
        check("https://a.example/x", &format!("https://{near}/y"), false);
        check("https://127.0.0.1:8443/x", &format!("https://{near}/y"), true);
    }
    let long = format!("https://a.example/{}", "x".repeat(MAX_REDIRECT_BYTES));
    check("https://a.example/x", &long, false);
}
