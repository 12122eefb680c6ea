//! Running a script of a skill: look up, decide, append the intent, act, append the result.
//!
//! The call is judged as if its skill were active and restricted nothing by itself: rules about
//! that skill, its layer and its trust hold, and every other active skill has to allow the tool
//! `Script`. What the five beats look like is [`Session::run`]; [`Session::plan_script`] stops
//! before the third and shows what would be done. The first two beats are in `ready`, the others in
//! `perform`.

mod perform;
mod ready;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use metier_policy::ToolCall;
use metier_store::catalog::Entry;
use metier_store::digest;
use metier_store::scripts::{Script, language};
use metier_store::store::Location;
use metier_store::vouch::Vouched;

use super::Session;
use crate::event::Trigger;
use crate::limits::HELP_SECONDS;
use crate::script::interpreter::Program;
use crate::script::uv::Preparation;
use crate::script::{
    Listed, ScriptCall, ScriptError, ScriptHelp, ScriptOutcome, ScriptPlan, SkillScripts,
};

/// What a script runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Somebody asked for it.
    Run,
    /// Somebody asked what it does.
    Help,
    /// Its skill is about to be activated.
    Pre,
    /// Its skill is about to be released.
    Post,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Help => "help",
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }
}

/// A script that was looked up and decided on.
struct Ready {
    plan: ScriptPlan,
    call: ToolCall,
    purpose: Purpose,
    location: Location,
    /// What is known about the skill's content, to hold against it what is read of it.
    vouched: Vouched,
    /// Where the skill lies, or will once it is put there.
    directory: PathBuf,
    /// Whether it has to be put there first.
    elsewhere: bool,
    program: Program,
    /// Arguments before the script's path.
    before: Vec<OsString>,
    preparation: Option<Preparation>,
}

/// A hook whose beginning is recorded, and which has yet to run.
pub(super) struct BegunHook {
    ready: Ready,
    call: ScriptCall,
}

impl BegunHook {
    /// The skill's name, and the hook's path inside it.
    pub(super) fn name(&self) -> (&str, &str) {
        (&self.call.skill, &self.call.script)
    }
}

impl Session {
    /// What a model that asks for a script is told of `error`; see [`Self::told_of_skill`].
    #[must_use]
    pub fn told_of_script(&self, error: ScriptError) -> ScriptError {
        match error {
            ScriptError::Skill(error) => ScriptError::Skill(self.told_of_skill(error)),
            other => other,
        }
    }

    /// The scripts of one skill, or of every skill that may be used.
    pub fn scripts(
        &self,
        name: Option<&str>,
        trigger: Trigger,
    ) -> Result<Vec<SkillScripts>, ScriptError> {
        let entries = match name {
            Some(name) => vec![self.usable(name, trigger)?],
            None => {
                let all = self.setup.catalog.entries.iter();
                all.filter(|entry| self.usable_by(entry, trigger).is_ok()).cloned().collect()
            }
        };
        let mut lists = Vec::new();
        for entry in entries {
            let at = entry.location();
            // One skill that cannot be loaded any more does not hide the others.
            let (skill, scripts) = match (self.load_scripts(&entry, &at), name) {
                (Ok(loaded), _) => loaded,
                (Err(error), Some(_)) => return Err(error),
                (Err(_), None) => continue,
            };
            let listed = |script: Script| Listed {
                path: skill.directory.join(&script.path).to_string_lossy().into_owned(),
                name: script.name,
            };
            lists.push(SkillScripts {
                skill: entry.name().to_string(),
                scripts: scripts.found.into_iter().map(listed).collect(),
                refused: scripts.refused,
            });
        }
        Ok(lists)
    }

    /// What a script says about itself when asked with `--help`: run once, without a network, and
    /// kept for as long as neither its skill nor its interpreter changes.
    pub fn script_help(
        &mut self,
        skill: &str,
        script: &str,
        trigger: Trigger,
    ) -> Result<ScriptHelp, ScriptError> {
        let call = ScriptCall {
            timeout: Some(Duration::from_secs(HELP_SECONDS)),
            trigger,
            ..ScriptCall::new(skill, script).args(["--help"])
        };
        let ready = self.act(|session| {
            let ready = session.ready(&call, Purpose::Help)?;
            session.permit(&ready, &call)?;
            Ok::<_, ScriptError>(ready)
        })?;
        let plan = &ready.plan;
        // The whole skill, for what a script says may come from any file beside it.
        let tree = self.tree(&ready.location, &plan.skill, &ready.vouched)?;
        let (script, program) = (&plan.script, &ready.program);
        let key = format!("{tree}\0{script}\0{}\0{}\0{program:?}", plan.digest, plan.interpreter);
        let key = digest::hex(&digest::sha256(key.as_bytes()));
        if let Some(text) = self.setup.scripts.kept_help(&key) {
            return Ok(ScriptHelp { text, kept: true, failure: None });
        }
        self.act(|session| session.record_started(&ready, &call))?;
        let outcome = self.perform(&ready, &call)?;
        let bytes = if outcome.stdout.bytes.is_empty() { &outcome.stderr } else { &outcome.stdout };
        let text = String::from_utf8_lossy(&bytes.bytes).into_owned();
        if outcome.failure.is_none() {
            self.setup.scripts.keep_help(&key, &text);
        }
        Ok(ScriptHelp { text, kept: false, failure: outcome.failure })
    }

    /// What [`Session::run`] would do. Nothing is done and nothing recorded.
    pub fn plan_script(&self, call: &ScriptCall) -> Result<ScriptPlan, ScriptError> {
        self.ready(call, Purpose::Run).map(|ready| ready.plan)
    }

    /// Runs a script. A script that ran and failed is an outcome; an error means that it did not
    /// run.
    pub fn run(&mut self, call: &ScriptCall) -> Result<ScriptOutcome, ScriptError> {
        let ready = self.act(|session| {
            let ready = session.ready(call, Purpose::Run)?;
            session.permit(&ready, call)?;
            session.record_started(&ready, call)?;
            Ok::<_, ScriptError>(ready)
        })?;
        // Others act on the session meanwhile.
        self.perform(&ready, call)
    }

    /// Looks up a hook, decides on it and records that it begins, in a turn. It is a file of the skill
    /// that need not be one of its scripts.
    pub(super) fn begin_hook(
        &mut self,
        entry: &Entry,
        call: ScriptCall,
        purpose: Purpose,
    ) -> Result<BegunHook, ScriptError> {
        let at = entry.location();
        let (skill, _) = self.load_scripts(entry, &at)?;
        let file = skill.resources.files.iter().find(|file| file.path == call.script);
        let executable = file.is_some_and(|file| file.executable);
        let path = call.script.clone();
        let script = Script { name: path.clone(), language: language(&path), path, executable };
        let ready = self.ready_script(entry, (&skill, &script), &call, purpose)?;
        self.permit(&ready, &call)?;
        self.record_started(&ready, &call)?;
        Ok(BegunHook { ready, call })
    }

    /// Runs a hook that was begun. Not in a turn: others act on the session meanwhile.
    pub(super) fn run_hook(&mut self, hook: &BegunHook) -> Result<ScriptOutcome, ScriptError> {
        self.perform(&hook.ready, &hook.call)
    }
}
