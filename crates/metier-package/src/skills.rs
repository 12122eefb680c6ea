//! Which directories of a source are skills: the same rules as discovery on disk, run over the list of
//! what is there and the few files that say so. What a plugin's manifest names is looked at too, since
//! it may lie where nobody looks by himself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use metier_format::SkillName;
use metier_format::json::weigh;
use metier_store::discover::ScanLimits;
use metier_store::{Layer, MemoryStore, Root, Store as _};
use serde_json::Value;

use crate::entry::{Entry, Kind, check_path};
use crate::fetch::FetchError;
use crate::hazard::{Hazard, shown};
use crate::limits::{MAX_DEPTH, MAX_PLUGIN_BYTES, MAX_PLUGIN_PATHS, MAX_SKILLS, MAX_SOURCE_DEPTH};
use crate::offer::Offer;
use crate::source::Refused;

/// A skill that a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name.
    pub name: SkillName,
    /// What it says it is for.
    pub description: String,
    /// Its directory inside the source, `/` between components; empty for the root.
    pub path: String,
}

/// What a source offers.
#[derive(Debug, Default)]
pub(crate) struct Offering {
    /// Sorted by path.
    pub(crate) skills: Vec<Offered>,
    pub(crate) refused: Vec<Refused>,
    /// Paths of the skills, and of the refused with their codes, so that each is said once.
    known: BTreeSet<String>,
    told: BTreeSet<(String, &'static str)>,
}

/// Directories with a dot at the front that agents keep skills in.
const AGENT_DIRECTORIES: [&str; 8] = [
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
    ".goose/skills",
    ".opencode/skills",
];

/// Where plugins say what they bring.
const PLUGIN_DIRECTORY: &str = ".claude-plugin";

/// Whether a scan has no business in the directory or file at `path`, which lies in no skill: hidden,
/// unless agents or plugins keep something there, or full of what programs made.
pub(crate) fn is_passed_over(path: &[u8]) -> bool {
    const MADE: [&[u8]; 3] = [b"node_modules", b"__pycache__", b"venv"];
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let agents = AGENT_DIRECTORIES.iter().filter_map(|directory| directory.split('/').next());
    let kept = agents.chain([PLUGIN_DIRECTORY]).any(|kept| kept.as_bytes() == name);
    MADE.contains(&name) || (name.starts_with(b".") && !kept)
}

/// Finds the skills of a source. `called` is what the source's own directory would be called.
pub(crate) fn find(offer: &mut dyn Offer, called: &str) -> Result<Offering, FetchError> {
    let entries = offer.entries();
    let mut offering = Offering::default();
    let mut telling: BTreeMap<usize, String> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(path) = tells(entry, &mut offering) {
            telling.insert(index, path);
        }
        if telling.len() + offering.refused.len() > MAX_SKILLS {
            return Err(FetchError::Refused(Hazard::TooMany(MAX_SKILLS).at(&entry.path)));
        }
    }
    let wanted: Vec<usize> = telling.keys().copied().collect();
    offer.prepare(&wanted)?;
    let wanted = within_size(offer.entries(), &wanted, &mut offering);
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    offer.read(&wanted, &mut |index, bytes| {
        if let Some(path) = telling.get(&index) {
            files.insert(path.clone(), bytes.to_vec());
        }
        Ok(())
    })?;
    let mut roots: Vec<String> = vec![String::new()];
    roots.extend(AGENT_DIRECTORIES.iter().map(|directory| (*directory).to_owned()));
    roots.extend(named_by_plugins(&files));
    for root in roots {
        scan(&files, &root, called, &mut offering);
    }
    if let Some(said) = offer.skills() {
        offering.skills.retain(|skill| said.contains(&skill.path));
    }
    offering.skills.sort_by(|a, b| a.path.cmp(&b.path));
    offering.refused.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(offering)
}

/// The entry's path when its content says what skills there are.
fn tells(entry: &Entry, offering: &mut Offering) -> Option<String> {
    let name = entry.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_skill = name.eq_ignore_ascii_case(b"SKILL.md");
    if !is_skill && !is_plugin(&entry.path) {
        return None;
    }
    let problem = match (&entry.kind, check_path(&entry.path, MAX_SOURCE_DEPTH)) {
        (Kind::File { .. }, Ok(path)) => return Some(path.to_owned()),
        (_, Err(hazard)) => hazard,
        (Kind::Refused(hazard), Ok(_)) => hazard.clone(),
        (Kind::Directory, Ok(_)) => return None,
        (Kind::Link(_), Ok(_)) => Hazard::Manifest("it is a link".to_owned()),
    };
    if is_skill {
        offering.refuse(parent(&shown(&entry.path)), &entry.path, &problem);
    }
    None
}

fn is_plugin(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    ["plugin.json", "marketplace.json"].iter().any(|name| {
        let inner = format!("{PLUGIN_DIRECTORY}/{name}");
        path == inner || path.ends_with(&format!("/{inner}"))
    })
}

