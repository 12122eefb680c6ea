use std::path::Path;

use super::*;

fn start() -> Start {
    Start { program: "/opt/my tools/metier".to_owned(), flags: Vec::new(), variables: Vec::new() }
}

fn places() -> Places {
    Places { home: Some(PathBuf::from("/h")), ..Places::default() }
}

/// The files of an agent, those named with these texts.
fn present(agent: HookAgent, texts: &[Option<&str>]) -> Vec<Present> {
    let targets = targets(agent, &places()).expect("targets");
    let text = |index: usize| texts.get(index).copied().flatten().map(str::to_owned);
    targets.into_iter().enumerate().map(|(i, target)| Present { target, text: text(i) }).collect()
}

/// Joins, and checks that parting gives back what was there.
fn there_and_back(agent: HookAgent, texts: &[Option<&str>]) -> Vec<String> {
    let files = present(agent, texts);
    let joined = join(agent, &files, &start()).expect("joined");
    let with = |texts: &[String]| -> Vec<Present> {
        let pair = |(file, text): (&Present, &String)| Present {
            text: Some(text.clone()),
            ..file.clone()
        };
        files.iter().zip(texts).map(pair).collect()
    };
    let again = join(agent, &with(&joined), &start()).expect("joined again");
    assert_eq!(again, joined, "joining twice is joining once");
    let parted = part(agent, &with(&joined), &[start()], &[]).expect("parted");
    for (file, parted) in files.iter().zip(parted) {
        assert_eq!(parted, file.text, "{}", file.target.path.display());
    }
    joined
}

#[test]
fn every_agent_gets_its_hooks_where_nothing_was() {
    // U5
    for agent in HookAgent::ALL {
        let joined = there_and_back(agent, &[]);
        let all = joined.concat();
        assert!(all.contains("/opt/my tools/metier") && all.contains("mcp"), "{all}");
        for (event, _) in agent.needed() {
            assert!(all.contains(event), "{event}");
        }
    }
}

#[test]
fn what_is_there_stays_in_its_order_and_layout() {
    // U5
    let claude = "{\n    \"zeta\": 1.5,\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\n                \
        \"matcher\": \"Bash\",\n                \"hooks\": [\n                    {\n                        \
        \"type\": \"command\",\n                        \"command\": \"mine\"\n                    }\n                \
        ]\n            }\n        ]\n    },\n    \"alpha\": \"\u{e9}\"\n}";
    let joined = there_and_back(HookAgent::ClaudeCode, &[Some(claude), None]);
    let text = joined.first().expect("one");
    assert!(text.starts_with("{\n    \"zeta\": 1.5"), "{text}");
    assert!(text.find("\"mine\"") < text.find(MARK) && text.ends_with("\"\u{e9}\"\n}"), "{text}");
    let gemini =
        "{\n\t\"mcpServers\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n";
    let joined = there_and_back(HookAgent::GeminiCli, &[Some(gemini)]);
    assert!(
        joined.concat().contains("\"timeout\": 30000")
            && joined.concat().contains("\t\t\"metier\"")
    );
    let codex = "# mine\nmodel = \"m\" # kept\n\n[hooks.state.\"/h/.codex/hooks.json:stop:0:0\"]\n\
        trusted_hash = \"sha256:1\"\n";
    let joined = there_and_back(HookAgent::Codex, &[None, Some(codex)]);
    let config = joined.get(1).expect("two");
    assert!(config.starts_with("# mine\nmodel = \"m\" # kept\n"), "{config}");
}

#[test]
fn comments_marks_and_odd_ends_of_lines_stay_where_they_are() {
    // U5
    let commented = "// mine\n{\n  /* c */ \"a\": 1, // x\n  \"b\": [1,2,],\n}\n";
    let windows = "\u{feff}{\r\n  \"a\": 1,\r\n  \"a\": 2,\r\n  \"hooks\": {\"Stop\": []}\r\n}\r\n";
    for text in [commented, windows] {
        for agent in [HookAgent::ClaudeCode, HookAgent::GeminiCli] {
            let joined = there_and_back(agent, &[Some(text), Some(text)]);
            let first = joined.first().expect("one");
            let mut rest = first.as_str();
            for line in text.lines().filter(|line| line.len() > 1) {
                let at = rest.find(line.trim_end_matches(['}', '{', ']'])).expect(line);
                rest = rest.get(at..).expect("a place");
            }
            let bare = first.replace("\r\n", "");
            assert_eq!(bare.contains('\n'), !text.contains('\r'), "{first}");
        }
    }
    let opencode = "{\n  // models\n  \"model\": \"x\"\n}\n";
    there_and_back(HookAgent::Opencode, &[None, Some(opencode)]);
    for config in [
        "mcp_servers = { other = { command = \"x\" } }\nhooks = { state = { a = { trusted_hash = \"1\" } } }\n",
        "\u{feff}model = \"x\" # y\r\n\r\n[a]\r\nb = 1\r\n",
        "mcp_servers.other.command = \"x\"\n",
    ] {
        let joined = there_and_back(HookAgent::Codex, &[None, Some(config)]);
        let joined = joined.get(1).expect("two");
        assert!(
            joined.contains("metier") && joined.contains("trusted_hash = \"sha256:"),
            "{joined}"
        );
        let document = joined.parse::<toml_edit::DocumentMut>().expect("TOML");
        assert!(document["mcp_servers"]["metier"]["command"].is_str(), "{joined}");
    }
}

