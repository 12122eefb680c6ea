//! A plugin marketplace: `.claude-plugin/marketplace.json`, which names plugins and where they are.
//! A plugin in the same repository is the skills below its directory; one elsewhere is listed by its
//! own name, and what it has is seen when it is fetched.

use metier_format::text::visible_line;
use serde_json::Value;

use super::well_known::{self, description};
use super::{Contents, Kind, Listed, listed};
use crate::distance::{Distance, distance};
use crate::limits::MAX_INDEX_SKILLS;
use crate::reference::{Bases, Origin, Reference};
use crate::skills::Offered;

/// Where a repository has its list.
pub(super) const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

/// Letters of a path that a problem shows.
const MAX_PATH_SAID: usize = 100;

/// The list of plugins at `at`.
#[derive(Clone, Copy)]
pub(super) struct Market<'a> {
    /// Where the list is.
    pub(super) at: &'a str,
    /// What holds it, and the skills found there; a document on a web server lies beside nothing.
    pub(super) here: Option<(&'a Reference, &'a [Offered])>,
}

/// What the list says.
pub(super) fn read(document: &Value, market: Market<'_>, bases: &Bases) -> Contents {
    let mut contents = Contents::default();
    let plugins = document.get("plugins").and_then(Value::as_array);
    for (number, plugin) in plugins.into_iter().flatten().enumerate() {
        if contents.skills.len() >= MAX_INDEX_SKILLS {
            contents.trouble(format!("only {MAX_INDEX_SKILLS} of its skills are listed"));
            break;
        }
        match skills(plugin, market, bases) {
            Ok(skills) => take(&mut contents, skills),
            Err(why) => contents.trouble(format!("plugin {number}: {why}")),
        }
    }
    contents
}

/// Two plugins may bring the same skill from the same place; that is one.
fn take(contents: &mut Contents, skills: Vec<Listed>) {
    for skill in skills {
        match contents.skill(&skill.name).map(|known| known.reference == skill.reference) {
            None => contents.skills.push(skill),
            Some(true) => {}
            Some(false) => {
                contents.trouble(format!("`{}` is listed twice; the first counts", skill.name));
            }
        }
    }
}

fn skills(plugin: &Value, market: Market<'_>, bases: &Bases) -> Result<Vec<Listed>, String> {
    let name = plugin.get("name").and_then(Value::as_str).ok_or("`name` is missing")?;
    let source = plugin.get("source").ok_or_else(|| format!("{} has no `source`", shown(name)))?;
    if let Some(path) = source.as_str() {
        let (from, offered) = market
            .here
            .ok_or_else(|| format!("{} lies beside a list on a web server", shown(name)))?;
        return inside(plugin, path, from, offered).map_err(|path| {
            format!("{} is at `{}`, which is outside", shown(name), visible_line(&path))
        });
    }
    let text = |member: &str| source.get(member).and_then(Value::as_str);
    let address = match text("source") {
        Some("github") => text("repo").map(|repo| format!("github:{repo}")),
        Some("url" | "git") => text("url").map(str::to_owned),
        Some("git-subdir") => {
            text("url").zip(text("path")).map(|(url, path)| format!("{url}//{path}"))
        }
        _ => None,
    };
    let address = address.ok_or_else(|| format!("where {} is, is not known here", shown(name)))?;
    let named = text("sha").or(text("ref")).map(|name| format!("#{name}")).unwrap_or_default();
    let reference = Reference::parse(&format!("{address}{named}"), bases)
        .map_err(|error| format!("{}: {error}", shown(name)))?;
    if !may_name(market.at, &reference, bases) {
        return Err(format!("{} is said to be on this machine, and the list is not", shown(name)));
    }
    let name = well_known::name(name)?;
    let about = plugin.get("description").and_then(Value::as_str).unwrap_or_default();
    let reference = reference.to_string();
    let (description, kind) = (description(about), Kind::Plugin);
    Ok(vec![Listed { name, description, reference, digest: None, kind }])
}

/// Whether a list at `at` may name `reference`. Below a base of the user's own settings it may, for
/// those say where short forms lead.
fn may_name(at: &str, reference: &Reference, bases: &Bases) -> bool {
    let source = match &reference.origin {
        // Which servers there are, and what they are called, is the user's alone.
        Origin::Mcp(_) => return false,
        Origin::Directory(_) | Origin::Archive(_) => return distance(at) == Distance::Disk,
        Origin::Git(url) | Origin::ArchiveUrl(url) => url,
    };
    let below = |base: &str| {
        let rest = source.strip_prefix(base.trim_end_matches('/'));
        rest.is_some_and(|rest| base.ends_with(':') || rest.starts_with('/'))
    };
    let own = bases.hosts.iter().map(|(_, base)| base).chain([&bases.repositories]);
    distance(source) <= distance(at) || own.into_iter().any(|base| below(base))
}

/// The skills of a plugin in the same repository: those it names, else all below it. The error is a
/// path that leaves the repository.
fn inside(
    plugin: &Value,
    path: &str,
    from: &Reference,
    offered: &[Offered],
) -> Result<Vec<Listed>, String> {
    let root = plain(path)?;
    let named = plugin.get("skills").and_then(Value::as_array);
    let named = named.map(|list| {
        let texts = list.iter().filter_map(Value::as_str);
        texts.map(|skill| Ok(joined(&root, &plain(skill)?))).collect::<Result<Vec<_>, String>>()
    });
    let named = named.transpose()?;
    let is_its = |skill: &&Offered| match &named {
        Some(paths) => paths.iter().any(|path| is_below(&skill.path, path)),
        None => is_below(&skill.path, &root),
    };
    Ok(offered.iter().filter(is_its).map(|skill| listed(skill, from)).collect())
}

/// A path below the repository's root without what says nothing; the path itself when it leaves.
fn plain(path: &str) -> Result<String, String> {
    let leaves = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if leaves {
        return Err(path.chars().take(MAX_PATH_SAID).collect());
    }
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    Ok(parts.collect::<Vec<_>>().join("/"))
}

fn joined(root: &str, path: &str) -> String {
    let parts = [root, path].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("/")
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn shown(name: &str) -> String {
    let short: String = name.chars().take(64).collect();
    format!("`{}`", visible_line(&short))
}

#[cfg(test)]
#[path = "plugin_tests.rs"]
mod tests;
