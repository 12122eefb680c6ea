use super::*;
use crate::diagnostic::Mode;
use crate::limits::{
    MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TOOL_PATTERNS, MAX_USABLE_NAME_CHARS,
};
use crate::manifest::ContextMode;
use crate::parse::{Parsed, parse};
use crate::tool_pattern::ToolPattern;

/// A file with `lines` between a good name and description and the closing fence.
fn file(lines: &str) -> String {
    format!("---\nname: my-skill\ndescription: A test skill\n{lines}\n---\nBody\n")
}

/// Every finding but that a field is not portable, which each extension has.
fn findings(parsed: &Parsed) -> Vec<Code> {
    let codes = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code);
    codes.filter(|code| *code != Code::FieldNotPortable).collect()
}

/// Checks the findings about `lines`, and gives the manifest.
#[track_caller]
fn check(lines: &str, expect: &[Code]) -> Manifest {
    let parsed = parse(file(lines).as_bytes(), Some("my-skill"));
    assert_eq!(findings(&parsed), expect, "{lines}");
    parsed.manifest.expect(lines)
}

/// Checks the findings about a whole frontmatter.
#[track_caller]
fn check_all(lines: &str, expect: &[Code]) -> Option<Manifest> {
    let text = format!("---\n{lines}\n---\n");
    let parsed = parse(text.as_bytes(), Some("my-skill"));
    assert_eq!(findings(&parsed), expect, "{lines}");
    parsed.manifest
}

/// The only finding about `lines`.
#[track_caller]
fn only(lines: &str, code: Code) -> Diagnostic {
    let parsed = parse(file(lines).as_bytes(), Some("my-skill"));
    assert_eq!(findings(&parsed), [code], "{lines}");
    parsed.diagnostics.into_iter().find(|diagnostic| diagnostic.code == code).unwrap()
}

/// `lines` after the fixes of everything found about them.
fn fixed(lines: &str) -> String {
    let mut text = file(lines);
    let found = parse(text.as_bytes(), None).diagnostics;
    for edit in found.into_iter().flat_map(|diagnostic| diagnostic.fix).rev() {
        text.replace_range(edit.span.range(), &edit.text);
    }
    let end = text.find("\n---\nBody").unwrap();
    text[file("").find("\n\n---").unwrap() + 1..end].to_owned()
}

fn values(texts: &[Text]) -> Vec<&str> {
    texts.iter().map(|text| &*text.value).collect()
}

fn text(text: &Option<Text>) -> Option<&str> {
    text.as_ref().map(|text| &*text.value)
}

#[test]
fn names_break_every_rule_at_once() {
    // F2, F3
    check_all("name: -My--Skill_\ndescription: d", {
        use Code::{
            NameCharacters, NameDoubleHyphen, NameEdgeHyphen, NameNotDirectory, NameNotLowercase,
        };
        &[NameNotLowercase, NameEdgeHyphen, NameDoubleHyphen, NameCharacters, NameNotDirectory]
    });
    check_all(&format!("name: {}\ndescription: d", "a".repeat(65)), {
        &[Code::NameTooLong, Code::NameNotDirectory]
    });
}

#[test]
fn names_that_break_rules_load_as_they_are() {
    // ruling 2
    for (name, expect) in [
        ("Apify Automation", &[Code::NameNotLowercase, Code::NameCharacters][..]),
        ("-2chat-automation", &[Code::NameEdgeHyphen]),
        ("my_skill", &[Code::NameCharacters]),
        ("ａｂｃ", &[Code::NameNormalized]),
    ] {
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        let parsed = parse(text.as_bytes(), None);
        assert_eq!(findings(&parsed), expect);
        let loaded = parsed.manifest.unwrap().name.to_string();
        assert_eq!(loaded, if name == "ａｂｃ" { "abc" } else { name });
    }
}

