//! chibi's plugin under hosts and skills that mean no good, or that just end.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use metier_testing::World;
use serde_json::{Value, json};

use crate::chibi_host::{Chibi, ERAS, Era, plugin};
use crate::metier;
use crate::seed_chibi::world;

const SKILLS: &str = "home/.agents/skills";

fn skill(world: &World, directory: &str, text: &str) {
    world.write(format!("{SKILLS}/{directory}/SKILL.md"), text);
}

#[test]
fn a_skill_cannot_be_named_into_the_hosts_files() {
    // U4, R1
    let world = world();
    world.write("home/.chibi/config.toml", "api_key = \"secret-canary\"\n");
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        for name in ["../../..", "..", ".", "", "/", "../../../../../../../../.."] {
            let read = json!({"skill": name, "path": "config.toml"});
            let text = host.call("read_skill_file", &read);
            assert!(text.starts_with("Error: ") && !text.contains("canary"), "{name}: {text}");
            let run = json!({"skill": name, "script": "usr/bin/id"});
            let text = host.call("run_skill_script", &run);
            assert!(text.starts_with("Error: ") && !text.contains("uid="), "{name}: {text}");
        }
    }
}

#[test]
fn removing_nothing_in_particular_removes_nothing() {
    // U4, P4
    let world = world();
    let text = "---\nname: sheets\ndescription: Sums rows.\n---\n\nSum.\n";
    world.write("src/sheets/SKILL.md", text);
    let source = world.path().join("src/sheets").to_string_lossy().into_owned();
    let mut host = Chibi::start(&world, Era::Stdin);
    let install = json!({"action": "install", "skill_ref": source});
    assert!(host.call("skill_marketplace", &install).starts_with("Successfully"));
    for what in [
        "..",
        "",
        ".",
        "anthropics/",
        "/",
        "../../agent-skills",
        "code-review",
        "../sheets",
        "./sheets",
        "a//sheets",
        "/sheets",
    ] {
        let text = host.call("skill_marketplace", &json!({"action": "remove", "skill_ref": what}));
        assert!(text.starts_with("Error: "), "{what}: {text}");
    }
    assert!(world.path().join(SKILLS).join("code-review/SKILL.md").exists());
    assert!(plugin(&world).exists());
}

#[test]
fn what_a_person_types_fails_as_every_other_command_does() {
    // U4, U1
    let world = world();
    let check = |words: &[&str], code: i32, says: &str| {
        let run = crate::metier(&world, &[&["chibi"], words].concat());
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{words:?}: {}", run.stderr);
        let run = crate::metier(&world, &[&["chibi", "--json"], words].concat());
        assert_eq!(run.code, code, "{words:?}");
        assert!(run.json().to_string().contains(says), "{words:?}: {}", run.stdout);
        // A host drops what a plugin says that fails.
        let args = json!({"args": words}).to_string();
        let mut host = world.command(crate::METIER);
        host.args(["chibi"]).env("CHIBI_TOOL_NAME", "agent-skills").env("CHIBI_TOOL_ARGS", args);
        let output = host.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.starts_with("Error: "), "{words:?}: {text}");
    };
    check(&["bogus"], 2, "Unknown action 'bogus'");
    check(&["install"], 2, "skill_ref required for install");
    check(&["search"], 2, "query required for search");
    check(&["remove", ".."], 1, "..");
    check(&["remove", "nobody"], 1, "nobody");
    for words in [&[][..], &["list_installed"], &["search", "review"], &["--schema"]] {
        let run = crate::metier(&world, &[&["chibi", "--json"], words].concat());
        assert_eq!(run.code, 0, "{words:?}: {}", run.stderr);
        assert!(!run.json().is_null(), "{words:?}: one document");
    }
}

