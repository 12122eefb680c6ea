//! An MCP server with skills, over plain HTTP, that can be told to lie: honest answers to the skills
//! extension, and for each question a chance to answer something else.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Skills by path, each with its files; `SKILL.md` has plain `key: value` lines in its frontmatter.
pub type Skills = Vec<(String, Vec<(String, Vec<u8>)>)>;

/// What a server does about one question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Answers.
    Result(Value),
    /// Says no, with this number.
    Error(i64),
    /// Sends exactly these bytes and hangs up.
    Raw(Vec<u8>),
    /// Sends these bytes over and over, until nobody takes them.
    Flood(Vec<u8>, Vec<u8>),
    /// Sends these bytes, then one more every so often, for so long.
    Drip(Vec<u8>, Duration, u32),
}

type Behaviour = Box<dyn Fn(&str, &Value, &Skills) -> Answer + Send>;

/// A server that listens until it is dropped.
pub struct SkillServer {
    port: u16,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    skills: Skills,
    behaviour: Behaviour,
    asked: Vec<String>,
    heads: Vec<String>,
    connections: usize,
    stopped: bool,
}

/// One skill with a `SKILL.md` of the usual kind and these files beside it.
#[must_use]
pub fn served_skill(path: &str, files: &[(&str, &str)]) -> (String, Vec<(String, Vec<u8>)>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let manifest = format!(
        "---\nname: {name}\ndescription: Does {name} things. Use when {name} is due.\n---\n\nDo it.\n"
    );
    let all = [("SKILL.md", manifest.as_str())].into_iter().chain(files.iter().copied());
    (path.to_owned(), all.map(|(at, text)| (at.to_owned(), text.into())).collect())
}

/// What an honest server answers.
#[must_use]
pub fn honestly(method: &str, params: &Value, skills: &Skills) -> Answer {
    let capabilities =
        json!({"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}});
    let uri = params["uri"].as_str().unwrap_or_default();
    let complete = |member: &str, value: Value| json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", member: value});
    Answer::Result(match method {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
        }),
        "skills/list" => complete("skills", skills.iter().map(entry).collect()),
        "skills/get" => match skills.iter().map(entry).find(|entry| entry["uri"] == uri) {
            Some(entry) => complete("skill", entry),
            None => return Answer::Error(-32602),
        },
        "resources/read" => match file(uri, skills) {
            Some(bytes) => complete("contents", json!([content(uri, &bytes)])),
            None => return Answer::Error(-32002),
        },
        _ => return Answer::Error(-32601),
    })
}

/// What an honest server says of one skill.
#[must_use]
pub fn entry((path, files): &(String, Vec<(String, Vec<u8>)>)) -> Value {
    let resource = |(at, bytes): &(String, Vec<u8>)| {
        let digest: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        let uri = format!("skill://{path}/{at}").replace(' ', "%20");
        json!({"uri": uri, "digest": format!("sha256:{digest}"), "size": bytes.len()})
    };
    let manifest = files.iter().find(|(at, _)| at == "SKILL.md").map(|(_, bytes)| bytes.as_slice());
    json!({
        "uri": format!("skill://{path}/SKILL.md"),
        "frontmatter": frontmatter(manifest.unwrap_or_default()),
        "resources": files.iter().map(resource).collect::<Vec<_>>(),
    })
}

/// One file as `resources/read` has it: text where it is text.
#[must_use]
pub fn content(uri: &str, bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({"uri": uri, "text": text}),
        Err(_) => json!({"uri": uri, "blob": STANDARD.encode(bytes)}),
    }
}

fn frontmatter(manifest: &[u8]) -> Value {
    let text = String::from_utf8_lossy(manifest);
    let lines = text.lines().skip(1).take_while(|line| *line != "---");
    let members: Map<String, Value> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect();
    Value::Object(members)
}

fn file(uri: &str, skills: &Skills) -> Option<Vec<u8>> {
    let uri = uri.replace("%20", " ");
    skills.iter().find_map(|(path, files)| {
        let within = uri.strip_prefix(&format!("skill://{path}/"))?;
        files.iter().find(|(at, _)| at == within).map(|(_, bytes)| bytes.clone())
    })
}

