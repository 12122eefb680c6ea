//! A server on the web, each question one request by the `curl` program: the certificates and proxies
//! people already have, and no connection that anybody on the way could read. Questions that are asked
//! together share one `curl` and its connection. Nobody is followed anywhere else: a server that points
//! to another address is refused.

use std::ops::ControlFlow;
use std::time::Duration;

use metier_package::served::ServerError;
use metier_sandbox::{Cancel, Confinement, Invocation, Limits, Outcome, RunError, Runner, Status};
use serde_json::Value;

use super::child::{Child, Input, Piece, reason};
use super::curl::{Answers, Part, Request, Target, settings};
use super::message::{self, Heard, Reply};
use super::session::{Question, TakeReply, Wire};
use super::sse::{Events, Head};
use crate::limits::{
    ANSWER_PATIENCE, FAREWELL_PATIENCE, MAX_CONVERSATION_ID, MAX_HEAD_BYTES, MAX_STRAY_MESSAGES,
    MESSAGE_SPARE_BYTES, STREAM_PATIENCE, TALK_PATIENCE,
};

/// How `curl` says that a request took too long.
const TOO_LATE: i32 = 28;

/// A server at an address.
pub(super) struct Web<'a> {
    target: Target<'a>,
    runner: &'a Runner,
    confinement: Confinement,
    cancel: &'a Cancel,
    version: String,
    /// How the server calls this conversation, when it has to be told.
    conversation: Option<String>,
    /// Whether the server has forgotten it.
    forgotten: bool,
    /// Whether the server keeps a stream open behind its answer. Nobody waits for such a stream's end,
    /// so there is one question to a `curl`.
    lingers: bool,
    spent: Duration,
}

/// What the answers to several requests are read by and given to.
struct Readers<'a, T> {
    read: &'a dyn Fn(usize, &Head, &mut Body<'_, '_>) -> Result<T, ServerError>,
    take: &'a mut dyn FnMut(usize, Result<T, ServerError>) -> ControlFlow<()>,
}

impl<'a> Web<'a> {
    pub(super) fn new(
        target: Target<'a>,
        (runner, confinement): (&'a Runner, Confinement),
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            target,
            runner,
            confinement,
            cancel,
            version: String::new(),
            conversation: None,
            forgotten: false,
            lingers: false,
            spent: Duration::ZERO,
        }
    }

    /// One request: what `read` makes of its answer.
    fn request<T>(
        &mut self,
        request: Request,
        read: &dyn Fn(&Head) -> Result<T, ServerError>,
    ) -> Result<T, ServerError> {
        let mut done = None;
        let readers = Readers {
            read: &|_, head, _| read(head),
            take: &mut |_, result| {
                done = Some(result);
                ControlFlow::Break(())
            },
        };
        self.exchange(&[request], readers);
        done.unwrap_or_else(|| Err(another()))
    }

    /// Sends these requests one after the other over one connection, and gives on what was read of
    /// each answer, until nobody wants more, one fails, or a stream stays open.
    fn exchange<T>(&mut self, requests: &[Request], mut readers: Readers<'_, T>) {
        let mut child = match self.start(requests) {
            Ok(child) => child,
            Err(error) => {
                let _ = (readers.take)(0, Err(error));
                return;
            }
        };
        let mut body = Body::new(&child);
        let failed = self.answers(requests, &mut body, &mut readers);
        let Body { silent, late, .. } = body;
        // Who has said nothing is asked why; from everybody else nothing more is wanted.
        let ended = child.end(if silent { FAREWELL_PATIENCE } else { Duration::ZERO });
        let took = ended.as_ref().and_then(|run| run.as_ref().ok()).map(|run| run.duration);
        self.spent = self.spent.saturating_add(took.unwrap_or_default());
        if let Some((number, error)) = failed {
            let error = match silent {
                // An answer that was cut off is none, whatever it looks like.
                _ if late || is_late(&ended) => ServerError::TimedOut,
                true => curl_reason(ended),
                false => error,
            };
            let _ = (readers.take)(number, Err(error));
        }
    }

