//! One hook call of an agent: its event in, its answer out.
//!
//! Agents (Claude Code, Codex, Gemini CLI, opencode) tell a program about each tool call and each
//! prompt and obey what it prints. All of them let a call pass when that program fails, so what is
//! here never fails: whatever cannot be decided is a block with a reason. `event` reads what each
//! agent sends, `signal` finds the skills it asks for, `answer` writes what each agent understands.
//! What is allowed is decided by the session; where sessions and skills come from is the
//! [`Ground`]'s business, and so are the clock, the deadline and the streams. Start at [`attend`].

mod about;
mod agent;
mod answer;
mod event;
mod name;
mod plugin;
mod signal;

use std::path::{Path, PathBuf};

use metier_format::NameKey;
use metier_policy::{AllowedToolsMode, Resolve as _, Ruling, Survey, ToolCall, Verdict};
use metier_runtime::event::Trigger;
use metier_runtime::resolver::{Disk, Glance};
use metier_runtime::session::{Invocation, ReleaseError};
use metier_runtime::{ActivationError, JournalError, Session};
use metier_store::{Catalog, Found, Layer};

pub use about::About;
pub use agent::{HookAgent, Occasion};
pub use answer::Answer;
pub use event::{Event, EventError, What};
pub use name::is_of_an_agent;

use about::Places;
use signal::{Look, Wish};

/// What an application brings so that an agent's hooks can be answered.
pub trait Ground {
    /// The session of an event, for guarding and releasing: nothing is searched.
    fn resume(&self, event: &Event) -> Result<Session, HookError>;

    /// The session of an event, with the skills at hand. Whether a skill's content is what somebody
    /// said yes to has to be known of those it is `about`; of the others the catalog may have what
    /// was known last, since each is looked at again before it is used.
    fn open(&self, event: &Event, about: &About<'_>) -> Result<Session, HookError>;

    /// The directories below which skills are looked for, without looking.
    fn roots(&self) -> Vec<PathBuf>;

    /// The directories from which the agent itself could load the skill called `name`, the one it
    /// prefers first: those called so where it looks, and those of `known` that it reads.
    fn choices(&self, agent: HookAgent, name: &str, known: &[PathBuf]) -> Vec<Choice>;

    /// Whether two directories hold the same skill: one is a link to the other, or a copy.
    fn same(&self, one: &Path, other: &Path) -> bool;
}

/// A skill that an agent could load under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its place: the agent takes a smaller one, and of equal ones nobody knows which.
    pub rank: u16,
    /// Where it is.
    pub directory: PathBuf,
}

/// Why a hook call could not be decided. Each is a reason to block.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// What the agent sent is not an event.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The settings cannot be used.
    #[error("the settings cannot be used: {0}")]
    Settings(String),
    /// The journal refused, so nothing was decided.
    #[error("nothing was decided, because it could not be recorded: {}", chain(.0))]
    Journal(#[from] JournalError),
}

/// The answer to one event, which `input` is. Total: every failure is a block.
#[must_use]
pub fn attend(agent: HookAgent, input: &[u8], ground: &dyn Ground) -> Answer {
    let event = match Event::read(agent, input) {
        Ok(event) => event,
        Err(error) => return Answer::block(error.to_string()),
    };
    let attending = Attending { agent, ground, event: &event };
    attending.answer().unwrap_or_else(|error| Answer::block(error.to_string()))
}

/// One event being answered.
struct Attending<'a> {
    agent: HookAgent,
    ground: &'a dyn Ground,
    event: &'a Event,
}

