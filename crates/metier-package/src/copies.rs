//! The copies of skills in a project change places: what is to be there comes, what was there goes.
//!
//! Only what is as metier put it there goes: it is moved aside first and looked at there, so that
//! what somebody wrote meanwhile is never removed with it. Every name is in one of three states:
//! a draft is nobody's but metier's and may be half a copy; what stands *aside* is whole, and may be
//! what somebody wrote; what stands in its place is what readers find. Knows trees and names, not
//! records; start at [`Copies::swap`].

use std::io::ErrorKind;

use metier_store::digest::{Tree, hex};

use crate::atomic::{DRAFT, DiskError, Folder, Goal, Kind};
use crate::change::{ChangeError, Hand, is_tree};
use crate::copy::{Making, copy};
use crate::keep::read_tree;
use crate::limits::MAX_SINGLE_SYNCS;
use crate::replaced;

/// One skill that is to be something else, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Swap<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// The tree that is to be there.
    pub(crate) goal: Option<&'a str>,
    /// The trees metier may have put there: what was there before, and what comes after.
    pub(crate) known: Vec<&'a str>,
}

/// What becomes of a copy that is neither what was installed nor what is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strange {
    /// It stays where it is.
    Stays,
    /// It stays where it is, and nothing is done.
    Refused,
    /// It is kept under its own digest, and leaves.
    Kept,
}

/// What somebody had written, and is kept now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The skill it was made of.
    pub(crate) name: String,
    /// Its digest, hexadecimal.
    pub(crate) tree: String,
}

/// The directory of copies, with the right to change what is in it.
#[derive(Debug)]
pub(crate) struct Copies<'a> {
    pub(crate) hand: &'a Hand<'a>,
    pub(crate) skills: &'a Folder,
    pub(crate) strange: Strange,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Empty,
    /// A tree metier may have put there.
    Known,
    /// Something else.
    Strange,
}

