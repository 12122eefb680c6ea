//! SHA-256 of bytes and of whole trees, and a quick sum for what is only remembered. Pure: who reads the files is not decided here.
//!
//! # The digest of a tree
//!
//! SHA-256 over the text `metier-tree-1` and a line feed, followed for each file, sorted by the
//! bytes of its path, by
//!
//! 1. one byte: `f` for a file, `x` for a file with any execute bit, `l` for a link;
//! 2. the length of its path in bytes, as eight bytes, the least significant first;
//! 3. its path relative to the tree, `/` between components;
//! 4. SHA-256 of its bytes, or of a link's target, as 32 bytes.
//!
//! Every part has a length that is fixed or stands before it, so no two trees give the same bytes.
//! Everything in the directory takes part, hidden files and version control's included: what can
//! be run can be approved only as it is. Empty directories, owners and times do not.

use sha2::{Digest as _, Sha256};

use crate::limits::MAX_LINKS;

/// Bytes of a [`checksum`].
pub const CHECKSUM_BYTES: usize = 8;

/// A whole directory tree: what each file is and holds.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: Vec<TreeFile>,
    /// Where links lead, sorted by their paths; empty where nobody said.
    links: Vec<TreeLink>,
}

/// Where a link of a tree leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeLink {
    /// Its path relative to the tree, as in [`TreeFile`].
    pub path: Box<[u8]>,
    /// The text it holds.
    pub target: Box<[u8]>,
}

impl PartialEq for Tree {
    /// Where links lead is in the digests of the files already.
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for Tree {}

/// One file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path relative to the tree, `/` between components. Names on disk are bytes.
    pub path: Box<[u8]>,
    /// What it is.
    pub kind: TreeKind,
    /// Bytes it holds.
    pub size: u64,
    /// SHA-256 of them.
    pub digest: [u8; 32],
}

/// What a file of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// A file without an execute bit.
    File,
    /// A file with any execute bit.
    Executable,
    /// A link, whose target's text is what it holds. It is not followed.
    Link,
}

impl Tree {
    /// The tree of these files, in any order.
    #[must_use]
    pub fn new(mut files: Vec<TreeFile>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files, links: Vec::new() }
    }

    /// The same with what its links lead to, in any order.
    #[must_use]
    pub fn with_links(mut self, mut links: Vec<TreeLink>) -> Self {
        links.sort();
        self.links = links;
        self
    }

    /// The files, sorted by the bytes of their paths.
    #[must_use]
    pub fn files(&self) -> &[TreeFile] {
        &self.files
    }

    /// Where the link at `path` leads, as it says itself; none where nobody said.
    #[must_use]
    pub fn target(&self, path: &[u8]) -> Option<&[u8]> {
        let at = self.links.binary_search_by(|link| (*link.path).cmp(path)).ok()?;
        self.links.get(at).map(|link| &*link.target)
    }

    /// The file at `path`, links followed as the system follows them; none when there is none, or a
    /// link leads out of the tree or in a circle. Costs one search, and where links are on the way one
    /// for each component.
    #[must_use]
    pub fn resolve(&self, path: &[u8]) -> Option<&TreeFile> {
        // Nothing lies below a link, so what has this path is reached without one.
        if let Some(file) = self.file(path).filter(|file| file.kind != TreeKind::Link) {
            return Some(file);
        }
        let mut ahead: Vec<&[u8]> = path.rsplit(|byte| *byte == b'/').collect();
        let (mut here, mut followed): (Vec<&[u8]>, usize) = (Vec::new(), 0);
        while let Some(component) = ahead.pop() {
            match component {
                b"" | b"." => continue,
                b".." => {
                    here.pop()?;
                    continue;
                }
                name => here.push(name),
            }
            if let Some(target) = self.target(&here.join(&b'/')) {
                followed += 1;
                if followed > MAX_LINKS || target.starts_with(b"/") {
                    return None;
                }
                here.pop();
                ahead.extend(target.rsplit(|byte| *byte == b'/'));
            }
        }
        self.file(&here.join(&b'/')).filter(|file| file.kind != TreeKind::Link)
    }

    fn file(&self, path: &[u8]) -> Option<&TreeFile> {
        let at = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        self.files.get(at)
    }

    /// The digest of all of it; the module says over what exactly.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"metier-tree-1\n");
        for file in &self.files {
            hash.update([file.kind.letter()]);
            hash.update((file.path.len() as u64).to_le_bytes());
            hash.update(&file.path);
            hash.update(file.digest);
        }
        hash.finalize().into()
    }
}

impl TreeKind {
    fn letter(self) -> u8 {
        match self {
            Self::File => b'f',
            Self::Executable => b'x',
            Self::Link => b'l',
        }
    }
}

/// SHA-256 of `bytes`.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A sum that finds damage: a change of eight bytes that stand together makes another one. It is no
/// proof against anybody, and meant for records that only spare time: whoever can write those can
/// write approvals. A cryptographic digest of what is remembered of a thousand skills would cost as
/// much as looking at their stamps.
#[must_use]
pub fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    // Each step can be undone, so two states that differ stay different.
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    };
    // Four sums side by side: each waits for itself only.
    let (rows, rest) = bytes.as_chunks::<32>();
    let mut lanes = [0u64; 4];
    for row in rows {
        let (words, _) = row.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    let state = lanes.into_iter().fold(bytes.len() as u64, step);
    rest.chunks(8).map(word).fold(state, step).to_le_bytes()
}

/// `digest` as lowercase hexadecimal.
#[must_use]
pub fn hex(digest: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Whether `text` is what [`hex`] makes of a SHA-256.
#[must_use]
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;