#[test]
fn a_model_puts_no_skill_in_the_place_of_another() {
    // U4, P4
    let world = world();
    for (at, body) in [("ours", "Ours."), ("theirs", "Theirs.")] {
        let text = format!("---\nname: docs\ndescription: Docs. Use it.\n---\n\n{body}\n");
        world.write(format!("{at}/docs/SKILL.md"), text);
    }
    let place = |at: &str| world.path().join(at).join("docs").to_string_lossy().into_owned();
    assert_eq!(world.run(crate::METIER, &["add", &place("ours"), "--yes"]).code, 0);
    let mut host = Chibi::start(&world, Era::Stdin);
    let install = |at: &str| json!({"action": "install", "skill_ref": place(at)});
    let text = host.call("skill_marketplace", &install("theirs"));
    assert!(text.starts_with("Error: ") && text.contains("this is another one"), "{text}");
    let text = host.call("skill_docs", &json!({}));
    assert!(text.contains("Ours.") && !text.contains("Theirs."), "{text}");
}

#[test]
fn what_is_advertised_can_be_called() {
    // U4, D3
    let world = world();
    let described =
        |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\n\nBody.\n");
    skill(&world, "mism", &described("other-name"));
    skill(&world, "marketplace", &described("marketplace"));
    let long = "a".repeat(60);
    skill(&world, &long, &described(&long));
    let mut host = Chibi::start(&world, Era::Stdin);
    let tools: Vec<String> =
        host.tools.iter().filter_map(|t| Some(t["name"].as_str()?.to_owned())).collect();
    for tool in tools.iter().filter(|t| t.starts_with("skill_") && *t != "skill_marketplace") {
        let text = host.call(tool, &json!({}));
        assert!(text.starts_with("# Skill: "), "{tool}: {text}");
    }
    let prompt = host.hook("post_system_prompt", &json!({}))[0]["inject"].to_string();
    let without =
        format!("These have no tool of their own, only use_skill: '{long}', 'marketplace'.");
    assert!(prompt.contains(&without), "{prompt}");
    // One tool is the plugin's own, and providers take no name that long.
    assert_eq!(tools.iter().filter(|tool| *tool == "skill_marketplace").count(), 1);
    for name in ["marketplace", &long] {
        assert!(!tools.contains(&format!("skill_{long}")));
        let text = host.call("use_skill", &json!({ "skill": name }));
        assert!(text.starts_with(&format!("# Skill: {name}\n")), "{text}");
    }
}

#[test]
fn no_body_has_its_frontmatter_in_it() {
    // U4, F1
    let world = World::new();
    let text = "---\nname: NAME\ndescription: Does it.\n---\n\nBody.\n";
    skill(&world, "crlf", &text.replace("NAME", "crlf").replace('\n', "\r\n"));
    skill(&world, "spaces", &text.replace("NAME", "spaces").replace("it.\n---", "it.\n---  "));
    skill(&world, "empty", "---\nname: empty\ndescription: Does it.\n---");
    let dashes = text.replace("NAME", "dashes").replace("it.\n---", "it.\n----");
    skill(&world, "dashes", &dashes);
    let mut host = Chibi::start(&world, Era::Stdin);
    for name in ["crlf", "spaces", "empty"] {
        let text = host.call(&format!("skill_{name}"), &json!({}));
        assert!(text.starts_with(&format!("# Skill: {name}")), "{text}");
        assert!(!text.contains("description:") && !text.contains("---"), "{name}: {text}");
    }
    // Four dashes close nothing, so that there is no body to leak into and no skill.
    let text = host.call("use_skill", &json!({"skill": "dashes"}));
    assert!(text.starts_with("Error: ") && !text.contains("description:"), "{text}");
}

#[test]
fn allowed_tools_hold_in_every_spelling() {
    // U4, F2, S3
    for line in ["[Read, \"Bash(git:*)\"]", "Read Bash(git:*)", "\n  - Read\n  - Bash(git:*)"] {
        let world = World::new();
        let text = format!("---\nname: one\ndescription: It.\nallowed-tools: {line}\n---\n\nB\n");
        skill(&world, "one", &text);
        let mut host = Chibi::start(&world, Era::Stdin);
        host.call("skill_one", &json!({}));
        assert_eq!(host.call("file_head", &json!({"path": "a"})), "ran file_head", "{line}");
        assert_eq!(host.call("shell_exec", &json!({"command": "git log"})), "ran shell_exec");
        assert!(host.call("write_file", &json!({"path": "a"})).contains("not allowed"), "{line}");
    }
}

