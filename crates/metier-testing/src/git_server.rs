//! A real git server on this machine: `git http-backend` behind a small web server that can also be
//! told to behave badly.
//!
//! ```no_run
//! let server = metier_testing::GitServer::start();
//! let commit = server.repo("owner/name").skill("skills/one", "one").commit("first");
//! let url = server.url("owner/name");
//! ```

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tempfile::TempDir;

/// A git server with repositories of its own, gone when it is dropped.
pub struct GitServer {
    root: TempDir,
    port: u16,
    shared: Arc<Shared>,
}

/// How the server behaves badly at one request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers with this status and nothing else.
    Status(u16),
    /// Answers with so many bytes of the real answer's body and then hangs up.
    Truncate(usize),
    /// Waits before it answers.
    Slow(Duration),
    /// Hangs up without an answer.
    HangUp,
    /// Answers as usual: what comes after it in a row is for later requests.
    Nothing,
}

struct Shared {
    root: PathBuf,
    requests: Mutex<Vec<String>>,
    files: Mutex<Vec<(String, Vec<u8>)>>,
    pointers: Mutex<Vec<(String, String)>>,
    faults: Mutex<VecDeque<Fault>>,
    password: Mutex<Option<String>>,
    old: AtomicBool,
    stop: AtomicBool,
}

/// A commit in the making in one of the server's repositories.
pub struct RepoBuilder {
    directory: PathBuf,
    branch: String,
    changes: Vec<u8>,
}

