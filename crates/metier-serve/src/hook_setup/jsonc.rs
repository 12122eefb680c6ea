//! JSON as people keep it in settings: with comments, commas that nothing follows, a byte order mark,
//! a key twice. A text is read into the places its values have, and changed at those places, so that
//! whatever is not changed keeps every byte. Knows nothing of agents and hooks.
//!
//! Start at [`Document::read`]. Reading and each change take one pass.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use crate::limits::MAX_SETTINGS_DEPTH;

/// A text, and where its values are.
#[derive(Clone, Debug)]
pub(super) struct Document {
    text: String,
    root: Node,
}

/// One value.
#[derive(Clone, Debug)]
pub(super) struct Node {
    span: Range<usize>,
    kind: Kind,
    /// Where something new goes: behind the last item and whatever is remarked on it.
    tail: usize,
}

/// What a value is.
#[derive(Clone, Debug)]
enum Kind {
    Object(Vec<Item>),
    List(Vec<Item>),
    Plain,
}

/// One member of an object, or one value of a list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Where the white space before it begins.
    lead: usize,
    start: usize,
    key: String,
    pub(super) value: Node,
    comma: Option<usize>,
}

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    at: usize,
    what: &'static str,
}

/// What is cut out of a text.
#[derive(Debug, Default)]
pub(super) struct Cuts(Vec<Range<usize>>);

