use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_policy::host::Flow;

use crate::config::Config;
use crate::env::Environment;
use crate::error::CommandError;
use crate::session::SessionConfig;

fn read(text: &str) -> Result<SessionConfig, CommandError> {
    let environment = Environment::from_lookup(|_| None::<OsString>, PathBuf::from("/here"));
    Ok(Config::parse(text, Path::new("/c.toml"), &environment)?.session)
}

fn check_error(text: &str, message: &str) {
    let error = read(text).unwrap_err().to_text();
    assert!(error.contains(message), "{text}\n{error}");
}

#[test]
fn an_alias_is_the_tool_it_names_with_that_tools_fields() {
    // S3
    let config = read(
        "[hosts.claude-code.aliases]\nMy_Shell = \"Bash\"\n\
         run = { is = \"bash\", command = [\"line\"] }\n\
         [hosts.gemini-cli]\naliases = { sh = \"Bash\" }\nflow = [\"ask_me\"]\n",
    )
    .unwrap();
    let claude = config.host("claude-code");
    assert_eq!(claude.canonical("my_shell"), "bash");
    assert_eq!(claude.tool("my_shell").unwrap().command, ["command"]);
    assert_eq!(claude.tool("run").unwrap().command, ["line"]);
    assert_eq!(claude.tool("ask_me"), None);
    let gemini = config.host("gemini-cli");
    assert_eq!(gemini.canonical("sh"), "bash");
    assert_eq!(gemini.tool("ask_me").unwrap().flow, Some(Flow::Talk));
    assert_eq!(config.host("plain").tool("my_shell"), None);
}

#[test]
fn what_a_host_knows_cannot_be_changed() {
    // S3, N1
    check_error(
        "[hosts.claude-code.aliases]\nbash = \"TodoWrite\"\n",
        "/c.toml:2:1: `claude-code` has a tool `bash` already",
    );
    check_error(
        "[hosts.claude-code]\nflow = [\"x\", \"Bash\"]\n",
        "/c.toml:2:14: `claude-code` has a tool `Bash` already",
    );
}

#[test]
fn a_mistake_in_an_alias_has_its_line_and_column() {
    // S3
    let check = |entry: &str, message: &str| {
        check_error(&format!("[hosts.claude-code.aliases]\n{entry}\n"), message);
    };
    check("a = \"Bsh\"", "/c.toml:2:5: `Bsh` is not a tool");
    check("a = \"Bsh\"", "did you mean `bash`?");
    check("a = 1", "/c.toml:2:5: ");
    check("a = { is = \"Bash\", comand = [] }", "/c.toml:2:20: unknown field `comand`");
    check("a = { is = \"Bash\", flow = \"talk\" }", "neither `names` nor `flow`");
    check("\"\" = \"Bash\"", "the name is empty");
    check_error("hosts = 1", "/c.toml:1:9: expected a table of hosts");
    check_error("[hosts.claude]\n", "/c.toml:1:8: `claude` is not a host");
    check_error("[hosts.codex]\nalias = {}\n", "did you mean `aliases`?");
    check_error("[hosts.codex]\nflow = \"x\"\n", "expected a list");
}

#[test]
fn programs_are_added_and_known_ones_stay_as_they_are() {
    // S3, N1
    let config = read("[[programs]]\nnames = [\"retry\"]\ncommand-at = 1\n").unwrap();
    assert_eq!(config.programs[0].names, ["retry"]);
    assert_eq!(config.programs[0].command_at, Some(1));
    check_error("[[programs]]\nnames = [\"git\"]\n", "/c.toml:1:1: what `git` does is known");
    check_error("[[programs]]\nnames = [\"python*\"]\n", "what `python*` does is known already");
    check_error("[[programs]]\nnames = [\"/bin/x\"]\n", "cannot be a program's name");
    check_error("[[programs]]\nnames = [\"*\"]\n", "cannot be a program's name");
    check_error("[[programs]]\nrole = \"plain\"\n", "the program has no `names`");
    check_error("[[programs]]\nnames = [\"x\"]\nrole = \"boss\"\n", "/c.toml:3:8: unknown variant");
    check_error("[[programs]]\nnames = [\"x\"]\nruns = 1\n", "/c.toml:3:1: unknown field `runs`");
    check_error("programs = 1\n", "expected a list");
}