impl GitServer {
    /// Starts a server on a free port of this machine.
    #[must_use]
    pub fn start() -> Self {
        let root = TempDir::with_prefix("metier-git-").expect("a temporary directory");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            root: root.path().to_owned(),
            requests: Mutex::default(),
            files: Mutex::default(),
            pointers: Mutex::default(),
            faults: Mutex::default(),
            password: Mutex::default(),
            old: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if theirs.stop.load(Ordering::Relaxed) {
                    break;
                }
                let shared = Arc::clone(&theirs);
                std::thread::spawn(move || answer(&stream, &shared));
            }
        });
        Self { root, port, shared }
    }

    /// What `owner/repo` is below.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The URL of a repository.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.base())
    }

    /// A new commit in the repository `owner/name`, which is made if it is not there.
    #[must_use]
    pub fn repo(&self, name: &str) -> RepoBuilder {
        let directory = self.directory(name);
        if !directory.is_dir() {
            make_repository(&directory, "sha1");
        }
        RepoBuilder { directory, branch: "main".to_owned(), changes: Vec::new() }
    }

    /// The same for a repository whose ids are SHA-256.
    #[must_use]
    pub fn repo_sha256(&self, name: &str) -> RepoBuilder {
        let directory = self.directory(name);
        make_repository(&directory, "sha256");
        RepoBuilder { directory, branch: "main".to_owned(), changes: Vec::new() }
    }

    /// Also serves these bytes at `/path`; gives the URL.
    pub fn serve(&self, path: &str, bytes: impl Into<Vec<u8>>) -> String {
        let file = (format!("/{path}"), bytes.into());
        self.shared.files.lock().expect("no poison").push(file);
        self.url(path)
    }

    /// Also points from `/path` to this address; gives the URL.
    pub fn point(&self, path: &str, to: &str) -> String {
        let pointer = (format!("/{path}"), to.to_owned());
        self.shared.pointers.lock().expect("no poison").push(pointer);
        self.url(path)
    }

    /// Where a repository lies on disk.
    #[must_use]
    pub fn directory(&self, name: &str) -> PathBuf {
        self.root.path().join(format!("{name}.git"))
    }

    /// Every request since the start or the last [`GitServer::forget`]: method and address.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().expect("no poison").clone()
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        self.shared.requests.lock().expect("no poison").clear();
    }

    /// Behaves so at the next requests, one after the other.
    pub fn misbehave(&self, faults: impl IntoIterator<Item = Fault>) {
        self.shared.faults.lock().expect("no poison").extend(faults);
    }

    /// Speaks only the first version of git's protocol, as old servers do.
    pub fn speak_old(&self) {
        self.shared.old.store(true, Ordering::Relaxed);
    }

    /// Lets in only who says `user` and `password`.
    pub fn require(&self, user: &str, password: &str) {
        let expected = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        *self.shared.password.lock().expect("no poison") = Some(expected);
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // One last caller wakes the thread that waits for callers.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl RepoBuilder {
    /// On another branch than `main`.
    #[must_use]
    pub fn branch(mut self, name: &str) -> Self {
        self.branch = name.to_owned();
        self
    }

    /// Adds or replaces a file.
    #[must_use]
    pub fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.entry("100644", path, bytes.as_ref())
    }

    /// Adds or replaces an executable file.
    #[must_use]
    pub fn executable(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.entry("100755", path, bytes.as_ref())
    }

    /// Adds or replaces a symbolic link.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.entry("120000", path, target.as_bytes())
    }

    /// Adds or replaces a small valid skill in a directory; empty for the root.
    #[must_use]
    pub fn skill(self, directory: &str, name: &str) -> Self {
        let text = format!(
            "---\nname: {name}\ndescription: What {name} does. Use when somebody asks for \
             {name}.\n---\n\n# {name}\n"
        );
        let slash = if directory.is_empty() { "" } else { "/" };
        self.file(&format!("{directory}{slash}SKILL.md"), text)
    }

    /// Removes a file or directory.
    #[must_use]
    pub fn remove(mut self, path: &str) -> Self {
        self.changes.extend(format!("D {}\n", quoted(path)).bytes());
        self
    }

    fn entry(mut self, mode: &str, path: &str, bytes: &[u8]) -> Self {
        let head = format!("M {mode} inline {}\ndata {}\n", quoted(path), bytes.len());
        self.changes.extend(head.bytes());
        self.changes.extend(bytes);
        self.changes.push(b'\n');
        self
    }

    /// Commits the changes on top of what the branch has; gives the commit's id.
    #[must_use]
    pub fn commit(self, message: &str) -> String {
        let name = format!("refs/heads/{}", self.branch);
        let mut stream = format!(
            "commit {name}\ncommitter Test <test@example.org> 1700000000 +0000\ndata {}\n{message}\n",
            message.len()
        )
        .into_bytes();
        if git(&self.directory, &["rev-parse", "--verify", "--quiet", &name], b"").is_ok() {
            stream.extend(format!("from {name}^0\n").bytes());
        }
        stream.extend(self.changes);
        stream.extend(b"\ndone\n");
        git(&self.directory, &["fast-import", "--quiet", "--done"], &stream).expect("fast-import");
        git(&self.directory, &["rev-parse", &name], b"").expect("the commit")
    }

    /// Runs git in the repository, for what this builder has no words for; gives what it wrote.
    ///
    /// # Panics
    /// When git fails.
    #[must_use]
    pub fn git(&self, args: &[&str], stdin: &[u8]) -> String {
        git(&self.directory, args, stdin).expect("git")
    }
}

fn make_repository(directory: &Path, format: &str) {
    std::fs::create_dir_all(directory).expect("the repository's directory");
    let format = format!("--object-format={format}");
    git(directory, &["init", "--quiet", "--bare", "--initial-branch=main", &format], b"")
        .expect("init");
    for setting in ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"] {
        git(directory, &["config", setting, "true"], b"").expect("config");
    }
}

/// Runs git with nothing of the machine's settings.
fn git(directory: &Path, args: &[&str], stdin: &[u8]) -> Result<String, String> {
    let mut child = Command::new("git")
        .current_dir(directory)
        .env_clear()
        .envs(hermetic())
        .env("GIT_DIR", directory)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start git");
    let mut input = child.stdin.take().expect("its input");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(stdin));
        child.wait_with_output().expect("wait for git")
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

fn hermetic() -> [(&'static str, &'static str); 8] {
    [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/nonexistent"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "Test"),
        ("GIT_AUTHOR_EMAIL", "test@example.org"),
        ("GIT_COMMITTER_NAME", "Test"),
        ("GIT_COMMITTER_EMAIL", "test@example.org"),
    ]
}

/// A path as `git fast-import` reads it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    };
    format!("\"{}\"", path.bytes().map(escape).collect::<String>())
}

