//! Agents that are started so that nobody guards them: by a flag, a variable or a command of their own
//! that switches their hooks off.
//!
//! An agent started from a tool call brings its hooks with it, and metier with them. One that is told
//! to leave them out would do whatever the call that started it must not, so that is denied like
//! writing its settings is; where nobody can tell (settings in another file), it is asked about.
//! [`found`] looks for such a start in all that a call does, and in text where a part cannot be told.
//!
//! It knows the switches of each agent, as far as running them showed them, and nothing about hooks.

use super::approving::{BETWEEN, behind, may_run_its_words};
use crate::act::{Act, Command, Consequence};
use crate::call::Understood;
use crate::limits::MAX_SEARCHED_BYTES;
use crate::shell::Word;

/// How an agent that is started is guarded.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Start {
    /// As usual, or none is started.
    #[default]
    Guarded,
    /// Perhaps not at all, by this.
    Perhaps(String),
    /// Not at all, by this.
    Unguarded(String),
}

/// One agent.
struct Agent {
    /// What it and its package are called.
    names: &'static [&'static str],
    /// What switches its hooks off.
    switches: &'static [(&'static str, Switch)],
    /// Commands of its own that can.
    commands: &'static [&'static str],
    /// Variables that can, or that lead it to other settings.
    variables: &'static [&'static str],
}

/// What a flag that switches hooks off looks like.
#[derive(Clone, Copy)]
enum Switch {
    /// By itself.
    Alone,
    /// With settings as a text, or in a file.
    Settings,
    /// With the layers of settings that count.
    Layers,
    /// With the name of what is switched off.
    Feature,
    /// With a key and its value.
    Setting,
}

const AGENTS: [Agent; 4] = [
    Agent {
        names: &["claude", "claude-code"],
        switches: &[
            ("--bare", Switch::Alone),
            ("--safe-mode", Switch::Alone),
            ("--settings", Switch::Settings),
            ("--setting-sources", Switch::Layers),
        ],
        commands: &["config"],
        variables: &["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "HOME"],
    },
    Agent {
        names: &["codex"],
        switches: &[
            ("--ignore-user-config", Switch::Alone),
            ("--disable", Switch::Feature),
            ("-c", Switch::Setting),
            ("--config", Switch::Setting),
        ],
        commands: &["features"],
        variables: &["CODEX_HOME", "HOME"],
    },
    Agent {
        names: &["gemini", "gemini-cli"],
        switches: &[],
        commands: &["hooks"],
        variables: &["GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "HOME"],
    },
    Agent {
        names: &["opencode", "opencode-ai"],
        switches: &[("--pure", Switch::Alone)],
        commands: &[],
        variables: &[
            "OPENCODE_PURE",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_CONFIG_CONTENT",
            "XDG_CONFIG_HOME",
            "HOME",
        ],
    },
];

/// Words of an agent's own command that only look.
const LOOKS: [&str; 5] = ["get", "list", "ls", "show", "help"];

/// How the agents that a call starts are guarded, the worst of them.
pub(super) fn found(call: &Understood, acts: &[Act]) -> Start {
    let mut search = Search::default();
    acts.iter().for_each(|act| search.act(act));
    let by_variable = search.started.iter().flat_map(|agent| {
        let set = |name: &&&str| search.set.iter().any(|set| set == **name);
        agent.variables.iter().filter(set).map(|name| Start::Unguarded((**name).to_owned()))
    });
    let mut worst = by_variable.max().unwrap_or_default().max(search.worst);
    if search.untold && worst == Start::Guarded {
        worst = super::untold_text(call).map_or(Start::Guarded, |text| in_text(&text));
    }
    worst
}

#[derive(Default)]
struct Search {
    /// Agents that are started.
    started: Vec<&'static Agent>,
    /// Variables that are set or taken away.
    set: Vec<String>,
    worst: Start,
    /// Something cannot be told: code, or a program only a running shell knows.
    untold: bool,
}

impl Search {
    fn act(&mut self, act: &Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => acts.iter().for_each(|act| self.act(act)),
            Act::Unresolvable(_) => self.untold = true,
            Act::Tool | Act::File(_) | Act::Fetch(_) => {}
        }
    }

    fn command(&mut self, command: &Command) {
        let set = command.assignments.iter().filter(|set| is_set(&set.name, &set.value));
        self.set.extend(set.map(|set| set.name.clone()));
        if let Some((program, words)) = command.argv.split_first() {
            self.set.extend(words.iter().filter_map(named_variable));
            self.untold |= program.as_known().is_none();
            match agent(program) {
                Some(agent) => self.start(agent, words),
                None if may_run_its_words(command) => self.among(words),
                None => {}
            }
        }
        for (_, consequence) in &command.consequences {
            match consequence {
                Consequence::Acts(acts) => acts.iter().for_each(|act| self.act(act)),
                Consequence::Escape(_) | Consequence::Code(_) => self.untold = true,
            }
        }
    }

    fn start(&mut self, agent: &'static Agent, words: &[Word]) {
        self.started.push(agent);
        self.worst = std::mem::take(&mut self.worst).max(agent.start(words));
    }

    /// What the words of a program that may run them start: `cargo test -p claude` nothing.
    fn among(&mut self, words: &[Word]) {
        let mut behind_option = false;
        for (at, word) in words.iter().enumerate() {
            let agent = agent(word).filter(|_| !behind_option).or_else(|| packaged(word));
            if let Some(agent) = agent {
                self.start(agent, words.get(at + 1..).unwrap_or_default());
            }
            behind_option = word.as_known().is_some_and(|w| w.starts_with('-') && w != "--");
        }
    }
}

/// The agent a program is, by the last part of its name and without a version.
fn agent(program: &Word) -> Option<&'static Agent> {
    let name = program.as_known()?.rsplit('/').next()?;
    // Most programs are told apart by their first letter.
    name.bytes().next().filter(|first| b"cgoCGO".contains(first))?;
    let name = name.to_ascii_lowercase();
    let name = name.split('@').next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    AGENTS.iter().find(|agent| agent.names.contains(&name))
}

