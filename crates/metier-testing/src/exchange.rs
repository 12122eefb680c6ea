//! A prediction exchange on this machine, for the scripts of `kalshi-markets`: real HTTP, real
//! filters and cursors, and every way in which an exchange can fail.
//!
//! How it behaves is the first component of the address, so that any number of tests share one
//! server without sharing a state: see [`Mood`]. Start at [`Exchange::start`]; `data` is what it
//! trades, `answer` how it answers.

mod answer;
mod data;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use answer::{Answer, Request};

/// A running exchange; it stops when this is dropped.
pub struct Exchange {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

/// How the exchange behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// As it should.
    Well,
    /// As it did before prices were strings of dollars.
    Old,
    /// Nobody trades.
    Closed,
    /// Says nothing, and keeps the connection.
    Silent,
    /// Sends one byte after the other and never comes to an end.
    Dripping,
    /// Closes the connection instead of answering.
    Hanging,
    /// 429 with `Retry-After: 7`.
    Limited,
    /// 429 and not a word when to come back.
    LimitedForever,
    /// 500.
    Broken,
    /// 400 with a reason.
    Refusing,
    /// 302 to elsewhere.
    Redirecting,
    /// A web page with status 200.
    Html,
    /// JSON, but a list.
    List,
    /// An object without what was asked for.
    Empty,
    /// Values of the wrong kind everywhere.
    Wrong,
    /// `NaN`, which is no JSON.
    NotANumber,
    /// Brackets in brackets, a hundred thousand deep.
    Deep,
    /// An answer without an end.
    Huge,
    /// Texts that a terminal would act on.
    Hostile,
    /// Well for two pages, then 500.
    Failing,
    /// Always the same cursor.
    Circling,
}

impl Mood {
    /// Every mood.
    pub const ALL: [Self; 21] = [
        Self::Well,
        Self::Old,
        Self::Closed,
        Self::Silent,
        Self::Dripping,
        Self::Hanging,
        Self::Limited,
        Self::LimitedForever,
        Self::Broken,
        Self::Refusing,
        Self::Redirecting,
        Self::Html,
        Self::List,
        Self::Empty,
        Self::Wrong,
        Self::NotANumber,
        Self::Deep,
        Self::Huge,
        Self::Hostile,
        Self::Failing,
        Self::Circling,
    ];

    fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl Exchange {
    /// Starts an exchange on a free port of this machine.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let handle = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if seen.load(Ordering::SeqCst) {
                    break;
                }
                // A client that went away is the client's affair.
                if let Ok(stream) = stream {
                    std::thread::spawn(move || drop(serve(stream)));
                }
            }
        });
        Self { address, stop, listener: Some(handle) }
    }

    /// What `KALSHI_BASE_URL` must be for the exchange to behave like this.
    #[must_use]
    pub fn url(&self, mood: Mood) -> String {
        format!("http://{}/{}/trade-api/v2", self.address, mood.word())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it shall stop.
        drop(TcpStream::connect(self.address));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
    }
}

/// Reads one request and answers it.
fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let target = first.split(' ').nth(1).unwrap_or("/");
    let (word, rest) = target.trim_start_matches('/').split_once('/').unwrap_or((target, ""));
    let mood = Mood::ALL.into_iter().find(|mood| mood.word() == word).unwrap_or(Mood::Well);
    match answer::answer(mood, &Request::new(rest)) {
        Answer::Text { status, headers, body } => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(body.as_bytes())
        }
        Answer::Nothing => Ok(()),
        Answer::Silence => stream.read_to_end(&mut Vec::new()).map(drop),
        Answer::Endless { piece, pause } => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")?;
            // Ends when the client has had enough and the write fails.
            loop {
                stream.write_all(&piece)?;
                std::thread::sleep(pause);
            }
        }
    }
}
