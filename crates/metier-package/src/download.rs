//! Archives on web servers, brought by the `curl` program: the certificates, proxies and logins people
//! already have, no connection that anybody on the way could read, and no more bytes than an archive
//! may have.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use metier_sandbox::{
    Confinement, Invocation, Level, Limits, Network, Outcome, RunError, Status, environment,
};

use crate::archive;
use crate::distance::distance;
use crate::fetch::{Fetch, FetchError};
use crate::git::repository::meaning;
use crate::git::stderr::{Failure, told};
use crate::git::{Failed, REMOTE_VARIABLES};
use crate::hazard::{Hazard, shown};
use crate::limits::{MAX_ARCHIVE_BYTES, REMOTE_SECONDS};
use crate::progress::{Step, Tell};
use crate::reference::site;
use crate::staging::{Area, missing_space};

/// Longest name of a version that is sent back to the server.
const MAX_VERSION_BYTES: usize = 256;

/// How often a server may point elsewhere: to its storage, and from there to a copy nearby.
const MAX_REDIRECTS: usize = 5;

/// Longest address a server may point to; those that are signed are long.
const MAX_REDIRECT_BYTES: usize = 8192;

/// Where an archive lies while it is looked at.
const DOWNLOADED: &str = ".downloaded";

/// Brings the archive, has it used, and removes it.
pub(crate) fn with_downloaded<T>(
    url: &str,
    settings: &Fetch<'_>,
    tell: Tell<'_>,
    then: &mut dyn FnMut(&Path) -> Result<T, FetchError>,
) -> Result<T, FetchError> {
    if settings.offline {
        return Err(FetchError::Offline { place: url.to_owned() });
    }
    if let Some(missing) = missing_space(settings.staging, 0) {
        return Err(FetchError::NoSpace { missing, path: settings.staging.to_owned() });
    }
    let at = settings.staging.join(DOWNLOADED);
    let area = Area::new(at.clone()).map_err(|error| FetchError::io(&at, error))?;
    let file = area.path().join("archive");
    tell(Step::Fetching { source: url });
    let done = settings.retry.persist(tell, &|| bring(url, &file, &[], settings))?;
    done.map_err(|failed| refused(failed, url, settings))?;
    then(&file)
}

/// What a server has at an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// What it had before.
    Same,
    /// Something else, and how the server names this version of it.
    New { bytes: Vec<u8>, version: Option<String> },
}

/// Brings a document, unless it is still the version that is known.
pub(crate) fn document(
    url: &str,
    known: Option<&str>,
    settings: &Fetch<'_>,
    tell: Tell<'_>,
) -> Result<Got, FetchError> {
    if settings.offline {
        return Err(FetchError::Offline { place: url.to_owned() });
    }
    let at = settings.staging.join(DOWNLOADED);
    let area = Area::new(at.clone()).map_err(|error| FetchError::io(&at, error))?;
    let (file, headers) = (area.path().join("document"), area.path().join("headers"));
    let mut more: Vec<OsString> = vec!["--dump-header".into(), headers.clone().into()];
    if let Some(known) = known {
        more.extend(["--header".into(), format!("If-None-Match: {known}").into()]);
    }
    tell(Step::Fetching { source: url });
    let done = settings.retry.persist(tell, &|| bring(url, &file, &more, settings))?;
    let status = done.map_err(|failed| refused(failed, url, settings))?;
    if status == 304 && known.is_some() {
        return Ok(Got::Same);
    }
    let bytes = archive::read(&file)?;
    let headers = archive::read(&headers).unwrap_or_default();
    Ok(Got::New { bytes, version: version(&headers) })
}

/// How the server names what it sent, when that can be sent back to it.
fn version(headers: &[u8]) -> Option<String> {
    let headers = String::from_utf8_lossy(headers);
    let mut tags = headers.lines().filter_map(|line| line.split_once(':'));
    let (_, tag) = tags.rfind(|(name, _)| name.eq_ignore_ascii_case("etag"))?;
    let tag = tag.trim();
    let quoted = tag.strip_prefix("W/").unwrap_or(tag);
    let good = quoted.len() >= 2
        && tag.len() <= MAX_VERSION_BYTES
        && quoted.starts_with('"')
        && quoted.ends_with('"')
        && tag.bytes().all(|byte| byte.is_ascii_graphic());
    good.then(|| tag.to_owned())
}

fn refused(failed: Failed, url: &str, settings: &Fetch<'_>) -> FetchError {
    match failed.failure {
        Failure::TooMuch => FetchError::Refused(Hazard::TooLarge(MAX_ARCHIVE_BYTES).at(b".")),
        Failure::Other => FetchError::Curl { place: url.to_owned(), detail: failed.detail },
        _ => meaning(failed, url, settings.staging),
    }
}

