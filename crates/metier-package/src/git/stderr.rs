//! What git's complaints mean. Git says why it failed in words only; this is the table of them. Its
//! language is fixed by the environment it is run in.

use metier_format::text::visible_line;

/// Why a git failed, as far as its words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nobody here may read that, or nobody said who they are.
    Authentication,
    /// Nothing is there.
    NotFound,
    /// The repository is there, and the branch, tag or commit is not.
    NoSuchRef,
    /// The server wants to be left alone for a while.
    RateLimited,
    /// It may work the next time.
    Transient,
    /// The server is not who it should be.
    Untrusted,
    /// The disk is full.
    NoSpace,
    /// What is in the cache is not what git left there.
    Corrupt,
    /// Git itself refuses the objects.
    Refused,
    /// It took too long.
    TimedOut,
    /// It said too much.
    TooMuch,
    /// Something else.
    Other,
}

/// Words and what they mean, the first that is found decides. Lowercase.
const TABLE: &[(&str, Failure)] = &[
    ("no space left on device", Failure::NoSpace),
    ("disk quota exceeded", Failure::NoSpace),
    ("file too large", Failure::NoSpace),
    ("fsck error", Failure::Refused),
    ("error: packfile ", Failure::Corrupt),
    ("does not match index", Failure::Corrupt),
    ("differ in contents", Failure::Corrupt),
    ("error: index file", Failure::Corrupt),
    ("error: wrong index", Failure::Corrupt),
    ("returned error: 429", Failure::RateLimited),
    ("rate limit", Failure::RateLimited),
    ("too many requests", Failure::RateLimited),
    ("host key verification failed", Failure::Untrusted),
    ("server certificate verification failed", Failure::Untrusted),
    ("ssl certificate problem", Failure::Untrusted),
    ("self-signed certificate", Failure::Untrusted),
    ("detected dubious ownership", Failure::Untrusted),
    ("authentication failed", Failure::Authentication),
    ("could not read username", Failure::Authentication),
    ("could not read password", Failure::Authentication),
    ("terminal prompts disabled", Failure::Authentication),
    ("unable to get password from user", Failure::Authentication),
    ("permission denied (", Failure::Authentication),
    ("returned error: 401", Failure::Authentication),
    ("returned error: 403", Failure::Authentication),
    ("access denied", Failure::Authentication),
    ("couldn't find remote ref", Failure::NoSuchRef),
    ("not our ref", Failure::NoSuchRef),
    ("unadvertised object", Failure::NoSuchRef),
    ("remote error: no such ref", Failure::NoSuchRef),
    ("repository not found", Failure::NotFound),
    ("returned error: 404", Failure::NotFound),
    ("returned error: 410", Failure::NotFound),
    ("does not appear to be a git repository", Failure::NotFound),
    ("' not found", Failure::NotFound),
    ("repository does not exist", Failure::NotFound),
    ("could not be found or you don't have permission", Failure::NotFound),
    ("returned error: 5", Failure::Transient),
    ("could not resolve host", Failure::Transient),
    ("could not resolve proxy", Failure::Transient),
    ("failed to connect", Failure::Transient),
    ("couldn't connect", Failure::Transient),
    ("connection refused", Failure::Transient),
    ("connection reset", Failure::Transient),
    ("connection timed out", Failure::Transient),
    ("connection closed", Failure::Transient),
    ("network is unreachable", Failure::Transient),
    ("operation timed out", Failure::Transient),
    ("operation too slow", Failure::Transient),
    ("temporary failure", Failure::Transient),
    ("early eof", Failure::Transient),
    ("empty reply from server", Failure::Transient),
    ("rpc failed", Failure::Transient),
    ("remote end hung up", Failure::Transient),
    ("unexpected disconnect", Failure::Transient),
    ("transfer closed with", Failure::Transient),
    ("recv failure", Failure::Transient),
    ("send failure", Failure::Transient),
    ("gnutls", Failure::Transient),
    ("ssl_read", Failure::Transient),
    ("expected flush after", Failure::Transient),
    ("invalid index-pack output", Failure::Transient),
    ("bad pack header", Failure::Transient),
    ("is corrupt", Failure::Corrupt),
    ("bad object", Failure::Corrupt),
    ("bad tree object", Failure::Corrupt),
    ("not a git repository", Failure::Corrupt),
    ("unable to read tree", Failure::Corrupt),
    ("loose object", Failure::Corrupt),
    ("inflate", Failure::Corrupt),
    ("packfile", Failure::Corrupt),
    ("pack has", Failure::Corrupt),
    ("could not read ", Failure::Corrupt),
    ("object file", Failure::Corrupt),
    ("invalid object", Failure::Corrupt),
    ("bad config", Failure::Corrupt),
    ("bad shallow line", Failure::Corrupt),
    ("not a valid object name", Failure::Corrupt),
    ("did not send all necessary objects", Failure::Corrupt),
    ("missing necessary objects", Failure::Corrupt),
    ("not a tree object", Failure::Corrupt),
];

/// What these complaints mean.
pub(crate) fn classify(stderr: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(stderr).to_lowercase();
    let found = TABLE.iter().find(|(words, _)| text.contains(words));
    found.map_or(Failure::Other, |(_, failure)| *failure)
}

/// The complaint worth showing: the last that says what is fatal, else the last at all.
pub(crate) fn told(stderr: &[u8]) -> String {
    const LONGEST: usize = 300;
    let text = String::from_utf8_lossy(stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    let marks = ["fatal: ", "error: ", "ERROR: ", "remote: "];
    let said = |mark: &str| lines().find_map(|line| line.strip_prefix(mark).map(str::to_owned));
    let line = marks.iter().find_map(|mark| said(mark));
    let line = line.or_else(|| lines().next().map(str::to_owned)).unwrap_or_default();
    visible_line(&line.chars().take(LONGEST).collect::<String>()).into_owned()
}

#[cfg(test)]
#[path = "stderr_tests.rs"]
mod tests;
