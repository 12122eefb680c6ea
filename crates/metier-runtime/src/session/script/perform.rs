//! A script that was decided on, run: the intent is recorded, the act done, the result recorded.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use metier_policy::Verdict;
use metier_sandbox::{
    Certainty, Denial, Enforced, Invocation as Child, Level, Outcome, RunError, Status, Wall,
};
use metier_store::digest;
use metier_store::store::ReadError;
use serde_json::{Value, json};

use super::Ready;
use crate::event::{Event, ScriptFinished, ScriptStarted, Trigger};
use crate::journal::{Beat, JournalError};
use crate::limits::{MAX_INLINE_BYTES, MAX_WHEEL_BYTES};
use crate::script::ground::CHANGED;
use crate::script::interpreter::Program;
use crate::script::uv::{self, PrepareError};
use crate::script::{Mode, ScriptCall, ScriptError, ScriptOutcome, ScriptPlan, envelope, ground};
use crate::session::Session;
use crate::session::guard::Recorder;

impl Session {
    /// Records the ruling; an error when the script may not run, or not without being asked about.
    pub(super) fn permit(&mut self, ready: &Ready, call: &ScriptCall) -> Result<(), ScriptError> {
        let plan = &ready.plan;
        self.record_ruling(&ready.call, plan.ruling.clone())?;
        permitted(plan, call)
    }

    /// Why what is planned would not be run, when it would not: the law does not let it, or a wall
    /// that it needs cannot be built here.
    #[must_use]
    pub fn obstacle(&self, plan: &ScriptPlan, call: &ScriptCall) -> Option<ScriptError> {
        let walls = |()| {
            let enforceable = self.setup.scripts.runner.enforceable(&plan.confinement);
            enforceable.map_err(|error| not_run(plan, error))
        };
        permitted(plan, call).and_then(walls).err()
    }

    pub(super) fn record_started(
        &mut self,
        ready: &Ready,
        call: &ScriptCall,
    ) -> Result<(), JournalError> {
        let plan = &ready.plan;
        let mut recorder = Recorder { redactor: &self.setup.redactor, left: MAX_INLINE_BYTES };
        let args = call.words();
        let args = args.iter().map(|arg| recorder.text(&arg.to_string_lossy()));
        let preparation = ready.preparation.as_ref().map(|preparation| {
            let walls = preparation.confinement(&plan.confinement);
            json!({ "fetches": preparation.online, "confinement": walls })
        });
        let started = ScriptStarted {
            preparation,
            name: plan.skill.clone(),
            script: plan.script.clone(),
            purpose: ready.purpose.as_str().to_owned(),
            digest: plan.digest.clone(),
            args: args.collect(),
            interpreter: plan.interpreter.clone(),
            confinement: serde_json::to_value(&plan.confinement).unwrap_or_default(),
        };
        self.record(&Event::ScriptStarted(started), Beat::Intent).map(drop)
    }

    /// Acts, and records the result.
    pub(super) fn perform(
        &mut self,
        ready: &Ready,
        call: &ScriptCall,
    ) -> Result<ScriptOutcome, ScriptError> {
        let mut prepared = None;
        let result = self.act_on(ready, call, &mut prepared);
        let result = result.map(|outcome| outcome_of(&ready.plan, call.mode, outcome));
        self.conclude(|session| session.record_finished(ready, &result, prepared))?;
        result
    }

    /// Puts the skill where it can be run, has its dependencies provided, runs it. Nothing is
    /// recorded here.
    fn act_on(
        &self,
        ready: &Ready,
        call: &ScriptCall,
        done: &mut Option<Value>,
    ) -> Result<Outcome, ScriptError> {
        let plan = &ready.plan;
        let ground = &self.setup.scripts;
        if ready.elsewhere {
            let (from, place) = ((&*self.setup.store, &ready.location), &ready.directory);
            let files = ready.vouched.files.as_deref();
            ground::materialise(from, files, place, &ground.cancel).map_err(
                |source| match source.kind() {
                    ErrorKind::Interrupted => ScriptError::Cancelled,
                    _ => ScriptError::Ground { path: place.clone(), source },
                },
            )?;
        }
        let path = ready.directory.join(&plan.script);
        let mut confinement = plan.confinement.clone();
        // Before anything is fetched for it: a wall that cannot be built refuses the run.
        ground.runner.enforceable(&confinement).map_err(|error| not_run(plan, error))?;
        let program = match (&ready.program, &ready.preparation) {
            (Program::Uv(..), Some(preparation)) => {
                let how = (&ground.runner, &ground.cancel, &confinement);
                let read = |path: &str| self.read_right(ready, path);
                let prepared =
                    preparation.prepare(&read, how).map_err(|error| unprepared(plan, error))?;
                *done = Some(json!({
                    "made": prepared.enforced.is_some(),
                    "enforced": prepared.enforced,
                }));
                confinement.read.extend(prepared.reads);
                prepared.python
            }
            (Program::At(program) | Program::Uv(program, _), _) => program.clone(),
            (Program::Itself, _) => path.clone(),
        };
        let mut child = Child::new(program);
        child.args.clone_from(&ready.before);
        if ready.program != Program::Itself {
            child.args.push(path.into_os_string());
        }
        child.args.extend(call.words());
        child.cwd.clone_from(&plan.cwd);
        child.stdin = call.input.stdin().map_err(|source| {
            let path = PathBuf::from("standard input");
            ScriptError::Ground { path, source }
        })?;
        ground.runner.run(&child, &confinement, &ground.cancel).map_err(|e| not_run(plan, e))
    }

