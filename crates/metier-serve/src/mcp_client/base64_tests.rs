use super::decode;

#[test]
fn bytes_come_back_and_nothing_else_is_taken() {
    // U2
    let check = |text: &str, expect: Option<&[u8]>| {
        assert_eq!(decode(text).as_deref(), expect, "{text:?}");
    };
    check("", Some(b""));
    check("AA==", Some(b"\0"));
    check("iVBORwD/", Some(b"\x89PNG\0\xff"));
    check("Zm9v", Some(b"foo"));
    check("Zm8=", Some(b"fo"));
    check("+/+/", Some(b"\xfb\xff\xbf"));
    for bad in ["A", "AA", "AAA", "A===", "====", "AA==AA==", "Zm9=", "AB==", "Zm9v\n", "Z m9"] {
        check(bad, None);
    }
    check("-_-_", None);
}
