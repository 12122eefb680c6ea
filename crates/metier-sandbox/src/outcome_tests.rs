use super::*;

fn missing() -> Vec<Missing> {
    vec![
        Missing { wall: Wall::Network, reason: "no namespaces".into() },
        Missing { wall: Wall::Disk, reason: "no tmpfs".into() },
    ]
}

fn enforced() -> Enforced {
    let name = |wall: &str| format!("by-{wall}");
    Enforced {
        backend: "b".into(),
        filesystem: name("filesystem"),
        network: name("network"),
        syscalls: name("syscalls"),
        processes: name("processes"),
        memory: name("memory"),
        disk: name("disk"),
        tree: name("tree"),
    }
}

#[test]
fn a_refusal_names_every_missing_wall_and_why() {
    // R6
    let error = RunError::CannotEnforce { missing: missing() };
    assert_eq!(error.to_string(), "cannot enforce network: no namespaces; disk: no tmpfs");
}

#[test]
fn each_error_names_what_it_is_about() {
    // R4
    let source = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let check = |error: RunError, expect: &str| assert_eq!(error.to_string(), expect);
    check(RunError::Path { path: "/p".into(), source: source() }, "cannot use `/p`");
    check(RunError::Start { program: "x".into(), source: source() }, "cannot start `x`");
    check(RunError::Setup { step: "mounts".into(), source: source() }, "cannot set up mounts");
    check(RunError::Supervisor { detail: "d".into() }, "the supervisor failed: d");
}

#[test]
fn each_wall_has_its_own_mechanism_and_name() {
    // R6
    let enforced = enforced();
    for wall in Wall::ALL {
        assert_eq!(enforced.mechanism(wall), format!("by-{wall}"));
    }
    assert!(
        enforced.to_string().starts_with("backend: b, filesystem: by-filesystem, network: by-")
    );
    let json = serde_json::to_value(&enforced).unwrap();
    assert_eq!(json["tree"], "by-tree");
    assert_eq!(serde_json::from_value::<Enforced>(json).unwrap(), enforced);
}

#[test]
fn each_status_says_what_happened() {
    // R4
    let check = |status: Status, expect: &str| assert_eq!(status.to_string(), expect);
    check(Status::Exit(3), "exit code 3");
    check(Status::Signal(9), "ended by signal 9");
    check(Status::TimedOut, "stopped after the time limit");
    check(Status::Cancelled, "cancelled");
    let limits = [
        (Limit::Cpu, "CPU time"),
        (Limit::Memory, "memory"),
        (Limit::FileSize, "file size"),
        (Limit::Scratch, "private directory size"),
        (Limit::Stdout, "standard output"),
        (Limit::Stderr, "standard error"),
    ];
    for (limit, name) in limits {
        check(Status::OutOfLimit(limit), &format!("stopped at the limit on {name}"));
    }
    assert!(Status::Exit(0).is_success() && !Status::Exit(1).is_success());
    assert!(!Status::TimedOut.is_success());
}

#[test]
fn a_stream_is_cut_when_more_came_than_was_kept() {
    // R4
    assert!(!Captured { bytes: vec![1, 2], total: 2 }.is_cut());
    assert!(Captured { bytes: vec![1, 2], total: 3 }.is_cut());
    assert!(!Captured::default().is_cut());
}
