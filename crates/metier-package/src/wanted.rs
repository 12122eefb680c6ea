//! `skills.toml`: what is wanted, as a person would write it. `skills.lock` says what that exactly is.
//!
//! One table `[skills]`, a skill a key: `pdf = "owner/repo"`, or with more to say
//! `pdf = { source = "owner/repo", path = "skills/pdf", ref = "v2" }`. Comments and keys this version
//! does not know are kept.

use std::collections::BTreeMap;
use std::path::Path;

use metier_format::SkillName;
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::lockfile::{LockError, LockErrorKind};

/// A skill that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// Where from, as references are typed, without path and ref.
    pub source: String,
    /// The skill's directory in it; empty when it is to be found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Which branch, tag or commit; none for the newest.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
}

/// The file.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    document: DocumentMut,
    skills: BTreeMap<SkillName, Want>,
}

impl Wanted {
    /// Reads `text`, which stands in `path`.
    pub fn read(text: &str, path: &Path) -> Result<Self, LockError> {
        let fault = |at: usize, kind| LockError {
            path: path.to_owned(),
            line: 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count(),
            kind,
        };
        let document = toml_edit::Document::parse(text).map_err(|error| {
            let kind = LockErrorKind::Syntax(error.message().to_owned());
            fault(error.span().map_or(0, |span| span.start), kind)
        })?;
        let mut skills = BTreeMap::new();
        if let Some(item) = document.as_table().get("skills") {
            let at = |item: &Item| item.span().map_or(0, |span| span.start);
            let value = |item: &Item, message: &str| {
                fault(at(item), LockErrorKind::Value(message.to_owned()))
            };
            let table = item.as_table_like();
            let table = table.ok_or_else(|| value(item, "`skills` is not a table"))?;
            for (key, item) in table.iter() {
                let name = SkillName::parse(key);
                let name = name.map_err(|_| value(item, "a key is no skill's name"))?;
                let want = want(item).ok_or_else(|| value(item, "a skill has no `source`"))?;
                skills.insert(name, want);
            }
        }
        Ok(Self { document: document.into_mut(), skills })
    }

    /// What is wanted of the skill called `name`.
    #[must_use]
    pub fn get(&self, name: &SkillName) -> Option<&Want> {
        self.skills.get(name)
    }

    /// Everything that is wanted, by name.
    pub fn skills(&self) -> impl Iterator<Item = (&SkillName, &Want)> {
        self.skills.iter()
    }

    /// Wants `want` under `name`.
    pub fn set(&mut self, name: &SkillName, want: Want) {
        if self.skills.get(name) == Some(&want) {
            return;
        }
        let Some(table) = self.table() else { return };
        match table.get_mut(name.as_str()).and_then(Item::as_table_like_mut) {
            Some(entry) => fill(entry, &want),
            None => {
                let mut entry = InlineTable::new();
                fill(&mut entry, &want);
                table.insert(name.as_str(), Item::Value(Value::InlineTable(entry)));
            }
        }
        self.skills.insert(name.clone(), want);
    }

    /// Wants `name` no more.
    pub fn remove(&mut self, name: &SkillName) {
        if self.skills.remove(name).is_some()
            && let Some(table) = self.table()
        {
            table.remove(name.as_str());
        }
    }

    fn table(&mut self) -> Option<&mut dyn TableLike> {
        let item = self.document.entry("skills").or_insert_with(|| Item::Table(Table::new()));
        item.as_table_like_mut()
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.document.fmt(f)
    }
}

fn want(item: &Item) -> Option<Want> {
    if let Some(source) = item.as_str() {
        return Some(Want { source: source.to_owned(), ..Want::default() });
    }
    let table = item.as_table_like()?;
    let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
    Some(Want {
        source: text("source")?,
        path: text("path").unwrap_or_default(),
        requested: text("ref"),
    })
}

fn fill(entry: &mut dyn TableLike, want: &Want) {
    let texts = [
        ("source", Some(want.source.as_str())),
        ("path", Some(want.path.as_str()).filter(|path| !path.is_empty())),
        ("ref", want.requested.as_deref()),
    ];
    for (key, text) in texts {
        match text {
            Some(text) => drop(entry.insert(key, Item::Value(text.into()))),
            None => drop(entry.remove(key)),
        }
    }
}

#[cfg(test)]
#[path = "wanted_tests.rs"]
mod tests;
