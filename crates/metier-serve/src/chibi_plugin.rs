//! chibi's plugin: what the host asks in one run of the binary, and the one text that answers it.
//!
//! The host starts the plugin anew for its schema, for every hook and for every tool call. It drops
//! what a plugin prints when the plugin fails, and goes on without an answer when a hook is late or
//! breaks; so every failure here is an answer, and the answer of a failing guard is no. Nothing is
//! read or started here: the application is the [`Backing`]. Start at [`Asked::request`], then
//! [`answer`]; `schema`, `hook` and `market` are the three kinds of question, `caller` is whose
//! session it is.

pub mod caller;
mod hook;
mod market;
mod schema;

use std::sync::Arc;

use metier_package::index::{Contents, Index};
use metier_runtime::{JournalError, Session, unambiguous};
use metier_store::Catalog;
use metier_store::disclose::Disclose;
use serde_json::{Map, Value, json};

use crate::dialect::chibi::{self, MARKET, PREFIX, READ, RELEASE, RUN, USE};

#[cfg(test)]
pub(crate) use hook::names as hooks;

/// The tool people reach the plugin by on chibi's command line.
pub const COMMAND: &str = "agent-skills";

/// Why arguments are not read.
const MIXED: &str = "'args' holds words of the command line and stands beside named arguments";

/// What the host said in one run: its arguments, and the variables it set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The words after the plugin's name.
    pub words: Vec<String>,
    /// `CHIBI_HOOK`.
    pub hook: Option<String>,
    /// `CHIBI_HOOK_DATA`, which chibi set until 0.6.
    pub hook_data: Option<String>,
    /// `CHIBI_TOOL_NAME`.
    pub tool: Option<String>,
    /// `CHIBI_TOOL_ARGS`, which chibi set until 0.6.
    pub tool_arguments: Option<String>,
}

/// What the host wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// The tools there are.
    Schema,
    /// Something is about to happen, or has.
    Hook {
        /// What.
        name: String,
        /// What is known about it; null when it cannot be read.
        data: Value,
    },
    /// A tool is called.
    Tool {
        /// Its name; empty when an old host does not say it.
        name: String,
        /// What with; null when it cannot be read.
        arguments: Value,
    },
    /// Nothing was said.
    Nothing,
}

/// Why what somebody asked for was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It was not asked as it has to be.
    #[error("{0}")]
    Usage(String),
    /// It could not be done.
    #[error("{0}")]
    Failed(String),
}

/// What the application brings.
pub trait Backing {
    /// The skills there are.
    fn catalog(&self) -> Arc<Catalog>;

    /// The caller's session with the skills at hand.
    fn open(&self) -> Result<Session, JournalError>;

    /// The caller's session to rule in, where these tools count as metier's own.
    fn open_to_rule(&self, own: &[&str]) -> Result<Session, JournalError>;

    /// Whether anything was recorded in the caller's session. Writes nothing.
    fn is_begun(&self) -> bool;

    /// Ends the sessions of callers that are gone, and of nobody else.
    fn close_stale(&self);

    /// How the catalog is shown in a prompt: in how many tokens, and which skills whatever that takes.
    fn disclose(&self) -> Disclose;

    /// Seconds a script may take.
    fn script_seconds(&self) -> u64;

    /// The remote indexes somebody added, each with what it listed when it was last asked; without,
    /// where that is not known. Asks nobody.
    fn indexes(&self) -> Result<Vec<(Index, Option<Contents>)>, String>;

    /// Installs what `reference` names. Gives the names, or why not.
    fn install(&self, reference: &str) -> Result<Vec<String>, String>;

    /// Removes the installed skill called `name`. Gives its name, or why not.
    fn remove(&self, name: &str) -> Result<String, String>;
}

impl Asked {
    /// Whether the rest of the question is on standard input. Where the host put it into variables,
    /// standard input is the user's terminal and is left alone.
    #[must_use]
    pub fn is_on_stdin(&self) -> bool {
        if self.words.first().is_some_and(|word| word == "--schema") {
            return false;
        }
        match (&self.hook, &self.tool) {
            (Some(_), _) => self.hook_data.is_none(),
            (None, Some(_)) => self.tool_arguments.is_none(),
            (None, None) => false,
        }
    }

    /// What the host wants; `stdin` is what it wrote there.
    #[must_use]
    pub fn request(&self, stdin: &[u8]) -> Request {
        if self.words.first().is_some_and(|word| word == "--schema") {
            return Request::Schema;
        }
        let read = |variable: &Option<String>| match variable {
            Some(text) => read_object(text.as_bytes()),
            None => read_object(stdin),
        };
        if let Some(name) = &self.hook {
            return Request::Hook { name: name.clone(), data: read(&self.hook_data) };
        }
        if self.tool.is_some() || self.tool_arguments.is_some() {
            let name = self.tool.clone().unwrap_or_default();
            return Request::Tool { name, arguments: read(&self.tool_arguments) };
        }
        match self.words.is_empty() {
            true => Request::Nothing,
            // A person who runs the plugin's file itself.
            false => {
                Request::Tool { name: COMMAND.to_owned(), arguments: json!({ "args": self.words }) }
            }
        }
    }
}

/// Answers `request`. Whatever goes wrong is part of the answer.
#[must_use]
pub fn answer(request: &Request, backing: &dyn Backing) -> String {
    match request {
        Request::Schema => schema::schema(&backing.catalog()).to_string(),
        Request::Hook { name, data } => hook::answer(name, data, backing).to_string(),
        Request::Tool { name, arguments } => tool(name, arguments, backing),
        Request::Nothing => usage(),
    }
}

