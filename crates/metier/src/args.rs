//! What may be typed: the global flags, the commands, and their help. The arguments of one command
//! stand in that command's file. Nothing here acts; start reading at [`Cli::read`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use metier_store::Layer;

use crate::command::{
    add, adopt, agents, check, chibi, completions, doctor, end, events, gc, guard, help_script,
    hook, index, info, link, lint, list, man, mcp, metrics, outdated, prompt, props, read, release,
    remove, replay, rollback, run, scripts, search, serve, show, status, sync, tour, trust, unlink,
    update, use_skill, verify, why,
};
use crate::session::SessionArgs;
use crate::{config, env};

const EXAMPLES: &str = "\
Examples:
  metier                   what is here, what is active, what to type next
  metier list --json       the catalog as one JSON document
  metier why skill-author  who wins the name `skill-author`, and by which rule
  metier lint --fix        check every skill below here and repair what is safe
  metier tour              see it work on the bundled skills";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "metier",
    version,
    about = "The runtime for Agent Skills",
    long_about = "The runtime for Agent Skills: find, check, explain, disclose, activate, guard and \
        record them.\n\n\
        Without a command, one screen says what is here and what to type next.",
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    /// Flags every command takes, before or after its name.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command; none means one screen of overview.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Add a root: enterprise, personal, project, plugin or bundled, `=`, and its directory
    #[arg(long, global = true, value_name = "LAYER=DIR", value_parser = parse_root)]
    pub(crate) root: Vec<RootArgument>,
    /// Use only the roots given by `--root`; neither defaults nor settings add any
    #[arg(long, global = true)]
    pub(crate) no_default_roots: bool,
    /// The project directory [default: the nearest directory above with `.git`, else this one]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// metier's own directory [default: `$XDG_DATA_HOME/metier`, else `~/.local/share/metier`]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// The settings file [default: `$XDG_CONFIG_HOME/metier/config.toml`, else under `~/.config`]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Which skills are enabled: names separated by commas, `all`, `all-untrusted` or `none`
    #[arg(long, global = true, value_name = "LIST")]
    pub(crate) skills: Option<String>,
    /// Which session, journal and policy.
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Print one JSON document, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing on standard error but errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", value_enum)]
    pub(crate) color: Option<ColorChoice>,
}

/// A root as the command line or the settings name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootArgument {
    /// Its layer.
    pub(crate) layer: Layer,
    /// Its directory, as typed.
    pub(crate) path: PathBuf,
    /// Whether only its immediate subdirectories are skills.
    pub(crate) immediate_only: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands, each with its word, and the way to have one of them alone.
macro_rules! commands {
    ($($variant:ident($arguments:ty) = $word:literal,)*) => {
        /// The commands.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $word)] $variant($arguments),)*
        }

        impl Command {
            /// What may follow `word`, when it names a command.
            fn tree(word: &str) -> Option<clap::Command> {
                let command = clap::Command::new;
                match word {
                    $($word => Some(<$arguments>::augment_args(command($word))),)*
                    _ => None,
                }
            }
        }
    };
}

commands! {
    List(list::ListArgs) = "list",
    Check(check::CheckArgs) = "check",
    Show(show::ShowArgs) = "show",
    Why(why::WhyArgs) = "why",
    Search(search::SearchArgs) = "search",
    Prompt(prompt::PromptArgs) = "prompt",
    Lint(lint::LintArgs) = "lint",
    Props(props::PropsArgs) = "props",
    Use(use_skill::UseArgs) = "use",
    Release(release::ReleaseArgs) = "release",
    End(end::EndArgs) = "end",
    Status(status::StatusArgs) = "status",
    Guard(guard::GuardArgs) = "guard",
    Read(read::ReadArgs) = "read",
    Scripts(scripts::ScriptsArgs) = "scripts",
    HelpScript(help_script::HelpScriptArgs) = "help-script",
    Run(run::RunArgs) = "run",
    Events(events::EventsArgs) = "events",
    Replay(replay::ReplayArgs) = "replay",
    Metrics(metrics::MetricsArgs) = "metrics",
    Mcp(mcp::McpArgs) = "mcp",
    Chibi(chibi::ChibiArgs) = "chibi",
    Hook(hook::HookArgs) = "hook",
    Serve(serve::ServeArgs) = "serve",
    Gc(gc::GcArgs) = "gc",
    Add(add::AddArgs) = "add",
    Remove(remove::RemoveArgs) = "remove",
    Update(update::UpdateArgs) = "update",
    Outdated(outdated::OutdatedArgs) = "outdated",
    Index(index::IndexArgs) = "index",
    Info(info::InfoArgs) = "info",
    Sync(sync::SyncArgs) = "sync",
    Verify(verify::VerifyArgs) = "verify",
    Rollback(rollback::RollbackArgs) = "rollback",
    Trust(trust::TrustArgs) = "trust",
    Untrust(trust::UntrustArgs) = "untrust",
    Link(link::LinkArgs) = "link",
    Unlink(unlink::UnlinkArgs) = "unlink",
    Agents(agents::AgentsArgs) = "agents",
    Doctor(doctor::DoctorArgs) = "doctor",
    Adopt(adopt::AdoptArgs) = "adopt",
    Tour(tour::TourArgs) = "tour",
    Completions(completions::CompletionsArgs) = "completions",
    Man(man::ManArgs) = "man",
}

