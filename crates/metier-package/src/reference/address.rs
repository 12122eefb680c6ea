//! Everything that is not on this machine: URLs, `user@host:path`, `host:owner/repo`, `owner/repo`,
//! and what a browser shows while somebody looks at a directory.

use std::net::IpAddr;

use super::{
    Bases, Origin, Otherwise, Reference, ReferenceError, checked_path, checked_ref, is_archive,
};

/// Hosts on which a repository is always `owner/repo`, found with and without `.git`.
const TWO_PARTS: [&str; 3] = ["github.com", "bitbucket.org", "codeberg.org"];

/// Hosts on which `.git` at the end says nothing.
const KNOWN: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// What stands before the address of a file that does not look like one's.
const FILE: &str = "archive+";

/// Where an owner keeps skills when a bare `owner/name` names no repository.
const COLLECTION: &str = "skills";

pub(super) fn parse(
    address: &str,
    requested: Option<String>,
    bases: &Bases,
) -> Result<Reference, ReferenceError> {
    if let Some((scheme, rest)) = address.split_once("://") {
        return url(&scheme.to_ascii_lowercase(), rest, requested);
    }
    match address.split_once(':') {
        Some((head, rest)) if !head.contains('/') => with_colon(head, rest, requested, bases),
        Some(_) => Err(ReferenceError::Repository(address.to_owned())),
        None => short(address, &bases.repositories, requested),
    }
}

