//! Line-oriented repair of what real files get wrong in YAML: a value without quotes that contains
//! `: ` or starts with an indicator, text after a closing quote, a quote left open, a tab that
//! indents, a known key without a space after its colon. Each repair quotes one value and leaves
//! the rest of the file alone, so the author's text and order stay.
//!
//! The frontmatter is cut into entries: a key's line and the lines below that belong to it. An entry
//! that can be read on its own is never touched; of the others only those are mended whose meaning
//! is beyond doubt. Repairing a repaired text changes nothing. Start at [`repair`]; what becomes of
//! one value is in `value`.

mod value;

use crate::diagnostic::Edit;
use crate::limits::{MAX_REPAIR_BYTES, MAX_REPAIRS};
use crate::span::Span;
use crate::yaml;

/// A frontmatter text after repair, and the edits that made it, placed in the original file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The repaired frontmatter text.
    pub text: String,
    /// One edit a value, in file order, with spans in the file.
    pub edits: Vec<Edit>,
}

/// Repairs `yaml`, whose first byte stands at `base` in the file. None when no line has a known
/// mistake, and when the text can be read as it is. The result may still not parse; the caller
/// reads it again. Linear in the length of `yaml`.
#[must_use]
pub fn repair(yaml: &str, base: usize) -> Option<Repair> {
    if yaml.len() > MAX_REPAIR_BYTES || yaml::read(yaml, base).is_ok() {
        return None;
    }
    let lines = lines_of(yaml);
    let indent = lines.iter().find(|line| line.has_content())?.columns;
    let references = value::has_references(yaml);
    let mut mender = Mender { yaml, references, patches: Vec::new(), broken: 0, stop: false };
    mender.level(&lines, indent, Level::Top);
    if mender.broken > MAX_REPAIRS {
        return None;
    }
    mender.finish(base)
}

/// One line of the text, without its line break.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    start: usize,
    text: &'a str,
    /// Tabs the line starts with.
    tabs: usize,
    /// Bytes before the content.
    indent: usize,
    /// Columns before the content, once the tabs are spaces.
    columns: usize,
}

/// Which entries are looked at: those at the top, or those one level below.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Top,
    Nested,
}

/// What replaces the bytes from `start` to `end` of the text.
struct Patch {
    start: usize,
    end: usize,
    text: String,
}

struct Mender<'a> {
    yaml: &'a str,
    /// Whether the text has both anchors and aliases, so that `*x` and `&x` mean what they say.
    references: bool,
    patches: Vec<Patch>,
    /// Entries that cannot be read on their own.
    broken: usize,
    /// A bracket is left open: nothing after it can be told apart.
    stop: bool,
}

