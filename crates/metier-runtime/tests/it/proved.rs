//! What was approved is what is used: the very bytes that were read are held against it. Whoever
//! vouches here is who changes the files, too: right while it looks, wrong at any other time. Nothing
//! waits for a lucky moment.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use metier_format::SkillName;
use metier_runtime::script::{ScriptCall, ScriptError, Start};
use metier_runtime::session::{ActivationError, ContentChanged, ResourceError};
use metier_runtime::{ScriptGround, Session};
use metier_sandbox::Runner;
use metier_store::digest::{Tree, hex};
use metier_store::discover::ScanLimits;
use metier_store::store::Location;
use metier_store::vouch::{Depth, Standing, Vouch, Vouched};
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, RootId, Selection, Store as _};

use crate::ground::{by_hand, journal, setup, skill};

/// What is done to a skill: a path in it, and bytes, for [`LINK`] what it leads to; none take the file
/// away.
type Deeds = Vec<(&'static str, Option<Vec<u8>>)>;

/// The one link of the skill.
const LINK: &str = "link.md";

/// Somebody who said yes to a tree, and whose look at it falls into the moment when it is right.
struct Toggling {
    skill: PathBuf,
    approved: String,
    /// A copy of what was approved, where there is one.
    kept: Option<PathBuf>,
    /// What is there at every other moment, and what was there.
    evil: Mutex<(Deeds, Deeds)>,
    /// How often every byte was asked for.
    looks: Mutex<u32>,
}

impl Vouch for Toggling {
    fn vouch(&self, _name: &SkillName, directory: &Path, depth: Depth) -> Vouched {
        let (evil, good) = &*self.evil.lock().unwrap();
        apply(&self.skill, good);
        let tree = tree(directory);
        apply(&self.skill, evil);
        let right = hex(&tree.digest()) == self.approved;
        let by_bytes = right && depth == Depth::Bytes;
        *self.looks.lock().unwrap() += u32::from(depth == Depth::Bytes);
        Vouched {
            standing: if right { Standing::Approved } else { Standing::Changed },
            tree: Some(self.approved.clone()),
            files: by_bytes.then(|| Arc::new(tree)),
            kept: self.kept.clone().filter(|_| by_bytes),
            ..Vouched::default()
        }
    }
}

fn apply(skill: &Path, deeds: &Deeds) {
    for (name, bytes) in deeds {
        let path = skill.join(name);
        match bytes {
            Some(target) if *name == LINK => {
                std::fs::remove_file(&path).unwrap();
                symlink(OsStr::from_bytes(target), path).unwrap();
            }
            // Where it is, so that nothing but the bytes changes.
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None => drop(std::fs::remove_file(path)),
        }
    }
}

fn tree(directory: &Path) -> Tree {
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
    store.tree(&Location { root: RootId(0), path: Path::new("").into() }).unwrap()
}

/// A skill `tool` that says GOOD wherever it is looked at.
struct Scene {
    directory: tempfile::TempDir,
}

const SCRIPT: &str = ". \"${0%/*}/lib.sh\"\ncat \"${0%/*}/../references/a.md\"\necho GOOD\n";

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let scene = Self { directory };
        for folder in ["scripts", "references"] {
            std::fs::create_dir_all(scene.skill().join(folder)).unwrap();
        }
        let text = String::from_utf8(skill("tool", "")).unwrap() + "GOOD\n";
        let files: [(&str, &str); 5] = [
            ("SKILL.md", &text),
            ("references/a.md", "reference GOOD\n"),
            ("references/b.md", "another GOOD\n"),
            ("scripts/lib.sh", "echo library GOOD\n"),
            ("scripts/run.sh", SCRIPT),
        ];
        for (path, text) in files {
            std::fs::write(scene.skill().join(path), text).unwrap();
        }
        symlink("references/a.md", scene.skill().join("link.md")).unwrap();
        scene
    }

    fn skill(&self) -> PathBuf {
        self.directory.path().join("skills/tool")
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A copy of the skill as it is now.
    fn keep(&self) -> PathBuf {
        let kept = self.directory.path().join("kept");
        for folder in ["", "scripts", "references"] {
            std::fs::create_dir_all(kept.join(folder)).unwrap();
        }
        for file in tree(&self.skill()).files() {
            let path = std::str::from_utf8(&file.path).unwrap();
            match path {
                LINK => symlink("references/a.md", kept.join(path)).unwrap(),
                _ => drop(std::fs::copy(self.skill().join(path), kept.join(path)).unwrap()),
            }
        }
        kept
    }

    /// These deeds, with the bytes in every file they name saying EVIL where it says GOOD.
    fn evil(&self, paths: &[&'static str]) -> Deeds {
        let text = |path: &str| std::fs::read_to_string(self.skill().join(path)).unwrap();
        paths.iter().map(|path| (*path, Some(text(path).replace("GOOD", "EVIL").into()))).collect()
    }

    /// Somebody who said yes to what is there now; from now on these deeds are done.
    fn approve(&self, kept: Option<PathBuf>, evil: Deeds) -> Arc<Toggling> {
        let approved = hex(&tree(&self.skill()).digest());
        let undo = |(path, _): &(&'static str, _)| {
            let place = self.skill().join(path);
            let link = std::fs::read_link(&place).map(|to| to.into_os_string().into_vec());
            (*path, link.or_else(|_| std::fs::read(place)).ok())
        };
        let good: Deeds = evil.iter().map(undo).collect();
        apply(&self.skill(), &evil);
        let (evil, looks) = (Mutex::new((evil, good)), Mutex::new(0));
        Arc::new(Toggling { skill: self.skill(), approved, kept, evil, looks })
    }

    fn session(&self, vouch: &Arc<Toggling>, home: bool) -> Session {
        let root = Root::given(Layer::Personal, self.directory.path().join("skills"));
        let store = FileStore::new(vec![root]);
        let discovery = store.discover(&ScanLimits::default());
        let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
        let mut setup = setup();
        setup.store = Arc::new(store);
        setup.catalog = Arc::new(catalog);
        setup.vouch = Arc::clone(vouch) as Arc<dyn Vouch>;
        setup.scripts = ScriptGround {
            runner: Runner::new().with_helper(crate::script::helper()),
            home: home.then(|| self.home()),
            ..ScriptGround::default()
        };
        Session::open(setup, Box::new(journal())).unwrap()
    }
}

fn run(session: &mut Session) -> Result<String, ScriptError> {
    let call = ScriptCall { start: Start::Skill, ..ScriptCall::new("tool", "run") };
    let outcome = session.run(&call)?;
    assert_eq!(outcome.failure, None);
    Ok(String::from_utf8(outcome.stdout.bytes).unwrap())
}

const WHOLE: &str = "library GOOD\nreference GOOD\nGOOD\n";

#[test]
fn an_approved_skill_is_activated_read_and_run_as_it_was() {
    // P4, S1, R1, R3
    let scene = Scene::new();
    let vouch = scene.approve(Some(scene.keep()), Vec::new());
    let mut session = scene.session(&vouch, true);
    let activation = by_hand(&mut session, "tool").unwrap();
    assert!(activation.body.ends_with("GOOD\n"));
    assert_eq!((activation.trust, activation.notice), ("approved", None));
    assert_eq!(activation.base_path, scene.skill().to_string_lossy());
    let listed =
        ["link.md", "references/a.md", "references/b.md", "scripts/lib.sh", "scripts/run.sh"];
    assert_eq!(activation.resources, listed);
    for path in ["references/a.md", "link.md", "./references/./a.md"] {
        let read = session.read("tool", path, 1000).unwrap();
        assert_eq!(read.bytes, b"reference GOOD\n", "{path}");
    }
    assert_eq!(run(&mut session).unwrap(), WHOLE);
    let help = session.script_help("tool", "run", metier_runtime::event::Trigger::Manual).unwrap();
    assert_eq!(help.text, WHOLE);
}

#[test]
fn a_file_that_is_right_only_while_it_is_proved_is_never_used() {
    // P4, S1, R1, R3
    let scene = Scene::new();
    let check = |path: &'static str, evil: Deeds, ask: &dyn Fn(&mut Session) -> ContentChanged| {
        let vouch = scene.approve(Some(scene.directory.path().join("none")), evil);
        let mut session = scene.session(&vouch, true);
        let changed = ask(&mut session);
        assert_eq!(
            (changed.name.as_str(), changed.differences),
            ("tool", vec![format!("changed {path}")])
        );
        assert!(session.state().stack.is_empty());
        apply(&scene.skill(), &vouch.evil.lock().unwrap().1);
    };
    let activate = |session: &mut Session| match by_hand(session, "tool").unwrap_err() {
        ActivationError::Changed(changed) => changed,
        other => panic!("{other}"),
    };
    let read = |session: &mut Session| match session.read("tool", "link.md", 1000).unwrap_err() {
        ResourceError::Changed(changed) => changed,
        other => panic!("{other}"),
    };
    let ran = |session: &mut Session| match run(session).unwrap_err() {
        ScriptError::Skill(ActivationError::Changed(changed)) => changed,
        other => panic!("{other}"),
    };
    check("SKILL.md", scene.evil(&["SKILL.md"]), &activate);
    check("SKILL.md", scene.evil(&["SKILL.md"]), &ran);
    check("scripts/run.sh", scene.evil(&["scripts/run.sh"]), &ran);
    check("link.md", scene.evil(&["references/a.md"]), &read);
    // To another file that was approved, but not for this place.
    check(LINK, vec![(LINK, Some(b"references/b.md".to_vec()))], &read);
    let added = || vec![("scripts/evil.sh", Some(b"echo EVIL\n".to_vec()))];
    check("scripts/evil.sh", added(), &activate);
    check("scripts/evil.sh", added(), &ran);
    check("scripts/lib.sh", vec![("scripts/lib.sh", None)], &activate);
}