impl Copies<'_> {
    /// Makes of every skill what it is to be: all are made beside what is there and flushed, then
    /// each changes places with what is there in one step, then what stands aside is looked at. Every
    /// step can be repeated. Gives what was kept.
    pub(crate) fn swap(&self, swaps: &[Swap<'_>]) -> Result<Vec<Kept>, ChangeError> {
        let mut kept = self.settle(swaps.iter())?;
        let mut goals = Vec::new();
        for swap in swaps {
            if let Some(standing) = self.to_be_changed(swap)? {
                goals.push((swap, standing));
            }
        }
        self.copy_out(goals.iter().map(|(swap, _)| *swap))?;
        for (swap, standing) in &goals {
            self.change_places(swap, *standing)?;
        }
        self.skills.sync()?;
        kept.extend(self.settle(goals.iter().map(|(swap, _)| *swap))?);
        Ok(kept)
    }

    /// What stands where `swap` has something to do; none where it has not.
    fn to_be_changed(&self, swap: &Swap<'_>) -> Result<Option<Standing>, ChangeError> {
        let is_right = |tree| self.is(swap.name, tree);
        let standing = self.look(swap.name, swap)?;
        match (standing, swap.goal) {
            (Standing::Empty, None) => return Ok(None),
            (Standing::Known, Some(tree)) if is_right(tree)? => return Ok(None),
            (Standing::Empty | Standing::Known, _) => return Ok(Some(standing)),
            (Standing::Strange, _) => {}
        }
        let is_directory = self.skills.kind(swap.name)? == Some(Kind::Directory);
        match (self.strange, is_directory) {
            (Strange::Stays, _) => Ok(None),
            (_, false) => Err(ChangeError::Occupied(swap.name.to_owned())),
            (Strange::Refused, true) => Err(ChangeError::Drifted(swap.name.to_owned())),
            (Strange::Kept, true) => Ok(Some(standing)),
        }
    }

    /// Copies kept trees beside what is there, safe on disk. Many files are flushed by one call.
    fn copy_out<'s>(&self, swaps: impl Iterator<Item = &'s Swap<'s>>) -> Result<(), ChangeError> {
        let mut trees = Vec::new();
        for swap in swaps {
            let Some(tree) = swap.goal else { continue };
            trees.push((swap.name, tree, self.kept(tree, swap.name)?));
        }
        let files: usize = trees.iter().map(|(.., tree)| tree.files().len()).sum();
        let how = Making { read_only: false, flush: files <= MAX_SINGLE_SYNCS };
        for (name, digest, tree) in &trees {
            let draft = draft(name);
            self.skills.make(&draft, 0o755)?;
            copy(tree, &self.hand.keep.path(digest), &self.skills.child(&draft)?, how)?;
        }
        if !how.flush {
            self.skills.sync_all()?;
        }
        for (name, ..) in &trees {
            self.skills.rename(&draft(name), &aside(name), Goal::Empty)?;
        }
        Ok(())
    }

    fn kept(&self, tree: &str, name: &str) -> Result<Tree, ChangeError> {
        let kept = read_tree(&self.hand.keep.path(tree)).ok();
        kept.filter(|kept| hex(&kept.digest()) == tree)
            .ok_or_else(|| ChangeError::NotKept(name.to_owned()))
    }

    fn change_places(&self, swap: &Swap<'_>, standing: Standing) -> Result<(), DiskError> {
        let (name, aside) = (swap.name, aside(swap.name));
        match (standing, swap.goal) {
            (Standing::Empty, _) => self.skills.rename(&aside, name, Goal::Empty),
            (_, Some(_)) => self.exchange(name),
            (_, None) => self.skills.rename(name, &aside, Goal::Empty),
        }
    }

    /// What stands aside and what stands in its place change places. Where the file system cannot
    /// do that in one step the one in its place leaves first; [`Copies::settle`] knows of that.
    fn exchange(&self, name: &str) -> Result<(), DiskError> {
        let aside = aside(name);
        match self.skills.rename(&aside, name, Goal::Exchanged) {
            Err(error) if error.source.kind() == ErrorKind::InvalidInput => {
                let between = between(name);
                self.skills.rename(name, &between, Goal::Empty)?;
                self.skills.rename(&aside, name, Goal::Empty)?;
                self.skills.rename(&between, &aside, Goal::Empty)
            }
            other => other,
        }
    }

    /// Removes what stands aside, if it is as metier put it there. Whatever else it is goes back to
    /// where it was, or is kept. Names are flushed once, before anything is removed file by file:
    /// what is half removed must not have a name under which it counts as whole.
    fn settle<'s>(
        &self,
        swaps: impl Iterator<Item = &'s Swap<'s>>,
    ) -> Result<Vec<Kept>, ChangeError> {
        let mut kept = Vec::new();
        let mut doomed = Vec::new();
        for swap in swaps {
            self.skills.remove(draft(swap.name))?;
            self.rejoin(swap.name)?;
            let aside = aside(swap.name);
            match self.look(&aside, swap)? {
                Standing::Empty => continue,
                Standing::Known => {}
                Standing::Strange => match self.resolve(swap)? {
                    Resolved::Kept(tree) => kept.push(Kept { name: swap.name.to_owned(), tree }),
                    Resolved::Back => {}
                    Resolved::Stays => continue,
                },
            }
            if self.skills.kind(&aside)?.is_some() {
                self.skills.rename(&aside, &draft(swap.name), Goal::Empty)?;
                doomed.push(draft(swap.name));
            }
        }
        if !doomed.is_empty() {
            self.skills.sync()?;
        }
        for name in doomed {
            self.skills.remove(name)?;
        }
        Ok(kept)
    }

    /// Undoes the half of an exchange that took more than one step.
    fn rejoin(&self, name: &str) -> Result<(), DiskError> {
        let between = between(name);
        if self.skills.kind(&between)?.is_none() {
            return Ok(());
        }
        match self.skills.kind(name)? {
            None => self.skills.rename(&between, name, Goal::Empty),
            Some(_) => self.skills.rename(&between, &aside(name), Goal::Empty),
        }
    }

    /// Sees to it that what stands aside, which somebody wrote, is not lost.
    fn resolve(&self, swap: &Swap<'_>) -> Result<Resolved, ChangeError> {
        let (name, aside) = (swap.name, aside(swap.name));
        let standing = self.look(name, swap)?;
        // Where two things are that nobody here made, one of them is kept, whoever asks for what.
        let kept = match self.strange == Strange::Kept || standing == Standing::Strange {
            true => Some(self.keep(name)),
            false => None,
        };
        if let Some(Ok(tree)) = kept {
            return Ok(Resolved::Kept(tree));
        }
        match standing {
            Standing::Empty => self.skills.rename(&aside, name, Goal::Empty)?,
            Standing::Known => self.exchange(name)?,
            Standing::Strange => {}
        }
        self.skills.sync()?;
        match (self.strange, kept, standing) {
            (Strange::Stays, _, Standing::Strange) => Ok(Resolved::Stays),
            (Strange::Stays, ..) => Ok(Resolved::Back),
            (_, Some(Err(error)), _) => Err(error),
            (..) => Err(ChangeError::Drifted(name.to_owned())),
        }
    }

    /// Keeps what stands aside under its own digest, and notes it.
    fn keep(&self, name: &str) -> Result<String, ChangeError> {
        let path = self.skills.path().join(aside(name));
        let unkept = |reason: String| ChangeError::Unkept { name: name.to_owned(), reason };
        if self.skills.kind(aside(name))? != Some(Kind::Directory) {
            return Err(ChangeError::Occupied(name.to_owned()));
        }
        let found = read_tree(&path).map_err(|error| unkept(error.to_string()))?;
        let tree = hex(&found.digest());
        let Hand { home, keep, turn, .. } = self.hand;
        let arriving = keep.stage(&found, &path, usize::MAX)?;
        keep.publish(&[arriving], turn)?;
        replaced::note(home, &tree, &self.skills.path().join(name))?;
        // Whoever had a file open may still be writing.
        match is_tree(&path, &tree) {
            true => Ok(tree),
            false => Err(unkept("somebody is writing to it".to_owned())),
        }
    }

    fn look(&self, at: &str, swap: &Swap<'_>) -> Result<Standing, DiskError> {
        if self.skills.kind(at)?.is_none() {
            return Ok(Standing::Empty);
        }
        for tree in &swap.known {
            if self.is(at, tree)? {
                return Ok(Standing::Known);
            }
        }
        Ok(Standing::Strange)
    }

    /// Whether what stands under `name` is a directory, and exactly that tree.
    fn is(&self, name: &str, tree: &str) -> Result<bool, DiskError> {
        let is_directory = self.skills.kind(name)? == Some(Kind::Directory);
        Ok(is_directory && is_tree(&self.skills.path().join(name), tree))
    }
}

/// What became of something strange that stood aside.
#[derive(Debug)]
enum Resolved {
    /// It is kept, under this digest.
    Kept(String),
    /// It is where it was; what stands aside now, if anything, is metier's.
    Back,
    /// It cannot be kept, and something else is where it was.
    Stays,
}

/// Whether `name` is one under which something may stand that somebody wrote.
pub(crate) fn is_aside(name: &str) -> bool {
    name.starts_with(&aside("")) || name.starts_with(&between(""))
}

/// What a copy is called while it is being made, or removed.
fn draft(name: &str) -> String {
    format!("{DRAFT}copy-{name}")
}

/// What a whole copy is called that is not in its place.
fn aside(name: &str) -> String {
    format!("{DRAFT}aside-{name}")
}

/// What a copy is called on its way aside, where that takes more than one step.
fn between(name: &str) -> String {
    format!("{DRAFT}between-{name}")
}

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;
