use super::*;
use crate::wire::{ScratchPlan, Tree};

fn plan(program: &str, scratch: Option<&str>) -> Plan {
    Plan {
        job: Job::Run {
            program: program.into(),
            args: vec!["-x".into()],
            environment: vec![
                ("HOME".into(), "/caller".into()),
                ("PATH".into(), "/a:relative::/b".into()),
            ],
            cwd: "/".into(),
        },
        limits: Limits::default(),
        scratch: scratch.map(|path| ScratchPlan { bytes: 1, entries: 1, path: path.into() }),
        tree: Tree::Sweep,
        landlock: None,
        seccomp: None,
        drop_capabilities: false,
        processes: ProcessCap::Unset,
        group: None,
    }
}

fn shown(list: &[CString]) -> Vec<&str> {
    list.iter().map(|text| text.to_str().unwrap()).collect()
}

#[test]
fn a_program_is_looked_up_in_absolute_directories_only() {
    // R4
    let program = Program::of(&plan("tool", None)).unwrap().unwrap();
    assert_eq!(shown(&program.candidates), ["/a/tool", "/b/tool"]);
    assert_eq!(shown(&program.args), ["tool", "-x"]);
    let program = Program::of(&plan("./tool", None)).unwrap().unwrap();
    assert_eq!(shown(&program.candidates), ["./tool"]);
}

#[test]
fn home_is_in_the_private_directory_whatever_the_caller_has() {
    // R5
    let program = Program::of(&plan("/x", Some("/tmp"))).unwrap().unwrap();
    let expect = ["PATH=/a:relative::/b", "HOME=/tmp/home", "TMPDIR=/tmp"];
    assert_eq!(shown(&program.environment), expect);
    let program = Program::of(&plan("/x", None)).unwrap().unwrap();
    assert_eq!(shown(&program.environment), ["HOME=/caller", "PATH=/a:relative::/b"]);
}

#[test]
fn what_cannot_be_an_argument_is_refused() {
    // R4
    let broken = Program::of(&plan("a\0b", None)).err().unwrap();
    assert_eq!(broken.failure().step, "the program's arguments");
    let probe = Plan { job: Job::Probe, ..plan("/x", None) };
    assert!(Program::of(&probe).unwrap().is_none());
}
