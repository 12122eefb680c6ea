//! Where the commands of one call look for relative paths, and which files their words may name.
//!
//! A command line that changes its directory leaves open where each of its commands runs: nothing
//! here follows the order of loops, conditions and substitutions. So an allow may rely on no relative
//! path any more, while a rule that asks or denies is held against every directory the line goes to.

use std::path::{Path, PathBuf};

use super::{FileUse, Given, Look, Manner, Unpacker};
use crate::limits::{MAX_DIRECTORIES, MAX_GONE, MAX_PLACES, MAX_WALKED_BYTES, MIN_DIRECTORIES};
use crate::place::{From, Spots};
use crate::programs::{Analysis, What};
use crate::shape::Shape;
use crate::shell::{Access, SimpleCommand, Word};

/// The directory of a command, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here<'h> {
    /// Certainly this one.
    pub(super) sure: Option<&'h Path>,
    /// Perhaps one of these, where it is not certain.
    pub(super) maybe: &'h [PathBuf],
    /// Perhaps one of those that such a word stands for, each from the root on.
    pub(super) wild: &'h [Word],
    /// Perhaps any other.
    pub(super) lost: bool,
    /// Perhaps one of which nothing is known.
    pub(super) anywhere: bool,
    /// Another command of the same call brings files that nobody has seen yet.
    pub(super) fresh: bool,
}

/// The directories a command line may have gone to.
#[derive(Debug, Default)]
pub(super) struct Walk {
    directories: Vec<PathBuf>,
    /// Directories that wildcards may find.
    wild: Vec<Word>,
    lost: bool,
    anywhere: bool,
    fresh: bool,
    /// The one gone to last, where its name says which.
    last: Option<PathBuf>,
    /// Where else `cd` looks for a directory.
    searched: Vec<PathBuf>,
    /// How many directories are remembered.
    most: usize,
}

/// How a word names a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Naming {
    pub(super) access: Access,
    pub(super) manner: Manner,
    /// With everything beneath it.
    pub(super) whole: bool,
}

impl<'h> Here<'h> {
    pub(super) fn at(directory: Option<&'h Path>) -> Self {
        let lost = directory.is_none();
        Self { sure: directory, maybe: &[], wild: &[], lost, anywhere: lost, fresh: false }
    }

    pub(super) fn from(&self) -> From<'h> {
        self.sure.map_or(From::Elsewhere, From::Directory)
    }

    fn given(&self, word: &Word) -> Given {
        let relative = !word.prefix().starts_with('/');
        let directories = self.known().filter(|_| relative).map(Path::to_owned).collect();
        Given { word: word.clone(), directories }
    }

    /// Every directory known of.
    pub(super) fn known(&self) -> impl Iterator<Item = &'h Path> {
        self.sure.into_iter().chain(self.maybe.iter().map(PathBuf::as_path))
    }
}

/// The directory that git is told to work in before anything else, when it is a whole path: it is there
/// or nowhere, wherever the command itself runs.
pub(super) fn told(argv: &[Word], entered: &[Word]) -> Option<PathBuf> {
    let program = Path::new(argv.first()?.as_known()?);
    if program.file_name()? != "git" || !entered.first()?.as_known()?.starts_with('/') {
        return None;
    }
    entered.iter().map(Word::as_known).collect()
}

/// The directories that a program is told to work in.
pub(super) fn entered(analysis: &Analysis) -> Vec<Word> {
    let entered = analysis.hazards.iter().filter_map(|hazard| match &hazard.what {
        What::Enter(word) => Some(word.clone()),
        What::Go(word) => Some(Word::known(word.prefix())),
        _ => None,
    });
    entered.collect()
}

/// The directories that `CDPATH` names.
fn searched(command: &SimpleCommand) -> Vec<PathBuf> {
    let lists = command.assignments.iter().filter(|set| set.name.eq_ignore_ascii_case("cdpath"));
    let mut found = Vec::new();
    for list in lists {
        let texts = std::iter::once(&list.value).chain(list.value.readings());
        let texts = texts.filter_map(Word::as_known).flat_map(|text| text.split(':'));
        found.extend(texts.filter(|path| path.starts_with('/')).map(PathBuf::from));
    }
    found
}

impl Walk {
    fn from(here: Here<'_>) -> Self {
        Self {
            directories: here.known().map(Path::to_owned).collect(),
            wild: here.wild.to_vec(),
            lost: here.lost,
            anywhere: here.anywhere,
            fresh: here.fresh,
            last: here.sure.map(Path::to_owned),
            searched: Vec::new(),
            most: MAX_GONE,
        }
    }

