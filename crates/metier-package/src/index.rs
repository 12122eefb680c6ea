//! Remote lists of skills: which of them somebody added, what they listed when they were last asked,
//! and which of their skills answer a query. A list is not trusted: it says where a skill is and what
//! its bytes are, and both are checked when the skill is fetched.
//!
//! `well_known` reads the lists of web servers, `plugin` those of plugin marketplaces, `cache` keeps
//! what was read, so that an index can be searched when nobody can be reached. Start reading at
//! [`refresh`].

mod cache;
mod plugin;
mod well_known;

use std::path::Path;

use metier_format::json::weigh;
use metier_format::text::visible_line;
use metier_store::search::{Document, SearchIndex};
use serde::{Deserialize, Serialize};

use crate::archive::Form;
use crate::atomic::DiskError;
use crate::download::{self, Got};
use crate::fetch::{self, Fetch, FetchError, fetch_digested};
use crate::limits::{
    MAX_COMMAND_BYTES, MAX_COMMAND_WORDS, MAX_INDEX_BYTES, MAX_INDEX_NAME, MAX_INDEX_PROBLEMS,
    MAX_INDEXES,
};
use crate::offer::Offer;
use crate::progress::Progress;
use crate::records::RecordError;
use crate::reference::address::web_file;
use crate::reference::server::is_label;
use crate::reference::{Bases, Origin, Reference, ReferenceError, Server};
use crate::served::{self, Endpoint, Servers};
use crate::skills::{self, Offered, Offering};
use crate::source::{Fetched, Refused};
use crate::turn::TurnError;

use plugin::Market;

pub(crate) use cache::FILE;
pub use cache::{add, cached, list, remove, save};
pub use well_known::{SCHEMA, WELL_KNOWN};

/// Names of other skills that an error has.
const MAX_NAMES_SAID: usize = 5;

/// A remote list that somebody added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// What it is called here.
    pub name: String,
    /// Where it is, as typed.
    pub source: String,
    /// The program that is started to talk with it, and its arguments, where it is an MCP server on
    /// this machine. Only ever what the user typed: no file of anybody else's names a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// What an index listed when it was last asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Its skills, by name.
    pub skills: Vec<Listed>,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// How the server names this version.
    pub version: Option<String>,
    /// When it was asked, in milliseconds since 1970.
    pub asked: u64,
}

/// One skill of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What `metier add` takes to mean it.
    pub reference: String,
    /// SHA-256 of the bytes at that address, in hex; none where a commit says it.
    pub digest: Option<String>,
    /// What is there.
    pub kind: Kind,
}

/// What an index says that is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The skill, in a repository, a directory, an archive or a server that was looked at.
    Skill,
    /// A `SKILL.md` by itself.
    SkillMd,
    /// An archive with the skill in it.
    Archive,
    /// A plugin, whose skills are seen when it is fetched.
    Plugin,
}

/// One skill that answers a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found<'a> {
    /// The index it is in.
    pub index: &'a str,
    /// The skill.
    #[serde(flatten)]
    pub listed: &'a Listed,
    /// How well it answers.
    pub score: f32,
}

/// Why something could not be done with an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// What was typed says of no index where it is.
    #[error("`{source_text}` does not say where an index is: {error}")]
    Reference {
        /// What was typed.
        source_text: String,
        /// Why.
        error: ReferenceError,
    },
    /// It is in a form nobody here knows.
    #[error("the index has the form `{0}`, which is not known here")]
    Schema(String),
    /// It does not say its form, as lists of the first form do not, which have no digests.
    #[error("the index does not say its form in `$schema`; a list without digests is not read")]
    NoSchema,
    /// It is none.
    #[error("it is not an index: {0}")]
    NotAnIndex(String),
    /// A name no index can have.
    #[error("`{0}` cannot be the name of an index; use letters, digits and `-`")]
    Name(String),
    /// There is one of that name.
    #[error("there is an index `{0}` already")]
    Exists(String),
    /// There is none of that name.
    #[error("there is no index `{0}`")]
    Missing(String),
    /// What came has another name.
    #[error("the index lists a skill `{listed}`, and what came is `{found}`")]
    OtherName {
        /// The name the index has.
        listed: String,
        /// The names that came.
        found: String,
    },
    /// A command that is none.
    #[error("a command has at most {MAX_COMMAND_WORDS} words and {MAX_COMMAND_BYTES} bytes")]
    Command,
    /// There are enough.
    #[error("there are {MAX_INDEXES} indexes already")]
    TooMany,
    /// What is written down cannot be read.
    #[error("the list of indexes is damaged: {0}")]
    Damaged(String),
    /// Somebody else is changing what metier keeps, for too long.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// It cannot be written down.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The disk said no.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What asking an index needs.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// How to fetch.
    pub fetch: &'a Fetch<'a>,
    /// What short forms are short for.
    pub bases: &'a Bases,
    /// The time, in milliseconds since 1970.
    pub now: u64,
}

