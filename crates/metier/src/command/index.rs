//! `metier index`: remote lists of skills, added, asked and searched. What they list is kept, so that
//! they can be searched when nobody can be reached.

use clap::{Args, Subcommand};
use metier_format::text::visible_line;
use metier_package::Bases;
use metier_package::index::{self, Contents, Found, Index};
use metier_runtime::{Clock as _, Moment};
use serde::Serialize;
use serde_json::json;

use crate::clock::{SystemClock, shown};
use crate::error::{CommandError, CommandResult, Status};
use crate::packages::{self, Fetching, index_error};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui, counted};

/// Hits a search shows when nobody says how many.
const HITS: usize = 20;

/// Find skills in remote indexes
///
/// An index is a web server's list at `/.well-known/agent-skills/index.json`, which `metier serve`
/// has, too, a git repository with skills or with a plugin marketplace, or an MCP server that offers
/// skills: one on the web, or a program that is started and talked with. `metier add
/// index:NAME/SKILL` installs what an index lists, after its digest was checked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier index add team https://skills.example\n  \
    metier index add anthropic anthropics/skills\n  metier index search pdf\n  \
    metier index add office mcp+https://skills.example/mcp\n  \
    metier index add local -- my-mcp-server --stdio\n  \
    metier index refresh\n  metier add index:team/pdf")]
pub(crate) struct IndexArgs {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Add an index, and ask what it lists
    #[command(after_help = "Examples:\n  metier index add team https://skills.example\n  \
        metier index add office mcp+https://skills.example/mcp\n  \
        metier index add local -- my-mcp-server --stdio")]
    Add(AddIndex),
    /// List the indexes, or with a name what it lists
    #[command(after_help = "Example:\n  metier index list team")]
    List {
        /// The index
        name: Option<String>,
    },
    /// Find skills in all indexes
    #[command(after_help = "Example:\n  metier index search 'fill in a form'")]
    Search {
        /// What is to be done
        #[arg(required = true)]
        query: Vec<String>,
        /// Most hits
        #[arg(long, value_name = "N", default_value_t = HITS)]
        limit: usize,
    },
    /// Ask indexes again what they list
    #[command(after_help = "Example:\n  metier index refresh team")]
    Refresh {
        /// The index; without, all
        name: Option<String>,
    },
    /// Remove an index
    #[command(after_help = "Example:\n  metier index remove team")]
    Remove {
        /// The index
        name: String,
    },
}

/// Which index to add.
#[derive(Debug, Args)]
struct AddIndex {
    /// What to call it, and where it is: a web server, the address of a list, a repository, or
    /// `mcp+https://…` for an MCP server
    #[arg(value_names = ["NAME", "SOURCE"], num_args = 0..=2)]
    words: Vec<String>,
    /// What to call it
    #[arg(long = "name", value_name = "NAME")]
    label: Option<String>,
    /// The program of an MCP server on this machine, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    command: Vec<String>,
}

/// An index, as JSON.
#[derive(Serialize)]
struct IndexShape<'a> {
    name: &'a str,
    source: &'a str,
    /// The program of an MCP server on this machine, and its arguments.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    command: &'a [String],
    skills: usize,
    problems: &'a [String],
    /// When it last answered, in UTC; none when it never did.
    asked: Option<String>,
    /// Why what it listed before is used, when that is so.
    stale: Option<&'a str>,
}

/// An index with what it lists, or listed.
struct Known {
    index: Index,
    contents: Contents,
    /// Why it could not be asked.
    stale: Option<String>,
}

/// Does what was asked for.
pub(crate) fn run(args: &IndexArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    match &args.act {
        Act::Add(which) => add(which, settings, ui),
        Act::List { name: None } => list(settings, ui),
        Act::List { name: Some(name) } => list_one(name, settings, ui),
        Act::Search { query, limit } => search(&query.join(" "), *limit, settings, ui),
        Act::Refresh { name } => refresh(name.as_deref(), settings, ui),
        Act::Remove { name } => remove(name, settings, ui),
    }
}