#[test]
fn another_plugins_tool_that_begins_alike_is_not_let_through() {
    // U4, S3
    let world = world();
    let mut host = Chibi::start(&world, Era::Stdin);
    host.call("skill_code-review", &json!({}));
    let text = host.call("skill_steal_everything", &json!({}));
    assert!(text.contains("is not allowed while skill 'code-review'"), "{text}");
    // Installing is no part of the skill; looking is.
    let install = json!({"action": "install", "skill_ref": "a/b"});
    assert!(host.call("skill_marketplace", &install).contains("is not allowed while"));
    let text = host.call("skill_marketplace", &json!({"action": "list_installed"}));
    assert!(text.contains("code-review"), "{text}");
    // Another skill of ours may be asked for.
    assert!(host.call("skill_pdf-processing", &json!({})).starts_with("# Skill: "));
}

#[test]
fn what_the_guard_rules_on_is_what_the_tool_does() {
    // U4, S3
    let world = world();
    let text = "---\nname: extra\ndescription: Extra. Use it.\n---\n\nExtra.\n";
    let extra = world.write("source/extra/SKILL.md", text);
    let extra = extra.parent().unwrap().to_string_lossy().into_owned();
    let words = json!(["install", extra]);
    let mut host = Chibi::start(&world, Era::Variables);
    host.call("skill_code-review", &json!({}));
    let calls = [
        ("skill_marketplace", json!({"action": "list", "args": words})),
        ("skill_marketplace", json!({"args": words})),
        ("use_skill", json!({"skill": "code-review", "args": words})),
        ("use_skill", json!({"args": words})),
        ("use_skill", json!({"action": "install", "skill_ref": extra})),
        ("read_skill_file", json!({"action": "install", "skill_ref": extra})),
        ("skill_pdf-processing", json!({"action": "install", "skill_ref": extra})),
    ];
    for (tool, arguments) in &calls {
        let data = json!({"tool_name": tool, "arguments": arguments});
        assert_eq!(host.hook("pre_tool", &data)[0]["block"], true, "{tool} {arguments}");
    }
    // Whoever asks nobody, and names the tool or not, does no more with words beside names.
    let plugin = plugin(&world);
    for (tool, arguments) in [&calls[0], &calls[2]] {
        for name in [None, Some(("CHIBI_TOOL_NAME", *tool))] {
            let mut command = world.command(plugin.to_str().unwrap());
            let arguments = arguments.to_string();
            let output = command.env("CHIBI_TOOL_ARGS", &arguments).envs(name).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.starts_with("Error: "), "{name:?} {arguments}: {text}");
        }
    }
    let installed = host.call("skill_marketplace", &json!({"action": "list_installed"}));
    assert!(installed.contains("code-review") && !installed.contains("extra"), "{installed}");
    // Words alone are what a person typed, and looking is still no installing.
    assert_eq!(
        host.hook(
            "pre_tool",
            &json!({"tool_name": "skill_marketplace", "arguments": {"args": ["list"]}})
        ),
        [json!({})]
    );
}

#[test]
fn names_outside_the_standard_and_empty_descriptions_become_no_tools() {
    // U4, F1
    let world = World::new();
    let names = ["--", "-a", "a-", "a--b", "A b"];
    for name in names {
        skill(&world, name, &format!("---\nname: \"{name}\"\ndescription: It.\n---\n\nB\n"));
    }
    skill(&world, "mute", "---\nname: mute\ndescription: \"\"\n---\n\nB\n");
    let host = Chibi::start(&world, Era::Stdin);
    for tool in &host.tools {
        let name = tool["name"].as_str().unwrap();
        let skill = name.strip_prefix("skill_").unwrap_or_default();
        assert!(!names.contains(&skill) && skill != "mute", "{name}");
    }
}

