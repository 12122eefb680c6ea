//! The options of one command.

use super::values::is_option;
use super::{Arguments, Reader, Touch, What, is_idle_setting, listed};
use crate::programs::Style;
use crate::shell::{Access, Word};

/// What an option does with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Value,
    Escape,
    Shell,
    Command,
    Code,
    Write,
    Output,
    Here,
    Read,
    AtFile,
    AtStart,
    Archive,
    Setting,
    Directory,
    Query,
    InPlace,
    Script,
    Replace,
    Url,
    Into,
    Unpack,
    Fills,
    Mounts,
    Packs,
    Removes,
}

impl Effect {
    /// Whether the option has a value at all.
    pub(super) fn has_value(self) -> bool {
        !matches!(
            self,
            Self::Here
                | Self::Query
                | Self::InPlace
                | Self::Command
                | Self::Escape
                | Self::Packs
                | Self::Removes
        )
    }
}

/// The directory in `directory:there` or `type=bind,source=directory` that another machine gets to
/// write: nothing for a volume with a name, and for one that is only read.
fn mounted(value: &Word) -> Option<Word> {
    let text = value.spelling();
    let bound = ["source=", "src="].iter().find_map(|key| {
        let at = text.find(key).filter(|at| *at == 0 || text.get(..*at).is_some_and(ends_part))?;
        let from = at + key.len();
        let end = text.get(from..)?.find(',').map_or(text.len(), |comma| from + comma);
        Some((from, end))
    });
    let is_list = || text.split(',').any(|part| part.starts_with("type="));
    let (from, to) = match (bound, text.find(':')) {
        (Some(range), _) => range,
        (None, _) if is_list() => return None,
        (None, Some(colon)) => (0, colon),
        // Without a colon it is a volume, unless only a running shell knows.
        (None, None) if value.as_known().is_some() => return None,
        (None, None) => (0, text.len()),
    };
    let path = value.part(from, to)?;
    let only_read = |part: &str| matches!(part, "ro" | "readonly" | "readonly=true" | "ro=true");
    let only_read = value.as_known().is_some() && text.split([',', ':']).any(only_read);
    let is_path = path.as_known().is_none_or(|path| path.starts_with(['/', '.', '~']));
    (is_path && !only_read).then_some(path)
}

fn ends_part(text: &str) -> bool {
    text.ends_with(',')
}

impl<'p> Reader<'p> {
    pub(super) fn option(&mut self, word: &'p Word) {
        let at = self.at;
        self.at += 1;
        let prefix = word.prefix();
        if word.as_known().is_some() && self.usage.takes_two.iter().any(|two| two == prefix) {
            return self.two_values(at);
        }
        match prefix {
            // To a shell it ends the options, and without a file that is what is on standard input.
            "-" if word.as_known().is_some() && self.usage.style == Style::Shell => {
                self.flags.ended = true;
            }
            "-" if word.as_known().is_some() && self.wraps() && self.stands_alone("-") => {}
            "-" if word.as_known().is_some() => {
                self.at -= 1;
                self.argument(word);
            }
            "--" if word.as_known().is_some() => self.end_options(at),
            "" | "-" | "--" => self.unknown_option(at, word),
            // What it may become starts with what is known of it.
            _ if !prefix.starts_with(['-', '+']) => self.unknown_option(at, word),
            _ if self.usage.style == Style::Shell => self.shell_option(at, word),
            _ if prefix.starts_with("--") || self.usage.style == Style::Long => {
                self.long_option(at, word);
            }
            _ => self.short_options(at, word),
        }
    }

    /// The two words behind an option. One that looks like an option may be one to another reader.
    fn two_values(&mut self, at: usize) {
        let values = self.argv.get(self.at..).unwrap_or_default().iter().take(2);
        if let Some(value) = values.clone().find(|word| is_option(word) || word.splits()) {
            self.escape(at, format!("`{}` may be a value or an option", value.shown()));
        }
        self.at += values.count();
    }

