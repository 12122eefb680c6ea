//! `metier props`: the frontmatter of one skill as JSON, whatever agent it was written for.

use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::limits::MAX_FILE_BYTES;
use metier_format::text::visible_line;
use metier_format::{Diagnostic, parse_frontmatter};
use metier_store::store::Location;
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
#[command(after_help = "Examples:\n  metier props skills/pdf\n  metier props SKILL.md")]
pub(crate) struct PropsArgs {
    /// A SKILL.md or the directory of a skill
    path: PathBuf,
}

/// Prints the frontmatter.
pub(crate) fn run(args: &PropsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let (bytes, directory) = read(&args.path, settings)?;
    let parsed = parse_frontmatter(&bytes, directory.as_deref());
    match &parsed.manifest {
        Some(manifest) => ui.document(&manifest.props()),
        None => return Err(refused(&args.path, &parsed.diagnostics)),
    }
    Ok(Status::Ok)
}

/// The file's bytes and the name of its directory.
fn read(path: &Path, settings: &Settings) -> Result<(Vec<u8>, Option<String>), CommandError> {
    let full = settings.environment.directory.join(path);
    let (directory, file) = match env::kind_of(&full) {
        PathKind::Missing => {
            return Err(CommandError::failed(format!("`{}` does not exist", path.display())));
        }
        PathKind::Directory => (full, "SKILL.md".to_owned()),
        PathKind::Other => {
            let file = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (full.parent().unwrap_or(Path::new("/")).to_owned(), file)
        }
    };
    let directory = env::real_path(&directory).unwrap_or(directory);
    let store = FileStore::new(vec![Root::given(Layer::Personal, &directory)]);
    let at = Location { root: RootId(0), path: Path::new("").into() };
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    match store.read(&at, &file, MAX_FILE_BYTES as u64) {
        Ok(resource) => Ok((resource.bytes, name)),
        // Loading knows the other spellings of the file's name.
        Err(error) => match store.load(&at) {
            Ok(skill) => Ok((skill.source, name)),
            Err(_) => Err(CommandError::failed(error)),
        },
    }
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
