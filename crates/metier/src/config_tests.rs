use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_policy::Profile;
use metier_runtime::arguments::Base;
use metier_runtime::journal::Durability;
use metier_runtime::session::Again;
use metier_store::disclose::Style;
use metier_store::vouch::Depth;
use metier_store::{Layer, Precedence};

use super::{Config, ConfigError, KEYS, PackageConfig, default_path, table};
use crate::args::ColorChoice;
use crate::env::Environment;
use crate::error::{CommandError, Kind};
use crate::session::SessionConfig;

fn environment() -> Environment {
    let lookup = |name: &str| (name == "HOME").then(|| OsString::from("/home/u"));
    Environment::from_lookup(lookup, PathBuf::from("/here"))
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("/etc/metier/config.toml"), &environment())
}

fn check_error(text: &str, message: &str, hints: &[&str]) {
    let error = CommandError::from(parse(text).unwrap_err());
    assert_eq!(error.kind, Kind::Usage);
    assert_eq!(error.message(), message, "{text}");
    assert_eq!(error.hints, hints, "{text}");
}

const EVERYTHING: &str = r#"
roots = [
    { layer = "personal", path = "~/skills" },
    { layer = "plugin", path = "plugins", immediate-only = true },
]
default-roots = false
precedence = "project-first"
skills = "pdf,sheets"
disabled = ["old"]
agent = "claude-code"
tenant = "acme"
environment = "production"
host-version = "1.2.0"
trusted-folders = ["~/src", "/work"]
color = "never"
hosts = { codex = { flow = ["ask_me"] } }
programs = [{ names = ["again"], command-at = 1 }]
clients = { editor = { skills = "pdf", policy = "rules.toml", token-file = "token" } }

[session]
again = "repeat"
first-argument = 1

[journal]
durability = "frame"
artifacts = false

[chibi]
script-seconds = 120

[packages]
repositories = "https://git.example"
require-signature = true
signers = "signers"
verify = "bytes"

[policy]
files = ["rules.toml", "~/more.toml"]
profile = "strict"

[scan]
max-depth = 3
max-directories = 0x10
threads = 2

[prompt]
style = "markdown"
budget = 1500
pinned = ["pdf"]
"#;

#[test]
fn every_key_is_read() {
    // D1, D4, U1
    let config = parse(EVERYTHING).unwrap();
    let roots: Vec<_> = config
        .roots
        .iter()
        .map(|r| (r.layer, r.path.to_str().unwrap(), r.immediate_only))
        .collect();
    assert_eq!(
        roots,
        [(Layer::Personal, "/home/u/skills", false), (Layer::Plugin, "/etc/metier/plugins", true)]
    );
    assert_eq!(config.default_roots, Some(false));
    assert_eq!(config.precedence, Some(Precedence::PROJECT_FIRST));
    assert_eq!(config.skills.as_deref(), Some("pdf,sheets"));
    assert_eq!(config.disabled, ["old"]);
    assert_eq!(config.agent.as_deref(), Some("claude-code"));
    assert_eq!(config.tenant.as_deref(), Some("acme"));
    assert_eq!(config.environment.as_deref(), Some("production"));
    assert_eq!(config.host_version.as_deref(), Some("1.2.0"));
    assert_eq!(config.trusted_folders, [Path::new("/home/u/src"), Path::new("/work")]);
    assert_eq!(config.color, Some(ColorChoice::Never));
    assert_eq!(config.chibi_seconds, Some(120));
    assert_eq!(config.scan.max_depth, Some(3));
    assert_eq!(config.scan.max_directories, Some(16));
    assert_eq!(config.scan.threads, Some(2));
    assert_eq!(config.prompt.style, Some(Style::Markdown));
    assert_eq!(config.prompt.budget, Some(1500));
    assert_eq!(config.prompt.pinned, ["pdf"]);
    let files = ["/etc/metier/rules.toml", "/home/u/more.toml"].map(PathBuf::from).to_vec();
    let session = SessionConfig {
        again: Some(Again::Repeat),
        base: Some(Base::One),
        durability: Some(Durability::EachFrame),
        artifacts: Some(false),
        policy_files: files,
        profile: Some(Profile::Strict),
        hosts: config.session.hosts.clone(),
        programs: config.session.programs.clone(),
    };
    assert_eq!(config.session, session);
    let packages = PackageConfig {
        repositories: Some("https://git.example".to_owned()),
        require_signature: true,
        signers: Some(PathBuf::from("/etc/metier/signers")),
        verify: Some(Depth::Bytes),
    };
    assert_eq!(config.packages, packages);
    assert_eq!(config.session.hosts["codex"][0].names, ["ask_me"]);
    assert_eq!(config.session.programs[0].names, ["again"]);
    let editor = &config.clients["editor"];
    assert_eq!(editor.skills.as_deref(), Some("pdf"));
    assert_eq!(editor.token_file, Some(PathBuf::from("/etc/metier/token")));
    // The sample above leaves out no key of the table.
    for key in KEYS {
        let last = key.name.rsplit('.').next().unwrap();
        assert!(EVERYTHING.contains(&format!("{last} = ")), "{} is not in the sample", key.name);
    }
}

