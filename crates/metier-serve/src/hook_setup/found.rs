//! What of metier's is in an agent's settings, as the settings themselves tell: hooks are known by
//! their mark, and say how they start metier. So entries of another metier are found too, and those
//! of which nothing is written down.

use super::{Part, Present, Start, is_plugin, json};
use crate::agent_hook::HookAgent;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many entries have metier's mark.
    pub entries: usize,
    /// How they start metier, each way once.
    pub starts: Vec<Start>,
}

/// What of metier's is in `files`. One that cannot be read has nothing.
#[must_use]
pub fn found(agent: HookAgent, files: &[Present]) -> Found {
    let mut found = Found::default();
    for file in files {
        let text = file.text.as_deref().unwrap_or_default();
        match file.target.part {
            Part::Plugin if is_plugin(text) => found.add(Start::of_plugin(text)),
            Part::Hooks | Part::Both => {
                for command in json::marked(agent, text) {
                    found.add(Start::of_command(agent, &command));
                }
            }
            Part::Plugin | Part::Server | Part::CodexConfig => {}
        }
    }
    found
}

impl Found {
    fn add(&mut self, start: Option<Start>) {
        self.entries += 1;
        self.starts.extend(start.filter(|start| !self.starts.contains(start)));
    }
}

impl Start {
    /// What [`Start::command`] made a command of; none when somebody changed it since.
    fn of_command(agent: HookAgent, command: &str) -> Option<Self> {
        let words = words(command);
        let is_call = |at: &[String]| at == ["hook", agent.as_str(), "||"];
        let call = words.windows(3).position(is_call)?;
        let mut words = words.into_iter().take(call).peekable();
        let mut variables = Vec::new();
        while let Some(word) = words.next_if(|word| assigned(word).is_some()) {
            variables.extend(assigned(&word).map(|(n, v)| (n.to_owned(), v.to_owned())));
        }
        Some(Self { program: words.next()?, flags: words.collect(), variables })
    }

    /// The same of the plugin.
    fn of_plugin(text: &str) -> Option<Self> {
        let after = |name: &str| {
            let begin = format!("const {name} = ");
            text.lines().find_map(|line| line.strip_prefix(&begin))
        };
        let words: Vec<String> = serde_json::from_str(after("METIER")?).ok()?;
        let pinned: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(after("PINNED")?).ok()?;
        let pin = |(name, value): (String, serde_json::Value)| {
            Some((name, value.as_str().unwrap_or_default().to_owned()))
        };
        let mut words = words.into_iter();
        Some(Self {
            program: words.next()?,
            flags: words.collect(),
            variables: pinned.into_iter().filter_map(pin).collect(),
        })
    }
}

/// The name and the value of `NAME=value`.
fn assigned(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, value))
}

/// The words of a command as [`super::quoted`] writes them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_word, mut in_quotes) =
        (Vec::new(), String::new(), false, false);
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => in_quotes = !in_quotes,
            '\\' if !in_quotes => word.extend(rest.next()),
            ' ' if !in_quotes => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
                continue;
            }
            c => word.push(c),
        }
        is_word = true;
    }
    if is_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
#[path = "found_tests.rs"]
mod tests;
