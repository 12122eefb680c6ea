use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::time::Duration;

use metier_sandbox::Cancel;

use super::{Allowed, in_time, is_plugin};

#[test]
fn the_name_of_the_program_makes_it_the_plugin() {
    // U4
    let check = |program: &str, expected: bool| {
        assert_eq!(is_plugin(&[OsString::from(program)]), expected, "{program}");
    };
    check("/home/a/.chibi/plugins/agent-skills/agent-skills", true);
    check("agent-skills", true);
    check("/usr/bin/metier", false);
    check("agent-skills.before", false);
    assert!(!is_plugin(&[]));
}

/// What `work` gives, and what is said in its stead when it takes longer than that.
fn tried(
    work: impl FnOnce() -> Result<String, String>,
    milliseconds: u64,
) -> (Result<String, String>, Option<&'static str>) {
    let (say, heard) = channel();
    let time = Duration::from_millis(milliseconds);
    let cancel = Cancel::new().unwrap();
    let late = move || say.send("late").unwrap();
    let done = in_time(work, Allowed { work: time, stop: time }, &cancel, late);
    (done, heard.recv_timeout(Duration::from_millis(0)).ok())
}

#[test]
fn work_that_panics_or_fails_is_an_error_and_one_that_hangs_is_spoken_for() {
    // U4
    let minute = 60_000;
    let (panics, _) = tried(|| panic!("on purpose"), minute);
    assert_eq!(panics.unwrap_err(), "this is a bug in metier");
    let (fails, late) = tried(|| Err("the disk is full".to_owned()), minute);
    assert_eq!((fails.unwrap_err().as_str(), late), ("the disk is full", None));
    let (works, late) = tried(|| Ok("{}".to_owned()), minute);
    assert_eq!((works.as_deref(), late), (Ok("{}"), None));
    let hangs = || {
        std::thread::sleep(Duration::from_millis(400));
        Ok("too late".to_owned())
    };
    assert_eq!(tried(hangs, 10).1, Some("late"));
}

#[test]
fn what_was_told_to_stop_and_does_has_the_word() {
    // U4
    let cancel = Cancel::new().unwrap();
    let (say, heard) = channel();
    let time = Allowed { work: Duration::from_millis(1), stop: Duration::from_secs(60) };
    let stops = || {
        while !cancel.is_thrown() {
            std::thread::yield_now();
        }
        Ok("stopped".to_owned())
    };
    let done = in_time(stops, time, &cancel, move || say.send(()).unwrap());
    assert_eq!(done.as_deref(), Ok("stopped"));
    assert!(heard.recv_timeout(Duration::from_millis(0)).is_err());
}
