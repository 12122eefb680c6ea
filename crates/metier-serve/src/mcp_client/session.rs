//! One conversation with a server: which version both speak, whether it has skills, and the three
//! questions there are.

use std::time::Duration;

use metier_package::served::{ServerError, SkillServer};
use serde_json::{Map, Value, json};

use super::base64;
use super::message::{self, BEFORE, EXTENSION, MODERN, Reply};
use crate::limits::{
    DISCOVER_PATIENCE, MAX_ESCAPED, MAX_GREETING_BYTES, MAX_PAGE_BYTES, MESSAGE_SPARE_BYTES,
};

/// What carries questions and answers.
pub(super) trait Wire {
    /// Asks one question.
    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ServerError>;

    /// Tells something that is not answered.
    fn tell(&mut self, notice: &Value) -> Result<(), ServerError>;

    /// From now on this version is spoken.
    fn speak(&mut self, version: &str);
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
    patience: Duration,
}

/// What a question needs beside what is asked.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    name: Option<&'a str>,
    limit: u64,
    patience: Duration,
}

impl<'a> Session<'a> {
    /// Begins a conversation in the newest version that both speak.
    pub(super) fn open(wire: Box<dyn Wire + 'a>, patience: Duration) -> Result<Self, ServerError> {
        let mut session = Self { wire, modern: true, asked: 0, patience };
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
                | ServerError::Unknown,
            ) => session.begin_as_before(),
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
        Self { wire, modern: false, asked: 0, patience }.begin_as_before()
    }

    fn begin_as_before(mut self) -> Result<Self, ServerError> {
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
        self.wire.tell(&message::notice("notifications/initialized"))?;
        Ok(self)
    }

    fn ask(
        &mut self,
        method: &str,
        mut params: Map<String, Value>,
        Bounds { name, limit, patience }: Bounds<'_>,
    ) -> Result<Reply, ServerError> {
        if self.modern {
            params.insert("_meta".to_owned(), message::about());
        }
        self.asked += 1;
        let body = message::question(self.asked, method, params);
        self.wire.ask(&Question { id: self.asked, method, name, body, limit, patience })
    }

    /// An answer, or what a no means.
    fn answer(
        &mut self,
        method: &str,
        params: Value,
        (name, limit): (Option<&str>, u64),
    ) -> Result<Value, ServerError> {
        let bounds = Bounds { name, limit, patience: self.patience };
        match self.ask(method, members(params), bounds)? {
            Reply::Result(result) => Ok(result),
            Reply::Error { code: -32601, .. } => Err(ServerError::NoSkills),
            Reply::Error { code: -32602 | -32002, .. } if method != "skills/list" => {
                Err(ServerError::Unknown)
            }
            Reply::Error { message, .. } => Err(ServerError::Refuses(message)),
        }
    }
}

impl SkillServer for Session<'_> {
    fn list(&mut self, cursor: Option<&str>) -> Result<Value, ServerError> {
        let params = match cursor {
            Some(cursor) => json!({ "cursor": cursor }),
            None => json!({}),
        };
        self.answer("skills/list", params, (None, MAX_PAGE_BYTES))
    }

    fn get(&mut self, uri: &str) -> Result<Value, ServerError> {
        self.answer("skills/get", json!({ "uri": uri }), (None, MAX_PAGE_BYTES))
    }

    fn read(&mut self, uri: &str, size: u64) -> Result<Vec<u8>, ServerError> {
        let limit = size.saturating_mul(MAX_ESCAPED).saturating_add(MESSAGE_SPARE_BYTES);
        let result = self.answer("resources/read", json!({ "uri": uri }), (Some(uri), limit))?;
        content(&result, uri)
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
        (None, Some(Value::String(blob))) => match base64::decode(blob) {
            Some(bytes) => Ok(bytes),
            None => nonsense("a file is not in Base64"),
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
