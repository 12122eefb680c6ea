//! The name git gives to a directory: SHA-1 over its listing, as other tools write it down. Only to
//! hold a directory against such a record; nothing is trusted because of it.

use std::collections::BTreeMap;

use metier_store::digest::{Tree, TreeKind, hex};

use crate::atomic::{DiskError, Folder};

/// The git name of what is in `folder`, whose files `tree` lists.
pub(crate) fn name(folder: &Folder, tree: &Tree) -> Result<String, DiskError> {
    let mut root = Node::default();
    for file in tree.files() {
        let path = String::from_utf8_lossy(&file.path).into_owned();
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let inside = if parent.is_empty() { None } else { Some(folder.find_beneath(parent)?) };
        let inside = inside.as_ref().unwrap_or(folder);
        let (mode, bytes) = match file.kind {
            TreeKind::Link => {
                let target = inside.target(name)?.unwrap_or_default();
                ("120000", target.into_os_string().into_encoded_bytes())
            }
            TreeKind::Executable => ("100755", read(inside, name)?),
            TreeKind::File => ("100644", read(inside, name)?),
        };
        root.add(&path, mode, object("blob", &bytes));
    }
    Ok(hex(&root.name()))
}

fn read(folder: &Folder, name: &str) -> Result<Vec<u8>, DiskError> {
    Ok(folder.read(name, crate::limits::MAX_FILE_BYTES)?.unwrap_or_default())
}

/// One directory. Git sorts as if the names of directories ended in a slash.
#[derive(Default)]
struct Node {
    files: BTreeMap<String, (&'static str, [u8; 20])>,
    folders: BTreeMap<String, Node>,
}

impl Node {
    fn add(&mut self, path: &str, mode: &'static str, name: [u8; 20]) {
        match path.split_once('/') {
            Some((first, rest)) => {
                self.folders.entry(first.to_owned()).or_default().add(rest, mode, name);
            }
            None => drop(self.files.insert(path.to_owned(), (mode, name))),
        }
    }

    fn name(&self) -> [u8; 20] {
        let mut lines: BTreeMap<String, (&str, &str, [u8; 20])> = BTreeMap::new();
        for (name, (mode, object)) in &self.files {
            lines.insert(name.clone(), (mode, name, *object));
        }
        for (name, folder) in &self.folders {
            lines.insert(format!("{name}/"), ("40000", name, folder.name()));
        }
        let mut listing = Vec::new();
        for (mode, name, object) in lines.values() {
            listing.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            listing.extend_from_slice(object);
        }
        object("tree", &listing)
    }
}

fn object(kind: &str, bytes: &[u8]) -> [u8; 20] {
    let mut whole = format!("{kind} {}\0", bytes.len()).into_bytes();
    whole.extend_from_slice(bytes);
    sha1(&whole)
}

/// SHA-1, as FIPS 180-4 has it.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words: Vec<u32> = block
            .chunks_exact(4)
            .map(|four| four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .collect();
        for at in 16..80 {
            let back = |n: usize| words.get(at - n).copied().unwrap_or(0);
            let word = (back(3) ^ back(8) ^ back(14) ^ back(16)).rotate_left(1);
            words.push(word);
        }
        let mut turning = state;
        for (at, word) in words.iter().enumerate() {
            turning = round(turning, at, *word);
        }
        for (sum, more) in state.iter_mut().zip(turning) {
            *sum = sum.wrapping_add(more);
        }
    }
    let mut digest = [0; 20];
    for (four, word) in digest.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn round([a, b, c, d, e]: [u32; 5], at: usize, word: u32) -> [u32; 5] {
    let (mixed, constant) = match at {
        0..20 => ((b & c) | (!b & d), 0x5a82_7999),
        20..40 => (b ^ c ^ d, 0x6ed9_eba1),
        40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc_u32),
        _ => (b ^ c ^ d, 0xca62_c1d6),
    };
    let first = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
    let first = first.wrapping_add(constant).wrapping_add(word);
    [first, a, b.rotate_left(30), c, d]
}

#[cfg(test)]
#[path = "git_tree_tests.rs"]
mod tests;
