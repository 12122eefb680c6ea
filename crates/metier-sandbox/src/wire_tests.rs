use super::*;

#[test]
fn no_byte_of_a_path_or_argument_is_lost_on_the_way() {
    // R4
    let every: Vec<u8> = (0..=255).collect();
    let text = serde_json::to_string(&Bytes(every.clone())).unwrap();
    assert_eq!(serde_json::from_str::<Bytes>(&text).unwrap(), Bytes(every));
    assert_eq!(serde_json::to_string(&Bytes::from("/usr")).unwrap(), "\"/usr\"");
}

#[test]
fn a_character_that_is_no_byte_is_refused() {
    // R4
    assert!(serde_json::from_str::<Bytes>("\"\u{20ac}\"").is_err());
}

#[test]
fn a_plan_arrives_as_it_was_sent() {
    // R4
    let plan = Plan {
        job: Job::Run {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), Bytes(vec![0xff, 0xfe])],
            environment: vec![("A".into(), "b=c".into())],
            cwd: "/".into(),
        },
        limits: Limits::default(),
        scratch: Some(ScratchPlan { bytes: 1, entries: 2, path: "/tmp".into() }),
        tree: Tree::Namespaces(NamespacePlan {
            network: NetworkPlan::OwnWithLoopback,
            binds: vec![Bind { path: "/usr".into(), access: Access::Read }],
            links: vec![Link { at: "/bin".into(), to: "/usr/bin".into() }],
            pid_max: Some(556),
        }),
        landlock: Some(LandlockPlan { abi: 7, tcp: TcpRule::Deny, rules: Vec::new() }),
        seccomp: Some(Rules { sockets: Sockets::Pairs, surroundings: Surroundings::Own }),
        drop_capabilities: true,
        processes: ProcessCap::Exact,
        group: None,
    };
    let text = serde_json::to_vec(&plan).unwrap();
    assert_eq!(serde_json::from_slice::<Plan>(&text).unwrap(), plan);
}

#[test]
fn a_path_keeps_its_bytes() {
    // R4
    let odd = PathBuf::from(OsString::from_vec(vec![b'/', 0x80]));
    assert_eq!(Bytes::from(odd.clone()).path(), odd);
}
