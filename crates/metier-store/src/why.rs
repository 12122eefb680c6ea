//! Why a name means the skill it means: every candidate with what became of it, and the answer in a
//! sentence as a person would say it.
//!
//! Pure and only explains: the deciding was done by `catalog`, or is that of another agent as
//! `client` describes it. Start at [`why`] and [`why_as`].

use std::path::PathBuf;

use metier_format::text::visible_line;
use metier_format::{Code, NameKey, SkillName};
use serde_json::{Value, json};

use crate::catalog::{
    Catalog, Hidden, HiddenReason, Rule, Shadowed, Trust, Visibility, directory_key,
};
use crate::client::{Agent, Clash, Emulation};
use crate::discover::{Discovery, Found, Skipped, join};
use crate::layer::{Layer, Root};
use crate::vouch::Standing;

/// Everything that could answer to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The name as typed.
    pub typed: String,
    /// The agent answered for, when it is not metier itself.
    pub agent: Option<&'static Emulation>,
    /// The candidates: the winner, those it beat, those left out, those that cannot be loaded.
    pub candidates: Vec<Candidate>,
}

/// One skill that could answer to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name; the directory's when it cannot be loaded.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The root it lies in.
    pub root: PathBuf,
    /// Its layer.
    pub layer: Layer,
    /// Its priority.
    pub priority: i64,
    /// How far it is trusted.
    pub trust: Trust,
    /// What is known about its content.
    pub standing: Standing,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The name means this one.
    Wins(Visibility),
    /// Another one won.
    Shadowed {
        /// What decided.
        rule: Rule,
        /// The winner's directory.
        by: PathBuf,
    },
    /// Another one won, and the agent lists this one as well.
    Kept,
    /// The selection leaves it out.
    Hidden(HiddenReason),
    /// It cannot be loaded.
    Skipped {
        /// The first finding that prevents loading.
        code: Code,
        /// What it says.
        message: String,
        /// The line it is about.
        line: Option<u32>,
    },
}

/// Explains what `typed` means in a catalog.
#[must_use]
pub fn why(catalog: &Catalog, typed: &str) -> Why {
    let key = NameKey::of(typed);
    let roots = catalog.roots.as_slice();
    let of = |name: &SkillName| name.has_key(&key);
    let mut candidates = Vec::new();
    if let Some(entry) = catalog.get(&key) {
        candidates.push(Candidate::found(roots, &entry.found, Outcome::Wins(entry.visibility)));
    }
    // A name that is switched off has one skill it would mean, which comes before those it beat.
    let named = |hidden: &&Hidden| {
        matches!(hidden.reason, HiddenReason::Disabled | HiddenReason::NotEnabled)
    };
    let hidden = || catalog.hidden.iter().filter(|hidden| of(&hidden.found.name));
    let left_out = |Hidden { found, reason }: &Hidden| {
        Candidate::found(roots, found, Outcome::Hidden(reason.clone()))
    };
    candidates.extend(hidden().filter(named).map(left_out));
    for Shadowed { winner, loser, rule } in catalog.shadowed.iter().filter(|s| of(&s.loser.name)) {
        let outcome = Outcome::Shadowed { rule: *rule, by: catalog.place(winner) };
        candidates.push(Candidate::found(roots, loser, outcome));
    }
    candidates.extend(hidden().filter(|hidden| !named(hidden)).map(left_out));
    candidates.extend(broken(roots, &catalog.skipped, &key));
    Why { typed: typed.to_owned(), agent: None, candidates }
}

/// Explains what `typed` means to another agent, over a discovery of its roots. Other agents take
/// names to the letter, so spellings of one name are skills of their own.
#[must_use]
pub fn why_as(emulation: &'static Emulation, discovery: &Discovery, typed: &str) -> Why {
    let key = NameKey::of(typed);
    let roots = discovery.roots.as_slice();
    let (mut winners, mut losers): (Vec<&Found>, Vec<Candidate>) = (Vec::new(), Vec::new());
    let mut candidates = Vec::new();
    for found in emulation.order(discovery).into_iter().filter(|f| f.name.has_key(&key)) {
        let trusted = trust(roots, found) != Trust::Untrusted;
        let winner = winners.iter().find(|winner| winner.name == found.name);
        match (trusted, winner) {
            (false, _) => {
                let outcome = Outcome::Wins(Visibility::Untrusted);
                losers.push(Candidate::found(roots, found, outcome));
            }
            (true, None) => {
                winners.push(found);
                let outcome = Outcome::Wins(Visibility::Model);
                candidates.push(Candidate::found(roots, found, outcome));
            }
            (true, Some(winner)) => {
                let outcome = emulation.lost(discovery.directory(winner));
                losers.push(Candidate::found(roots, found, outcome));
            }
        }
    }
    candidates.extend(losers);
    candidates.extend(broken(roots, &discovery.skipped, &key));
    Why { typed: typed.to_owned(), agent: Some(emulation), candidates }
}

