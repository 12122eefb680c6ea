use super::*;
use crate::limits::Limits;
use crate::wire::{Job, ProcessCap, Tree};

fn plan() -> Plan {
    Plan {
        job: Job::Probe,
        limits: Limits::default(),
        scratch: None,
        tree: Tree::Sweep,
        landlock: None,
        seccomp: None,
        drop_capabilities: true,
        processes: ProcessCap::Unset,
        group: None,
    }
}

#[test]
fn the_command_line_ends_with_the_helper_and_what_it_is_handed() {
    // R6
    let wrap = BubblewrapPlan {
        program: "/usr/bin/bwrap".into(),
        words: vec!["--ro-bind".into(), "/a b".into(), "/a b".into()],
    };
    let (plan, results) = rustix::pipe::pipe().unwrap();
    let (life, _other) = rustix::pipe::pipe().unwrap();
    let handed = [&plan, &results, &life];
    let (program, words) = words(&wrap, handed).unwrap();
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(program.to_str().unwrap(), "/usr/bin/bwrap");
    assert_eq!(words[..4], ["/usr/bin/bwrap", "--ro-bind", "/a b", "/a b"]);
    let end = [INNER, "--remount-ro", "/", "--chdir", "/", "--", INNER];
    assert_eq!(words[6..13], end);
    let numbers: Vec<String> = handed.iter().map(|fd| fd.as_raw_fd().to_string()).collect();
    assert_eq!(words[13..], numbers);
    // They survive the start of `bwrap`.
    for fd in handed {
        assert!(!rustix::io::fcntl_getfd(fd).unwrap().contains(FdFlags::CLOEXEC));
    }
}

#[test]
fn a_word_that_no_program_can_be_given_is_an_error() {
    // R6
    let wrap = BubblewrapPlan { program: "/usr/bin/bwrap".into(), words: vec![Bytes(vec![0])] };
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    let error = words(&wrap, [&reader, &writer, &reader]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    let broken = become_bubblewrap(&wrap, [&reader, &writer, &reader]);
    assert_eq!((broken.step.as_str(), broken.start), ("`bwrap`", false));
}

#[test]
fn a_bwrap_that_is_not_there_is_said() {
    // R6
    let wrap = BubblewrapPlan { program: "/no/such/bwrap".into(), words: Vec::new() };
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    let broken = become_bubblewrap(&wrap, [&reader, &writer, &reader]);
    assert_eq!(broken.source.raw_os_error(), Some(libc::ENOENT));
    let failure = nothing_began();
    assert_eq!((failure.step.as_str(), failure.start), ("the namespaces with `bwrap`", false));
}

#[test]
fn the_plan_is_handed_as_it_is() {
    // R6
    let descriptor = written(&plan()).unwrap();
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    let file = rustix::fs::open(path, OFlags::RDONLY, Mode::empty()).unwrap();
    let mut bytes = Vec::new();
    std::fs::File::from(file).read_to_end(&mut bytes).unwrap();
    assert_eq!(serde_json::from_slice::<Plan>(&bytes).unwrap(), plan());
    // Started by hand there is nothing to take.
    assert!(taken().is_err());
}
