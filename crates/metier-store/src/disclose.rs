//! The catalog as a model sees it: five styles, each skill as fully as a budget allows, with a
//! report of everything that was shortened or left out.
//!
//! Pure. Only what a model may see is shown. Start at [`disclose`]; `escape` keeps strangers' text
//! in its place, `render` knows the styles, `plan` knows what to give up first.

mod escape;
mod plan;
mod render;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use metier_format::{NameKey, SkillName};
use serde::Serialize;

use crate::catalog::{Catalog, Entry};
use crate::guide::{GuideTools, guide};
use crate::tokens;

use plan::{Meter, Plan, Row, shorten};
use render::{List, Shown};

/// How the catalog is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The standard's elements, every value on lines of its own.
    #[default]
    Xml,
    /// One element a skill, its values as attributes.
    XmlAttributes,
    /// A Markdown list.
    Markdown,
    /// The description of the tool that activates skills.
    Tool,
    /// One JSON object, one skill a line.
    Json,
}

/// What to disclose, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclose {
    /// The style.
    pub style: Style,
    /// Whether each skill's `SKILL.md` is named.
    pub location: bool,
    /// Whether `compatibility` is shown.
    pub compatibility: bool,
    /// Whether `allowed-tools` is shown.
    pub allowed_tools: bool,
    /// The most tokens the text may have.
    pub budget: Option<usize>,
    /// Skills that are always shown in full.
    pub pinned: Vec<NameKey>,
    /// Whether [`guide`] follows the catalog.
    pub guide: bool,
    /// The tools the guide speaks of.
    pub tools: GuideTools,
    /// Whether every number in the report is counted, not estimated.
    pub exact: bool,
    /// How a model searches, told when skills are left out.
    pub search: String,
}

/// The text for the model, and what became of each skill in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosure {
    /// The text, without a final line break. Empty when there is nothing to show.
    pub text: String,
    /// What became of each skill.
    pub report: Report,
}

/// How fully a skill is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// In full, because somebody asked for it.
    Pinned,
    /// In full.
    Full,
    /// With a shorter description.
    Shortened,
    /// By name, and location where locations are shown.
    NameOnly,
    /// Not at all.
    Omitted,
}

/// Whether the guide is in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuideState {
    /// Nobody asked for it, or there is no skill it could speak of.
    #[default]
    Absent,
    /// It follows the catalog.
    Included,
    /// It would have taken more than half the budget.
    Omitted,
}

/// What became of each skill. Serialised, this is the report of `metier prompt --report`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The budget, when there was one.
    pub budget: Option<usize>,
    /// The tokens of the whole text.
    pub tokens: usize,
    /// Whether the numbers here are counted; otherwise they are estimates.
    pub exact: bool,
    /// Whether the text keeps to the budget. Only pinned skills can break it.
    pub fits: bool,
    /// Whether the guide is in the text.
    pub guide: GuideState,
    /// How many skills there are of each level; every level is named.
    pub counts: BTreeMap<Level, usize>,
    /// Pinned names that no skill a model may see has.
    pub unmatched: Vec<String>,
    /// Every skill a model may see, by name.
    pub skills: Vec<SkillReport>,
}

/// What became of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillReport {
    /// The name.
    pub name: String,
    /// How fully it is shown.
    pub level: Level,
    /// The tokens of its own part of the text; they need not add up to the whole.
    pub tokens: usize,
}

/// Writes the catalog for a model. With a budget, the text has no more tokens than that unless the
/// pinned skills alone have. Skills give way in reverse order of layer, priority and name.
///
/// ```
/// use metier_store::{Catalog, Disclose, Style, disclose};
///
/// let options = Disclose { style: Style::Markdown, budget: Some(2000), ..Disclose::default() };
/// let disclosure = disclose(&Catalog::default(), &options);
/// assert_eq!(disclosure.text, "", "no skills, no text");
/// assert!(disclosure.report.fits);
/// ```
#[must_use]
pub fn disclose(catalog: &Catalog, options: &Disclose) -> Disclosure {
    let skills = Skills::of(catalog, options);
    if skills.items.is_empty() {
        return skills.nothing();
    }
    let Written { parts, text, guide, fits, counted } = skills.write();
    let report = skills.report(&parts, &text, counted || options.exact);
    Disclosure { text, report: Report { fits, guide, ..report } }
}

