//! Who may come in, asked of every request before anything else: is it meant for this machine, does
//! it come from a page of somebody else, does it know the token.
//!
//! A page on the web can make a browser send requests to this machine, and can make its own name
//! stand for this machine's address. It cannot choose what `Host` and `Origin` say.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

use super::problem::Problem;
use super::token::Token;
use crate::who::Who;

/// Where everybody may ask, without a token, whether the server lives.
pub(super) const HEALTH: &str = "/health";

/// Why a request that is meant for another name is not answered, and what helps whoever started this.
const OTHER_NAME: &str =
    "this server has another name; `metier serve --allow-host NAME` gives it one more";

/// A client that is known by a token of its own.
#[derive(Clone, Debug)]
pub struct Badge {
    /// The section of the settings that holds for it.
    pub section: Arc<str>,
    /// What it has to know.
    pub token: Token,
}

/// Who may come in.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// Names of this server besides `localhost` and addresses, such as those a proxy in front of it
    /// answers to.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask besides the server's own.
    pub origins: Vec<String>,
    /// What everybody has to know, if anything, who has no token of their own.
    pub token: Option<Token>,
    /// The clients with a token of their own. Where there is one, nobody comes in without a token:
    /// whoever could leave theirs at home would have more without it.
    pub badges: Vec<Badge>,
    /// Whether clients of other machines can reach the server, so that its address in numbers is a
    /// name for it.
    pub wide: bool,
}

impl Gate {
    /// Whether nobody comes in without a token.
    pub(super) fn asks_for_tokens(&self) -> bool {
        self.token.is_some() || !self.badges.is_empty()
    }

    /// Who a request with this address and these headers comes from, when it may come in.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Who, Problem> {
        let host = self.host(uri, headers)?;
        self.origin(&host, headers)?;
        if !self.asks_for_tokens() || uri.path() == HEALTH {
            return Ok(Who { anybody: true, ..Who::default() });
        }
        self.known(headers)
    }

    /// Whose token the headers have. All are looked at, so that the time tells nothing.
    fn known(&self, headers: &HeaderMap) -> Result<Who, Problem> {
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let value = match (given.next(), given.next()) {
            (None, _) => return Err(Problem::unauthorized("this server wants a token")),
            (Some(value), None) => value.as_bytes(),
            (Some(_), Some(_)) => return Err(Problem::unauthorized("the token is not right")),
        };
        let mut who = None;
        for badge in &self.badges {
            if badge.token.is_in(value) {
                // Of two sections with one token neither can be meant; the first stays.
                who =
                    who.or(Some(Who { known: Some(Arc::clone(&badge.section)), ..Who::default() }));
            }
        }
        let master = self.token.as_ref().is_some_and(|token| token.is_in(value));
        let who = who.or(master.then(Who::default));
        who.ok_or_else(|| Problem::unauthorized("the token is not right"))
    }

    /// What the request calls this server, when that is one of its names.
    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<String, Problem> {
        let mut given = headers.get_all(header::HOST).iter();
        let (Some(first), None) = (given.next(), given.next()) else {
            return Err(Problem::bad_request("a request has one `Host`"));
        };
        let host = first.to_str().unwrap_or_default();
        let written = uri.authority().map(Authority::as_str);
        for name in [Some(host), written].into_iter().flatten() {
            if !self.is_ours(name) {
                return Err(Problem::forbidden("wrong_host", OTHER_NAME));
            }
        }
        Ok(host.to_owned())
    }

    fn is_ours(&self, authority: &str) -> bool {
        let Some(name) = without_port(authority) else { return false };
        let is = |known: &String| known.eq_ignore_ascii_case(name);
        name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(is)
            || address(name).is_some_and(|address| self.wide || address.is_loopback())
    }

    /// A request that a page makes has to come from a page of this server.
    fn origin(&self, host: &str, headers: &HeaderMap) -> Result<(), Problem> {
        let foreign = || Problem::forbidden("wrong_origin", "pages of others may not ask");
        let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().map_err(|_| foreign())?;
            let own = ["http://", "https://"].iter().any(|scheme| {
                let rest = origin.strip_prefix(scheme);
                rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
            });
            if !own && !self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
                return Err(foreign());
            }
        }
        let told = headers.contains_key(header::ORIGIN);
        match site {
            Some(b"cross-site" | b"same-site") if !told => Err(foreign()),
            _ => Ok(()),
        }
    }
}

/// The name in `name:port`; none when it is neither that nor a name.
fn without_port(authority: &str) -> Option<&str> {
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (authority, "0"),
    };
    let is_port = !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    (is_port && !name.is_empty()).then_some(name)
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => name.parse().ok(),
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