#[test]
fn a_skill_without_a_usable_name_or_description_does_not_load() {
    // F2, ruling 2
    let refused = |lines: &str, code| assert_eq!(check_all(lines, &[code]), None);
    refused("description: d", Code::NameMissing);
    refused("name:\ndescription: d", Code::NameEmpty);
    refused("name: '  '\ndescription: d", Code::NameEmpty);
    refused("name: [my-skill]\ndescription: d", Code::NameEmpty);
    refused("name: ../x\ndescription: d", Code::NameUnusable);
    refused("name: \"a\\u200Db\"\ndescription: d", Code::NameUnusable);
    let long = "a".repeat(MAX_USABLE_NAME_CHARS + 1);
    refused(&format!("name: {long}\ndescription: d"), Code::NameUnusable);
    refused("name: my-skill", Code::DescriptionMissing);
    refused("name: my-skill\ndescription:", Code::DescriptionEmpty);
    refused("name: my-skill\ndescription: '  '", Code::DescriptionEmpty);
    refused("name: my-skill\ndescription: {a: b}", Code::DescriptionEmpty);
}

#[test]
fn a_name_and_its_directory_are_both_named() {
    // F3
    let parsed = parse(file("").as_bytes(), Some("Wrong \u{202e}dir"));
    let [diagnostic] = &*parsed.diagnostics else { panic!("{:?}", parsed.diagnostics) };
    assert_eq!(diagnostic.code, Code::NameNotDirectory);
    assert_eq!(
        diagnostic.help.as_deref(),
        Some("rename the directory to `my-skill`, or set `name` to `Wrong \\u{202e}dir`")
    );
    assert_eq!(parse(file("").as_bytes(), None).diagnostics, []);
}

#[test]
fn description_length_is_counted_in_characters_after_trimming() {
    // F2, ruling 7
    let with = |description: String| format!("name: my-skill\ndescription: {description}");
    let most = MAX_DESCRIPTION_CHARS;
    check_all(&with("x".repeat(most)), &[]);
    check_all(&with("😀".repeat(most)), &[]);
    check_all(&with(format!("|\n  {}", "x".repeat(most))), &[]);
    check_all(&with(format!("\"   {}   \"", "x".repeat(most))), &[]);
    let long = check_all(&with("x".repeat(most + 1)), &[Code::DescriptionTooLong]);
    assert_eq!(long.unwrap().description.len(), most + 1);
    check_all(&with("e\u{301}".repeat(600)), &[Code::DescriptionTooLong]);
}

#[test]
fn license_and_compatibility_are_text() {
    // F2
    let manifest = check("license: MIT\ncompatibility: Needs git", &[]);
    assert_eq!(text(&manifest.license), Some("MIT"));
    assert_eq!(text(&manifest.compatibility), Some("Needs git"));
    assert_eq!(check("license:", &[Code::FieldEmpty]).license, None);
    assert_eq!(check("license: [MIT]", &[Code::LicenseType]).license, None);
    check("compatibility:", &[Code::CompatibilityEmpty]);
    check("compatibility: \"\"", &[Code::CompatibilityEmpty]);
    check("compatibility: [a]", &[Code::CompatibilityType]);
    check(&format!("compatibility: {}", "x".repeat(MAX_COMPATIBILITY_CHARS)), &[]);
    let long = format!("compatibility: {}", "x".repeat(MAX_COMPATIBILITY_CHARS + 1));
    assert!(check(&long, &[Code::CompatibilityTooLong]).compatibility.is_some());
}