    /// One of the directories gone to.
    pub(super) fn here(&self) -> Here<'_> {
        Here {
            sure: None,
            maybe: &self.directories,
            wild: &self.wild,
            lost: self.lost,
            anywhere: self.anywhere,
            fresh: self.fresh,
        }
    }

    pub(super) fn to(&mut self, target: &Word, home: Option<&Path>) {
        match target.as_known() {
            Some("") => self.certainly(home.map(Path::to_owned)),
            Some("-") => self.certainly(None),
            Some(path) if path.starts_with('/') => self.certainly(Some(PathBuf::from(path))),
            Some(path) => self.down(path),
            None => self.perhaps(target),
        }
    }

    /// Goes to one directory, whatever was gone to before; nobody knows which where there is none.
    fn certainly(&mut self, directory: Option<PathBuf>) {
        self.lost |= directory.is_none();
        self.anywhere |= directory.is_none();
        self.last.clone_from(&directory);
        let Some(directory) = directory.filter(|to| !self.has(to)) else { return };
        // Where one started is always looked at, and where one went last.
        if self.directories.len() >= self.most.max(2) {
            (self.lost, self.anywhere) = (true, true);
            self.directories.remove(1);
        }
        self.directories.push(directory);
    }

    /// Whether a directory is among those gone to, as it is spelled.
    fn has(&self, directory: &Path) -> bool {
        self.directories.iter().any(|known| known.as_os_str() == directory.as_os_str())
    }

    /// Goes down from wherever one may be: for certain from where one went last, for nothing says that
    /// commands run in this order, and from the others as far as they can be followed.
    fn down(&mut self, path: &str) {
        let most = self.most.min(MAX_DIRECTORIES);
        let is_full = self.directories.len() >= most;
        let from = self.directories.iter().chain(&self.searched).filter(|_| !is_full);
        let moved: Vec<PathBuf> = from.map(|directory| directory.join(path)).collect();
        let fits = |directory: &PathBuf| directory.as_os_str().len() <= MAX_WALKED_BYTES;
        let last = self.last.take().map(|last| last.join(path)).filter(fits);
        (self.lost, self.anywhere) = (self.lost || is_full, self.anywhere || is_full);
        if last.is_some() || moved.is_empty() {
            self.certainly(last);
        }
        let below = self.wild.iter().map(|to| Word::known(path).within(to));
        let below: Vec<Word> =
            below.take(MAX_DIRECTORIES.saturating_sub(self.wild.len())).collect();
        self.wild.extend(below);
        for directory in moved.into_iter().filter(fits) {
            if self.has(&directory) {
                continue;
            }
            if self.directories.len() >= most {
                (self.lost, self.anywhere) = (true, true);
                break;
            }
            self.directories.push(directory);
        }
    }

    /// Goes where only a running shell knows: what wildcards may find is kept.
    fn perhaps(&mut self, target: &Word) {
        let readings = target.readings();
        let words = if readings.is_empty() { std::slice::from_ref(target) } else { readings };
        self.lost = true;
        self.last = None;
        for word in words {
            let from = self.directories.iter().filter_map(|directory| directory.to_str());
            let found: Vec<Word> = match word.spelling().starts_with('/') {
                true => vec![word.clone()],
                false => from.map(|directory| word.after(&format!("{directory}/"))).collect(),
            };
            let room = MAX_DIRECTORIES.saturating_sub(self.wild.len());
            let known = word.holes().is_empty() && !word.starts_with_tilde();
            self.anywhere |= !known || found.len() > room;
            self.wild.extend(found.into_iter().filter(|it| known && says_something(it)).take(room));
        }
    }
}

/// Whether wildcards with this around them say more than `src/*`, which finds no hidden directory.
fn says_something(directory: &Word) -> bool {
    let spelled = directory.spelling();
    let mut names = spelled.split('/').filter(|name| !name.is_empty());
    spelled.contains("/.") || names.all(|name| name != "*")
}