/// The agent whose package a file lies in.
fn packaged(file: &Word) -> Option<&'static Agent> {
    let path = file.as_known().filter(|path| path.contains("node_modules/"))?;
    AGENTS.iter().find(|agent| path.split('/').any(|part| agent.names.contains(&part)))
}

impl Agent {
    /// How it is guarded with these words.
    fn start(&self, words: &[Word]) -> Start {
        let mut worst = Start::Guarded;
        let mut rest = words;
        while let Some((word, behind)) = rest.split_first() {
            rest = behind;
            if word.as_known() == Some("--") {
                break;
            }
            worst = worst.max(self.word(word, behind));
        }
        worst
    }

    fn word(&self, word: &Word, behind: &[Word]) -> Start {
        let text = word.prefix();
        if word.as_known().is_none() && word.may_be_option() && word.splits() {
            return Start::Perhaps(word.shown());
        }
        if self.commands.contains(&text) {
            return own_command(text, behind);
        }
        for (flag, switch) in self.switches {
            let Some(rest) = text.strip_prefix(flag) else { continue };
            let inline = match (rest.starts_with('='), flag.len()) {
                (true, _) => word.tail(flag.len() + 1),
                (false, 2) if !rest.is_empty() => word.tail(flag.len()),
                (false, _) if rest.is_empty() => None,
                (false, _) => continue,
            };
            let value = inline.or_else(|| behind.first().cloned());
            return switch.with(flag, value.as_ref());
        }
        Start::Guarded
    }
}

/// A command of an agent's own about its settings: fine where it only looks, or is about another one.
fn own_command(command: &str, words: &[Word]) -> Start {
    let looks = |word: &Word| word.as_known().is_some_and(|text| LOOKS.contains(&text));
    let shown = || {
        let words: Vec<String> = words.iter().map(Word::shown).collect();
        format!("{command} {}", words.join(" "))
    };
    if words.is_empty() || words.first().is_some_and(looks) {
        return Start::Guarded;
    }
    let about = words.iter().any(|word| word.spelling().to_ascii_lowercase().contains("hook"));
    let switches = words.first().is_none_or(|word| word.as_known() != Some("enable"));
    match words.iter().all(|word| word.as_known().is_some()) {
        true if switches && (about || command == "hooks") => Start::Unguarded(shown()),
        true => Start::Guarded,
        false => Start::Perhaps(shown()),
    }
}

