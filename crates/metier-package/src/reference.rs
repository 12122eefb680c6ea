//! What a person types to say where skills are, read once into what it means. Pure: nothing is looked
//! up, and a text means the same whatever is on the disk.
//!
//! Everything that could become an option of git, another way of transport, or a path out of the
//! repository is refused here, so that nothing behind this has to think of it. Start reading at
//! [`Reference::parse`]; `reference_tests.tsv` is the table of examples.

pub(crate) mod address;
pub(crate) mod server;

use std::fmt;
use std::path::{Component, Path, PathBuf};

use metier_format::text::is_hidden;

use crate::entry::check_path;
use crate::limits::{MAX_DEPTH, MAX_REF_BYTES, MAX_REFERENCE_BYTES};

/// Where skills are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What holds them.
    pub origin: Origin,
    /// The directory inside it, `/` between components; empty for all of it.
    pub path: String,
    /// The branch, tag or commit that was asked for.
    pub requested: Option<String>,
    /// Whether the branch or tag and the path were written one after the other, as a browser shows
    /// them, so that only the server knows where one ends and the other starts.
    pub viewed: bool,
    /// What a bare `owner/name` means where there is no such repository: the skill of that name in
    /// the owner's repository `skills`.
    pub otherwise: Option<Otherwise>,
}

/// A skill by its name in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// The repository's URL.
    pub url: String,
    /// The skill.
    pub skill: String,
}

/// What holds skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A git repository, by a URL that can be given to git.
    Git(String),
    /// A directory on this machine, absolute.
    Directory(PathBuf),
    /// An archive on this machine, absolute.
    Archive(PathBuf),
    /// An archive on a web server.
    ArchiveUrl(String),
    /// An MCP server that has skills.
    Mcp(Server),
}

/// Which MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// The one the user calls so, in his own list of indexes.
    Label(String),
    /// The one at this address on the web.
    Url(String),
}

impl Server {
    /// The server in its one spelling.
    #[must_use]
    pub fn source(&self) -> String {
        match self {
            Self::Label(label) => format!("mcp:{label}"),
            Self::Url(url) => format!("mcp+{url}"),
        }
    }
}

/// The site of an address on the web, of a repository, a file, a list or an MCP server: scheme, host
/// and port, in one spelling. None for what is not on the web.
#[must_use]
pub fn site(text: &str) -> Option<String> {
    let bare = ["archive+", "mcp+", "git+"].iter().find_map(|word| text.strip_prefix(word));
    let (scheme, rest) = bare.unwrap_or(text).split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    address::site(&scheme, authority)
}

/// What short forms are short for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bases {
    /// What `owner/repo` is below: a URL, or `user@host:`.
    pub repositories: String,
    /// What the word in `word:owner/repo` is below, by word.
    pub hosts: Vec<(String, String)>,
    /// What a relative path is below.
    pub directory: PathBuf,
    /// What `~` is.
    pub home: Option<PathBuf>,
}

impl Bases {
    /// The hosts people know, and where a relative path starts.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        let hosts = [
            ("github", "https://github.com"),
            ("gitlab", "https://gitlab.com"),
            ("bitbucket", "https://bitbucket.org"),
            ("codeberg", "https://codeberg.org"),
        ];
        Self {
            repositories: "https://github.com".to_owned(),
            hosts: hosts.map(|(word, url)| (word.to_owned(), url.to_owned())).to_vec(),
            directory: directory.into(),
            home: None,
        }
    }
}

