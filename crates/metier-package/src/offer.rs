//! What fetching asks of a source, whatever it is: a list of what is there, and the content of what
//! was chosen.

use crate::entry::Entry;
use crate::fetch::FetchError;

/// Is given the content of one entry after the other.
pub(crate) type Take<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<(), FetchError>;

/// A source whose content can be had in pieces.
pub(crate) trait Offer {
    /// Everything in it, sorted by path.
    fn entries(&self) -> &[Entry];

    /// Brings the content of these entries near, so that their sizes are known.
    fn prepare(&mut self, wanted: &[usize]) -> Result<(), FetchError>;

    /// Reads these entries, files or links, one after the other.
    fn read(&mut self, wanted: &[usize], take: Take<'_>) -> Result<(), FetchError>;

    /// The directories that are skills, where the source itself says which: a `SKILL.md` anywhere
    /// else makes no skill.
    fn skills(&self) -> Option<&[String]> {
        None
    }
}
