//! How far away a source is. Who wrote a list, or answers a request, may name what is as far away as
//! the list or the answer, or farther: nobody elsewhere says what is asked of a server that only this
//! machine reaches. Pure: names are not looked up.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where something is, the nearest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    /// Somewhere on the network.
    Network,
    /// A server on this machine, or one on its own link that gives it its settings.
    Machine,
    /// A file or directory on this machine.
    Disk,
}

/// Where a source is, in its one spelling.
pub(crate) fn distance(source: &str) -> Distance {
    match source.split_once("://") {
        Some(("https" | "ssh", rest)) => of_host(host(rest)),
        // Taken for this machine alone.
        Some(("http", _)) => Distance::Machine,
        Some(_) => Distance::Disk,
        None if source.starts_with('/') => Distance::Disk,
        // `user@host:path`.
        None => match source.split_once('@').and_then(|(_, rest)| rest.split_once(':')) {
            Some((host, _)) => of_host(host),
            None => Distance::Disk,
        },
    }
}

/// The host in what stands behind `://`.
fn host(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    match address.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(inner),
        None => address.split(':').next().unwrap_or(address),
    }
}

fn of_host(host: &str) -> Distance {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let word = host.rsplit('.').next().unwrap_or_default();
    let is_named = ["localhost", "localdomain"].contains(&word)
        || ["ip6-localhost", "ip6-loopback"].contains(&host.as_str());
    let address = host.parse::<Ipv6Addr>().map(|address| address.to_canonical());
    let address = address.ok().or_else(|| as_resolvers_read(&host).map(IpAddr::V4));
    match is_named || address.is_some_and(is_near) {
        true => Distance::Machine,
        false => Distance::Network,
    }
}

/// Whether an address is this machine's own, or has a meaning on its own link only.
fn is_near(address: IpAddr) -> bool {
    let local = match address {
        IpAddr::V4(address) => address.is_link_local() || address.octets().first() == Some(&0),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    local || address.is_loopback() || address.is_unspecified()
}

/// The address that resolvers take a host for which looks like numbers: one to four of them, decimal,
/// octal or hexadecimal, the last one for all bytes that are left.
fn as_resolvers_read(host: &str) -> Option<Ipv4Addr> {
    let parts: Option<Vec<u32>> = host.split('.').map(number).collect();
    let parts = parts?;
    let (last, firsts) = parts.split_last()?;
    let left = 4_usize.checked_sub(firsts.len()).filter(|left| *left > 0)?;
    let mut bytes = Vec::new();
    for first in firsts {
        bytes.push(u8::try_from(*first).ok()?);
    }
    let whole = last.to_be_bytes();
    let (over, rest) = whole.split_at_checked(whole.len() - left)?;
    bytes.extend(rest);
    let octets: [u8; 4] = bytes.try_into().ok()?;
    over.iter().all(|byte| *byte == 0).then(|| Ipv4Addr::from(octets))
}

fn number(text: &str) -> Option<u32> {
    if text.starts_with(['+', '-']) {
        return None;
    }
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
#[path = "distance_tests.rs"]
mod tests;
