//! Files whose names one command finds and another one gets: `find … | xargs rm`, `cp x $(ls …)`,
//! `fd … -x rm`.
//!
//! Neither says which files are written. Together they may be any that are found, so it is asked about
//! where those may be protected ones. A lister that nobody listens to, a name that no protected file
//! has, and what is only read on say nothing. Start at [`listed`].

use super::Inquiry;
use super::hidden::is_kept;
use crate::act::{Act, Command, Consequence, FileUse};
use crate::glob;
use crate::limits::MAX_MENTIONS;
use crate::place::{From, Place, folded};
use crate::programs::{ProgramTable, Touch};
use crate::shape::Shape;
use crate::shell::{Access, Word};

/// Programs that name files.
const LISTS: [&str; 14] = [
    "ls", "find", "gfind", "bfs", "fd", "fdfind", "rg", "ripgrep", "ag", "ack", "grep", "tree",
    "du", "stat",
];

/// Programs that print their words.
const PRINTS: [&str; 3] = ["echo", "printf", "print"];

/// Programs that hand what they read to a program, in ways of their own.
const APPENDS: [&str; 3] = ["parallel", "rush", "rust-parallel"];

/// Programs that run what they read.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

/// Programs that know the names of files everywhere.
const LOCATES: [&str; 4] = ["locate", "plocate", "mlocate", "mdfind"];

/// Options behind which a search says what files are called.
const NAMED: [&str; 6] = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];

/// Options behind which a search says what it does with each file.
const EXECUTES: [&str; 9] =
    ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch", "-delete"];

/// What a text contains in which one command hears what another one prints.
const HEARS: [&str; 9] =
    ["$(", "`", "<(", "xargs", "parallel", "mapfile", "readarray", " read ", "read -"];

/// How many letters say more than what kind of file it is.
const TELLING: usize = 3;

/// Files that a command finds, of which another one may write any.
pub(super) struct Listed {
    /// Where they lie.
    pub(super) tree: Shape,
    /// What they are called, in lowercase and perhaps with wildcards; anything where this is empty.
    names: Vec<String>,
}

impl Listed {
    /// Whether a file of this name may be among them.
    pub(super) fn may_be(&self, name: &str) -> bool {
        self.names.is_empty() || self.is_for(name)
    }

    /// Whether files of this name are looked for.
    pub(super) fn is_for(&self, name: &str) -> bool {
        self.names.iter().any(|sought| glob::matches(sought, name, None))
    }

    /// The same where what is looked for says more than what kind of file it is: not `*.json`.
    pub(super) fn is_meant(&self, name: &str) -> bool {
        let says = |sought: &&String| {
            let stem = sought.rsplit_once('.').map_or(sought.as_str(), |(stem, _)| stem);
            stem.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING
        };
        let mut names = self.names.iter().filter(says);
        names.any(|sought| glob::matches(sought, name, None))
    }

    /// Whether something that metier keeps may be among them, or a directory of this name.
    pub(super) fn may_be_kept(&self, name: &str) -> bool {
        const KEPT: [&str; 6] = [
            "approvals.jsonl",
            "skills.lock",
            "config.toml",
            "policy.toml",
            "registry.json",
            "claude-code.0.jsonl",
        ];
        let is_path = |sought: &String| sought.contains('/') && sought.contains("metier");
        self.may_be(name)
            || KEPT.iter().any(|kept| self.is_for(kept))
            || self.names.iter().any(|sought| is_kept(sought) || is_path(sought))
    }
}

/// The files that a call finds, where something in it writes files whose names it gets from elsewhere.
pub(super) fn listed(inquiry: Inquiry<'_>, acts: &[Act]) -> Vec<Listed> {
    let mut search = Search {
        place: inquiry.place,
        found: Vec::new(),
        hears: false,
        handed: false,
        executed: Vec::new(),
    };
    acts.iter().for_each(|act| search.act(act));
    let text = super::command_text(inquiry.understood).unwrap_or_default();
    search.hears |= HEARS.iter().any(|mark| text.contains(mark));
    if !(search.handed && search.hears) {
        return search.executed;
    }
    search.found.append(&mut search.executed);
    search.found
}

struct Search<'a> {
    place: &'a Place<'a>,
    found: Vec<Listed>,
    /// The same for one that writes what it finds by itself.
    executed: Vec<Listed>,
    /// A command hears what another one prints.
    hears: bool,
    /// Something is written of which only a running shell knows the name.
    handed: bool,
}

