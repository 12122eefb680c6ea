//! Skills that one of the user's indexes lists by the digest of a file: the index is asked what the
//! file is now, once a command, and nothing is taken from the file's server that it does not vouch for.

use std::collections::BTreeMap;

use metier_format::text::visible_line;
use metier_package::index::{self, Contents, Index, Listed};
use metier_package::reference::site;
use metier_package::{Fetched, Pinned, Reference, Select};

use super::{Fetching, fetch_error, index_error};
use crate::error::CommandError;

/// What each index said that was asked, by its name: its contents, or why there are none.
pub(super) type Asked = BTreeMap<String, Result<Contents, (&'static str, String)>>;

impl Fetching {
    /// The skill as an index lists it now; none when no index lists it. An index that lists it no
    /// more, or cannot be asked, is an error: what its server has is then nobody's word.
    pub(crate) fn vouched(&self, pinned: &Pinned) -> Result<Option<Listed>, CommandError> {
        for index in &self.indexes {
            let known = index::cached(&self.home, index).map_err(index_error)?;
            if known.as_ref().and_then(|known| listing(known, pinned)).is_none() {
                continue;
            }
            let name = visible_line(&index.name).into_owned();
            let contents = self.asked_anew(index, known.as_ref()).map_err(|(code, why)| {
                let message = format!("the index `{name}` cannot be asked: {why}");
                CommandError::failed(message).code(code)
            })?;
            let listed = listing(&contents, pinned).cloned();
            let gone = || {
                let message = format!("the index `{name}` does not list it any more");
                CommandError::failed(message).code("not_listed")
            };
            return listed.ok_or_else(gone).map(Some);
        }
        Ok(None)
    }

    /// Fetches a skill anew that has no commits, held against what an index says where one lists it.
    pub(crate) fn anew(
        &self,
        pinned: &Pinned,
        reference: &Reference,
    ) -> Result<Fetched, CommandError> {
        match self.vouched(pinned)? {
            Some(listed) => self.listed(&listed).map_err(index_error),
            None => self.fetch(reference, Select::AtPath).map_err(fetch_error),
        }
    }

    fn asked_anew(
        &self,
        index: &Index,
        known: Option<&Contents>,
    ) -> Result<Contents, (&'static str, String)> {
        if let Some(asked) = self.asked.borrow().get(&index.name) {
            return asked.clone();
        }
        // Not kept: what was listed before is how the next skill of it is known.
        let asked = self.index(index, known).map_err(|error| {
            let error = index_error(error);
            (error.code.unwrap_or("fetch_failed"), error.message())
        });
        self.asked.borrow_mut().insert(index.name.clone(), asked.clone());
        asked
    }
}

/// The entry that is about an installed skill: the file it is from, or one of its name at the same
/// site, where each version has an address of its own.
fn listing<'a>(contents: &'a Contents, pinned: &Pinned) -> Option<&'a Listed> {
    let source = &pinned.locked.source;
    let here = site(source)?;
    let mut files = contents.skills.iter().filter(|listed| listed.digest.is_some());
    files.find(|listed| {
        listed.name == pinned.name.as_str()
            && (listed.reference == *source || site(&listed.reference).as_ref() == Some(&here))
    })
}

#[cfg(test)]
#[path = "vouched_tests.rs"]
mod tests;
