//! The agents whose hooks are answered: their events, and what each of them can be told.

use crate::agent_hook::HookAgent::{ClaudeCode, Codex, GeminiCli, Opencode};

/// An agent that asks before it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookAgent {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// opencode, through the plugin that metier writes.
    Opencode,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A tool is about to be used.
    Call,
    /// The user has typed something.
    Prompt,
    /// The user has typed a command, and this is what it means.
    Command,
    /// The session is over.
    End,
    /// Nothing that needs an answer.
    Other,
}

impl HookAgent {
    /// Every agent.
    pub const ALL: [Self; 4] = [ClaudeCode, Codex, GeminiCli, Opencode];

    /// The id, as typed; also the name of its table of tools.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ClaudeCode => "claude-code",
            Codex => "codex",
            GeminiCli => "gemini-cli",
            Opencode => "opencode",
        }
    }

    /// The agent with this id.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == id)
    }

    /// The name people know.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            ClaudeCode => "Claude Code",
            Codex => "Codex",
            GeminiCli => "Gemini CLI",
            Opencode => "opencode",
        }
    }

    /// What the event called `name` is about; none for a name this agent is not known to use.
    #[must_use]
    pub fn occasion(self, name: &str) -> Option<Occasion> {
        let (known, other): (&[(&str, Occasion)], &[&str]) = match self {
            ClaudeCode => (CLAUDE_EVENTS, CLAUDE_OTHERS),
            Codex => (CODEX_EVENTS, CODEX_OTHERS),
            GeminiCli => (GEMINI_EVENTS, GEMINI_OTHERS),
            Opencode => (OPENCODE_EVENTS, &[]),
        };
        let known = known.iter().find(|(known, _)| *known == name).map(|(_, occasion)| *occasion);
        known.or_else(|| other.contains(&name).then_some(Occasion::Other))
    }

    /// The events metier has to hear of.
    pub fn needed(self) -> impl Iterator<Item = (&'static str, Occasion)> {
        let events = match self {
            ClaudeCode => CLAUDE_EVENTS,
            Codex => CODEX_EVENTS,
            GeminiCli => GEMINI_EVENTS,
            Opencode => OPENCODE_EVENTS,
        };
        events.iter().copied()
    }

    /// Whether `ask` makes the agent ask its user, or refuse where there is none. Codex runs the
    /// tool then; Gemini CLI ends the whole run where nobody can be asked; opencode has no such
    /// answer. For those an ask is a block.
    #[must_use]
    pub fn can_ask(self) -> bool {
        self == ClaudeCode
    }

    /// Whether `allow` makes the agent skip its own questions. Codex takes it for a fault, the
    /// others have no use for it.
    #[must_use]
    pub fn can_grant(self) -> bool {
        self == ClaudeCode
    }

    /// Whether the agent itself lets go of a skill at the user's next prompt. The others keep it for
    /// the conversation.
    #[must_use]
    pub fn forgets_at_prompt(self) -> bool {
        matches!(self, ClaudeCode | Codex)
    }

    /// Whether the agent always takes the same of two skills with one name. opencode takes the one it
    /// happens to read last.
    #[must_use]
    pub fn keeps_order(self) -> bool {
        self != Opencode
    }

    /// Whether what is typed into a running program passes no hook.
    #[must_use]
    pub fn hides_input(self) -> bool {
        self == Codex
    }
}

const CLAUDE_EVENTS: &[(&str, Occasion)] = &[
    ("PreToolUse", Occasion::Call),
    ("UserPromptExpansion", Occasion::Command),
    ("UserPromptSubmit", Occasion::Prompt),
    ("SessionEnd", Occasion::End),
];

const CLAUDE_OTHERS: &[&str] = &[
    "ConfigChange",
    "CwdChanged",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SessionStart",
    "Setup",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "WorktreeCreate",
    "WorktreeRemove",
];

const CODEX_EVENTS: &[(&str, Occasion)] = &[
    ("PreToolUse", Occasion::Call),
    ("UserPromptSubmit", Occasion::Prompt),
    ("SessionEnd", Occasion::End),
];

const CODEX_OTHERS: &[&str] = &[
    "Interrupt",
    "PermissionRequest",
    "PostCompact",
    "PostToolUse",
    "PreCompact",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "postModelRequest",
    "preModelRequest",
];

/// The end of its session is none: a skill is part of the conversation, which goes on under the same
/// id when it is resumed.
const GEMINI_EVENTS: &[(&str, Occasion)] =
    &[("BeforeTool", Occasion::Call), ("BeforeAgent", Occasion::Prompt)];

const GEMINI_OTHERS: &[&str] = &[
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeModel",
    "BeforeToolSelection",
    "Notification",
    "PreCompress",
    "SessionEnd",
    "SessionStart",
];

/// What the plugin sends.
const OPENCODE_EVENTS: &[(&str, Occasion)] = &[
    ("tool.execute.before", Occasion::Call),
    ("command.execute.before", Occasion::Command),
    ("session.deleted", Occasion::End),
];
