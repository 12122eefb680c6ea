//! What was approved is what a model gets and what is run, whoever writes to the files meanwhile.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metier_testing::World;

use crate::hermetic;

/// How often each thing is asked for while files change. Each is a chance; none may be taken.
const ROUNDS: usize = 20;

/// How old a file must be for its stamps to be believed, and a little.
const SETTLED: Duration = Duration::from_millis(2200);

const FILES: [(&str, &str); 4] = [
    ("SKILL.md", "---\nname: gitty\ndescription: Reads a history. Use when asked.\n---\n\nGOOD\n"),
    ("references/log.md", "reference GOOD\n"),
    ("scripts/lib.sh", "echo library GOOD\n"),
    ("scripts/log.sh", ". \"${0%/*}/lib.sh\"\ncat \"${0%/*}/../references/log.md\"\necho GOOD\n"),
];

/// What the script says.
const SAID: &str = "library GOOD\nreference GOOD\nGOOD\n";

fn written() -> (World, PathBuf) {
    let world = World::new();
    for (path, text) in FILES {
        world.write(format!("roots/personal/gitty/{path}"), text);
    }
    let skill = world.path().join("roots/personal/gitty");
    (world, skill)
}

fn trust(world: &World) {
    let trusted = hermetic(world, &["trust", "gitty", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
}

#[test]
fn approved_and_unapproved_skills_are_used_read_and_run_as_ever() {
    // P4, S1, R1, R3
    let (world, skill) = written();
    for approved in [false, true] {
        if approved {
            trust(&world);
        }
        let session = format!("s{approved}");
        let used = hermetic(&world, &["use", "gitty", "--json", "--session", &session]).json();
        assert_eq!(used["body"], "\nGOOD\n");
        assert_eq!(used["trust"], if approved { "approved" } else { "present" });
        assert_eq!(used["base_path"], skill.to_str().unwrap(), "where a person finds it");
        let read = hermetic(&world, &["read", "gitty", "references/log.md"]);
        assert_eq!((read.code, read.stdout.as_str()), (0, "reference GOOD\n"));
        let ran = hermetic(&world, &["run", "gitty", "log"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, SAID), "{}", ran.stderr);
    }
    // Nothing but time is lost with the kept copies.
    let home = world.home().join(".local/share/metier/store");
    let moved = world.path().join("gone");
    std::fs::rename(&home, &moved).unwrap();
    let ran = hermetic(&world, &["run", "gitty", "log"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, SAID), "{}", ran.stderr);
}

#[test]
fn what_is_there_for_a_moment_is_neither_followed_nor_read_nor_run() {
    // P4, S1, R1, R3
    let (world, skill) = written();
    trust(&world);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let files = FILES.map(|(path, text)| {
                let file = File::options().write(true).open(skill.join(path)).unwrap();
                (file, text, text.replace("GOOD", "EVIL"))
            });
            // The last thing that is written is what was approved.
            while !stop.load(Ordering::Relaxed) {
                for (file, _, evil) in &files {
                    file.write_all_at(evil.as_bytes(), 0).unwrap();
                }
                std::thread::sleep(Duration::from_micros(300));
                for (file, text, _) in &files {
                    file.write_all_at(text.as_bytes(), 0).unwrap();
                }
                std::thread::sleep(Duration::from_micros(300));
            }
        });
        let mut evil = Vec::new();
        for round in 0..ROUNDS {
            let session = format!("s{round}");
            let asked: [&[&str]; 3] = [
                &["use", "gitty", "--session", &session],
                &["read", "gitty", "references/log.md"],
                &["run", "gitty", "log"],
            ];
            evil.extend(asked.iter().map(|args| hermetic(&world, args).stdout));
        }
        stop.store(true, Ordering::Relaxed);
        evil.retain(|said| said.contains("EVIL"));
        assert_eq!(evil, Vec::<String>::new());
    });
    let used = hermetic(&world, &["use", "gitty", "--session", "last"]);
    assert!(used.code == 0 && used.stdout.contains("GOOD"), "{}", used.stderr);
    assert_eq!(hermetic(&world, &["run", "gitty", "log"]).stdout, SAID);
}

/// Maps a file, dirties its page, and changes it when told: neither of its times moves then.
const MAPPED: &str = "
import mmap, sys
file = open(sys.argv[1], 'r+b')
view = mmap.mmap(file.fileno(), 0)
at = view.find(b'GOOD')
view[at:at + 4] = b'GOOD'
print('mapped', flush=True)
sys.stdin.readline()
view[at:at + 4] = b'EVIL'
print('changed', flush=True)
sys.stdin.readline()
";

#[test]
fn a_file_changed_through_memory_is_not_read_as_approved() {
    // P4, R1
    let (world, skill) = written();
    let file = skill.join("references/log.md");
    let mut python = Command::new("python3")
        .args(["-c", MAPPED])
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut tell, mut told) =
        (python.stdin.take().unwrap(), BufReader::new(python.stdout.take().unwrap()));
    let mut wait = |word: &str| {
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), word);
    };
    wait("mapped");
    std::thread::sleep(SETTLED);
    trust(&world);
    assert_eq!(hermetic(&world, &["list"]).code, 0);
    let read = hermetic(&world, &["read", "gitty", "references/log.md"]);
    assert_eq!((read.code, read.stdout.as_str()), (0, "reference GOOD\n"));
    tell.write_all(b"\n").unwrap();
    wait("changed");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "reference EVIL\n");
    for args in
        [&["read", "gitty", "references/log.md"][..], &["use", "gitty"], &["run", "gitty", "log"]]
    {
        let refused = hermetic(&world, args);
        assert!(
            refused.code != 0 && !refused.stdout.contains("EVIL"),
            "{args:?}: {}",
            refused.stdout
        );
        assert!(
            refused.stderr.contains("changed references/log.md"),
            "{args:?}: {}",
            refused.stderr
        );
    }
    drop(tell);
    assert!(python.wait().unwrap().success());
}
