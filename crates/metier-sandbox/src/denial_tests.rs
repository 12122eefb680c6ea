use super::*;

fn enforced(mechanism: &str) -> Enforced {
    let said = || mechanism.to_owned();
    Enforced {
        backend: said(),
        filesystem: said(),
        network: said(),
        syscalls: said(),
        processes: said(),
        memory: said(),
        disk: said(),
        tree: said(),
    }
}

fn after(status: Status, stderr: &str) -> Vec<Denial> {
    let stderr = Captured { bytes: stderr.as_bytes().to_vec(), total: stderr.len() as u64 };
    denials(status, &stderr, &enforced("some"))
}

#[test]
fn each_complaint_names_the_wall_that_answers_so() {
    // R6
    let check = |line: &str, wall: Wall| {
        let found = after(Status::Exit(1), line);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!((found[0].wall, found[0].certainty), (wall, Certainty::Likely), "{line}");
        assert_eq!(found[0].evidence, line.trim());
    };
    check("cat: /etc/shadow: Permission denied", Wall::Filesystem);
    check("OSError: [Errno 30] Read-only file system: '/usr/x'", Wall::Filesystem);
    check("Error: EACCES: permission denied, open '/x'", Wall::Filesystem);
    check("curl: (6) Could not resolve host: example.org", Wall::Network);
    check("<urlopen error [Errno -3] Temporary failure in name resolution>", Wall::Network);
    check("dial tcp: lookup example.org: no such host", Wall::Network);
    check("Error: connect ENETUNREACH 192.0.2.1:80", Wall::Network);
    check("PermissionError: [Errno 1] Operation not permitted", Wall::Syscalls);
    check("  sh: 1: Cannot fork", Wall::Processes);
    check("RuntimeError: can't start new thread", Wall::Processes);
    check("MemoryError", Wall::Memory);
    check("dd: error writing 'x': No space left on device", Wall::Disk);
}

#[test]
fn only_what_is_known_is_said() {
    // R6
    let denied = "cat: x: Permission denied";
    // It ended well, or somebody else ended it.
    for status in [Status::Exit(0), Status::TimedOut, Status::Cancelled] {
        assert_eq!(after(status, denied), []);
    }
    assert_eq!(after(Status::Exit(1), "ValueError: no such thing"), []);
    assert_eq!(after(Status::Exit(1), ""), []);
    // No wall stood that could have denied it.
    let stderr = Captured { bytes: denied.as_bytes().to_vec(), total: 25 };
    for mechanism in ["none", "off", "open, as asked"] {
        assert_eq!(denials(Status::Exit(1), &stderr, &enforced(mechanism)), []);
    }
}

#[test]
fn the_signal_of_the_filter_is_known_and_not_guessed() {
    // R6
    let found = after(Status::Signal(SIGSYS), "Bad system call");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].certainty, Certainty::Known);
    assert_eq!(
        found[0].to_string(),
        "stopped by the syscalls wall: ended at a system call that is not answered"
    );
    assert_eq!(after(Status::Signal(11), ""), []);
}

#[test]
fn each_wall_is_named_once_and_no_line_reaches_a_terminal_as_it_is() {
    // R6
    let text = "a: Permission denied\nb: Permission denied\n\u{1b}[31mNetwork is unreachable\n";
    let found = after(Status::Exit(2), text);
    let walls: Vec<_> = found.iter().map(|denial| denial.wall).collect();
    assert_eq!(walls, [Wall::Filesystem, Wall::Network]);
    assert_eq!(found[1].evidence, "[31mNetwork is unreachable");
    assert_eq!(
        found[0].to_string(),
        "probably stopped by the filesystem wall: `a: Permission denied`"
    );
    let long = format!("{} Permission denied", "x".repeat(1000));
    assert_eq!(after(Status::Exit(1), &long)[0].evidence.len(), LINE_CHARS);
    let bytes = [b"\xff\xfe Permission denied".to_vec(), vec![0xff; 100]].concat();
    let total = bytes.len() as u64;
    let found = denials(Status::Exit(1), &Captured { bytes, total }, &enforced("some"));
    assert_eq!(found.len(), 1);
}

#[test]
fn a_denial_is_data_that_a_journal_can_keep() {
    // R6
    let found = after(Status::Exit(1), "x: Permission denied");
    let json = serde_json::to_value(&found).unwrap();
    let expect = serde_json::json!([{
        "wall": "filesystem", "certainty": "likely", "evidence": "x: Permission denied"
    }]);
    assert_eq!(json, expect);
    assert_eq!(serde_json::from_value::<Vec<Denial>>(json).unwrap(), found);
}
