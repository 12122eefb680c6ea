//! What only people know about surfaces: the words of the command line, what chibi and agents' hooks
//! have and why not the rest, and what a surface has that is no operation.

use metier_runtime::capability::Operation;

use super::Difference::{
    LooksAtItsOwn, NoCatalog, ReleasesAll, Repeats, RuledFirst, TellsWhoseItIs, UnknownIsTheirs,
    YesOrNo,
};
use super::{Asks, Cell, Difference, Form, Surface, Takes, Way};
use crate::agent_hook::Occasion;
use crate::dialect::chibi::{MARKET, READ, RELEASE, RUN, USE};
use crate::http::{Behind, ROUTES};

/// Something a surface has that is no operation, and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// Where.
    pub surface: Surface,
    /// What, by the names it has there.
    pub names: &'static [&'static str],
    /// What for.
    pub what: &'static str,
}

/// What surfaces have that is no operation, in the order of the surfaces.
#[must_use]
pub fn beyond() -> Vec<Beyond> {
    let served = ROUTES
        .iter()
        .filter(|route| !matches!(route.behind, Behind::Operation | Behind::OperationInSession));
    let served = served.map(|route| {
        let names = std::slice::from_ref(&route.path);
        Beyond { surface: Surface::Http, names, what: route.what }
    });
    let mut all: Vec<Beyond> = BEYOND.iter().copied().chain(served).collect();
    all.sort_by_key(|row| row.surface);
    all
}

/// Those that only people know of. Changing what is installed is a person's business and therefore on
/// the command line only, but for what chibi's earlier plugin let a model do.
const BEYOND: &[Beyond] = &[
    Beyond {
        surface: Surface::Command,
        names: &["check", "lint", "props"],
        what: "writing skills: files are looked at, no session is",
    },
    Beyond {
        surface: Surface::Command,
        names: &[
            "add", "remove", "update", "outdated", "index", "info", "sync", "verify", "rollback",
            "trust", "untrust", "gc",
        ],
        what: "what is installed and approved, which a person decides",
    },
    Beyond {
        surface: Surface::Command,
        names: &["link", "unlink", "agents", "doctor", "adopt"],
        what: "the agents on this machine",
    },
    Beyond {
        surface: Surface::Command,
        names: &["replay", "metrics"],
        what: "journals of any session, read and checked",
    },
    Beyond {
        surface: Surface::Command,
        names: &["mcp", "serve", "hook", "chibi"],
        what: "the other surfaces",
    },
    Beyond {
        surface: Surface::Command,
        names: &["tour", "completions", "man", "help"],
        what: "the command itself",
    },
    Beyond {
        surface: Surface::Mcp,
        names: &["resources/list", "resources/templates/list", "prompts/list"],
        what: "the skills as resources and as prompts, for hosts that show them to people",
    },
    Beyond {
        surface: Surface::Mcp,
        names: &["skills/list", "skills/get", "resources/directory/read"],
        what: "the skills extension: frontmatter, files and digests, so that a host can mount skills",
    },
    Beyond {
        surface: Surface::Mcp,
        names: &["completion/complete"],
        what: "names and arguments while somebody types",
    },
    Beyond {
        surface: Surface::Chibi,
        names: &["agent-skills"],
        what: "`skill_marketplace` for people, as `chibi -P agent-skills …`",
    },
    Beyond {
        surface: Surface::Chibi,
        names: &["skill_marketplace"],
        what: "its other actions install and remove skills, and its search looks into indexes too",
    },
    Beyond {
        surface: Surface::Chibi,
        names: &["on_start"],
        what: "ends the sessions of chibis that are gone",
    },
    Beyond {
        surface: Surface::Chibi,
        names: &["pre_api_tools", "pre_cache_output"],
        what: "hides tools no call of which could pass, and keeps answers whole",
    },
    Beyond {
        surface: Surface::Chibi,
        names: &["pre_file_read", "pre_file_write", "pre_shell_exec", "pre_fetch_url"],
        what: "the same ruling as `pre_tool`, once more, on what other plugins made of the call",
    },
];

