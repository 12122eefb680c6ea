//! A server on a real socket, and a client that speaks HTTP by hand.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use metier_serve::http::{Gate, HttpSetup, Stop, Token, serve};
use metier_serve::limits::HEADER_TIME;
use metier_serve::{Dialect, Host};
use serde_json::Value;

/// A token that is long enough.
pub(crate) const TOKEN: &str = "correct-horse-battery-staple";

/// A server that runs until it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) stop: Stop,
    thread: Option<JoinHandle<()>>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// What `bytes` say; a status of 0 when they say nothing.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Self { status, head, body: bytes.get(end + 4..).unwrap_or_default().to_vec() }
    }

    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        parsed.unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The status, and the code of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

impl Served {
    pub(crate) fn start(host: &Arc<impl Host>) -> Self {
        Self::guarded(host, Gate::default())
    }

    /// One that waits only so long for the head of a request.
    pub(crate) fn impatient(host: &Arc<impl Host>, header_time: Duration) -> Self {
        Self::with(host, Gate::default(), header_time)
    }

    pub(crate) fn with_token(host: &Arc<impl Host>) -> Self {
        let token = Some(Token::parse(TOKEN).unwrap());
        Self::guarded(host, Gate { token, ..Gate::default() })
    }

    pub(crate) fn guarded(host: &Arc<impl Host>, gate: Gate) -> Self {
        Self::with(host, gate, HEADER_TIME)
    }

    pub(crate) fn with(host: &Arc<impl Host>, gate: Gate, header_time: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (host, stop): (Arc<dyn Host>, _) = (Arc::clone(host) as _, Stop::default());
        let session = "default".to_owned();
        let setup = HttpSetup { session, dialect: Dialect::Plain, gate, header_time };
        let switch = stop.clone();
        let thread = std::thread::spawn(move || serve(listener, host, setup, &switch).unwrap());
        Self { address, stop, thread: Some(thread) }
    }

    /// Stops the server and waits until it has.
    pub(crate) fn finish(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends these bytes and gives what comes back until the server hangs up.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early may close before everything is written.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::parse(&answer)
    }

    /// One request on a connection of its own.
    pub(crate) fn ask(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send(&self.request(line, headers, body))
    }

    fn request(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let mut head = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{head}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[], b"")
    }

    /// An operation, in a session when `session` is not empty.
    pub(crate) fn call(&self, name: &str, session: &str, arguments: &Value) -> Answer {
        let mut headers = vec![("Content-Type", "application/json")];
        if !session.is_empty() {
            headers.push(("Metier-Session", session));
        }
        self.ask(&format!("POST /v1/{name}"), &headers, arguments.to_string().as_bytes())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.finish();
    }
}
