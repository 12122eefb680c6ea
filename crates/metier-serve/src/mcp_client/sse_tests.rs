use super::*;

#[test]
fn a_head_is_read_once_it_is_whole() {
    // U2
    let text = b"HTTP/1.1 200 OK\r\nContent-Type: a/b; c\r\nX:1\r\nx: 2\r\n\r\nbody";
    for end in 0..text.len() - 4 {
        assert_eq!(Head::read(&text[..end]).unwrap(), None);
    }
    let (head, length) = Head::read(text).unwrap().unwrap();
    assert_eq!((head.status, &text[length..]), (200, &b"body"[..]));
    assert_eq!((head.get("content-type"), head.get("x")), (Some("a/b; c"), Some("1")));
    assert_eq!(head.get("y"), None);
    assert!(!head.is_early());
    let (early, _) = Head::read(b"HTTP/1.1 100 Continue\n\n").unwrap().unwrap();
    assert!(early.is_early());
    let (second, _) = Head::read(b"HTTP/2 404 \r\n\r\n").unwrap().unwrap();
    assert_eq!(second.status, 404);
    for bad in
        ["\r\n\r\n", "x\n\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 70000\n\n"]
    {
        assert!(Head::read(bad.as_bytes()).is_err(), "{bad:?}");
    }
}

#[test]
fn events_are_the_same_however_their_bytes_come() {
    // U2
    let text = "\u{feff}: hello\nid: 1\ndata: {\"a\":\ndata: 1}\n\ndata:x\r\n\r\nevent: e\rdata\r\r\
                data: y\n\nretry: 5\n\nunknown: z\ndatax: no\n\ndata: unfinished";
    let whole = Events::new(1000).take(text.as_bytes()).unwrap();
    let expect: Vec<&[u8]> = vec![b"{\"a\":\n1}", b"x", b"", b"y"];
    assert_eq!(whole, expect);
    for size in 1..9 {
        let mut events = Events::new(1000);
        let mut all = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            all.extend(events.take(piece).unwrap());
        }
        assert_eq!(all, expect, "pieces of {size}");
    }
}

#[test]
fn an_event_has_an_end_and_a_limit() {
    // U2
    let over = |text: &str| Events::new(10).take(text.as_bytes());
    assert_eq!(over("data: 12345678901"), Err(ServerError::TooMuch(10)));
    assert_eq!(over(":aaaaaaaaaaaaaaa"), Err(ServerError::TooMuch(10)));
    assert_eq!(over("data:1234\ndata:5678\ndata:9"), Err(ServerError::TooMuch(10)));
    assert_eq!(over("data:1\n\ndata:2\n\ndata:3\n\n").unwrap().len(), 3, "each by itself");
}
