use serde_json::json;

use super::*;

fn names(wishes: &[Wish]) -> Vec<&str> {
    wishes.iter().map(Wish::name).collect()
}

#[test]
fn each_agents_own_tool_is_a_wish() {
    // U5
    for (agent, tool, arguments, expected) in [
        (HookAgent::ClaudeCode, "Skill", json!({"skill": "a", "args": "x y"}), Some("a")),
        (HookAgent::ClaudeCode, "Skill", json!({"skill": 7}), Some("")),
        (HookAgent::ClaudeCode, "skill", json!({"skill": "a"}), None),
        (HookAgent::ClaudeCode, "Bash", json!({"command": "cat a/SKILL.md"}), None),
        (HookAgent::GeminiCli, "activate_skill", json!({"name": "a"}), Some("a")),
        (HookAgent::Opencode, "skill", json!({"name": "a"}), Some("a")),
        (HookAgent::Codex, "Skill", json!({"skill": "a"}), None),
        (HookAgent::Codex, "mcp__metier__skill_activate", json!({"name": "a"}), Some("a")),
        (HookAgent::Codex, "mcp__other__skill_activate", json!({"name": "a"}), None),
        (HookAgent::Codex, "mcp__metier__skill_show", json!({"name": "a"}), None),
        (HookAgent::Opencode, "metier_skill_activate", json!({"name": "a"}), Some("a")),
        (
            HookAgent::Opencode,
            "metier_skill_read",
            json!({"name": "a", "path": "SKILL.md"}),
            Some("a"),
        ),
        (HookAgent::ClaudeCode, "mcp__metier__skill_read", json!({"name": "a"}), Some("a")),
        (
            HookAgent::ClaudeCode,
            "mcp__metier__skill_read",
            json!({"name": "a", "path": "x.md"}),
            None,
        ),
        (
            HookAgent::ClaudeCode,
            "ReadMcpResourceTool",
            json!({"server": "metier", "uri": "skill://a/SKILL.md"}),
            Some("a"),
        ),
        (HookAgent::Opencode, "x_skill_activate", json!({"name": "a"}), None),
    ] {
        let wish = in_call(agent, &ToolCall::new(tool, arguments));
        assert_eq!(wish.as_ref().map(Wish::name), expected, "{tool}");
    }
}

#[test]
fn a_script_that_metiers_server_is_to_run_is_known_with_its_skill() {
    // U5
    for (agent, tool, expected) in [
        (HookAgent::ClaudeCode, "mcp__metier__script_run", Some("a")),
        (HookAgent::Codex, "mcp__metier__script_help", Some("a")),
        (HookAgent::Opencode, "metier_script_run", Some("a")),
        (HookAgent::Codex, "mcp__metier__skill_read", None),
        (HookAgent::Codex, "mcp__other__script_run", None),
    ] {
        let call = ToolCall::new(tool, json!({"name": "a", "script": "x", "uri": "skill://b/c"}));
        assert_eq!(script_of(agent, &call).as_deref(), expected, "{tool}");
        assert!(!is_resource(&call));
    }
}

#[test]
fn a_skill_read_as_a_resource_is_wanted_however_its_address_is_written() {
    // U5
    for (server, uri, expected) in [
        ("metier", "skill://a/SKILL.md", Some("a")),
        ("metier", "skill://a/SKILL%2Emd", Some("a")),
        ("metier", "skill://%61/%53KILL.md", Some("a")),
        ("Metier", "skill://a/skill.md", Some("a")),
        ("metier", "skill://a/references/x.md", None),
        ("metier", "skill://a%2FSKILL.md", None),
        ("metier", "file:///a/SKILL.md", None),
        ("other", "skill://a/SKILL.md", None),
    ] {
        let call = ToolCall::new("read_mcp_resource", json!({"server": server, "uri": uri}));
        let wish = in_call(HookAgent::Codex, &call);
        assert_eq!(wish.as_ref().map(Wish::name), expected, "{server} {uri}");
    }
}