#[test]
fn bytes_that_change_under_stamps_that_stay_are_not_handed_out() {
    // P4, R1
    let scene = Scene::new();
    let vouch = scene.approve(None, scene.evil(&["references/a.md"]));
    let mut session = scene.session(&vouch, true);
    for round in 0..3 {
        // Stamps say that all is well, every time.
        let error = session.read("tool", "references/a.md", 1000).unwrap_err();
        assert_eq!(error.code(), "skill_changed", "{round}");
        assert_eq!(session.read("tool", "references/b.md", 1000).unwrap().bytes, b"another GOOD\n");
    }
    assert_eq!(*vouch.looks.lock().unwrap(), 1, "the whole skill is read once");
}

#[test]
fn what_an_approved_script_reads_while_it_runs_is_what_was_approved() {
    // P4, R3, R6
    let scene = Scene::new();
    // The script itself is right whenever it is read; what lies beside it never is but when proved.
    let (kept, evil) = (scene.keep(), scene.evil(&["scripts/lib.sh", "references/a.md"]));
    let vouch = scene.approve(Some(kept.clone()), evil);
    let mut session = scene.session(&vouch, true);
    assert_eq!(run(&mut session).unwrap(), WHOLE);
    let plan = session.plan_script(&ScriptCall::new("tool", "run")).unwrap();
    assert_eq!(plan.cwd, Some(kept.join("scripts")));
    assert!(
        plan.confinement.read.contains(&kept) && !plan.confinement.read.contains(&scene.skill())
    );
    assert!(!scene.home().join("bundled").exists(), "nothing was copied");
    apply(&scene.skill(), &vouch.evil.lock().unwrap().1);
    // Where the skill's own directory is the kept copy, nothing is elsewhere.
    let vouch = scene.approve(Some(scene.skill()), Vec::new());
    let session = scene.session(&vouch, true);
    let plan = session.plan_script(&ScriptCall::new("tool", "run")).unwrap();
    assert_eq!(plan.cwd, Some(scene.skill().join("scripts")));
}

