//! What can be wrong with a package before anybody looks at what it says: names that lie, links that
//! leave, amounts that drown. One table of codes for archives, git trees and directories.

/// Why a package, or one skill of it, is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hazard {
    /// A path goes up.
    #[error("the path goes up with `..`")]
    Traversal,
    /// A path does not start inside the package.
    #[error("the path is absolute")]
    Absolute,
    /// A path has a component that says nothing.
    #[error("the path has an empty component or `.` in it")]
    Empty,
    /// A separator of another system, or what names a drive or stream there.
    #[error("the name contains `{0}`, which some systems do not take as part of a name")]
    Unportable(char),
    /// A control character.
    #[error("the name contains the control character U+{:04X}", *.0 as u32)]
    Control(char),
    /// A character nobody sees, or one that changes the direction of text.
    #[error("the name contains the hidden character U+{:04X}", *.0 as u32)]
    Hidden(char),
    /// Bytes that are not text.
    #[error("the name is not UTF-8")]
    NotText,
    /// A name Windows keeps for a device.
    #[error("`{0}` is the name of a device on Windows")]
    Reserved(String),
    /// A dot or a space at the end, which Windows drops.
    #[error("the name ends in a dot or a space")]
    TrailingDot,
    /// A name or path that is too long.
    #[error("the path is longer than {0} bytes")]
    TooLong(usize),
    /// Too many directories inside each other.
    #[error("more than {0} directories inside each other")]
    TooDeep(usize),
    /// `.git` in any spelling some system takes for it.
    #[error("`{0}` is, or is taken for, a git directory")]
    GitDirectory(String),
    /// A name a program would take for an option.
    #[error("the name starts with `-` and would be taken for an option")]
    OptionLike,

    /// The same path twice.
    #[error("the path is there twice")]
    Duplicate,
    /// Two names that differ in case only.
    #[error("the name differs from `{0}` in case only")]
    CaseCollision(String),
    /// Two names that some systems take for the same.
    #[error("the name and `{0}` are the same text written with other characters")]
    FormCollision(String),
    /// A file where another entry needs a directory.
    #[error("`{0}` is both a file and a directory")]
    FileAndDirectory(String),

    /// A link out of the package.
    #[error("the link leads out, to `{0}`")]
    LinkLeaves(String),
    /// A link to what is no file of the same skill.
    #[error("the link leads to `{0}`, which is no file of the skill")]
    LinkToNoFile(String),
    /// A hard link.
    #[error("it is a hard link")]
    HardLink,
    /// A device, fifo or socket.
    #[error("it is a {0}, neither file nor directory")]
    Special(&'static str),
    /// A file that runs as somebody else.
    #[error("the file has the set-user or set-group bit")]
    SetUser,
    /// Another repository inside this one.
    #[error("it is a submodule")]
    Submodule,
    /// A directory that git takes for a repository, with settings that run programs.
    #[error("the directory `{0}` is laid out as a git repository")]
    BareRepository(String),

    /// Too many files.
    #[error("more than {0} files and directories")]
    TooMany(usize),
    /// A file that is too large.
    #[error("the file has {size} bytes; the limit is {limit}")]
    FileTooLarge {
        /// Bytes it has, as far as is known.
        size: u64,
        /// Bytes it may have.
        limit: u64,
    },
    /// All files together are too large.
    #[error("all files together have more than {0} bytes")]
    TooLarge(u64),
    /// Content that unpacks to far more than any content does.
    #[error("it unpacks to more than {0} times its size")]
    Bomb(u64),

    /// An archive that cannot be read as one.
    #[error("the archive is damaged: {0}")]
    Malformed(String),
    /// A file that needs a password.
    #[error("the file is encrypted")]
    Encrypted,
    /// Two files of an archive that share bytes.
    #[error("files of the archive overlap")]
    Overlap,
    /// An archive whose two descriptions of a file differ.
    #[error("the archive describes the file in two different ways")]
    HeadersDisagree,
    /// Bytes that belong to no file of the archive.
    #[error("the archive holds bytes that belong to no file")]
    Trailing,
    /// A feature of archives that nobody needs for a skill.
    #[error("the archive uses {0}, which is not read")]
    Unsupported(String),
    /// Objects that git itself refuses.
    #[error("git refuses its content: {0}")]
    RefusedByGit(String),

    /// A `SKILL.md` that cannot be loaded.
    #[error("{0}")]
    Manifest(String),
    /// One name for two different skills.
    #[error("`{0}` is also the name of another skill in this source")]
    SameName(String),
    /// A name that cannot be a directory's.
    #[error("a skill called `{name}` cannot be installed: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// What a server says of a skill cannot be believed.
    #[error("{0}")]
    Claim(String),
}

impl Hazard {
    /// The stable code. Codes are never reused.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Traversal => "PK101",
            Self::Absolute => "PK102",
            Self::Empty => "PK103",
            Self::Unportable(_) => "PK104",
            Self::Control(_) => "PK105",
            Self::Hidden(_) => "PK106",
            Self::NotText => "PK107",
            Self::Reserved(_) => "PK108",
            Self::TrailingDot => "PK109",
            Self::TooLong(_) => "PK110",
            Self::TooDeep(_) => "PK111",
            Self::GitDirectory(_) => "PK112",
            Self::OptionLike => "PK113",
            Self::Duplicate => "PK201",
            Self::CaseCollision(_) => "PK202",
            Self::FormCollision(_) => "PK203",
            Self::FileAndDirectory(_) => "PK204",
            Self::LinkLeaves(_) => "PK301",
            Self::LinkToNoFile(_) => "PK302",
            Self::HardLink => "PK303",
            Self::Special(_) => "PK304",
            Self::SetUser => "PK305",
            Self::Submodule => "PK306",
            Self::BareRepository(_) => "PK307",
            Self::TooMany(_) => "PK401",
            Self::FileTooLarge { .. } => "PK402",
            Self::TooLarge(_) => "PK403",
            Self::Bomb(_) => "PK404",
            Self::Malformed(_) => "PK501",
            Self::Encrypted => "PK502",
            Self::Overlap => "PK503",
            Self::HeadersDisagree => "PK504",
            Self::Trailing => "PK505",
            Self::Unsupported(_) => "PK506",
            Self::RefusedByGit(_) => "PK507",
            Self::Manifest(_) => "PK601",
            Self::SameName(_) => "PK602",
            Self::Name { .. } => "PK603",
            Self::Claim(_) => "PK604",
        }
    }
}

/// A hazard and the path it was met at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {hazard}")]
pub struct At {
    /// The path as it can be shown.
    pub path: String,
    /// What is wrong there.
    pub hazard: Hazard,
}

impl Hazard {
    /// This hazard at a path, made fit to be shown.
    pub(crate) fn at(self, path: &[u8]) -> At {
        At { path: shown(path), hazard: self }
    }
}

/// Bytes of a name as they can be shown: text, with everything that could act on a terminal escaped
/// and a very long name cut.
pub(crate) fn shown(path: &[u8]) -> String {
    const LONGEST: usize = 120;
    let text = String::from_utf8_lossy(path);
    let cut: String = text.chars().take(LONGEST).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", metier_format::text::visible_line(&cut))
}

#[cfg(test)]
#[path = "hazard_tests.rs"]
mod tests;
