//! What other agents would make of the same directories: where each looks, who wins, what happens
//! to the loser. Documented behaviour as data, so that `why --as` can answer for them.

use crate::discover::{Discovery, Found};
use crate::layer::{Layer, Root};

use super::Places;

/// How one agent resolves skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    /// The agent's id in the table.
    pub agent: &'static str,
    /// Its directories, the one that wins first.
    pub sources: &'static [Source],
    /// What it does with two skills of one name.
    pub clash: Clash,
    /// Whether it leaves out the project's skills until the folder is trusted.
    pub skips_untrusted: bool,
    /// What this answer does not know, in a sentence; empty when it knows it all.
    pub caveat: &'static str,
}

/// One directory an agent reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its place: smaller wins; between equal ones the path decides.
    pub rank: u16,
    /// Whose it is.
    pub layer: Layer,
    /// The directory, written as in [`super::Agent`].
    pub directory: &'static str,
    /// Whether the agent looks only at immediate subdirectories.
    pub immediate_only: bool,
}

/// What an agent does with two skills of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// It takes the first and hides the others.
    FirstWins,
    /// It lists all of them, and a plain name means the first.
    KeepsAll,
}

impl Emulation {
    /// Every agent whose resolution is known.
    pub const ALL: &[Self] = &[CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, GOOSE];

    /// The candidates of a discovery over [`roots_for`] in the order this agent prefers them.
    #[must_use]
    pub fn order<'a>(&self, discovery: &'a Discovery) -> Vec<&'a Found> {
        let mut order: Vec<&Found> = discovery.found.iter().collect();
        order.sort_by_cached_key(|found| {
            let root = discovery.roots.get(usize::from(found.root.0));
            let rank = root.map_or(u16::MAX, |root| root.client_order);
            (rank, discovery.directory(found))
        });
        order
    }
}

/// The roots an agent would search, the one that wins first, each directory once.
#[must_use]
pub fn roots_for(emulation: &Emulation, places: &Places) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::new();
    for source in emulation.sources {
        let Some(path) = places.resolve(source.directory) else { continue };
        if roots.iter().any(|root| root.path == path) {
            continue;
        }
        let gated = source.layer == Layer::Project && emulation.skips_untrusted;
        roots.push(Root {
            layer: source.layer,
            path,
            client_order: source.rank,
            immediate_only: source.immediate_only,
            trusted: !gated || places.trusted,
            optional: true,
            within: places.project.clone().filter(|_| source.layer == Layer::Project),
        });
    }
    roots
}

const fn flat(rank: u16, layer: Layer, directory: &'static str) -> Source {
    Source { rank, layer, directory, immediate_only: true }
}

const fn deep(rank: u16, layer: Layer, directory: &'static str) -> Source {
    Source { rank, layer, directory, immediate_only: false }
}

const CLAUDE_CODE: Emulation = Emulation {
    agent: "claude-code",
    sources: &[
        flat(1, Layer::Enterprise, "/etc/claude-code/.claude/skills"),
        flat(2, Layer::Personal, "{CLAUDE_CONFIG_DIR|~/.claude}/skills"),
        flat(3, Layer::Project, ".claude/skills"),
    ],
    clash: Clash::FirstWins,
    skips_untrusted: false,
    caveat: "Skills of plugins and of nested directories stay reachable as `plugin:name` and \
             `directory:name`, and are not looked at here",
};

const CODEX: Emulation = Emulation {
    agent: "codex",
    sources: &[
        deep(1, Layer::Project, ".agents/skills"),
        deep(1, Layer::Project, ".codex/skills"),
        deep(2, Layer::Personal, "~/.agents/skills"),
        deep(2, Layer::Personal, "{CODEX_HOME|~/.codex}/skills"),
        deep(3, Layer::Bundled, "{CODEX_HOME|~/.codex}/skills/.system"),
        deep(4, Layer::Enterprise, "/etc/codex/skills"),
    ],
    clash: Clash::KeepsAll,
    skips_untrusted: false,
    caveat: "Directories between the project's root and the working directory, and plugins, are \
             not looked at here",
};

const GEMINI_CLI: Emulation = Emulation {
    agent: "gemini-cli",
    sources: &[
        flat(1, Layer::Project, ".agents/skills"),
        flat(2, Layer::Project, ".gemini/skills"),
        flat(3, Layer::Personal, "~/.agents/skills"),
        flat(4, Layer::Personal, "~/.gemini/skills"),
    ],
    clash: Clash::FirstWins,
    skips_untrusted: true,
    caveat: "Skills of extensions and built-in ones come after these and are not looked at here",
};

const OPENCODE: Emulation = Emulation {
    agent: "opencode",
    sources: &[
        deep(1, Layer::Project, ".opencode/skills"),
        deep(1, Layer::Project, ".opencode/skill"),
        deep(2, Layer::Personal, "{XDG_CONFIG_HOME|~/.config}/opencode/skills"),
        deep(2, Layer::Personal, "{XDG_CONFIG_HOME|~/.config}/opencode/skill"),
        deep(3, Layer::Project, ".agents/skills"),
        deep(4, Layer::Project, ".claude/skills"),
        deep(5, Layer::Personal, "~/.agents/skills"),
        deep(6, Layer::Personal, "~/.claude/skills"),
    ],
    clash: Clash::FirstWins,
    skips_untrusted: false,
    caveat: "This is the order it intends; it loads concurrently, so with a clash the result may \
             differ from start to start",
};

const GOOSE: Emulation = Emulation {
    agent: "goose",
    sources: &[
        deep(1, Layer::Project, ".goose/skills"),
        deep(2, Layer::Project, ".claude/skills"),
        deep(3, Layer::Project, ".agents/skills"),
        deep(4, Layer::Personal, "~/.agents/skills"),
        deep(5, Layer::Personal, "{XDG_CONFIG_HOME|~/.config}/goose/skills"),
        deep(6, Layer::Personal, "~/.claude/skills"),
        deep(7, Layer::Personal, "{XDG_CONFIG_HOME|~/.config}/agents/skills"),
    ],
    clash: Clash::FirstWins,
    skips_untrusted: false,
    caveat: "Skills of plugins and built-in ones come after these and are not looked at here",
};

#[cfg(test)]
#[path = "emulation_tests.rs"]
mod tests;
