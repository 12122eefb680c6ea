//! The table itself. One row an operation, in the order of [`Operation`].

use metier_store::disclose::Style;

use super::{Capability, Effect, Kind, Operation, Parameter};
use crate::limits::{
    MAX_FILE_BYTES, MAX_LISTED_FRAMES, MAX_LISTED_SKILLS, MAX_READ_BYTES, MAX_SCRIPT_SECONDS,
    MAX_SEARCH_HITS,
};

const NAME: Parameter = Parameter::required("name", Kind::Text, "");

/// The words for [`Style`], which has them as a function.
const STYLES: &[&str] = &["xml", "xml-attributes", "markdown", "tool", "json"];

const SCRIPT: Parameter = Parameter::required("script", Kind::Text, "");

/// What the script operations answer, whether the script succeeded or not.
const ENVELOPE: &[(&str, &str)] = &[("success", "boolean"), ("message", "string")];

const SCRIPT_ERRORS: &[&str] = &[
    "not_found",
    "invalid_name",
    "args_too_large",
    "permission_denied",
    "interpreter_missing",
    "script_unusable",
    "dependencies_missing",
    "execution_failed",
    "cancelled",
    "journal_refused",
];

const SCRIPT_FRAMES: &[&str] =
    &["tool_execution_in_skill", "tool_restriction_violated", "script_started", "script_finished"];

const ACTIVATION_ERRORS: &[&str] = &[
    "skill_not_found",
    "skill_ambiguous",
    "skill_already_active",
    "skill_outdated",
    "skill_not_trusted",
    "skill_hidden",
    "skill_out_of_scope",
    "skill_not_for_models",
    "skill_not_for_users",
    "skill_stack_full",
    "skill_arguments_too_large",
    "skill_denied",
    "skill_hook_failed",
    "skill_changed",
    "skill_invalid",
    "journal_refused",
];

const READ_ERRORS: &[&str] = &[
    "skill_not_found",
    "skill_hidden",
    "skill_not_trusted",
    "skill_changed",
    "read_denied",
    "invalid_path",
    "file_not_found",
    "not_a_file",
    "file_too_large",
    "unreadable",
    "journal_refused",
];

const LIST: Capability = Capability {
    operation: Operation::List,
    name: "list",
    title: "List skills",
    description: "List skills by name, a page at a time.",
    parameters: &[
        Parameter::optional("all", Kind::Flag, "Include hidden skills"),
        Parameter::optional("after", Kind::Text, "Start after this name"),
        Parameter::optional("limit", Kind::Number(MAX_LISTED_SKILLS), ""),
    ],
    result: &[("skills", "array")],
    errors: &[],
    frames: &[],
    effect: Effect::Looks,
};

