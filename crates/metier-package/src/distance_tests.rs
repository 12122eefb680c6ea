use super::*;

fn check(source: &str, expect: Distance) {
    assert_eq!(distance(source), expect, "{source}");
}

#[test]
fn a_server_of_this_machine_is_one_by_whatever_way_it_is_asked() {
    // P6, S3
    let hosts = [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "evil.localhost",
        "localhost.localdomain",
        "ip6-localhost",
        "127.0.0.1",
        "127.9.9.9",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "169.254.169.254",
        "0xa9fea9fe",
    ];
    for host in hosts {
        check(&format!("https://{host}/x.git"), Distance::Machine);
        check(&format!("https://{host}:8443/x.tar.gz"), Distance::Machine);
        check(&format!("ssh://{host}/x.git"), Distance::Machine);
        check(&format!("ssh://git@{host}:22/x.git"), Distance::Machine);
        check(&format!("git@{host}:x"), Distance::Machine);
    }
    for host in ["[::1]", "[::]", "[fe80::1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]"] {
        check(&format!("https://{host}/x"), Distance::Machine);
        check(&format!("https://{host}:8443/x"), Distance::Machine);
    }
    check("http://127.0.0.1:9/x", Distance::Machine);
}

#[test]
fn what_only_looks_like_this_machine_is_on_the_network() {
    // P6
    let hosts = [
        "git.example",
        "localhost.example",
        "127.0.0.1.example",
        "mylocalhost",
        "8.8.8.8",
        "169.253.1.1",
        "10.0.0.1",
        "1.2.3.4.5",
        "127.0.0.256.example",
        "face.feed",
        "0x",
    ];
    for host in hosts {
        check(&format!("https://{host}/x.git"), Distance::Network);
        check(&format!("git@{host}:x"), Distance::Network);
    }
    check("https://[2001:db8::1]/x", Distance::Network);
    check("https://git.example/127.0.0.1/localhost", Distance::Network);
}

#[test]
fn what_lies_on_the_disk_is_nearest() {
    // P6
    for source in ["/srv/skills", "file:///srv/skills", "./x", "x.tar.gz"] {
        check(source, Distance::Disk);
    }
    assert!(Distance::Network < Distance::Machine && Distance::Machine < Distance::Disk);
}
