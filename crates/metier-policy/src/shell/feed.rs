//! What a command writes into the next one of a pipeline, where its text alone says so.

use super::word::Feed;
use super::{SimpleCommand, Word};

/// What these commands write to their standard output.
pub(super) fn written(commands: &[SimpleCommand]) -> Feed {
    match commands {
        [command] => by_one(command).unwrap_or(Feed::Unknown),
        _ => Feed::Unknown,
    }
}

fn by_one(command: &SimpleCommand) -> Option<Feed> {
    if !command.redirects.is_empty() || !command.assignments.is_empty() {
        return None;
    }
    let words: Option<Vec<&str>> = command.argv.iter().map(Word::as_known).collect();
    match words?.as_slice() {
        ["cat"] | ["cat", "-"] => command.input.clone(),
        ["echo", words @ ..] => echoed(words).map(Feed::Text),
        ["printf", format] => printed(format).map(Feed::Text),
        ["printf", "%s" | "%s\\n", text] => Some(Feed::Text((*text).to_owned())),
        _ => None,
    }
}

/// What `echo` writes; a backslash means different things to different shells.
fn echoed(words: &[&str]) -> Option<String> {
    let words = words.strip_prefix(&["-n"]).unwrap_or(words);
    let text = words.join(" ");
    let plain = !text.contains('\\') && !words.first().is_some_and(|word| word.starts_with('-'));
    plain.then_some(text)
}

/// What `printf` writes for a format that has nothing to fill in.
fn printed(format: &str) -> Option<String> {
    let text = format.replace("\\n", "\n");
    (!text.contains(['\\', '%'])).then_some(text)
}
