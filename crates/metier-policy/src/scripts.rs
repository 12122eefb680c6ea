//! What the law says about running the scripts of skills: how hard the walls are meant, what lies
//! inside them, which variables pass, and how long anything may take. `[scripts]` in a policy file.
//!
//! Whether one script may run at all is a ruling like any other, on a call of the tool `Script`.
//! This is about the walls around a script that may. How they are built is not known here.
//!
//! Layers are joined so that a lower one can only tighten: of choices the strictest counts, where
//! the strongest of enterprise and personal that makes one may relax the default; of limits the
//! smallest; a variable passes when every layer that lists some lists it, and one of enterprise and
//! personal does.

use crate::policy::{PolicyLayer, Strictness, strictest};

/// The law about scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptLaw {
    /// How hard the walls are meant around a skill that was approved. Around any other every wall
    /// is required, whatever this says.
    pub level: ScriptLevel,
    /// What approved skills may reach at most.
    pub network: ScriptNetwork,
    /// Whether packages that scripts declare are fetched.
    pub dependencies: ScriptDependencies,
    /// What scripts may do with the project's files.
    pub project: ProjectAccess,
    /// Whether only scripts of active skills may be run.
    pub only_active: bool,
    /// Most that a script may use.
    pub limits: ScriptLimits,
    /// Lists of variables; one passes that every list names. Without a list none does.
    pub(crate) env: Vec<Vec<String>>,
}

/// How hard walls are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptLevel {
    /// A wall that cannot be built refuses the run.
    Require,
    /// Those that can be built stand, and which do is said.
    #[default]
    Prefer,
    /// None.
    Off,
}

/// What approved skills may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptNetwork {
    /// Nothing.
    Off,
    /// What their `permissions.network` names, which is refused where that cannot be enforced.
    #[default]
    Declared,
    /// Everything, once their `permissions.network` names anything.
    Any,
}

/// Whether the packages that a script declares are fetched for it. For a skill that was never
/// approved, or where [`ScriptNetwork::Off`] stands, nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptDependencies {
    /// Never: what lies in the skill is all there is.
    Never,
    /// When the skill's `permissions.network` asks for the network.
    #[default]
    Declared,
    /// Also when it asks for none: the packages are fetched, the script still reaches nothing.
    Fetch,
}

/// What scripts may do with the project's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProjectAccess {
    /// Nothing.
    #[default]
    None,
    /// Read them.
    Read,
    /// Change them. This and reading are for skills that were approved.
    Write,
}

/// Most that a script may use; nothing where the law does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Seconds of wall time.
    pub timeout: Option<u64>,
    /// MiB of memory.
    pub memory_mib: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// KiB of standard output that are kept.
    pub output_kib: Option<u64>,
}

/// `[scripts]` of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScriptTable {
    pub(crate) level: Option<ScriptLevel>,
    pub(crate) network: Option<ScriptNetwork>,
    pub(crate) dependencies: Option<ScriptDependencies>,
    pub(crate) project: Option<ProjectAccess>,
    pub(crate) only_active: bool,
    pub(crate) env: Option<Vec<String>>,
    pub(crate) limits: ScriptLimits,
}

impl ScriptLaw {
    /// Whether the law lets a variable of this name pass, given that the skill asks for it.
    #[must_use]
    pub fn passes(&self, variable: &str) -> bool {
        let named = |list: &Vec<String>| {
            list.iter().any(|entry| crate::glob::matches(entry, variable, None))
        };
        !self.env.is_empty() && self.env.iter().all(named)
    }

    pub(crate) fn merge(tables: &[(PolicyLayer, ScriptTable)]) -> Self {
        let mut env: Vec<Vec<String>> = Vec::new();
        let granted = tables.iter().any(|(layer, table)| layer.may_relax() && table.env.is_some());
        if granted {
            env.extend(tables.iter().filter_map(|(_, table)| table.env.clone()));
        }
        let limits = tables.iter().map(|(_, table)| table.limits);
        Self {
            level: strictest(tables.iter().map(|(layer, table)| (*layer, table.level))),
            network: strictest(tables.iter().map(|(layer, table)| (*layer, table.network))),
            dependencies: strictest(
                tables.iter().map(|(layer, table)| (*layer, table.dependencies)),
            ),
            project: strictest(tables.iter().map(|(layer, table)| (*layer, table.project))),
            only_active: tables.iter().any(|(_, table)| table.only_active),
            limits: limits.fold(ScriptLimits::default(), ScriptLimits::tighter),
            env,
        }
    }
}

impl ScriptTable {
    /// This table over that of the profile the file names.
    pub(crate) fn over(&self, profile: Option<&Self>) -> Self {
        let Some(profile) = profile else { return self.clone() };
        Self {
            level: self.level.or(profile.level),
            network: self.network.or(profile.network),
            dependencies: self.dependencies.or(profile.dependencies),
            project: self.project.or(profile.project),
            only_active: self.only_active || profile.only_active,
            env: self.env.clone().or_else(|| profile.env.clone()),
            limits: self.limits.tighter(profile.limits),
        }
    }
}

impl ScriptLimits {
    /// The smaller of each.
    #[must_use]
    pub fn tighter(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            timeout: least(self.timeout, other.timeout),
            memory_mib: least(self.memory_mib, other.memory_mib),
            processes: least(self.processes, other.processes),
            output_kib: least(self.output_kib, other.output_kib),
        }
    }
}

macro_rules! choices {
    ($type:ident: $( $variant:ident = $word:literal ),+) => {
        impl $type {
            /// Every choice, strictest first.
            pub const ALL: &[Self] = &[ $( Self::$variant ),+ ];

            /// The word settings use.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word ),+ }
            }
        }

        impl Strictness for $type {
            fn laxness(self) -> usize {
                Self::ALL.iter().position(|choice| *choice == self).unwrap_or_default()
            }
        }
    };
}

choices!(ScriptLevel: Require = "require", Prefer = "prefer", Off = "off");
choices!(ScriptNetwork: Off = "off", Declared = "declared", Any = "any");
choices!(ScriptDependencies: Never = "never", Declared = "declared", Fetch = "fetch");
choices!(ProjectAccess: None = "none", Read = "read", Write = "write");

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
