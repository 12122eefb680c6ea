//! `metier outdated`: which installed skills have something newer at their source. Changes nothing.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::{Fetched, Locked, Pinned, Reference, Staged, index};
use metier_store::digest::hex;
use serde::Serialize;

use crate::error::{CommandError, CommandResult, Status};
use crate::packages::{self, Fetching, LayerChoice, fetch_error, record_error, reference_error};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui};

/// Say which installed skills have something newer
///
/// Asks each source for its newest commit, an MCP server for the digests of the skill's files, and an
/// index for the digest of what it lists. A directory or an archive is read and compared. Nothing is
/// installed. Where a source cannot be asked, that is said of each of its skills, and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier outdated\n  metier outdated --json")]
pub(crate) struct OutdatedArgs {
    /// Only this layer
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
}

/// What a source has that is newer.
pub(crate) enum Newer {
    /// Nothing, or one commit was asked for.
    Nothing,
    /// Another commit.
    Commit {
        /// Which.
        commit: String,
        /// Where it is.
        reference: Reference,
    },
    /// Other content, as a server says without giving it.
    Content {
        /// Where it is.
        reference: Reference,
    },
    /// It has no commits; the content has to be compared.
    Unknown {
        /// Where it is.
        reference: Reference,
    },
}

#[derive(Serialize)]
struct Document {
    outdated: Vec<Line>,
    /// Skills whose sources did not answer.
    unknown: Vec<Unanswered>,
    failed: usize,
}

#[derive(Serialize)]
struct Unanswered {
    name: String,
    layer: &'static str,
    source: String,
    code: Option<&'static str>,
    reason: String,
}

#[derive(Serialize)]
struct Line {
    name: String,
    layer: &'static str,
    source: String,
    installed: Option<String>,
    latest: Option<String>,
}

/// What is newer than `pinned` at its source.
pub(crate) fn newer(pinned: &Pinned, fetching: &Fetching) -> Result<Newer, CommandError> {
    let locked = &pinned.locked;
    let anew = Locked { commit: None, ..locked.clone() };
    let mut reference =
        Reference::locked(&anew).map_err(|error| reference_error(error, &locked.source))?;
    reference.requested.clone_from(&locked.requested);
    if let Some(claim) = fetching.claimed(&reference).map_err(fetch_error)? {
        let known = pinned.files.iter().map(|file| (file.path.as_str(), file.sha256.as_str()));
        let same = claim.name == pinned.name && known.eq(claim.digests());
        return Ok(if same { Newer::Nothing } else { Newer::Content { reference } });
    }
    let Some(now) = &locked.commit else { return Ok(Newer::Unknown { reference }) };
    if locked.requested.as_ref() == Some(now) {
        return Ok(Newer::Nothing);
    }
    let latest = fetching.resolve(&reference).map_err(fetch_error)?;
    Ok(match latest.commit {
        Some(commit) if commit != *now => Newer::Commit { commit, reference },
        _ => Newer::Nothing,
    })
}

/// The skill that was meant, of what was fetched.
pub(crate) fn arrived(mut fetched: Fetched, pinned: &Pinned) -> Result<Staged, CommandError> {
    let staged = fetched.skills.pop().filter(|staged| staged.name == pinned.name);
    staged.ok_or_else(|| {
        let error = CommandError::failed("it is no longer where it was").code("no_such_skill");
        match fetched.refused.first() {
            Some(refused) => error.hint(format!("it is refused: {}", refused.reason)),
            None => error,
        }
    })
}

/// The error with the skill it is about.
pub(crate) fn about(pinned: &Pinned, error: CommandError) -> CommandError {
    let message = format!("`{}`: {}", visible_line(pinned.name.as_str()), error.message());
    CommandError { source: message.into(), ..error }
}

/// Says what is outdated.
pub(crate) fn run(args: &OutdatedArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let fetching = Fetching::new(settings)?;
    let mut document = Document { outdated: Vec::new(), unknown: Vec::new(), failed: 0 };
    let mut installed = 0;
    for place in packages::places(args.layer, settings) {
        for pinned in metier_package::installed::list(&home, &place).map_err(record_error)? {
            installed += 1;
            let (name, layer) = (pinned.name.to_string(), place.as_str());
            let source = pinned.locked.source.clone();
            match looked(&pinned, &fetching) {
                Ok(None) => {}
                Ok(Some((installed, latest))) => {
                    document.outdated.push(Line { name, layer, source, installed, latest });
                }
                Err(error) => {
                    let (code, reason) = (error.code, error.message());
                    document.failed += 1;
                    document.unknown.push(Unanswered { name, layer, source, code, reason });
                    ui.complain(&about(&pinned, error));
                }
            }
        }
    }
    let status = if document.failed == 0 { Status::Ok } else { Status::Partly };
    if ui.json() {
        ui.document(&document);
    } else {
        print(&document, installed, ui);
    }
    Ok(status)
}

/// What is installed and what there is now; content without a commit has no name of its own.
type Versions = (Option<String>, Option<String>);

/// Both versions, when they are not one.
fn looked(pinned: &Pinned, fetching: &Fetching) -> Result<Option<Versions>, CommandError> {
    let other = || Some((Some(pinned.tree.clone()), None));
    Ok(match newer(pinned, fetching)? {
        Newer::Nothing => None,
        Newer::Commit { commit, .. } => Some((pinned.locked.commit.clone(), Some(commit))),
        Newer::Content { .. } => other(),
        Newer::Unknown { reference } => match is_same(pinned, &reference, fetching)? {
            true => None,
            false => other(),
        },
    })
}

/// Whether a skill without commits is at its source as it is installed.
fn is_same(
    pinned: &Pinned,
    reference: &Reference,
    fetching: &Fetching,
) -> Result<bool, CommandError> {
    if let (Some(listed), [file]) = (fetching.vouched(pinned)?, pinned.files.as_slice())
        && listed.kind == index::Kind::SkillMd
    {
        // The digest of the one file is the digest in the list.
        return Ok(listed.digest.as_deref() == Some(file.sha256.as_str()));
    }
    let staged = arrived(fetching.anew(pinned, reference)?, pinned)?;
    Ok(hex(&staged.tree.digest()) == pinned.tree)
}

fn print(document: &Document, installed: usize, ui: &mut Ui) {
    let short = |commit: &Option<String>| -> String {
        commit.as_deref().map_or_else(String::new, |c| c.chars().take(12).collect())
    };
    let latest = |commit: &Option<String>| match commit {
        Some(_) => short(commit),
        None => "other content".to_owned(),
    };
    let mut table = Table::default();
    for line in &document.outdated {
        table.row([
            (Some(Tone::Strong), visible_line(&line.name).into_owned()),
            (Some(Tone::Faint), line.layer.to_owned()),
            (None, format!("{} → {}", short(&line.installed), latest(&line.latest))),
            (Some(Tone::Faint), visible_line(&line.source).into_owned()),
        ]);
    }
    ui.table(&table);
    match document.outdated.is_empty() {
        true if installed == 0 => ui.line("nothing is installed"),
        true if document.failed == 0 => ui.line("everything is up to date"),
        true => {}
        false => ui.note("hint: `metier update` shows what changed and asks"),
    }
}
