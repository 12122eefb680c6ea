//! Layers and roots: where skills come from, and which layer wins.

use std::path::PathBuf;

/// The precedence class of a root. A layer is always said by whoever names the root; it is never
/// guessed from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Given by the organisation.
    Enterprise,
    /// The user's own.
    Personal,
    /// Of the repository worked in.
    Project,
    /// Brought by a plugin.
    Plugin,
    /// Shipped inside metier.
    Bundled,
}

impl Layer {
    /// Every layer, in the default order of precedence.
    pub const ALL: [Self; 5] =
        [Self::Enterprise, Self::Personal, Self::Project, Self::Plugin, Self::Bundled];

    /// The word used on the command line and in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enterprise => "enterprise",
            Self::Personal => "personal",
            Self::Project => "project",
            Self::Plugin => "plugin",
            Self::Bundled => "bundled",
        }
    }

    /// The layer called `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == word)
    }
}

/// Which layer wins. The first layer that has a candidate wins, whatever the priorities below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence(pub [Layer; 5]);

impl Precedence {
    /// Enterprise, personal, project, plugin, bundled: a cloned repository cannot shadow the
    /// user's own skill.
    pub const DEFAULT: Self = Self(Layer::ALL);

    /// Project before personal, as most clients have it. Enterprise still wins.
    pub const PROJECT_FIRST: Self =
        Self([Layer::Enterprise, Layer::Project, Layer::Personal, Layer::Plugin, Layer::Bundled]);

    /// The layer's place: smaller wins.
    #[must_use]
    pub fn rank(&self, layer: Layer) -> usize {
        self.0.iter().position(|l| *l == layer).unwrap_or(self.0.len())
    }
}

impl Default for Precedence {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// One directory that holds skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its layer.
    pub layer: Layer,
    /// The directory, or a name such as `bundled` for a root that is not on disk.
    pub path: PathBuf,
    /// Its place in the client table, smaller first; roots given by hand come before all clients.
    pub client_order: u16,
    /// Whether only immediate subdirectories are skills.
    pub immediate_only: bool,
    /// Whether the user trusts the folder. Only a project root can be untrusted.
    pub trusted: bool,
    /// Whether it is no fault when the directory does not exist (the default roots).
    pub optional: bool,
}

/// A root's index in [`crate::Discovery::roots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootId(pub u16);
