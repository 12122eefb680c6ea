//! Layers and roots: where skills come from, and which layer wins.

use std::path::PathBuf;

use serde::Serialize;

/// The precedence class of a root. A layer is always said by whoever names the root; it is never
/// guessed from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
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

    /// The order called `text`: `default`, `project-first`, or all five layers, first wins,
    /// separated by commas.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "default" => return Some(Self::DEFAULT),
            "project-first" => return Some(Self::PROJECT_FIRST),
            _ => {}
        }
        let layers: Option<Vec<Layer>> = text.split(',').map(|w| Layer::parse(w.trim())).collect();
        let order: [Layer; 5] = layers?.try_into().ok()?;
        Layer::ALL.iter().all(|layer| order.contains(layer)).then_some(Self(order))
    }

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
    /// The project it must lie in, links and all, as long as it is not trusted: a project's link to
    /// somewhere else would have every directory there looked into. None for a root somebody named.
    pub within: Option<PathBuf>,
}

impl Root {
    /// A root somebody named: before all clients, searched whole, required to exist, and trusted
    /// unless it is a project's, for which the caller has to know.
    #[must_use]
    pub fn given(layer: Layer, path: impl Into<PathBuf>) -> Self {
        Self {
            layer,
            path: path.into(),
            client_order: 0,
            immediate_only: false,
            trusted: layer != Layer::Project,
            optional: false,
            within: None,
        }
    }
}

/// A root's index in [`crate::Discovery::roots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootId(pub u16);

#[cfg(test)]
#[path = "layer_tests.rs"]
mod tests;
