//! wip
use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
pub(crate) fn run(_s: &Settings, _u: &mut Ui) -> CommandResult {
    Ok(Status::Ok)
}
