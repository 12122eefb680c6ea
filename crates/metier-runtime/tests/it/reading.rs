//! Who may read what: a skill's own files, and the scripts of active skills.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_policy::{HostTable, Policy, PolicyFile, PolicyLayer, Profile, ToolCall, Verdict};
use metier_runtime::session::ResourceError;
use metier_runtime::{Session, Setup};
use metier_store::discover::ScanLimits;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};
use serde_json::{Value, json};

use crate::ground::{by_hand, journal, policy, setup, skill};

/// Skills on a real disk, with a link to them beside the working directory.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let maker = base.join("skills/maker");
        std::fs::create_dir_all(maker.join("scripts")).unwrap();
        std::fs::create_dir_all(maker.join("references")).unwrap();
        std::fs::create_dir_all(base.join("project")).unwrap();
        std::fs::write(maker.join("SKILL.md"), skill("maker", "")).unwrap();
        std::fs::write(maker.join("scripts/run.py"), "print(1)\n").unwrap();
        std::fs::write(maker.join("references/a.md"), "# A\n").unwrap();
        std::os::unix::fs::symlink(&maker, base.join("project/linked")).unwrap();
        std::os::unix::fs::symlink(maker.join("scripts/run.py"), base.join("project/copy.py"))
            .unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn setup(&self, host: &str) -> Setup {
        let base = self.path();
        let store = FileStore::new(vec![Root::given(Layer::Personal, base.join("skills"))]);
        let discovery = store.discover(&ScanLimits::default());
        let catalog = Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default());
        let mut parts = setup();
        parts.store = Arc::new(store);
        parts.catalog = Arc::new(catalog);
        parts.host = HostTable::named(host).unwrap().clone();
        parts.whereabouts.cwd = base.join("project");
        parts
    }

    fn session(&self, host: &str, policy: Option<Policy>) -> Session {
        let mut parts = self.setup(host);
        parts.policy = policy.unwrap_or(parts.policy);
        let mut session = Session::open(parts, Box::new(journal())).unwrap();
        by_hand(&mut session, "maker").unwrap();
        session
    }
}

/// The hosts' tools that read a file, with the key its path stands under.
const READERS: &[(&str, &str, &str)] = &[
    ("plain", "Read", "file_path"),
    ("claude-code", "Read", "file_path"),
    ("claude-code", "NotebookRead", "notebook_path"),
    ("codex", "read_file", "file_path"),
    ("codex", "view_image", "path"),
    ("gemini-cli", "read_file", "absolute_path"),
    ("gemini-cli", "read_many_files", "paths"),
    ("opencode", "read", "filePath"),
    ("chibi", "file_head", "path"),
    ("chibi", "file_tail", "path"),
    ("chibi", "file_lines", "path"),
];

/// The script, as it can be named from the working directory.
fn spellings(base: &Path) -> Vec<String> {
    let absolute = base.join("skills/maker/scripts/run.py").display().to_string();
    let relative = "../skills/maker/scripts/run.py".to_owned();
    let dotted = "../skills/maker/references/../scripts/./run.py".to_owned();
    let through_link = "linked/scripts/run.py".to_owned();
    vec![absolute, relative, dotted, through_link, "copy.py".to_owned()]
}

#[test]
fn a_script_of_an_active_skill_is_run_and_not_read_by_any_host() {
    // S5, J4
    let ground = Ground::new();
    for (host, tool, key) in READERS {
        let mut session = ground.session(host, None);
        let mut blocked = 0;
        for path in spellings(&ground.path()) {
            let value = if *key == "paths" { json!([path]) } else { json!(path) };
            let call = ToolCall::new(*tool, json!({ *key: value }));
            let ruling = session.guard(&call).unwrap().ruling;
            assert_eq!(ruling.verdict, Verdict::Deny, "{host} {tool} {path}");
            let way = "metier run maker run.py";
            assert!(ruling.explanation().contains(way), "{}", ruling.explanation());
            blocked += 1;
            assert_eq!(session.state().counters.script_reads_blocked, blocked, "{host} {path}");
        }
        let other = ground.path().join("skills/maker/references/a.md").display().to_string();
        let value: Value = if *key == "paths" { json!([other]) } else { json!(other) };
        let call = ToolCall::new(*tool, json!({ *key: value }));
        let verdict = session.guard(&call).unwrap().ruling.verdict;
        assert_eq!(verdict, Verdict::Allow, "{host} {tool}: what is no script is read");
    }
}

