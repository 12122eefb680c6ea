//! What to leave out when a text must fit a budget.
//!
//! All plans stand in one row, each giving up a little more than the one before: first every
//! description is cut to a cap that falls from the longest one down, then the skills of lowest
//! precedence keep only their names, then they are left out. The first plan that fits is found by
//! halving the row, so a thousand skills take about a dozen tries, and most tries are decided by
//! the estimate alone.

use std::borrow::Cow;

use super::Level;
use super::render::More;
use crate::tokens;

/// The shortest a description is cut to, in characters: below this a description says less than
/// the name does.
pub(super) const MIN_CAP: usize = 40;

/// One step of giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Descriptions longer than this many characters are cut.
    pub(super) cap: usize,
    /// How many skills, from the lowest precedence up, keep only their names.
    pub(super) name_only: usize,
    /// How many of those are left out.
    pub(super) omitted: usize,
    /// Whether the text says how many are left out.
    pub(super) says_more: bool,
}

/// The row of plans for a number of skills that are not pinned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The longest description among them, in characters.
    pub(super) longest: usize,
    /// How many there are.
    pub(super) skills: usize,
}

impl Plan {
    /// Everything in full.
    pub(super) const FULL: Self =
        Self { cap: usize::MAX, name_only: 0, omitted: 0, says_more: true };

    /// What becomes of the skill at `rank`, 0 being the one to give up last, of `skills`.
    pub(super) fn level(&self, rank: usize, skills: usize, characters: usize) -> Level {
        let from_below = skills.saturating_sub(rank);
        if from_below <= self.omitted {
            Level::Omitted
        } else if from_below <= self.name_only {
            Level::NameOnly
        } else if characters > self.cap {
            Level::Shortened
        } else {
            Level::Full
        }
    }

    /// What stands at the end of the text.
    pub(super) fn more<'a>(&self, search: &'a str) -> Option<More<'a>> {
        (self.omitted > 0 && self.says_more).then_some(More { count: self.omitted, search })
    }
}

impl Row {
    /// How many plans there are. The last leaves out everything and does not even say so.
    pub(super) fn len(&self) -> usize {
        1 + self.caps() + 2 * self.skills + 1
    }

    /// The plan at `index`.
    pub(super) fn plan(&self, index: usize) -> Plan {
        let (caps, skills) = (self.caps(), self.skills);
        let cap = self.longest.saturating_sub(index).max(MIN_CAP);
        match index {
            0 => Plan::FULL,
            _ if index <= caps => Plan { cap, ..Plan::FULL },
            _ if index <= caps + skills => Plan { cap, name_only: index - caps, ..Plan::FULL },
            _ => {
                let omitted = (index - caps - skills).min(skills);
                let says_more = index + 1 < self.len();
                Plan { cap, name_only: skills, omitted, says_more }
            }
        }
    }

    /// The first plan that fits, and whether any does. `fits` is asked about O(log n) plans; the
    /// answer is one that was asked about, so a text that grows where it should shrink costs room
    /// and never breaks the budget.
    pub(super) fn first_fitting(
        &self,
        budget: usize,
        mut fits: impl FnMut(&Plan) -> bool,
    ) -> (Plan, bool) {
        // No skill is listed for nothing: of more skills than tokens the rest is left out anyway.
        let hopeless = self.skills.saturating_sub(budget);
        if hopeless == 0 && fits(&self.plan(0)) {
            return (self.plan(0), true);
        }
        let first = if hopeless > 0 { self.caps() + self.skills + hopeless } else { 1 };
        let last = self.len() - 1;
        let (mut low, mut high) = (first.min(last), last);
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            let plan = self.plan(middle);
            if fits(&plan) {
                (found, high) = (Some(plan), middle);
            } else {
                low = middle + 1;
            }
        }
        match found {
            Some(plan) => (plan, true),
            None => {
                let plan = self.plan(last);
                (plan, fits(&plan))
            }
        }
    }

    fn caps(&self) -> usize {
        self.longest.saturating_sub(MIN_CAP)
    }
}

/// Decides whether texts fit, with as little counting as possible.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Whether the exact counter had to be asked.
    pub(super) counted: bool,
}

impl Meter {
    pub(super) fn fits(&mut self, text: &str, budget: usize) -> bool {
        let estimate = tokens::estimate(text);
        if estimate.at_most <= budget {
            return true;
        }
        if estimate.at_least > budget {
            return false;
        }
        self.counted = true;
        tokens::fits(text, budget)
    }
}

/// `text` in at most `cap` characters, cut after a word where there is one.
pub(super) fn shorten(text: &str, cap: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(cap.saturating_sub(1)) else {
        return Cow::Borrowed(text);
    };
    if text.chars().nth(cap).is_none() {
        return Cow::Borrowed(text);
    }
    let (kept, rest) = text.split_at(end);
    let whole_word = rest.starts_with(char::is_whitespace);
    let boundary = kept.rfind(char::is_whitespace).filter(|at| *at >= end / 2 && !whole_word);
    let kept = kept.split_at(boundary.unwrap_or(end)).0;
    let dangling =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–' | '—' | '(');
    Cow::Owned(format!("{}…", kept.trim_end_matches(dangling)))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