fn url(scheme: &str, rest: &str, requested: Option<String>) -> Result<Reference, ReferenceError> {
    if let Some(scheme) = scheme.strip_prefix(FILE) {
        return match requested {
            None => whole_file(scheme, rest),
            Some(_) => Err(ReferenceError::File(format!("{scheme}://{rest}"))),
        };
    }
    let scheme = match scheme {
        "https" | "git+https" => "https",
        "ssh" | "git+ssh" | "ssh+git" => "ssh",
        "http" => "http",
        "file" | "git+file" => "file",
        other => return Err(ReferenceError::Scheme(other.to_owned())),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let place = Place::new(scheme, authority)?;
    let (path, inner) = split_inner(path)?;
    let (path, requested) = split_at(path, requested)?;
    if is_archive(path) && place.is_web() {
        if inner.is_some() || requested.is_some() {
            return Err(called_like_an_archive(path));
        }
        return archive(&place, path);
    }
    let path = if place.is_known() { path.split('?').next().unwrap_or(path) } else { path };
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    // A `SKILL.md` by itself, unless a browser shows it in its repository.
    let lone =
        place.is_web() && !place.is_known() && parts.len() > 1 && path.ends_with("/SKILL.md");
    if lone && inner.is_none() && requested.is_none() && viewed(&place, &parts).is_none() {
        return archive(&place, path);
    }
    match (viewed(&place, &parts), inner) {
        (Some(_), Some(_)) => Err(ReferenceError::Repository(path.to_owned())),
        (Some(view), None) => view.reference(&place, requested),
        (None, inner) => {
            let url = place.repository(&parts)?;
            Ok(git(url, inner.unwrap_or_default(), requested))
        }
    }
}

/// The one spelling of the address of a file on a web server.
pub(crate) fn web_file(text: &str) -> Result<String, ReferenceError> {
    let (scheme, rest) = text.split_once("://").unwrap_or((text, ""));
    match whole_file(&scheme.to_ascii_lowercase(), rest)?.origin {
        Origin::ArchiveUrl(url) => Ok(url),
        _ => Err(ReferenceError::File(text.to_owned())),
    }
}

/// How the file at an address is written down: by the address alone where that is read back as a
/// file, else with a word that says so.
pub(crate) fn web_source(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
    let plain = self::url(scheme, rest, None);
    match plain.map(|reference| reference.origin) {
        Ok(Origin::ArchiveUrl(read)) if read == url => url.to_owned(),
        _ => format!("{FILE}{url}"),
    }
}

/// A file on a web server, whatever its address looks like.
fn whole_file(scheme: &str, rest: &str) -> Result<Reference, ReferenceError> {
    let none = || ReferenceError::File(format!("{scheme}://{rest}"));
    if !matches!(scheme, "http" | "https") {
        return Err(none());
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    archive(&Place::new(scheme, authority)?, path).map_err(|_| none())
}

/// `user@host:path`, or a word or a host before `owner/repo`.
fn with_colon(
    head: &str,
    rest: &str,
    requested: Option<String>,
    bases: &Bases,
) -> Result<Reference, ReferenceError> {
    if let Some((_, base)) = bases.hosts.iter().find(|(word, _)| word == head) {
        return short(rest, base, requested);
    }
    if let Some((user, host)) = head.split_once('@') {
        let host = checked_host(host)?;
        checked_user(user)?;
        let (path, inner) = split_inner(rest)?;
        let (path, requested) = split_at(path, requested)?;
        let bare = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
        check_parts(&bare.split('/').collect::<Vec<_>>())?;
        let bare = if KNOWN.contains(&&*host) { without_git(bare) } else { bare };
        if is_archive(bare) {
            return Err(called_like_an_archive(bare));
        }
        let slash = if path.starts_with('/') { "/" } else { "" };
        let url = format!("{user}@{host}:{slash}{bare}");
        return Ok(git(url, inner.unwrap_or_default(), requested));
    }
    if head.contains('.') {
        return short(rest, &format!("https://{}", checked_host(head)?), requested);
    }
    Err(ReferenceError::UnknownHost(head.to_owned()))
}

/// `owner/repo` and `owner/repo/path` below a base.
fn short(text: &str, base: &str, requested: Option<String>) -> Result<Reference, ReferenceError> {
    let (text, inner) = split_inner(text)?;
    let (text, requested) = split_at(text, requested)?;
    let text = text.trim_end_matches('/');
    let mut parts = text.splitn(3, '/');
    let (owner, Some(name)) = (parts.next().unwrap_or_default(), parts.next()) else {
        return Err(ReferenceError::OneWord(text.to_owned()));
    };
    check_parts(&[owner, name])?;
    let path = match (parts.next(), inner) {
        (Some(_), Some(_)) => return Err(ReferenceError::Repository(text.to_owned())),
        (Some(path), None) => checked_path(path)?,
        (None, inner) => inner.unwrap_or_default(),
    };
    let below = |name: &str| below(base, owner, name);
    let mut reference = below(name)?;
    if !matches!(reference.origin, Origin::Git(_)) {
        return Err(called_like_an_archive(name));
    }
    if path.is_empty()
        && name != COLLECTION
        && let Origin::Git(url) = below(COLLECTION)?.origin
    {
        reference.otherwise = Some(Otherwise { url, skill: name.to_owned() });
    }
    Ok(Reference { path, requested, ..reference })
}

/// A repository of an owner below a base, read like any other address.
fn below(base: &str, owner: &str, name: &str) -> Result<Reference, ReferenceError> {
    let base = base.trim_end_matches('/');
    let slash = if base.ends_with(':') { "" } else { "/" };
    let nothing = Bases { repositories: String::new(), hosts: Vec::new(), ..Bases::new("/") };
    let text = format!("{base}{slash}{owner}/{name}");
    if !text.contains(':') {
        return Err(ReferenceError::Repository(base.to_owned()));
    }
    parse(&text, None, &nothing)
}

/// A repository whose name ends like an archive's: the one spelling of it would be read back as the
/// archive, and so would the source in a lockfile.
fn called_like_an_archive(name: &str) -> ReferenceError {
    ReferenceError::Repository(name.to_owned())
}

fn git(url: String, path: String, requested: Option<String>) -> Reference {
    Reference { origin: Origin::Git(url), path, requested, viewed: false, otherwise: None }
}

fn archive(place: &Place, path: &str) -> Result<Reference, ReferenceError> {
    let bad = |c: char| !c.is_ascii_alphanumeric() && !"/._~+%-".contains(c);
    if path.contains(bad) || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(ReferenceError::Repository(path.to_owned()));
    }
    let url = format!("{}/{path}", place.prefix());
    let (origin, path) = (Origin::ArchiveUrl(url), String::new());
    Ok(Reference { origin, path, requested: None, viewed: false, otherwise: None })
}

/// A path and what stands after `//` in it.
fn split_inner(path: &str) -> Result<(&str, Option<String>), ReferenceError> {
    let from = path.len() - path.trim_start_matches('/').len();
    let body = path.get(from..).unwrap_or_default();
    match body.split_once("//") {
        Some((before, inner)) => {
            let outer = path.get(..from + before.len()).unwrap_or_default();
            // The commit may stand at the very end; what is before it is the path.
            match inner.split_once('@') {
                Some(_) => Err(ReferenceError::Path {
                    path: inner.to_owned(),
                    why: "the commit is written with `#` here".to_owned(),
                }),
                None => Ok((outer, Some(checked_path(inner)?))),
            }
        }
        None => Ok((path, None)),
    }
}

/// A path and what stands after `@` in it.
fn split_at(
    path: &str,
    requested: Option<String>,
) -> Result<(&str, Option<String>), ReferenceError> {
    match (path.split_once('@'), requested) {
        (Some(_), Some(_)) => Err(ReferenceError::TwoRefs),
        (Some((path, name)), None) => Ok((path, Some(checked_ref(name)?))),
        (None, requested) => Ok((path, requested)),
    }
}

fn check_parts(parts: &[&str]) -> Result<(), ReferenceError> {
    let whole = || parts.join("/");
    for part in parts {
        if part.starts_with('-') {
            return Err(ReferenceError::OptionLike((*part).to_owned()));
        }
        let odd = |c: char| !c.is_alphanumeric() && !"._~+-".contains(c);
        if matches!(*part, "" | "." | "..") || part.contains(odd) {
            return Err(ReferenceError::Repository(whole()));
        }
    }
    Ok(())
}

fn checked_host(host: &str) -> Result<String, ReferenceError> {
    let lower = host.to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let bad = lower.is_empty()
        || lower.starts_with(['-', '.'])
        || lower.contains("..")
        || !lower.chars().all(plain);
    if bad { Err(ReferenceError::Host(host.to_owned())) } else { Ok(lower) }
}

fn checked_user(user: &str) -> Result<(), ReferenceError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let bad = user.is_empty() || user.starts_with('-') || !user.chars().all(plain);
    if bad { Err(ReferenceError::Credentials) } else { Ok(()) }
}

