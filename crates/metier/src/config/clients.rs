//! `clients`: a section for each client of a server that has less than the server. A section only
//! takes away: which skills there are besides, and what is allowed besides, is not for it to say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use metier_format::NameKey;
use metier_policy::Profile;
use metier_serve::agent_hook::is_of_an_agent;

use super::{Fault, Value, enabled, expected, list, path, suggest, text};

/// Most sections. Each that has a token has a table of connections of its own.
const MAX_CLIENTS: usize = 64;

/// Longest name of a section. It is part of the names of sessions.
const MAX_NAME: usize = 48;

/// The sections, by name.
pub(crate) type Clients = BTreeMap<String, ClientConfig>;

/// One section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientConfig {
    /// `skills`: of those the server has, these; all of them when nothing is said.
    pub(crate) skills: Option<String>,
    /// `disabled`: not these, whatever `skills` says.
    pub(crate) disabled: Vec<String>,
    /// `policy`.
    pub(crate) policy: Option<ClientPolicy>,
    /// `token-file`, resolved: what `metier serve` knows the client by.
    pub(crate) token_file: Option<PathBuf>,
}

/// What holds for a client besides the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientPolicy {
    /// A profile.
    Profile(Profile),
    /// A policy file, resolved.
    File(PathBuf),
}

/// The section that `name` means, however it is spelled.
pub(crate) fn section<'a>(clients: &'a Clients, name: &str) -> Option<&'a str> {
    let key = NameKey::of(name);
    clients.keys().map(String::as_str).find(|known| NameKey::of(known) == key)
}

/// `clients`: a table by name.
pub(super) fn clients(value: &Value<'_>) -> Result<Clients, Fault> {
    let table = value.get_ref().as_table().ok_or_else(|| expected(value, "a table of clients"))?;
    if table.len() > MAX_CLIENTS {
        return Err(Fault::at(value, format!("there are more than {MAX_CLIENTS} clients")));
    }
    let mut clients = Clients::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let usual = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(usual) {
            let fault = Fault::at(key, format!("`{name}` cannot name a client"));
            let hint = format!("a name has letters, digits, `-` and `_`, at most {MAX_NAME}");
            return Err(fault.hint(hint));
        }
        if let Some(other) = section(&clients, name) {
            return Err(Fault::at(key, format!("`{name}` and `{other}` are the same client")));
        }
        let client = client(value)?;
        if client.token_file.is_some() && is_of_an_agent(&format!("{name}.x")) {
            let why = "the sessions of a client with a token are called after it, and sessions so \
                       called are an agent's own, which no client may name";
            let fault =
                Fault::at(key, format!("`{name}` cannot name a client with a token: {why}"));
            return Err(fault.hint(format!("choose another name, such as `my-{name}`")));
        }
        clients.insert(name.to_owned(), client);
    }
    Ok(clients)
}

fn client(value: &Value<'_>) -> Result<ClientConfig, Fault> {
    const KEYS: [&str; 4] = ["skills", "disabled", "policy", "token-file"];
    let what = "a table with `skills`, `disabled`, `policy` and `token-file`";
    let table = value.get_ref().as_table().ok_or_else(|| expected(value, what))?;
    let mut client = ClientConfig::default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "skills" => client.skills = Some(enabled(value)?),
            "disabled" => client.disabled = list(value, text)?,
            "policy" => client.policy = Some(policy(value)?),
            "token-file" => client.token_file = Some(path(value)?),
            other => {
                let fault = Fault::at(key, format!("unknown key `{other}` in a client"));
                return Err(fault.hint(suggest(other, &KEYS, "a client has")));
            }
        }
    }
    Ok(client)
}

/// A profile, when the text is the word for one; else a file.
fn policy(value: &Value<'_>) -> Result<ClientPolicy, Fault> {
    let word = text(value)?;
    match Profile::ALL.into_iter().find(|profile| profile.as_str() == word) {
        Some(profile) => Ok(ClientPolicy::Profile(profile)),
        None => path(value).map(ClientPolicy::File),
    }
}

#[cfg(test)]
#[path = "clients_tests.rs"]
mod tests;
