//! What a call would do, for whoever has to know more than whether it may: which files it reads, and
//! whether it starts something that runs what is typed into it later. Decides nothing.

mod around;

use std::path::{Path, PathBuf};

use around::is_near;

use crate::act::{self, Act, Command, Consequence, FileUse, Manner};
use crate::call::{Kind, ShellInput, ToolCall};
use crate::glob;
use crate::host::HostTable;
use crate::own::read_by;
use crate::place::{Place, folded};
use crate::policy::Policy;
use crate::shape::Shape;
use crate::shell::{Access, COPROCESS};

/// What a call would do, as far as it can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Files it reads: each path as it is spelled and, where that differs, as links lead.
    pub reads: Vec<PathBuf>,
    /// Files it reads of which nobody can tell where they are, as they are spelled.
    pub unplaced: Vec<String>,
    /// Skills that a command of metier's prints, by their names.
    pub skills: Vec<String>,
    /// Whether a program in it would run what is typed into it.
    pub interactive: bool,
    /// Whether it does more than read files, as far as anybody can tell: it writes or
    /// runs something else.
    pub does_more: bool,
    /// What it may read where that is not one file: wildcards, and directories with all that is in
    /// them.
    shapes: Vec<Shape>,
    /// Directories of which it lists what is in them.
    listed: Vec<Shape>,
    /// Something in it reads what is typed.
    waits: bool,
    /// Something in it runs what cannot be told.
    blind: bool,
    /// The same, with nothing that comes in by itself.
    loose: bool,
    /// Something in it prints what it is told to.
    prints: bool,
    /// A program in it is not known to change nothing.
    unsure: bool,
    /// It reads files whose names it gets from elsewhere.
    handed: bool,
    /// What it looks for by name.
    sought: Vec<Sought>,
    /// Files of text whose whole paths stand somewhere in it, in lowercase.
    mentioned: Vec<String>,
    /// What it reads from a directory that nobody tells, as it is spelled.
    adrift: Vec<String>,
    /// What it names where nobody knows what for, in lowercase.
    named: Vec<String>,
    /// The same where only a part is known.
    named_shapes: Vec<Shape>,
}

/// Files that a command looks for by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sought {
    /// Their names, in lowercase, perhaps with wildcards.
    names: Vec<String>,
    /// Where.
    trees: Vec<Shape>,
    /// Whether what is found is read.
    is_read: bool,
}

impl Sought {
    /// Whether a file of this name is looked for and read.
    fn is_for(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.is_read && self.names.iter().any(|sought| glob::matches(sought, &name, None))
    }

    /// Whether the file called `name` that `file` describes is.
    fn finds(&self, file: &Shape, name: &str) -> bool {
        self.is_for(name) && self.trees.iter().any(|tree| tree.meets(file))
    }
}

/// Programs that name the files in a directory, for others to read.
const LISTS: [&str; 10] =
    ["ls", "find", "gfind", "bfs", "fd", "fdfind", "rg", "ripgrep", "ag", "ack"];

/// Programs that print what they are told, or the name of another program.
const PRINTS: [&str; 14] = [
    "echo", "printf", "print", "which", "command", "type", "whereis", "readlink", "realpath",
    "basename", "base64", "tr", "rev", "xxd",
];

/// Those of them that read the files themselves.
const SEARCHES: [&str; 4] = ["rg", "ripgrep", "ag", "ack"];

impl Policy {
    /// What `call` would do. The policy's own programs count among those that are known.
    #[must_use]
    pub fn survey(&self, call: &ToolCall, host: &HostTable, place: &Place<'_>) -> Survey {
        let programs = self.programs();
        let mut survey = Survey::default();
        let understood = call.understand(host);
        let acts = act::acts(&understood, place, programs, act::Look::Thorough);
        acts.iter().for_each(|act| survey.add(act));
        survey.follow_lists();
        survey.note_blind(&understood.kind);
        if let Kind::Shell { command } = &understood.kind {
            let home = place.home.and_then(Path::to_str);
            let mut written = Vec::new();
            acts.iter().for_each(|act| act::files(act, Access::Write, &mut written));
            match command {
                ShellInput::Text(text) => {
                    survey.add_mentioned(text, home, &written);
                    survey.add_handed(text, place);
                }
                ShellInput::Words(words) => {
                    words.iter().for_each(|word| survey.add_mentioned(word, home, &written));
                }
                ShellInput::Unreadable => {}
            }
        }
        survey.add_tool(call, &understood, place);
        survey.forget_read();
        if understood.hidden {
            let mut read = Vec::new();
            let is_other = |act: &&Act| match act {
                Act::Command(command) => read_by(&command.argv).is_none(),
                _ => true,
            };
            let others = acts.iter().filter(is_other);
            others.for_each(|act| act::files(act, Access::Read, &mut read));
            survey.unplace(&read);
        }
        survey
    }
}

