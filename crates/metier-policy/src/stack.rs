//! The skills that are active, innermost last.
//!
//! Pushing compiles a skill's `allowed-tools` once. The stack itself decides nothing and knows no
//! journal: the runtime pushes and pops it as events say.

use std::path::{Path, PathBuf};

use metier_format::{AllowedTools, SkillName, ToolPattern};

use crate::judge::Clause;
use crate::pattern::Pattern;
use crate::verdict::Verdict;

/// A skill that is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSkill {
    /// Its name.
    pub name: SkillName,
    /// Its `allowed-tools`; nothing means it restricts nothing.
    pub allowed: Option<AllowedTools>,
    /// The layer it comes from, such as `personal`.
    pub layer: String,
    /// `approved`, `present` or `untrusted`.
    pub trust: String,
    /// Its directory.
    pub directory: Option<PathBuf>,
    /// Its script files, as absolute paths.
    pub scripts: Vec<PathBuf>,
    /// Whether an MCP server gave it. In the mode `pre-approve` it approves nothing: nobody has said
    /// yes to that.
    pub served: bool,
}

/// The active skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveStack {
    active: Vec<Active>,
}

/// An active skill with its patterns compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Active {
    pub(crate) skill: ActiveSkill,
    /// What it allows; nothing means it restricts nothing.
    pub(crate) clause: Option<Clause>,
}

/// Spellings of the skill's own directory in patterns.
const DIRECTORY_MARKS: [&str; 5] =
    ["${CLAUDE_SKILL_DIR}", "${SKILL_DIR}", "$CLAUDE_SKILL_DIR", "$SKILL_DIR", "{baseDir}"];

impl ActiveSkill {
    /// A skill that restricts nothing, from nowhere in particular.
    #[must_use]
    pub fn unrestricted(name: SkillName) -> Self {
        Self {
            name,
            allowed: None,
            layer: String::new(),
            trust: String::new(),
            directory: None,
            scripts: Vec::new(),
            served: false,
        }
    }
}

impl ActiveStack {
    /// Makes a skill the innermost one.
    pub fn push(&mut self, skill: ActiveSkill) {
        let clause = skill.allowed.as_ref().map(|allowed| compile(allowed, &skill));
        self.active.push(Active { skill, clause });
    }

    /// Takes the innermost skill off.
    pub fn pop(&mut self) -> Option<ActiveSkill> {
        self.active.pop().map(|active| active.skill)
    }

    /// The skills, outermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &ActiveSkill> {
        self.active.iter().map(|active| &active.skill)
    }

    /// The innermost skill.
    #[must_use]
    pub fn innermost(&self) -> Option<&ActiveSkill> {
        self.active.last().map(|active| &active.skill)
    }

    /// How many skills are active.
    #[must_use]
    pub fn len(&self) -> usize {
        self.active.len()
    }

    /// Whether no skill is active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The patterns of active skills that are not understood and therefore allow nothing.
    pub fn faults(&self) -> impl Iterator<Item = (&SkillName, &Pattern)> {
        self.active.iter().flat_map(|active| {
            let patterns = active.clause.iter().flat_map(|clause| &clause.patterns);
            patterns.filter(|p| p.fault().is_some()).map(|pattern| (&active.skill.name, pattern))
        })
    }

    pub(crate) fn entries(&self) -> &[Active] {
        &self.active
    }
}

impl Extend<ActiveSkill> for ActiveStack {
    fn extend<T: IntoIterator<Item = ActiveSkill>>(&mut self, skills: T) {
        skills.into_iter().for_each(|skill| self.push(skill));
    }
}

impl FromIterator<ActiveSkill> for ActiveStack {
    fn from_iter<T: IntoIterator<Item = ActiveSkill>>(skills: T) -> Self {
        let mut stack = Self::default();
        stack.extend(skills);
        stack
    }
}

fn compile(allowed: &AllowedTools, skill: &ActiveSkill) -> Clause {
    let patterns = match allowed {
        AllowedTools::Only(patterns) => patterns.as_slice(),
        AllowedTools::Unreadable => &[],
    };
    let directory = skill.directory.as_deref().and_then(Path::to_str);
    let compiled = patterns.iter().map(|pattern| Pattern::compile(&located(pattern, directory)));
    Clause::new(Verdict::Allow, compiled.collect())
}

/// The pattern with the skill's own directory in place of its marks. A directory that would not
/// stay one word, or would be a wildcard, is left as a mark, which nothing matches.
fn located(pattern: &ToolPattern, directory: Option<&str>) -> ToolPattern {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "*?[]{}'\"\\$`;&|<>()".contains(c);
    let (Some(argument), Some(directory)) =
        (&pattern.argument, directory.filter(|d| !d.contains(odd)))
    else {
        return pattern.clone();
    };
    let mut argument = argument.clone();
    for mark in DIRECTORY_MARKS {
        argument = argument.replace(mark, directory.trim_end_matches('/'));
    }
    ToolPattern { tool: pattern.tool.clone(), argument: Some(argument) }
}

#[cfg(test)]
#[path = "stack_tests.rs"]
mod tests;
