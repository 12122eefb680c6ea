//! Lockfiles and approvals in brief: of every skill only what vouching needs, in a file that is read
//! in a fraction of the time. It is derived and may be deleted at any time; it counts only as long as
//! its checksum fits and the file it was made from has the stamp it had then. A file as young as the
//! look at it proves nothing, so nothing is made from it yet.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use metier_store::digest::{checksum, hex, is_digest};
use metier_store::vouch::is_served;

use crate::atomic::Folder;
use crate::limits::MAX_RECORD_BYTES;
use crate::lockfile::Lockfile;
use crate::sorted;
use crate::stamp::{Stamp, cut};
use crate::trust::{Approval, Approvals};

/// What the first line begins with; another one is another format and read as nothing.
const HEADING: &str = "metier-brief-2";

/// What is known of one skill, in brief.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brief {
    /// The digest of its tree, hexadecimal.
    pub(crate) tree: String,
    /// Where it is from.
    pub(crate) source: Option<String>,
    /// Its commit.
    pub(crate) commit: Option<String>,
    /// Who said yes and when, as it is shown.
    pub(crate) approval: Option<String>,
}

/// What is known of many skills, by name or by the key of their directory.
#[derive(Clone, Debug)]
pub(crate) enum Briefs {
    /// As the file itself says it.
    Parsed(BTreeMap<String, Brief>),
    /// As the brief says it.
    Written(Lines),
}

/// A line for each skill, sorted. Nothing is taken apart but what is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// The whole file.
    file: String,
    /// Where the lines begin in it.
    start: usize,
    /// Where the line stands that is probably asked for next: lists ask in order.
    next: Cell<usize>,
}

/// A file, and where its brief is.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    /// The folder of the file.
    pub(crate) folder: PathBuf,
    /// Its name.
    pub(crate) file: &'static str,
    /// The folder of the brief.
    pub(crate) beside: PathBuf,
    /// The brief's name.
    pub(crate) brief: &'static str,
}

/// A brief that is not written yet.
#[derive(Debug)]
pub(crate) struct Fresh {
    folder: PathBuf,
    file: &'static str,
    text: String,
}

impl Briefs {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Parsed(briefs) => briefs.is_empty(),
            Self::Written(lines) => lines.text().is_empty(),
        }
    }

    /// Whether one of them could be of something an MCP server gave.
    pub(crate) fn name_servers(&self) -> bool {
        match self {
            Self::Parsed(briefs) => {
                briefs.values().filter_map(|brief| brief.source.as_deref()).any(is_served)
            }
            Self::Written(lines) => lines.text().contains("mcp"),
        }
    }

    /// What is known of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<Brief> {
        match self {
            Self::Parsed(briefs) => briefs.get(key).cloned(),
            Self::Written(lines) => entry(lines.line(key)?).map(|(_, brief)| brief),
        }
    }

    /// Whether anything is known of `key`.
    pub(crate) fn has(&self, key: &str) -> bool {
        match self {
            Self::Parsed(briefs) => briefs.contains_key(key),
            Self::Written(lines) => lines.line(key).is_some(),
        }
    }

    /// The digest of the tree of `key`.
    pub(crate) fn tree(&self, key: &str) -> Option<&str> {
        match self {
            Self::Parsed(briefs) => briefs.get(key).map(|brief| brief.tree.as_str()),
            Self::Written(lines) => {
                let (_, rest) = cut(lines.line(key)?, b'\t')?;
                cut(rest, b'\t').map(|(tree, _)| tree).filter(|tree| is_digest(tree))
            }
        }
    }
}

impl Lines {
    fn text(&self) -> &str {
        self.file.get(self.start..).unwrap_or_default()
    }

    /// The line of `key`.
    fn line(&self, key: &str) -> Option<&str> {
        let text = self.text();
        let expected = text.get(self.next.get()..).unwrap_or_default();
        if expected.strip_prefix(key).is_some_and(|rest| rest.starts_with('\t'))
            && let Some((line, behind)) = expected.split_once('\n')
        {
            self.next.set(text.len() - behind.len());
            return Some(line);
        }
        let line = sorted::find(text, "\n", key, key_of)?;
        let behind = line.as_ptr().addr() - text.as_ptr().addr() + line.len();
        self.next.set(behind);
        Some(line.trim_end_matches('\n'))
    }
}

impl Default for Briefs {
    fn default() -> Self {
        Self::Parsed(BTreeMap::new())
    }
}