/// Why a text is no reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// Nothing.
    #[error("the reference is empty")]
    Empty,
    /// More than anybody types.
    #[error("the reference is longer than {MAX_REFERENCE_BYTES} bytes")]
    TooLong,
    /// A control, hidden or white-space character where none belongs.
    #[error("the reference contains the character U+{:04X}", *.0 as u32)]
    Character(char),
    /// What git would take for an option.
    #[error("`{0}` starts with `-` and would be taken for an option")]
    OptionLike(String),
    /// A way of transport that is not used.
    #[error("`{0}` is not a way to fetch a skill; use https, ssh or file")]
    Scheme(String),
    /// What is not the address of a file on a web server.
    #[error("`{0}` is not the address of a file on a web server; use https and a plain path")]
    File(String),
    /// A connection anybody on the way could change.
    #[error("`http` is used on this machine only; use https")]
    Insecure,
    /// A password or token in a URL, where it would be written down.
    #[error("the URL carries a user or password; let git's credential helper give it")]
    Credentials,
    /// A host's name that is none.
    #[error("`{0}` is not a host")]
    Host(String),
    /// A word before a colon that stands for no host.
    #[error("`{0}:` stands for no known host")]
    UnknownHost(String),
    /// A repository's name that is none.
    #[error("`{0}` is not a repository")]
    Repository(String),
    /// A path that leaves the repository, or that not every system can have.
    #[error("`{path}` is not a path inside the repository: {why}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A branch or tag that no repository can have.
    #[error("`{0}` is not a branch, tag or commit")]
    Ref(String),
    /// Two references at once.
    #[error("the reference names a branch, tag or commit twice")]
    TwoRefs,
    /// One word, which could be anything.
    #[error("`{0}` is neither `owner/repo` nor a URL; write `./{0}` for a directory")]
    OneWord(String),
    /// A name no server can have.
    #[error("`{0}` is not what a server is called; use letters, digits and `-`")]
    Label(String),
    /// A branch, tag or commit of what has none.
    #[error("an MCP server has no branches, tags or commits")]
    Unversioned,
    /// `~` where nobody is at home.
    #[error("`~` stands for a home directory, and there is none")]
    NoHome,
}

impl Reference {
    /// What `text` means.
    pub fn parse(text: &str, bases: &Bases) -> Result<Self, ReferenceError> {
        let text = checked(text)?;
        if is_local(text) {
            return local(text, bases);
        }
        if text.starts_with('-') {
            return Err(ReferenceError::OptionLike(text.to_owned()));
        }
        if let Some(transport) = helper_transport(text) {
            return Err(ReferenceError::Scheme(transport.to_owned()));
        }
        if let Some(white) = text.chars().find(|c| c.is_whitespace()) {
            return Err(ReferenceError::Character(white));
        }
        if let Some(served) = server::parse(text) {
            return served;
        }
        let (address, requested) = match text.split_once('#') {
            Some((address, name)) => (address, Some(checked_ref(name)?)),
            None => (text, None),
        };
        if !address.contains("://") && is_archive(address) && requested.is_none() {
            return local(address, bases);
        }
        address::parse(address, requested, bases)
    }

    /// The exact thing a lockfile names: its commit instead of what was asked for then. `source`
    /// comes from a file others can write, so it is read like what a person types.
    pub fn locked(locked: &crate::Locked) -> Result<Self, ReferenceError> {
        let bases = Bases::new("/");
        let mut reference = Self::parse(&locked.source, &bases)?;
        if !locked.path.is_empty() {
            let refused = |why| ReferenceError::Path { path: locked.path.clone(), why };
            check_path(locked.path.as_bytes(), MAX_DEPTH)
                .map_err(|hazard| refused(hazard.to_string()))?;
            reference.path.clone_from(&locked.path);
        }
        reference.requested = match &locked.commit {
            Some(commit) if is_full_id(commit) => Some(commit.clone()),
            Some(other) => return Err(ReferenceError::Ref(other.clone())),
            None => None,
        };
        reference.otherwise = None;
        Ok(reference)
    }

    /// The same in another repository, all of it.
    pub(crate) fn otherwise_there(&self, url: &str) -> Self {
        let requested = self.requested.clone();
        let origin = Origin::Git(url.to_owned());
        Self { origin, path: String::new(), requested, viewed: false, otherwise: None }
    }