/// Where an index is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A document on a web server.
    Web(String),
    /// Whatever else can hold skills.
    Source(Reference),
}

impl Index {
    /// The index called `name` at `source`, when both can be.
    pub fn new(name: &str, source: &str, bases: &Bases) -> Result<Self, IndexError> {
        check_name(name)?;
        let source = match place(source, bases)? {
            // A name for a name says nothing, and an index is all of a server.
            Place::Source(Reference { origin: Origin::Mcp(server), path, .. }) => match server {
                Server::Url(_) if path.is_empty() => server.source(),
                Server::Url(_) | Server::Label(_) => {
                    let message = "write the address of the server alone".to_owned();
                    return Err(IndexError::NotAnIndex(message));
                }
            },
            _ => source.to_owned(),
        };
        Ok(Self { name: name.to_owned(), source, command: Vec::new() })
    }

    /// The index called `name` that is an MCP server on this machine.
    pub fn of_command(name: &str, command: &[String]) -> Result<Self, IndexError> {
        check_name(name)?;
        let bytes: usize = command.iter().map(String::len).sum();
        let whole = command.first().is_some_and(|program| !program.is_empty());
        let fits = command.len() <= MAX_COMMAND_WORDS && bytes <= MAX_COMMAND_BYTES;
        if !whole || !fits || command.iter().any(|word| word.contains('\0')) {
            return Err(IndexError::Command);
        }
        let source = Server::Label(name.to_owned()).source();
        Ok(Self { name: name.to_owned(), source, command: command.to_vec() })
    }

    /// How it is reached, when it is an MCP server.
    #[must_use]
    pub fn endpoint(&self) -> Option<Endpoint<'_>> {
        match self.command.is_empty() {
            false => Some(Endpoint::Command(&self.command)),
            true => self.source.strip_prefix("mcp+").map(Endpoint::Url),
        }
    }
}

fn check_name(name: &str) -> Result<(), IndexError> {
    match is_label(name) {
        true => Ok(()),
        false => Err(IndexError::Name(name.chars().take(MAX_INDEX_NAME).collect())),
    }
}

impl Contents {
    /// Notes what is wrong, as long as somebody would read it.
    fn trouble(&mut self, what: String) {
        match self.problems.len() {
            0..MAX_INDEX_PROBLEMS => self.problems.push(what),
            MAX_INDEX_PROBLEMS => self.problems.push("there is more wrong with it".to_owned()),
            _ => {}
        }
    }

    /// The skill called `name`.
    #[must_use]
    pub fn skill(&self, name: &str) -> Option<&Listed> {
        self.skills.iter().find(|listed| listed.name == name)
    }
}

/// Asks an index what it lists. `known` is what it listed before.
pub fn refresh(
    index: &Index,
    known: Option<&Contents>,
    asking: &Asking<'_>,
    progress: &mut dyn Progress,
) -> Result<Contents, IndexError> {
    let read = match place(&index.source, asking.bases)? {
        Place::Source(Reference { origin: Origin::Mcp(_), .. }) => from_server(index, asking)?,
        Place::Web(url) => from_web(&url, known, asking, progress)?,
        Place::Source(reference) => from_source(&reference, asking, progress)?,
    };
    let mut contents = Contents { asked: asking.now, ..read };
    contents.skills.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(contents)
}

/// Fetches a listed skill, and checks that it is what the index says.
pub fn fetch_listed(
    listed: &Listed,
    asking: &Asking<'_>,
    progress: &mut dyn Progress,
) -> Result<Fetched, IndexError> {
    let reference = reference(&listed.reference, asking.bases)?;
    let form = match listed.kind {
        Kind::SkillMd => Form::SkillMd,
        Kind::Skill | Kind::Archive | Kind::Plugin => Form::Archive,
    };
    let fetched = match &listed.digest {
        Some(digest) => fetch_digested(&reference, (digest, form), asking.fetch, progress)?,
        None => fetch::fetch(&reference, asking.fetch, progress)?,
    };
    match listed.kind {
        Kind::Skill | Kind::SkillMd | Kind::Archive => only_listed(fetched, &listed.name),
        // It is listed by its own name, whatever its skills are called.
        Kind::Plugin => Ok(fetched),
    }
}