pub(super) const ALL: &[Capability] = &[
    LIST,
    Capability {
        operation: Operation::Search,
        name: "search",
        title: "Search skills",
        description: "Find the skills that fit a task.",
        parameters: &[
            Parameter::required("query", Kind::Text, "What is to be done"),
            Parameter::optional("limit", Kind::Number(MAX_SEARCH_HITS), ""),
        ],
        result: &[("hits", "array")],
        errors: &[],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::Show,
        name: "show",
        title: "Show a skill",
        description: "Show a skill's frontmatter, files and cost, without activating it.",
        parameters: &[NAME],
        result: &[("name", "string"), ("manifest", "object"), ("resources", "array")],
        errors: &["skill_not_found", "skill_not_trusted", "skill_changed", "skill_invalid"],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::Why,
        name: "why",
        title: "Explain a name",
        description: "Say which skill a name means and what decided that.",
        parameters: &[NAME],
        result: &[("name", "string"), ("candidates", "array")],
        errors: &["skill_not_found"],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::Prompt,
        name: "prompt",
        title: "Catalog for a prompt",
        description: "The catalog as text for a model's prompt.",
        parameters: &[
            Parameter::optional("style", Kind::Word(STYLES), ""),
            Parameter::optional("budget", Kind::Number(1_000_000), "Most tokens"),
        ],
        result: &[("style", "string"), ("text", "string")],
        errors: &[],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::Activate,
        name: "activate",
        title: "Activate a skill",
        description: "Activate a skill and get its instructions. While it is active, only the \
                      tools it allows may be used.",
        parameters: &[NAME, Parameter::optional("arguments", Kind::Text, "Arguments, as one text")],
        result: &[("name", "string"), ("text", "string"), ("base_path", "string")],
        errors: ACTIVATION_ERRORS,
        frames: &[
            "skill_invoked",
            "skill_loaded",
            "override_ruled",
            "script_started",
            "script_finished",
            "skill_warning",
            "skill_activated",
            "skill_refused",
        ],
        effect: Effect::Changes,
    },
    Capability {
        operation: Operation::Release,
        name: "release",
        title: "Release a skill",
        description: "Release the skill activated last.",
        parameters: &[Parameter::optional("name", Kind::Text, "The skill it has to be")],
        result: &[("released", "array"), ("active", "array")],
        errors: &["skill_not_active", "skill_stack_violation", "journal_refused"],
        frames: &["skill_deactivated", "script_started", "script_finished", "skill_warning"],
        effect: Effect::Changes,
    },
    Capability {
        operation: Operation::End,
        name: "end",
        title: "End the session",
        description: "Release every skill and end the session.",
        parameters: &[],
        result: &[("session", "string"), ("ended", "boolean"), ("released", "array")],
        errors: &["journal_refused"],
        frames: &[
            "skill_deactivated",
            "script_started",
            "script_finished",
            "skill_warning",
            "session_ended",
        ],
        effect: Effect::Changes,
    },
    Capability {
        operation: Operation::Status,
        name: "status",
        title: "Session status",
        description: "Show the active skills, the tools they leave, and counters.",
        parameters: &[],
        result: &[("session", "string"), ("stack", "array"), ("grant", "array")],
        errors: &[],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::Guard,
        name: "guard",
        title: "Rule on a tool call",
        description: "Ask whether a tool call is allowed now.",
        parameters: &[
            Parameter::required("tool", Kind::Text, ""),
            Parameter::optional("arguments", Kind::Object, ""),
        ],
        result: &[("verdict", "string"), ("reasons", "array")],
        errors: &["journal_refused"],
        frames: &["tool_execution_in_skill", "tool_restriction_violated"],
        effect: Effect::Records,
    },
    Capability {
        operation: Operation::Read,
        name: "read",
        title: "Read a skill's file",
        description: "Read a file that belongs to a skill.",
        parameters: &[
            NAME,
            Parameter::required("path", Kind::Text, "Relative to the skill"),
            Parameter::optional("offset", Kind::Number(MAX_FILE_BYTES), "Byte to start at"),
            Parameter::optional("limit", Kind::Number(MAX_READ_BYTES), "Most bytes"),
        ],
        result: &[("path", "string"), ("size", "integer"), ("encoding", "string")],
        errors: READ_ERRORS,
        frames: &["resource_requested", "resource_read"],
        effect: Effect::Records,
    },
    Capability {
        operation: Operation::Events,
        name: "events",
        title: "Session events",
        description: "List what was recorded in this session.",
        parameters: &[
            Parameter::optional("after", Kind::Number(u64::MAX), "Start after this number"),
            Parameter::optional("limit", Kind::Number(MAX_LISTED_FRAMES), ""),
        ],
        result: &[("frames", "array")],
        errors: &["journal_refused"],
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::ScriptList,
        name: "script_list",
        title: "List scripts",
        description: "List the scripts of a skill, or of all skills.",
        parameters: &[
            Parameter::optional("name", Kind::Text, ""),
            Parameter::optional("after", Kind::Text, "Start after this skill"),
        ],
        result: ENVELOPE,
        errors: SCRIPT_ERRORS,
        frames: &[],
        effect: Effect::Looks,
    },
    Capability {
        operation: Operation::ScriptHelp,
        name: "script_help",
        title: "Explain a script",
        description: "Show what a script says for `--help`.",
        parameters: &[NAME, SCRIPT],
        result: ENVELOPE,
        errors: SCRIPT_ERRORS,
        frames: SCRIPT_FRAMES,
        effect: Effect::Runs,
    },
    Capability {
        operation: Operation::ScriptRun,
        name: "script_run",
        title: "Run a script",
        description: "Run a skill's script, confined.",
        parameters: &[
            NAME,
            SCRIPT,
            Parameter::optional("args", Kind::Texts, ""),
            Parameter::optional("json", Kind::Flag, "Ask it for JSON"),
            Parameter::optional("stdin", Kind::Text, ""),
            Parameter::optional("timeout", Kind::Number(MAX_SCRIPT_SECONDS), "Seconds"),
        ],
        result: ENVELOPE,
        errors: SCRIPT_ERRORS,
        frames: SCRIPT_FRAMES,
        effect: Effect::Runs,
    },
];

/// The row of `operation`.
pub(super) fn row(operation: Operation) -> &'static Capability {
    // Every operation has a row; a test holds the two together. Were one missing, its place would
    // be taken by the row that does the least.
    ALL.iter().find(|row| row.operation == operation).unwrap_or(&LIST)
}

/// The style called `word`.
pub(super) fn style(word: &str) -> Style {
    Style::parse(word).unwrap_or_default()
}