#[test]
fn a_long_body_reaches_the_model_whole() {
    // U4
    let world = World::new();
    let body = "A line of instructions.\n".repeat(400);
    skill(&world, "long", &format!("---\nname: long\ndescription: It.\n---\n\n{body}"));
    world.write(format!("{SKILLS}/long/references/a.md"), &body);
    let mut host = Chibi::start(&world, Era::Stdin);
    for text in [
        host.call("skill_long", &json!({})),
        host.call("use_skill", &json!({"skill": "long"})),
        host.call("read_skill_file", &json!({"skill": "long", "path": "references/a.md"})),
    ] {
        assert_eq!(text.matches("A line of instructions.").count(), 400, "{text}");
    }
    // What is not ours is put away as ever.
    let data = json!({"tool_name": "fetch_url", "output_size": 9999, "arguments": {}});
    assert_eq!(host.hook("pre_cache_output", &data), [json!({})]);
}

#[test]
fn another_chibi_lifts_nobodys_restriction() {
    // U4, S6
    let world = world();
    for era in ERAS {
        let mut first = Chibi::start(&world, era);
        first.call("skill_code-review", &json!({}));
        let mut second = Chibi::start(&world, era);
        assert_eq!(second.call("write_file", &json!({"path": "a"})), "ran write_file");
        second.call("skill_pdf-processing", &json!({}));
        second.call("release_skill", &json!({}));
        drop(second);
        Chibi::start(&world, era).kill();
        // Not even its own, should it start twice.
        first.hook("on_start", &json!({}));
        assert!(first.call("write_file", &json!({"path": "a"})).contains("is not allowed while"));
    }
}

#[test]
fn the_session_of_a_chibi_that_is_gone_is_ended_by_the_next() {
    // U4, S6
    let world = world();
    let mut first = Chibi::start(&world, Era::Stdin);
    first.call("skill_code-review", &json!({}));
    let pid = first.pid();
    let sessions = || -> Vec<String> {
        let found = fs::read_dir(world.home().join(".local/share/metier/sessions")).unwrap();
        let names = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|n| n.contains(&format!("-{pid}-")) && n.ends_with(".jsonl")).collect()
    };
    let journal = world.home().join(".local/share/metier/sessions").join(&sessions()[0]);
    assert!(!fs::read_to_string(&journal).unwrap().contains("session_ended"));
    first.kill();
    let _second = Chibi::start(&world, Era::Stdin);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.contains("skill_deactivated") && text.contains("session_ended"), "{text}");
    let marks = fs::read_dir(world.home().join(".local/share/metier/chibi")).unwrap();
    let names = marks.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains(&format!("-{pid}-"))).count(), 0);
    let run = metier(&world, &["replay", journal.to_str().unwrap(), "--verify"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_skill_that_is_active_hides_what_it_does_not_allow_from_the_next_prompt() {
    // U4, S3
    let world = world();
    let mut host = Chibi::start(&world, Era::Stdin);
    let names = ["file_head", "write_file", "call_user", "skill_pdf-processing", "agent-skills"];
    let tools: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "type": "builtin"})).collect();
    let offered = json!({"context_name": "d", "tools": tools});
    assert_eq!(host.hook("pre_api_tools", &offered), [json!({"exclude": ["agent-skills"]})]);
    host.call("skill_code-review", &json!({}));
    let hidden = json!({"exclude": ["write_file", "agent-skills"]});
    assert_eq!(host.hook("pre_api_tools", &offered), [hidden]);
    assert_eq!(host.hook("pre_api_tools", &json!({})), [json!({"exclude": []})]);
}

