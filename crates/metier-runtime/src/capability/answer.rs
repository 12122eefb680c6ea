//! What the operations answer, as JSON. The shapes are contracts: members are added, never renamed.
//! The command line prints the same values.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use metier_format::{AllowedTools, Manifest};
use metier_policy::{Ruling, Verdict};
use metier_store::catalog::{Hidden, Visibility};
use metier_store::disclose::Report;
use metier_store::store::{Resource, Skill};
use metier_store::tokens::{self, Tokens};
use metier_store::vouch::Vouched;
use metier_store::{Catalog, Entry, Found, Scripts};
use serde::Serialize;
use serde_json::Value;

use crate::event::Trigger;
use crate::shape::{ShadowedShape, SkillShape, SkippedShape};

/// The catalog, or a page of it.
#[derive(Debug, Serialize)]
pub struct Listing<'a> {
    /// The skills, by name.
    pub skills: Vec<SkillShape<'a>>,
    /// Candidates that another one of the same name beat.
    pub shadowed: Vec<ShadowedShape<'a>>,
    /// Files that cannot be loaded.
    pub skipped: Vec<SkippedShape<'a>>,
    /// What the search could not look into.
    pub notes: Vec<SkippedShape<'a>>,
    /// The catalog's digest.
    pub digest: String,
    /// The name to go on after, when there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The skills that answer a query.
#[derive(Debug, Serialize)]
pub struct Hits<'a> {
    /// The best first.
    pub hits: Vec<HitShape<'a>>,
}

/// One skill that answers a query.
#[derive(Debug, Serialize)]
pub struct HitShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// How well it answers, comparable within one answer.
    pub score: f64,
    /// Its description.
    pub description: &'a str,
    /// Whether it may be used now.
    pub active: bool,
    /// Its directory.
    pub path: String,
    /// Where words of the query are in it.
    pub matched: Vec<&'static str>,
    /// The MCP server it is from, when it is from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
}

/// A skill loaded whole.
#[derive(Debug, Serialize)]
pub struct ShownSkill<'a> {
    /// As in a listing.
    #[serde(flatten)]
    pub skill: SkillShape<'a>,
    /// The frontmatter, as `metier props` prints it.
    pub manifest: Value,
    /// What `allowed-tools` lets a model use; null when it says nothing.
    pub tools: Option<Vec<String>>,
    /// Its toolsets.
    pub toolsets: Vec<&'a str>,
    /// Its scripts, as paths inside it.
    pub scripts: Vec<String>,
    /// Its files besides `SKILL.md`.
    pub resources: Vec<ShownFile<'a>>,
    /// Files that are never handed out: links that leave the skill, devices.
    pub refused: &'a [String],
    /// Files left out of `resources` because there are too many.
    pub omitted: usize,
    /// What each tier costs.
    pub tokens: Tiers,
    /// SHA-256 of the SKILL.md.
    pub digest: &'a str,
    /// The digest of the tree that was locked or approved.
    pub tree: Option<String>,
    /// Who said yes to it.
    pub approval: Option<String>,
    /// What is not as it was when it was locked or approved.
    pub differences: Vec<String>,
}

/// One file of a skill.
#[derive(Debug, Serialize)]
pub struct ShownFile<'a> {
    /// Its path inside the skill.
    pub path: &'a str,
    /// Its size in bytes.
    pub size: u64,
    /// Whether any execute bit is set.
    pub executable: bool,
}

/// What each tier of disclosure costs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tiers {
    /// Name and description, in every prompt.
    pub catalog: Tokens,
    /// The body, once the skill is activated.
    pub body: Tokens,
}

/// The catalog as a model sees it.
#[derive(Debug, Serialize)]
pub struct Prompted<'a> {
    /// How it is written.
    pub style: &'static str,
    /// The text.
    pub text: &'a str,
    /// What was shortened or left out.
    #[serde(flatten)]
    pub report: &'a Report,
}

/// What was released.
#[derive(Debug, Serialize)]
pub struct Released {
    /// The skills, in the order they left.
    pub released: Vec<String>,
    /// Those that are active still, the last activated last.
    pub active: Vec<String>,
}

/// How a session ended.
#[derive(Debug, Serialize)]
pub struct Ended {
    /// The session.
    pub session: String,
    /// Whether it was open.
    pub ended: bool,
    /// The skills, in the order they left.
    pub released: Vec<String>,
}