#[test]
fn what_a_user_types_is_a_wish_where_the_agent_takes_it_for_one() {
    // U5
    for (agent, prompt, expected) in [
        (HookAgent::ClaudeCode, "/a b c", &["a"][..]),
        (HookAgent::ClaudeCode, "  /a", &["a"]),
        (HookAgent::ClaudeCode, "/plug:a x", &["a"]),
        (HookAgent::ClaudeCode, "/mcp__metier__a", &["a"]),
        (HookAgent::ClaudeCode, "see /a", &[]),
        (HookAgent::ClaudeCode, "/", &[]),
        (HookAgent::ClaudeCode, "$a", &[]),
        (HookAgent::Codex, "use $a and $b-c, not $a", &["a", "b-c"]),
        (HookAgent::Codex, "$", &[]),
        (HookAgent::Codex, "$$a$", &["a"]),
        (HookAgent::Codex, "/a", &[]),
        (HookAgent::GeminiCli, "/a $a", &[]),
        (
            HookAgent::GeminiCli,
            "\"<skill_content name=\\\"a\\\">\\nDo.\\n</skill_content>\\n\"",
            &["a"],
        ),
        (HookAgent::GeminiCli, "<skill_content name=\"a\">\nDo.\n</skill_content>\n", &["a"]),
        (HookAgent::GeminiCli, "What is <skill_content name=\"a\">?", &[]),
        (
            HookAgent::GeminiCli,
            "<skill_content name=\"a&amp;b\" origin=\"mcp:team\">\nDo.",
            &["a&b"],
        ),
        (HookAgent::Opencode, "/a $a", &[]),
    ] {
        assert_eq!(names(&in_prompt(agent, prompt).unwrap()), expected, "{prompt}");
    }
    let wishes = in_prompt(HookAgent::ClaudeCode, "/a  b c ").unwrap();
    assert_eq!(wishes.first().map(|wish| wish.arguments.as_str()), Some("b c"));
}

#[test]
fn a_mark_is_seen_behind_any_number_of_others() {
    // U5
    let many = |count: usize| (0..count).map(|at| format!("$v{at} ")).collect::<String>();
    let wishes = in_prompt(HookAgent::Codex, &format!("{} $gitty", many(MAX_MARKS - 1))).unwrap();
    assert_eq!(wishes.last().map(Wish::name), Some("gitty"));
    let same = "$x1 ".repeat(2 * MAX_MARKS);
    let wishes = in_prompt(HookAgent::Codex, &format!("{same}$gitty")).unwrap();
    assert_eq!(names(&wishes), ["x1", "gitty"]);
    assert_eq!(in_prompt(HookAgent::Codex, &many(MAX_MARKS + 1)), Err(Unclear::Marks));
}

#[test]
fn a_skills_text_is_known_by_what_the_wrapper_writes() {
    // U5
    for (name, origin) in [("refunds", Some("mcp:team")), ("refunds", None), ("a\"b<c>&d", None)] {
        let wrapped = metier_runtime::wrapper::wrap(&metier_runtime::wrapper::Wrapped {
            name,
            origin,
            body: "Do \"this\">.",
            directory: "/d",
            resources: &[],
            omitted: 0,
            more: "",
        });
        for prompt in [wrapped.clone(), serde_json::Value::from(wrapped.clone()).to_string()] {
            let wishes = in_prompt(HookAgent::GeminiCli, &prompt).unwrap();
            assert_eq!(names(&wishes), [name], "{prompt}");
            assert!(wishes.iter().all(|wish| wish.certain));
        }
    }
}

#[test]
fn what_begins_like_a_skills_text_and_cannot_be_read_is_no_plain_prompt() {
    // U5
    for prompt in [
        "<skill_content name=\"a",
        "<skill_content>",
        "<skill_content name=\"\">",
        "<skill_content name=\"a\" x=\"b\">",
        "<skill_content origin=\"x\" name=\"a\">",
        "  <skill_content name='a'>",
        "\"<skill_content name=\\\"a\\\">\\nDo.",
    ] {
        assert_eq!(in_prompt(HookAgent::GeminiCli, prompt), Err(Unclear::Wrapper), "{prompt}");
    }
}

