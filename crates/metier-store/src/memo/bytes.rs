//! How a memo is written: bytes put together and taken apart.

use std::ops::Range;
use std::path::Path;

use metier_format::SkillName;

use super::{STAMP_NUMBERS, Stamp};
use crate::candidate::Spot;
use crate::discover::{Facts, Found, FoundScope};
use crate::level::Identity;
use crate::paths::{boxed_path, bytes_of, last};
use crate::vouch::Standing;

/// Bytes of a record as most are, at least: only a guess at how many there are.
const USUAL_RECORD: usize = 192;

/// Bytes being put together: numbers of seven bits a byte, the lowest first, each byte but the last
/// with its highest bit set; texts after their lengths; stamps as eight bytes a number.
#[derive(Default)]
pub(super) struct Output(pub(super) Vec<u8>);

impl Output {
    pub(super) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text);
    }

    fn optional(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or_default().as_bytes());
    }

    fn texts<T: AsRef<str>>(&mut self, texts: &[T]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text.as_ref().as_bytes()));
    }

    pub(super) fn identity(&mut self, (device, inode): Identity) {
        self.number(device);
        self.number(inode);
    }

    pub(super) fn link(&mut self, link: Option<&Path>) {
        self.number(u64::from(link.is_some()));
        self.text(link.map(bytes_of).unwrap_or_default());
    }

    /// Of fixed length: it is what is looked at most.
    pub(super) fn stamp(&mut self, stamp: &Stamp) {
        stamp.numbers().iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    /// What a choice goes by, without the candidate's place, which the walk knows.
    pub(super) fn marks(&mut self, found: &Found) {
        // A name that is its directory's, as it should be, is not said twice.
        let name = found.name.as_str().as_bytes();
        self.text(if name == last(bytes_of(&found.path)) { b"" } else { name });
        self.text(&found.digest);
        let conditions = found.facts.as_deref().filter(|facts| has_conditions(facts));
        self.number(u64::from(conditions.is_some()));
        if let Some(facts) = conditions {
            self.conditions(facts);
        }
    }

    /// What is told besides. Findings it has none.
    pub(super) fn texts_of(&mut self, found: &Found) {
        self.text(found.description.as_bytes());
        self.number(u64::from(found.facts.is_some()));
        if let Some(facts) = &found.facts {
            let Facts { tags, version, compatibility, allowed_tools, .. } = &**facts;
            self.texts(tags);
            for text in [version, compatibility, allowed_tools] {
                self.optional(text.as_deref());
            }
        }
    }

    fn conditions(&mut self, facts: &Facts) {
        let Facts { priority, scope, .. } = facts;
        self.number(u64::from_ne_bytes(priority.to_ne_bytes()));
        self.number(u64::from(scope.is_some()));
        if let Some(FoundScope { agents, tenants, environments }) = scope.as_deref() {
            for list in [agents, tenants, environments] {
                self.number(u64::from(list.is_some()));
                self.texts(list.as_deref().unwrap_or_default());
            }
        }
        self.optional(facts.min_host_version.as_deref());
        self.optional(facts.max_host_version.as_deref());
        self.number(u64::from(facts.disable_model_invocation));
        self.number(u64::from(facts.user_invocable));
    }
}

/// Bytes being taken apart. Everything is none where they are not what they should be.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) whole: &'a [u8],
    pub(super) at: usize,
    pub(super) end: usize,
}

