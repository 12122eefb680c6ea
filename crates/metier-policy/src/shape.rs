//! Paths of which only a part is known, and whether one of them could be what a pattern is about.
//!
//! `~/.s?h/id_rsa`, `$HOME/$X` and everything below a directory are not one path but many. A
//! [`Shape`] describes them; so does a pattern. [`meets`] says whether some path is described by
//! both. It never looks at a disk: a wildcard may stand for a name nobody gave to any file.
//!
//! The walk visits each pair of positions at most once, so it takes at most the length of one times
//! the length of the other; what is longer than [`MAX_SHAPE`] ends in anything at all.

use crate::limits::MAX_SHAPE;
use crate::shell::Word;

/// A set of absolute paths, in lowercase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    tokens: Vec<Token>,
    /// Some part of it may be of any length and depth.
    pub(crate) is_open: bool,
}

/// One step of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// This character.
    Is(char),
    /// One character within a name.
    One,
    /// One character that may start a name a shell's wildcard finds: not a dot.
    Plain,
    /// Any characters within a name.
    Star,
    /// Any characters.
    Deep,
    /// The next so many steps, or none of them.
    Maybe(usize),
}

/// Everything beneath, or nothing.
const BENEATH: [Token; 3] = [Token::Maybe(2), Token::Is('/'), Token::Deep];

impl Shape {
    /// Exactly this path.
    pub(crate) fn of(lowercase: &str) -> Self {
        let tokens = lowercase.trim_end_matches('/').chars().map(Token::Is).collect();
        Self { tokens, is_open: false }
    }

    /// Every file with this name.
    pub(crate) fn anywhere(lowercase: &str) -> Self {
        let name = lowercase.chars().map(Token::Is);
        let tokens = [Token::Deep, Token::Is('/')].into_iter().chain(name).collect();
        Self { tokens, is_open: true }
    }

    /// Every path in this directory, and none further down.
    pub(crate) fn within(lowercase: &str) -> Self {
        let mut shape = Self::of(lowercase);
        shape.tokens.extend([Token::Is('/'), Token::Star]);
        shape
    }

    /// The file of this name in each of them.
    pub(crate) fn followed_by(mut self, lowercase: &str) -> Self {
        self.tokens.push(Token::Is('/'));
        self.tokens.extend(lowercase.chars().map(Token::Is));
        self
    }

    /// The same and everything beneath.
    pub(crate) fn and_beneath(mut self) -> Self {
        self.tokens.extend(BENEATH);
        self.is_open = true;
        self
    }

    /// The paths in this directory that the rest of a word from byte `from` on may stand for.
    /// Nothing when the rest leads up again.
    pub(crate) fn with(mut self, word: &Word, from: usize) -> Option<Self> {
        let rest = word.spelling().get(from..)?;
        let mut at = from;
        for part in rest.split('/') {
            let end = at + part.len();
            // What is left out may be the rest of a name.
            let whole = !word.holes().iter().any(|hole| (at..=end).contains(hole));
            if whole && (part == ".." || part == ".") {
                return None;
            }
            at = end + 1;
        }
        self.tokens.push(Token::Is('/'));
        let mut chars = rest.char_indices().map(|(at, c)| (at + from, c)).peekable();
        let mut holes = word.holes().iter().filter(|hole| **hole >= from).peekable();
        while let Some((at, c)) = chars.next() {
            if holes.next_if(|hole| **hole <= at).is_some() {
                self.tokens.push(Token::Deep);
            }
            match c {
                '*' if at >= word.prefix().len() => {
                    let twice = chars.next_if(|(_, c)| *c == '*').is_some();
                    self.star(twice);
                }
                '?' if at >= word.prefix().len() => self.one(),
                '[' if at >= word.prefix().len() => {
                    // Where a class ends depends on what is in it; up to its last bracket is enough.
                    let part = word.spelling().get(at..).unwrap_or_default();
                    let part = part.split('/').next().unwrap_or_default();
                    let end = at + part.rfind(']').unwrap_or_default();
                    while chars.next_if(|(at, _)| *at <= end).is_some() {}
                    self.tokens.push(Token::Star);
                }
                '{' if at >= word.prefix().len() => {
                    let crosses =
                        chars.by_ref().take_while(|(_, c)| *c != '}').any(|(_, c)| c == '/');
                    self.tokens.push(if crosses { Token::Deep } else { Token::Star });
                }
                '/' if self.tokens.last() == Some(&Token::Is('/')) => {}
                _ => self.tokens.extend(c.to_lowercase().map(Token::Is)),
            }
        }
        if holes.next().is_some() {
            self.tokens.push(Token::Deep);
        }
        if self.tokens.len() > MAX_SHAPE {
            self.tokens.truncate(MAX_SHAPE);
            self.tokens.push(Token::Deep);
        }
        self.is_open = self.tokens.contains(&Token::Deep);
        Some(self)
    }