/// One request as it came.
struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let line = line(&mut reader)?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let mut headers = Vec::new();
        loop {
            let line = self::line(&mut reader)?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { method, path, query, headers, body: Vec::new() };
        request.body = request.read_body(&mut reader)?;
        Some(request)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn read_body(&self, reader: &mut impl BufRead) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        if self.header("transfer-encoding") == Some("chunked") {
            loop {
                let size = usize::from_str_radix(line(reader)?.trim(), 16).ok()?;
                let mut chunk = vec![0; size];
                reader.read_exact(&mut chunk).ok()?;
                line(reader)?;
                if size == 0 {
                    return Some(body);
                }
                body.extend(chunk);
            }
        }
        let size = self.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        body.resize(size, 0);
        reader.read_exact(&mut body).ok()?;
        Some(body)
    }
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (reader.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
}

fn answer(mut stream: &TcpStream, shared: &Shared) {
    let Some(request) = Request::read(stream) else { return };
    let asked = match request.query.as_str() {
        "" => format!("{} {}", request.method, request.path),
        query => format!("{} {}?{query}", request.method, request.path),
    };
    shared.requests.lock().expect("no poison").push(asked);
    let expected = shared.password.lock().expect("no poison").clone();
    if expected.is_some() && request.header("authorization") != expected.as_deref() {
        let challenge = b"WWW-Authenticate: Basic realm=\"metier\"\r\n";
        let _ = stream.write_all(&response(401, challenge, b""));
        return;
    }
    let fault = shared.faults.lock().expect("no poison").pop_front();
    match fault {
        Some(Fault::Status(status)) => {
            let _ = stream.write_all(&response(status, b"", b""));
        }
        Some(Fault::HangUp) => {}
        Some(Fault::Truncate(length)) => {
            let whole = backend(&request, shared);
            let body = whole.windows(4).position(|w| w == b"\r\n\r\n").map_or(0, |at| at + 4);
            let _ = stream.write_all(whole.get(..body + length).unwrap_or(&whole));
        }
        other => {
            if let Some(Fault::Slow(wait)) = other {
                std::thread::sleep(wait);
            }
            let _ = stream.write_all(&backend(&request, shared));
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// What `git http-backend` answers, or a file that is served beside it.
fn backend(request: &Request, shared: &Shared) -> Vec<u8> {
    let files = shared.files.lock().expect("no poison").clone();
    if let Some((_, bytes)) = files.iter().rev().find(|(path, _)| *path == request.path) {
        return response(200, b"", bytes);
    }
    let pointers = shared.pointers.lock().expect("no poison").clone();
    if let Some((_, to)) = pointers.iter().rev().find(|(path, _)| *path == request.path) {
        return response(302, format!("Location: {to}\r\n").as_bytes(), b"");
    }
    let old = shared.old.load(Ordering::Relaxed);
    let header = |name: &str| request.header(name).unwrap_or_default().to_owned();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env_clear()
        .envs(hermetic())
        .env("GIT_PROJECT_ROOT", &shared.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", if old { String::new() } else { header("git-protocol") })
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("start git http-backend");
    let mut input = child.stdin.take().expect("its input");
    let mut output = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = input.write_all(&request.body);
            drop(input);
        });
        let mut stdout = child.stdout.take().expect("its output");
        stdout.read_to_end(&mut output).expect("read the answer");
    });
    child.wait().expect("wait for git http-backend");
    let end = output.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(0);
    let (head, body) = output.split_at(end);
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: "));
    let status = status.and_then(|s| s.get(..3)?.parse().ok()).unwrap_or(200);
    let kept: String = head
        .lines()
        .filter(|line| !line.starts_with("Status: "))
        .map(|line| format!("{line}\r\n"))
        .collect();
    response(status, kept.as_bytes(), body.get(4..).unwrap_or_default())
}

fn response(status: u16, headers: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Status\r\nConnection: close\r\n").into_bytes();
    bytes.extend(headers);
    bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
    bytes.extend(body);
    bytes
}

#[cfg(test)]
#[path = "git_server_tests.rs"]
mod tests;
