//! Directories that a command uses without naming every file in them: those it copies, unpacks or
//! links into, and the one it works in.

use super::{Arguments, Reader, Touch, What, file_path};
use crate::limits::MAX_PARTS;
use crate::shell::{Access, Word};

impl Reader<'_> {
    pub(super) fn use_directories(&mut self) {
        let words: Vec<Word> =
            self.arguments.iter().filter_map(|at| self.argv.get(*at).cloned()).collect();
        if matches!(self.usage.arguments, Arguments::Copies | Arguments::Moves) {
            self.copies(&words);
        } else if !self.usage.unpacks && self.usage.arguments != Arguments::Urls {
            self.put_there();
        }
        if self.usage.clones {
            self.clones(&words);
        }
        if self.usage.arguments == Arguments::Urls {
            self.downloads(&words);
        }
        self.strips(&words);
        if words.is_empty() && self.usage.arguments == Arguments::Cleans {
            self.out.touches.push(Touch::Tree(Access::Write, Word::known(".")));
        }
        let first = words.first().and_then(Word::as_known).unwrap_or_default();
        if self.usage.fills_here && !self.usage.looks.iter().any(|word| word == first) {
            self.out.touches.push(Touch::Around(Word::known(".")));
        }
        self.archive(&words);
        if self.flags.removes {
            let here = [Word::known(".")];
            let words = if words.is_empty() { &here[..] } else { &words };
            let trees = words.iter().map(|word| Touch::Tree(Access::Write, word.clone()));
            self.out.touches.extend(trees);
        }
        // What is looked for is no file.
        let looks_for = self.usage.arguments == Arguments::Searches && self.scripts.is_empty();
        if self.usage.looks_here && words.len() <= usize::from(looks_for) {
            self.touch(Access::Read, &Word::known("."));
        }
    }

    /// Files that nobody names are put behind what an option tells, be that a directory or the start
    /// of their names.
    fn put_there(&mut self) {
        for target in self.into.clone() {
            let above = target.as_known().and_then(|path| path.rsplit_once('/'));
            let above = above.filter(|(above, _)| !above.is_empty());
            let above = above.map(|(above, _)| Touch::Into(Word::known(above)));
            self.out.touches.extend(above);
            self.out.touches.push(Touch::Into(target));
        }
    }

    /// The directory that the copy of a repository is put into.
    fn clones(&mut self, words: &[Word]) {
        let told = words.get(self.usage.output_at.unwrap_or(2).saturating_sub(1));
        let called = || {
            let address = words.first().and_then(Word::as_known)?;
            Some(Word::known(repository_name(address)))
        };
        self.out.touches.extend(told.cloned().or_else(called).map(Touch::Into));
    }

    /// Where the arguments of a copy, a move or a link end up.
    fn copies(&mut self, words: &[Word]) {
        let (targets, sources) = match self.into.clone() {
            into if !into.is_empty() => (into, words),
            // A link without a target is made where one is.
            _ if self.usage.links && words.len() == 1 => (vec![Word::known(".")], words),
            _ => match words.split_last() {
                Some((last, sources)) => (vec![last.clone()], sources),
                None => return,
            },
        };
        let moves = self.usage.arguments == Arguments::Moves;
        let whole = self.recurses() || moves || self.usage.links;
        for target in targets.iter().filter(|target| !is_elsewhere(target)) {
            if !self.into.is_empty() {
                self.out.touches.push(Touch::File(Access::Write, target.clone()));
            }
            for source in sources {
                self.put_named(source, target);
                if whole {
                    self.put(source, target);
                }
            }
        }
    }

    /// A file keeps its name in a directory, and some keep the directories it lies in.
    fn put_named(&mut self, source: &Word, target: &Word) {
        if self.is_exact() {
            return;
        }
        for name in names(source) {
            self.put_as(name, target);
        }
        if let Some(path) = source.as_known().filter(|_| self.is_asked(&self.usage.parents)) {
            let from = path.find("/./").map_or(0, |mark| mark + "/./".len());
            self.put_as(Word::known(path.get(from..).unwrap_or_default()), target);
        }
    }

    /// Whether the target is what a copy becomes and not a directory it goes to. What follows a letter
    /// with a value is that value.
    fn is_exact(&self) -> bool {
        let asks = |word: &Word| {
            let text = word.prefix();
            let mut letters = text.chars().skip(1).take_while(|letter| !"Stmog".contains(*letter));
            let short = text.starts_with('-') && !text.starts_with("--");
            (short && letters.any(|letter| letter == 'T')) || text.starts_with("--no-target")
        };
        !self.usage.into.is_empty() && self.argv.iter().any(asks)
    }

    /// Something in a directory is written under this name.
    fn put_as(&mut self, name: Word, target: &Word) {
        let Some(directory) = target.as_known() else { return };
        let path = name.after(&format!("{}/", directory.trim_end_matches('/')));
        self.out.touches.push(match name.as_known() {
            Some(_) => Touch::File(Access::Write, path),
            None => Touch::Within(path),
        });
    }

    fn put(&mut self, source: &Word, target: &Word) {
        if self.usage.links {
            self.link(source, target);
            return;
        }
        let named = |name: &Word| {
            let (name, target) = name.as_known().zip(target.as_known())?;
            Some(Word::known(format!("{}/{name}", target.trim_end_matches('/'))))
        };
        let names = if self.is_exact() { Vec::new() } else { names(source) };
        let into: Option<Vec<Word>> = names.iter().map(named).collect();
        let into = into.filter(|into| !into.is_empty());
        let into = into.unwrap_or_else(|| vec![target.clone()]);
        self.out.touches.extend(into.into_iter().map(Touch::Into));
    }

    /// What is fetched is written under the last name in its address, where one is or where an option
    /// says.
    fn downloads(&mut self, words: &[Word]) {
        let here = vec![Word::known(".")];
        let into = if self.into.is_empty() { here } else { self.into.clone() };
        if self.is_asked(&self.usage.downloads) {
            for target in &into {
                for name in words.iter().flat_map(fetched_names) {
                    self.put_as(name, target);
                }
                if self.is_asked(&self.usage.parents) {
                    for path in words.iter().flat_map(fetched_paths) {
                        self.put_as(Word::known(path), target);
                    }
                }
            }
            if self.recurses() {
                self.out.touches.extend(into.into_iter().map(Touch::Into));
            }
        }
        // Files that other options name lie in that directory, too.
        let written = self.out.hazards.iter().filter_map(|hazard| match &hazard.what {
            What::File(Access::Write, word) => Some(word.clone()),
            _ => None,
        });
        let written: Vec<Word> = written.collect();
        for target in self.into.clone() {
            written.iter().for_each(|word| self.put_as(word.clone(), &target));
        }
    }

    /// What is unpacked lies beside its archive, without the end of its name.
    fn strips(&mut self, words: &[Word]) {
        for path in words.iter().filter_map(Word::as_known) {
            for end in &self.usage.strips {
                if let Some(path) = path.strip_suffix(end.as_str()).filter(|path| !path.is_empty())
                {
                    self.out.touches.push(Touch::File(Access::Write, Word::known(path)));
                }
            }
        }
    }

    /// Who has another name for a file can use it by that name. A relative one starts where the link
    /// is.
    fn link(&mut self, source: &Word, target: &Word) {
        let mut named = vec![source.clone()];
        if let (Some(source), Some(target)) = (source.as_known(), target.as_known())
            && !source.starts_with('/')
        {
            named.push(Word::known(format!("{target}/{source}")));
            named.push(Word::known(format!("{target}/../{source}")));
        }
        for word in named {
            self.out.touches.push(Touch::Tree(Access::Read, word.clone()));
            self.out.touches.push(Touch::Into(word));
        }
    }

    /// An archive is written or unpacked.
    fn archive(&mut self, words: &[Word]) {
        if self.flags.packs {
            let archives = std::mem::take(&mut self.archives);
            for archive in archives.iter().filter(|word| word.as_known() != Some("-")) {
                self.out.touches.push(Touch::File(Access::Write, archive.clone()));
            }
            // What is packed is looked for in the directory that an option tells.
            for (directory, word) in
                self.into.iter().flat_map(|d| words.iter().map(move |w| (d, w)))
            {
                if let (Some(directory), Some(word)) = (directory.as_known(), word.as_known()) {
                    let path = Word::known(format!("{directory}/{word}"));
                    self.out.touches.push(Touch::Tree(Access::Read, path));
                } else {
                    self.out.touches.push(Touch::Tree(Access::Read, directory.clone()));
                }
            }
        } else if self.usage.unpacks {
            let here = vec![Word::known(".")];
            let into = if self.into.is_empty() { here } else { self.into.clone() };
            self.out.touches.extend(into.into_iter().map(Touch::Into));
            if self.is_asked(&self.usage.anywhere) {
                self.out.touches.push(Touch::Into(Word::known("/")));
            }
        }
    }
}

