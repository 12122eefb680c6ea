//! `metier props`: the frontmatter of one skill as JSON, whatever agent it was written for.

use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::limits::MAX_FILE_BYTES;
use metier_format::text::visible_line;
use metier_format::{Diagnostic, parse_frontmatter};
use metier_store::store::{Location, ReadError};
use metier_store::{FileStore, Layer, Root, RootId, Store as _};

use crate::env::{self, PathKind};
use crate::error::{CommandError, CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;

/// Print the frontmatter of one skill as JSON
///
/// The keys are name, description, license, compatibility, allowed-tools, metadata and extra,
/// each null or empty when the frontmatter has none. `extra` holds every field the standard does
/// not know, in the order written.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier props skills/skill-author\n  metier props skills/skill-author/SKILL.md"
)]
pub(crate) struct PropsArgs {
    /// A SKILL.md or the directory of a skill
    path: PathBuf,
}

/// Prints the frontmatter.
pub(crate) fn run(args: &PropsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let file = SkillFile::read(&args.path, settings)?;
    let parsed = parse_frontmatter(&file.bytes, file.directory.as_deref());
    let Some(manifest) = &parsed.manifest else {
        return Err(refused(&file.shown, &parsed.diagnostics));
    };
    ui.document(&manifest.props());
    Ok(Status::Ok)
}

/// A file that was read.
struct SkillFile {
    /// Its path, as messages name it.
    shown: PathBuf,
    bytes: Vec<u8>,
    /// The name of its directory.
    directory: Option<String>,
}

impl SkillFile {
    fn read(path: &Path, settings: &Settings) -> Result<Self, CommandError> {
        let full = settings.environment.directory.join(path);
        let shown = match env::kind_of(&full) {
            PathKind::Missing => return Err(failed(path, "does not exist")),
            PathKind::Directory => path.join("SKILL.md"),
            PathKind::Other => path.to_owned(),
        };
        let full = settings.environment.directory.join(&shown);
        let directory = full.parent().unwrap_or(Path::new("/"));
        let directory = env::real_path(directory).unwrap_or_else(|| directory.to_owned());
        let file = shown.file_name().unwrap_or_default().to_string_lossy();
        let store = FileStore::new(vec![Root::given(Layer::Personal, &directory)]);
        let at = Location { root: RootId(0), path: Path::new("").into() };
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
        let bytes = match store.read(&at, &file, MAX_FILE_BYTES as u64) {
            Ok(resource) => resource.bytes,
            // Loading knows the other spellings of the file's name.
            Err(error) => match (store.load(&at), error) {
                (Ok(skill), _) => skill.source,
                (_, ReadError::NotFound(_)) => return Err(failed(&shown, "does not exist")),
                (_, ReadError::NotAFile(_)) => return Err(failed(&shown, "is not a file")),
                (_, other) => return Err(CommandError::failed(other)),
            },
        };
        Ok(Self { shown, bytes, directory: name })
    }
}

fn failed(path: &Path, why: &str) -> CommandError {
    CommandError::failed(format!("`{}` {why}", path.display()))
}

fn refused(path: &Path, diagnostics: &[Diagnostic]) -> CommandError {
    let fault = diagnostics.iter().find(|finding| finding.code.prevents_loading());
    let why = fault.map_or_else(String::new, |fault| {
        let place =
            fault.position.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        format!("{place}: {} {}", fault.code.as_str(), fault.message)
    });
    let shown = path.display();
    CommandError::failed(format!("{shown}{why}"))
        .hint(format!("`metier lint {}` shows the place", visible_line(&shown.to_string())))
}
