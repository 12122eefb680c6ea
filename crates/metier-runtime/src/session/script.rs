//! Running a script of a skill: look up, decide, append the intent, act, append the result.
//!
//! The call is judged as if its skill were active and restricted nothing by itself: rules about
//! that skill, its layer and its trust hold, and every other active skill has to allow the tool
//! `Script`. What the five beats look like is [`Session::run`]; [`Session::plan_script`] stops
//! before the third and shows what would be done.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metier_format::SkillName;
use metier_format::manifest::Parts;
use metier_policy::{ActiveSkill, ActiveStack, Ruling, ToolCall, Verdict};
use metier_sandbox::{
    Certainty, Denial, Enforced, Invocation as Child, Level, Network, Outcome, RunError, Status,
    Wall,
};
use metier_store::catalog::{Entry, Trust, Visibility};
use metier_store::digest;
use metier_store::scripts::{Script, Scripts, language};
use metier_store::store::{Location, Skill};
use metier_store::vouch::Standing;
use serde_json::{Value, json};

use super::Session;
use super::activation::visible_to;
use super::guard::Recorder;
use crate::event::{Event, ScriptFinished, ScriptStarted, Trigger};
use crate::journal::{Beat, JournalError};
use crate::limits::{HELP_SECONDS, MAX_HELP_BYTES, MAX_INLINE_BYTES, MAX_SCRIPT_BYTES};
use crate::script::confine::{Circumstances, Confined, confine};
use crate::script::envelope;
use crate::script::ground;
use crate::script::interpreter::{self, InterpreterError, Program};
use crate::script::uv::{self, Preparation, PrepareError, Wanted};
use crate::script::{
    Listed, Mode, ScriptCall, ScriptError, ScriptGround, ScriptHelp, ScriptOutcome, ScriptPlan,
    SkillScripts, Start,
};
use crate::session::ActivationError;

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
    /// Where the skill lies, or will once it is put there.
    directory: PathBuf,
    /// Whether it has to be put there first.
    elsewhere: bool,
    program: Program,
    /// Arguments before the script's path.
    before: Vec<OsString>,
    preparation: Option<Preparation>,
}

impl Session {
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
                all.filter(|entry| visible_to(entry, trigger).is_ok()).cloned().collect()
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
        let tree = self.tree(&ready.location, &plan.skill)?;
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

    /// Runs a hook: a file of the skill that need not be one of its scripts.
    pub(super) fn run_hook(
        &mut self,
        entry: &Entry,
        call: &ScriptCall,
        purpose: Purpose,
    ) -> Result<ScriptOutcome, ScriptError> {
        let at = entry.location();
        let (skill, _) = self.load_scripts(entry, &at)?;
        let file = skill.resources.files.iter().find(|file| file.path == call.script);
        let executable = file.is_some_and(|file| file.executable);
        let path = call.script.clone();
        let script = Script { name: path.clone(), language: language(&path), path, executable };
        let ready = self.ready_script(entry, (&skill, &script), call, purpose)?;
        self.permit(&ready, call)?;
        self.record_started(&ready, call)?;
        self.perform(&ready, call)
    }

    /// The skill, when whoever asks may use it. The name is looked at before anything else.
    fn usable(&self, name: &str, trigger: Trigger) -> Result<Entry, ScriptError> {
        if SkillName::parse(name).is_err() {
            return Err(ScriptError::InvalidSkill(name.chars().take(64).collect()));
        }
        let entry = self.look_up(name).map_err(ScriptError::Skill)?;
        if entry.visibility == Visibility::Untrusted && entry.found.standing == Standing::Changed {
            // Said with what differs, unless it has been put right meanwhile.
            self.vouched(&entry).map_err(|changed| ScriptError::Skill(changed.into()))?;
        }
        visible_to(&entry, trigger).map_err(ScriptError::Skill)?;
        Ok(entry)
    }

    fn load_scripts(&self, entry: &Entry, at: &Location) -> Result<(Skill, Scripts), ScriptError> {
        let skill = self.setup.store.load(at).map_err(|source| {
            ScriptError::Skill(ActivationError::Invalid { name: entry.name().to_string(), source })
        })?;
        let scripts = Scripts::in_store(&*self.setup.store, at, &skill);
        Ok((skill, scripts))
    }

    /// Looks up and decides; does nothing.
    fn ready(&self, call: &ScriptCall, purpose: Purpose) -> Result<Ready, ScriptError> {
        let entry = self.usable(&call.skill, call.trigger)?;
        let (skill, scripts) = self.load_scripts(&entry, &entry.location())?;
        let script = scripts.find(&call.script).map_err(|source| {
            let skill = entry.name().to_string();
            ScriptError::Name { skill, source }
        })?;
        self.ready_script(&entry, (&skill, script), call, purpose)
    }

