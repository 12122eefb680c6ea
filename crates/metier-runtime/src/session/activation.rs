//! Activation: a name, arguments and who asks, to the text a model receives.

use metier_format::manifest::ContextMode;
use metier_format::{AllowedTools, NameKey, SkillName};
use metier_policy::{Override, Ruling, ToolCall, Verdict};
use metier_store::Scripts;
use metier_store::catalog::{Entry, Trust, Visibility};
use metier_store::limits::MAX_RESOURCE_BYTES;
use metier_store::selection::HiddenReason;
use metier_store::store::{LoadError, Skill};
use metier_store::tokens;
use metier_store::vouch::{Standing, Vouched};
use serde::Serialize;

use super::hook::blocks;
use super::script::BegunHook;
use super::{Again, ContentChanged, Session};
use crate::arguments::{Substitution, substitute};
use crate::event::{
    Chain, Event, OverrideRuled, SkillActivated, SkillInvoked, SkillLoaded, SkillRefused, Trigger,
};
use crate::journal::{Beat, JournalError};
use crate::limits::{MAX_ARGUMENT_BYTES, MAX_LISTED_RESOURCES, MAX_STACK};
use crate::state::Active;
use crate::wrapper::{Wrapped, wrap};

/// Who asks for which skill, with what.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The name as typed.
    pub name: &'a str,
    /// The arguments, one text.
    pub arguments: &'a str,
    /// Who asks.
    pub trigger: Trigger,
}

/// What an activation gives.
#[derive(Clone, Debug, Serialize)]
pub struct Activation {
    /// The skill.
    pub name: String,
    /// Its directory, which relative paths in the body start from.
    pub base_path: String,
    /// The body with its arguments, without the wrapper.
    pub body: String,
    /// The text for the model: the body between tags it cannot close.
    pub text: String,
    /// The arguments as given.
    pub args: String,
    /// Files of the skill, as many as are named.
    pub resources: Vec<String>,
    /// How many more there are.
    pub resources_omitted: usize,
    /// Its tools; none means that it restricts nothing.
    pub allowed_tools: Option<Vec<String>>,
    /// The model it asks for.
    pub model: Option<String>,
    /// `inherit` or `fork`.
    pub context: &'static str,
    /// The agent it asks for.
    pub agent: Option<String>,
    /// What it proposes to change, with the ruling on each.
    pub overrides: Vec<Overrides>,
    /// SHA-256 of its `SKILL.md`.
    pub digest: String,
    /// Its layer.
    pub layer: &'static str,
    /// Its trust.
    pub trust: &'static str,
    /// Where its content is from, what exactly it is and who said yes to it, as far as is known.
    pub chain: Chain,
    /// One line to show the user, when the skill was never approved.
    pub notice: Option<String>,
    /// Whether it was active already and only its text is given again.
    pub repeated: bool,
}

/// An override a skill proposes and what policy says to it.
#[derive(Clone, Debug, Serialize)]
pub struct Overrides {
    /// What it proposes.
    pub proposal: serde_json::Value,
    /// The ruling.
    pub ruling: Ruling,
}