    /// Reads the answers and gives them on; which one failed, if one did.
    fn answers<T>(
        &mut self,
        requests: &[Request],
        body: &mut Body<'_, '_>,
        readers: &mut Readers<'_, T>,
    ) -> Option<(usize, ServerError)> {
        for (number, request) in requests.iter().enumerate() {
            let more = number + 1 < requests.len();
            // Of what `curl` has written, the last bytes come with the next answer's first.
            body.patience = request.patience.saturating_mul(if more { 2 } else { 1 });
            let read = readers.read;
            let value = match self.answer(body, &|head, body| read(number, head, body)) {
                Ok(value) => value,
                Err(error) => return Some((number, error)),
            };
            if (readers.take)(number, Ok(value)).is_break() || !more {
                return None;
            }
            if !body.is_over() {
                self.lingers = true;
                return None;
            }
        }
        None
    }

    /// Starts the program that sends these requests.
    fn start(&self, requests: &[Request]) -> Result<Child<'a>, ServerError> {
        let left = TALK_PATIENCE.saturating_sub(self.spent);
        if left.is_zero() {
            return Err(ServerError::TimedOut);
        }
        let all = requests.iter().fold(Duration::ZERO, |sum, one| sum.saturating_add(one.patience));
        // It ends by itself in time, and is ended when it does not.
        let wall = all.min(left).saturating_add(FAREWELL_PATIENCE);
        let wall_ms = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
        let mut confinement = self.confinement.clone();
        confinement.limits = Limits { wall_ms, ..confinement.limits };
        // First of all that no file of settings is read: it could say anything.
        let curl = Invocation::new("curl").arg("--disable").arg("--config").arg("-");
        let input = Input::Bytes(settings(self.target, requests).into_bytes());
        Child::start(curl, input, (self.runner, confinement), self.cancel)
    }

    /// What `read` makes of the next answer.
    fn answer<T>(
        &mut self,
        body: &mut Body<'_, '_>,
        read: &dyn Fn(&Head, &mut Body<'_, '_>) -> Result<T, ServerError>,
    ) -> Result<T, ServerError> {
        let Some(head) = body.head()? else {
            body.silent = true;
            return Err(ServerError::Unreachable("it sent nothing".to_owned()));
        };
        let named = self.has_conversation();
        self.note(&head);
        let answer = refusal(&head).map_or_else(|| read(&head, body), Err);
        if answer.is_err() && head.status == 404 && named {
            (self.conversation, self.forgotten) = (None, true);
        }
        answer
    }

    /// A request in this conversation.
    fn said(&self, verb: &'static str, body: String, patience: Duration) -> Request {
        let named = self.conversation.clone().unwrap_or_default();
        let headers =
            vec![("MCP-Protocol-Version", self.version.clone()), ("Mcp-Session-Id", named)];
        Request { verb, body, headers, patience }
    }

    fn asking(&self, question: &Question<'_>) -> Request {
        let mut request = self.said("POST", question.body.to_string(), question.patience);
        if self.version == message::MODERN {
            request.headers.push(("Mcp-Method", question.method.to_owned()));
            request.headers.extend(question.name.map(|name| ("Mcp-Name", name.to_owned())));
        }
        request
    }

    fn has_conversation(&self) -> bool {
        self.conversation.is_some() && self.version != message::MODERN
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
    fn ask(&mut self, questions: &[Question<'_>], take: TakeReply<'_>) {
        let mut rest = questions;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(if self.lingers { 1 } else { rest.len() });
            let requests: Vec<Request> = now.iter().map(|question| self.asking(question)).collect();
            let (mut taken, mut over) = (0, false);
            let readers = Readers {
                read: &|number, head, body| match now.get(number) {
                    Some(question) => reply(question, head, body),
                    None => Err(another()),
                },
                take: &mut |_, reply| {
                    let failed = reply.is_err();
                    let flow = take(reply);
                    taken += 1;
                    over = failed || flow.is_break();
                    flow
                },
            };
            self.exchange(&requests, readers);
            if over || taken == 0 {
                return;
            }
            rest = if taken < now.len() { rest.get(taken..).unwrap_or_default() } else { later };
        }
    }

    fn tell(&mut self, notice: &Value) -> Result<(), ServerError> {
        let request = self.said("POST", notice.to_string(), ANSWER_PATIENCE);
        self.request(request, &|head| match head.status {
            200..300 => Ok(()),
            _ => Err(status(head)),
        })
    }

    fn speak(&mut self, version: &str) {
        version.clone_into(&mut self.version);
    }

    fn waited(&self) -> Duration {
        self.spent
    }

    fn was_forgotten(&mut self) -> bool {
        std::mem::take(&mut self.forgotten)
    }
}

