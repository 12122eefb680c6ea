//! The head of an answer from the web, and the events of a stream. Pure; linear in what comes.

use metier_package::served::ServerError;

/// The head of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The server's status.
    pub(super) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The head that `bytes` begin with and how long it is, once it is whole.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, ServerError> {
        let end = |mark: &[u8]| {
            let at = bytes.windows(mark.len()).position(|window| window == mark);
            at.map(|at| at + mark.len())
        };
        let Some(length) = [end(b"\r\n\r\n"), end(b"\n\n")].into_iter().flatten().min() else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let status = first.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1));
        let status = status.and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| {
            ServerError::Nonsense("it does not answer in the way of the web".to_owned())
        })?;
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        Ok(Some((Self { status, headers: lines.filter_map(header).collect() }, length)))
    }

    /// What a header says, the first one of that name in lower case.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether another head follows.
    pub(super) fn is_early(&self) -> bool {
        (100..200).contains(&self.status)
    }
}

/// Reads events as their bytes come.
#[derive(Debug)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Whether the last byte was a carriage return, which a line feed may belong to.
    returned: bool,
    limit: u64,
}

impl Events {
    /// Events of at most so many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, returned: false, limit }
    }

    /// The data of the events that are whole with these bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ServerError> {
        let mut whole = Vec::new();
        for byte in bytes {
            let feeds = *byte == b'\n' && std::mem::take(&mut self.returned);
            match byte {
                b'\n' if feeds => {}
                b'\n' | b'\r' => {
                    self.returned = *byte == b'\r';
                    whole.extend(self.end_line());
                }
                other => {
                    self.returned = false;
                    self.line.push(*other);
                }
            }
            if (self.line.len() + self.data.len()) as u64 > self.limit {
                return Err(ServerError::TooMuch(self.limit));
            }
        }
        Ok(whole)
    }

    /// The data of the event that ends with this line.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let has = std::mem::take(&mut self.has_data);
            return has.then(|| std::mem::take(&mut self.data));
        }
        let rest = line.strip_prefix(b"data").filter(|rest| matches!(rest, [] | [b':', ..]));
        if let Some(rest) = rest {
            let value = rest.strip_prefix(b":").unwrap_or(rest);
            let value = value.strip_prefix(b" ").unwrap_or(value);
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        }
        None
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
