//! The host's law: layers of ordered rules over a profile.
//!
//! A [`PolicyFile`] is one TOML file, read and checked as a whole: unknown keys, patterns that are
//! not understood and rules whose own examples fail are errors, and a file with an error is never
//! used in part. [`Policy::merge`] joins the files of the layers. A lower layer can only tighten:
//!
//! 1. each layer is asked, and its first rule that fits gives its opinion;
//! 2. the strictest opinion wins;
//! 3. what neither enterprise nor personal policy allows by a rule is also the profile's to decide,
//!    whatever the project or a client's section says. The profile is the one those two layers name, or `default`.
//!
//! What cannot be read denies: [`Policy::broken`] stands in for it.

mod error;
mod read;
mod read_scripts;

use std::sync::LazyLock;

use crate::judge::{Bench, Fallback, Standing};
use crate::overrides::Override;
use crate::programs::ProgramTable;
use crate::rule::Rule;
use crate::scripts::{ScriptLaw, ScriptNetwork, ScriptTable};
use crate::stack::ActiveStack;
use crate::verdict::{Reason, Ruling, Verdict};
use crate::{HostTable, ToolCall};

pub use error::{PolicyError, PolicyErrorKind};

/// The law of a session.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) layers: Vec<Layer>,
    mode: AllowedToolsMode,
    script_read: ScriptRead,
    scripts: ScriptLaw,
    programs: Option<ProgramTable>,
    broken: Option<PolicyError>,
}

/// Where a policy file comes from. Ordered by strength: the first is the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyLayer {
    /// The organisation's.
    Enterprise,
    /// The user's own.
    Personal,
    /// The project's, which came with a checkout.
    Project,
    /// What holds for one client of a server besides.
    Client,
}

/// The built-in profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Reading the project is allowed, changing it and running commands is asked, the rest denied.
    Strict,
    /// Everything is allowed but what reaches secrets, other users or the agent's own settings.
    #[default]
    Default,
    /// Everything is allowed but what is metier's own.
    FullAuto,
}

/// What a skill's `allowed-tools` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllowedToolsMode {
    /// Nothing else may be used.
    #[default]
    Restrict,
    /// It says nothing.
    Ignore,
    /// What it names needs not be asked about.
    PreApprove,
}

/// Whether scripts of active skills may be read instead of run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptRead {
    /// No; the refusal says how to run them.
    #[default]
    Refuse,
    /// Yes.
    Allow,
}

/// One policy file.
#[derive(Clone, Debug, Default)]
pub struct PolicyFile {
    pub(crate) name: String,
    pub(crate) rules: Vec<Rule>,
    pub(crate) profile: Option<Profile>,
    pub(crate) allowed_tools: Option<AllowedToolsMode>,
    pub(crate) script_read: Option<ScriptRead>,
    pub(crate) default: Option<Verdict>,
    pub(crate) unresolvable: Option<Verdict>,
    pub(crate) overrides: Option<Verdict>,
    pub(crate) scripts: ScriptTable,
}

/// A layer as it is asked.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// What reasons call it.
    pub(crate) name: String,
    rules: Vec<Rule>,
    fallback: Option<Fallback>,
    overrides: Option<Verdict>,
    standing: Standing,
}

/// A profile, read when it is first asked for: a run needs one of them.
type BuiltIn = LazyLock<Result<PolicyFile, PolicyError>>;

static STRICT: BuiltIn = LazyLock::new(|| Profile::Strict.read());
static DEFAULT: BuiltIn = LazyLock::new(|| Profile::Default.read());
static FULL_AUTO: BuiltIn = LazyLock::new(|| Profile::FullAuto.read());

impl Policy {
    /// The policy of a profile alone.
    #[must_use]
    pub fn profile(profile: Profile) -> Self {
        let file = PolicyFile { profile: Some(profile), ..PolicyFile::default() };
        Self::merge([(PolicyLayer::Personal, file)])
    }

    /// The policy that stands in for one that cannot be read: it denies, and says why.
    #[must_use]
    pub fn broken(error: PolicyError) -> Self {
        Self {
            layers: Vec::new(),
            mode: AllowedToolsMode::Restrict,
            script_read: ScriptRead::Refuse,
            scripts: ScriptLaw { network: ScriptNetwork::Off, ..ScriptLaw::default() },
            programs: None,
            broken: Some(error),
        }
    }

