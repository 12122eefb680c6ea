//! One command read by the data about its program.
//!
//! The reader errs on one side only: a word that could be a dangerous option counts as one, an
//! abbreviation of a dangerous option counts as the option, and a bundle of letters counts for
//! each of them.

use super::{
    Analysis, Arguments, Hazard, Language, Program, Role, Style, Touch, Verb, What, language,
    listed,
};
use crate::shell::{Access, Word};

/// What the words would do, by the data about their program.
pub(super) fn analyse(program: &Program, argv: &[Word]) -> Analysis {
    let mut reader = Reader {
        program,
        usage: program,
        argv,
        at: 1,
        out: Analysis { role: program.role, note: program.note.clone(), ..Analysis::default() },
        arguments: Vec::new(),
        scripts: Vec::new(),
        replaced: None,
        flags: Flags::default(),
    };
    reader.read();
    reader.out
}

struct Reader<'p> {
    program: &'p Program,
    /// The program, or its subcommand once that was read.
    usage: &'p Program,
    argv: &'p [Word],
    at: usize,
    out: Analysis,
    /// Positions of the arguments that are no options.
    arguments: Vec<usize>,
    /// Scripts in the usage's language, with the word they start at.
    scripts: Vec<(usize, Word)>,
    /// What stands for appended words.
    replaced: Option<Word>,
    flags: Flags,
}

#[derive(Default)]
struct Flags {
    /// `--` was passed.
    ended: bool,
    /// The command was handed on; nothing after it is this program's.
    done: bool,
    /// A wrapper only answers a question.
    query: bool,
    /// File arguments are written.
    in_place: bool,
    /// A shell gets text with `-c`.
    shell_text: bool,
    /// A subcommand was entered.
    entered: bool,
}

/// What an option does with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Value,
    Escape,
    Shell,
    Command,
    Code,
    Write,
    Here,
    Read,
    AtFile,
    Setting,
    Directory,
    Query,
    InPlace,
    Script,
    Replace,
}

impl Effect {
    /// Whether the option has a value at all.
    fn has_value(self) -> bool {
        !matches!(self, Self::Here | Self::Query | Self::InPlace | Self::Command | Self::Escape)
    }
}

impl<'p> Reader<'p> {
    fn read(&mut self) {
        self.out.moves = self.usage.moves;
        while !self.flags.done && self.at < self.argv.len() {
            let Some(word) = self.argv.get(self.at) else { break };
            if !self.flags.ended && self.usage.style != Style::None && word.may_be_option() {
                self.option(word);
            } else {
                self.argument(word);
            }
        }
        self.finish();
    }

    // Options ----------------------------------------------------------------------------------

    fn option(&mut self, word: &'p Word) {
        let at = self.at;
        self.at += 1;
        let prefix = word.prefix();
        match prefix {
            "-" if word.as_known().is_some() => {
                self.at -= 1;
                self.argument(word);
            }
            "--" if word.as_known().is_some() => self.flags.ended = true,
            "" | "-" | "--" => self.unknown_option(at, word),
            _ if self.usage.style == Style::Shell => self.shell_option(at, word),
            _ if prefix.starts_with("--") || self.usage.style == Style::Long => {
                self.long_option(at, word);
            }
            _ => self.short_options(at, word),
        }
    }

    /// A word that may turn out to be any option, or several words.
    fn unknown_option(&mut self, at: usize, word: &'p Word) {
        if self.has_dangerous_options() || self.wraps() {
            self.escape(
                at,
                format!("`{}` could become an option of `{}`", word.shown(), self.name()),
            );
        }
        self.arguments.push(at);
    }

    /// Whether one of its arguments starts another command.
    fn wraps(&self) -> bool {
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
        let Some(effect) = self.effect(name) else {
            if word.splits() {
                self.unknown_option(at, word);
            }
            return;
        };
        self.apply(effect, at, name, inline);
    }

