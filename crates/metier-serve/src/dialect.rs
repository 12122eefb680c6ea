//! Spellings of the operations: what tools are called, what their parameters are called, how
//! results and errors look. A dialect decides nothing; each is one file of spelling over
//! [`metier_runtime::capability`].

mod agent_base;
pub(crate) mod chibi;
mod omniforge;
mod plain;
mod reply;
mod tavern;

use metier_runtime::Session;
use metier_runtime::capability::{Effect, Operation};
use metier_runtime::session::Again;
use metier_store::Catalog;
use metier_store::guide::GuideTools;
use serde_json::Value;

use crate::limits::MAX_RESULT_CHARS;

pub(crate) use plain::name as plain_tool;
pub use reply::Reply;
pub(crate) use reply::{escaped, units, written};

/// A spelling of the operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// metier's own: one tool an operation.
    #[default]
    Plain,
    /// OmniForge: one tool `skill`, whose description lists the skills.
    Omniforge,
    /// TavernKit: `skills_list`, `skills_load`, `skills_read_file`, `skills_run_script`.
    Tavern,
    /// agent-base: `script_list`, `script_help`, `script_run`.
    AgentBase,
    /// chibi: `read_skill_file`, `run_skill_script`, `use_skill`, `release_skill`. Its plugin has one
    /// tool a skill besides; here a catalog would be as many.
    Chibi,
}

/// One tool, as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its parameters.
    pub input: Value,
    /// The JSON Schema of its result, when every result has one shape.
    pub output: Option<Value>,
    /// What it does to the world.
    pub effect: Effect,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] =
        [Self::Plain, Self::Omniforge, Self::Tavern, Self::AgentBase, Self::Chibi];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Omniforge => "omniforge",
            Self::Tavern => "tavern",
            Self::AgentBase => "agent-base",
            Self::Chibi => "chibi",
        }
    }

    /// The dialect called `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == word)
    }

    /// What happens when an active skill is asked for again, where nobody chose otherwise.
    #[must_use]
    pub fn again(self) -> Again {
        match self {
            Self::Omniforge => Again::Refuse,
            Self::Plain | Self::Tavern | Self::AgentBase | Self::Chibi => Again::Repeat,
        }
    }

    /// Whether the tools change with the catalog.
    #[must_use]
    pub fn follows_catalog(self) -> bool {
        matches!(self, Self::Omniforge)
    }

    /// Whether no skill is enabled where nobody says which are. Elsewhere all are.
    #[must_use]
    pub fn unset_is_none(self) -> bool {
        matches!(self, Self::AgentBase)
    }

    /// The tools there are.
    #[must_use]
    pub fn tools(self, catalog: &Catalog) -> Vec<Tool> {
        match self {
            Self::Plain => plain::tools(),
            Self::Omniforge => omniforge::tools(catalog),
            Self::Tavern => tavern::tools(),
            Self::AgentBase => agent_base::tools(),
            Self::Chibi => chibi::own(),
        }
    }

    /// Calls `tool`; none when there is no such tool. Nothing in the words of the answer is invisible,
    /// and in its data only what is in a file or came out of a script.
    pub fn call(self, session: &mut Session, tool: &str, arguments: Value) -> Option<Reply> {
        let reply = match self {
            Self::Plain => plain::call(session, tool, arguments),
            Self::Omniforge => omniforge::call(session, tool, &arguments),
            Self::Tavern => tavern::call(session, tool, &arguments),
            Self::AgentBase => agent_base::call(session, tool, &arguments),
            Self::Chibi => chibi::call(session, tool, &arguments, MAX_RESULT_CHARS),
        };
        reply.map(|reply| reply.written_out(self.gives_bytes(tool)))
    }

    /// Whether the data `tool` answers with is what is in a file or came out of a script.
    fn gives_bytes(self, tool: &str) -> bool {
        match self {
            Self::Plain => plain::gives_bytes(tool),
            Self::AgentBase => matches!(tool, "script_run" | "script_help"),
            Self::Tavern => matches!(tool, "skills_read_file" | "skills_run_script"),
            // One gives neither, the other has words for everything.
            Self::Omniforge | Self::Chibi => false,
        }
    }

    /// Whether calling `tool` runs a script, which takes as long as it takes.
    #[must_use]
    pub fn runs(self, tool: &str) -> bool {
        self.operation(tool).is_some_and(|operation| effect(operation) == Effect::Runs)
    }

    /// Whether calling `tool` reads a file of a skill, which may be large.
    #[must_use]
    pub fn reads(self, tool: &str) -> bool {
        // One tool reads as well as it activates there.
        self == Self::Omniforge || self.operation(tool) == Some(Operation::Read)
    }

    /// The operation that `tool` is, as far as what it does to the world goes.
    fn operation(self, tool: &str) -> Option<Operation> {
        match self {
            Self::Plain => plain::operation(tool),
            Self::Omniforge => omniforge::operation(tool),
            Self::Tavern => tavern::operation(tool),
            Self::AgentBase => agent_base::operation(tool),
            Self::Chibi => chibi::operation(tool),
        }
    }

    /// What finds the skills that are not listed.
    #[must_use]
    pub fn finder(self) -> &'static str {
        match self {
            Self::Plain => "`skill_search`",
            Self::Tavern => "`skills_list` with a `query`",
            Self::AgentBase => "`script_list`",
            Self::Omniforge => omniforge::FINDER,
            Self::Chibi => "`use_skill`, which names skills like the words it is given",
        }
    }

    /// The tools that the guide for models speaks of: the one that takes up a skill, beside those an
    /// agent has itself.
    #[must_use]
    pub fn guide_tools(self) -> GuideTools {
        let (skill, name) = match self {
            Self::Plain => ("skill_activate", "name"),
            Self::Omniforge => ("skill", "skill_name"),
            Self::Tavern => ("skills_load", "name"),
            // It takes up no skills, and says of each what it can run.
            Self::AgentBase => ("script_list", "skill_name"),
            Self::Chibi => (chibi::USE, "skill"),
        };
        let (skill, skill_name) = (skill.to_owned(), name.to_owned());
        GuideTools { skill, skill_name, ..GuideTools::default() }
    }

    /// How a model takes up a skill, as one sentence.
    #[must_use]
    pub fn how_to_use(self) -> &'static str {
        match self {
            Self::Plain => {
                "When a task fits a skill, call `skill_activate` with its name before anything \
                 else and follow what it says; `skill_read` reads its files, `skill_release` ends it."
            }
            Self::Omniforge => "When a task fits a skill, call `skill` with its name first.",
            Self::Tavern => {
                "When a task fits a skill, call `skills_load` with its name and follow what it \
                 says; `skills_read_file` reads its files."
            }
            Self::AgentBase => {
                "Skills bring scripts: `script_list` names them, `script_help` explains one, \
                 `script_run` runs it."
            }
            Self::Chibi => {
                "When a task fits a skill, call `use_skill` with its name and follow what it says; \
                 `read_skill_file` reads its files, `release_skill` ends it."
            }
        }
    }
}

/// What an operation does to the world, by the table. A tool does what its operation does.
fn effect(operation: Operation) -> Effect {
    operation.capability().effect
}