impl Survey {
    /// Whether some file called `name` may be read, or something in an unknown place is used in a way
    /// that nobody can tell. For a quick no.
    #[must_use]
    pub fn may_read_any(&self, name: &str) -> bool {
        let called =
            |path: &PathBuf| path.file_name().is_some_and(|n| n.eq_ignore_ascii_case(name));
        let some = Shape::anywhere(&name.to_lowercase());
        self.reads.iter().any(called)
            || self.reads_unplaced(name)
            || !self.skills.is_empty()
            || self.mentioned.iter().any(|path| is_called(path, name))
            || self.sought.iter().any(|sought| sought.is_for(name))
            || self.shapes.iter().any(|shape| shape.meets(&some))
            || !self.named.is_empty()
            || !self.named_shapes.is_empty()
    }

    /// Whether a file called `name` may be read of which nobody can tell where it is.
    #[must_use]
    pub fn reads_unplaced(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let last = |path: &String| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        self.unplaced.iter().any(|path| last(path) == name)
            || self.adrift.iter().any(|path| glob::matches(&last(path), &name, None))
    }

    /// Whether it does nothing but read files called `name`, each in a place that is known, or print
    /// skills by their names.
    #[must_use]
    pub fn reads_only(&self, name: &str) -> bool {
        let called =
            |path: &PathBuf| path.file_name().is_some_and(|n| n.eq_ignore_ascii_case(name));
        let some = !self.reads.is_empty() || !self.skills.is_empty();
        let nothing_else = !self.does_more && !self.unsure && self.is_clear();
        some && nothing_else && self.reads.iter().all(called)
    }

    /// Whether it reads no file but those that it names in a place that is known.
    fn is_clear(&self) -> bool {
        let lost = !self.unplaced.is_empty() || !self.adrift.is_empty() || self.handed;
        !lost && !self.reads_around()
    }

    /// The same without what it only may read: only the files that it names in a place that is known,
    /// and the skills that it prints.
    #[must_use]
    pub fn certainly(mut self) -> Self {
        self.unsure |= !self.is_clear();
        let Self { reads, skills, interactive, does_more, unsure, .. } = self;
        Self { reads, skills, interactive, does_more, unsure, ..Self::default() }
    }

    /// Whether it may read anything but the files it names: without that no directory
    /// [`may be read`](Self::may_read), whichever is asked about.
    #[must_use]
    pub fn reads_around(&self) -> bool {
        !self.shapes.is_empty()
            || !self.named.is_empty()
            || !self.named_shapes.is_empty()
            || !self.mentioned.is_empty()
            || !self.sought.is_empty()
    }

