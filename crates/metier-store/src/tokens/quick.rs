//! Counting without the tokenizer, whose start takes 100 ms: the same cuts and the same joins over
//! a table that is there already. It knows the characters that skills are mostly written in and gives
//! up on a text with any other, so that it is right or says nothing.
//!
//! The tokenizer cuts a text into pieces by a pattern and joins the bytes of each piece, the pair with
//! the lowest number first. [`pieces`] is that pattern by hand, [`joined`] the joining. Linear in the
//! text: a piece of more than [`MAX_PIECE`] bytes is given up on, too.

use super::vocabulary::number;

/// Longest piece that is joined here, in bytes. Joining is quadratic in it; words are shorter.
const MAX_PIECE: usize = 64;

/// What the pattern takes a character for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    /// A letter of a script without case, which counts as both.
    Caseless,
    Number,
    Newline,
    Space,
    /// Everything else.
    Mark,
}

/// How many tokens `text` has, or more than `limit` as soon as that is certain; none when it has
/// something this counter does not know.
pub(super) fn count(text: &str, limit: usize) -> Option<usize> {
    let mut rest = text;
    let mut count = 0;
    while !rest.is_empty() && count <= limit {
        let (piece, after) = rest.split_at_checked(piece(rest)?)?;
        count += tokens_of(piece.as_bytes())?;
        rest = after;
    }
    Some(count)
}

/// The tokens of one piece.
fn tokens_of(piece: &[u8]) -> Option<usize> {
    match piece {
        [] => None,
        _ if piece.len() > MAX_PIECE => None,
        [_] => Some(1),
        _ if number(piece).is_some() => Some(1),
        _ => Some(joined(piece)),
    }
}

/// How many tokens are left when the bytes of `piece` are joined, always the first of those pairs of
/// neighbours whose token has the lowest number.
fn joined(piece: &[u8]) -> usize {
    // Where each part begins, and the end; beside it the number of the part joined with the next.
    let mut starts: Vec<usize> = (0..=piece.len()).collect();
    let pair = |starts: &[usize], at: usize| {
        let (start, end) = (starts.get(at)?, starts.get(at + 2)?);
        number(piece.get(*start..*end)?)
    };
    let mut pairs: Vec<Option<u32>> = (0..piece.len()).map(|at| pair(&starts, at)).collect();
    loop {
        let lowest = pairs.iter().enumerate().filter_map(|(at, pair)| Some((pair.as_ref()?, at)));
        let Some((_, at)) = lowest.min() else { return starts.len() - 1 };
        starts.remove(at + 1);
        pairs.remove(at + 1);
        for changed in at.saturating_sub(1)..=at {
            let again = pair(&starts, changed);
            if let Some(pair) = pairs.get_mut(changed) {
                *pair = again;
            }
        }
    }
}

/// Where the first piece of a text ends; none when a character in or right behind it is unknown.
fn piece(text: &str) -> Option<usize> {
    let first = class_at(text, 0)??;
    let behind = text.chars().next()?.len_utf8();
    if let Some(end) = word(text, first, behind)? {
        return Some(contraction(text, end));
    }
    match first {
        Class::Number => digits(text),
        Class::Mark => marks(text, behind),
        // One blank goes with the marks behind it.
        Class::Space if text.starts_with(' ') && class_at(text, 1)? == Some(Class::Mark) => {
            marks(text, 1)
        }
        _ => blank(text),
    }
}

/// The end of the word a text begins with, when it does: one character that is no letter, number or
/// line break may come before its letters.
fn word(text: &str, first: Class, behind: usize) -> Option<Option<usize>> {
    let start = match first {
        Class::Upper | Class::Lower | Class::Caseless => 0,
        Class::Space | Class::Mark => behind,
        Class::Number | Class::Newline => return Some(None),
    };
    let is_upper = |class| matches!(class, Class::Upper | Class::Caseless);
    let is_lower = |class| matches!(class, Class::Lower | Class::Caseless);
    let capitals = run(text, start, is_upper)?;
    let end = run(text, capitals, is_lower)?;
    if end > capitals {
        return Some(Some(end));
    }
    if capitals == start {
        return Some(None);
    }
    // Small letters have to follow if any can, and letters without case can be taken for them.
    let mut letters = text.get(start..capitals)?.char_indices().rev();
    let last = letters.find(|(_, c)| class(*c) == Some(Class::Caseless));
    Some(Some(last.map_or(capitals, |(at, c)| start + at + c.len_utf8())))
}

