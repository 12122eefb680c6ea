use serde_json::json;

use super::*;
use crate::call::{McpTool, ToolCall};

fn pattern(text: &str) -> Pattern {
    let patterns = ToolPattern::tokenize(text).expect("a pattern");
    Pattern::compile(patterns.first().expect("one pattern"))
}

fn names(text: &str, tool: &str, host: &str) -> bool {
    let host = HostTable::named(host).expect("a host");
    let call = ToolCall::new(tool, json!({})).understand(host);
    pattern(text).names(&call, host)
}

#[test]
fn names_are_compared_in_any_case_and_through_the_hosts_table() {
    // S3
    let table = [
        ("Bash", "Bash", "claude-code", true),
        ("bash", "BASH", "claude-code", true),
        ("Bash", "Read", "claude-code", false),
        ("Edit", "MultiEdit", "claude-code", true),
        ("Edit", "NotebookEdit", "claude-code", true),
        ("MultiEdit", "Edit", "claude-code", false),
        ("Edit", "Write", "claude-code", false),
        ("Bash", "exec_command", "codex", true),
        ("Bash", "run_shell_command", "gemini-cli", true),
        ("run_shell_command", "Bash", "claude-code", true),
        ("Read", "read_file", "gemini-cli", true),
        ("Read", "file_head", "chibi", true),
        ("Read", "file_tail", "chibi", true),
        ("file_head", "file_head", "chibi", true),
        ("file_head", "file_tail", "chibi", false),
        ("file_head", "Read", "claude-code", true),
        ("Grep", "grep_files", "chibi", true),
        ("Grep", "file_head", "chibi", false),
        ("WebFetch", "webfetch", "opencode", true),
        ("Task", "spawn_agent", "codex", true),
        ("Task", "multi_agent_v1wait_agent", "codex", true),
        ("Task", "wait_agent", "codex", true),
        ("custom_tool", "custom_tool", "claude-code", true),
        ("custom_tool", "custom_tool2", "claude-code", false),
        ("*", "anything", "claude-code", true),
        ("state_*", "state_get", "plain", true),
        ("state_*", "estate_get", "plain", false),
        ("file_*", "file_head", "chibi", true),
        ("Read*", "Read", "claude-code", true),
    ];
    for (text, tool, host, expected) in table {
        assert_eq!(names(text, tool, host), expected, "{text} ~ {tool} on {host}");
    }
}

#[test]
fn tools_of_servers_are_named_by_server_and_tool() {
    // S3
    let table = [
        ("mcp__github__list_issues", "mcp__github__list_issues", true),
        ("mcp__github__list_issues", "mcp__github__close_issue", false),
        ("mcp__github__*", "mcp__github__list_issues", true),
        ("mcp__github__list_*", "mcp__github__list_issues", true),
        ("mcp__github__list_*", "mcp__github__close_issue", false),
        ("mcp__github", "mcp__github__list_issues", true),
        ("mcp__git", "mcp__github__list_issues", false),
        ("mcp__git*", "mcp__github__list_issues", true),
        ("mcp__*", "mcp__github__list_issues", true),
        ("MCP__GitHub__*", "mcp__github__x", true),
        ("mcp__a__*", "mcp__a__b__c", false),
        ("mcp__a__b__c", "mcp__a__b__c", true),
        ("mcp__a", "mcp__a__b__c", false),
        ("mcp__a__*", "mcp__ab__c", false),
        ("mcp__github__*", "Bash", false),
        ("Bash", "mcp__github__bash", false),
    ];
    for (text, tool, expected) in table {
        assert_eq!(names(text, tool, "claude-code"), expected, "{text} ~ {tool}");
    }
}

#[test]
fn a_host_that_does_not_mark_servers_is_believed_only_exactly() {
    // S3
    let table = [
        ("mcp__github__list", "mcp_github_list", "gemini-cli", true),
        ("mcp__github__*", "mcp_github_list", "gemini-cli", false),
        ("mcp__github", "mcp_github_list", "gemini-cli", false),
        ("mcp__github__list", "github_list", "opencode", true),
        ("mcp__github__*", "github_list", "opencode", false),
        ("mcp__github__list", "mcp_github_list", "opencode", false),
    ];
    for (text, tool, host, expected) in table {
        assert_eq!(names(text, tool, host), expected, "{text} ~ {tool} on {host}");
    }
}

#[test]
fn a_server_named_beside_the_call_is_believed() {
    // S3
    let host = HostTable::named("gemini-cli").expect("a host");
    let mut call = ToolCall::new("mcp_git_hub_list", json!({}));
    call.mcp = Some(McpTool { server: "git_hub".to_owned(), tool: "list".to_owned() });
    let call = call.understand(host);
    assert!(pattern("mcp__git_hub__*").names(&call, host));
    assert!(pattern("mcp__git_hub").names(&call, host));
    assert!(pattern("mcp__git_hub__list").names(&call, host));
    assert!(!pattern("mcp__git__*").names(&call, host));
}

