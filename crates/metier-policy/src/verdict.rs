//! Verdicts and rulings: the answer to a tool call, with every reason for it.
//!
//! A [`Verdict`] is ordered so that the strictest of several is their maximum. A [`Ruling`] is a
//! verdict that can say why; [`Ruling::join`] is the only way two of them are combined.

use metier_format::SkillName;
use serde::{Deserialize, Serialize, Serializer};

/// What happens to a call. Ordered by strictness: `Allow < Ask < Deny`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may happen.
    Allow,
    /// A person decides.
    Ask,
    /// It does not happen. What nobody decided is denied.
    #[default]
    Deny,
}

/// One contribution to a ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What this reason alone would answer.
    pub verdict: Verdict,
    /// One sentence.
    pub text: String,
    /// The policy rule it comes from.
    pub rule: Option<String>,
    /// The active skill it comes from.
    #[serde(serialize_with = "name_or_null")]
    pub skill: Option<SkillName>,
    /// Whether the call only might be what the rule is about.
    #[serde(skip)]
    pub possibly: bool,
    /// Whether no rule said so, only what holds where none does.
    #[serde(skip)]
    pub by_default: bool,
}

/// A verdict with every reason, strictest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The strictest verdict of all reasons.
    pub verdict: Verdict,
    /// Why, strictest first, otherwise in the order found.
    pub reasons: Vec<Reason>,
    /// The skill whose restriction decided, if one did.
    #[serde(serialize_with = "name_or_null")]
    pub skill: Option<SkillName>,
    /// The policy rule that decided, if one did.
    pub rule: Option<String>,
}

impl Verdict {
    /// Every verdict, laxest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The word used in settings and in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The verdict a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == word)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Reason {
    /// A reason that comes from no rule and no skill.
    pub fn new(verdict: Verdict, text: impl Into<String>) -> Self {
        let (text, possibly, by_default) = (text.into(), false, false);
        Self { verdict, text, rule: None, skill: None, possibly, by_default }
    }

    /// The same reason, naming the policy rule.
    #[must_use]
    pub fn of_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// The same reason, naming the skill.
    #[must_use]
    pub fn of_skill(mut self, skill: &SkillName) -> Self {
        self.skill = Some(skill.clone());
        self
    }
}

impl Ruling {
    /// The ruling of all these reasons: the strictest wins, and its first rule and skill are named.
    /// Without any reason the answer is deny, for what nobody allowed is not allowed.
    #[must_use]
    pub fn join(mut reasons: Vec<Reason>) -> Self {
        if reasons.is_empty() {
            reasons.push(Reason::new(Verdict::Deny, "nothing allows this call"));
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
        let verdict = reasons.first().map_or(Verdict::Deny, |reason| reason.verdict);
        let deciding = || reasons.iter().filter(|reason| reason.verdict == verdict);
        let rule = deciding().find_map(|reason| reason.rule.clone());
        let skill = deciding().find_map(|reason| reason.skill.clone());
        Self { verdict, reasons, skill, rule }
    }

    /// A ruling with one reason.
    pub fn of(verdict: Verdict, text: impl Into<String>) -> Self {
        Self::join(vec![Reason::new(verdict, text)])
    }

    /// Whether a rule or a skill surely decided, and not only what holds where no rule speaks or a
    /// rule that might be about something else.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        let deciding = self.reasons.iter().filter(|reason| reason.verdict == self.verdict);
        deciding.into_iter().any(|r| (r.rule.is_some() || r.skill.is_some()) && !r.possibly)
    }

    /// The sentences of the reasons that decided, for a message to a person or a model.
    #[must_use]
    pub fn explanation(&self) -> String {
        let deciding = self.reasons.iter().filter(|reason| reason.verdict == self.verdict);
        deciding.map(|reason| reason.text.as_str()).collect::<Vec<_>>().join("; ")
    }
}

fn name_or_null<S: Serializer>(name: &Option<SkillName>, serializer: S) -> Result<S::Ok, S::Error> {
    name.as_ref().map(SkillName::as_str).serialize(serializer)
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
