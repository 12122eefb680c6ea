//! A model that follows a script: an HTTP server on the loopback address which answers each request
//! with the next call of the script that the conversation belongs to, and keeps what it was asked.
//!
//! It holds no state between requests but a counter: a request carries its whole conversation, so
//! the next step is known from how many results it has. A conversation names its script in the
//! user's words, as [`mark`] writes it; one that names none is told that all is done.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::wire::{Api, Call, Item};

/// Most bytes of one request.
const MAX_REQUEST: usize = 64 << 20;

/// How long a connection may say nothing.
const SILENCE: Duration = Duration::from_secs(30);

/// The words in a prompt that name its script.
pub(crate) fn mark(script: &str) -> String {
    format!("[script {script}]")
}

/// The server. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Model {
    /// Where it listens.
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    api: Api,
    scripts: Mutex<BTreeMap<String, Vec<Call>>>,
    seen: Mutex<Vec<Seen>>,
    replies: AtomicUsize,
    /// Every request as it came, for whoever has to find out what went wrong.
    log: Mutex<File>,
}

/// One request.
#[derive(Clone)]
struct Seen {
    /// The script its conversation belongs to.
    script: Option<String>,
    /// The results of that script's calls, so far.
    results: Vec<String>,
    /// The tools that were offered.
    tools: String,
}

impl Model {
    /// Starts one that ends with the process and writes what it is asked to the file `log`.
    pub(crate) fn start(api: Api, log: &Path) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("cannot start a model on loopback: {error}");
        let log = Mutex::new(File::create(log).map_err(cannot)?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(cannot)?;
        let port = listener.local_addr().map_err(cannot)?.port();
        let shared = Arc::new(Shared {
            api,
            scripts: Mutex::default(),
            seen: Mutex::default(),
            replies: AtomicUsize::new(0),
            log,
        });
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Ok(Self { port, shared })
    }

    /// What the model does in conversations that name `script`.
    pub(crate) fn learn(&self, script: &str, calls: Vec<Call>) {
        lock(&self.shared.scripts).insert(script.to_owned(), calls);
    }

    /// What came of each call of `script`, as far as the model was told.
    pub(crate) fn results(&self, script: &str) -> Vec<String> {
        let seen = lock(&self.shared.seen);
        let of_script = seen.iter().filter(|seen| seen.script.as_deref() == Some(script));
        of_script.map(|seen| seen.results.clone()).max_by_key(Vec::len).unwrap_or_default()
    }

    /// How often the model was asked in conversations that name `script`.
    pub(crate) fn requests(&self, script: &str) -> usize {
        let seen = lock(&self.shared.seen);
        seen.iter().filter(|seen| seen.script.as_deref() == Some(script)).count()
    }

    /// Whether the model was ever offered something that `word` names, in `script`.
    pub(crate) fn was_offered(&self, script: &str, word: &str) -> bool {
        let seen = lock(&self.shared.seen);
        let mut of_script = seen.iter().filter(|seen| seen.script.as_deref() == Some(script));
        of_script.any(|seen| seen.tools.contains(word))
    }
}

impl Shared {
    /// Answers one request and closes. A client that goes away is nobody's loss.
    fn serve(&self, stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(SILENCE));
        let Ok(reading) = stream.try_clone() else { return };
        let Some(request) = Request::read(BufReader::new(reading)) else { return };
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let _ = writeln!(lock(&self.log), "{}\t{body}", request.line);
        let answer = self.answer(&request);
        let mut stream = stream;
        let _ = stream.write_all(answer.as_bytes());
    }

    fn answer(&self, request: &Request) -> String {
        if request.line.contains("count_tokens") || request.line.contains(":countTokens") {
            return http("application/json", r#"{"input_tokens":1,"totalTokens":1}"#);
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            return http("application/json", "{}");
        };
        let conversation = self.api.conversation(&body);
        let script = self.script(&conversation);
        let results = results_of(script.as_deref(), &conversation);
        let scripts = lock(&self.scripts);
        let calls = script.as_ref().and_then(|script| scripts.get(script));
        let call = calls.and_then(|calls| calls.get(results.len()));
        let call = call.map(|call| call.meant(&conversation));
        drop(scripts);
        let tools = self.api.tools(&body);
        lock(&self.seen).push(Seen { script, results, tools });
        let number = self.replies.fetch_add(1, Ordering::SeqCst);
        let streamed = match self.api {
            Api::Contents => request.line.contains("stream"),
            _ => body.get("stream") == Some(&Value::Bool(true)),
        };
        let reply = self.api.reply(number, call.as_ref(), streamed);
        http(reply.kind, &reply.body)
    }

    /// The script that was named last.
    fn script(&self, conversation: &[Item]) -> Option<String> {
        let scripts = lock(&self.scripts);
        let named = |item: &Item| match item {
            Item::User(text) => scripts.keys().find(|name| text.contains(&mark(name))).cloned(),
            Item::Result(_) => None,
        };
        conversation.iter().rev().find_map(named)
    }
}

/// The results since `script` was named last.
fn results_of(script: Option<&str>, conversation: &[Item]) -> Vec<String> {
    let mut results = Vec::new();
    for item in conversation {
        match item {
            Item::User(text) if script.is_some_and(|name| text.contains(&mark(name))) => {
                results.clear();
            }
            Item::User(_) => {}
            Item::Result(text) => results.push(text.clone()),
        }
    }
    results
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn http(kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
}

/// A request as it came.
struct Request {
    line: String,
    body: Vec<u8>,
}

impl Request {
    fn read(mut reader: impl BufRead) -> Option<Self> {
        let line = read_line(&mut reader)?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let header = read_line(&mut reader)?.to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':')?;
            match name {
                "content-length" => length = value.trim().parse().ok()?,
                "transfer-encoding" => chunked = value.contains("chunked"),
                _ => {}
            }
        }
        let body =
            if chunked { read_chunks(&mut reader)? } else { read_some(&mut reader, length)? };
        Some(Self { line, body })
    }
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.take(MAX_REQUEST as u64).read_line(&mut line).ok().filter(|count| *count > 0)?;
    Some(line.trim_end().to_owned())
}

fn read_some(reader: &mut impl BufRead, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; Some(length).filter(|length| *length <= MAX_REQUEST)?];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn read_chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let length = usize::from_str_radix(read_line(reader)?.split(';').next()?, 16).ok()?;
        body.extend(read_some(reader, length)?);
        read_line(reader)?;
        if length == 0 || body.len() > MAX_REQUEST {
            return (length == 0).then_some(body);
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
