//! wip
use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
/// Prompt
#[derive(Debug, clap::Args)]
#[command(after_help = "metier prompt")]
pub(crate) struct PromptArgs {}
pub(crate) fn run(_a: &PromptArgs, _s: &Settings, _u: &mut Ui) -> CommandResult {
    Ok(Status::Ok)
}
/// How the catalog is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PromptStyle {
    /// XML elements, as the standard has it
    #[default]
    Xml,
    /// XML with attributes
    XmlAttributes,
    /// A Markdown list
    Markdown,
    /// The description of a tool
    Tool,
    /// JSON
    Json,
}
