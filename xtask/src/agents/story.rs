//! What an agent goes through, and what must be true of it then. Each point has a letter:
//!
//! | | |
//! |---|---|
//! | a | a skill is activated the agent's own ways, and the journal says so |
//! | b | a call outside the skill's tools does not happen, and the model is told why |
//! | c | a call inside them happens |
//! | d | the same in the agent's most permissive mode, and in a sub-agent |
//! | e | before any skill nothing is restricted |
//! | f | `unlink --hooks` restores the settings, and the agent is as free as before |
//! | g | the agent starts metier's MCP server and offers its tools |
//! | h | without the program in its settings the agent does nothing |
//!
//! A story's words are the same for every agent; start at [`tell`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::agent::{Act, Agent, Mode, Opening, Start};
use super::install::Tools;
use super::model::{Model, mark};
use super::world::{Run, World};

/// The letters, in order.
pub(super) const POINTS: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/// What was found out about one agent.
pub(super) struct Findings {
    /// How many checks each point had.
    pub(super) checks: BTreeMap<char, usize>,
    /// What does not hold.
    pub(super) faults: Vec<(char, String)>,
    /// How long its runs took.
    pub(super) took: Duration,
}

/// The reason a model gets, whatever the agent puts around it.
const REASON: &str = "metier: skill `";

/// Runs `agent` through everything in a world made in `root`.
pub(super) fn tell(agent: Agent, tools: &Tools, root: PathBuf) -> Result<Findings, String> {
    let world = World::new(root)?;
    let model = Model::start(agent.api(), &world.log("requests.log"))?;
    let mut telling = Telling {
        agent,
        tools,
        world: &world,
        model: &model,
        findings: Findings { checks: BTreeMap::new(), faults: Vec::new(), took: Duration::ZERO },
    };
    telling.all()?;
    Ok(telling.findings)
}

struct Telling<'a> {
    agent: Agent,
    tools: &'a Tools,
    world: &'a World,
    model: &'a Model,
    findings: Findings,
}

