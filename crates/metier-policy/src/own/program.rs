//! Which program a command runs, as far as that may be metier: by its name, by the file that a name
//! leads to, by being a copy of it, or by a name that the call itself gives it.
//!
//! A command that changes its directory, or the directories that programs are looked for in, leaves
//! open which file a name is, so every file it may be is looked at. It knows files and names, and
//! nothing about what metier does with its words: see `approving`.

use std::path::Path;

use crate::act::{Act, Command, Consequence, FileUse, files};
use crate::limits::MAX_DIRECTORIES;
use crate::place::{From, Place, Spot, Spots, folded};
use crate::shell::{Access, Word};

/// What the program is called.
pub(super) const PROGRAM: &str = "metier";

/// What it is called as a plugin, when all it is told is a command of `chibi`.
pub(super) const PLUGIN: &str = "agent-skills";

/// Programs that give other programs names.
const RENAMES: [&str; 4] = ["alias", "hash", "abbr", "enable"];

/// The variable that says where programs are looked for.
const PATH: &str = "path";

/// What is known about programs in one call.
pub(super) struct Programs<'a> {
    place: &'a Place<'a>,
    /// What metier's own file is called, where that is something else, in lowercase.
    own: Option<String>,
    /// The files that the call writes.
    written: Vec<&'a FileUse>,
    /// Directories that programs are looked for in, as the call gives them.
    searched: Vec<String>,
    /// Nobody can tell in which others.
    searches_more: bool,
    /// Something gives programs other names.
    pub(super) renames: bool,
    /// Something gives metier's own file another name.
    pub(super) renamed: bool,
}

impl<'a> Programs<'a> {
    pub(super) fn of(place: &'a Place<'a>, acts: &'a [Act]) -> Self {
        let mut written = Vec::new();
        acts.iter().for_each(|act| files(act, Access::Write, &mut written));
        let mut programs = Self {
            place,
            own: own_name(place).filter(|own| name(own).is_none()),
            written,
            searched: Vec::new(),
            searches_more: false,
            renames: false,
            renamed: false,
        };
        acts.iter().for_each(|act| programs.read(act));
        programs
    }

