//! A temporary directory that is the whole world of one test.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A temporary world: `home/` is the user's home, `project/` the working directory.
pub struct World {
    directory: TempDir,
    env: Vec<(String, String)>,
}

/// What a run of the binary gave.
#[derive(Debug)]
pub struct Run {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; 128 plus the signal when one ended it.
    pub code: i32,
}

impl World {
    /// An empty world.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "making a directory is not a default")]
    pub fn new() -> Self {
        let directory = TempDir::with_prefix("metier-test-").expect("a temporary directory");
        let world = Self { directory, env: Vec::new() };
        std::fs::create_dir_all(world.home()).expect("home");
        std::fs::create_dir_all(world.project()).expect("project");
        world
    }

    /// The world's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The user's home in this world.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// The working directory of runs in this world.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    /// Writes `bytes` to `path` below the world, making directories as needed.
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path().join(path);
        let parent = full.parent().expect("a file has a parent");
        std::fs::create_dir_all(parent).expect("parent directory");
        std::fs::write(&full, bytes).expect("write fixture");
        full
    }

    /// Writes a small valid skill to `root/name/SKILL.md` and returns its directory.
    pub fn skill(&self, root: impl AsRef<Path>, name: &str, description: &str) -> PathBuf {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n");
        let file = self.write(root.as_ref().join(name).join("SKILL.md"), text);
        file.parent().expect("a skill has a directory").to_owned()
    }

    /// Sets a variable for every later run.
    pub fn env(&mut self, key: &str, value: &str) {
        self.env.push((key.to_owned(), value.to_owned()));
    }

    /// A command for `binary` in this world: the project as working directory, nothing of the
    /// machine's environment but a home of its own and a fixed path.
    #[must_use]
    pub fn command(&self, binary: &str) -> Command {
        let mut command = Command::new(binary);
        command.current_dir(self.project()).env_clear().env("HOME", self.home());
        command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        command
    }

    /// Runs `binary` with `args` and waits for it.
    pub fn run(&self, binary: &str, args: &[&str]) -> Run {
        // A program that was just written is busy while another test's child still has the file open.
        let output = loop {
            match self.command(binary).args(args).output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                    std::thread::yield_now();
                }
                output => break output.expect("start the binary"),
            }
        };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().unwrap_or_else(|| {
            use std::os::unix::process::ExitStatusExt;
            128 + output.status.signal().unwrap_or(0)
        });
        Run { stdout: text(output.stdout), stderr: text(output.stderr), code }
    }

    /// `text` with the world's own directory written as `[WORLD]`, for snapshots.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let real = self.path().canonicalize().expect("the world exists");
        text.replace(&*real.to_string_lossy(), "[WORLD]")
            .replace(&*self.path().to_string_lossy(), "[WORLD]")
    }
}

impl Run {
    /// Standard output as one JSON document.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("not one JSON document ({error}):\n{}\n{}", self.stdout, self.stderr)
        })
    }
}