/// The index that was typed.
fn meant(which: &AddIndex, bases: &Bases, settings: &Settings) -> Result<Index, CommandError> {
    let words: Vec<&str> = which.words.iter().map(String::as_str).collect();
    let (name, source) = match (which.label.as_deref(), words.as_slice()) {
        (Some(name), []) => (name.to_owned(), None),
        (Some(name), [source]) => (name.to_owned(), Some(*source)),
        (None, [source]) if source.contains("://") => (called(source), Some(*source)),
        (None, [name]) => ((*name).to_owned(), None),
        (None, [name, source]) => ((*name).to_owned(), Some(*source)),
        _ => (String::new(), None),
    };
    let index = match (source, which.command.as_slice()) {
        (Some(source), []) => Index::new(&name, &wherever(source, settings), bases),
        (None, command @ [_, ..]) => Index::of_command(&name, command),
        (Some(_), _) | (None, []) => {
            let error = CommandError::usage("say what to call the index, and where it is");
            let error = error.code("bad_index");
            return Err(error.hint("`metier index add NAME SOURCE`, or `… NAME -- PROGRAM …`"));
        }
    };
    index.map_err(index_error)
}

/// The source as it is written down: a path that begins here or at home means the same from
/// everywhere.
fn wherever(source: &str, settings: &Settings) -> String {
    let first = source.split('/').next().unwrap_or_default();
    match first {
        "." | ".." | "~" => packages::resolve_path(source, settings).to_string_lossy().into_owned(),
        _ => source.to_owned(),
    }
}

/// What an address without a name is called: its host, with `-` for the dots.
fn called(source: &str) -> String {
    let host = source.split("://").nth(1).unwrap_or(source);
    let host = host.split(['/', ':']).next().unwrap_or(host);
    host.replace('.', "-")
}

fn add(which: &AddIndex, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let fetching = Fetching::new(settings)?;
    let index = meant(which, fetching.bases(), settings)?;
    if index::list(&home).map_err(index_error)?.iter().any(|known| known.name == index.name) {
        return Err(index_error(index::IndexError::Exists(index.name)));
    }
    // Asked before it is added: an index that never answered is of no use.
    let contents = fetching.index(&index, None).map_err(index_error)?;
    index::add(&home, &index).map_err(index_error)?;
    index::save(&home, &index, &contents).map_err(index_error)?;
    told(&[Known { index, contents, stale: None }], ui);
    Ok(Status::Ok)
}

fn list(settings: &Settings, ui: &mut Ui) -> CommandResult {
    let known = known(settings)?;
    told(&known, ui);
    if known.is_empty() && !ui.json() {
        ui.line("there are no indexes; `metier index add NAME SOURCE` adds one");
    }
    Ok(Status::Ok)
}

fn list_one(name: &str, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let known = known(settings)?.into_iter().find(|known| known.index.name == name);
    let known = known.ok_or_else(|| index_error(index::IndexError::Missing(name.to_owned())))?;
    if ui.json() {
        ui.document(&json!({ "index": shape(&known), "skills": known.contents.skills }));
        return Ok(Status::Ok);
    }
    let mut table = Table::default();
    for skill in &known.contents.skills {
        table.row([(Some(Tone::Strong), skill.name.clone()), (None, skill.description.clone())]);
    }
    ui.table(&table);
    remark(&known, ui);
    Ok(Status::Ok)
}

fn search(query: &str, limit: usize, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let known = known(settings)?;
    let pairs: Vec<(Index, Contents)> =
        known.into_iter().map(|known| (known.index, known.contents)).collect();
    let hits = index::search(&pairs, query, limit);
    if ui.json() {
        ui.document(&json!({ "hits": hits }));
        return Ok(Status::Ok);
    }
    let mut table = Table::default();
    for Found { index, listed, .. } in &hits {
        let name = format!("index:{index}/{}", listed.name);
        table.row([(Some(Tone::Strong), name), (None, listed.description.clone())]);
    }
    ui.table(&table);
    if pairs.is_empty() {
        ui.note("there are no indexes; `metier index add NAME SOURCE` adds one");
    } else if hits.is_empty() {
        ui.line("no index lists a skill like that");
    }
    Ok(Status::Ok)
}