fn without_git(path: &str) -> &str {
    path.strip_suffix(".git").filter(|rest| !rest.ends_with('/')).unwrap_or(path)
}

/// A scheme and who is asked.
pub(super) struct Place {
    scheme: &'static str,
    user: Option<String>,
    host: String,
    port: Option<u16>,
}

impl Place {
    pub(super) fn new(scheme: &str, authority: &str) -> Result<Self, ReferenceError> {
        let (user, address) = match authority.rsplit_once('@') {
            Some((user, address)) => (Some(user), address),
            None => (None, authority),
        };
        let scheme = match scheme {
            "file" if authority.is_empty() || authority == "localhost" => {
                let host = String::new();
                return Ok(Self { scheme: "file", user: None, host, port: None });
            }
            "file" => return Err(ReferenceError::Host(authority.to_owned())),
            "ssh" => "ssh",
            "http" => "http",
            _ => "https",
        };
        match (user, scheme) {
            (Some(user), "ssh") => checked_user(user)?,
            (Some(_), _) => return Err(ReferenceError::Credentials),
            (None, _) => {}
        }
        let (host, port) = host_and_port(address)?;
        if scheme == "http" && !is_this_machine(&host) {
            return Err(ReferenceError::Insecure);
        }
        Ok(Self { scheme, user: user.map(str::to_owned), host, port })
    }

    fn is_web(&self) -> bool {
        matches!(self.scheme, "http" | "https")
    }

    fn is_known(&self) -> bool {
        self.is_web() && KNOWN.contains(&&*self.host)
    }

    pub(super) fn prefix(&self) -> String {
        let user = self.user.as_ref().map(|user| format!("{user}@")).unwrap_or_default();
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{user}{}{port}", self.scheme, self.host)
    }

    /// The URL of the repository at these parts of a path.
    fn repository(&self, parts: &[&str]) -> Result<String, ReferenceError> {
        check_parts(parts)?;
        if parts.is_empty() {
            return Err(ReferenceError::Repository(String::new()));
        }
        let two = TWO_PARTS.contains(&&*self.host) && self.is_web();
        if (two && parts.len() != 2) || (self.is_known() && parts.len() < 2) {
            return Err(ReferenceError::Repository(parts.join("/")));
        }
        let path = parts.join("/");
        let known = KNOWN.contains(&&*self.host);
        let path = if known { without_git(&path) } else { &path };
        Ok(format!("{}/{path}", self.prefix()))
    }
}