/// The text of [`disclose`] alone, for whoever reads no report: most of the time goes into that.
#[must_use]
pub fn disclosed(catalog: &Catalog, options: &Disclose) -> String {
    let skills = Skills::of(catalog, options);
    if skills.items.is_empty() { String::new() } else { skills.write().text }
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 5] =
        [Self::Xml, Self::XmlAttributes, Self::Markdown, Self::Tool, Self::Json];

    /// The word used on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::XmlAttributes => "xml-attributes",
            Self::Markdown => "markdown",
            Self::Tool => "tool",
            Self::Json => "json",
        }
    }

    /// The style called `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.as_str() == word)
    }
}

impl Default for Disclose {
    fn default() -> Self {
        Self {
            style: Style::default(),
            location: false,
            compatibility: false,
            allowed_tools: false,
            budget: None,
            pinned: Vec::new(),
            guide: false,
            tools: GuideTools::default(),
            exact: false,
            search: "`metier search`".to_owned(),
        }
    }
}

impl Level {
    /// Every level, fullest first.
    pub const ALL: [Self; 5] =
        [Self::Pinned, Self::Full, Self::Shortened, Self::NameOnly, Self::Omitted];

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Full => "full",
            Self::Shortened => "shortened",
            Self::NameOnly => "name-only",
            Self::Omitted => "omitted",
        }
    }
}

/// One skill with everything that may be shown of it.
struct Item<'a> {
    entry: &'a Entry,
    location: Option<String>,
    /// The description's length in characters.
    characters: usize,
    /// Its place among those that may give way, 0 last; none when pinned.
    rank: Option<usize>,
}

/// A skill as it stands in the text; nothing when it is left out.
struct Part {
    level: Level,
    text: String,
}

/// The text, and how it came about.
struct Written {
    parts: Vec<Part>,
    text: String,
    guide: GuideState,
    fits: bool,
    /// Whether the exact counter had to be asked.
    counted: bool,
}

/// The skills a model may see, by name.
struct Skills<'a> {
    options: &'a Disclose,
    items: Vec<Item<'a>>,
}

impl<'a> Skills<'a> {
    fn of(catalog: &'a Catalog, options: &'a Disclose) -> Self {
        let pinned: BTreeSet<&NameKey> = options.pinned.iter().collect();
        let mut items = Vec::new();
        for entry in catalog.visible() {
            let location = options
                .location
                .then(|| catalog.directory(&entry.found).join("SKILL.md"))
                .map(|path| path.to_string_lossy().into_owned());
            let characters = entry.found.description.chars().count();
            let is_pinned = !pinned.is_empty() && pinned.contains(&entry.name().key());
            items.push(Item { entry, location, characters, rank: (!is_pinned).then_some(0) });
        }
        let mut order: Vec<&mut Item<'_>> =
            items.iter_mut().filter(|item| item.rank.is_some()).collect();
        order.sort_by_cached_key(|item| standing(catalog, item.entry));
        for (rank, item) in order.into_iter().enumerate() {
            item.rank = Some(rank);
        }
        Self { options, items }
    }

    /// Everything within the budget.
    fn write(&self) -> Written {
        let mut meter = Meter::default();
        let (guide, state) = self.guide(&mut meter);
        let (plan, fits) = match self.options.budget {
            None => (Plan::FULL, true),
            Some(budget) => self.row().first_fitting(budget, |plan| {
                meter.fits(&self.text(&self.parts(plan), plan, &guide), budget)
            }),
        };
        let parts = self.parts(&plan);
        let text = self.text(&parts, &plan, &guide);
        let guide = match state {
            GuideState::Included if text.is_empty() => GuideState::Omitted,
            _ => state,
        };
        Written { parts, text, guide, fits, counted: meter.counted }
    }

    fn row(&self) -> Row {
        let loose = self.items.iter().filter(|item| item.rank.is_some());
        let longest = loose.clone().map(|item| item.characters).max().unwrap_or(0);
        Row { longest, skills: loose.count() }
    }

