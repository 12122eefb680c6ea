//! Lists a page at a time. A cursor names the last entry of the page before, so that a list that
//! changes meanwhile repeats nothing and skips nothing that stays.

use super::sdk::ErrorData;
use crate::limits::PAGE;

const PREFIX: &str = "after:";

/// The entries after `cursor`, at most a page, and the cursor of the next page.
pub(super) fn page<'a, T>(
    entries: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &'a str,
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let after = match cursor {
        None => None,
        Some(cursor) => Some(cursor.strip_prefix(PREFIX).ok_or_else(invalid)?),
    };
    let mut rest = entries.filter(|entry| after.is_none_or(|after| name(entry) > after));
    let page: Vec<T> = rest.by_ref().take(PAGE).collect();
    let next = match (page.last(), rest.next()) {
        (Some(last), Some(_)) => Some(format!("{PREFIX}{}", name(last))),
        _ => None,
    };
    Ok((page, next))
}

fn invalid() -> ErrorData {
    ErrorData::invalid_params("this cursor was not given out here", None)
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
