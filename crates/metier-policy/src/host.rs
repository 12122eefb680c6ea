//! What hosts call their tools.
//!
//! `allowed-tools` speaks of `Bash`, `Read`, `Write`; Gemini CLI calls the same things
//! `run_shell_command`, `read_file`, `write_file`. A [`HostTable`] is that translation as data,
//! with the argument fields that hold commands, paths and addresses and the tools a host needs to
//! talk to its user. The built-in tables are in `data/hosts.toml`; settings may add to them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};

use crate::entries::{Entries, Names};

/// The tools of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", from = "HostData", into = "HostData")]
pub struct HostTable {
    /// The host, such as `claude-code`.
    pub name: String,
    /// How the host spells the tools of MCP servers.
    pub mcp: McpSpelling,
    /// The host lets a model type into running programs without showing that to anyone.
    pub unseen_input: bool,
    /// The host has no tool to read files but the shell: a command that only reads is one.
    pub shell_reads: bool,
    /// The names come from several hosts, so none of them means one tool only.
    pub mixed: bool,
    /// Each entry once for each of its names.
    tools: BTreeMap<String, Arc<ToolEntry>>,
}

/// What one tool of a host is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ToolEntry {
    /// The host's names for it, or those that `server` has for it.
    pub names: Vec<String>,
    /// The MCP server whose tool it is; empty for a tool of the host's own.
    pub server: String,
    /// The name `allowed-tools` uses for it; empty when it has none but its own.
    pub is: String,
    /// Argument fields with a shell command.
    pub command: Vec<String>,
    /// Argument fields with files or directories.
    pub paths: Vec<String>,
    /// Argument fields with one address.
    pub urls: Vec<String>,
    /// Argument fields with text that contains addresses.
    pub url_text: Vec<String>,
    /// Argument fields with the directory a command starts in.
    pub directory: Vec<String>,
    /// The host tells none of those fields: where it says nothing, nobody knows the directory.
    pub hides_directory: bool,
    /// Argument fields with a patch.
    pub patch: Vec<String>,
    /// Whether the host or metier itself needs it.
    pub flow: Option<Flow>,
}

/// Tools that keep a conversation going.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flow {
    /// Talks to the user or keeps notes. Never blocked.
    Talk,
    /// Activates, releases or reads skills. No skill's restriction blocks it; policy may.
    Skill,
}

/// How a host names the tools of MCP servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McpSpelling {
    /// `mcp__server__tool`.
    #[default]
    Double,
    /// `mcp_server_tool`, which does not say where the server ends.
    Single,
    /// `server_tool`, which does not even say that it is one.
    Bare,
}

impl McpSpelling {
    /// What the host calls `tool` of `server`.
    pub(crate) fn spell(self, server: &str, tool: &str) -> String {
        match self {
            Self::Double => format!("mcp__{server}__{tool}"),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Bare => format!("{server}_{tool}"),
        }
    }
}

/// The form a table is written in.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct HostData {
    name: String,
    mcp: McpSpelling,
    unseen_input: bool,
    shell_reads: bool,
    mixed: bool,
    tool: Vec<ToolEntry>,
}

/// The built-in tables as the build wrote them.
mod written {
    include!(concat!(env!("OUT_DIR"), "/hosts.rs"));

    pub(super) const TABLES: (&str, &[u32]) = (TEXTS, &ENDS);
    pub(super) const INDEX: (&str, &[u16], &[u16]) = (NAMES, &NAME_ENDS, &OF);
    pub(super) const COUNT: usize = ENDS.len();
}

static READ: [OnceLock<Box<HostTable>>; written::COUNT] =
    [const { OnceLock::new() }; written::COUNT];

const HOSTS: Entries<HostTable> =
    Entries { texts: written::TABLES.0, ends: written::TABLES.1, read: &READ };

const HOST_NAMES: Names =
    Names { texts: written::INDEX.0, ends: written::INDEX.1, of: written::INDEX.2 };

