//! Archives on this machine, unpacked entry by entry into a directory of ours.

use std::path::Path;

use crate::fetch::{Fetch, FetchError};

/// Unpacks the archive, has the directory used, and removes it.
pub(crate) fn with_unpacked<T>(
    path: &Path,
    _settings: &Fetch<'_>,
    _then: &mut dyn FnMut(&Path) -> Result<T, FetchError>,
) -> Result<T, FetchError> {
    Err(FetchError::Unsupported { place: path.display().to_string() })
}
