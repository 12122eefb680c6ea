use super::*;
use std::io::Write;

fn pipe() -> (OwnedFd, OwnedFd) {
    rustix::pipe::pipe().unwrap()
}

#[test]
fn a_stream_is_kept_up_to_its_limit_and_counted_beyond() {
    // R4
    let (reader, writer) = pipe();
    let mut drain = Drain::new(reader, 3).unwrap();
    rustix::io::write(&writer, b"ab").unwrap();
    drain.take_some();
    assert!(!drain.is_over());
    rustix::io::write(&writer, b"cdef").unwrap();
    drain.take_some();
    assert!(drain.is_over());
    drop(writer);
    let captured = drain.finish();
    assert_eq!((captured.bytes.as_slice(), captured.total), (&b"abc"[..], 6));
}

#[test]
fn a_writer_that_stays_is_not_waited_for() {
    // R4
    let (reader, writer) = pipe();
    let drain = Drain::new(reader, 10).unwrap();
    rustix::io::write(&writer, b"x").unwrap();
    assert_eq!(drain.finish().bytes, b"x");
    drop(writer);
}

#[test]
fn input_is_given_as_far_as_it_is_read() {
    // R4
    let (reader, writer) = pipe();
    let bytes = vec![b'z'; 200_000];
    let mut feed = Feed::new(writer, Source::Bytes(&bytes)).unwrap();
    let mut got = 0;
    let mut buffer = vec![0; 1 << 16];
    while feed.waits_for().is_some() {
        feed.give_some();
        rustix::io::ioctl_fionbio(&reader, true).unwrap();
        got += rustix::io::read(&reader, &mut buffer).unwrap_or(0);
    }
    got += rustix::io::read(&reader, &mut buffer).unwrap_or(0);
    assert_eq!(got, bytes.len());
}

#[test]
fn input_ends_when_nobody_reads() {
    // R4
    let (reader, writer) = pipe();
    drop(reader);
    let mut feed = Feed::new(writer, Source::Bytes(b"x")).unwrap();
    feed.give_some();
    assert!(feed.waits_for().is_none());
    assert!(Feed::nothing().waits_for().is_none());
}

#[test]
fn a_file_is_given_from_where_it_stands() {
    // R4
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"0123456789").unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(4)).unwrap();
    let (reader, writer) = pipe();
    let mut feed = Feed::new(writer, Source::File { file: &file, waiting: Vec::new() }).unwrap();
    while feed.waits_for().is_some() {
        feed.give_some();
    }
    let mut buffer = [0; 64];
    let count = rustix::io::read(&reader, &mut buffer).unwrap();
    assert_eq!(&buffer[..count], b"456789");
}
