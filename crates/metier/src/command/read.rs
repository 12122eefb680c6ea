//! `metier read`: one file of a skill, contained and bounded, and recorded.

use clap::Args;
use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::Session;
use metier_runtime::capability::FileAnswer;
use metier_runtime::limits::{MAX_FILE_BYTES, MAX_READ_BYTES};
use metier_runtime::session::ResourceError;
use metier_store::catalog::Visibility;
use metier_store::store::{ReadError, Resource};
use metier_store::suggest::did_you_mean;
use metier_store::{Catalog, Store as _};

use crate::env;
use crate::error::{CommandError, CommandResult, Status};
use crate::session::{self, Purpose, journal_error};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::{Named, View, trust_hint};

/// Print a file of a skill
///
/// PATH is relative to the skill's directory and cannot leave it, whatever it says and wherever
/// links lead. The bytes are printed as they are; on a terminal, text that would move it is shown
/// escaped, and what is no text is not shown at all.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier read pdf references/forms.md\n  \
    metier read pdf assets/logo.png > logo.png\n  metier read pdf SKILL.md --json")]
pub(crate) struct ReadArgs {
    /// The skill's name
    name: String,
    /// The file, relative to the skill's directory
    path: String,
    /// Largest file that is read, in bytes: 200000 unless told otherwise, with --limit 16777216
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
    /// The byte to start at
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Most bytes to print
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// A model asks, not a person: only what it may see
    #[arg(long)]
    auto: bool,
}

/// Prints the file.
pub(crate) fn run(args: &ReadArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let purpose = Purpose::with(Some(View::open(settings)), settings);
    let mut session = session::open(settings, purpose, ui)?;
    if args.auto && is_for_people(&session, &args.name) {
        // Told as it is of a name that no skill has.
        View::open(settings).named_to_model(&args.name)?;
    }
    let usual = if args.limit.is_some() { MAX_FILE_BYTES } else { MAX_READ_BYTES };
    let resource = session
        .read(&args.name, &args.path, args.max_bytes.unwrap_or(usual))
        .map_err(|error| explain(error, args, session.catalog(), settings))?;
    let part = FileAnswer::part(&resource, args.offset, args.limit.unwrap_or(usize::MAX));
    if ui.json() {
        let entry = session.catalog().get(&NameKey::of(&args.name));
        ui.document(&part.from(entry.and_then(|entry| entry.found.origin.as_deref())));
        return Ok(Status::Ok);
    }
    let (from, to) = (part.offset.unwrap_or(0), part.next.unwrap_or(part.size));
    let bytes = resource.bytes.get(from..to).unwrap_or_default().to_vec();
    print(Resource { bytes, ..resource }, ui)
}

/// Whether the skill called `name` is for people only, and none of them has started it.
fn is_for_people(session: &Session, name: &str) -> bool {
    let entry = session.catalog().get(&NameKey::of(name));
    entry.is_some_and(|entry| {
        let active = session.active_names();
        entry.visibility == Visibility::UserOnly
            && !active.iter().any(|name| name == entry.name().as_str())
    })
}

fn print(resource: Resource, ui: &mut Ui) -> CommandResult {
    let terminal = env::stdout_is_terminal();
    match std::str::from_utf8(&resource.bytes) {
        Ok(text) if terminal && !resource.binary => ui.text(&visible(text)),
        _ if terminal => {
            let message = format!("`{}` is not text", resource.path);
            let error = CommandError::failed(message).code("binary_file");
            return Err(error.hint("send it to a file with `>`, or ask for `--json`"));
        }
        _ => ui.bytes(resource.bytes),
    }
    Ok(Status::Ok)
}

/// The failure as the command reports it.
fn explain(
    error: ResourceError,
    args: &ReadArgs,
    catalog: &Catalog,
    settings: &Settings,
) -> CommandError {
    let code = error.code();
    let explained = match error {
        ResourceError::Journal(error) => return journal_error(error),
        ResourceError::Changed(ref changed) => {
            let name = changed.name.clone();
            CommandError::refused(error)
                .hint("`metier verify` says what changed, `metier sync` puts it back")
                .hint(format!("`metier trust {name}` approves it as it is now"))
        }
        ResourceError::Hidden { ref name, .. } => {
            let hint = format!("`metier why {name}` says who left it out");
            CommandError::refused(error).hint(hint)
        }
        ResourceError::NotTrusted(_) => {
            let mut refused = CommandError::refused(error);
            refused.hints.extend(trust_hint(catalog, settings));
            refused
        }
        ResourceError::Denied { .. } => {
            CommandError::refused(error).hint("`metier status` names the policy in force")
        }
        ResourceError::Read(ReadError::NotFound(_)) => {
            let mut failed = CommandError::failed(error);
            failed.hints.push(nearest(args, settings));
            failed
        }
        ResourceError::Read(ReadError::TooLarge { .. }) => CommandError::failed(error)
            .hint("`--max-bytes` allows more, and `--limit` prints a part of it"),
        ResourceError::Read(ReadError::InvalidPath(_) | ReadError::LeavesSkill(_)) => {
            CommandError::refused(error).hint("a path such as `references/forms.md`, without `..`")
        }
        // Told with what may have been meant, or what is wrong with the skill that has the name.
        ResourceError::SkillNotFound { .. } => match View::open(settings).named(&args.name) {
            Err(unknown) => return unknown,
            Ok(_) => CommandError::failed(error),
        },
        ResourceError::Read(_) => CommandError::failed(error),
    };
    explained.code(code)
}

/// The file of the skill that is spelled most alike, or where its files are listed.
fn nearest(args: &ReadArgs, settings: &Settings) -> String {
    let view = View::open(settings);
    let skill = match view.named(&args.name) {
        Ok(Named::Entry(entry)) => view.store.load(&entry.location()).ok(),
        _ => None,
    };
    let files = skill.iter().flat_map(|skill| &skill.resources.files).map(|f| f.path.as_str());
    match did_you_mean(&args.path, files) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`metier show {}` lists its files", args.name),
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