    /// `-abc`, `-ovalue`: every letter counts until one takes the rest.
    fn short_options(&mut self, at: usize, word: &'p Word) {
        let prefix = word.prefix();
        // Programs with single-dash words list them as they are written.
        if let Some(effect) = self.exact(prefix.split('=').next().unwrap_or(prefix))
            && prefix.len() > 2
        {
            let inline = prefix.find('=').and_then(|equals| word.tail(equals + 1));
            return self.apply(effect, at, prefix, inline);
        }
        for (index, letter) in prefix.char_indices().skip(1) {
            let name = format!("-{letter}");
            let Some(effect) = self.exact(&name) else { continue };
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

    /// A shell's options: letters of which `c` matters, and a few that take a value.
    fn shell_option(&mut self, at: usize, word: &'p Word) {
        let Some(text) = word.as_known() else { return self.unknown_option(at, word) };
        if text.starts_with("--") {
            if !self.usage.safe.iter().any(|safe| safe == text) {
                self.escape(at, format!("`{text}` changes what `{}` reads", self.name()));
            }
            return;
        }
        for letter in text.chars().skip(1) {
            match letter {
                'c' => self.flags.shell_text = true,
                'e' | 'u' | 'x' | 'l' | 'f' | 'v' => {}
                'o' => self.at += 1,
                _ => self.escape(at, format!("`{text}` changes what `{}` reads", self.name())),
            }
        }
    }

    /// The effect of an option by its full name, or by the beginning of a dangerous one's.
    fn effect(&self, name: &str) -> Option<Effect> {
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

    fn exact(&self, name: &str) -> Option<Effect> {
        let mut lists = self.effects().into_iter();
        lists.find_map(|(effect, list)| list.iter().any(|option| option == name).then_some(effect))
    }

    fn effects(&self) -> [(Effect, &'p [String]); 15] {
        let usage = self.usage;
        [
            (Effect::Escape, &usage.escape),
            (Effect::Shell, &usage.shell),
            (Effect::Command, &usage.command),
            (Effect::Code, &usage.code),
            (Effect::Write, &usage.write),
            (Effect::Here, &usage.here),
            (Effect::Read, &usage.read),
            (Effect::AtFile, &usage.at_file),
            (Effect::Setting, &usage.setting),
            (Effect::Directory, &usage.directory),
            (Effect::Query, &usage.query),
            (Effect::InPlace, &usage.in_place),
            (Effect::Script, &usage.script),
            (Effect::Replace, &usage.replace),
            (Effect::Value, &usage.takes),
        ]
    }

    fn has_dangerous_options(&self) -> bool {
        // A program that reads its arguments reads no more by an option.
        let reads = matches!(self.usage.arguments, Arguments::Reads | Arguments::Searches);
        let dangerous = self.effects().into_iter().any(|(effect, list)| match effect {
            _ if list.is_empty() => false,
            Effect::Value | Effect::Query | Effect::Replace => false,
            Effect::Read | Effect::AtFile => !reads,
            Effect::Script => self.usage.language.is_some(),
            _ => true,
        });
        dangerous || (!self.flags.entered && self.program.listed)
    }

    fn apply(&mut self, effect: Effect, at: usize, name: &str, inline: Option<Word>) {
        let value = match inline {
            Some(value) => Some(value),
            None if effect.has_value() => {
                let next = self.argv.get(self.at).cloned();
                self.at += 1;
                next
            }
            None => None,
        };
        match effect {
            Effect::Value => {}
            Effect::Escape => {
                self.escape(
                    at,
                    format!("`{name}` of `{}` can run or change anything", self.name()),
                );
            }
            Effect::Command => self.command_option(at),
            Effect::Here => self.hazard(at, What::Here),
            Effect::Query => self.flags.query = true,
            Effect::InPlace => self.flags.in_place = true,
            Effect::Code => {
                self.hazard(at, What::Code(format!("`{name}` of `{}` is code", self.name())));
            }
            _ => match value {
                Some(value) => self.apply_value(effect, at, name, value),
                None => self.escape(at, format!("`{name}` has no value")),
            },
        }
    }

    fn apply_value(&mut self, effect: Effect, at: usize, name: &str, value: Word) {
        match effect {
            Effect::Shell => match value.as_known() {
                Some(text) => self.hazard(at, What::Shell(text.to_owned())),
                None => self.escape(at, format!("what `{name}` runs cannot be told")),
            },
            Effect::Write => self.hazard(at, What::File(Access::Write, value)),
            Effect::Read => self.hazard(at, What::File(Access::Read, value)),
            Effect::AtFile => self.at_file(at, name, &value),
            Effect::Setting => self.setting(at, name, &value),
            Effect::Directory => self.hazard(at, What::Enter(value)),
            Effect::Script => self.scripts.push((at, value)),
            Effect::Replace => self.replaced = Some(value),
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
        match key {
            Some(key) if listed(&self.usage.settings, &key) && !value.splits() => {}
            Some(key) => {
                self.escape(at, format!("the setting `{key}` of `{name}` can run programs"));
            }
            None => self.escape(at, format!("the setting of `{name}` cannot be told")),
        }
    }

    /// `-exec command … ;`: the words up to the end mark are a command with unknown arguments.
    fn command_option(&mut self, at: usize) {
        let rest = self.argv.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|word| matches!(word.as_known(), Some(";" | "+")));
        let words = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let found = match self.usage.style {
            // find puts what it found behind the directory it was told, which is no option.
            Style::Long => Word::starting("./"),
            _ => Word::unknown(),
        };
        let words = words.iter().map(|word| match word.prefix() {
            "{}" => found.clone(),
            other if other.contains("{}") => Word::unknown(),
            _ => word.clone(),
        });
        let words: Vec<Word> = words.collect();
        self.at += words.len() + 1;
        self.hazard(at + 1, What::Run(words));
    }

    // Arguments --------------------------------------------------------------------------------

    fn argument(&mut self, word: &'p Word) {
        let at = self.at;
        self.at += 1;
        if self.usage.assigns
            && let Some((name, _)) = assignment(word)
            && self.arguments.is_empty()
        {
            return self.hazard(at, What::Assign(name));
        }
        self.arguments.push(at);
        let count = self.arguments.len();
        if count == 1 && self.usage.style == Style::Bundle {
            return self.bundle(at, word);
        }
        if count == 1 && !self.flags.entered && !self.program.sub.is_empty() {
            return self.subcommand(at, word);
        }
        if self.usage.style == Style::Shell {
            return self.shell_argument(at, word);
        }
        if self.is_forbidden(word) {
            self.escape(at, format!("`{}` can run anything", word.shown()));
        }
        if count == 1
            && !self.flags.query
            && (self.usage.listed || !self.usage.verbs.is_empty())
            && self.usage.sub.is_empty()
        {
            self.verb(at, word);
        } else if self.starts_command(count) {
            self.hand_on(at);
        } else if self.usage.write_at == Some(count) {
            self.hazard(at, What::File(Access::Write, word.clone()));
        } else if self.usage.code_at == Some(count) {
            self.hazard(at, What::Code(format!("`{}` runs `{}`", self.name(), word.shown())));
        }
        if self.usage.stops {
            self.flags.ended = true;
        }
    }

    fn is_forbidden(&self, word: &Word) -> bool {
        let starts =
            |start: &String| word.prefix().to_ascii_lowercase().starts_with(start.as_str());
        self.usage.forbidden.iter().chain(&self.program.forbidden).any(starts)
    }

    /// A first argument that decides what the others are.
    fn verb(&mut self, at: usize, word: &'p Word) {
        let name = word.as_known().unwrap_or_default();
        match self.usage.verbs.get(name) {
            Some(Verb::Plain) => {}
            Some(verb) => {
                self.flags.done = true;
                self.rest_runs(at + 1, *verb == Verb::Shell);
            }
            None if self.usage.listed || word.as_known().is_none() => {
                self.escape(
                    at,
                    format!("`{}` of `{}` can run or change anything", word.shown(), self.name()),
                );
            }
            None => {}
        }
    }

    fn starts_command(&self, count: usize) -> bool {
        self.usage.command_at == Some(count) || self.usage.shell_at == Some(count)
    }

    /// Everything from here on is another command, or the text of one.
    fn hand_on(&mut self, at: usize) {
        self.flags.done = true;
        if !self.flags.query {
            self.rest_runs(at, self.usage.shell_at.is_some());
        }
    }

    fn rest_runs(&mut self, at: usize, as_text: bool) {
        let rest = self.argv.get(at..).unwrap_or_default();
        if !as_text {
            let mut words = rest.to_vec();
            self.append(&mut words);
            return self.hazard(at, What::Run(words));
        }
        let texts: Option<Vec<&str>> = rest.iter().map(Word::as_known).collect();
        match texts {
            Some(texts) => self.hazard(at, What::Shell(texts.join(" "))),
            None => self.escape(at, "what it runs cannot be told".to_owned()),
        }
    }

    /// Words that are read elsewhere take the place of a mark, or follow at the end.
    fn append(&self, words: &mut Vec<Word>) {
        if !self.usage.appends {
            return;
        }
        match self.replaced.as_ref().map(|mark| mark.as_known().unwrap_or_default().to_owned()) {
            Some(mark) => {
                for word in words.iter_mut().filter(|word| word.spelling().contains(&mark)) {
                    *word = Word::unknown();
                }
            }
            None => words.push(Word::unknown()),
        }
    }

    fn subcommand(&mut self, at: usize, word: &'p Word) {
        let Some(name) = word.as_known() else {
            return self.escape(at, format!("the subcommand of `{}` cannot be told", self.name()));
        };
        let mut subs = self.program.sub.iter();
        let found = subs.find(|(names, _)| names.split(' ').any(|known| known == name));
        self.flags.entered = true;
        match found {
            Some((_, usage)) => {
                self.usage = usage;
                self.arguments.clear();
                self.out.moves |= usage.moves;
            }
            None if self.program.listed => {
                self.escape(at, format!("`{name}` is not a known subcommand of `{}`", self.name()));
            }
            None => {}
        }
    }

    /// tar's first word: letters without a dash, whose values follow in order.
    fn bundle(&mut self, at: usize, word: &'p Word) {
        for letter in word.prefix().chars() {
            let name = format!("-{letter}");
            if let Some(effect) = self.exact(&name) {
                self.apply(effect, at, &name, None);
            }
        }
        if word.as_known().is_none() {
            self.escape(at, format!("the options of `{}` cannot be told", self.name()));
        }
    }

    fn shell_argument(&mut self, at: usize, word: &'p Word) {
        self.flags.done = true;
        if !self.flags.shell_text {
            let text = format!("`{}` runs `{}`", self.name(), word.shown());
            return self.hazard(at, What::Code(text));
        }
        match word.as_known() {
            Some(text) => self.hazard(at, What::Shell(text.to_owned())),
            None => self.escape(at, format!("what `{}` runs cannot be told", self.name())),
        }
    }

    // The end ----------------------------------------------------------------------------------

    fn finish(&mut self) {
        if self.flags.query {
            if self.out.role == Role::Transparent {
                self.out.role = Role::Inert;
            }
            return;
        }
        if self.usage.style == Style::Shell && !self.flags.done {
            let text = format!("`{}` runs what it reads", self.name());
            self.hazard(0, What::Code(text));
        }
        // A wrapper that wraps nothing is a program like any other.
        let wraps = |hazard: &Hazard| matches!(hazard.what, What::Run(_) | What::Shell(_));
        if self.out.role == Role::Transparent && !self.out.hazards.iter().any(wraps) {
            self.out.role = Role::Plain;
        }
        self.check_scripts();
        self.use_arguments();
    }

    fn check_scripts(&mut self) {
        let Some(kind) = self.usage.language else { return };
        if self.scripts.is_empty() && !self.arguments.is_empty() {
            let at = self.arguments.remove(0);
            self.scripts.extend(self.argv.get(at).map(|word| (at, word.clone())));
        }
        for (at, script) in self.scripts.clone() {
            let harmless = script.as_known().is_some_and(|text| match kind {
                Language::Sed => language::is_harmless_sed(text),
                Language::Awk => language::is_harmless_awk(text),
            });
            if !harmless {
                let text =
                    format!("the script of `{}` may run programs or write files", self.name());
                self.escape(at, text);
            }
        }
    }

    fn use_arguments(&mut self) {
        let words: Vec<(usize, &'p Word)> =
            self.arguments.iter().filter_map(|at| Some((*at, self.argv.get(*at)?))).collect();
        if self.flags.in_place {
            for (at, word) in &words {
                self.hazard(*at, What::File(Access::Write, (*word).clone()));
            }
        }
        let last = words.len().saturating_sub(1);
        for (index, (at, word)) in words.into_iter().enumerate() {
            match self.usage.arguments {
                Arguments::Plain => {}
                Arguments::Reads => self.touch(Access::Read, word),
                Arguments::Writes => self.touch(Access::Write, word),
                Arguments::Searches if index == 0 && self.scripts.is_empty() => {}
                Arguments::Searches => self.touch(Access::Read, word),
                Arguments::Copies if index == last => self.touch(Access::Write, word),
                Arguments::Copies => self.touch(Access::Read, word),
                Arguments::Urls => self.url(at, word),
                Arguments::Dd => self.dd(word),
                Arguments::Names => self.variable_name(at, word),
                Arguments::Code => {
                    self.hazard(at, What::Code(format!("`{}` is code", word.shown())));
                }
                Arguments::Escape => {
                    self.escape(at, format!("`{}` can run or change anything", self.name()));
                }
            }
        }
    }

    fn touch(&mut self, access: Access, word: &Word) {
        self.out.touches.push(Touch::File(access, word.clone()));
    }

    fn url(&mut self, at: usize, word: &Word) {
        let Some(text) = word.as_known() else {
            let scheme = word.prefix().to_ascii_lowercase();
            if !scheme.starts_with("http://") && !scheme.starts_with("https://") {
                self.escape(at, "what it fetches cannot be told".to_owned());
            }
            return;
        };
        match text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase()).as_deref() {
            Some("http" | "https") => self.out.touches.push(Touch::Fetch(text.to_owned())),
            None => self.out.touches.push(Touch::Fetch(format!("http://{text}"))),
            Some("file") => {
                let path = word.tail("file://".len()).unwrap_or_else(Word::unknown);
                self.hazard(at, What::File(Access::Read, path));
            }
            Some(_) => self.escape(at, format!("`{text}` is neither http nor https")),
        }
    }

    fn dd(&mut self, word: &Word) {
        let prefix = word.prefix();
        let access = [("of=", Access::Write), ("if=", Access::Read)];
        for (mark, access) in access {
            if let Some(path) = prefix.strip_prefix(mark).and_then(|_| word.tail(mark.len())) {
                self.touch(access, &path);
            }
        }
    }

    fn variable_name(&mut self, at: usize, word: &Word) {
        match assignment(word).map(|(name, _)| name).or(word.as_known().map(str::to_owned)) {
            Some(name) => self.hazard(at, What::Assign(name)),
            None => self.escape(at, "the variable it sets cannot be told".to_owned()),
        }
    }

    fn hazard(&mut self, at: usize, what: What) {
        self.out.hazards.push(Hazard { at, what });
    }

    fn escape(&mut self, at: usize, text: String) {
        self.hazard(at, What::Escape(text));
    }

    fn name(&self) -> &'p str {
        self.argv.first().map_or("", |word| word.prefix())
    }
}

/// `NAME=value`, however it is quoted: to a program it is one word.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let prefix = word.prefix();
    let (name, _) = prefix.split_once('=')?;
    (!name.is_empty()).then(|| (name.to_owned(), word.tail(name.len() + 1).unwrap_or_default()))
}