impl Attending<'_> {
    fn answer(&self) -> Result<Answer, HookError> {
        match &self.event.what {
            What::Nothing => Ok(Answer::NoOpinion),
            What::Call(call) => self.call(call),
            What::Prompt(prompt) => match signal::in_prompt(self.agent, prompt) {
                Ok(wishes) => self.prompt(&wishes),
                Err(unclear) => Ok(Answer::block(unclear.to_string())),
            },
            What::Command { name, arguments } => {
                self.prompt(&signal::in_command(name, arguments).into_iter().collect::<Vec<_>>())
            }
            What::End => self.end(),
        }
    }

    /// A tool call: a wish for a skill, or a call to be guarded.
    fn call(&self, call: &ToolCall) -> Result<Answer, HookError> {
        if let Some(wish) = signal::in_call(self.agent, call) {
            return self.wish(call, &wish);
        }
        let mut session = self.ground.resume(self.event)?;
        if let Some(skill) = signal::script_of(self.agent, call) {
            let guarded = session.guard_script(call, &skill)?;
            return Ok(self.spell(&session, &guarded.ruling));
        }
        if signal::is_resource(call) {
            let guarded = session.guard_activating(call)?;
            return Ok(self.spell(&session, &guarded.ruling));
        }
        if let Some(look) = signal::look(self.agent, call) {
            let survey = session.survey(call);
            let survey = match look {
                Look::Closely => survey,
                Look::Nearby if self.is_near(&survey) => survey,
                Look::Nearby => survey.certainly(),
            };
            if survey.may_read_any(signal::SKILL_FILE) {
                return self.read(call, &survey);
            }
        }
        self.guard(session, call)
    }

    /// Whether a call may read a skill without naming its file. Nearly every call reads nothing where
    /// skills are, and then none is looked for.
    fn is_near(&self, survey: &Survey) -> bool {
        let glance = Glance::default();
        let below = |root: &PathBuf| {
            let real = glance.real(root).filter(|real| real != root);
            let may = |at: &Path| survey.may_read_below(at, signal::SKILL_FILE);
            may(root) || real.is_some_and(|real| may(&real))
        };
        survey.reads_unplaced(signal::SKILL_FILE)
            || (survey.reads_around() && self.ground.roots().iter().any(below))
    }

    /// A call that activates a skill.
    fn wish(&self, call: &ToolCall, wish: &Wish) -> Result<Answer, HookError> {
        let mut session = self.ground.open(self.event, &About::wishes([wish]))?;
        let guarded = match signal::is_resource(call) {
            true => session.guard_activating(call)?,
            false => session.guard(call)?,
        };
        // What this agent is told decides: one that cannot ask is told to block.
        let answer = self.spell(&session, &guarded.ruling);
        if matches!(answer, Answer::Block(_)) {
            return Ok(answer);
        }
        match self.activate(&mut session, wish) {
            Ok(()) => Ok(answer),
            Err(reason) => Ok(Answer::block(reason)),
        }
    }

    /// A call that may read a skill: guarded by what was active before, since the new skill
    /// cannot forbid its own reading, and by the skill too when it does more than read. One that does
    /// nothing but read skills is how some agents activate them, which no active skill restricts.
    fn read(&self, call: &ToolCall, survey: &Survey) -> Result<Answer, HookError> {
        let about = About::read(survey);
        let mut session = self.ground.open(self.event, &about)?;
        let wanted = self.wanted(&session, survey, &about);
        let activates = survey.reads_only(signal::SKILL_FILE)
            && wanted.as_ref().is_ok_and(|wanted| wanted.is_all);
        let before = match activates {
            true => session.guard_activating(call)?,
            false => session.guard(call)?,
        };
        let answer = self.spell(&session, &before.ruling);
        if matches!(answer, Answer::Block(_)) {
            return Ok(answer);
        }
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(reason) => return Self::refuse(session, call, reason),
        };
        let answer = match survey.does_more {
            true => self.guard_beside(&mut session, call, &wanted.names)?,
            false => answer,
        };
        if matches!(answer, Answer::Block(_)) {
            return Ok(answer);
        }
        match activate_all(&mut session, &wanted.names) {
            Ok(()) => Ok(answer),
            Err(reason) => Self::refuse(session, call, reason),
        }
    }

    /// What a call that does more than read skills is told that would be active with it.
    fn guard_beside(
        &self,
        session: &mut Session,
        call: &ToolCall,
        names: &[String],
    ) -> Result<Answer, HookError> {
        if let Some(reason) = self.hidden_input(session, call) {
            session.refuse(call, &reason)?;
            return Ok(Answer::block(reason));
        }
        let guarded = session.guard_beside(call, names)?;
        Ok(self.spell(session, &guarded.ruling))
    }

    fn refuse(mut session: Session, call: &ToolCall, reason: String) -> Result<Answer, HookError> {
        session.refuse(call, &reason)?;
        Ok(Answer::block(reason))
    }

    fn guard(&self, mut session: Session, call: &ToolCall) -> Result<Answer, HookError> {
        if let Some(reason) = self.hidden_input(&session, call) {
            return Self::refuse(session, call, reason);
        }
        let guarded = session.guard(call)?;
        Ok(self.spell(&session, &guarded.ruling))
    }

    /// Why a call is refused whatever is active: what is typed into it later passes no hook.
    fn hidden_input(&self, session: &Session, call: &ToolCall) -> Option<String> {
        let hidden = self.agent.hides_input() && session.survey(call).interactive;
        hidden.then(|| {
            format!(
                "this starts a program that runs what is typed into it later, and {} shows that to \
                 nobody; run one command that ends by itself instead",
                self.agent.title()
            )
        })
    }

    /// The ruling as this agent can be told.
    fn spell(&self, session: &Session, ruling: &Ruling) -> Answer {
        let why = || ruling.explanation();
        match ruling.verdict {
            Verdict::Deny => Answer::block(why()),
            // Where nobody wrote a policy and no rule is surely meant, asking is the agent's own
            // business: it knows whether its user wants to be asked.
            Verdict::Ask if !ruling.is_certain() && !session.has_written_policy() => {
                Answer::NoOpinion
            }
            Verdict::Ask if self.agent.can_ask() => Answer::Ask(why()),
            Verdict::Ask => Answer::block(format!(
                "{}; a person has to say yes to this, and {} cannot be made to ask",
                why(),
                self.agent.title()
            )),
            Verdict::Allow if self.agent.can_grant() && grants(session, ruling) => {
                Answer::Allow(why())
            }
            Verdict::Allow => Answer::NoOpinion,
        }
    }

    /// A prompt: the skills of the one before are released, where the agent itself lets go of them,
    /// and those the user asks for are activated.
    fn prompt(&self, wishes: &[Wish]) -> Result<Answer, HookError> {
        let fresh = self.agent.forgets_at_prompt() && !self.event.inside_subagent;
        if wishes.is_empty() {
            if fresh {
                self.release()?;
            }
            return Ok(Answer::NoOpinion);
        }
        let mut session = self.ground.open(self.event, &About::wishes(wishes))?;
        let known = |wish: &&Wish| match wish.exact {
            true => is_called(&session, wish.name()),
            false => wish.certain || is_known(&session, wish.name()),
        };
        let wishes: Vec<Wish> = wishes.iter().filter(known).cloned().collect();
        if fresh && !self.told_already(&session, &wishes) {
            release_all(&mut session)?;
        }
        let before = session.active_names().len();
        for wish in &wishes {
            let wish = match self.event.inside_subagent {
                // What a sub-agent is told, a model wrote.
                true => Wish { trigger: Trigger::Auto, ..wish.clone() },
                false => wish.clone(),
            };
            if let Err(reason) = self.activate(&mut session, &wish) {
                release_down_to(&mut session, before)?;
                return Ok(Answer::block(reason));
            }
        }
        Ok(Answer::NoOpinion)
    }

    /// Whether exactly these skills are active because the agent told of the same prompt before:
    /// Claude Code sends a typed command first expanded and then as it was typed.
    fn told_already(&self, session: &Session, wishes: &[Wish]) -> bool {
        let active = session.active_names();
        let same =
            |(active, wish): (&String, &Wish)| NameKey::of(active) == NameKey::of(wish.name());
        matches!(self.event.what, What::Prompt(_))
            && self.agent == HookAgent::ClaudeCode
            && !wishes.is_empty()
            && active.len() == wishes.len()
            && active.iter().zip(wishes).all(same)
    }

    /// Releases every skill.
    fn release(&self) -> Result<(), HookError> {
        release_all(&mut self.to_release()?)
    }

    /// The session, with the skills at hand when one of them wants a script run before it goes.
    fn to_release(&self) -> Result<Session, HookError> {
        let session = self.ground.resume(self.event)?;
        match session.state().stack.iter().any(|active| active.skill.hook_post.is_some()) {
            true => self.ground.open(self.event, &About::active(&session)),
            false => Ok(session),
        }
    }

    fn end(&self) -> Result<Answer, HookError> {
        if self.event.inside_subagent {
            return Ok(Answer::NoOpinion);
        }
        let mut session = self.to_release()?;
        // A session that never began has no end.
        if session.state().open {
            session.end()?;
        }
        Ok(Answer::NoOpinion)
    }

    /// Activates the skill somebody asks for, or says why not.
    fn activate(&self, session: &mut Session, wish: &Wish) -> Result<(), String> {
        self.check_choice(session, wish)?;
        let invocation =
            Invocation { name: wish.name(), arguments: &wish.arguments, trigger: wish.trigger };
        match session.activate(&invocation) {
            Ok(_) => Ok(()),
            Err(error @ ActivationError::NotFound { .. }) => Err(self.unknown(wish, &error)),
            Err(error) => Err(chain(&error)),
        }
    }

    /// Why a skill that metier does not know is refused, and what helps: it cannot be held to its tools.
    fn unknown(&self, wish: &Wish, error: &ActivationError) -> String {
        let agent = self.agent.title();
        match wish.plugin() {
            Some(plugin) => format!(
                "{error} of the plugin `{plugin}`; metier cannot hold a skill it does not know to its \
                 tools: it looks for plugins where {agent} keeps those that are installed, and in \
                 `roots` of its settings that have `layer = \"plugin\"`"
            ),
            None => format!(
                "{error}; metier cannot hold a skill it does not know to its tools, so tell it where \
                 the skill is (`roots` in its settings); one that {agent} itself brings has no file \
                 to go by, and is a person's to start: `/{}`",
                wish.spelled
            ),
        }
    }

    /// Whether the skill metier means by a name is the one of the plugin that is asked for.
    fn check_plugin(&self, catalog: &Catalog, found: &Found, wish: &Wish) -> Result<(), String> {
        let (here, spelled) = (catalog.directory(found), &wish.spelled);
        if catalog.layer(found) != Layer::Plugin {
            return Err(format!(
                "`{spelled}` is a plugin's skill in {}, and by that name metier means `{}`, which is \
                 of no plugin; rename that one",
                self.agent.title(),
                here.display()
            ));
        }
        let named = |at: &Path| plugin::of(at) == wish.plugin();
        if !named(&here) {
            return Err(format!(
                "`{spelled}` is not the skill that metier means by that name, which is another \
                 plugin's, in `{}`",
                here.display()
            ));
        }
        // What is only offered does not count beside what is installed.
        let counts =
            |at: &&PathBuf| named(at) && plugin::is_installed(at) == plugin::is_installed(&here);
        let all = namesakes(catalog, wish.name());
        match all.iter().filter(counts).find(|at| !self.ground.same(at, &here)) {
            Some(other) => Err(format!(
                "there are two of `{spelled}`, in `{}` and in `{}`, and nobody can tell which one {} \
                 would load; remove the one that is not used",
                here.display(),
                other.display(),
                self.agent.title()
            )),
            None => Ok(()),
        }
    }

    /// Whether the agent would load the skill metier means by a name.
    fn check_choice(&self, session: &Session, wish: &Wish) -> Result<(), String> {
        let catalog = session.catalog();
        let Some(entry) = catalog.get(&NameKey::of(wish.name())) else { return Ok(()) };
        let layer = catalog.layer(&entry.found);
        if wish.plugin().is_some() {
            return self.check_plugin(catalog, &entry.found, wish);
        }
        if layer == Layer::Bundled {
            return Ok(());
        }
        let here = catalog.directory(&entry.found);
        let known = namesakes(catalog, wish.name());
        let choices = self.ground.choices(self.agent, wish.name(), &known);
        let first = choices.first().map(|choice| choice.rank);
        let is_possible =
            |choice: &&Choice| !self.agent.keeps_order() || Some(choice.rank) == first;
        let mut possible = choices.iter().filter(is_possible).map(|choice| &choice.directory);
        match possible.find(|theirs| !self.ground.same(theirs, &here)) {
            Some(theirs) => Err(format!(
                "two skills are called `{}`: {} would load `{}`, metier means `{}`; remove or rename \
                 one of them",
                wish.name(),
                self.agent.title(),
                theirs.display(),
                here.display()
            )),
            None => Ok(()),
        }
    }

    /// The skills whose `SKILL.md` a command reads: the only sign some agents give.
    fn wanted(
        &self,
        session: &Session,
        survey: &Survey,
        about: &About<'_>,
    ) -> Result<Wanted, String> {
        if survey.reads_unplaced(signal::SKILL_FILE) {
            return Err("nobody can tell which skill this would read; give the whole path of its \
                        `SKILL.md`, from `/` on"
                .to_owned());
        }
        let mut directories = nearby(session, survey, about);
        if let [first, second, ..] = directories.as_slice() {
            return Err(format!(
                "this may read several skills at once, `{}` and `{}` among them; read the \
                 `SKILL.md` of one, by its whole path",
                first.display(),
                second.display()
            ));
        }
        for file in survey.reads.iter().filter(|file| signal::is_skill_file(file)) {
            directories.extend(file.parent().map(Path::to_owned));
        }
        let mut wanted = self.skills_in(session, &directories)?;
        for name in &survey.skills {
            match is_known(session, name) {
                true => wanted.names.push(name.clone()),
                false => wanted.is_all = false,
            }
        }
        Ok(wanted)
    }

    /// The names of the skills in these directories, each once. A directory with a skill that lost
    /// its name to another, or that is not offered, is refused: the agent would follow it all the same.
    fn skills_in(&self, session: &Session, directories: &[PathBuf]) -> Result<Wanted, String> {
        let catalog = session.catalog();
        let mut wanted = Wanted { names: Vec::new(), is_all: true };
        for directory in directories {
            let identity = Disk.identity(directory);
            let is_it = |found: &Found| {
                let at = catalog.directory(found);
                *directory == at
                    || identity == Some(found.identity)
                    || directory.file_name() == at.file_name() && self.ground.same(directory, &at)
            };
            let offered = catalog.entries.iter().find(|entry| is_it(&entry.found));
            if let Some(entry) = offered {
                let name = entry.name().to_string();
                if !wanted.names.contains(&name) {
                    wanted.names.push(name);
                }
                continue;
            }
            let mut lost = catalog.shadowed.iter();
            if let Some(shadowed) = lost.find(|lost| is_it(&lost.loser)) {
                return Err(format!(
                    "`{}` is not the skill that metier means by that name, which is in `{}`",
                    shadowed.loser.name,
                    catalog.place(&shadowed.winner).display()
                ));
            }
            let mut hidden = catalog.hidden.iter();
            if let Some(hidden) = hidden.find(|hidden| is_it(&hidden.found)) {
                let (name, reason) = (&hidden.found.name, hidden.reason.sentence());
                return Err(format!("`{name}` is not offered here: {reason}"));
            }
            wanted.is_all = false;
        }
        Ok(wanted)
    }
}

