use super::*;

#[test]
fn this_machine_is_known_by_every_spelling() {
    // S3
    for name in [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "user@localhost",
        "ssh://user@localhost:22",
        "ssh://127.0.0.1/",
        "x.localhost",
        "localhost.localdomain",
        "ip6-localhost",
        "127.0.0.1",
        "127.1",
        "127.8.9.10",
        "a@127.0.0.1",
        "0",
        "0.0.0.0",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "::1",
        "[::1]",
        "[::1]:22",
        "::",
        "::ffff:127.0.0.1",
        "0:0:0:0:0:0:0:1",
    ] {
        assert!(is_this_one(name), "{name}");
    }
    for name in [
        "host",
        "example.com",
        "user@example.com",
        "localhost@example.com",
        "mylocalhost",
        "10.0.0.1",
        "128.0.0.1",
        "12.7.0.1",
        "ssh://example.com:22",
        "fe80::1",
        "",
    ] {
        assert!(!is_this_one(name), "{name}");
    }
    assert!(may_be_this_one(&Word::unknown()));
    assert!(may_be_this_one(&Word::starting("user@")));
}
