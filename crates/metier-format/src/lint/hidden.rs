//! Characters a reader does not see and a model does: zero-width, direction-changing, tags.
//!
//! Some of them have honest uses (a joiner inside an emoji, a non-joiner inside a Persian word);
//! [`is_honest`] lists those. The rest are reported, one finding a line, and deleted by the repair
//! where that cannot change what the line is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Findings, Source};
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::span::Span;
use crate::text;

/// Most deletions offered for one line. A line with more is not a slip but a payload, and a person
/// should look at it.
const MAX_EDITS: usize = 1000;

/// Most kinds of character named in one message.
const MAX_NAMED: usize = 5;

/// Most characters of a decoded tag message shown.
const MAX_TAG_TEXT: usize = 40;

/// The flags that are written with tags: England, Scotland and Wales.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

pub(super) fn check(source: Source<'_>) -> Findings {
    let mut findings = Findings::default();
    if source.text.is_ascii() {
        return findings;
    }
    let mut line = Line::default();
    let mut scan = Scan::new(source.text);
    while let Some(sight) = scan.next() {
        match sight {
            Sight::LineBreak => line.report(&mut findings),
            Sight::Hidden { at, c, around } => {
                let deletable = is_deletable(c) && is_safe_place(source, at, around);
                line.add(at, c, deletable);
            }
        }
    }
    line.report(&mut findings);
    findings
}

/// What a scan comes across.
enum Sight {
    LineBreak,
    Hidden { at: usize, c: char, around: Around },
}

/// The nearest characters before and after that are not hidden themselves.
#[derive(Clone, Copy)]
struct Around {
    before: Option<char>,
    after: Option<char>,
}

/// One pass over the text that stops at line breaks and dishonest hidden characters.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The character before `at`, hidden or not.
    previous: Option<char>,
    /// The nearest character before `at` that is not hidden.
    before: Option<char>,
    /// The end of the run of hidden characters `at` is in, and the character there. Kept so that
    /// a long run is walked twice, not once for each of its members.
    run: (usize, Option<char>),
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        // A byte-order mark at the very start has a code of its own.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, previous: None, before: None, run: (0, None) }
    }

    fn next(&mut self) -> Option<Sight> {
        loop {
            let rest = self.text.get(self.at..)?;
            let c = rest.chars().next()?;
            let at = self.at;
            let previous = self.previous.replace(c);
            self.at += c.len_utf8();
            if c == '\n' || c == '\r' {
                self.before = None;
                return Some(Sight::LineBreak);
            }
            if !text::is_hidden(c) {
                self.before = Some(c);
                continue;
            }
            if let Some(length) = flag_length(previous, rest) {
                self.at = at + length;
                continue;
            }
            let after = self.after(at);
            if !is_honest(c, previous, self.text.get(self.at..)?.chars().next()) {
                return Some(Sight::Hidden {
                    at,
                    c,
                    around: Around { before: self.before, after },
                });
            }
        }
    }

    /// The character after the run of hidden characters that starts at or before `at`.
    fn after(&mut self, at: usize) -> Option<char> {
        if self.run.0 <= at {
            let rest = self.text.get(at..).unwrap_or_default();
            let end = rest.find(|c| !text::is_hidden(c)).unwrap_or(rest.len());
            let next = rest.get(end..).and_then(|tail| tail.chars().next());
            self.run = (at + end, next.filter(|c| !matches!(c, '\n' | '\r')));
        }
        self.run.1
    }
}

/// The hidden characters of one line so far.
#[derive(Default)]
struct Line {
    kinds: BTreeMap<char, usize>,
    tags: usize,
    tag_text: String,
    span: Option<(usize, usize)>,
    edits: Vec<Edit>,
    unrepairable: bool,
}

impl Line {
    fn add(&mut self, at: usize, c: char, deletable: bool) {
        let end = at + c.len_utf8();
        let start = self.span.map_or(at, |(start, _)| start);
        self.span = Some((start, end));
        if let Some(letter) = tag_letter(c) {
            self.tags += 1;
            if self.tags <= MAX_TAG_TEXT {
                self.tag_text.extend(letter);
            }
        } else {
            *self.kinds.entry(c).or_default() += 1;
        }
        if !deletable || self.edits.len() >= MAX_EDITS {
            self.unrepairable = true;
        } else {
            self.delete(Span::new(at, end));
        }
    }

    /// Marks `span` for deletion, together with the run before it when they touch.
    fn delete(&mut self, span: Span) {
        match self.edits.last_mut() {
            Some(last) if last.span.end == span.start => last.span.end = span.end,
            _ => self.edits.push(Edit { span, text: String::new() }),
        }
    }

    /// Reports the line, if there is something to report, and starts the next one.
    fn report(&mut self, findings: &mut Findings) {
        let line = std::mem::take(self);
        let Some((start, end)) = line.span else { return };
        findings.push(Some(Span::new(start, end)), || {
            let message = format!("The line has hidden characters: {}", line.describe());
            let fix = if line.unrepairable { Vec::new() } else { line.edits };
            Diagnostic::new(Code::HiddenUnicode, message).fix(fix)
        });
    }

