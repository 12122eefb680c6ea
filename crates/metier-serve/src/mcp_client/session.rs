//! One conversation with a server: which version both speak, whether it has skills, and the three
//! questions there are. Files are asked for together. A conversation that the server has forgotten is
//! begun again, once.

use std::ops::ControlFlow;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use metier_package::served::{ServerError, SkillServer, TakeFile};
use serde_json::{Map, Value, json};

use super::message::{self, BEFORE, EXTENSION, MODERN, Reply};
use crate::limits::{
    DISCOVER_PATIENCE, LIST_PATIENCE, MAX_ESCAPED, MAX_GREETING_BYTES, MAX_PAGE_BYTES,
    MESSAGE_SPARE_BYTES, READS_TOGETHER,
};

/// Is given the answers to questions in the order of these, and says whether it wants more. None
/// follows a failure.
pub(super) type TakeReply<'a> = &'a mut dyn FnMut(Result<Reply, ServerError>) -> ControlFlow<()>;

/// What carries questions and answers.
pub(super) trait Wire {
    /// Asks these questions.
    fn ask(&mut self, questions: &[Question<'_>], take: TakeReply<'_>);

    /// Tells something that is not answered.
    fn tell(&mut self, notice: &Value) -> Result<(), ServerError>;

    /// From now on this version is spoken.
    fn speak(&mut self, version: &str);

    /// How long answers were waited for so far, as far as it is known.
    fn waited(&self) -> Duration;

    /// Whether the last failure was that the server has forgotten the conversation.
    fn was_forgotten(&mut self) -> bool {
        false
    }
}

/// One question.
pub(super) struct Question<'a> {
    /// Its number.
    pub(super) id: u64,
    /// What is asked.
    pub(super) method: &'a str,
    /// What it is asked about, where everybody on the way may know.
    pub(super) name: Option<&'a str>,
    /// The whole of it.
    pub(super) body: Value,
    /// Bytes the answer may have.
    pub(super) limit: u64,
    /// How long the answer may take.
    pub(super) patience: Duration,
}

/// A conversation.
pub(super) struct Session<'a> {
    wire: Box<dyn Wire + 'a>,
    modern: bool,
    asked: u64,
    /// Whether it was begun again.
    renewed: bool,
    patience: Duration,
    /// What is left of the time for lists.
    listing: Duration,
}

/// What a question needs beside what is asked.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    name: Option<&'a str>,
    limit: u64,
    patience: Duration,
}

impl<'a> Session<'a> {
    fn new(wire: Box<dyn Wire + 'a>, patience: Duration) -> Self {
        let listing = LIST_PATIENCE;
        Self { wire, modern: false, asked: 0, renewed: false, patience, listing }
    }

