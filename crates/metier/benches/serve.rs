//! U3: prints what 10,000 requests of 64 clients at once cost on `/v1/guard` and on `/mcp`, over
//! 1,000 skills, and fails when a frame is missing from the journals afterwards. Run with
//! `cargo bench -p metier --bench serve`; `-- --quick` makes a tenth of the requests.
//!
//! The floor is `GET /health` at the same concurrency, in the same run: the same server, connections
//! and clients, and nothing behind them. The clock says how busy the machine is, too, so that the
//! processor's time of the server is printed beside it.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts the binary, measures time and prints it"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use metier_testing::{Layout, World, generate_skills};
use serde_json::{Value, json};

const METIER: &str = env!("CARGO_BIN_EXE_metier");
const SKILLS: usize = 1_000;
const CLIENTS: usize = 64;
const REQUESTS: usize = 10_000;

/// Sessions the clients of `/v1` share, so that several ask in each at once.
const SESSIONS: usize = 8;

/// One connection, kept.
struct Connection {
    stream: BufReader<TcpStream>,
    session: Option<String>,
}

impl Connection {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), session: None }
    }

    fn get(&mut self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }

    /// The body of the answer.
    fn post(&mut self, path: &str, headers: &str, body: &Value) -> String {
        let body = body.to_string();
        let session = self.session.iter().map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let session: String = session.collect();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}{session}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.ask(&request)
    }

    fn ask(&mut self, request: &str) -> String {
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = Some(0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            let (name, value) = line.trim_end().split_once(": ").unwrap_or((line.trim_end(), ""));
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Some(value.parse().unwrap()),
                "transfer-encoding" => length = None,
                "mcp-session-id" => self.session = Some(value.to_owned()),
                "" => break,
                _ => {}
            }
        }
        let mut whole = String::new();
        match length {
            Some(length) => {
                (&mut self.stream).take(length).read_to_string(&mut whole).unwrap();
            }
            None => while self.chunk(&mut whole) > 0 {},
        }
        whole
    }

    fn chunk(&mut self, whole: &mut String) -> u64 {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let length = u64::from_str_radix(line.trim_end(), 16).unwrap();
        (&mut self.stream).take(length).read_to_string(whole).unwrap();
        self.stream.read_line(&mut line).unwrap();
        length
    }
}

fn main() {
    let world = World::new();
    generate_skills(&world.path().join("skills"), SKILLS, Layout::Flat);
    let (mut server, address) = start(&world);
    let guard = |client: usize, connection: &mut Connection| {
        let session = format!("Metier-Session: bench-{}\r\n", client % SESSIONS);
        let answer = connection.post("/v1/guard", &session, &json!({ "tool": "Read" }));
        assert!(answer.contains("verdict"), "{answer}");
    };
    let call = |_: usize, connection: &mut Connection| {
        if connection.session.is_none() {
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"}}});
            connection.post("/mcp", "", &hello);
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            connection.post("/mcp", "", &ready);
        }
        let params = json!({"name": "tool_guard", "arguments": {"tool": "Read"}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = connection.post("/mcp", "", &call);
        assert!(answer.contains("verdict"), "{answer}");
    };
    let health = |_: usize, connection: &mut Connection| {
        assert!(connection.get("/health").contains("ok"));
    };
    let quick = std::env::args().any(|argument| argument == "--quick");
    let requests = if quick { REQUESTS / 10 } else { REQUESTS };
    println!("{requests} requests each, {CLIENTS} at once, {SKILLS} skills; milliseconds");
    println!(
        "{:<12} {:>7} {:>7} {:>7} {:>9} {:>10}",
        "", "p50", "p99", "max", "a second", "processor"
    );
    let under = Load { server: server.id(), address: &address, requests };
    let floor = measure("/health", &under, None, &health);
    measure("/v1/guard", &under, Some(&floor), &guard);
    assert_eq!(ruled(&world), requests, "every ruling is in a journal");
    measure("/mcp", &under, Some(&floor), &call);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(ruled(&world), 2 * requests, "every ruling is in a journal, after a kill, too");
    println!("frames: {} rulings in the journals, none lost", 2 * requests);
}

/// Whom is asked, and how often.
struct Load<'a> {
    server: u32,
    address: &'a str,
    requests: usize,
}

/// What the requests of one kind took, in milliseconds.
struct Took {
    p50: f64,
    p99: f64,
    processor: f64,
}

fn start(world: &World) -> (Child, String) {
    let root = format!("--root=personal={}", world.path().join("skills").display());
    let mut command = world.command(METIER);
    command.args(["--no-default-roots", &root, "serve", "--json", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let ready: Value = serde_json::from_str(&ready).unwrap();
    (child, ready["address"].as_str().unwrap().to_owned())
}

fn measure(
    name: &str,
    under: &Load<'_>,
    floor: Option<&Took>,
    ask: &(dyn Fn(usize, &mut Connection) + Sync),
) -> Took {
    let (begun, before) = (Instant::now(), ticks(under.server));
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let clients = (0..CLIENTS).map(|client| {
            scope.spawn(move || {
                let mut connection = Connection::open(under.address);
                let share = (client..under.requests).step_by(CLIENTS);
                let timed = |_| {
                    let begun = Instant::now();
                    ask(client, &mut connection);
                    begun.elapsed()
                };
                share.map(timed).collect::<Vec<Duration>>()
            })
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let (elapsed, spent) = (begun.elapsed(), ticks(under.server) - before);
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    // A tick is a hundredth of a second on every Linux.
    let processor = spent as f64 * 10.0 / times.len() as f64;
    let took = Took { p50: at(0.5), p99: at(0.99), processor };
    let ratio = floor.map(|floor| {
        format!(
            "   ÷ floor {:.1} {:.1} {:.1}",
            took.p50 / floor.p50,
            took.p99 / floor.p99,
            took.processor / floor.processor
        )
    });
    println!(
        "{name:<12} {:>7.2} {:>7.2} {:>7.2} {:>9.0} {processor:>10.3}{}",
        took.p50,
        took.p99,
        at(1.0),
        times.len() as f64 / elapsed.as_secs_f64(),
        ratio.unwrap_or_default()
    );
    took
}

/// The processor's time of a process with all its threads.
fn ticks(process: u32) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, rest) = line.rsplit_once(") ").unwrap();
    rest.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum()
}

/// Rulings in all journals of the world.
fn ruled(world: &World) -> usize {
    let folder = world.home().join(".local/share/metier/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let journals = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let count = |path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| line.contains("\"type\":\"tool_")).count()
    };
    journals.map(count).sum()
}
