//! `cargo xtask race`: a million links swapped under a reader, for each way to resolve a path. The
//! ordinary test makes fewer of them.

use crate::process;

/// Swaps under each reader when nobody says how many.
const SWAPS: &str = "1000000";

/// Runs the race.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let swaps = arguments.first().map_or(SWAPS, String::as_str);
    swaps.parse::<u64>().map_err(|_| format!("`{swaps}` is not a number"))?;
    let words = ["test", "--package", "metier-store", "--lib", "swapped", "--", "--nocapture"];
    let mut command = process::command("cargo", &words);
    command.env("METIER_RACE_SWAPS", swaps);
    process::watch(command, |_| {})
}