    fn ready_script(
        &self,
        entry: &Entry,
        (skill, script): (&Skill, &Script),
        call: &ScriptCall,
        purpose: Purpose,
    ) -> Result<Ready, ScriptError> {
        call.check_args()?;
        let name = entry.name().to_string();
        let law = self.setup.policy.scripts();
        let active = self.state.stack.iter().any(|active| active.skill.name == name);
        if law.only_active && !active && purpose != Purpose::Pre {
            return Err(ScriptError::NotActive(name));
        }
        let at = entry.location();
        let read = self.setup.store.read(&at, &script.path, MAX_SCRIPT_BYTES);
        let source = read.map_err(ScriptError::Read)?.bytes;
        let entry = &self.still_trusted(entry)?;
        let ground = &self.setup.scripts;
        let find = |program: &str| ground.find_for(program, entry.trust);
        let interpreter = interpreter::choose(script, &source, &find)
            .map_err(|error| held_back(error, ground))?;
        let (directory, elsewhere) = self.place(&at, &name)?;
        let tool_call = tool_call(&name, script, call);
        let wanted = (&interpreter.program, purpose);
        let preparation = self.preparation(entry, (skill, script), wanted)?;
        let reads = match &interpreter.program {
            Program::At(program) => ground.reads(program),
            Program::Uv(_) | Program::Itself => Vec::new(),
        };
        let about = (&skill.manifest.parts, entry.trust, purpose);
        let confined = self.walls(about, (&directory, &reads), call);
        let notes = interpreter.note.iter().cloned().chain(confined.notes).collect();
        let path = directory.join(&script.path);
        let plan = ScriptPlan {
            ruling: self.rule_script(entry, &tool_call),
            name: script.name.clone(),
            script: script.path.clone(),
            digest: digest::hex(&digest::sha256(&source)),
            command: command(&interpreter, &path, call),
            interpreter: interpreter.name,
            skill: name,
            cwd: match call.start {
                Start::Beside => path.parent().map(Path::to_owned),
                Start::Skill => Some(directory.clone()),
                Start::Scratch => None,
            },
            confinement: confined.confinement,
            fetches: preparation.as_ref().map(|preparation: &Preparation| preparation.online),
            notes,
        };
        Ok(Ready {
            plan,
            call: tool_call,
            purpose,
            location: at,
            directory,
            elsewhere,
            program: interpreter.program,
            before: interpreter.args,
            preparation,
        })
    }

    /// What uv has to do first, for a script that it runs.
    fn preparation(
        &self,
        entry: &Entry,
        (skill, script): (&Skill, &Script),
        (program, purpose): (&Program, Purpose),
    ) -> Result<Option<Preparation>, ScriptError> {
        let Program::Uv(program) = program else { return Ok(None) };
        let lock = format!("{}.lock", script.path);
        let (law, parts) = (self.setup.policy.scripts(), &skill.manifest.parts);
        let wanted = Wanted {
            uv: program,
            tree: &self.tree(&entry.location(), entry.name().as_str())?,
            script: &script.path,
            trust: entry.trust,
            online: purpose != Purpose::Help && uv::may_fetch(law, parts, entry.trust),
            locked: skill.resources.files.iter().any(|file| file.path == lock),
        };
        let plan = Preparation::plan(&self.setup.scripts, wanted);
        plan.map(Some).ok_or_else(|| ScriptError::NoHome(script.path.clone()))
    }

    /// The walls around a script of the skill in `directory`, whose interpreter needs `reads`.
    fn walls(
        &self,
        (parts, trust, purpose): (&Parts, Trust, Purpose),
        (directory, reads): (&Path, &[PathBuf]),
        call: &ScriptCall,
    ) -> Confined {
        let ground = &self.setup.scripts;
        let project = self.setup.whereabouts.project.as_deref();
        let mut confined = confine(&Circumstances {
            law: self.setup.policy.scripts(),
            parts,
            trust,
            skill: directory,
            reads,
            project,
            project_holds_home: project.is_some_and(|project| ground.holds_a_home(project)),
            variables: &ground.variables,
            timeout: call.timeout,
        });
        let written = project.filter(|path| confined.confinement.write.iter().any(|w| w == path));
        confined.confinement.read.extend(written.map(ScriptGround::guarded).unwrap_or_default());
        if purpose == Purpose::Help { for_help(confined) } else { confined }
    }

    /// The skill as far as it is trusted now, with the content it has now.
    fn still_trusted(&self, entry: &Entry) -> Result<Entry, ScriptError> {
        let vouched = self.vouched(entry).map_err(|e| ScriptError::Skill(e.into()))?;
        match self.trust_now(entry, &vouched) {
            Trust::Untrusted => {
                let name = entry.name().to_string();
                Err(ScriptError::Skill(ActivationError::NotTrusted(name)))
            }
            trust => Ok(Entry { trust, ..entry.clone() }),
        }
    }

    /// Where the skill lies on disk, or where it is put, and whether it has to be.
    fn place(&self, at: &Location, name: &str) -> Result<(PathBuf, bool), ScriptError> {
        if let Some(directory) = self.setup.store.directory(at) {
            return Ok((directory, false));
        }
        let place = self.setup.scripts.place_of(&self.tree(at, name)?);
        place.map(|place| (place, true)).ok_or_else(|| ScriptError::NoHome(name.to_owned()))
    }

