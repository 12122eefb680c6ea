//! The agents: how each of them is set up, started and spoken to. What a story does is the same for
//! all; this file is how each of them spells it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::install::{self, Tools};
use super::wire::{Api, Call, HELPER};
use super::world::{World, path_of};

/// An agent that is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

/// What a model does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Runs a command.
    Shell(&'static str),
    /// Writes a file of the project with the agent's own tool.
    Write(&'static str),
    /// Uses a skill, the agent's own way.
    Skill(&'static str),
    /// Uses a skill through metier's MCP server.
    Served(&'static str),
    /// Looks for tools, where an agent hides them.
    Search(&'static str),
    /// Starts a sub-agent with this prompt.
    Helper(String),
    /// Lets the sub-agent that was started last go on, with this prompt.
    HelperAgain(String),
    /// Waits for the sub-agent, where an agent does not.
    Await,
    /// Ends a sub-agent, where that takes a tool.
    Finish,
}

/// How much an agent lets a model do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As much as the story needs, by the agent's usual means.
    Usual,
    /// Everything: the agent's most permissive mode.
    Free,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// A new conversation.
    New,
    /// The last conversation goes on.
    Again,
    /// A new conversation, in which the user asks for this skill.
    Skill(&'static str),
}

/// One run of an agent.
pub(super) struct Start<'a> {
    /// How much it lets the model do.
    pub(super) mode: Mode,
    /// How it begins.
    pub(super) opening: Opening,
    /// What the user says.
    pub(super) prompt: &'a str,
    /// Where its model listens.
    pub(super) port: u16,
}

impl Agent {
    /// Every agent.
    pub(super) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// What metier calls it.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini-cli",
            Self::Opencode => "opencode",
        }
    }

    /// The version that is run.
    pub(super) fn version(self) -> &'static str {
        match self {
            Self::Claude => install::CLAUDE,
            Self::Codex => install::CODEX,
            Self::Gemini => install::GEMINI,
            Self::Opencode => install::OPENCODE,
        }
    }

    /// How it talks to a model.
    pub(super) fn api(self) -> Api {
        match self {
            Self::Claude => Api::Messages,
            Self::Codex => Api::Responses,
            Self::Gemini => Api::Contents,
            Self::Opencode => Api::Chat,
        }
    }

    /// The program, which says its version.
    pub(super) fn program(self, world: &World, tools: &Tools) -> Command {
        let path = path_of(tools);
        match self {
            Self::Claude => world.command(&tools.claude(), &path),
            Self::Codex => world.command(&tools.codex(), &path),
            Self::Gemini => {
                let mut command = world.command(&tools.node(), &path);
                command.arg(tools.gemini());
                command
            }
            Self::Opencode => world.command(&tools.opencode(), &path),
        }
    }

    /// The agent doing what its user says, to the end.
    pub(super) fn start(self, mut program: Command, start: &Start<'_>) -> Command {
        match self {
            Self::Claude => claude(&mut program, start),
            Self::Codex => codex(&mut program, start),
            Self::Gemini => gemini(&mut program, start),
            Self::Opencode => opencode(&mut program, start),
        }
        program
    }

    /// What an act is as a tool call.
    pub(super) fn spell(self, act: &Act, world: &World) -> Call {
        let project = |name: &str| world.project().join(name);
        let (tool, arguments) = match (self, act) {
            (Self::Claude, Act::Shell(line)) => {
                ("Bash", json!({"command": line, "description": "x"}))
            }
            // Its hooks are not told where a command runs, so git has to say it.
            (Self::Codex, Act::Shell(line)) => {
                let git = format!("git -C {} ", world.project().display());
                ("exec_command", json!({"cmd": line.replace("git ", &git)}))
            }
            (Self::Gemini, Act::Shell(line)) => ("run_shell_command", json!({"command": line})),
            (Self::Opencode, Act::Shell(line)) => {
                ("bash", json!({"command": line, "description": "x"}))
            }
            (Self::Claude, Act::Write(name)) => {
                ("Write", json!({"file_path": project(name), "content": "x\n"}))
            }
            (Self::Codex, Act::Write(name)) => ("apply_patch", Value::String(patch(name))),
            (Self::Gemini, Act::Write(name)) => {
                ("write_file", json!({"file_path": project(name), "content": "x\n"}))
            }
            (Self::Opencode, Act::Write(name)) => {
                ("write", json!({"filePath": project(name), "content": "x\n"}))
            }
            (Self::Claude, Act::Skill(name)) => ("Skill", json!({"skill": name})),
            (Self::Codex, Act::Skill(name)) => {
                let file = world.home().join(".agents/skills").join(name).join("SKILL.md");
                ("exec_command", json!({"cmd": format!("cat {}", file.display())}))
            }
            (Self::Gemini, Act::Skill(name)) => ("activate_skill", json!({"name": name})),
            (Self::Opencode, Act::Skill(name)) => ("skill", json!({"name": name})),
            (Self::Claude, Act::Served(name)) => {
                ("mcp__metier__skill_activate", json!({"name": name}))
            }
            (Self::Codex, Act::Served(name)) => {
                ("mcp__metier/skill_activate", json!({"name": name}))
            }
            (Self::Gemini, Act::Served(name)) => {
                ("mcp_metier_skill_activate", json!({"name": name}))
            }
            (Self::Opencode, Act::Served(name)) => ("metier_skill_activate", json!({"name": name})),
            (_, Act::Search(query)) => ("tool_search", json!({"query": query, "limit": 20})),
            (Self::Claude, Act::Helper(prompt)) => {
                let arguments = json!({"description": "help", "prompt": prompt,
                    "subagent_type": "general-purpose"});
                ("Agent", arguments)
            }
            (Self::Codex, Act::Helper(prompt)) => {
                ("multi_agent_v1/spawn_agent", json!({"message": prompt}))
            }
            (Self::Gemini, Act::Helper(prompt)) => {
                ("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt}))
            }
            (Self::Opencode, Act::Helper(prompt)) => {
                let arguments = json!({"description": "help", "prompt": prompt,
                    "subagent_type": "general"});
                ("task", arguments)
            }
            (_, Act::HelperAgain(prompt)) => {
                let arguments = json!({"description": "help", "prompt": prompt,
                    "subagent_type": "general", "task_id": HELPER});
                ("task", arguments)
            }
            (_, Act::Finish) => ("complete_task", json!({"result": {"response": "Helped."}})),
            (_, Act::Await) => {
                ("multi_agent_v1/wait_agent", json!({"targets": [HELPER], "timeout_ms": 30000}))
            }
        };
        Call { tool: tool.to_owned(), arguments }
    }

    /// The user's own settings before metier comes, each file with a layout nobody would choose.
    pub(super) fn settings(self, world: &World, port: u16) -> Vec<(PathBuf, String)> {
        let home = world.home();
        let own = format!("cat >> {}", world.log("own-hook.jsonl").display());
        match self {
            Self::Claude => {
                let hook = json!([{"hooks": [{"type": "command", "command": own}]}]);
                let text = format!(
                    "{{\n\t\"theme\": \"dark\",\n\t\"hooks\":  {{ \"PreToolUse\": {hook} }}}}"
                );
                vec![
                    (home.join(".claude/settings.json"), text),
                    (home.join(".claude.json"), "{ \"numStartups\":3 }\n\n".to_owned()),
                ]
            }
            Self::Codex => vec![
                (home.join(".codex/config.toml"), codex_config(world, port)),
                (
                    home.join(".codex/hooks.json"),
                    json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": own}]}]}})
                        .to_string(),
                ),
            ],
            Self::Gemini => {
                let hook = json!([{"matcher": ".*", "hooks": [
                    {"type": "command", "name": "own", "command": own}]}]);
                let text = format!(
                    "{{\"hooks\": {{\"BeforeTool\":{hook},\"BeforeAgent\":{hook}}},\n   \"security\": {{\"auth\": \
                     {{\"selectedType\": \"gemini-api-key\"}}}},\n \"telemetry\": {{\"enabled\": \
                     false}}, \"privacy\": {{\"usageStatisticsEnabled\": false}},\n\"general\": \
                     {{\"enableAutoUpdate\": false, \"enableAutoUpdateNotification\": false}}}}"
                );
                vec![(home.join(".gemini/settings.json"), text)]
            }
            Self::Opencode => {
                let options = json!({"baseURL": format!("http://127.0.0.1:{port}/v1"), "apiKey": "x"});
                let provider = json!({"scripted": {"npm": "@ai-sdk/openai-compatible",
                    "name": "Scripted", "options": options, "models": {"one": {"name": "One"}}}});
                let text = format!(
                    "{{ \"$schema\": \"https://opencode.ai/config.json\",  \"model\": \"scripted/one\", \"small_model\":\"scripted/one\",\n     \
                     \"autoupdate\": false, \"share\": \"disabled\", \"snapshot\": false, \"provider\": {provider}}}\n"
                );
                vec![(home.join(".config/opencode/opencode.json"), text)]
            }
        }
    }
}

fn claude(command: &mut Command, start: &Start<'_>) {
    let url = format!("http://127.0.0.1:{}", start.port);
    command.envs(CLAUDE_QUIET.iter().copied()).env("ANTHROPIC_BASE_URL", url);
    command.args(["--output-format", "stream-json", "--verbose", "-p"]);
    match start.opening {
        Opening::Skill(skill) => command.arg(format!("/{skill} {}", start.prompt)),
        Opening::New => command.arg(start.prompt),
        Opening::Again => command.args([start.prompt, "--continue"]),
    };
    match start.mode {
        Mode::Usual => command.args(["--allowedTools", "Bash,Write,Skill,mcp__metier"]),
        Mode::Free => command.arg("--dangerously-skip-permissions"),
    };
}

fn codex(command: &mut Command, start: &Start<'_>) {
    command.env("SCRIPTED_KEY", "none").env("EDITOR", "vi").args([
        "exec",
        "--json",
        "--disable",
        "plugins",
    ]);
    match start.mode {
        Mode::Usual => command.args(["--sandbox", "danger-full-access"]),
        Mode::Free => command.arg("--dangerously-bypass-approvals-and-sandbox"),
    };
    match start.opening {
        Opening::Skill(skill) => command.arg(format!("Use ${skill} now. {}", start.prompt)),
        Opening::New => command.arg(start.prompt),
        Opening::Again => command.args(["resume", "--last", start.prompt]),
    };
}

fn gemini(command: &mut Command, start: &Start<'_>) {
    let url = format!("http://127.0.0.1:{}", start.port);
    command.envs(GEMINI_QUIET.iter().copied()).env("GOOGLE_GEMINI_BASE_URL", url);
    command.args(["-m", "gemini-2.5-pro", "-o", "stream-json", "-p"]);
    match start.opening {
        Opening::Skill(skill) => command.arg(format!("/{skill} {}", start.prompt)),
        Opening::New => command.arg(start.prompt),
        Opening::Again => command.args([start.prompt, "--resume", "latest"]),
    };
    match start.mode {
        Mode::Usual => {
            command.args(["--approval-mode", "auto_edit", "--allowed-tools"]);
            command.arg("run_shell_command,activate_skill")
        }
        Mode::Free => command.args(["--approval-mode", "yolo"]),
    };
}

fn opencode(command: &mut Command, start: &Start<'_>) {
    command.envs(OPENCODE_QUIET.iter().copied());
    command.args(["run", "--format", "json", "--print-logs"]);
    if start.mode == Mode::Free {
        command.arg("--auto");
    }
    match start.opening {
        Opening::Skill(skill) => command.args(["--command", skill, start.prompt]),
        Opening::New => command.arg(start.prompt),
        Opening::Again => command.args(["--continue", start.prompt]),
    };
}

/// Switches that keep Claude Code from talking to anybody but its model.
const CLAUDE_QUIET: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "sk-none"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    // It refuses its most permissive mode to the superuser anywhere else.
    ("IS_SANDBOX", "1"),
];

/// The same for Gemini CLI.
const GEMINI_QUIET: &[(&str, &str)] = &[
    ("GEMINI_API_KEY", "none"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ("GEMINI_TELEMETRY_ENABLED", "false"),
];

/// The same for opencode.
const OPENCODE_QUIET: &[(&str, &str)] = &[
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ("OPENCODE_DISABLE_SHARE", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
];

fn patch(name: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n")
}

fn codex_config(world: &World, port: u16) -> String {
    let project = world.project();
    format!(
        "model = \"gpt-5.5\"\nmodel_provider =   \"scripted\"\napproval_policy = \"never\"\n\
         check_for_update_on_startup = false\n\n[model_providers.scripted]\nname = \"Scripted\"\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"SCRIPTED_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\n\
         [analytics]\nenabled = false\n[feedback]\nenabled = false\n\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\" # by hand\n",
        project.display()
    )
}