/// The end of a word that ends at `end`, with what is contracted to it.
fn contraction(text: &str, end: usize) -> usize {
    let Some(rest) = text.as_bytes().get(end..).and_then(|rest| rest.strip_prefix(b"'")) else {
        return end;
    };
    let is = |ending: &&str| {
        rest.get(..ending.len()).is_some_and(|r| r.eq_ignore_ascii_case(ending.as_bytes()))
    };
    let endings = ["s", "t", "re", "ve", "m", "ll", "d"];
    endings.iter().find(|ending| is(ending)).map_or(end, |ending| end + 1 + ending.len())
}

/// Three digits at most.
fn digits(text: &str) -> Option<usize> {
    let mut end = 0;
    for _ in 0..3 {
        match class_at(text, end)? {
            Some(Class::Number) => end += text.get(end..)?.chars().next()?.len_utf8(),
            _ => break,
        }
    }
    Some(end)
}

/// Marks from `start` on, and the line breaks and slashes behind them.
fn marks(text: &str, start: usize) -> Option<usize> {
    let end = run(text, start, |class| class == Class::Mark)?;
    let tail = text.as_bytes().get(end..)?.iter();
    Some(end + tail.take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count())
}

/// Blanks: to the last line break among them; else all but the last, which goes with what follows.
fn blank(text: &str) -> Option<usize> {
    let end = run(text, 0, |class| matches!(class, Class::Space | Class::Newline))?;
    let blank = text.get(..end)?;
    if let Some(last) = blank.rfind(['\r', '\n']) {
        return Some(last + 1);
    }
    let (last, _) = blank.char_indices().next_back()?;
    Some(if end == text.len() || last == 0 { end } else { last })
}

/// Where the characters of certain classes end that begin at `start`.
fn run(text: &str, start: usize, takes: impl Fn(Class) -> bool) -> Option<usize> {
    let mut end = start;
    for c in text.get(start..)?.chars() {
        if !takes(class(c)?) {
            break;
        }
        end += c.len_utf8();
    }
    Some(end)
}

/// The class of the character at `at`: none inside where the text ends, none outside where it is
/// unknown.
fn class_at(text: &str, at: usize) -> Option<Option<Class>> {
    match text.get(at..)?.chars().next() {
        None => Some(None),
        Some(c) => class(c).map(Some),
    }
}

/// What the pattern takes `c` for, where that is certain: no Unicode version says otherwise.
fn class(c: char) -> Option<Class> {
    Some(match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Number,
        '\r' | '\n' => Class::Newline,
        ' ' | '\t' | '\u{b}' | '\u{c}' | '\u{a0}' | '\u{3000}' => Class::Space,
        '\0'..='\u{7f}' => Class::Mark,
        '²' | '³' | '¹' | '¼'..='¾' => Class::Number,
        'ª' | 'º' => Class::Caseless,
        'µ' => Class::Lower,
        '×' | '÷' | '\u{a1}'..='¿' => Class::Mark,
        'À'..='ſ' | 'Α'..='Ρ' | 'Σ'..='Ω' | 'α'..='ω' | 'А'..='я' => cased(c)?,
        // Dashes, quotation marks, bullets, dots; currencies; arrows; frames; pictures.
        '‐'..='‧' | '‰'..='⁞' | '₠'..='₿' | '™' | '←'..='⇿' | '─'..='╿' | '■'..='◿' => {
            Class::Mark
        }
        '☀'..='⛿' | '✁'..='❵' | '🌀'..='🗿' | '😀'..='🙏' | '🚀'..='🛅' => {
            Class::Mark
        }
        'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '一'..='龥' | '가'..='힣' => Class::Caseless,
        '、'..='〃' | '〈'..='】' | '！'..='／' | '：'..='＠' => Class::Mark,
        _ => return None,
    })
}

/// A letter of a script with case. The long s is contracted like the short one, so it is not known.
fn cased(c: char) -> Option<Class> {
    match (c.is_uppercase(), c.is_lowercase(), c) {
        (_, _, 'ſ') => None,
        (true, false, _) => Some(Class::Upper),
        (false, true, _) => Some(Class::Lower),
        _ => None,
    }
}

#[cfg(test)]
#[path = "quick_tests.rs"]
mod tests;
