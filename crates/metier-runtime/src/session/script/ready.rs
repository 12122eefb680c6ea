//! A script looked up and decided on: which file, by which interpreter, behind which walls, and what
//! the law says to it. Does nothing and records nothing.
//!
//! A script of an approved skill does not run where the skill lies: what it reads there when it runs,
//! itself above all, may be another by then. It runs from the copy in metier's keep, which was made
//! when somebody said yes and is looked at again here; where that is gone or spoiled, from one that is
//! made of bytes with the approved digests (`Session::place`). Both are whole trees, so what a script
//! finds beside itself is there, and only metier writes to them. A skill that nobody approved runs where
//! it lies, behind every wall.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_format::SkillName;
use metier_format::manifest::Parts;
use metier_policy::{ActiveSkill, ActiveStack, Ruling, ToolCall};
use metier_sandbox::Network;
use metier_store::catalog::{Entry, Trust, Visibility};
use metier_store::digest::{self, Tree};
use metier_store::scripts::{Script, Scripts};
use metier_store::store::{Location, Skill};
use metier_store::vouch::{Standing, Vouched};
use metier_store::{FileStore, Layer, Root, RootId, Store as _};
use serde_json::json;

use super::{Purpose, Ready};
use crate::event::Trigger;
use crate::limits::{MAX_HELP_BYTES, MAX_SCRIPT_BYTES};
use crate::script::confine::{Circumstances, Confined, confine};
use crate::script::interpreter::{self, InterpreterError, Program};
use crate::script::uv::{self, Preparation, Wanted};
use crate::script::{ScriptCall, ScriptError, ScriptGround, ScriptPlan, Start};
use crate::session::activation::visible_to;
use crate::session::{ActivationError, ContentChanged, Session};

/// What the walls around a project that may be changed do not keep.
const UNMADE: &str = "it may not change the project's `.git`, agents' settings, skills or lockfile, \
    but it could make those that are not there yet";

impl Session {
    /// The skill, when whoever asks may use it. The name is looked at before anything else.
    pub(super) fn usable(&self, name: &str, trigger: Trigger) -> Result<Entry, ScriptError> {
        if SkillName::parse(name).is_err() {
            return Err(ScriptError::InvalidSkill(name.chars().take(64).collect()));
        }
        let entry = self.look_up(name, trigger).map_err(ScriptError::Skill)?;
        if entry.visibility == Visibility::Untrusted && entry.found.standing == Standing::Changed {
            // Said with what differs, unless it has been put right meanwhile.
            self.vouched(&entry).map_err(|changed| ScriptError::Skill(changed.into()))?;
        }
        self.usable_by(&entry, trigger).map_err(ScriptError::Skill)?;
        Ok(entry)
    }

    /// Whether whoever asks may use the skill's scripts: a model those of a skill for people, too,
    /// from the moment a person has started it.
    pub(super) fn usable_by(&self, entry: &Entry, trigger: Trigger) -> Result<(), ActivationError> {
        match visible_to(entry, trigger) {
            Err(ActivationError::NotForModels(_)) if self.is_active(entry.name()) => Ok(()),
            other => other,
        }
    }

    pub(super) fn load_scripts(
        &self,
        entry: &Entry,
        at: &Location,
    ) -> Result<(Skill, Scripts), ScriptError> {
        let skill = self.setup.store.load(at).map_err(|source| {
            ScriptError::Skill(ActivationError::Invalid { name: entry.name().to_string(), source })
        })?;
        let scripts = Scripts::in_store(&*self.setup.store, at, &skill);
        Ok((skill, scripts))
    }

    /// Looks up and decides; does nothing.
    pub(super) fn ready(&self, call: &ScriptCall, purpose: Purpose) -> Result<Ready, ScriptError> {
        let entry = self.usable(&call.skill, call.trigger)?;
        let (skill, scripts) = self.load_scripts(&entry, &entry.location())?;
        let script = scripts.find(&call.script).map_err(|source| {
            let skill = entry.name().to_string();
            ScriptError::Name { skill, source }
        })?;
        self.ready_script(&entry, (&skill, script), call, purpose)
    }

