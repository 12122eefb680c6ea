//! Real shells as judges of the reader: whatever is allowed while only `tool` may run is run by
//! bash and dash, in an empty directory where every other program is a trap, and no trap may spring.
//!
//! The commands are put together at random from pieces that shells disagree about. Where a shell is
//! missing the other one judges alone; where both are, nothing is proven and the test says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use metier_policy::Verdict;
use metier_policy::shell::{self, Surroundings, Word};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::world;

/// Commands that are allowed as they stand.
const STARTS: &[&str] = &[
    "tool a b",
    "tool 'a b' \"c d\"",
    "tool \"a $(tool b) c\"",
    "tool a && tool b || tool c",
    "tool a | tool b",
    "tool a; tool b &",
    "(tool a; tool b)",
    "{ tool a; }",
    "if tool a; then tool b; else tool c; fi",
    "for x in a b; do tool \"$x\"; done",
    "while ! tool a; do tool b; done",
    "case x in a) tool b;; *) tool c;; esac",
    "tool <<EOF\nbody $x\nEOF\ntool a",
    "tool <<'EOF'\nbody $(evil)\nEOF\n",
    "tool <<-EOF\n\tbody\n\tEOF\ntool b",
    "tool \"$(tool <<'EOF'\nit's\nEOF\n)\"",
    "tool a \\\n  b \\\n  c",
    "tool a # comment\ntool b",
    "x=1; tool \"$x\"",
    "CI=1 tool a",
    "tool a > /dev/null 2>&1",
    "tool <(tool a) >(tool b)",
    "tool <<< \"a $x\"",
    "sh -c 'tool a; tool \"b\"'",
    "bash -c \"tool 'a'\"",
    "env CI=1 tool a",
    "timeout 5 tool a",
    "eval 'tool a'",
    "[ -f a ] && tool a",
    "[[ -n a ]] && tool a",
    "time tool a",
    "tool `tool a` b",
    "tool $'a\\tb' c",
    "tool ${x:-a} ${x%b} ${#x}",
    "tool $((1 + 2)) c",
    "tool a{b}c {} @{1} a=b --c=d",
    "tool *.a ?b [c]d",
    "true; tool a",
    "tool a 2>&1 | tool b",
    "set -e; tool a",
];

/// What is put into them, or alone.
const PIECES: &[&str] = &[
    "tool",
    " ",
    " ",
    "\n",
    "\t",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "{ ",
    "; }",
    "evil",
    "evil",
    " evil ",
    ";evil;",
    "\nevil\n",
    "$(evil)",
    "`evil`",
    "$(",
    ")",
    "`",
    "\"",
    "\"",
    "'",
    "'",
    "\\",
    "\\\\",
    "\\\n",
    " \\\n",
    "$'",
    "\\'",
    "\\\"",
    "\\x65vil",
    "$\"",
    "$",
    "$$",
    "${x",
    "${x:-",
    "${x:-evil}",
    "}",
    "$((",
    "))",
    "((",
    "1+1",
    "#",
    " #",
    " # ",
    "!",
    "~",
    "*",
    "?",
    "[",
    "]",
    "=",
    "x=",
    "evil=",
    ",",
    "{a,",
    "{evil,",
    "..",
    "<<EOF\n",
    "\nEOF\n",
    "EOF",
    "E\\\nOF",
    "<<'EOF'\n",
    "<<-EOF\n\t",
    "<<\\EOF\n",
    "<<",
    "<<<",
    "<(",
    ">(",
    "<",
    ">",
    ">>",
    ">a",
    "2>&1",
    "&>/dev/null ",
    "{fd}>",
    "if ",
    "then ",
    "fi",
    "else ",
    "for x in ",
    "do ",
    "done",
    "case x in ",
    "x) ",
    ";;",
    "esac",
    "while ",
    "function ",
    "f() ",
    "()",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    "time ",
    "eval ",
    "sh -c ",
    "'evil'",
    "\"evil\"",
    "env ",
    "command ",
    "exec ",
    "xargs ",
    "$x",
    "\"$x\"",
    "$@",
    "&>",
    "|&",
    ">&2",
    "<&0",
    ">&",
    ";&",
    "a[",
    "x[1]=",
    "\u{a0}",
    "%",
    "^",
    "-",
    "--",
    "\n\n",
    "\\\n#",
    "${",
    "\"$(evil)\"",
    "'$(evil)'",
    "|evil",
    "&evil",
    ")evil",
    "\"'\"",
    "'\"'",
    "\"`\"",
    "$(#",
    "#)",
];

/// What words are made of, for comparing words.
const WORD_PIECES: &[&str] = &[
    "a",
    "b",
    "-x",
    "--long=",
    "=",
    ",",
    ".",
    ":",
    "/",
    "@",
    "%",
    "^",
    "+",
    "-",
    "_",
    "#",
    "1",
    "é",
    "日",
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "'",
    "'",
    "\"",
    "\"",
    "'a b'",
    "\"a b\"",
    "''",
    "\"\"",
    "'\\'",
    "'\"'",
    "\"'\"",
    "\\",
    "\\ ",
    "\\\\",
    "\\'",
    "\\\"",
    "\\$",
    "\\`",
    "\\n",
    "\\#",
    "\\~",
    "\\*",
    "\"\\a\"",
    "\"\\$\"",
    "\"\\\\\"",
    "\"\\\"\"",
    "\"$\"",
    "\"a$\"",
    "$ ",
    "{}",
    "{a}",
    "}",
    "{",
    "]",
    "!",
    " !",
    "! ",
    " \\\n",
    " \\\n ",
    "\" \\\n\"",
    "'\n'",
    "\"\n\"",
    "'#'",
    " #c",
    "'$(evil)'",
    "\"\\$(evil)\"",
    "'`'",
    "'*'",
    "\"?\"",
    "\\[",
    "~",
    "a~",
    "\"~\"",
    "|",
    "in",
    "do",
    "if",
];