    /// Whether the file called `name` in `directory` may be read: by a wildcard, with the directory or
    /// the one above, or by what uses something in the directory in a way that nobody can tell. What
    /// goes through everything from further above is not meant, unless it is for files of that name.
    #[must_use]
    pub fn may_read(&self, directory: &Path, name: &str) -> bool {
        let Some(directory) = directory.to_str().map(str::to_lowercase) else { return false };
        let directory = directory.trim_end_matches('/');
        let above = directory.rsplit_once('/').map_or("", |(above, _)| above);
        let file = Shape::of(&format!("{directory}/{}", name.to_lowercase()));
        let whole = Shape::of(directory).and_beneath();
        let below = |path: &String| {
            let rest = path.strip_prefix(directory);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let near = |shape: &&Shape| is_near(shape, above);
        let meant = |shape: &Shape| match shape.is_open {
            true => shape.is_below(directory),
            false => shape.meets(&whole),
        };
        let is_it = |path: &&String| path.rsplit_once('/').is_some_and(|(at, _)| at == directory);
        self.shapes.iter().filter(near).any(|shape| shape.meets(&file))
            || self.named.iter().any(below)
            || self.named_shapes.iter().any(meant)
            || self.mentioned.iter().filter(is_it).any(|path| is_called(path, name))
            || self.sought.iter().any(|sought| sought.finds(&file, name))
    }

    /// Whether the file called `name` in some directory in `above` may be read: where not,
    /// [`Self::may_read`] says no to each. For a quick no to thousands.
    #[must_use]
    pub fn may_read_within(&self, above: &Path, name: &str) -> bool {
        let Some(above) = above.to_str().map(str::to_lowercase) else { return false };
        let above = above.trim_end_matches('/');
        let file = Shape::within(above).followed_by(&name.to_lowercase());
        let whole = Shape::within(above).and_beneath();
        let below = |path: &String| path.strip_prefix(above).is_some_and(|p| p.starts_with('/'));
        let near = |shape: &&Shape| is_near(shape, above);
        self.shapes.iter().filter(near).any(|shape| shape.meets(&file))
            || self.named.iter().any(below)
            || self.named_shapes.iter().any(|shape| shape.meets(&whole))
            || self.mentioned.iter().any(below)
            || self.sought.iter().any(|sought| sought.finds(&file, name))
    }

    /// What nobody can tell may be a shell: where it is in a variable, and where something in the call
    /// prints what it is told. What a program prints to be run sets variables as a rule. What waits for
    /// something typed and hands it on to such runs what is typed.
    fn note_blind(&mut self, kind: &Kind) {
        let substitutes = match kind {
            Kind::Shell { command: ShellInput::Text(text) } => {
                text.contains(['`']) || text.contains("$(")
            }
            _ => false,
        };
        let shell = self.loose && (self.prints || !substitutes);
        self.interactive |= shell || (self.blind && self.waits);
    }

    fn add(&mut self, act: &Act) {
        match act {
            // What a program nobody knows does with its words is not known to be reading.
            Act::File(file @ FileUse { manner: Manner::Mentioned, .. }) => {
                self.does_more = true;
                self.add_named(file);
            }
            Act::File(file) if file.access == Access::Read => self.add_file(file),
            Act::Command(command) => {
                let Command { consequences, touches, interactive, .. } = command;
                self.waits |= command.waits;
                self.blind |= command.blind;
                let named = command.argv.first().is_some_and(|word| word.as_known().is_some());
                self.loose |= named && command.blind && !command.fed;
                self.prints |= command.runs_one_of(&PRINTS);
                self.interactive |= *interactive;
                let printed = read_by(&command.argv);
                let idle = touches.is_empty() && consequences.is_empty() && printed.is_none();
                self.does_more |= *interactive || idle;
                self.unsure |= !command.only_reads && printed.is_none();
                if command.runs_one_of(&LISTS) {
                    self.list(touches);
                    let reads = command.runs_one_of(&SEARCHES);
                    self.handed |= reads;
                    if !reads {
                        self.seek(command, !consequences.is_empty());
                    }
                }
                self.add_spelled(&command.spelled);
                if let Some(printed) = printed {
                    self.skills.push(printed);
                    return;
                }
                // Where a command works says nothing unless it went there.
                let told = |file: &&FileUse| file.shown != "." || command.directory.is_none();
                if command.untold || command.argv.is_empty() {
                    command.named.iter().filter(told).for_each(|file| self.add_named(file));
                }
                touches.iter().for_each(|touch| self.add(touch));
                for (_, consequence) in consequences {
                    match consequence {
                        Consequence::Acts(acts) => acts.iter().for_each(|act| self.add(act)),
                        Consequence::Escape(act) => self.add(act),
                        Consequence::Code(_) => self.does_more = true,
                    }
                }
            }
            Act::Pieces(pieces) => self.add_pieces(pieces),
            Act::File(_) | Act::Tool | Act::Fetch(_) | Act::Unresolvable(_) => {
                self.interactive |= matches!(act, Act::Unresolvable(why) if why == COPROCESS);
                self.does_more = true;
            }
        }
    }

    /// Parts of what cannot be read as a whole: what they start counts, and what they read may be read.
    fn add_pieces(&mut self, pieces: &[Act]) {
        let mut parts = Self::default();
        pieces.iter().for_each(|act| parts.add(act));
        parts.follow_lists();
        self.does_more = true;
        self.interactive |= parts.interactive;
        self.handed |= parts.handed;
        self.skills.append(&mut parts.skills);
        self.unplaced.append(&mut parts.unplaced);
        self.shapes.append(&mut parts.shapes);
        self.listed.append(&mut parts.listed);
        self.sought.append(&mut parts.sought);
        self.named.append(&mut parts.named);
        self.named_shapes.append(&mut parts.named_shapes);
        let paths = parts.reads.iter().filter_map(|path| path.to_str());
        self.named.extend(paths.map(folded));
    }

    /// Notes the directories whose files a command names for others.
    fn list(&mut self, touches: &[Act]) {
        for act in touches {
            if let Act::File(FileUse { access: Access::Read, spots: Some(spots), shown, .. }) = act
                && shown != "."
            {
                let trees = spots.iter().map(|spot| Shape::of(&spot.lowercase).and_beneath());
                self.listed.extend(trees);
            }
        }
    }

    /// Whoever reads what another command lists reads what is there.
    fn follow_lists(&mut self) {
        if self.handed {
            self.shapes.append(&mut self.listed);
            self.sought.iter_mut().for_each(|sought| sought.is_read = true);
        }
    }

    /// Notes what a command looks for by name, and whether it has that read.
    fn seek(&mut self, command: &Command, is_read: bool) {
        let words = command.argv.iter().skip(1).map(|word| word.spelling().to_lowercase());
        let names: Vec<String> = words.filter(|word| word.ends_with(".md")).collect();
        if names.is_empty() {
            return;
        }
        let mut places = Vec::new();
        command.touches.iter().for_each(|act| act::files(act, Access::Read, &mut places));
        let spots = places.iter().flat_map(|file| file.spots.iter()).flat_map(|spots| spots.iter());
        let trees = spots.map(|spot| Shape::of(&spot.lowercase).and_beneath()).collect();
        self.sought.push(Sought { names, trees, is_read });
    }

    /// A file of text whose whole path stands anywhere in a command may be read by it: from a
    /// variable, from a list, by a program that gets its arguments from elsewhere. Not one that it
    /// writes, or reads anyway.
    fn add_mentioned(&mut self, text: &str, home: Option<&str>, written: &[&FileUse]) {
        let ends = |c: char| !(c.is_alphanumeric() || "/._-~$".contains(c));
        let is_written = |path: &String| {
            let mut spots = written.iter().flat_map(|file| file.spots.iter());
            spots.any(|spots| spots.iter().any(|spot| spot.lowercase == *path))
        };
        if !text.as_bytes().windows(3).any(|end| end.eq_ignore_ascii_case(b".md")) {
            return;
        }
        let text = text.to_lowercase().replace("${home}", "~");
        for word in text.split(ends).filter(|word| word.ends_with(".md")) {
            let word = word.trim_start_matches('$');
            let rest = word.strip_prefix("home").or_else(|| word.strip_prefix('~'));
            let path = match (rest.filter(|rest| rest.starts_with('/')), home) {
                (Some(rest), Some(home)) => format!("{}{rest}", home.to_lowercase()),
                _ if word.starts_with('/') => format!("/{}", word.trim_start_matches('/')),
                _ => continue,
            };
            let is_it = |read: &PathBuf| read.as_os_str().eq_ignore_ascii_case(&path);
            if !is_written(&path) && !self.reads.iter().any(is_it) {
                self.mentioned.push(path);
            }
        }
    }

    /// What is read for certain need not be guessed from its path.
    fn forget_read(&mut self) {
        let reads = |file: &str| {
            self.reads.iter().any(|path| path.to_str().is_some_and(|p| p.to_lowercase() == file))
        };
        self.mentioned =
            std::mem::take(&mut self.mentioned).into_iter().filter(|file| !reads(file)).collect();
    }

    /// Code that spells out a file of text may read it: by a whole path, or nobody can tell which.
    fn add_spelled(&mut self, texts: &[String]) {
        let ends = |c: char| !(c.is_alphanumeric() || "/._-~".contains(c));
        for text in texts {
            let words = text.split(ends).filter(|word| word.ends_with(".md"));
            // A word of its own is among what is named.
            for word in words.filter(|word| !text.ends_with(*word)) {
                match word.starts_with('/') {
                    true => self.named.push(word.to_owned()),
                    false => self.unplaced.push(word.to_owned()),
                }
            }
        }
    }

    /// Where nobody says in which directory a call runs, what is named from there on may be anywhere.
    /// One that starts with a wildcard is left: it is a rule against every `cat *.md` otherwise.
    fn unplace(&mut self, read: &[&FileUse]) {
        let relative = |file: &&&FileUse| {
            let name = file.shown.rsplit('/').next().unwrap_or_default();
            !file.shown.starts_with(['/', '~']) && !name.starts_with(['*', '?', '[', '…'])
        };
        self.adrift.extend(read.iter().filter(relative).map(|file| file.shown.clone()));
    }

    fn add_named(&mut self, file: &FileUse) {
        let spots = file.spots.iter().flat_map(|spots| spots.iter());
        self.named.extend(spots.map(|spot| spot.lowercase.clone()));
        self.named_shapes.extend(file.shapes.iter().cloned());
    }

    fn add_file(&mut self, file: &FileUse) {
        self.shapes.extend(file.shapes.iter().cloned());
        match &file.spots {
            Some(spots) => {
                self.reads.extend(spots.iter().map(|spot| PathBuf::from(&spot.path)));
            }
            None => {
                self.handed |= file.shown.starts_with('…');
                self.unplaced.push(file.shown.clone());
            }
        }
    }
}

/// Whether the file at `path` has this name, in whatever case.
fn is_called(path: &str, name: &str) -> bool {
    path.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(name))
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