    pub(super) fn ready_script(
        &self,
        entry: &Entry,
        (skill, script): (&Skill, &Script),
        call: &ScriptCall,
        purpose: Purpose,
    ) -> Result<Ready, ScriptError> {
        call.check_args()?;
        let name = entry.name().to_string();
        self.check_active(&name, purpose)?;
        let at = entry.location();
        let read = self.setup.store.read(&at, &script.path, MAX_SCRIPT_BYTES);
        let source = read.map_err(ScriptError::Read)?.bytes;
        let (entry, vouched) = self.still_trusted(entry)?;
        let entry = &entry;
        let strange = vouched.differs_from(skill);
        let strange = strange
            .or_else(|| (!vouched.holds(&script.path, &source)).then(|| script.path.clone()));
        if let Some(path) = strange {
            return Err(ScriptError::Skill(ContentChanged::at(entry, &path).into()));
        }
        let ground = &self.setup.scripts;
        let find = |program: &str| ground.find_for(program, entry.trust);
        let interpreter = interpreter::choose(script, &source, &find)
            .map_err(|error| held_back(error, ground))?;
        let (directory, elsewhere) = self.place(&at, &name, &vouched)?;
        let tool_call = tool_call(&name, script, call);
        let wanted = (&interpreter.program, purpose);
        let preparation = self.preparation((entry, &vouched), (skill, script), wanted)?;
        let reads = match &interpreter.program {
            Program::At(program) => ground.reads(program),
            Program::Uv(..) | Program::Itself => Vec::new(),
        };
        let about = (&skill.manifest.parts, entry.trust, purpose);
        let confined = self.walls(about, (&directory, &reads), call);
        let notes = self.stands_in(entry).into_iter().chain(interpreter.note.clone());
        let notes = notes.chain(confined.notes).collect();
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
            vouched,
            directory,
            elsewhere,
            program: interpreter.program,
            before: interpreter.args,
            preparation,
        })
    }

    /// Whether the skill is active, where the law lets only active skills run scripts. A skill that
    /// is about to be activated is not yet.
    fn check_active(&self, name: &str, purpose: Purpose) -> Result<(), ScriptError> {
        let active = self.active_names().iter().any(|active| active == name);
        match self.setup.policy.scripts().only_active && !active && purpose != Purpose::Pre {
            true => Err(ScriptError::NotActive(name.to_owned())),
            false => Ok(()),
        }
    }

    /// What uv has to do first, for a script that it runs.
    fn preparation(
        &self,
        (entry, vouched): (&Entry, &Vouched),
        (skill, script): (&Skill, &Script),
        (program, purpose): (&Program, Purpose),
    ) -> Result<Option<Preparation>, ScriptError> {
        let Program::Uv(program, metadata) = program else { return Ok(None) };
        let lock = format!("{}.lock", script.path);
        let (law, parts) = (self.setup.policy.scripts(), &skill.manifest.parts);
        let wanted = Wanted {
            uv: program,
            tree: &self.tree(&entry.location(), entry.name().as_str(), vouched)?,
            script: &script.path,
            trust: entry.trust,
            online: purpose != Purpose::Help && uv::may_fetch(law, parts, entry.trust),
            locked: skill.resources.files.iter().any(|file| file.path == lock),
            metadata,
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
        if let Some(project) = written {
            confined.confinement.read.extend(ScriptGround::guarded(project));
            confined.notes.push(UNMADE.to_owned());
        }
        if purpose == Purpose::Help { for_help(confined) } else { confined }
    }

    /// The skill as far as it is trusted now, and what is known about the content it has now.
    fn still_trusted(&self, entry: &Entry) -> Result<(Entry, Vouched), ScriptError> {
        let vouched = self.proved(entry).map_err(|e| ScriptError::Skill(e.into()))?;
        match self.trust_now(entry, &vouched) {
            Trust::Untrusted => {
                let name = entry.name().to_string();
                Err(ScriptError::Skill(ActivationError::NotTrusted(name)))
            }
            trust => Ok((Entry { trust, ..entry.clone() }, vouched)),
        }
    }

    /// Where the skill is run, and whether it has to be put there first.
    fn place(
        &self,
        at: &Location,
        name: &str,
        vouched: &Vouched,
    ) -> Result<(PathBuf, bool), ScriptError> {
        let lies = self.setup.store.directory(at);
        let approved = vouched.files.as_ref().filter(|_| vouched.standing == Standing::Approved);
        match (lies, approved) {
            (Some(directory), None) => return Ok((directory, false)),
            (Some(directory), Some(files)) => {
                let kept = vouched.kept.as_ref();
                if let Some(kept) = kept.filter(|kept| **kept == directory || holds(kept, files)) {
                    return Ok((kept.clone(), false));
                }
            }
            (None, _) => {}
        }
        let place = self.setup.scripts.place_of(&self.tree(at, name, vouched)?);
        place.map(|place| (place, true)).ok_or_else(|| ScriptError::NoHome(name.to_owned()))
    }

    /// The digest of everything in the skill: what was locked or approved, else as it is now.
    pub(super) fn tree(
        &self,
        at: &Location,
        name: &str,
        vouched: &Vouched,
    ) -> Result<String, ScriptError> {
        if let Some(files) = &vouched.files {
            return Ok(digest::hex(&files.digest()));
        }
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
}

/// Whether the tree in `directory` has these files and no others, every byte looked at.
fn holds(directory: &Path, files: &Tree) -> bool {
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
    let found = store.tree(&Location { root: RootId(0), path: Path::new("").into() });
    found.is_ok_and(|found| found.digest() == files.digest())
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

/// The walls around a script that is only asked what it does: nothing to reach, nothing to change,
/// little to say.
fn for_help(confined: Confined) -> Confined {
    let mut confinement = confined.confinement;
    confinement.network = Network::Off;
    confinement.write.clear();
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
        Program::Uv(uv, _) => vec![uv.into(), "run".into(), "--script".into()],
        Program::Itself => Vec::new(),
    };
    words.extend(interpreter.args.iter().cloned());
    words.push(path.into());
    words.extend(call.words());
    words
}