#[test]
fn what_another_plugin_made_of_a_call_is_ruled_on_again() {
    // U4, S3
    let world = world();
    let mut host = Chibi::start(&world, Era::Stdin);
    host.call("skill_code-review", &json!({}));
    let shell = |command: &str| json!({"tool_name": "shell_exec", "command": command});
    assert_eq!(host.hook("pre_shell_exec", &shell("git log")), [json!({})]);
    let cases = [
        ("pre_shell_exec", shell("git log; rm -r x")),
        ("pre_file_write", json!({"tool_name": "write_file", "path": "a", "content": "b"})),
        ("pre_fetch_url", json!({"tool_name": "fetch_url", "url": "http://a.b"})),
    ];
    for (hook, data) in cases {
        let answers = host.hook(hook, &data);
        assert_eq!(answers[0]["denied"], true, "{hook} {answers:?}");
    }
    let read = json!({"tool_name": "file_head", "path": "a"});
    assert_eq!(host.hook("pre_file_read", &read), [json!({})]);
}

#[test]
fn what_is_about_to_happen_is_ruled_on_whatever_tool_is_said_to_do_it() {
    // U4, S3
    let world = World::new();
    let tools = "Read Edit Grep";
    let text = format!("---\nname: one\ndescription: It.\nallowed-tools: {tools}\n---\n\nBody.\n");
    skill(&world, "one", &text);
    let mut host = Chibi::start(&world, Era::Stdin);
    host.call("skill_one", &json!({}));
    let mut denied = |hook: &str, tool: &str| {
        let what =
            json!({"tool_name": tool, "command": "rm -rf /", "url": "http://a.b", "path": "a"});
        host.hook(hook, &what)[0]["denied"] == true
    };
    for hook in ["pre_shell_exec", "pre_file_write", "pre_fetch_url"] {
        for tool in ["file_head", "read_skill_file", "call_user"] {
            assert!(denied(hook, tool), "{hook} {tool}");
        }
    }
    // Those that do it of their own are who they are.
    for (hook, tool) in [("pre_file_write", "file_edit"), ("pre_file_read", "file_grep")] {
        assert!(!denied(hook, tool), "{hook} {tool}");
    }
    assert!(denied("pre_file_write", "write_file"));
}

#[test]
fn the_tools_of_real_skills_mean_chibis_and_the_conversation_goes_on() {
    // U4, S3
    let world = world();
    let mut host = Chibi::start(&world, Era::Stdin);
    host.call("skill_code-review", &json!({}));
    let mut may = |tool: &str, arguments: Value| {
        let data = json!({"tool_name": tool, "arguments": arguments});
        host.hook("pre_tool", &data)[0]["block"] != true
    };
    let path = json!({"path": "a"});
    for tool in ["file_head", "file_tail", "file_lines", "file_grep", "grep_files"] {
        assert!(may(tool, path.clone()), "{tool}");
    }
    for tool in ["call_user", "call_agent", "update_todos"] {
        assert!(may(tool, json!({})), "{tool}");
    }
    assert!(may("shell_exec", json!({"command": "git log -3"})));
    for (tool, arguments) in [
        ("write_file", json!({"path": "a", "content": ""})),
        ("file_edit", path.clone()),
        ("shell_exec", json!({"command": "curl http://a.b"})),
        ("fetch_url", json!({"url": "http://a.b"})),
        ("spawn_agent", json!({})),
        ("frobnicate", json!({})),
    ] {
        assert!(!may(tool, arguments), "{tool}");
    }
}

