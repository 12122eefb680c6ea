#![expect(clippy::disallowed_methods, reason = "tests make files and start programs")]

use super::*;
use crate::wire::Failure;

#[test]
fn a_wait_status_becomes_what_happened() {
    // R4
    let check = |wait: i32, expect: Status| assert_eq!(ended(wait), expect, "{wait:#x}");
    check(0, Status::Exit(0));
    check(0x0700, Status::Exit(7));
    check(0xff00, Status::Exit(255));
    check(9, Status::Signal(9));
    check(0x80 | 11, Status::Signal(11));
    check(libc::SIGXCPU, Status::OutOfLimit(Limit::Cpu));
    check(libc::SIGXFSZ, Status::OutOfLimit(Limit::FileSize));
}

#[test]
fn an_own_end_counts_more_than_the_order_to_end() {
    // R4
    let program = Path::new("p");
    let wait = Report { wait: Some(0), ..Report::default() };
    assert_eq!(status(&wait, Some(Status::TimedOut), program).unwrap(), Status::Exit(0));
    let silent = Report::default();
    assert_eq!(status(&silent, Some(Status::Cancelled), program).unwrap(), Status::Cancelled);
    let limit = Report { limit: Some(Limit::Memory), ..wait };
    let limited = status(&limit, Some(Status::TimedOut), program).unwrap();
    assert_eq!(limited, Status::OutOfLimit(Limit::Memory));
    let error = status(&silent, None, program).unwrap_err();
    assert!(matches!(error, RunError::Supervisor { .. }), "{error}");
}

#[test]
fn a_failed_step_is_told_from_a_failed_start() {
    // R4
    let failure = |start| Failure { step: "mounts".into(), errno: libc::EPERM, start };
    let report =
        |start| Report { failure: Some(failure(start)), wait: Some(0), ..Report::default() };
    let error = status(&report(true), None, Path::new("p")).unwrap_err();
    assert!(matches!(error, RunError::Start { .. }), "{error}");
    let error = status(&report(false), None, Path::new("p")).unwrap_err();
    assert!(matches!(error, RunError::Setup { ref step, .. } if step == "mounts"), "{error}");
}

#[test]
fn private_directories_never_have_the_same_name() {
    // R4
    let names: std::collections::BTreeSet<_> = (0..100).map(|_| fresh(Path::new("/b"))).collect();
    assert_eq!(names.len(), 100);
    assert!(names.iter().all(|name| name.starts_with("/b")));
}

#[test]
fn the_private_directory_makes_room_for_a_granted_tmp() {
    // R6
    let granted = Ground { write: vec!["/tmp".into()], ..Ground::default() };
    assert_eq!(scratch_inside(&granted), "/run/scratch".into());
    assert_eq!(scratch_inside(&Ground::default()), "/tmp".into());
}

#[test]
fn a_program_starts_in_the_private_directory_unless_told_otherwise() {
    // R4
    let scratch = ScratchPlan { bytes: 1, entries: 1, path: "/tmp".into() };
    let place = |cwd: Option<&str>, scratch: Option<&ScratchPlan>| {
        let invocation = Invocation { cwd: cwd.map(PathBuf::from), ..Invocation::new("x") };
        let Job::Run { cwd, .. } = job(&invocation, &Confinement::default(), scratch) else {
            panic!("nothing to run")
        };
        cwd
    };
    assert_eq!(place(None, Some(&scratch)), "/tmp".into());
    assert_eq!(place(Some("/skill"), Some(&scratch)), "/skill".into());
    assert_eq!(place(None, None), "/".into());
}

#[test]
fn waiting_for_nothing_ends_with_the_time() {
    // R4
    let until = Instant::now() + Duration::from_millis(1);
    assert_eq!(ready([None, None], Some(until)), [false, false]);
    let (reader, writer) = pipe().unwrap();
    rustix::io::write(&writer, b"x").unwrap();
    let wanted = [None, Some((reader.as_fd(), PollFlags::IN))];
    assert_eq!(ready(wanted, None), [false, true]);
}

#[test]
fn a_cancelled_switch_stays_thrown_for_everybody_who_holds_it() {
    // R4
    let cancel = Cancel::new().unwrap();
    let other = cancel.clone();
    let thrown = |cancel: &Cancel| {
        let fd = cancel.fd().unwrap();
        ready([Some((fd, PollFlags::IN))], Some(Instant::now())) == [true]
    };
    assert!(!thrown(&other));
    cancel.cancel();
    cancel.cancel();
    assert!(thrown(&other) && thrown(&cancel));
    assert!(Cancel::never().fd().is_none());
    Cancel::never().cancel();
}

#[test]
fn a_control_group_is_made_only_where_it_does_something() {
    // R4
    let limits = Limits::default();
    let with = |memory, processes, kill| {
        let parent = PathBuf::from("/groups");
        let groups = crate::backend::ControlGroups { parent, memory, processes, kill };
        Support { control_groups: Some(groups), ..Support::nothing() }
    };
    let own = Tree::Namespaces(crate::wire::NamespacePlan::default());
    assert_eq!(group(&limits, &Support::nothing(), &Tree::Sweep), None);
    assert_eq!(group(&limits, &with(false, false, true), &own), None);
    assert_eq!(group(&limits, &with(false, false, false), &Tree::Sweep), None);
    let plan = group(&limits, &with(false, false, true), &Tree::Sweep).unwrap();
    assert_eq!((plan.memory, plan.processes), (None, None));
    let plan = group(&limits, &with(true, true, false), &own).unwrap();
    assert_eq!((plan.memory, plan.processes), (Some(limits.memory), Some(limits.processes)));
    assert!(plan.path.path().starts_with("/groups"));
    assert!(grace(&Tree::Sweep) > grace(&own));
}