/// Why a skill was not activated.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// No skill has that name.
    #[error("there is no skill `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    NotFound {
        /// The name as typed.
        name: String,
        /// The nearest name there is.
        suggestion: Option<String>,
    },
    /// The name is spelled like none of several skills that differ in spelling alone.
    #[error(
        "`{name}` may be `{winner}` or `{other}`; the first wins the name and is used by its exact spelling"
    )]
    Ambiguous {
        /// The name as typed.
        name: String,
        /// The skill that wins the name.
        winner: String,
        /// One that lost it and is spelled otherwise.
        other: String,
    },
    /// It is on the stack.
    #[error("`{0}` is active already")]
    AlreadyActive(String),
    /// It is on the stack, and was changed since: what would be given is not what is enforced.
    #[error("`{0}` was changed since it was activated; release it, then activate it again")]
    Outdated(String),
    /// Its project's folder is not trusted.
    #[error("`{0}` belongs to a project whose folder is not trusted")]
    NotTrusted(String),
    /// Its content is not what was locked or approved.
    #[error(transparent)]
    Changed(#[from] ContentChanged),
    /// The selection leaves it out.
    #[error("`{name}` is not offered here: {reason}")]
    Hidden {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// Its scope does not include this agent, tenant or environment.
    #[error("`{name}` is not meant for this session: {reason}")]
    OutOfScope {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// Only a user may invoke it.
    #[error("`{0}` can only be invoked by a user")]
    NotForModels(String),
    /// Only a model may invoke it.
    #[error("`{0}` can only be invoked by a model")]
    NotForUsers(String),
    /// Too many skills are active.
    #[error("{MAX_STACK} skills are active; release one before activating `{0}`")]
    StackFull(String),
    /// The arguments are too long.
    #[error("the arguments have {0} bytes; the limit is {MAX_ARGUMENT_BYTES}")]
    ArgumentsTooLarge(usize),
    /// Policy does not allow it.
    #[error("policy does not allow `{name}`: {reason}")]
    Denied {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// Its `pre` hook said no.
    #[error("the hook `{hook}` of `{name}` blocks it: {reason}")]
    Hook {
        /// The skill.
        name: String,
        /// The hook's path inside it.
        hook: String,
        /// Why.
        reason: String,
    },
    /// It cannot be loaded any more.
    #[error("`{name}` cannot be loaded")]
    Invalid {
        /// The skill.
        name: String,
        /// Why.
        source: LoadError,
    },
    /// The journal refused, so nothing was done.
    #[error("nothing was activated, because it could not be recorded")]
    Journal(#[from] JournalError),
}

impl ActivationError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "skill_not_found",
            Self::Ambiguous { .. } => "skill_ambiguous",
            Self::AlreadyActive(_) => "skill_already_active",
            Self::Outdated(_) => "skill_outdated",
            Self::NotTrusted(_) => "skill_not_trusted",
            Self::Changed(_) => ContentChanged::CODE,
            Self::Hidden { .. } => "skill_hidden",
            Self::OutOfScope { .. } => "skill_out_of_scope",
            Self::NotForModels(_) => "skill_not_for_models",
            Self::NotForUsers(_) => "skill_not_for_users",
            Self::StackFull(_) => "skill_stack_full",
            Self::ArgumentsTooLarge(_) => "skill_arguments_too_large",
            Self::Denied { .. } => "skill_denied",
            Self::Hook { .. } => "skill_hook_failed",
            Self::Invalid { .. } => "skill_invalid",
            Self::Journal(_) => "journal_refused",
        }
    }
}

/// The digests of a skill's `SKILL.md` and, where it is known, of everything in it.
type Content = (String, Option<String>);

/// How far an activation has come.
enum Step {
    /// The skill is active.
    Active(Box<Activation>),
    /// Its hook has to run first, for this content.
    Hook(Box<BegunHook>, Content),
}

/// What is said when a hook has run for other content than is there by then.
const CHANGED: &str = "the skill was changed while it ran";

impl Session {
    /// Activates a skill. On any error the stack is as it was, and the refusal is recorded.
    pub fn activate(&mut self, invocation: &Invocation<'_>) -> Result<Activation, ActivationError> {
        let step =
            self.act(|session| session.refusing(invocation, |s| s.step(invocation, None)))?;
        let (hook, content) = match step {
            Step::Active(activation) => return Ok(*activation),
            Step::Hook(hook, content) => (*hook, content),
        };
        let said = self.run_pre(&hook);
        let step = self.conclude(|session| {
            session.refusing(invocation, |session| {
                said?;
                match session.state.open {
                    true => session.step(invocation, Some(&content)),
                    false => Err(blocks(hook.name(), "the session was ended meanwhile".to_owned())),
                }
            })
        })?;
        match step {
            Step::Active(activation) => Ok(*activation),
            // Content whose hook has run has no other hook.
            Step::Hook(hook, _) => Err(blocks(hook.name(), CHANGED.to_owned())),
        }
    }

    /// Does `work` and records its refusal, when it is one.
    fn refusing<T>(
        &mut self,
        invocation: &Invocation<'_>,
        work: impl FnOnce(&mut Self) -> Result<T, ActivationError>,
    ) -> Result<T, ActivationError> {
        let result = work(self);
        if let Err(error) = &result
            && !matches!(error, ActivationError::Journal(_))
        {
            let refused = SkillRefused {
                name: shortened(&self.setup.redactor.text(invocation.name)),
                code: error.code().to_owned(),
                reason: shortened(&self.setup.redactor.text(&error.to_string())),
            };
            self.record(&Event::SkillRefused(refused), Beat::Result)?;
        }
        result
    }

    /// What a model that asks for a skill is told of `error`. One that only people may use is none to
    /// it, as in every list, until a person has started it; the journal has the reason.
    #[must_use]
    pub fn told_of_skill(&self, error: ActivationError) -> ActivationError {
        match error {
            ActivationError::NotForModels(name) if !self.active_names().contains(&name) => {
                let suggestion = self.suggestion(&name, Trigger::Auto);
                ActivationError::NotFound { name, suggestion }
            }
            other => other,
        }
    }

    /// Whether the skill is on the stack.
    pub(crate) fn is_active(&self, name: &SkillName) -> bool {
        self.state.stack.iter().any(|active| active.skill.name == name.as_str())
    }

    /// Activates, in a turn, unless a hook has to run before; `passed` is the content whose hook has
    /// run. Everything is looked at again then: others may have acted meanwhile.
    fn step(
        &mut self,
        invocation: &Invocation<'_>,
        passed: Option<&Content>,
    ) -> Result<Step, ActivationError> {
        let entry = self.look_up(invocation.name, invocation.trigger)?;
        let name = entry.name().to_string();
        let active = self.state.stack.iter().rfind(|active| active.skill.name == name).cloned();
        let repeated = active.is_some();
        self.admit(&entry, invocation, repeated)?;
        if !repeated && passed.is_none() {
            let invoked = SkillInvoked {
                name: name.clone(),
                args: self.setup.redactor.text(invocation.arguments),
                mode: invocation.trigger,
            };
            self.record(&Event::SkillInvoked(invoked), Beat::Intent)?;
        }
        let (skill, vouched) = self.load_proved(&entry)?;
        self.remember(&vouched);
        let trust = self.trust_now(&entry, &vouched);
        if trust == Trust::Untrusted && entry.trust != Trust::Untrusted {
            // The yes was taken back since the catalog was made.
            return Err(ActivationError::NotTrusted(entry.name().to_string()));
        }
        let entry = Entry { trust, ..entry };
        let chain = Chain::from(vouched.clone());
        if let (false, Some(hook)) = (repeated, &skill.manifest.invocation.hook_pre) {
            let content = (skill.digest.clone(), chain.tree.clone());
            match passed {
                None => {
                    let hook = self.begin_pre(&entry, &hook.value, invocation)?;
                    return Ok(Step::Hook(Box::new(hook), content));
                }
                Some(passed) if *passed != content => {
                    let name = entry.name().as_str();
                    return Err(blocks((name, &hook.value), CHANGED.to_owned()));
                }
                Some(_) => {}
            }
        }
        if let Some(active) = active.filter(|active| !is_still(active, &skill, &chain)) {
            return Err(ActivationError::Outdated(active.skill.name));
        }
        let mut activation = self.compose(&entry, &skill, invocation, chain.served());
        activation.repeated = repeated;
        activation.chain = chain;
        if !repeated {
            let scripts = self.scripts_of(&entry, &skill, &vouched);
            self.record_activation(&skill, &mut activation, &scripts)?;
        }
        Ok(Step::Active(Box::new(activation)))
    }

    /// The entry asked for, or the reason there is none.
    pub(super) fn look_up(&self, name: &str, asker: Trigger) -> Result<Entry, ActivationError> {
        let key = NameKey::of(&shortened(name));
        if let Some(entry) = self.setup.catalog.get(&key) {
            return match self.other_spelling(entry, name) {
                Some(other) => Err(ActivationError::Ambiguous {
                    name: shortened(name),
                    winner: entry.name().to_string(),
                    other,
                }),
                None => Ok(entry.clone()),
            };
        }
        let hidden = self.setup.catalog.hidden.iter().find(|h| h.found.name.has_key(&key));
        let name = shortened(name);
        Err(match hidden.map(|hidden| &hidden.reason) {
            Some(reason @ (HiddenReason::NotEnabled | HiddenReason::Disabled)) => {
                ActivationError::Hidden { name, reason: reason.sentence() }
            }
            Some(reason) => ActivationError::OutOfScope { name, reason: reason.sentence() },
            None => {
                let suggestion = self.suggestion(&name, asker);
                ActivationError::NotFound { name, suggestion }
            }
        })
    }

    /// A skill that lost to the entry only because names are looked up alike, unless the entry's own
    /// name was typed. What nobody trusts takes no part: it could take names away.
    fn other_spelling(&self, entry: &Entry, typed: &str) -> Option<String> {
        if SkillName::parse(typed).is_ok_and(|typed| typed == *entry.name()) {
            return None;
        }
        let (catalog, winner) = (&self.setup.catalog, entry.location());
        let losers = catalog.shadowed.iter().filter(|shadowed| shadowed.winner == winner);
        let mut losers = losers.map(|shadowed| &shadowed.loser);
        let other = losers.find(|loser| {
            loser.name != *entry.name() && catalog.trust(loser) != Trust::Untrusted
        })?;
        Some(other.name.to_string())
    }

    /// Whether the entry may be activated now. Decides, does nothing.
    fn admit(
        &self,
        entry: &Entry,
        invocation: &Invocation<'_>,
        repeated: bool,
    ) -> Result<(), ActivationError> {
        let name = || entry.name().to_string();
        if entry.visibility == Visibility::Untrusted && entry.found.standing == Standing::Changed {
            // Said with what differs, unless it has been put right meanwhile.
            self.vouched(entry)?;
        }
        visible_to(entry, invocation.trigger)?;
        if repeated && self.setup.settings.again == Again::Refuse {
            return Err(ActivationError::AlreadyActive(name()));
        }
        if !repeated && self.state.stack.len() >= MAX_STACK {
            return Err(ActivationError::StackFull(name()));
        }
        if invocation.arguments.len() > MAX_ARGUMENT_BYTES {
            return Err(ActivationError::ArgumentsTooLarge(invocation.arguments.len()));
        }
        let call = ToolCall::new("Skill", serde_json::json!({ "name": entry.name().as_str() }));
        let ruling = self.rule(&call);
        if ruling.verdict == Verdict::Deny {
            return Err(ActivationError::Denied { name: name(), reason: ruling.explanation() });
        }
        Ok(())
    }

    /// The activation of a loaded skill, ruled on and not yet recorded.
    fn compose(
        &self,
        entry: &Entry,
        skill: &Skill,
        invocation: &Invocation<'_>,
        origin: Option<&str>,
    ) -> Activation {
        let manifest = &skill.manifest;
        let names: Vec<String> =
            manifest.invocation.arguments.iter().map(|text| text.value.clone()).collect();
        let body = substitute(
            &skill.body,
            &Substitution {
                arguments: invocation.arguments,
                names: &names,
                base: self.setup.settings.base,
                directory: &skill.directory,
                session: &self.setup.ids.session,
            },
        );
        let all = &skill.resources.files;
        let resources: Vec<String> =
            all.iter().take(MAX_LISTED_RESOURCES).map(|file| file.path.clone()).collect();
        let resources_omitted = all.len() - resources.len() + skill.resources.omitted;
        let name = entry.name().to_string();
        let base_path = skill.directory.to_string_lossy().into_owned();
        let text = wrap(&Wrapped {
            name: &name,
            origin,
            body: &body,
            directory: &base_path,
            resources: &resources,
            omitted: resources_omitted,
            more: &format!("`metier show {name}` lists them"),
        });
        let hint =
            |text: &Option<metier_format::manifest::Text>| text.as_ref().map(|t| t.value.clone());
        Activation {
            body,
            text,
            args: invocation.arguments.to_owned(),
            resources,
            resources_omitted,
            allowed_tools: manifest.allowed_tools.as_ref().map(|tools| tool_names(tools)),
            model: hint(&manifest.invocation.model),
            context: match manifest.invocation.context {
                ContextMode::Inherit => "inherit",
                ContextMode::Fork => "fork",
            },
            agent: hint(&manifest.invocation.agent),
            overrides: self.rule_overrides(skill),
            digest: skill.digest.clone(),
            layer: self.setup.catalog.layer(&entry.found).as_str(),
            trust: entry.trust.as_str(),
            notice: self.notice(entry),
            repeated: false,
            chain: Chain::default(),
            name,
            base_path,
        }
    }

    /// What the user should know before they rely on it, in one line.
    fn notice(&self, entry: &Entry) -> Option<String> {
        let name = entry.name();
        let unapproved = (entry.trust == Trust::Present)
            .then(|| format!("`{name}` was never approved; its scripts would run confined"));
        let said: Vec<String> = self.stands_in(entry).into_iter().chain(unapproved).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    fn rule_overrides(&self, skill: &Skill) -> Vec<Overrides> {
        let Some(entry) = &skill.manifest.overrides else { return Vec::new() };
        let (proposals, _) = Override::parse(entry);
        let rule = |proposal: Override| Overrides {
            ruling: self.setup.policy.rule_on_in(&proposal, &self.stack),
            proposal: serde_json::to_value(&proposal).unwrap_or_default(),
        };
        proposals.into_iter().map(rule).collect()
    }

    /// The scripts of the skill, for the rule about reading them. A file that is not as it was approved
    /// when it is looked at counts as one.
    fn scripts_of(&self, entry: &Entry, skill: &Skill, vouched: &Vouched) -> Scripts {
        Scripts::of(skill, |path| {
            let read = self.setup.store.read(&entry.location(), path, MAX_RESOURCE_BYTES);
            read.is_ok_and(|file| {
                file.bytes.starts_with(b"#!") || !vouched.holds(path, &file.bytes)
            })
        })
    }

    /// Writes what was loaded, what was ruled on overrides, and that the skill is active.
    fn record_activation(
        &mut self,
        skill: &Skill,
        activation: &mut Activation,
        scripts: &Scripts,
    ) -> Result<(), JournalError> {
        let mut codes: Vec<String> =
            skill.diagnostics.iter().map(|d| d.code.as_str().to_owned()).collect();
        codes.dedup();
        let loaded = SkillLoaded {
            name: activation.name.clone(),
            path: activation.base_path.clone(),
            digest: skill.digest.clone(),
            frontmatter: self.setup.redactor.value(&skill.manifest.props()),
            warnings: codes,
            chain: activation.chain.clone(),
        };
        self.keep(&skill.source);
        self.record(&Event::SkillLoaded(loaded), Beat::Intent)?;
        for proposed in &activation.overrides {
            let ruled = OverrideRuled {
                name: activation.name.clone(),
                proposal: self.setup.redactor.value(&proposed.proposal),
                verdict: proposed.ruling.verdict.as_str().to_owned(),
                reasons: proposed.ruling.reasons.iter().map(|r| r.text.clone()).collect(),
            };
            self.record(&Event::OverrideRuled(ruled), Beat::Intent)?;
        }
        let unreadable = skill
            .manifest
            .allowed_tools
            .as_ref()
            .is_some_and(|tools| tools.value == AllowedTools::Unreadable);
        let activated = SkillActivated {
            name: activation.name.clone(),
            path: activation.base_path.clone(),
            digest: activation.digest.clone(),
            layer: activation.layer.to_owned(),
            trust: activation.trust.to_owned(),
            allowed_tools: activation.allowed_tools.clone(),
            tools_unreadable: unreadable,
            scripts: scripts.found.iter().map(|script| script.path.clone()).collect(),
            hook_post: skill.manifest.invocation.hook_post.as_ref().map(|hook| hook.value.clone()),
            tokens: tokens::estimate(&activation.text).tokens().count,
            chain: activation.chain.clone(),
        };
        self.record(&Event::SkillActivated(activated), Beat::Result).map(drop)
    }
}

/// Whether whoever asks may use the skill at all.
pub(super) fn visible_to(entry: &Entry, trigger: Trigger) -> Result<(), ActivationError> {
    let name = || entry.name().to_string();
    let user_invocable = entry.facts().is_none_or(|facts| facts.user_invocable);
    match (entry.visibility, trigger) {
        (Visibility::Untrusted, _) => Err(ActivationError::NotTrusted(name())),
        (Visibility::UserOnly, Trigger::Auto) => Err(ActivationError::NotForModels(name())),
        (_, Trigger::Manual) if !user_invocable => Err(ActivationError::NotForUsers(name())),
        _ => Ok(()),
    }
}

/// Whether what was loaded is what is active: its tools and scripts are those that are enforced.
fn is_still(active: &Active, skill: &Skill, chain: &Chain) -> bool {
    let trees = active.skill.chain.tree.as_ref().zip(chain.tree.as_ref());
    active.skill.digest == skill.digest && trees.is_none_or(|(then, now)| then == now)
}

/// The tools as text; nothing at all when they cannot be read.
fn tool_names(tools: &AllowedTools) -> Vec<String> {
    match tools {
        AllowedTools::Only(patterns) => patterns.iter().map(ToString::to_string).collect(),
        AllowedTools::Unreadable => Vec::new(),
    }
}

/// As much of a typed text as is worth keeping in a frame.
fn shortened(text: &str) -> String {
    const KEPT: usize = 512;
    text.chars().take(KEPT).collect()
}