impl Document {
    /// Reads a text; an empty one as an object with nothing in it.
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mark = text.len() - bare.len();
        let text: Cow<'_, str> = match bare.trim().is_empty() {
            true => format!("{}{{}}\n", text.get(..mark).unwrap_or_default()).into(),
            false => text.into(),
        };
        let mut reader = Reader { text: &text, at: mark, depth: 0 };
        reader.pass();
        let root = reader.value()?;
        reader.pass();
        match reader.peek() {
            None => Ok(Self { root, text: text.into_owned() }),
            Some(_) => Err(reader.fault("something follows the value")),
        }
    }

    /// The whole text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The outermost value.
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// What a value says. Of two members with one key the last counts, as for every agent.
    pub(super) fn value(&self, node: &Node) -> Value {
        match &node.kind {
            Kind::Object(items) => {
                let members = items.iter().map(|item| (item.key.clone(), self.value(&item.value)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Kind::List(items) => items.iter().map(|item| self.value(&item.value)).collect(),
            Kind::Plain => {
                let text = self.text.get(node.span.clone()).unwrap_or_default();
                serde_json::from_str(text).unwrap_or_default()
            }
        }
    }

    /// The text with one more item at the end of `node`, laid out as its neighbours are. A list has
    /// no use for the key.
    pub(super) fn append(&self, node: &Node, key: &str, value: &Value) -> String {
        let layout = self.layout(node);
        let mut item = layout.shown(value);
        if matches!(node.kind, Kind::Object(_)) {
            let colon = if layout.is_lines() { ": " } else { ":" };
            item.insert_str(0, &format!("{}{colon}", Value::from(key)));
        }
        let mut out = String::with_capacity(self.text.len() + item.len());
        let piece = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        match node.items().last() {
            None => {
                let closing = piece(node.tail..node.span.end);
                out.extend([piece(0..node.tail), &layout.before, &item]);
                if layout.is_lines() && !closing.contains('\n') {
                    out.push_str(&layout.after);
                }
            }
            Some(last) => {
                let end = last.value.span.end;
                let (comma, trailing) = match last.comma {
                    Some(_) => ("", ","),
                    None => (",", ""),
                };
                out.extend([piece(0..end), comma, piece(end..node.tail)]);
                out.extend([&layout.before, &item, trailing]);
            }
        }
        out.push_str(piece(node.tail..self.text.len()));
        out
    }

    /// The text without what is cut out.
    pub(super) fn without(&self, mut cuts: Cuts) -> String {
        cuts.0.sort_by_key(|cut| cut.start);
        let (mut out, mut at) = (String::with_capacity(self.text.len()), 0);
        for cut in cuts.0 {
            out.push_str(self.text.get(at..cut.start).unwrap_or_default());
            at = at.max(cut.end);
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        out
    }

    /// Whether there is nothing in it, not even a remark.
    pub(super) fn is_empty(&self) -> bool {
        let inside = self.root.span.start + 1..self.root.span.end - 1;
        let outside = [0..self.root.span.start, self.root.span.end..self.text.len()];
        let is_blank = |range: Range<usize>| {
            let piece = self.text.get(range).unwrap_or("?");
            piece.trim_start_matches('\u{feff}').trim().is_empty()
        };
        self.root.members().is_some() && is_blank(inside) && outside.into_iter().all(is_blank)
    }

    /// Whether there is a remark in `item`, or between its key and its value, outside of those of its
    /// `parts`.
    pub(super) fn is_remarked(&self, item: &Item, parts: &[Item]) -> bool {
        let mut at = item.start;
        let mut parts = parts.iter().map(|part| part.start..part.value.span.end);
        loop {
            let part = parts.next();
            let end = part.as_ref().map_or(item.value.span.end, |part| part.start);
            if has_remark(self.text.get(at..end).unwrap_or_default()) {
                return true;
            }
            match part {
                Some(part) => at = part.end,
                None => return false,
            }
        }
    }

    /// Where in the text a fault is, for people.
    pub(super) fn told(text: &str, fault: &Fault) -> String {
        let before = text.get(..fault.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{} at line {line} column {column}", fault.what)
    }

    fn layout(&self, node: &Node) -> Layout {
        let inside = self.text.get(node.span.clone()).unwrap_or_default();
        let items = node.items();
        let is_root = node.span == self.root.span;
        let lines = match items.is_empty() {
            true => is_root || self.text.trim().contains('\n'),
            false => inside.contains('\n'),
        };
        if !lines {
            let spaced = items.last().is_some_and(|item| item.lead < item.start);
            let before = if spaced && items.len() > 1 { " " } else { "" };
            return Layout { before: before.to_owned(), ..Layout::default() };
        }
        // A line that ends where something new goes ends as it did, also behind a remark.
        let behind = self.text.get(node.tail..).unwrap_or_default();
        let newline = match behind.starts_with('\n') || !self.text.contains("\r\n") {
            true => "\n",
            false => "\r\n",
        };
        let unit = self.unit();
        let base = self.indent(node.span.end - 1).0;
        let indent = match items.first().map(|item| self.indent(item.start)) {
            Some((indent, true)) => indent.to_owned(),
            _ => format!("{base}{unit}"),
        };
        Layout {
            before: format!("{newline}{indent}"),
            after: format!("{newline}{base}"),
            unit: Some(unit.to_owned()),
        }
    }

    /// The white space at the start of the line of a place, and whether nothing else is before it.
    fn indent(&self, at: usize) -> (&str, bool) {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let before = before.get(line..).unwrap_or_default();
        let rest = before.trim_start_matches([' ', '\t']);
        (before.get(..before.len() - rest.len()).unwrap_or_default(), rest.is_empty())
    }

    /// What one level is indented by.
    fn unit(&self) -> &str {
        let is_indented = |line: &&str| {
            line.starts_with([' ', '\t']) && line.trim_start().starts_with(['"', '{', '['])
        };
        let line = self.text.lines().find(is_indented);
        line.and_then(|line| line.get(..line.len() - line.trim_start().len())).unwrap_or("  ")
    }
}

impl Node {
    /// The members of an object.
    pub(super) fn members(&self) -> Option<&[Item]> {
        match &self.kind {
            Kind::Object(items) => Some(items),
            Kind::List(_) | Kind::Plain => None,
        }
    }

    /// The values of a list.
    pub(super) fn values(&self) -> Option<&[Item]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            Kind::Object(_) | Kind::Plain => None,
        }
    }

    /// The member that counts of those with this key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut found = self.members()?.iter().rev().filter(|item| item.key == key);
        found.next().map(|item| &item.value)
    }

    fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::List(items) => items,
            Kind::Plain => &[],
        }
    }
}

impl Item {
    /// The key of a member; a value of a list has an empty one.
    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

impl Cuts {
    /// Cuts out those of `items`, which are all of one object or list, for which `goes` says so, with
    /// their commas. What is remarked beside them stays.
    pub(super) fn items(&mut self, text: &str, items: &[Item], goes: impl Fn(&Item) -> bool) {
        let mut kept_comma = None;
        for item in items {
            if !goes(item) {
                kept_comma = item.comma;
                continue;
            }
            self.0.push(item.lead..item.value.span.end);
            let end = item.comma.map_or(item.value.span.end, |comma| comma + 1);
            self.0.extend(item.comma.map(|comma| comma..end));
            // Its line, when the white space before it ends with a remark and not with a line.
            let follows = text.get(end..).unwrap_or_default();
            let blank = follows.len() - follows.trim_start_matches([' ', '\t', '\r']).len();
            if text.get(..item.lead).is_some_and(|before| before.ends_with('\n'))
                && follows.get(blank..).is_some_and(|rest| rest.starts_with('\n'))
            {
                self.0.push(end..end + blank + 1);
            }
        }
        if items.last().is_some_and(|last| goes(last) && last.comma.is_none()) {
            self.0.extend(kept_comma.map(|comma| comma..comma + 1));
        }
    }
}

/// Whether there is a remark in a piece of JSON, which has whole strings only: nowhere else outside of
/// strings is there a slash.
fn has_remark(piece: &str) -> bool {
    let mut bytes = piece.bytes();
    let mut is_string = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'/' if !is_string => return true,
            b'"' => is_string = !is_string,
            b'\\' if is_string => drop(bytes.next()),
            _ => {}
        }
    }
    false
}

