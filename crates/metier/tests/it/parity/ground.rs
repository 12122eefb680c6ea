//! One world for all surfaces: the same skills, the same law. Each surface has a directory of its
//! own for metier's state, so that sessions of the same name meet the same beginning everywhere.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use metier_format::NameKey;
use metier_package::{Home, Ledger};
use metier_policy::{HostTable, Policy, PolicyFile, PolicyLayer};
use metier_runtime::capability::{Call, CapabilityError, invoke};
use metier_runtime::clock::TickingClock;
use metier_runtime::journal::{Artifacts, Durability, FileJournal};
use metier_runtime::redact::Redactor;
use metier_runtime::session::{Again, Settings, Whereabouts};
use metier_runtime::{Ids, Journal, ScriptGround, Session, Setup};
use metier_sandbox::Runner;
use metier_store::disclose::Disclose;
use metier_store::discover::ScanLimits;
use metier_store::selection::Selection;
use metier_store::vouch::{Depth, attest};
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Store as _, digest};
use metier_testing::World;
use serde_json::Value;

use crate::METIER;

/// The layers that have a root.
const LAYERS: [Layer; 3] = [Layer::Personal, Layer::Project, Layer::Plugin];

const CONFIG: &str =
    "disabled = [\"off\"]\njournal.durability = \"system\"\nprompt.pinned = [\"vetted\"]\n";

const POLICY: &str = "default = \"allow\"\n\
    [[rule]]\nid = \"no-rm\"\nverdict = \"deny\"\npattern = \"Bash(rm:*)\"\n\
    [[rule]]\nid = \"push\"\nverdict = \"ask\"\npattern = \"Bash(git push:*)\"\n\
    [[rule]]\nid = \"secret\"\nverdict = \"deny\"\npattern = \"Read(/**/secret.md)\"\n";

const GREET: &str = "#!/bin/sh\n\
    case \"$1\" in\n\
    --help) echo 'usage: greet NAME'; exit 0;;\n\
    fail) echo '{\"partial\": true}'; echo broken >&2; exit 3;;\n\
    text) echo plain; exit 0;;\n\
    read) cat; exit 0;;\n\
    long) i=0; while [ $i -lt 4000 ]; do echo 0123456789; i=$((i+1)); done; exit 0;;\n\
    wait) sleep 20; exit 0;;\n\
    esac\n\
    echo \"{\\\"hello\\\": \\\"$1\\\"}\"\n";

/// The world, and where metier's state is to be.
pub(super) struct Ground {
    pub(super) world: World,
    /// The library's view of the skills, made once.
    catalog: OnceLock<Arc<Catalog>>,
}

/// What a session is made of.
type Ready = (Setup, Box<dyn Journal>);

/// Whose state a directory holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a>(pub(super) &'a str);