#[test]
fn the_argument_is_read_as_the_tool_needs_it() {
    // S3
    assert_eq!(pattern("Bash").argument, Argument::Any);
    assert_eq!(pattern("Bash(*)").argument, Argument::Any);
    assert!(matches!(pattern("Bash(git:*)").argument, Argument::Command(_)));
    assert!(matches!(pattern("shell_exec(git:*)").argument, Argument::Command(_)));
    assert!(matches!(pattern("Read(./a)").argument, Argument::Path(_)));
    assert!(matches!(pattern("Grep(./a)").argument, Argument::Path(_)));
    for bare in ["Read(*)", "Write(*)", "Skill(*)", "Agent(*)", "WebFetch(*)", "mcp__a__b(*)"] {
        assert_eq!(pattern(bare).argument, Argument::Any, "{bare}");
    }
    assert!(matches!(pattern("WebFetch(domain:a.b)").argument, Argument::Domain(_)));
}

#[test]
fn an_argument_that_is_not_understood_says_so() {
    // S3
    let table = [
        ("Bash()", "empty"),
        ("Bash(a && b)", "not understood"),
        ("Read()", "empty"),
        ("Read([a])", "wildcards"),
        ("WebFetch(example.com)", "domain:HOST"),
        ("WebFetch(domain:)", "not a host name"),
        ("WebFetch(domain:https://a.b)", "not a host name"),
        ("WebFetch(domain:a.b/c)", "not a host name"),
        ("WebFetch(domain:a.b:80)", "not a host name"),
        ("WebFetch(domain:user@a.b)", "not a host name"),
        ("WebFetch(domain:bücher.example)", "not a host name"),
        ("WebFetch(domain:*)", "not a host name"),
        ("WebFetch(domain:a.*.b)", "not a host name"),
        ("Task(reviewer)", "takes no argument"),
        ("mcp__a__b(x)", "takes no argument"),
        ("custom(x)", "takes no argument"),
        ("!Bash(git:*)", "only understood in policy rules"),
        ("Ba[s]h", "wildcards other than"),
    ];
    for (text, fault) in table {
        let pattern = pattern(text);
        let found = pattern.fault().unwrap_or_else(|| panic!("{text} is understood"));
        assert!(found.contains(fault), "{text}: {found}");
        assert_eq!(pattern.to_string(), text);
        assert_eq!(pattern.source().to_string(), text);
    }
    assert_eq!(pattern("Bash(git:*)").fault(), None);
    let long = format!("Bash({}:*)", "a".repeat(MAX_PATTERN_BYTES));
    assert!(pattern(&long).fault().is_some());
}

#[test]
fn a_domain_is_one_host_or_all_below_it() {
    // S3
    let table = [
        ("example.com", "https://example.com/a", true),
        ("example.com", "https://EXAMPLE.com./a", true),
        ("example.com", "http://example.com:8080/", true),
        ("example.com", "https://sub.example.com/", false),
        ("example.com", "https://example.com.evil.example/", false),
        ("example.com", "https://evilexample.com/", false),
        ("example.com", "https://example.com@evil.example/", false),
        ("example.com", "https://evil.example/example.com", false),
        ("example.com", "ftp://example.com/", false),
        ("EXAMPLE.com", "https://example.com/", true),
        ("*.example.com", "https://sub.example.com/", true),
        ("*.example.com", "https://a.b.example.com/", true),
        ("*.example.com", "https://example.com/", false),
        ("*.example.com", "https://evilexample.com/", false),
        ("xn--bcher-kva.example", "https://xn--bcher-kva.example/", true),
        ("xn--bcher-kva.example", "https://bücher.example/", false),
        ("127.0.0.1", "http://127.0.0.1/", true),
        ("127.0.0.1", "http://2130706433/", false),
        ("[::1]", "http://[::1]:80/", true),
    ];
    for (domain, url, expected) in table {
        let Argument::Domain(compiled) = pattern(&format!("WebFetch(domain:{domain})")).argument
        else {
            panic!("{domain} is no domain");
        };
        assert_eq!(compiled.covers(Some(url), Strictness::Surely), expected, "{domain} ~ {url}");
    }
}

#[test]
fn an_address_nobody_can_rely_on_may_be_a_denied_one() {
    // S3, S4
    let Argument::Domain(domain) = pattern("WebFetch(domain:evil.example)").argument else {
        panic!("no domain");
    };
    let table = [
        (Some("https://good.example@evil.example/"), true),
        (Some("https://evil。example/"), true),
        (Some("http://2130706433/"), true),
        (None, true),
        (Some("https://evil.example/"), true),
        (Some("https://good.example/"), false),
    ];
    for (url, expected) in table {
        assert_eq!(domain.covers(url, Strictness::Possibly), expected, "{url:?}");
    }
}
