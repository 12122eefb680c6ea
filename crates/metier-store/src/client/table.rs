//! The table itself. Sources: what the common installers write, what the agents' own documentation
//! and source say they read. Where those disagree, every directory somebody may have is listed.

use super::Agent;

/// Every agent known, in client order: the directory all share, then the agents most people have,
/// then the others by id.
pub static AGENTS: &[Agent] = &[
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
    .enterprise(&["/etc/claude-code/.claude/skills"])
    .detected(&["{CLAUDE_CONFIG_DIR|~/.claude}"]),
    agent(
        "codex",
        "Codex",
        &[".agents/skills", ".codex/skills"],
        &["~/.agents/skills", "{CODEX_HOME|~/.codex}/skills"],
    )
    .enterprise(&["/etc/codex/skills"])
    .detected(&["{CODEX_HOME|~/.codex}", "/etc/codex"]),
    agent(
        "gemini-cli",
        "Gemini CLI",
        &[".agents/skills", ".gemini/skills"],
        &["~/.agents/skills", "~/.gemini/skills"],
    )
    .detected(&["~/.gemini"]),
    agent(
        "opencode",
        "OpenCode",
        &[".opencode/skills", ".opencode/skill", ".agents/skills"],
        &[
            "{XDG_CONFIG_HOME|~/.config}/opencode/skills",
            "{XDG_CONFIG_HOME|~/.config}/opencode/skill",
        ],
    )
    .also(&[".claude/skills", "~/.claude/skills", "~/.agents/skills"])
    .detected(&["{XDG_CONFIG_HOME|~/.config}/opencode"]),
    agent("goose", "Goose", &[".goose/skills"], &["{XDG_CONFIG_HOME|~/.config}/goose/skills"])
        .also(&[
            ".claude/skills",
            ".agents/skills",
            "~/.agents/skills",
            "~/.claude/skills",
            "{XDG_CONFIG_HOME|~/.config}/agents/skills",
        ])
        .detected(&["{XDG_CONFIG_HOME|~/.config}/goose"]),
    agent(
        "github-copilot",
        "GitHub Copilot",
        &[".agents/skills", ".github/skills"],
        &["~/.copilot/skills"],
    )
    .also(&[".claude/skills", "~/.agents/skills"])
    .detected(&["~/.copilot"]),
    agent("cursor", "Cursor", &[".agents/skills", ".cursor/skills"], &["~/.cursor/skills"])
        .also(&[
            ".claude/skills",
            ".codex/skills",
            "~/.agents/skills",
            "~/.claude/skills",
            "~/.codex/skills",
        ])
        .detected(&["~/.cursor"]),
    agent("adal", "AdaL", &[".adal/skills"], &["~/.adal/skills"]).detected(&["~/.adal"]),
    agent("agent-base", "agent-base", &[], &["~/.agent/skills"]).detected(&["~/.agent-base"]),
    agent("aider-desk", "AiderDesk", &[".aider-desk/skills"], &["~/.aider-desk/skills"])
        .detected(&["~/.aider-desk"]),
    agent("amp", "Amp", &[".agents/skills"], &["{XDG_CONFIG_HOME|~/.config}/agents/skills"])
        .also(&[".claude/skills", "~/.claude/skills"])
        .detected(&["{XDG_CONFIG_HOME|~/.config}/amp"]),
    agent("antigravity", "Antigravity", &[".agents/skills"], &["~/.gemini/antigravity/skills"])
        .also(&["~/.agents/skills"])
        .detected(&["~/.gemini/antigravity"]),
    agent(
        "antigravity-cli",
        "Antigravity CLI",
        &[".agents/skills"],
        &["~/.gemini/antigravity-cli/skills", "~/.antigravity/skills"],
    )
    .detected(&["~/.gemini/antigravity-cli"]),
    agent("astrbot", "AstrBot", &["data/skills"], &["~/.astrbot/data/skills"])
        .detected(&["data/skills", "~/.astrbot"]),
    agent("augment", "Augment", &[".augment/skills"], &["~/.augment/skills"])
        .detected(&["~/.augment"]),
    agent(
        "autohand-code",
        "Autohand Code CLI",
        &[".autohand/skills"],
        &["{AUTOHAND_HOME|~/.autohand}/skills"],
    )
    .detected(&["{AUTOHAND_HOME|~/.autohand}"]),
    agent("bob", "IBM Bob", &[".bob/skills"], &["~/.bob/skills"]).detected(&["~/.bob"]),
    agent("chibi", "chibi", &[], &["~/.chibi/plugins/agent-skills/skills"]).detected(&["~/.chibi"]),
    agent("cline", "Cline", &[".agents/skills"], &["~/.agents/skills"]).detected(&["~/.cline"]),
    agent(
        "codearts-agent",
        "CodeArts Agent",
        &[".codeartsdoer/skills"],
        &["~/.codeartsdoer/skills"],
    )
    .detected(&["~/.codeartsdoer"]),
    agent("codebuddy", "CodeBuddy", &[".codebuddy/skills"], &["~/.codebuddy/skills"])
        .detected(&[".codebuddy", "~/.codebuddy"]),
    agent("codemaker", "Codemaker", &[".codemaker/skills"], &["~/.codemaker/skills"])
        .detected(&["~/.codemaker"]),
    agent("codestudio", "Code Studio", &[".codestudio/skills"], &["~/.codestudio/skills"])
        .detected(&["~/.codestudio"]),
    agent("comate", "Comate", &[".comate/skills"], &[]).detected(&[".comate"]),
    agent("command-code", "Command Code", &[".commandcode/skills"], &["~/.commandcode/skills"])
        .detected(&["~/.commandcode"]),
    agent("continue", "Continue", &[".continue/skills"], &["~/.continue/skills"])
        .detected(&[".continue", "~/.continue"]),
    agent("cortex", "Cortex Code", &[".cortex/skills"], &["~/.snowflake/cortex/skills"])
        .detected(&["~/.snowflake/cortex"]),
    agent("crush", "Crush", &[".crush/skills"], &["~/.config/crush/skills"])
        .detected(&["~/.config/crush"]),
    agent(
        "deepagents",
        "Deep Agents",
        &[".agents/skills", ".deepagents/skills"],
        &["~/.deepagents/agent/skills"],
    )
    .also(&[".claude/skills", "~/.claude/skills", "~/.agents/skills"])
    .detected(&["~/.deepagents"]),
    agent(
        "devin",
        "Devin for Terminal",
        &[".devin/skills"],
        &["{XDG_CONFIG_HOME|~/.config}/devin/skills"],
    )
    .detected(&["{XDG_CONFIG_HOME|~/.config}/devin"]),
    agent("dexto", "Dexto", &[".agents/skills"], &["~/.agents/skills"]).detected(&["~/.dexto"]),
    agent("droid", "Droid", &[".agents/skills", ".factory/skills"], &["~/.factory/skills"])
        .detected(&["~/.factory"]),
    agent("eve", "Eve", &["agent/skills"], &[]).detected(&["agent/skills"]),
    agent("firebender", "Firebender", &[".agents/skills"], &["~/.firebender/skills"])
        .also(&[
            "~/.agents/skills",
            "~/.claude/skills",
            "~/.codex/skills",
            "~/.cursor/skills",
            "~/.goose/skills",
        ])
        .detected(&["~/.firebender"]),
    agent("forgecode", "ForgeCode", &[".forge/skills"], &["~/.forge/skills"])
        .detected(&["~/.forge"]),
    agent("fx", "fx", &[".agents/skills"], &["~/.agents/skills"]).detected(&["~/.fx"]),
    agent("grok", "Grok Build", &[".grok/skills"], &["{GROK_HOME|~/.grok}/skills"])
        .also(&["~/.agents/skills"])
        .detected(&["{GROK_HOME|~/.grok}"]),
    agent("hermes-agent", "Hermes Agent", &[".hermes/skills"], &["{HERMES_HOME|~/.hermes}/skills"])
        .detected(&["{HERMES_HOME|~/.hermes}"]),
    agent("iflow-cli", "iFlow CLI", &[".iflow/skills"], &["~/.iflow/skills"])
        .detected(&["~/.iflow"]),
    agent("inference-sh", "inference.sh", &[".inferencesh/skills"], &["~/.inferencesh/skills"])
        .detected(&["~/.inferencesh"]),
    agent("jazz", "Jazz", &[".jazz/skills"], &["~/.jazz/skills"]).detected(&["~/.jazz", ".jazz"]),
    agent("junie", "Junie", &[".junie/skills"], &["~/.junie/skills"]).detected(&["~/.junie"]),
    agent(
        "kilo",
        "Kilo Code",
        &[".agents/skills", ".kilocode/skills"],
        &["~/.kilo/skills", "~/.kilocode/skills"],
    )
    .detected(&["~/.kilo", "~/.kilocode"]),
    agent("kimchi", "Kimchi", &[".kimchi/skills"], &["~/.config/kimchi/harness/skills"])
        .detected(&["~/.config/kimchi"]),
    agent(
        "kimi-code-cli",
        "Kimi Code CLI",
        &[".agents/skills"],
        &["~/.agents/skills", "{XDG_CONFIG_HOME|~/.config}/agents/skills"],
    )
    .also(&[".claude/skills", ".codex/skills", "~/.claude/skills", "~/.codex/skills"])
    .detected(&["~/.kimi-code", "~/.kimi"]),
    agent("kiro-cli", "Kiro CLI", &[".kiro/skills"], &["~/.kiro/skills"]).detected(&["~/.kiro"]),
    agent("kode", "Kode", &[".kode/skills"], &["~/.kode/skills"]).detected(&["~/.kode"]),
    agent("letta", "Letta", &[".skills"], &["~/.letta/skills"]).detected(&["~/.letta"]),
    agent("lingma", "Lingma", &[".lingma/skills"], &["~/.lingma/skills"]).detected(&["~/.lingma"]),
    agent("loaf", "Loaf", &[".agents/skills"], &["~/.agents/skills"]).detected(&["~/.loaf"]),
    agent("mcpjam", "MCPJam", &[".mcpjam/skills"], &["~/.mcpjam/skills"]).detected(&["~/.mcpjam"]),
    agent("minimax-code", "MiniMax Code", &[".minimax/skills"], &["~/.minimax/skills"])
        .detected(&["~/.minimax", "/Applications/MiniMax Code.app"]),
    agent("mistral-vibe", "Mistral Vibe", &[".vibe/skills"], &["{VIBE_HOME|~/.vibe}/skills"])
        .detected(&["{VIBE_HOME|~/.vibe}"]),
    agent("moxby", "Moxby", &[".moxby/skills"], &["~/.moxby/skills"]).detected(&["~/.moxby"]),
    agent("mux", "Mux", &[".mux/skills"], &["~/.mux/skills"]).detected(&["~/.mux"]),
    agent("neovate", "Neovate", &[".neovate/skills"], &["~/.neovate/skills"])
        .detected(&["~/.neovate"]),
    agent("omniforge", "OmniForge", &[], &["~/.omniforge/skills"]).detected(&["~/.omniforge"]),
    agent("omp", "omp", &[".omp/skills"], &["~/.omp/agent/skills"]).detected(&["~/.omp"]),
    agent("ona", "Ona", &[".ona/skills"], &["~/.ona/skills"]).detected(&["~/.ona"]),
    agent(
        "openclaw",
        "OpenClaw",
        &["skills"],
        &["~/.openclaw/skills", "~/.clawdbot/skills", "~/.moltbot/skills"],
    )
    .detected(&["~/.openclaw", "~/.clawdbot", "~/.moltbot"]),
    agent("openhands", "OpenHands", &[".openhands/skills"], &["~/.openhands/skills"])
        .detected(&["~/.openhands"]),
    agent("openskills", "OpenSkills", &[".agent/skills"], &["~/.agent/skills"])
        .also(&[".claude/skills", "~/.claude/skills"])
        .detected(&[".agent/skills", "~/.agent/skills"]),
    agent(
        "pi",
        "Pi",
        &[".agents/skills", ".pi/skills"],
        &["~/.agents/skills", "~/.pi/agent/skills"],
    )
    .detected(&["~/.pi/agent"]),
    agent("pochi", "Pochi", &[".pochi/skills"], &["~/.pochi/skills"]).detected(&["~/.pochi"]),
    agent(
        "posit-assistant",
        "Posit Assistant",
        &[".posit/assistant/skills"],
        &["~/.posit/assistant/skills"],
    )
    .detected(&["~/.posit/assistant", "~/.positai"]),
    agent("promptscript", "PromptScript", &[".agents/skills"], &[])
        .detected(&[".promptscript", "promptscript.yaml"]),
    agent("purecode", "PureCode", &[], &["~/.purecode/skills"]).detected(&["~/.purecode"]),
    agent("qoder", "Qoder", &[".qoder/skills"], &["~/.qoder/skills"]).detected(&["~/.qoder"]),
    agent("qoder-cn", "Qoder CN", &[".qoder/skills"], &["~/.qoder-cn/skills"])
        .detected(&["~/.qoder-cn"]),
    agent("qwen-code", "Qwen Code", &[".qwen/skills"], &["~/.qwen/skills"]).detected(&["~/.qwen"]),
    agent("reasonix", "Reasonix", &[".reasonix/skills"], &["~/.reasonix/skills"])
        .detected(&["~/.reasonix"]),
    agent("replit", "Replit", &[".agents/skills"], &["{XDG_CONFIG_HOME|~/.config}/agents/skills"])
        .detected(&[".replit"]),
    agent("roo", "Roo Code", &[".roo/skills"], &["~/.roo/skills"])
        .also(&[".agents/skills", "~/.agents/skills"])
        .detected(&["~/.roo"]),
    agent("rovodev", "Rovo Dev", &[".rovodev/skills"], &["~/.rovodev/skills"])
        .detected(&["~/.rovodev"]),
    agent("sarvam-code", "Sarvam Code", &[".agents/skills"], &["~/.agents/skills"])
        .detected(&["{SARVAM_HOME|~/.sarvam}"]),
    agent("tabnine-cli", "Tabnine CLI", &[".tabnine/agent/skills"], &["~/.tabnine/agent/skills"])
        .detected(&["~/.tabnine"]),
    agent("terramind", "Terramind", &[".terramind/skills"], &["~/.terramind/skills"])
        .detected(&["~/.terramind"]),
    agent("tinycloud", "Tinycloud", &[".tinycloud/skills"], &["~/.tinycloud/skills"])
        .detected(&["~/.tinycloud"]),
    agent("trae", "Trae", &[".trae/skills"], &["~/.trae/skills"]).detected(&["~/.trae"]),
    agent("trae-cn", "Trae CN", &[".trae/skills"], &["~/.trae-cn/skills"])
        .detected(&["~/.trae-cn"]),
    agent("verdent", "Verdent", &[".verdent/skills"], &[]).detected(&[".verdent"]),
    agent("warp", "Warp", &[".agents/skills"], &["~/.agents/skills"]).detected(&["~/.warp"]),
    agent("windsurf", "Windsurf", &[".windsurf/skills"], &["~/.codeium/windsurf/skills"])
        .detected(&["~/.codeium/windsurf"]),
    agent("witsy", "Witsy", &[], &["~/.agents/skills"])
        .detected(&["~/.witsy", "{XDG_CONFIG_HOME|~/.config}/Witsy"]),
    agent(
        "xcode-claude",
        "Xcode Claude",
        &[],
        &["~/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig/skills"],
    )
    .detected(&["~/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig"]),
    agent(
        "xcode-codex",
        "Xcode Codex",
        &[],
        &["~/Library/Developer/Xcode/CodingAssistant/codex/skills"],
    )
    .detected(&["~/Library/Developer/Xcode/CodingAssistant/codex"]),
    agent("zcode", "ZCode", &[".zcode/skills"], &["~/.zcode/skills"])
        .detected(&["~/.zcode", "/Applications/ZCode.app"]),
    agent("zed", "Zed", &[".agents/skills"], &["~/.agents/skills"])
        .detected(&["{XDG_CONFIG_HOME|~/.config}/zed"]),
    agent("zencoder", "Zencoder", &[".zencoder/skills"], &["~/.zencoder/skills"])
        .detected(&["~/.zencoder"]),
    agent("zenflow", "Zenflow", &[".zencoder/skills"], &["~/.zencoder/skills"])
        .detected(&["~/.zencoder"]),
];

const fn agent(
    id: &'static str,
    title: &'static str,
    project: &'static [&'static str],
    personal: &'static [&'static str],
) -> Agent {
    Agent { id, title, project, personal, also: &[], enterprise: &[], detected: &[] }
}

impl Agent {
    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    const fn enterprise(self, enterprise: &'static [&'static str]) -> Self {
        Self { enterprise, ..self }
    }

    const fn detected(self, detected: &'static [&'static str]) -> Self {
        Self { detected, ..self }
    }
}