/// The answer when there can be none: the tools with their hooks, so that the host still asks; no
/// to every call that is asked about; the reason in words to everything else.
#[must_use]
pub fn fallback(request: &Request, why: &str) -> String {
    match request {
        Request::Schema => schema::bare().to_string(),
        Request::Hook { name, .. } => hook::refusal(name, why).to_string(),
        Request::Tool { .. } | Request::Nothing => format!("Error: {why}"),
    }
}

/// Does what a person typed after the plugin's name, where no host asks. A host would lose what goes
/// wrong if the plugin failed; a person's shell wants it to.
pub fn by_hand(words: &[String], backing: &dyn Backing) -> Result<String, Fault> {
    if words.is_empty() {
        return Ok(usage());
    }
    let arguments = named(COMMAND, &json!({ "args": words }));
    market::answer(&arguments.map_err(|why| Fault::Usage(why.to_owned()))?, backing)
}

fn tool(name: &str, arguments: &Value, backing: &dyn Backing) -> String {
    if !arguments.is_object() {
        return "Error: The arguments are not a JSON object".to_owned();
    }
    let name = match name {
        "" => match inferred(arguments) {
            Some(name) => name,
            None => return format!("Error: {NO_NAME}"),
        },
        name => name,
    };
    let mut arguments = match named(name, arguments) {
        Ok(arguments) => arguments,
        Err(why) => return format!("Error: {why}"),
    };
    if name == MARKET || name == COMMAND {
        return market::answer(&arguments, backing)
            .unwrap_or_else(|fault| format!("Error: {fault}"));
    }
    if let (RUN, Value::Object(members)) = (name, &mut arguments) {
        members.insert("timeout".to_owned(), backing.script_seconds().into());
    }
    let mut session = match backing.open() {
        Ok(session) => session,
        Err(error) => return format!("Error: {error}"),
    };
    let given = arguments.get("arguments").cloned();
    let reply = chibi::call_whole(&mut session, name, &arguments).or_else(|| {
        // The host asks nobody else for it: a skill that is gone, or is not offered.
        let arguments = json!({ "skill": name.strip_prefix(PREFIX)?, "arguments": given });
        chibi::call_whole(&mut session, USE, &arguments)
    });
    reply.map_or_else(|| format!("Error: Unknown tool '{name}'"), |reply| reply.text)
}

/// Why a call is not carried out whose tool the host does not name.
const NO_NAME: &str = "The host does not say which tool is called, and more than one takes this";

/// The tool that a host means which does not name it, where only one takes such arguments. A skill's
/// name alone may be meant to take the skill up or to release it, and the tools of skills have no
/// name in their arguments; then it is none.
fn inferred(arguments: &Value) -> Option<&'static str> {
    let has = |member: &str| arguments.get(member).is_some();
    let action = || {
        let word = arguments.get("args").and_then(|args| args.get(0)).and_then(Value::as_str);
        word.is_some_and(|word| market::ACTIONS.contains(&word))
    };
    match () {
        () if has("script") => Some(RUN),
        () if has("path") => Some(READ),
        () if has("action") || are_words(arguments) && action() => Some(MARKET),
        () if has("skill") && has("arguments") => Some(USE),
        () => None,
    }
}

/// Whether arguments are words from chibi's command line, which have no name each.
fn are_words(arguments: &Value) -> bool {
    let members = arguments.as_object().map_or(0, Map::len);
    members == 1 && arguments.get("args").is_some_and(Value::is_array)
}

/// The arguments by name, when they came as `{"args": […]}` from chibi's command line. The guard and
/// the tool both read them through this, so that what is ruled on is what is done. Words beside names
/// would mean one thing to one reader and another to the next; they are refused.
fn named(tool: &str, arguments: &Value) -> Result<Value, &'static str> {
    let Some(Value::Array(items)) = arguments.get("args") else { return Ok(arguments.clone()) };
    match are_words(arguments) {
        true => {}
        // This tool has a parameter of that name.
        false if tool == RUN => return Ok(arguments.clone()),
        false => return Err(MIXED),
    }
    let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    let mut named = Map::new();
    let mut give = |name: &str, value: Value| named.insert(name.to_owned(), value);
    let rest = |from: usize| words.get(from..).unwrap_or_default();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    match tool {
        MARKET | COMMAND => {
            give("action", word(0).into());
            give("skill_ref", word(1).into());
            give("query", rest(1).join(" ").into());
        }
        READ => {
            give("skill", word(0).into());
            give("path", word(1).into());
        }
        RUN => {
            give("skill", word(0).into());
            give("script", word(1).into());
            give("args", rest(2).into());
        }
        USE | RELEASE => {
            give("skill", word(0).into());
            give("arguments", rest(1).join(" ").into());
        }
        _ => {
            give("arguments", rest(0).join(" ").into());
        }
    }
    Ok(Value::Object(named))
}

/// The object `bytes` are; an empty one for no bytes, null for what is none or has a name twice.
fn read_object(bytes: &[u8]) -> Value {
    if bytes.trim_ascii().is_empty() {
        return json!({});
    }
    match unambiguous::read(bytes) {
        Ok(value @ Value::Object(_)) => value,
        _ => Value::Null,
    }
}

fn usage() -> String {
    format!(
        "This is chibi's plugin for Agent Skills; chibi starts it by itself.\n\
         By hand: {COMMAND} install REFERENCE | remove NAME | list_installed | search WORDS"
    )
}

#[cfg(test)]
#[path = "chibi_plugin_tests.rs"]
mod tests;
