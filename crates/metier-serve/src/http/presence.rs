//! Whether a client is still there. One that has closed its own half of a connection may wait for its
//! answer, and one that is gone has closed its half, too; the network tells no difference until
//! something is sent. So what cannot be told is taken for somebody who waits: an operation is over
//! soon, a script ends by its limit, and whatever is streamed finds out with its next word.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::neighbour::is_left;
use crate::aside::aside;

/// How often a client that has closed its half is looked for.
const PAUSE: Duration = Duration::from_millis(200);

/// Waits until nobody is at the other end of `socket`, for certain. Somebody else reads what comes.
pub(super) async fn gone(socket: TcpStream) {
    closed(&socket).await;
    let (Ok(client), Ok(server)) = (socket.peer_addr(), socket.local_addr()) else { return };
    loop {
        // Who has closed both halves answers what is sent to it with a reset.
        let reset = match socket.ready(Interest::WRITABLE).await {
            Ok(ready) => ready.is_write_closed(),
            Err(_) => true,
        };
        if reset || aside(move || is_left(client, server)).await.unwrap_or(false) {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// Waits until the client has closed its half.
async fn closed(socket: &TcpStream) {
    while let Ok(ready) = socket.ready(Interest::READABLE).await
        && !ready.is_read_closed()
    {
        // There is something to read, which is not for us: only the next event is of interest.
        let nothing = || Err::<(), _>(ErrorKind::WouldBlock.into());
        let _ = socket.try_io(Interest::READABLE, nothing);
    }
}