#[test]
fn an_empty_file_says_nothing() {
    // U1
    assert_eq!(parse("").unwrap(), Config::default());
    assert_eq!(parse("# only a comment\n[scan]\n").unwrap(), Config::default());
}

#[test]
fn skills_may_be_a_list_and_dotted_keys_are_tables() {
    // D4
    let config = parse("skills = [\"a\", \"b\"]\nscan.max-depth = 2").unwrap();
    assert_eq!(config.skills.as_deref(), Some("a,b"));
    assert_eq!(config.scan.max_depth, Some(2));
}

#[test]
fn an_order_of_layers_names_each_once() {
    // D3
    let order = |text: &str| parse(&format!("precedence = {text}")).map(|c| c.precedence.unwrap());
    assert_eq!(order("\"default\"").unwrap(), Precedence::DEFAULT);
    let listed = r#"["bundled", "plugin", "project", "personal", "enterprise"]"#;
    assert_eq!(order(listed).unwrap().0[0], Layer::Bundled);
    let file = "/etc/metier/config.toml:1:14";
    let layers = "the layers are enterprise, personal, project, plugin, bundled";
    check_error(
        r#"precedence = ["bundled"]"#,
        &format!("{file}: the order must name each of the five layers once"),
        &[layers],
    );
    check_error(
        r#"precedence = ["plugin", "plugin", "project", "personal", "enterprise"]"#,
        &format!("{file}: the order must name each of the five layers once"),
        &[layers],
    );
    check_error(
        r#"precedence = "mine""#,
        &format!("{file}: `mine` is not an order of layers"),
        &["write `default`, `project-first`, or a list of all five layers"],
    );
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_key() {
    // U1
    check_error(
        "color = \"auto\"\ntrusted-folder = []",
        "/etc/metier/config.toml:2:1: unknown key `trusted-folder`",
        &["did you mean `trusted-folders`?"],
    );
    check_error(
        "[scan]\n  max-dept = 3",
        "/etc/metier/config.toml:2:3: unknown key `scan.max-dept`",
        &["did you mean `scan.max-depth`?"],
    );
    check_error(
        "roots = [{ layr = \"personal\", path = \"x\" }]",
        "/etc/metier/config.toml:1:12: unknown key `layr` in a root",
        &["did you mean `layer`?"],
    );
    let error = CommandError::from(parse("zzzzzzzz = 1").unwrap_err());
    assert!(error.hints[0].starts_with("the keys are roots, default-roots, "), "{error:?}");
}

#[test]
fn the_first_mistake_of_the_file_is_the_one_reported() {
    // U1
    check_error(
        "zeta = 1\nalpha = 2",
        "/etc/metier/config.toml:1:1: unknown key `zeta`",
        &[&format!("the keys are {}", KEYS.iter().map(|k| k.name).collect::<Vec<_>>().join(", "))],
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_with_its_place() {
    // U1
    let file = "/etc/metier/config.toml";
    let check = |text: &str, message: &str| check_error(text, &format!("{file}:{message}"), &[]);
    check("default-roots = \"yes\"", "1:17: expected true or false, found string");
    check("skills = 3", "1:10: expected text, found integer");
    check("disabled = \"a\"", "1:12: expected a list, found string");
    check("disabled = [1]", "1:13: expected text, found integer");
    check("scan = 3", "1:8: expected a table, found integer");
    check("scan.threads = -1", "1:16: `-1` is not a number from 0 up");
    check("scan.threads = 1.5", "1:16: expected a number, found float");
    check("roots = [3]", "1:10: expected `{layer = \"…\", path = \"…\"}`, found integer");
    check("roots = [{ layer = \"plugin\" }]", "1:10: the root has no `path`");
    check("roots = [{ path = \"x\" }]", "1:10: the root has no `layer`");
    check("trusted-folders = [\"\"]", "1:20: the path is empty");
    check_error(
        "roots = [{ layer = \"persnal\", path = \"x\" }]",
        &format!("{file}:1:20: `persnal` is not a layer"),
        &["did you mean `personal`?"],
    );
    check_error(
        "color = \"blue\"",
        &format!("{file}:1:9: `blue` is not a choice of colour"),
        &["write one of auto, always, never"],
    );
    check_error(
        "prompt.style = \"yaml\"",
        &format!("{file}:1:16: `yaml` is not a style"),
        &["write one of xml, xml-attributes, markdown, tool, json"],
    );
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_place() {
    // U1
    let error = CommandError::from(parse("color = \"auto\"\nscan = [").unwrap_err());
    assert_eq!(error.kind, Kind::Usage);
    let message = error.message();
    assert!(message.starts_with("/etc/metier/config.toml:2:"), "{message}");
    assert!(message.contains("not valid TOML: "), "{message}");
}

#[test]
fn a_file_named_by_hand_must_exist_and_the_default_one_need_not() {
    // U1
    let mut environment = environment();
    environment.home = Some(PathBuf::from("/nonexistent"));
    assert_eq!(Config::load(None, &environment).unwrap(), Config::default());
    let missing = Path::new("/nonexistent/metier.toml");
    let error = CommandError::from(Config::load(Some(missing), &environment).unwrap_err());
    assert_eq!(error.kind, Kind::Usage);
    let expect = "cannot read the settings file `/nonexistent/metier.toml`: ";
    assert!(error.message().starts_with(expect), "{}", error.message());
}

#[test]
fn a_file_too_large_to_be_settings_is_refused() {
    // F4
    let world = metier_testing::World::new();
    let path = world.write("huge.toml", "#".repeat(1024 * 1024 + 1));
    let error = Config::load(Some(&path), &environment()).unwrap_err();
    assert!(matches!(error, ConfigError::TooLarge(_)), "{error}");
}

#[test]
fn the_default_file_follows_xdg_and_falls_back_to_the_home() {
    // D1
    let mut environment = environment();
    let check = |environment: &Environment, expect: Option<&str>| {
        assert_eq!(default_path(environment).as_deref(), expect.map(Path::new));
    };
    check(&environment, Some("/home/u/.config/metier/config.toml"));
    environment.xdg_config_home = Some(PathBuf::from("/xdg"));
    check(&environment, Some("/xdg/metier/config.toml"));
    environment.xdg_config_home = None;
    environment.home = None;
    check(&environment, None);
}

#[test]
fn the_table_names_every_key_on_a_line_of_its_own() {
    // B4
    let text = table();
    assert_eq!(text.lines().count(), KEYS.len());
    for (line, key) in text.lines().zip(KEYS) {
        assert!(line.trim_start().starts_with(key.name), "{line}");
    }
}

#[test]
fn words_of_a_session_are_among_the_known_ones() {
    // S1, S2, S4, J1
    let file = "/etc/metier/config.toml";
    check_error(
        "journal.durability = \"soon\"",
        &format!("{file}:1:22: `soon` is not a durability"),
        &["write one of frame, act, system"],
    );
    check_error(
        "policy.profile = \"lax\"",
        &format!("{file}:1:18: `lax` is not a profile"),
        &["write one of strict, default, full-auto"],
    );
    check_error(
        "session.again = \"ask\"",
        &format!("{file}:1:17: `ask` is not an answer"),
        &["write one of refuse, repeat"],
    );
    check_error("session.first-argument = 2", &format!("{file}:1:26: `2` is neither 0 nor 1"), &[]);
    let durability =
        |word: &str| parse(&format!("journal.durability = \"{word}\"")).unwrap().session.durability;
    assert_eq!(durability("act"), Some(Durability::EachAct));
    assert_eq!(durability("system"), Some(Durability::System));
}
