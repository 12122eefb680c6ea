//! The table itself. Sources: what the common installers write, what the agents' own documentation
//! and source say they read. Where those disagree, every directory somebody may have is listed.

use super::Agent;

/// Every agent known, in client order: the directory all share, then the agents most people have,
/// then the others by id.
pub const AGENTS: &[Agent] = &[
    agent(
        "universal",
        "Any agent",
        &[".agents/skills"],
        &["~/.agents/skills", "{XDG_CONFIG_HOME|~/.config}/agents/skills"],
    ),
    agent(
        "claude-code",
        "Claude Code",
        &[".claude/skills"],
        &["{CLAUDE_CONFIG_DIR|~/.claude}/skills"],
    )
    .enterprise(&["/etc/claude-code/.claude/skills"]),
    agent(
        "codex",
        "Codex",
        &[".agents/skills", ".codex/skills"],
        &["~/.agents/skills", "{CODEX_HOME|~/.codex}/skills"],
    )
    .enterprise(&["/etc/codex/skills"]),
    agent(
        "gemini-cli",
        "Gemini CLI",
        &[".agents/skills", ".gemini/skills"],
        &["~/.agents/skills", "~/.gemini/skills"],
    ),
    agent(
        "opencode",
        "OpenCode",
        &[".opencode/skills", ".opencode/skill", ".agents/skills"],
        &[
            "{XDG_CONFIG_HOME|~/.config}/opencode/skills",
            "{XDG_CONFIG_HOME|~/.config}/opencode/skill",
        ],
    )
    .also(&[".claude/skills", "~/.claude/skills", "~/.agents/skills"]),
    agent("goose", "Goose", &[".goose/skills"], &["{XDG_CONFIG_HOME|~/.config}/goose/skills"])
        .also(&[
            ".claude/skills",
            ".agents/skills",
            "~/.agents/skills",
            "~/.claude/skills",
            "{XDG_CONFIG_HOME|~/.config}/agents/skills",
        ]),
    agent(
        "github-copilot",
        "GitHub Copilot",
        &[".agents/skills", ".github/skills"],
        &["~/.copilot/skills"],
    )
    .also(&[".claude/skills", "~/.agents/skills"]),
    agent("cursor", "Cursor", &[".agents/skills", ".cursor/skills"], &["~/.cursor/skills"]).also(
        &[
            ".claude/skills",
            ".codex/skills",
            "~/.agents/skills",
            "~/.claude/skills",
            "~/.codex/skills",
        ],
    ),
    agent("adal", "AdaL", &[".adal/skills"], &["~/.adal/skills"]),
    agent("agent-base", "agent-base", &[], &["~/.agent/skills"]),
    agent("aider-desk", "AiderDesk", &[".aider-desk/skills"], &["~/.aider-desk/skills"]),
    agent("amp", "Amp", &[".agents/skills"], &["{XDG_CONFIG_HOME|~/.config}/agents/skills"])
        .also(&[".claude/skills", "~/.claude/skills"]),
    agent("antigravity", "Antigravity", &[".agents/skills"], &["~/.gemini/antigravity/skills"])
        .also(&["~/.agents/skills"]),
    agent(
        "antigravity-cli",
        "Antigravity CLI",
        &[".agents/skills"],
        &["~/.gemini/antigravity-cli/skills", "~/.antigravity/skills"],
    ),
    agent("astrbot", "AstrBot", &["data/skills"], &["~/.astrbot/data/skills"]),
    agent("augment", "Augment", &[".augment/skills"], &["~/.augment/skills"]),
    agent(
        "autohand-code",
        "Autohand Code CLI",
        &[".autohand/skills"],
        &["{AUTOHAND_HOME|~/.autohand}/skills"],
    ),
    agent("bob", "IBM Bob", &[".bob/skills"], &["~/.bob/skills"]),
    agent("chibi", "chibi", &[], &["~/.chibi/plugins/agent-skills/skills"]),
    agent("cline", "Cline", &[".agents/skills"], &["~/.agents/skills"]),
    agent(
        "codearts-agent",
        "CodeArts Agent",
        &[".codeartsdoer/skills"],
        &["~/.codeartsdoer/skills"],
    ),
    agent("codebuddy", "CodeBuddy", &[".codebuddy/skills"], &["~/.codebuddy/skills"]),
    agent("codemaker", "Codemaker", &[".codemaker/skills"], &["~/.codemaker/skills"]),
    agent("codestudio", "Code Studio", &[".codestudio/skills"], &["~/.codestudio/skills"]),
    agent("comate", "Comate", &[".comate/skills"], &[]),
    agent("command-code", "Command Code", &[".commandcode/skills"], &["~/.commandcode/skills"]),
    agent("continue", "Continue", &[".continue/skills"], &["~/.continue/skills"]),
    agent("cortex", "Cortex Code", &[".cortex/skills"], &["~/.snowflake/cortex/skills"]),
    agent("crush", "Crush", &[".crush/skills"], &["~/.config/crush/skills"]),
    agent(
        "deepagents",
        "Deep Agents",
        &[".agents/skills", ".deepagents/skills"],
        &["~/.deepagents/agent/skills"],
    )
    .also(&[".claude/skills", "~/.claude/skills", "~/.agents/skills"]),
    agent(
        "devin",
        "Devin for Terminal",
        &[".devin/skills"],
        &["{XDG_CONFIG_HOME|~/.config}/devin/skills"],
    ),
    agent("dexto", "Dexto", &[".agents/skills"], &["~/.agents/skills"]),
    agent("droid", "Droid", &[".agents/skills", ".factory/skills"], &["~/.factory/skills"]),
    agent("eve", "Eve", &["agent/skills"], &[]),
    agent("firebender", "Firebender", &[".agents/skills"], &["~/.firebender/skills"]).also(&[
        "~/.agents/skills",
        "~/.claude/skills",
        "~/.codex/skills",
        "~/.cursor/skills",
        "~/.goose/skills",
    ]),
    agent("forgecode", "ForgeCode", &[".forge/skills"], &["~/.forge/skills"]),
    agent("fx", "fx", &[".agents/skills"], &["~/.agents/skills"]),
    agent("grok", "Grok Build", &[".grok/skills"], &["{GROK_HOME|~/.grok}/skills"])
        .also(&["~/.agents/skills"]),
    agent("hermes-agent", "Hermes Agent", &[".hermes/skills"], &["{HERMES_HOME|~/.hermes}/skills"]),
    agent("iflow-cli", "iFlow CLI", &[".iflow/skills"], &["~/.iflow/skills"]),
    agent("inference-sh", "inference.sh", &[".inferencesh/skills"], &["~/.inferencesh/skills"]),
    agent("jazz", "Jazz", &[".jazz/skills"], &["~/.jazz/skills"]),
    agent("junie", "Junie", &[".junie/skills"], &["~/.junie/skills"]),
    agent(
        "kilo",
        "Kilo Code",
        &[".agents/skills", ".kilocode/skills"],
        &["~/.kilo/skills", "~/.kilocode/skills"],
    ),
    agent("kimchi", "Kimchi", &[".kimchi/skills"], &["~/.config/kimchi/harness/skills"]),
    agent(
        "kimi-code-cli",
        "Kimi Code CLI",
        &[".agents/skills"],
        &["~/.agents/skills", "{XDG_CONFIG_HOME|~/.config}/agents/skills"],
    )
    .also(&[".claude/skills", ".codex/skills", "~/.claude/skills", "~/.codex/skills"]),
    agent("kiro-cli", "Kiro CLI", &[".kiro/skills"], &["~/.kiro/skills"]),
    agent("kode", "Kode", &[".kode/skills"], &["~/.kode/skills"]),
    agent("letta", "Letta", &[".skills"], &["~/.letta/skills"]),
    agent("lingma", "Lingma", &[".lingma/skills"], &["~/.lingma/skills"]),
    agent("loaf", "Loaf", &[".agents/skills"], &["~/.agents/skills"]),
    agent("mcpjam", "MCPJam", &[".mcpjam/skills"], &["~/.mcpjam/skills"]),
    agent("minimax-code", "MiniMax Code", &[".minimax/skills"], &["~/.minimax/skills"]),
    agent("mistral-vibe", "Mistral Vibe", &[".vibe/skills"], &["{VIBE_HOME|~/.vibe}/skills"]),
    agent("moxby", "Moxby", &[".moxby/skills"], &["~/.moxby/skills"]),
    agent("mux", "Mux", &[".mux/skills"], &["~/.mux/skills"]),
    agent("neovate", "Neovate", &[".neovate/skills"], &["~/.neovate/skills"]),
    agent("omniforge", "OmniForge", &[], &["~/.omniforge/skills"]),
    agent("omp", "omp", &[".omp/skills"], &["~/.omp/agent/skills"]),
    agent("ona", "Ona", &[".ona/skills"], &["~/.ona/skills"]),
    agent(
        "openclaw",
        "OpenClaw",
        &["skills"],
        &["~/.openclaw/skills", "~/.clawdbot/skills", "~/.moltbot/skills"],
    ),
    agent("openhands", "OpenHands", &[".openhands/skills"], &["~/.openhands/skills"]),
    agent("openskills", "OpenSkills", &[".agent/skills"], &["~/.agent/skills"])
        .also(&[".claude/skills", "~/.claude/skills"]),
    agent(
        "pi",
        "Pi",
        &[".agents/skills", ".pi/skills"],
        &["~/.agents/skills", "~/.pi/agent/skills"],
    ),
    agent("pochi", "Pochi", &[".pochi/skills"], &["~/.pochi/skills"]),
    agent(
        "posit-assistant",
        "Posit Assistant",
        &[".posit/assistant/skills"],
        &["~/.posit/assistant/skills"],
    ),
    agent("promptscript", "PromptScript", &[".agents/skills"], &[]),
    agent("purecode", "PureCode", &[], &["~/.purecode/skills"]),
    agent("qoder", "Qoder", &[".qoder/skills"], &["~/.qoder/skills"]),
    agent("qoder-cn", "Qoder CN", &[".qoder/skills"], &["~/.qoder-cn/skills"]),
    agent("qwen-code", "Qwen Code", &[".qwen/skills"], &["~/.qwen/skills"]),
    agent("reasonix", "Reasonix", &[".reasonix/skills"], &["~/.reasonix/skills"]),
    agent("replit", "Replit", &[".agents/skills"], &["{XDG_CONFIG_HOME|~/.config}/agents/skills"]),
    agent("roo", "Roo Code", &[".roo/skills"], &["~/.roo/skills"])
        .also(&[".agents/skills", "~/.agents/skills"]),
    agent("rovodev", "Rovo Dev", &[".rovodev/skills"], &["~/.rovodev/skills"]),
    agent("sarvam-code", "Sarvam Code", &[".agents/skills"], &["~/.agents/skills"]),
    agent("tabnine-cli", "Tabnine CLI", &[".tabnine/agent/skills"], &["~/.tabnine/agent/skills"]),
    agent("terramind", "Terramind", &[".terramind/skills"], &["~/.terramind/skills"]),
    agent("tinycloud", "Tinycloud", &[".tinycloud/skills"], &["~/.tinycloud/skills"]),
    agent("trae", "Trae", &[".trae/skills"], &["~/.trae/skills"]),
    agent("trae-cn", "Trae CN", &[".trae/skills"], &["~/.trae-cn/skills"]),
    agent("verdent", "Verdent", &[".verdent/skills"], &[]),
    agent("warp", "Warp", &[".agents/skills"], &["~/.agents/skills"]),
    agent("windsurf", "Windsurf", &[".windsurf/skills"], &["~/.codeium/windsurf/skills"]),
    agent("witsy", "Witsy", &[], &["~/.agents/skills"]),
    agent(
        "xcode-claude",
        "Xcode Claude",
        &[],
        &["~/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig/skills"],
    ),
    agent(
        "xcode-codex",
        "Xcode Codex",
        &[],
        &["~/Library/Developer/Xcode/CodingAssistant/codex/skills"],
    ),
    agent("zcode", "ZCode", &[".zcode/skills"], &["~/.zcode/skills"]),
    agent("zed", "Zed", &[".agents/skills"], &["~/.agents/skills"]),
    agent("zencoder", "Zencoder", &[".zencoder/skills"], &["~/.zencoder/skills"]),
    agent("zenflow", "Zenflow", &[".zencoder/skills"], &["~/.zencoder/skills"]),
];

const fn agent(
    id: &'static str,
    title: &'static str,
    project: &'static [&'static str],
    personal: &'static [&'static str],
) -> Agent {
    Agent { id, title, project, personal, also: &[], enterprise: &[] }
}

impl Agent {
    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    const fn enterprise(self, enterprise: &'static [&'static str]) -> Self {
        Self { enterprise, ..self }
    }
}
