use super::base64;

#[test]
fn base64_has_the_letters_and_padding_everybody_reads() {
    // R1
    let check = |bytes: &[u8], expect: &str| assert_eq!(base64(bytes), expect);
    check(b"", "");
    check(b"f", "Zg==");
    check(b"fo", "Zm8=");
    check(b"foo", "Zm9v");
    check(b"foobar", "Zm9vYmFy");
    check(&[0xff, 0xfe, 0xfd, 0x00], "//79AA==");
    check(&[0xfb, 0xf0], "+/A=");
}
