//! One protected place: a directory of metier's own with everything in it, or a file.
//!
//! It knows where the place is and what a use of some file means for it; settings that are protected by
//! their name in every directory are in `settings`.

use std::cell::OnceCell;
use std::path::Path;

use super::listed::Listed;
use super::{Dealing, spelled};
use crate::act::FileUse;
use crate::place::{Place, Spot, Spots, folded};
use crate::shape::Shape;

/// One protected place.
pub(super) struct Somewhere {
    spots: Spots,
    /// Each as it is, with everything beneath, once somebody asks.
    shapes: OnceCell<Vec<Shape>>,
}

impl Somewhere {
    pub(super) fn new(spots: Spots) -> Self {
        Self { spots, shapes: OnceCell::new() }
    }

    /// The paths it has, in lowercase.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.spots.iter().map(|spot| spot.lowercase.as_str())
    }

    /// The ways in which text spells it out.
    pub(super) fn spelled(&self, place: &Place<'_>) -> Vec<String> {
        self.paths().flat_map(|path| spelled::of(path, place)).collect()
    }

    /// Whether one of the paths is the place or lies in it.
    pub(super) fn holds(&self, spots: &Spots) -> bool {
        spots.iter().any(|spot| self.spots.iter().any(|own| is_in(spot, own)))
    }

    /// Its name alone is a word like others, so it counts as part of a path only.
    pub(super) fn is_in_parts(&self, text: &str, place: &Place<'_>) -> bool {
        self.spots.iter().any(|spot| {
            let Some((parent, name)) = spot.lowercase.rsplit_once('/') else { return false };
            let below = [format!("{name}/"), format!("/{name}")];
            parent.contains("/.")
                && below.iter().any(|name| text.contains(name))
                && spelled::is_in(text, &spelled::of(parent, place))
        })
    }

    fn meets(&self, shape: &Shape) -> bool {
        let shapes =
            || self.spots.iter().map(|spot| Shape::of(&spot.lowercase).and_beneath()).collect();
        self.shapes.get_or_init(shapes).iter().any(|own| own.meets(shape))
    }

    /// What using a file as something written means for the place.
    pub(super) fn dealing(&self, file: &FileUse) -> Dealing {
        if file.spots.as_ref().is_some_and(|spots| self.holds(spots)) {
            return Dealing::Writes;
        }
        match file.shapes.iter().any(|shape| self.meets(shape)) {
            false => Dealing::Nothing,
            true if !file.manner.is_by_chance() => Dealing::Writes,
            true if !self.is_certain(file) => Dealing::PerhapsInto,
            true => Dealing::Writes,
        }
    }

    /// Whether a file is home, or lies between that and the place. What is further above is named for
    /// too many reasons.
    pub(super) fn is_on_the_way(&self, file: &FileUse, place: &Place<'_>) -> bool {
        let Some(home) = place.home.and_then(Path::to_str).map(folded) else { return false };
        let home = Spot::new(home.trim_end_matches('/').to_owned());
        let mut spots = file.spots.iter().flat_map(|spots| spots.iter());
        spots.any(|spot| is_in(spot, &home) && self.spots.iter().any(|own| is_in(own, spot)))
    }

    /// Whether it, or what lies in it, may be among files that are found.
    pub(super) fn is_listed(&self, listed: &Listed) -> bool {
        let name = |spot: &Spot| spot.lowercase.rsplit('/').next().unwrap_or_default().to_owned();
        let named = || self.spots.iter().any(|spot| listed.may_be_kept(&name(spot)));
        self.meets(&listed.tree) && named()
    }

    /// Whether every path a file may be lies in the place.
    fn is_certain(&self, file: &FileUse) -> bool {
        let below = |shape: &Shape| self.spots.iter().any(|own| shape.is_below(&own.lowercase));
        file.shapes.iter().any(below)
    }

    /// Whether a word names the place or something in it that is not of an active skill. One that may
    /// be anything below a directory above names nothing.
    pub(super) fn is_named(&self, file: &FileUse, skills: &[Spots]) -> bool {
        let of_skill = |spots: &Spots| {
            let of = |spot: &Spot| skills.iter().any(|s| s.iter().any(|own| is_in(spot, own)));
            spots.iter().any(of)
        };
        let known = file.spots.as_ref().is_some_and(|spots| self.holds(spots) && !of_skill(spots));
        let mut shapes = file.shapes.iter().filter(|shape| !is_of(shape, skills));
        known
            || shapes.any(|shape| match shape.is_open {
                true => self.spots.iter().any(|own| shape.is_below(&own.lowercase)),
                false => self.meets(shape),
            })
    }
}

/// Whether a path is `own` or below it, in any case: not every file system tells cases apart.
fn is_in(spot: &Spot, own: &Spot) -> bool {
    let rest = spot.lowercase.strip_prefix(own.lowercase.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether paths of which only a part is known are all of an active skill.
fn is_of(shape: &Shape, skills: &[Spots]) -> bool {
    let mut spots = skills.iter().flat_map(|skill| skill.iter());
    spots.any(|skill| shape.is_below(&skill.lowercase))
}
