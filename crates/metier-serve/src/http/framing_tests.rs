use super::Framing;

/// Whether somebody who gets these bytes is in doubt, in one piece and byte by byte.
fn check(bytes: &str, doubt: bool) {
    let mut whole = Framing::default();
    whole.see(bytes.as_bytes());
    assert_eq!(whole.doubt().is_there(), doubt, "{bytes:?}");
    let mut slow = Framing::default();
    for byte in bytes.as_bytes() {
        slow.see(&[*byte]);
    }
    assert_eq!(slow.doubt().is_there(), doubt, "byte by byte: {bytes:?}");
}

fn post(headers: &str) -> String {
    format!("POST / HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

#[test]
fn a_length_that_is_told_once_has_one_meaning() {
    // U3
    check(&post(""), false);
    check(&post("Content-Length: 2\r\n"), false);
    check(&post("Transfer-Encoding: chunked\r\n"), false);
    check(&post("transfer-encoding:  CHUNKED \r\n"), false);
    check(&post("X-Content-Length: 1\r\nContent-Length: 2\r\n"), false);
    check("\r\n\r\nGET / HTTP/1.1\nHost: localhost\n\n", false);
}

#[test]
fn a_length_that_is_told_twice_has_two() {
    // U3, F4
    for headers in [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "content-LENGTH: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2\nX: y\nTransfer-Encoding: chunked\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
    ] {
        check(&post(headers), true);
    }
}

#[test]
fn each_request_of_a_connection_is_looked_at_and_no_body_is() {
    // U3, F4
    let two = "Content-Length: 1\r\nContent-Length: 1\r\n";
    let body = post(two);
    let first = format!("{}{body}", post(&format!("Content-Length: {}\r\n", body.len())));
    check(&first, false);
    check(&format!("{first}{}", post("")), false);
    check(&format!("{first}{}", post(two)), true);
    check(&format!("{}{}", post(""), post(two)), true);
    // What comes behind a body in chunks is nobody's request.
    check(&format!("{}0\r\n\r\n{}", post("Transfer-Encoding: chunked\r\n"), post(two)), false);
}

#[test]
fn a_line_without_end_fills_no_memory() {
    // U3, F4
    let mut framing = Framing::default();
    for _ in 0..1000 {
        framing.see(&[b'x'; 4096]);
    }
    assert!(framing.line.len() <= crate::limits::MAX_HEADER_BYTES);
    assert!(!framing.doubt().is_there());
}
