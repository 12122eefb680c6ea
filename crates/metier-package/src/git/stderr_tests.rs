use super::*;

/// What git says, and what it means.
const SAID: &[(&str, Failure)] = &[
    (
        "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
        Failure::Authentication,
    ),
    (
        "remote: Invalid username or password.\nfatal: Authentication failed for 'https://x/'",
        Failure::Authentication,
    ),
    (
        "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
        Failure::Authentication,
    ),
    (
        "fatal: unable to access 'https://x/': The requested URL returned error: 403",
        Failure::Authentication,
    ),
    (
        "remote: Repository not found.\nfatal: repository 'https://github.com/a/b/' not found",
        Failure::NotFound,
    ),
    ("fatal: repository 'http://127.0.0.1:1/a/b/' not found", Failure::NotFound),
    (
        "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
        Failure::NotFound,
    ),
    ("fatal: '/srv/x' does not appear to be a git repository", Failure::NotFound),
    ("fatal: couldn't find remote ref refs/heads/x", Failure::NoSuchRef),
    ("fatal: remote error: upload-pack: not our ref 0123", Failure::NoSuchRef),
    ("error: Server does not allow request for unadvertised object 0123", Failure::NoSuchRef),
    (
        "fatal: unable to access 'https://x/': The requested URL returned error: 429",
        Failure::RateLimited,
    ),
    ("remote: API rate limit exceeded", Failure::RateLimited),
    (
        "fatal: unable to access 'https://x/': The requested URL returned error: 503",
        Failure::Transient,
    ),
    ("fatal: unable to access 'https://x/': Could not resolve host: x", Failure::Transient),
    ("fatal: unable to access 'https://x/': Failed to connect to x port 443", Failure::Transient),
    ("ssh: connect to host x port 22: Connection refused", Failure::Transient),
    (
        "error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF",
        Failure::Transient,
    ),
    ("fatal: the remote end hung up unexpectedly", Failure::Transient),
    (
        "Host key verification failed.\nfatal: Could not read from remote repository.",
        Failure::Untrusted,
    ),
    (
        "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
        Failure::Untrusted,
    ),
    ("fatal: detected dubious ownership in repository at '/x'", Failure::Untrusted),
    ("fatal: write error: No space left on device\nfatal: index-pack failed", Failure::NoSpace),
    (
        "error: object 01: hasDotgit: contains '.git'\nfatal: fsck error in packed object\nfatal: index-pack failed",
        Failure::Refused,
    ),
    (
        "error: object file x is empty\nfatal: loose object 01 (stored in x) is corrupt",
        Failure::Corrupt,
    ),
    ("fatal: not a git repository: '/x'", Failure::Corrupt),
    ("error: packfile x does not match index", Failure::Corrupt),
    (
        "error: packfile ./x.pack does not match index\nfatal: fetch-pack: invalid index-pack output",
        Failure::Corrupt,
    ),
    ("fatal: unable to get password from user", Failure::Authentication),
    ("fatal: something nobody has ever seen", Failure::Other),
    ("", Failure::Other),
];

#[test]
fn what_git_says_is_understood() {
    // P2
    for (said, expect) in SAID {
        assert_eq!(classify(said.as_bytes()), *expect, "{said}");
    }
    let unused = [Failure::TimedOut, Failure::TooMuch];
    assert!(TABLE.iter().all(|(_, failure)| !unused.contains(failure)));
    assert!(TABLE.iter().all(|(words, _)| *words == words.to_lowercase()));
}

#[test]
fn the_complaint_shown_is_the_fatal_one_and_safe_to_show() {
    // P2
    assert_eq!(told(b"remote: hello\nfatal: no\nhint: try\n"), "no");
    assert_eq!(told(b"remote: hello\n"), "hello");
    assert_eq!(told(b"something else"), "something else");
    assert_eq!(told(b"fatal: a\x1b[31mb"), "a\\u{1b}[31mb");
    assert_eq!(told(b""), "");
    assert!(told(&[b'x'; 9000]).len() <= 300);
}
