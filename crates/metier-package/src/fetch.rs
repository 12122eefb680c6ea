//! From a reference to skills in a staging directory: look, choose, check, write. Nothing that is
//! fetched is visible to anybody, and what fails leaves nothing behind.
//!
//! Start reading at [`fetch`]. A source becomes an `Offer`, whatever it is;
//! `skills` says what is in it, `stage` checks and writes it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use metier_format::NameKey;
use metier_sandbox::{Cancel, RunError, Runner};

use crate::archive;
use crate::directory::Directory;
use crate::download;
use crate::git::repository::{Repository, Resolved};
use crate::git::signature;
use crate::git_offer::GitOffer;
use crate::hazard::At;
use crate::offer::Offer;
use crate::progress::{Progress, Step, Tell};
use crate::reference::{Origin, Reference};
use crate::retry::Retry;
use crate::served::{self, Servers};
use crate::skills::{self, Offered, Offering};
use crate::source::{Fetched, Locked, Refused, Signature};
use crate::stage;
use crate::staging;

/// How and where to fetch.
#[derive(Clone, Copy)]
pub struct Fetch<'a> {
    /// Who runs git.
    pub runner: &'a Runner,
    /// The switch that ends it.
    pub cancel: &'a Cancel,
    /// Where repositories are kept for the next time. May be deleted whenever nobody fetches.
    pub cache: &'a Path,
    /// Where skills are put, each in a directory called like it. Made if it is not there; it should
    /// be of one fetch only.
    pub staging: &'a Path,
    /// The caller's environment, of which git is given what it needs to reach servers.
    pub environment: &'a [(OsString, OsString)],
    /// Which skills.
    pub select: Select<'a>,
    /// Whether only the cache is used.
    pub offline: bool,
    /// Whose SSH signatures are known: a file as git's `gpg.ssh.allowedSignersFile`.
    pub signers: Option<&'a Path>,
    /// What is done about what may pass by itself.
    pub retry: &'a Retry<'a>,
    /// Which MCP servers there are, when somebody can talk with them.
    pub servers: Option<Servers<'a>>,
}

/// Which skills of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select<'a> {
    /// All of them.
    All,
    /// Those of these names.
    Named(&'a [String]),
    /// The one at exactly the reference's path.
    AtPath,
}