/// The skills that a command reads.
struct Wanted {
    names: Vec<String>,
    /// Whether everything called like a skill's file that it reads is one of theirs.
    is_all: bool,
}

/// Activates skills whose files are read: all of them, or none and says why.
fn activate_all(session: &mut Session, names: &[String]) -> Result<(), String> {
    let before = session.active_names().len();
    for name in names {
        let invocation = Invocation { name, arguments: "", trigger: Trigger::Auto };
        if let Err(error) = session.activate(&invocation) {
            // One that stays because it cannot be released restricts, which harms nobody.
            let _ = release_down_to(session, before);
            return Err(chain(&error));
        }
    }
    Ok(())
}

/// The directories of skills that a command may read without naming their `SKILL.md`.
fn nearby(session: &Session, survey: &Survey, about: &About<'_>) -> Vec<PathBuf> {
    if !survey.reads_around() {
        return Vec::new();
    }
    let catalog = session.catalog();
    let mut places = Places::of(survey, &catalog.roots, &catalog.stats);
    let concerned = every(catalog).filter(|found| about.may_concern(found));
    let read = concerned.filter(|found| places.may_be_read(found));
    let mut found: Vec<PathBuf> = read.map(|found| catalog.directory(found)).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether policy lets a skill's tools pass without the agent's own questions, and one did.
fn grants(session: &Session, ruling: &Ruling) -> bool {
    session.policy().mode() == AllowedToolsMode::PreApprove
        && ruling.reasons.iter().any(|r| r.verdict == Verdict::Allow && r.skill.is_some())
}

/// Whether any skill has this name, offered or not. What nobody knows is no wish for a skill: it may
/// be a command of the agent's own, or a variable.
fn is_known(session: &Session, name: &str) -> bool {
    let (key, catalog) = (NameKey::of(name), session.catalog());
    catalog.get(&key).is_some()
        || catalog.hidden.iter().any(|hidden| hidden.found.name.has_key(&key))
}

/// Whether a skill is called exactly this, whether or not it won the name.
fn is_called(session: &Session, name: &str) -> bool {
    every(session.catalog()).any(|found| found.name.as_str() == name)
}

/// The directories of every skill that says it is called `name`, whatever its directory is called.
fn namesakes(catalog: &Catalog, name: &str) -> Vec<PathBuf> {
    let key = NameKey::of(name);
    let all = every(catalog).filter(|found| found.name.has_key(&key));
    all.map(|found| catalog.directory(found)).collect()
}

/// Every skill there is, offered or not.
fn every(catalog: &Catalog) -> impl Iterator<Item = &Found> {
    let winners = catalog.entries.iter().map(|entry| &entry.found);
    let losers = catalog.shadowed.iter().map(|shadowed| &shadowed.loser);
    winners.chain(losers).chain(catalog.hidden.iter().map(|hidden| &hidden.found))
}

fn release_all(session: &mut Session) -> Result<(), HookError> {
    while release_one(session)? {}
    Ok(())
}

/// Releases the skills activated last, until `left` are left.
fn release_down_to(session: &mut Session, left: usize) -> Result<(), HookError> {
    while session.active_names().len() > left && release_one(session)? {}
    Ok(())
}

/// Releases the skill activated last, if there is one.
fn release_one(session: &mut Session) -> Result<bool, HookError> {
    match session.release(None) {
        Ok(_) => Ok(true),
        Err(ReleaseError::Journal(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
#[path = "agent_hook_tests.rs"]
mod tests;