/// What a copy of this may be called; nothing where only what is in it is copied. To some a colon
/// ends the name of a machine, where another shell reads the path.
fn names(path: &Word) -> Vec<Word> {
    let spelled = path.spelling();
    let from = spelled.rfind('/').map_or(0, |slash| slash + 1);
    let Some(name) = path.behind(from) else { return Vec::new() };
    if path.as_known().is_none() {
        let more = path.readings().iter().flat_map(names);
        let name = if name.holes().is_empty() { name } else { Word::any_name() };
        return std::iter::once(name).chain(more).collect();
    }
    let spelled = spelled.get(from..).unwrap_or_default();
    let there = spelled.rfind(':').map(|colon| spelled.get(colon + 1..).unwrap_or_default());
    let is_name = |name: &&str| !matches!(*name, "" | "." | "..");
    let read_there = |name: &str| match path.spelling().contains(':') && name.contains(EXPANDED) {
        true => Word::any_name(),
        false => Word::known(name),
    };
    [Some(spelled), there].into_iter().flatten().filter(is_name).map(read_there).collect()
}

/// What a shell on another machine makes something else of.
const EXPANDED: [char; 7] = ['*', '?', '[', '{', '~', '$', '`'];

/// Whether a target is on another machine: a colon stands before its first slash.
fn is_elsewhere(target: &Word) -> bool {
    let text = target.prefix();
    text.find(':').is_some_and(|colon| text.find('/').is_none_or(|slash| colon < slash))
}

