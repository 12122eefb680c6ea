//! A place of its own for each test: directories, compiled programs, a program that runs things as
//! another user, and what the machine says about processes.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use metier_sandbox::{BackendKind, Confinement, Level, Runner, Scratch};
use serde_json::Value;

/// The user every system has for nobody in particular.
pub(crate) const NOBODY: u32 = 65534;

/// The backends that build walls.
pub(crate) const WALLS: [BackendKind; 3] =
    [BackendKind::LinuxNamespaces, BackendKind::LinuxBubblewrap, BackendKind::LinuxLandlock];

/// The backends that can be exercised here; one that cannot is named, and why.
pub(crate) fn exercised(backends: &[BackendKind]) -> Vec<BackendKind> {
    let support = runner().support();
    let (some, others): (Vec<BackendKind>, Vec<BackendKind>) = backends
        .iter()
        .copied()
        .partition(|kind| *kind != BackendKind::LinuxBubblewrap || support.bubblewrap.is_some());
    for kind in others {
        println!("not exercised: {} (`bwrap` is not installed)", kind.name());
    }
    some
}

/// Every user these tests can be: whoever runs them, and for the superuser also nobody.
pub(crate) fn users() -> Vec<Option<u32>> {
    if is_superuser() { vec![None, Some(NOBODY)] } else { vec![None] }
}

pub(crate) fn is_superuser() -> bool {
    std::fs::read_to_string("/proc/self/status").unwrap().contains("\nUid:\t0\t")
}

pub(crate) struct World {
    directory: tempfile::TempDir,
    user: Option<u32>,
}

impl World {
    pub(crate) fn new(user: Option<u32>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let world = Self { directory, user };
        open_to_all(world.path());
        world.make_directory("base");
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn make_directory(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(&path).unwrap();
        open_to_all(&path);
        self.give(&path);
        path
    }

    pub(crate) fn make_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        std::fs::write(&path, text).unwrap();
        self.give(&path);
        path
    }

    /// A compiled program at a place of this world.
    pub(crate) fn install(&self, program: &Path, name: &str) -> PathBuf {
        let path = self.at(name);
        // By another process: a program that this one has open for writing, and that another test
        // forks with, could not be started.
        let copied = Command::new("cp").arg(program).arg(&path).status();
        assert!(copied.expect("`cp` is there").success());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.give(&path);
        path
    }

    fn give(&self, path: &Path) {
        if let Some(user) = self.user {
            std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
        }
    }

    /// A command that this world's user runs.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// The private directories on disk that are still there.
    pub(crate) fn left_behind(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.at("base")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    pub(crate) fn scratch(&self) -> Scratch {
        Scratch { base: self.at("base"), ..Scratch::default() }
    }

    /// Walls as strong as the system has them, which each test then looks at.
    pub(crate) fn confinement(&self) -> Confinement {
        Confinement {
            level: Level::Prefer,
            read: vec![compiled_directory().to_owned()],
            scratch: Some(self.scratch()),
            ..Confinement::default()
        }
    }
}

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A program that makes runs for requests, as some user.
pub(crate) struct Probe {
    pub(crate) child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Probe {
    pub(crate) fn start(world: &World) -> Self {
        let program = match world.at("probe") {
            installed if installed.exists() => installed,
            _ => world.install(helper(), "probe"),
        };
        Self::from_command(world.command(program))
    }

    pub(crate) fn from_command(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the probe starts");
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, requests, answers }
    }

    pub(crate) fn ask(&mut self, request: &Value) {
        let requests = self.requests.as_mut().unwrap();
        writeln!(requests, "{request}").unwrap();
    }

    pub(crate) fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"))
    }

    /// Bytes of the most memory this program ever had.
    pub(crate) fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    pub(crate) fn run(&mut self, request: &Value) -> Value {
        self.ask(request);
        self.answer()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}

pub(crate) fn helper() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_metier-sandbox-probe"))
}

/// A runner; what it finds out is found out once.
pub(crate) fn runner() -> Runner {
    static RUNNER: OnceLock<Runner> = OnceLock::new();
    RUNNER.get_or_init(|| Runner::new().with_helper(helper())).clone()
}

/// One of the programs beside these tests, compiled once.
pub(crate) fn compiled(name: &str) -> PathBuf {
    compiled_directory().join(name)
}

fn compiled_directory() -> &'static Path {
    static DIRECTORY: OnceLock<tempfile::TempDir> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        open_to_all(directory.path());
        for name in ["escapes", "tree", "bombs"] {
            let source = format!("{}/tests/it/{name}.c", env!("CARGO_MANIFEST_DIR"));
            let output = directory.path().join(name);
            let done = Command::new("cc")
                .args(["-O1", "-w", "-pthread", "-o"])
                .args([output.as_os_str(), source.as_ref()])
                .status();
            assert!(done.expect("a C compiler is there").success());
        }
        directory
    });
    directory.path()
}

/// Processes on the whole machine with this word in their command line.
pub(crate) fn with_word(word: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let text = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&text).split('\0').any(|argument| argument == word)
    })
    .collect()
}

/// Waits until something is so; `false` when it is not so for half a minute.
pub(crate) fn eventually(mut so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
