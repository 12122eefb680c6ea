//! `metier index`: remote lists of skills, added, asked and searched. What they list is kept, so that
//! they can be searched when nobody can be reached.

use clap::{Args, Subcommand};
use metier_format::text::visible_line;
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
/// has, too, or a git repository with skills or with a plugin marketplace. `metier add
/// index:NAME/SKILL` installs what an index lists, after its digest was checked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier index add team https://skills.example\n  \
    metier index add anthropic anthropics/skills\n  metier index search pdf\n  \
    metier index refresh\n  metier add index:team/pdf")]
pub(crate) struct IndexArgs {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Add an index, and ask what it lists
    #[command(after_help = "Example:\n  metier index add team https://skills.example")]
    Add {
        /// What to call it
        name: String,
        /// A web server, the address of a list, or a repository
        source: String,
    },
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

/// An index, as JSON.
#[derive(Serialize)]
struct IndexShape<'a> {
    name: &'a str,
    source: &'a str,
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
        Act::Add { name, source } => add(name, source, settings, ui),
        Act::List { name: None } => list(settings, ui),
        Act::List { name: Some(name) } => list_one(name, settings, ui),
        Act::Search { query, limit } => search(&query.join(" "), *limit, settings, ui),
        Act::Refresh { name } => refresh(name.as_deref(), settings, ui),
        Act::Remove { name } => remove(name, settings, ui),
    }
}

fn add(name: &str, source: &str, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let fetching = Fetching::new(settings)?;
    let index = Index::new(name, source, fetching.bases()).map_err(index_error)?;
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
            (Some(Tone::Faint), visible_line(&known.index.source).into_owned()),
        ]);
    }
    ui.table(&table);
    for known in all {
        remark(known, ui);
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
