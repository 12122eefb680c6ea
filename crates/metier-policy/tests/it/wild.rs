//! `allowed-tools` as people write them: every form seen in public skills is understood, or is one
//! that allows nothing, knowingly.

use metier_format::ToolPattern;
use metier_policy::{ActiveStack, Pattern, Verdict};
use serde_json::json;

use crate::world;

const UNDERSTOOD: &[&str] = &[
    "Bash Read Grep Glob",
    "Read, Write, Edit, Bash, Grep, Glob, WebSearch, WebFetch",
    "Agent AskUserQuestion SendMessage TaskCreate TaskUpdate TaskList Read Write Bash",
    "Read Grep Glob LSP Bash Task Write Edit AskUserQuestion",
    "Read Grep Glob mcp__serena__activate_project mcp__serena__find_symbol",
    "Bash(git add:*), Bash(git status:*), Bash(git commit:*), Bash(git diff:*)",
    "Bash(git diff), Bash(git diff :*), Bash(git log :*)",
    "Bash(*), Read(*), Write(*)",
    "Bash(bb:*), Bash(browser-blitz:*), Bash(playwright-cli:*)",
    "Bash(uv run *), Bash(magick *), Bash(mkdir *), Bash(ls *)",
    "Bash(gh:*), Bash(git:*), Bash(bunx:*), Bash(mktemp:*), Bash(cat:*), Read, WebFetch",
    "Bash(curl -s http://localhost:8100:*) Bash(python3 -c:*) Bash(mkdir -p:*)",
    "Bash(npx biome check --write .) Bash(npx playwright test :*)",
    "Bash(FOO=1 curl *) Bash(/opt/x/bin/tool --y) Bash(date) Bash(pwd)",
    "Bash(node:*) Skill(*) Agent(*)",
    "mcp__mobile-mcp__* WebSearch WebFetch(domain:docs.example.com)",
    "Read(./.env) Read(./.env.*) Read(./secrets/**) Edit(//tmp/out/**) Write(~/notes/**)",
];

/// Forms that are refused, with a word of why.
const REFUSED: &[(&str, &str)] = &[
    ("Bash(cd frontend/app && npm run test :*)", "`&` is not understood"),
    ("Bash(${CLAUDE_PLUGIN_ROOT}/scripts/setup.sh:*)", "`$` is not understood"),
    ("Write({workdir}/speckit/**)", "wildcards other than"),
    ("Task(reviewer)", "takes no argument"),
    ("Agent(model:opus)", "takes no argument"),
    ("WebFetch(example.com)", "domain:HOST"),
    ("Bash(git log | head:*)", "`|` is not understood"),
    ("PowerShell(git *)", "takes no argument"),
];

#[test]
fn forms_that_people_write_are_understood() {
    // S3
    for line in UNDERSTOOD {
        let patterns =
            ToolPattern::tokenize(line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
        for pattern in patterns {
            let compiled = Pattern::compile(&pattern);
            assert_eq!(compiled.fault(), None, "{pattern} of {line}");
        }
    }
}

#[test]
fn forms_that_cannot_be_relied_on_allow_nothing_and_say_why() {
    // S3
    for (text, why) in REFUSED {
        let patterns =
            ToolPattern::tokenize(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let compiled = Pattern::compile(&patterns[0]);
        let fault = compiled.fault().unwrap_or_else(|| panic!("{text} is understood"));
        assert!(fault.contains(why), "{text}: {fault}");
        let stack = ActiveStack::from_iter([world::skill("tested", text)]);
        assert_eq!(stack.faults().count(), 1, "{text}");
        for (tool, arguments) in [
            ("Bash", json!({"command": "git log"})),
            ("Write", json!({"file_path": "x"})),
            ("Task", json!({})),
            ("WebFetch", json!({"url": "https://example.com/"})),
        ] {
            assert_eq!(world::rule(text, tool, arguments).verdict, Verdict::Deny, "{text}: {tool}");
        }
    }
}

#[test]
fn a_skill_may_name_its_own_scripts() {
    // S3
    let mut skill = world::skill("scanner", "Bash({baseDir}/scanner.sh:*) Read({baseDir}/**)");
    skill.directory = Some("/skills/scanner".into());
    let stack = ActiveStack::from_iter([skill]);
    let rule = |tool: &str, arguments| {
        let call = metier_policy::ToolCall::new(tool, arguments);
        let policy = metier_policy::Policy::profile(metier_policy::Profile::FullAuto);
        let host = metier_policy::HostTable::plain();
        metier_policy::decide(&policy, &stack, &call, host, &world::place()).verdict
    };
    assert_eq!(
        rule("Bash", json!({"command": "/skills/scanner/scanner.sh a.apk"})),
        Verdict::Allow
    );
    assert_eq!(rule("Bash", json!({"command": "/skills/other/scanner.sh a.apk"})), Verdict::Deny);
    assert_eq!(rule("Bash", json!({"command": "scanner.sh a.apk"})), Verdict::Deny);
    assert_eq!(rule("Read", json!({"file_path": "/skills/scanner/rules.md"})), Verdict::Allow);
    assert_eq!(rule("Read", json!({"file_path": "/skills/scanner/../x"})), Verdict::Deny);
}
