//! `[scripts]` of a policy file.

use toml::de::DeInteger;

use super::PolicyErrorKind;
use super::read::{Read, Reader, Table, get};
use crate::glob;
use crate::scripts::{
    ProjectAccess, ScriptDependencies, ScriptLevel, ScriptLimits, ScriptNetwork, ScriptTable,
};

const KEYS: [&str; 10] = [
    "dependencies",
    "env",
    "level",
    "memory-mib",
    "network",
    "only-active",
    "output-kib",
    "processes",
    "project",
    "timeout",
];

impl Reader<'_> {
    pub(super) fn scripts(&self, file: &Table<'_>) -> Read<ScriptTable> {
        let Some(item) = get(file, "scripts") else { return Ok(ScriptTable::default()) };
        let table = item.get_ref().as_table();
        let table = table.ok_or_else(|| self.wrong_type(item, "scripts", "a table"))?;
        self.check_keys(table, &KEYS)?;
        fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<(&'static str, T)> {
            all.iter().map(|choice| (word(*choice), *choice)).collect()
        }
        let levels = words(ScriptLevel::ALL, ScriptLevel::as_str);
        let networks = words(ScriptNetwork::ALL, ScriptNetwork::as_str);
        let dependencies = words(ScriptDependencies::ALL, ScriptDependencies::as_str);
        let projects = words(ProjectAccess::ALL, ProjectAccess::as_str);
        Ok(ScriptTable {
            level: self.word(table, "level", &levels)?,
            network: self.word(table, "network", &networks)?,
            dependencies: self.word(table, "dependencies", &dependencies)?,
            project: self.word(table, "project", &projects)?,
            only_active: self.only_active(table)?,
            env: self.variables(table)?,
            limits: ScriptLimits {
                timeout: self.positive(table, "timeout")?,
                memory_mib: self.positive(table, "memory-mib")?,
                processes: self.positive(table, "processes")?,
                output_kib: self.positive(table, "output-kib")?,
            },
        })
    }

    fn only_active(&self, table: &Table<'_>) -> Read<bool> {
        let Some(item) = get(table, "only-active") else { return Ok(false) };
        let value = item.get_ref().as_bool();
        value.ok_or_else(|| self.wrong_type(item, "only-active", "`true` or `false`"))
    }

    /// Names of variables, `*` and `?` for any characters.
    fn variables(&self, table: &Table<'_>) -> Read<Option<Vec<String>>> {
        if get(table, "env").is_none() {
            return Ok(None);
        }
        let mut names = Vec::new();
        for (name, at) in self.words(table, "env")? {
            if name.is_empty() || name.contains(['=', '\0']) || !glob::is_understood(&name) {
                let (key, value) = ("env".to_owned(), name);
                let expected = "a variable's name, perhaps with `*`".to_owned();
                let kind = PolicyErrorKind::UnknownValue { key, value, expected };
                return Err(self.error(Some(at), kind));
            }
            names.push(name);
        }
        Ok(Some(names))
    }

    /// A whole number from 1 on.
    fn positive(&self, table: &Table<'_>, key: &str) -> Read<Option<u64>> {
        let Some(item) = get(table, key) else { return Ok(None) };
        let number = item.get_ref().as_integer().map(DeInteger::as_str);
        match number.and_then(|text| text.parse::<u64>().ok()).filter(|number| *number > 0) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong_type(item, key, "a whole number greater than 0")),
        }
    }
}
