//! What the user adds to the tables of `metier-policy`: other names for a host's tools, tools a host
//! needs to talk to its user, and programs that run other programs.
//!
//! Only names that the tables do not have can be added, so that no entry changes what is known:
//! `Bash` stays a shell and `git` what it is.

use std::collections::BTreeMap;

use metier_policy::host::{Flow, HostTable, ToolEntry};
use metier_policy::programs::{Program, ProgramTable};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, ValueDeserializer};

use super::{Fault, Value, expected, list, suggest, text};

/// The user's own tools, by host.
pub(crate) type Hosts = BTreeMap<String, Vec<ToolEntry>>;

/// `hosts`: a table by host.
pub(super) fn hosts(value: &Value<'_>) -> Result<Hosts, Fault> {
    let mut hosts = Hosts::new();
    for (key, value) in table(value, "a table of hosts")? {
        let name = key.get_ref().as_ref();
        let Some(known) = HostTable::named(name) else {
            let names: Vec<&str> = HostTable::known().collect();
            let fault = Fault::at(key, format!("`{name}` is not a host"));
            return Err(fault.hint(suggest(name, &names, "the hosts are")));
        };
        hosts.insert(name.to_owned(), host(known, value)?);
    }
    Ok(hosts)
}

/// `programs`: one entry.
pub(super) fn program(value: &Value<'_>) -> Result<Program, Fault> {
    let program: Program = read(value)?;
    if program.names.is_empty() {
        return Err(Fault::at(value, "the program has no `names`"));
    }
    let built_in = ProgramTable::built_in();
    for name in &program.names {
        let stem = name.strip_suffix('*').unwrap_or(name);
        if stem.is_empty() || stem.contains(['/', '*']) || stem.chars().any(char::is_whitespace) {
            let fault = Fault::at(value, format!("`{name}` cannot be a program's name"));
            return Err(
                fault.hint("write the name without its directory; a final `*` is a version")
            );
        }
        if built_in.program(stem).is_some() {
            let fault = Fault::at(value, format!("what `{name}` does is known already"));
            return Err(fault.hint("settings add programs; a policy rule can forbid one"));
        }
    }
    Ok(program)
}

/// One host: its `aliases` and its `flow`.
fn host(known: &HostTable, value: &Value<'_>) -> Result<Vec<ToolEntry>, Fault> {
    let mut tools = Vec::new();
    for (key, value) in table(value, "a table with `aliases` and `flow`")? {
        match key.get_ref().as_ref() {
            "aliases" => {
                for (name, value) in table(value, "a table of names")? {
                    fresh(known, name, name.get_ref())?;
                    tools.push(alias(known, name.get_ref(), value)?);
                }
            }
            "flow" => tools.extend(list(value, |item| flow(known, item))?),
            other => {
                let fault = Fault::at(key, format!("unknown key `{other}` in a host"));
                return Err(fault.hint(suggest(other, &["aliases", "flow"], "a host has")));
            }
        }
    }
    Ok(tools)
}

/// A tool the host needs to talk to its user.
fn flow(known: &HostTable, value: &Value<'_>) -> Result<ToolEntry, Fault> {
    let name = text(value)?;
    fresh(known, value, &name)?;
    Ok(ToolEntry { names: vec![name], flow: Some(Flow::Talk), ..ToolEntry::default() })
}

/// Another name for a tool: the tool's own, or a table with `is` and the fields of its arguments.
fn alias(known: &HostTable, name: &str, value: &Value<'_>) -> Result<ToolEntry, Fault> {
    let given = match value.get_ref().as_str() {
        Some(is) => ToolEntry { is: is.to_owned(), ..ToolEntry::default() },
        None => read(value)?,
    };
    if !given.names.is_empty() || given.flow.is_some() {
        return Err(Fault::at(value, "an alias has neither `names` nor `flow`"));
    }
    let is = given.is.to_lowercase();
    let meant = known.tools().find(|tool| tool.is == is).or_else(|| known.tool(&is));
    let Some(meant) = meant.or_else(|| HostTable::plain().tool(&is)) else {
        let names: Vec<&str> = HostTable::plain().tools().map(|tool| tool.is.as_str()).collect();
        let fault = Fault::at(value, format!("`{}` is not a tool", given.is));
        return Err(fault.hint(suggest(&is, &names, "write one of")));
    };
    let or = |given: Vec<String>, known: &[String]| {
        if given.is_empty() { known.to_vec() } else { given }
    };
    Ok(ToolEntry {
        names: vec![name.to_owned()],
        server: given.server,
        command: or(given.command, &meant.command),
        paths: or(given.paths, &meant.paths),
        urls: or(given.urls, &meant.urls),
        url_text: or(given.url_text, &meant.url_text),
        directory: or(given.directory, &meant.directory),
        hides_directory: given.hides_directory,
        patch: or(given.patch, &meant.patch),
        is: if meant.is.is_empty() { is } else { meant.is.clone() },
        flow: meant.flow,
    })
}

/// Refuses a name that the host has.
fn fresh<T>(known: &HostTable, place: &Spanned<T>, name: &str) -> Result<(), Fault> {
    if name.trim().is_empty() {
        return Err(Fault::at(place, "the name is empty"));
    }
    match known.tool(&name.to_lowercase()) {
        None => Ok(()),
        Some(_) => Err(Fault::at(place, format!("`{}` has a tool `{name}` already", known.name))),
    }
}

fn table<'v, 'i>(value: &'v Value<'i>, what: &str) -> Result<&'v DeTable<'i>, Fault> {
    value.get_ref().as_table().ok_or_else(|| expected(value, what))
}

/// A value of the policy crate's own form, with the place of what does not fit.
fn read<T: DeserializeOwned>(value: &Value<'_>) -> Result<T, Fault> {
    T::deserialize(ValueDeserializer::from(value.clone())).map_err(|error| Fault {
        span: error.span().unwrap_or_else(|| value.span()),
        message: error.message().to_owned(),
        hint: None,
    })
}

#[cfg(test)]
#[path = "extend_tests.rs"]
mod tests;