/// One try; what the server's status was when it went well. Where a server points to is followed here
/// and not by curl, which would send a login from `.netrc` to every port of a host.
fn bring(
    url: &str,
    file: &Path,
    more: &[OsString],
    settings: &Fetch<'_>,
) -> crate::retry::Tried<u16> {
    let not_followed = |to: &str, why: &'static str| {
        let (place, to) = (url.to_owned(), shown(to.as_bytes()));
        FetchError::Redirect { place, to, why }
    };
    let mut at = url.to_owned();
    for _ in 0..=MAX_REDIRECTS {
        let outcome = ask(&at, (file, more), settings)?;
        match outcome.status {
            Status::Exit(0) => {}
            Status::Cancelled => return Err(FetchError::Interrupted),
            _ => return Ok(Err(failed(&outcome))),
        }
        let (status, next) = answered(&outcome);
        match next {
            None => return Ok(Ok(status)),
            Some(next) if is_followed(&at, &next) => at = next,
            Some(next) => return Err(not_followed(&next, "which is not followed")),
        }
    }
    Err(not_followed(&at, "after it pointed elsewhere too often"))
}

/// Whether a server at `from` may point to `to`: what comes from this machine may be had without a wall
/// around it, and nothing else may; and nobody elsewhere points to a server of this machine.
fn is_followed(from: &str, to: &str) -> bool {
    let safe = to.starts_with("https://") || from.starts_with("http://");
    safe && distance(to) <= distance(from) && to.len() <= MAX_REDIRECT_BYTES && site(to).is_some()
}

/// One request.
fn ask(
    url: &str,
    (file, more): (&Path, &[OsString]),
    settings: &Fetch<'_>,
) -> Result<Outcome, FetchError> {
    let protocol = if url.starts_with("http://") { "=http" } else { "=https" };
    let most = MAX_ARCHIVE_BYTES.to_string();
    // First of all that no file of settings is read: it could say anything.
    let args = [
        "--disable",
        "--silent",
        "--show-error",
        "--fail",
        "--globoff",
        "--proto",
        protocol,
        "--max-filesize",
        &most,
        "--connect-timeout",
        "30",
        "--speed-limit",
        "1000",
        "--speed-time",
        "30",
        "--write-out",
        "%{http_code} %{redirect_url}",
        "--url",
        url,
        "--output",
    ];
    let invocation = args.iter().fold(Invocation::new("curl"), |so_far, arg| so_far.arg(*arg));
    let known = site(url).is_some_and(|site| settings.sites.contains(&site));
    let login = known.then(|| OsString::from("--netrc-optional"));
    let more = more.iter().chain(&login);
    let invocation = more.fold(invocation.arg(file), |so_far, arg| so_far.arg(arg));
    let ran = settings.runner.run(&invocation, &confinement(settings), settings.cancel);
    ran.map_err(|error| match error {
        RunError::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            FetchError::NoCurl
        }
        other => FetchError::Run(other),
    })
}

fn confinement(settings: &Fetch<'_>) -> Confinement {
    Confinement {
        network: Network::Full,
        environment: environment::build(REMOTE_VARIABLES, settings.environment),
        limits: Limits {
            wall_ms: REMOTE_SECONDS * 1000,
            file_size: MAX_ARCHIVE_BYTES + 1,
            ..Limits::default()
        },
        level: Level::Off,
        scratch: None,
        ..Confinement::default()
    }
}

fn failed(outcome: &Outcome) -> Failed {
    let detail = told(&outcome.stderr.bytes);
    let (http, _) = answered(outcome);
    let failure = match outcome.status {
        Status::Exit(code) => failure(code, http),
        Status::TimedOut => Failure::TimedOut,
        Status::OutOfLimit(_) => Failure::TooMuch,
        Status::Signal(_) | Status::Cancelled => Failure::Other,
    };
    Failed { failure, detail }
}

/// The server's status, and where it points to, if it does.
fn answered(outcome: &Outcome) -> (u16, Option<String>) {
    let said = String::from_utf8_lossy(&outcome.stdout.bytes);
    let (status, next) = said.split_once(' ').unwrap_or((&said, ""));
    let next = Some(next.trim()).filter(|next| !next.is_empty());
    (status.trim().parse().unwrap_or(0), next.map(str::to_owned))
}

/// What curl's exit code and the server's status mean.
fn failure(code: i32, http: u16) -> Failure {
    match (code, http) {
        (22, 401 | 403 | 407) => Failure::Authentication,
        (22, 404 | 410) => Failure::NotFound,
        (22, 429) => Failure::RateLimited,
        (22, 500..) => Failure::Transient,
        // Nobody there, or gone in the middle of it.
        (5 | 6 | 7 | 16 | 18 | 28 | 35 | 52 | 55 | 56 | 92, _) => Failure::Transient,
        (51 | 60 | 77 | 83 | 90 | 91, _) => Failure::Untrusted,
        (63, _) => Failure::TooMuch,
        (23, _) => Failure::NoSpace,
        _ => Failure::Other,
    }
}

#[cfg(test)]
#[path = "download_tests.rs"]
mod tests;
