//! Who of this machine's users a connection comes from. A server that asks for no token is for the
//! user who started it, and every other user of the machine reaches its address too.
//!
//! The kernel says whose a socket is in `/proc/net`. Where it does not, nobody is turned away: then
//! the address is all there is, as everywhere.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is the door to the kernel's list of sockets"
)]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;

use crate::limits::MAX_SOCKETS_BYTES;

/// The user of the machine a connection from `client` to `server` belongs to, when it is certainly
/// another than the one this process belongs to. The administrator is nobody else.
pub(super) fn stranger(client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let own = std::fs::metadata("/proc/self").ok()?.uid();
    // A client that speaks the new protocol to reach an old address is in the new list.
    let lists = ["/proc/net/tcp", "/proc/net/tcp6"];
    let user = lists.iter().find_map(|list| {
        let list = File::open(list).ok()?.take(MAX_SOCKETS_BYTES);
        BufReader::new(list)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| user(&line, client, server))
    })?;
    (user != own && user != 0).then_some(user)
}

/// Whose the socket of this line is, when it is the client's end of the connection.
fn user(line: &str, client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (words.next()?, words.next()?);
    let is =
        |text: &str, wanted: SocketAddr| address(text).is_some_and(|found| same(found, wanted));
    if !is(local, client) || !is(remote, server) {
        return None;
    }
    words.nth(4)?.parse().ok()
}

/// `0100007F:1F90`: the bytes of the address in words of the machine's order, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let word = u32::from_str_radix(address.get(at * 8..at * 8 + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let address = match address.len() {
        8 => IpAddr::from(word(0)?),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            IpAddr::from(bytes)
        }
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

/// Whether two addresses are one, however it is written.
fn same(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.ip().to_canonical() == b.ip().to_canonical()
}

#[cfg(test)]
#[path = "neighbour_tests.rs"]
mod tests;