    /// The policy of several files. See the module for how they are joined.
    #[must_use]
    pub fn merge(files: impl IntoIterator<Item = (PolicyLayer, PolicyFile)>) -> Self {
        let mut files: Vec<(PolicyLayer, PolicyFile)> = files.into_iter().collect();
        files.sort_by_key(|(layer, _)| *layer);
        let mode = strictest(files.iter().map(|(layer, file)| (*layer, file.allowed_tools)));
        let script_read = strictest(files.iter().map(|(layer, file)| (*layer, file.script_read)));
        let scripts = match files.iter().map(script_table).collect::<Result<Vec<_>, _>>() {
            Ok(tables) => ScriptLaw::merge(&tables),
            Err(error) => return Self::broken(error),
        };
        let mut layers = Vec::new();
        for (layer, file) in files {
            match Layer::new(layer, file) {
                Ok(layer) => layers.push(layer),
                Err(error) => return Self::broken(error),
            }
        }
        let decides = |layer: &Layer| layer.standing == Standing::Full && layer.fallback.is_some();
        if !layers.iter().any(decides) {
            match Layer::last_resort(Profile::Default) {
                Ok(layer) => layers.push(layer),
                Err(error) => return Self::broken(error),
            }
        }
        Self { layers, mode, script_read, scripts, programs: None, broken: None }
    }

    /// The same policy, knowing these programs beside the built-in ones.
    #[must_use]
    pub fn with_programs(mut self, more: &ProgramTable) -> Self {
        self.programs = Some(ProgramTable::built_in().clone().extended(more));
        self
    }

    /// What a skill's `allowed-tools` means.
    #[must_use]
    pub fn mode(&self) -> AllowedToolsMode {
        self.mode
    }

    /// Whether scripts of active skills may be read.
    #[must_use]
    pub fn script_read(&self) -> ScriptRead {
        self.script_read
    }

    /// What holds for running scripts.
    #[must_use]
    pub fn scripts(&self) -> &ScriptLaw {
        &self.scripts
    }

    /// Why the policy denies everything, if it does.
    #[must_use]
    pub fn error(&self) -> Option<&PolicyError> {
        self.broken.as_ref()
    }

    /// The rules, strongest layer first, each with what its layer is called.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.layers
            .iter()
            .flat_map(|layer| layer.rules.iter().map(|rule| (layer.name.as_str(), rule)))
    }

    /// What the law says about a proposal of a skill.
    #[must_use]
    pub fn rule_on(&self, proposal: &Override) -> Ruling {
        self.rule_on_in(proposal, &ActiveStack::default())
    }

    /// What the law says about a proposal, with these skills active.
    #[must_use]
    pub fn rule_on_in(&self, proposal: &Override, stack: &ActiveStack) -> Ruling {
        if let Some(error) = &self.broken {
            return Ruling::of(Verdict::Deny, error.to_string());
        }
        let mut reasons = Vec::new();
        let mut decided = false;
        for layer in &self.layers {
            if layer.standing == Standing::LastResort && decided {
                continue;
            }
            if let Some(reason) = layer.reason_on(proposal, stack) {
                decided |= layer.standing == Standing::Full && reason.verdict == Verdict::Allow;
                reasons.push(reason);
            }
        }
        Ruling::join(reasons)
    }

    pub(crate) fn programs(&self) -> &ProgramTable {
        self.programs.as_ref().unwrap_or_else(|| ProgramTable::built_in())
    }

    /// The benches for a call made now, one per layer.
    pub(crate) fn benches<'p>(
        &'p self,
        call: &ToolCall,
        host: &HostTable,
        stack: &ActiveStack,
    ) -> Vec<Bench<'p>> {
        let bench = |layer: &'p Layer| {
            let rules = layer
                .rules
                .iter()
                .filter(|rule| !rule.clause.patterns.is_empty() && rule.applies(call, host, stack));
            Bench {
                clauses: rules.map(|rule| &rule.clause).collect(),
                fallback: layer.fallback,
                standing: layer.standing,
            }
        };
        self.layers.iter().map(bench).collect()
    }
}

impl Layer {
    fn new(layer: PolicyLayer, file: PolicyFile) -> Result<Self, PolicyError> {
        let profile = file.profile.map(Profile::file).transpose()?;
        let mut rules = file.rules;
        rules.extend(profile.iter().flat_map(|profile| profile.rules.iter().cloned()));
        let from_profile = |value: fn(&PolicyFile) -> Option<Verdict>| profile.and_then(value);
        let verdict = file.default.or(from_profile(|profile| profile.default));
        let unresolvable = file.unresolvable.or(from_profile(|profile| profile.unresolvable));
        Ok(Self {
            name: format!("{} policy", layer.as_str()),
            rules,
            fallback: verdict
                .map(|verdict| Fallback { verdict, unresolvable: unresolvable.unwrap_or(verdict) }),
            overrides: file.overrides.or(from_profile(|profile| profile.overrides)),
            standing: match layer {
                PolicyLayer::Enterprise | PolicyLayer::Personal => Standing::Full,
                PolicyLayer::Project | PolicyLayer::Client => Standing::Advisory,
            },
        })
    }

    fn last_resort(profile: Profile) -> Result<Self, PolicyError> {
        let file = PolicyFile { profile: Some(profile), ..PolicyFile::default() };
        let layer = Self::new(PolicyLayer::Personal, file)?;
        let name = format!("`{}` profile", profile.as_str());
        Ok(Self { name, standing: Standing::LastResort, ..layer })
    }

