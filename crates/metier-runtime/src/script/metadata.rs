//! The metadata block of a Python script (PEP 723): a run of comment lines between `# /// script`
//! and `# ///` that holds TOML. Pure, linear, bounded.
//!
//! A script says which packages it needs. How and from where they are had is the user's to say, so
//! what the block tells uv besides (an index, sources to build, code to compile) is refused, but for
//! a date and for wheels that lie in the skill. `Metadata::header` writes what was understood and
//! nothing else: uv is given that, and never the script, which it might read in another way.

use std::path::{Component, Path};

use toml::{Table, Value};

use crate::limits::MAX_SCRIPT_METADATA_BYTES;

/// What the block says that decides how the script is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `dependencies`.
    pub dependencies: Vec<String>,
    /// `requires-python`.
    pub requires_python: Option<String>,
    /// `tool.uv.exclude-newer`: the day after which packages do not count.
    pub exclude_newer: Option<String>,
    /// `tool.uv.sources`: packages that lie in the skill, with the wheel's path from the script.
    pub wheels: Vec<(String, String)>,
}

/// Why a block cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// There are two of them.
    #[error("it has more than one `# /// script` block")]
    Several,
    /// It is too long.
    #[error("its `# /// script` block has more than {MAX_SCRIPT_METADATA_BYTES} bytes")]
    TooLarge,
    /// It is not TOML.
    #[error("its `# /// script` block is not TOML: {0}")]
    Syntax(String),
    /// A value is not what it should be.
    #[error("`{0}` in its `# /// script` block is not {1}")]
    Value(&'static str, &'static str),
    /// It tells uv what is not the script's to say.
    #[error("`{0}` in its `# /// script` block is for the user to say, not for a script")]
    NotItsOwn(String),
    /// A locked package that comes from somewhere of its own.
    #[error("`{0}` is neither from an index over https nor a wheel beside the script")]
    Source(String),
    /// A package by its address.
    #[error("the dependency `{0}` names an address; a script names packages and their versions")]
    Address(String),
}

impl Metadata {
    /// A block that says exactly this.
    pub(crate) fn header(&self) -> String {
        let text = |value: &String| Value::String(value.clone());
        let mut table = Table::new();
        let dependencies = self.dependencies.iter().map(text).collect();
        table.insert("dependencies".to_owned(), Value::Array(dependencies));
        if let Some(version) = &self.requires_python {
            table.insert("requires-python".to_owned(), text(version));
        }
        let mut uv = Table::new();
        if let Some(day) = &self.exclude_newer {
            uv.insert("exclude-newer".to_owned(), text(day));
        }
        if !self.wheels.is_empty() {
            let source =
                |path| Value::Table([("path".to_owned(), text(path))].into_iter().collect());
            let sources = self.wheels.iter().map(|(name, path)| (name.clone(), source(path)));
            uv.insert("sources".to_owned(), Value::Table(sources.collect()));
        }
        table.insert(
            "tool".to_owned(),
            Value::Table([("uv".to_owned(), uv.into())].into_iter().collect()),
        );
        let lines: String = table.to_string().lines().map(|line| format!("# {line}\n")).collect();
        format!("# /// script\n{lines}# ///\n")
    }

    /// Where in the skill the wheels lie that a script at `script` names; none for a wheel outside.
    pub(crate) fn wheels_beside(&self, script: &str) -> Option<Vec<String>> {
        let beside = Path::new(script).parent().unwrap_or(Path::new(""));
        self.wheels.iter().map(|(_, path)| inside(&beside.join(path))).collect()
    }
}

/// Whether a file that fixes versions names packages of indexes, reached as safely as everything else,
/// and wheels beside it, and nothing else: what it names is fetched without asking again.
pub(crate) fn lock_is_plain(lock: &[u8]) -> Result<(), MetadataError> {
    let table: Table = std::str::from_utf8(lock)
        .map_err(|_| MetadataError::Syntax("it is not text".to_owned()))?
        .parse()
        .map_err(|error: toml::de::Error| syntax(&error))?;
    let packages = table.get("package").and_then(Value::as_array);
    for package in packages.into_iter().flatten() {
        let source = package.get("source").and_then(Value::as_table);
        let source = source.filter(|source| source.len() == 1);
        let is_index = |url: &str| url.starts_with("https://");
        let is_wheel = |path: &str| Path::new(path).extension().is_some_and(|end| end == "whl");
        let text = |key: &str| source?.get(key)?.as_str();
        if !text("registry").is_some_and(is_index) && !text("path").is_some_and(is_wheel) {
            let name = package.get("name").and_then(Value::as_str).unwrap_or_default();
            return Err(MetadataError::Source(name.chars().take(200).collect()));
        }
    }
    Ok(())
}