/// How something new is laid out.
#[derive(Default)]
struct Layout {
    /// What comes before it, on a line of its own with the line's end.
    before: String,
    /// What comes before a bracket that had nothing in it.
    after: String,
    /// What a level is indented by; none where everything is on one line.
    unit: Option<String>,
}

impl Layout {
    fn is_lines(&self) -> bool {
        self.unit.is_some()
    }

    fn shown(&self, value: &Value) -> String {
        let Some(unit) = &self.unit else { return value.to_string() };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(unit.as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        match written.map(|()| String::from_utf8(bytes)) {
            // No string in JSON has a bare line's end in it.
            Ok(Ok(text)) => text.replace('\n', &self.before),
            _ => value.to_string(),
        }
    }
}

/// Reads a text, once, from front to back.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn fault(&self, what: &'static str) -> Fault {
        Fault { at: self.at, what }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes white space and comments: gives where the white space after the last of them begins,
    /// and where the last of them ends. The end of its line is part of a comment and not its end.
    fn pass(&mut self) -> (usize, usize) {
        let (mut lead, mut tail) = (self.at, self.at);
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = self.rest();
            if rest.starts_with("//") {
                let line = rest.find('\n').unwrap_or(rest.len());
                let said = rest.get(..line).unwrap_or_default().trim_end_matches('\r').len();
                tail = self.at + said;
                self.at = (self.at + line + 1).min(self.text.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.get(2..).and_then(|rest| rest.find("*/")) else {
                    return (lead, tail);
                };
                self.at += end + 4;
                tail = self.at;
            } else {
                return (lead, tail);
            }
            lead = self.at;
        }
    }

    fn value(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if self.depth == MAX_SETTINGS_DEPTH => {
                return Err(self.fault("too many values lie in one another"));
            }
            Some(open @ (b'{' | b'[')) => {
                self.at += 1;
                self.depth += 1;
                let (items, tail) = self.items(open == b'{')?;
                self.depth -= 1;
                let kind = if open == b'{' { Kind::Object(items) } else { Kind::List(items) };
                return Ok(Node { span: start..self.at, kind, tail });
            }
            Some(b'"') => {
                self.string()?;
                Kind::Plain
            }
            _ => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                let rest = self.rest();
                let word = rest.len() - rest.trim_start_matches(is_word).len();
                let text = rest.get(..word).unwrap_or_default();
                if serde_json::from_str::<Value>(text).is_err() {
                    return Err(self.fault("there is no value"));
                }
                self.at += word;
                Kind::Plain
            }
        };
        Ok(Node { span: start..self.at, kind, tail: self.at })
    }

    /// Passes a string. What is in it is nobody's business here, except that it ends on its line.
    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.at += 2,
                Some(0x20..) => self.at += 1,
                _ => return Err(Fault { at: start, what: "a string does not end" }),
            }
        }
    }

    /// The items of an object or a list, after its first bracket and with its last, and where
    /// something new goes.
    fn items(&mut self, is_object: bool) -> Result<(Vec<Item>, usize), Fault> {
        let close = if is_object { b'}' } else { b']' };
        let mut items: Vec<Item> = Vec::new();
        loop {
            let (lead, tail) = self.pass();
            let start = self.at;
            if self.takes(close) {
                return Ok((items, tail));
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.fault("there is no comma"));
            }
            let key = if is_object { self.key()? } else { String::new() };
            let value = self.value()?;
            let (_, tail) = self.pass();
            let comma = Some(self.at).filter(|_| self.takes(b','));
            let ends = comma.is_none() && self.peek() == Some(close);
            items.push(Item { lead, start, key, value, comma });
            if ends {
                self.at += 1;
                return Ok((items, tail));
            }
        }
    }

    /// A key with the colon after it.
    fn key(&mut self) -> Result<String, Fault> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.fault("there is no key"));
        }
        self.string()?;
        let text = self.text.get(start..self.at).unwrap_or_default();
        // One that is no text for Rust is none that is looked for.
        let key = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
        self.pass();
        if !self.takes(b':') {
            return Err(self.fault("there is no colon"));
        }
        self.pass();
        Ok(key)
    }
}

#[cfg(test)]
#[path = "jsonc_tests.rs"]
mod tests;
