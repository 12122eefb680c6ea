//! `metier chibi`, and metier under the name `agent-skills`: chibi's plugin.
//!
//! The host hears nothing of a plugin that fails or is late, and goes on as if it had said yes. So
//! a second thread watches the time and answers in the work's stead before the host gives up, and
//! whatever becomes of the work, broken settings and bugs included, the answer is printed and the exit
//! code 0.

mod backing;
mod folders;
mod install;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::Args;
use metier_format::text::visible;
use metier_sandbox::Cancel;
use metier_serve::chibi_plugin::{Asked, COMMAND, Fault, Request, answer, by_hand, fallback};

use crate::args::Global;
use crate::env::{self, Environment};
use crate::error::{CommandError, CommandResult, Status};
use crate::files;
use crate::settings::Settings;
use crate::ui::Ui;

use backing::{Era, Plugin};
pub(crate) use folders::{forget_folders, remember_folders};
pub(crate) use install::{
    Installed, copy_in, install_plugin, installed, is_one_file, is_removable, remove_plugin,
};

/// The agent's id.
pub(crate) const AGENT: &str = "chibi";

/// Seconds a hook may take. The host waits 30 and then does what was asked about.
const HOOK_SECONDS: u64 = 10;

/// Seconds a tool may take beside its script: to start, to look up, to record.
const SPARE_SECONDS: u64 = 3;

/// How long what was told to stop has for it.
const STOP: Duration = Duration::from_secs(1);

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
    if !args.schema && !is_asked_by_a_host(environment) {
        return by_a_person(&args.words, global, environment, ui);
    }
    let mut words = args.words.clone();
    if args.schema {
        words.insert(0, "--schema".to_owned());
    }
    ui.text(&respond(words, global, environment));
    Ok(Status::Ok)
}

fn is_asked_by_a_host(environment: &Environment) -> bool {
    let chibi = &environment.chibi;
    let said = [&chibi.hook, &chibi.hook_data, &chibi.tool, &chibi.tool_arguments];
    said.into_iter().any(Option::is_some)
}

/// Does what a person typed, and fails as every other command does.
fn by_a_person(
    words: &[String],
    global: &Global,
    environment: &Environment,
    ui: &mut Ui,
) -> CommandResult {
    let settings = Settings::load(global, environment)?;
    let cancel = Cancel::new().map_err(CommandError::failed)?;
    let plugin = Plugin::new(settings, Era::Variables, cancel);
    let text = by_hand(words, &plugin).map_err(|fault| {
        let (why, fails): (_, fn(String) -> CommandError) = match fault {
            Fault::Usage(why) => (why, |why| CommandError::usage(why)),
            Fault::Failed(why) => (why, |why| CommandError::failed(why)),
        };
        let mut lines = why.split("\nhint: ").map(str::to_owned);
        let error = fails(lines.next().unwrap_or_default());
        lines.fold(error, CommandError::hint)
    })?;
    // What lists skills is a document already.
    let is_document = serde_json::from_str::<serde_json::Value>(&text).is_ok();
    match ui.json() && !is_document {
        true => ui.line(serde_json::json!({ "message": text }).to_string()),
        false => ui.text(&shown(text)),
    }
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
            let late = {
                let kind = kind.clone();
                move || leave(&fallback(&kind, &format!("it took longer than {seconds} seconds")))
            };
            let work = || {
                let stdin = if asked.is_on_stdin() { input()? } else { Vec::new() };
                Ok(answer(&asked.request(&stdin), &plugin))
            };
            let time = Allowed { work: Duration::from_secs(seconds), stop: STOP };
            in_time(work, time, &cancel, late).unwrap_or_else(|why| fallback(&kind, &why))
        }
    };
    shown(text)
}

/// The answer as it is printed, with its line break.
fn shown(text: String) -> String {
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

/// How long something may take.
#[derive(Clone, Copy)]
struct Allowed {
    /// To come to an end.
    work: Duration,
    /// To come to an end once it was told to stop.
    stop: Duration,
}

/// What `work` gives; what it panics with, too. When it takes too long it is cancelled, and when that
/// does not help, `late` is called from another thread and has the last word.
///
/// The work is done here and the waiting elsewhere, because a second thread's memory is got page by
/// page from the system, which took longer than the work.
fn in_time(
    work: impl FnOnce() -> Result<String, String>,
    allowed: Allowed,
    cancel: &Cancel,
    late: impl FnOnce() + Send + 'static,
) -> Result<String, String> {
    let (done, waiting) = channel::<()>();
    let said = Arc::new(AtomicBool::new(false));
    let (cancel, first) = (cancel.clone(), Arc::clone(&said));
    let watch = move || {
        let over = |time| waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        if !over(allowed.work) {
            return;
        }
        cancel.cancel();
        if over(allowed.stop) && !first.swap(true, Ordering::SeqCst) {
            late();
        }
    };
    let watching = std::thread::Builder::new().name("chibi".to_owned()).spawn(watch);
    if watching.is_err() {
        return Err("there is nobody to watch the time".to_owned());
    }
    let result = catch_unwind(AssertUnwindSafe(work));
    if said.swap(true, Ordering::SeqCst) {
        // The other answer is being given, and ends this process.
        std::thread::sleep(allowed.stop);
    }
    drop(done);
    result.unwrap_or_else(|_| Err("this is a bug in metier".to_owned()))
}

/// Gives the answer of last resort and ends this process, with whatever hangs in it.
#[expect(clippy::exit, reason = "what takes too long cannot be asked to stop")]
fn leave(text: &str) {
    let mut ui = Ui::plain(None);
    ui.text(&shown(text.to_owned()));
    // Who does not listen any more needs no answer.
    let _ = ui.finish();
    std::process::exit(i32::from(Status::Ok.exit_code()));
}

#[cfg(test)]
#[path = "chibi_tests.rs"]
mod tests;
