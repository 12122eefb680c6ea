use std::path::{Path, PathBuf};

use super::*;
use crate::place::{From, Lexical, Place, Resolve};

fn place(resolver: &dyn Resolve) -> Place<'_> {
    Place {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &[],
        resolver,
    }
}

fn covers(pattern: &str, path: &str, strictness: Strictness) -> bool {
    let place = place(&Lexical);
    let spots = place.locate(path, From::Directory(place.cwd)).expect("a path that is somewhere");
    let pattern = PathPattern::parse(pattern).expect("a pattern that is understood");
    pattern.covers(&spots, &Ground::new(&place), strictness)
}

#[test]
fn a_pattern_covers_the_files_its_table_says() {
    // S3
    let table = [
        ("./docs/**", "docs/a.md", true),
        ("./docs/**", "docs/a/b/c.md", true),
        ("./docs/**", "./docs/../docs/a.md", true),
        ("./docs/**", "/project/docs/a.md", true),
        ("./docs/**", "docs/../src/a.rs", false),
        ("./docs/**", "docsx/a.md", false),
        ("./docs/**", "/docs/a.md", false),
        ("./docs/**", "/etc/passwd", false),
        ("docs/**", "docs/a.md", true),
        ("docs/*", "docs/a.md", true),
        ("docs/*", "docs/a/b.md", false),
        ("docs/*.md", "docs/a.md", true),
        ("docs/*.md", "docs/a.txt", false),
        ("docs/", "docs/a/b", true),
        ("docs/a.md", "docs/a.md", true),
        ("docs/a.md", "docs/a.md/x", false),
        ("*.md", "a.md", true),
        ("*.md", "deep/down/a.md", true),
        ("*.md", "/elsewhere/a.md", false),
        (".env", "config/.env", true),
        ("**", "anything/at/all", true),
        ("**", "/etc/passwd", false),
        ("/etc/**", "/etc/passwd", true),
        ("//etc/**", "/etc/passwd", true),
        ("/etc/**", "/etcetera/x", false),
        ("/**", "/etc/passwd", true),
        ("/", "/", true),
        ("~/notes/**", "/home/user/notes/a", true),
        ("~/notes/**", "/home/other/notes/a", false),
        ("~", "/home/user", true),
        ("/abs/?.txt", "/abs/a.txt", true),
        ("/abs/?.txt", "/abs/ab.txt", false),
    ];
    for (pattern, path, expected) in table {
        assert_eq!(covers(pattern, path, Strictness::Surely), expected, "{pattern} ~ {path}");
    }
}

#[test]
fn to_deny_a_pattern_reaches_beneath_and_across_case() {
    // S3, S4
    let table = [
        ("~/.ssh", "/home/user/.ssh/id_ed25519", true),
        ("~/.ssh/**", "/home/user/.SSH/id_ed25519", true),
        ("~/.SSH/**", "/home/user/.ssh/id_ed25519", true),
        (".env", "a/.env", true),
        (".env", "a/.ENV", true),
        (".env", "a/.environment", false),
        ("/etc/shadow", "/etc/shadow", true),
        ("/etc/shadow", "/etc/shadow-", false),
        ("./secret", "secret/deep/file", true),
        ("./secret", "secrets/file", false),
    ];
    for (pattern, path, expected) in table {
        assert_eq!(covers(pattern, path, Strictness::Possibly), expected, "{pattern} ~ {path}");
    }
}

#[test]
fn patterns_that_are_not_understood_say_so() {
    // S3
    let table = [
        ("", "empty"),
        ("a[b]", "wildcards other than"),
        ("{a,b}", "wildcards other than"),
        ("a\\b", "wildcards other than"),
        ("../x", "contains `..`"),
        ("a/../b", "contains `..`"),
        ("~root/x", "another user's home"),
        ("a\nb", "control characters"),
    ];
    for (pattern, fault) in table {
        let found = PathPattern::parse(pattern).expect_err("a fault");
        assert!(found.contains(fault), "{pattern}: {found}");
    }
    assert!(PathPattern::parse(&"a".repeat(MAX_PATTERN_BYTES + 1)).is_err());
}

/// A disk with one link.
struct Link(&'static str, &'static str);

impl Resolve for Link {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        let path = absolute.to_str()?;
        let path = match path.strip_prefix(self.0) {
            Some(rest) => format!("{}{rest}", self.1),
            None => path.to_owned(),
        };
        Lexical.real(Path::new(&path))
    }
}

fn covers_on(disk: &dyn Resolve, pattern: &str, path: &str, strictness: Strictness) -> bool {
    let place = place(disk);
    let spots = place.locate(path, From::Directory(place.cwd)).expect("a path that is somewhere");
    let pattern = PathPattern::parse(pattern).expect("a pattern that is understood");
    pattern.covers(&spots, &Ground::new(&place), strictness)
}

#[test]
fn a_link_inside_the_project_does_not_carry_a_pattern_elsewhere() {
    // S3
    let planted = Link("/project/docs", "/etc");
    assert!(!covers_on(&planted, "./docs/**", "docs/passwd", Strictness::Surely));
    assert!(covers_on(&planted, "/etc/**", "docs/passwd", Strictness::Possibly));
    assert!(!covers_on(&planted, "/etc/**", "docs/passwd", Strictness::Surely));
}

#[test]
fn a_project_behind_a_link_is_still_the_project() {
    // S3
    let behind = Link("/project", "/data/project");
    assert!(covers_on(&behind, "./docs/**", "docs/a", Strictness::Surely));
    assert!(covers_on(&behind, "*.md", "deep/a.md", Strictness::Surely));
    assert!(!covers_on(&behind, "./docs/**", "/data/docs/a", Strictness::Surely));
}

#[test]
fn a_pattern_at_an_unknown_home_allows_nothing_and_may_deny() {
    // S3, S4
    let place = Place { home: None, ..place(&Lexical) };
    let spots = place.locate("/home/user/.ssh/id", From::Elsewhere).expect("a place");
    let pattern = PathPattern::parse("~/.ssh/**").expect("a pattern");
    let ground = Ground::new(&place);
    assert!(!pattern.covers(&spots, &ground, Strictness::Surely));
    assert!(pattern.covers(&spots, &ground, Strictness::Possibly));
}
