use super::*;

fn request(body: &str) -> Request {
    let name = "skill://a/\"b\"\\c".to_owned();
    let headers = vec![("Mcp-Name", name), ("Mcp-Session-Id", String::new())];
    let patience = Duration::from_millis(1500);
    Request { verb: "POST", body: body.to_owned(), headers, patience }
}

#[test]
fn every_request_is_told_everything_again() {
    // U2
    let to = |url, login| Target { url, login };
    let text =
        settings(to("https://x.example/mcp", false), &[request("{\"a\":\"\\n\"}"), request("")]);
    let (first, second) = text.split_once("next\n").unwrap();
    for part in [first, second] {
        assert!(part.starts_with(ALWAYS), "{part}");
        for line in [
            "proto = \"=https\"\n",
            "request = \"POST\"\n",
            "max-time = \"1.500\"\n",
            "url = \"https://x.example/mcp\"\n",
            r#"header = "Mcp-Name: skill://a/\"b\"\\c""#,
        ] {
            assert!(part.contains(line), "{line} in {part}");
        }
        assert!(!part.contains("Mcp-Session-Id") && part.contains("fail-early\n"), "{part}");
    }
    assert!(first.contains(r#"data-raw = "{\"a\":\"\\n\"}""#), "{first}");
    assert!(!second.contains("data-raw"), "{second}");
    assert!(!text.contains("netrc"), "{text}");
    let known = settings(to("http://x", true), &[request(""), request("")]);
    assert!(known.contains("proto = \"=http\"\n"));
    assert_eq!(known.matches("netrc-optional\n").count(), 2, "{known}");
    // What is said in one line cannot become another one.
    assert_eq!(quoted("a\nurl = \"x\"\r"), r#""a\nurl = \"x\"\r""#);
}

#[test]
fn answers_are_told_apart_however_their_bytes_come() {
    // U2
    let text = b"HTTP/1.1 200 OK\r\n\r\n{}\x1e0\x1eHTTP/1.1 200 OK\r\n\r\n\x1e0\x1e\x1e28\x1e";
    let first: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n{}";
    let second: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
    for size in 1..=text.len() {
        let mut answers = Answers::default();
        let (mut all, mut open) = (Vec::new(), Vec::new());
        for piece in text.chunks(size) {
            answers.give(piece.to_vec());
            while let Some(part) = answers.next().unwrap() {
                match part {
                    Part::Bytes(bytes) => open.extend(bytes),
                    Part::End(reason) => all.push((std::mem::take(&mut open), reason)),
                }
            }
        }
        let expect = [(first.to_vec(), 0), (second.to_vec(), 0), (Vec::new(), 28)];
        assert_eq!(all, expect, "pieces of {size}");
    }
}

#[test]
fn a_mark_that_curl_did_not_set_is_nonsense() {
    // U2, P2
    for bad in ["\x1ex\x1e", "\x1e12345678", "\x1eabcdefghijkl\x1e"] {
        let mut answers = Answers::default();
        answers.give(bad.into());
        assert!(matches!(answers.next(), Err(ServerError::Nonsense(_))), "{bad:?}");
    }
    let mut answers = Answers::default();
    answers.give(b"\x1e28".to_vec());
    assert_eq!(answers.next(), Ok(None), "its end may come");
    answers.give(b"\x1e\x1e\x1e".to_vec());
    assert_eq!(answers.next(), Ok(Some(Part::End(28))));
    assert_eq!(answers.next(), Ok(Some(Part::End(0))), "an old curl knows no number");
}
