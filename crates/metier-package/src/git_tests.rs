use std::path::Path;

use metier_sandbox::{Cancel, Runner};

use super::*;
use crate::fetch::Select;
use crate::retry::Retry;

/// The walls of a git that reaches so far, for a caller with these variables.
fn walls(reach: Reach<'_>) -> Confinement {
    let names =
        ["HOME", "PATH", "SSH_AUTH_SOCK", "https_proxy", "AWS_SECRET_ACCESS_KEY", "GIT_DIR"];
    let environment: Vec<(OsString, OsString)> =
        names.iter().map(|name| (name.into(), "mine".into())).collect();
    let settings = Fetch {
        runner: &Runner::new(),
        cancel: &Cancel::never(),
        cache: Path::new("/cache"),
        staging: Path::new("/staging"),
        environment: &environment,
        select: Select::All,
        offline: false,
        signers: None,
        sites: &[],
        retry: &Retry::default(),
        servers: None,
    };
    Git { settings: &settings, directory: "/cache/x.git".into() }.confinement(reach, 7)
}

fn variable<'a>(walls: &'a Confinement, name: &str) -> Option<&'a str> {
    let found = walls.environment.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.to_str())
}

#[test]
fn a_git_that_only_reads_has_nothing_but_the_cache() {
    // P2
    for reach in [Reach::Cache, Reach::CacheAnd(Path::new("/signers"))] {
        let walls = walls(reach);
        assert_eq!((walls.level, &walls.network), (Level::Prefer, &Network::Off));
        assert_eq!(walls.read.first().map(|path| path.as_path()), Some(Path::new("/cache/x.git")));
        assert!(walls.write.is_empty() && walls.scratch.is_some());
        for name in ["HOME", "SSH_AUTH_SOCK", "https_proxy", "AWS_SECRET_ACCESS_KEY", "GIT_DIR"] {
            assert_eq!(variable(&walls, name), None, "{name}");
        }
        assert_eq!(variable(&walls, "GIT_CONFIG_GLOBAL"), Some("/dev/null"));
        assert_eq!(variable(&walls, "GIT_ALLOW_PROTOCOL"), Some("none"));
        assert_eq!((walls.limits.stdout, walls.limits.overflow), (7, Overflow::Stop));
    }
}

#[test]
fn a_git_that_talks_has_what_it_needs_for_that_and_asks_nobody() {
    // P2
    let walls = walls(Reach::Server("https"));
    for name in ["HOME", "PATH", "SSH_AUTH_SOCK", "https_proxy"] {
        assert_eq!(variable(&walls, name), Some("mine"), "{name}");
    }
    for name in ["AWS_SECRET_ACCESS_KEY", "GIT_DIR", "GIT_CONFIG_NOSYSTEM"] {
        assert_eq!(variable(&walls, name), None, "{name}");
    }
    let expect = [
        ("GIT_ALLOW_PROTOCOL", "https"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("SSH_ASKPASS_REQUIRE", "never"),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
    ];
    for (name, value) in expect {
        assert_eq!(variable(&walls, name), Some(value), "{name}");
    }
    assert_eq!(walls.limits.wall_ms, REMOTE_SECONDS * 1000);
}

#[test]
fn an_end_by_a_limit_is_not_taken_for_a_word_of_gits() {
    // P2
    let failure = |status| failed(status, b"fatal: repository not found").failure;
    assert_eq!(failure(Status::Exit(128)), Failure::NotFound);
    assert_eq!(failure(Status::TimedOut), Failure::TimedOut);
    assert_eq!(failure(Status::OutOfLimit(Limit::Stdout)), Failure::TooMuch);
    assert_eq!(failure(Status::Signal(9)), Failure::Other);
}
