//! Directories that a command uses without naming every file in them: those it copies, unpacks or
//! links into, and the one it works in.

use super::{Arguments, Reader, Touch};
use crate::shell::{Access, Word};

impl Reader<'_> {
    pub(super) fn use_directories(&mut self) {
        let words: Vec<Word> =
            self.arguments.iter().filter_map(|at| self.argv.get(*at).cloned()).collect();
        if matches!(self.usage.arguments, Arguments::Copies | Arguments::Moves) {
            self.copies(&words);
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

    /// Where the arguments of a copy, a move or a link end up.
    fn copies(&mut self, words: &[Word]) {
        let (targets, sources) = match self.into.clone() {
            into if !into.is_empty() => (into, words),
            _ => match words.split_last() {
                Some((last, sources)) => (vec![last.clone()], sources),
                None => return,
            },
        };
        let moves = self.usage.arguments == Arguments::Moves;
        let whole = self.recurses() || moves || self.usage.links;
        for target in targets {
            if !self.into.is_empty() {
                self.out.touches.push(Touch::File(Access::Write, target.clone()));
            }
            for source in sources {
                match whole {
                    true => self.put(source, &target),
                    false => self.put_file(source, &target),
                }
            }
        }
    }

    /// A file keeps its name in a directory.
    fn put_file(&mut self, source: &Word, target: &Word) {
        if let (Some(name), Some(target)) =
            (source.as_known().and_then(last_name), target.as_known())
            && !target.contains(':')
        {
            let path = Word::known(format!("{}/{name}", target.trim_end_matches('/')));
            self.out.touches.push(Touch::File(Access::Write, path));
        }
    }

    fn put(&mut self, source: &Word, target: &Word) {
        if self.usage.links {
            self.link(source, target);
            return;
        }
        // Some copy what is in a directory and not the directory.
        let exact = self.argv.iter().any(|word| {
            let text = word.prefix();
            text.starts_with('-') && !text.starts_with("--") && text.contains('T')
                || text.starts_with("--no-target")
        });
        let into = match (source.as_known().and_then(last_name), target.as_known()) {
            (Some(name), Some(target)) if !exact && !target.contains(':') => {
                Word::known(format!("{}/{name}", target.trim_end_matches('/')))
            }
            _ => target.clone(),
        };
        self.out.touches.push(Touch::Into(into));
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

/// What a copy of this is called; nothing where only what is in it is copied.
fn last_name(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    (!matches!(name, "" | "." | "..") && !path.contains(':')).then_some(name)
}