    fn read(&mut self, act: &Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => acts.iter().for_each(|act| self.read(act)),
            Act::Tool | Act::File(_) | Act::Fetch(_) | Act::Unresolvable(_) => {}
        }
    }

    fn command(&mut self, command: &Command) {
        let set = command.assignments.iter();
        let set =
            set.filter(|set| set.name.eq_ignore_ascii_case(PATH)).map(|set| set.value.clone());
        // `env PATH=x`, `export PATH=x`.
        let by_word = |word: &Word| {
            let start = word.prefix().get(..PATH.len() + 1)?;
            start.eq_ignore_ascii_case("path=").then(|| word.tail(start.len()))?
        };
        let lists: Vec<Word> = set.chain(command.argv.iter().filter_map(by_word)).collect();
        lists.iter().for_each(|list| self.search(list));
        if command.runs_one_of(&RENAMES) {
            self.renames = true;
            let words = command.argv.iter().skip(1).filter_map(Word::as_known);
            let mut files = words.map(|word| word.split_once('=').map_or(word, |(_, file)| file));
            self.renamed |= files.any(|file| self.is_file(file, command));
        }
        for (_, consequence) in &command.consequences {
            if let Consequence::Acts(acts) = consequence {
                acts.iter().for_each(|act| self.read(act));
            }
        }
    }

    /// Notes the directories of a list of them.
    fn search(&mut self, list: &Word) {
        let texts = std::slice::from_ref(list).iter().chain(list.readings());
        for text in texts {
            let (mut from, mut left_open) = (0, 0);
            for part in text.spelling().split(':') {
                let end = from + part.len();
                let open = text.holes().iter().any(|hole| (from..=end).contains(hole));
                // `$PWD/bin` is a directory where one is.
                let here = text.part(from, end).filter(|part| open && part.as_known().is_some());
                let open = open && here.is_none();
                let part = here.as_ref().and_then(Word::as_known).unwrap_or(part);
                match (open, part.is_empty()) {
                    // Most lists go on with what there was before: `x:$PATH`.
                    (true, true) => left_open += 1,
                    (true, false) => self.searches_more = true,
                    (false, _) if self.searched.len() >= MAX_DIRECTORIES => {
                        self.searches_more = true;
                    }
                    // Nothing between two colons is the directory one is in.
                    (false, empty) => {
                        self.searched.push(if empty { "." } else { part }.to_owned());
                    }
                }
                from = end + 1;
            }
            self.searches_more |= left_open > 1 || (left_open == 1 && text.spelling().is_empty());
        }
    }

    /// The name of metier that this is, in any case: not every file system tells cases apart.
    pub(super) fn name(&self, file: &str) -> Option<&'static str> {
        let is_own = || self.own.as_deref() == Some(folded(file).as_str());
        name(file).or_else(|| is_own().then_some(PROGRAM))
    }

    /// Whatever metier is called, in text.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [PROGRAM].into_iter().chain(self.own.as_deref())
    }

    /// Which of metier's names a program has: by its own name, by that of the file it leads to, or,
    /// where that is `worth` looking at, by being the very program.
    pub(super) fn called(
        &self,
        program: &Word,
        worth: bool,
        command: &Command,
    ) -> Option<&'static str> {
        let spelled = program.spelling();
        // What a running shell puts in front of the last slash changes the directory only.
        let last = spelled.rfind('/').map_or(0, |slash| slash + 1);
        let certain = program.as_known().is_some() || program.holes().iter().all(|at| *at < last);
        if let Some(name) = self.name(spelled.get(last..).unwrap_or_default()).filter(|_| certain) {
            return Some(name);
        }
        let here = program.part(0, spelled.len());
        let known = here.as_ref().and_then(Word::as_known).or_else(|| program.as_known())?;
        let resolver = self.place.resolver;
        if !known.contains('/') {
            let is = || resolver.is_program(Path::new(known)) || self.is_found(known, command);
            return (worth && is()).then_some(PROGRAM);
        }
        let called = |spot: &Spot| {
            let named = self.name(spot.path.rsplit('/').next().unwrap_or_default());
            let is_program = || worth && resolver.is_program(spot.path.as_ref());
            named.or_else(|| is_program().then_some(PROGRAM))
        };
        self.spots(known, command).iter().find_map(|spots| spots.iter().find_map(called))
    }

    /// Whether nobody can tell which file a program is that the call names.
    pub(super) fn is_untold(&self, program: &str, command: &Command) -> bool {
        match (program.starts_with('/'), program.contains('/')) {
            (true, _) => false,
            (false, true) => command.lost,
            (false, false) => self.searches_more,
        }
    }

    /// Whether a program of whose name a part is known may be metier, or whatever this program is
    /// called.
    pub(super) fn may_be_metier(&self, program: &Word) -> bool {
        self.names().any(|own| may_be(program, own))
    }

    /// Whether the call itself writes the program that it runs.
    pub(super) fn is_made(&self, path: &str, command: &Command) -> bool {
        let spots = self.spots(path, command);
        let placed = path.starts_with('/') || command.directory.is_some();
        let is = |file: &&FileUse| match &file.spots {
            Some(file) if placed => {
                let mut programs = spots.iter().flat_map(Spots::iter);
                programs.any(|spot| file.iter().any(|other| other.path == spot.path))
            }
            // In a directory nobody can tell, the name has to do.
            _ => path.rsplit('/').next() == file.shown.rsplit('/').next(),
        };
        self.written.iter().any(is)
    }

    /// Every file that a path may be, in each directory the command may run in.
    fn spots(&self, path: &str, command: &Command) -> Vec<Spots> {
        if path.starts_with('/') {
            return self.place.locate(path, From::Elsewhere).into_iter().collect();
        }
        let from = command.directories.iter().map(|directory| From::Directory(directory));
        from.filter_map(|from| self.place.locate(path, from)).collect()
    }

    /// Whether a name is metier's in one of the directories that the call has programs looked for in.
    fn is_found(&self, name: &str, command: &Command) -> bool {
        let paths = self.searched.iter().map(|directory| format!("{directory}/{name}"));
        paths.into_iter().any(|path| self.is_file(&path, command))
    }

    /// Whether a path is metier's own file, a link to it or a copy.
    fn is_file(&self, path: &str, command: &Command) -> bool {
        let is = |spot: &Spot| self.place.resolver.is_program(spot.path.as_ref());
        self.spots(path, command).iter().any(|spots| spots.iter().any(is))
    }
}

/// The name that every metier has and this is, in any case.
pub(super) fn name(file: &str) -> Option<&'static str> {
    let file = file.to_ascii_lowercase();
    let file = file.strip_suffix(".exe").unwrap_or(&file);
    [PROGRAM, PLUGIN].into_iter().find(|name| *name == file)
}

/// Whether a path, or a name alone, is one that every metier has.
pub(super) fn is_called(path: &str) -> bool {
    path.rsplit(['/', '\\']).next().and_then(name).is_some()
}

fn own_name(place: &Place<'_>) -> Option<String> {
    let own = place.resolver.program()?;
    own.file_name().and_then(|name| name.to_str()).map(folded)
}

/// Whether a program of whose name a part is known may have this one: `${x}ier`, `m[e]tier`. Whatever
/// is known has to stand in the name in this order; where parts are left out says no more than that.
fn may_be(program: &Word, name: &str) -> bool {
    const MARKS: &str = "*?[]{},";
    let spelled = program.spelling().to_ascii_lowercase();
    let from = spelled.rfind('/').map_or(0, |slash| slash + 1);
    let mut rest = name;
    let mut known = false;
    let mut piece = String::new();
    let mut ends = |piece: &str| {
        known |= !piece.is_empty();
        match rest.find(piece) {
            Some(at) => {
                rest = rest.get(at + piece.len()..).unwrap_or_default();
                true
            }
            None => false,
        }
    };
    for (at, c) in spelled.char_indices().filter(|(at, _)| *at >= from) {
        let mark = MARKS.contains(c);
        if (mark || program.holes().contains(&at)) && !ends(&std::mem::take(&mut piece)) {
            return false;
        }
        if !mark {
            piece.push(c);
        }
    }
    ends(&piece) && known
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
