//! Which skills a session wants: the enabled set, the disabled ones, and the agent, tenant,
//! environment and host version that a skill's own conditions are held against.
//!
//! Pure, and knows nothing of layers: it answers for one candidate at a time. Start at
//! [`Selection`]; `catalog` asks it.

mod version;

use std::collections::BTreeSet;

use metier_format::text::visible_line;
use metier_format::{Code, Diagnostic, NameKey, SkillName};

use crate::discover::{Facts, FoundScope};

pub use version::Version;

/// Which skills are switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Enabled {
    /// Nobody said: every approved and present skill.
    #[default]
    Unset,
    /// Every approved and present skill.
    All,
    /// Every skill, those of untrusted projects too.
    AllUntrusted,
    /// No skill.
    None,
    /// These, unless untrusted.
    Only(Vec<NameKey>),
}

/// What one session wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which skills are switched on.
    pub enabled: Enabled,
    /// Skills switched off by name; stronger than `enabled`.
    pub disabled: Vec<NameKey>,
    /// The agent that asks. Unset means that `scope.agents` is not looked at.
    pub agent: Option<String>,
    /// The tenant it asks for. Unset means that `scope.tenants` is not looked at.
    pub tenant: Option<String>,
    /// The environment it runs in. Unset means that `scope.environments` is not looked at.
    pub environment: Option<String>,
    /// The host's version. Unset means that version ranges are not looked at.
    pub host_version: Option<String>,
}

/// Why a candidate that could be loaded is not in the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HiddenReason {
    /// `scope.agents` does not name this agent.
    Agent(String),
    /// `scope.tenants` does not name this tenant.
    Tenant(String),
    /// `scope.environments` does not name this environment.
    Environment(String),
    /// The host is older than `min-host-version`.
    HostTooOld {
        /// The host's version.
        host: String,
        /// What the skill asks for.
        minimum: String,
    },
    /// The host is newer than `max-host-version`.
    HostTooNew {
        /// The host's version.
        host: String,
        /// What the skill asks for.
        maximum: String,
    },
    /// Switched off by name.
    Disabled,
    /// Not among the enabled ones.
    NotEnabled,
}

impl Enabled {
    /// Reads a setting: `all`, `all-untrusted`, `none`, or names separated by commas. Nothing at
    /// all means none. The words count only when they stand alone; in a list they are names.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let names: Vec<NameKey> =
            text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(NameKey::of).collect();
        match names.as_slice() {
            [] => Self::None,
            [one] if one.as_str() == "all" => Self::All,
            [one] if one.as_str() == "all-untrusted" => Self::AllUntrusted,
            [one] if one.as_str() == "none" => Self::None,
            _ => Self::Only(names),
        }
    }

    /// Whether a skill with this key is switched on. Trust is another question.
    #[must_use]
    pub fn names(&self, key: &NameKey) -> bool {
        match self {
            Self::Unset | Self::All | Self::AllUntrusted => true,
            Self::None => false,
            Self::Only(names) => names.contains(key),
        }
    }

    /// Whether skills of untrusted projects are wanted as well.
    #[must_use]
    pub fn admits_untrusted(&self) -> bool {
        *self == Self::AllUntrusted
    }
}

impl HiddenReason {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Agent(_) => "agent",
            Self::Tenant(_) => "tenant",
            Self::Environment(_) => "environment",
            Self::HostTooOld { .. } => "host-too-old",
            Self::HostTooNew { .. } => "host-too-new",
            Self::Disabled => "disabled",
            Self::NotEnabled => "not-enabled",
        }
    }

    /// The reason as a clause that follows the skill's name.
    #[must_use]
    pub fn sentence(&self) -> String {
        let shown = visible_line;
        match self {
            Self::Agent(agent) => format!("is not offered to the agent `{}`", shown(agent)),
            Self::Tenant(tenant) => format!("is not offered to the tenant `{}`", shown(tenant)),
            Self::Environment(environment) => {
                format!("is not offered in the environment `{}`", shown(environment))
            }
            Self::HostTooOld { host, minimum } => {
                let (host, minimum) = (shown(host), shown(minimum));
                format!("needs a host of version `{minimum}` or later, and this one is `{host}`")
            }
            Self::HostTooNew { host, maximum } => {
                let (host, maximum) = (shown(host), shown(maximum));
                format!("needs a host of version `{maximum}` or earlier, and this one is `{host}`")
            }
            Self::Disabled => "is disabled".to_owned(),
            Self::NotEnabled => "is not among the enabled skills".to_owned(),
        }
    }
}

/// A [`Selection`] made ready to be asked about many candidates.
pub(crate) struct Filter<'a> {
    selection: &'a Selection,
    only: Option<BTreeSet<&'a NameKey>>,
    disabled: BTreeSet<&'a NameKey>,
    host: Option<Version>,
}