#[test]
fn without_a_sound_copy_one_is_made_of_approved_bytes_and_no_others() {
    // P4, R3, R6
    for spoiled in [false, true] {
        let scene = Scene::new();
        let kept = scene.keep();
        match spoiled {
            true => std::fs::write(kept.join("scripts/lib.sh"), "echo library EVIL\n").unwrap(),
            false => std::fs::remove_dir_all(&kept).unwrap(),
        }
        let vouch = scene.approve(Some(kept), Vec::new());
        let mut session = scene.session(&vouch, true);
        assert_eq!(run(&mut session).unwrap(), WHOLE);
        let copy = scene.home().join("bundled").join(&vouch.approved);
        assert_eq!(hex(&tree(&copy).digest()), vouch.approved, "links and all");
        // Nobody but metier writes there, and what somebody did is put right.
        std::fs::write(copy.join("scripts/lib.sh"), "echo library EVIL\n").unwrap();
        std::fs::remove_file(copy.join("link.md")).unwrap();
        symlink("/etc/passwd", copy.join("link.md")).unwrap();
        assert_eq!(run(&mut session).unwrap(), WHOLE);
        assert_eq!(hex(&tree(&copy).digest()), vouch.approved);
        let error = run(&mut scene.session(&vouch, false)).unwrap_err();
        assert!(matches!(error, ScriptError::NoHome(_)), "{error}");
        drop(session);
        let evil = scene.evil(&["scripts/lib.sh"]);
        let mut session = scene.session(&scene.approve(None, evil), true);
        let error = run(&mut session).unwrap_err();
        let ScriptError::Ground { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.to_string(), "`scripts/lib.sh`: it changed since it was approved");
    }
}

#[test]
fn an_approved_program_runs_from_the_copy_as_a_program() {
    // P4, R3
    let scene = Scene::new();
    let tool = scene.skill().join("scripts/tool");
    std::fs::write(&tool, "#!/bin/sh\necho GOOD\n").unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    for kept in [Some(scene.keep()), None] {
        let vouch = scene.approve(kept, Vec::new());
        let outcome = scene.session(&vouch, true).run(&ScriptCall::new("tool", "tool")).unwrap();
        assert_eq!(outcome.stdout.bytes, b"GOOD\n", "{:?}", outcome.stderr);
    }
}
