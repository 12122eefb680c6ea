//! What the doctor says of agents' hooks: switched off, edited, not trusted, or starting nothing.

use metier_testing::{Run, World};
use serde_json::{Value, json};

use crate::hook::agents_world;
use crate::{METIER, metier};

const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// The hooks of `agent`, set up.
fn set_up(agent: &str) -> World {
    let world = agents_world();
    let run = metier(&world, &["hook", "setup", agent]);
    assert_eq!(run.code, 0, "{run:?}");
    world
}

/// The findings about hooks, each as its code and its path below the world, and the whole of them.
fn findings(world: &World) -> (Vec<(String, String)>, Value, i32) {
    let run = metier(world, &["doctor", "--json"]);
    let document = run.json();
    let about = |finding: &&Value| finding["code"].as_str().unwrap().starts_with("hooks-");
    let all = document["findings"].as_array().unwrap();
    let all: Vec<&Value> = all.iter().filter(about).collect();
    let word = |finding: &Value, key: &str| world.redact(finding[key].as_str().unwrap());
    let pairs = all.iter().map(|finding| (word(finding, "code"), word(finding, "path")));
    (pairs.collect(), json!(all), run.code)
}

/// The one finding there is, which a person reads too.
fn only(world: &World, code: &str, path: &str, words: &[&str]) {
    let (found, whole, status) = findings(world);
    assert_eq!(found, [(code.to_owned(), path.to_owned())], "{whole}");
    assert_eq!(status, 1, "{whole}");
    assert_eq!(whole[0]["severity"], "error");
    let run: Run = metier(world, &["doctor"]);
    assert_eq!(run.code, 1);
    for word in words {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
        let told = format!("{} {}", whole[0]["message"], whole[0]["fix"]).replace("\\\"", "\"");
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn nothing_is_said_where_hooks_are_as_they_were_set_up_or_nobody_set_them_up() {
    // U5
    let world = agents_world();
    world.write("project/.claude/settings.json", "{\"disableAllHooks\": true}");
    assert_eq!(findings(&world).0, [], "there are no hooks to switch off");
    for agent in AGENTS {
        let world = set_up(agent);
        let (found, whole, status) = findings(&world);
        assert_eq!((found, status), (Vec::new(), 0), "{whole}");
    }
}

#[test]
fn every_switch_of_every_agent_is_reported_with_the_way_around_it() {
    // U5
    let claude = "`claude --settings '{\"disableAllHooks\":false}'` starts it so";
    let codex = "`codex --enable hooks` starts it so";
    let gemini = "remove the key; no way to start it is known";
    for (agent, file, text, key, advice) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\"disableAllHooks\":true}",
            "disableAllHooks",
            claude,
        ),
        (
            "claude-code",
            ".claude/settings.local.json",
            "{\"disableAllHooks\":1}",
            "disableAllHooks",
            claude,
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"disableAllHooks\":true,}//",
            "disableAllHooks",
            claude,
        ),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks", codex),
        ("codex", ".codex/config.toml", "features = {hooks = false}\n", "features.hooks", codex),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\"hooksConfig\":{\"enabled\":false}}",
            "hooksConfig.enabled",
            gemini,
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{/* \" */ \"hooksConfig\":{\"disabled\":[\"x\",\"metier\",]}}",
            "hooksConfig.disabled",
            gemini,
        ),
    ] {
        let world = set_up(agent);
        world.write(format!("project/{file}"), text);
        let path = format!("[WORLD]/project/{file}");
        only(&world, "hooks-off", &path, &[&format!("`{key}` in"), advice]);
        let run = metier(&world, &["hook", "check", agent, "--json"]);
        assert_eq!((run.code, &run.json()["off"][0]["key"]), (1, &json!(key)));
        std::fs::remove_file(world.project().join(file)).unwrap();
        assert_eq!(findings(&world).0, [], "{agent}");
    }
}

#[test]
fn a_switch_in_the_users_own_settings_counts_too() {
    // U5
    for (agent, file, text) in [
        ("claude-code", "home/.claude/settings.json", "{\"disableAllHooks\":true}"),
        ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini-cli", "home/.gemini/settings.json", "{\"hooksConfig\":{\"enabled\":false}}"),
    ] {
        let world = agents_world();
        world.write(file, text);
        assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0);
        only(&world, "hooks-off", &format!("[WORLD]/{file}"), &["switches hooks off in"]);
    }
}

