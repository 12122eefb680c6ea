//! `metier hook`: one event of an agent on standard input, one answer on standard output.
//!
//! Agents let a call pass when their hook fails, so nothing here fails: every error, every panic and
//! the deadline are a block with a reason, and where not even that can be written the exit code is
//! one that agents take for a block. What is answered is decided in `metier-serve`.

mod ground;
pub(crate) mod setup;

use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use metier_format::text::visible_line;
use metier_sandbox::Cancel;
use metier_serve::agent_hook::{Answer, HookAgent, attend};
use metier_serve::limits::{HOOK_DEADLINE_MS, MAX_EVENT_BYTES};

use crate::args::Global;
use crate::env::{self, Environment};
use crate::error::{CommandError, CommandResult, Status};
use crate::files;
use crate::settings::Settings;
use crate::ui::{self, Ui};
use ground::Grounds;
use setup::HookAct;

/// The exit code every agent takes for a block, as long as standard error is not empty.
const BLOCKED: u8 = 2;

/// Bytes larger than what is remembered of a few thousand skills. They are never touched.
const LARGE_BUFFER: usize = 4 * 1024 * 1024;

/// Milliseconds before the deadline at which whatever runs for the answer (a skill's own hook, what it
/// depends on) is stopped, so that this is recorded and the agent told.
const WIND_DOWN_MS: u64 = 500;

/// Answer one hook call of an agent, from standard input to standard output
///
/// An agent starts this by itself, for every tool call and every prompt, once its settings say so.
/// The event is read from standard input; skills that the model or the user asks for are activated in
/// a session of the agent's own, every other call is guarded, and the answer is printed as that
/// agent understands it. Nothing on standard output means that metier has no opinion. Whatever goes
/// wrong is a block with its reason. Variables that elsewhere stand for flags (`METIER_CONFIG`,
/// `METIER_SKILLS` and the like) do not count here: a project can set them for an agent.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  metier hook claude-code < event.json\n  \
        metier hook setup claude-code\n  metier hook check claude-code"
)]
pub(crate) struct HookArgs {
    /// Whose event it is
    #[arg(value_name = "AGENT", required = true, value_parser = agents())]
    agent: Option<HookAgent>,
    /// What to do about the agent's settings instead.
    #[command(subcommand)]
    act: Option<HookAct>,
}

impl HookArgs {
    /// The agent whose event is to be answered.
    pub(crate) fn event_of(&self) -> Option<HookAgent> {
        self.agent.filter(|_| self.act.is_none())
    }
}

/// The agent and the places, when the arguments are a hook call as `setup` writes it into settings:
/// `--home` and `--config`, `hook`, the agent. None says nothing but that the parser has to read
/// them; where this answers, the parser would say the same. An agent waits for every call, and the
/// parser's whole tree takes longer than the answer.
pub(crate) fn as_set_up(arguments: &[OsString]) -> Option<(HookAgent, Global)> {
    let mut global = Global::default();
    let mut words = arguments.iter().skip(1);
    loop {
        let slot = match words.next()?.to_str()? {
            "hook" => break,
            "--home" => &mut global.home,
            "--config" => &mut global.config,
            _ => return None,
        };
        let value = words.next().filter(|value| !value.is_empty() && slot.is_none())?;
        if value.as_encoded_bytes().starts_with(b"-") {
            return None;
        }
        *slot = Some(PathBuf::from(value));
    }
    let agent = HookAgent::parse(words.next()?.to_str()?)?;
    words.next().is_none().then_some((agent, global))
}

/// Changes or looks at an agent's settings.
pub(crate) fn run(
    args: &HookArgs,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    match &args.act {
        Some(act) => setup::run(act, global, settings, ui),
        None => Err(CommandError::usage("no agent is named")),
    }
}