    /// The steps of a pattern's segments below `base`, and everything beneath.
    pub(crate) fn of_pattern(base: &str, segments: &[String]) -> Self {
        let mut shape = Self::of(base);
        for segment in segments {
            if segment == "**" {
                shape.tokens.extend(BENEATH);
                continue;
            }
            shape.tokens.push(Token::Is('/'));
            shape.tokens.extend(segment.chars().map(|c| match c {
                '*' => Token::Star,
                '?' => Token::One,
                c => Token::Is(c),
            }));
        }
        shape.and_beneath()
    }

    /// The path it certainly starts with, up to where it may be of any depth.
    pub(crate) fn fixed(&self) -> String {
        let name = self.tokens.iter().map_while(|token| match token {
            Token::Is(c) => Some(*c),
            _ => None,
        });
        name.collect()
    }

    /// Whether a part in it is unknown, and not only what lies beneath.
    pub(crate) fn has_hole(&self) -> bool {
        let beneath = self.tokens.windows(BENEATH.len()).filter(|part| *part == BENEATH).count();
        self.tokens.iter().filter(|token| **token == Token::Deep).count() > beneath
    }

    /// Whether it is one path alone.
    pub(crate) fn is_one(&self) -> bool {
        self.tokens.iter().all(|token| matches!(token, Token::Is(_)))
    }

    /// Whether it certainly ends with this text.
    pub(crate) fn ends_with(&self, lowercase: &str) -> bool {
        let mut tokens = self.tokens.iter().rev();
        lowercase.chars().rev().all(|c| tokens.next() == Some(&Token::Is(c)))
    }

    /// Whether it is this path or below it, whatever else of it is not known.
    pub(crate) fn is_below(&self, lowercase: &str) -> bool {
        let fixed = self.fixed();
        let rest = fixed.strip_prefix(lowercase.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.starts_with('/') || (rest.is_empty() && !self.is_more()))
    }

    /// Whether more of a name may follow what is fixed.
    fn is_more(&self) -> bool {
        let next = self.tokens.get(self.fixed().chars().count());
        matches!(next, Some(Token::One | Token::Plain | Token::Star | Token::Deep))
    }

    /// Whether some path is described by both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        meets(&self.tokens, &other.tokens)
    }

    /// A shell's star: the files it finds at the start of a name are no hidden ones.
    fn star(&mut self, crosses: bool) {
        if crosses {
            return self.tokens.push(Token::Deep);
        }
        if self.tokens.last() == Some(&Token::Is('/')) {
            self.tokens.extend([Token::Maybe(2), Token::Plain]);
        }
        self.tokens.push(Token::Star);
    }

    fn one(&mut self) {
        let starts = self.tokens.last() == Some(&Token::Is('/'));
        self.tokens.push(if starts { Token::Plain } else { Token::One });
    }
}

impl Token {
    /// Whether it may stand for nothing, and where that leads.
    fn skips(self) -> Option<usize> {
        match self {
            Self::Star | Self::Deep => Some(1),
            Self::Maybe(count) => Some(count + 1),
            _ => None,
        }
    }

    /// How far reading one character leads.
    fn step(self) -> usize {
        usize::from(!matches!(self, Self::Star | Self::Deep))
    }

    /// Whether some character is read by both.
    fn shares(self, other: Self) -> bool {
        use Token::{Deep, Is, Maybe, One, Plain, Star};
        match (self, other) {
            (Maybe(_), _) | (_, Maybe(_)) => false,
            (Is(a), Is(b)) => a == b,
            (Is(c), Plain) | (Plain, Is(c)) => c != '/' && c != '.',
            (Is(c), One | Star) | (One | Star, Is(c)) => c != '/',
            (Deep, _) | (_, Deep) => true,
            (One | Star | Plain, One | Star | Plain) => true,
        }
    }
}

fn meets(left: &[Token], right: &[Token]) -> bool {
    // Most paths are nowhere near most patterns: the first names tell.
    let same = left
        .iter()
        .zip(right)
        .take_while(|(a, b)| matches!((a, b), (Token::Is(x), Token::Is(y)) if x == y))
        .count();
    let (left, right) =
        (left.get(same..).unwrap_or_default(), right.get(same..).unwrap_or_default());
    if let (Some(Token::Is(_)), Some(Token::Is(_))) = (left.first(), right.first()) {
        return false;
    }
    let width = right.len() + 1;
    let mut seen = vec![false; (left.len() + 1) * width];
    let mut open = vec![(0, 0)];
    while let Some((l, r)) = open.pop() {
        match seen.get_mut(l * width + r) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        if l == left.len() && r == right.len() {
            return true;
        }
        let (a, b) = (left.get(l).copied(), right.get(r).copied());
        if let Some(skip) = a.and_then(Token::skips) {
            open.push(((l + skip).min(left.len()), r));
        }
        if let Some(skip) = b.and_then(Token::skips) {
            open.push((l, (r + skip).min(right.len())));
        }
        if let Some(Token::Maybe(_)) = a {
            open.push((l + 1, r));
        }
        if let Some(Token::Maybe(_)) = b {
            open.push((l, r + 1));
        }
        if let (Some(a), Some(b)) = (a, b)
            && a.shares(b)
        {
            open.push((l + a.step(), r + b.step()));
        }
    }
    false
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
