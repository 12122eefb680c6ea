use super::{LIST, MAX_JSON_MEMORY, NAME, OBJECT, TooHeavy, VALUE, weigh};

/// As many of `piece` in a list as weigh just as much as they may, given what one weighs.
fn most(piece: &str, weight: usize) -> usize {
    let count = (MAX_JSON_MEMORY - LIST) / (weight + VALUE);
    assert!(count > 10_000, "{piece}: {count}");
    count
}

fn list(piece: &str, count: usize) -> String {
    format!("[{}]", vec![piece; count].join(","))
}

#[test]
fn values_are_counted_by_what_they_take_and_not_by_their_bytes() {
    // F4
    let check = |piece: &str, weight: usize| {
        let most = most(piece, weight);
        assert_eq!(weigh(list(piece, most).as_bytes()), Ok(()), "{piece}");
        assert_eq!(weigh(list(piece, most + 2).as_bytes()), Err(TooHeavy), "{piece}");
    };
    check("0", 0);
    check("[]", LIST);
    check("[[[]]]", 3 * LIST);
    check("{}", OBJECT);
    check(r#"{"a":1,"b":[2,3]}"#, OBJECT + LIST + 2 * NAME + 2 * VALUE);
    check(r#""[[{{,,::\"[[{{\\""#, 0);
}

#[test]
fn what_people_send_is_never_too_heavy() {
    // F4
    let file = format!("{{\"content\":\"{}\"}}", "[{,:\\\"".repeat(2 << 20));
    assert_eq!(weigh(file.as_bytes()), Ok(()), "a large file is one value");
    assert_eq!(weigh(list("3.14", 250_000).as_bytes()), Ok(()));
    let found = r#"{"path":"references/a.md","digest":"sha256:0","size":3}"#;
    assert_eq!(weigh(list(found, 50_000).as_bytes()), Ok(()));
}

#[test]
fn what_is_no_json_is_weighed_as_far_as_somebody_would_read_it() {
    // F4
    for text in ["", "\"", "\"\\", "\"\\\"", "nonsense", "]]}}", "\u{feff}[", "\"[[[["] {
        assert_eq!(weigh(text.as_bytes()), Ok(()), "{text}");
    }
    assert_eq!(weigh(&vec![b'['; 1 << 20]), Err(TooHeavy));
    assert_eq!(weigh(&[0xff; 64]), Ok(()));
    assert_eq!(TooHeavy.to_string(), "it has more values than fit into 64 MiB of memory");
}
