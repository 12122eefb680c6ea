//! Names of machines: whether one is this machine. Nothing is looked up, so a name that somebody gave
//! to this one elsewhere is not known.

use crate::shell::Word;

/// Whether a machine may be this one: it is, or only a running shell knows.
pub(super) fn may_be_this_one(word: &Word) -> bool {
    word.as_known().is_none_or(is_this_one)
}

/// Whether `user@host`, `ssh://user@host:22` or an address is this machine.
fn is_this_one(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let host = text.strip_prefix("ssh://").unwrap_or(&text);
    let host = host.rsplit('@').next().unwrap_or(host).trim_end_matches('/');
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or(host),
        None => host,
    };
    let host = host.trim_end_matches('.');
    let named = host == "localhost"
        || host.ends_with(".localhost")
        || host.starts_with("localhost.")
        || ["ip6-localhost", "ip6-loopback", "localhost4", "localhost6"].contains(&host);
    named || is_own_address(host)
}

fn is_own_address(host: &str) -> bool {
    let host = host.split('%').next().unwrap_or(host);
    if let Ok(six) = host.parse::<std::net::Ipv6Addr>() {
        let four = six.to_ipv4_mapped().is_some_and(|four| four.is_loopback());
        return six.is_loopback() || six.is_unspecified() || four;
    }
    // Addresses have more spellings than four numbers: `127.1`, `0x7f000001`, `0177.0.0.1`.
    let parts: Option<Vec<u64>> = host.split('.').map(number).collect();
    match parts.as_deref() {
        Some([one]) => one >> 24 == 127 || *one == 0,
        Some([first, ..]) => *first == 127 || parts.iter().flatten().all(|part| *part == 0),
        _ => false,
    }
}

fn number(text: &str) -> Option<u64> {
    match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