#[test]
fn a_switch_where_the_agent_is_started_counts_too() {
    // U5
    let world = set_up("claude-code");
    world.write("project/.git/HEAD", "ref: refs/heads/main\n");
    world.write("project/a/.claude/settings.json", "{\"disableAllHooks\":true}");
    world.write("project/a/b/x", "");
    let mut command = world.command(METIER);
    let output =
        command.args(["doctor"]).current_dir(world.project().join("a/b")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("hooks-off") && text.contains("a/.claude/settings.json"), "{text}");
    assert_eq!(findings(&world).0, [], "above it, it does not count");
}

#[test]
fn a_variable_that_leaves_plugins_out_is_reported() {
    // U5
    let mut world = set_up("opencode");
    for (value, off) in [("0", false), ("", false), ("1", true)] {
        world.env("OPENCODE_PURE", value);
        assert_eq!(!findings(&world).0.is_empty(), off, "{value}");
    }
    let words = ["`OPENCODE_PURE` in the environment", "`env -u OPENCODE_PURE opencode` starts"];
    only(&world, "hooks-off", "OPENCODE_PURE", &words);
}

#[test]
fn hooks_that_somebody_changed_are_reported_and_set_up_again() {
    // U5
    for (agent, file, from, to) in [
        ("claude-code", "home/.claude/settings.json", "PreToolUse", "PreTool"),
        ("codex", "home/.codex/hooks.json", "PreToolUse", "PostToolUse"),
        ("gemini-cli", "home/.gemini/settings.json", "\".*\"", "\"read_file\""),
        ("opencode", "home/.config/opencode/plugin/metier.js", "throw", "return; throw"),
    ] {
        let world = set_up(agent);
        let path = world.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let (found, whole, status) = findings(&world);
        assert_eq!(status, 1);
        assert!(found.contains(&("hooks-edited".to_owned(), format!("[WORLD]/{file}"))), "{whole}");
        let run = metier(&world, &["doctor"]);
        let advice = format!("`metier hook setup {agent}` writes them again");
        assert!(run.stdout.contains("hooks-edited") && run.stdout.contains(&advice), "{run:?}");
        assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0);
        assert_eq!(findings(&world).0, [], "{agent}");
    }
}

#[test]
fn hooks_of_others_before_and_after_are_none_of_the_doctors_business() {
    // U5
    let world = set_up("claude-code");
    let path = world.home().join(".claude/settings.json");
    let mut root: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let groups = root["hooks"]["PreToolUse"].as_array_mut().unwrap();
    let other = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]});
    groups.insert(0, other.clone());
    groups.push(other);
    std::fs::write(&path, root.to_string()).unwrap();
    assert_eq!(findings(&world).0, []);
    // Codex knows a hook by its place, so there the same takes the trust away.
    let world = set_up("codex");
    let path = world.home().join(".codex/hooks.json");
    let mut root: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    root["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, json!({"hooks": []}));
    std::fs::write(&path, root.to_string()).unwrap();
    let words = ["does not trust the hook", "`metier hook setup codex` records the trust again"];
    only(&world, "hooks-untrusted", "[WORLD]/home/.codex/config.toml", &words);
    assert_eq!(metier(&world, &["hook", "setup", "codex"]).code, 0);
    assert_eq!(findings(&world).0, []);
}

#[test]
fn trust_that_codex_lost_is_reported() {
    // U5
    let world = set_up("codex");
    let path = world.home().join(".codex/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("sha256:", "sha256:0", 1)).unwrap();
    only(&world, "hooks-untrusted", "[WORLD]/home/.codex/config.toml", &["so it does not run"]);
}

#[test]
fn a_program_that_moved_is_reported() {
    // U5
    for agent in AGENTS {
        let world = agents_world();
        let copy = world.path().join("metier-copy");
        std::fs::copy(METIER, &copy).unwrap();
        assert_eq!(world.run(copy.to_str().unwrap(), &["hook", "setup", agent]).code, 0);
        assert_eq!(findings(&world).0, []);
        std::fs::remove_file(&copy).unwrap();
        let advice = format!("`metier hook setup {agent}` makes them start this program");
        only(&world, "hooks-program", "[WORLD]/metier-copy", &["cannot be started", &advice]);
        let run = metier(&world, &["hook", "check", agent]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("cannot be started"), "{run:?}");
        assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0);
        assert_eq!(findings(&world).0, []);
    }
}

#[test]
fn a_server_that_is_gone_is_a_warning_and_a_record_nobody_can_read_an_error() {
    // U5
    let world = set_up("claude-code");
    world.write("home/.claude.json", "{}");
    let (found, whole, status) = findings(&world);
    assert_eq!(found, [("hooks-server".to_owned(), "[WORLD]/home/.claude.json".to_owned())]);
    assert_eq!((status, &whole[0]["severity"]), (1, &json!("warning")));
    world.write("home/.local/share/metier/hooks/claude-code.json", "no record");
    let run = metier(&world, &["doctor"]);
    assert!(run.stdout.contains("error unreadable: "), "{run:?}");
}