#[test]
fn a_prompt_of_metiers_own_server_is_a_wish_for_the_skill() {
    // U5
    for name in ["mcp__metier__a", "metier:a", "/metier:a"] {
        let wish = in_command(name, "").expect("a wish");
        assert_eq!((wish.name(), wish.plugin()), ("a", None));
    }
}

#[test]
fn a_plugins_skill_is_told_from_others() {
    // U5
    let wish = in_command("plug:a", "").expect("a wish");
    assert!(wish.plugin() == Some("plug") && wish.name() == "a" && wish.trigger == Trigger::Manual);
}

#[test]
fn a_wish_is_shown_by_whatever_prints_a_file() {
    // U5
    let check = |agent, tool, expected| {
        let call = ToolCall::new(
            tool,
            json!({"command": "cat x/SKILL.md", "file_path": "x/SKILL.md", "filePath": "x/SKILL.md",
                   "pattern": "x/SKILL.md"}),
        );
        assert_eq!(look(agent, &call), expected, "{tool}");
    };
    check(HookAgent::Codex, "Bash", Some(Look::Closely));
    check(HookAgent::GeminiCli, "run_shell_command", Some(Look::Closely));
    check(HookAgent::ClaudeCode, "Bash", Some(Look::Nearby));
    check(HookAgent::Opencode, "bash", Some(Look::Nearby));
    check(HookAgent::ClaudeCode, "Read", Some(Look::Nearby));
    check(HookAgent::GeminiCli, "read_file", Some(Look::Nearby));
    check(HookAgent::Opencode, "read", Some(Look::Nearby));
    check(HookAgent::ClaudeCode, "Write", None);
    check(HookAgent::ClaudeCode, "Glob", None);
    check(HookAgent::Codex, "apply_patch", None);
    assert!(is_skill_file(Path::new("/a/SKILL.md")) && !is_skill_file(Path::new("/SKILL.md/a")));
}

#[test]
fn a_server_called_almost_like_metiers_activates_and_passes_nothing_by() {
    // U5, S3
    let read = |server: &str| {
        ToolCall::new("read_mcp_resource", json!({"server": server, "uri": "skill://a/SKILL.md"}))
    };
    for (server, exact) in [("metier", true), ("Metier", false), ("METIER", false)] {
        assert_eq!(is_resource(&read(server)), exact, "{server}");
        assert!(in_call(HookAgent::Codex, &read(server)).is_some(), "{server}");
    }
    for (tool, exact) in [
        ("mcp__metier__script_run", true),
        ("mcp__METIER__script_run", false),
        ("mcp__metier__Script_run", false),
    ] {
        let call = ToolCall::new(tool, json!({"name": "a"}));
        assert_eq!(script_of(HookAgent::ClaudeCode, &call).is_some(), exact, "{tool}");
    }
}

#[test]
fn tools_that_search_fetch_or_that_nobody_knows_are_looked_at() {
    // U5
    for (agent, tool, expected) in [
        (HookAgent::ClaudeCode, "Grep", Some(Look::Nearby)),
        (HookAgent::ClaudeCode, "WebFetch", Some(Look::Nearby)),
        (HookAgent::ClaudeCode, "mcp__fs__read_file", Some(Look::Nearby)),
        (HookAgent::GeminiCli, "grep_search", Some(Look::Nearby)),
        (HookAgent::Opencode, "grep", Some(Look::Nearby)),
        (HookAgent::ClaudeCode, "mcp__metier__skill_list", None),
        (HookAgent::ClaudeCode, "TodoWrite", None),
    ] {
        let call = ToolCall::new(tool, json!({"path": "/s", "url": "file:///s"}));
        assert_eq!(look(agent, &call), expected, "{tool}");
    }
}