    /// What is shown of each skill under a plan.
    fn parts(&self, plan: &Plan) -> Vec<Part> {
        let skills = self.row().skills;
        let part = |item: &Item<'_>| {
            let level = match item.rank {
                None => Level::Pinned,
                Some(rank) => plan.level(rank, skills, item.characters),
            };
            if level == Level::Omitted {
                return Part { level, text: String::new() };
            }
            let description = description(item, level, plan.cap);
            let text = render::one(self.options.style, &self.shown(item, level, &description));
            Part { level, text }
        };
        self.items.iter().map(part).collect()
    }

    /// The whole text; empty when it would list nothing and not even say so.
    fn text(&self, parts: &[Part], plan: &Plan, guide: &str) -> String {
        let listed = || parts.iter().zip(&self.items).filter(|(p, _)| p.level != Level::Omitted);
        let list = List {
            skills: listed().map(|(part, _)| part.text.as_str()).collect(),
            example: listed().next().map(|(_, item)| item.entry.name().as_str()),
            more: plan.more(&self.options.search),
        };
        if list.skills.is_empty() && list.more.is_none() {
            return String::new();
        }
        let mut text = render::render(self.options.style, &list);
        if !guide.is_empty() {
            text.push_str("\n\n");
            text.push_str(guide);
        }
        text
    }

    fn shown<'b>(&self, item: &'b Item<'_>, level: Level, description: &'b str) -> Shown<'b> {
        let facts = item.entry.facts().filter(|_| level != Level::NameOnly);
        let compatibility = facts.and_then(|facts| facts.compatibility.as_deref());
        let allowed_tools = facts.and_then(|facts| facts.allowed_tools.as_deref());
        let fields = [
            ("origin", item.entry.found.origin.as_deref()),
            ("description", Some(description).filter(|_| level != Level::NameOnly)),
            ("location", item.location.as_deref()),
            ("compatibility", compatibility.filter(|_| self.options.compatibility)),
            ("allowed-tools", allowed_tools.filter(|_| self.options.allowed_tools)),
        ];
        let fields = fields.into_iter().filter_map(|(label, text)| Some((label, text?)));
        Shown { name: item.entry.name().as_str(), fields: fields.collect() }
    }

    /// The guide, unless nobody asked or it would take more than half the budget.
    fn guide(&self, meter: &mut Meter) -> (String, GuideState) {
        if !self.options.guide {
            return (String::new(), GuideState::Absent);
        }
        let text = guide(&self.options.tools);
        match self.options.budget {
            Some(budget) if !meter.fits(&text, budget / 2) => (String::new(), GuideState::Omitted),
            _ => (text, GuideState::Included),
        }
    }

    fn report(&self, parts: &[Part], text: &str, exact: bool) -> Report {
        let count = |text: &str| {
            if exact { tokens::exact(text).count } else { tokens::estimate(text).about }
        };
        let mut counts: BTreeMap<_, _> = Level::ALL.into_iter().map(|level| (level, 0)).collect();
        let mut reports = Vec::with_capacity(self.items.len());
        for (Part { level, text }, item) in parts.iter().zip(&self.items) {
            *counts.entry(*level).or_default() += 1;
            let name = item.entry.name().to_string();
            reports.push(SkillReport { name, level: *level, tokens: count(text) });
        }
        Report {
            budget: self.options.budget,
            tokens: count(text),
            exact,
            counts,
            unmatched: self.unmatched(),
            skills: reports,
            ..Report::default()
        }
    }

    fn unmatched(&self) -> Vec<String> {
        let mut names: BTreeSet<&NameKey> = self.options.pinned.iter().collect();
        if !names.is_empty() {
            let seen: BTreeSet<NameKey> = self.items.iter().map(|i| i.entry.name().key()).collect();
            names.retain(|name| !seen.contains(name));
        }
        names.into_iter().map(ToString::to_string).collect()
    }

    fn nothing(&self) -> Disclosure {
        let report = self.report(&[], "", false);
        // Nothing is zero tokens, whoever counts.
        Disclosure { text: String::new(), report: Report { fits: true, exact: true, ..report } }
    }
}

/// Who gives way later: the layer that wins, then the higher priority, then the name.
fn standing(catalog: &Catalog, entry: &Entry) -> (usize, Reverse<i64>, SkillName) {
    let layer = catalog.precedence.rank(catalog.layer(&entry.found));
    let priority = Reverse(entry.facts().map_or(0, |facts| facts.priority));
    (layer, priority, entry.name().clone())
}

fn description<'a>(item: &'a Item<'_>, level: Level, cap: usize) -> Cow<'a, str> {
    match level {
        Level::Shortened => shorten(&item.entry.found.description, cap),
        _ => Cow::Borrowed(&item.entry.found.description),
    }
}

#[cfg(test)]
mod hostile_tests;

#[cfg(test)]
#[path = "disclose_tests.rs"]
mod tests;