/// The way `operation` is typed.
pub(super) fn command(operation: Operation) -> Way {
    use Difference::{AlsoWhere, DeniesUnreadable, Enveloped, Lines, NamesTheCommand, NoCatalog};
    const NAME: (&str, &str) = ("name", "NAME");
    const LIMIT: (&str, &str) = ("limit", "--limit");
    let (words, takes, differs): (_, &[_], &[_]) = match operation {
        Operation::List => ("list", &[("all", "--all"), ("after", "--after"), LIMIT], &[]),
        Operation::Search => ("search", &[("query", "QUERY"), LIMIT], &[]),
        Operation::Show => ("show", &[NAME], &[]),
        Operation::Why => ("why", &[NAME], &[]),
        Operation::Prompt => {
            ("prompt", &[("style", "--style"), ("budget", "--budget")], &[NamesTheCommand])
        }
        Operation::Activate => ("use", &[NAME, ("arguments", "ARGS")], &[]),
        Operation::Release => ("release", &[NAME], &[]),
        Operation::End => ("end", &[], &[]),
        Operation::Status => ("status", &[], &[AlsoWhere]),
        Operation::Guard => {
            let takes = &[("tool", "TOOL"), ("arguments", "JSON-ARGS")];
            ("guard", takes, &[DeniesUnreadable, NoCatalog])
        }
        Operation::Read => ("read", &[NAME, ("path", "PATH"), ("offset", "--offset"), LIMIT], &[]),
        Operation::Events => ("events", &[("after", "--after"), LIMIT], &[Lines]),
        Operation::ScriptList => ("scripts", &[NAME], &[Enveloped]),
        Operation::ScriptHelp => ("help-script", &[NAME, ("script", "SCRIPT")], &[Enveloped]),
        Operation::ScriptRun => {
            let takes = &[
                NAME,
                ("script", "SCRIPT"),
                ("args", "ARGS"),
                ("json", "--text"),
                ("stdin", "--stdin"),
                ("timeout", "--timeout"),
            ];
            ("run", takes, &[Enveloped])
        }
    };
    Way { form: Form::Command(words), asks: Asks::Either, takes: Takes::Only(takes), differs }
}

/// In what the tool of `operation` differs.
pub(super) fn tool_differences(operation: Operation) -> &'static [Difference] {
    use Difference::{Bounded, Repeats, Trimmed, WithoutBody};
    match operation {
        Operation::List => &[Trimmed, Bounded],
        Operation::Activate => &[WithoutBody, Repeats],
        Operation::Read | Operation::Events | Operation::ScriptRun => &[Bounded],
        _ => &[],
    }
}

/// The method of MCP that is `operation` too, for the hosts of people.
pub(super) fn method(operation: Operation) -> Option<Way> {
    let (form, asks, takes): (_, _, &[_]) = match operation {
        Operation::Activate => {
            let takes = &[("name", "name"), ("arguments", "arguments")];
            (Form::Method("prompts/get"), Asks::User, takes)
        }
        Operation::Read => {
            // Agents have tools that let a model read resources.
            (Form::Method("resources/read"), Asks::Model, &[("name", "uri"), ("path", "uri")])
        }
        _ => return None,
    };
    let repeats: &[Difference] = &[Difference::OnlyText, Difference::Repeats];
    let differs = if operation == Operation::Activate { repeats } else { &[Difference::OnlyText] };
    Some(Way { form, asks, takes: Takes::Only(takes), differs })
}

/// What chibi has of `operation`. A model there has one tool a skill and few others, since each
/// costs room in every prompt.
pub(super) fn chibi(operation: Operation) -> Cell {
    use Difference::{AskIsNo, HostsLimits, NoCatalog, Repeats, Words};
    let way =
        |form, takes, differs| Way { form, asks: Asks::Model, takes: Takes::Only(takes), differs };
    let tool = |name| Form::ChibiTool(name, None);
    let market = |action| Form::ChibiTool(MARKET, Some(action));
    Cell::Ways(match operation {
        Operation::List => vec![way(market("list_installed"), &[], &[Words])],
        Operation::Search => vec![way(market("search"), &[("query", "query")], &[Words])],
        Operation::Prompt => {
            vec![way(Form::ChibiHook("post_system_prompt"), &[], &[Words])]
        }
        Operation::Activate => vec![
            way(
                tool("skill_NAME"),
                &[("name", "NAME"), ("arguments", "arguments")],
                &[Words, Repeats],
            ),
            way(tool(USE), &[("name", "skill"), ("arguments", "arguments")], &[Words, Repeats]),
        ],
        Operation::Release => vec![way(tool(RELEASE), &[("name", "skill")], &[Words])],
        Operation::Guard => {
            let takes = &[("tool", "tool_name"), ("arguments", "arguments")];
            vec![way(Form::ChibiHook("pre_tool"), takes, &[Words, AskIsNo, NoCatalog])]
        }
        Operation::Read => {
            let takes = &[("name", "skill"), ("path", "path"), ("offset", "offset")];
            vec![way(tool(READ), takes, &[Words])]
        }
        Operation::ScriptRun => {
            let takes =
                &[("name", "skill"), ("script", "script"), ("args", "args"), ("stdin", "stdin")];
            vec![way(tool(RUN), takes, &[Words, HostsLimits])]
        }
        Operation::Show | Operation::Why => {
            return Cell::Gap(
                "It is about choosing and installing, which people do; `metier show` and \
                 `metier why` answer on the same machine.",
            );
        }
        Operation::Status | Operation::Events => {
            return Cell::Gap(
                "A session belongs to one running chibi, so that a second one, started to ask, \
                 would see its own; `metier --session ID status` and `events` look into any.",
            );
        }
        Operation::End => {
            return Cell::Gap(
                "A session ends with its chibi: the next one's `on_start` ends it. A model that \
                 could end it would lift every restriction at once; `release_skill` takes one.",
            );
        }
        Operation::ScriptList | Operation::ScriptHelp => {
            return Cell::Gap(
                "chibi's plugin has no such tools. An activated skill names its directories, \
                 `read_skill_file` reads what is in them, and `run_skill_script` with `--help` \
                 has a script explain itself.",
            );
        }
    })
}

