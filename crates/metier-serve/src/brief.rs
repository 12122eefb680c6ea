//! The catalog within a number of characters, which is how agents cut what they are told first.

use metier_store::Catalog;
use metier_store::disclose::{Disclose, Style, disclosed};

/// Characters of a line that names a skill and begins to say what it is for.
const SHORT: usize = 120;

/// Room kept for saying how many skills are not listed.
const REMARK: usize = 100;

/// One line a skill, as many as `room` characters hold: whole lines where all fit, else the beginning
/// of each; how many are left out is said, and that `finder` finds them. Linear in the catalog.
pub(crate) fn brief(catalog: &Catalog, room: usize, finder: &str) -> String {
    let all = disclosed(catalog, &Disclose { style: Style::Markdown, ..Disclose::default() });
    let lines: Vec<&str> = all.lines().filter(|line| line.starts_with("- ")).collect();
    let whole: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
    if whole <= room {
        return lines.join("\n");
    }
    let mut text = String::new();
    let mut left = room.saturating_sub(REMARK);
    let mut listed = 0;
    for line in &lines {
        let short = shortened(line);
        let cost = short.chars().count() + 1;
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

/// The beginning of a line. What escapes the character after it goes with that character.
fn shortened(line: &str) -> String {
    if line.chars().count() <= SHORT {
        return line.to_owned();
    }
    let part: String = line.chars().take(SHORT - 1).collect();
    format!("{}…", part.trim_end_matches('\\').trim_end())
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
