//! What a word means to git where it names files of a repository: marks at its front, and wildcards that
//! git reads itself. Pure.

use crate::shell::Word;

/// What git takes a word for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pathspec {
    /// The word as it is.
    Plain,
    /// This path, with everything beneath.
    Path(Word),
    /// The files that wildcards find.
    Found(Word),
    /// Everything but something.
    Others,
}

/// What a word means. Wildcards at the very front may find any file, as a whole directory may hold
/// any: they say nothing more.
pub(super) fn read(word: &Word) -> Pathspec {
    let Some(text) = word.as_known() else { return Pathspec::Plain };
    let (marks, path) = split(text);
    if marks.iter().any(|mark| ["exclude", "!", "^"].contains(mark)) {
        return Pathspec::Others;
    }
    let path = if path.is_empty() { "." } else { path };
    let literal = marks.contains(&"literal");
    // Whatever lies in a directory is that directory.
    let whole = path.trim_end_matches('*').strip_suffix('/').filter(|whole| !whole.is_empty());
    let path = whole.filter(|_| !literal).unwrap_or(path);
    let wild = path.find(['*', '?', '[', '\\']).filter(|_| !literal);
    match wild {
        Some(0) => Pathspec::Plain,
        Some(_) => {
            // A backslash makes the next character stand for itself.
            let word = Word::known(path.replace('\\', ""));
            Pathspec::Found(word.behind(0).unwrap_or_else(Word::unknown))
        }
        None if path == text => Pathspec::Plain,
        None => Pathspec::Path(Word::known(path)),
    }
}

/// The marks before a path, and the path: `:(top,glob)a`, `:/a`, `:!a`.
fn split(text: &str) -> (Vec<&str>, &str) {
    if let Some((marks, path)) = text.strip_prefix(":(").and_then(|rest| rest.split_once(')')) {
        return (marks.split(',').collect(), path);
    }
    let Some(rest) = text.strip_prefix(':') else { return (Vec::new(), text) };
    let path = rest.trim_start_matches(['/', '!', '^']);
    let marks = rest.get(..rest.len() - path.len()).unwrap_or_default();
    let marks = marks.split("").filter(|mark| !mark.is_empty()).collect();
    (marks, path.strip_prefix(':').unwrap_or(path))
}

#[cfg(test)]
#[path = "pathspec_tests.rs"]
mod tests;
