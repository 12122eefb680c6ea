//! A server on this machine: a program, and one message a line on its standard input and output. What
//! it says on standard error is kept, a little of it, to say why it ended.

use std::collections::BTreeMap;
use std::time::Duration;

use metier_package::served::ServerError;
use metier_sandbox::{Cancel, Confinement, Invocation, Runner};
use serde_json::Value;

use super::child::{Child, Input, Piece, reason};
use super::message::{self, Heard, Reply};
use super::session::{Question, TakeReply, Wire};
use crate::limits::{
    FAREWELL_PATIENCE, MAX_GREETING_BYTES, MAX_NOISE_LINES, MAX_STRAY_MESSAGES, QUESTIONS_AHEAD,
};

/// A program that is talked with.
pub(super) struct Stdio<'a> {
    child: Child<'a>,
    program: String,
    /// What it wrote behind the last whole line.
    rest: Vec<u8>,
    noise: usize,
    waited: Duration,
}

impl<'a> Stdio<'a> {
    /// Starts the program.
    pub(super) fn start(
        command: &[String],
        run: (&Runner, Confinement),
        cancel: &'a Cancel,
    ) -> Result<Self, ServerError> {
        let (program, args) = command
            .split_first()
            .ok_or_else(|| ServerError::Unreachable("no program is named".to_owned()))?;
        let invocation = args.iter().fold(Invocation::new(program), |so_far, arg| so_far.arg(arg));
        let child = Child::start(invocation, Input::Said, run, cancel)?;
        Ok(Self {
            child,
            program: program.clone(),
            rest: Vec::new(),
            noise: 0,
            waited: Duration::ZERO,
        })
    }

    fn say(&self, message: &Value) -> Result<(), ServerError> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.child.say(line)
    }

    /// The next line, of at most so many bytes.
    fn line(&mut self, limit: u64, patience: &mut Duration) -> Result<Vec<u8>, ServerError> {
        let mut looked = 0;
        loop {
            let new = self.rest.get(looked..).unwrap_or_default();
            if let Some(end) = new.iter().position(|byte| *byte == b'\n') {
                let rest = self.rest.split_off(looked + end + 1);
                let mut line = std::mem::replace(&mut self.rest, rest);
                line.pop();
                return Ok(line);
            }
            looked = self.rest.len();
            if looked as u64 > limit {
                return Err(ServerError::TooMuch(limit));
            }
            let before = *patience;
            let piece = self.child.next(patience);
            self.waited = self.waited.saturating_add(before.saturating_sub(*patience));
            match piece? {
                Piece::Bytes(bytes) => self.rest.extend(bytes),
                Piece::End => {
                    return Err(reason(self.child.end(FAREWELL_PATIENCE), &self.program));
                }
            }
        }
    }

    /// The answer to the first of these questions. Answers to the others are kept.
    fn reply(
        &mut self,
        waiting: &[Question<'_>],
        early: &mut BTreeMap<u64, Reply>,
    ) -> Result<Reply, ServerError> {
        let first = waiting.first().ok_or_else(talks)?;
        let ids: Vec<u64> = waiting.iter().map(|question| question.id).collect();
        // What comes between may be as long as a greeting, whatever the answers may be.
        let most = waiting.iter().map(|question| question.limit).max();
        let limit = most.unwrap_or_default().max(MAX_GREETING_BYTES);
        let mut patience = first.patience;
        for _ in 0..MAX_STRAY_MESSAGES {
            if let Some(reply) = early.remove(&first.id) {
                return Ok(reply);
            }
            let line = self.line(limit, &mut patience)?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if line.first() != Some(&b'{') && self.noise < MAX_NOISE_LINES {
                self.noise += 1;
                continue;
            }
            match message::read(&line, &ids)? {
                Heard::Reply(id, reply) => {
                    let limit = waiting.iter().find(|question| question.id == id);
                    let limit = limit.map_or(0, |question| question.limit);
                    if line.len() as u64 > limit {
                        return Err(ServerError::TooMuch(limit));
                    }
                    early.entry(id).or_insert(reply);
                }
                Heard::Question(answer) => self.say(&answer)?,
                Heard::Other => {}
            }
        }
        Err(talks())
    }
}

fn talks() -> ServerError {
    ServerError::Nonsense("it talks without answering".to_owned())
}

impl Wire for Stdio<'_> {
    fn ask(&mut self, questions: &[Question<'_>], take: TakeReply<'_>) {
        let mut early: BTreeMap<u64, Reply> = BTreeMap::new();
        let mut unsaid = questions.iter();
        for number in 0..questions.len() {
            // The first time as many as may wait, then one for each answer.
            let ahead = if number == 0 { QUESTIONS_AHEAD } else { 1 };
            let mut next = unsaid.by_ref().take(ahead);
            let said = next.try_for_each(|question| self.say(&question.body));
            let waiting = questions.get(number..).unwrap_or_default();
            let waiting = waiting.get(..QUESTIONS_AHEAD).unwrap_or(waiting);
            let reply = said.and_then(|()| self.reply(waiting, &mut early));
            let failed = reply.is_err();
            if take(reply).is_break() || failed {
                return;
            }
        }
    }

    fn tell(&mut self, notice: &Value) -> Result<(), ServerError> {
        self.say(notice)
    }

    fn speak(&mut self, _version: &str) {}

    fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Stdio<'_> {
    fn drop(&mut self) {
        // Its input ends, which is how it is told to go.
        drop(self.child.end(FAREWELL_PATIENCE));
    }
}
