//! wip
use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
/// Why
#[derive(Debug, clap::Args)]
#[command(after_help = "metier why")]
pub(crate) struct WhyArgs {}
pub(crate) fn run(_a: &WhyArgs, _s: &Settings, _u: &mut Ui) -> CommandResult {
    Ok(Status::Ok)
}
