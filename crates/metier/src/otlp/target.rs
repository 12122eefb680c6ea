//! Where an export goes: the address, the headers and the patience that the flag and the variables
//! of the OpenTelemetry specification give. Pure; sends nothing.
//!
//! A flag beats the variables, a variable for one signal the one for all. The address of a flag or
//! of the variable for all is a base to which the signal's path is appended; that of a variable for
//! one signal is taken as it is.

use std::collections::BTreeMap;
use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue, Uri};

use crate::command::metrics::Signal;
use crate::env::OTLP;
use crate::error::CommandError;

/// Where collectors listen unless told otherwise.
const DEFAULT_BASE: &str = "http://localhost:4318";

/// How long an answer may take unless told otherwise: the specification's own.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest it may be told to take.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// Headers the request has anyway. Another value would make another request of it.
const OWN_HEADERS: [&str; 4] = ["content-length", "content-type", "host", "transfer-encoding"];

/// Where one export goes.
#[derive(Debug)]
pub(crate) struct Target {
    /// What is sent there.
    pub(crate) signal: Signal,
    /// The address, whole.
    pub(crate) url: String,
    /// Headers of the user's own; their values may be secret.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// How long an answer may take.
    pub(crate) timeout: Duration,
}

/// Why it cannot be said where an export goes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    /// The address is none.
    #[error("{origin} gives no address to send to: {why}")]
    Address {
        /// The flag or the variable.
        origin: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A header is none. Its value is not repeated, since it may be secret.
    #[error("`{variable}` has a header that cannot be sent: part {part} {why}")]
    Header {
        /// The variable.
        variable: String,
        /// Which of the parts between commas, counted from 1.
        part: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The patience is no number of milliseconds.
    #[error("`{variable}` is not a number of milliseconds from 1 to {}", MAX_TIMEOUT.as_millis())]
    Timeout {
        /// The variable.
        variable: String,
    },
}

impl Target {
    /// Where an export of `signal` goes. `flag` is the address that was typed, empty when none was.
    pub(crate) fn of(
        signal: Signal,
        flag: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, TargetError> {
        let word = match signal {
            Signal::Metrics => "METRICS",
            Signal::Traces => "TRACES",
        };
        // The variable for the signal, else the one for all, with its name.
        let lookup = |what: &str| {
            let names = [format!("{OTLP}{word}_{what}"), format!("{OTLP}{what}")];
            names.into_iter().find_map(|name| Some((variables.get(&name)?.as_str(), name)))
        };
        let url = match (flag, lookup("ENDPOINT")) {
            ("", None) => join(DEFAULT_BASE, signal),
            ("", Some((url, name))) if name.contains(word) => checked(url, &format!("`{name}`"))?,
            ("", Some((base, name))) => join(&checked(base, &format!("`{name}`"))?, signal),
            (base, _) => join(&checked(base, "`--otlp-endpoint`")?, signal),
        };
        let headers = lookup("HEADERS").map_or(Ok(Vec::new()), |(list, name)| headers(list, &name));
        let timeout =
            lookup("TIMEOUT").map_or(Ok(DEFAULT_TIMEOUT), |(text, name)| timeout(text, name));
        Ok(Self { signal, url, headers: headers?, timeout: timeout? })
    }

    /// The address as messages show it: a query may hold a secret.
    pub(crate) fn shown(&self) -> String {
        self.url.split('?').next().unwrap_or_default().to_owned()
    }
}

impl From<TargetError> for CommandError {
    fn from(error: TargetError) -> Self {
        let hint = match &error {
            TargetError::Address { .. } => "an address looks like `http://localhost:4318`",
            TargetError::Header { .. } => {
                "write `name=value,name=value`, with `%20` for a space and `%2C` for a comma"
            }
            TargetError::Timeout { .. } => "10000 is ten seconds",
        };
        Self::usage(error).hint(hint)
    }
}

/// `base` with the path of the signal behind its own.
fn join(base: &str, signal: Signal) -> String {
    let path = match signal {
        Signal::Metrics => "v1/metrics",
        Signal::Traces => "v1/traces",
    };
    let (base, query) = base.split_once('?').map_or((base, None), |(b, q)| (b, Some(q)));
    let query = query.map_or(String::new(), |query| format!("?{query}"));
    format!("{}/{path}{query}", base.trim_end_matches('/'))
}

/// `url` when a request can go there.
fn checked(url: &str, origin: &str) -> Result<String, TargetError> {
    let wrong = |why| TargetError::Address { origin: origin.to_owned(), why };
    let uri: Uri = url.trim().parse().map_err(|_| wrong("it is not a URL"))?;
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") => {
            return Err(wrong(
                "this build sends over `http` only; a collector on this machine can pass it on \
                 over `https`",
            ));
        }
        _ => return Err(wrong("it does not begin with `http://`")),
    }
    let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
    if authority.as_str().contains('@') {
        return Err(wrong("credentials belong into `OTEL_EXPORTER_OTLP_HEADERS`"));
    }
    Ok(url.trim().to_owned())
}

fn headers(list: &str, variable: &str) -> Result<Vec<(HeaderName, HeaderValue)>, TargetError> {
    let parts = list.split(',').enumerate().filter(|(_, part)| !part.trim().is_empty());
    let read = parts.map(|(at, part)| {
        header(part).map_err(|why| TargetError::Header {
            variable: variable.to_owned(),
            part: at + 1,
            why,
        })
    });
    read.collect()
}

fn header(part: &str) -> Result<(HeaderName, HeaderValue), &'static str> {
    let (name, value) = part.split_once('=').ok_or("has no `=`")?;
    let name = HeaderName::try_from(name.trim()).map_err(|_| "has a name no header can have")?;
    if OWN_HEADERS.contains(&name.as_str()) {
        return Err("names a header that the request has anyway");
    }
    let value = decoded(value.trim()).ok_or("has a `%` without two hexadecimal digits")?;
    let mut value = HeaderValue::try_from(value).map_err(|_| "has a value no header can have")?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// The bytes behind `%20` and its like.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, more) = rest.split_at_checked(2)?;
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        let value = digits.iter().try_fold(0, |sum, byte| Some(sum * 16 + digit(byte)?))?;
        bytes.push(u8::try_from(value).ok()?);
        rest = more;
    }
    Some(bytes)
}

fn timeout(text: &str, variable: String) -> Result<Duration, TargetError> {
    let milliseconds = text.trim().parse().ok().map(Duration::from_millis);
    let fits = |time: &Duration| !time.is_zero() && *time <= MAX_TIMEOUT;
    milliseconds.filter(fits).ok_or(TargetError::Timeout { variable })
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
