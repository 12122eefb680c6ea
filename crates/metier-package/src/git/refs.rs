//! Which commit a name is: a server's list of references, and the choice from it. Pure.

use crate::reference::is_full_id;

/// What a name stands for at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointed {
    /// The object the reference points to: a commit, or a tag that carries a message and perhaps a
    /// signature.
    pub(crate) object: String,
    /// The commit behind it.
    pub(crate) commit: String,
}

/// What to ask a server for to find out what a name stands for. `HEAD` when there is none.
pub(crate) fn patterns(requested: Option<&str>) -> Vec<String> {
    match requested {
        None => vec!["HEAD".to_owned()],
        Some(name) if name.starts_with("refs/") => vec![name.to_owned(), format!("{name}^{{}}")],
        Some(name) => vec![
            format!("refs/tags/{name}"),
            format!("refs/tags/{name}^{{}}"),
            format!("refs/heads/{name}"),
        ],
    }
}

/// The choice: a tag before a branch of the same name, since a branch that hides a tag is nobody's
/// intention but an attacker's.
pub(crate) fn choose(listing: &[u8], requested: Option<&str>) -> Option<Pointed> {
    let lines = lines(listing);
    let id = |name: &str| lines.iter().find(|(_, n)| *n == name).map(|(id, _)| (*id).to_owned());
    let names = patterns(requested);
    let plain = names.iter().filter(|name| !name.ends_with("^{}"));
    plain.into_iter().find_map(|name| {
        let object = id(name)?;
        let commit = id(&format!("{name}^{{}}")).unwrap_or_else(|| object.clone());
        Some(Pointed { object, commit })
    })
}

/// The one commit of a whole list whose id starts like this.
pub(crate) fn abbreviated(listing: &[u8], start: &str) -> Option<Pointed> {
    let lines = lines(listing);
    let mut ids: Vec<&str> =
        lines.iter().map(|(id, _)| *id).filter(|id| id.starts_with(start)).collect();
    ids.sort_unstable();
    ids.dedup();
    match ids.as_slice() {
        [one] => Some(Pointed { object: (*one).to_owned(), commit: (*one).to_owned() }),
        _ => None,
    }
}

/// Whether a name may be the start of a commit's id.
pub(crate) fn is_abbreviation(name: &str) -> bool {
    (7..64).contains(&name.len()) && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn lines(listing: &[u8]) -> Vec<(&str, &str)> {
    let text = std::str::from_utf8(listing).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once('\t')).filter(|(id, _)| is_full_id(id)).collect()
}

#[cfg(test)]
#[path = "refs_tests.rs"]
mod tests;