/// Of what came the skill that is listed. Whoever says yes to a name says it to no other.
fn only_listed(mut fetched: Fetched, name: &str) -> Result<Fetched, IndexError> {
    let came: Vec<String> = fetched.skills.iter().map(|skill| skill.name.to_string()).collect();
    fetched.skills.retain(|skill| skill.name.as_str() == name);
    if fetched.skills.is_empty() && !came.is_empty() {
        let names = came.iter().take(MAX_NAMES_SAID).map(|name| visible_line(name));
        let found = names.collect::<Vec<_>>().join("`, `");
        return Err(IndexError::OtherName { listed: name.to_owned(), found });
    }
    Ok(fetched)
}

/// The skills of these indexes that answer `query`, the best first. Linear in what they list.
#[must_use]
pub fn search<'a>(indexes: &'a [(Index, Contents)], query: &str, limit: usize) -> Vec<Found<'a>> {
    let all: Vec<(&str, &Listed)> = indexes
        .iter()
        .flat_map(|(index, contents)| contents.skills.iter().map(|l| (index.name.as_str(), l)))
        .collect();
    let documents = all.iter().map(|(_, listed)| Document {
        name: &listed.name,
        description: &listed.description,
        tags: &[],
        body: None,
    });
    let found = SearchIndex::build(documents);
    let hits = found.search(query, limit);
    let shown = hits.iter().filter_map(|hit| {
        let (index, listed) = all.get(hit.document)?;
        Some(Found { index, listed, score: hit.score })
    });
    shown.collect()
}

fn reference(text: &str, bases: &Bases) -> Result<Reference, IndexError> {
    Reference::parse(text, bases)
        .map_err(|error| IndexError::Reference { source_text: text.to_owned(), error })
}

/// Where a text says that an index is. An address on the web is one of a document or of a server
/// with a well-known one, unless it is a repository's.
fn place(source: &str, bases: &Bases) -> Result<Place, IndexError> {
    let web = source.starts_with("https://") || source.starts_with("http://");
    let document = source.ends_with(".json");
    let parsed = Reference::parse(source, bases);
    let known = parsed.as_ref().is_ok_and(|parsed| {
        let at = parsed.source();
        bases.hosts.iter().any(|(_, host)| at.starts_with(host.as_str()))
    });
    if !web || ((known || source.ends_with(".git")) && !document) {
        return Ok(Place::Source(holding(reference(source, bases)?)));
    }
    let url = match document {
        true => source.to_owned(),
        false => format!("{}{WELL_KNOWN}", source.trim_end_matches('/')),
    };
    let url = web_file(&url)
        .map_err(|error| IndexError::Reference { source_text: source.to_owned(), error })?;
    Ok(Place::Web(url))
}

/// The directory that a list of plugins is about, where the list itself is named.
fn holding(reference: Reference) -> Reference {
    let list = Path::new(plugin::MARKETPLACE);
    match &reference.origin {
        Origin::Directory(path) if path.ends_with(list) => {
            let root = path.ancestors().nth(list.components().count()).unwrap_or(path);
            Reference { origin: Origin::Directory(root.to_owned()), ..reference }
        }
        _ => reference,
    }
}

/// What to give instead of a file, to somebody who gave one.
fn no_directory(error: FetchError, from: &Reference) -> IndexError {
    let is_json = |path: &Path| path.extension().is_some_and(|end| end == "json");
    match (&error, &from.origin) {
        (FetchError::NoSource { .. }, Origin::Directory(path)) if is_json(path) => {
            let list = plugin::MARKETPLACE;
            let message = format!("give the directory with `{list}` in it, or a web server");
            IndexError::NotAnIndex(message)
        }
        _ => error.into(),
    }
}

fn from_web(
    url: &str,
    known: Option<&Contents>,
    asking: &Asking<'_>,
    progress: &mut dyn Progress,
) -> Result<Contents, IndexError> {
    let tell = fetch::telling(progress);
    let version = known.and_then(|known| known.version.as_deref());
    let got = download::document(url, version, asking.fetch, &tell)?;
    match (got, known) {
        (Got::Same, Some(known)) => Ok(known.clone()),
        (Got::Same, None) => Err(IndexError::NotAnIndex("the server sent nothing".to_owned())),
        (Got::New { bytes, version }, _) => {
            let document = parse(&bytes)?;
            let contents = match document.get("plugins") {
                Some(_) => plugin::read(&document, Market { at: url, here: None }, asking.bases),
                None => well_known::read(&document, url)?,
            };
            Ok(Contents { version, ..contents })
        }
    }
}

