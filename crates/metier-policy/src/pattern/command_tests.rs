use std::path::Path;

use super::*;
use crate::place::Lexical;
use crate::shell::{self, Surroundings};

/// The first simple command of a text.
fn command(text: &str) -> (Vec<Word>, Vec<Assignment>) {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let commands = shell::parse(text, around).expect("a command that can be read");
    let last = commands.into_iter().last().expect("one command");
    (last.argv, last.assignments)
}

fn place(cwd: &'static str) -> Place<'static> {
    Place {
        cwd: Path::new(cwd),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver: &Lexical,
    }
}

fn surely(pattern: &str, text: &str) -> Option<Coverage> {
    let (argv, assignments) = command(text);
    let place = place("/project");
    let frame = Frame { place: &place, from: From::Directory(place.cwd) };
    CommandPattern::parse(pattern).expect("a pattern").surely(&argv, &assignments, frame)
}

fn possibly(pattern: &str, text: &str) -> bool {
    CommandPattern::parse(pattern).expect("a pattern").possibly(&command(text).0)
}

#[test]
fn words_are_compared_as_words() {
    // S3
    let table = [
        ("git:*", "git", true),
        ("git:*", "git status", true),
        ("git:*", "git status --short -b", true),
        ("git:*", "gitk", false),
        ("git:*", "git-lfs pull", false),
        ("git:*", "egit status", false),
        ("git :*", "git status", true),
        ("git *", "git", true),
        ("git *", "git status", true),
        ("git *", "gitk", false),
        ("git add *", "git add", true),
        ("git add *", "git add a b", true),
        ("git add *", "git commit", false),
        ("git add:*", "git add -p", true),
        ("git add:*", "git -C x add", false),
        ("npm run test", "npm run test", true),
        ("npm run test", "npm run test --x", false),
        ("npm run test", "npm run", false),
        ("npm run test", "npm run testing", false),
        ("npm run test", "npm  run   test", true),
        ("npm run test", "npm run 'test'", true),
        ("npm run test", "npm run te\"st\"", true),
        ("git * main", "git push origin main", true),
        ("git * main", "git push main", true),
        ("git * main", "git main", false),
        ("git * main", "git push origin mainx", false),
        ("* --version", "node --version", true),
        ("* --version", "node x --version", false),
        ("* --version", "/tmp/evil --version", false),
        ("*", "node", true),
        ("echo 'a b'", "echo 'a b'", true),
        ("echo 'a b'", "echo a b", false),
        ("echo \"*\"", "echo '*'", true),
        ("echo \"*\"", "echo x", false),
        ("git log --grep=*", "git log --grep=a/b", true),
        ("git log --grep=*", "git log --greq=a", false),
        ("npm run test*", "npm run test:unit", true),
        ("npm run test*", "npm run test:unit --watch", true),
        ("npm run test*", "npm run build", false),
        ("python *.py", "python a.py", true),
        ("python *.py", "python dir/a.py", false),
        ("python *.py", "python -c.py", false),
        ("python *.py", "python a.py b", false),
        ("python scripts/*.py", "python scripts/a.py", true),
        ("python scripts/*.py", "python ./scripts/a.py", true),
        ("python scripts/*.py", "python scripts/a/b.py", false),
        ("python scripts/*.py", "python scripts/../a.py", false),
        ("ls ?", "ls a", true),
        ("ls ?", "ls ab", false),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(surely(pattern, text).is_some(), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn a_program_is_its_name_or_its_file() {
    // S3
    let table = [
        ("git:*", "/usr/bin/git status", false),
        ("git:*", "./git status", false),
        ("/usr/bin/git:*", "/usr/bin/git status", true),
        ("/usr/bin/git:*", "/usr/bin/../bin/git status", true),
        ("/usr/bin/git:*", "git status", false),
        ("./run.sh:*", "./run.sh", true),
        ("./run.sh:*", "run.sh", false),
        ("./run.sh:*", "/project/run.sh", true),
        ("./run.sh:*", "/other/run.sh", false),
        ("scripts/run.sh:*", "./scripts/run.sh a", true),
        ("scripts/*.sh", "./scripts/run.sh", true),
        ("./scripts/*", "scripts/run.sh", true),
        ("~/bin/x:*", "~/bin/x", false),
        ("git*", "gitk", true),
        ("git*", "./gitk", false),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(surely(pattern, text).is_some(), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn a_relative_path_means_the_projects() {
    // S3
    let check = |cwd: &'static str, from_elsewhere: bool, pattern: &str, text: &str| {
        let (argv, assignments) = command(text);
        let place = place(cwd);
        let from = if from_elsewhere { From::Elsewhere } else { From::Directory(place.cwd) };
        let frame = Frame { place: &place, from };
        CommandPattern::parse(pattern)
            .expect("a pattern")
            .surely(&argv, &assignments, frame)
            .is_some()
    };
    let pattern = "python scripts/run.py:*";
    assert!(check("/project", false, pattern, "python scripts/run.py"));
    assert!(!check("/project/sub", false, pattern, "python scripts/run.py"));
    assert!(check("/project/sub", false, pattern, "python ../scripts/run.py"));
    assert!(!check("/project", true, pattern, "python scripts/run.py"));
    assert!(check("/project", true, pattern, "python /project/scripts/run.py"));
    assert!(!check("/project/sub", false, "./scripts/*.sh", "./scripts/a.sh"));
    assert!(!check("/project", true, "./scripts/*.sh", "./scripts/a.sh"));
    assert!(check("/project/sub", false, "git diff a", "git diff a"));
    assert!(check("/project", true, "curl https://example.com/a", "curl https://example.com/a"));
}

#[test]
fn unknown_words_fit_only_an_open_end() {
    // S3
    let table = [
        ("git:*", "git log \"$x\"", true),
        ("git:*", "git log $x", true),
        ("git log:*", "git log $x", true),
        ("git log:*", "git $x log", false),
        ("git log:*", "git $x", false),
        ("git * main", "git push $x main", false),
        ("git * main", "git push \"$x\" main", true),
        ("git log x", "git log \"$x\"", false),
        ("git log *.md", "git log \"$x\"", false),
        ("git log", "git log $x", false),
        ("git:*", "$x log", false),
        ("git:*", "\"$x\" log", false),
        ("*", "$x", false),
        ("cat docs/*.md", "cat docs/*.md", true),
        ("cat docs/*.md", "cat docs/*", false),
        ("git:*", "git log {a,b}", true),
        ("git:*", "{git,rm} log", false),
        ("git:*", "g* log", false),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(surely(pattern, text).is_some(), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn variables_a_pattern_names_are_part_of_it() {
    // S3
    assert!(surely("CI=1 make:*", "CI=1 make test").is_some_and(|c| c.assignments));
    assert!(surely("CI=1 make:*", "make test").is_none());
    assert!(surely("CI=1 make:*", "CI=2 make test").is_none());
    assert!(surely("CI=1 make:*", "CI=1 B=2 make test").is_none());
    assert!(surely("make:*", "CI=1 make test").is_some_and(|c| !c.assignments));
    assert!(surely("make:*", "make test").is_some_and(|c| c.assignments));
}

#[test]
fn coverage_is_what_the_author_spelled_out() {
    // S3
    let check = |pattern: &str, text: &str| {
        let coverage = surely(pattern, text).expect("a fit");
        (coverage.literal, coverage.bound, coverage.whole_program)
    };
    assert_eq!(check("git:*", "git log"), (1, 1, true));
    assert_eq!(check("git *", "git log"), (1, 1, true));
    assert_eq!(check("git log:*", "git log x"), (2, 2, false));
    assert_eq!(check("git log", "git log"), (2, 2, false));
    assert_eq!(check("python *.py", "python a.py"), (1, 2, false));
    assert_eq!(check("git * main", "git push main"), (1, 1, false));
    assert_eq!(check("* --version", "git --version"), (0, 0, false));
    let narrow = Coverage::EVERYTHING.narrower(surely("git log:*", "git log").expect("a fit"));
    assert_eq!((narrow.literal, narrow.whole_program), (2, false));
}

#[test]
fn to_deny_options_and_paths_hide_nothing() {
    // S3, S4
    let table = [
        ("git push:*", "git push", true),
        ("git push:*", "git push origin main", true),
        ("git push:*", "git -C p push", true),
        ("git push:*", "git -c a=b -C p push origin", true),
        ("git push:*", "git --no-pager push", true),
        ("git push:*", "/usr/bin/git push", true),
        ("git push:*", "./git push", true),
        ("git push:*", "git log --grep push", false),
        ("git push:*", "git log push", false),
        ("git push:*", "git pull", false),
        ("git push:*", "gitk push", false),
        ("git push:*", "git $x", true),
        ("git push:*", "git \"$x\" origin", true),
        ("git push:*", "$x push", true),
        ("git push:*", "git commit -m \"$x\"", false),
        ("git push:*", "git \"pu$x\"", true),
        ("git push:*", "git \"lo$x\"", false),
        ("git push --force:*", "git push origin --force", true),
        ("git push --force:*", "git push origin main", false),
        ("git push", "git push", true),
        ("git push", "git push --quiet", true),
        ("git push", "git push origin", false),
        ("rm:*", "rm -rf x", true),
        ("rm:*", "/bin/rm -rf x", true),
        ("rm -rf:*", "rm -rf x", true),
        ("rm -rf:*", "rm x -rf", true),
        ("rm -rf:*", "rm x", false),
        ("* --force:*", "anything --force", true),
        ("*", "anything", true),
        ("git checkout -- *", "git checkout -- file", true),
        ("git checkout -- *", "git -C x checkout -- file", true),
        ("git restore *", "git -C x restore file", true),
        ("terraform apply", "terraform -chdir=x apply", true),
        ("s*o:*", "sudo id", true),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(possibly(pattern, text), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn shell_syntax_in_a_pattern_is_not_understood() {
    // S3
    let table = [
        ("", "empty"),
        ("   ", "empty"),
        (":*", "empty"),
        ("a && b", "`&` is not understood"),
        ("a; b", "`;` is not understood"),
        ("a | b", "`|` is not understood"),
        ("a > b", "`>` is not understood"),
        ("a $x", "`$` is not understood"),
        ("a `b`", "is not understood"),
        ("a \\b", "is not understood"),
        ("a (b)", "`(` is not understood"),
        ("a 'b", "a quote is not closed"),
        ("a\u{7}b", "control character"),
        ("git [ab]*", "wildcards other than"),
        ("git {a,b}*", "wildcards other than"),
    ];
    for (pattern, fault) in table {
        let found = CommandPattern::parse(pattern).expect_err(pattern);
        assert!(found.contains(fault), "{pattern}: {found}");
    }
}

#[test]
fn a_pattern_with_a_variable_alone_is_empty() {
    // S3
    assert!(CommandPattern::parse("A=1").is_err());
    assert!(CommandPattern::parse("A=1 b").is_ok());
}
