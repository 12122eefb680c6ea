//! Real programs as judges of what is said about their scripts: whatever is allowed for sed, awk or a
//! database is run by it, in an empty directory where a program is a trap, and neither may that spring
//! nor a file appear.
//!
//! The scripts are put together at random from pieces that such programs disagree about. A program
//! that is missing judges nothing. `METIER_SCRIPTS` says how many scripts are tried for each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use metier_policy::Verdict;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::world;

/// How many scripts are tried where nobody says.
const SCRIPTS: u32 = 250;

const SED: &[&str] = &[
    ":a",
    ":a ",
    ": a",
    "b a",
    "ba",
    "t",
    "T a",
    " ",
    "\t",
    ";",
    "\n",
    "}",
    "{",
    "e evil",
    "w x",
    "s/a/b/",
    "s/a/b/e",
    "s/a/evil/e",
    "s/a/b/w x",
    "/",
    "\\",
    "[",
    "]",
    "[^",
    "[:a",
    ":]",
    "y/a/b/",
    "p",
    "$",
    "!",
    "1",
    ",",
    "#",
    "a text",
    "a\\",
    "i\\\n",
    "c x",
    "q",
    "l 1",
    "N",
    "s,a,b,",
    "|",
    "s|",
    "/a/",
    "I",
    "M",
    "r a",
    "R a",
    "W x",
    "F",
    "z",
    "\\\n",
    "0~1",
    "\u{b}",
    "\r",
    "n;d",
];

const AWK: &[&str] = &[
    "BEGIN",
    "{",
    "}",
    "(",
    ")",
    " ",
    "\n",
    ";",
    "#",
    " # ",
    "\"",
    "\"x\"",
    "/",
    "/a/",
    "/ 2",
    "1",
    "x",
    "=",
    "print",
    "print \"x\"",
    " > ",
    ">",
    ">>",
    "|",
    "system(\"evil\")",
    "\"evil\"|getline",
    "\\",
    "\\\n",
    "\\\"",
    "[",
    "]",
    "x[1]",
    "~",
    "!",
    "&&",
    "||",
    ",",
    "if (1) ",
    "in",
    "$1",
    "END",
    "getline",
    "printf ",
    "\"y\"",
    "function f(a)",
    "return",
    "# \"",
    "# /",
    "# (",
    "# {",
    "# }",
];

const SQL: &[&str] = &[
    "select 1",
    "vacuum",
    " into ",
    "'x'",
    "\"x\"",
    ";",
    "\n",
    "--",
    "/*",
    "*/",
    "insert",
    " ",
    "main",
    ".",
    ".tables",
    ".output x",
    ".once x",
    ".shell evil",
    ".system evil",
    ".save x",
    "attach 'x' as y",
    "create table t(a)",
    "create virtual table temp.z using ",
    "zipfile('x')",
    "csv(filename='a')",
    "fts5(a)",
    "insert into z values('a',0,0,'b')",
    "insert into z(name,data) values('a','b')",
    "writefile('x','y')",
    "select ",
    "replace",
    "(",
    ")",
    ",",
    "'",
    "\"",
    "`",
    "[",
    "]",
    "\t",
    ".print a",
    "|",
    ".mode csv",
    ".dump",
    ".read a",
    ".import a t",
    ".backup x",
    ".clone x",
    ".log x",
];

fn found(program: &str) -> bool {
    ["/bin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).is_file())
}

/// Runs the program with these words; what sprang, and which files appeared.
fn sprung(root: &Path, program: &str, words: &[&str]) -> Vec<String> {
    let work = root.join("work");
    let mut child = Command::new("/usr/bin/timeout");
    child.args(["-s", "KILL", "1", program]).args(words).current_dir(&work).env_clear();
    child.env("PATH", format!("{}:/usr/bin:/bin", root.join("bin").display()));
    child.env("HOME", root).env("METIER_LOG", root.join("log"));
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    child.status().expect("a program that starts");
    let mut sprung = Vec::new();
    if fs::remove_file(root.join("log")).is_ok() {
        sprung.push("ran `evil`".to_owned());
    }
    for file in fs::read_dir(&work).expect("the directory").flatten() {
        if file.file_name() != "a" && file.file_name() != "a.db" {
            sprung.push(format!("wrote {:?}", file.file_name()));
            let _ = fs::remove_file(file.path());
        }
    }
    sprung
}

/// Tries scripts of these pieces: `words` are those around a script.
fn check(programs: &[&str], pieces: &'static [&'static str], words: fn(&str) -> Vec<&str>) {
    let programs: Vec<&str> = programs.iter().copied().filter(|it| found(it)).collect();
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    for folder in ["bin", "work"] {
        fs::create_dir_all(root.join(folder)).expect("a directory");
    }
    let evil = root.join("bin/evil");
    fs::write(&evil, "#!/bin/sh\n: > \"$METIER_LOG\"\n").expect("a trap");
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).expect("an executable");
    fs::write(root.join("work/a"), "a\nb\n").expect("a file to read");
    let asked = std::env::var("METIER_SCRIPTS").ok().and_then(|text| text.parse().ok());
    let config = Config::with_cases(asked.unwrap_or(SCRIPTS));
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..config });
    let scripts = prop::collection::vec(prop::sample::select(pieces), 1..9);
    let outcome = runner.run(&scripts, |pieces| {
        let script = pieces.concat();
        let quoted = format!("'{}'", script.replace('\'', "'\\''"));
        for program in &programs {
            let words = words(&script);
            let typed = words.iter().map(|word| if *word == script { &quoted } else { *word });
            let command = format!("{program} {}", typed.collect::<Vec<_>>().join(" "));
            let allowed = format!("Bash({program}:*)");
            if world::shell(&allowed, &command).verdict == Verdict::Allow {
                let sprung = sprung(root, program, &words);
                prop_assert!(sprung.is_empty(), "{command}: {sprung:?}");
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn what_is_allowed_of_sed_only_changes_text() {
    // S3
    check(&["sed"], SED, |script| vec!["-n", script, "a"]);
}

#[test]
fn what_is_allowed_of_awk_only_prints() {
    // S3
    check(&["mawk", "gawk"], AWK, |script| vec![script, "a"]);
}

#[test]
fn what_is_allowed_of_a_database_stays_in_it() {
    // S3
    check(&["sqlite3"], SQL, |script| vec!["a.db", script]);
}