impl SkillServer {
    /// A server with these skills that answers honestly.
    #[must_use]
    pub fn start(skills: Skills) -> Self {
        Self::lying(skills, honestly)
    }

    /// A server with these skills that answers as it is told.
    #[must_use]
    pub fn lying(
        skills: Skills,
        behaviour: impl Fn(&str, &Value, &Skills) -> Answer + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Mutex::new(Shared {
            skills,
            behaviour: Box::new(behaviour),
            asked: Vec::new(),
            heads: Vec::new(),
            connections: 0,
            stopped: false,
        }));
        let own = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if own.lock().expect("no test panicked").stopped {
                    return;
                }
                own.lock().expect("no test panicked").connections += 1;
                let own = Arc::clone(&own);
                std::thread::spawn(move || drop(serve(stream, &own)));
            }
        });
        Self { port, shared }
    }

    /// Its address, for `mcp+`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// It has these skills from now on.
    pub fn change(&self, skills: Skills) {
        self.shared.lock().expect("no test panicked").skills = skills;
    }

    /// It answers so from now on.
    pub fn behave(&self, behaviour: impl Fn(&str, &Value, &Skills) -> Answer + Send + 'static) {
        self.shared.lock().expect("no test panicked").behaviour = Box::new(behaviour);
    }

    /// What it was asked since the last time: methods, and what they were about.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().expect("no test panicked").asked)
    }

    /// The heads of all requests since the last time.
    #[must_use]
    pub fn heads(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().expect("no test panicked").heads)
    }

    /// How many connections there were since the last time.
    #[must_use]
    pub fn connections(&self) -> usize {
        std::mem::take(&mut self.shared.lock().expect("no test panicked").connections)
    }
}

impl Drop for SkillServer {
    fn drop(&mut self) {
        if let Ok(mut shared) = self.shared.lock() {
            shared.stopped = true;
        }
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn serve(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    while let Some((head, body)) = request(&mut stream)? {
        if !answer(&mut stream, (head, &body), shared)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Answers one request; whether the connection stays open for another one.
fn answer(
    stream: &mut TcpStream,
    (head, body): (String, &[u8]),
    shared: &Mutex<Shared>,
) -> std::io::Result<bool> {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let (method, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
    let about = params["uri"].as_str().or(params["cursor"].as_str()).unwrap_or_default();
    let answer = {
        let mut shared = shared.lock().expect("no test panicked");
        shared.asked.push(format!("{method} {about}").trim().to_owned());
        shared.heads.push(head);
        (shared.behaviour)(method, params, &shared.skills)
    };
    let mut say = |message: Value| {
        let body = message.to_string();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length";
        let text = format!("{head}: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).map(|()| true)
    };
    match answer {
        Answer::Result(_) | Answer::Error(_) if message.get("id").is_none() => {
            let accepted = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(accepted).map(|()| true)
        }
        Answer::Result(result) => {
            say(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        }
        Answer::Error(code) => {
            let error = json!({"code": code, "message": "no"});
            say(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        }
        Answer::Raw(bytes) => stream.write_all(&bytes).map(|()| false),
        Answer::Flood(first, again) => {
            stream.write_all(&first)?;
            while stream.write_all(&again).is_ok() {}
            Ok(false)
        }
        Answer::Drip(first, pause, times) => {
            stream.write_all(&first)?;
            for _ in 0..times {
                std::thread::sleep(pause);
                stream.write_all(b" ")?;
            }
            Ok(false)
        }
    }
}

/// The next request on a connection; none when there is no more.
fn request(stream: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let end = |bytes: &[u8]| bytes.windows(4).position(|window| window == b"\r\n\r\n");
    while end(&bytes).is_none() {
        match stream.read(&mut buffer)? {
            0 => break,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    let at = end(&bytes).map_or(bytes.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    while bytes.len() < at + length.unwrap_or(0) {
        match stream.read(&mut buffer)? {
            0 => break,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(Some((head, bytes.split_off(at))))
}