#[test]
fn hooks_that_nothing_is_written_down_about_are_reported_and_mended() {
    // U5
    for agent in AGENTS {
        let world = set_up(agent);
        let records = world.home().join(".local/share/metier/hooks");
        std::fs::remove_dir_all(&records).unwrap();
        let (found, whole, status) = findings(&world);
        assert_eq!((found.len(), status), (1, 1), "{whole}");
        assert_eq!(
            (&whole[0]["code"], &whole[0]["severity"]),
            (&json!("hooks-unrecorded"), &json!("warning"))
        );
        let advice = format!("`metier hook remove {agent}` takes them out");
        assert!(whole[0]["fix"].as_str().unwrap().contains(&advice), "{whole}");
        let fixed = metier(&world, &["doctor", "--fix", "--json"]).json();
        assert_eq!(fixed["fixed"][0]["code"], "hooks-unrecorded", "{fixed}");
        assert_eq!(findings(&world).0, []);
        assert!(records.join(format!("{agent}.json")).is_file());
        assert_eq!(metier(&world, &["hook", "check", agent]).code, 0);
    }
    // A record in the home that the hooks themselves name is one.
    let world = agents_world();
    let other = world.path().join("other");
    let home = other.to_str().unwrap();
    assert_eq!(metier(&world, &["--home", home, "hook", "setup", "codex"]).code, 0);
    assert_eq!(findings(&world).0, []);
}

#[test]
fn hooks_of_another_metier_whose_program_is_gone_are_reported_and_mended() {
    // U5
    let world = agents_world();
    let old = "/old/metier hook claude-code || exit 2 # written by metier";
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": old}]}]}});
    let path = world.write("home/.claude/settings.json", text.to_string());
    let (found, whole, _) = findings(&world);
    let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(codes, ["hooks-program", "hooks-unrecorded"], "{whole}");
    let check = metier(&world, &["hook", "check", "claude-code"]);
    assert_eq!(check.code, 1, "{check:?}");
    assert!(check.stdout.contains("not as this metier writes them"), "{check:?}");
    assert_eq!(metier(&world, &["doctor", "--fix"]).code, 0);
    assert_eq!(findings(&world).0, []);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(METIER) && !text.contains("/old/metier"), "{text}");
}

#[test]
fn settings_nobody_can_read_are_no_finding_where_metier_has_no_hooks() {
    // U5
    let world = agents_world();
    let path = world.write("home/.claude/settings.json", "{");
    assert_eq!(metier(&world, &["doctor"]).code, 0);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert_eq!(metier(&world, &["doctor"]).code, 0);
}

#[test]
fn a_file_that_metier_cannot_read_and_that_speaks_of_a_switch_counts_as_off() {
    // U5
    for (agent, file, text) in [
        ("codex", ".codex/config.toml", &b"[features]\nhooks = \n"[..]),
        ("claude-code", ".claude/settings.json", b"{\"disableAllHooks\": tru"),
        ("claude-code", ".claude/settings.json", b"{\"x\": \"\xff\", \"disableAllHooks\": true}"),
        ("gemini-cli", ".gemini/settings.json", b"{\"hooksConfig\": {"),
    ] {
        let world = set_up(agent);
        world.write(format!("project/{file}"), text);
        let path = format!("[WORLD]/project/{file}");
        only(&world, "hooks-off", &path, &["switches hooks off"]);
        assert_eq!(metier(&world, &["hook", "check", agent]).code, 1);
        // Nor can a file be too long to be looked at.
        let long = std::fs::File::create(world.project().join(file)).unwrap();
        long.set_len(33 * 1024 * 1024).unwrap();
        only(&world, "hooks-off", &path, &["switches hooks off"]);
    }
}

#[test]
fn what_a_killed_setup_left_in_an_agents_directory_goes() {
    // U5, P5
    let world = set_up("gemini-cli");
    // No process has this number.
    let draft = world.home().join(".gemini/.metier-settings-4294967295-1-Ab3xYz");
    for args in [&["hook", "setup", "gemini-cli"][..], &["doctor", "--fix"]] {
        std::fs::write(&draft, "{}").unwrap();
        let run = metier(&world, args);
        assert_eq!((run.code, draft.exists()), (0, false), "{args:?}: {run:?}");
        assert_eq!(run.stderr.contains("1 draft"), args[0] == "doctor", "{}", run.stderr);
    }
    std::fs::write(&draft, "{}").unwrap();
    assert_eq!(metier(&world, &["hook", "remove", "gemini-cli"]).code, 0);
    assert!(!draft.exists());
}