impl Unpacker<'_> {
    /// Where the commands go; nothing when they stay.
    pub(super) fn walk(
        &self,
        commands: &[SimpleCommand],
        analyses: &[Analysis],
        here: Here<'_>,
    ) -> Option<Walk> {
        let mut walk = Walk::from(here);
        let mut moved = false;
        walk.searched = commands.iter().flat_map(searched).take(MAX_DIRECTORIES).collect();
        // Each of the commands is looked at in each of the directories.
        walk.most = (MAX_PLACES / commands.len().max(1)).clamp(MIN_DIRECTORIES, MAX_GONE);
        for (command, analysis) in commands.iter().zip(analyses) {
            if analysis.moves {
                moved = true;
                self.step(&command.argv, &mut walk);
            }
            for hazard in &analysis.hazards {
                match &hazard.what {
                    What::Run(words) if self.programs.analyse(words).moves => {
                        moved = true;
                        self.step(words, &mut walk);
                    }
                    What::Shell(text) if is_eval(command) && text.contains(['c', 'p']) => {
                        let leaves =
                            ["cd", "chdir", "pushd", "popd"].iter().any(|it| text.contains(it));
                        moved |= leaves;
                        walk.lost |= leaves;
                        walk.anywhere |= leaves;
                    }
                    _ => {}
                }
            }
        }
        moved.then_some(walk)
    }

    /// Follows `cd`, if that is what the words are: other programs that move leave it where it is.
    fn step(&self, argv: &[Word], walk: &mut Walk) {
        let name = argv.first().and_then(Word::as_known).unwrap_or_default();
        if !["cd", "chdir", "pushd"].contains(&name) {
            return;
        }
        let arguments = argv.iter().skip(1);
        let target = arguments
            .clone()
            .find(|word| word.as_known().is_none_or(|text| !text.starts_with('-') || text == "-"));
        walk.to(target.unwrap_or(&Word::known("")), self.place.home);
    }

    /// Where a program works that was told a directory.
    pub(super) fn entered(&self, words: &[Word], here: Here<'_>) -> Walk {
        let mut walk = Walk::from(here);
        words.iter().for_each(|word| walk.to(word, self.place.home));
        walk
    }

    /// The file a word names.
    pub(super) fn file_use(&self, word: &Word, here: Here<'_>, naming: Naming) -> FileUse {
        let Naming { access, manner, whole } = naming;
        let tool = match access {
            Access::Read => "read",
            Access::Write => "write",
        };
        let spots = word.as_known().and_then(|path| self.place.locate(path, here.from()));
        let open = self.hidden || here.anywhere || here.fresh;
        let kept = self.look == Look::Thorough && open;
        let mut file = FileUse {
            tool: tool.to_owned(),
            access,
            spots,
            shapes: Vec::new(),
            vague: false,
            manner,
            shown: word.shown(),
            unplaced: here.anywhere && !word.prefix().starts_with('/'),
            fresh: here.fresh,
            given: kept.then(|| Box::new(here.given(word))),
        };
        match (&file.spots, whole) {
            (Some(_), false) => {}
            (Some(spots), true) => {
                let trees = spots.iter().map(|spot| Shape::of(&spot.lowercase).and_beneath());
                file.shapes = trees.collect();
            }
            (None, _) => self.guess(word, here, whole, &mut file),
        }
        file
    }

    /// What the file may be, where it is not known.
    fn guess(&self, word: &Word, here: Here<'_>, whole: bool, file: &mut FileUse) {
        if !word.readings().is_empty() {
            for reading in word.readings() {
                self.guess(reading, here, whole, file);
            }
            return;
        }
        let prefix = word.prefix();
        for (word, here) in self.led(word, here) {
            self.guess(&word, here, whole, file);
        }
        if !word.spelling().starts_with('/') && word.holes().first() != Some(&0) {
            let inside = Here { wild: &[], ..here };
            here.wild.iter().for_each(|to| self.guess(&word.within(to), inside, whole, file));
        }
        // A part left out at the very front may be a whole path.
        if word.holes().first() == Some(&0) || (prefix.is_empty() && word.as_known().is_some()) {
            file.vague = true;
            return;
        }
        if word.starts_with_tilde() {
            file.vague = true;
            return;
        }
        file.vague |= !prefix.starts_with('/') && here.lost;
        let known = word.as_known();
        let parent = prefix.rfind('/').map_or("", |slash| &prefix[..slash]);
        let from = prefix.rfind('/').map_or(0, |slash| slash + 1);
        for spots in self.candidates(known.unwrap_or(parent), prefix.starts_with('/'), here) {
            for spot in spots.iter().flat_map(|spots| spots.iter()) {
                let shape = Shape::of(&spot.lowercase);
                match if known.is_some() { Some(shape) } else { shape.with(word, from) } {
                    Some(shape) if whole => file.shapes.push(shape.and_beneath()),
                    Some(shape) => file.shapes.push(shape),
                    None => file.vague = true,
                }
            }
            file.vague |= spots.is_none();
        }
    }

    /// Where a word leads by way of somebody's home, or of a link that only a running process has.
    fn led<'h>(&self, word: &Word, here: Here<'h>) -> Vec<(Word, Here<'h>)> {
        let spelled = word.spelling();
        if word.starts_with_tilde() {
            // `~+` is where one is; every other is somebody's home, and that may be the user's.
            let behind = spelled.find('/').unwrap_or(spelled.len());
            let Some(rest) = word.behind(behind) else { return Vec::new() };
            let home = self.place.home.and_then(Path::to_str).unwrap_or("/");
            let start = if spelled.starts_with("~+") { "." } else { home };
            return vec![(rest.after(start), here)];
        }
        let mut led = Vec::new();
        // `..` out of a list of open files is taken as it is spelled, two names deep.
        for (mark, start) in [("/root", "/"), ("/cwd", "."), ("/fd", "/x/x")] {
            if !spelled.contains("/proc/") && !spelled.contains("/dev/fd") {
                break;
            }
            for (at, _) in spelled.match_indices(mark) {
                let behind =
                    word.behind(at + mark.len()).filter(|rest| rest.spelling().starts_with('/'));
                led.extend(behind.map(|rest| (rest.after(start), here)));
            }
        }
        led
    }

    /// The paths a text may stand for, in each directory.
    fn candidates(&self, text: &str, absolute: bool, here: Here<'_>) -> Vec<Option<Spots>> {
        if absolute {
            let text = if text.is_empty() { "/" } else { text };
            return vec![self.place.locate(text, From::Elsewhere)];
        }
        let text = if text.is_empty() { "." } else { text };
        here.known().map(|directory| self.place.locate(text, From::Directory(directory))).collect()
    }
}

fn is_eval(command: &SimpleCommand) -> bool {
    command.argv.first().and_then(Word::as_known) == Some("eval")
}
