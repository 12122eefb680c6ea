//! What other tools write down, read with nothing taken for granted: `skills-lock.json` and
//! `.skill-lock.json` of vercel's `skills`, the fields `gh skill` puts into a manifest, and the
//! `.openskills.json` that openskills leaves in a skill.

use std::path::{Path, PathBuf};

use metier_format::parse_frontmatter;
use serde::Serialize;
use serde_json::Value;

use super::{ProblemCode, Search};
use crate::atomic::Folder;
use crate::home::Place;
use crate::limits::MAX_FOREIGN_BYTES;
use crate::records;

/// The file openskills leaves in a skill.
const OPENSKILLS: &str = ".openskills.json";

/// Who installed a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// `npx skills`.
    Skills,
    /// `gh skill`.
    Gh,
    /// `openskills`.
    Openskills,
}

impl Tool {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Gh => "gh",
            Self::Openskills => "openskills",
        }
    }
}

/// What a record says of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) source: String,
    pub(super) path: String,
    pub(super) requested: Option<String>,
    pub(super) hash: Option<String>,
}

/// What a skill's own directory says.
pub(super) enum Told {
    Nothing,
    Claim(Tool, Claim),
    Problem(ProblemCode, String),
}

/// The lock files that may be there.
pub(super) fn lock_files(search: &Search<'_>) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> = match search.place {
        Place::Project(project) => vec![project.join("skills-lock.json")],
        Place::Personal => {
            let home = search.places.home.as_ref();
            let agents = home.map(|home| home.join(".agents/.skill-lock.json"));
            let state = search.state_home.map(Path::to_owned);
            let state = state.or_else(|| home.map(|home| home.join(".local/state")));
            let state = state.map(|state| state.join("skills/.skill-lock.json"));
            agents.into_iter().chain(state).collect()
        }
    };
    let there = |path: &PathBuf| crate::agents::is_there(path);
    paths.into_iter().filter(there).collect()
}

/// What a lock file says, by name of skill, sorted.
pub(super) fn read_lock(path: &Path) -> Result<Vec<(String, Claim)>, (ProblemCode, String)> {
    let unreadable = |reason: String| (ProblemCode::RecordUnreadable, reason);
    let (folder, file) =
        path.parent().zip(path.file_name()).ok_or_else(|| unreadable(String::new()))?;
    let text = records::text(folder, &file.to_string_lossy(), MAX_FOREIGN_BYTES);
    let text = text.map_err(|error| unreadable(error.to_string()))?.unwrap_or_default();
    let lock: Value = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    let version = lock.get("version").and_then(Value::as_u64);
    // The project's file has version 1, the user's version 3; older ones had other fields.
    if !matches!(version, Some(1 | 3)) {
        return Err((ProblemCode::RecordVersion, format!("version {version:?} is not known")));
    }
    let skills = lock.get("skills").and_then(Value::as_object);
    let skills = skills.ok_or_else(|| unreadable("it has no `skills`".to_owned()))?;
    let mut claims: Vec<(String, Claim)> =
        skills.iter().map(|(name, entry)| (name.clone(), locked(entry))).collect();
    claims.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(claims)
}

/// What an entry of a lock file says.
fn locked(entry: &Value) -> Claim {
    let text = |key: &str| text(entry, key);
    Claim {
        source: text("sourceUrl").or_else(|| text("source")).unwrap_or_default(),
        path: directory(&text("skillPath").unwrap_or_default()),
        requested: text("pinnedRef").or_else(|| text("ref")),
        hash: text("computedHash").or_else(|| text("skillFolderHash")),
    }
}

/// What the skill in `skill` says of itself, and where it says so.
pub(super) fn marker(skill: &Folder, name: &str) -> (PathBuf, Told) {
    let path = skill.path().join(OPENSKILLS);
    match skill.read(OPENSKILLS, MAX_FOREIGN_BYTES) {
        Ok(None) => manifest(skill, name),
        Ok(Some(bytes)) => match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) if value.is_object() => (path, Told::Claim(Tool::Openskills, left(&value))),
            Ok(_) => (path, unreadable("it is no object".to_owned())),
            Err(error) => (path, unreadable(error.to_string())),
        },
        Err(error) => (path, unreadable(error.source.to_string())),
    }
}

fn unreadable(reason: String) -> Told {
    Told::Problem(ProblemCode::RecordUnreadable, reason)
}

/// What openskills left.
fn left(value: &Value) -> Claim {
    let text = |key: &str| text(value, key);
    let local = text("sourceType").as_deref() == Some("local");
    let source = if local { text("localPath") } else { text("repoUrl") };
    Claim {
        source: source.or_else(|| text("source")).unwrap_or_default(),
        path: if local { String::new() } else { directory(&text("subpath").unwrap_or_default()) },
        requested: None,
        hash: None,
    }
}

/// What `gh skill` wrote into the manifest. It changes the file it writes into, so the tree it names
/// cannot be held against what is there.
fn manifest(skill: &Folder, name: &str) -> (PathBuf, Told) {
    let path = skill.path().join("SKILL.md");
    let most = metier_format::limits::MAX_FILE_BYTES as u64;
    // A manifest that cannot be read is nobody's mark; whoever lists skills says what is wrong.
    let Ok(Some(bytes)) = skill.read("SKILL.md", most) else { return (path, Told::Nothing) };
    let manifest = parse_frontmatter(&bytes, Some(name)).manifest;
    let field = |key: &str| {
        let metadata = manifest.as_ref()?.metadata.iter();
        let mut found = metadata.filter(|(name, _)| name.value == key);
        found.next().map(|(_, value)| value.value.to_string())
    };
    let Some(source) = field("github-repo") else { return (path, Told::Nothing) };
    let claim = Claim {
        source,
        path: directory(&field("github-path").unwrap_or_default()),
        requested: field("github-pinned").filter(|pin| pin != "false" && pin != "true"),
        hash: None,
    };
    let requested = claim.requested.clone().or_else(|| field("github-ref")).map(short_ref);
    (path, Told::Claim(Tool::Gh, Claim { requested, ..claim }))
}

/// A branch or tag without where git keeps it.
fn short_ref(name: String) -> String {
    let short = ["refs/heads/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    short.map(str::to_owned).unwrap_or(name)
}

/// A text that says something.
fn text(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The directory of a skill whose manifest or directory `path` is.
fn directory(path: &str) -> String {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let path = path.strip_suffix("SKILL.md").unwrap_or(path);
    path.trim_end_matches('/').to_owned()
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
