//! Where a call happens, and which file a path in it names.
//!
//! A path is looked at twice: as it is spelled, with `.`, `..`, repeated slashes and the magic
//! links under `/proc/self` undone, and as [`Resolve`] says it really is, with symbolic links
//! followed. An allow needs both to fit; for a deny either is enough. This module never looks at
//! a disk: the runtime hands in a resolver that does, and [`Lexical`] is the one that does not.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::limits::MAX_PATH_BYTES;

/// Follows symbolic links for the rules. Implemented by the runtime with the file system.
pub trait Resolve {
    /// The file `absolute` really names: links followed, `..` undone after following, and a last
    /// part that does not exist yet appended to its resolved parent. `absolute` is not normalised.
    /// Nothing when that cannot be told; the path then fits no allow.
    fn real(&self, absolute: &Path) -> Option<PathBuf>;

    /// What git would find in `directory` itself; nothing where that is no repository, and where no
    /// disk is known.
    fn layout(&self, _directory: &Path) -> Option<Layout> {
        None
    }

    /// Whether git knows a remote by this name in `directory`; where no disk is known, whatever could be
    /// one is.
    fn has_remote(&self, _directory: &Path, _name: &str) -> bool {
        true
    }

    /// Whether something is at `absolute`, links followed; where no disk is known, it is.
    fn exists(&self, _absolute: &Path) -> bool {
        true
    }

    /// Where metier's own program is, whatever it is called; nothing where no disk is known.
    fn program(&self) -> Option<PathBuf> {
        None
    }

    /// Whether this is metier's own program: the file itself, another name for it, or a copy. A name
    /// without a slash is looked for where shells look for programs.
    fn is_program(&self, _program: &Path) -> bool {
        false
    }
}

/// How a directory is a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By what is called `.git` in it, which no checkout brings.
    Inside,
    /// By the files of a repository in it, which may have come with a checkout.
    Bare,
}

/// The resolver that knows no disk: a path is what it is spelled as.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical;

/// Where a call happens.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The working directory of the tool; relative paths in calls start here.
    pub cwd: &'a Path,
    /// The user's home, for `~`.
    pub home: Option<&'a Path>,
    /// The project; relative patterns start here, or at `cwd` where there is none.
    pub project: Option<&'a Path>,
    /// Directories and files of metier itself: what is trusted, what is active, what was decided.
    /// Whatever the policy says, no call writes there. A relative path is protected in every
    /// directory: settings of agents that could switch off their hooks.
    pub protected: &'a [PathBuf],
    /// How links are followed.
    pub resolver: &'a dyn Resolve,
}

/// Every absolute path a spelling may stand for, without duplicates, never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spots(Vec<Spot>);

/// One absolute path, and the same in lowercase for comparisons that must not miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) path: String,
    pub(crate) lowercase: String,
}

/// The directories patterns start in, worked out once per call.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) place: &'a Place<'a>,
    base: OnceCell<Vec<Spot>>,
    home: OnceCell<Vec<Spot>>,
}

/// Where relative paths start, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From<'a> {
    /// In this directory.
    Directory(&'a Path),
    /// Somewhere else: the command changed its directory on the way.
    Elsewhere,
}

impl Resolve for Lexical {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        normalize(absolute.to_str()?, None).map(PathBuf::from)
    }
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = f.debug_struct("Place");
        out.field("cwd", &self.cwd).field("home", &self.home).field("project", &self.project);
        out.finish_non_exhaustive()
    }
}

impl<'a> Place<'a> {
    /// A place without home and project whose paths are what they are spelled as.
    #[must_use]
    pub fn lexical(cwd: &'a Path) -> Self {
        Self { cwd, home: None, project: None, protected: &[], resolver: &Lexical }
    }