/// Why nothing was fetched. Nothing is left in the staging directory.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Nothing is there.
    #[error("there is nothing at `{place}`")]
    NotFound {
        /// Where.
        place: String,
    },
    /// Something is there that skills cannot be in.
    #[error("`{place}` is {what}")]
    NoSource {
        /// Where.
        place: String,
        /// What it is.
        what: &'static str,
    },
    /// The branch, tag or commit is not there.
    #[error("`{place}` has no branch, tag or commit `{requested}`")]
    NoSuchRef {
        /// Where.
        place: String,
        /// What was asked for.
        requested: String,
    },
    /// The directory is not there.
    #[error("`{place}` has no directory `{path}`")]
    NoSuchPath {
        /// Where.
        place: String,
        /// The directory.
        path: String,
    },
    /// The server wants to know who asks, or does not let them.
    #[error("`{place}` cannot be read without signing in: {detail}")]
    Authentication {
        /// Where.
        place: String,
        /// What git said.
        detail: String,
    },
    /// The server is not who it should be.
    #[error("`{place}` is not trusted: {detail}")]
    Untrusted {
        /// Where.
        place: String,
        /// What git said.
        detail: String,
    },
    /// The server wants to be left alone for a while.
    #[error("`{place}` is answering no more requests for now")]
    RateLimited {
        /// Where.
        place: String,
    },
    /// Nobody answers, or not to the end, and not at the last try either.
    #[error("`{place}` cannot be reached: {detail}")]
    Unreachable {
        /// Where.
        place: String,
        /// What git said.
        detail: String,
    },
    /// It took too long.
    #[error("`{place}` took too long to answer")]
    TimedOut {
        /// Where.
        place: String,
    },
    /// It is not in the cache, and nothing else may be used.
    #[error("`{place}` is not in the cache, and metier is offline")]
    Offline {
        /// Where.
        place: String,
    },
    /// The disk is full, or would be.
    #[error("the disk of `{}` is full", path.display())]
    NoSpace {
        /// Bytes that are missing, as far as that is known.
        missing: u64,
        /// A directory on that disk.
        path: PathBuf,
    },
    /// Somebody ended it.
    #[error("it was interrupted")]
    Interrupted,
    /// The whole package is refused.
    #[error("the package is refused: {0}")]
    Refused(At),
    /// There is no skill in it.
    #[error("there is no skill in `{place}`")]
    NoSkill {
        /// Where.
        place: String,
    },
    /// A skill that was asked for is not in it.
    #[error("there is no skill `{name}` in `{place}`")]
    NoSuchSkill {
        /// What was asked for.
        name: String,
        /// Where.
        place: String,
        /// The names that are there.
        offered: Vec<String>,
    },
    /// What came is not what the index says.
    #[error("`{place}` is not what the index says: its SHA-256 is {found} and not {expected}")]
    Digest {
        /// Where it is from.
        place: String,
        /// The digest the index has.
        expected: String,
        /// The digest of what came.
        found: String,
    },
    /// A file was changed while it was read.
    #[error("`{path}` changed while it was read")]
    Changed {
        /// The file.
        path: String,
    },
    /// There is no git on this machine.
    #[error("git is not installed, or not in the `PATH`")]
    NoGit,
    /// Git failed in a way nobody knows.
    #[error("git failed: {detail}")]
    Git {
        /// What it said.
        detail: String,
    },
    /// The cache is broken, and stays so.
    #[error("the cache at `{}` is broken: {detail}", path.display())]
    Cache {
        /// Its directory.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A name the user has given to no MCP server.
    #[error("there is no MCP server called `{label}` here")]
    NoServer {
        /// The name.
        label: String,
    },
    /// Nobody here can talk with MCP servers.
    #[error("`{place}` is an MCP server, and nobody here can talk with one")]
    NoClient {
        /// Where.
        place: String,
    },
    /// An MCP server without skills.
    #[error("`{place}` is an MCP server that does not offer skills")]
    NoSkills {
        /// Where.
        place: String,
    },
    /// An MCP server's answer that is none.
    #[error("`{place}` gives no answer: {detail}")]
    Answer {
        /// Where.
        place: String,
        /// What is wrong with what it says.
        detail: String,
    },
    /// What came is not what the server lists.
    #[error("`{place}`: `{uri}` is not what the server lists: {why}")]
    Claim {
        /// Where.
        place: String,
        /// The file's address.
        uri: String,
        /// What differs.
        why: String,
    },
    /// There is no curl on this machine.
    #[error("curl, which brings archives, is not installed, or not in the `PATH`")]
    NoCurl,
    /// Git or curl could not be run.
    #[error("what fetches cannot be run")]
    Run(#[source] RunError),
    /// The system said no.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

impl FetchError {
    /// What the system said about a path; a full disk is its own error.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        let path = path.to_owned();
        match full.contains(&error.kind()) {
            true => Self::NoSpace { missing: 0, path },
            false => Self::Io { path, error },
        }
    }
}

/// Fetches the skills a reference names into the staging directory.
pub fn fetch(
    reference: &Reference,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<Fetched, FetchError> {
    let fetched = fetch_once((reference, None), settings, progress);
    match (fetched, &reference.otherwise) {
        (Err(first), Some(otherwise)) if is_absent(&first) => {
            let names = [otherwise.skill.clone()];
            let settings = Fetch { select: Select::Named(&names), ..*settings };
            let second = reference.otherwise_there(&otherwise.url);
            let fetched = fetch_once((&second, None), &settings, progress);
            fetched.map_err(|second| if is_not_there(&second) { first } else { second })
        }
        (fetched, _) => fetched,
    }
}

/// Fetches exactly what a lockfile names.
pub fn fetch_locked(
    locked: &Locked,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<Fetched, FetchError> {
    let reference = Reference::locked(locked)
        .map_err(|_| FetchError::NotFound { place: locked.source.clone() })?;
    let settings = Fetch { select: Select::AtPath, ..*settings };
    let mut fetched = fetch_once((&reference, None), &settings, progress)?;
    for skill in &mut fetched.skills {
        skill.locked.requested.clone_from(&locked.requested);
    }
    Ok(fetched)
}

/// Fetches the skills in an archive on a web server, when its bytes have this SHA-256 in hex.
pub fn fetch_digested(
    reference: &Reference,
    digest: &str,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<Fetched, FetchError> {
    fetch_once((reference, Some(digest)), settings, progress)
}

/// What a reference offers, without its content, and what of it is not handed out.
pub fn offered(
    reference: &Reference,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<(Vec<Offered>, Vec<Refused>), FetchError> {
    let tell = telling(progress);
    if let Some(listing) = served::listed(reference, settings)? {
        let refused = listing.refused();
        return Ok((listing.claims.into_iter().map(Offered::from).collect(), refused));
    }
    with_offer((reference, None), settings, &tell, &mut |offer, _| {
        let offering = skills::find(offer, &called(reference))?;
        Ok((offering.skills, offering.refused))
    })
}

/// What a reference would be now: for git the server is asked for the commit, and for nothing else.
pub fn resolve(
    reference: &Reference,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<Locked, FetchError> {
    let mut locked = locked(reference);
    if let Origin::Git(url) = &reference.origin {
        let tell = telling(progress);
        let repository = Repository::open(settings, url, &tell)?;
        let resolved = repository.resolve(&reference.readings())?;
        locked.commit = Some(resolved.pointed.commit);
        (locked.requested, locked.path) = (resolved.requested, resolved.path);
    }
    Ok(locked)
}

/// The parts of a fetch take turns at telling.
pub(crate) fn telling(progress: &mut dyn Progress) -> impl Fn(Step<'_>) {
    let progress = RefCell::new(progress);
    move |step| progress.borrow_mut().step(step)
}

fn is_absent(error: &FetchError) -> bool {
    matches!(error, FetchError::NotFound { .. } | FetchError::Authentication { .. })
}

/// Whether what was asked for is not at a second place either, so that what the first place said
/// stands. Whatever else went wrong there is news.
fn is_not_there(error: &FetchError) -> bool {
    let lacks = matches!(
        error,
        FetchError::NoSuchRef { .. }
            | FetchError::NoSuchPath { .. }
            | FetchError::NoSkill { .. }
            | FetchError::NoSuchSkill { .. }
    );
    lacks || is_absent(error)
}

/// A reference, and the digest that what it names has to have, where somebody knows it.
type Expected<'a> = (&'a Reference, Option<&'a str>);

fn fetch_once(
    expected: Expected<'_>,
    settings: &Fetch<'_>,
    progress: &mut dyn Progress,
) -> Result<Fetched, FetchError> {
    let ours = !staging::is_there(settings.staging);
    let tell = telling(progress);
    let reference = expected.0;
    let fetched = with_offer(expected, settings, &tell, &mut |offer, locked| {
        let offering = skills::find(offer, &called(reference))?;
        let chosen = choose(offering, reference, settings.select)?;
        stage::stage(offer, chosen, (settings, &tell), locked)
    });
    if ours && fetched.is_err() {
        staging::remove_if_empty(settings.staging);
    }
    fetched
}

pub(crate) type Use<'a, T> = &'a mut dyn FnMut(&mut dyn Offer, &Locked) -> Result<T, FetchError>;

/// Opens the source and has it used. A cache that turns out broken is made again, once.
pub(crate) fn with_offer<T>(
    (reference, digest): Expected<'_>,
    settings: &Fetch<'_>,
    tell: Tell<'_>,
    then: Use<'_, T>,
) -> Result<T, FetchError> {
    match &reference.origin {
        Origin::Directory(path) => then(&mut Directory::open(path)?, &whole(reference)),
        Origin::Archive(path) => archive::with_unpacked(path, settings, &mut |directory| {
            then(directory, &whole(reference))
        }),
        Origin::ArchiveUrl(url) => download::with_downloaded(url, settings, tell, &mut |path| {
            if let Some(digest) = digest {
                archive::check(path, digest, url)?;
            }
            archive::with_unpacked(path, settings, &mut |directory| {
                then(directory, &whole(reference))
            })
        }),
        Origin::Mcp(server) => {
            served::with_served((server, reference), settings, tell, &mut |offer| {
                then(offer, &whole(reference))
            })
        }
        Origin::Git(url) => {
            let repository = Repository::open(settings, url, tell)?;
            match from_git(&repository, reference, then) {
                Err(FetchError::Cache { .. }) if !settings.offline => {
                    repository.clear()?;
                    from_git(&repository, reference, then)
                }
                other => other,
            }
        }
    }
}

fn from_git<T>(
    repository: &Repository<'_>,
    reference: &Reference,
    then: Use<'_, T>,
) -> Result<T, FetchError> {
    let Resolved { pointed, requested, path } = repository.resolve(&reference.readings())?;
    let commit = repository.bring(&pointed)?;
    let signature = signature::of(repository, &pointed.object, &commit)?;
    let mut offer = GitOffer::open(repository, &commit, &path)?;
    let source = reference.source();
    let locked = Locked { source, path, requested, commit: Some(commit), signature };
    then(&mut offer, &locked)
}

fn locked(reference: &Reference) -> Locked {
    Locked {
        source: reference.source(),
        path: reference.path.clone(),
        requested: reference.requested.clone(),
        commit: None,
        signature: Signature::None,
    }
}

/// The same for a source that is looked at from its root whatever the path.
fn whole(reference: &Reference) -> Locked {
    Locked { path: String::new(), ..locked(reference) }
}

/// What the directory that a reference names would be called.
pub(crate) fn called(reference: &Reference) -> String {
    let source = reference.source();
    let whole = if reference.path.is_empty() { &source } else { &reference.path };
    let last = whole.rsplit(['/', ':']).next().unwrap_or(whole);
    last.strip_suffix(".git").unwrap_or(last).to_owned()
}

/// Those of the offered that were asked for.
fn choose(
    mut offering: Offering,
    reference: &Reference,
    select: Select<'_>,
) -> Result<Offering, FetchError> {
    let place = || reference.to_string();
    match select {
        Select::All => {}
        Select::AtPath => {
            // A repository is looked at from the path on, everything else from its root.
            let below = matches!(reference.origin, Origin::Git(_));
            let path = if below { "" } else { reference.path.as_str() };
            offering.skills.retain(|skill| skill.path == path);
            offering.refused.retain(|refused| refused.path == path);
        }
        Select::Named(names) => {
            let known: Vec<NameKey> = offering.skills.iter().map(|s| s.name.key()).collect();
            let missing = names.iter().find(|name| !known.contains(&NameKey::of(name)));
            if let Some(name) = missing {
                let offered = offering.skills.iter().map(|s| s.name.as_str().to_owned()).collect();
                let (name, place) = (name.clone(), place());
                return Err(FetchError::NoSuchSkill { name, place, offered });
            }
            let wanted: Vec<NameKey> = names.iter().map(|name| NameKey::of(name)).collect();
            offering.skills.retain(|skill| wanted.contains(&skill.name.key()));
        }
    }
    if offering.skills.is_empty() && offering.refused.is_empty() {
        return Err(FetchError::NoSkill { place: place() });
    }
    Ok(offering)
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;
