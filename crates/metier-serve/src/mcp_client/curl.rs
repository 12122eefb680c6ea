//! What one `curl` is told and what it writes: several requests over one connection, and their answers
//! one behind the other. Pure; linear in what comes.

use std::time::Duration;

use metier_package::served::ServerError;

/// Stands on both sides of the number with which `curl` says how a request ended, behind each answer.
/// No JSON has this byte in it. A server that sends it cuts off its own answer and gains nothing: all
/// answers of one `curl` are that server's, and each is held against its question.
const MARK: u8 = 0x1e;

/// Longest such number, in bytes, with room to spare.
const MAX_NUMBER: usize = 8;

/// What is said of every request. `curl` forgets all of it where the next one begins.
const ALWAYS: &str = "\
silent
show-error
fail-early
no-buffer
include
globoff
suppress-connect-headers
max-redirs = 0
connect-timeout = 30
user-agent = metier
header = \"Content-Type: application/json\"
header = \"Accept: application/json, text/event-stream\"
header = \"Expect:\"
write-out = \"\u{1e}%{exitcode}\u{1e}\"
";

/// Where requests go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    /// The address.
    pub(super) url: &'a str,
    /// Whether a login from `.netrc` goes there, too.
    pub(super) login: bool,
}

/// One request.
pub(super) struct Request {
    /// What is done.
    pub(super) verb: &'static str,
    /// What is sent, if anything.
    pub(super) body: String,
    /// What is said beside it; what is empty is not said.
    pub(super) headers: Vec<(&'static str, String)>,
    /// How long it may take.
    pub(super) patience: Duration,
}

/// What `curl` reads from its standard input to send these requests there, one after the other
/// until one fails. There it is nobody else's to see, as arguments are.
pub(super) fn settings(Target { url, login }: Target<'_>, requests: &[Request]) -> String {
    let protocol = if url.starts_with("http://") { "=http" } else { "=https" };
    let mut text = String::new();
    for request in requests {
        if !text.is_empty() {
            text.push_str("next\n");
        }
        text.push_str(ALWAYS);
        if login {
            text.push_str("netrc-optional\n");
        }
        let mut set = |name: &str, value: &str| {
            text.push_str(&format!("{name} = {}\n", quoted(value)));
        };
        set("proto", protocol);
        set("request", request.verb);
        set("max-time", &format!("{:.3}", request.patience.as_secs_f64()));
        for (name, value) in request.headers.iter().filter(|(_, value)| !value.is_empty()) {
            set("header", &format!("{name}: {value}"));
        }
        if !request.body.is_empty() {
            set("data-raw", &request.body);
        }
        set("url", url);
    }
    text
}

/// A value as `curl` reads it back.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

/// A part of what `curl` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Some bytes of an answer.
    Bytes(Vec<u8>),
    /// The answer is over, for this reason; zero is none, or one that this `curl` does not tell.
    End(i32),
}

/// Tells the answers apart as their bytes come.
#[derive(Debug, Default)]
pub(super) struct Answers {
    waiting: Vec<u8>,
}

impl Answers {
    /// These bytes came.
    pub(super) fn give(&mut self, bytes: Vec<u8>) {
        match self.waiting.is_empty() {
            true => self.waiting = bytes,
            false => self.waiting.extend(bytes),
        }
    }

    /// The next part, when enough came to know it.
    pub(super) fn next(&mut self) -> Result<Option<Part>, ServerError> {
        match self.waiting.iter().position(|byte| *byte == MARK) {
            None if self.waiting.is_empty() => Ok(None),
            None => Ok(Some(Part::Bytes(std::mem::take(&mut self.waiting)))),
            Some(0) => self.end(),
            Some(at) => {
                let rest = self.waiting.split_off(at);
                Ok(Some(Part::Bytes(std::mem::replace(&mut self.waiting, rest))))
            }
        }
    }

    fn end(&mut self) -> Result<Option<Part>, ServerError> {
        let number = self.waiting.get(1..).unwrap_or_default();
        let number = number.get(..MAX_NUMBER).unwrap_or(number);
        let Some(length) = number.iter().position(|byte| *byte == MARK) else {
            return match number.len() < MAX_NUMBER {
                true => Ok(None),
                false => Err(stray()),
            };
        };
        let digits = number.get(..length).and_then(|digits| std::str::from_utf8(digits).ok());
        // One from before version 7.75 does not know its number yet, and writes none.
        let reason = digits.and_then(|digits| match digits {
            "" => Some(0),
            digits => digits.parse().ok(),
        });
        let reason = reason.ok_or_else(stray)?;
        self.waiting.drain(..length + 2);
        Ok(Some(Part::End(reason)))
    }
}

fn stray() -> ServerError {
    ServerError::Nonsense("it sends a byte that no answer has in it".to_owned())
}

#[cfg(test)]
#[path = "curl_tests.rs"]
mod tests;
