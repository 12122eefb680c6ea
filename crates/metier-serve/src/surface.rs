//! Every operation on every surface: how it is spelled there, what that spelling cannot say, and in
//! what its answer differs; or why the surface does not have it.
//!
//! What the code knows is taken from the code: tools of MCP from the plain dialect, routes from the
//! table of operations, events from the agents. What only people know (why chibi has no `events`)
//! is in `table`. Nothing here decides anything and nothing is served from here: it is what the
//! parity tests hold the surfaces to and what `docs/surfaces.md` is written from. Start at [`cell`].

mod table;

use std::fmt;

use metier_runtime::capability::Operation;
use metier_runtime::event::Trigger;
use metier_runtime::session::Again;

use crate::Dialect;
use crate::agent_hook::{HookAgent, Occasion};
use crate::dialect::plain_tool;

pub use table::{Beyond, beyond};

/// A transport of the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// A Rust program that has the crates.
    Library,
    /// The command line.
    Command,
    /// MCP, over standard input and output or over HTTP, in the plain dialect.
    Mcp,
    /// The HTTP interface.
    Http,
    /// chibi's plugin.
    Chibi,
    /// The hooks of agents.
    Hook,
}

/// How one operation is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// [`invoke`](metier_runtime::capability::invoke) with this operation.
    Invoke(Operation),
    /// A command of the command line.
    Command(&'static str),
    /// A tool of MCP.
    Tool(&'static str),
    /// A method of MCP.
    Method(&'static str),
    /// `POST` to this path below `/v1`.
    Route(&'static str),
    /// `POST` to this path below `/v1/sessions/SESSION`.
    RouteInSession(&'static str),
    /// A tool of chibi's plugin, with what its `action` has to be.
    ChibiTool(&'static str, Option<&'static str>),
    /// A hook of chibi's plugin.
    ChibiHook(&'static str),
    /// An event of an agent, and what has to be in it.
    Event(Occasion, &'static str),
}

/// Who can ask in a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Whoever the caller says.
    Either,
    /// A model, always.
    Model,
    /// A person, always.
    User,
}

/// One way to ask for an operation.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// What is called.
    pub form: Form,
    /// Who asks.
    pub asks: Asks,
    /// Its parameters, each with what it is called there. The others cannot be given.
    pub takes: Takes,
    /// In what its answers and frames differ from the library's.
    pub differs: &'static [Difference],
}

/// The parameters of a way.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// All, by their own names.
    All,
    /// These: the parameter and what it is called there.
    Only(&'static [(&'static str, &'static str)]),
}

/// In what a way differs from the library, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Listed skills have only the members that a model can use.
    Trimmed,
    /// The text stands once: `text` without `body`, and `complete` says whether it is whole.
    WithoutBody,
    /// Where nobody says how much, an answer is as long as agents take whole.
    Bounded,
    /// More members: the journal, its length, and the law in force.
    AlsoWhere,
    /// One document a line, without a list around them.
    Lines,
    /// Failures have the shape of the script tools: `success`, `error`, `message`.
    Enveloped,
    /// Only the text of the answer.
    OnlyText,
    /// Words instead of data, as chibi's earlier plugin had them.
    Words,
    /// Nobody can be asked there, so what policy wants asked about is refused.
    AskIsNo,
    /// The script starts in the skill's directory and has the seconds the host leaves it.
    HostsLimits,
    /// The agent's own call is ruled on first, and that is recorded.
    RuledFirst,
    /// The answer is only whether it may happen, and if not, why.
    YesOrNo,
    /// Every skill is released, as the agent lets go of all of them.
    ReleasesAll,
    /// An active skill is given again instead of refused.
    Repeats,
    /// A name that no skill has is left to the agent: it may be a command of its own.
    UnknownIsTheirs,
    /// A skill for people alone is called that: the agent has it itself.
    TellsWhoseItIs,
    /// Of skills it is not about it is only known that somebody approved them, not that they changed.
    LooksAtItsOwn,
    /// A session that begins with it has no frame about the catalog, since skills are not looked for.
    NoCatalog,
    /// Text that is no JSON object is denied and recorded, since a script may look at nothing but
    /// the exit code.
    DeniesUnreadable,
}

/// What a surface has of an operation.
#[derive(Clone, Debug)]
pub enum Cell {
    /// It has it, in these ways; the usual one first.
    Ways(Vec<Way>),
    /// It does not, and this is why.
    Gap(&'static str),
}

/// What `surface` has of `operation`.
#[must_use]
pub fn cell(surface: Surface, operation: Operation) -> Cell {
    let name = operation.capability().name;
    match surface {
        Surface::Library => Cell::Ways(vec![Way::whole(Form::Invoke(operation))]),
        Surface::Http => {
            let forms = [Form::RouteInSession(name), Form::Route(name)];
            Cell::Ways(forms.map(Way::whole).to_vec())
        }
        Surface::Mcp => {
            let tool = Way { asks: Asks::Model, ..Way::whole(Form::Tool(plain_tool(operation))) };
            let tool = Way { differs: table::tool_differences(operation), ..tool };
            let mut ways = vec![tool];
            ways.extend(table::method(operation));
            Cell::Ways(ways)
        }
        Surface::Command => Cell::Ways(vec![table::command(operation)]),
        Surface::Chibi => table::chibi(operation),
        Surface::Hook => table::hook(operation),
    }
}

impl Surface {
    /// Every surface.
    pub const ALL: [Self; 6] =
        [Self::Library, Self::Command, Self::Mcp, Self::Http, Self::Chibi, Self::Hook];

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Command => "command",
            Self::Mcp => "MCP",
            Self::Http => "HTTP",
            Self::Chibi => "chibi",
            Self::Hook => "hook",
        }
    }

    /// The table of tool names that calls are ruled on by; for hooks each agent has its own.
    #[must_use]
    pub fn host(self) -> &'static str {
        match self {
            Self::Library | Self::Command | Self::Mcp | Self::Http => "plain",
            Self::Chibi => "chibi",
            Self::Hook => HookAgent::ClaudeCode.as_str(),
        }
    }

    /// What happens there when an active skill is asked for again and the settings say nothing.
    #[must_use]
    pub fn again(self) -> Again {
        match self {
            Self::Library | Self::Command | Self::Http => Again::Refuse,
            Self::Mcp => Dialect::Plain.again(),
            Self::Chibi => Dialect::Chibi.again(),
            Self::Hook => Again::Repeat,
        }
    }
}

impl Way {
    /// A way that takes everything and differs in nothing.
    const fn whole(form: Form) -> Self {
        Self { form, asks: Asks::Either, takes: Takes::All, differs: &[] }
    }

    /// What `parameter` of `operation` is called here; none when it cannot be given.
    #[must_use]
    pub fn called(&self, operation: Operation, parameter: &str) -> Option<&'static str> {
        match self.takes {
            Takes::All => {
                let mut all = operation.capability().parameters.iter();
                all.find(|known| known.name == parameter).map(|known| known.name)
            }
            Takes::Only(known) => {
                known.iter().find(|(name, _)| *name == parameter).map(|(_, called)| *called)
            }
        }
    }

    /// Whether `asker` can ask in this way.
    #[must_use]
    pub fn is_for(&self, asker: Trigger) -> bool {
        match self.asks {
            Asks::Either => true,
            Asks::Model => asker == Trigger::Auto,
            Asks::User => asker == Trigger::Manual,
        }
    }
}