/// What a prompt that asks for a skill looks like to a hook, by agent.
const ASKS_FOR: &str = " that begins with `/NAME` (Claude Code), has `$NAME` (Codex), or is what MCP's \
    `prompts/get` answered, `<skill_content name=\"NAME\">` (Gemini CLI)";

/// What agents' hooks have of `operation`. A hook is asked about what the agent does; it is not
/// there to be asked for something.
pub(super) fn hook(operation: Operation) -> Cell {
    let way = |form, asks, takes, differs| Way { form, asks, takes: Takes::Only(takes), differs };
    Cell::Ways(match operation {
        Operation::Activate => vec![
            way(
                Form::Event(Occasion::Call, " of the agent's skill tool"),
                Asks::Model,
                &[("name", "skill"), ("arguments", "args")],
                &[RuledFirst, TellsWhoseItIs, LooksAtItsOwn, YesOrNo, Repeats],
            ),
            way(
                Form::Event(Occasion::Prompt, ASKS_FOR),
                Asks::User,
                &[("name", "/NAME"), ("arguments", "the rest")],
                &[LooksAtItsOwn, YesOrNo, Repeats, ReleasesAll, UnknownIsTheirs],
            ),
            way(
                Form::Event(Occasion::Command, ""),
                Asks::User,
                &[("name", "command_name"), ("arguments", "command_args")],
                &[LooksAtItsOwn, YesOrNo, ReleasesAll, UnknownIsTheirs],
            ),
        ],
        Operation::Guard => vec![way(
            Form::Event(Occasion::Call, ""),
            Asks::Either,
            &[("tool", "tool_name"), ("arguments", "tool_input")],
            &[YesOrNo, NoCatalog],
        )],
        Operation::Release => vec![way(
            Form::Event(Occasion::Prompt, " of an agent that lets go of skills then"),
            Asks::Either,
            &[],
            &[ReleasesAll, YesOrNo],
        )],
        Operation::End => {
            vec![way(Form::Event(Occasion::End, ""), Asks::Either, &[], &[YesOrNo])]
        }
        Operation::List | Operation::Search | Operation::Show | Operation::Why => {
            return Cell::Gap(
                "Nobody asks a hook for skills: the agent lists its own, and the MCP server that \
                 `metier link --hooks` adds beside the hooks has this.",
            );
        }
        Operation::Prompt => {
            return Cell::Gap(
                "The agent puts its skills into its prompt itself; a second list would say \
                 everything twice.",
            );
        }
        Operation::Status | Operation::Events => {
            return Cell::Gap(
                "A hook answers the agent and nobody else; `metier --session ID status` and \
                 `events` look into the session it keeps.",
            );
        }
        Operation::Read => {
            return Cell::Gap(
                "The agent reads files with its own tools, and each such call is guarded.",
            );
        }
        Operation::ScriptList | Operation::ScriptHelp | Operation::ScriptRun => {
            return Cell::Gap(
                "The agent runs scripts with its own shell, and each such call is guarded; the MCP \
                 server beside the hooks runs them inside walls.",
            );
        }
    })
}
