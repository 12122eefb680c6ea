//! A server on this machine: a program, and one message a line on its standard input and output. What
//! it says on standard error is kept, a little of it, to say why it ended.

use std::time::Duration;

use metier_package::served::ServerError;
use metier_sandbox::{Cancel, Confinement, Invocation, Runner};
use serde_json::Value;

use super::child::{Child, Input, Piece, reason};
use super::message::{self, Heard, Reply};
use super::session::{Question, Wire};
use crate::limits::{FAREWELL_PATIENCE, MAX_GREETING_BYTES, MAX_NOISE_LINES, MAX_STRAY_MESSAGES};

/// A program that is talked with.
pub(super) struct Stdio<'a> {
    child: Child<'a>,
    program: String,
    /// What it wrote behind the last whole line.
    rest: Vec<u8>,
    noise: usize,
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
        Ok(Self { child, program: program.clone(), rest: Vec::new(), noise: 0 })
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
            match self.child.next(patience)? {
                Piece::Bytes(bytes) => self.rest.extend(bytes),
                Piece::End => {
                    return Err(reason(self.child.end(FAREWELL_PATIENCE), &self.program));
                }
            }
        }
    }
}

impl Wire for Stdio<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, ServerError> {
        self.say(&question.body)?;
        let mut patience = question.patience;
        // What comes between may be as long as a greeting, whatever the answer may be.
        let limit = question.limit.max(MAX_GREETING_BYTES);
        for _ in 0..MAX_STRAY_MESSAGES {
            let line = self.line(limit, &mut patience)?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if line.first() != Some(&b'{') && self.noise < MAX_NOISE_LINES {
                self.noise += 1;
                continue;
            }
            match message::read(&line, question.id)? {
                Heard::Reply(_) if line.len() as u64 > question.limit => {
                    return Err(ServerError::TooMuch(question.limit));
                }
                Heard::Reply(reply) => return Ok(reply),
                Heard::Question(answer) => self.say(&answer)?,
                Heard::Other => {}
            }
        }
        Err(ServerError::Nonsense("it talks without answering".to_owned()))
    }

    fn tell(&mut self, notice: &Value) -> Result<(), ServerError> {
        self.say(notice)
    }

    fn speak(&mut self, _version: &str) {}
}

impl Drop for Stdio<'_> {
    fn drop(&mut self) {
        // Its input ends, which is how it is told to go.
        drop(self.child.end(FAREWELL_PATIENCE));
    }
}
