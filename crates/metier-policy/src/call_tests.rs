use serde_json::json;

use super::*;

fn kind(host: &str, tool: &str, arguments: Value) -> Kind {
    ToolCall::new(tool, arguments).kind(HostTable::named(host).expect("a host"))
}

fn shell(command: ShellInput) -> Kind {
    Kind::Shell { command }
}

fn text(command: &str) -> Kind {
    shell(ShellInput::Text(command.to_owned()))
}

fn targets(files: &[(&str, Option<&str>)]) -> Vec<Target> {
    let one = |(tool, path): &(&str, Option<&str>)| Target {
        tool: (*tool).to_owned(),
        path: path.map(str::to_owned),
    };
    files.iter().map(one).collect()
}

#[test]
fn a_command_is_found_in_the_hosts_field() {
    // S3
    let table = [
        ("claude-code", "Bash", json!({"command": "ls"}), text("ls")),
        ("claude-code", "bash", json!({"command": "ls", "timeout": 5}), text("ls")),
        ("codex", "exec_command", json!({"cmd": "ls"}), text("ls")),
        ("codex", "Bash", json!({"command": "ls"}), text("ls")),
        ("gemini-cli", "run_shell_command", json!({"command": "ls"}), text("ls")),
        ("opencode", "bash", json!({"command": "ls"}), text("ls")),
        ("chibi", "shell_exec", json!({"command": "ls"}), text("ls")),
        (
            "codex",
            "shell",
            json!({"command": ["bash", "-lc", "ls"]}),
            shell(ShellInput::Words(vec!["bash".into(), "-lc".into(), "ls".into()])),
        ),
    ];
    for (host, tool, arguments, expected) in table {
        assert_eq!(kind(host, tool, arguments), expected, "{tool} on {host}");
    }
}

#[test]
fn a_command_that_is_not_text_is_unreadable() {
    // S3
    let arguments = [
        json!({}),
        json!(null),
        json!("ls"),
        json!([]),
        json!({"command": 1}),
        json!({"command": null}),
        json!({"command": {"x": 1}}),
        json!({"command": ["ls", 1]}),
        json!({"cmd": "ls"}),
        json!({"Command": "ls"}),
    ];
    for arguments in arguments {
        let found = kind("claude-code", "Bash", arguments.clone());
        assert_eq!(found, shell(ShellInput::Unreadable), "{arguments}");
    }
    let both = json!({"command": "ls", "cmd": "rm x"});
    assert_eq!(kind("plain", "Bash", both), shell(ShellInput::Unreadable));
    let typed = json!({"session_id": 1, "chars": "rm x\n"});
    assert_eq!(kind("codex", "write_stdin", typed), shell(ShellInput::Unreadable));
}

#[test]
fn every_file_of_a_call_counts() {
    // S3
    let read = |files: &[(&str, Option<&str>)]| Kind::Read { paths: targets(files) };
    let write = |files: &[(&str, Option<&str>)]| Kind::Write { paths: targets(files) };
    let table = [
        ("claude-code", "Read", json!({"file_path": "a"}), read(&[("read", Some("a"))])),
        (
            "claude-code",
            "Read",
            json!({"file_path": "a", "path": "b"}),
            read(&[("read", Some("a")), ("read", Some("b"))]),
        ),
        ("claude-code", "Read", json!({"file_path": 1}), read(&[("read", None)])),
        ("claude-code", "Read", json!({}), read(&[])),
        ("claude-code", "Grep", json!({"pattern": "x"}), read(&[])),
        (
            "claude-code",
            "Grep",
            json!({"pattern": "x", "path": "src"}),
            read(&[("grep", Some("src"))]),
        ),
        ("claude-code", "Glob", json!({"pattern": "/etc/*"}), read(&[("glob", Some("/etc/*"))])),
        ("claude-code", "Write", json!({"file_path": "a"}), write(&[("write", Some("a"))])),
        (
            "claude-code",
            "NotebookEdit",
            json!({"notebook_path": "a"}),
            write(&[("edit", Some("a"))]),
        ),
        (
            "gemini-cli",
            "read_many_files",
            json!({"paths": ["a", "b", 3]}),
            read(&[("read", Some("a")), ("read", Some("b")), ("read", None)]),
        ),
        ("opencode", "write", json!({"filePath": "a"}), write(&[("write", Some("a"))])),
        ("chibi", "file_edit", json!({"path": "a"}), write(&[("edit", Some("a"))])),
        ("chibi", "dir_list", json!({"path": "a"}), read(&[("ls", Some("a"))])),
    ];
    for (host, tool, arguments, expected) in table {
        assert_eq!(kind(host, tool, arguments.clone()), expected, "{tool} on {host}: {arguments}");
    }
}

#[test]
fn a_patch_names_the_files_it_changes() {
    // S3
    let patch = "*** Begin Patch\n*** Add File: new.rs\n+x\n*** Update File: old.rs\n\
                 *** Move to: moved.rs\n@@\n-a\n+b\n*** Delete File: gone.rs\n*** End Patch";
    let expected = Kind::Write {
        paths: targets(&[
            ("write", Some("new.rs")),
            ("edit", Some("old.rs")),
            ("write", Some("moved.rs")),
            ("write", Some("gone.rs")),
        ]),
    };
    assert_eq!(kind("codex", "apply_patch", json!({"command": patch})), expected);
    assert_eq!(kind("codex", "apply_patch", json!({"input": patch})), expected);
    assert_eq!(kind("opencode", "patch", json!({"patchText": patch})), expected);
}