impl Emulation {
    fn lost(&self, by: PathBuf) -> Outcome {
        match self.clash {
            Clash::FirstWins => Outcome::Shadowed { rule: Rule::AgentOrder, by },
            Clash::KeepsAll => Outcome::Kept,
        }
    }
}

impl Why {
    /// The candidate the name means.
    #[must_use]
    pub fn winner(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|c| matches!(c.outcome, Outcome::Wins(_)))
    }

    /// The answer as a person would say it: one sentence without a final period.
    #[must_use]
    pub fn sentence(&self) -> String {
        let answer = match self.winner() {
            Some(winner) => self.about_winner(winner),
            None => self.about_nobody(),
        };
        match self.agent {
            Some(emulation) => format!("for {}, {answer}", title(emulation)),
            None => answer,
        }
    }

    /// Every candidate on a line of its own: where it is, and what became of it.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.candidates.iter().map(Candidate::line).collect()
    }

    /// All of it as data.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let candidates: Vec<Value> = self.candidates.iter().map(Candidate::to_json).collect();
        json!({
            "name": self.typed,
            "agent": self.agent.map(|emulation| emulation.agent),
            "sentence": self.sentence(),
            "caveat": self.agent.map(|e| e.caveat).filter(|caveat| !caveat.is_empty()),
            "candidates": candidates,
        })
    }

    fn about_winner(&self, winner: &Candidate) -> String {
        let name = quoted(&winner.name);
        let place = quoted(&winner.directory.to_string_lossy());
        let owner = owner(winner.layer);
        let mut answer = match winner.outcome {
            Outcome::Wins(Visibility::Untrusted) if winner.standing == Standing::Changed => {
                format!(
                    "{name} is the {owner} one ({place}), and no model sees it: it changed since it was \
                 approved"
                )
            }
            Outcome::Wins(Visibility::Untrusted) => format!(
                "{name} is the {owner} one ({place}), and no model sees it until you trust the folder"
            ),
            Outcome::Wins(Visibility::UserOnly) => {
                format!("{name} is the {owner} one ({place}), which only you can call")
            }
            _ => format!("{name} is the {owner} one ({place})"),
        };
        let reasons = self.reasons(winner);
        if !reasons.is_empty() {
            answer = format!("{answer}: {}", reasons.join(", "));
        }
        answer
    }

    /// Why the others are not it, each reason once.
    fn reasons(&self, winner: &Candidate) -> Vec<String> {
        let mut reasons = Vec::new();
        for other in self.candidates.iter().filter(|other| *other != winner) {
            let place = quoted(&other.directory.to_string_lossy());
            let reason = match &other.outcome {
                Outcome::Wins(Visibility::Untrusted) => format!("{place} is not trusted"),
                Outcome::Wins(_) => format!("{place} is another skill to it"),
                Outcome::Shadowed { rule, .. } => rule_between(*rule, winner, other),
                Outcome::Kept => format!("{place} is listed beside it"),
                Outcome::Hidden(reason) => format!("{place} {}", reason.sentence()),
                Outcome::Skipped { .. } => format!("{place} cannot be loaded"),
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons
    }

    fn about_nobody(&self) -> String {
        let Some(first) = self.candidates.first() else {
            return format!("there is no skill called {}", quoted(&self.typed));
        };
        let (name, place) = (quoted(&first.name), quoted(&first.directory.to_string_lossy()));
        match &first.outcome {
            Outcome::Hidden(reason) => format!("{name} ({place}) {}", reason.sentence()),
            Outcome::Skipped { message, .. } => {
                format!("{name} ({place}) cannot be loaded: {}", visible_line(message))
            }
            Outcome::Wins(_) | Outcome::Shadowed { .. } | Outcome::Kept => {
                format!("{name} ({place}) is not shown")
            }
        }
    }
}

impl Candidate {
    fn found(roots: &[Root], found: &Found, outcome: Outcome) -> Self {
        let root = roots.get(usize::from(found.root.0));
        Self {
            name: found.name.to_string(),
            directory: join(roots, found.root, &found.path),
            root: root.map(|root| root.path.clone()).unwrap_or_default(),
            layer: root.map_or(Layer::Bundled, |root| root.layer),
            priority: found.facts.as_deref().map_or(0, |facts| facts.priority),
            trust: trust(roots, found),
            standing: found.standing,
            outcome,
        }
    }

    /// What became of it, in words that stand behind its place.
    fn sentence(&self) -> String {
        match (&self.outcome, self.standing) {
            (Outcome::Wins(Visibility::Untrusted), Standing::Changed) => {
                "is hidden from models: it changed since it was approved".to_owned()
            }
            (outcome, _) => outcome.sentence(),
        }
    }

    fn line(&self) -> String {
        let priority = match self.priority {
            0 => String::new(),
            priority => format!(", priority {priority}"),
        };
        let place = quoted(&self.directory.to_string_lossy());
        format!(
            "{place} ({}{priority}, {}): {}",
            self.layer.as_str(),
            self.trust.as_str(),
            self.sentence()
        )
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "name": self.name,
            "path": self.directory.to_string_lossy(),
            "layer": self.layer,
            "priority": self.priority,
            "trust": self.trust,
            "outcome": self.outcome.as_str(),
            "reason": self.sentence(),
        });
        if let Some(object) = value.as_object_mut() {
            let details = self.outcome.details().into_iter();
            object.extend(details.map(|(key, value)| (key.to_owned(), value)));
        }
        value
    }
}

