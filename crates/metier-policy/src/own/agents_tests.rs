use serde_json::json;

use super::super::AGENT_HOOKS;
use super::*;
use crate::{ActiveStack, HostTable, Place, Policy, Profile, ToolCall, Verdict, decide};

/// What is said about the agents that a command starts, which is the same in every profile.
fn said(command: &str) -> Verdict {
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let place = Place::lexical("/project".as_ref());
    let mut verdicts = Profile::ALL.map(|profile| {
        let policy = Policy::profile(profile);
        let ruling = decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place);
        let said = ruling.reasons.iter().filter(|r| r.rule.as_deref() == Some(AGENT_HOOKS));
        let said = said.map(|reason| reason.verdict).max().unwrap_or(Verdict::Allow);
        assert!(ruling.verdict >= said, "{profile:?} {command}");
        said
    });
    verdicts.sort();
    assert_eq!(verdicts.first(), verdicts.last(), "{command}");
    verdicts[0]
}

#[test]
fn no_profile_lets_a_model_start_an_agent_without_its_hooks() {
    // S3, S4, U5
    for command in [
        "claude --bare -p x",
        "claude -p x --bare",
        "claude --safe-mode",
        "/usr/local/bin/claude --bare",
        "claude -p x --settings '{\"disableAllHooks\": true}'",
        "claude --settings='{\"disableAllHooks\":true}' -p x",
        "claude --settings '{\"disable\\u0041llHooks\":true}' -p x",
        "claude --setting-sources project -p x",
        "claude --setting-sources=project,local -p x",
        "claude --setting-sources '' -p x",
        "claude config set disableAllHooks true",
        "claude config set -g disableAllHooks true",
        "claude config remove hooks",
        "CLAUDE_CONFIG_DIR=/tmp/x claude -p x",
        "env CLAUDE_CONFIG_DIR=/tmp/x claude -p x",
        "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p x",
        "HOME=/tmp claude -p x",
        "env -u CLAUDE_CONFIG_DIR claude -p x",
        "CLAUDE_CODE_SIMPLE=1 claude -p x",
        "npx -y @anthropic-ai/claude-code --bare -p x",
        "npx @anthropic-ai/claude-code@2.1.0 --bare -p x",
        "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --bare -p x",
        "nohup claude --bare -p x &",
        "timeout 60 claude --bare -p x",
        "cd sub && claude --bare -p x",
        "sh -c 'claude --bare -p x'",
        "strace claude --bare",
        "strace -f claude --bare",
        "python3 -c 'import os; os.system(\"claude --bare -p x\")'",
        "python3 -c 'run([\"claude\", \"--settings\", \"{\\\"disableAllHooks\\\": true}\"])'",
        "echo x | xargs claude --bare -p",
        "codex --disable hooks exec x",
        "codex exec --disable=hooks x",
        "codex exec --disable codex_hooks x",
        "codex -c features.hooks=false exec x",
        "codex exec -cfeatures.hooks=false x",
        "codex exec --config features.hooks=false x",
        "codex exec --config=features.hooks=0 x",
        "codex exec -c 'features={hooks=false}' x",
        "codex exec -c 'features.\"hooks\" = false' x",
        "codex exec -c 'hooks.state={}' x",
        "codex features disable hooks",
        "codex exec --ignore-user-config x",
        "CODEX_HOME=/tmp/x codex exec x",
        "npx @openai/codex --disable hooks exec x",
        "gemini hooks disable metier",
        "gemini hooks disable-all",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/tmp/x gemini -p x",
        "HOME=/tmp/x gemini -p x",
        "OPENCODE_PURE=1 opencode run x",
        "export OPENCODE_PURE=1 && opencode run x",
        "opencode run --pure x",
        "opencode --pure",
        "XDG_CONFIG_HOME=/tmp/x opencode run x",
        "OPENCODE_CONFIG_CONTENT='{}' opencode run x",
        "bunx opencode-ai@latest --pure run x",
    ] {
        assert_eq!(said(command), Verdict::Deny, "{command}");
    }
}

#[test]
fn a_start_of_an_agent_that_nobody_can_read_is_asked_about() {
    // S3, S4, U5
    for command in [
        "claude --settings x.json -p x",
        "claude --settings \"$S\" -p x",
        "claude --setting-sources \"$S\"",
        "claude $FLAGS -p x",
        "codex -c \"$C\" exec x",
        "codex exec --disable \"$F\" x",
        "claude config set \"$K\" true",
    ] {
        assert_eq!(said(command), Verdict::Ask, "{command}");
    }
}

#[test]
fn agents_that_bring_their_hooks_are_started_as_ever() {
    // S3, U5
    for command in [
        "claude -p 'fix the tests'",
        "claude -p 'what does --bare do?'",
        "claude -p \"$PROMPT\" --model opus",
        "claude --settings '{\"disableAllHooks\": false}' -p x",
        "claude --settings '{\"model\":\"opus\"}' -p x",
        "claude --setting-sources user,project -p x",
        "claude config list",
        "claude config get hooks",
        "claude config set theme dark",
        "claude mcp list",
        "claude --version",
        "claude -- --bare",
        "codex exec 'fix it'",
        "codex exec -c model=gpt-5 x",
        "codex --enable hooks exec x",
        "codex exec -c features.hooks=true x",
        "codex exec --disable plugins x",
        "codex features list",
        "codex features enable hooks",
        "gemini -p x",
        "gemini hooks list",
        "opencode run x",
        "OPENCODE_PURE=0 opencode run x",
        "grep -rn -- --bare src",
        "git clone --bare https://x/claude",
        "git log --grep='claude --bare'",
        "HOME=/tmp make test",
        "npm test -- --bare",
        "echo 'claude --bare'",
        "cargo test -p claude --bare",
    ] {
        assert_eq!(said(command), Verdict::Allow, "{command}");
    }
}

#[test]
fn text_is_searched_for_starts_that_are_spelled_out_and_stays_cheap() {
    // S3, U5
    for text in ["claude --bare", "run(['codex', '--disable', 'hooks'])", "opencode run --pure x"] {
        assert!(matches!(in_text(text), Start::Unguarded(_)), "{text}");
    }
    for text in ["claude", "a codex of --bare", "claudette --bare", "gemini hooks"] {
        assert_eq!(in_text(text), Start::Guarded, "{text}");
    }
    assert_eq!(in_text(&"claude.".repeat(20_000)), Start::Guarded);
}
