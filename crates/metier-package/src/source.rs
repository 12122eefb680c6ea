//! What is asked for, what exactly that is, and what was fetched: the three values that pass between
//! fetching and installing.

use std::path::PathBuf;

use metier_format::SkillName;
use metier_store::digest::Tree;
use metier_store::vouch::is_served;

/// Exactly which content: what a lockfile says of one skill, its files aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The source in its one canonical spelling, without reference and path: a git URL, an absolute
    /// directory, or an archive's path or URL. Never with a user's password in it.
    pub source: String,
    /// The skill's directory inside the source, `/` between components; empty for the root.
    pub path: String,
    /// The branch, tag or commit that was asked for; none when nobody asked for one.
    pub requested: Option<String>,
    /// The commit, forty or sixty-four hexadecimal digits; none for directories and archives.
    pub commit: Option<String>,
    /// What is known of the commit's or tag's signature.
    pub signature: Signature,
}

impl Locked {
    /// Whether an MCP server gave it.
    #[must_use]
    pub fn is_served(&self) -> bool {
        is_served(&self.source)
    }
}

/// What is known of a signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Signature {
    /// There is none.
    #[default]
    None,
    /// There is one by this signer, and it is good.
    Good {
        /// The key's fingerprint.
        signer: String,
    },
    /// There is one by somebody whose key is not known here.
    Unknown {
        /// The key's fingerprint, as far as it could be read.
        signer: String,
    },
    /// There is one, and it does not fit the content.
    Bad,
}

/// One skill, fetched and invisible: plain files and directories in a staging directory, already
/// checked for everything an archive or a repository can be made to do.
#[derive(Debug)]
pub struct Staged {
    /// Its name, which is also what its directory will be called.
    pub name: SkillName,
    /// Where its files are for now. No link leaves it; it holds no device, fifo or socket.
    pub directory: PathBuf,
    /// What it is exactly.
    pub locked: Locked,
    /// Its files with their digests.
    pub tree: Tree,
}

/// What one reference gave.
#[derive(Debug)]
pub struct Fetched {
    /// The skills found in it, sorted by name.
    pub skills: Vec<Staged>,
    /// Directories that have a `SKILL.md` and are not handed out, each with the reason.
    pub refused: Vec<Refused>,
}

/// A directory with a `SKILL.md` that is not handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The directory inside the source, `/` between components; empty for the root.
    pub path: String,
    /// The stable code of what is wrong; [`Hazard::code`](crate::Hazard::code) has the table.
    pub code: &'static str,
    /// What is wrong, with the file it is wrong with.
    pub reason: String,
}
