//! `metier chibi`, and metier under the name `agent-skills`: chibi's plugin.
//!
//! The host hears nothing of a plugin that fails or is late, and goes on as if it had said yes. So
//! the work is done in a thread that is waited for no longer than the host waits, and whatever
//! becomes of it, broken settings and bugs included, the answer is printed and the exit code 0.

mod backing;
mod install;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::Args;
use metier_format::text::visible;
use metier_sandbox::Cancel;
use metier_serve::chibi_plugin::{Asked, COMMAND, Request, answer, fallback};

use crate::args::Global;
use crate::env::{self, Environment};
use crate::error::{CommandError, CommandResult, Status};
use crate::files;
use crate::settings::Settings;
use crate::ui::Ui;

use backing::{Era, Plugin};
pub(crate) use install::{Installed, copy_in, install_plugin, installed, remove_plugin};

/// The agent's id.
pub(crate) const AGENT: &str = "chibi";

/// Seconds a hook may take. The host waits 30 and then does what was asked about.
const HOOK_SECONDS: u64 = 10;

/// Seconds a tool may take beside its script: to start, to look up, to record.
const SPARE_SECONDS: u64 = 3;

/// Seconds that what was told to stop has for it.
const STOP_SECONDS: u64 = 1;

/// Most bytes the host may write to standard input: a whole file goes through a call that writes it.
const MAX_INPUT: u64 = 16 << 20;

/// Be chibi's plugin for skills
///
/// chibi starts this by itself, from a copy named `agent-skills` in its plugins: for the schema, for
/// hooks and for tool calls, in the words of chibi 0.4 to 0.10. By hand, the words are a command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier chibi --install\n  metier chibi --schema\n  \
    metier chibi list_installed\n  chibi -P agent-skills install owner/name")]
pub(crate) struct ChibiArgs {
    /// Print the tools and hooks
    #[arg(long)]
    schema: bool,
    /// Put a copy of metier into chibi's plugins [default: those of `CHIBI_HOME`, else `~/.chibi`]
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with = "schema")]
    install: Option<Option<PathBuf>>,
    /// What to do: install, remove, search, list or `list_installed`, and with what
    words: Vec<String>,
}

/// Whether metier was started under the plugin's name, as chibi does it.
pub(crate) fn is_plugin(arguments: &[OsString]) -> bool {
    let program = arguments.first().map(Path::new).and_then(Path::file_name);
    program.is_some_and(|name| name == COMMAND)
}

/// One run under the plugin's name. Nothing chibi says is an argument of ours, so that none is read
/// as one.
pub(crate) fn as_plugin(arguments: Vec<OsString>, environment: &Environment) -> String {
    let words = arguments.into_iter().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned()).collect();
    respond(words, &Global::default(), environment)
}

/// Answers as the plugin, or installs it.
pub(crate) fn run(
    args: &ChibiArgs,
    global: &Global,
    environment: &Environment,
    ui: &mut Ui,
) -> CommandResult {
    if let Some(directory) = &args.install {
        let directory = match directory {
            Some(path) => environment.resolve(path, &environment.directory),
            None => plugins(environment)?,
        };
        let installed = install_plugin(&directory).map_err(CommandError::failed)?;
        ui.line(format!("installed {}", visible(&installed.to_string_lossy())));
        return Ok(Status::Ok);
    }
    let mut words = args.words.clone();
    if args.schema {
        words.insert(0, "--schema".to_owned());
    }
    ui.text(&respond(words, global, environment));
    Ok(Status::Ok)
}

/// Where chibi has its plugins.
pub(crate) fn plugins(environment: &Environment) -> Result<PathBuf, CommandError> {
    let home = environment.chibi.home.clone();
    let home = home.or_else(|| Some(environment.home.as_ref()?.join(".chibi")));
    let home = home.ok_or_else(|| {
        CommandError::usage("there is no home for chibi").hint("give `--install` a directory")
    })?;
    Ok(home.join("plugins"))
}

/// The answer to what the host says, with its line break.
fn respond(words: Vec<String>, global: &Global, environment: &Environment) -> String {
    let variables = &environment.chibi;
    let asked = Asked {
        words,
        hook: variables.hook.clone(),
        hook_data: variables.hook_data.clone(),
        tool: variables.tool.clone(),
        tool_arguments: variables.tool_arguments.clone(),
    };
    // What kind of question it is, is known before anything is read.
    let kind = asked.request(b"");
    let era = if asked.is_on_stdin() { Era::Stdin } else { Era::Variables };
    let settings = Settings::load(global, environment);
    let text = match (settings, Cancel::new()) {
        (Err(error), _) => fallback(&kind, &error.message()),
        (_, Err(error)) => fallback(&kind, &error.to_string()),
        (Ok(settings), Ok(cancel)) => {
            let plugin = Plugin::new(settings, era, cancel.clone());
            let seconds = match kind {
                Request::Hook { .. } => HOOK_SECONDS,
                _ => plugin.seconds() + SPARE_SECONDS,
            };
            let work = move || {
                let stdin = if asked.is_on_stdin() { input()? } else { Vec::new() };
                Ok(answer(&asked.request(&stdin), &plugin))
            };
            let working = start(work);
            wait(&working, &kind, seconds, &cancel)
        }
    };
    let text = if env::stdout_is_terminal() { visible(&text).into_owned() } else { text };
    format!("{}\n", text.trim_end_matches('\n'))
}

/// What the host wrote; nothing when there is only a terminal, which nobody types into.
fn input() -> Result<Vec<u8>, String> {
    match env::stdin_is_terminal() {
        true => Ok(Vec::new()),
        false => files::standard_input(MAX_INPUT).map_err(|error| error.to_string()),
    }
}

/// Does `work` in a thread of its own. What it panics with is what it gives.
fn start(
    work: impl FnOnce() -> Result<String, String> + Send + 'static,
) -> Receiver<Result<String, String>> {
    let (give, working) = channel();
    let thread = std::thread::Builder::new().name("chibi".to_owned()).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(work));
        let done = done.unwrap_or_else(|_| Err("this is a bug in metier".to_owned()));
        // Whoever waits no longer has answered already.
        let _ = give.send(done);
    });
    // Without a thread the other end hangs up, which is an answer too.
    drop(thread);
    working
}

/// What the work gives, in time; the answer of last resort otherwise.
fn wait(
    working: &Receiver<Result<String, String>>,
    kind: &Request,
    seconds: u64,
    cancel: &Cancel,
) -> String {
    let done = working.recv_timeout(Duration::from_secs(seconds)).or_else(|_| {
        cancel.cancel();
        working.recv_timeout(Duration::from_secs(STOP_SECONDS))
    });
    match done {
        Ok(Ok(text)) => text,
        Ok(Err(why)) => fallback(kind, &why),
        Err(_) => fallback(kind, &format!("it took longer than {seconds} seconds")),
    }
}

#[cfg(test)]
#[path = "chibi_tests.rs"]
mod tests;