impl Switch {
    /// What the flag means with this value.
    fn with(self, flag: &str, value: Option<&Word>) -> Start {
        let shown = match (self, value) {
            (Self::Alone, _) | (_, None) => flag.to_owned(),
            (_, Some(value)) => format!("{flag} {}", value.shown()),
        };
        if matches!(self, Self::Alone) {
            return Start::Unguarded(shown);
        }
        let Some(value) = value else { return Start::Guarded };
        let Some(text) = value.as_known() else {
            return Start::Perhaps(shown);
        };
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = plain.to_ascii_lowercase();
        match self.is_off(&plain) {
            None => Start::Perhaps(shown),
            Some(true) => Start::Unguarded(shown),
            Some(false) => Start::Guarded,
        }
    }

    /// Whether this value switches hooks off; nothing where that cannot be told. The value is in
    /// lowercase and without blanks.
    fn is_off(self, value: &str) -> Option<bool> {
        match self {
            Self::Alone => Some(true),
            Self::Settings if value.starts_with('{') => {
                // A character may be written as a number.
                let off = value.replace("\"disableallhooks\":false", "");
                Some(off.contains("disableallhooks") || off.contains('\\'))
            }
            Self::Settings => None,
            Self::Layers => Some(!value.split(',').any(|layer| layer == "user")),
            Self::Feature => Some(value.split(',').any(|name| name.contains("hook"))),
            Self::Setting => {
                let (key, value) = value.split_once('=').unwrap_or((value, ""));
                let key = key.replace(['"', '\''], "");
                match key.as_str() {
                    "features.hooks" | "features.codex_hooks" => Some(value != "true"),
                    "features" => Some(value.contains("hook")),
                    _ => Some(key == "hooks" || key.starts_with("hooks.")),
                }
            }
        }
    }
}

/// Whether setting a variable to this says anything: `OPENCODE_PURE=0` does not.
fn is_set(name: &str, value: &Word) -> bool {
    name != "OPENCODE_PURE" || !matches!(value.as_known(), Some("" | "0" | "false"))
}

/// The variable that a word sets or names, where an agent knows it.
fn named_variable(word: &Word) -> Option<String> {
    let text = word.prefix();
    let (name, value) = match text.split_once('=') {
        Some((name, _)) => (name, word.tail(name.len() + 1)),
        None => (word.as_known()?, None),
    };
    name.bytes().next().filter(u8::is_ascii_uppercase)?;
    let known = AGENTS.iter().any(|agent| agent.variables.contains(&name));
    (known && value.is_none_or(|value| is_set(name, &value))).then(|| name.to_owned())
}

/// The worst such start that is spelled out in text nobody can read as commands, in lowercase. Linear:
/// what stands behind a name is looked at up to its next mention.
fn in_text(text: &str) -> Start {
    let mut worst = Start::Guarded;
    // Each of its names starts with the first one.
    let spelled = |agent: &&Agent| agent.names.first().is_some_and(|name| text.contains(name));
    for agent in AGENTS.iter().filter(spelled) {
        for name in agent.names {
            for behind in behind(text, name) {
                let near = behind.split(name).next().unwrap_or_default();
                let near = near.get(..near.floor_char_boundary(MAX_SEARCHED_BYTES));
                worst = worst.max(agent.start_in_text(near.unwrap_or_default()));
            }
        }
    }
    worst
}

impl Agent {
    /// How it is guarded with what stands behind its name in a text. What nobody can tell from a text
    /// is not asked about: it may be no start at all.
    fn start_in_text(&self, behind: &str) -> Start {
        let words = behind.split(BETWEEN).filter(|word| !word.is_empty());
        let words: Vec<Word> = words.map(Word::known).collect();
        if let off @ Start::Unguarded(_) = self.start(&words) {
            return off;
        }
        let switch = behind.find("disableallhooks").and_then(|at| behind.get(at..));
        let is_off = |rest: &str| {
            let value = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '\\');
            !value.trim_start_matches(['"', '\'', ':', '=', ' ']).starts_with("false")
        };
        match switch.is_some_and(is_off) {
            true => Start::Unguarded("disableAllHooks".to_owned()),
            false => Start::Guarded,
        }
    }
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
