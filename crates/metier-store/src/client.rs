//! The agents people have, and where each keeps its skills: one table, read to find skills where
//! they already are.
//!
//! Pure: where the home and the project are is passed in as [`Places`], and whether a directory
//! exists is the scan's business. Start at [`AGENTS`] and [`default_roots`]; [`Emulation`] says what
//! one agent would make of the same directories.

mod emulation;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use crate::layer::{Layer, Root};

pub use emulation::{Clash, Emulation, Source, roots_for};
pub use table::AGENTS;

/// Where things are on this machine. The command fills it in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The project worked in.
    pub project: Option<PathBuf>,
    /// Whether the user trusts the project's folder.
    pub trusted: bool,
    /// Where programs keep their settings; `.config` in the home when unset.
    pub config_home: Option<PathBuf>,
    /// Where metier keeps its own state.
    pub metier_home: Option<PathBuf>,
    /// The variables agents look at, such as `CODEX_HOME`; see [`variables`].
    pub variables: BTreeMap<String, String>,
}

/// An agent and its directories.
///
/// A directory is written as a person would: `~/.claude/skills` is in the home, `/etc/x` anywhere,
/// `{CODEX_HOME|~/.codex}/skills` under the variable if it is set, and anything else in the
/// project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its id, as typed.
    pub id: &'static str,
    /// Its name.
    pub title: &'static str,
    /// Its directories in a project, its own first.
    pub project: &'static [&'static str],
    /// Its directories of the user, its own first.
    pub personal: &'static [&'static str],
    /// Directories of other agents that it reads too.
    pub also: &'static [&'static str],
    /// Its directories of the organisation.
    pub enterprise: &'static [&'static str],
    /// Paths of which one is there when the agent is, written like directories; none when nothing
    /// tells.
    pub detected: &'static [&'static str],
}

/// Metier's own directories come before every agent's.
const METIER_ORDER: u16 = 1;

/// Places in the order kept for each agent, more than any has directories.
const DIRECTORIES_PER_AGENT: u16 = 8;

/// Every root that is searched when nobody says otherwise: metier's own, then the directories of
/// all agents, each directory once. All are optional. In a project only directories whose name
/// starts with a dot count: `skills` or `data/skills` there may be anything.
#[must_use]
pub fn default_roots(places: &Places) -> Vec<Root> {
    let mut roots = Roots { places, seen: BTreeSet::new(), roots: Vec::new() };
    for layer in [Layer::Enterprise, Layer::Personal, Layer::Project] {
        roots.add(layer, metiers_own(places, layer), METIER_ORDER);
        for (index, agent) in (1u16..).zip(AGENTS) {
            let directories = agent.directories(layer).iter().filter(|d| is_default(layer, d));
            for (offset, directory) in (0u16..).zip(directories) {
                let order = index.saturating_mul(DIRECTORIES_PER_AGENT).saturating_add(offset);
                roots.add(layer, places.resolve(directory), order);
            }
        }
    }
    roots.roots
}

/// The names of all variables the table looks at, sorted.
#[must_use]
pub fn variables() -> Vec<&'static str> {
    let all = AGENTS
        .iter()
        .flat_map(|a| [a.project, a.personal, a.also, a.enterprise, a.detected].concat());
    let names: BTreeSet<_> = all.filter_map(|directory| Some(variable(directory)?.0)).collect();
    names.into_iter().collect()
}

impl Agent {
    /// The agent with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.id == id)
    }

    /// How the agent with this id resolves skills, where that is known.
    #[must_use]
    pub fn profile(id: &str) -> Option<&'static Emulation> {
        Emulation::ALL.iter().find(|emulation| emulation.agent == id)
    }

    /// Its own directories of one layer.
    #[must_use]
    pub fn directories(&self, layer: Layer) -> &'static [&'static str] {
        match layer {
            Layer::Enterprise => self.enterprise,
            Layer::Personal => self.personal,
            Layer::Project => self.project,
            Layer::Plugin | Layer::Bundled => &[],
        }
    }
}

impl Places {
    /// Where a directory of the table is; nowhere when the place it starts from is unknown.
    #[must_use]
    pub fn resolve(&self, directory: &str) -> Option<PathBuf> {
        if let Some((name, default, rest)) = variable(directory) {
            let start = self.variable(name, default)?;
            return Some(if rest.is_empty() { start } else { start.join(rest) });
        }
        if let Some(rest) = directory.strip_prefix("~/") {
            return Some(self.home.as_ref()?.join(rest));
        }
        if directory.starts_with('/') {
            return Some(PathBuf::from(directory));
        }
        Some(self.project.as_ref()?.join(directory))
    }

    /// A variable's directory, or the default's. As the XDG rules have it, a relative path in a
    /// variable counts as none: it would mean another directory wherever one stands.
    fn variable(&self, name: &str, default: &str) -> Option<PathBuf> {
        let set = match name {
            "XDG_CONFIG_HOME" => self.config_home.clone(),
            _ => None,
        };
        let set = set.or_else(|| self.variables.get(name).map(PathBuf::from));
        match set.filter(|path| path.is_absolute()) {
            Some(path) => Some(path),
            None => self.resolve(default),
        }
    }
}

/// Roots in the making, each directory once.
struct Roots<'a> {
    places: &'a Places,
    /// Compared byte by byte, which is several times faster than path by path.
    seen: BTreeSet<OsString>,
    roots: Vec<Root>,
}

impl Roots<'_> {
    fn add(&mut self, layer: Layer, path: Option<PathBuf>, client_order: u16) {
        let Some(path) = path.filter(|path| self.seen.insert(path.as_os_str().to_owned())) else {
            return;
        };
        self.roots.push(Root {
            layer,
            path,
            client_order,
            immediate_only: false,
            trusted: layer != Layer::Project || self.places.trusted,
            optional: true,
            within: self.places.project.clone().filter(|_| layer == Layer::Project),
        });
    }
}

fn metiers_own(places: &Places, layer: Layer) -> Option<PathBuf> {
    match layer {
        Layer::Enterprise => Some(PathBuf::from("/etc/metier/skills")),
        Layer::Personal => Some(places.metier_home.as_ref()?.join("skills")),
        Layer::Project => Some(places.project.as_ref()?.join(".metier/skills")),
        Layer::Plugin | Layer::Bundled => None,
    }
}

fn is_default(layer: Layer, directory: &str) -> bool {
    layer != Layer::Project || directory.starts_with('.')
}

/// The parts of `{NAME|default}/rest`, or of `{NAME|default}` alone.
fn variable(directory: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = directory.strip_prefix('{')?.split_once('|')?;
    let (default, rest) = rest.split_once('}')?;
    Some((name, default, rest.trim_start_matches('/')))
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
