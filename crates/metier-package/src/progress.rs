//! What a person who waits is told. The words are data; how they look is the command's business.

use std::time::Duration;

/// Somebody who is told what is going on.
pub trait Progress {
    /// Something began or went on.
    fn step(&mut self, step: Step<'_>);
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A server is asked which commit a reference is.
    Resolving {
        /// Where.
        source: &'a str,
    },
    /// Content is being brought here.
    Fetching {
        /// From where.
        source: &'a str,
    },
    /// So much has arrived since the fetching began.
    Received {
        /// Bytes.
        bytes: u64,
    },
    /// What failed may pass by itself, and is tried again.
    Retrying {
        /// What failed.
        reason: &'a str,
        /// How long is waited before.
        after: Duration,
    },
    /// A skill's files are checked and written where nobody sees them yet.
    Staging {
        /// The skill.
        skill: &'a str,
        /// How many files.
        files: usize,
        /// Bytes of all of them.
        bytes: u64,
    },
    /// A signature or a digest is checked.
    Verifying {
        /// The skill or source.
        what: &'a str,
    },
    /// A skill is put where it is seen.
    Installing {
        /// The skill.
        skill: &'a str,
    },
}

/// How the parts of a fetch tell, which never do so at the same time.
pub(crate) type Tell<'a> = &'a dyn Fn(Step<'_>);

/// Somebody who does not want to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _step: Step<'_>) {}
}