/// What git calls the copy of a repository.
fn repository_name(address: &str) -> &str {
    let end = |text: &'_ str| text.trim_end_matches('/').len();
    let address = address.get(..end(address)).unwrap_or(address);
    let address = address.strip_suffix("/.git").unwrap_or(address);
    let address = address.get(..end(address)).unwrap_or(address);
    let name = address.rsplit(['/', ':']).next().unwrap_or(address);
    name.strip_suffix(".git").or_else(|| name.strip_suffix(".bundle")).unwrap_or(name)
}

/// Where a file from this address may lie with its directories, of which the first may be left out.
fn fetched_paths(address: &Word) -> Vec<String> {
    let text = address.as_known().unwrap_or_default();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.split(['?', '#']).next().unwrap_or(text);
    let Some(path) = file_path(&format!("/{text}")) else { return Vec::new() };
    let starts = path.match_indices('/').map(|(at, _)| at + 1).take(MAX_PARTS);
    starts.filter_map(|from| path.get(from..)).map(str::to_owned).collect()
}

/// What a file from this address may be called: with its query and without, with `%2e` and the like
/// undone or not.
fn fetched_names(address: &Word) -> Vec<Word> {
    let Some(text) = address.as_known() else { return vec![Word::any_name()] };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let path = text.split_once('/').map_or("", |(_, path)| path);
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let plain = name(path.split(['?', '#']).next().unwrap_or_default());
    let decoded = file_path(&format!("/{plain}")).map(|path| name(&path));
    let queried = name(path.split('#').next().unwrap_or_default());
    let mut names = vec![plain, queried];
    names.extend(decoded);
    names.dedup();
    names.into_iter().filter(|name| !name.is_empty()).map(Word::known).collect()
}
