//! One rule of a policy: a verdict, what it is about, when it applies, and examples that prove it.
//!
//! Conditions on skills read differently for a rule that allows and one that does not: to tighten,
//! one active skill that fits is enough; to allow, every active skill must fit, so that no skill
//! rides on what was granted to another. A rule that tightens for certain skills adds to what the
//! rules after it say and never hides them, so that activating a skill relaxes nothing.

use metier_format::Position;
use serde_json::Value;

use crate::act;
use crate::call::ToolCall;
use crate::glob;
use crate::host::HostTable;
use crate::judge::{Bench, Case, Clause, Fallback, Standing, judge};
use crate::overrides::OverrideKind;
use crate::place::{Ground, Lexical, Place};
use crate::programs::ProgramTable;
use crate::stack::ActiveStack;
use crate::verdict::Verdict;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub(crate) clause: Clause,
    pub(crate) when: Conditions,
    /// Proposals it is about, beside or instead of tool calls.
    pub(crate) overrides: Vec<OverrideKind>,
    /// Where it stands in its file, counted from 1.
    pub(crate) line: usize,
}

/// When a rule applies. An empty list is no condition; entries may have wildcards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub(crate) skills: Vec<String>,
    pub(crate) layers: Vec<String>,
    pub(crate) trusts: Vec<String>,
    pub(crate) agents: Vec<String>,
    /// Argument fields and what they must look like.
    pub(crate) arguments: Vec<(String, String)>,
}

/// A call in a rule's own words, for checking the rule when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    /// As written.
    pub(crate) text: String,
    pub(crate) call: ToolCall,
    pub(crate) place: Position,
}

impl Conditions {
    /// Whether they ask which skills are active.
    pub(crate) fn is_about_skills(&self) -> bool {
        !(self.skills.is_empty() && self.layers.is_empty() && self.trusts.is_empty())
    }
}

impl Rule {
    /// What the rule is called.
    #[must_use]
    pub fn id(&self) -> &str {
        self.clause.id.as_deref().unwrap_or_default()
    }

    /// What it answers.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.clause.verdict
    }

    /// Where it stands in its file, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Whether the rule applies to a call made now.
    pub(crate) fn applies(&self, call: &ToolCall, host: &HostTable, stack: &ActiveStack) -> bool {
        let when = &self.when;
        fits(&when.agents, &host.name)
            && when.arguments.iter().all(|(field, wanted)| has_argument(call, field, wanted))
            && self.fits_skills(stack)
    }

    /// Whether the conditions on skills hold.
    pub(crate) fn fits_skills(&self, stack: &ActiveStack) -> bool {
        let when = &self.when;
        if !when.is_about_skills() {
            return true;
        }
        let mut fitting = stack.iter().map(|skill| {
            fits(&when.skills, skill.name.as_str())
                && fits(&when.layers, &skill.layer)
                && fits(&when.trusts, &skill.trust)
        });
        match self.clause.verdict {
            Verdict::Allow => !stack.is_empty() && fitting.all(|fits| fits),
            Verdict::Ask | Verdict::Deny => fitting.any(|fits| fits),
        }
    }

    /// Whether the rule is about the example. Conditions are left aside.
    pub(crate) fn is_about(&self, example: &ToolCall, programs: &ProgramTable) -> bool {
        let place = Place {
            cwd: "/project".as_ref(),
            home: Some("/home/user".as_ref()),
            project: Some("/project".as_ref()),
            protected: &[],
            resolver: &Lexical,
        };
        let host = HostTable::plain();
        let call = example.understand(host);
        let acts = act::acts(&call, &place, programs, act::Look::Plain);
        let ground = Ground::new(&place);
        let case = Case { call: &call, host, ground: &ground };
        // Against the opposite default, only the rule can bring its verdict about.
        let opposite = match self.clause.verdict {
            Verdict::Allow => Verdict::Deny,
            Verdict::Ask | Verdict::Deny => Verdict::Allow,
        };
        let bench = Bench {
            clauses: vec![&self.clause],
            fallback: Some(Fallback { verdict: opposite, unresolvable: opposite }),
            standing: Standing::Full,
        };
        let findings = judge(&case, &[bench], &acts);
        findings.iter().map(|finding| finding.verdict).max() == Some(self.clause.verdict)
    }
}

/// Whether a value fits one of the words, or there are none.
fn fits(words: &[String], value: &str) -> bool {
    if words.is_empty() {
        return true;
    }
    let value = value.to_lowercase();
    words.iter().any(|word| glob::matches(&word.to_lowercase(), &value, None))
}

fn has_argument(call: &ToolCall, field: &str, wanted: &str) -> bool {
    match call.arguments.get(field) {
        None => false,
        Some(Value::String(text)) => glob::matches(wanted, text, None),
        Some(other) => glob::matches(wanted, &other.to_string(), None),
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
