use super::*;
use crate::wire::Failure;

fn line(report: &Report) -> Vec<u8> {
    let mut text = serde_json::to_vec(report).unwrap();
    text.push(b'\n');
    text
}

#[test]
fn what_init_and_child_said_becomes_one_report() {
    // R4
    let failure = Failure { step: "mounts".into(), errno: 1, start: false };
    let failed = Report { failure: Some(failure.clone()), ..Report::default() };
    let ended = Report { wait: Some(127 << 8), ..Report::default() };
    let both = merge(&[line(&failed), line(&ended)].concat());
    assert_eq!((both.failure, both.wait), (Some(failure), Some(127 << 8)));
    assert_eq!(merge(b""), Report::default());
    assert_eq!(merge(b"not json\n{\"half\":"), Report::default());
}

#[test]
fn the_runner_asks_for_the_end_by_closing_its_side() {
    // R4
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let flags = SocketFlags::CLOEXEC;
    let pair = || socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
    let (ours, theirs) = pair();
    assert!(!is_stop(theirs.as_fd()));
    rustix::net::shutdown(&ours, rustix::net::Shutdown::Write).unwrap();
    assert!(is_stop(theirs.as_fd()));
    let (ours, theirs) = pair();
    drop(ours);
    assert!(is_stop(theirs.as_fd()));
}

#[test]
fn reading_ends_at_the_end() {
    // R4
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    tell(&writer, &Report { wait: Some(0), ..Report::default() });
    let mut text = Vec::new();
    assert!(read_some(&reader, &mut text));
    drop(writer);
    assert!(!read_some(&reader, &mut text));
    assert_eq!(merge(&text).wait, Some(0));
}