/// Those that are not too large to be what they are called.
fn within_size(entries: &[Entry], wanted: &[usize], offering: &mut Offering) -> Vec<usize> {
    let mut kept = Vec::new();
    for index in wanted {
        let Some(entry) = entries.get(*index) else { continue };
        let plugin = is_plugin(&entry.path);
        let limit = match plugin {
            true => MAX_PLUGIN_BYTES,
            false => metier_format::limits::MAX_FILE_BYTES as u64,
        };
        if entry.size <= limit {
            kept.push(*index);
        } else if !plugin {
            let hazard = Hazard::FileTooLarge { size: entry.size, limit };
            offering.refuse(parent(&shown(&entry.path)), &entry.path, &hazard);
        }
    }
    kept
}

/// Looks below one directory by the rules of discovery.
fn scan(files: &BTreeMap<String, Vec<u8>>, root: &str, called: &str, offering: &mut Offering) {
    let prefix = if root.is_empty() { String::new() } else { format!("{root}/") };
    let name = if root.is_empty() { called } else { root.rsplit('/').next().unwrap_or(root) };
    let mut store = MemoryStore::with_root(Root {
        layer: Layer::Project,
        path: PathBuf::from(name),
        client_order: 0,
        immediate_only: false,
        trusted: false,
        optional: true,
        within: None,
    });
    for (path, bytes) in files.range(prefix.clone()..).take_while(|(p, _)| p.starts_with(&prefix)) {
        let inner = path.get(prefix.len()..).unwrap_or_default();
        if !is_plugin(path.as_bytes()) {
            store = store.file(inner, bytes.clone());
        }
    }
    let discovery = store.discover(&ScanLimits { threads: 1, ..ScanLimits::default() });
    let whole = |path: &std::path::Path| {
        let text = path.to_string_lossy();
        if text.is_empty() { root.to_owned() } else { format!("{prefix}{text}") }
    };
    for found in discovery.found {
        let path = whole(&found.path);
        if offering.known.insert(path.clone()) {
            let description = found.description.into_string();
            offering.skills.push(Offered { name: found.name, description, path });
        }
    }
    for skipped in discovery.skipped {
        let file = whole(&skipped.path);
        let said =
            skipped.diagnostics.iter().map(|d| format!("{}: {}", d.code.as_str(), d.message));
        let said = said.collect::<Vec<_>>().join("; ");
        offering.refuse(parent(&file), file.as_bytes(), &Hazard::Manifest(said));
    }
}

impl Offering {
    fn refuse(&mut self, path: String, file: &[u8], hazard: &Hazard) {
        let code = hazard.code();
        if !self.told.insert((path.clone(), code)) {
            return;
        }
        let reason = hazard.clone().at(file).to_string();
        self.refused.push(Refused { path, code, reason });
    }
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map(|(parent, _)| parent.to_owned()).unwrap_or_default()
}

/// The directories that plugin manifests say hold skills. What is no path inside the source is
/// nobody's skill and left alone.
fn named_by_plugins(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut named = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| is_plugin(path.as_bytes())) {
        let base = path.rsplit_once(PLUGIN_DIRECTORY).map_or("", |(base, _)| base);
        if weigh(bytes).is_err() {
            continue;
        }
        let Ok(manifest) = serde_json::from_slice::<Value>(bytes) else { continue };
        match manifest.get("plugins").and_then(Value::as_array) {
            Some(plugins) => plugins.iter().for_each(|plugin| {
                let source = plugin.get("source").and_then(Value::as_str).unwrap_or("./");
                if let Some(at) = joined(base, source) {
                    skills_of(plugin, &at, &mut named);
                    named.extend(joined(&at, "skills"));
                }
            }),
            None => skills_of(&manifest, base, &mut named),
        }
    }
    named.sort();
    named.dedup();
    named.truncate(MAX_PLUGIN_PATHS);
    named
}

/// What `skills` of a plugin names: one directory or several.
fn skills_of(plugin: &Value, base: &str, named: &mut Vec<String>) {
    let value = plugin.get("skills");
    let several = value.and_then(Value::as_array).into_iter().flatten();
    let texts = value.into_iter().chain(several).filter_map(Value::as_str);
    named.extend(texts.filter_map(|text| joined(base, text)));
}

/// A path of a manifest inside the source; none when it is not inside.
fn joined(base: &str, path: &str) -> Option<String> {
    let parts = base.split('/').chain(path.split('/')).filter(|part| !matches!(*part, "" | "."));
    let whole = parts.collect::<Vec<_>>().join("/");
    let inside = !path.starts_with('/')
        && (whole.is_empty() || check_path(whole.as_bytes(), MAX_DEPTH).is_ok());
    inside.then_some(whole)
}

#[cfg(test)]
#[path = "skills_tests.rs"]
mod tests;
