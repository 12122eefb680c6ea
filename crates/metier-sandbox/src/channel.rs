//! Frames over the socket between runner and supervisor: a length, then that many bytes, and with
//! the first frame one descriptor.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// No frame is longer. Arguments and environment of a program can be two mebibytes by themselves.
const MAX_FRAME: usize = 64 << 20;

/// Sends one frame and a descriptor.
pub(crate) fn send_with(socket: BorrowedFd<'_>, body: &[u8], fd: BorrowedFd<'_>) -> io::Result<()> {
    let header = header(body)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let fds = [fd];
    ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    let sent = rustix::net::sendmsg(
        socket,
        &[IoSlice::new(&header)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    if sent != header.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    send_all(socket, body)
}

/// Sends one frame.
pub(crate) fn send(socket: BorrowedFd<'_>, body: &[u8]) -> io::Result<()> {
    send_all(socket, &header(body)?)?;
    send_all(socket, body)
}

/// Receives the first frame with its descriptor.
pub(crate) fn receive_with(socket: BorrowedFd<'_>) -> io::Result<(Vec<u8>, OwnedFd)> {
    let mut header = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let mut slices = [IoSliceMut::new(&mut header)];
    let message = rustix::net::recvmsg(socket, &mut slices, &mut ancillary, flags)?;
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    let fd = descriptors.flatten().next();
    match (message.bytes, fd) {
        (4, Some(fd)) => Ok((body(socket, header)?, fd)),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Receives one frame.
pub(crate) fn receive(socket: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let mut header = [0; 4];
    receive_all(socket, &mut header)?;
    body(socket, header)
}

fn header(body: &[u8]) -> io::Result<[u8; 4]> {
    if body.len() > MAX_FRAME {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((body.len() as u32).to_le_bytes())
}

fn body(socket: BorrowedFd<'_>, header: [u8; 4]) -> io::Result<Vec<u8>> {
    let length = u32::from_le_bytes(header) as usize;
    if length > MAX_FRAME {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    receive_all(socket, &mut body)?;
    Ok(body)
}

fn send_all(socket: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn receive_all(socket: BorrowedFd<'_>, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::read(socket.as_fd(), &mut *bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => bytes = bytes.get_mut(read..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "channel_tests.rs"]
mod tests;