    /// Begins a conversation in the newest version that both speak.
    pub(super) fn open(wire: Box<dyn Wire + 'a>, patience: Duration) -> Result<Self, ServerError> {
        let mut session = Self::new(wire, patience);
        session.modern = true;
        session.wire.speak(MODERN);
        match session.discover() {
            Ok(Reply::Result(result)) if speaks(&result, MODERN) => {
                offers_skills(&result)?;
                Ok(session)
            }
            // A server that knows the question and does not like how it was asked.
            Ok(Reply::Error { code: -32021 | -32020, message, .. }) => {
                Err(ServerError::Refuses(message))
            }
            // Whoever does not know the question is from before it.
            Ok(_)
            | Err(
                ServerError::TimedOut
                | ServerError::Refuses(_)
                | ServerError::Nonsense(_)
                | ServerError::Unknown(_),
            ) => {
                session.greet()?;
                Ok(session)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks what the server speaks; once more when it refuses the version and names it.
    fn discover(&mut self) -> Result<Reply, ServerError> {
        let bounds = Bounds {
            name: None,
            limit: MAX_GREETING_BYTES,
            patience: self.patience.min(DISCOVER_PATIENCE),
        };
        match self.ask("server/discover", Map::new(), bounds)? {
            Reply::Error { code: -32022, supported, .. }
                if supported.iter().any(|version| version == MODERN) =>
            {
                self.ask("server/discover", Map::new(), bounds)
            }
            reply => Ok(reply),
        }
    }

    /// Begins a conversation with a handshake.
    pub(super) fn open_as_before(
        wire: Box<dyn Wire + 'a>,
        patience: Duration,
    ) -> Result<Self, ServerError> {
        let mut session = Self::new(wire, patience);
        session.greet()?;
        Ok(session)
    }

    /// Begins again what the server has forgotten; whether it has.
    fn renew(&mut self) -> Result<bool, ServerError> {
        if self.renewed || !self.wire.was_forgotten() {
            return Ok(false);
        }
        self.renewed = true;
        self.greet()?;
        Ok(true)
    }

    /// The handshake.
    fn greet(&mut self) -> Result<(), ServerError> {
        self.modern = false;
        let newest = BEFORE.first().copied().unwrap_or_default();
        self.wire.speak("");
        let params = members(json!({
            "protocolVersion": newest,
            "capabilities": message::capabilities(),
            "clientInfo": message::who(),
        }));
        let bounds = Bounds { name: None, limit: MAX_GREETING_BYTES, patience: self.patience };
        let result = match self.ask("initialize", params, bounds)? {
            Reply::Result(result) => result,
            Reply::Error { message, .. } => return Err(ServerError::Refuses(message)),
        };
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let known = BEFORE.iter().chain([&MODERN]).find(|known| **known == version);
        let Some(known) = known else {
            let shown: String = version.chars().take(40).collect();
            let why = format!("it speaks version `{shown}`, which is not spoken here");
            return Err(ServerError::Nonsense(why));
        };
        self.modern = *known == MODERN;
        self.wire.speak(known);
        offers_skills(&result)?;
        self.wire.tell(&message::notice("notifications/initialized"))
    }

    fn ask(
        &mut self,
        method: &str,
        params: Map<String, Value>,
        bounds: Bounds<'_>,
    ) -> Result<Reply, ServerError> {
        let mut reply = Err(ServerError::Interrupted);
        let question = self.question(method, params.clone(), bounds);
        self.wire.ask(&[question], &mut |answer| {
            reply = answer;
            ControlFlow::Break(())
        });
        match reply {
            Err(_) if self.renew()? => self.ask(method, params, bounds),
            reply => reply,
        }
    }

    fn question<'q>(
        &mut self,
        method: &'q str,
        mut params: Map<String, Value>,
        Bounds { name, limit, patience }: Bounds<'q>,
    ) -> Question<'q> {
        if self.modern {
            params.insert("_meta".to_owned(), message::about());
        }
        self.asked += 1;
        let body = message::question(self.asked, method, params);
        Question { id: self.asked, method, name, body, limit, patience }
    }

    /// An answer, or what a no means.
    fn answer(
        &mut self,
        method: &str,
        params: Value,
        (name, limit): (Option<&str>, u64),
    ) -> Result<Value, ServerError> {
        let bounds = Bounds { name, limit, patience: self.patience };
        meant(self.ask(method, members(params), bounds)?, method)
    }

    /// Asks for these files together; which are answered is given on, and how many, and what failed.
    fn read_together(
        &mut self,
        files: &[(&str, u64)],
        take: TakeFile<'_>,
    ) -> (usize, ControlFlow<Option<ServerError>>) {
        let questions: Vec<Question<'_>> = files
            .iter()
            .map(|(uri, size)| {
                let limit = size.saturating_mul(MAX_ESCAPED).saturating_add(MESSAGE_SPARE_BYTES);
                let bounds = Bounds { name: Some(uri), limit, patience: self.patience };
                self.question(READ, members(json!({ "uri": uri })), bounds)
            })
            .collect();
        let (mut taken, mut flow) = (0, ControlFlow::Continue(()));
        self.wire.ask(&questions, &mut |reply| {
            let uri = files.get(taken).map(|(uri, _)| *uri).unwrap_or_default();
            flow = match reply {
                Err(error) => ControlFlow::Break(Some(error)),
                Ok(reply) => {
                    let file = meant(reply, READ).and_then(|result| content(&result, uri));
                    taken += 1;
                    let failed = file.is_err();
                    let wants_more = take(file).is_continue() && !failed;
                    if wants_more { ControlFlow::Continue(()) } else { ControlFlow::Break(None) }
                }
            };
            match flow {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(_) => ControlFlow::Break(()),
            }
        });
        (taken, flow)
    }
}

impl SkillServer for Session<'_> {
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError> {
        let params = match cursor {
            Some(cursor) => json!({ "cursor": cursor }),
            None => json!({}),
        };
        let (before, usual) = (self.wire.waited(), self.patience);
        self.patience = usual.min(self.listing);
        let page = self.answer("skills/list", params, (None, MAX_PAGE_BYTES));
        self.patience = usual;
        let took = self.wire.waited().saturating_sub(before);
        self.listing = self.listing.saturating_sub(took);
        match self.listing.is_zero() {
            true => {
                let most = LIST_PATIENCE.as_secs();
                Err(ServerError::Nonsense(format!(
                    "it takes more than {most} s to list its skills"
                )))
            }
            false => page,
        }
    }

