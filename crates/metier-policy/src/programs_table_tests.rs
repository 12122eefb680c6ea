use super::tests::show;
use super::*;

#[test]
fn programs_are_found_by_name_path_and_version() {
    // S3
    let table = ProgramTable::built_in();
    for name in
        ["git", "/usr/bin/git", "./git", "python", "python3", "python3.12", "gcc-13", "perl5.36"]
    {
        assert!(table.program(name).is_some(), "{name}");
    }
    for name in ["pythonic", "gitk", "", "/", "nobody-knows-it"] {
        assert!(table.program(name).is_none(), "{name}");
    }
}

#[test]
fn harmless_variables_are_listed_by_name() {
    // S3
    let table = ProgramTable::built_in();
    for name in ["CI", "LC_ALL", "LC_TIME", "NO_COLOR", "TZ", "GIT_TERMINAL_PROMPT"] {
        assert!(table.is_harmless_variable(name), "{name}");
    }
    for name in [
        "PATH",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "IFS",
        "BASH_ENV",
        "ENV",
        "PS4",
        "PROMPT_COMMAND",
        "SHELLOPTS",
        "BASHOPTS",
        "GIT_SSH_COMMAND",
        "GIT_SSH",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
        "GIT_PROXY_COMMAND",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "BROWSER",
        "LESSOPEN",
        "MANPAGER",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "MAKEFLAGS",
        "CC",
        "HOME",
        "SHELL",
        "TMPDIR",
        "http_proxy",
        "JAVA_TOOL_OPTIONS",
        "GOFLAGS",
        "npm_config_script_shell",
        "CARGO_HOME",
        "SSH_ASKPASS",
        "LOCPATH",
        "TERMINFO",
        "lc_all",
    ] {
        assert!(!table.is_harmless_variable(name), "{name}");
    }
}

#[test]
fn settings_add_programs_and_variables() {
    // S3
    let text = r#"
        harmless-variables = ["MY_FLAG"]

        [[program]]
        names = ["deploy"]
        shell = ["--hook"]
        write = ["--log"]

        [[program]]
        names = ["git"]
        escape = ["--ours"]
    "#;
    let more: ProgramTable = toml::from_str(text).expect("a table");
    let table = ProgramTable::built_in().clone().extended(&more);
    assert!(table.is_harmless_variable("MY_FLAG") && table.is_harmless_variable("CI"));
    let words = |text: &str| text.split(' ').map(Word::known).collect::<Vec<_>>();
    let found = table.analyse(&words("deploy --hook=a --log b")).hazards;
    assert_eq!(found.iter().map(|h| show(&h.what)).collect::<Vec<_>>(), ["shell a", "write b"]);
    // A later entry replaces the built-in one.
    assert!(table.analyse(&words("git unknown")).hazards.is_empty());
    assert_eq!(table.analyse(&words("git --ours")).hazards.len(), 1);
    assert!(table.program("find").is_some());
}

#[test]
fn unknown_words_in_the_data_are_errors() {
    // S3
    for text in [
        "[[program]]\nname = ['x']",
        "[[program]]\nnames = ['x']\nrole = 'none'",
        "[[program]]\nnames = ['x']\nescapes = []",
        "[[program]]\nnames = ['x']\n[program.sub.y]\nescapes = []",
        "harmless = []",
    ] {
        assert!(toml::from_str::<ProgramTable>(text).is_err(), "{text}");
    }
}

#[test]
fn a_table_survives_being_written() {
    // S3
    let table = ProgramTable::built_in();
    let written = toml::to_string(table).expect("text");
    let read: ProgramTable = toml::from_str(&written).expect("a table");
    assert_eq!(toml::to_string(&read).expect("text"), written);
    assert_eq!(read.program("git"), table.program("git"));
    assert!(read.program("git").is_some());
}
