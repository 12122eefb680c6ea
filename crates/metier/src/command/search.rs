//! `metier search`: the skills that answer a query best, by name, tags, description and body.

use clap::Args;
use metier_format::limits::MAX_FILE_BYTES;
use metier_format::text::visible_line;
use metier_format::{Code, parse_frontmatter};
use metier_runtime::capability::{HitShape, Hits};
use metier_store::catalog::Visibility;
use metier_store::limits::MAX_SEARCH_FIELD_BYTES;
use metier_store::search::{Document, Hit, SearchIndex, SearchIndexBuilder};
use metier_store::suggest::did_you_mean;
use metier_store::{Entry, Store as _};

use crate::error::{CommandResult, Status};
use crate::parallel;
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::View;

/// Skills whose bodies are in memory at once while they are indexed.
const BATCH: usize = 1024;

/// Search the skills by name, tags, description and body
///
/// Words count more in a name than in tags, in tags more than in a description, and least in a
/// body. Word forms and single typing errors are tolerated. The best hit comes first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier search write a skill\n  \
    metier search --limit 3 --json greeting")]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Most hits to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// A model asks, not a person: only what it may see
    #[arg(long)]
    auto: bool,
}

/// Prints the hits.
pub(crate) fn run(args: &SearchArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let index = index(&view, settings.limits.threads);
    let query = args.query.join(" ");
    let hits = hits(&view, &index, &query, args);
    if ui.json() {
        ui.document(&Hits { hits });
        return Ok(Status::Ok);
    }
    let mut table = Table::default();
    for hit in &hits {
        let remark = if hit.active { "" } else { "untrusted" };
        table.row([
            (Some(Tone::Strong), visible_line(hit.name).into_owned()),
            (Some(Tone::Faint), format!("{:.2}", hit.score)),
            (Some(Tone::Caution), remark.to_owned()),
            (None, visible_line(hit.description).into_owned()),
        ]);
    }
    ui.table(&table);
    if hits.is_empty() {
        remark_on_nothing(&view, &query, ui);
    }
    if index.cut() > 0 {
        let skills = counted(index.cut(), "long skill", "long skills");
        ui.note(&format!("only the start of {skills} was searched"));
    }
    view.remark_on_walk(ui);
    Ok(Status::Ok)
}

/// The winners made searchable. Bodies are read in batches, so that not all are in memory at once.
pub(crate) fn index(view: &View, threads: usize) -> SearchIndex {
    let mut builder = SearchIndexBuilder::new();
    for batch in view.catalog.entries.chunks(BATCH) {
        let bodies = parallel::map(batch, threads, |entry| body(view, entry));
        for (entry, body) in batch.iter().zip(&bodies) {
            builder.add(Document {
                name: entry.name().as_str(),
                description: &entry.found.description,
                tags: entry.facts().map_or(&[], |facts| &*facts.tags),
                body: body.as_deref(),
            });
        }
    }
    builder.finish()
}

/// The body of a skill. One that cannot be read is searched without; `check` says why.
fn body(view: &View, entry: &Entry) -> Option<String> {
    let bytes = source(view, entry)?;
    let start = parse_frontmatter(&bytes, None).body?;
    let body = std::str::from_utf8(bytes.get(start as usize..)?).ok()?;
    // The index looks at less than this; a thousand long bodies at once would fill the memory.
    body.get(..body.floor_char_boundary(2 * MAX_SEARCH_FIELD_BYTES)).map(str::to_owned)
}

/// The text of a skill, whatever its file is called.
fn source(view: &View, entry: &Entry) -> Option<Vec<u8>> {
    let at = entry.location();
    let misnamed = entry.found.diagnostics.iter().any(|finding| finding.code == Code::FileName);
    if misnamed {
        return Some(view.store.load(&at).ok()?.source);
    }
    Some(view.store.read(&at, "SKILL.md", MAX_FILE_BYTES as u64).ok()?.bytes)
}

fn hits<'a>(
    view: &'a View,
    index: &SearchIndex,
    query: &str,
    args: &SearchArgs,
) -> Vec<HitShape<'a>> {
    let entries = &view.catalog.entries;
    let may_see = |entry: &&Entry| !args.auto || entry.visibility == Visibility::Model;
    let shape = |hit: &Hit<'_>| {
        let matched = hit.matched.iter().map(|field| field.as_str()).collect();
        let entry = entries.get(hit.document).filter(may_see)?;
        Some(HitShape::of(&view.catalog, entry, hit.score, matched))
    };
    // What a model may not see does not take the place of what it may.
    let most = if args.auto { entries.len() } else { args.limit };
    index.search(query, most).iter().filter_map(shape).take(args.limit).collect()
}

fn remark_on_nothing(view: &View, query: &str, ui: &mut Ui) {
    ui.note(&format!("nothing here answers `{}`", visible_line(query)));
    let names = view.catalog.entries.iter().map(|entry| entry.name().as_str());
    if let Some(near) = did_you_mean(query, names) {
        ui.note(&format!("hint: did you mean `{}`?", visible_line(&near)));
    }
}
