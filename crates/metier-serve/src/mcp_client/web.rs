//! A server on the web, each question one request by the `curl` program: the certificates and proxies
//! people already have, and no connection that anybody on the way could read. Nobody is followed
//! anywhere else: a server that points to another address is refused.

use std::time::Duration;

use metier_package::served::ServerError;
use metier_sandbox::{Cancel, Confinement, Invocation, Limits, Outcome, RunError, Runner, Status};
use serde_json::Value;

use super::child::{Child, Input, Piece, reason};
use super::message::{self, Heard, Reply};
use super::session::{Question, Wire};
use super::sse::{Events, Head};
use crate::limits::{
    ANSWER_PATIENCE, FAREWELL_PATIENCE, MAX_CONVERSATION_ID, MAX_HEAD_BYTES, MAX_STRAY_MESSAGES,
    TALK_PATIENCE,
};

/// A server at an address.
pub(super) struct Web<'a> {
    url: &'a str,
    runner: &'a Runner,
    confinement: Confinement,
    cancel: &'a Cancel,
    version: String,
    /// How the server calls this conversation, when it has to be told.
    conversation: Option<String>,
    spent: Duration,
}

/// One request.
struct Request<'a> {
    verb: &'static str,
    body: Vec<u8>,
    headers: Vec<(&'static str, &'a str)>,
    patience: Duration,
}

impl<'a> Web<'a> {
    pub(super) fn new(
        url: &'a str,
        (runner, confinement): (&'a Runner, Confinement),
        cancel: &'a Cancel,
    ) -> Self {
        let (version, conversation, spent) = (String::new(), None, Duration::ZERO);
        Self { url, runner, confinement, cancel, version, conversation, spent }
    }

    /// One request: its head, and what `read` makes of the body as it comes.
    fn request<T>(
        &mut self,
        request: Request<'_>,
        read: impl FnOnce(&Head, &mut Body<'_, '_>) -> Result<T, ServerError>,
    ) -> Result<T, ServerError> {
        let left = TALK_PATIENCE.saturating_sub(self.spent);
        if left.is_zero() {
            return Err(ServerError::TimedOut);
        }
        let patience = request.patience.min(left);
        let mut confinement = self.confinement.clone();
        // It ends by itself in time, and is ended when it does not.
        let wall = patience.saturating_add(FAREWELL_PATIENCE);
        let wall_ms = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
        confinement.limits = Limits { wall_ms, ..confinement.limits };
        let most = format!("{:.3}", patience.as_secs_f64());
        let invocation = self.invocation(&request).arg("--max-time").arg(most);
        let input = Input::Bytes(request.body);
        let mut child = Child::start(invocation, input, (self.runner, confinement), self.cancel)?;
        let mut body = Body { child: &child, bytes: Vec::new(), patience };
        let told = body.head();
        if let Ok(Some(head)) = &told {
            self.note(head);
        }
        let done = match &told {
            Ok(Some(head)) => refusal(head).map_or_else(|| read(head, &mut body), Err),
            Ok(None) => Err(ServerError::Unreachable("it sent nothing".to_owned())),
            Err(error) => Err(error.clone()),
        };
        let nothing = matches!(told, Ok(None));
        // Who has said nothing is asked why; from everybody else nothing more is wanted.
        let ended = child.end(if nothing { FAREWELL_PATIENCE } else { Duration::ZERO });
        let took = ended.as_ref().and_then(|run| run.as_ref().ok()).map(|run| run.duration);
        self.spent = self.spent.saturating_add(took.unwrap_or_default());
        match done {
            // An answer that was cut off is none, whatever it looks like.
            Err(_) if is_late(&ended) => Err(ServerError::TimedOut),
            _ if nothing => Err(curl_reason(ended)),
            done => done,
        }
    }

    fn invocation(&self, request: &Request<'_>) -> Invocation {
        let protocol = if self.url.starts_with("http://") { "=http" } else { "=https" };
        // First of all that no file of settings is read: it could say anything.
        let args = [
            "--disable",
            "--silent",
            "--show-error",
            "--no-buffer",
            "--include",
            "--suppress-connect-headers",
            "--proto",
            protocol,
            "--max-redirs",
            "0",
            "--connect-timeout",
            "30",
            "--netrc-optional",
            "--header",
            "Content-Type: application/json",
            "--header",
            "Accept: application/json, text/event-stream",
            "--header",
            "Expect:",
            "--user-agent",
            "metier",
            "--request",
            request.verb,
        ];
        let mut curl = args.iter().fold(Invocation::new("curl"), |so_far, arg| so_far.arg(*arg));
        if request.verb == "POST" {
            curl = curl.arg("--data-binary").arg("@-");
        }
        let own = [("MCP-Protocol-Version", self.version.as_str())];
        let named = self.conversation.as_deref().map(|id| ("Mcp-Session-Id", id));
        let headers = own.into_iter().chain(named).chain(request.headers.iter().copied());
        for (name, value) in headers.filter(|(_, value)| !value.is_empty()) {
            curl = curl.arg("--header").arg(format!("{name}: {value}"));
        }
        curl.arg("--url").arg(self.url)
    }

    /// Keeps how the server calls this conversation.
    fn note(&mut self, head: &Head) {
        let id = head.get("mcp-session-id").filter(|id| !id.is_empty());
        let fits = |id: &&str| {
            id.len() <= MAX_CONVERSATION_ID && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if self.conversation.is_none() && self.version != message::MODERN {
            self.conversation = id.filter(fits).map(str::to_owned);
        }
    }
}

impl Wire for Web<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ServerError> {
        let modern = self.version == message::MODERN;
        let mut headers = Vec::new();
        if modern {
            headers.push(("Mcp-Method", question.method));
            headers.extend(question.name.map(|name| ("Mcp-Name", name)));
        }
        let body = question.body.to_string().into_bytes();
        let request = Request { verb: "POST", body, headers, patience: question.patience };
        let (id, limit) = (question.id, question.limit);
        self.request(request, |head, body| match head.get("content-type") {
            // A no may be an answer of the protocol, and often is not.
            Some(kind) if head.status >= 400 && is(kind, "application/json") => {
                body.document(id, limit).or_else(|_| Err(status(head)))
            }
            Some(kind) if is(kind, "text/event-stream") => body.event(id, limit),
            Some(kind) if is(kind, "application/json") => body.document(id, limit),
            _ if head.status >= 400 => Err(status(head)),
            _ => Err(ServerError::Nonsense("it answers neither JSON nor events".to_owned())),
        })
    }

    fn tell(&mut self, notice: &Value) -> Result<(), ServerError> {
        let body = notice.to_string().into_bytes();
        let request =
            Request { verb: "POST", body, headers: Vec::new(), patience: ANSWER_PATIENCE };
        self.request(request, |head, _| match head.status {
            200..300 => Ok(()),
            _ => Err(status(head)),
        })
    }

    fn speak(&mut self, version: &str) {
        version.clone_into(&mut self.version);
    }
}

impl Drop for Web<'_> {
    fn drop(&mut self) {
        if self.conversation.is_some() && self.version != message::MODERN {
            let (body, headers) = (Vec::new(), Vec::new());
            let request = Request { verb: "DELETE", body, headers, patience: FAREWELL_PATIENCE };
            // Whether it cares is its own affair.
            let _ = self.request(request, |_, _| Ok(()));
        }
    }
}

