//! Text that spells out a protected place: in code, in text for another shell, in what cannot be read
//! as commands. It finds what is written as a path and nothing that is put together.

use crate::place::{Place, folded};

/// The ways in which text spells out a path, in lowercase.
pub(super) fn of(own: &str, place: &Place<'_>) -> Vec<String> {
    let mut found = vec![own.to_owned()];
    let home = place.home.and_then(|home| home.to_str()).map(folded);
    let tail =
        home.and_then(|home| own.strip_prefix(home.trim_end_matches('/')).map(str::to_owned));
    let Some(tail) = tail.filter(|tail| tail.starts_with('/')) else { return found };
    found.extend(
        ["~", "$home", "${home}", "\"$home\"", "\"${home}\""].map(|home| format!("{home}{tail}")),
    );
    // A name nobody else uses is meant wherever it stands.
    if tail.split('/').any(|name| name == "metier") {
        found.push(tail.trim_start_matches('/').to_owned());
    }
    found
}

/// Whether a text contains one of the spellings as a path of its own, or as the start of one.
pub(super) fn is_in(text: &str, spelled: &[String]) -> bool {
    let ends = |c: char| !(c.is_alphanumeric() || "_-.".contains(c));
    spelled.iter().any(|path| {
        text.match_indices(path.as_str()).any(|(at, _)| {
            let behind = text.get(at + path.len()..).unwrap_or_default();
            let before = text.get(..at).unwrap_or_default();
            let starts = path.starts_with(['/', '~', '$', '"'])
                || before.is_empty()
                || before.ends_with(ends);
            starts && (behind.is_empty() || behind.starts_with(ends))
        })
    })
}

/// A text without the quotes and backslashes that a shell takes away, and with paths as the system reads
/// them: `sett''ings`, `.claude//settings` and `.claude/./settings` are no other names. Linear.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' | '"' | '\\' => {}
            '/' if plain.ends_with("/.") => {
                plain.pop();
            }
            '/' if plain.ends_with('/') => {}
            c => plain.push(c),
        }
    }
    plain
}