    /// Every kind of character with its name and how often it is there.
    fn describe(&self) -> String {
        let mut parts: Vec<String> = self
            .kinds
            .iter()
            .take(MAX_NAMED)
            .map(|(c, count)| {
                let mut part = format!("U+{:04X}", u32::from(*c));
                let _ = name(*c).map(|name| write!(part, " {name}"));
                if *count > 1 {
                    let _ = write!(part, " ({count} times)");
                }
                part
            })
            .collect();
        if self.kinds.len() > MAX_NAMED {
            parts.push(format!("{} other kinds", self.kinds.len() - MAX_NAMED));
        }
        if self.tags > 0 {
            let more = if self.tags > MAX_TAG_TEXT { "…" } else { "" };
            let plural = if self.tags == 1 { "" } else { "s" };
            let spelled = self.tag_text.replace('`', "'");
            parts.push(format!("{} tag character{plural} spelling `{spelled}{more}`", self.tags));
        }
        parts.join(", ")
    }
}

/// Whether `c` is where it belongs, between `previous` and `next`.
fn is_honest(c: char, previous: Option<char>, next: Option<char>) -> bool {
    let previous_in = |test: fn(char) -> bool| previous.is_some_and(test);
    let next_in = |test: fn(char) -> bool| next.is_some_and(test);
    match c {
        '\u{200d}' if previous_in(is_emoji) && next_in(is_emoji) => true,
        '\u{200c}' | '\u{200d}' => previous_in(is_joining_script),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            previous_in(is_right_to_left) || next_in(is_right_to_left)
        }
        '\u{115f}' | '\u{1160}' => previous_in(is_jamo) || next_in(is_jamo),
        '\u{180b}'..='\u{180f}' => previous_in(|c| matches!(c, '\u{1820}'..='\u{18aa}')),
        '\u{fe00}'..='\u{fe0d}' => previous_in(|c| is_ideograph(c) || is_operator(c)),
        '\u{e0100}'..='\u{e01ef}' => previous_in(is_ideograph),
        _ => false,
    }
}

/// Emoji and what may stand at the end of one: the selector, the keycap, a skin tone.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{20e3}' | '©' | '®')
}

/// The scripts from Arabic to Mongolian, whose letters join or do not join by these characters.
fn is_joining_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{1cff}') && !text::is_hidden(c)
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && c != '\u{61c}'
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}') && !text::is_hidden(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_operator(c: char) -> bool {
    matches!(c, '\u{2200}'..='\u{2aff}')
}

/// The length of the tags at the start of `rest` when they spell a flag after a black one.
fn flag_length(previous: Option<char>, rest: &str) -> Option<usize> {
    if previous != Some('\u{1f3f4}') {
        return None;
    }
    let tags: String = rest.chars().take(6).collect();
    let spelled: String = tags.chars().flat_map(|c| tag_letter(c).flatten()).collect();
    (tags.ends_with('\u{e007f}') && FLAGS.contains(&&*spelled)).then_some(tags.len())
}

/// For a tag character the letter it stands for, if it stands for one.
fn tag_letter(c: char) -> Option<Option<char>> {
    if !matches!(c, '\u{e0000}'..='\u{e007f}') {
        return None;
    }
    let letter = u32::from(c).checked_sub(0xe0000).and_then(char::from_u32);
    Some(letter.filter(|c| c.is_ascii_graphic() || *c == ' '))
}

/// Whether deleting `c` takes nothing from what is seen. A soft hyphen, a filler and a line
/// separator are seen, if only sometimes.
fn is_deletable(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a deletion at `at` can change nothing but the hidden character. In the body one
/// neighbour must be a letter or digit and the other must not be something Markdown may read as
/// markup. In the frontmatter only the description is touched, and only inside a word, where no
/// deletion can make a fence, a key or an escape.
fn is_safe_place(source: Source<'_>, at: usize, around: Around) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_plain = |c: Option<char>| {
        c.is_none_or(|c| {
            c.is_alphanumeric() || c == ' ' || matches!(c, '.' | ',' | ';' | '!' | '?')
        })
    };
    let Around { before, after } = around;
    if source.parsed.body.is_some_and(|body| at >= body as usize) {
        // At the start of a line a digit may become a list.
        let starts_line = before.is_none() && after.is_some_and(char::is_numeric);
        return (is_word(before) && is_plain(after) || is_plain(before) && is_word(after))
            && !starts_line;
    }
    let description = source.parsed.manifest.as_ref().map(|m| m.description.span.range());
    description.is_some_and(|range| range.contains(&at)) && is_word(before) && is_word(after)
}

/// What the best-known hidden characters are called.
fn name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202a}' | '\u{202b}' => "direction embedding",
        '\u{202c}' => "pop direction",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2066}'..='\u{2068}' => "direction isolate",
        '\u{2069}' => "pop isolate",
        '\u{feff}' => "byte-order mark",
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        _ => return None,
    })
}

#[cfg(test)]
#[path = "hidden_tests.rs"]
mod tests;