#[test]
fn somebody_elses_server_of_the_same_name_is_left_alone() {
    // U5
    let own = "{\n  \"mcpServers\": {\n    \"metier\": {\n      \"command\": \"another\"\n    }\n  }\n}\n";
    let joined = there_and_back(HookAgent::ClaudeCode, &[None, Some(own)]);
    assert_eq!(joined.get(1).map(String::as_str), Some(own));
}

#[test]
fn settings_that_cannot_be_read_are_left_as_they_are() {
    // U5
    let check = |agent, texts: &[Option<&str>]| {
        join(agent, &present(agent, texts), &start()).expect_err("refused")
    };
    // Codex itself reads no comments: hooks in such a file would not run.
    for text in ["{\n  // mine\n}", "\u{feff}{}"] {
        assert!(matches!(
            check(HookAgent::Codex, &[Some(text)]),
            SetupError::Unreadable { format: "plain JSON", .. }
        ));
    }
    assert!(matches!(
        check(HookAgent::ClaudeCode, &[Some("{\"a\":")]),
        SetupError::Unreadable { format: "JSON", .. }
    ));
    assert!(matches!(check(HookAgent::GeminiCli, &[Some("[]")]), SetupError::Unreadable { .. }));
    assert!(matches!(
        check(HookAgent::Codex, &[None, Some("a = [")]),
        SetupError::Unreadable { format: "TOML", .. }
    ));
    for text in ["{\"hooks\": 7}", "{\"hooks\": {\"BeforeTool\": {}}}", "{\"mcpServers\": []}"] {
        assert!(matches!(check(HookAgent::GeminiCli, &[Some(text)]), SetupError::Shape { .. }));
    }
    assert!(matches!(
        check(HookAgent::Codex, &[None, Some("mcp_servers = 1\n")]),
        SetupError::Shape { .. }
    ));
    assert_eq!(targets(HookAgent::Codex, &Places::default()), Err(SetupError::NoPlace("Codex")));
}

#[test]
fn codex_knows_a_hook_by_this_digest() {
    // U5: what `hooks/list` of the real program says for these hooks.
    for (event, timeout, expected) in [
        ("PreToolUse", 30, "5e57e52998250b9960e1a63000946deddbbafd1caf1f4f2af427562144499000"),
        ("SessionEnd", 3, "5ffc9a50ea81dbba195647612caeac1c60397e128eb38256a4bac6ce836e6daf"),
        (
            "UserPromptSubmit",
            30,
            "f4e36a53a20ee311c77f9c009f9c7e1c74e3de73612e6b731f80f3e82888c39d",
        ),
    ] {
        let hash = trust_hash(event, "metier hook codex", timeout);
        assert_eq!(hash, format!("sha256:{expected}"));
    }
}

#[test]
fn trust_is_recorded_for_the_place_each_hook_has() {
    // U5
    let hooks = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": []}]}}";
    let files = present(HookAgent::Codex, &[Some(hooks), None]);
    let joined = join(HookAgent::Codex, &files, &start()).expect("joined");
    let config = joined.get(1).expect("two");
    assert!(config.contains("[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:1:0\"]"), "{config}");
    assert!(config.contains("[hooks.state.\"/h/.codex/hooks.json:session_end:0:0\"]"), "{config}");
}

#[test]
fn the_command_is_quoted_and_blocks_without_the_program() {
    // U5
    let command = start().command(HookAgent::Codex);
    assert!(command.starts_with("'/opt/my tools/metier' hook codex || { echo "), "{command}");
    assert!(command.ends_with("exit 2; } # written by metier"), "{command}");
    let pin = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let odd = Start {
        program: "/a'b".to_owned(),
        flags: vec!["--home".to_owned(), "/h".to_owned()],
        variables: vec![pin("HOME", "/my home"), pin("XDG_DATA_HOME", "")],
    };
    let command = odd.command(HookAgent::Codex);
    let expected = "HOME='/my home' XDG_DATA_HOME= '/a'\\''b' --home /h hook codex ||";
    assert!(command.starts_with(expected), "{command}");
    assert!(plugin(&odd).contains("[\"/a'b\",\"--home\",\"/h\"]"));
    assert!(plugin(&odd).contains("PINNED = {\"HOME\":\"/my home\",\"XDG_DATA_HOME\":\"\"}"));
}

