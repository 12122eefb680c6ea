//! Which words belong to an option, and which are arguments: the value behind it, the `--` that may be
//! one, and values that may be several words. Where arguments are counted, a doubt is a hazard.

use super::options::Effect;
use super::{Arguments, Reader, Style};
use crate::shell::Word;

/// Whether a word looks like an option; a dash alone is standard input, and one before a blank the
/// start of a text.
pub(super) fn is_option(word: &Word) -> bool {
    let rest = word.prefix().strip_prefix('-');
    word.as_known() != Some("-") && rest.is_some_and(|rest| !rest.starts_with(' '))
}

impl Reader<'_> {
    /// `-c16`, where words are never bundled and `-c` takes a number.
    pub(super) fn has_number(&self, name: &str) -> bool {
        let rest = name.get(2..).unwrap_or_default();
        let letter = || name.get(..2).and_then(|letter| self.exact(letter));
        rest.starts_with(|c: char| c.is_ascii_digit()) && letter() == Some(Effect::Value)
    }

    /// Whether a word may turn out to be several arguments where those are counted from the front.
    pub(super) fn shifts(&self, word: &Word) -> bool {
        let several = word.splits() || word.is_wildcard();
        several && self.counts() && !self.is_last_written()
    }

    /// Whether the last argument is another thing than those before it.
    fn is_last_written(&self) -> bool {
        matches!(self.usage.arguments, Arguments::Copies | Arguments::Moves)
    }

    /// Whether what the next argument is depends on how many came before it.
    pub(super) fn counts(&self) -> bool {
        let (usage, seen) = (self.usage, self.arguments.len());
        let at = [usage.write_at, usage.touch_at, usage.output_at, usage.repository_at];
        let ahead = at.into_iter().chain([usage.machine_at]).flatten().any(|at| at > seen);
        let decides = usage.listed || !usage.verbs.is_empty() || usage.language.is_some();
        ahead || self.is_last_written() || (seen == 0 && (decides || self.enters()))
    }

    /// Whether the next argument is a subcommand.
    pub(super) fn enters(&self) -> bool {
        self.arguments.is_empty() && !self.usage.sub.is_empty()
    }

    /// Whether an option is known to take no word behind it.
    pub(super) fn stands_alone(&self, name: &str) -> bool {
        let usage = self.usage;
        let lists =
            [&usage.safe, &usage.query, &usage.here, &usage.packs, &usage.removes, &usage.recurses];
        let lists = lists.into_iter().chain([&usage.anywhere, &usage.downloads, &usage.parents]);
        lists.flatten().any(|known| known == name) || self.is_negation(name)
    }

    /// `--no-something`, which is no beginning of an option with a value.
    fn is_negation(&self, name: &str) -> bool {
        let begins = || self.usage.takes.iter().any(|option| option.starts_with(name));
        name.starts_with("--no-") && !self.wraps() && !begins()
    }

    /// `--` ends the options, unless it may be the value of the option before it. find goes on reading
    /// its tests behind it, and letters of a bundle may have taken it from further ahead.
    pub(super) fn end_options(&mut self, at: usize) {
        let bundle = self.usage.style == Style::Bundle && !self.argv.get(1).is_some_and(is_option);
        let reads_on = bundle || self.usage.style == Style::Long;
        let before = self.argv.get(at - 1).filter(|_| at > 1);
        self.flags.ended = !reads_on && !before.is_some_and(|word| self.may_take_next(word));
    }

    /// Whether a word may be an option whose value is the word behind it.
    pub(super) fn may_take_next(&self, word: &Word) -> bool {
        let Some(text) = word.as_known() else { return word.may_be_option() };
        if !is_option(word) || text.contains('=') || self.stands_alone(text) {
            return false;
        }
        if text.starts_with("--") {
            return true;
        }
        for (index, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            if letter.is_ascii_digit() || self.stands_alone(&name) {
                continue;
            }
            let attached = index + letter.len_utf8() < text.len();
            return !(attached && self.exact(&name).is_some_and(Effect::has_value));
        }
        false
    }

    /// The word behind an option that takes one. One that looks like an option is read as one, too,
    /// for not every system's program takes a word there; where arguments are counted, both cannot be
    /// right.
    pub(super) fn next_value(&mut self, effect: Effect, at: usize) -> Option<Word> {
        let next = self.argv.get(self.at)?;
        let looks_for = effect == Effect::Script && self.usage.language.is_none();
        if !is_option(next) || looks_for {
            self.at += 1;
            return Some(next.clone());
        }
        if self.counts() || self.wraps() {
            self.escape(at, format!("`{}` may be a value or an option", next.shown()));
        }
        // What may be a value ends no options.
        if next.as_known() == Some("--") {
            self.at += 1;
        }
        (!matches!(effect, Effect::Value | Effect::Mounts)).then(|| next.clone())
    }

    /// Whether a value may turn out to be several words, of which the next may be options. Files that
    /// are found behind `--name=` all start with it.
    pub(super) fn may_be_several(&self, value: &Word, attached: bool) -> bool {
        let finds = |value: &Word| {
            let open = value.prefix().is_empty() || is_option(value);
            !attached && value.is_wildcard() && (open || self.counts())
        };
        let matters = || self.has_dangerous_options() || self.wraps() || self.counts();
        (value.splits() || finds(value)) && matters()
    }
}