impl Drop for Web<'_> {
    fn drop(&mut self) {
        if self.has_conversation() {
            let request = self.said("DELETE", String::new(), FAREWELL_PATIENCE);
            // Whether it cares is its own affair.
            let _ = self.request(request, &|_| Ok(()));
        }
    }
}

/// The answer to a question, behind its head.
fn reply(
    question: &Question<'_>,
    head: &Head,
    body: &mut Body<'_, '_>,
) -> Result<Reply, ServerError> {
    let (id, limit) = (question.id, question.limit);
    match head.get("content-type") {
        // A no may be an answer of the protocol, and often is not.
        Some(kind) if head.status >= 400 && is(kind, "application/json") => {
            body.document(id, limit).map_err(|_| status(head))
        }
        Some(kind) if is(kind, "text/event-stream") => body.event(id, limit),
        Some(kind) if is(kind, "application/json") => body.document(id, limit),
        _ if head.status >= 400 => Err(status(head)),
        _ => Err(ServerError::Nonsense("it answers neither JSON nor events".to_owned())),
    }
}

/// What comes behind the head.
struct Body<'a, 'b> {
    child: &'a Child<'b>,
    answers: Answers,
    bytes: Vec<u8>,
    /// Whether the answer is whole, or will not come.
    over: bool,
    /// Whether `curl` has ended it because it took too long.
    late: bool,
    /// Whether nothing came at all.
    silent: bool,
    patience: Duration,
}

impl<'a, 'b> Body<'a, 'b> {
    fn new(child: &'a Child<'b>) -> Self {
        let (answers, bytes) = (Answers::default(), Vec::new());
        let patience = Duration::ZERO;
        Self { child, answers, bytes, over: false, late: false, silent: false, patience }
    }
}

impl Body<'_, '_> {
    fn more(&mut self) -> Result<bool, ServerError> {
        while !self.over {
            match self.answers.next()? {
                Some(Part::Bytes(bytes)) => {
                    self.bytes.extend(bytes);
                    return Ok(true);
                }
                Some(Part::End(reason)) => {
                    (self.over, self.late) = (true, reason == TOO_LATE);
                }
                None => match self.child.next(&mut self.patience)? {
                    Piece::Bytes(bytes) => self.answers.give(bytes),
                    Piece::End => self.over = true,
                },
            }
        }
        Ok(false)
    }

    /// Whether the answer ends soon; if so the next one can be read.
    fn is_over(&mut self) -> bool {
        self.patience = STREAM_PATIENCE;
        let mut stray = std::mem::take(&mut self.bytes).len() as u64;
        while stray <= MESSAGE_SPARE_BYTES && matches!(self.more(), Ok(true)) {
            stray = stray.saturating_add(self.bytes.len() as u64);
            self.bytes.clear();
        }
        std::mem::take(&mut self.over)
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
        match message::read(&self.bytes, &[id])? {
            Heard::Reply(_, reply) => Ok(reply),
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
                if let Heard::Reply(_, reply) = message::read(&data, &[id])? {
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
    matches!(status, Some(Status::TimedOut | Status::Exit(TOO_LATE)))
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
            // An old one complains of its settings first.
            let why = said.lines().find(|line| line.starts_with("curl: ("));
            let said = why.or(said.lines().next()).unwrap_or("it sent nothing");
            ServerError::Unreachable(said.trim_start_matches("curl: ").to_owned())
        }
        _ => reason(ended, "curl"),
    }
}
