//! What holds for every policy, stack and call.

use metier_format::{AllowedTools, SkillName, ToolPattern};
use metier_policy::own::OWN_COMMAND;
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Policy, PolicyFile, PolicyLayer, Profile, Ruling,
    ToolCall, Verdict, decide,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world;

const PATTERNS: &[&str] = &[
    "*",
    "Bash",
    "Bash(git:*)",
    "Bash(git push:*)",
    "Bash(git status)",
    "Bash(rm:*)",
    "Bash(ls *)",
    "Bash(* --version)",
    "Bash(python:*)",
    "Read",
    "Read(./docs/**)",
    "Read(~/.ssh/**)",
    "Read(*.md)",
    "Write",
    "Write(./out/**)",
    "Edit(/etc/**)",
    "Grep",
    "WebFetch",
    "WebFetch(domain:example.com)",
    "mcp__github__*",
    "mcp__github__list",
    "Task",
    "custom_*",
    "Bash(a && b)",
    "Skill",
];

const COMMANDS: &[&str] = &[
    "git status",
    "git push origin",
    "git -C sub push",
    "git status && rm x",
    "rm -rf x",
    "ls -la",
    "node --version",
    "git $x",
    "$x",
    "git log > out/x",
    "git log > x",
    "cat docs/a.md",
    "cat ~/.ssh/id",
    "python x.py",
    "sudo ls",
    "env git status",
    "sh -c 'git push'",
    "f() { x; }",
    "git -c core.pager=x log",
    "curl https://example.com",
    "",
    "true",
    "x=1; git status",
];

fn calls() -> impl Strategy<Value = ToolCall> {
    let shell =
        prop::sample::select(COMMANDS).prop_map(|c| ("Bash".to_owned(), json!({ "command": c })));
    let paths =
        ["docs/a.md", "/home/user/.ssh/id", "out/x", "/etc/passwd", "../x", "", "README.md"];
    let files = (
        prop::sample::select(vec!["Read", "Write", "Edit", "Grep", "Glob", "LS"]),
        prop::sample::select(paths.to_vec()),
    )
        .prop_map(|(tool, path)| (tool.to_owned(), json!({ "file_path": path, "path": path })));
    let urls = prop::sample::select(vec!["https://example.com/", "https://evil.example/", "x"])
        .prop_map(|url| ("WebFetch".to_owned(), json!({ "url": url })));
    let others = prop::sample::select(vec![
        "mcp__github__list",
        "mcp__x__y",
        "Task",
        "custom_a",
        "AskUserQuestion",
        "Skill",
        "release_skill",
    ])
    .prop_map(|tool| (tool.to_owned(), Value::Null));
    prop_oneof![4 => shell, 3 => files, 1 => urls, 2 => others]
        .prop_map(|(tool, arguments)| ToolCall::new(tool, arguments))
}

fn skills() -> impl Strategy<Value = ActiveSkill> {
    let tools = prop::collection::vec(prop::sample::select(PATTERNS), 0..4);
    let trust = prop::sample::select(vec!["approved", "present", "untrusted"]);
    let layer = prop::sample::select(vec!["personal", "project"]);
    (prop::option::of(tools), trust, layer, "[a-c]").prop_map(|(tools, trust, layer, name)| {
        let only = |tools: Vec<&str>| {
            let patterns = ToolPattern::tokenize(&tools.join(" "));
            patterns.map_or(AllowedTools::Unreadable, AllowedTools::Only)
        };
        ActiveSkill {
            allowed: tools.map(only),
            trust: trust.to_owned(),
            layer: layer.to_owned(),
            ..ActiveSkill::unrestricted(SkillName::parse(&name).expect("a name"))
        }
    })
}

fn stacks() -> impl Strategy<Value = Vec<ActiveSkill>> {
    prop::collection::vec(skills(), 0..4)
}

/// One rule as text; allows have no conditions on skills, for those widen by design.
fn rules() -> impl Strategy<Value = String> {
    let understood: Vec<&str> = PATTERNS.iter().copied().filter(|p| !p.contains("&&")).collect();
    let verdict = prop::sample::select(vec!["allow", "ask", "deny"]);
    let condition =
        prop::sample::select(vec!["", "trust = 'untrusted'", "skill = 'a'", "layer = 'project'"]);
    let patterns = prop::collection::vec(prop::sample::select(understood), 1..3);
    (verdict, patterns, condition).prop_map(|(verdict, patterns, condition)| {
        let condition = if verdict == "allow" { "" } else { condition };
        format!("[[rule]]\nverdict = '{verdict}'\npatterns = {patterns:?}\n{condition}\n")
    })
}

fn files() -> impl Strategy<Value = String> {
    let profile = prop::sample::select(vec![
        "",
        "profile = 'strict'",
        "profile = 'default'",
        "profile = 'full-auto'",
        "default = 'ask'",
        "allowed-tools = 'ignore'",
        "allowed-tools = 'pre-approve'",
    ]);
    (profile, prop::collection::vec(rules(), 0..4))
        .prop_map(|(profile, rules)| format!("{profile}\n{}", rules.concat()))
}