    fn get(&mut self, uri: &str) -> Result<Value, ServerError> {
        self.answer("skills/get", json!({ "uri": uri }), (None, MAX_PAGE_BYTES))
    }

    fn read(&mut self, uri: &str, size: u64) -> Result<Vec<u8>, ServerError> {
        let mut read = Err(ServerError::Interrupted);
        self.read_many(&[(uri, size)], &mut |file| {
            read = file;
            ControlFlow::Break(())
        });
        read
    }

    fn read_many(&mut self, files: &[(&str, u64)], take: TakeFile<'_>) {
        let mut rest = files;
        while !rest.is_empty() {
            let together = rest.get(..READS_TOGETHER).unwrap_or(rest);
            let (taken, flow) = self.read_together(together, take);
            rest = rest.get(taken..).unwrap_or_default();
            let failed = match flow {
                ControlFlow::Continue(()) if taken > 0 => continue,
                ControlFlow::Continue(()) | ControlFlow::Break(None) => return,
                ControlFlow::Break(Some(error)) => error,
            };
            let renewed = self.renew();
            if renewed != Ok(true) {
                let _ = take(Err(renewed.err().unwrap_or(failed)));
                return;
            }
        }
    }
}

/// How a file is asked for.
const READ: &str = "resources/read";

/// What is said back to a question, or what a no means.
fn meant(reply: Reply, method: &str) -> Result<Value, ServerError> {
    match reply {
        Reply::Result(result) => Ok(result),
        Reply::Error { code: -32601, .. } => Err(ServerError::NoSkills),
        Reply::Error { code: -32602 | -32002, message, .. } if method != "skills/list" => {
            Err(ServerError::Unknown(message))
        }
        Reply::Error { message, .. } => Err(ServerError::Refuses(message)),
    }
}

/// The bytes of the one file that was asked for.
fn content(result: &Value, uri: &str) -> Result<Vec<u8>, ServerError> {
    let nonsense = |why: &str| Err(ServerError::Nonsense(why.to_owned()));
    if result.get("resultType").is_some_and(|kind| kind != "complete") {
        return nonsense("it asks something back instead of giving a file");
    }
    let contents = result.get("contents").and_then(Value::as_array);
    let Some([content]) = contents.map(Vec::as_slice) else {
        return nonsense("it gives no file, or several at once");
    };
    if content.get("uri").and_then(Value::as_str) != Some(uri) {
        return nonsense("it gives another file");
    }
    match (content.get("text"), content.get("blob")) {
        (Some(Value::String(text)), None) => Ok(text.clone().into_bytes()),
        (None, Some(Value::String(blob))) => match STANDARD.decode(blob) {
            Ok(bytes) => Ok(bytes),
            Err(_) => nonsense("a file is not in Base64"),
        },
        _ => nonsense("a file has neither text nor bytes, or both"),
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn speaks(discovered: &Value, version: &str) -> bool {
    let versions = discovered.get("supportedVersions").and_then(Value::as_array);
    versions.is_some_and(|versions| versions.iter().any(|known| known == version))
}

fn offers_skills(greeting: &Value) -> Result<(), ServerError> {
    let capabilities = greeting.get("capabilities");
    let extensions = capabilities.and_then(|capabilities| capabilities.get("extensions"));
    match extensions.and_then(|extensions| extensions.get(EXTENSION)) {
        Some(Value::Object(_)) => Ok(()),
        _ => Err(ServerError::NoSkills),
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