fn refresh(name: Option<&str>, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let fetching = Fetching::new(settings)?;
    let mut all = known(settings)?;
    if let Some(name) = name {
        all.retain(|known| known.index.name == name);
        if all.is_empty() {
            return Err(index_error(index::IndexError::Missing(name.to_owned())));
        }
    }
    for known in &mut all {
        // What an index listed before is better than nothing, and it is said that it is old.
        match fetching.index(&known.index, Some(&known.contents)) {
            Ok(contents) => {
                index::save(&home, &known.index, &contents).map_err(index_error)?;
                known.contents = contents;
            }
            Err(error) => known.stale = Some(index_error(error).message()),
        }
    }
    told(&all, ui);
    if all.is_empty() && !ui.json() {
        ui.line("there are no indexes; `metier index add NAME SOURCE` adds one");
    }
    let failed = all.iter().any(|known| known.stale.is_some());
    Ok(if failed { Status::Partly } else { Status::Ok })
}

fn remove(name: &str, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let removed = index::remove(&home, name).map_err(index_error)?;
    match ui.json() {
        true => ui.document(&json!({ "removed": removed.name })),
        false => ui.line(format!("removed the index {}", visible_line(&removed.name))),
    }
    Ok(Status::Ok)
}

/// Every index with what it listed last.
fn known(settings: &Settings) -> Result<Vec<Known>, CommandError> {
    let home = packages::home(settings)?;
    let mut all = Vec::new();
    for index in index::list(&home).map_err(index_error)? {
        let contents = index::cached(&home, &index).map_err(index_error)?.unwrap_or_default();
        all.push(Known { index, contents, stale: None });
    }
    Ok(all)
}

fn shape(known: &Known) -> IndexShape<'_> {
    let contents = &known.contents;
    IndexShape {
        name: &known.index.name,
        source: &known.index.source,
        command: &known.index.command,
        skills: contents.skills.len(),
        problems: &contents.problems,
        asked: (contents.asked > 0).then(|| shown(Moment(contents.asked)).replace(' ', "T")),
        stale: known.stale.as_deref(),
    }
}

fn told(all: &[Known], ui: &mut Ui) {
    if ui.json() {
        let shapes: Vec<IndexShape<'_>> = all.iter().map(shape).collect();
        ui.document(&json!({ "indexes": shapes }));
        return;
    }
    let mut table = Table::default();
    for known in all {
        let count = known.contents.skills.len();
        table.row([
            (Some(Tone::Strong), visible_line(&known.index.name).into_owned()),
            (None, counted(count, "skill", "skills")),
            (Some(Tone::Faint), age(known.contents.asked)),
            (Some(Tone::Faint), whereabouts(&known.index)),
        ]);
    }
    ui.table(&table);
    for known in all {
        remark(known, ui);
    }
}

/// Where an index is, in one line.
fn whereabouts(index: &Index) -> String {
    match index.command.is_empty() {
        true => visible_line(&index.source).into_owned(),
        false => visible_line(&index.command.join(" ")).into_owned(),
    }
}

/// Says what is wrong with an index, and when what it listed is old.
fn remark(known: &Known, ui: &mut Ui) {
    let name = visible_line(&known.index.name).into_owned();
    if let Some(why) = &known.stale {
        let since = age(known.contents.asked);
        ui.note(&format!("warning: `{name}` cannot be asked: {}", visible_line(why)));
        ui.note(&format!("note: what `{name}` listed is used, {since}"));
    }
    for problem in &known.contents.problems {
        ui.note(&format!("warning: `{name}`: {}", visible_line(problem)));
    }
}

/// How long ago that was, for people.
fn age(asked: u64) -> String {
    let minutes = SystemClock.now().0.saturating_sub(asked) / 60_000;
    match (asked, minutes) {
        (0, _) => "never asked".to_owned(),
        (_, 0) => "asked just now".to_owned(),
        (_, 1..60) => format!("asked {minutes} min ago"),
        (_, 60..2880) => format!("asked {} h ago", minutes / 60),
        _ => format!("asked {} days ago", minutes / 1440),
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