    /// A word that may turn out to be any option, or several words.
    fn unknown_option(&mut self, at: usize, word: &'p Word) {
        let shell = self.usage.style == Style::Shell;
        if self.has_dangerous_options() || self.wraps() || shell || self.shifts(word) {
            let text = format!("`{}` could become an option of `{}`", word.shown(), self.name());
            match self.wraps() || shell {
                true => self.blind(at, text),
                false => self.escape(at, text),
            }
        }
        self.arguments.push(at);
    }

    /// Whether one of its arguments starts another command.
    pub(super) fn wraps(&self) -> bool {
        self.usage.command_at.is_some() || self.usage.shell_at.is_some()
    }

    fn long_option(&mut self, at: usize, word: &'p Word) {
        let prefix = word.prefix();
        let (name, inline) = match prefix.split_once('=') {
            Some((name, _)) => (name, word.tail(name.len() + 1)),
            None => (prefix, None),
        };
        if inline.is_none() && (word.as_known().is_none() || word.splits()) {
            return self.unknown_option(at, word);
        }
        match self.effect(name) {
            Some(effect) => self.apply(effect, at, name, inline),
            None if word.splits() => self.unknown_option(at, word),
            None if inline.is_some() || self.has_number(name) => self.unlisted(at, name, false),
            None => self.unlisted(at, name, true),
        }
    }

    /// An option nobody listed: harmless, unless it could move the command that follows, or take a
    /// word that is counted as an argument. `open` is whether it may have a value behind it.
    fn unlisted(&mut self, at: usize, name: &str, open: bool) {
        let shifts = open && self.at < self.argv.len() && self.counts();
        let number = name.chars().skip(1).all(|c| c.is_ascii_digit());
        let moves = self.wraps() || (shifts && !number);
        if moves && !self.stands_alone(name) {
            self.escape(at, format!("`{name}` is not a known option of `{}`", self.name()));
        }
    }

    /// `-abc`, `-ovalue`: every letter counts until one takes the rest.
    fn short_options(&mut self, at: usize, word: &'p Word) {
        let prefix = word.prefix();
        if let Some(start) = self.usage.passes_on.iter().find(|start| prefix.starts_with(*start)) {
            return self.pass_on(at, word, start.len());
        }
        // Programs with single-dash words list them as they are written.
        if let Some(effect) = self.exact(prefix.split('=').next().unwrap_or(prefix))
            && prefix.len() > 2
        {
            let inline = prefix.find('=').and_then(|equals| word.tail(equals + 1));
            return self.apply(effect, at, prefix, inline);
        }
        if prefix.len() > 2 && word.as_known().is_some() && self.stands_alone(prefix) {
            return;
        }
        for (index, letter) in prefix.char_indices().skip(1) {
            let name = format!("-{letter}");
            let Some(effect) = self.exact(&name) else {
                self.unlisted(at, &name, true);
                continue;
            };
            let rest = word.tail(index + letter.len_utf8());
            let inline = rest.filter(|rest| rest.as_known() != Some(""));
            self.apply(effect, at, &name, inline);
            if effect.has_value() || effect == Effect::InPlace {
                return;
            }
        }
        if word.as_known().is_none() || word.splits() {
            self.unknown_option(at, word);
        }
    }

    /// `-Wl,-a,-b=c`: options of another program.
    fn pass_on(&mut self, at: usize, word: &Word, from: usize) {
        let harmless = |part: &str| {
            let name = part.split('=').next().unwrap_or(part);
            !part.starts_with(['-', '@']) || listed(&self.usage.settings, name)
        };
        let parts = word.as_known().and_then(|text| text.get(from..));
        if !parts.is_some_and(|parts| parts.split(',').all(harmless)) {
            let text = format!("`{}` passes on what can run or write anything", word.shown());
            self.escape(at, text);
        }
    }