/// Answers. Whatever happens, the agent is told.
pub(crate) fn reply(agent: HookAgent, global: &Global, environment: &Environment) -> Status {
    expect_large_buffers();
    if env::stdin_is_terminal() {
        ui::write_stderr(
            "error: an agent sends its event on standard input, and this is a terminal\n\
             hint: `metier hook --help` has examples\n",
        );
        return Status::Script(BLOCKED);
    }
    // A panic is told to the agent; on standard error it would be noise.
    std::panic::set_hook(Box::new(|_| {}));
    let said = Arc::new(AtomicBool::new(false));
    let attended = || {
        // Without a switch what runs is left to the deadline.
        let cancel = Cancel::new().unwrap_or_else(|_| Cancel::never());
        match watch(agent, Arc::clone(&said), cancel.clone()) {
            Ok(_) => answer(agent, global, environment, cancel),
            // Without it an answer could come too late, and the agent would not wait.
            Err(error) => Answer::block(format!("nobody can watch the time: {error}")),
        }
    };
    let answer = catch_unwind(AssertUnwindSafe(attended))
        .unwrap_or_else(|_| Answer::block("this is a bug in metier; please report it"));
    if said.swap(true, Ordering::SeqCst) {
        // The deadline was first, and is about to end this process.
        std::thread::sleep(Duration::from_millis(HOOK_DEADLINE_MS));
    }
    Status::Script(say(agent, &answer))
}

/// Has the allocator keep the memory of large buffers for the next one. By itself it gives each back to
/// the system, and every page of the next has to be asked for again: a twentieth of what a hook takes
/// with a thousand skills. glibc learns from the largest one it was given back; elsewhere this does
/// nothing.
fn expect_large_buffers() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE_BUFFER)));
}

fn answer(agent: HookAgent, global: &Global, environment: &Environment, cancel: Cancel) -> Answer {
    let input = match files::standard_input(MAX_EVENT_BYTES as u64) {
        Ok(input) => input,
        Err(error) => return Answer::block(format!("the event cannot be read: {error}")),
    };
    match Settings::load(global, &environment.of_a_hook()) {
        Ok(settings) => attend(agent, &input, &Grounds::new(agent, settings, cancel)),
        Err(error) => Answer::block(format!("the settings cannot be used: {}", error.message())),
    }
}

/// Blocks when the answer takes too long: an agent that gives up waiting runs the tool.
fn watch(
    agent: HookAgent,
    said: Arc<AtomicBool>,
    cancel: Cancel,
) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("metier-deadline".to_owned()).spawn(move || {
        std::thread::sleep(Duration::from_millis(HOOK_DEADLINE_MS - WIND_DOWN_MS));
        cancel.cancel();
        std::thread::sleep(Duration::from_millis(WIND_DOWN_MS));
        if !said.swap(true, Ordering::SeqCst) {
            let answer = Answer::block(format!("no answer was found in {HOOK_DEADLINE_MS} ms"));
            leave(say(agent, &answer));
        }
    })
}

#[expect(clippy::exit, reason = "what takes too long cannot be asked to stop")]
fn leave(code: u8) {
    std::process::exit(i32::from(code));
}

/// Writes the answer. What cannot be written is said by the exit code.
fn say(agent: HookAgent, answer: &Answer) -> u8 {
    let mut out = std::io::stdout().lock();
    // A standard output that is closed is opened as one that swallows everything.
    let written = match env::stdout_is_null() {
        true => Err(std::io::Error::other("standard output is closed")),
        false => out.write_all(&answer.to_bytes(agent)).and_then(|()| out.flush()),
    };
    match (written, answer) {
        (Ok(()), _) | (Err(_), Answer::NoOpinion) => 0,
        (Err(error), Answer::Allow(reason) | Answer::Ask(reason) | Answer::Block(reason)) => {
            let reason = visible_line(reason);
            let said = format!("metier: {reason}\nmetier: the answer cannot be written: {error}\n");
            ui::write_stderr(&said);
            BLOCKED
        }
    }
}

/// The words for the agents, each read into its agent.
fn agents() -> impl TypedValueParser<Value = HookAgent> {
    PossibleValuesParser::new(HookAgent::ALL.map(HookAgent::as_str))
        .try_map(|word| HookAgent::parse(&word).ok_or("not an agent"))
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;