/// Scheme, host and port in one spelling; none for what may not be asked over the web.
pub(super) fn site(scheme: &str, authority: &str) -> Option<String> {
    let usual = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let place = Place::new(scheme, authority).ok()?;
    Some(format!("{scheme}://{}:{}", place.host, place.port.unwrap_or(usual)))
}

fn host_and_port(address: &str) -> Result<(String, Option<u16>), ReferenceError> {
    let bad = || ReferenceError::Host(address.to_owned());
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (inner, after) = rest.split_once(']').ok_or_else(bad)?;
            inner.parse::<std::net::Ipv6Addr>().map_err(|_| bad())?;
            let host = format!("[{}]", inner.to_ascii_lowercase());
            (host, after.strip_prefix(':').or((!after.is_empty()).then_some("?")))
        }
        None => match address.split_once(':') {
            Some((host, port)) => (checked_host(host)?, Some(port)),
            None => (checked_host(address)?, None),
        },
    };
    let port = port.map(|port| port.parse::<u16>().map_err(|_| bad())).transpose()?;
    Ok((host, port))
}

fn is_this_machine(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    // A name may begin with numbers and be anybody's.
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// What a browser shows: a directory of a repository at a branch, tag or commit.
struct View<'a> {
    repository: &'a [&'a str],
    name: &'a str,
    path: &'a [&'a str],
    file: bool,
}

/// Finds the marks the hosts put between repository and directory.
fn viewed<'a>(place: &Place, parts: &'a [&'a str]) -> Option<View<'a>> {
    if !place.is_web() {
        return None;
    }
    let view = |end: usize, marks: usize, file: bool| {
        let name = parts.get(end + marks)?;
        let path = parts.get(end + marks + 1..)?;
        Some(View { repository: parts.get(..end)?, name, path, file })
    };
    let is_file = |word: &str| word == "blob";
    if let Some(dash) = parts.iter().position(|part| *part == "-") {
        let kind = parts.get(dash + 1)?;
        return matches!(*kind, "tree" | "blob").then(|| view(dash, 2, is_file(kind))).flatten();
    }
    match (parts.get(2).copied(), parts.get(3).copied()) {
        (Some(kind @ ("tree" | "blob")), Some(_)) => view(2, 1, is_file(kind)),
        (Some("src"), Some("branch" | "tag" | "commit")) => view(2, 2, false),
        (Some("src"), Some(_)) if place.host == "bitbucket.org" => view(2, 1, false),
        _ => None,
    }
}

impl View<'_> {
    fn reference(
        &self,
        place: &Place,
        requested: Option<String>,
    ) -> Result<Reference, ReferenceError> {
        if requested.is_some() {
            return Err(ReferenceError::TwoRefs);
        }
        let url = place.repository(self.repository)?;
        let decoded: Result<Vec<String>, _> = self.path.iter().map(|part| decode(part)).collect();
        let mut path = decoded?;
        let shows_skill = path.last().is_some_and(|last| last.eq_ignore_ascii_case("SKILL.md"));
        if shows_skill {
            path.pop();
        } else if self.file {
            let why = "it is a file, not a directory".to_owned();
            return Err(ReferenceError::Path { path: path.join("/"), why });
        }
        let requested = Some(checked_ref(&decode(self.name)?)?);
        let reference = git(url, checked_path(&path.join("/"))?, requested);
        Ok(Reference { viewed: true, ..reference })
    }
}

/// A part of a URL's path with its `%` escapes undone; what comes out is checked as any other name.
fn decode(part: &str) -> Result<String, ReferenceError> {
    let bad = || ReferenceError::Path { path: part.to_owned(), why: "bad escape".to_owned() };
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16));
        let (high, low) = (digit().ok_or_else(bad)?, digit().ok_or_else(bad)?);
        let value = u8::try_from(high * 16 + low).map_err(|_| bad())?;
        // A slash that hides in a name is no part of any name.
        if value == b'/' || value == 0 {
            return Err(bad());
        }
        bytes.push(value);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}
