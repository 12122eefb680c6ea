use std::path::Path;

use metier_format::{AllowedTools, SkillName, ToolPattern};
use serde_json::json;

use crate::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, ToolCall, Verdict, decide,
};

/// Whether a skill with these tools lets Codex run the command.
fn allows(host: &str, tools: &str, command: &str) -> bool {
    let name = SkillName::parse("ready").expect("a name");
    let allowed = AllowedTools::Only(ToolPattern::tokenize(tools).expect("patterns"));
    let skill = ActiveSkill { allowed: Some(allowed), ..ActiveSkill::unrestricted(name) };
    let stack: ActiveStack = [skill].into_iter().collect();
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named(host).expect("a host");
    let call = ToolCall::new("Bash", json!({ "command": command }));
    decide(&policy, &stack, &call, host, &Place::lexical(Path::new("/work"))).verdict
        == Verdict::Allow
}

fn check(tools: &str, command: &str, expected: bool) {
    assert_eq!(allows("codex", tools, command), expected, "{tools}: {command}");
}

#[test]
fn a_command_that_only_reads_is_the_tool_it_stands_in_for() {
    // S3, U5
    for command in [
        "cat /work/a",
        "/usr/bin/cat /work/a /work/b",
        "head -5 /work/a",
        "head -n 5 /work/a",
        "tail -c 100 /work/a",
        "sed -n 1,5p /work/a",
        "sed -n '1,5p;9q' /work/a",
        "sed -n 1p -- /work/a",
        "sed -n -- 1p /work/a",
        "LC_ALL=C cat /work/a",
        "LC_ALL=C TZ=UTC sort /work/a",
        "wc -l /work/a",
        "cat /work/a | head -20",
        "cat /work/a | grep -n foo | sort | head -n 3",
        "cat /work/a 2>/dev/null",
        "cat /work/a; nl -ba /work/b",
        "cat < /work/a",
        "sort < /work/a | head",
    ] {
        check("Read", command, true);
        check("Read(/work/**)", command, true);
        check("Read(/else/**)", command, false);
        check("Grep LS Glob Write", command, false);
        assert!(!allows("claude-code", "Read", command), "{command}");
    }
}

#[test]
fn a_search_is_grep_and_a_list_is_ls_or_glob() {
    // S3, U5
    for command in [
        "rg x /work/src",
        "rg -n -C 3 'a b' /work/src",
        "rg -e x -g '*.rs' /work",
        "grep -rn x /work/src",
        "grep -A3 '--include=*.md' x /work/a",
        "rg x /work/src | head",
    ] {
        check("Grep", command, true);
        check("Grep(/work/**)", command, true);
        check("Grep(/else/**)", command, false);
        check("Read LS Glob", command, false);
    }
    for command in [
        "ls /work",
        "ls -la /work/src",
        "find /work -name '*.md' -type f",
        "tree /work",
        "tree -L 1 /work/src",
        "tree -aL2 --noreport /work",
        "tree -a -L 2 -I node_modules --dirsfirst /work",
    ] {
        check("LS", command, true);
        check("Glob", command, true);
        check("LS(/work/**)", command, true);
        check("LS(/else/**)", command, false);
        check("Read Grep", command, false);
    }
    check("Read, Grep, LS", "ls /work && cat /work/a && rg x /work", true);
    check("Read, Bash(git:*)", "cat /work/a && git -C /work status", true);
    check("Read, Bash(git:*)", "cat /work/a && touch x", false);
}

#[test]
fn what_is_not_beyond_doubt_stays_a_command() {
    // S3, U5
    for command in [
        "cat a",
        "cat",
        "head -20",
        "sort",
        "ls",
        "rg x",
        "cat $X",
        "cat /work/*",
        "cat /work/a b",
        "cat /work/a > /work/b",
        "cat /work/a | tee /work/b",
        "cat /work/a | sh",
        "cat /work/a; touch /work/b",
        "cat $(touch x) /work/a",
        "X=1 cat /work/a",
        "LC_ALL=/tmp/x cat /work/a",
        "LC_ALL=$X cat /work/a",
        "PATH=/tmp LC_ALL=C cat /work/a",
        "sed -n 1p -- 'r/work/a' -e x",
        "tree -R -L1 -H /tmp /work",
        "tree -RL1 -H/tmp /work",
        "tree -L 1 -o /work/x /work",
        "tree -l /work",
        "tree --fromfile /work/x",
        "tree -H /etc /work",
        "tree --frobnicate /work",
        "./cat /work/a",
        "/tmp/cat /work/a",
        "cd /work && cat a",
        "sed -i 1d /work/a",
        "sed -n 'r /etc/passwd' /work/a",
        "sed -n '1w /work/b' /work/a",
        "sed -f /work/s /work/a",
        "sed -n -e 'r /etc/passwd' -e 1p /work/a",
        "awk 1 /work/a",
        "less /work/a",
        "bat /work/a",
        "man -l /work/a",
        "python3 /work/a",
        "frobnicate /work/a",
        "head -n 5 5 /work/a",
        "cat -n 5 /work/a",
        "rg --files /etc /work",
        "rg -nex /etc /work",
        "grep -repat /etc /work",
        "grep -f /etc/passwd /work/a",
        "rg --pre sh x /work",
        "grep -R x /work",
        "find /work -exec rm {} +",
        "find /work -delete",
        "find -L /work",
        "find /work -fprint /work/b",
        "sort -o /work/b /work/a",
        "wc --files0-from=/work/a",
        "bash -c 'cat /work/a'",
        "env cat /work/a",
        "sudo cat /work/a",
        "xargs cat < /work/a",
        "nc far 1 < /work/a",
        "cat < a",
        "cat <> /work/a",
        "git -C /work show",
        "echo x",
        "printenv",
    ] {
        check("Read, Grep, Glob, LS", command, false);
    }
}

#[test]
fn files_beyond_those_a_skill_names_are_none_of_its_own() {
    // S3, U5
    check("Read(/work/**)", "cat /work/a /etc/passwd", false);
    check("Read(/work/**)", "cat /work/../etc/passwd", false);
    check("Read(/work/**)", "cat /work/a; cat /etc/passwd", false);
    check("Read(/work/**)", "cat /work/a; cat < /etc/passwd", false);
    check("Grep(/work/**)", "rg x /work /etc", false);
    check("Grep(/work/**)", "rg -e x /etc", false);
    check("LS(/work/**)", "find /work /etc", false);
}

#[test]
fn a_rule_against_reading_a_file_holds_for_commands_that_read_it() {
    // S3, S4, U5
    // The built-in policy asks about secrets.
    check("Read", "cat /root/.ssh/id_ed25519", false);
}

#[test]
fn a_refusal_says_what_a_command_needs_to_be_one_that_only_reads() {
    // S3, U5
    let name = SkillName::parse("ready").expect("a name");
    let said = |tools: &str| {
        let allowed = AllowedTools::Only(ToolPattern::tokenize(tools).expect("patterns"));
        let skill =
            ActiveSkill { allowed: Some(allowed), ..ActiveSkill::unrestricted(name.clone()) };
        let stack: ActiveStack = [skill].into_iter().collect();
        let policy = Policy::profile(Profile::Default);
        let host = HostTable::named("codex").expect("a host");
        let call = ToolCall::new("Bash", json!({ "command": "cat a" }));
        let place = Place::lexical(Path::new("/work"));
        decide(&policy, &stack, &call, host, &place).explanation()
    };
    assert!(said("Read").contains("by its whole path"), "{}", said("Read"));
    assert!(!said("Write").contains("by its whole path"), "{}", said("Write"));
}