    /// The digest of everything in the skill, as it is now.
    fn tree(&self, at: &Location, name: &str) -> Result<String, ScriptError> {
        let tree = self.setup.store.tree(at).map_err(|error| ScriptError::Ground {
            path: PathBuf::from(name),
            source: std::io::Error::other(error),
        })?;
        Ok(digest::hex(&tree.digest()))
    }

    /// What the law and the other active skills say to the call.
    fn rule_script(&self, entry: &Entry, call: &ToolCall) -> Ruling {
        let name = entry.name();
        let mut stack = ActiveStack::default();
        for active in self.stack.iter().filter(|active| active.name != *name) {
            stack.push(active.clone());
        }
        stack.push(ActiveSkill {
            layer: self.setup.catalog.layer(&entry.found).as_str().to_owned(),
            trust: entry.trust.as_str().to_owned(),
            ..ActiveSkill::unrestricted(name.clone())
        });
        self.rule_with(call, &stack)
    }

    /// Records the ruling; an error when the script may not run, or not without being asked about.
    fn permit(&mut self, ready: &Ready, call: &ScriptCall) -> Result<(), ScriptError> {
        let plan = &ready.plan;
        let ruling = plan.ruling.clone();
        self.record_ruling(&ready.call, ruling.clone())?;
        let (skill, script) = (plan.skill.clone(), plan.script.clone());
        let reason = ruling.explanation();
        match ruling.verdict {
            Verdict::Deny => Err(ScriptError::Denied { skill, script, reason }),
            Verdict::Ask if call.trigger == Trigger::Auto && !call.confirmed => {
                Err(ScriptError::Unconfirmed { skill, script, reason })
            }
            Verdict::Ask | Verdict::Allow => Ok(()),
        }
    }

    fn record_started(&mut self, ready: &Ready, call: &ScriptCall) -> Result<(), JournalError> {
        let plan = &ready.plan;
        let mut recorder = Recorder { redactor: &self.setup.redactor, left: MAX_INLINE_BYTES };
        let args = call.words();
        let args = args.iter().map(|arg| recorder.text(&arg.to_string_lossy()));
        let preparation = ready.preparation.as_ref().map(|preparation| {
            let walls = preparation.confinement(&ready.directory, &plan.confinement);
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
    fn perform(&mut self, ready: &Ready, call: &ScriptCall) -> Result<ScriptOutcome, ScriptError> {
        let mut prepared = None;
        let result = self.act_on(ready, call, &mut prepared);
        let result = result.map(|outcome| outcome_of(&ready.plan, call.mode, outcome));
        self.act(|session| session.record_finished(ready, &result, prepared))?;
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
            ground::materialise(&*self.setup.store, &ready.location, &ready.directory)
                .map_err(|source| ScriptError::Ground { path: ready.directory.clone(), source })?;
        }
        let path = ready.directory.join(&plan.script);
        let mut confinement = plan.confinement.clone();
        // Before anything is fetched for it: a wall that cannot be built refuses the run.
        ground.runner.enforceable(&confinement).map_err(|error| not_run(plan, error))?;
        let program = match (&ready.program, &ready.preparation) {
            (Program::Uv(_), Some(preparation)) => {
                let how = (&ground.runner, &ground.cancel, &confinement);
                let prepared = preparation
                    .prepare(&path, &ready.directory, how)
                    .map_err(|error| unprepared(plan, error))?;
                *done = Some(json!({
                    "made": prepared.enforced.is_some(),
                    "enforced": prepared.enforced,
                }));
                confinement.read.extend(prepared.reads);
                prepared.python
            }
            (Program::At(program) | Program::Uv(program), _) => program.clone(),
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

/// The call as policy sees it.
fn tool_call(skill: &str, script: &Script, call: &ScriptCall) -> ToolCall {
    let words: Vec<String> =
        call.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    ToolCall::new("Script", json!({ "skill": skill, "script": script.path, "args": words }))
}

/// Says of an interpreter that is there, but not for a skill nobody approved, how to use it.
fn held_back(error: InterpreterError, ground: &ScriptGround) -> InterpreterError {
    let InterpreterError::Missing { script, programs, install } = error else { return error };
    let there = programs.iter().find_map(|program| ground.find(program));
    let install = there.map_or(install, |path| {
        let shown = path.display();
        format!("`{shown}` is not one of the system's: `metier trust` lets the skill use it")
    });
    InterpreterError::Missing { script, programs, install }
}

/// The walls around a script that is only asked what it does: nothing to reach, little to say.
fn for_help(confined: Confined) -> Confined {
    let mut confinement = confined.confinement;
    confinement.network = Network::Off;
    confinement.limits.stdout = confinement.limits.stdout.min(MAX_HELP_BYTES);
    Confined { confinement, notes: Vec::new() }
}

/// The command as it is shown.
fn command(
    interpreter: &interpreter::Interpreter,
    path: &Path,
    call: &ScriptCall,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = match &interpreter.program {
        Program::At(program) => vec![program.into()],
        Program::Uv(uv) => vec![uv.into(), "run".into(), "--script".into()],
        Program::Itself => Vec::new(),
    };
    words.extend(interpreter.args.iter().cloned());
    words.push(path.into());
    words.extend(call.words());
    words
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
