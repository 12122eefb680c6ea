//! One skill, pinned: its name, exactly which content, and every file of it with digest and mode.
//! What a lockfile says of a skill, and what goes through every record of this crate.

use metier_format::SkillName;
use metier_store::digest::{Tree, TreeFile, TreeKind, hex};
use serde::{Deserialize, Serialize};

use crate::copy::{CopyError, text};
use crate::source::{Locked, Signature, Staged};

/// One skill, pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct Pinned {
    /// Its name.
    pub name: SkillName,
    /// Where it is from, exactly.
    pub locked: Locked,
    /// The digest of its tree, hexadecimal.
    pub tree: String,
    /// Its files, sorted by path.
    pub files: Vec<PinnedFile>,
}

/// One file of a pinned skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PinnedFile {
    /// Its path, `/` between components.
    pub path: String,
    /// What it is.
    pub mode: FileMode,
    /// SHA-256 of its bytes, or of a link's target, hexadecimal.
    pub sha256: String,
}

/// What a file is, in the numbers git has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FileMode {
    /// A file.
    #[serde(rename = "100644")]
    File,
    /// A file that can be executed.
    #[serde(rename = "100755")]
    Executable,
    /// A link.
    #[serde(rename = "120000")]
    Link,
}

/// A pinned skill as records write it, without types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) source: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requested: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signer: Option<String>,
    pub(crate) tree: String,
    #[serde(default)]
    pub(crate) files: Vec<PinnedFile>,
}

impl Pinned {
    /// The skill that was fetched, pinned. Fails when a file has a name no record can spell.
    pub fn of(staged: &Staged) -> Result<Self, CopyError> {
        Ok(Self {
            name: staged.name.clone(),
            locked: staged.locked.clone(),
            tree: hex(&staged.tree.digest()),
            files: files_of(&staged.tree)?,
        })
    }

    /// Whether its files are those of its tree, to the byte.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        digest_of(&self.files).as_ref() == Some(&self.tree)
    }

    /// The signer, when the signature names one.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        self.locked.signature.signer()
    }

    /// The first digits of the commit, or else of the tree: enough to tell versions apart.
    #[must_use]
    pub fn short(&self) -> &str {
        let whole = self.locked.commit.as_deref().unwrap_or(&self.tree);
        whole.get(..12).unwrap_or(whole)
    }
}

/// The files of a tree, as records have them.
pub(crate) fn files_of(tree: &Tree) -> Result<Vec<PinnedFile>, CopyError> {
    let file = |file| {
        Ok(PinnedFile {
            path: text(file)?.to_owned(),
            mode: FileMode::of(file.kind),
            sha256: hex(&file.digest),
        })
    };
    tree.files().iter().map(file).collect()
}

/// The digest of the tree that has these files, hexadecimal; none when one of theirs is none.
pub(crate) fn digest_of(files: &[PinnedFile]) -> Option<String> {
    let file = |file: &PinnedFile| {
        Some(TreeFile {
            path: file.path.as_bytes().into(),
            kind: file.mode.kind(),
            // No digest is over sizes.
            size: 0,
            digest: unhex(&file.sha256)?,
        })
    };
    let files = files.iter().map(file).collect::<Option<Vec<_>>>()?;
    Some(hex(&Tree::new(files).digest()))
}

/// What [`hex`] made `text` of.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let (digits, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = digits.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    bytes.try_into().ok()
}

impl FileMode {
    /// The word records have.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
        }
    }

    /// The mode written `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::File, Self::Executable, Self::Link].into_iter().find(|mode| mode.as_str() == word)
    }

    /// What it is in a tree.
    #[must_use]
    pub fn kind(self) -> TreeKind {
        match self {
            Self::File => TreeKind::File,
            Self::Executable => TreeKind::Executable,
            Self::Link => TreeKind::Link,
        }
    }

    /// What `kind` is written as.
    #[must_use]
    pub fn of(kind: TreeKind) -> Self {
        match kind {
            TreeKind::File => Self::File,
            TreeKind::Executable => Self::Executable,
            TreeKind::Link => Self::Link,
        }
    }
}

impl Signature {
    /// The word records and people have for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Good { .. } => "good",
            Self::Unknown { .. } => "unknown",
            Self::Bad => "bad",
        }
    }

    /// Whose it is, when it says.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        match self {
            Self::Good { signer } | Self::Unknown { signer } => Some(signer),
            Self::None | Self::Bad => None,
        }
    }

    /// The signature that these two words stand for.
    pub(crate) fn read(word: Option<&str>, signer: Option<&str>) -> Option<Self> {
        let signer = || signer.map(str::to_owned);
        match word {
            None | Some("none") => Some(Self::None),
            Some("good") => Some(Self::Good { signer: signer()? }),
            Some("unknown") => Some(Self::Unknown { signer: signer()? }),
            Some("bad") => Some(Self::Bad),
            Some(_) => None,
        }
    }
}

impl From<Pinned> for Record {
    fn from(pinned: Pinned) -> Self {
        let signature = &pinned.locked.signature;
        Self {
            name: pinned.name.to_string(),
            signature: (*signature != Signature::None).then(|| signature.as_str().to_owned()),
            signer: signature.signer().map(str::to_owned),
            source: pinned.locked.source,
            path: pinned.locked.path,
            requested: pinned.locked.requested,
            commit: pinned.locked.commit,
            tree: pinned.tree,
            files: pinned.files,
        }
    }
}

impl TryFrom<Record> for Pinned {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        let signature = Signature::read(record.signature.as_deref(), record.signer.as_deref());
        Ok(Self {
            name: SkillName::parse(&record.name).map_err(|error| error.to_string())?,
            locked: Locked {
                source: record.source,
                path: record.path,
                requested: record.requested,
                commit: record.commit,
                signature: signature.ok_or("the signature cannot be read")?,
            },
            tree: record.tree,
            files: record.files,
        })
    }
}

#[cfg(test)]
#[path = "pinned_tests.rs"]
mod tests;
