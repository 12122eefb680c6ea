//! Tool patterns: `Bash(git:*)`, `Read(./docs/**)`, `WebFetch(domain:example.com)`,
//! `mcp__server__*`, and plain names.
//!
//! A pattern is asked in one of two ways. To allow something it must fit *surely*: the whole call,
//! as every reader would take it. To ask or deny, fitting *possibly* is enough: some part of the
//! call, as one reader might take it. An argument that is not understood fits nothing surely, so a
//! mistyped restriction restricts more, never less; policy files refuse it when they are read.
//!
//! Names are compared in lowercase and through the host's table. A native name on its own host
//! means that tool only (`file_head` on chibi is not `file_tail`); everywhere else names are
//! translated first.

pub(crate) mod command;
mod path;

use metier_format::ToolPattern;

use crate::call::{Kind, Understood};
use crate::glob;
use crate::host::{HostTable, McpSpelling};
use crate::limits::MAX_PATTERN_BYTES;
use crate::url;
use command::CommandPattern;
pub(crate) use path::{Meeting, PathPattern};

/// How certain a fit has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// As every reader would take it; for an allow.
    Surely,
    /// As one reader might take it; for an ask or a deny.
    Possibly,
}

/// A compiled tool pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    source: ToolPattern,
    /// In lowercase.
    name: String,
    /// The name in the vocabulary of `allowed-tools`.
    canonical: String,
    /// What kind of name it is.
    form: Form,
    pub(crate) argument: Argument,
}

/// What kind of name a pattern has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `*`.
    Everything,
    /// `mcp__…`, perhaps with wildcards.
    Mcp,
    /// With wildcards.
    Wild,
    /// A plain name.
    Plain,
}

/// What stood between the parentheses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Nothing, or `*`: any argument.
    Any,
    /// A command.
    Command(CommandPattern),
    /// A file.
    Path(PathPattern),
    /// A host name.
    Domain(DomainPattern),
    /// Something else. One sentence.
    NotUnderstood(String),
}

/// `domain:example.com` is that host; `domain:*.example.com` is every host below it, not itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DomainPattern {
    host: String,
    below: bool,
}

impl Pattern {
    /// Compiles a pattern.
    #[must_use]
    pub fn compile(source: &ToolPattern) -> Self {
        let name = source.tool.to_lowercase();
        let canonical = HostTable::plain().canonical(&name).to_owned();
        let argument = compile_argument(&canonical, source.argument.as_deref());
        let argument = match name_fault(&name) {
            Some(fault) => Argument::NotUnderstood(fault),
            None => argument,
        };
        let form = match name.as_str() {
            "*" => Form::Everything,
            _ if name.starts_with("mcp__") => Form::Mcp,
            _ if glob::has_wildcard(&name) => Form::Wild,
            _ => Form::Plain,
        };
        Self { source: source.clone(), name, canonical, form, argument }
    }

    /// What is not understood about it, if anything is.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        match &self.argument {
            Argument::NotUnderstood(fault) => Some(fault),
            _ => None,
        }
    }

    /// The pattern as written.
    #[must_use]
    pub fn source(&self) -> &ToolPattern {
        &self.source
    }

    /// The tool's name in the vocabulary of `allowed-tools`, in lowercase.
    pub(crate) fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Whether the pattern names every tool.
    pub(crate) fn names_all(&self) -> bool {
        self.form == Form::Everything
    }

    /// Whether the pattern's name is that of the call.
    pub(crate) fn names(&self, call: &Understood, host: &HostTable) -> bool {
        match self.form {
            Form::Everything => true,
            Form::Mcp => match &call.kind {
                Kind::Mcp { server, tool } => {
                    self.names_mcp(&call.native, server.as_deref(), tool.as_deref())
                }
                _ => self.spelled_by(host).is_some_and(|spelled| spelled == call.native),
            },
            Form::Wild => {
                glob::matches(&self.name, &call.native, None)
                    || glob::matches(&self.name, &call.canonical, None)
            }
            // A native name means that tool only; any other name is translated.
            Form::Plain => {
                self.name == call.native
                    || self.name == call.canonical
                    || (self.canonical == call.canonical
                        && (host.mixed || host.tool(&self.name).is_none()))
            }
        }
    }

    /// `mcp__server__tool`, `mcp__server__*` and `mcp__server` against a tool of a server.
    fn names_mcp(&self, native: &str, server: Option<&str>, tool: Option<&str>) -> bool {
        if !glob::has_wildcard(&self.name) && self.name == native {
            return true;
        }
        let (Some(server), Some(tool)) = (server, tool) else { return false };
        let rest = self.name.strip_prefix("mcp__").unwrap_or_default();
        let (pattern, wanted) = rest.split_once("__").unwrap_or((rest, "*"));
        glob::matches(pattern, server, None) && glob::matches(wanted, tool, None)
    }

    /// How a host without `mcp__` would spell an exact MCP pattern.
    fn spelled_by(&self, host: &HostTable) -> Option<String> {
        let (server, tool) = self.name.strip_prefix("mcp__")?.split_once("__")?;
        (host.mcp != McpSpelling::Double).then(|| host.mcp.spell(server, tool))
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.source.fmt(f)
    }
}

impl DomainPattern {
    fn parse(text: &str) -> Result<Self, String> {
        let Some(domain) = text.strip_prefix("domain:") else {
            return Err(format!("`{text}` is not of the form `domain:HOST`"));
        };
        let (below, name) = match domain.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, domain),
        };
        // A pattern is read as the URLs are: what has no host there has none here.
        let host = url::host_of(&format!("https://{name}/"))
            .map_err(|fault| format!("`{domain}` is not a host name: {fault}"))?;
        if name.contains([':', '/', '?', '#']) && !name.starts_with('[') {
            return Err(format!("`{domain}` is not a host name"));
        }
        Ok(Self { host, below })
    }

    /// Whether the URL's host is meant. A URL that cannot be relied on fits possibly.
    pub(crate) fn covers(&self, url: Option<&str>, strictness: Strictness) -> bool {
        match url.map(url::host_of) {
            Some(Ok(host)) if self.below => {
                host.strip_suffix(&self.host).is_some_and(|front| front.ends_with('.'))
            }
            Some(Ok(host)) => host == self.host,
            Some(Err(_)) | None => strictness == Strictness::Possibly,
        }
    }
}

fn compile_argument(canonical: &str, argument: Option<&str>) -> Argument {
    let Some(text) = argument.map(str::trim) else { return Argument::Any };
    if text.len() > MAX_PATTERN_BYTES {
        return Argument::NotUnderstood(format!("longer than {MAX_PATTERN_BYTES} bytes"));
    }
    // `Read(*)` and `Skill(*)` are how people write a bare name.
    if text == "*" {
        return Argument::Any;
    }
    let compiled = match canonical {
        "bash" => CommandPattern::parse(text).map(Argument::Command),
        "read" | "write" | "edit" | "glob" | "grep" | "ls" => {
            PathPattern::parse(text).map(Argument::Path)
        }
        "webfetch" => DomainPattern::parse(text).map(Argument::Domain),
        other => Err(format!("`{other}` takes no argument in parentheses")),
    };
    compiled.unwrap_or_else(Argument::NotUnderstood)
}

fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("the tool has no name".to_owned());
    }
    if name.starts_with('!') {
        return Some("`!` is only understood in policy rules".to_owned());
    }
    (!glob::is_understood(name)).then(|| format!("`{name}` uses wildcards other than `*` and `?`"))
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