#[test]
fn link_puts_the_plugin_there_doctor_knows_a_stale_copy_and_unlink_takes_it_away() {
    // U4, P7
    let world = world();
    let copy = world.home().join(".chibi/plugins/agent-skills/agent-skills");
    let said = metier(&world, &["link", "chibi", "--dry-run", "--json"]).json();
    assert_eq!(said["plugin"], copy.to_str().unwrap());
    assert!(!copy.exists());
    let run = metier(&world, &["link", "chibi"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(&format!("installed {}", copy.display())), "{}", run.stdout);
    assert!(fs::symlink_metadata(&copy).unwrap().is_file(), "the host refuses links");
    let stale = || {
        let found = metier(&world, &["doctor", "--json"]).json();
        let codes = found["findings"].as_array().unwrap().iter();
        codes.filter(|finding| finding["code"] == "plugin-stale").count()
    };
    assert_eq!(stale(), 0);
    let mut bytes = fs::read(&copy).unwrap();
    bytes.push(0);
    fs::write(&copy, bytes).unwrap();
    assert_eq!(stale(), 1);
    let fixed = metier(&world, &["doctor", "--fix", "--json"]).json();
    assert_eq!(fixed["fixed"][0]["code"], "plugin-stale", "{fixed}");
    assert_eq!(stale(), 0);
    let run = metier(&world, &["unlink", "chibi"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!copy.exists());
    assert_eq!(metier(&world, &["unlink", "chibi"]).code, 1, "there is nothing to unlink");
    // What `metier chibi --install` put there goes the same way.
    assert_eq!(metier(&world, &["chibi", "--install"]).code, 0);
    assert_eq!(metier(&world, &["unlink", "chibi"]).code, 0);
    assert!(!copy.exists());
}

#[test]
fn doctor_knows_a_plugin_that_is_gone_or_was_replaced() {
    // U4, P7
    let world = world();
    let copy = world.home().join(".chibi/plugins/agent-skills/agent-skills");
    let codes = || {
        let found = metier(&world, &["doctor", "--json"]).json();
        let findings = found["findings"].as_array().unwrap().clone();
        let word = |finding: &Value| finding["code"].as_str().unwrap().to_owned();
        findings.iter().map(word).filter(|code| code.starts_with("plugin-")).collect::<Vec<_>>()
    };
    world.write("home/.chibi/plugins/agent-skills/agent-skills", "#!/bin/sh\n");
    assert!(codes().is_empty(), "nobody linked chibi");
    assert_eq!(metier(&world, &["link", "chibi"]).code, 0);
    assert!(codes().is_empty());
    fs::remove_file(&copy).unwrap();
    assert_eq!(codes(), ["plugin-missing"]);
    let run = metier(&world, &["doctor"]);
    assert!(run.code == 1 && run.stdout.contains("its plugin is not there"), "{run:?}");
    let fixed = metier(&world, &["doctor", "--fix", "--json"]).json();
    assert_eq!(fixed["fixed"][0]["code"], "plugin-missing", "{fixed}");
    assert!(codes().is_empty());
    fs::remove_file(&copy).unwrap();
    fs::write(&copy, "old").unwrap();
    let run = metier(&world, &["doctor"]);
    assert!(run.code == 1 && run.stdout.contains("its plugin is another program"), "{run:?}");
    assert_eq!(metier(&world, &["doctor", "--fix"]).code, 0);
    assert!(codes().is_empty());
    let kept = |name: &str| fs::read_to_string(copy.with_file_name(name)).unwrap();
    assert_eq!(kept("agent-skills.before"), "#!/bin/sh\n");
    assert_eq!(kept("agent-skills.before-2"), "old", "nothing is lost");
    assert_eq!(metier(&world, &["unlink", "chibi"]).code, 0);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "#!/bin/sh\n");
    assert!(codes().is_empty());
}

#[test]
fn directories_that_were_made_for_the_plugin_go_with_it() {
    // U4, P7
    let world = world();
    let chibi = world.home().join(".chibi");
    assert!(!chibi.exists());
    for _ in 0..2 {
        assert_eq!(metier(&world, &["link", "chibi"]).code, 0);
        assert_eq!(metier(&world, &["link", "chibi"]).code, 0);
        assert_eq!(metier(&world, &["unlink", "chibi"]).code, 0);
        assert!(!chibi.exists());
    }
    fs::create_dir_all(chibi.join("plugins")).unwrap();
    assert_eq!(metier(&world, &["link", "chibi"]).code, 0);
    assert_eq!(metier(&world, &["unlink", "chibi"]).code, 0);
    assert_eq!(fs::read_dir(chibi.join("plugins")).unwrap().count(), 0, "it was there before");
}

#[test]
fn a_plugin_that_is_one_file_makes_room_and_comes_back() {
    // U4, P7
    let world = world();
    let file = world.write("home/.chibi/plugins/agent-skills", "#!/bin/sh\necho old\n");
    let run = metier(&world, &["link", "chibi", "--dry-run"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("would be installed "), "{run:?}");
    let run = metier(&world, &["link", "chibi"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(file.join("agent-skills").is_file());
    assert_eq!(metier(&world, &["doctor"]).code, 0);
    let run = metier(&world, &["unlink", "chibi"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "#!/bin/sh\necho old\n");
}

/// Every permission hook, asked about something harmless.
fn rulings(host: &mut Chibi<'_>) -> Vec<Value> {
    let tool = |name: &str| json!({"tool_name": name, "arguments": {}});
    [
        host.hook("pre_tool", &tool("file_head")),
        host.hook("pre_shell_exec", &json!({"tool_name": "shell_exec", "command": "ls"})),
        host.hook("pre_file_write", &json!({"tool_name": "write_file", "path": "a"})),
        host.hook("pre_fetch_url", &json!({"tool_name": "fetch_url", "url": "http://a.b"})),
    ]
    .concat()
}

#[test]
fn a_guard_that_cannot_rule_says_no_in_the_hosts_words() {
    // U4, S6
    let world = world();
    let mut host = Chibi::start(&world, Era::Stdin);
    assert_eq!(rulings(&mut host), vec![json!({}); 4]);
    let no = |answers: Vec<Value>| {
        assert_eq!(answers.len(), 4);
        for answer in answers {
            assert!(answer["block"] == true || answer["denied"] == true, "{answer}");
        }
    };
    let settings = world.write("home/.config/metier/config.toml", "nonsense = [");
    no(rulings(&mut host));
    // The tools and hooks are still there, or nobody would ask.
    let mut broken = Chibi::start(&world, Era::Stdin);
    no(rulings(&mut broken));
    assert!(broken.call("skill_code-review", &json!({})).contains("config.toml"));
    fs::remove_file(settings).unwrap();
    let policy = world.write("home/.config/metier/policy.toml", "no policy");
    no(rulings(&mut host));
    fs::remove_file(policy).unwrap();
    let folder = world.home().join(".local/share/metier/sessions");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            fs::write(path, "garbage\n").unwrap();
        }
    }
    no(rulings(&mut host));
}

#[test]
fn hosts_that_say_nonsense_get_an_answer() {
    // U4
    let world = world();
    let plugin = plugin(&world);
    let ask = |variables: &[(&str, &str)]| {
        let mut command = world.command(plugin.to_str().unwrap());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let hook = |name: &str, data: &str| -> Value {
        serde_json::from_str(&ask(&[("CHIBI_HOOK", name), ("CHIBI_HOOK_DATA", data)])).unwrap()
    };
    for data in ["", "{", "[]", "null", "{}", "{\"tool_name\": 7}"] {
        assert_eq!(hook("pre_tool", data)["block"], true, "{data}");
        assert_eq!(hook("on_start", data), json!({}), "{data}");
        assert_eq!(hook("pre_cache_output", data), json!({}), "{data}");
    }
    assert_eq!(hook("pre_shell_exec", "{")["denied"], true);
    assert_eq!(hook("hook_of_tomorrow", "{}"), json!({}));
    let tool =
        |name: &str, data: &str| ask(&[("CHIBI_TOOL_NAME", name), ("CHIBI_TOOL_ARGS", data)]);
    assert!(tool("skill_pdf-processing", "[1]").starts_with("Error: The arguments"));
    assert_eq!(tool("skill_nope", "{}"), "Error: Skill 'nope' not found\n");
    assert_eq!(tool("frobnicate", "{}"), "Error: Unknown tool 'frobnicate'\n");
    // A host that does not name the tool.
    let unnamed = |data: &str| ask(&[("CHIBI_TOOL_ARGS", data)]);
    assert!(unnamed(r#"{"action": "list_installed"}"#).contains("code-review"));
    assert_eq!(
        unnamed(r#"{"skill": "pdf-processing", "path": "references/forms.md"}"#),
        "# Forms\n"
    );
    for data in [r#"{"skill": "pdf-processing"}"#, "{}"] {
        let refused = unnamed(data);
        assert!(refused.starts_with("Error: The host does not say which tool"), "{refused}");
    }
    assert!(ask(&[]).starts_with("This is chibi's plugin"));
}

#[test]
fn a_terminal_on_standard_input_is_not_waited_for() {
    // U4
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let world = world();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = fs::File::options().read(true).write(true).open(name).unwrap();
    let mut command = world.command(plugin(&world).to_str().unwrap());
    command.env("CHIBI_TOOL_NAME", "skill_pdf-processing").stdin(terminal);
    let output = command.output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("# Skill: pdf-processing"));
}

#[test]
fn a_host_that_never_finishes_its_question_is_told_no_in_time() {
    // U4, S6
    let world = world();
    let mut command = world.command(plugin(&world).to_str().unwrap());
    command.env("CHIBI_HOOK", "pre_tool").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Kept open: there is no end of the question.
    let _stdin = child.stdin.take().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["block"], true, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("longer than"), "{answer}");
}

#[test]
fn a_script_ends_before_the_host_ends_the_plugin() {
    // U4, R4
    let world = world();
    let script = "echo begun\nsleep 97531.1 & sleep 97531.1\n";
    world.write(format!("{SKILLS}/pdf-processing/scripts/slow.sh"), script);
    world.write("home/.config/metier/config.toml", "[chibi]\nscript-seconds = 1\n");
    let mut host = Chibi::start(&world, Era::Stdin);
    let call = json!({"skill": "pdf-processing", "script": "scripts/slow.sh", "timeout": 9999});
    let text = host.call("run_skill_script", &call);
    assert!(text.starts_with("Error: Script execution timed out (1s limit)\nbegun"), "{text}");
    assert!(!is_running("97531.1"));
}

#[test]
fn a_script_and_its_children_die_with_a_plugin_the_host_kills() {
    // U4, R4
    let world = world();
    let script = "setsid sleep 97531.2 & sleep 97531.2\n";
    world.write(format!("{SKILLS}/pdf-processing/scripts/slow.sh"), script);
    let mut command = world.command(plugin(&world).to_str().unwrap());
    let arguments = r#"{"skill": "pdf-processing", "script": "scripts/slow.sh"}"#;
    command.env("CHIBI_TOOL_NAME", "run_skill_script").env("CHIBI_TOOL_ARGS", arguments);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    until(|| is_running("97531.2"));
    child.kill().unwrap();
    child.wait().unwrap();
    until(|| !is_running("97531.2"));
}

/// Waits until `done`; fails when that does not come about.
fn until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not come about");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether some process sleeps for exactly that long.
fn is_running(seconds: &str) -> bool {
    let line = |path: &Path| fs::read(path.join("cmdline")).unwrap_or_default();
    let wanted = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.map(|entry| line(&entry.path())).any(|line| line == wanted.as_bytes())
}

#[test]
fn a_pinned_skill_is_in_the_prompt_whatever_the_budget() {
    // U4, D6
    let world = world();
    let words = "Words that nobody else says. ".repeat(20);
    for name in ["aaa", "mmm", "zzz"] {
        skill(&world, name, &format!("---\nname: {name}\ndescription: {words}\n---\n\nBody.\n"));
    }
    world.write(
        "home/.config/metier/config.toml",
        "[prompt]\nbudget = 60\npinned = ['zzz', 'no-such-skill']\n",
    );
    for era in ERAS {
        let mut host = Chibi::start(&world, era);
        let told = host.injected();
        assert!(told.contains("zzz") && told.contains(words.trim()), "{told}");
        assert_eq!(told.matches(words.trim()).count(), 1, "others are cut: {told}");
    }
}