impl Difference {
    /// Every difference.
    pub const ALL: [Self; 19] = [
        Self::Trimmed,
        Self::WithoutBody,
        Self::Bounded,
        Self::AlsoWhere,
        Self::Lines,
        Self::Enveloped,
        Self::OnlyText,
        Self::Words,
        Self::AskIsNo,
        Self::HostsLimits,
        Self::RuledFirst,
        Self::YesOrNo,
        Self::ReleasesAll,
        Self::Repeats,
        Self::UnknownIsTheirs,
        Self::TellsWhoseItIs,
        Self::LooksAtItsOwn,
        Self::NoCatalog,
        Self::DeniesUnreadable,
    ];

    /// What differs and why, for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Trimmed => {
                "A listed skill has only the members a model can use, since each costs room in its \
                 context."
            }
            Self::WithoutBody => {
                "The text stands once: `text` without `body`, with the notice at its end; \
                 `complete` says whether it is whole."
            }
            Self::Bounded => {
                "Where nobody says how much, an answer is as long as agents take whole; `next` or \
                 `truncated` says that there is more."
            }
            Self::AlsoWhere => {
                "Three members more, `journal`, `frames` and `policy`: where the session is kept \
                 and which law holds."
            }
            Self::Lines => {
                "One frame a line, as the journal has them, instead of a list; all of them where \
                 no limit is given. The number to go on after is the last line's `seq`."
            }
            Self::Enveloped => {
                "A failure has the shape of a script's answer (`success`, `error`, `message`), so \
                 that whoever runs scripts reads one shape."
            }
            Self::OnlyText => "Only the text, which is all the protocol has room for.",
            Self::Words => {
                "Words instead of data: the host shows a plugin's output to its model as it is."
            }
            Self::AskIsNo => {
                "Nobody can be asked there, so what policy wants to be asked about is refused."
            }
            Self::HostsLimits => {
                "A script starts in its skill's directory and has the time the host leaves it, \
                 which ends plugins after 30 seconds."
            }
            Self::RuledFirst => {
                "The agent's own call of its skill tool is ruled on first, and that is one frame \
                 more."
            }
            Self::YesOrNo => {
                "The agent is told whether it may go on, and if not, why; what was done is in the \
                 journal."
            }
            Self::ReleasesAll => {
                "All active skills are released, as the agent itself lets go of all of them."
            }
            Self::Repeats => {
                "A skill that is active already is given once more instead of refused, unless \
                 `session.again` in the settings says otherwise: models forget what they have."
            }
            Self::UnknownIsTheirs => {
                "A name that no skill has is left to the agent: it may be a command of its own."
            }
            Self::TellsWhoseItIs => {
                "A skill that only people may use is called that instead of unknown: the agent has \
                 it itself, and has to be told why not."
            }
            Self::LooksAtItsOwn => {
                "Only skills it is about are looked at for changes since they were approved."
            }
            Self::NoCatalog => {
                "A session that begins with it has no `skill_catalog_updated`: no skill is looked \
                 for, so that a ruling takes milliseconds with a thousand skills."
            }
            Self::DeniesUnreadable => {
                "Arguments that are no JSON object are denied and recorded instead of refused as \
                 wrong usage, since a script may look at nothing but the exit code."
            }
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invoke(operation) => write!(f, "`Operation::{operation:?}`"),
            Self::Command(words) => write!(f, "`metier {words}`"),
            Self::Tool(name) => write!(f, "tool `{name}`"),
            Self::Method(name) => write!(f, "`{name}`"),
            Self::Route(name) => write!(f, "`POST /v1/{name}`"),
            Self::RouteInSession(name) => write!(f, "`POST /v1/sessions/SESSION/{name}`"),
            Self::ChibiTool(name, None) => write!(f, "tool `{name}`"),
            Self::ChibiTool(name, Some(action)) => write!(f, "tool `{name}`, action `{action}`"),
            Self::ChibiHook(name) => write!(f, "hook `{name}`"),
            Self::Event(occasion, what) => {
                let mut names: Vec<&str> = Vec::new();
                for agent in HookAgent::ALL {
                    let events = agent.needed().filter(|(_, about)| about == occasion);
                    names.extend(events.map(|(name, _)| name));
                }
                names.sort_unstable();
                names.dedup();
                write!(f, "`{}`{what}", names.join("`, `"))
            }
        }
    }
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
