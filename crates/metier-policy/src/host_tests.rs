use super::*;
use crate::programs::ProgramTable;

#[test]
fn the_built_in_tables_are_read() {
    // S3
    let known: Vec<&str> = HostTable::known().collect();
    assert_eq!(known, ["claude-code", "codex", "gemini-cli", "opencode", "chibi", "plain"]);
    assert_eq!(HostTable::plain().name, "plain");
    assert!(HostTable::named("unknown").is_none());
}

#[test]
fn every_host_translates_its_own_names() {
    // S3
    let table = [
        ("claude-code", "bash", "bash"),
        ("claude-code", "multiedit", "edit"),
        ("claude-code", "webfetch", "webfetch"),
        ("codex", "exec_command", "bash"),
        ("codex", "shell", "bash"),
        ("codex", "apply_patch", "edit"),
        ("codex", "view_image", "read"),
        ("gemini-cli", "run_shell_command", "bash"),
        ("gemini-cli", "replace", "edit"),
        ("gemini-cli", "read_many_files", "read"),
        ("gemini-cli", "activate_skill", "skill"),
        ("opencode", "bash", "bash"),
        ("opencode", "list", "ls"),
        ("chibi", "shell_exec", "bash"),
        ("chibi", "file_head", "read"),
        ("chibi", "file_lines", "read"),
        ("chibi", "grep_files", "grep"),
        ("chibi", "dir_list", "ls"),
        ("chibi", "fetch_url", "webfetch"),
        ("plain", "shell_exec", "bash"),
        ("plain", "nobody_knows", "nobody_knows"),
    ];
    for (host, tool, expected) in table {
        let table = HostTable::named(host).expect("a host");
        assert_eq!(table.canonical(tool), expected, "{tool} on {host}");
    }
}

#[test]
fn hosts_keep_what_they_need_to_talk() {
    // S3
    let table = [
        ("claude-code", "askuserquestion", Some(Flow::Talk)),
        ("claude-code", "todowrite", Some(Flow::Talk)),
        ("claude-code", "skill", Some(Flow::Skill)),
        ("claude-code", "task", None),
        ("codex", "update_plan", Some(Flow::Talk)),
        ("codex", "spawn_agent", None),
        ("codex", "multi_agent_v1wait_agent", None),
        ("codex", "update_goal", Some(Flow::Talk)),
        ("claude-code", "sendmessage", None),
        ("gemini-cli", "complete_task", Some(Flow::Talk)),
        ("gemini-cli", "update_topic", Some(Flow::Talk)),
        ("gemini-cli", "write_todos", Some(Flow::Talk)),
        ("gemini-cli", "activate_skill", Some(Flow::Skill)),
        ("opencode", "question", Some(Flow::Talk)),
        ("chibi", "call_user", Some(Flow::Talk)),
        ("chibi", "update_todos", Some(Flow::Talk)),
        ("chibi", "read_skill_file", Some(Flow::Skill)),
        ("chibi", "shell_exec", None),
    ];
    for (host, tool, expected) in table {
        let table = HostTable::named(host).expect("a host");
        assert_eq!(table.tool(tool).expect("a tool").flow, expected, "{tool} on {host}");
    }
}

#[test]
fn no_skill_keeps_another_from_being_activated_on_any_host() {
    // S3
    for host in HostTable::known() {
        let entry = HostTable::named(host).expect("a host").tool("skill").expect("a tool");
        assert_eq!((entry.is.as_str(), entry.flow), ("skill", Some(Flow::Skill)), "{host}");
    }
}

#[test]
fn the_tools_of_metiers_own_server_are_known_as_each_host_spells_them() {
    // S3, U5
    for (host, tool, expected) in [
        ("claude-code", "mcp__metier__skill_read", Some(Flow::Skill)),
        ("codex", "mcp__metier__skill_activate", Some(Flow::Skill)),
        ("gemini-cli", "mcp_metier_skill_search", Some(Flow::Skill)),
        ("opencode", "metier_skill_release", Some(Flow::Skill)),
        ("codex", "mcp__metier__script_run", None),
        ("opencode", "metier_script_help", None),
    ] {
        let entry = HostTable::named(host).expect("a host").tool(tool).expect("a tool");
        assert_eq!(entry.flow, expected, "{tool} on {host}");
    }
    for (host, tool) in [
        ("claude-code", "mcp__metier__session_end"),
        ("claude-code", "mcp__metier__tool_guard"),
        ("claude-code", "mcp__metier2__skill_read"),
        ("codex", "skill_read"),
        ("gemini-cli", "mcp__metier__skill_read"),
    ] {
        assert!(HostTable::named(host).expect("a host").tool(tool).is_none(), "{tool} on {host}");
    }
}

