//! Shell text that cannot be read as a whole, cut into pieces that can.
//!
//! One array, one function or one word too many makes a command that nobody here reads. What is
//! protected must not depend on that, so each piece between two operators is read alone, and what the
//! readable ones do counts for whoever must not miss a file: see `own`. Nothing else goes by it: a
//! piece may stand in a text, in a branch that is never taken or in a function nobody calls.
//!
//! Start at [`cut`]. It takes time linear in the text, of which it looks at
//! [`MAX_CUT_BYTES`] and [`MAX_PIECES`].

use crate::limits::{MAX_COMMAND_BYTES, MAX_CUT_BYTES, MAX_PIECES};
use crate::shell::{self, Feed, SimpleCommand, Surroundings};

/// Words with which a part of a loop, of a condition or of a group starts or ends.
const AROUND: [&str; 14] = [
    "do", "then", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "done", "fi",
    "esac",
];

/// What continues a line.
const CONTINUED: &str = "\\\n";

/// How deep pieces go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What stands in a substitution stays there.
    Outside,
    /// Nothing holds a piece together but quotes.
    Everywhere,
}

/// Every simple command of the pieces that can be read. Where lines are continued, also those of the
/// lines put together: a word may go on there, and in a comment or a text nothing does.
pub(super) fn read(text: &str, around: Surroundings<'_>) -> Vec<SimpleCommand> {
    let text = text.get(..text.floor_char_boundary(MAX_CUT_BYTES)).unwrap_or_default();
    let mut commands = commands(text, around);
    if text.contains(CONTINUED) {
        commands.extend(self::commands(&text.replace(CONTINUED, ""), around));
    }
    commands
}

fn commands(text: &str, around: Surroundings<'_>) -> Vec<SimpleCommand> {
    let mut commands = Vec::new();
    for piece in cut(text, Depth::Outside).into_iter().take(MAX_PIECES) {
        let fed = |piece: &str| is_piped(text, piece);
        match parse(piece, around) {
            Some(read) => commands.extend(feed(read, fed(piece))),
            None => {
                let smaller = cut(piece, Depth::Everywhere).into_iter().take(MAX_PIECES);
                let read = smaller.filter_map(|piece| Some((parse(piece, around)?, fed(piece))));
                commands.extend(read.flat_map(|(read, fed)| feed(read, fed)));
            }
        }
        if commands.len() >= MAX_PIECES {
            break;
        }
    }
    commands
}

fn parse(piece: &str, around: Surroundings<'_>) -> Option<Vec<SimpleCommand>> {
    let piece = own_part(piece);
    if piece.is_empty() {
        return Some(Vec::new());
    }
    let fits = piece.len() <= MAX_COMMAND_BYTES;
    let short = if fits { piece } else { shortened(piece) };
    let read = shell::parse(short, around).ok();
    let without_document =
        || shell::parse(&undocumented(short)?, around).ok().map(|read| feed(read, true));
    read.or_else(without_document)
}

/// Whether a pipe feeds a piece of the text.
fn is_piped(text: &str, piece: &str) -> bool {
    let at = (piece.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let before = at.and_then(|at| text.get(..at)).unwrap_or_default().trim_end();
    before.ends_with("|&") || (before.ends_with('|') && !before.ends_with("||"))
}

/// The commands of a piece; one that is fed gets what nobody knows.
fn feed(mut commands: Vec<SimpleCommand>, fed: bool) -> Vec<SimpleCommand> {
    for command in commands.iter_mut().filter(|command| fed && command.input.is_none()) {
        command.input = Some(Feed::Unknown);
    }
    commands
}

/// A piece without the words that make it part of a loop or of a condition.
fn own_part(piece: &str) -> &str {
    let mut rest = piece.trim();
    while let Some(word) = AROUND.iter().find(|word| starts_with_word(rest, word)) {
        rest = rest.get(word.len()..).unwrap_or_default().trim_start();
    }
    rest
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// As many whole words of a piece as are read at once.
fn shortened(piece: &str) -> &str {
    let start = piece.get(..piece.floor_char_boundary(MAX_COMMAND_BYTES)).unwrap_or_default();
    start.rfind([' ', '\t']).and_then(|blank| start.get(..blank)).unwrap_or_default()
}

/// The same command without the document it reads, whose lines are other pieces.
fn undocumented(piece: &str) -> Option<String> {
    let at = piece.find("<<")?;
    let behind = piece.get(at..)?.trim_start_matches('<').trim_start_matches(['-', ' ', '\t']);
    let tag = behind.find([' ', '\t', '>', '<']).unwrap_or(behind.len());
    Some(format!("{} {}", piece.get(..at)?, behind.get(tag..)?))
}

struct Cutter<'t> {
    text: &'t str,
    depth: Depth,
    at: usize,
    /// Where the piece starts.
    from: usize,
    /// Substitutions around what is being read.
    open: usize,
    pieces: Vec<&'t str>,
}

/// The pieces of a text: between operators, brackets and lines that no quotes are around, without
/// comments.
fn cut(text: &str, depth: Depth) -> Vec<&str> {
    let mut cutter = Cutter { text, depth, at: 0, from: 0, open: 0, pieces: Vec::new() };
    while let Some(c) = cutter.peek() {
        cutter.step(c);
    }
    cutter.end(0);
    cutter.pieces
}

impl<'t> Cutter<'t> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<char> {
        self.text.get(self.from..self.at).and_then(|text| text.chars().next_back())
    }

    /// Ends the piece here and goes on behind so many bytes.
    fn end(&mut self, skipped: usize) {
        let piece = self.text.get(self.from..self.at).unwrap_or_default();
        if !piece.trim().is_empty() {
            self.pieces.push(piece);
        }
        self.at += skipped;
        self.from = self.at;
    }

    fn step(&mut self, c: char) {
        let next = self.rest().chars().nth(1);
        let starts_word = self.before().is_none_or(char::is_whitespace);
        let inside = self.open > 0 && self.depth == Depth::Outside;
        match c {
            '\\' => self.at += 1 + next.map_or(0, char::len_utf8),
            '\'' | '"' => self.at += self.quoted(c).unwrap_or(1),
            '#' if starts_word => {
                let line = self.rest().find('\n').unwrap_or(self.rest().len());
                self.end(line);
            }
            '(' if self.depth == Depth::Outside && (inside || self.opens()) => {
                self.open += 1;
                self.at += 1;
            }
            ')' if inside => {
                self.open -= 1;
                self.at += 1;
            }
            _ if inside => self.at += c.len_utf8(),
            '&' if matches!(self.before(), Some('>' | '<')) || next == Some('>') => self.at += 1,
            ';' | '\n' | '|' | '&' | '(' | ')' => self.end(1),
            '`' if self.depth == Depth::Everywhere => self.end(1),
            '{' | '}' if starts_word && next.is_none_or(char::is_whitespace) => self.end(1),
            _ => self.at += c.len_utf8(),
        }
    }

    /// Whether a bracket opens a substitution.
    fn opens(&self) -> bool {
        matches!(self.before(), Some('$' | '<' | '>'))
    }

    /// How long the quoted text is that starts here; nothing where it does not end.
    fn quoted(&self, mark: char) -> Option<usize> {
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find(|(_, c)| {
            let ends = *c == mark && !escaped;
            escaped = mark == '"' && *c == '\\' && !escaped;
            ends
        });
        end.map(|(at, _)| at + 1)
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
