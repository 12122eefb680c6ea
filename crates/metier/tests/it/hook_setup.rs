use std::io::Write as _;
use std::process::{Command, Stdio};

use metier_testing::World;
use serde_json::{Value, json};

use crate::hook::agents_world;
use crate::{METIER, metier};

const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// Every file below the world's home but metier's own, with its text.
fn settings(world: &World) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![world.home()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(world.home()).unwrap().to_str().unwrap().to_owned();
            match path.is_dir() {
                true if name != ".local" => left.push(path),
                true => {}
                false => found.push((name, std::fs::read_to_string(&path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

/// Settings as people have them: comments, odd layout, hooks of their own.
fn furnish(world: &World) {
    world.write(
        "home/.claude/settings.json",
        "{ \"model\":\"opus\",\n   \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": \
         [{\"type\":\"command\",\"command\":\"mine\"}]}]}, \"n\": 1e3 }",
    );
    world.write(
        "home/.claude.json",
        "{\"numStartups\":7,\"mcpServers\":{\"x\":{\"command\":\"x\"}}}",
    );
    world.write(
        "home/.codex/config.toml",
        "# mine\nmodel = 'm'   # odd\n[features]\nhooks = true\n",
    );
    world.write("home/.codex/hooks.json", "{\"description\":\"d\",\"hooks\":{\"Stop\":[]}}\n");
    world.write("home/.gemini/settings.json", "{\n\t\"security\": {\"auth\": {}}\n}\n\n");
    world.write("home/.config/opencode/opencode.json", "{\"$schema\": \"x\"}");
}

/// A world whose agents have settings.
fn furnished_world() -> World {
    let world = agents_world();
    furnish(&world);
    world
}

#[test]
fn removing_restores_every_byte() {
    // U5
    for world in [agents_world(), furnished_world()] {
        let before = settings(&world);
        for agent in AGENTS {
            // Twice is as good as once.
            for _ in 0..2 {
                let run = metier(&world, &["hook", "setup", agent]);
                assert_eq!(run.code, 0, "{run:?}");
            }
            let run = metier(&world, &["hook", "check", agent, "--json"]);
            assert_eq!((run.code, &run.json()["installed"]), (0, &json!(true)), "{run:?}");
        }
        assert_ne!(settings(&world), before);
        for agent in AGENTS {
            assert_eq!(metier(&world, &["hook", "remove", agent]).code, 0);
            let run = metier(&world, &["hook", "check", agent, "--json"]);
            assert_eq!((run.code, &run.json()["installed"]), (1, &json!(false)));
            assert_eq!(metier(&world, &["hook", "remove", agent]).code, 1, "there is nothing left");
        }
        assert_eq!(settings(&world), before);
    }
}

#[test]
fn linking_with_hooks_is_setting_them_up() {
    // U5, P7
    let world = furnished_world();
    let before = settings(&world);
    for agent in AGENTS {
        let run = metier(&world, &["link", agent, "--hooks"]);
        assert_eq!(run.code, 0, "{run:?}");
        let run = metier(&world, &["hook", "check", agent, "--json"]);
        assert_eq!((run.code, &run.json()["installed"]), (0, &json!(true)), "{run:?}");
        let agents = metier(&world, &["agents", "--all", "--json"]).json();
        let is_it = |shape: &&Value| shape["id"] == agent;
        let shape = agents["agents"].as_array().unwrap().iter().find(is_it).unwrap();
        assert_eq!(shape["hooks"], true, "{agent}");
        let run = metier(&world, &["unlink", agent, "--hooks", "--json"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.json().is_object(), "{run:?}");
    }
    assert_eq!(settings(&world), before);
    let run = metier(&world, &["link", "--hooks", "codex", "goose"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("no hooks for `goose`"), "{run:?}");
    assert_eq!(settings(&world), before);
}

#[test]
fn several_agents_get_and_lose_hooks_at_once_and_a_dry_run_only_says_so() {
    // U5, P7
    let world = furnished_world();
    let before = settings(&world);
    let with = |words: &[&str], agents: &[&str]| metier(&world, &[words, agents].concat());
    let run = with(&["link", "--hooks", "--dry-run"], &AGENTS);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("would be set up: Claude Code\n  /"), "{run:?}");
    let run = with(&["link", "--hooks", "--dry-run", "--json"], &AGENTS);
    let said = run.json();
    assert_eq!((&said["dry_run"], said["hooks"].as_array().unwrap().len()), (&json!(true), 4));
    assert_eq!(settings(&world), before, "nothing was done");
    assert!(!world.home().join(".local/share/metier/hooks").exists());
    let run = with(&["link", "--hooks", "--json"], &AGENTS);
    assert_eq!(run.json()["hooks"][1]["agent"], "codex", "{run:?}");
    let joined = settings(&world);
    assert_ne!(joined, before);
    let run = with(&["unlink", "--hooks", "--dry-run"], &AGENTS[..2]);
    assert!(run.stdout.contains("would be removed: Codex"), "{run:?}");
    assert_eq!(settings(&world), joined);
    let run = with(&["unlink", "--hooks", "--json"], &AGENTS[..2]);
    assert_eq!(run.json()["hooks"].as_array().unwrap().len(), 2, "{run:?}");
    let run = with(&["unlink", "--hooks"], &[]);
    assert!(run.stdout.contains("removed: Gemini CLI") && !run.stdout.contains("Codex"), "{run:?}");
    assert_eq!(settings(&world), before);
    assert_eq!(with(&["unlink", "--hooks"], &[]).stdout, "there was nothing to remove\n");
    // One that cannot be done is found before anything is done for the others.
    world.write("home/.gemini/settings.json", "{");
    let before = settings(&world);
    assert_eq!(with(&["link", "--hooks"], &AGENTS).code, 1);
    assert_eq!(settings(&world), before);
}

#[test]
fn unlinking_an_agent_takes_its_hooks_too_and_says_so() {
    // U5, P7
    let world = furnished_world();
    let before = settings(&world);
    for agents in [&["claude-code"][..], &[]] {
        assert_eq!(metier(&world, &["link", "claude-code", "--hooks"]).code, 0);
        let run = metier(&world, &[&["unlink", "--dry-run"][..], agents].concat());
        assert!(run.stdout.contains("would be removed: Claude Code"), "{run:?}");
        let run = metier(&world, &["unlink", "claude-code", "--layer", "project"]);
        assert_eq!(run.code, 1, "hooks are in no project: {run:?}");
        let hint = "hint: `metier unlink claude-code --hooks` takes its hooks away";
        assert!(run.stderr.contains(hint), "{run:?}");
        let run = metier(&world, &[&["unlink"][..], agents].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.contains("removed: Claude Code\n  /"), "{run:?}");
        assert!(!run.stdout.contains("there was nothing"), "{run:?}");
        assert_eq!(settings(&world), before, "byte for byte");
    }
    let run = metier(&world, &["unlink", "claude-code"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("is not linked in the personal layer"), "{run:?}");
    assert_eq!(metier(&world, &["unlink"]).stdout, "there was nothing to remove\n");
    // With links and hooks there are both in one answer.
    assert_eq!(metier(&world, &["link", "claude-code"]).code, 0);
    assert_eq!(metier(&world, &["link", "claude-code", "--hooks"]).code, 0);
    let said = metier(&world, &["unlink", "claude-code", "--json"]).json();
    assert_eq!((&said["agents"], &said["hooks"][0]["done"]), (&json!([]), &json!("removed")));
    assert_eq!(metier(&world, &["unlink", "claude-code"]).code, 1);
}

#[test]
fn what_changed_meanwhile_keeps_its_changes() {
    // U5
    let world = agents_world();
    furnish(&world);
    for agent in AGENTS {
        metier(&world, &["hook", "setup", agent]);
    }
    let path = world.home().join(".claude/settings.json");
    let mut root: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    root["theme"] = json!("dark");
    std::fs::write(&path, root.to_string()).unwrap();
    let config = world.home().join(".codex/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}\n[projects.x]\ntrust_level = \"trusted\"\n")).unwrap();
    let run = metier(&world, &["hook", "check", "claude-code"]);
    assert_eq!(run.code, 0, "a change beside metier's entries is no fault: {run:?}");
    for agent in AGENTS {
        assert_eq!(metier(&world, &["hook", "remove", agent]).code, 0);
    }
    let root: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let keys: Vec<&String> = root.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "hooks", "n", "theme"]);
    assert_eq!(root["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("# mine\nmodel = 'm'   # odd\n"), "{text}");
    assert!(text.contains("[projects.x]") && !text.contains("metier"), "{text}");
}

/// Every file of settings in JSON, of every agent.
const JSON_FILES: [(&str, &str); 5] = [
    ("claude-code", ".claude/settings.json"),
    ("claude-code", ".claude.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("opencode", ".config/opencode/opencode.json"),
];

#[test]
fn settings_with_comments_get_their_hooks_and_keep_every_byte() {
    // U5
    let comments = "// hi\n{\n  /* c */ \"a\": 1, // x\n  \"b\": [1,2,],\n}\n";
    let windows = "\u{feff}{\r\n  \"a\": 1,\r\n  \"a\": 2\r\n}\r\n";
    for (agent, file) in JSON_FILES {
        for text in [comments, windows, "{\"n\":12345678901234567890123,\"f\":1.0}"] {
            let world = agents_world();
            let path = world.write(format!("home/{file}"), text);
            let run = metier(&world, &["link", agent, "--hooks"]);
            // Codex itself takes neither comments nor a mark.
            if agent == "codex" && !text.starts_with("{\"n\"") {
                assert_eq!(run.code, 1, "{run:?}");
                assert!(run.stderr.contains("is not plain JSON"), "{run:?}");
                assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
                continue;
            }
            assert_eq!(run.code, 0, "{file} {text} {run:?}");
            let joined = std::fs::read_to_string(&path).unwrap();
            for kept in text.split(['}', '\n']).filter(|line| line.len() > 3) {
                assert!(joined.contains(kept.trim_end_matches('\r')), "{kept:?} {joined}");
            }
            let check = metier(&world, &["hook", "check", agent]);
            assert_eq!(check.code, 0, "{file} {check:?} {joined}");
            assert_eq!(metier(&world, &["unlink", agent, "--hooks"]).code, 0);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{file}");
        }
    }
}

#[test]
fn what_changed_meanwhile_keeps_its_comments_too() {
    // U5
    let world = agents_world();
    let text = "{\n  // mine\n  \"model\": \"x\" // best\n}\n";
    let path = world.write("home/.gemini/settings.json", text);
    assert_eq!(metier(&world, &["hook", "setup", "gemini-cli"]).code, 0);
    let joined = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, joined.replace("// mine", "// ours")).unwrap();
    assert_eq!(metier(&world, &["hook", "remove", "gemini-cli"]).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text.replace("// mine", "// ours"));
}

#[test]
fn settings_metier_cannot_read_are_not_touched() {
    // U5
    for (agent, file) in JSON_FILES {
        let world = agents_world();
        let text = "{\n  \"model\": \"x\n}\n";
        let path = world.write(format!("home/{file}"), text);
        let run = metier(&world, &["hook", "setup", agent]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("JSON: "), "{run:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("nowhere.json", &path).unwrap();
        let run = metier(&world, &["hook", "setup", agent]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("it is a link that leads nowhere"), "{run:?}");
        assert_eq!(std::fs::read_link(&path).unwrap().to_str(), Some("nowhere.json"));
    }
    let world = agents_world();
    let run = metier(&world, &["hook", "setup", "goose"]);
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn the_command_in_the_settings_blocks_when_the_program_is_gone() {
    // U5
    let world = agents_world();
    metier(&world, &["hook", "setup", "claude-code"]);
    let text = std::fs::read_to_string(world.home().join(".claude/settings.json")).unwrap();
    let root: Value = serde_json::from_str(&text).unwrap();
    let command =
        root["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let run = |command: &str| {
        let mut shell = world.command("/bin/sh");
        let output = shell.args(["-c", command]).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), output.stdout, output.stderr)
    };
    let (code, stdout, stderr) = run(&command);
    assert_eq!((code, stderr.len()), (Some(0), 0));
    assert!(stdout.starts_with(b"{\"decision\":\"block\""), "an empty event is blocked");
    let (code, stdout, stderr) = run(&command.replace(METIER, "/nowhere/metier"));
    assert_eq!((code, stdout.len()), (Some(2), 0));
    assert!(!stderr.is_empty());
}

#[test]
fn a_repository_that_switches_hooks_off_is_reported() {
    // U5
    let world = agents_world();
    world.write("project/.codex/config.toml", "[features]\nhooks = false\n");
    world.write("project/.gemini/settings.json", "{\"hooksConfig\": {\"disabled\": [\"metier\"]}}");
    for (agent, key) in [("codex", "features.hooks"), ("gemini-cli", "hooksConfig.disabled")] {
        metier(&world, &["hook", "setup", agent]);
        let run = metier(&world, &["hook", "check", agent, "--json"]);
        let answer = run.json();
        assert_eq!((run.code, &answer["off"][0]["key"]), (1, &json!(key)), "{answer}");
        assert_eq!(answer["installed"], json!(true));
    }
}

/// The command that an agent's settings have for tool calls.
fn command_of(world: &World) -> String {
    let text = std::fs::read_to_string(world.home().join(".claude/settings.json")).unwrap();
    let root: Value = serde_json::from_str(&text).unwrap();
    root["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_project_puts_into_the_environment_changes_no_answer() {
    // U5
    let world = agents_world();
    world.write("home/.config/metier/policy.toml", "default = \"deny\"\n");
    let config = world.write("project/mine.toml", "policy = \"mine-policy.toml\"\n");
    world.write("project/mine-policy.toml", "default = \"allow\"\n");
    world.write("project/elsewhere/.config/metier/policy.toml", "default = \"allow\"\n");
    let elsewhere = world.project().join("elsewhere");
    metier(&world, &["hook", "setup", "claude-code"]);
    let command = command_of(&world);
    for variable in
        ["METIER_CONFIG", "METIER_HOME", "METIER_PROJECT", "METIER_SKILLS", "METIER_SESSION"]
            .into_iter()
            .chain([
                "METIER_JOURNAL",
                "HOME",
                "XDG_CONFIG_HOME",
                "XDG_DATA_HOME",
                "CLAUDE_CONFIG_DIR",
            ])
    {
        let value = match variable {
            "METIER_CONFIG" => config.clone(),
            "METIER_SKILLS" => "none".into(),
            "METIER_SESSION" => "theirs".into(),
            "METIER_JOURNAL" => elsewhere.join("journal.jsonl"),
            "XDG_CONFIG_HOME" => elsewhere.join(".config"),
            _ => elsewhere.clone(),
        };
        let mut shell = world.command("/bin/sh");
        shell.args(["-c", &command]).env(variable, value);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let event = json!({"session_id": "s", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("{\"decision\":\"block\""), "{variable}: {text}");
    }
    let journal = world.home().join(".local/share/metier/sessions/claude-code.s.jsonl");
    let frames = std::fs::read_to_string(journal).unwrap();
    assert_eq!(frames.matches("\"tool_restriction_violated\"").count(), 10, "{frames}");
    assert!(!elsewhere.join("sessions").exists() && !elsewhere.join("journal.jsonl").exists());
}

#[test]
fn the_home_a_user_has_when_hooks_are_set_up_stays_theirs() {
    // U5
    let mut world = agents_world();
    let mine = world.path().join("mine");
    world.env("METIER_HOME", mine.to_str().unwrap());
    assert_eq!(metier(&world, &["hook", "setup", "claude-code"]).code, 0);
    let command = command_of(&world);
    assert!(command.contains(&format!("--home {} hook", mine.display())), "{command}");
    assert_eq!(metier(&world, &["hook", "check", "claude-code"]).code, 0);
}

#[test]
fn a_project_that_sets_what_metier_goes_by_is_reported() {
    // U5
    let world = agents_world();
    world.write("project/.claude/settings.json", "{\"env\": {\"METIER_CONFIG\": \"/x\"}}");
    world.write("project/.env", "METIER_HOME=/x\n");
    // The user's own are the user's wish.
    world.write("home/.claude/settings.json", "{\"env\": {\"METIER_TASK\": \"t\"}}");
    for (agent, keys) in [
        ("claude-code", &["env.METIER_CONFIG", "METIER_HOME"][..]),
        ("codex", &[]),
        ("gemini-cli", &["METIER_HOME"]),
        ("opencode", &["METIER_HOME"]),
    ] {
        metier(&world, &["hook", "setup", agent]);
        let run = metier(&world, &["hook", "check", agent, "--json"]);
        let answer = run.json();
        let off = answer["off"].as_array().unwrap();
        let found: Vec<&str> = off.iter().map(|off| off["key"].as_str().unwrap()).collect();
        assert_eq!(found, keys, "{answer}");
        assert_eq!(run.code, i32::from(!keys.is_empty()), "{answer}");
        assert!(off.iter().all(|off| off["effect"] == "variable-set"), "{answer}");
    }
    let doctor = metier(&world, &["doctor"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    let words = "`env.METIER_CONFIG` in `";
    assert!(doctor.stdout.contains(words), "{doctor:?}");
    assert!(doctor.stdout.contains("changes what metier's hooks go by in Claude Code"));
}

/// Runs the plugin as opencode would, with `script` after it.
fn plugin(world: &World, script: &str) -> (String, bool) {
    let plugin = world.home().join(".config/opencode/plugin/metier.js");
    let text = format!(
        "import {{ Metier }} from {};\n\
         const sessions = {{ p: {{ id: 'p' }}, child: {{ id: 'child', parentID: 'p' }} }};\n\
         const client = {{ session: {{ get: async ({{ path }}) => ({{ data: sessions[path.id] }}) }} }};\n\
         const hooks = await Metier({{ client, directory: process.cwd() }});\n\
         const call = async (session, tool, args) => {{\n  try {{ await hooks[\"tool.execute.before\"](\
         {{ tool, sessionID: session, callID: \"c\" }}, {{ args }}); console.log(\"runs\") }}\n  \
         catch (error) {{ console.log(error.message) }}\n}}\n{script}\n",
        json!(plugin.to_str().unwrap())
    );
    let file = world.write("drive.mjs", text);
    let mut command = world.command("/usr/bin/env");
    let output = command.arg("node").arg(file).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (String::from_utf8(output.stdout).unwrap() + &stderr, output.status.success())
}

#[test]
fn the_plugin_for_opencode_throws_unless_metier_says_nothing() {
    // U5
    let node = Command::new("/usr/bin/env").args(["node", "--version"]).output().unwrap();
    assert!(node.status.success(), "this test needs node, as the plugin's users have it");
    let world = agents_world();
    metier(&world, &["hook", "setup", "opencode"]);
    let path = world.home().join(".config/opencode/plugin/metier.js");
    let renamed = path.with_extension("mjs");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text).unwrap();
    std::fs::write(renamed, text).unwrap();
    // Node takes a file for a module by its package; opencode always does.
    world.write("home/.config/opencode/plugin/package.json", "{\"type\":\"module\"}");
    let (output, ended) = plugin(
        &world,
        "await call('p', 'bash', { command: 'touch T' });\n\
         await call('p', 'skill', { name: 'gitty' });\n\
         await call('p', 'bash', { command: 'git status' });\n\
         await call('p', 'bash', { command: 'git status && touch T' });\n\
         await call('child', 'write', { filePath: 'T', content: '' });\n\
         await call('unheard-of', 'bash', { command: 'git status' });\n\
         await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 'child', parentID: 'p' } } } });\n\
         await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 'p' } } } });\n\
         await call('p', 'write', { filePath: 'T', content: '' });\n\
         await hooks['command.execute.before']({ command: 'gitty', sessionID: 'child', arguments: 'now' }, { parts: [] });\n\
         await call('p', 'write', { filePath: 'T', content: '' });\n\
         await hooks['command.execute.before']({ command: 'stranger', sessionID: 'p', arguments: '' }, { parts: [] })\n\
           .catch((error) => console.log(error.message));",
    );
    assert!(ended, "{output}");
    let lines: Vec<&str> = output.lines().collect();
    let refused = "metier: skill `gitty` does not allow";
    let expected = [
        "runs",
        "runs",
        "runs",
        refused,
        refused,
        "metier: nobody can tell who started the session unheard-of",
        "runs",
        refused,
        "metier: `stranger`",
    ];
    assert_eq!(lines.len(), expected.len(), "{output}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}, not {expected}\n{output}");
    }
    let text = std::fs::read_to_string(&path).unwrap().replace(METIER, "/nowhere/metier");
    std::fs::write(&path, text).unwrap();
    let (output, ended) = plugin(&world, "await call('p', 'bash', { command: 'git status' });");
    assert!(ended && output.starts_with("metier: it cannot be started"), "{output}");
}

#[test]
fn who_has_no_hooks_yet_is_told_how_to_get_them() {
    // U5, U1
    let world = agents_world();
    for agent in AGENTS {
        let check = metier(&world, &["hook", "check", agent]);
        assert_eq!(check.code, 1, "{agent}");
        let hint = format!("hint: `metier hook setup {agent}` sets them up");
        assert!(check.stderr.contains(&hint), "{}", check.stderr);
        assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0, "{agent}");
        assert!(!metier(&world, &["hook", "check", agent]).stderr.contains(&hint), "{agent}");
    }
}

/// Loses what is written down about hooks.
fn lose_records(world: &World) {
    std::fs::remove_dir_all(world.home().join(".local/share/metier/hooks")).unwrap();
}

#[test]
fn hooks_of_which_nothing_is_written_down_are_taken_out_by_their_mark() {
    // U5
    for world in [agents_world(), furnished_world()] {
        let before = settings(&world);
        for agent in AGENTS {
            assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0);
        }
        let joined = settings(&world);
        lose_records(&world);
        for agent in AGENTS {
            // They are there, whoever set them up.
            let run = metier(&world, &["hook", "check", agent]);
            assert_eq!(run.code, 0, "{run:?}");
            let run = metier(&world, &["unlink", agent, "--hooks"]);
            assert_eq!(run.code, 0, "{run:?}");
        }
        // A file of which nobody knows that metier made it stays, with nothing in it.
        let left = || {
            let mut left = settings(&world);
            left.retain(|(file, text)| {
                let is_empty = text.is_empty() || text == "{}\n";
                !is_empty || before.iter().any(|(earlier, _)| earlier == file)
            });
            left
        };
        assert_eq!(left(), before);
        // The same when the record is damaged.
        for (file, text) in joined {
            world.write(format!("home/{file}"), text);
        }
        world.write("home/.local/share/metier/hooks/gemini-cli.json", "no record");
        for agent in AGENTS {
            let run = metier(&world, &["hook", "remove", agent]);
            assert_eq!(run.code, 0, "{run:?}");
            let damaged = run.stderr.contains("is not a record of hooks");
            assert_eq!(damaged, agent == "gemini-cli", "{run:?}");
        }
        assert_eq!(left(), before);
    }
}

/// A hook as an older metier wrote it, beside one of the user's, and its server.
fn older(world: &World) -> (Value, Value) {
    let mine = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]});
    let old = "/old/metier hook claude-code || { echo gone >&2; exit 2; } # written by metier";
    let old = json!({"hooks": [{"type": "command", "command": old, "timeout": 5}]});
    let hooks = json!({"hooks": {"PreToolUse": [mine, old], "Stop": [old]}});
    world.write("home/.claude/settings.json", hooks.to_string());
    let server = json!({"type": "stdio", "command": "/old/metier", "args": ["mcp"]});
    let servers = json!({"mcpServers": {"metier": server, "x": {"command": "x"}}});
    world.write("home/.claude.json", servers.to_string());
    (json!({"hooks": {"PreToolUse": [mine]}}), json!({"mcpServers": {"x": {"command": "x"}}}))
}

#[test]
fn hooks_of_an_older_metier_do_not_come_back() {
    // U5
    let world = agents_world();
    let (hooks, servers) = older(&world);
    let read = |file: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(world.home().join(file)).unwrap()).unwrap()
    };
    let run = metier(&world, &["link", "claude-code", "--hooks"]);
    assert_eq!(run.code, 0, "{run:?}");
    let joined = read(".claude/settings.json").to_string() + &read(".claude.json").to_string();
    assert!(!joined.contains("/old/metier") && joined.contains(METIER), "{joined}");
    assert_eq!(metier(&world, &["hook", "check", "claude-code"]).code, 0);
    // Also when the record says that they were there before.
    let path = world.home().join(".local/share/metier/hooks/claude-code.json");
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let elsewhere = agents_world();
    older(&elsewhere);
    for (index, file) in [".claude/settings.json", ".claude.json"].into_iter().enumerate() {
        let old = std::fs::read_to_string(elsewhere.home().join(file)).unwrap();
        record["files"][index]["before"] = json!(old);
    }
    std::fs::write(&path, record.to_string()).unwrap();
    assert_eq!(metier(&world, &["unlink", "claude-code", "--hooks"]).code, 0);
    assert_eq!(
        (read(".claude/settings.json"), read(".claude.json")),
        (hooks.clone(), servers.clone())
    );
    // And when there never was a record.
    older(&world);
    assert_eq!(metier(&world, &["unlink", "claude-code", "--hooks"]).code, 0);
    assert_eq!((read(".claude/settings.json"), read(".claude.json")), (hooks, servers));
    // A file with nothing else in it stays a file.
    let old = "/old/metier hook claude-code || exit 2 # written by metier";
    let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": old}]}]}});
    for linked in [true, false] {
        world.write("home/.claude/settings.json", text.to_string());
        if linked {
            assert_eq!(metier(&world, &["link", "claude-code", "--hooks"]).code, 0);
        }
        assert_eq!(metier(&world, &["unlink", "claude-code", "--hooks"]).code, 0);
        assert_eq!(read(".claude/settings.json"), json!({}), "{linked}");
    }
}

#[test]
fn somebody_elses_server_called_metier_is_said_wherever_it_matters() {
    // U5
    let codex = "[mcp_servers.metier]\ncommand = \"mine\"\n";
    let json = "{\"mcpServers\":{\"metier\":{\"command\":\"mine\"}}}";
    let opencode = "{\"mcp\":{\"metier\":{\"type\":\"local\",\"command\":[\"mine\"]}}}";
    for (agent, file, text) in [
        ("claude-code", ".claude.json", json),
        ("codex", ".codex/config.toml", codex),
        ("gemini-cli", ".gemini/settings.json", json),
        ("opencode", ".config/opencode/opencode.json", opencode),
    ] {
        let world = agents_world();
        let path = world.write(format!("home/{file}"), text);
        let words = "another MCP server is called `metier` in `";
        let run = metier(&world, &["link", agent, "--hooks"]);
        assert_eq!(run.code, 0, "the hooks are there: {run:?}");
        assert!(run.stderr.contains(words), "{run:?}");
        let run = metier(&world, &["hook", "setup", agent, "--json"]);
        assert_eq!(run.json()["missing"][0]["what"], "foreign-server", "{run:?}");
        let run = metier(&world, &["hook", "check", agent]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains("are set up, and not its MCP server"), "{run:?}");
        assert!(run.stderr.contains(words) && !run.stderr.contains("sets them up"), "{run:?}");
        let run = metier(&world, &["doctor"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains("warning hooks-server: ") && run.stdout.contains(words));
        assert!(run.stdout.contains("give it another name"), "{run:?}");
        assert_eq!(metier(&world, &["hook", "remove", agent]).code, 0);
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn when_only_the_server_is_missing_check_says_just_that() {
    // U5
    let world = agents_world();
    assert_eq!(metier(&world, &["hook", "setup", "claude-code"]).code, 0);
    std::fs::remove_file(world.home().join(".claude.json")).unwrap();
    let run = metier(&world, &["hook", "check", "claude-code"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.stdout, "metier's hooks in Claude Code are set up, and not its MCP server\n");
    assert!(run.stderr.contains("metier's MCP server is not in `"), "{run:?}");
    assert!(run.stderr.contains("hint: `metier hook setup claude-code` puts it back"), "{run:?}");
}

/// Every directory below the world's home but metier's own.
fn folders(world: &World) -> Vec<String> {
    let (mut found, mut left) = (Vec::new(), vec![world.home()]);
    while let Some(directory) = left.pop() {
        let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.is_dir() && !path.ends_with(".local")) {
            found.push(path.strip_prefix(world.home()).unwrap().to_str().unwrap().to_owned());
            left.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn directories_that_were_made_go_with_the_hooks() {
    // U5
    let world = agents_world();
    std::fs::create_dir_all(world.home().join(".config/opencode")).unwrap();
    let before = folders(&world);
    for _ in 0..2 {
        for agent in AGENTS {
            assert_eq!(metier(&world, &["hook", "setup", agent]).code, 0);
        }
    }
    assert_ne!(folders(&world), before);
    for agent in AGENTS {
        assert_eq!(metier(&world, &["hook", "remove", agent]).code, 0);
    }
    assert_eq!(folders(&world), before, "those that were there stay, empty or not");
    // What somebody put there keeps its directory.
    assert_eq!(metier(&world, &["hook", "setup", "codex"]).code, 0);
    let mine = world.write("home/.codex/auth.json", "{}");
    assert_eq!(metier(&world, &["hook", "remove", "codex"]).code, 0);
    assert!(mine.is_file());
}