#[test]
fn a_patch_that_cannot_be_read_names_nothing() {
    // S3
    let unreadable = Kind::Write { paths: targets(&[("write", None)]) };
    for patch in [
        json!({}),
        json!({"command": 5}),
        json!({"command": "no marks at all"}),
        json!({"command": "*** Begin Patch\n*** Rename File: a\n*** End Patch"}),
        json!({"command": "*** Begin Patch\n*** Add File\n*** End Patch"}),
        json!({"command": "  *** Exec: rm\n*** Add File: a"}),
    ] {
        assert_eq!(kind("codex", "apply_patch", patch.clone()), unreadable, "{patch}");
    }
    let indented = json!({"command": "*** Begin Patch\n  *** Add File: a\n*** End Patch"});
    let expected = Kind::Write { paths: targets(&[("write", Some("a"))]) };
    assert_eq!(kind("codex", "apply_patch", indented), expected);
}

#[test]
fn addresses_are_found_in_fields_and_in_text() {
    // S3
    let fetch = |urls: &[Option<&str>]| Kind::Fetch {
        urls: urls.iter().map(|url| url.map(str::to_owned)).collect(),
    };
    let table = [
        ("claude-code", "WebFetch", json!({"url": "https://a.b"}), fetch(&[Some("https://a.b")])),
        ("claude-code", "WebFetch", json!({}), fetch(&[None])),
        ("claude-code", "WebFetch", json!({"url": 1}), fetch(&[None])),
        (
            "gemini-cli",
            "web_fetch",
            json!({"prompt": "compare https://a.b and http://c.d please"}),
            fetch(&[Some("https://a.b"), Some("http://c.d")]),
        ),
        ("gemini-cli", "web_fetch", json!({"prompt": "nothing here"}), fetch(&[None])),
        ("gemini-cli", "web_fetch", json!({"prompt": ["x"]}), fetch(&[None])),
        ("chibi", "fetch_url", json!({"url": "https://a.b"}), fetch(&[Some("https://a.b")])),
    ];
    for (host, tool, arguments, expected) in table {
        assert_eq!(kind(host, tool, arguments.clone()), expected, "{tool} on {host}: {arguments}");
    }
}

#[test]
fn tools_of_servers_are_recognised() {
    // S3
    let mcp = |server: Option<&str>, tool: Option<&str>| Kind::Mcp {
        server: server.map(str::to_owned),
        tool: tool.map(str::to_owned),
    };
    let table = [
        ("mcp__github__list", mcp(Some("github"), Some("list"))),
        ("MCP__GitHub__List", mcp(Some("github"), Some("list"))),
        ("mcp__a__b__c", mcp(None, None)),
        ("mcp__a", mcp(None, None)),
        ("mcp__a__", mcp(None, None)),
        ("mcp_a_b", Kind::Other),
        ("something", Kind::Other),
    ];
    for (tool, expected) in table {
        assert_eq!(kind("claude-code", tool, json!({})), expected, "{tool}");
    }
}

#[test]
fn the_directory_of_a_call_is_found() {
    // S3
    let directory = |host: &str, tool: &str, arguments: Value| {
        let host = HostTable::named(host).expect("a host");
        ToolCall::new(tool, arguments).understand(host).directory
    };
    let some = |path: &str| Some(Some(path.to_owned()));
    assert_eq!(directory("codex", "shell", json!({"command": [], "workdir": "/x"})), some("/x"));
    assert_eq!(directory("gemini-cli", "run_shell_command", json!({"dir_path": "x"})), some("x"));
    assert_eq!(directory("codex", "shell", json!({"workdir": 1})), Some(None));
    assert_eq!(directory("claude-code", "Bash", json!({"workdir": "/x"})), None);
}

#[test]
fn a_call_survives_being_written() {
    // S3
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let written = serde_json::to_value(&call).expect("JSON");
    assert_eq!(written, json!({"tool": "Bash", "arguments": {"command": "ls"}}));
    assert_eq!(serde_json::from_value::<ToolCall>(written).expect("a call"), call);
    let bare: ToolCall = serde_json::from_value(json!({"tool": "x"})).expect("a call");
    assert_eq!(bare, ToolCall::new("x", Value::Null));
}

#[test]
fn kinds_know_which_way_they_use_files() {
    // S3
    assert_eq!(Kind::Read { paths: Vec::new() }.access(), Some(Access::Read));
    assert_eq!(Kind::Write { paths: Vec::new() }.access(), Some(Access::Write));
    assert_eq!(Kind::Other.access(), None);
}

#[test]
fn a_tool_of_metiers_own_server_is_one_of_an_mcp_server_still() {
    // S3, U5
    let kind = |server: &str, tool: &str| Kind::Mcp {
        server: Some(server.to_owned()),
        tool: Some(tool.to_owned()),
    };
    for (host, tool) in [
        ("claude-code", "mcp__metier__skill_read"),
        ("gemini-cli", "mcp_metier_skill_read"),
        ("opencode", "metier_skill_read"),
    ] {
        let call = ToolCall::new(tool, json!({})).understand(HostTable::named(host).unwrap());
        assert_eq!((call.kind, call.flow), (kind("metier", "skill_read"), Some(Flow::Skill)));
    }
    // Where the host says whose tool it is, the spelling is not enough.
    let mut call = ToolCall::new("mcp_metier_skill_read", json!({}));
    call.mcp = Some(McpTool { server: "metier_skill".into(), tool: "read".into() });
    let call = call.understand(HostTable::named("gemini-cli").unwrap());
    assert_eq!((call.kind, call.flow), (kind("metier_skill", "read"), None));
}
