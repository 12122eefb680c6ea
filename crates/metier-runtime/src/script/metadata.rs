//! The metadata block of a Python script (PEP 723): a run of comment lines between `# /// script`
//! and `# ///` that holds TOML. Pure, linear, bounded.

use crate::limits::MAX_SCRIPT_METADATA_BYTES;

/// What the block says that decides how the script is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `dependencies`.
    pub dependencies: Vec<String>,
    /// `requires-python`.
    pub requires_python: Option<String>,
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
    let table: toml::Table = content.parse().map_err(|error: toml::de::Error| syntax(&error))?;
    let dependencies = match table.get("dependencies") {
        None => Vec::new(),
        Some(toml::Value::Array(items)) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            let texts: Option<Vec<String>> = texts.collect();
            texts.ok_or(MetadataError::Value("dependencies", "a list of texts"))?
        }
        Some(_) => return Err(MetadataError::Value("dependencies", "a list of texts")),
    };
    let requires_python = match table.get("requires-python") {
        None => None,
        Some(toml::Value::String(text)) => Some(text.clone()),
        Some(_) => return Err(MetadataError::Value("requires-python", "a text")),
    };
    Ok(Metadata { dependencies, requires_python })
}

fn syntax(error: &toml::de::Error) -> MetadataError {
    MetadataError::Syntax(error.message().to_owned())
}

#[cfg(test)]
#[path = "metadata_tests.rs"]
mod tests;
