use std::net::{TcpListener, TcpStream};

use super::{is_strangers, user};

const LINE: &str = "   3: 0100007F:9C40 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1000        0 5 1";

#[test]
fn whose_a_connection_is_stands_in_the_kernels_list() {
    // U3
    let check = |line: &str, client: &str, server: &str, expect: Option<u32>| {
        let found = user(line, client.parse().unwrap(), server.parse().unwrap());
        assert_eq!(found, expect, "{line} {client} {server}");
    };
    check(LINE, "127.0.0.1:40000", "127.0.0.1:7777", Some(1000));
    check(LINE, "127.0.0.1:7777", "127.0.0.1:40000", None);
    check(LINE, "127.0.0.2:40000", "127.0.0.1:7777", None);
    check(LINE, "127.0.0.1:40000", "127.0.0.1:7778", None);
    check(&LINE.replace(" 5 1", " 0 1"), "127.0.0.1:40000", "127.0.0.1:7777", None);
    let six = LINE
        .replace("0100007F:9C40", "0000000000000000FFFF00000100007F:9C40")
        .replace("0100007F:1E61", "0000000000000000FFFF00000100007F:1E61");
    check(&six, "127.0.0.1:40000", "127.0.0.1:7777", Some(1000));
    let own = LINE
        .replace("0100007F:9C40", "00000000000000000000000001000000:9C40")
        .replace("0100007F:1E61", "00000000000000000000000001000000:1E61");
    check(&own, "[::1]:40000", "[::1]:7777", Some(1000));
    for broken in
        ["", "sl local_address rem_address st", "0: é:1 2:3", "0: 0100007F:9C40", "1: 01:2 3:4 5"]
    {
        check(broken, "127.0.0.1:40000", "127.0.0.1:7777", None);
    }
}

#[test]
fn a_connection_of_this_very_user_is_no_strangers() {
    // U3
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    let stream = TcpStream::connect(server).unwrap();
    let client = stream.local_addr().unwrap();
    assert!(!is_strangers(client, server));
    // One that is in no list is a stranger's.
    assert!(is_strangers("127.0.0.1:1".parse().unwrap(), server));
}