impl<'a> Input<'a> {
    /// A part of `whole`.
    pub(super) fn part(whole: &'a [u8], range: &Range<u32>) -> Self {
        Self { whole, at: range.start as usize, end: range.end as usize }
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = *self.whole.get(self.at).filter(|_| self.at < self.end)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn range(&mut self) -> Option<Range<usize>> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.end)?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }

    /// The places of records, up to the end.
    pub(super) fn records(&mut self) -> Option<Vec<Range<u32>>> {
        let mut records = Vec::with_capacity((self.end - self.at) / USUAL_RECORD);
        while self.at < self.end {
            records.push(self.short_range()?);
        }
        Some(records)
    }

    pub(super) fn short_range(&mut self) -> Option<Range<u32>> {
        let Range { start, end } = self.range()?;
        Some(u32::try_from(start).ok()?..u32::try_from(end).ok()?)
    }

    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let range = self.range()?;
        self.whole.get(range)
    }

    fn string(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.text()?).ok()
    }

    fn optional(&mut self) -> Option<Option<Box<str>>> {
        let is_there = self.flag()?;
        let text = self.string()?;
        Some(is_there.then(|| text.into()))
    }

    fn texts<T: From<&'a str>>(&mut self) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| self.string().map(T::from)).collect()
    }

    pub(super) fn identity(&mut self) -> Option<Identity> {
        Some((self.number()?, self.number()?))
    }

    pub(super) fn link(&mut self) -> Option<Option<&'a [u8]>> {
        let is_there = self.flag()?;
        let link = self.text()?;
        Some(is_there.then_some(link))
    }

    pub(super) fn stamp(&mut self) -> Option<Stamp> {
        let bytes = self.whole.get(self.at..self.end)?.first_chunk::<{ 8 * STAMP_NUMBERS }>()?;
        self.at += bytes.len();
        let mut numbers = [0; STAMP_NUMBERS];
        let (words, _) = bytes.as_chunks::<8>();
        numbers.iter_mut().zip(words).for_each(|(to, from)| *to = u64::from_le_bytes(*from));
        Some(Stamp::from_numbers(numbers))
    }

    /// The candidate at the spot, with the texts, when there are any.
    pub(super) fn candidate(&mut self, spot: Spot<'_>, texts: Option<Input<'_>>) -> Option<Found> {
        let name = match self.text()? {
            b"" => last(spot.path),
            name => name,
        };
        let name = std::str::from_utf8(name).ok()?;
        let parsed = SkillName::parse(name).ok().filter(|parsed| parsed.as_str() == name)?;
        let digest = self.text()?.try_into().ok()?;
        let mut facts = match self.flag()? {
            true => Some(Box::new(self.conditions()?)),
            false => None,
        };
        let mut description = Box::default();
        if let Some(mut texts) = texts {
            description = texts.string()?.into();
            if texts.flag()? {
                let facts = facts.get_or_insert_default();
                facts.tags = texts.texts()?.into();
                facts.version = texts.optional()?;
                facts.compatibility = texts.optional()?;
                facts.allowed_tools = texts.optional()?;
            }
        }
        Some(Found {
            name: parsed,
            description,
            digest,
            facts,
            root: spot.root,
            path: boxed_path(spot.path),
            identity: spot.identity,
            link: None,
            straight: false,
            diagnostics: Box::default(),
            standing: Standing::Unknown,
            origin: None,
        })
    }

    fn conditions(&mut self) -> Option<Facts> {
        Some(Facts {
            priority: i64::from_ne_bytes(self.number()?.to_ne_bytes()),
            scope: match self.flag()? {
                true => Some(Box::new(FoundScope {
                    agents: self.list()?,
                    tenants: self.list()?,
                    environments: self.list()?,
                })),
                false => None,
            },
            min_host_version: self.optional()?,
            max_host_version: self.optional()?,
            disable_model_invocation: self.flag()?,
            user_invocable: self.flag()?,
            ..Facts::default()
        })
    }

    fn list(&mut self) -> Option<Option<Vec<String>>> {
        let is_there = self.flag()?;
        let texts = self.texts()?;
        Some(is_there.then_some(texts))
    }
}

/// Whether a choice depends on any of the facts.
fn has_conditions(facts: &Facts) -> bool {
    let Facts { priority, scope, min_host_version, max_host_version, .. } = facts;
    let has_bounds = min_host_version.is_some() || max_host_version.is_some();
    let is_for_some = facts.disable_model_invocation || !facts.user_invocable;
    *priority != 0 || scope.is_some() || has_bounds || is_for_some
}
