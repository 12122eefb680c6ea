//! Safe repairs, applied. A finding's edits go in together or not at all, every byte outside them
//! stays, and a skill that loaded before loads after with the same name, description and powers.
//! Writing the result to disk is somebody else's business. Start at [`apply`].

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Edit};
use crate::limits::MAX_FIX_ROUNDS;
use crate::manifest::Manifest;
use crate::parse::parse_frontmatter;
use crate::text;

/// A file after one round of repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The repaired bytes.
    pub bytes: Vec<u8>,
    /// Which of the findings were repaired, as indices, ascending.
    pub applied: Vec<usize>,
    /// Which had a repair that was left out, ascending: it overlaps another one, does not fit the
    /// file, or would have changed what the skill is.
    pub skipped: Vec<usize>,
}

/// A file after as many rounds as it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The repaired bytes.
    pub bytes: Vec<u8>,
    /// What was repaired, in the order it was.
    pub applied: Vec<Diagnostic>,
}

/// Applies the repairs of `diagnostics` to `bytes`, first come first served in file order. What
/// overlaps an earlier repair waits for the next round. `n log n` in the number of edits.
#[must_use]
pub fn apply(bytes: &[u8], diagnostics: &[Diagnostic]) -> Fixed {
    let mut applied = compatible(bytes, diagnostics);
    let mut result = write(bytes, diagnostics, &applied);
    let before = parse_frontmatter(bytes, None).manifest;
    if let Some(before) = before
        && !is_same_skill(&before, &result)
    {
        applied = harmless(bytes, diagnostics, &applied, &before);
        result = write(bytes, diagnostics, &applied);
    }
    applied.sort_unstable();
    let wanted = (0..diagnostics.len()).filter(|i| edits(diagnostics, *i).next().is_some());
    let skipped = wanted.filter(|i| applied.binary_search(i).is_err()).collect();
    Fixed { bytes: result, applied, skipped }
}

/// Repairs `bytes` until `find` has nothing more that can be repaired, at most
/// [`MAX_FIX_ROUNDS`] times. `find` is asked anew about the bytes of each round.
pub fn settle(bytes: &[u8], mut find: impl FnMut(&[u8]) -> Vec<Diagnostic>) -> Settled {
    let mut settled = Settled { bytes: bytes.to_vec(), applied: Vec::new() };
    for _ in 0..MAX_FIX_ROUNDS {
        let diagnostics = find(&settled.bytes);
        let fixed = apply(&settled.bytes, &diagnostics);
        if fixed.applied.is_empty() || fixed.bytes == settled.bytes {
            break;
        }
        settled.bytes = fixed.bytes;
        settled.applied.extend(fixed.applied.iter().filter_map(|i| diagnostics.get(*i).cloned()));
    }
    settled
}

/// The findings whose edits fit the file and each other, in the order their first edits stand.
fn compatible(bytes: &[u8], diagnostics: &[Diagnostic]) -> Vec<usize> {
    let mut order: Vec<(u32, usize)> = (0..diagnostics.len())
        .filter_map(|i| Some((edits(diagnostics, i).map(|e| e.span.start).min()?, i)))
        .collect();
    order.sort_unstable();
    let mut taken = Taken::default();
    order.retain(|(_, i)| taken.take(bytes, edits(diagnostics, *i)));
    order.into_iter().map(|(_, i)| i).collect()
}

/// The longest run of `chosen`, one after the other, that leaves the skill what it was.
fn harmless(
    bytes: &[u8],
    diagnostics: &[Diagnostic],
    chosen: &[usize],
    before: &Manifest,
) -> Vec<usize> {
    let mut kept = Vec::new();
    for index in chosen {
        kept.push(*index);
        if !is_same_skill(before, &write(bytes, diagnostics, &kept)) {
            kept.pop();
        }
    }
    kept
}

/// `bytes` with the edits of the findings `chosen`, which fit it and each other.
fn write(bytes: &[u8], diagnostics: &[Diagnostic], chosen: &[usize]) -> Vec<u8> {
    let mut all: Vec<&Edit> = chosen.iter().flat_map(|i| edits(diagnostics, *i)).collect();
    all.sort_by_key(|edit| edit.span);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for edit in all {
        out.extend_from_slice(bytes.get(at..edit.span.start as usize).unwrap_or_default());
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.span.end as usize;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

fn edits(diagnostics: &[Diagnostic], index: usize) -> impl Iterator<Item = &Edit> {
    diagnostics.get(index).into_iter().flat_map(|d| &d.fix)
}

/// Whether `after` loads as the skill `before` is: the same name, the same description apart from
/// hidden characters, and the same powers.
fn is_same_skill(before: &Manifest, after: &[u8]) -> bool {
    let Some(after) = parse_frontmatter(after, None).manifest else { return false };
    let shown = |m: &Manifest| -> String {
        m.description.chars().filter(|c| !text::is_hidden(*c)).collect()
    };
    let powers = |m: &Manifest| {
        let tools = m.allowed_tools.as_ref().map(|tools| tools.value.clone());
        let call = &m.invocation;
        (tools, call.disable_model_invocation, call.user_invocable, call.context, m.priority)
    };
    *before.name == *after.name
        && shown(before).trim() == shown(&after).trim()
        && powers(before) == powers(&after)
}

/// The places edits have been promised, by start.
#[derive(Default)]
struct Taken(BTreeMap<u32, u32>);

impl Taken {
    /// Takes the places of all of `edits`, or of none of them.
    fn take<'a>(&mut self, bytes: &[u8], edits: impl Iterator<Item = &'a Edit>) -> bool {
        let mut mine = Vec::new();
        for edit in edits {
            let (start, end) = (edit.span.start, edit.span.end);
            if !fits(bytes, edit) || !self.is_free(start, end) {
                for start in mine {
                    self.0.remove(&start);
                }
                return false;
            }
            self.0.insert(start, end);
            mine.push(start);
        }
        true
    }

    /// Whether no promised edit touches `start..end`. Touching counts as overlapping: of two
    /// insertions at one place neither is the first.
    fn is_free(&self, start: u32, end: u32) -> bool {
        self.0.range(..=end).next_back().is_none_or(|(_, taken_end)| *taken_end < start)
    }
}

/// Whether the edit lies inside the file and cuts no character.
fn fits(bytes: &[u8], edit: &Edit) -> bool {
    let is_boundary = |at: u32| match bytes.get(at as usize) {
        Some(byte) => byte & 0xc0 != 0x80,
        None => at as usize == bytes.len(),
    };
    edit.span.start <= edit.span.end && is_boundary(edit.span.start) && is_boundary(edit.span.end)
}

#[cfg(test)]
#[path = "fix_tests.rs"]
mod tests;