    /// Reads what dependencies are made from: no other bytes than were approved.
    fn read_right(&self, ready: &Ready, path: &str) -> Result<Vec<u8>, ReadError> {
        let read = self.setup.store.read(&ready.location, path, MAX_WHEEL_BYTES)?;
        match ready.vouched.holds(&read.path, &read.bytes) {
            true => Ok(read.bytes),
            false => Err(ReadError::Io { path: read.path, source: io::Error::other(CHANGED) }),
        }
    }

    fn record_finished(
        &mut self,
        ready: &Ready,
        result: &Result<ScriptOutcome, ScriptError>,
        prepared: Option<Value>,
    ) -> Result<(), JournalError> {
        let mut finished = ScriptFinished {
            name: ready.plan.skill.clone(),
            script: ready.plan.script.clone(),
            purpose: ready.purpose.as_str().to_owned(),
            prepared,
            ..ScriptFinished::default()
        };
        match result {
            Err(error) => finished.error = Some(error.code().to_owned()),
            Ok(outcome) => {
                let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let hash = |bytes: &[u8]| match bytes.is_empty() {
                    true => String::new(),
                    false => digest::hex(&digest::sha256(bytes)),
                };
                for stream in [&outcome.stdout, &outcome.stderr] {
                    if !stream.bytes.is_empty() {
                        self.keep(&stream.bytes);
                    }
                }
                finished.status = outcome.status.to_string();
                finished.exit_code = match outcome.status {
                    Status::Exit(code) => Some(code),
                    _ => None,
                };
                finished.error = outcome.failure.as_ref().map(|(code, _)| (*code).to_owned());
                finished.duration_ms = ms(outcome.duration);
                finished.cpu_ms = ms(outcome.cpu);
                finished.max_rss = outcome.max_rss;
                finished.stdout_bytes = outcome.stdout.total;
                finished.stderr_bytes = outcome.stderr.total;
                finished.stdout_digest = hash(&outcome.stdout.bytes);
                finished.stderr_digest = hash(&outcome.stderr.bytes);
                let redactor = &self.setup.redactor;
                let mut recorder = Recorder { redactor, left: MAX_INLINE_BYTES };
                let redacted = |denial: &Denial| {
                    let evidence = recorder.text(&denial.evidence);
                    json!({ "wall": denial.wall, "certainty": denial.certainty, "evidence": evidence })
                };
                finished.denials = outcome.denials.iter().map(redacted).collect();
                finished.enforced = serde_json::to_value(&outcome.enforced).unwrap_or_default();
            }
        }
        self.record(&Event::ScriptFinished(finished), Beat::Result).map(drop)
    }
}

/// An error when the script may not run, or not without being asked about.
fn permitted(plan: &ScriptPlan, call: &ScriptCall) -> Result<(), ScriptError> {
    let (skill, script) = (plan.skill.clone(), plan.script.clone());
    let reason = plan.ruling.explanation();
    match plan.ruling.verdict {
        Verdict::Deny => Err(ScriptError::Denied { skill, script, reason }),
        Verdict::Ask if call.trigger == Trigger::Auto && !call.confirmed => {
            Err(ScriptError::Unconfirmed { skill, script, reason })
        }
        Verdict::Ask | Verdict::Allow => Ok(()),
    }
}

fn outcome_of(plan: &ScriptPlan, mode: Mode, outcome: Outcome) -> ScriptOutcome {
    let Outcome { status, stdout, stderr, duration, cpu, max_rss, enforced, denials } = outcome;
    let allowed = Duration::from_millis(plan.confinement.limits.wall_ms);
    let (json, failure) = envelope::judge(mode, status, (&stdout, &stderr), allowed);
    let mut notes = plan.notes.clone();
    notes.extend(missing_walls(plan, &enforced));
    if failure.is_some() {
        let certainty = |denial: &Denial| match denial.certainty {
            Certainty::Known => "stopped it",
            Certainty::Likely => "may have stopped it",
        };
        let said = |denial: &Denial| format!("the {} wall {}", denial.wall, certainty(denial));
        notes.extend(denials.iter().map(said));
    }
    ScriptOutcome {
        skill: plan.skill.clone(),
        name: plan.name.clone(),
        script: plan.script.clone(),
        status,
        stdout,
        stderr,
        duration,
        cpu,
        max_rss,
        allowed,
        enforced,
        denials,
        json,
        failure,
        notes,
    }
}

/// What a run without every wall says about it: nothing is left out in silence.
fn missing_walls(plan: &ScriptPlan, enforced: &Enforced) -> Option<String> {
    match plan.confinement.level {
        Level::Require => None,
        Level::Off => Some("it ran without walls: policy switched them off".to_owned()),
        Level::Prefer => {
            let missing = Wall::ALL.into_iter().filter(|wall| enforced.mechanism(*wall) == "none");
            let missing: Vec<String> = missing.map(|wall| wall.to_string()).collect();
            let said = format!("nothing here enforces its limits on {}", missing.join(", "));
            (!missing.is_empty()).then_some(said)
        }
    }
}

fn not_run(plan: &ScriptPlan, error: RunError) -> ScriptError {
    let (skill, script) = (plan.skill.clone(), plan.script.clone());
    match error {
        RunError::CannotEnforce { missing } => ScriptError::Walls { skill, script, missing },
        source => ScriptError::Run { script, source },
    }
}

fn unprepared(plan: &ScriptPlan, error: PrepareError) -> ScriptError {
    match error {
        PrepareError::Cache(path, source) => ScriptError::Ground { path, source },
        PrepareError::Run(error) => not_run(plan, error),
        PrepareError::Failed(detail) => {
            let hint = (plan.fetches == Some(false)).then_some(uv::HOW_TO_FETCH);
            ScriptError::Dependencies { script: plan.script.clone(), detail, hint }
        }
        PrepareError::Cancelled => ScriptError::Cancelled,
    }
}