/// A ruling.
#[derive(Debug, Serialize)]
pub struct RuledCall {
    /// `allow`, `ask` or `deny`.
    pub verdict: Verdict,
    /// Every reason.
    pub reasons: Vec<String>,
    /// The skill that decided, if one did.
    pub skill: Option<String>,
    /// The rule that decided, if one did.
    pub rule: Option<String>,
}

/// A file of a skill, or a part of it.
#[derive(Debug, Serialize)]
pub struct FileAnswer<'a> {
    /// Its path inside the skill.
    pub path: &'a str,
    /// The size of the whole file.
    pub size: usize,
    /// Whether it is not text.
    pub binary: bool,
    /// `utf-8` with `text`, or `base64` with `base64`.
    pub encoding: &'static str,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The byte this part starts at, when it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The byte the next part starts at, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// The MCP server the skill is from, when it is from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
}

/// Frames of a session.
#[derive(Debug, Serialize)]
pub struct FrameList {
    /// The frames, in order.
    pub frames: Vec<Value>,
    /// The number to go on after, when there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

impl<'a> Listing<'a> {
    /// The whole catalog, with what is `recorded` of where each skill is from; with `all` also what
    /// the selection leaves out.
    #[must_use]
    pub fn whole(catalog: &'a Catalog, all: bool, recorded: impl Fn(&Found) -> Vouched) -> Self {
        let with = |shape: SkillShape<'a>, found: &Found| shape.from(&recorded(found));
        Self { digest: catalog.digest(), ..Self::of(catalog, all, with) }
    }

    /// The same for a reader who is shown neither where each skill is from nor the digest, both of
    /// which take longer than the rest.
    #[must_use]
    pub fn brief(catalog: &'a Catalog, all: bool) -> Self {
        Self::of(catalog, all, |shape, _| shape)
    }

    fn of(
        catalog: &'a Catalog,
        all: bool,
        with: impl Fn(SkillShape<'a>, &Found) -> SkillShape<'a>,
    ) -> Self {
        let hidden = if all { catalog.hidden.as_slice() } else { &[] };
        let winner = |e: &'a Entry| with(SkillShape::entry(catalog, e), &e.found);
        let mut skills: Vec<_> = catalog.entries.iter().map(winner).collect();
        let left_out = |h: &'a Hidden| with(SkillShape::hidden(catalog, h), &h.found);
        skills.extend(hidden.iter().map(left_out));
        if all {
            skills.sort_by(|a, b| a.name.cmp(b.name).then(b.active.cmp(&a.active)));
        }
        Self {
            skills,
            shadowed: catalog.shadowed.iter().map(|s| ShadowedShape::of(catalog, s)).collect(),
            skipped: catalog.skipped.iter().map(|s| SkippedShape::skipped(catalog, s)).collect(),
            notes: catalog.notes.iter().map(|n| SkippedShape::note(catalog, n)).collect(),
            digest: String::new(),
            next: None,
        }
    }

    /// What a model may see of it: no skill that is not for models, no word on other files. The
    /// catalog's `digest` is given, since a session has it already.
    #[must_use]
    pub fn for_model(catalog: &'a Catalog, digest: String) -> Self {
        Self {
            skills: catalog.visible().map(|entry| SkillShape::entry(catalog, entry)).collect(),
            shadowed: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
            digest,
            next: None,
        }
    }

    /// Only the skills whose name comes after `after`, at most `limit` of them.
    #[must_use]
    pub fn page(mut self, after: Option<&str>, limit: Option<usize>) -> Self {
        if let Some(after) = after {
            self.skills.retain(|skill| skill.name > after);
        }
        if let Some(limit) = limit.filter(|limit| self.skills.len() > *limit) {
            self.skills.truncate(limit);
            self.next = self.skills.last().map(|skill| skill.name.to_owned());
        }
        self
    }
}

impl<'a> HitShape<'a> {
    /// The entry a query found.
    #[must_use]
    pub fn of(catalog: &Catalog, entry: &'a Entry, score: f32, matched: Vec<&'static str>) -> Self {
        let shape = SkillShape::entry(catalog, entry);
        Self {
            name: shape.name,
            // Three decimals tell two hits apart; more would only look exact.
            score: (f64::from(score) * 1000.0).round() / 1000.0,
            description: shape.description,
            active: shape.active,
            path: shape.path,
            matched,
            source: entry.found.origin.as_deref(),
        }
    }
}

impl<'a> ShownSkill<'a> {
    /// A skill, loaded; tokens are counted when `exact`, else estimated.
    #[must_use]
    pub fn of(skill: SkillShape<'a>, loaded: &'a Skill, scripts: &Scripts, exact: bool) -> Self {
        let manifest = &loaded.manifest;
        let count = |text: &str| {
            if exact { tokens::exact(text) } else { tokens::estimate(text).tokens() }
        };
        let line = format!("{}: {}", manifest.name.as_str(), manifest.description.value);
        let file = |f: &'a metier_store::store::ResourceFile| ShownFile {
            path: &f.path,
            size: f.size,
            executable: f.executable,
        };
        Self {
            skill,
            manifest: manifest.props(),
            tools: allowed_tools(manifest),
            toolsets: manifest.parts.toolsets.iter().map(|t| t.value.as_str()).collect(),
            scripts: scripts.found.iter().map(|script| script.path.clone()).collect(),
            resources: loaded.resources.files.iter().map(file).collect(),
            refused: &loaded.resources.refused,
            omitted: loaded.resources.omitted,
            tokens: Tiers { catalog: count(&line), body: count(&loaded.body) },
            digest: &loaded.digest,
            tree: None,
            approval: None,
            differences: Vec::new(),
        }
    }