    /// A shell's options: letters of which `c` matters, and a few that take a value.
    fn shell_option(&mut self, at: usize, word: &'p Word) {
        let Some(text) = word.as_known() else { return self.unknown_option(at, word) };
        if text.starts_with("--") {
            if !self.usage.safe.iter().any(|safe| safe == text) {
                self.escape(at, format!("`{text}` changes what `{}` reads", self.name()));
            }
            // What stands behind it is no script.
            if ["--rcfile", "--init-file", "--init-command", "--features"].contains(&text) {
                self.at += 1;
            }
            return;
        }
        for letter in text.chars().skip(1) {
            match letter {
                'c' => self.flags.shell_text = true,
                'e' | 'u' | 'x' | 'l' | 'f' | 'v' => {}
                's' => self.flags.reads_input = true,
                'o' => self.at += 1,
                'O' | 'C' if letter == 'O' || self.name().ends_with("fish") => {
                    self.at += 1;
                    self.escape(at, format!("`{text}` changes what `{}` reads", self.name()));
                }
                _ => self.escape(at, format!("`{text}` changes what `{}` reads", self.name())),
            }
        }
    }

    /// The effect of an option by its full name, or by the beginning of a dangerous one's. Some names
    /// have something before them that changes nothing: `--expand-output`.
    fn effect(&self, name: &str) -> Option<Effect> {
        let mut prefixes = self.usage.prefixes.iter();
        let bare = prefixes.find_map(|prefix| Some(format!("--{}", name.strip_prefix(prefix)?)));
        bare.and_then(|name| self.named(&name)).or_else(|| self.named(name))
    }

    fn named(&self, name: &str) -> Option<Effect> {
        self.exact(name).or_else(|| {
            let usage = self.usage;
            if usage.style == Style::Long || name.len() < 3 || usage.safe.iter().any(|s| s == name)
            {
                return None;
            }
            let mut lists =
                self.effects().into_iter().filter(|(effect, _)| *effect != Effect::Value);
            lists.find_map(|(effect, list)| {
                list.iter().any(|option| option.starts_with(name)).then_some(effect)
            })
        })
    }

    pub(super) fn exact(&self, name: &str) -> Option<Effect> {
        let mut lists = self.effects().into_iter();
        lists.find_map(|(effect, list)| list.iter().any(|option| option == name).then_some(effect))
    }

