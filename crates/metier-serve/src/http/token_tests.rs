use super::{Token, TokenError};
use crate::limits::{MAX_TOKEN_BYTES, MIN_TOKEN_BYTES};

const GOOD: &str = "0123456789abcdef";

#[test]
fn a_token_is_long_enough_and_fits_a_header() {
    // U3
    let check = |text: &str, expect: TokenError| {
        assert_eq!(Token::parse(text).unwrap_err(), expect, "{text:?}");
    };
    check("", TokenError::TooShort);
    check(&"x".repeat(MIN_TOKEN_BYTES - 1), TokenError::TooShort);
    check(&"x".repeat(MAX_TOKEN_BYTES + 1), TokenError::TooLong);
    check("0123456789 abcdef", TokenError::Character);
    check("0123456789abcdéf", TokenError::Character);
    assert!(Token::parse(&format!("\n {GOOD}\n")).is_ok(), "a file ends with a line break");
}

#[test]
fn only_the_whole_token_is_right() {
    // U3
    let token = Token::parse(GOOD).unwrap();
    for header in
        ["Bearer 0123456789abcdef", "bearer 0123456789abcdef", "BEARER  0123456789abcdef "]
    {
        assert!(token.is_in(header.as_bytes()), "{header}");
    }
    for header in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0",
        "Bearer 0123456789ABCDEF",
        "Basic 0123456789abcdef",
        "0123456789abcdef",
        "Bearer0123456789abcdef",
    ] {
        assert!(!token.is_in(header.as_bytes()), "{header}");
    }
    assert!(!token.is_in(b"Bearer \xff\xfe"));
}

#[test]
fn a_token_may_be_a_password_whoever_the_user_is() {
    // U3
    let check = |token: &str, header: &str, expect: bool| {
        assert_eq!(Token::parse(token).unwrap().is_in(header.as_bytes()), expect, "{header}");
    };
    // `metier:…`, `:…` and `a:…`, with every length of padding.
    check(GOOD, "Basic bWV0aWVyOjAxMjM0NTY3ODlhYmNkZWY=", true);
    check(GOOD, "basic OjAxMjM0NTY3ODlhYmNkZWY=", true);
    check(GOOD, "Basic YTowMTIzNDU2Nzg5YWJjZGVm", true);
    check("0123456789abcde:", "Basic YTowMTIzNDU2Nzg5YWJjZGU6", true);
    for header in [
        "Basic",
        "Basic ",
        "Basic !!!!",
        "Basic A",
        "Basic MDEyMzQ1Njc4OWFiY2RlZg==",
        "Basic YTowMTIzNDU2Nzg5YWJjZGVn",
        "Digest YTowMTIzNDU2Nzg5YWJjZGVm",
    ] {
        check(GOOD, header, false);
    }
}

#[test]
fn a_token_is_never_shown() {
    // U3
    assert_eq!(format!("{:?}", Token::parse(GOOD).unwrap()), "Token(…)");
}
