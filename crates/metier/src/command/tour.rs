//! wip
use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
/// Tour
#[derive(Debug, clap::Args)]
#[command(after_help = "metier tour")]
pub(crate) struct TourArgs {}
pub(crate) fn run(_a: &TourArgs, _s: &Settings, _u: &mut Ui) -> CommandResult {
    Ok(Status::Ok)
}
