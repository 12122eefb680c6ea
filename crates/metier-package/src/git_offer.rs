//! A commit's tree as a source: listed without its content, which is brought when it is wanted.

use crate::entry::{Entry, Kind};
use crate::fetch::FetchError;
use crate::git::repository::Repository;
use crate::limits::SMALL_REPOSITORY_FILES;
use crate::offer::{Offer, Take};

/// The tree of a commit, or of a directory in it.
pub(crate) struct GitOffer<'a, 'r> {
    repository: &'a Repository<'r>,
    commit: String,
    entries: Vec<Entry>,
    /// The objects' ids, in the order of the entries.
    ids: Vec<String>,
    /// Whether the content is here and its size known, likewise.
    here: Vec<bool>,
}

impl<'a, 'r> GitOffer<'a, 'r> {
    pub(crate) fn open(
        repository: &'a Repository<'r>,
        commit: &str,
        path: &str,
    ) -> Result<Self, FetchError> {
        let (entries, ids): (Vec<Entry>, Vec<String>) =
            repository.list(commit, path)?.into_iter().unzip();
        let here = vec![false; ids.len()];
        let mut offer = Self { repository, commit: commit.to_owned(), entries, ids, here };
        if offer.entries.len() <= SMALL_REPOSITORY_FILES {
            let all: Vec<usize> = (0..offer.entries.len()).collect();
            offer.prepare(&all)?;
        }
        Ok(offer)
    }

    fn is_content(&self, index: usize) -> bool {
        let kind = self.entries.get(index).map(|entry| &entry.kind);
        matches!(kind, Some(Kind::File { .. } | Kind::Link(_)))
    }
}

impl Offer for GitOffer<'_, '_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn prepare(&mut self, wanted: &[usize]) -> Result<(), FetchError> {
        let is_new = |index: &&usize| self.here.get(**index) == Some(&false);
        let new: Vec<usize> =
            wanted.iter().filter(is_new).copied().filter(|i| self.is_content(*i)).collect();
        let ids: Vec<String> =
            new.iter().filter_map(|index| self.ids.get(*index).cloned()).collect();
        let sizes = self.repository.bring_content(&self.commit, &ids)?;
        for (index, size) in new.into_iter().zip(sizes) {
            if let (Some(entry), Some(here)) =
                (self.entries.get_mut(index), self.here.get_mut(index))
            {
                entry.size = size;
                *here = true;
            }
        }
        Ok(())
    }

    fn read(&mut self, wanted: &[usize], take: Take<'_>) -> Result<(), FetchError> {
        let facts =
            |index: &usize| Some((self.ids.get(*index)?.as_str(), self.entries.get(*index)?.size));
        let objects: Vec<(&str, u64)> = wanted.iter().filter_map(facts).collect();
        self.repository.read(&objects, &mut |nth, bytes| {
            let index = wanted.get(nth).copied().unwrap_or(usize::MAX);
            take(index, bytes)
        })
    }
}