impl<'a> Filter<'a> {
    pub(crate) fn new(selection: &'a Selection) -> Self {
        let only = match &selection.enabled {
            Enabled::Only(names) => Some(names.iter().collect()),
            Enabled::None => Some(BTreeSet::new()),
            Enabled::Unset | Enabled::All | Enabled::AllUntrusted => None,
        };
        Self {
            selection,
            only,
            disabled: selection.disabled.iter().collect(),
            host: selection.host_version.as_deref().and_then(Version::parse),
        }
    }

    /// Every name the selection speaks of.
    pub(crate) fn named(&self) -> BTreeSet<&'a NameKey> {
        self.only.iter().flatten().chain(&self.disabled).copied().collect()
    }

    /// Why the winner of a name is not shown, when its name alone decides.
    pub(crate) fn refuses_name(&self, name: &SkillName) -> Option<HiddenReason> {
        if self.only.is_none() && self.disabled.is_empty() {
            return None;
        }
        let key = &name.key();
        if self.disabled.contains(key) {
            return Some(HiddenReason::Disabled);
        }
        let enabled = self.only.as_ref().is_none_or(|only| only.contains(key));
        (!enabled).then_some(HiddenReason::NotEnabled)
    }

    /// Why a candidate does not take part, when its own conditions decide.
    pub(crate) fn refuses(&self, facts: &Facts) -> Option<HiddenReason> {
        let out_of_scope = facts.scope.as_deref().and_then(|scope| self.out_of_scope(scope));
        out_of_scope.or_else(|| self.out_of_range(facts))
    }

    fn out_of_scope(&self, scope: &FoundScope) -> Option<HiddenReason> {
        let Selection { agent, tenant, environment, .. } = self.selection;
        // A tenant is an identifier of somebody else's and compared to the letter; agents and
        // environments are words, spelled as loosely as skill names.
        let exact = |a: &str, b: &str| a.trim() == b.trim();
        let loose = |a: &str, b: &str| NameKey::of(a) == NameKey::of(b);
        missing(&scope.agents, agent, loose)
            .map(HiddenReason::Agent)
            .or_else(|| missing(&scope.tenants, tenant, exact).map(HiddenReason::Tenant))
            .or_else(|| {
                missing(&scope.environments, environment, loose).map(HiddenReason::Environment)
            })
    }

    fn out_of_range(&self, facts: &Facts) -> Option<HiddenReason> {
        let (host, written) = (self.host.as_ref()?, self.selection.host_version.as_deref()?);
        let bound = |text: &Option<Box<str>>| text.as_deref().and_then(Version::parse);
        if bound(&facts.min_host_version).is_some_and(|minimum| host.is_below(&minimum)) {
            let minimum = facts.min_host_version.as_deref().unwrap_or_default().to_owned();
            return Some(HiddenReason::HostTooOld { host: written.to_owned(), minimum });
        }
        if bound(&facts.max_host_version).is_some_and(|maximum| host.is_above(&maximum)) {
            let maximum = facts.max_host_version.as_deref().unwrap_or_default().to_owned();
            return Some(HiddenReason::HostTooNew { host: written.to_owned(), maximum });
        }
        None
    }

    /// What could not be held against the host because one of the two is no version. Such a bound
    /// hides nothing, so it has to be said.
    pub(crate) fn unreadable_versions(&self, facts: &Facts) -> Vec<Diagnostic> {
        let Some(host) = self.selection.host_version.as_deref() else { return Vec::new() };
        let bounds = [
            ("min-host-version", &facts.min_host_version),
            ("max-host-version", &facts.max_host_version),
        ];
        let mut faults = Vec::new();
        for (field, bound) in bounds {
            let Some(bound) = bound.as_deref() else { continue };
            let (host, shown) = (visible_line(host), visible_line(bound));
            let message = if self.host.is_none() {
                format!("`{field}` was not checked, because the host's version `{host}` is not one")
            } else if Version::parse(bound).is_none() {
                format!("`{field}` is `{shown}`, which is not a version, and was not checked")
            } else {
                continue;
            };
            let help = "write a version such as `1.2.0`";
            faults.push(Diagnostic::new(Code::FieldValue, message).help(help));
        }
        faults
    }
}

/// The value, when there is a list and a value and the list does not name it. `*` names all.
fn missing(
    list: &Option<Vec<String>>,
    value: &Option<String>,
    same: impl Fn(&str, &str) -> bool,
) -> Option<String> {
    let (list, value) = (list.as_ref()?, value.as_ref()?);
    let named = list.iter().any(|item| item.trim() == "*" || same(item, value));
    (!named).then(|| value.clone())
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