impl HostTable {
    /// The built-in table of a host.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        // Were a table unreadable, which a test excludes, no alias would match, and every restriction
        // would hold.
        HOSTS.get(HOST_NAMES.find(name)?, Self::default)
    }

    /// The table for calls whose host is not said.
    #[must_use]
    pub fn plain() -> &'static Self {
        static NONE: LazyLock<HostTable> = LazyLock::new(HostTable::default);
        Self::named("plain").unwrap_or(&NONE)
    }

    /// The names of the built-in tables.
    pub fn known() -> impl Iterator<Item = &'static str> {
        (0..written::COUNT).filter_map(|at| HOST_NAMES.of(at))
    }

    /// This table with the tools of `more`, which win where both know a name.
    #[must_use]
    pub fn extended(mut self, more: Self) -> Self {
        self.tools.extend(more.tools);
        self
    }

    /// This table with tools of metier's own, which stay usable under any skill's restriction.
    #[must_use]
    pub fn with_skill_tools<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        for name in names {
            let entry = ToolEntry {
                names: vec![name.to_owned()],
                flow: Some(Flow::Skill),
                ..ToolEntry::default()
            };
            self.tools.insert(name.to_lowercase(), Arc::new(entry));
        }
        self
    }

    /// This table for a call of `tool` that does nothing but activate or read skills, though the tool
    /// could do more.
    #[must_use]
    pub fn where_skill_tool(mut self, tool: &str) -> Self {
        let name = tool.to_lowercase();
        let known = self.tools.get(&name).map(|entry| ToolEntry::clone(entry)).unwrap_or_default();
        let entry = ToolEntry { flow: known.flow.or(Some(Flow::Skill)), ..known };
        self.tools.insert(name, Arc::new(entry));
        self
    }

    /// This table with one tool more, which wins where its names are known.
    #[must_use]
    pub fn with_tool(self, tool: ToolEntry) -> Self {
        let more = HostData { tool: vec![tool], mcp: self.mcp, ..HostData::default() };
        self.extended(more.into())
    }

    /// Every tool of the table, once for each of its names.
    pub fn tools(&self) -> impl Iterator<Item = &ToolEntry> {
        self.tools.values().map(Arc::as_ref)
    }

    /// What the host knows about a tool, by its name in lowercase.
    #[must_use]
    pub fn tool(&self, lowercase: &str) -> Option<&ToolEntry> {
        self.tools.get(lowercase).map(Arc::as_ref)
    }

    /// The name `allowed-tools` uses for a tool, in lowercase: the tool's own name when there is
    /// no other.
    #[must_use]
    pub fn canonical<'n>(&'n self, lowercase: &'n str) -> &'n str {
        let is = self.tool(lowercase).map_or("", |tool| tool.is.as_str());
        if is.is_empty() { lowercase } else { is }
    }
}

impl From<HostData> for HostTable {
    fn from(mut data: HostData) -> Self {
        let mut tools = BTreeMap::new();
        for mut entry in std::mem::take(&mut data.tool) {
            entry.is = entry.is.to_lowercase();
            let entry = Arc::new(entry);
            for name in &entry.names {
                let name = match entry.server.as_str() {
                    "" => name.to_lowercase(),
                    server => data.mcp.spell(server, name).to_lowercase(),
                };
                tools.insert(name, Arc::clone(&entry));
            }
        }
        let HostData { name, mcp, unseen_input, shell_reads, mixed, .. } = data;
        Self { name, mcp, unseen_input, shell_reads, mixed, tools }
    }
}

impl From<HostTable> for HostData {
    fn from(mut table: HostTable) -> Self {
        let mut tool: Vec<ToolEntry> = Vec::new();
        for entry in std::mem::take(&mut table.tools).into_values() {
            if !tool.contains(&entry) {
                tool.push(Arc::unwrap_or_clone(entry));
            }
        }
        let HostTable { name, mcp, unseen_input, shell_reads, mixed, .. } = table;
        Self { name, mcp, unseen_input, shell_reads, mixed, tool }
    }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
