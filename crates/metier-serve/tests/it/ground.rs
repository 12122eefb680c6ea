//! A server over skills in memory or on disk, and a client that speaks the protocol by hand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use metier_policy::{HostTable, Policy, Profile};
use metier_runtime::clock::TickingClock;
use metier_runtime::journal::MemoryJournal;
use metier_runtime::redact::Redactor;
use metier_runtime::script::ScriptGround;
use metier_runtime::session::{Settings, Whereabouts};
use metier_runtime::{Ids, JournalError, Session, Setup};
use metier_serve::mcp::{Guest, Service, serve_streams};
use metier_serve::{Client, Dialect, Host, Seat};
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::vouch::{Depth, Nobody, Vouch};
use metier_store::watch::{Watch, WatchError, WatchSettings};
use metier_store::{FileStore, Layer, LayeredStore, MemoryStore, Root, Store};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// A host whose journal is in memory, where tests can look.
pub(crate) struct Ground {
    index: Arc<CatalogIndex>,
    pub(crate) journal: MemoryJournal,
    files: Option<Root>,
    started: Instant,
    sessions: AtomicU64,
    /// Whether sessions can be opened.
    opens: bool,
    vouch: Arc<dyn Vouch>,
}

/// A skill's `SKILL.md` with more frontmatter lines.
pub(crate) fn skill(name: &str, more: &str) -> Vec<u8> {
    let end = if more.is_empty() || more.ends_with('\n') { "" } else { "\n" };
    format!("---\nname: {name}\ndescription: Does {name}. Use when {name} is asked for.\n{more}{end}---\n\n# {name}\n\nDo it with $ARGUMENTS.\n")
        .into_bytes()
}

/// The skills most tests use.
pub(crate) fn skills() -> MemoryStore {
    MemoryStore::new(Layer::Personal)
        .file("git-helper/SKILL.md", skill("git-helper", "allowed-tools: Read Bash(git:*)"))
        .file("git-helper/scripts/run.py", &b"print(1)\n"[..])
        .file("git-helper/scripts/deep/inner.py", &b"print(2)\n"[..])
        .file("git-helper/scripts/.hidden", &b"x"[..])
        .file("git-helper/references/a.md", &b"# A\n"[..])
        .file("git-helper/assets/dot.png", &b"\x89PNG\x00\xff"[..])
        .file("free/SKILL.md", skill("free", "version: 1.0\nargument-hint: what to do"))
        .file("reader/SKILL.md", skill("reader", "allowed-tools: Read\narguments: [what, where]"))
        .file("by-hand/SKILL.md", skill("by-hand", "disable-model-invocation: true"))
        .file("by-model/SKILL.md", skill("by-model", "user-invocable: false"))
        .file("long/SKILL.md", long())
        .file("long/references/big.md", "0123456789\n".repeat(6000).into_bytes())
}

fn long() -> Vec<u8> {
    let mut text = skill("long", "");
    text.extend("A line of instructions, \"quoted\".\n".repeat(2000).into_bytes());
    text
}

/// A project nobody trusts.
pub(crate) fn untrusted() -> MemoryStore {
    let root = Root { trusted: false, ..Root::given(Layer::Project, "/project/.agents/skills") };
    MemoryStore::with_root(root).file("stranger/SKILL.md", skill("stranger", ""))
}

impl Ground {
    pub(crate) fn over(store: impl Store + 'static) -> Self {
        Self::with(store, IndexSettings::default())
    }

    fn with(store: impl Store + 'static, settings: IndexSettings) -> Self {
        let index = CatalogIndex::new(Arc::new(store), settings, Duration::ZERO);
        Self {
            index: Arc::new(index),
            journal: MemoryJournal::new(Arc::new(TickingClock::starting_at(1000))),
            files: None,
            started: Instant::now(),
            sessions: AtomicU64::new(0),
            opens: true,
            vouch: Arc::new(Nobody),
        }
    }

    /// The same with somebody who knows what was installed.
    pub(crate) fn vouched(self, vouch: Arc<dyn Vouch>) -> Self {
        Self { vouch, ..self }
    }

    pub(crate) fn usual() -> Self {
        Self::over(LayeredStore::new(vec![Box::new(skills()), Box::new(untrusted())]))
    }

