//! What programs do with their standard input beyond reading it: a shell runs it, an interpreter runs
//! it, and `apply_patch` changes the files it names.

use super::here::Here;
use super::{Act, Consequence, Unpacker, file_use};
use crate::call;
use crate::editor;
use crate::limits::MAX_MENTIONS;
use crate::programs::{Analysis, Hazard, Obeys, Touch, What, is_harmless};
use crate::shell::{Access, Feed, SimpleCommand, Word};

/// The command that takes a patch, as some agents have it.
const PATCH: [&str; 2] = ["apply_patch", "applypatch"];

/// Adds what the program does with its input.
pub(super) fn obey(analysis: &mut Analysis, input: Option<&Feed>) {
    let Some(input) = input else { return };
    // What comes in by itself is not typed.
    analysis.interactive = false;
    let mut add = |what| analysis.hazards.push(Hazard { at: 0, what });
    let Feed::Text(text) = input else {
        if analysis.obeys != Obeys::Nothing {
            add(What::Escape("it runs what another command writes".to_owned()));
        }
        return;
    };
    if let Obeys::Script(language) = analysis.obeys {
        if !is_harmless(language, text) {
            add(What::Escape("what it reads may run programs or write files".to_owned()));
        }
        analysis.fed = Some(Word::known(text));
    }
    if matches!(analysis.obeys, Obeys::Shell | Obeys::Commands) {
        add(What::Shell(text.clone()));
    }
    if matches!(analysis.obeys, Obeys::Code | Obeys::Commands) {
        add(What::Code("it runs what it reads".to_owned()));
        analysis.fed = Some(Word::known(text));
    }
}

/// Whether a command is nothing but a text: `cat` that is told no file and finds that text, which
/// nothing is put into, on its standard input.
pub(super) fn is_text(command: &SimpleCommand) -> bool {
    let fed = matches!(command.input, Some(Feed::Text(_))) && command.assignments.is_empty();
    fed && matches!(command.argv.as_slice(), [word] if word.as_known() == Some("cat"))
}

/// Adds what an editor does that finds its input there: it runs what it reads.
pub(super) fn edit(analysis: &mut Analysis, command: &SimpleCommand) {
    let Some(input) = command.input.as_ref().filter(|_| editor::opens_fed(&command.argv)) else {
        return;
    };
    let text = "it may open an editor, which runs what it reads".to_owned();
    analysis.hazards.push(Hazard { at: 0, what: What::Escape(text) });
    if let Feed::Text(text) = input {
        analysis.fed = Some(Word::known(text));
    }
}

/// The files that differences change which a command is fed: with their first directory and without.
/// Where nobody can read them, and no word says which file they are for, that may be any file here.
pub(super) fn changed(command: &SimpleCommand) -> Vec<Touch> {
    let program = command.argv.first().and_then(Word::as_known).unwrap_or_default();
    let Some(Feed::Text(text)) = &command.input else {
        let named = |word: &Word| !word.may_be_option();
        let anywhere =
            program.rsplit('/').next() == Some("patch") && !command.argv.iter().skip(1).any(named);
        return if anywhere { vec![Touch::Around(Word::known("."))] } else { Vec::new() };
    };
    let applies = |word: &Word| matches!(word.as_known(), Some("apply" | "am"));
    match program.rsplit('/').next() {
        Some("patch") => {}
        Some("git") if command.argv.iter().any(applies) => {}
        _ => return Vec::new(),
    }
    let named = |line: &str| {
        let marks = ["+++ ", "--- ", "rename to ", "rename from ", "copy to "];
        let path = marks.into_iter().find_map(|mark| line.strip_prefix(mark))?;
        Some(path.split('\t').next().unwrap_or(path).trim_matches(['"', ' ', '\r']).to_owned())
    };
    let paths = text.lines().filter_map(named).filter(|path| path != "/dev/null");
    let write = |path: String| Touch::File(Access::Write, Word::known(path));
    let both = |path: String| {
        let behind = path.split_once('/').map(|(_, behind)| behind.to_owned());
        [Some(path), behind].into_iter().flatten()
    };
    paths.take(MAX_MENTIONS).flat_map(both).map(write).collect()
}

/// Whether differences that a command is fed name more files than are looked at one by one.
pub(super) fn changes_more(touches: &[Touch]) -> bool {
    touches.len() >= MAX_MENTIONS
}

/// Gives the input of a command to those it runs, unless they have one of their own.
pub(super) fn hand_down(input: Option<&Feed>, commands: &mut [SimpleCommand]) {
    for command in commands.iter_mut().filter(|command| command.input.is_none()) {
        command.input = input.cloned();
    }
}

impl Unpacker<'_> {
    /// The files that a patch given to a command changes.
    pub(super) fn patch(&self, command: &SimpleCommand, here: Here<'_>) -> Option<Consequence> {
        let (program, words) = command.argv.split_first()?;
        let name = program.as_known()?.rsplit('/').next()?;
        if !PATCH.contains(&name) {
            return None;
        }
        let text = match (words, &command.input) {
            ([word, ..], _) => word.as_known(),
            ([], Some(Feed::Text(text))) => Some(text.as_str()),
            ([], _) => None,
        };
        let targets = call::patched(text);
        let file = |target| Act::File(file_use(&target, Access::Write, self.place, here.from()));
        Some(Consequence::Acts(targets.into_iter().map(file).collect()))
    }
}