fn read(text: &str) -> PolicyFile {
    PolicyFile::read(text, "generated.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn merge(layers: &[(PolicyLayer, &str)]) -> Policy {
    Policy::merge(layers.iter().map(|(layer, text)| (*layer, read(text))))
}

fn ruling(policy: &Policy, skills: &[ActiveSkill], call: &ToolCall) -> Ruling {
    let stack: ActiveStack = skills.iter().cloned().collect();
    decide(policy, &stack, call, HostTable::plain(), &world::place())
}

/// Ways to run a command that the shell reader takes apart; `{}` is the command.
const WRAPPERS: &[&str] = &[
    "{}",
    "env {}",
    "env -u X A=1 {}",
    "nohup {}",
    "timeout 5 {}",
    "nice -n 5 {}",
    "command {}",
    "sudo -n {}",
    "cd /tmp && {}",
    "ls | {}",
    "if true; then {}; fi",
    "( {} ) > /dev/null 2>&1",
    "echo \"$({})\"",
    "xargs -n 1 {}",
    "find . -exec {} ';'",
];

const NAMES: &[&str] = &["metier", "/usr/bin/metier", "./metier", "METIER", "\"$D\"/metier"];

const FLAGS: &[&str] =
    &["", "--json", "-q", "--home list", "--home=x", "--root personal=show", "--session s -v"];

const APPROVING: &[&str] =
    &["trust x", "untrust x", "add a/b -y", "update", "link", "index add a b", "hook setup codex"];

const HARMLESS: &[&str] =
    &["list", "show trust", "search add", "run a b -- trust", "index list add", "hook check codex"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn another_skill_never_turns_a_deny_into_an_allow(
        text in files(), stack in stacks(), more in skills(), at in any::<prop::sample::Index>(), call in calls()
    ) {
        // S3, S4
        let policy = merge(&[(PolicyLayer::Personal, &text)]);
        let before = ruling(&policy, &stack, &call);
        let mut larger = stack.clone();
        larger.insert(at.index(stack.len() + 1), more);
        let after = ruling(&policy, &larger, &call);
        prop_assert!(
            before.verdict < Verdict::Deny || after.verdict == Verdict::Deny,
            "{before:?}\n{after:?}"
        );
    }

    #[test]
    fn in_restrict_mode_another_skill_never_relaxes_anything(
        rules in prop::collection::vec(rules(), 0..4), stack in stacks(), more in skills(), call in calls()
    ) {
        // S3, S4
        let policy = merge(&[(PolicyLayer::Personal, &rules.concat())]);
        let before = ruling(&policy, &stack, &call).verdict;
        let larger: Vec<ActiveSkill> = stack.iter().cloned().chain([more]).collect();
        prop_assert!(ruling(&policy, &larger, &call).verdict >= before);
    }

    #[test]
    fn neither_a_project_nor_the_section_of_a_client_relaxes_anything(
        enterprise in files(), personal in files(), lower in files(), stack in stacks(), call in calls(),
        layer in prop::sample::select(vec![PolicyLayer::Project, PolicyLayer::Client])
    ) {
        // S4, U2
        let above = [(PolicyLayer::Enterprise, &*enterprise), (PolicyLayer::Personal, &*personal)];
        let without = ruling(&merge(&above), &stack, &call).verdict;
        let with = merge(&[above[0], above[1], (layer, &*lower)]);
        prop_assert!(ruling(&with, &stack, &call).verdict >= without);
    }

    #[test]
    fn a_lower_layer_never_relaxes_what_a_stated_profile_above_says(
        rules in prop::collection::vec(rules(), 0..4), profile in prop::sample::select(vec!["strict", "default", "full-auto"]),
        personal in files(), call in calls()
    ) {
        // S4
        let enterprise = format!("profile = '{profile}'\nallowed-tools = 'restrict'\n{}", rules.concat());
        let above = [(PolicyLayer::Enterprise, &*enterprise)];
        let without = ruling(&merge(&above), &[], &call).verdict;
        let with = merge(&[above[0], (PolicyLayer::Personal, &*personal)]);
        prop_assert!(ruling(&with, &[], &call).verdict >= without);
    }

    #[test]
    fn a_rule_that_denies_at_the_front_never_relaxes(
        text in prop::collection::vec(rules(), 0..4), pattern in prop::sample::select(PATTERNS), call in calls()
    ) {
        // S4
        prop_assume!(!pattern.contains("&&"));
        let rules = text.concat();
        let before = ruling(&merge(&[(PolicyLayer::Personal, &rules)]), &[], &call).verdict;
        let front = format!("[[rule]]\nid = 'front'\nverdict = 'deny'\npattern = '{pattern}'\n{rules}");
        prop_assert!(ruling(&merge(&[(PolicyLayer::Personal, &front)]), &[], &call).verdict >= before);
    }

    #[test]
    fn the_order_of_skills_does_not_matter(text in files(), stack in stacks(), call in calls()) {
        // S3, S4
        let policy = merge(&[(PolicyLayer::Personal, &text)]);
        let mut turned = stack.clone();
        turned.reverse();
        prop_assert_eq!(
            ruling(&policy, &stack, &call).verdict,
            ruling(&policy, &turned, &call).verdict
        );
    }

    #[test]
    fn the_order_of_patterns_in_a_skill_does_not_matter(
        tools in prop::collection::vec(prop::sample::select(PATTERNS), 0..5), call in calls()
    ) {
        // S3
        let policy = merge(&[]);
        let (forward, backward) = (tools.join(" "), tools.iter().rev().copied().collect::<Vec<_>>().join(" "));
        prop_assert_eq!(
            ruling(&policy, &[world::skill("x", &forward)], &call).verdict,
            ruling(&policy, &[world::skill("x", &backward)], &call).verdict
        );
    }

    #[test]
    fn another_pattern_in_a_skill_never_restricts(
        tools in prop::collection::vec(prop::sample::select(PATTERNS), 0..4), more in prop::sample::select(PATTERNS), call in calls()
    ) {
        // S3
        let policy = merge(&[]);
        let before = ruling(&policy, &[world::skill("x", &tools.join(" "))], &call).verdict;
        let wider = format!("{} {more}", tools.join(" "));
        prop_assert!(ruling(&policy, &[world::skill("x", &wider)], &call).verdict <= before);
    }

    #[test]
    fn the_strictest_reason_wins(text in files(), stack in stacks(), call in calls()) {
        // S4
        let ruling = ruling(&merge(&[(PolicyLayer::Personal, &text)]), &stack, &call);
        let strictest = ruling.reasons.iter().map(|reason| reason.verdict).max();
        prop_assert_eq!(Some(ruling.verdict), strictest);
        prop_assert!(ruling.reasons.iter().all(|reason| !reason.text.is_empty()));
    }

    #[test]
    fn a_ruling_is_a_function_of_its_arguments(text in files(), stack in stacks(), call in calls()) {
        // S4
        let policy = merge(&[(PolicyLayer::Personal, &text)]);
        prop_assert_eq!(ruling(&policy, &stack, &call), ruling(&policy, &stack, &call));
    }

    #[test]
    fn a_list_is_allowed_only_if_each_command_is(
        tools in prop::collection::vec(prop::sample::select(PATTERNS), 0..4),
        commands in prop::collection::vec(prop::sample::select(COMMANDS), 1..4),
        join in prop::sample::select(vec!["; ", " && ", " || ", "\n", " | ", " & "])
    ) {
        // S3
        let allowed = tools.join(" ");
        // Definitions and redirections change what stands beside them; empty texts are no list.
        let plain = |c: &&&str| !c.is_empty() && !c.contains('(');
        let commands: Vec<&str> = commands.iter().filter(plain).copied().collect();
        prop_assume!(!commands.is_empty());
        let each = commands.iter().map(|c| world::shell(&allowed, c).verdict).max();
        let list = world::shell(&allowed, &commands.join(join)).verdict;
        prop_assert_eq!(Some(list), each, "{:?}", commands);
    }

    #[test]
    fn any_call_gets_a_ruling(
        tool in "\\PC{0,20}", command in any::<String>(), allowed in "\\PC{0,40}"
    ) {
        // S3, F4
        for name in [tool.as_str(), "Bash", "Read", "WebFetch", "apply_patch"] {
            let arguments = json!({
                "command": command, "file_path": command, "url": command, "path": command,
            });
            let _ = world::rule(&allowed, name, arguments);
            let _ = world::rule("Bash(git:*) Read(./**) WebFetch(domain:a.b)", name, json!(command));
        }
    }

    #[test]
    fn any_policy_text_is_read_or_refused(text in any::<String>(), toml in "[a-z\\[\\]= '\"\\n*()]{0,80}") {
        // S4, F4
        let _ = PolicyFile::read(&text, "x");
        let _ = PolicyFile::read(&toml, "x");
    }

    #[test]
    fn no_wrapping_hides_a_command_that_is_for_the_user_and_none_makes_another_one(
        wrappers in prop::collection::vec(prop::sample::select(WRAPPERS), 0..4),
        name in prop::sample::select(NAMES),
        flags in prop::sample::select(FLAGS),
        approving in prop::sample::select(APPROVING),
        harmless in prop::sample::select(HARMLESS),
    ) {
        // S3, S4
        let own = |command: &str| {
            let mut text = format!("{name} {flags} {command}");
            for wrapper in &wrappers {
                // A list within an argument is text for a shell.
                let inner = match wrapper.split(' ').next() {
                    Some("{}" | "cd" | "ls" | "if" | "(" | "echo") => text.clone(),
                    _ => format!("sh -c '{}'", text.replace('\'', "'\\''")),
                };
                text = wrapper.replace("{}", &inner);
            }
            let call = ToolCall::new("Bash", json!({ "command": text }));
            let ruling = ruling(&Policy::profile(Profile::FullAuto), &[], &call);
            (ruling.rule.as_deref() == Some(OWN_COMMAND), ruling.verdict, text)
        };
        let (found, verdict, text) = own(approving);
        prop_assert!(found && verdict == Verdict::Deny, "{}", text);
        let (found, verdict, text) = own(harmless);
        prop_assert!(!found && verdict == Verdict::Allow, "{}", text);
    }
}