#[test]
fn no_tool_that_acts_is_a_flow_tool() {
    // S3
    for host in HostTable::known() {
        let table = HostTable::named(host).expect("a host");
        for (name, entry) in &table.tools {
            let acts =
                ["bash", "read", "write", "edit", "webfetch", "task"].contains(&entry.is.as_str());
            assert!(!(acts && entry.flow.is_some()), "{name} on {host}");
            assert!(!entry.names.is_empty() && name == &name.to_lowercase(), "{name} on {host}");
        }
    }
}

#[test]
fn settings_add_to_a_table_and_win() {
    // S3
    let text = r#"
        [[tool]]
        names = ["Terminal", "bash"]
        is = "Bash"
        command = ["line"]

        [[tool]]
        names = ["say"]
        flow = "talk"
    "#;
    let more: HostTable = toml::from_str(text).expect("a table");
    let table = HostTable::named("opencode").expect("a host").clone().extended(more);
    assert_eq!(table.name, "opencode");
    assert_eq!(table.canonical("terminal"), "bash");
    assert_eq!(table.tool("bash").expect("a tool").command, ["line"]);
    assert_eq!(table.tool("say").expect("a tool").flow, Some(Flow::Talk));
    assert_eq!(table.canonical("read"), "read");
}

#[test]
fn metiers_own_tools_can_be_added() {
    // S3, S5
    let table = HostTable::named("codex").expect("a host").clone();
    let table = table.with_skill_tools(["Use_Skill", "mcp__metier__read"]);
    assert_eq!(table.tool("use_skill").expect("a tool").flow, Some(Flow::Skill));
    assert_eq!(table.tool("mcp__metier__read").expect("a tool").flow, Some(Flow::Skill));
    assert_eq!(table.canonical("use_skill"), "use_skill");
}

#[test]
fn unknown_keys_in_a_table_are_errors() {
    // S3
    for text in [
        "nam = 'x'",
        "[[tool]]\nname = ['x']",
        "[[tool]]\nnames = ['x']\nflow = 'none'",
        "mcp = 'triple'",
    ] {
        assert!(toml::from_str::<HostTable>(text).is_err(), "{text}");
    }
}

#[test]
fn a_table_survives_being_written() {
    // S3
    for host in HostTable::known() {
        let table = HostTable::named(host).expect("a host");
        let written = toml::to_string(table).expect("text");
        let read: HostTable = toml::from_str(&written).expect("a table");
        assert_eq!(&read, table, "{host}");
    }
}

#[test]
fn codex_is_known_to_hide_what_is_typed() {
    // S3
    assert!(HostTable::named("codex").expect("a host").unseen_input);
    assert!(!HostTable::named("claude-code").expect("a host").unseen_input);
}

#[test]
fn a_tool_can_be_added_under_a_name_of_its_own() {
    // S3
    let entry = ToolEntry {
        names: vec!["My_Shell".into()],
        is: "Bash".into(),
        command: vec!["cmd".into()],
        ..ToolEntry::default()
    };
    let table = HostTable::named("claude-code").unwrap();
    let shells = |table: &HostTable| table.tools().filter(|tool| tool.is == "bash").count();
    let before = shells(table);
    let table = table.clone().with_tool(entry);
    assert_eq!(table.canonical("my_shell"), "bash");
    assert_eq!(table.canonical("bash"), "bash");
    assert_eq!(shells(&table), before + 1);
}

#[test]
fn the_tables_as_they_are_read_say_what_people_wrote() {
    // S2
    let written: BTreeMap<String, Vec<HostTable>> =
        toml::from_str(include_str!("data/hosts.toml")).expect("the data");
    let written = written.get("host").expect("hosts");
    let names: Vec<&str> = written.iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, HostTable::known().collect::<Vec<_>>());
    for host in written {
        assert_eq!(Some(host), HostTable::named(&host.name), "{}", host.name);
    }
    let programs: toml::Table = include_str!("data/programs.toml").parse().expect("them");
    let programs: ProgramTable = programs.try_into().expect("them");
    let read = toml::Table::try_from(ProgramTable::built_in().clone()).expect("them");
    assert_eq!(toml::Table::try_from(programs.clone()).expect("them"), read);
    let read: ProgramTable = read.try_into().expect("them");
    assert_eq!(programs, read);
}