    /// Every way to read the branch or tag and the path, the shortest name first.
    pub(crate) fn readings(&self) -> Vec<(Option<String>, String)> {
        let mut readings = vec![(self.requested.clone(), self.path.clone())];
        let (true, Some(first)) = (self.viewed, &self.requested) else { return readings };
        for (end, _) in self.path.match_indices('/').chain([(self.path.len(), "")]) {
            let (more, rest) = self.path.split_at_checked(end).unwrap_or_default();
            if !more.is_empty() && checked_ref(&format!("{first}/{more}")).is_ok() {
                let rest = rest.trim_start_matches('/').to_owned();
                readings.push((Some(format!("{first}/{more}")), rest));
            }
        }
        readings
    }

    /// The source in its one spelling, without path and requested commit.
    #[must_use]
    pub fn source(&self) -> String {
        match &self.origin {
            Origin::Git(url) => url.clone(),
            Origin::ArchiveUrl(url) => address::web_source(url),
            Origin::Directory(path) | Origin::Archive(path) => path.display().to_string(),
            Origin::Mcp(server) => server.source(),
        }
    }
}

/// The one spelling of a reference, which is read back as the same.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source())?;
        if !self.path.is_empty() {
            write!(f, "//{}", self.path)?;
        }
        self.requested.as_ref().map_or(Ok(()), |name| write!(f, "#{name}"))
    }
}

/// Whether `text` is a whole object id: forty or sixty-four lowercase hexadecimal digits.
pub(crate) fn is_full_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn checked(text: &str) -> Result<&str, ReferenceError> {
    let text = text.trim_matches(' ');
    if text.is_empty() {
        return Err(ReferenceError::Empty);
    }
    if text.len() > MAX_REFERENCE_BYTES {
        return Err(ReferenceError::TooLong);
    }
    match text.chars().find(|c| c.is_control() || is_hidden(*c)) {
        Some(bad) => Err(ReferenceError::Character(bad)),
        None => Ok(text),
    }
}

/// A branch, tag or commit that git takes as one and as nothing else.
fn checked_ref(name: &str) -> Result<String, ReferenceError> {
    let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let bad = name.is_empty()
        || name.len() > MAX_REF_BYTES
        || name.starts_with('-')
        || name == "@"
        || name.ends_with('.')
        || ["..", "@{"].iter().any(|marks| name.contains(marks))
        || name
            .contains(|c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\\"#".contains(c))
        || name.split('/').any(bad_part);
    if bad { Err(ReferenceError::Ref(name.to_owned())) } else { Ok(name.to_owned()) }
}

/// A path inside a repository, without slashes at its ends.
fn checked_path(path: &str) -> Result<String, ReferenceError> {
    let bare = path.trim_matches('/');
    if bare.is_empty() {
        return Ok(String::new());
    }
    let refused = |why: String| ReferenceError::Path { path: path.to_owned(), why };
    check_path(bare.as_bytes(), MAX_DEPTH).map_err(|hazard| refused(hazard.to_string()))?;
    // These end the path in the one spelling.
    if bare.contains(['#', '@']) {
        return Err(refused("it contains `#` or `@`".to_owned()));
    }
    Ok(bare.to_owned())
}

/// The program in `program::address`, which git would run to fetch.
fn helper_transport(text: &str) -> Option<&str> {
    let (program, _) = text.split_once("::")?;
    (!program.contains(['/', '[', '@'])).then_some(program)
}

fn is_local(text: &str) -> bool {
    matches!(text, "." | ".." | "~") || ["/", "./", "../", "~/"].iter().any(|p| text.starts_with(p))
}

fn is_archive(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".zip", ".skill"].iter().any(|end| lower.ends_with(end))
}

fn local(text: &str, bases: &Bases) -> Result<Reference, ReferenceError> {
    let home = || bases.home.clone().ok_or(ReferenceError::NoHome);
    let whole = match text.strip_prefix('~') {
        Some(rest) => home()?.join(rest.trim_start_matches('/')),
        None => bases.directory.join(text),
    };
    let path = normal(&whole);
    let origin = if is_archive(text) { Origin::Archive(path) } else { Origin::Directory(path) };
    let path = String::new();
    Ok(Reference { origin, path, requested: None, viewed: false, otherwise: None })
}

/// The path without `.` and `..`, as its text says. Nothing is looked up.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
#[path = "reference_tests.rs"]
mod tests;