impl Search<'_> {
    fn act(&mut self, act: &Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => acts.iter().for_each(|act| self.act(act)),
            Act::File(file) => self.handed |= is_handed(file),
            Act::Tool | Act::Fetch(_) | Act::Unresolvable(_) => {}
        }
    }

    fn command(&mut self, command: &Command) {
        command.touches.iter().for_each(|touch| self.act(touch));
        for (_, consequence) in &command.consequences {
            if let Consequence::Acts(acts) = consequence {
                acts.iter().for_each(|act| self.act(act));
            }
        }
        let words = command.argv.get(1..).unwrap_or_default();
        // A program nobody knows may write what it is handed.
        let unknown = |word: &Word| word.splits() && word.spelling().is_empty();
        let may_write = command.untold && !command.runs_one_of(&PRINTS);
        self.handed |= may_write && words.iter().any(unknown);
        self.handed |= command.runs_one_of(&APPENDS);
        let obeys = command.blind && command.runs_one_of(&SHELLS);
        (self.handed, self.hears) = (self.handed || obeys, self.hears || obeys);
        if command.runs_one_of(&LISTS) {
            let trees = self.trees(command);
            self.list(command, trees);
        } else if command.runs_one_of(&PRINTS) {
            self.print(command);
        } else if command.runs_one_of(&LOCATES) {
            let known = words.iter().filter(|word| !word.may_be_option()).map(Word::spelling);
            let names = known.map(|name| format!("*{}*", folded(name).replace('/', ""))).collect();
            self.found.push(Listed { tree: Shape::of("").and_beneath(), names });
        }
    }

    fn list(&mut self, command: &Command, trees: Vec<Shape>) {
        let names = sought(command);
        let executes = executes(command);
        let into = if executes { &mut self.executed } else { &mut self.found };
        into.extend(trees.into_iter().map(|tree| Listed { tree, names: names.clone() }));
    }

    /// Where a command looks for files.
    fn trees(&self, command: &Command) -> Vec<Shape> {
        let mut read = Vec::new();
        command.touches.iter().for_each(|touch| crate::act::files(touch, Access::Read, &mut read));
        let mut trees: Vec<Shape> = Vec::new();
        for file in read {
            let spots = file.spots.iter().flat_map(|spots| spots.iter());
            trees.extend(spots.map(|spot| Shape::of(&spot.lowercase).and_beneath()));
            trees.extend(file.shapes.iter().cloned().map(Shape::and_beneath));
        }
        if !trees.is_empty() {
            return trees;
        }
        let here = command.directories.iter().filter_map(|directory| directory.to_str());
        here.map(|directory| Shape::of(&folded(directory)).and_beneath()).collect()
    }

    /// What a command prints that a shell finds by wildcards, and whole paths.
    fn print(&mut self, command: &Command) {
        for word in command.argv.iter().skip(1).take(MAX_MENTIONS) {
            let start = word.prefix();
            let slash = start.rfind('/');
            if !(word.is_wildcard() || start.starts_with('/')) {
                continue;
            }
            let parent = slash.map_or(".", |at| if at == 0 { "/" } else { &start[..at] });
            let from = slash.map_or(0, |at| at + 1);
            let within = |from: From<'_>| self.place.locate(parent, from);
            let mut spots: Vec<_> = command
                .directories
                .iter()
                .filter_map(|directory| within(From::Directory(directory)))
                .collect();
            spots.dedup();
            let spots = spots.iter().flat_map(|spots| spots.iter());
            let shapes = spots.filter_map(|spot| Shape::of(&spot.lowercase).with(word, from));
            let listed = |shape: Shape| Listed { tree: shape.and_beneath(), names: Vec::new() };
            self.found.extend(shapes.map(listed).collect::<Vec<_>>());
        }
    }
}

/// Whether a file is written whose name comes from elsewhere.
fn is_handed(file: &FileUse) -> bool {
    file.access == Access::Write && file.spots.is_none() && file.shown.starts_with('…')
}

/// What a search is for, by the names that files have; nothing where it may find any.
fn sought(command: &Command) -> Vec<String> {
    let words = || command.argv.iter().map(|word| folded(word.spelling()));
    let either = words()
        .any(|word| ["-o", "-or", "-regex", "-iregex", "-not", "!"].contains(&word.as_str()));
    if either {
        return Vec::new();
    }
    if command.runs_one_of(&["fd", "fdfind"]) {
        let pattern = command.argv.get(1).filter(|word| !word.may_be_option());
        let plain = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
        let pattern = pattern.and_then(Word::as_known).filter(plain).map(folded);
        return pattern
            .map(|pattern| format!("*{}*", pattern.replace('.', "?")))
            .into_iter()
            .collect();
    }
    let behind = words().zip(words().skip(1));
    behind.filter(|(option, _)| NAMED.contains(&option.as_str())).map(|(_, name)| name).collect()
}

/// Whether a search writes what it finds.
fn executes(command: &Command) -> bool {
    let is_one = |word: &Word| word.as_known().is_some_and(|word| EXECUTES.contains(&word));
    let Some(at) = command.argv.iter().position(is_one) else { return false };
    let program = command.argv.get(at + 1..).unwrap_or_default();
    if program.is_empty() {
        return command.argv.get(at).and_then(Word::as_known) == Some("-delete");
    }
    let ends = |word: &&Word| !matches!(word.as_known(), Some(";" | "+"));
    let placed = |word: &Word| if word.prefix() == "{}" { Word::unknown() } else { word.clone() };
    let mut argv: Vec<Word> = program.iter().take_while(ends).map(placed).collect();
    argv.push(Word::unknown());
    let analysis = ProgramTable::built_in().analyse(&argv);
    let writes = |touch: &Touch| match touch {
        Touch::File(access, _) | Touch::Tree(access, _) => *access == Access::Write,
        Touch::Into(_) | Touch::Within(_) | Touch::Around(_) => true,
        Touch::Mention(_) | Touch::Fetch(_) => false,
    };
    analysis.untold || analysis.touches.iter().any(writes)
}