    fn reason_on(&self, proposal: &Override, stack: &ActiveStack) -> Option<Reason> {
        let about =
            |rule: &&Rule| rule.overrides.contains(&proposal.kind()) && rule.fits_skills(stack);
        let rules = || self.rules.iter().filter(about);
        let decides = rules().find(|rule| !rule.clause.adds);
        let adds = rules().filter(|rule| rule.clause.adds).max_by_key(|rule| rule.verdict());
        let certain = decides.map(Rule::verdict).or(self.overrides);
        let shown = proposal.shown();
        let rule = match (adds, certain) {
            (Some(adds), Some(certain)) if adds.verdict() < certain => decides,
            (Some(adds), _) => Some(adds),
            (None, _) => decides,
        };
        let Some(rule) = rule else {
            let verdict = self.overrides?;
            return Some(Reason::new(
                verdict,
                format!("{}: {shown}: {verdict} by default", self.name),
            ));
        };
        let why = rule.clause.reason.as_deref().unwrap_or("its rule says so");
        let text = format!("{}: {shown}: {why}", self.name);
        Some(Reason::new(rule.verdict(), text).of_rule(rule.id()))
    }
}

impl PolicyFile {
    /// Reads a policy file. `name` is what errors call it.
    pub fn read(text: &str, name: &str) -> Result<Self, PolicyError> {
        let reading = read::read(text, name)?;
        reading.check_examples()?;
        Ok(reading.file)
    }

    /// The rules, in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// As `read`, for files whose examples a test has checked.
    fn read_unchecked(text: &str, name: &str) -> Result<Self, PolicyError> {
        read::read(text, name).map(|reading| reading.file)
    }
}

impl PolicyLayer {
    /// The word settings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enterprise => "enterprise",
            Self::Personal => "personal",
            Self::Project => "project",
            Self::Client => "client",
        }
    }

    /// Whether what this layer says can relax what holds where nobody says anything. The others only
    /// tighten.
    pub(crate) fn may_relax(self) -> bool {
        matches!(self, Self::Enterprise | Self::Personal)
    }
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Default, Self::FullAuto];

    /// The word settings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Default => "default",
            Self::FullAuto => "full-auto",
        }
    }

    /// The profile as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Strict => include_str!("profiles/strict.toml"),
            Self::Default => include_str!("profiles/default.toml"),
            Self::FullAuto => include_str!("profiles/full-auto.toml"),
        }
    }

    fn file(self) -> Result<&'static PolicyFile, PolicyError> {
        let file = match self {
            Self::Strict => &STRICT,
            Self::Default => &DEFAULT,
            Self::FullAuto => &FULL_AUTO,
        };
        file.as_ref().map_err(Clone::clone)
    }

    fn read(self) -> Result<PolicyFile, PolicyError> {
        PolicyFile::read_unchecked(self.text(), self.as_str())
    }
}

impl AllowedToolsMode {
    /// Every mode, strictest first.
    pub const ALL: [Self; 3] = [Self::Restrict, Self::Ignore, Self::PreApprove];

    /// The word settings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Restrict => "restrict",
            Self::Ignore => "ignore",
            Self::PreApprove => "pre-approve",
        }
    }
}

impl ScriptRead {
    /// Both, strictest first.
    pub const ALL: [Self; 2] = [Self::Refuse, Self::Allow];

    /// The word settings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Allow => "allow",
        }
    }
}

/// What a file says about scripts, with what its profile says where it is silent.
fn script_table(
    (layer, file): &(PolicyLayer, PolicyFile),
) -> Result<(PolicyLayer, ScriptTable), PolicyError> {
    let profile = file.profile.map(Profile::file).transpose()?;
    Ok((*layer, file.scripts.over(profile.map(|profile| &profile.scripts))))
}

/// A setting that has a strict side.
pub(crate) trait Strictness: Copy + Default {
    /// Higher is laxer.
    fn laxness(self) -> usize;
}

impl Strictness for AllowedToolsMode {
    fn laxness(self) -> usize {
        Self::ALL.iter().position(|mode| *mode == self).unwrap_or_default()
    }
}

impl Strictness for ScriptRead {
    fn laxness(self) -> usize {
        Self::ALL.iter().position(|choice| *choice == self).unwrap_or_default()
    }
}

/// The setting of the layers: the strongest of enterprise and personal that names one may relax
/// the default; every other one can only tighten that.
pub(crate) fn strictest<S: Strictness>(
    settings: impl Iterator<Item = (PolicyLayer, Option<S>)>,
) -> S {
    let mut chosen: Option<S> = None;
    for (layer, setting) in settings {
        let Some(setting) = setting else { continue };
        let bound = match chosen {
            None if layer.may_relax() => setting,
            bound => bound.unwrap_or_default(),
        };
        chosen = Some(if setting.laxness() < bound.laxness() { setting } else { bound });
    }
    chosen.unwrap_or_default()
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