    /// The same with what is known about its content.
    #[must_use]
    pub fn with(self, vouched: Vouched) -> Self {
        let Vouched { tree, approval, differences, .. } = vouched;
        Self { tree, approval, differences, ..self }
    }
}

impl RuledCall {
    /// A ruling as programs read it.
    #[must_use]
    pub fn of(ruling: &Ruling) -> Self {
        Self {
            verdict: ruling.verdict,
            reasons: ruling.reasons.iter().map(|reason| reason.text.clone()).collect(),
            skill: ruling.skill.as_ref().map(ToString::to_string),
            rule: ruling.rule.clone(),
        }
    }
}

impl<'a> FileAnswer<'a> {
    /// The whole of a file.
    #[must_use]
    pub fn whole(resource: &'a Resource) -> Self {
        Self::part(resource, 0, usize::MAX)
    }

    /// At most `limit` bytes of a file from byte `offset` on. A part of a text ends and begins
    /// between characters: where the bounds lie inside one, it is left to the next part.
    #[must_use]
    pub fn part(resource: &'a Resource, offset: usize, limit: usize) -> Self {
        let size = resource.bytes.len();
        let (from, to) = (offset.min(size), offset.saturating_add(limit).min(size));
        let whole = std::str::from_utf8(&resource.bytes).ok().filter(|_| !resource.binary);
        let text = whole.map(|whole| {
            let (from, mut to) = (whole.floor_char_boundary(from), whole.floor_char_boundary(to));
            if to <= from {
                // A limit smaller than one character would never come to an end.
                to = whole.ceil_char_boundary((from + 1).min(size));
            }
            (&whole[from..to], from, to)
        });
        let (from, to) = text.map_or((from, to), |(_, from, to)| (from, to));
        let bytes = resource.bytes.get(from..to).unwrap_or_default();
        Self {
            path: &resource.path,
            size,
            binary: resource.binary,
            encoding: if text.is_some() { "utf-8" } else { "base64" },
            text: text.map(|(text, ..)| text),
            base64: text.is_none().then(|| base64(bytes)),
            offset: (from > 0).then_some(from),
            next: (to < size).then_some(to),
            source: None,
        }
    }

    /// The same of a skill that is from `origin`.
    #[must_use]
    pub fn from(self, origin: Option<&'a str>) -> Self {
        Self { source: origin, ..self }
    }
}

/// Whether `asker` may hear of `entry` at all.
pub(super) fn may_see(entry: &Entry, asker: Trigger) -> bool {
    match asker {
        Trigger::Manual => true,
        Trigger::Auto => entry.visibility == Visibility::Model,
    }
}

/// What `allowed-tools` allows: none when it says nothing, and nothing when it cannot be read.
fn allowed_tools(manifest: &Manifest) -> Option<Vec<String>> {
    let tools = manifest.allowed_tools.as_ref()?;
    match &tools.value {
        AllowedTools::Only(patterns) => Some(patterns.iter().map(ToString::to_string).collect()),
        AllowedTools::Unreadable => Some(Vec::new()),
    }
}

/// `bytes` in base64 with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
