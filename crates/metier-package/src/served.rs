//! Skills of other MCP servers, by the rules of the skills extension. A server is not trusted: what it
//! lists is a claim, and every file is held against the claim when it is read, before anybody sees it.
//!
//! This crate speaks no protocol. Whoever can talk with a server gives [`SkillServers`]; `claim` is
//! what a server says of a skill, `listing` asks for all of it page by page, `frontmatter` compares
//! what a server says with what a file says, `offer` reads the files. Start reading at [`Claim`].

mod claim;
mod frontmatter;
mod listing;
mod offer;

use std::ops::ControlFlow;

use metier_sandbox::Cancel;
use serde_json::Value;

use crate::fetch::{Fetch, FetchError};
use crate::hazard::shown;
use crate::index::Index;
use crate::limits::MAX_SAID_BYTES;
use crate::reference::{Origin, Reference, Server};
use crate::skills::Offered;

pub use claim::{Claim, ClaimedFile, Fault, unescape};
pub(crate) use listing::Listing;
pub(crate) use offer::with_served;

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint<'a> {
    /// A program is started and talked with over its standard input and output.
    Command(&'a [String]),
    /// It listens at this address.
    Url(&'a str),
}

/// Somebody who can talk with servers.
pub trait SkillServers: Sync {
    /// Connects, finds the version both speak, and makes sure that the server has skills.
    fn connect<'a>(
        &'a self,
        endpoint: Endpoint<'a>,
        cancel: &'a Cancel,
    ) -> Result<Box<dyn SkillServer + 'a>, ServerError>;
}

/// Is given the content of one file after the other, in the order they were asked for, and says whether
/// more is wanted.
pub type TakeFile<'a> = &'a mut dyn FnMut(Result<Vec<u8>, ServerError>) -> ControlFlow<()>;

/// One conversation with a server. What comes back is what the server says, unchecked but for its
/// size.
pub trait SkillServer {
    /// One page of its skills.
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError>;

    /// What it says of one skill.
    fn get(&mut self, uri: &str) -> Result<Value, ServerError>;

    /// The content of one file, which it says has so many bytes.
    fn read(&mut self, uri: &str, size: u64) -> Result<Vec<u8>, ServerError>;

    /// The content of several files, each of which it says has so many bytes. Behind one that fails
    /// there is no other. Whoever can ask for them together does.
    fn read_many(&mut self, files: &[(&str, u64)], take: TakeFile<'_>) {
        for (uri, size) in files {
            let read = self.read(uri, *size);
            let failed = read.is_err();
            if take(read).is_break() || failed {
                return;
            }
        }
    }
}

/// Why a server did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// Nobody is there, or nobody any more.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("it took too long to answer")]
    TimedOut,
    /// Somebody ended it.
    #[error("it was interrupted")]
    Interrupted,
    /// It wants to know who asks.
    #[error("it cannot be asked without signing in: {0}")]
    Authentication(String),
    /// It is a server, but has no skills.
    #[error("it does not offer skills")]
    NoSkills,
    /// It says that there is no such thing, or none that it gives; and why, in its own words.
    #[error("it knows nothing of that name")]
    Unknown(String),
    /// It says no.
    #[error("it refuses: {0}")]
    Refuses(String),
    /// What it says is no answer.
    #[error("it answers in a way that cannot be understood: {0}")]
    Nonsense(String),
    /// It says more than it may.
    #[error("it answers with more than {0} bytes")]
    TooMuch(u64),
    /// There is no curl on this machine.
    #[error("curl, which talks with servers, is not installed, or not in the `PATH`")]
    NoCurl,
}

/// Which servers there are, and who can talk with them.
#[derive(Clone, Copy)]
pub struct Servers<'a> {
    /// The user's own list, in which a label is looked up.
    pub indexes: &'a [Index],
    /// Who can talk with them.
    pub client: &'a dyn SkillServers,
}

impl FetchError {
    /// What a server's failure means for what was wanted of `place`.
    pub(crate) fn of_server(error: ServerError, place: &str) -> Self {
        let place = place.to_owned();
        let cut = |text: String| {
            let cut: String = text.chars().take(MAX_SAID_BYTES).collect();
            metier_format::text::visible_line(&cut).into_owned()
        };
        match error {
            ServerError::Unreachable(detail) => Self::Unreachable { place, detail: cut(detail) },
            ServerError::TimedOut => Self::TimedOut { place },
            ServerError::Interrupted => Self::Interrupted,
            ServerError::Authentication(detail) => {
                Self::Authentication { place, detail: cut(detail) }
            }
            ServerError::NoSkills => Self::NoSkills { place },
            ServerError::NoCurl => Self::NoCurl,
            ServerError::Unknown(_)
            | ServerError::Refuses(_)
            | ServerError::Nonsense(_)
            | ServerError::TooMuch(_) => Self::Answer { place, detail: cut(error.to_string()) },
        }
    }
}

/// Connects with the server a reference names.
pub(crate) fn connect<'a>(
    server: &'a Server,
    settings: &Fetch<'a>,
) -> Result<Box<dyn SkillServer + 'a>, FetchError> {
    let place = server.source();
    if settings.offline {
        return Err(FetchError::Offline { place });
    }
    let servers = settings.servers.ok_or_else(|| FetchError::NoClient { place: place.clone() })?;
    let endpoint = match server {
        Server::Url(url) => Endpoint::Url(url),
        Server::Label(label) => {
            let index = servers.indexes.iter().find(|index| index.name == *label);
            let endpoint = index.and_then(Index::endpoint);
            endpoint.ok_or_else(|| FetchError::NoServer { label: label.clone() })?
        }
    };
    let connected = servers.client.connect(endpoint, settings.cancel);
    connected.map_err(|error| FetchError::of_server(error, &place))
}

/// What the server of a reference lists, without reading one file of it; none when the reference is
/// about something else.
pub(crate) fn listed(
    reference: &Reference,
    settings: &Fetch<'_>,
) -> Result<Option<Listing>, FetchError> {
    let Origin::Mcp(server) = &reference.origin else { return Ok(None) };
    let place = reference.to_string();
    let mut connected = connect(server, settings)?;
    let listing = match reference.path.as_str() {
        "" => Listing::all(connected.as_mut(), &place)?,
        path => Listing::one(connected.as_mut(), &place, path)?,
    };
    Ok(Some(listing))
}

/// What a server says that the skill at a reference's path is now, without reading one file of it;
/// none when the reference is about something else.
pub fn claimed(reference: &Reference, settings: &Fetch<'_>) -> Result<Option<Claim>, FetchError> {
    let Some(listing) = listed(reference, settings)? else { return Ok(None) };
    match (listing.claims.into_iter().next(), listing.faults.into_iter().next()) {
        (Some(claim), _) => Ok(Some(claim)),
        (None, Some((uri, fault))) => Err(FetchError::Refused(fault.hazard().at(uri.as_bytes()))),
        (None, None) => Err(FetchError::NoSkill { place: reference.to_string() }),
    }
}

impl From<Claim> for Offered {
    fn from(claim: Claim) -> Self {
        Self { name: claim.name, description: claim.description, path: claim.path }
    }
}

/// A server's text as it can be said in a sentence.
fn said(text: &str) -> String {
    shown(text.as_bytes())
}

#[cfg(test)]
#[path = "served_tests.rs"]
pub(crate) mod tests;