impl Outcome {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Wins(Visibility::Untrusted) => "untrusted",
            Self::Wins(_) => "wins",
            Self::Shadowed { .. } => "shadowed",
            Self::Kept => "kept",
            Self::Hidden(_) => "hidden",
            Self::Skipped { .. } => "skipped",
        }
    }

    /// What only this outcome has.
    fn details(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Wins(visibility) => vec![("visibility", json!(visibility))],
            Self::Shadowed { rule, by } => {
                vec![("rule", json!(rule)), ("winner", json!(by.to_string_lossy()))]
            }
            Self::Kept => Vec::new(),
            Self::Hidden(reason) => vec![("hidden", json!(reason.as_str()))],
            Self::Skipped { code, line, .. } => {
                vec![("code", json!(code.as_str())), ("line", json!(line))]
            }
        }
    }

    /// What became of it, as a clause.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Wins(Visibility::Model) => "wins".to_owned(),
            Self::Wins(Visibility::UserOnly) => "wins, and only a user can call it".to_owned(),
            Self::Wins(Visibility::Untrusted) => {
                "is hidden from models until its folder is trusted".to_owned()
            }
            Self::Shadowed { rule, .. } => format!("is shadowed: {}", rule.sentence()),
            Self::Kept => "is listed as well, after the first".to_owned(),
            Self::Hidden(reason) => reason.sentence(),
            Self::Skipped { code, message, line } => {
                let line = line.map_or_else(String::new, |line| format!(", line {line}"));
                format!("cannot be loaded ({}{line}): {}", code.as_str(), visible_line(message))
            }
        }
    }
}

/// The files that cannot be loaded in directories called like the key.
fn broken<'a>(
    roots: &'a [Root],
    skipped: &'a [Skipped],
    key: &'a NameKey,
) -> impl Iterator<Item = Candidate> + 'a {
    let matching = skipped.iter().filter(|s| directory_key(roots, s).as_ref() == Some(key));
    matching.map(|skipped| {
        let root = roots.get(usize::from(skipped.root.0));
        let file = join(roots, skipped.root, &skipped.path);
        let directory = file.parent().map_or_else(|| file.clone(), ToOwned::to_owned);
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = skipped.diagnostics.iter().find(|d| d.code.prevents_loading());
        let first = first.or_else(|| skipped.diagnostics.first());
        let outcome = Outcome::Skipped {
            code: first.map_or(Code::Unreadable, |d| d.code),
            message: first.map(|d| d.message.clone()).unwrap_or_default(),
            line: first.and_then(|d| d.position).map(|position| position.line),
        };
        Candidate {
            name,
            directory,
            root: root.map(|root| root.path.clone()).unwrap_or_default(),
            layer: root.map_or(Layer::Bundled, |root| root.layer),
            priority: 0,
            trust: root.map_or(Trust::Untrusted, Trust::of),
            standing: Standing::Unknown,
            outcome,
        }
    })
}

/// A rule as said between two candidates.
fn rule_between(rule: Rule, winner: &Candidate, loser: &Candidate) -> String {
    let root = |candidate: &Candidate| quoted(&candidate.root.to_string_lossy());
    match rule {
        Rule::Layer => format!("{} beats {}", winner.layer.as_str(), loser.layer.as_str()),
        Rule::Priority => format!("priority {} beats {}", winner.priority, loser.priority),
        Rule::ClientOrder | Rule::AgentOrder => {
            format!("{} comes before {}", root(winner), root(loser))
        }
        Rule::Path => {
            format!("its path sorts before {}", quoted(&loser.directory.to_string_lossy()))
        }
        Rule::Trust => {
            let place = quoted(&loser.directory.to_string_lossy());
            match loser.standing {
                Standing::Changed => format!("{place} changed since it was approved"),
                Standing::Approved | Standing::Unknown => format!("{place} is not trusted"),
            }
        }
        Rule::SameDirectory => {
            let other = quoted(&loser.directory.to_string_lossy());
            format!("{other} is the same directory")
        }
    }
}

fn trust(roots: &[Root], found: &Found) -> Trust {
    let root = roots.get(usize::from(found.root.0));
    root.map_or(Trust::Untrusted, |root| Trust::given(root, found.standing))
}

fn owner(layer: Layer) -> &'static str {
    match layer {
        Layer::Enterprise => "organisation's",
        Layer::Personal => "personal",
        Layer::Project => "project's",
        Layer::Plugin => "plugin's",
        Layer::Bundled => "bundled",
    }
}

fn title(emulation: &Emulation) -> &'static str {
    Agent::find(emulation.agent).map_or(emulation.agent, |agent| agent.title)
}

fn quoted(text: &str) -> String {
    format!("`{}`", visible_line(text))
}

#[cfg(test)]
#[path = "why_tests.rs"]
mod tests;