impl<'a> Mender<'a> {
    /// Mends the entries whose keys stand at `indent`.
    fn level(&mut self, lines: &[Line<'a>], indent: usize, level: Level) {
        let mut rest = lines;
        while let Some((first, below)) = rest.split_first()
            && !self.stop
            && self.broken <= MAX_REPAIRS
        {
            let length = below.iter().position(|line| line.starts_entry(indent));
            let entry;
            (entry, rest) = rest.split_at(1 + length.unwrap_or(below.len()));
            if first.has_content() && !self.stands(entry, level) {
                self.broken += 1;
                let patches = self.patches.len();
                self.entry(entry, indent, level);
                if level == Level::Top {
                    self.replace_tabs(entry, patches);
                }
            }
        }
    }

    /// Whether the entry can be read on its own. Its key's indentation is left out, because the
    /// fast reader knows none; but a tab before a key at the top is a mistake of the entry itself.
    fn stands(&self, entry: &[Line<'a>], level: Level) -> bool {
        let (Some(first), Some(last)) = (entry.first(), entry.last()) else { return true };
        let indent = if first.tabs > 0 && level == Level::Top { 0 } else { first.indent };
        let text = self.yaml.get(first.start + indent..last.start + last.text.len());
        text.is_some_and(|text| yaml::read(text, 0).is_ok())
    }

    fn entry(&mut self, entry: &[Line<'a>], indent: usize, level: Level) {
        let Some((first, below)) = entry.split_first() else { return };
        let Some(key) = value::key_of(first.content()).filter(|_| first.columns == indent) else {
            return;
        };
        if !key.spaced && (level == Level::Nested || !value::is_known(first.content())) {
            return;
        }
        let at = first.start + first.indent + key.length;
        let rest = first.rest(key.length);
        self.stop = value::leaves_bracket_open(rest.text, below.iter().map(|line| line.text));
        let patches = self.patches.len();
        match below.iter().find(|line| line.continues(indent)) {
            None => self.one_line(&rest),
            Some(line) if rest.text.is_empty() && line.is_entry() && level == Level::Top => {
                self.level(below, line.columns, Level::Nested);
            }
            Some(_) => self.fold(&rest, below, indent),
        }
        if !key.spaced {
            self.insert_space(at, patches);
        }
    }

    /// Mends a value that has its line for itself.
    fn one_line(&mut self, rest: &Piece<'a>) {
        if let Some(mended) = value::mend(rest.text, self.references) {
            let (start, end) = (rest.start, rest.start + mended.length);
            self.patches.push(Patch { start, end, text: mended.text });
        }
    }

    /// Quotes a plain value that goes on below its line, as one line. Only when no line of it could
    /// be anything else: a comment, a list item, another entry.
    fn fold(&mut self, rest: &Piece<'a>, below: &[Line<'a>], indent: usize) {
        let last = below.iter().rposition(|line| line.continues(indent)).unwrap_or(0);
        let below = below.get(..=last).unwrap_or_default();
        if !below.iter().all(|line| line.continues(indent) && line.can_continue_text()) {
            return;
        }
        let lines = below.iter().map(Line::piece);
        let pieces: Vec<Piece<'a>> =
            std::iter::once(*rest).filter(|rest| !rest.text.is_empty()).chain(lines).collect();
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
        if let Some(text) = value::mend_lines(&texts) {
            self.patches.push(Patch { start: first.start, end: last.end(), text });
        }
    }

    /// Puts the missing space after a key's colon at `at`, before the value or the patch of it.
    fn insert_space(&mut self, at: usize, patches: usize) {
        match self.patches.get_mut(patches).filter(|patch| patch.start == at) {
            Some(patch) => patch.text.insert(0, ' '),
            None => self.patches.push(Patch { start: at, end: at, text: " ".to_owned() }),
        }
    }

    /// Replaces the tabs that lines of a broken entry start with, unless one of the entry's own
    /// patches, which start at number `patches`, does so.
    fn replace_tabs(&mut self, entry: &[Line<'a>], patches: usize) {
        let own = self.patches.split_off(patches);
        for line in entry.iter().filter(|line| line.tabs > 0 && line.has_content()) {
            let (start, end) = (line.start, line.start + line.indent);
            if !own.iter().any(|patch| patch.start < end && patch.end > start) {
                self.patches.push(Patch { start, end, text: " ".repeat(line.columns) });
            }
        }
        self.patches.extend(own);
    }

    fn finish(mut self, base: usize) -> Option<Repair> {
        self.patches.sort_by_key(|patch| patch.start);
        let mut text = String::with_capacity(self.yaml.len() + 64);
        let mut edits = Vec::with_capacity(self.patches.len());
        let mut at = 0;
        for patch in self.patches {
            text.push_str(self.yaml.get(at..patch.start)?);
            text.push_str(&patch.text);
            at = patch.end;
            let span = Span::new(base + patch.start, base + patch.end);
            edits.push(Edit { span, text: patch.text });
        }
        text.push_str(self.yaml.get(at..)?);
        (!edits.is_empty()).then_some(Repair { text, edits })
    }
}

/// Some text and where it starts.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Piece<'a> {
    /// `text`, which starts at `start`, without the blanks at either end.
    fn trimmed(text: &'a str, start: usize) -> Self {
        let trimmed = text.trim_start_matches([' ', '\t']);
        let start = start + (text.len() - trimmed.len());
        Self { text: trimmed.trim_end_matches([' ', '\t']), start }
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

impl<'a> Line<'a> {
    fn content(&self) -> &'a str {
        self.text.get(self.indent..).unwrap_or("")
    }

    fn piece(&self) -> Piece<'a> {
        self.rest(0)
    }

    /// What follows the first `length` bytes of the content. A comment there is nothing.
    fn rest(&self, length: usize) -> Piece<'a> {
        let start = self.indent + length;
        let rest = Piece::trimmed(self.text.get(start..).unwrap_or(""), self.start + start);
        if rest.text.starts_with('#') { Piece { text: "", ..rest } } else { rest }
    }

    fn is_blank(&self) -> bool {
        self.words().is_empty()
    }

    /// Whether the line is neither blank nor a comment.
    fn has_content(&self) -> bool {
        !self.is_blank() && !self.words().starts_with('#')
    }

    fn is_item(&self) -> bool {
        self.words() == "-" || self.words().starts_with("- ")
    }

    /// Whether the line is `key: value` or `key:`.
    fn is_entry(&self) -> bool {
        value::key_of(self.words()).is_some_and(|key| key.spaced)
    }

    /// The content without the blanks that may stand between its indentation and its first word.
    fn words(&self) -> &'a str {
        self.content().trim_matches([' ', '\t'])
    }

    /// Whether the line ends the entry above it, whose key stands at `indent`.
    fn starts_entry(&self, indent: usize) -> bool {
        let item_of_list = self.columns == indent && self.is_item();
        self.has_content() && self.columns <= indent && !item_of_list
    }

    /// Whether the line is part of the value above it.
    fn continues(&self, indent: usize) -> bool {
        !self.is_blank() && (self.columns > indent || self.is_item())
    }

    /// Whether the line can only be more text of a plain value.
    fn can_continue_text(&self) -> bool {
        self.has_content() && !self.is_item() && !self.is_entry()
    }
}

/// The lines of `yaml`. Leading tabs count as many columns as the first line that is indented by
/// spaces, so that they fit their neighbours once they are replaced.
fn lines_of(yaml: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    while let Some(rest) = yaml.get(start..).filter(|rest| !rest.is_empty()) {
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or("");
        let tabs = text.len() - text.trim_start_matches('\t').len();
        let indent = tabs + leading_spaces(text.get(tabs..).unwrap_or(""));
        lines.push(Line { start, text, tabs, indent, columns: indent });
        let crlf = rest.get(length..).is_some_and(|rest| rest.starts_with("\r\n"));
        start += length + if crlf { 2 } else { 1 };
    }
    let indented =
        lines.iter().find(|line| line.tabs == 0 && line.indent > 0 && line.has_content());
    let width = indented.map_or(2, |line| line.indent);
    for line in &mut lines {
        line.columns = line.tabs * width + (line.indent - line.tabs);
    }
    lines
}

fn leading_spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
