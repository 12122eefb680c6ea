use super::*;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

fn pair() -> (OwnedFd, OwnedFd) {
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap()
}

#[test]
fn a_frame_and_a_descriptor_arrive_together() {
    // R4
    let (ours, theirs) = pair();
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    send_with(ours.as_fd(), b"the plan", reader.as_fd()).unwrap();
    let (body, fd) = receive_with(theirs.as_fd()).unwrap();
    assert_eq!(body, b"the plan");
    rustix::io::write(&writer, b"x").unwrap();
    let mut byte = [0];
    assert_eq!(rustix::io::read(&fd, &mut byte), Ok(1));
}

#[test]
fn a_long_frame_arrives_whole() {
    // R4
    let (ours, theirs) = pair();
    let long = vec![7; 3 << 20];
    std::thread::scope(|scope| {
        scope.spawn(|| send(ours.as_fd(), &long).unwrap());
        assert!(receive(theirs.as_fd()).unwrap() == long);
    });
}

#[test]
fn an_end_in_the_middle_is_an_error() {
    // R4
    let check = |bytes: &[u8]| {
        let (ours, theirs) = pair();
        rustix::io::write(&ours, bytes).unwrap();
        drop(ours);
        assert!(receive(theirs.as_fd()).is_err(), "{bytes:?}");
    };
    check(&[]);
    check(&[1, 0]);
    check(&[5, 0, 0, 0, b'x']);
    check(&[0xff, 0xff, 0xff, 0xff]);
}

#[test]
fn a_first_frame_without_a_descriptor_is_an_error() {
    // R4
    let (ours, theirs) = pair();
    send(ours.as_fd(), b"x").unwrap();
    assert!(receive_with(theirs.as_fd()).is_err());
}

#[test]
fn nobody_to_talk_to_is_an_error_and_no_signal() {
    // R4
    let (ours, theirs) = pair();
    drop(theirs);
    assert!(send(ours.as_fd(), b"x").is_err());
}