impl Original {
    /// What the file says: by its brief, or else by `parse`, and then perhaps with a brief to be
    /// written. `now` is the time in nanoseconds since 1970.
    pub(crate) fn read(
        &self,
        now: i128,
        parse: impl FnOnce() -> Result<Option<Briefs>, String>,
    ) -> Result<(Option<Briefs>, Option<Fresh>), String> {
        let stamp = self.stamp();
        if let Some(known) = stamp.as_ref().and_then(|stamp| self.known(stamp)) {
            return Ok((Some(known), None));
        }
        let parsed = parse()?;
        let stamp = stamp.filter(|stamp| stamp.is_older_than(now));
        let stamp = stamp.filter(|stamp| self.stamp().as_ref() == Some(stamp));
        let text = stamp.zip(parsed.as_ref()).and_then(|(stamp, briefs)| text(&stamp, briefs));
        let fresh = text.map(|text| Fresh { folder: self.beside.clone(), file: self.brief, text });
        Ok((parsed, fresh))
    }

    /// What the file system says of the file now.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        Stamp::of_file(&Folder::open(&self.folder).ok()?, self.file)
    }

    fn known(&self, stamp: &Stamp) -> Option<Briefs> {
        let folder = Folder::open(&self.beside).ok()?;
        let bytes = folder.read(self.brief, MAX_RECORD_BYTES).ok()??;
        read(String::from_utf8(bytes).ok()?, stamp)
    }
}

impl Fresh {
    /// Writes the brief. Whether that works changes nothing but time.
    pub(crate) fn write(&self) {
        if let Ok(folder) = Folder::open(&self.folder) {
            let _ = folder.replace(self.file, self.text.as_bytes(), 0o600);
        }
    }
}

/// A lockfile in brief.
pub(crate) fn of_lock(lock: &Lockfile) -> Briefs {
    let brief = |pinned: &crate::pinned::Pinned| Brief {
        tree: pinned.tree.clone(),
        source: Some(pinned.locked.source.clone()),
        commit: pinned.locked.commit.clone(),
        approval: None,
    };
    Briefs::Parsed(lock.skills().map(|pinned| (pinned.name.to_string(), brief(pinned))).collect())
}

/// Approvals in brief.
pub(crate) fn of_approvals(approvals: &Approvals) -> Briefs {
    let brief = |approval: &Approval| Brief {
        tree: approval.tree.clone(),
        source: None,
        commit: None,
        approval: Some(approval.shown()),
    };
    let all = approvals.iter().map(|approval| (approval.directory.clone(), brief(approval)));
    Briefs::Parsed(all.collect())
}

/// The file's text; none when a value cannot be spelled in it.
fn text(stamp: &Stamp, briefs: &Briefs) -> Option<String> {
    let Briefs::Parsed(briefs) = briefs else { return None };
    let mut body = format!("{stamp}\n");
    for (key, brief) in briefs {
        let rest = [&brief.source, &brief.commit, &brief.approval];
        let odd = |text: &str| text.is_empty() || text.contains(['\t', '\n', '\r']);
        if odd(key) || rest.iter().any(|value| value.as_deref().is_some_and(odd)) {
            return None;
        }
        let [source, commit, approval] = rest.map(|value| value.as_deref().unwrap_or_default());
        writeln!(body, "{key}\t{}\t{source}\t{commit}\t{approval}", brief.tree).ok()?;
    }
    Some(format!("{HEADING} {}\n{body}", hex(&checksum(body.as_bytes()))))
}

/// What the brief says, when it is whole and made from the file with this stamp.
fn read(file: String, stamp: &Stamp) -> Option<Briefs> {
    let (heading, body) = cut(&file, b'\n')?;
    let sum = heading.strip_prefix(HEADING)?.strip_prefix(' ')?;
    let (first, rest) = cut(body, b'\n')?;
    // The cheap question first: most briefs that do not count are merely old.
    if first != stamp.to_string() || sum != hex(&checksum(body.as_bytes())) {
        return None;
    }
    let start = file.len() - rest.len();
    Some(Briefs::Written(Lines { file, start, next: Cell::new(0) }))
}

fn key_of(line: &str) -> Option<&str> {
    cut(line, b'\t').map(|(key, _)| key)
}

fn entry(line: &str) -> Option<(String, Brief)> {
    let optional = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let (key, rest) = cut(line, b'\t')?;
    let (tree, rest) = cut(rest, b'\t').filter(|(tree, _)| is_digest(tree))?;
    let (source, rest) = cut(rest, b'\t')?;
    let (commit, approval) = cut(rest, b'\t').filter(|(_, last)| !last.contains('\t'))?;
    let brief = Brief {
        tree: tree.to_owned(),
        source: optional(source),
        commit: optional(commit),
        approval: optional(approval),
    };
    Some((key.to_owned(), brief))
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