#[test]
fn metadata_is_text_to_text_and_keeps_its_order() {
    // F2
    let pairs = |lines: &str, expect: &[Code]| -> Vec<(String, String)> {
        let metadata = check(lines, expect).metadata;
        metadata.into_iter().map(|(key, value)| (key.value, value.value)).collect()
    };
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    };
    assert_eq!(
        pairs("metadata:\n  v: 1.10\n  t: true\n  n: null\n  e:\n  1: x", &[]),
        owned(&[("v", "1.10"), ("t", "true"), ("n", "null"), ("e", ""), ("1", "x")])
    );
    assert_eq!(
        pairs("metadata:\n  a:\n    b: c\n  l: [1, 2]", &[Code::MetadataValue; 2]),
        owned(&[("a", r#"{"b":"c"}"#), ("l", r#"["1","2"]"#)])
    );
    assert_eq!(pairs("metadata: hello", &[Code::MetadataType]), []);
    assert_eq!(pairs("metadata: [a]", &[Code::MetadataType]), []);
    assert_eq!(pairs("metadata:", &[Code::FieldEmpty]), []);
    assert_eq!(pairs("metadata: {}", &[Code::FieldEmpty]), []);
    assert_eq!(
        pairs("metadata:\n  a: 1\n  b: 2\n  a: 3", &[Code::DuplicateKey]),
        owned(&[("a", "3"), ("b", "2")])
    );
}

fn tools(lines: &str, expect: &[Code]) -> Option<Vec<String>> {
    match check(lines, expect).allowed_tools.expect(lines).value {
        AllowedTools::Only(patterns) => Some(patterns.iter().map(ToolPattern::to_string).collect()),
        AllowedTools::Unreadable => None,
    }
}

#[test]
fn allowed_tools_are_read_in_every_form() {
    // F2, ruling 5
    let three = Some(["Read", "Bash(git add *)", "Grep"].map(str::to_owned).to_vec());
    assert_eq!(tools("allowed-tools: Read Bash(git add *) Grep", &[]), three);
    let form = &[Code::ToolsForm];
    assert_eq!(tools("allowed-tools: Read, Bash(git add *), Grep", form), three);
    assert_eq!(tools("allowed-tools: [Read, Bash(git add *), Grep]", form), three);
    assert_eq!(tools("allowed-tools:\n  - Read\n  - Bash(git add *)\n  - Grep", form), three);
    assert_eq!(tools("allowed-tools:\n  - Read, Bash(git add *)\n  - Grep", form), three);
    assert_eq!(check("", &[]).allowed_tools, None);
}

#[test]
fn allowed_tools_that_cannot_be_read_allow_nothing() {
    // F2, ruling 5
    assert_eq!(tools("allowed-tools: Bash(git:* Read", &[Code::ToolsUnbalanced]), None);
    assert_eq!(tools("allowed-tools: [Read, 'Bash(x']", &[Code::ToolsUnbalanced]), None);
    assert_eq!(tools("allowed-tools: Bash (x)", &[Code::ToolsUnbalanced]), None);
    assert_eq!(tools("allowed-tools: Bash(x)y", &[Code::ToolsUnbalanced]), None);
    assert_eq!(tools("allowed-tools: {a: b}", &[Code::ToolsType]), None);
    assert_eq!(tools("allowed-tools: [Read, [Write]]", &[Code::ToolsType]), None);
    let many = "T ".repeat(MAX_TOOL_PATTERNS + 1);
    assert_eq!(tools(&format!("allowed-tools: {many}"), &[Code::ToolsTooMany]), None);
    let list = "T, ".repeat(MAX_TOOL_PATTERNS + 1);
    assert_eq!(tools(&format!("allowed-tools: [{list}]"), &[Code::ToolsTooMany]), None);
    assert_eq!(tools("allowed-tools:", &[Code::ToolsEmpty]), Some(vec![]));
    assert_eq!(tools("allowed-tools: []", &[Code::ToolsEmpty]), Some(vec![]));
}

#[test]
fn an_unbalanced_parenthesis_is_marked() {
    // F3
    let lines = "allowed-tools: Read Bash(git:*";
    let span = only(lines, Code::ToolsUnbalanced).span.unwrap();
    assert_eq!(span.slice(&file(lines)), "(git:*");
}

#[test]
fn allowed_tools_are_rewritten_only_where_that_is_safe() {
    // F3, F5
    let same = |lines: &str| assert_eq!(fixed(lines), lines);
    assert_eq!(fixed("allowed-tools: [Read, Bash(git:*)]"), "allowed-tools: Read Bash(git:*)");
    assert_eq!(fixed("allowed-tools: \"Read, Write\""), "allowed-tools: Read Write");
    same("allowed-tools:\n  - Read\n  - Write");
    same("allowed-tools: [Read, 'Bash(a: b)']");
    same("allowed-tools: [Read, 'Bash(a #b)']");
    same("allowed-tools: ['*', Read]");
    same("allowed-tools: [Read, 'Bash(\"x\")']");
}

#[test]
fn spellings_fold_to_one_and_can_be_fixed() {
    // F2, ruling 8
    let spelled = &[Code::FieldSpelling];
    assert!(check("allowed_tools: Read", spelled).allowed_tools.is_some());
    assert!(check("allowedTools: Read", spelled).allowed_tools.is_some());
    assert_eq!(text(&check("License: MIT", spelled).license), Some("MIT"));
    assert_eq!(fixed("allowedTools: Read"), "allowed-tools: Read");
    assert_eq!(fixed("\"License\": MIT"), "license: MIT");
    let both = check_all("Name: my-skill\nDescription: d", &[Code::FieldSpelling; 2]);
    assert_eq!(both.unwrap().name.as_str(), "my-skill");
}

#[test]
fn of_two_spellings_the_better_one_counts() {
    // F2, ruling 8
    let lines = "license: MIT\nLicense: GPL";
    let manifest = check(lines, &[Code::FieldSpelling]);
    assert_eq!(text(&manifest.license), Some("MIT"));
    assert_eq!(manifest.extra[0].key, "License");
    assert_eq!(fixed(lines), lines);
    let lines = "License: MIT\nLICENSE: GPL";
    assert_eq!(text(&check(lines, &[Code::FieldSpelling; 2]).license), Some("GPL"));
    assert_eq!(fixed(lines), lines);
    let lines = "min_agent_base_version: 1\nmin-host-version: 2";
    let manifest = check(lines, &[Code::FieldSpelling]);
    assert_eq!(text(&manifest.origin.min_host_version), Some("2"));
}

#[test]
fn of_two_equal_keys_the_last_counts() {
    // F4
    let manifest = check("license: MIT\nlicense: GPL", &[Code::DuplicateKey]);
    assert_eq!(text(&manifest.license), Some("GPL"));
    let manifest =
        check("x: 1\ny: 2\nx: 3", &[Code::UnknownField, Code::DuplicateKey, Code::UnknownField]);
    let extra: Vec<_> = manifest.extra.iter().map(|e| (&*e.key, e.value.as_text())).collect();
    assert_eq!(extra, [("y", Some("2")), ("x", Some("3"))]);
    // A name that a later one replaces is not looked at.
    let lines = "name: BAD NAME\nname: my-skill\ndescription: d";
    assert!(check_all(lines, &[Code::DuplicateKey]).is_some());
}

#[test]
fn unknown_fields_are_kept_in_order_with_their_values() {
    // F2, ruling 8
    let manifest = check("zeta: 1\nalpha:\n  b: [c, d]\ntype: x", &[Code::UnknownField; 3]);
    let keys: Vec<&str> = manifest.extra.iter().map(|entry| &*entry.key).collect();
    assert_eq!(keys, ["zeta", "alpha", "type"]);
    assert_eq!(manifest.extra[1].value.to_json(), serde_json::json!({"b": ["c", "d"]}));
    let written: Vec<&str> = manifest.keys.iter().map(|key| &*key.value).collect();
    assert_eq!(written, ["name", "description", "zeta", "alpha", "type"]);
}

#[test]
fn a_misspelt_field_is_told_what_was_meant() {
    // F3
    let help = only("allowed-tool: Read", Code::FieldMisspelt).help;
    assert_eq!(help.as_deref(), Some("did you mean `allowed-tools`?"));
    let help = only("requires: x", Code::UnknownField).help;
    assert_eq!(help.as_deref(), Some("put client data under `metadata:`"));
}

#[test]
fn extensions_are_typed_and_say_who_reads_them() {
    // F2, F3
    let parsed = parse(file("priority: 3\noverrides: {model: x}\neffort: high").as_bytes(), None);
    let messages: Vec<&str> = parsed.diagnostics.iter().map(|d| &*d.message).collect();
    assert_eq!(
        messages,
        [
            "`priority` is an extension: OmniForge reads it, others may not",
            "`overrides` is an extension: only metier reads it",
            "`effort` is an extension: Claude Code reads it, others may not",
        ]
    );
    let manifest = parsed.manifest.unwrap();
    assert_eq!(manifest.priority, 3);
    assert_eq!(manifest.overrides.unwrap().value.to_json(), serde_json::json!({"model": "x"}));
    let kept: Vec<&str> = manifest.extensions.iter().map(|entry| &*entry.key).collect();
    assert_eq!(kept, ["priority", "overrides", "effort"]);
}

#[test]
fn priority_is_a_whole_number() {
    // F2
    let priority =
        |value: &str, expect: &[Code]| check(&format!("priority: {value}"), expect).priority;
    assert_eq!(priority("7", &[]), 7);
    assert_eq!(priority("\"-7\"", &[]), -7);
    assert_eq!(priority("high", &[Code::FieldType]), 0);
    assert_eq!(priority("1.5", &[Code::FieldType]), 0);
    assert_eq!(priority("99999999999999999999", &[Code::FieldType]), 0);
    assert_eq!(priority("[1]", &[Code::FieldType]), 0);
    assert_eq!(priority("", &[Code::FieldEmpty]), 0);
}

#[test]
fn booleans_are_words_quoted_or_not() {
    // F2
    let hidden = |value: &str, expect: &[Code]| {
        let lines = format!("disable-model-invocation: {value}");
        check(&lines, expect).invocation.disable_model_invocation
    };
    for value in ["true", "True", "yes", "\"true\"", "on"] {
        assert!(hidden(value, &[]), "{value}");
    }
    for value in ["false", "no", "'No'", "off"] {
        assert!(!hidden(value, &[]), "{value}");
    }
    assert!(!hidden("maybe", &[Code::FieldType]));
    assert!(!hidden("1", &[Code::FieldType]));
    let user =
        |value: &str| check(&format!("user-invocable: {value}"), &[]).invocation.user_invocable;
    assert!(user("true"));
    assert!(!user("no"));
    assert!(check("user-invocable: perhaps", &[Code::FieldType]).invocation.user_invocable);
}

#[test]
fn context_is_inherit_or_fork() {
    // F2
    let context = |value: &str, expect: &[Code]| {
        check(&format!("context: {value}"), expect).invocation.context
    };
    assert_eq!(context("fork", &[]), ContextMode::Fork);
    assert_eq!(context("Fork", &[]), ContextMode::Fork);
    assert_eq!(context("inherit", &[]), ContextMode::Inherit);
    assert_eq!(context("spoon", &[Code::FieldValue]), ContextMode::Inherit);
}

#[test]
fn how_a_skill_is_invoked() {
    // F2
    let lines = "model: sonnet\nagent: Explore\nargument-hint: '[file]'\narguments: a b\n\
                 hooks:\n  pre: scripts/pre.sh\n  post: scripts/post.sh";
    let invocation = check(lines, &[]).invocation;
    assert_eq!(text(&invocation.model), Some("sonnet"));
    assert_eq!(text(&invocation.agent), Some("Explore"));
    assert_eq!(text(&invocation.argument_hint), Some("[file]"));
    assert_eq!(values(&invocation.arguments), ["a", "b"]);
    assert_eq!(text(&invocation.hook_pre), Some("scripts/pre.sh"));
    assert_eq!(text(&invocation.hook_post), Some("scripts/post.sh"));
    check("model: [a]", &[Code::FieldType]);
    check("hooks: x", &[Code::FieldType]);
    check("hooks:", &[Code::FieldEmpty]);
    check("hooks:\n  before: x", &[Code::UnknownField]);
    check("hooks:\n  PreToolUse:\n    - matcher: Bash", &[]);
}

#[test]
fn an_argument_hint_in_brackets_is_text() {
    // F2
    let hint = |value: &str, expect: &[Code]| {
        let manifest = check(&format!("argument-hint: {value}"), expect);
        manifest.invocation.argument_hint.map(|hint| hint.value)
    };
    assert_eq!(hint("[issue-number]", &[]).as_deref(), Some("[issue-number]"));
    assert_eq!(hint("[a, b]", &[]).as_deref(), Some("[a, b]"));
    assert_eq!(hint("\n  - a", &[Code::FieldType]), None);
    assert_eq!(hint("{a: b}", &[Code::FieldType]), None);
}

#[test]
fn lists_are_lists_or_one_string() {
    // F2
    let tags = |value: &str, expect: &[Code]| -> Vec<String> {
        let manifest = check(&format!("tags: {value}"), expect);
        manifest.tags.into_iter().map(|tag| tag.value).collect()
    };
    assert_eq!(tags("[a, b c]", &[]), ["a", "b c"]);
    assert_eq!(tags("\n  - a\n  - b", &[]), ["a", "b"]);
    assert_eq!(tags("a b", &[]), ["a", "b"]);
    assert_eq!(tags("machine learning, b,, c", &[]), ["machine learning", "b", "c"]);
    assert_eq!(tags("", &[Code::FieldEmpty]), [""; 0]);
    assert_eq!(tags("{a: b}", &[Code::FieldType]), [""; 0]);
    assert_eq!(tags("[a, [b], c]", &[Code::FieldType]), ["a", "c"]);
    assert_eq!(tags("[a, '', c]", &[Code::FieldEmpty]), ["a", "c"]);
}

#[test]
fn items_of_a_string_have_places_of_their_own() {
    // F2, F3
    let lines = "tags:  one,  two";
    let manifest = check(lines, &[]);
    let whole = file(lines);
    let shown: Vec<&str> = manifest.tags.iter().map(|tag| tag.span.slice(&whole)).collect();
    assert_eq!(shown, ["one", "two"]);
    let quoted = "tags: \"one, two\"";
    let manifest = check(quoted, &[]);
    assert_eq!(manifest.tags[1].span.slice(&file(quoted)), "\"one, two\"");
}

#[test]
fn scope_folds_singular_names() {
    // F2, D4
    let manifest = check("scope:\n  agents: [a, b]\n  tenants: t\n  environments:\n    - dev", &[]);
    assert_eq!(values(&manifest.scope.agents.unwrap()), ["a", "b"]);
    assert_eq!(values(&manifest.scope.tenants.unwrap()), ["t"]);
    assert_eq!(values(&manifest.scope.environments.unwrap()), ["dev"]);
    let lines = "scope:\n  agent: a\n  Environment: dev";
    let manifest = check(lines, &[Code::FieldSpelling; 2]);
    assert_eq!(values(&manifest.scope.agents.unwrap()), ["a"]);
    assert_eq!(values(&manifest.scope.environments.unwrap()), ["dev"]);
    assert_eq!(manifest.scope.tenants, None);
    assert_eq!(fixed(lines), "scope:\n  agents: a\n  environments: dev");
    let both = "scope:\n  agent: a\n  agents: b";
    check(both, &[Code::FieldSpelling]);
    assert_eq!(fixed(both), both);
    assert_eq!(check("scope:\n  agents: []", &[]).scope.agents, Some(vec![]));
    assert_eq!(check("scope:\n  agents:", &[Code::FieldEmpty]).scope.agents, None);
    check("scope: project", &[Code::FieldType]);
    check("scope:\n  users: x", &[Code::UnknownField]);
}

#[test]
fn permissions_name_environment_network_and_files() {
    // F2, R5
    let lines = "permissions:\n  env:\n    - KALSHI_*\n  network: a.example, b.example\n  \
                 filesystem: [./out dir]";
    let parts = check(lines, &[]).parts;
    assert_eq!(values(&parts.env), ["KALSHI_*"]);
    assert_eq!(values(&parts.network), ["a.example", "b.example"]);
    assert_eq!(values(&parts.filesystem), ["./out dir"]);
    let network = |value: &str| {
        let parts = check(&format!("permissions:\n  network: {value}"), &[]).parts;
        parts.network.into_iter().map(|host| host.value).collect::<Vec<_>>()
    };
    assert_eq!(network("true"), ["*"]);
    assert_eq!(network("false"), [""; 0]);
    assert_eq!(network("example.org"), ["example.org"]);
    check("permissions: all", &[Code::FieldType]);
    check("permissions:\n  camera: yes", &[Code::UnknownField]);
    let parts = check("permissions:\n  filesystem: ./my files, ./b", &[]).parts;
    assert_eq!(values(&parts.filesystem), ["./my files", "./b"]);
}

#[test]
fn toolsets_are_module_and_class() {
    // F2, R7
    let lines =
        "toolsets:\n  - toolsets.hello:HelloExtended\n  - toolsets.hello\n  - a:b:c\n  - 9a:B";
    let parts = check(lines, &[Code::FieldValue; 3]).parts;
    assert_eq!(values(&parts.toolsets), ["toolsets.hello:HelloExtended"]);
    let parts = check("toolsets: a:B c:D", &[]).parts;
    assert_eq!(values(&parts.toolsets), ["a:B", "c:D"]);
}

#[test]
fn scripts_are_kept_as_written() {
    // F2, R2
    let lines = "scripts: [status, markets.py]\nscripts_ignore:\n  - \"*_test.py\"\n  - \"_*.py\"";
    let parts = check(lines, &[]).parts;
    assert_eq!(values(&parts.scripts.unwrap()), ["status", "markets.py"]);
    assert_eq!(values(&parts.scripts_ignore), ["*_test.py", "_*.py"]);
    assert_eq!(check("", &[]).parts.scripts, None);
}

#[test]
fn who_made_a_skill_may_stand_in_metadata() {
    // F2
    let lines = "version: 1.10\nauthor: Ada\nrepository: https://example.org/x\n\
                 min_agent_base_version: 0.1.0\nmax-host-version: 2";
    let origin = check(lines, &[]).origin;
    assert_eq!(text(&origin.version), Some("1.10"));
    assert_eq!(text(&origin.author), Some("Ada"));
    assert_eq!(text(&origin.repository), Some("https://example.org/x"));
    assert_eq!(text(&origin.min_host_version), Some("0.1.0"));
    assert_eq!(text(&origin.max_host_version), Some("2"));
    let origin = check("metadata:\n  version: \"1.0\"\n  author: Ada", &[]).origin;
    assert_eq!(text(&origin.version), Some("1.0"));
    assert_eq!(text(&origin.author), Some("Ada"));
    let origin = check("version: 2\nmetadata:\n  version: 1", &[]).origin;
    assert_eq!(text(&origin.version), Some("2"));
}

#[test]
fn strict_and_lenient_see_the_same_findings() {
    // ruling 2
    let diagnostic = only("unknown_field: x", Code::UnknownField);
    assert_eq!(diagnostic.severity(Mode::Strict).as_str(), "error");
    assert_eq!(diagnostic.severity(Mode::Lenient).as_str(), "advice");
}

#[test]
fn a_skill_that_says_it_is_for_metier_may_use_extensions() {
    // F5, B1
    let check = |lines: &str, expect: usize| {
        let found = parse(file(lines).as_bytes(), None).diagnostics;
        let not_portable = found.iter().filter(|d| d.code == Code::FieldNotPortable);
        assert_eq!(not_portable.count(), expect, "{lines}");
    };
    check("permissions:\n  network: true\ntags: a", 2);
    check("compatibility: Needs git\ntags: a", 1);
    check("compatibility: For metiers\ntags: a", 1);
    check("compatibility: Made for Metier, needs git\ntags: a", 0);
    check("tags: a\ncompatibility: metier reads the tags", 0);
}
