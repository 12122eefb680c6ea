//! The keep: one verified, read-only copy of every tree that is installed or may be gone back to,
//! in a directory called by the tree's digest. Knows digests and directories, not names of skills.
//!
//! A tree is first copied beside the others under a name nobody looks at ([`Keep::stage`]), which
//! needs no turn, and becomes visible by one rename ([`Keep::publish`]), which does.

use std::path::{Path, PathBuf};

use metier_store::digest::{Tree, hex, is_digest};
use metier_store::store::{Location, TreeError};
use metier_store::{FileStore, Layer, Root, RootId, Store as _};

use crate::atomic::{DRAFT, DiskError, Folder, Goal};
use crate::change::ChangeError;
use crate::copy::{CopyError, Making, copy};
use crate::home::Home;
use crate::limits::MAX_SINGLE_SYNCS;
use crate::replaced;
use crate::turn::{Owner, Turn};

/// The kept trees of a home.
#[derive(Debug)]
pub(crate) struct Keep {
    store: Folder,
    home: Home,
}

/// A tree on its way into the keep.
#[derive(Debug)]
pub(crate) struct Arriving {
    /// Its digest, hexadecimal.
    pub(crate) tree: String,
    /// Its copy, under a name nobody looks at; none when the keep has the tree already.
    draft: Option<String>,
}

impl Keep {
    /// The keep of `home`, made when it is not there.
    pub(crate) fn open(home: &Home) -> Result<Self, DiskError> {
        Ok(Self { store: Folder::make_all(&home.store())?, home: home.clone() })
    }

    /// Copies trees beside the others, each from its directory, unless a sound copy is there
    /// already. Many files are flushed by one call for the file system instead of one by one.
    pub(crate) fn stage_all(&self, trees: &[(&Tree, &Path)]) -> Result<Vec<Arriving>, CopyError> {
        let files: usize = trees.iter().map(|(tree, _)| tree.files().len()).sum();
        let flush = files <= MAX_SINGLE_SYNCS;
        let mut arriving = Vec::new();
        let staged = trees.iter().enumerate().try_for_each(|(number, (tree, from))| {
            arriving.push(self.copy_in(tree, from, number, flush)?);
            Ok(())
        });
        let copied = arriving.iter().any(|one: &Arriving| one.draft.is_some());
        let staged = staged.and_then(|()| match copied && !flush {
            true => Ok(self.store.sync_all()?),
            false => Ok(()),
        });
        if let Err(error) = staged {
            arriving.iter().for_each(|one| self.discard(one));
            return Err(error);
        }
        Ok(arriving)
    }

    /// [`Keep::stage_all`] for one tree; `number` tells it from others of this process.
    pub(crate) fn stage(
        &self,
        tree: &Tree,
        from: &Path,
        number: usize,
    ) -> Result<Arriving, CopyError> {
        let flush = tree.files().len() <= MAX_SINGLE_SYNCS;
        let arriving = self.copy_in(tree, from, number, flush)?;
        if arriving.draft.is_some() && !flush {
            self.store.sync_all().inspect_err(|_| self.discard(&arriving))?;
        }
        Ok(arriving)
    }

    fn copy_in(
        &self,
        tree: &Tree,
        from: &Path,
        number: usize,
        flush: bool,
    ) -> Result<Arriving, CopyError> {
        let digest = hex(&tree.digest());
        if self.holds(&digest) {
            return Ok(Arriving { tree: digest, draft: None });
        }
        let me = Owner::this();
        let draft = format!("{DRAFT}{}-{}-{number}", me.pid, me.start);
        self.store.remove(&draft)?;
        self.store.make(&draft, 0o755)?;
        let folder = self.store.child(&draft).map_err(CopyError::from);
        let how = Making { read_only: true, flush };
        let copied = folder.and_then(|folder| copy(tree, from, &folder, how));
        if let Err(error) = copied {
            // The error that is reported says more than one about clearing away.
            let _ = self.store.remove(&draft);
            return Err(error);
        }
        Ok(Arriving { tree: digest, draft: Some(draft) })
    }

    /// Makes staged trees visible.
    pub(crate) fn publish(&self, arriving: &[Arriving], _turn: &Turn) -> Result<(), ChangeError> {
        for tree in arriving {
            if let Some(draft) = &tree.draft {
                self.reveal(draft, &tree.tree)?;
            }
        }
        match arriving.iter().any(|one| one.draft.is_some()) {
            true => Ok(self.store.sync()?),
            false => Ok(()),
        }
    }

    /// Makes the draft, which is the tree called `tree`, visible under that name.
    fn reveal(&self, draft: &str, tree: &str) -> Result<(), ChangeError> {
        match self.store.kind(tree)? {
            None => Ok(self.store.rename(draft, tree, Goal::Empty)?),
            // Somebody else brought it meanwhile.
            Some(_) if self.holds(tree) => Ok(self.store.remove(draft)?),
            // There is one that is not what it is called: the sound one comes.
            Some(_) => self.put_aside(draft, tree),
        }
    }