#[test]
fn a_shell_reads_no_script_either_and_runs_it() {
    // S5
    let ground = Ground::new();
    let mut session = ground.session("plain", None);
    let mut verdict = |command: String| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        session.guard(&call).unwrap().ruling.verdict
    };
    for path in spellings(&ground.path()) {
        let commands = [
            format!("cat {path}"),
            format!("head -5 {path}"),
            format!("tail -n 3 '{path}' | wc -l"),
            format!("sed -n 1,5p {path}"),
            format!("grep import {path}"),
            format!("wc -l < {path}"),
            format!("echo $(cat {path})"),
            format!("cp {path} /tmp/x"),
            format!("env LC_ALL=C cat {path}"),
            format!("bash -c 'cat {path}'"),
        ];
        for command in commands {
            assert_eq!(verdict(command.clone()), Verdict::Deny, "{command}");
        }
        assert_eq!(verdict(format!("python3 {path}")), Verdict::Allow, "{path} may be run");
    }
}

#[test]
fn a_setting_lets_scripts_be_read() {
    // S5
    let ground = Ground::new();
    let open = policy("profile = \"full-auto\"\nscript-read = \"allow\"\n");
    let mut session = ground.session("plain", Some(open));
    for path in spellings(&ground.path()) {
        let read = ToolCall::new("Read", json!({ "file_path": path }));
        assert_eq!(session.guard(&read).unwrap().ruling.verdict, Verdict::Allow, "{path}");
        let cat = ToolCall::new("Bash", json!({ "command": format!("cat {path}") }));
        assert_eq!(session.guard(&cat).unwrap().ruling.verdict, Verdict::Allow, "{path}");
    }
    assert_eq!(session.state().counters.script_reads_blocked, 0);
}

#[test]
fn a_released_skill_guards_its_scripts_no_longer() {
    // S5, S6
    let ground = Ground::new();
    let mut session = ground.session("plain", None);
    session.release(None).unwrap();
    let path = &spellings(&ground.path())[0];
    let call = ToolCall::new("Read", json!({ "file_path": path }));
    assert_eq!(session.guard(&call).unwrap().ruling.verdict, Verdict::Allow);
}

#[test]
fn a_rule_against_reading_holds_for_a_skills_own_files() {
    // R1, S4, J1
    let ground = Ground::new();
    let rule = "profile = \"full-auto\"\n[[rule]]\nid = \"no-notes\"\nverdict = \"deny\"\n\
        pattern = \"Read(//**/references/**)\"\nreason = \"not for models\"\n";
    let mut parts = ground.setup("codex");
    parts.policy = policy(rule);
    let frames = journal();
    let mut session = Session::open(parts, Box::new(frames.clone())).unwrap();
    for path in ["references/a.md", "references/../references/a.md", "./references/a.md"] {
        let error = session.read("maker", path, 100).unwrap_err();
        let told = matches!(&error, ResourceError::Denied { reason, .. } if reason.contains("not for models"));
        assert!(told || error.code() == "invalid_path", "{path}: {error}");
    }
    let refused = &frames.all()[3].payload;
    assert_eq!(refused["refused"], "read_denied");
    assert_eq!(session.state().counters.resources_read, 0);
    assert!(session.read("maker", "scripts/run.py", 100).is_ok());
    let broken = Policy::merge([(PolicyLayer::Personal, PolicyFile::default())]);
    let mut session = ground.session("plain", Some(broken));
    assert!(session.read("maker", "references/a.md", 100).is_ok());
}

#[test]
fn neither_a_strict_default_nor_a_skills_tools_keep_it_from_its_own_files() {
    // R1, S3
    let ground = Ground::new();
    std::fs::write(
        ground.path().join("skills/maker/SKILL.md"),
        skill("maker", "allowed-tools: Bash(git:*)"),
    )
    .unwrap();
    let mut session = ground.session("plain", Some(Policy::profile(Profile::Strict)));
    let path = ground.path().join("skills/maker/references/a.md").display().to_string();
    let call = ToolCall::new("Read", json!({ "file_path": path }));
    assert_eq!(session.guard(&call).unwrap().ruling.verdict, Verdict::Deny);
    assert_eq!(session.read("maker", "references/a.md", 100).unwrap().bytes, b"# A\n");
}
