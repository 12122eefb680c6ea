#![expect(clippy::disallowed_methods, reason = "tests make files and start programs")]

use super::*;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

#[test]
fn every_process_beneath_is_found() {
    // R4
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "sleep 600 & echo $!; read line; kill $!"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = shell.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
    let grandchild: libc::pid_t = line.trim().parse().unwrap();
    let found = descendants();
    let child = shell.id().cast_signed();
    assert!(found.contains(&child) && found.contains(&grandchild), "{found:?}");
    let everybody = everybody();
    assert!(everybody.contains(&1) && everybody.contains(&grandchild));
    assert!(!everybody.contains(&rustix::process::getpid().as_raw_pid()));
    assert!(resident(child) > 0 && proportional(child) > 0);
    drop(shell.stdin.take());
    shell.wait().unwrap();
    assert!(!descendants().contains(&child));
}

#[test]
fn memory_is_summed_over_the_tree() {
    // R4
    let myself = rustix::process::getpid().as_raw_pid();
    assert!(used(1, &[myself]) > 1);
    assert!(used(u64::MAX, &[myself]) >= used(1, &[myself]));
    assert_eq!(used(1, &[]), 0);
}

#[test]
fn a_name_with_spaces_and_parentheses_hides_no_field() {
    // R4
    let myself = rustix::process::getpid().as_raw_pid();
    let (pid, parent) = parent(myself).unwrap();
    assert_eq!(pid, myself);
    assert_eq!(parent, rustix::process::getppid().unwrap().as_raw_pid());
    assert!(field(myself, 17).unwrap() >= 1);
    assert!(threads_of_user() >= 1);
    assert_eq!(stat(-1), None);
}

#[test]
fn limits_are_looked_at_only_when_it_is_time() {
    // R4
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    rustix::io::write(&writer, b"x").unwrap();
    let myself = || vec![rustix::process::getpid().as_raw_pid()];
    let mut watch = Watch::new(1, None, None);
    watch.last = Instant::now() + Duration::from_secs(1000);
    watch.wait(&[reader.as_fd()]);
    assert_eq!(watch.over_limit(myself), None);
    // A descriptor that is always ready does not put the look off.
    watch.last = Instant::now() - LONGEST;
    watch.wait(&[reader.as_fd()]);
    assert_eq!(watch.over_limit(myself), Some(Limit::Memory));
}

#[test]
fn a_file_without_a_name_is_counted() {
    // R4
    let directory = tempfile::tempdir().unwrap();
    let myself = [rustix::process::getpid().as_raw_pid()];
    let before = nameless(directory.path(), &myself);
    let mut file = tempfile::tempfile_in(directory.path()).unwrap();
    std::io::Write::write_all(&mut file, &vec![1; 8 << 20]).unwrap();
    file.sync_all().unwrap();
    assert!(nameless(directory.path(), &myself) >= before + (8 << 20));
}

#[test]
fn the_less_room_is_left_the_sooner_comes_the_next_look() {
    // R4
    let check = |limit: u64, used: u64, millis: u64| {
        assert_eq!(pause(limit, used), Duration::from_millis(millis), "{used} of {limit}");
    };
    check(2 << 30, 0, 50);
    check(256 << 20, 0, 32);
    check(256 << 20, 128 << 20, 16);
    check(256 << 20, 250 << 20, 2);
    check(256 << 20, 300 << 20, 2);
    check(u64::MAX, 0, 50);
    check(0, 0, 2);
}
