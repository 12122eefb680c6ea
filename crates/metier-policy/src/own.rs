//! What is metier's own: its state and its settings, which no call writes, and the commands with
//! which a person approves, which no call runs.
//!
//! Approvals, locks, journals and settings say what is trusted, what is active and what was decided.
//! A model that could write them, or run what writes them, could approve for itself, so this is no
//! rule of a profile that a policy could relax: every profile, `full-auto` included, denies it.
//!
//! Start reading at [`reasons`]. It knows the places it is told ([`Place::protected`]) and nothing
//! about what lies in them; the commands are in `approving`.

mod approving;

use std::path::Path;

use crate::act::{self, Act, FileUse};
use crate::call::Understood;
use crate::place::{From, Place, Spot};
use crate::shape::Shape;
use crate::shell::Access;
use crate::verdict::{Reason, Verdict};

pub use approving::is_for_the_user;

/// The rule that the reason for not writing metier's own files names.
pub const OWN_STATE: &str = "metier-state";

/// The rule that the reason for not running a command of the user's names.
pub const OWN_COMMAND: &str = "metier-command";

/// A refusal for each protected place that one of the acts writes, and for a command that is a
/// person's.
pub(crate) fn reasons(call: &Understood, place: &Place<'_>, acts: &[Act]) -> Vec<Reason> {
    let mut reasons = written(place, acts);
    reasons.extend(approving::found(call, place, acts).map(|command| {
        let text = format!(
            "`{command}` is for the user to run: it decides what is trusted, installed or guarded"
        );
        Reason::new(Verdict::Deny, text).of_rule(OWN_COMMAND)
    }));
    reasons
}

fn written(place: &Place<'_>, acts: &[Act]) -> Vec<Reason> {
    if place.protected.is_empty() {
        return Vec::new();
    }
    let mut written = Vec::new();
    for act in acts {
        act::files(act, Access::Write, &mut written);
    }
    if written.is_empty() {
        return Vec::new();
    }
    let hit = |own: &&std::path::PathBuf| written.iter().any(|file| writes(place, own, file));
    place.protected.iter().filter(hit).map(|own| reason(own)).collect()
}

/// Whether the file is the protected place, lies in it, or may.
fn writes(place: &Place<'_>, own: &Path, file: &FileUse) -> bool {
    let own = own.to_str().and_then(|path| place.locate(path, From::Elsewhere));
    let Some(own) = own else { return false };
    own.iter().any(|own| {
        let meets = |shapes: &[Shape]| {
            let own = Shape::of(&own.lowercase).and_beneath();
            shapes.iter().any(|shape| shape.meets(&own))
        };
        let known = file.spots.iter().flat_map(|spots| spots.iter()).any(|spot| is_in(spot, own));
        known || (!file.shapes.is_empty() && meets(&file.shapes))
    })
}

/// Whether a path is `own` or below it, in any case: not every file system tells cases apart.
fn is_in(spot: &Spot, own: &Spot) -> bool {
    let rest = spot.lowercase.strip_prefix(own.lowercase.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn reason(own: &Path) -> Reason {
    let shown = metier_format::text::visible_line(&own.to_string_lossy()).into_owned();
    let text =
        format!("`{shown}` is metier's own: only the user changes it, by a command of metier");
    Reason::new(Verdict::Deny, text).of_rule(OWN_STATE)
}

#[cfg(test)]
#[path = "own_tests.rs"]
mod tests;
