//! Which plugin of an agent brings a skill, by where the skill is. Pure.

use std::path::Path;

/// The name of the plugin that brings the skill in `directory`: installed ones are kept as
/// `plugins/cache/MARKETPLACE/PLUGIN/VERSION`, others are the directory around `skills`.
pub(super) fn of(directory: &Path) -> Option<&str> {
    let parts: Vec<&str> = directory.iter().filter_map(|part| part.to_str()).collect();
    if let Some(at) = cache(&parts) {
        return parts.get(at + 2).copied();
    }
    let skills = parts.iter().rposition(|part| *part == "skills")?;
    parts.get(skills.checked_sub(1)?).copied()
}

/// Whether `directory` belongs to a plugin that was installed, and not only offered.
pub(super) fn is_installed(directory: &Path) -> bool {
    let parts: Vec<&str> = directory.iter().filter_map(|part| part.to_str()).collect();
    cache(&parts).is_some()
}

/// Where the cache is among the parts of a path.
fn cache(parts: &[&str]) -> Option<usize> {
    let at = parts.windows(2).position(|pair| pair == ["plugins", "cache"])?;
    Some(at + 1)
}

#[cfg(test)]
#[path = "plugin_tests.rs"]
mod tests;
