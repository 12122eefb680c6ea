//! A tool call, and what it is about: a command, files, an address, a tool of an MCP server.
//!
//! Arguments come from a model. A field that should be text and is not, or that is missing, makes
//! the call unreadable in that respect; it then fits no pattern that asks about its argument.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::host::{Flow, HostTable, ToolEntry};
use crate::shell::Access;

/// A call as the host sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool, by the host's name for it.
    pub tool: String,
    /// Its arguments, normally an object.
    #[serde(default)]
    pub arguments: Value,
    /// The MCP server and tool, where the host says so beside the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpTool>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpTool {
    /// The server.
    pub server: String,
    /// The tool, as the server calls it.
    pub tool: String,
}

/// What a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command for a shell.
    Shell {
        /// The command.
        command: ShellInput,
    },
    /// Looks at files; no path means the tool's own idea of where to look.
    Read {
        /// The files.
        paths: Vec<Target>,
    },
    /// Changes files.
    Write {
        /// The files.
        paths: Vec<Target>,
    },
    /// Fetches from addresses.
    Fetch {
        /// Nothing where the address cannot be read.
        urls: Vec<Option<String>>,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// The server, where the name says it.
        server: Option<String>,
        /// The tool, where the name says it.
        tool: Option<String>,
    },
    /// Anything else.
    Other,
}

/// The command of a shell tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellInput {
    /// Text for a shell.
    Text(String),
    /// Words that are run as they are.
    Words(Vec<String>),
    /// Missing, or neither text nor a list of text.
    Unreadable,
}

/// A file a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The tool a pattern has to allow for it, in lowercase. One patch may add and change files.
    pub tool: String,
    /// The path as given; nothing where it cannot be read.
    pub path: Option<String>,
}

/// A call with the host's names translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Understood {
    /// The tool's own name, in lowercase.
    pub(crate) native: String,
    /// The name `allowed-tools` uses, in lowercase.
    pub(crate) canonical: String,
    /// What it is about.
    pub(crate) kind: Kind,
    /// The directory it asks to start in; the inner nothing is one that cannot be read.
    pub(crate) directory: Option<Option<String>>,
    /// The host may have been told another directory, and tells none.
    pub(crate) hidden: bool,
    /// Whether the host or metier needs it.
    pub(crate) flow: Option<Flow>,
}

