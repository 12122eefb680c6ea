use std::ffi::OsString;
use std::path::Path;

use metier_policy::own::is_for_the_user;
use metier_store::Layer;
use proptest::prelude::*;

use super::{Cli, Command, command, wants_json};

fn read(args: &[&str]) -> Result<Cli, clap::Error> {
    let args = std::iter::once("metier").chain(args.iter().copied());
    Cli::read(args.map(OsString::from).collect())
}

fn roots(args: &[&str]) -> Vec<(Layer, String)> {
    let cli = read(args).unwrap();
    cli.global.root.iter().map(|r| (r.layer, r.path.display().to_string())).collect()
}

#[test]
fn the_tree_of_commands_is_consistent() {
    // U1
    command().debug_assert();
}

#[test]
fn every_command_has_an_example_and_a_line_of_help() {
    // U1
    for sub in command().get_subcommands() {
        let name = sub.get_name();
        assert!(sub.get_about().is_some(), "{name} says nothing about itself");
        let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains(&format!("metier {name}")), "{name} has no example");
    }
}

/// What the tree of one command makes of a line, when it accepts it.
fn alone(args: &[OsString]) -> Option<String> {
    Cli::read_alone(args).ok().map(|cli| format!("{cli:?}"))
}

/// What the tree of all commands makes of it, or of what is wrong with it.
fn among_all(args: &[OsString]) -> Result<String, String> {
    let read = Cli::read_among_all(args.to_vec());
    read.map(|cli| format!("{cli:?}")).map_err(|error| error.to_string())
}

#[test]
fn a_command_is_read_alone_as_it_is_among_all_commands() {
    // U1, N1
    let check = |line: &str, expect: bool| {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        assert_eq!(alone(&args), among_all(&args).ok(), "{line}");
        assert_eq!(alone(&args).is_some(), expect, "{line}");
    };
    for line in EXAMPLE_LINES {
        check(line, true);
    }
    for line in
        ["metier lsit", "metier help", "metier help list", "metier list --help", "metier --x"]
    {
        check(line, false);
    }
    check("metier list --version", false);
    check("metier -- list", false);
    check("metier list show", false);
    check("metier --project", false);
    check("metier show", false);
}

#[test]
fn every_command_has_a_tree_of_its_own() {
    // U1
    for sub in command().get_subcommands() {
        // Among the others it also has its place in the list of help.
        let tree = Command::tree(sub.get_name()).unwrap().display_order(sub.get_display_order());
        assert_eq!(format!("{tree:?}"), format!("{sub:?}"));
    }
    assert!(Command::tree("help").is_none());
}

#[test]
fn what_is_wrong_is_said_by_the_tree_of_all_commands() {
    // U1
    let check = |args: &[&str], expect: &str| {
        let said = read(args).unwrap_err().to_string();
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let whole: Vec<OsString> = std::iter::once("metier".into()).chain(args).collect();
        assert_eq!(Err(&said), among_all(&whole).as_ref());
        assert!(said.contains(expect), "{said}");
    };
    check(&["lsit"], "list");
    check(&["list", "--jsno"], "--json");
    check(&["show"], "required");
    check(&["--version"], "metier ");
    check(&["list", "--version"], "unexpected argument");
    check(&["--help"], "Examples:");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_line_is_read_otherwise_alone_than_among_all(words in prop::collection::vec(word(), 0..6)) {
        // U1
        let args: Vec<OsString> = std::iter::once("metier").chain(words).map(Into::into).collect();
        if let Some(read) = alone(&args) {
            prop_assert_eq!(Ok(read), among_all(&args));
        }
    }
}

/// Words of command lines, and words that look like them.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS)
}

const WORDS: &[&str] = &[
    "list",
    "show",
    "lint",
    "guard",
    "hook",
    "setup",
    "check",
    "claude-code",
    "index",
    "add",
    "run",
    "help",
    "x",
    "",
    "-",
    "--",
    "--json",
    "--json=1",
    "-q",
    "-v",
    "-qv",
    "-vjson",
    "--project",
    "--project=list",
    "--root",
    "--root=personal=a",
    "personal=a",
    "--home",
    "--color",
    "--color=never",
    "always",
    "--skills",
    "--fix",
    "--format",
    "sarif",
    "--help",
    "-h",
    "--version",
    "-V",
    "--nonsense",
    "lis",
];