#[test]
fn a_switch_that_turns_hooks_off_is_found_with_the_way_around_it() {
    // U5
    for (agent, text, keys) in [
        (HookAgent::ClaudeCode, "{\"disableAllHooks\": true}", &["disableAllHooks"][..]),
        (HookAgent::ClaudeCode, "{\"disableAllHooks\": false}", &[]),
        (HookAgent::ClaudeCode, "{", &[]),
        (HookAgent::Codex, "[features]\nhooks = false\n", &["features.hooks"]),
        (HookAgent::Codex, "features.hooks = true\n", &[]),
        (HookAgent::Codex, "[features]\nhooks = \n", &["features.hooks"]),
        (HookAgent::Codex, "[hooks.state]\nx = \n", &[]),
        (HookAgent::ClaudeCode, "{ 'disableAllHooks': 1", &["disableAllHooks"]),
        (HookAgent::GeminiCli, "{ hooksConfig: {}", &["hooksConfig"]),
        (HookAgent::GeminiCli, "{\"hooksConfig\": {\"enabled\": false}}", &["hooksConfig.enabled"]),
        (
            HookAgent::GeminiCli,
            "{\"hooksConfig\": {\"disabled\": [\"metier\"]}}",
            &["hooksConfig.disabled"],
        ),
        (
            HookAgent::GeminiCli,
            "{\"hooksConfig\": {\"disabled\": [\"x\"], \"enabled\": true}}",
            &[],
        ),
        (HookAgent::Opencode, "{}", &[]),
    ] {
        let found = off_switches(agent, Path::new("/p/f"), text);
        let found_keys: Vec<&str> = found.iter().map(|switch| switch.key.as_str()).collect();
        assert_eq!(found_keys, keys, "{text}");
        for switch in found {
            assert_eq!(switch.start.is_some(), agent != HookAgent::GeminiCli);
        }
    }
}

#[test]
fn a_projects_file_that_sets_what_metier_goes_by_is_found() {
    // U5
    for (agent, file, text, keys) in [
        (
            HookAgent::ClaudeCode,
            ".claude/settings.json",
            "{\"env\": {\"METIER_CONFIG\": \"x\", \"FOO\": \"y\", \"CODEX_HOME\": \"z\"}}",
            &["env.METIER_CONFIG", "env.CODEX_HOME"][..],
        ),
        (HookAgent::ClaudeCode, ".claude/settings.json", "{\"env\": {\"FOO\": \"HOME\"}}", &[]),
        (
            HookAgent::ClaudeCode,
            ".claude/settings.json",
            "{\"env\": {'LD_PRELOAD': 'x'}",
            &["env.LD_PRELOAD"],
        ),
        (HookAgent::ClaudeCode, ".env", "METIER_HOME=/x", &["METIER_HOME"]),
        (
            HookAgent::GeminiCli,
            ".env",
            "# HOME=\n export METIER_SKILLS = none\n",
            &["METIER_SKILLS"],
        ),
        (
            HookAgent::GeminiCli,
            ".gemini/.env",
            "A=METIER_HOME\nXDG_DATA_HOME: x",
            &["XDG_DATA_HOME"],
        ),
        (HookAgent::GeminiCli, ".gemini/settings.json", "{\"env\": {\"METIER_HOME\": 1}}", &[]),
        (
            HookAgent::Codex,
            ".codex/config.toml",
            "[shell_environment_policy.set]\nMETIER_SESSION = \"s\"\n",
            &["shell_environment_policy.set.METIER_SESSION"],
        ),
        (HookAgent::Codex, ".codex/config.toml", "shell_environment_policy = 1\n", &[]),
        (
            HookAgent::Codex,
            ".codex/config.toml",
            "[shell_environment_policy.set]\nMETIER_HOME = \"s\n",
            &["shell_environment_policy.set.METIER_HOME"],
        ),
        (HookAgent::Codex, ".codex/config.toml", "METIER_HOME = \n", &[]),
        (HookAgent::Opencode, ".env", "OPENCODE_PURE=1", &["OPENCODE_PURE"]),
    ] {
        let found = set_variables(agent, Path::new(file), text);
        let found_keys: Vec<&str> = found.iter().map(|switch| switch.key.as_str()).collect();
        assert_eq!(found_keys, keys, "{text}");
        assert!(found.iter().all(|switch| switch.effect == Effect::VariableSet));
    }
    for agent in HookAgent::ALL {
        let brought = project_files(agent).iter().chain(variable_files(agent));
        assert!(brought.count() > 0, "{}", agent.title());
    }
}