impl ToolCall {
    /// A call of `tool` with these arguments.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: tool.into(), arguments, mcp: None }
    }

    /// What the call is about, in the vocabulary of `host`.
    #[must_use]
    pub fn kind(&self, host: &HostTable) -> Kind {
        self.understand(host).kind
    }

    pub(crate) fn understand(&self, host: &HostTable) -> Understood {
        let native = self.tool.to_lowercase();
        let Some(entry) = host.tool(&native).filter(|entry| self.is_of(entry, host)) else {
            return Understood {
                kind: self.unlisted(&native),
                canonical: native.clone(),
                native,
                directory: None,
                hidden: false,
                flow: None,
            };
        };
        let canonical = host.canonical(&native).to_owned();
        let directory = self.texts(&entry.directory).into_iter().next();
        Understood {
            kind: match entry.server.as_str() {
                "" => self.listed(entry, &canonical),
                _ => served(entry, &native, host),
            },
            hidden: entry.hides_directory && directory.is_none(),
            directory,
            flow: entry.flow,
            canonical,
            native,
        }
    }

    /// Whether the call is of this tool: where the host says which server it is for, of that server. A
    /// host tells servers apart by the case of their names, so that another one may be called almost so.
    fn is_of(&self, entry: &ToolEntry, host: &HostTable) -> bool {
        let same = |McpTool { server, tool }: &McpTool| {
            *server == entry.server && entry.names.contains(tool)
        };
        let spelled = || {
            let names = entry.names.iter();
            names.into_iter().any(|name| host.mcp.spell(&entry.server, name) == self.tool)
        };
        entry.server.is_empty() || self.mcp.as_ref().map_or_else(spelled, same)
    }

    fn listed(&self, entry: &ToolEntry, canonical: &str) -> Kind {
        match canonical {
            "bash" => Kind::Shell { command: self.shell_input(&entry.command) },
            "read" | "glob" | "grep" | "ls" => Kind::Read { paths: self.targets(entry, canonical) },
            "write" | "edit" if entry.patch.is_empty() => {
                Kind::Write { paths: self.targets(entry, canonical) }
            }
            "write" | "edit" => Kind::Write { paths: self.patch(&entry.patch) },
            "webfetch" => Kind::Fetch { urls: self.addresses(entry) },
            _ => Kind::Other,
        }
    }

    fn unlisted(&self, native: &str) -> Kind {
        if let Some(McpTool { server, tool }) = &self.mcp {
            let (server, tool) = (server.to_lowercase(), tool.to_lowercase());
            return Kind::Mcp { server: Some(server), tool: Some(tool) };
        }
        let Some(rest) = native.strip_prefix("mcp__") else { return Kind::Other };
        match rest.split_once("__") {
            // A second separator leaves open where the server's name ends.
            Some((server, tool)) if !tool.contains("__") && !tool.is_empty() => {
                Kind::Mcp { server: Some(server.to_owned()), tool: Some(tool.to_owned()) }
            }
            _ => Kind::Mcp { server: None, tool: None },
        }
    }

    /// The values of the fields that are there; nothing for one that is not text.
    fn texts(&self, fields: &[String]) -> Vec<Option<String>> {
        let mut found = Vec::new();
        for value in fields.iter().filter_map(|field| self.arguments.get(field)) {
            match value {
                Value::Null => {}
                Value::String(text) => found.push(Some(text.clone())),
                Value::Array(items) => {
                    found.extend(items.iter().map(|item| item.as_str().map(str::to_owned)));
                }
                _ => found.push(None),
            }
        }
        found
    }

    fn shell_input(&self, fields: &[String]) -> ShellInput {
        let mut values = fields.iter().filter_map(|field| self.arguments.get(field));
        let (Some(value), None) = (values.next(), values.next()) else {
            return ShellInput::Unreadable;
        };
        match value {
            Value::String(text) => ShellInput::Text(text.clone()),
            Value::Array(items) => {
                let words = items.iter().map(|item| item.as_str().map(str::to_owned));
                let words: Option<Vec<String>> = words.collect();
                words.map_or(ShellInput::Unreadable, ShellInput::Words)
            }
            _ => ShellInput::Unreadable,
        }
    }

    fn targets(&self, entry: &ToolEntry, canonical: &str) -> Vec<Target> {
        let texts = self.texts(&entry.paths).into_iter();
        texts.map(|path| Target { tool: canonical.to_owned(), path }).collect()
    }

    fn patch(&self, fields: &[String]) -> Vec<Target> {
        let texts: Option<Vec<String>> = self.texts(fields).into_iter().collect();
        patched(texts.map(|texts| texts.join("\n")).as_deref())
    }

    fn addresses(&self, entry: &ToolEntry) -> Vec<Option<String>> {
        let mut urls = self.texts(&entry.urls);
        for text in self.texts(&entry.url_text) {
            match text {
                Some(text) => {
                    let words = text.split_whitespace().filter(|word| word.contains("://"));
                    urls.extend(words.map(|word| Some(word.to_owned())));
                }
                None => urls.push(None),
            }
        }
        if urls.is_empty() { vec![None] } else { urls }
    }
}

impl Kind {
    /// Which way the files of this call are used, when it is about files.
    pub(crate) fn access(&self) -> Option<Access> {
        match self {
            Self::Read { .. } => Some(Access::Read),
            Self::Write { .. } => Some(Access::Write),
            _ => None,
        }
    }
}

/// A call of a server's tool that the table knows.
fn served(entry: &ToolEntry, native: &str, host: &HostTable) -> Kind {
    let server = entry.server.to_lowercase();
    let is_it = |name: &&String| host.mcp.spell(&server, name).to_lowercase() == native;
    let tool = entry.names.iter().find(is_it).map(|name| name.to_lowercase());
    Kind::Mcp { server: Some(server), tool }
}

/// The files a patch names: those it adds, moves to or deletes are written, others edited.
pub(crate) fn patched(text: Option<&str>) -> Vec<Target> {
    let unreadable = || vec![Target { tool: "write".to_owned(), path: None }];
    let mut targets = Vec::new();
    for line in text.into_iter().flat_map(str::lines) {
        let Some(mark) = line.trim().strip_prefix("***") else { continue };
        match patch_mark(mark.trim()) {
            Some(PatchMark::File(tool, path)) => {
                targets.push(Target { tool: tool.to_owned(), path: Some(path.to_owned()) });
            }
            Some(PatchMark::Frame) => {}
            None => return unreadable(),
        }
    }
    if targets.is_empty() { unreadable() } else { targets }
}

enum PatchMark<'l> {
    File(&'static str, &'l str),
    Frame,
}

fn patch_mark(mark: &str) -> Option<PatchMark<'_>> {
    if matches!(mark, "Begin Patch" | "End Patch" | "End of File") {
        return Some(PatchMark::Frame);
    }
    let (what, path) = mark.split_once(':')?;
    let tool = match what.trim() {
        "Add File" | "Delete File" | "Move to" => "write",
        "Update File" => "edit",
        _ => return None,
    };
    Some(PatchMark::File(tool, path.trim()))
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
