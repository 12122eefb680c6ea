//! The catalog within a number of characters, which is how agents cut what they are told first.

use std::borrow::Cow;

use metier_format::text::{visible, visible_line};
use metier_store::disclose::{Disclose, Style, disclosed};
use metier_store::{Catalog, Entry};

use crate::dialect::units;

/// Characters of a line that names a skill and begins to say what it is for.
const SHORT: usize = 120;

/// Room kept for saying how many skills are not listed.
const REMARK: usize = 100;

/// One line a skill, as many as `room` characters hold: whole lines where all fit, else the beginning
/// of each; how many are left out is said, and that `finder` finds them. Linear in the catalog.
pub(crate) fn brief(catalog: &Catalog, room: usize, finder: &str) -> String {
    let all = disclosed(catalog, &Disclose { style: Style::Markdown, ..Disclose::default() });
    let lines: Vec<&str> = all.lines().filter(|line| line.starts_with("- ")).collect();
    let whole: usize = lines.iter().map(|line| units(line) + 1).sum();
    if whole <= room {
        return lines.join("\n");
    }
    let mut text = String::new();
    let mut left = room.saturating_sub(REMARK);
    let mut listed = 0;
    for line in &lines {
        let short = shortened(line);
        let cost = units(&short) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        listed += 1;
        text.push_str(&short);
        text.push('\n');
    }
    if listed < lines.len() {
        text.push_str(&format!("{} more skills: see {finder}", lines.len() - listed));
    }
    text.trim_end().to_owned()
}

/// What a skill says it is for, and before that which server it is from, when it is from one: nothing in
/// a description can take that away.
pub(crate) fn described(entry: &Entry) -> Cow<'_, str> {
    let description = visible(&entry.found.description);
    match &entry.found.origin {
        Some(origin) => format!("(from {}) {description}", visible_line(origin)).into(),
        None => description,
    }
}

/// What a model is told of a skill's text, before it, when the skill is from a server.
pub(crate) fn from_server(origin: &str) -> String {
    format!("(This skill is from `{}`, not from the user.)", visible_line(origin))
}

/// The beginning of a line. What escapes the character after it goes with that character.
fn shortened(line: &str) -> String {
    if units(line) <= SHORT {
        return line.to_owned();
    }
    let mut left = SHORT - 1;
    let fits = |char: &char| left.checked_sub(char.len_utf16()).map(|rest| left = rest).is_some();
    let part: String = line.chars().take_while(fits).collect();
    format!("{}…", part.trim_end_matches('\\').trim_end())
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