    /// One whose catalog is made once, however long a test takes.
    pub(crate) fn lasting() -> Self {
        Self::with(skills(), IndexSettings { ttl: Duration::MAX, ..IndexSettings::default() })
    }

    /// One whose journal refuses.
    pub(crate) fn shut() -> Self {
        Self { opens: false, ..Self::usual() }
    }

    /// The skills in a directory, watched.
    pub(crate) fn on_disk(directory: &Path) -> Self {
        let root = Root::given(Layer::Personal, directory);
        let files = Some(root.clone());
        Self { files, ..Self::over(FileStore::new(vec![root])) }
    }

    pub(crate) fn session(&self, again: metier_runtime::session::Again) -> Session {
        self.open(&Client { again, ..Client::default() }).unwrap().session
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.journal.all().into_iter().map(|frame| frame.kind).collect()
    }
}

impl Host for Ground {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        if !self.opens {
            let source = std::io::Error::other("the disk is full");
            return Err(JournalError::Io { act: "open", path: "memory".into(), source });
        }
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        let setup = Setup {
            store: Arc::clone(self.index.store()),
            catalog: self.index.latest(),
            policy: Policy::profile(Profile::FullAuto),
            policy_digest: String::new(),
            host: HostTable::plain().clone(),
            whereabouts: Whereabouts {
                cwd: "/project".into(),
                home: None,
                ..Whereabouts::default()
            },
            ids: Ids {
                session: client.session.clone().unwrap_or_else(|| format!("s{number}")),
                ..Ids::default()
            },
            settings: Settings { again: client.again, ..Settings::default() },
            redactor: Redactor::new([]),
            scripts: ScriptGround::default(),
            artifacts: None,
            vouch: Arc::clone(&self.vouch),
            depth: Depth::Stamps,
        };
        let session = Session::open(setup, Box::new(self.journal.clone()))?;
        Ok(Seat { session, stays: client.session.is_some() })
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        let Some(root) = &self.files else { return Ok(None) };
        let files = FileStore::new(vec![root.clone()]);
        Watch::start(&self.index, files, WatchSettings::default()).map(Some)
    }
}

/// Runs `test` with what async needs.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let done = runtime.block_on(test);
    runtime.shutdown_background();
    done
}

/// A client at the other end of a pipe.
pub(crate) struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next: u64,
    /// Notifications that came meanwhile.
    pub(crate) notes: Vec<Value>,
}

/// Connects a client to a server over `host`.
pub(crate) fn connect(host: &Arc<Ground>, dialect: Dialect) -> Wire {
    attach(&Service::new(Arc::clone(host) as Arc<dyn Host>, dialect), None)
}

/// Connects one more client to `service`.
pub(crate) fn attach(service: &Arc<Service>, session: Option<&str>) -> Wire {
    welcome(service, Guest { section: None, session: session.map(str::to_owned) })
}

/// Connects a client of whom something is known.
pub(crate) fn welcome(service: &Arc<Service>, guest: Guest) -> Wire {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let service = Arc::clone(service);
    tokio::spawn(async move { serve_streams(&service, guest, read, write).await });
    let (read, writer) = tokio::io::split(ours);
    Wire { lines: BufReader::new(read).lines(), writer, next: 0, notes: Vec::new() }
}

impl Wire {
    pub(crate) async fn send(&mut self, line: &[u8]) {
        self.writer.write_all(line).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    /// The next message, whatever it is; none when the server hung up.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let wait = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line());
        let line = wait.await.expect("the server answers").unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Asks, and waits for the answer to that.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes()).await;
        loop {
            let message = self.receive().await.expect("an answer");
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    /// The result of a request that must succeed.
    pub(crate) async fn get(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.get("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    pub(crate) async fn begin(&mut self, version: &str) -> Value {
        self.begin_as(version, json!({})).await
    }

    /// The same for a client that has these capabilities.
    pub(crate) async fn begin_as(&mut self, version: &str, capabilities: Value) -> Value {
        let hello = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let result = self.get("initialize", hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(ready.to_string().as_bytes()).await;
        result
    }

    /// Hangs up in the middle.
    pub(crate) fn vanish(self) {
        drop(self);
    }
}

/// `_meta` of the era without a handshake, with `more` in it.
pub(crate) fn stateless(more: Value) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let (Some(meta), Some(more)) = (meta.as_object_mut(), more.as_object()) {
        meta.extend(more.clone());
    }
    meta
}