/// The path without `..`, when it stays inside.
fn inside(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// The script's metadata; none when it has no block. A block that is never closed is none.
pub fn read(source: &[u8]) -> Result<Option<Metadata>, MetadataError> {
    let text = String::from_utf8_lossy(source);
    let mut block = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_end() != "# /// script" {
            continue;
        }
        // The block goes to the last `# ///` of the run of comment lines.
        let (mut content, mut closed) = (String::new(), None);
        let mut rest = lines.clone();
        while let Some(line) = rest.next() {
            if line.trim_end() == "# ///" {
                closed = Some((content.len(), rest.clone()));
            }
            let Some(inner) = line.strip_prefix('#') else { break };
            if !inner.is_empty() && !inner.starts_with(' ') {
                break;
            }
            content.push_str(inner.strip_prefix(' ').unwrap_or(inner));
            content.push('\n');
            if content.len() > MAX_SCRIPT_METADATA_BYTES {
                return Err(MetadataError::TooLarge);
            }
        }
        let Some((length, after)) = closed else { continue };
        content.truncate(length);
        if block.replace(content).is_some() {
            return Err(MetadataError::Several);
        }
        lines = after;
    }
    block.map(|content| parse(&content)).transpose()
}

fn parse(content: &str) -> Result<Metadata, MetadataError> {
    let table: Table = content.parse().map_err(|error: toml::de::Error| syntax(&error))?;
    let dependencies = match table.get("dependencies") {
        None => Vec::new(),
        Some(value) => {
            texts(value).ok_or(MetadataError::Value("dependencies", "a list of texts"))?
        }
    };
    // `name @ address`, and nothing else in a requirement has that sign.
    if let Some(address) = dependencies.iter().find(|text| text.contains('@')) {
        return Err(MetadataError::Address(address.chars().take(200).collect()));
    }
    let requires_python = optional_text(&table, "requires-python", "requires-python")?;
    let mut metadata = Metadata { dependencies, requires_python, ..Metadata::default() };
    match table.get("tool").map(|tool| tool.get("uv")) {
        None | Some(None) => {}
        Some(Some(Value::Table(uv))) => for_uv(uv, &mut metadata)?,
        Some(Some(_)) => return Err(MetadataError::Value("tool.uv", "a table")),
    }
    Ok(metadata)
}

/// What the block says to uv, as far as a script may say it.
fn for_uv(uv: &Table, metadata: &mut Metadata) -> Result<(), MetadataError> {
    for (key, value) in uv {
        match (key.as_str(), value) {
            ("exclude-newer", _) => {
                metadata.exclude_newer = optional_text(uv, key, "tool.uv.exclude-newer")?;
            }
            ("sources", Value::Table(sources)) => {
                for (name, source) in sources {
                    let refused = || MetadataError::NotItsOwn(format!("tool.uv.sources.{name}"));
                    let path = wheel(source).ok_or_else(refused)?;
                    metadata.wheels.push((name.clone(), path.to_owned()));
                }
            }
            _ => return Err(MetadataError::NotItsOwn(format!("tool.uv.{key}"))),
        }
    }
    Ok(())
}

/// The path in a source that is one wheel and nothing else.
fn wheel(source: &Value) -> Option<&str> {
    let source = source.as_table().filter(|source| source.len() == 1)?;
    let path = source.get("path")?.as_str()?;
    let is_wheel = Path::new(path).extension().is_some_and(|end| end == "whl");
    (is_wheel && !path.contains(char::is_control)).then_some(path)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

fn optional_text(
    table: &Table,
    key: &str,
    shown: &'static str,
) -> Result<Option<String>, MetadataError> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(MetadataError::Value(shown, "a text")),
    }
}

fn syntax(error: &toml::de::Error) -> MetadataError {
    MetadataError::Syntax(error.message().to_owned())
}

#[cfg(test)]
#[path = "metadata_tests.rs"]
mod tests;