impl Ground {
    /// The world, with `more` in its settings.
    pub(super) fn new(more: &str) -> Self {
        let world = World::new();
        skills(&world);
        world.write("home/.config/metier/config.toml", format!("{CONFIG}{more}"));
        world.write("home/.config/metier/policy.toml", POLICY);
        let ground = Self { world, catalog: OnceLock::new() };
        for name in ["vetted", "altered"] {
            let trust = ground.command(Place("first"), "t", &["trust", name, "--yes"]);
            let output = ground.world.command(METIER).args(trust).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        ground.world.write("roots/personal/altered/more.md", "Not what was approved.\n");
        ground
    }

    /// metier's own directory for `place`. The first one has the approvals, the others a copy.
    pub(super) fn home(&self, place: Place<'_>) -> PathBuf {
        let home = self.world.path().join("homes").join(place.0);
        if !home.exists() {
            fs::create_dir_all(&home).unwrap();
            let first = self.world.path().join("homes/first");
            if first != home {
                copy(&first, &home);
            }
        }
        home
    }

    /// The words of a command line in the session `session` at `place`.
    pub(super) fn command(&self, place: Place<'_>, session: &str, words: &[&str]) -> Vec<String> {
        let mut line = vec!["--home".to_owned(), self.home(place).to_string_lossy().into_owned()];
        line.extend(["--session", session, "--no-default-roots"].map(str::to_owned));
        for layer in LAYERS {
            line.push(format!("--root={}={}", layer.as_str(), self.root(layer).display()));
        }
        line.extend(words.iter().map(ToString::to_string));
        line
    }

    fn root(&self, layer: Layer) -> PathBuf {
        self.world.path().join("roots").join(layer.as_str())
    }

    /// What the command sets up, set up by hand.
    pub(super) fn setup(&self, place: Place<'_>, name: &str, host: &str, again: Again) -> Ready {
        let home = self.home(place);
        let roots = LAYERS.map(|layer| Root::given(layer, self.root(layer)));
        let store = FileStore::new(roots.to_vec());
        let ledger = Ledger::open(&Home::new(&home), Some(&self.world.project()), 0);
        let catalog = self.catalog.get_or_init(|| {
            let mut discovery = store.discover(&ScanLimits::default());
            attest(&mut discovery, &ledger, Depth::Stamps);
            let disabled = [NameKey::of("off")].into();
            let selection = Selection { disabled, ..Selection::default() };
            Arc::new(Catalog::build(discovery, &Precedence::default(), &selection))
        });
        let journal_path = home.join("sessions").join(format!("{name}.jsonl"));
        let clock = Arc::new(TickingClock::starting_at(1));
        let journal = FileJournal::open(&journal_path, Durability::System, clock).unwrap();
        let config = self.world.home().join(".config/metier");
        let policy = config.join("policy.toml").to_string_lossy().into_owned();
        let file = PolicyFile::read(POLICY, &policy).unwrap();
        let pinned = vec![NameKey::of("vetted")];
        let disclose = Disclose { pinned, ..Disclose::default() };
        let setup = Setup {
            store: Arc::new(store),
            catalog: Arc::clone(catalog),
            policy: Policy::merge(vec![(PolicyLayer::Personal, file)]),
            policy_digest: digest::hex(&digest::sha256(format!("{POLICY}\0").as_bytes())),
            host: host_table(host),
            whereabouts: Whereabouts {
                cwd: self.world.project(),
                home: Some(self.world.home()),
                project: Some(self.world.project().canonicalize().unwrap()),
                protected: vec![home.clone(), config.join("config.toml"), config],
            },
            ids: Ids { session: name.to_owned(), ..Ids::default() },
            settings: Settings { again, disclose, ..Settings::default() },
            redactor: Redactor::new([]),
            scripts: ScriptGround {
                runner: Runner::new().with_helper(METIER),
                home: Some(home.clone()),
                variables: vec![
                    ("HOME".into(), self.world.home().into()),
                    ("PATH".into(), "/usr/bin:/bin".into()),
                ],
                ..ScriptGround::default()
            },
            artifacts: Some(Artifacts::at(&home.join("artifacts")).of_journal(&journal_path)),
            vouch: Arc::new(ledger),
            depth: Depth::Stamps,
        };
        (setup, Box::new(journal))
    }

    /// The frames of a session at `place`.
    pub(super) fn frames(&self, place: Place<'_>, session: &str) -> Vec<Value> {
        let path = self.home(place).join("sessions").join(format!("{session}.jsonl"));
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Forgets what scripts said about themselves, which is asked for once only.
    pub(super) fn forget_help(&self, place: Place<'_>) {
        let _ = fs::remove_dir_all(self.home(place).join("cache/help"));
    }

    /// `text` with nothing in it of where this world lies, or whose home it was.
    pub(super) fn redact(&self, place: Place<'_>, text: &str) -> String {
        let home = self.home(place).to_string_lossy().into_owned();
        self.world.redact(&text.replace(&home, "[STATE]"))
    }
}

/// What `host` calls its tools, with those that are metier's own there.
fn host_table(host: &str) -> HostTable {
    let table = HostTable::named(host).unwrap().clone();
    match host {
        "chibi" => table.with_skill_tools(["skill"]),
        _ => table,
    }
}

/// The library's own session, begun.
pub(super) fn begun((setup, journal): Ready) -> Session {
    Session::open(setup, journal).unwrap()
}

/// The library's own session, which begins with its first act.
pub(super) fn prepared((setup, journal): Ready) -> Session {
    Session::prepare(setup, journal).unwrap()
}

/// Carries out one call in `session`.
pub(super) fn call(session: &mut Session, call: Call) -> Result<Value, CapabilityError> {
    session.catch_up().unwrap();
    invoke(session, call)
}

fn skills(world: &World) {
    let skill = |root: &str, name: &str, more: &str, body: &str| {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name}. Use when {name} is due.\n{more}---\n\n{body}\n"
        );
        world.write(format!("roots/{root}/{name}/SKILL.md"), text);
    };
    skill("personal", "notes", "allowed-tools: Read Bash(git:*)\n", "Notes for $ARGUMENTS.");
    skill("personal", "free", "model: big\ncontext: fork\nagent: planner\n", "As you like it.");
    skill("personal", "by-hand", "disable-model-invocation: true\n", "By hand.");
    skill("personal", "by-model", "user-invocable: false\n", "By models.");
    skill("personal", "off", "", "Switched off.");
    skill("personal", "vetted", "version: 1.2\ntags: [old, good]\n", "Approved.");
    skill("personal", "altered", "", "Approved, then changed.");
    skill("personal", "hooked", "hooks:\n  pre: hooks/in.sh\n  post: hooks/out.sh\n", "Hooked.");
    skill("personal", "barred", "hooks:\n  pre: hooks/in.sh\n", "Barred.");
    skill("personal", "files", "", "Has files.");
    // More than one answer lists.
    for number in 0..45 {
        skill("plugin", &format!("z-{number:02}"), "", "One of many.");
    }
    skill("project", "stranger", "", "Do as I say.");
    skill("plugin", "notes", "", "Another's notes.");
    world.write("roots/plugin/broken/SKILL.md", "---\nname: broken\n---\n\nNo description.\n");
    world.write("roots/personal/files/references/a.md", "# A\n\nÄ and \"b\".\n");
    world.write("roots/personal/files/references/secret.md", "Hidden by policy.\n");
    world.write("roots/personal/files/long.txt", "0123456789\n".repeat(3000));
    world.write("roots/personal/files/large.txt", "0123456789".repeat(30_000));
    // Larger than a whole skill may be, without the bytes.
    let film = world.write("roots/personal/files/film.bin", []);
    fs::OpenOptions::new().write(true).open(film).unwrap().set_len(17 << 20).unwrap();
    world.write("roots/personal/files/logo.bin", [0_u8, 159, 146, 150, 255]);
    symlink("/etc/passwd", world.path().join("roots/personal/files/out")).unwrap();
    for (path, text) in [
        ("files/scripts/greet.sh", GREET),
        ("hooked/hooks/in.sh", "#!/bin/sh\necho in\n"),
        ("hooked/hooks/out.sh", "#!/bin/sh\necho out\n"),
        ("barred/hooks/in.sh", "#!/bin/sh\necho 'not today' >&2\nexit 2\n"),
    ] {
        let path = world.write(format!("roots/personal/{path}"), text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => {
                fs::create_dir_all(&target).unwrap();
                copy(&entry.path(), &target);
            }
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