/// A repository, directory or archive: what its list of plugins says, else every skill in it.
fn from_source(
    from: &Reference,
    asking: &Asking<'_>,
    progress: &mut dyn Progress,
) -> Result<Contents, IndexError> {
    let tell = fetch::telling(progress);
    let looked = fetch::with_offer((from, None), asking.fetch, &tell, &mut |offer, _| {
        let offering = skills::find(offer, &fetch::called(from))?;
        Ok((offering, marketplace(offer)?))
    });
    let (Offering { skills: offered, refused, .. }, marketplace) =
        looked.map_err(|error| no_directory(error, from))?;
    let every = || {
        let skills = offered.iter().map(|skill| listed(skill, from)).collect();
        Contents { skills, ..Contents::default() }
    };
    let mut contents = match marketplace {
        Marketplace::Is(bytes) => {
            let market = Market { at: &from.source(), here: Some((from, &offered)) };
            plugin::read(&parse(&bytes)?, market, asking.bases)
        }
        Marketplace::None => every(),
        Marketplace::TooLarge(bytes) => {
            let mut contents = every();
            contents.trouble(format!(
                "`{}` has {bytes} bytes, more than {MAX_INDEX_BYTES}; every skill is listed instead",
                plugin::MARKETPLACE
            ));
            contents
        }
    };
    for Refused { path, reason, .. } in refused {
        contents.trouble(format!("`{path}` is refused: {reason}"));
    }
    Ok(contents)
}

/// An MCP server: what it says of its skills, of which no file is read. It is known by its label.
fn from_server(index: &Index, asking: &Asking<'_>) -> Result<Contents, IndexError> {
    let server = Server::Label(index.name.clone());
    let reference = |path: &str| Reference {
        origin: Origin::Mcp(server.clone()),
        path: path.to_owned(),
        requested: None,
        viewed: false,
        otherwise: None,
    };
    // It may be asked before it is added.
    let servers = asking
        .fetch
        .servers
        .map(|servers| Servers { indexes: std::slice::from_ref(index), ..servers });
    let settings = Fetch { servers, ..*asking.fetch };
    let listing = served::listed(&reference(""), &settings)?.unwrap_or_default();
    let mut contents = Contents::default();
    for (uri, fault) in listing.faults {
        contents.trouble(format!("`{uri}`: {fault}"));
    }
    contents.skills = listing
        .claims
        .iter()
        .map(|claim| Listed {
            name: claim.name.to_string(),
            description: well_known::description(&claim.description),
            reference: reference(&claim.path).to_string(),
            digest: None,
            kind: Kind::Skill,
        })
        .collect();
    Ok(contents)
}

/// A skill of a source, as an index lists it.
fn listed(skill: &Offered, from: &Reference) -> Listed {
    let below = matches!(from.origin, Origin::Git(_)) && !from.path.is_empty();
    let path = match (below, skill.path.is_empty()) {
        (true, true) => from.path.clone(),
        (true, false) => format!("{}/{}", from.path, skill.path),
        (false, _) => skill.path.clone(),
    };
    let at = match &from.origin {
        // Only a repository has a place inside it that can be named.
        Origin::Git(_) => Reference { path, otherwise: None, ..from.clone() },
        Origin::Directory(root) => {
            Reference { origin: Origin::Directory(root.join(&skill.path)), ..from.clone() }
        }
        Origin::Archive(_) | Origin::ArchiveUrl(_) | Origin::Mcp(_) => from.clone(),
    };
    Listed {
        name: skill.name.to_string(),
        description: well_known::description(&skill.description),
        reference: at.to_string(),
        digest: None,
        kind: Kind::Skill,
    }
}

/// The list of plugins in a source.
enum Marketplace {
    /// There is none.
    None,
    /// There is one, of these bytes.
    Is(Vec<u8>),
    /// There is one, of more bytes than are read.
    TooLarge(u64),
}

fn marketplace(offer: &mut dyn Offer) -> Result<Marketplace, FetchError> {
    let is_it = |path: &[u8]| path == plugin::MARKETPLACE.as_bytes();
    let at = offer.entries().iter().position(|entry| is_it(&entry.path));
    let Some(at) = at else { return Ok(Marketplace::None) };
    offer.prepare(&[at])?;
    let size = offer.entries().get(at).map_or(0, |entry| entry.size);
    if size > MAX_INDEX_BYTES as u64 {
        return Ok(Marketplace::TooLarge(size));
    }
    let mut read = Marketplace::None;
    offer.read(&[at], &mut |_, bytes| {
        read = Marketplace::Is(bytes.to_vec());
        Ok(())
    })?;
    Ok(read)
}

fn parse(bytes: &[u8]) -> Result<serde_json::Value, IndexError> {
    if bytes.len() > MAX_INDEX_BYTES {
        let message = format!("it has more than {MAX_INDEX_BYTES} bytes");
        return Err(IndexError::NotAnIndex(message));
    }
    weigh(bytes).map_err(|heavy| IndexError::NotAnIndex(heavy.to_string()))?;
    let parsed: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
    match parsed {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(IndexError::NotAnIndex("it is not a JSON object".to_owned())),
        Err(error) => Err(IndexError::NotAnIndex(error.to_string())),
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