const EXAMPLE_LINES: [&str; 12] = [
    "metier",
    "metier --json",
    "metier list",
    "metier --project list show list",
    "metier -q --root=personal=a why x --root project=b",
    "metier --color always lint --fix a b",
    "metier hook claude-code",
    "metier hook setup claude-code",
    "metier help-script x y",
    "metier --skills none index add x https://example.org",
    "metier run x y -- --help list",
    "metier untrust x",
];

#[test]
fn global_flags_stand_before_or_after_the_command() {
    // U1
    for args in [
        &["--json", "--quiet", "--project", "/p", "list"][..],
        &["list", "--json", "--quiet", "--project", "/p"][..],
        &["--json", "list", "--quiet", "--project=/p"][..],
    ] {
        let cli = read(args).unwrap();
        assert!(cli.global.json && cli.global.quiet, "{args:?}");
        assert_eq!(cli.global.project.as_deref(), Some(Path::new("/p")), "{args:?}");
        assert!(matches!(cli.command, Some(Command::List(_))), "{args:?}");
    }
}

#[test]
fn roots_before_and_after_the_command_all_count_in_order() {
    // D1
    let both = [(Layer::Personal, "a".to_owned()), (Layer::Project, "b".to_owned())];
    assert_eq!(roots(&["list", "--root", "personal=a", "--root", "project=b"]), both);
    assert_eq!(roots(&["--root", "personal=a", "--root", "project=b", "list"]), both);
    assert_eq!(roots(&["--root", "personal=a", "list", "--root", "project=b"]), both);
    assert_eq!(roots(&["--root=personal=a", "--json", "list", "--root=project=b"]), both);
    assert_eq!(
        roots(&["--project", "list", "--root", "personal=a", "list", "--root", "project=b"]),
        both
    );
    assert_eq!(roots(&["--root", "personal=a", "--root", "project=b"]), both);
}

#[test]
fn a_root_says_its_layer() {
    // D1
    let check = |value: &str, expect: &str| {
        let error = read(&["list", "--root", value]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(expect), "{error}");
    };
    check("somewhere", "write a layer, `=` and a directory");
    check("user=x", "`user` is not a layer; the layers are enterprise, personal, project");
    check("personal=", "the directory is missing after `=`");
}

#[test]
fn json_is_seen_without_parsing_the_rest() {
    // U1
    let check = |args: &[&str], expect: bool| {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        assert_eq!(wants_json(&args), expect, "{args:?}");
    };
    check(&["metier", "list", "--json", "--nonsense"], true);
    check(&["metier", "list"], false);
    check(&["metier", "search", "--", "--json"], false);
}

#[test]
fn the_long_help_names_variables_settings_and_exit_codes() {
    // U1, B4
    let help = command().render_long_help().to_string();
    for word in ["METIER_SKILLS", "trusted-folders", "Exit codes:", "70   a bug in metier"] {
        assert!(help.contains(word), "{word} is missing");
    }
}

#[test]
fn the_guard_knows_every_flag_and_every_command_that_is_for_the_user() {
    // S3, S4
    let users = [
        "add", "adopt", "chibi", "hook", "link", "remove", "rollback", "sync", "trust", "unlink",
        "untrust", "update",
    ];
    let models = [
        "agents",
        "check",
        "completions",
        "doctor",
        "end",
        "events",
        "gc",
        "guard",
        "help-script",
        "index",
        "info",
        "lint",
        "list",
        "man",
        "mcp",
        "metrics",
        "outdated",
        "prompt",
        "props",
        "read",
        "release",
        "replay",
        "run",
        "scripts",
        "search",
        "serve",
        "show",
        "status",
        "tour",
        "use",
        "verify",
        "why",
    ];
    for sub in command().get_subcommands() {
        let name = sub.get_name();
        assert!(users.contains(&name) != models.contains(&name), "whose is `{name}`?");
        assert_eq!(is_for_the_user(&[name, "x"]), users.contains(&name), "{name}");
    }
    for flag in command().get_arguments().filter_map(|a| Some((a.get_long()?, a.get_action()))) {
        let (flag, value) = (format!("--{}", flag.0), flag.1.takes_values());
        assert_eq!(is_for_the_user(&[&flag, "show", "trust"]), value, "{flag}");
        assert_eq!(is_for_the_user(&[&flag, "trust", "show"]), !value, "{flag}");
    }
}