/// What comes behind the head.
struct Body<'a, 'b> {
    child: &'a Child<'b>,
    bytes: Vec<u8>,
    patience: Duration,
}

impl Body<'_, '_> {
    fn more(&mut self) -> Result<bool, ServerError> {
        match self.child.next(&mut self.patience)? {
            Piece::Bytes(bytes) => {
                self.bytes.extend(bytes);
                Ok(true)
            }
            Piece::End => Ok(false),
        }
    }

    /// The head, once it is whole; none when there is none.
    fn head(&mut self) -> Result<Option<Head>, ServerError> {
        loop {
            if let Some((head, length)) = Head::read(&self.bytes)? {
                self.bytes.drain(..length);
                if !head.is_early() {
                    return Ok(Some(head));
                }
                continue;
            }
            if self.bytes.len() > MAX_HEAD_BYTES {
                return Err(ServerError::TooMuch(MAX_HEAD_BYTES as u64));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// The answer in a document.
    fn document(&mut self, id: u64, limit: u64) -> Result<Reply, ServerError> {
        loop {
            if self.bytes.len() as u64 > limit {
                return Err(ServerError::TooMuch(limit));
            }
            if !self.more()? {
                break;
            }
        }
        match message::read(&self.bytes, id)? {
            Heard::Reply(reply) => Ok(reply),
            Heard::Question(_) | Heard::Other => Err(another()),
        }
    }

    /// The answer among events. What a server asks back meanwhile it is not told.
    fn event(&mut self, id: u64, limit: u64) -> Result<Reply, ServerError> {
        let mut events = Events::new(limit);
        let mut heard = 0;
        loop {
            let bytes = std::mem::take(&mut self.bytes);
            for data in events.take(&bytes)? {
                heard += 1;
                if heard > MAX_STRAY_MESSAGES {
                    let why = "it talks without answering".to_owned();
                    return Err(ServerError::Nonsense(why));
                }
                if data.is_empty() {
                    continue;
                }
                if let Heard::Reply(reply) = message::read(&data, id)? {
                    return Ok(reply);
                }
            }
            if !self.more()? {
                return Err(another());
            }
        }
    }
}

fn another() -> ServerError {
    ServerError::Nonsense("it answers another question".to_owned())
}

fn is(kind: &str, expect: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case(expect)
}

/// Why an answer with this head is none, whatever it says.
fn refusal(head: &Head) -> Option<ServerError> {
    match head.status {
        300..=399 => {
            let to = head.get("location").unwrap_or("another address");
            Some(ServerError::Refuses(format!("it points to `{to}`, where nobody is followed")))
        }
        401 | 403 | 407 => Some(ServerError::Authentication(format!("status {}", head.status))),
        _ => None,
    }
}

fn status(head: &Head) -> ServerError {
    ServerError::Refuses(format!("status {}", head.status))
}

/// Whether `curl` or the runner ended it because it took too long.
fn is_late(ended: &Option<Result<Outcome, RunError>>) -> bool {
    let status = ended.as_ref().and_then(|run| run.as_ref().ok()).map(|run| run.status);
    matches!(status, Some(Status::TimedOut | Status::Exit(28)))
}

fn curl_reason(ended: Option<Result<Outcome, RunError>>) -> ServerError {
    match &ended {
        Some(Err(RunError::Start { source, .. }))
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            ServerError::NoCurl
        }
        Some(Ok(outcome)) if matches!(outcome.status, Status::Exit(_)) => {
            let said = String::from_utf8_lossy(&outcome.stderr.bytes);
            let said = said.lines().next().unwrap_or("it sent nothing");
            ServerError::Unreachable(said.trim_start_matches("curl: ").to_owned())
        }
        _ => reason(ended, "curl"),
    }
}