    /// Where relative patterns start.
    #[must_use]
    pub fn base(&self) -> &'a Path {
        self.project.unwrap_or(self.cwd)
    }

    /// The files a path in a tool's argument may name. A leading `~` is read both as the home
    /// directory and as a plain name, for tools differ. Nothing when it cannot be told.
    pub(crate) fn locate_argument(&self, text: &str, from: From<'_>) -> Option<Spots> {
        if text.contains("://") {
            return None;
        }
        let plain = self.locate(text, from)?;
        let Some(rest) = text.strip_prefix('~') else { return Some(plain) };
        if !rest.is_empty() && !rest.starts_with('/') {
            return None;
        }
        let home = self.home?.to_str()?;
        Some(plain.and(self.locate(&format!("{home}{rest}"), from)?))
    }

    /// The files a path may name, without any reading of `~`. Nothing when it cannot be told.
    pub(crate) fn locate(&self, text: &str, from: From<'_>) -> Option<Spots> {
        if text.is_empty() || text.len() > MAX_PATH_BYTES || text.contains(char::is_control) {
            return None;
        }
        let absolute = match from {
            _ if text.starts_with('/') => text.to_owned(),
            From::Directory(directory) if directory.as_os_str().len() > MAX_PATH_BYTES => {
                return None;
            }
            From::Directory(directory) => format!("{}/{text}", directory.to_str()?),
            From::Elsewhere => return None,
        };
        let spelled = normalize(&absolute, self.cwd.to_str())?;
        let real = self.resolver.real(Path::new(&absolute))?;
        let real = real.to_str()?;
        if real == spelled {
            return Some(Spots(vec![Spot::new(spelled)]));
        }
        let real = normalize(real, self.cwd.to_str())?;
        Some(Spots(vec![Spot::new(spelled)]).and(Spots(vec![Spot::new(real)])))
    }
}

impl Place<'_> {
    /// The files an absolute path names: as it is spelled even where it cannot be followed, for
    /// whoever must not miss it.
    pub(crate) fn locate_at_least(&self, absolute: &str) -> Option<Spots> {
        let spelled = || Some(Spots(vec![Spot::new(normalize(absolute, None)?)]));
        self.locate(absolute, From::Elsewhere).or_else(spelled)
    }
}

impl<'a> Ground<'a> {
    pub(crate) fn new(place: &'a Place<'a>) -> Self {
        Self { place, base: OnceCell::new(), home: OnceCell::new() }
    }

    /// Where relative patterns start, as spelled and as it really is. Only this directory is
    /// resolved, never a part of a pattern: a link planted inside the project must not carry a
    /// pattern elsewhere. Empty when it cannot be told.
    pub(crate) fn base(&self) -> &[Spot] {
        self.base.get_or_init(|| self.both(self.place.base()))
    }

    /// The same for the home directory.
    pub(crate) fn home(&self) -> &[Spot] {
        self.home.get_or_init(|| self.place.home.map_or(Vec::new(), |home| self.both(home)))
    }

    fn both(&self, directory: &Path) -> Vec<Spot> {
        let Some(spelled) = directory.to_str().and_then(|path| normalize(path, None)) else {
            return Vec::new();
        };
        let real = self.place.resolver.real(directory);
        let real = real.as_deref().and_then(|real| normalize(real.to_str()?, None));
        let mut both = vec![Spot::new(spelled)];
        both.extend(real.map(Spot::new).filter(|real| *real != both[0]));
        both
    }
}

impl Spot {
    pub(crate) fn new(path: String) -> Self {
        Self { lowercase: folded(&path), path }
    }
}

impl Spots {
    /// The paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Spot> {
        self.0.iter()
    }

    fn and(mut self, other: Self) -> Self {
        for spot in other.0 {
            if !self.0.contains(&spot) {
                self.0.push(spot);
            }
        }
        self
    }
}

/// Text as it is compared where cases must not make a difference: paths, and what may spell one out.
/// Both sides of a comparison go through this, for there is more than one way to lower a letter.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// An absolute path without `.`, `..`, empty segments and the links of `/proc` that lead back to
/// where one already is. Nothing for a relative path, and nothing where `/proc` or `/dev/fd` leads
/// somewhere only a running process knows.
pub(crate) fn normalize(absolute: &str, cwd: Option<&str>) -> Option<String> {
    let mut parts: Vec<&str> = Vec::with_capacity(16);
    for part in absolute.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => {
                parts.push(name);
                follow_magic(&mut parts, cwd)?;
            }
        }
    }
    let mut path = String::with_capacity(absolute.len() + 1);
    for part in &parts {
        path.push('/');
        path.push_str(part);
    }
    if path.is_empty() {
        path.push('/');
    }
    Some(path)
}

/// Undoes `/proc/self/root` and `/proc/self/cwd`; gives up on every other magic link.
fn follow_magic<'t>(parts: &mut Vec<&'t str>, cwd: Option<&'t str>) -> Option<()> {
    match parts.as_slice() {
        ["proc", "self" | "thread-self", "root"] => parts.clear(),
        ["proc", "self" | "thread-self", "cwd"] => {
            let cwd = cwd?;
            parts.clear();
            parts.extend(cwd.split('/').filter(|part| !part.is_empty()));
        }
        ["proc", process, "root" | "cwd" | "fd" | "task" | "map_files"]
            if !process.is_empty() && *process != "sys" =>
        {
            return None;
        }
        ["dev", "fd"] => return None,
        _ => {}
    }
    Some(())
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
