//! Whether a description can be found by: it is all a model sees before it decides. The rules are
//! few and can be told to an author in one sentence each.

use super::{Findings, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::Text;
use crate::span::Span;

/// Fewest words that say something. Three can name a thing and an act; finding it takes a little
/// more.
const MIN_CONTENT_WORDS: usize = 4;

/// Words that say nothing about this skill rather than another, sorted.
#[rustfmt::skip]
const FILLER: [&str; 92] = [
    "a", "about", "advanced", "all", "an", "and", "any", "anything", "are", "as", "at", "be",
    "best", "better", "by", "can", "description", "do", "does", "doing", "etc", "everything",
    "for", "from", "general", "good", "great", "handle", "handles", "handling", "help", "helper",
    "helpers", "helpful", "helping", "helps", "how", "in", "is", "it", "its", "lots", "make",
    "makes", "many", "more", "my", "new", "nice", "of", "on", "or", "other", "our", "provide",
    "provides", "simple", "skill", "skills", "some", "something", "stuff", "support", "supports",
    "task", "tasks", "test", "that", "the", "their", "thing", "things", "this", "to", "tool",
    "tools", "use", "used", "useful", "user", "users", "uses", "using", "utility", "various",
    "very", "when", "will", "with", "work", "you", "your",
];

pub(super) fn check(source: Source<'_>, description: &Text) -> Findings {
    let mut findings = Findings::default();
    let words = Words::of(description);
    if words.content < MIN_CONTENT_WORDS {
        findings.push(Some(description.span), || {
            let message = match words.content {
                0 => "The description has no words that say what the skill does".to_owned(),
                1 => "The description has only 1 word that says what the skill does".to_owned(),
                n => format!("The description has only {n} words that say what the skill does"),
            };
            Diagnostic::new(Code::DescriptionVague, message)
        });
    } else if words.english && !words.has_trigger() {
        findings.push(Some(description.span), || {
            let message = "The description does not say when to use the skill";
            Diagnostic::new(Code::DescriptionNoTrigger, message)
        });
    }
    if let Some(span) = markup(source, description) {
        findings.push(Some(span), || {
            let message = "The description contains angle brackets";
            Diagnostic::new(Code::DescriptionMarkup, message)
        });
    }
    findings
}

/// A description as words.
struct Words {
    /// In lower case, with one space before and after each.
    spaced: String,
    /// How many say something.
    content: usize,
    /// Whether the trigger phrases can be expected at all.
    english: bool,
}

impl Words {
    fn of(description: &str) -> Self {
        let mut spaced = String::with_capacity(description.len() + 2);
        spaced.push(' ');
        let (mut content, mut ascii, mut other) = (0, 0, 0);
        for word in description.split(|c: char| !c.is_alphanumeric() && c != '\'') {
            if word.is_empty() {
                continue;
            }
            let start = spaced.len();
            if word.is_ascii() {
                spaced.push_str(word);
                spaced.get_mut(start..).map(str::make_ascii_lowercase);
            } else {
                spaced.push_str(&word.to_lowercase());
            }
            let word = spaced.get(start..).unwrap_or_default();
            let foreign = word.chars().filter(|c| !c.is_ascii()).count();
            other += foreign;
            ascii += word.len() - foreign.min(word.len());
            // Scripts without spaces write a whole sentence in one such word.
            if foreign > 0 && foreign * 2 > word.chars().count() {
                content += foreign.div_ceil(2);
            } else if FILLER.binary_search(&word).is_err() {
                content += 1;
            }
            spaced.push(' ');
        }
        Self { spaced, content, english: ascii > other * 4 }
    }

    fn has_trigger(&self) -> bool {
        let starts = memchr::memchr_iter(b' ', self.spaced.as_bytes()).map(|space| space + 1);
        starts.filter_map(|start| self.spaced.get(start..)).any(opens_with_trigger)
    }
}

/// Whether the words, in lower case, start with some that say when to use a skill.
fn opens_with_trigger(words: &str) -> bool {
    // No such word starts with another letter, and most words do.
    if !words.starts_with(['a', 'b', 'i', 'm', 's', 't', 'u', 'w']) {
        return false;
    }
    let mut words = words.split(' ');
    let mut next = || words.next().unwrap_or_default();
    match next() {
        "when" | "whenever" | "while" | "if" | "before" => true,
        "trigger" | "triggers" | "triggered" | "invoke" | "invoked" => true,
        "activate" | "activates" | "activated" => true,
        "use" => matches!(
            next(),
            "for"
                | "this"
                | "it"
                | "to"
                | "in"
                | "as"
                | "before"
                | "after"
                | "during"
                | "proactively"
                | "only"
                | "immediately"
        ),
        "used" => matches!(next(), "for" | "to" | "by" | "in"),
        "should" | "must" => next() == "be" && next() == "used",
        "ideal" | "intended" => next() == "for",
        "applies" => next() == "to",
        _ => false,
    }
}

/// Where the description's first angle bracket stands. One that is written as an escape is marked
/// by the whole value.
fn markup(source: Source<'_>, description: &Text) -> Option<Span> {
    let bracket = description.chars().find(|c| matches!(c, '<' | '>'))?;
    let written = description.span.slice(source.text);
    // The `>` of a folded scalar is not part of the text.
    let skip = usize::from(written.starts_with('>'));
    let at = written.get(skip..).and_then(|rest| rest.find(bracket));
    Some(match at {
        Some(at) => {
            let start = description.span.start as usize + skip + at;
            Span::new(start, start + 1)
        }
        None => description.span,
    })
}

#[cfg(test)]
#[path = "description_tests.rs"]
mod tests;
