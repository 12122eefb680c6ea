//! Which host a URL names, read so that no two readers can disagree about it.
//!
//! URLs are a place where programs differ: user names before `@`, backslashes, tabs that are
//! dropped, full-width dots, numeric addresses. [`host_of`] answers only for URLs on which they
//! cannot differ and refuses the rest; a refused URL never matches an allow and may match a deny.

use crate::limits::MAX_URL_BYTES;

/// Why a URL has no host one can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Longer than any URL that is read.
    #[error("the URL is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
    /// Neither `http` nor `https`.
    #[error("the URL is neither http nor https")]
    Scheme,
    /// A character that programs read differently: a space, a control character, a backslash.
    #[error("the URL contains a character that programs read differently")]
    Character,
    /// `user@host`, which hides the host from a reader.
    #[error("the URL has a user name before its host")]
    UserName,
    /// An empty host, or one with characters no host has.
    #[error("the URL's host is not a plain name")]
    Host,
    /// A number in a form that names an address in disguise.
    #[error("the URL's host is an address in an unusual form")]
    Address,
    /// A port that is no number.
    #[error("the URL's port is not a number")]
    Port,
}

/// The host of an `http` or `https` URL: lowercase, without port and without the final dot.
/// Names in other scripts must be written in their `xn--` form.
pub fn host_of(url: &str) -> Result<String, UrlError> {
    if url.len() > MAX_URL_BYTES {
        return Err(UrlError::TooLong);
    }
    let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if url.contains(odd) {
        return Err(UrlError::Character);
    }
    let rest = without_scheme(url).ok_or(UrlError::Scheme)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(UrlError::UserName);
    }
    let (host, port) = split_port(authority);
    if port.is_some_and(|port| !is_port(port)) {
        return Err(UrlError::Port);
    }
    plain_host(host)
}

/// The URL after `http://` or `https://`, in any case.
fn without_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")).then_some(rest)
}

/// Host and port; a host in brackets keeps its colons.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(end) = authority.rfind(']') {
        let (host, rest) = authority.split_at(end + 1);
        return (host, rest.strip_prefix(':').or((!rest.is_empty()).then_some(rest)));
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// A name of letters, digits, hyphens and dots, a dotted quad, or an address in brackets.
fn plain_host(host: &str) -> Result<String, UrlError> {
    if let Some(inner) = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        let address: std::net::Ipv6Addr = inner.parse().map_err(|_| UrlError::Address)?;
        return Ok(format!("[{address}]"));
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    if host.len() > 253 || !host.split('.').all(label) {
        return Err(UrlError::Host);
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    if numeric && host.parse::<std::net::Ipv4Addr>().is_err() {
        return Err(UrlError::Address);
    }
    Ok(host)
}

/// A path with `%2e` and the like undone; what is no number behind `%` stays as it is. None when it is
/// no text then.
pub(crate) fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digit = |at: usize| behind.get(at).and_then(|b| char::from(*b).to_digit(16));
        let coded = (*byte == b'%').then(|| digit(0).zip(digit(1))).flatten();
        let coded = coded.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(coded.unwrap_or(*byte));
        rest = behind.get(if coded.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[path = "url_tests.rs"]
mod tests;