    /// Whether something else than the tree is called `tree`: somebody changed it.
    pub(crate) fn is_edited(&self, tree: &str) -> Result<bool, DiskError> {
        Ok(is_digest(tree) && self.store.kind(tree)?.is_some() && !self.holds(tree))
    }

    /// Gives what is called `tree` and is something else the name of what it is, and notes it. None
    /// when nothing, or the tree itself, has that name.
    pub(crate) fn call_by_its_digest(
        &self,
        tree: &str,
        _turn: &Turn,
    ) -> Result<Option<String>, ChangeError> {
        if !self.is_edited(tree)? {
            return Ok(None);
        }
        let digest = self.note_found(tree)?;
        match self.holds(&digest) {
            true => self.store.remove(tree)?,
            false => self.store.rename(tree, &digest, Goal::Empty)?,
        }
        self.store.sync()?;
        Ok(Some(digest))
    }

    /// Notes what is called `tree` as something somebody wrote, and gives its own digest.
    fn note_found(&self, tree: &str) -> Result<String, ChangeError> {
        let found = read_tree(&self.path(tree)).map_err(|error| ChangeError::Unkept {
            name: self.path(tree).to_string_lossy().into_owned(),
            reason: error.to_string(),
        })?;
        let digest = hex(&found.digest());
        replaced::note(&self.home, &digest, &self.path(tree))?;
        Ok(digest)
    }

    /// Puts the draft where something else is called `tree`, and keeps that under its own digest:
    /// somebody wrote it. It is read and noted before anything moves, so that what cannot be kept
    /// stays where it is.
    fn put_aside(&self, draft: &str, tree: &str) -> Result<(), ChangeError> {
        let digest = self.note_found(tree)?;
        if self.store.kind(&digest)?.is_none() {
            // Under a name that stays, both change places: at no moment has what was written only
            // the name of a draft, which the next collection sweeps away.
            self.store.rename(draft, &digest, Goal::Empty)?;
            return Ok(self.store.rename(&digest, tree, Goal::Exchanged)?);
        }
        self.store.rename(draft, tree, Goal::Exchanged)?;
        // One tree less is not what it is called, so this comes to an end.
        self.reveal(draft, &digest)
    }

    /// Clears a staged tree away that is not wanted after all.
    pub(crate) fn discard(&self, arriving: &Arriving) {
        if let Some(draft) = &arriving.draft {
            // What is left is cleared away by the next collection.
            let _ = self.store.remove(draft);
        }
    }

    /// Whether there is a sound copy of the tree.
    pub(crate) fn holds(&self, tree: &str) -> bool {
        read_tree(&self.path(tree)).is_ok_and(|found| hex(&found.digest()) == tree)
    }

    /// Where the tree is, or would be.
    pub(crate) fn path(&self, tree: &str) -> PathBuf {
        self.store.path().join(tree)
    }

    /// The digests of the trees that are there.
    pub(crate) fn trees(&self) -> Result<Vec<String>, DiskError> {
        let mut names = self.store.names()?;
        names.retain(|name| is_digest(name));
        Ok(names)
    }

    /// Removes a tree: out of sight by one rename, then file by file.
    pub(crate) fn remove(&self, tree: &str, _turn: &Turn) -> Result<(), DiskError> {
        let me = Owner::this();
        let doomed = format!("{DRAFT}{}-{}-gone-{tree}", me.pid, me.start);
        self.store.rename(tree, &doomed, Goal::Empty)?;
        self.store.remove(&doomed)
    }

    /// Removes what was left behind by processes that are gone; gives how many things that was.
    pub(crate) fn sweep(&self, _turn: &Turn) -> Result<usize, DiskError> {
        let left = self.left_behind()?;
        for name in &left {
            self.store.remove(name)?;
        }
        Ok(left.len())
    }

    /// The names of what was left behind by processes that are gone.
    pub(crate) fn left_behind(&self) -> Result<Vec<String>, DiskError> {
        let is_left = |name: &String| {
            let Some(rest) = name.strip_prefix(DRAFT) else { return false };
            let mut parts = rest.split('-');
            let pid = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
            let start = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
            !Owner { pid, start, ..Owner::this() }.is_alive()
        };
        let mut names = self.store.names()?;
        names.retain(is_left);
        Ok(names)
    }
}

/// Reads the whole of `directory` for its digest.
pub(crate) fn read_tree(directory: &Path) -> Result<Tree, TreeError> {
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
    store.tree(&Location { root: RootId(0), path: Path::new("").into() })
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
