//! What a person is shown before they say yes: what is wrong with a skill, what it can run and
//! reach, and how that differs from what is installed. Reads, decides nothing.

use std::collections::BTreeSet;
use std::path::Path;

use metier_format::lint::{Neighbour, Surroundings, everything};
use metier_format::{AllowedTools, Diagnostic, Manifest, Mode, Severity, parse};
use metier_store::Scripts;
use metier_store::store::{LoadError, Location, Skill};
use metier_store::{FileStore, Layer, Root, RootId, Store as _};
use serde::Serialize;

/// A skill looked at before it is installed.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// What it says it is for.
    pub description: String,
    /// What it can run and reach.
    pub reach: Reach,
    /// The whole `SKILL.md`.
    pub text: String,
}

/// What a skill can run and reach, as its files and its frontmatter say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// `allowed-tools`; none means any.
    pub tools: Option<Vec<String>>,
    /// Files that are scripts, or can be executed.
    pub scripts: Vec<String>,
    /// `toolsets`.
    pub toolsets: Vec<String>,
    /// `hooks`.
    pub hooks: Vec<String>,
    /// `permissions.network`.
    pub hosts: Vec<String>,
    /// `permissions.env`.
    pub environment: Vec<String>,
    /// `permissions.filesystem`.
    pub files: Vec<String>,
}

/// How one reach differs from another, each side in lines such as `host api.example`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReachChange {
    /// What was not there before.
    pub gained: Vec<String>,
    /// What is not there any more.
    pub lost: Vec<String>,
}

impl Inspection {
    /// Looks at the skill in `directory`, whose last component is its name.
    pub fn of(directory: &Path) -> Result<Self, LoadError> {
        let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
        let skill = store.load(&Location { root: RootId(0), path: Path::new("").into() })?;
        Ok(Self {
            diagnostics: findings(&skill, directory),
            description: skill.manifest.description.value.clone(),
            reach: Reach::of(&skill),
            text: String::from_utf8_lossy(&skill.source).into_owned(),
        })
    }

    /// What keeps it from being installed in `mode`.
    pub fn errors(&self, mode: Mode) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(move |found| found.severity(mode) == Severity::Error)
    }
}

impl Reach {
    fn of(skill: &Skill) -> Self {
        let manifest = &skill.manifest;
        let parts = &manifest.parts;
        let texts = |list: &[metier_format::manifest::Text]| -> Vec<String> {
            list.iter().map(|text| text.value.clone()).collect()
        };
        // Before it is installed, whatever might be a script counts as one.
        let found = Scripts::of(skill, |_| true).found;
        let mut scripts: BTreeSet<String> = found.into_iter().map(|script| script.path).collect();
        let executables = skill.resources.files.iter().filter(|file| file.executable);
        scripts.extend(executables.map(|file| file.path.clone()));
        scripts.extend(parts.scripts.iter().flatten().map(|script| script.value.clone()));
        let hooks = [&manifest.invocation.hook_pre, &manifest.invocation.hook_post];
        Self {
            tools: tools(manifest),
            scripts: scripts.into_iter().collect(),
            toolsets: texts(&parts.toolsets),
            hooks: hooks.into_iter().flatten().map(|hook| hook.value.clone()).collect(),
            hosts: texts(&parts.network),
            environment: texts(&parts.env),
            files: texts(&parts.filesystem),
        }
    }

    /// Everything in it, one thing a line.
    #[must_use]
    pub fn lines(&self) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        let mut add = |what: &str, list: &[String]| {
            lines.extend(list.iter().map(|one| format!("{what} {one}")));
        };
        match &self.tools {
            None => add("any", &["tool".to_owned()]),
            Some(tools) => add("tool", tools),
        }
        add("script", &self.scripts);
        add("toolset", &self.toolsets);
        add("hook", &self.hooks);
        add("host", &self.hosts);
        add("variable", &self.environment);
        add("file", &self.files);
        lines
    }

    /// How `newer` differs from this.
    #[must_use]
    pub fn change_to(&self, newer: &Self) -> ReachChange {
        let (old, new) = (self.lines(), newer.lines());
        ReachChange {
            gained: new.difference(&old).cloned().collect(),
            lost: old.difference(&new).cloned().collect(),
        }
    }
}

fn tools(manifest: &Manifest) -> Option<Vec<String>> {
    match &manifest.allowed_tools.as_ref()?.value {
        AllowedTools::Only(patterns) => Some(patterns.iter().map(ToString::to_string).collect()),
        AllowedTools::Unreadable => Some(Vec::new()),
    }
}

/// Everything lint says, as it would say it of the skill in place.
fn findings(skill: &Skill, directory: &Path) -> Vec<Diagnostic> {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let parsed = parse(&skill.source, name.as_deref());
    let mut files: Vec<Neighbour> = Vec::new();
    for file in &skill.resources.files {
        let ends = file.path.match_indices('/').map(|(at, _)| at);
        files.extend(ends.filter_map(|end| {
            let path = file.path.get(..end)?.to_owned();
            Some(Neighbour { path, directory: true })
        }));
        files.push(Neighbour { path: file.path.clone(), directory: false });
    }
    files.sort();
    files.dedup();
    let around = Surroundings { files: Some(&files), body_tokens: None };
    everything(&skill.source, &parsed, &around)
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