impl Telling<'_> {
    fn all(&mut self) -> Result<(), String> {
        let settings = self.agent.settings(self.world, self.model.port);
        for (path, text) in &settings {
            self.world.write(path, text)?;
        }
        self.prepare()?;
        self.is_the_version()?;
        self.link_and_unlink(&settings)?;
        self.world.metier(&["link", self.agent.id(), "--hooks"])?;
        self.usual()?;
        self.again()?;
        self.free()?;
        self.helped_again()?;
        self.spoken()?;
        self.served()?;
        self.twins()?;
        self.gone()?;
        self.world.metier(&["unlink", self.agent.id(), "--hooks"])?;
        self.check_restored(&settings);
        self.after()
    }

    /// opencode wants its plugin library beside any plugin, and would fetch it.
    fn prepare(&self) -> Result<(), String> {
        if self.agent != Agent::Opencode {
            return Ok(());
        }
        let (from, to) = (self.tools.opencode_plugin(), self.world.home().join(".config/opencode"));
        for name in ["package.json", "package-lock.json"] {
            let text = crate::source::read(&from.join(name))?;
            self.world.write(&to.join(name), &text)?;
        }
        std::os::unix::fs::symlink(from.join("node_modules"), to.join("node_modules"))
            .map_err(|error| error.to_string())
    }

    fn is_the_version(&self) -> Result<(), String> {
        let mut command = self.agent.program(self.world, self.tools);
        command.arg("--version");
        let run = self.world.run(command, "version")?;
        let version = self.agent.version();
        let says = run.output.split_whitespace().any(|word| word == version);
        says.then_some(()).ok_or(format!("this is not version {version}: {}", run.output))
    }

    /// Settings that no agent has touched since come back byte for byte.
    fn link_and_unlink(&mut self, settings: &[(PathBuf, String)]) -> Result<(), String> {
        self.world.metier(&["link", self.agent.id(), "--hooks"])?;
        let changed = settings.iter().all(|(path, text)| read(path).as_ref() != Some(text));
        self.check('f', changed, "every file of settings is changed by `link --hooks`");
        self.world.metier(&["unlink", self.agent.id(), "--hooks"])?;
        for (path, text) in settings {
            let same = read(path).as_ref() == Some(text);
            self.check('f', same, format!("`{}` is what it was", path.display()));
        }
        Ok(())
    }

    fn usual(&mut self) -> Result<(), String> {
        let acts = [
            Act::Shell("touch before"),
            Act::Skill("gitty"),
            Act::Shell("git init --quiet inside"),
            Act::Shell("touch outside"),
            Act::Shell("git status && touch chained"),
            Act::Write("written"),
        ];
        self.run("usual", Mode::Usual, &acts)?;
        self.happened('e', "before");
        self.activated('a', "gitty", "auto");
        self.happened('c', "inside");
        self.denied('b', "usual", 3, "outside");
        self.denied('b', "usual", 4, "chained");
        self.denied('b', "usual", 5, "written");
        Ok(())
    }

    fn free(&mut self) -> Result<(), String> {
        let mut helper = vec![
            Act::Shell("git init --quiet helper-inside"),
            Act::Shell("touch helper-outside"),
            Act::Write("helper-written"),
        ];
        if self.agent == Agent::Gemini {
            helper.push(Act::Finish);
        }
        self.learn("helper", &helper);
        let mut acts =
            vec![Act::Skill("teamy"), Act::Shell("touch free-outside"), Act::Write("free-written")];
        if self.agent == Agent::Codex {
            acts.push(Act::Search("spawn agent wait"));
        }
        acts.push(Act::Helper(format!("Help. {}", mark("helper"))));
        if self.agent == Agent::Codex {
            acts.push(Act::Await);
        }
        acts.push(Act::Shell("git init --quiet free-inside"));
        self.run("free", Mode::Free, &acts)?;
        if self.agent == Agent::Gemini {
            let result = self.model.results("free").get(3).cloned().unwrap_or_default();
            let helped = result.contains("Helped.");
            self.check('d', helped, format!("a sub-agent can say that it is done: {result}"));
        }
        self.activated('d', "teamy", "auto");
        self.denied('d', "free", 1, "free-outside");
        self.denied('d', "free", 2, "free-written");
        self.happened('d', "free-inside");
        self.happened('d', "helper-inside");
        self.denied('d', "helper", 1, "helper-outside");
        self.denied('d', "helper", 2, "helper-written");
        Ok(())
    }

    /// The conversation goes on in a new process. Where the agent itself lets go of a skill at the
    /// next prompt there is no restriction left; where the skill is still in the conversation, it is.
    fn again(&mut self) -> Result<(), String> {
        self.learn("again", &[Act::Shell("touch again")]);
        self.go("again", Mode::Usual, Opening::Again)?;
        match self.agent {
            Agent::Claude | Agent::Codex => self.happened('e', "again"),
            Agent::Gemini | Agent::Opencode => self.denied('b', "again", 0, "again"),
        }
        Ok(())
    }

    /// A user asks for the skill by name.
    fn spoken(&mut self) -> Result<(), String> {
        self.learn("spoken", &[Act::Shell("touch spoken")]);
        self.go("spoken", Mode::Free, Opening::Skill("spoken"))?;
        self.activated('a', "spoken", "manual");
        self.denied('b', "spoken", 0, "spoken");
        Ok(())
    }

    /// A sub-agent of an earlier process goes on, where an agent can do that.
    fn helped_again(&mut self) -> Result<(), String> {
        if self.agent != Agent::Opencode {
            return Ok(());
        }
        self.learn("helped", &[Act::Shell("touch helped")]);
        self.learn("later", &[Act::HelperAgain(format!("Help. {}", mark("helped")))]);
        self.go("later", Mode::Free, Opening::Again)?;
        self.denied('d', "helped", 0, "helped");
        Ok(())
    }

    /// A repository brings a skill under the name of the user's own, in a directory called otherwise.
    /// These agents go by the name in the file, so the agent would load another than metier means.
    fn twins(&mut self) -> Result<(), String> {
        if !matches!(self.agent, Agent::Gemini | Agent::Opencode) {
            return Ok(());
        }
        let (home, project) = (self.world.home(), self.world.project());
        for (directory, whose) in
            [(home.join(".agents/skills/twin"), "own"), (project.join(".agents/skills/x"), "other")]
        {
            let body = format!("This is the {whose} twin.");
            self.world.write_skill(&directory, ("twin", "Bash(git:*)"), &body)?;
        }
        self.run("twins", Mode::Free, &[Act::Skill("twin")])?;
        let told = self.model.results("twins").concat();
        let refused = told.contains("two skills are called") && !told.contains("This is the");
        self.check('a', refused, format!("a name with two skills is refused: {told}"));
        Ok(())
    }

    /// The model finds metier's MCP server, and activates a skill through it.
    fn served(&mut self) -> Result<(), String> {
        let mut acts = Vec::new();
        if self.agent == Agent::Codex {
            acts.push(Act::Search("skill activate"));
        }
        acts.extend([Act::Served("gitty"), Act::Shell("touch served")]);
        let at = acts.len() - 1;
        self.run("served", Mode::Free, &acts)?;
        let results = self.model.results("served");
        let listed = match self.agent {
            Agent::Codex => results.first().is_some_and(|found| found.contains("skill_activate")),
            _ => self.model.was_offered("served", "skill_activate"),
        };
        self.check('g', listed, "the tools of metier's MCP server are offered to the model");
        let body = results.get(at - 1).is_some_and(|text| text.contains("Work with git."));
        self.check('g', body, format!("its answer reaches the model: {:?}", results.get(at - 1)));
        self.denied('g', "served", at, "served");
        Ok(())
    }

    /// The program in the agent's settings is gone.
    fn gone(&mut self) -> Result<(), String> {
        self.world.lose_metier()?;
        self.learn("gone", &[Act::Shell("touch gone")]);
        let ended = self.start("gone", Mode::Free, Opening::New);
        self.world.lend_metier()?;
        ended?;
        self.check('h', !self.world.has("gone"), "`gone` was not made");
        Ok(())
    }

    /// Metier is out of the settings: what the agent wrote into them itself stays.
    fn check_restored(&mut self, settings: &[(PathBuf, String)]) {
        for (path, text) in settings {
            let now = read(path).unwrap_or_default();
            let of_the_agents_own = path.ends_with(".claude.json");
            let good = if of_the_agents_own { !now.contains("metier") } else { now == *text };
            self.check('f', good, format!("`{}` is without metier: {now}", path.display()));
        }
    }

    fn after(&mut self) -> Result<(), String> {
        let before = self.world.frames();
        let acts = [Act::Skill("gitty"), Act::Shell("touch after"), Act::Write("after-written")];
        self.run("after", Mode::Free, &acts)?;
        self.happened('f', "after");
        self.happened('f', "after-written");
        let same = before == self.world.frames();
        self.check('f', same, "the journal has nothing new");
        Ok(())
    }

    fn learn(&self, script: &str, acts: &[Act]) {
        let calls = acts.iter().map(|act| self.agent.spell(act, self.world));
        self.model.learn(script, calls.collect());
    }

    /// Runs the agent with a model that does `acts`, which has to end well.
    fn run(&mut self, script: &str, mode: Mode, acts: &[Act]) -> Result<(), String> {
        self.learn(script, acts);
        self.go(script, mode, Opening::New)?;
        let (wanted, told) = (acts.len(), self.model.results(script).len());
        let all = wanted == told;
        let point = if script == "usual" { 'e' } else { 'd' };
        self.check(point, all, format!("`{script}`: {told} of {wanted} results came to the model"));
        Ok(())
    }

    fn go(&mut self, script: &str, mode: Mode, opening: Opening) -> Result<(), String> {
        let run = self.start(script, mode, opening)?;
        match run.status.success() && self.model.requests(script) > 0 {
            true => Ok(()),
            false => Err(format!("`{script}` ended with {}: {}", run.status, run.output)),
        }
    }

    /// Runs the agent, however that ends.
    fn start(&mut self, script: &str, mode: Mode, opening: Opening) -> Result<Run, String> {
        let program = self.agent.program(self.world, self.tools);
        let prompt = format!("Do it. {}", mark(script));
        let start = Start { mode, opening, prompt: &prompt, port: self.model.port };
        let run = self.world.run(self.agent.start(program, &start), script)?;
        self.findings.took += run.took;
        Ok(run)
    }

    fn happened(&mut self, point: char, name: &str) {
        self.check(point, self.world.has(name), format!("`{name}` was made"));
    }

    /// What the call number `at` of a script would have made is not there, and the model knows why.
    fn denied(&mut self, point: char, script: &str, at: usize, name: &str) {
        self.check(point, !self.world.has(name), format!("`{name}` was not made"));
        let told = self.model.results(script).get(at).cloned().unwrap_or_default();
        let reason = told.contains(REASON);
        self.check(point, reason, format!("the model is told why `{name}` was not made: {told:?}"));
    }

    /// The journal says that this skill was activated, and by whom.
    fn activated(&mut self, point: char, skill: &str, mode: &str) {
        let prefix = format!("{}.", self.agent.id());
        let frames = self.world.frames();
        let mut frames = frames.iter().filter(|(session, _)| session.starts_with(&prefix));
        let activated = frames.any(|(_, frames)| {
            let has = |kind: &str, field: &str, value: &str| {
                frames.iter().any(|frame| {
                    frame["type"] == kind
                        && frame["payload"]["name"] == skill
                        && (field.is_empty() || frame["payload"][field] == value)
                })
            };
            has("skill_invoked", "mode", mode) && has("skill_activated", "", "")
        });
        self.check(point, activated, format!("the journal has `{skill}` activated ({mode})"));
    }

    fn check(&mut self, point: char, holds: bool, what: impl Into<String>) {
        *self.findings.checks.entry(point).or_default() += 1;
        if !holds {
            self.findings.faults.push((point, what.into()));
        }
    }
}

fn read(path: &std::path::Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
