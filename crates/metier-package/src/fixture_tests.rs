//! Worlds for this crate's tests: a home, a project, and skills fetched from directories.

#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use metier_format::SkillName;
use tempfile::TempDir;

use crate::home::{Home, Place};
use crate::install::{Candidate, Drift, Outcome, Request, install};
use crate::keep::read_tree;
use crate::reference::Bases;
use crate::source::{Locked, Signature, Staged};
use crate::trust::By;
use crate::wanted::Want;
use crate::{ChangeError, remove, rollback};

/// A temporary home, project and source.
pub(crate) struct Ground {
    path: PathBuf,
    pub(crate) home: Home,
    _folder: Option<TempDir>,
}

pub(crate) fn by() -> By {
    By { who: "ada".to_owned(), at: "2031-05-06T07:08:09".to_owned() }
}

/// What short forms are short for: the directory is not where any project is.
pub(crate) fn bases() -> Bases {
    Bases::new("/nowhere")
}

pub(crate) fn name(text: &str) -> SkillName {
    SkillName::parse(text).unwrap()
}

/// The variables by which a test is told to be the process that is killed.
const KILL_IN: &str = "METIER_TEST_KILL_IN";
const KILL_AT: &str = "METIER_TEST_KILL_AT";

/// The ground and the call at which this process is to be killed, when a test started it for that.
pub(crate) fn to_be_killed() -> Option<(Ground, usize)> {
    let (path, at) = (std::env::var(KILL_IN).ok()?, std::env::var(KILL_AT).ok()?);
    Some((Ground::at(Path::new(&path)), at.parse().unwrap()))
}

impl Ground {
    /// Runs the test `itself` in another process, which is killed at its call `at`.
    pub(crate) fn kill(&self, itself: &str, at: usize) {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", itself])
            .env(KILL_IN, self.path())
            .env(KILL_AT, at.to_string())
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!(signal, Some(9), "{itself} was to be killed at {at}");
    }

    pub(crate) fn new() -> Self {
        // Thousands of flushes: in memory where there is such a place.
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = TempDir::with_prefix_in("metier-package-", parent).unwrap();
        Self::at(folder.path()).owning(folder)
    }

    /// The ground that another process made at `path`.
    pub(crate) fn at(path: &Path) -> Self {
        let _ = std::fs::create_dir(path.join("project"));
        Self { path: path.to_owned(), home: Home::new(path.join("home")), _folder: None }
    }

    fn owning(self, folder: TempDir) -> Self {
        Self { _folder: Some(folder), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn project(&self) -> Place {
        Place::Project(self.path().join("project"))
    }

    /// A project whose path is no text: `caf\xe9`, as old file systems have it.
    pub(crate) fn unspellable(&self) -> Place {
        let path = self.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        std::fs::create_dir_all(&path).unwrap();
        Place::Project(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, bytes).unwrap();
        full
    }

    /// A skill as if it had been fetched: version `version` of `skill`.
    pub(crate) fn staged(&self, skill: &str, version: u32) -> Staged {
        let at = format!("fetched/{version}/{skill}");
        let text = format!(
            "---\nname: {skill}\ndescription: Version {version} of {skill}. Use when due.\n---\n\
             Body {version}.\n"
        );
        self.write(&format!("{at}/SKILL.md"), text);
        self.write(&format!("{at}/references/notes.md"), format!("notes {version}\n"));
        let script = self.write(&format!("{at}/scripts/run.sh"), format!("echo {version}\n"));
        std::fs::set_permissions(script, PermissionsExt::from_mode(0o755)).unwrap();
        let directory = self.path().join(at);
        Staged {
            name: name(skill),
            tree: read_tree(&directory).unwrap(),
            directory,
            locked: Locked {
                source: "https://git.example/skills".to_owned(),
                path: format!("skills/{skill}"),
                requested: Some("main".to_owned()),
                commit: Some(format!("{version:040}")),
                signature: Signature::None,
            },
        }
    }

    pub(crate) fn candidate(&self, skill: &str, version: u32) -> Candidate {
        let want = Want {
            source: "https://git.example/skills".to_owned(),
            path: format!("skills/{skill}"),
            requested: Some("main".to_owned()),
        };
        Candidate { staged: self.staged(skill, version), want: Some(want), approved: true }
    }

    pub(crate) fn request<'a>(&'a self, place: &'a Place, by: &'a By) -> Request<'a> {
        Request { home: &self.home, place, act: "add", by, drift: Drift::Refuse }
    }

    pub(crate) fn install(
        &self,
        place: &Place,
        skill: &str,
        version: u32,
    ) -> Result<Outcome, ChangeError> {
        install(&self.request(place, &by()), &[self.candidate(skill, version)])
    }

    pub(crate) fn remove(&self, place: &Place, skill: &str) -> Result<Outcome, ChangeError> {
        remove(&self.request(place, &by()), &[name(skill)])
    }

    pub(crate) fn rollback(&self, place: &Place, skill: &str) -> Result<Outcome, ChangeError> {
        rollback(&self.request(place, &by()), &name(skill), &[])
    }

    /// The text of a file, below the ground; empty when there is none.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_default()
    }

    /// The version of a skill that a reader finds, by its body; none when it is not there. Fails
    /// when what is there is not one version whole.
    pub(crate) fn version(&self, place: &Place, skill: &str) -> Option<u32> {
        let directory = place.directory(&self.home, skill);
        if !directory.join("SKILL.md").exists() {
            assert!(!directory.exists(), "{skill} is there without its SKILL.md");
            return None;
        }
        let found = read_tree(&directory).unwrap();
        let text = std::fs::read_to_string(directory.join("SKILL.md")).unwrap();
        let version = text.rsplit_once("Body ").unwrap().1.trim_end_matches(".\n").parse().unwrap();
        let right = self.staged(skill, version).tree;
        assert_eq!(found.digest(), right.digest(), "{skill} is neither version {version} nor none");
        Some(version)
    }
}