struct Trap {
    directory: tempfile::TempDir,
    shells: Vec<PathBuf>,
}

impl Trap {
    fn set() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let bin = directory.path().join("bin");
        fs::create_dir_all(&bin).expect("a directory for programs");
        fs::create_dir_all(directory.path().join("work")).expect("a directory to work in");
        for name in ["tool", "evil", "x", "EOF", "a", "b", "c", "body"] {
            let script = format!(
                "#!/bin/sh\nprintf '%s\\n' {name} >> \"$METIER_LOG\"\n\
                 printf '%s\\0' \"$@\" end-of-words >> \"$METIER_LOG.words\"\n"
            );
            let path = bin.join(name);
            fs::write(&path, script).expect("a stub");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
        }
        for real in ["sh", "bash", "env", "xargs", "timeout"] {
            if let Some(path) = find(real) {
                std::os::unix::fs::symlink(path, bin.join(real)).expect("a link");
            }
        }
        let shells = ["bash", "dash"].iter().filter_map(|name| find(name)).collect();
        Self { directory, shells }
    }

    /// Runs the command in a shell.
    fn run(&self, shell: &Path, command: &str) {
        let root = self.directory.path();
        let log = root.join("log");
        fs::write(&log, "").expect("an empty log");
        fs::write(root.join("log.words"), "").expect("an empty log");
        let mut child = Command::new("/usr/bin/timeout");
        child.args(["-s", "KILL", "1"]).arg(shell).arg("-c").arg(command);
        child.current_dir(root.join("work")).env_clear();
        child.env("PATH", root.join("bin")).env("METIER_LOG", &log).env("LC_ALL", "C.UTF-8");
        child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        child.status().expect("a shell that starts");
    }

    /// The words the tool got when the shell ran the command; nothing when it did not run.
    fn words(&self, shell: &Path, command: &str) -> Option<Vec<String>> {
        self.run(shell, command);
        let log = fs::read_to_string(self.directory.path().join("log.words")).ok()?;
        let words = log.strip_suffix("end-of-words\0")?;
        Some(words.split_terminator('\0').map(str::to_owned).collect())
    }

    /// What sprang when the shells ran the command: programs other than the tool, or files.
    fn sprung(&self, command: &str) -> Vec<String> {
        let (root, work) = (self.directory.path(), self.directory.path().join("work"));
        let mut sprung = Vec::new();
        for shell in &self.shells {
            self.run(shell, command);
            let ran = fs::read_to_string(root.join("log")).unwrap_or_default();
            let other = ran.lines().filter(|line| *line != "tool");
            sprung.extend(other.map(|line| format!("{} ran `{line}`", shell.display())));
            for file in fs::read_dir(&work).expect("the directory").flatten() {
                sprung.push(format!("{} wrote {:?}", shell.display(), file.file_name()));
                let _ = fs::remove_file(file.path());
            }
        }
        sprung
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let folders = ["/bin", "/usr/bin"].iter().map(|folder| Path::new(folder).join(program));
    folders.into_iter().find(|path| path.is_file())
}

/// A start with pieces put in at random places.
fn commands() -> impl Strategy<Value = String> {
    let piece = (any::<prop::sample::Index>(), prop::sample::select(PIECES));
    (prop::sample::select(STARTS), prop::collection::vec(piece, 0..4)).prop_map(
        |(start, pieces)| {
            let mut command: Vec<char> = start.chars().collect();
            for (at, piece) in pieces {
                let at = at.index(command.len() + 1);
                command.splice(at..at, piece.chars());
            }
            command.into_iter().collect()
        },
    )
}

#[test]
fn what_is_allowed_for_one_program_runs_nothing_else_in_a_real_shell() {
    // S3
    let trap = Trap::set();
    if trap.shells.is_empty() || find("timeout").is_none() {
        println!("no shell here to ask");
        return;
    }
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(400) });
    let outcome = runner.run(&commands(), |command| {
        if world::shell("Bash(tool:*)", &command).verdict == Verdict::Allow {
            let sprung = trap.sprung(&command);
            prop_assert!(sprung.is_empty(), "{command:?}: {sprung:?}");
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_starts_are_allowed_as_they_stand() {
    // S3
    for start in STARTS {
        let ruling = world::shell("Bash(tool:*)", start);
        assert_eq!(ruling.verdict, Verdict::Allow, "{start:?}: {}", ruling.explanation());
    }
}

#[test]
fn known_words_are_the_words_a_real_shell_passes() {
    // S3
    let trap = Trap::set();
    if trap.shells.is_empty() || find("timeout").is_none() {
        println!("no shell here to ask");
        return;
    }
    let words = prop::collection::vec(prop::sample::select(WORD_PIECES), 0..10);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(300) });
    let outcome = runner.run(&words, |pieces| {
        let command = format!("tool {}", pieces.concat());
        let Ok(commands) = shell::parse(&command, Surroundings::default()) else { return Ok(()) };
        let [only] = commands.as_slice() else { return Ok(()) };
        let known: Option<Vec<&str>> = only.argv.iter().skip(1).map(Word::as_known).collect();
        let Some(known) = known else { return Ok(()) };
        for shell in &trap.shells {
            // A shell that refuses the command runs nothing.
            if let Some(passed) = trap.words(shell, &command) {
                prop_assert_eq!(&passed, &known, "{:?} in {}", command, shell.display());
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