#[test]
fn a_file_nobody_can_look_into_counts_as_every_switch_it_may_hold() {
    // U5
    for (agent, keys) in [
        (HookAgent::ClaudeCode, &["disableAllHooks"][..]),
        (HookAgent::Codex, &["features.hooks"]),
        (HookAgent::GeminiCli, &["hooksConfig"]),
        (HookAgent::Opencode, &[]),
    ] {
        let found = unknown_switches(agent, Path::new("/p/f"));
        let found: Vec<&str> = found.iter().map(|switch| switch.key.as_str()).collect();
        assert_eq!(found, keys, "{}", agent.title());
    }
}

#[test]
fn whatever_can_switch_hooks_off_in_a_project_is_protected_by_name() {
    // U5, S3
    for agent in HookAgent::ALL {
        let protected = hook_settings(agent);
        assert!(!protected.is_empty(), "{agent:?}");
        for file in project_files(agent) {
            assert!(protected.contains(file), "{agent:?} {file}");
        }
        // What holds for the whole machine is above what a user says.
        let of_machine = protected.iter().any(|path| path.starts_with("etc/"));
        assert_eq!(of_machine, agent != HookAgent::Opencode, "{agent:?}");
        // A path from the root would be one place and not a name.
        assert!(protected.iter().all(|path| Path::new(path).is_relative()), "{agent:?}");
    }
}

/// What is left of the texts with metier's entries when those leave, where it is known what was there.
fn parted(agent: HookAgent, joined: &[String], before: &[Present]) -> Vec<Option<String>> {
    let targets = targets(agent, &places()).expect("targets").into_iter();
    let with = |(target, text): (Target, &String)| Present { target, text: Some(text.clone()) };
    let files: Vec<Present> = targets.zip(joined).map(with).collect();
    part(agent, &files, &[start()], before).expect("parted")
}

#[test]
fn what_somebody_made_stays_when_metiers_entries_leave_it() {
    // U5
    for (text, stays) in [
        ("{\"hooks\": {\"PreToolUse\": [ /* remark */ ], \"BeforeTool\": []}}", "/* remark */"),
        ("{\n  \"hooks\": {},\n  \"mcpServers\": {}\n}\n", "\"mcpServers\": {"),
        ("{\"hooks\":1,\"hooks\":{}}", "\"hooks\":1,\"hooks\":{"),
        ("{\"hooks\": /* mine */ {}, \"mcpServers\": { // servers\n}}", "// servers\n"),
        ("{\r\n  \"hooks\": { // a\n  }, // b\n  \"x\": 1 // c\n}\r\n", "// c\n}"),
    ] {
        for agent in [HookAgent::ClaudeCode, HookAgent::GeminiCli] {
            let before = present(agent, &[Some(text), Some(text)]);
            let joined = join(agent, &before, &start()).expect("joined");
            for left in parted(agent, &joined, &before) {
                let left = left.expect("it stays");
                assert!(left.contains(stays) && !left.contains("metier"), "{left}");
                let said = |text: &str| json::said(agent, text).expect("JSON");
                assert_eq!(said(&left), said(text), "{left}");
                assert_eq!(left.matches('/').count(), text.matches('/').count(), "{left}");
                assert_eq!(left.matches('\r').count(), text.matches('\r').count(), "{left:?}");
            }
        }
    }
}

#[test]
fn a_remark_in_what_metier_made_stays_with_the_table_it_is_in() {
    // U5
    let agent = HookAgent::GeminiCli;
    let joined = join(agent, &present(agent, &[None]), &start()).expect("joined").concat();
    assert_eq!(parted(agent, std::slice::from_ref(&joined), &[]), [None]);
    for (at, left) in [
        ("\"mcpServers\": {", "{\"mcpServers\":{/*\"mine\"*/}}"),
        ("\"hooks\": {", "{\"hooks\":{/*\"mine\"*/}}"),
        ("\"BeforeTool\": [", "{\"hooks\":{\"BeforeTool\":[/*\"mine\"*/]}}"),
    ] {
        let remarked = joined.replacen(at, &format!("{at} /* \"mine\" */"), 1);
        let parted: String = parted(agent, &[remarked], &[]).into_iter().flatten().collect();
        assert_eq!(parted.split_whitespace().collect::<String>(), left);
    }
    // A remark inside of metier's own entry is about that entry.
    let inside = joined.replacen("\"type\": \"command\"", "/* m */ \"type\": \"command\"", 1);
    assert_eq!(parted(agent, &[inside], &[]), [None]);
}

#[test]
fn tables_of_codex_that_somebody_wrote_stay() {
    // U5
    for config in [
        "[mcp_servers] # mine\n\n[hooks]\n# my hooks\n",
        "mcp_servers = {}\n\n[hooks.state] # trusted\n",
        "[hooks]\n",
    ] {
        there_and_back(HookAgent::Codex, &[None, Some(config)]);
    }
}