    fn effects(&self) -> [(Effect, &'p [String]); 25] {
        let usage = self.usage;
        [
            (Effect::Escape, &usage.escape),
            (Effect::Shell, &usage.shell),
            (Effect::Command, &usage.command),
            (Effect::Code, &usage.code),
            (Effect::Write, &usage.write),
            (Effect::Output, &usage.output),
            (Effect::Here, &usage.here),
            (Effect::Read, &usage.read),
            (Effect::AtFile, &usage.at_file),
            (Effect::AtStart, &usage.at_start),
            (Effect::Setting, &usage.setting),
            (Effect::Directory, &usage.directory),
            (Effect::Query, &usage.query),
            (Effect::InPlace, &usage.in_place),
            (Effect::Script, &usage.script),
            (Effect::Replace, &usage.replace),
            (Effect::Archive, &usage.archive),
            (Effect::Url, &usage.url),
            (Effect::Into, &usage.into),
            (Effect::Unpack, &usage.unpack),
            (Effect::Fills, &usage.fills),
            (Effect::Mounts, &usage.mounts),
            (Effect::Removes, &usage.removes),
            (Effect::Packs, &usage.packs),
            (Effect::Value, &usage.takes),
        ]
    }

    pub(super) fn has_dangerous_options(&self) -> bool {
        // A program that reads its arguments reads no more by an option.
        let reads = match self.usage.arguments {
            Arguments::Reads | Arguments::Searches => true,
            Arguments::Mentions => self.usage.only_reads,
            _ => false,
        };
        let dangerous = self.effects().into_iter().any(|(effect, list)| match effect {
            _ if list.is_empty() => false,
            Effect::Value | Effect::Query | Effect::Replace | Effect::Archive => false,
            Effect::Into | Effect::Packs | Effect::Mounts => false,
            Effect::Read | Effect::AtFile | Effect::AtStart => !reads,
            Effect::Script => self.usage.language.is_some(),
            _ => true,
        });
        dangerous || (self.enters() && self.usage.listed)
    }

    pub(super) fn apply(&mut self, effect: Effect, at: usize, name: &str, inline: Option<Word>) {
        let attached = inline.is_some();
        let value = match inline {
            Some(value) => Some(value),
            None if effect.has_value() => self.next_value(effect, at),
            None => None,
        };
        if let Some(value) = value.as_ref().filter(|value| self.may_be_several(value, attached)) {
            let text = format!("`{}` could become options of `{}`", value.shown(), self.name());
            self.escape(at, text);
        }
        match effect {
            Effect::Value => {}
            Effect::Escape => {
                self.escape(
                    at,
                    format!("`{name}` of `{}` can run or change anything", self.name()),
                );
            }
            Effect::Command if value.is_some() => {
                self.blind(at, format!("what `{name}` runs cannot be told"));
            }
            Effect::Command => self.command_option(at),
            Effect::Here => self.hazard(at, What::Here),
            Effect::Query => self.flags.query = true,
            Effect::InPlace => self.flags.in_place = true,
            Effect::Packs => self.flags.packs = true,
            Effect::Removes => {
                self.flags.removes = true;
                self.escape(at, format!("`{name}` of `{}` removes what it finds", self.name()));
            }
            Effect::Code => {
                self.hazard(at, What::Code(format!("`{name}` of `{}` is code", self.name())));
            }
            Effect::Mounts => self.mount(at, value.as_ref()),
            _ => match value {
                Some(value) => self.apply_value(effect, at, name, value),
                None => self.escape(at, format!("`{name}` has no value")),
            },
        }
    }

    /// Another machine gets to write a directory.
    fn mount(&mut self, at: usize, value: Option<&Word>) {
        let Some(path) = value.and_then(mounted) else { return };
        if path.as_known().is_none() {
            self.escape(at, format!("what `{}` gets to write cannot be told", self.name()));
        }
        self.out.touches.push(Touch::Into(path));
    }

    fn apply_value(&mut self, effect: Effect, at: usize, name: &str, value: Word) {
        match effect {
            Effect::Shell => match value.as_known() {
                Some(text) => {
                    self.out.handed.push((at, self.at));
                    self.hazard(at, What::Shell(text.to_owned()));
                }
                None => self.blind(at, format!("what `{name}` runs cannot be told")),
            },
            Effect::Write => self.hazard(at, What::File(Access::Write, value)),
            Effect::Output if value.as_known() == Some("-") => {}
            Effect::Output => self.hazard(at, What::Output(value)),
            // A lone dash is what comes in by itself.
            Effect::Read if value.as_known() == Some("-") => {}
            Effect::Read => self.hazard(at, What::File(Access::Read, value)),
            Effect::AtFile => self.at_file(at, name, &value),
            Effect::AtStart => match (value.prefix().strip_prefix('@'), value.tail(1)) {
                (Some(_), Some(file)) => self.hazard(at, What::File(Access::Read, file)),
                _ if value.holes().first() == Some(&0) => {
                    self.escape(at, format!("`{name}` may send a file"));
                }
                _ => {}
            },
            Effect::Archive => {
                let name = value.prefix().split('/').next().unwrap_or_default();
                if name.contains(':') || value.holes().first() == Some(&0) {
                    self.escape(at, format!("`{}` may be on another machine", value.shown()));
                }
                self.archives.push(value);
            }
            Effect::Into => self.into.push(value),
            Effect::Unpack => {
                self.into.push(value.clone());
                self.hazard(at, What::File(Access::Write, value));
            }
            Effect::Fills => {
                self.into.push(value.clone());
                self.out.touches.push(Touch::Into(value));
                self.escape(at, format!("`{name}` of `{}` changes where it works", self.name()));
            }
            Effect::Setting => self.setting(at, name, &value),
            Effect::Directory => self.hazard(at, What::Enter(value)),
            Effect::Script => self.scripts.push((at, value)),
            Effect::Replace => self.replaced = Some(value),
            Effect::Url => self.url(at, &value),
            _ => {}
        }
    }

    /// `@file`, `name=@file` and `name=<file`: the value may name a file to send.
    fn at_file(&mut self, at: usize, name: &str, value: &Word) {
        let prefix = value.prefix();
        if value.as_known().is_none() && !prefix.starts_with(['{', '[']) {
            return self.escape(at, format!("`{name}` may send a file"));
        }
        let mark = if prefix.starts_with('@') {
            Some(1)
        } else {
            ["=@", "=<", "@"].iter().find_map(|mark| {
                let found = prefix.find(mark).map(|found| found + mark.len());
                found.filter(|_| *mark != "@" || !prefix.contains(['=', '{', ' ']))
            })
        };
        if let Some(file) = mark.and_then(|mark| value.tail(mark)) {
            self.hazard(at, What::File(Access::Read, file));
        }
    }

    fn setting(&mut self, at: usize, name: &str, value: &Word) {
        let prefix = value.prefix();
        let key = prefix.split_once(['=', ' ']).map_or(value.as_known(), |(key, _)| Some(key));
        let key = key.map(str::to_ascii_lowercase);
        // It is another way to say which directory is filled.
        if let Some(tree) = key.as_deref().filter(|key| *key == "core.worktree")
            && let Some(path) = value.tail(tree.len() + 1)
        {
            self.out.touches.push(Touch::Into(path));
        }
        let told = value.as_known().and_then(|text| text.split_once('=')).map(|(_, told)| told);
        let idle = |key: &str| told.is_some_and(|told| is_idle_setting(key, told));
        match key {
            Some(key) if listed(&self.usage.settings, &key) && !value.splits() => {}
            Some(key) if idle(&key) => {}
            Some(key) => {
                self.escape(at, format!("the setting `{key}` of `{name}` can run programs"));
            }
            None => self.escape(at, format!("the setting of `{name}` cannot be told")),
        }
    }

    /// What `find` names the files it finds: they start with the directory it was told.
    fn found(&self) -> Word {
        let told: Vec<&Word> = self.arguments.iter().filter_map(|at| self.argv.get(*at)).collect();
        match told.as_slice() {
            [] => Word::starting("./"),
            [one] if !one.may_be_option() => match one.as_known() {
                Some(text) => Word::starting(format!("{}/", text.trim_end_matches('/'))),
                None => Word::starting(one.prefix()),
            },
            _ => Word::starting("./"),
        }
    }

    /// `-exec command … ;`: the words up to the end mark are a command with unknown arguments.
    fn command_option(&mut self, at: usize) {
        let rest = self.argv.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|word| matches!(word.as_known(), Some(";" | "+")));
        let words = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let found = match self.usage.style {
            // find puts what it found behind the directory it was told, which is no option.
            Style::Long => self.found(),
            _ => Word::unknown(),
        };
        let words = words.iter().map(|word| match word.prefix() {
            "{}" => found.clone(),
            other if other.contains("{}") => Word::unknown(),
            _ => word.clone(),
        });
        let words: Vec<Word> = words.collect();
        self.out.handed.push((self.at, self.at + words.len()));
        self.at += words.len() + 1;
        if self.argv.get(at).is_some_and(|word| word.prefix().ends_with("dir")) {
            let told = self.arguments.iter().filter_map(|at| self.argv.get(*at).cloned());
            let mut told: Vec<Word> = told.collect();
            if told.is_empty() {
                told.push(Word::known("."));
            }
            self.out.touches.extend(told.into_iter().map(Touch::Into));
            self.hazard(at, What::Go(found));
        }
        self.hazard(at + 1, What::Run(words));
    }
}
