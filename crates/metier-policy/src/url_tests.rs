use proptest::prelude::*;

use super::*;

#[test]
fn plain_urls_have_their_host() {
    // S3
    let table = [
        ("https://example.com/", "example.com"),
        ("https://example.com", "example.com"),
        ("HTTPS://EXAMPLE.COM/Path", "example.com"),
        ("http://example.com:8080/a?b#c", "example.com"),
        ("https://example.com?x=1", "example.com"),
        ("https://example.com#x", "example.com"),
        ("https://example.com./a", "example.com"),
        ("https://sub.example.com/", "sub.example.com"),
        ("https://a-b_c.example.com/", "a-b_c.example.com"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://localhost:3000/", "localhost"),
        ("http://[::1]/", "[::1]"),
        ("http://[::1]:8080/", "[::1]"),
        ("http://[0:0:0:0:0:0:0:1]/", "[::1]"),
        ("https://example.com/@evil.example", "example.com"),
        ("https://example.com/?u=a@b", "example.com"),
    ];
    for (url, host) in table {
        assert_eq!(host_of(url), Ok(host.to_owned()), "{url}");
    }
}

#[test]
fn urls_that_programs_read_differently_have_none() {
    // S3
    let table = [
        ("ftp://example.com/", UrlError::Scheme),
        ("file:///etc/passwd", UrlError::Scheme),
        ("example.com", UrlError::Scheme),
        ("javascript:alert(1)", UrlError::Scheme),
        ("//example.com/", UrlError::Scheme),
        ("", UrlError::Scheme),
        ("https:/example.com", UrlError::Scheme),
        ("https://good.example@evil.example/", UrlError::UserName),
        ("https://good.example:x@evil.example/", UrlError::UserName),
        ("https://a:b@good.example/", UrlError::UserName),
        ("https://good.example%40evil.example/", UrlError::Host),
        ("https://good.example\\@evil.example/", UrlError::Character),
        ("https://evil.example\\.good.example/", UrlError::Character),
        ("https://good.example\t.evil.example/", UrlError::Character),
        ("https://good.example\n.evil.example/", UrlError::Character),
        ("https://good.example\0.evil.example/", UrlError::Character),
        (" https://good.example/", UrlError::Character),
        ("https://good.example /", UrlError::Character),
        ("https://good\u{3002}example/", UrlError::Host),
        ("https://ｅxample.com/", UrlError::Host),
        ("https://exаmple.com/", UrlError::Host),
        ("https://bücher.example/", UrlError::Host),
        ("https:///path", UrlError::Host),
        ("https://./", UrlError::Host),
        ("https://example..com/", UrlError::Host),
        ("https://.example.com/", UrlError::Host),
        ("https://example.com../", UrlError::Host),
        ("https://exa$mple.com/", UrlError::Host),
        ("http://2130706433/", UrlError::Address),
        ("http://0x7f000001/", UrlError::Address),
        ("http://0x7f.1/", UrlError::Address),
        ("http://127.1/", UrlError::Address),
        ("http://127.0.0.01/", UrlError::Address),
        ("http://1.2.3.4.5/", UrlError::Address),
        ("http://[::1%25eth0]/", UrlError::Address),
        ("http://[::1/", UrlError::Port),
        ("http://[::1]x/", UrlError::Port),
        ("https://example.com:x/", UrlError::Port),
        ("https://example.com:0/", UrlError::Port),
        ("https://example.com:99999/", UrlError::Port),
        ("https://example.com:/", UrlError::Port),
        ("https://example.com:80:80/", UrlError::Port),
    ];
    for (url, fault) in table {
        assert_eq!(host_of(url), Err(fault), "{url:?}");
    }
}

#[test]
fn a_url_is_bounded() {
    // S3, F4
    let long = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
    assert_eq!(host_of(&long), Err(UrlError::TooLong));
    let label = format!("https://{}.com/", "a.".repeat(127));
    assert_eq!(host_of(&label), Err(UrlError::Host));
}

#[test]
fn faults_read_as_sentences() {
    // S3
    assert_eq!(UrlError::UserName.to_string(), "the URL has a user name before its host");
    assert_eq!(UrlError::Scheme.to_string(), "the URL is neither http nor https");
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,60}") {
        // S3, F4
        let _ = host_of(&text);
        let _ = host_of(&format!("https://{text}"));
    }

    #[test]
    fn a_host_is_lowercase_and_plain(text in "https?://[a-zA-Z0-9.@:/\\\\%\\[\\]-]{0,30}") {
        // S3
        if let Ok(host) = host_of(&text) {
            prop_assert_eq!(host.to_ascii_lowercase(), host.clone());
            prop_assert!(!host.contains(['@', '/', '\\', '%', ' ']));
            prop_assert!(!host.is_empty());
        }
    }
}

#[test]
fn what_stands_for_other_characters_is_undone_once_and_the_rest_stays() {
    // S3
    let check = |path: &str, expect: Option<&str>| {
        assert_eq!(decoded(path).as_deref(), expect, "{path}");
    };
    check("/a/%2e%2E/b%20c", Some("/a/../b c"));
    check("/a%252e", Some("/a%2e"));
    check("/100%", Some("/100%"));
    check("/%zz%4", Some("/%zz%4"));
    check("/%ff", None);
}