impl Cli {
    /// Reads the command line. The error also stands for `--help` and `--version`.
    pub(crate) fn read(args: Vec<OsString>) -> Result<Self, clap::Error> {
        match Self::read_alone(&args) {
            Ok(cli) => Ok(cli),
            Err(error) if error.kind() == ErrorKind::DisplayVersion => Err(error),
            Err(_) => Self::read_among_all(args),
        }
    }

    /// Reads the command line with no other command in the tree than the one that was typed: all of
    /// them together take longer to put up than most commands take to run. What this accepts, the
    /// whole tree accepts with the same values, for nothing but a command's name can stand where that
    /// name does. What it refuses is for the whole tree, which knows what else could have been meant.
    fn read_alone(args: &[OsString]) -> Result<Self, clap::Error> {
        let bare = clap::Command::new("metier").version(env!("CARGO_PKG_VERSION"));
        let mut tree = Global::augment_args(bare);
        let typed = command_position(&tree, args).checked_sub(1).and_then(|at| args.get(at));
        if let Some(command) = typed.and_then(|word| Command::tree(word.to_str()?)) {
            tree = tree.subcommand(command);
        }
        Self::read_with(&mut tree, args.to_vec())
    }

    /// Reads the command line with every command in the tree.
    fn read_among_all(args: Vec<OsString>) -> Result<Self, clap::Error> {
        // The reference is long, and most runs never show it.
        let shows_help = args.iter().any(|arg| arg == "--help" || arg == "help");
        let mut tree = if shows_help { command() } else { Cli::command() };
        Self::read_with(&mut tree, args)
    }

    fn read_with(tree: &mut clap::Command, args: Vec<OsString>) -> Result<Self, clap::Error> {
        let args = gather_roots(tree, args);
        let matches: ArgMatches = tree.try_get_matches_from_mut(args)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(tree))
    }
}

/// The command tree with its help, as the parser, the completions and the man page see it.
pub(crate) fn command() -> clap::Command {
    Cli::command().after_long_help(reference())
}

/// Whether the command line asks for JSON, as far as that can be seen without parsing it.
pub(crate) fn wants_json(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// What the long help says after the flags: the variables, the settings and the exit codes.
fn reference() -> String {
    format!(
        "{EXAMPLES}\n\nEnvironment (a flag beats a variable, a variable beats the settings file):\n{}\n\
         Settings file (TOML; an unknown key is an error; relative paths start at the file):\n{}\n\
         Exit codes:\n  0    all is well\n  1    the request failed\n  2    wrong usage or \
         settings\n  3    refused\n  4    lint found errors\n  70   a bug in metier\n  130  \
         interrupted",
        env::table(),
        config::table()
    )
}

fn parse_root(text: &str) -> Result<RootArgument, String> {
    let Some((word, path)) = text.split_once('=') else {
        return Err("write a layer, `=` and a directory, such as `personal=~/skills`".to_owned());
    };
    let Some(layer) = Layer::parse(word) else {
        return Err(format!("`{word}` is not a layer; the layers are {}", layers()));
    };
    if path.is_empty() {
        return Err("the directory is missing after `=`".to_owned());
    }
    Ok(RootArgument { layer, path: PathBuf::from(path), immediate_only: false })
}

/// The layers as a sentence lists them.
pub(crate) fn layers() -> String {
    Layer::ALL.map(Layer::as_str).join(", ")
}

/// Moves every `--root` before the command's name behind it, when there are some behind it too. The
/// parser keeps only one of the two places for a global flag, so the first would silently be lost.
fn gather_roots(command: &clap::Command, args: Vec<OsString>) -> Vec<OsString> {
    let end = command_position(command, &args);
    let (before, after) = args.split_at(end);
    let is_root = |arg: &OsString| {
        let text = arg.to_string_lossy();
        text == "--root" || text.starts_with("--root=")
    };
    if !before.iter().any(is_root) || !after.iter().any(is_root) {
        return args;
    }
    let mut kept = Vec::new();
    let mut roots = Vec::new();
    let mut words = before.iter().cloned();
    while let Some(word) = words.next() {
        if !is_root(&word) {
            kept.push(word);
            continue;
        }
        let value = if word == "--root" { words.next() } else { None };
        roots.push(word);
        roots.extend(value);
    }
    kept.extend(roots);
    kept.extend(after.iter().cloned());
    kept
}

/// One past the word that names the command: the first word that is neither a flag nor the value
/// of one.
fn command_position(command: &clap::Command, args: &[OsString]) -> usize {
    let takes_value = |flag: &str| {
        let name = flag.trim_start_matches('-');
        let mut arguments = command.get_arguments();
        arguments.any(|a| a.get_long() == Some(name) && a.get_action().takes_values())
    };
    let mut index = 1;
    while let Some(arg) = args.get(index) {
        let text = arg.to_string_lossy();
        index += 1;
        if !text.starts_with('-') || text == "--" {
            break;
        }
        index += usize::from(takes_value(&text));
    }
    index.min(args.len())
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
