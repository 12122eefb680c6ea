//! Who of this machine's users a connection comes from, and whether anybody has it still. A server that
//! asks for no token is for the user who started it, and every other user of the machine reaches its
//! address too.
//!
//! The kernel says whose a socket is in `/proc/net`. A connection that is not in that list, or that
//! belongs to nobody any more, is a stranger's: who has gone already needs no answer. Only where there
//! is no such list is nobody turned away: then the address is all there is, as everywhere.

#![expect(
    clippy::disallowed_methods,
    reason = "this file is the door to the kernel's list of sockets"
)]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;

use crate::limits::MAX_SOCKETS_BYTES;

/// How often the list is read before a connection counts as missing from it.
const LOOKS: usize = 3;

/// Whose a connection is, as far as that can be told.
enum Owner {
    /// There is no list.
    Unknown,
    /// The list does not have it, or nobody has it any more.
    Nobody,
    /// The user with this number.
    User(u32),
}

/// Whether a connection from `client` to `server` is of another user of the machine than this process
/// is, as far as that can be told. The administrator is no stranger.
pub(super) fn is_strangers(client: SocketAddr, server: SocketAddr) -> bool {
    let Ok(own) = std::fs::metadata("/proc/self") else { return false };
    match owner(client, server) {
        Owner::Unknown => false,
        Owner::Nobody => true,
        Owner::User(user) => user != own.uid() && user != 0,
    }
}

/// Whether nobody on this machine has the client's end of the connection any more. One on another
/// machine cannot be seen from here.
pub(super) fn is_left(client: SocketAddr, server: SocketAddr) -> bool {
    let (from, to) = (client.ip().to_canonical(), server.ip().to_canonical());
    let here = from.is_loopback() || from == to;
    here && matches!(owner(client, server), Owner::Nobody)
}

fn owner(client: SocketAddr, server: SocketAddr) -> Owner {
    // The list is no picture of one moment, so what is missing is looked for again.
    for _ in 0..LOOKS {
        match user_of(client, server) {
            None => return Owner::Unknown,
            Some(Some(user)) => return Owner::User(user),
            Some(None) => {}
        }
    }
    Owner::Nobody
}

/// Whose the connection is: nothing when there is no list, and no user when it is in none.
fn user_of(client: SocketAddr, server: SocketAddr) -> Option<Option<u32>> {
    // A client that speaks the new protocol to reach an old address is in the new list.
    let lists = ["/proc/net/tcp", "/proc/net/tcp6"].map(|list| File::open(list).ok());
    if lists.iter().all(Option::is_none) {
        return None;
    }
    Some(lists.into_iter().flatten().find_map(|list| {
        let mut lines = BufReader::new(list.take(MAX_SOCKETS_BYTES)).lines().map_while(Result::ok);
        lines.find_map(|line| user(&line, client, server))
    }))
}

/// Whose the socket of this line is, when it is the client's end of the connection and somebody still
/// has it.
fn user(line: &str, client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (words.next()?, words.next()?);
    let is =
        |text: &str, wanted: SocketAddr| address(text).is_some_and(|found| same(found, wanted));
    if !is(local, client) || !is(remote, server) {
        return None;
    }
    let user = words.nth(4)?.parse().ok()?;
    words.nth(1).filter(|inode| *inode != "0").map(|_| user)
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
