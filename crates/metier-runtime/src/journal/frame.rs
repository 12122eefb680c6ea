//! One frame and its line.
//!
//! A line is a JSON object whose last member is always `"digest":"<64 hex digits>"`. The digest is
//! SHA-256 of the line's own bytes up to, not including, the comma before that member; `prev` is the
//! digest of the line before, zeros for the first. So a line proves itself and its place, and any
//! byte changed, dropped or moved is seen without parsing.

use std::borrow::Cow;

use metier_format::text::visible_json;
use metier_store::digest::{hex, sha256};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::event::Event;
use crate::limits::MAX_FRAME_BYTES;

/// The version of the line format.
pub(super) const VERSION: u64 = 1;

/// `,"digest":"` … `"}`
const SEAL_START: &str = ",\"digest\":\"";
const SEAL_BYTES: usize = SEAL_START.len() + 64 + 2;

/// Who an event belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// The session.
    pub session: String,
    /// The agent.
    pub agent: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// The tenant.
    pub tenant: Option<String>,
    /// What ties this to something outside.
    pub correlation: Option<String>,
}

/// An event as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its place in its session, from 0.
    pub seq: u64,
    /// Who it belongs to.
    pub ids: Ids,
    /// When it was written.
    pub time: Moment,
    /// The event's name.
    pub kind: String,
    /// What it says.
    pub payload: Map<String, Value>,
    /// Members this version does not know, kept.
    pub extra: Map<String, Value>,
    /// The digest of the line before, hex.
    pub prev: String,
    /// The digest of this line, hex.
    pub digest: String,
}

/// Why a line is not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Longer than a line may be.
    #[error("the line is too long")]
    TooLong,
    /// The line does not end with a digest.
    #[error("the line has no digest")]
    NoDigest,
    /// The digest is not that of the line.
    #[error("the line was edited")]
    Edited,
    /// Not a JSON object with a frame's members.
    #[error("the line is not a frame")]
    NotAFrame,
    /// Written by a newer version.
    #[error("the line was written by a newer version")]
    Newer,
}

impl Frame {
    /// The digest before the first line.
    #[must_use]
    pub fn origin() -> String {
        "0".repeat(64)
    }

    /// The event this frame tells.
    #[must_use]
    pub fn event(&self) -> Event {
        Event::read(&self.kind, &self.payload)
    }

    /// The frame's line, without a line break, and with its digest filled in.
    #[must_use]
    pub fn seal(&mut self) -> String {
        // Nothing in it is live on a terminal, so the file can be looked at with anything.
        let text = serde_json::to_string(&Unsealed(self)).unwrap_or_default();
        let mut line = match visible_json(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(visible) => visible,
        };
        line.truncate(line.len() - 1);
        self.digest = digest(line.as_bytes());
        line.push_str(SEAL_START);
        line.push_str(&self.digest);
        line.push_str("\"}");
        line
    }

    /// The frame as JSON, member by member as its line has it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::from_str(&self.clone().seal()).unwrap_or_default()
    }

    /// The frame a line tells, after its digest was checked.
    pub fn parse(line: &[u8]) -> Result<Self, FrameError> {
        let digest = check_seal(line)?;
        let value: Value = serde_json::from_slice(line).map_err(|_| FrameError::NotAFrame)?;
        let Value::Object(mut members) = value else { return Err(FrameError::NotAFrame) };
        if members.remove("v").and_then(|v| v.as_u64()).ok_or(FrameError::NotAFrame)? > VERSION {
            return Err(FrameError::Newer);
        }
        let number =
            |value: Option<Value>| value.and_then(|v| v.as_u64()).ok_or(FrameError::NotAFrame);
        members.remove("digest");
        members.remove("id");
        let Some(Value::Object(payload)) = members.remove("payload") else {
            return Err(FrameError::NotAFrame);
        };
        Ok(Self {
            seq: number(members.remove("seq"))?,
            time: Moment(number(members.remove("timestamp_ms"))?),
            kind: text(members.remove("type")).ok_or(FrameError::NotAFrame)?,
            prev: text(members.remove("prev")).ok_or(FrameError::NotAFrame)?,
            ids: Ids {
                session: text(members.remove("session_id")).ok_or(FrameError::NotAFrame)?,
                agent: text(members.remove("agent_id")),
                task: text(members.remove("task_id")),
                tenant: text(members.remove("tenant_id")),
                correlation: text(members.remove("correlation_id")),
            },
            payload,
            extra: members,
            digest,
        })
    }
}

/// Everything of a frame but its digest, in the order written.
struct Unsealed<'a>(&'a Frame);

impl Serialize for Unsealed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Frame { seq, ids, time, kind, payload, extra, prev, digest: _ } = self.0;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("v", &VERSION)?;
        members.serialize_entry("id", &format_args!("{}:{seq}", ids.session))?;
        members.serialize_entry("session_id", &ids.session)?;
        members.serialize_entry("seq", seq)?;
        members.serialize_entry("timestamp_ms", &time.0)?;
        let optional = [
            ("agent_id", &ids.agent),
            ("task_id", &ids.task),
            ("tenant_id", &ids.tenant),
            ("correlation_id", &ids.correlation),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                members.serialize_entry(key, value)?;
            }
        }
        members.serialize_entry("type", kind)?;
        members.serialize_entry("payload", payload)?;
        for (key, value) in extra {
            members.serialize_entry(key, value)?;
        }
        members.serialize_entry("prev", prev)?;
        members.end()
    }
}

/// The line's digest, when the line is as long as a line may be and its bytes have that digest.
pub(super) fn check_seal(line: &[u8]) -> Result<String, FrameError> {
    if line.len() > MAX_FRAME_BYTES {
        return Err(FrameError::TooLong);
    }
    let body_len = line.len().checked_sub(SEAL_BYTES).ok_or(FrameError::NoDigest)?;
    let (body, seal) = line.split_at(body_len);
    let hex = seal
        .strip_prefix(SEAL_START.as_bytes())
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .and_then(|hex| std::str::from_utf8(hex).ok())
        .ok_or(FrameError::NoDigest)?;
    if digest(body) == hex { Ok(hex.to_owned()) } else { Err(FrameError::Edited) }
}

/// SHA-256 as lowercase hex.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

fn text(value: Option<Value>) -> Option<String> {
    match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}
