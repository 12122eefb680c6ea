//! A throw-away machine for one agent: a home with skills and settings, a project, a metier of its
//! own, and runs of the agent that always end.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::install::Tools;
use super::model::mark;
use crate::{process, source};

/// How long one run of an agent may take; the slowest one takes a tenth on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A skill that may use git and nothing else, one that may start helpers besides, and one that names
/// the script it belongs to, since not every agent passes on what a user says beside its name.
const SKILLS: &[(&str, &str, &str)] = &[
    ("gitty", "Bash(git:*)", ""),
    ("teamy", "Bash(git:*) Task", ""),
    ("spoken", "Bash(git:*)", "spoken"),
];

/// Where agents look for a user's skills; the copies are the same.
const ROOTS: &[&str] = &[".claude/skills", ".agents/skills"];

/// One machine.
pub(super) struct World {
    root: PathBuf,
}

/// How a run of an agent ended.
pub(super) struct Run {
    /// The exit status.
    pub(super) status: ExitStatus,
    /// What it printed on both streams.
    pub(super) output: String,
    /// How long it took.
    pub(super) took: Duration,
}

impl World {
    /// A fresh one in `root`.
    pub(super) fn new(root: PathBuf) -> Result<Self, String> {
        let world = Self { root };
        for directory in [world.home(), world.project(), world.root.join("tmp"), world.bin()] {
            std::fs::create_dir_all(&directory).map_err(|error| at(&directory, &error))?;
        }
        for root in ROOTS {
            for (name, tools, script) in SKILLS {
                let named = if script.is_empty() { String::new() } else { mark(script) };
                let body = format!("Work with git. {named}");
                world.write_skill(&world.home().join(root).join(name), (name, tools), &body)?;
            }
        }
        world.lend_metier()?;
        process::output("git", &["init", "--quiet", &world.project().to_string_lossy()])?;
        Ok(world)
    }

    /// Writes the skill called `name`, which may use `tools`, into `directory`.
    pub(super) fn write_skill(
        &self,
        directory: &Path,
        (name, tools): (&str, &str),
        body: &str,
    ) -> Result<(), String> {
        let text = format!(
            "---\nname: {name}\ndescription: Works with git. Use for commits.\n\
             allowed-tools: {tools}\n---\n\n{body}\n"
        );
        self.write(&directory.join("SKILL.md"), &text)
    }

    /// The user's home.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where the agent works.
    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A file for whoever has to find out what went wrong.
    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Puts the metier that was built where the agent's settings will name it.
    pub(super) fn lend_metier(&self) -> Result<(), String> {
        let built = source::root().join("target/debug/metier");
        let lent = self.metier_path();
        std::fs::hard_link(&built, &lent)
            .or_else(|_| std::fs::copy(&built, &lent).map(|_| ()))
            .map_err(|error| at(&lent, &error))
    }

    /// Takes it away.
    pub(super) fn lose_metier(&self) -> Result<(), String> {
        std::fs::remove_file(self.metier_path()).map_err(|error| at(&self.metier_path(), &error))
    }

    /// Runs `metier`, which has to succeed.
    pub(super) fn metier(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = self.command(&self.metier_path(), &[]);
        let output = command.args(arguments).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.success() {
            true => Ok(text),
            false => {
                let error = String::from_utf8_lossy(&output.stderr);
                Err(format!("`metier {}` failed: {text}{error}", arguments.join(" ")))
            }
        }
    }

    /// Writes a file and the directories above it.
    pub(super) fn write(&self, path: &Path, text: &str) -> Result<(), String> {
        let parent = path.parent().unwrap_or(path);
        std::fs::create_dir_all(parent).map_err(|error| at(parent, &error))?;
        std::fs::write(path, text).map_err(|error| at(path, &error))
    }

    /// Whether something is in the project under this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.project().join(name).symlink_metadata().is_ok()
    }

    /// A program with nothing of this machine's user around it. No agent finds a way out of the
    /// machine either: whoever honours a proxy is told that there is none.
    pub(super) fn command(&self, program: &Path, path: &[PathBuf]) -> Command {
        let mut command = Command::new(program);
        let mut directories: Vec<String> =
            path.iter().map(|directory| directory.display().to_string()).collect();
        directories.extend(["/usr/local/bin".to_owned(), "/usr/bin".to_owned(), "/bin".to_owned()]);
        command.env_clear().current_dir(self.project()).env("PATH", directories.join(":"));
        command.env("HOME", self.home()).env("TMPDIR", self.root.join("tmp"));
        command.envs([("LANG", "C.UTF-8"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("CI", "1")]);
        command.envs([("HTTPS_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "127.0.0.1,localhost")]);
        command
    }

    /// Runs an agent to its end, or ends it and whatever it started when it takes too long.
    pub(super) fn run(&self, mut command: Command, name: &str) -> Result<Run, String> {
        let path = self.log(&format!("{name}.log"));
        let log = File::create(&path).map_err(|error| at(&path, &error))?;
        let both = log.try_clone().map_err(|error| at(&path, &error))?;
        command.stdin(Stdio::null()).stdout(log).stderr(both).process_group(0);
        let started = Instant::now();
        let mut child =
            command.spawn().map_err(|error| format!("cannot start `{name}`: {error}"))?;
        let status = wait(&mut child, started);
        let output =
            String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        match status? {
            Some(status) => Ok(Run { status, output, took: started.elapsed() }),
            None => Err(format!("`{name}` did not end in {PATIENCE:?}; it printed:\n{output}")),
        }
    }

    /// Every frame of every session, by session.
    pub(super) fn frames(&self) -> BTreeMap<String, Vec<Value>> {
        let mut found = BTreeMap::new();
        let sessions = self.home().join(".local/share/metier/sessions");
        for file in std::fs::read_dir(sessions).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(session) = name.strip_suffix(".jsonl") else { continue };
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            let frames = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            found.insert(session.to_owned(), frames.collect());
        }
        found
    }

    fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    fn metier_path(&self) -> PathBuf {
        self.bin().join("metier")
    }
}

/// Waits until the child has ended, or its time has; then it is ended with its whole group.
fn wait(child: &mut Child, started: Instant) -> Result<Option<ExitStatus>, String> {
    loop {
        let status = child.try_wait().map_err(|error| error.to_string())?;
        if status.is_some() {
            return Ok(status);
        }
        if started.elapsed() > PATIENCE {
            let group = format!("-{}", child.id());
            process::succeeds("kill", &["-KILL", "--", &group]);
            child.wait().map_err(|error| error.to_string())?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The directories of programs that agents look for.
pub(super) fn path_of(tools: &Tools) -> Vec<PathBuf> {
    let node = tools.node();
    vec![node.parent().unwrap_or(&node).to_owned(), tools.ripgrep()]
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("`{}`: {error}", path.display())
}
