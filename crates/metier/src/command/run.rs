//! `metier run`: one script of a skill, confined and recorded.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use metier_format::text::{visible, visible_line};
use metier_runtime::event::Trigger;
use metier_runtime::script::interpreter::InterpreterError;
use metier_runtime::script::{
    Envelope, Input, Mode, ScriptCall, ScriptError, ScriptOutcome, ScriptPlan, Start,
};
use metier_sandbox::Status as Ended;
use metier_store::Catalog;
use metier_store::scripts::ScriptNameError;
use serde_json::{Value, json};

use crate::command::use_skill;
use crate::env;
use crate::error::{CommandError, CommandResult, Kind, Status};
use crate::files;
use crate::interrupt::Interrupt;
use crate::session::{self, Purpose, journal_error};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::View;

/// Bytes of metier's own standard input that a script is given at most. All of it is read before
/// the script starts, since whoever writes it may make us wait.
const MAX_INPUT: u64 = 64 << 20;

/// Run a script of a skill, inside walls the kernel keeps
///
/// The script reads its skill and the system's programs, writes to a private directory that is gone
/// afterwards, has no network and none of your variables, unless the skill was approved, asks for
/// more in its `permissions`, and policy allows it. What is printed is what the script printed; with
/// `--json` the answer is one document with `success`, `result`, `error` and `message`, and the script
/// gets `--json` as its last argument, unless `--text` says that its output is text.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier run hello-extended advanced_greeting -- --name Ada --language spanish\n  \
    metier run hello-extended advanced_greeting --dry-run\n  \
    metier run pdf extract --stdin report.pdf --timeout 120 --json"
)]
pub(crate) struct RunArgs {
    /// The skill's name
    name: String,
    /// The script's name, with or without extension
    script: String,
    /// Arguments for the script
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
    /// What the script reads from standard input; `-` is metier's own
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Seconds it may take [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Show the walls and the command, run nothing, and end as the run would if it is refused
    #[arg(long)]
    dry_run: bool,
    /// End with the script's own exit code
    #[arg(long)]
    passthrough: bool,
    /// Hand the output on byte for byte; on a terminal nothing in it is obeyed all the same
    #[arg(long)]
    raw: bool,
    /// With `--json`: the output is text, and `--json` is not passed on
    #[arg(long)]
    text: bool,
    /// Where it starts: beside itself, in its skill, or in its private directory
    #[arg(long, value_name = "WHERE", default_value = "beside", value_parser = ["beside", "skill", "scratch"])]
    start: String,
    /// A model asks, not a person
    #[arg(long)]
    auto: bool,
    /// A person has said yes, where policy wants to be asked
    #[arg(long)]
    yes: bool,
}

/// Runs the script. With `--json`, every failure has the shape that is promised.
pub(crate) fn run(args: &RunArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let json = ui.json();
    carry_out(args, settings, ui).map_err(|error| if json { enveloped(error) } else { error })
}

fn carry_out(args: &RunArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let call = ScriptCall {
        mode: match ui.json() && !args.text {
            true => Mode::Json { flag: true },
            false => Mode::Text,
        },
        start: match args.start.as_str() {
            "skill" => Start::Skill,
            "scratch" => Start::Scratch,
            _ => Start::Beside,
        },
        input: input(args.stdin.as_deref(), settings)?,
        timeout: args.timeout,
        trigger: if args.auto { Trigger::Auto } else { Trigger::Manual },
        confirmed: args.yes,
        ..ScriptCall::new(&args.name, &args.script).args(args.args.iter().cloned())
    };
    let purpose = Purpose {
        cancel: Interrupt::cancel()?,
        ..Purpose::with(Some(View::open(settings)), settings)
    };
    if args.dry_run {
        let session = session::open_to_look(settings, purpose, ui)?;
        let plan = session
            .plan_script(&call)
            .map_err(|error| session.told_of_script(error))
            .map_err(|error| explain(error, call.trigger, session.catalog(), settings))?;
        let obstacle = session.obstacle(&plan, &call).map(|error| session.told_of_script(error));
        let document = shape(&plan, obstacle.as_ref());
        show(&plan, &document, ui);
        return match obstacle {
            None => Ok(Status::Ok),
            Some(error) => {
                let refused = explain(error, call.trigger, session.catalog(), settings);
                let refused = with_release(refused, &plan);
                Err(CommandError { document: Some(Box::new(document)), ..refused })
            }
        };
    }
    let mut session = session::open(settings, purpose, ui)?;
    let result = session.run(&call).map_err(|error| session.told_of_script(error));
    if ui.json() {
        ui.document(&Envelope::of_run(&result));
        return status(&result, args.passthrough);
    }
    let outcome = result.map_err(|error| {
        let explained = explain(error, call.trigger, session.catalog(), settings);
        match session.plan_script(&call) {
            Ok(plan) => with_release(explained, &plan),
            Err(_) => explained,
        }
    })?;
    print(&outcome, args.raw, ui);
    status(&Ok(outcome), args.passthrough)
}

/// How the command ends after what came of the call was said.
fn status(result: &Result<ScriptOutcome, ScriptError>, passthrough: bool) -> CommandResult {
    match result {
        Ok(outcome) if outcome.status == Ended::Cancelled => {
            let document = serde_json::to_value(Envelope::of_outcome(outcome)).ok().map(Box::new);
            Err(CommandError { document, ..CommandError::new(Kind::Interrupted, "interrupted") })
        }
        Ok(ScriptOutcome { status: Ended::Exit(code), .. }) if passthrough => {
            Ok(Status::Script(u8::try_from(*code).unwrap_or(1)))
        }
        Ok(outcome) if outcome.failure.is_none() => Ok(Status::Ok),
        Ok(_) => Ok(Status::Partly),
        Err(error) if is_refusal(error) => Ok(Status::Refused),
        Err(_) => Ok(Status::Partly),
    }
}

/// The refusal with how to end it, when it is another active skill that does not allow the script.
fn with_release(refused: CommandError, plan: &ScriptPlan) -> CommandError {
    let other = plan.ruling.skill.as_ref().filter(|skill| skill.as_str() != plan.skill);
    match other.filter(|_| refused.kind == Kind::Refused && plan.ruling.rule.is_none()) {
        Some(other) => {
            let hint = format!("`metier release {other}` ends what `{other}` restricts");
            CommandError { hints: vec![hint], ..refused }
        }
        None => refused,
    }
}

/// Whether the script is refused: by policy, trust or a missing wall, or because what it is called
/// leaves its skill.
fn is_refusal(error: &ScriptError) -> bool {
    let leaves = matches!(error, ScriptError::Name { source: ScriptNameError::Invalid(_), .. });
    leaves || error.is_refusal()
}

/// A failure before there was anything to say about a script, as `--json` has every other.
fn enveloped(error: CommandError) -> CommandError {
    if error.document.is_some() {
        return error;
    }
    let code = error.code.unwrap_or(match error.kind {
        Kind::Interrupted => "cancelled",
        Kind::Refused => "permission_denied",
        Kind::Usage => "usage",
        Kind::Failed | Kind::BrokenPipe | Kind::Bug => "execution_failed",
    });
    let hints = &error.hints;
    let document =
        json!({"success": false, "error": code, "message": error.message(), "hints": hints});
    CommandError { document: Some(Box::new(document)), ..error }
}

/// Prints what the script printed, each stream on its own, with nothing in it that a terminal would
/// obey: what is piped today is shown tomorrow. `raw` bytes go to pipes and files only.
fn print(outcome: &ScriptOutcome, raw: bool, ui: &mut Ui) {
    let bytes = &outcome.stdout.bytes;
    match raw && !env::stdout_is_terminal() {
        true => ui.bytes(bytes.clone()),
        false => ui.text(&visible(&String::from_utf8_lossy(bytes))),
    }
    let complaint = String::from_utf8_lossy(&outcome.stderr.bytes);
    let complaint = complaint.trim_end_matches('\n');
    if !complaint.is_empty() {
        ui.note(&visible(complaint));
    }
    for (what, captured) in [("output", &outcome.stdout), ("errors", &outcome.stderr)] {
        if captured.is_cut() {
            let (kept, total) = (captured.bytes.len(), captured.total);
            ui.note(&format!("warning: {what} cut after {kept} of {total} bytes"));
        }
    }
    for note in &outcome.notes {
        ui.note(&format!("note: {}", visible_line(note)));
    }
    match outcome.status {
        Ended::Exit(0) => {}
        status => ui.note(&format!("`{}`: {status}", visible_line(&outcome.script))),
    }
    ui.detail(&format!(
        "{} ms, {} ms of CPU, {} bytes of memory; {}",
        outcome.duration.as_millis(),
        outcome.cpu.as_millis(),
        outcome.max_rss,
        outcome.enforced
    ));
}

/// What would be done as a document, with why it would not.
fn shape(plan: &ScriptPlan, obstacle: Option<&ScriptError>) -> Value {
    let mut document = json!({
        "skill": plan.skill,
        "script": plan.script,
        "digest": plan.digest,
        "interpreter": plan.interpreter,
        "command": words(plan),
        "cwd": cwd(plan),
        "verdict": plan.ruling.verdict.as_str(),
        "confinement": plan.confinement,
        "fetches": plan.fetches,
        "notes": plan.notes,
    });
    let envelope = obstacle.map(|error| serde_json::to_value(Envelope::of_error(error)));
    if let (Some(Ok(Value::Object(envelope))), Some(members)) = (envelope, document.as_object_mut())
    {
        members.extend(envelope);
    }
    document
}

fn words(plan: &ScriptPlan) -> Vec<String> {
    plan.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn cwd(plan: &ScriptPlan) -> Option<String> {
    plan.cwd.as_ref().map(|path| path.to_string_lossy().into_owned())
}

/// Shows what would be done.
fn show(plan: &ScriptPlan, document: &Value, ui: &mut Ui) {
    if ui.json() {
        ui.document(document);
        return;
    }
    let (words, cwd) = (words(plan), cwd(plan));
    let words: Vec<String> = words.iter().map(|word| quoted(&visible_line(word))).collect();
    ui.line(format!("command      {}", words.join(" ")));
    let cwd = cwd.unwrap_or_else(|| "its private directory".to_owned());
    ui.line(format!("start        {}", visible_line(&cwd)));
    ui.line(format!("policy       {}", plan.ruling.verdict));
    for line in plan.confinement.to_string().lines() {
        ui.line(visible_line(line));
    }
    match plan.fetches {
        Some(true) => ui.line("packages     fetched where they are not kept"),
        Some(false) => ui.line("packages     those in the skill or kept; none are fetched"),
        None => {}
    }
    for note in &plan.notes {
        ui.line(format!("note         {}", visible_line(note)));
    }
}

fn quoted(word: &str) -> String {
    match word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"\\$".contains(c)) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}

/// What the script is to read.
fn input(path: Option<&Path>, settings: &Settings) -> Result<Input, CommandError> {
    let Some(path) = path else { return Ok(Input::Closed) };
    let opened = match path == Path::new("-") {
        true => files::standard_input(MAX_INPUT).map(Input::Bytes),
        false => {
            let environment = &settings.environment;
            files::open(&environment.resolve(path, &environment.directory)).map(Input::File)
        }
    };
    opened.map_err(|error| {
        let shown = visible_line(&path.to_string_lossy()).into_owned();
        let failed = CommandError::failed(format!("cannot read `{shown}`: {error}"));
        match error.kind() {
            ErrorKind::FileTooLarge => failed.hint("`--stdin FILE` has no such limit"),
            _ => failed,
        }
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it is not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("it is not a number of seconds greater than 0".to_owned()),
    }
}

/// The failure as the command reports it: what was refused ends with 3, the rest with 1.
pub(crate) fn explain(
    error: ScriptError,
    asker: Trigger,
    catalog: &Catalog,
    settings: &Settings,
) -> CommandError {
    let code = error.code();
    let explained = match error {
        ScriptError::Journal(error) => return journal_error(error),
        ScriptError::Cancelled => return CommandError::new(Kind::Interrupted, "interrupted"),
        ScriptError::Skill(error) => use_skill::explain(error, asker, catalog, settings),
        ScriptError::Interpreter(InterpreterError::Missing { ref install, .. }) => {
            let hint = install.clone();
            CommandError::failed(error).hint(hint)
        }
        ScriptError::Dependencies { hint: Some(hint), .. } => {
            CommandError::failed(error).hint(hint)
        }
        ScriptError::Name {
            ref skill,
            source: ScriptNameError::NotFound { suggestion: None, .. },
        } => {
            let hint = format!("`metier scripts {skill}` lists them");
            CommandError::failed(error).hint(hint)
        }
        ScriptError::Name { source: ScriptNameError::Invalid(_), .. } => {
            CommandError::refused(error).hint("a name such as `extract`, without `..`")
        }
        ScriptError::Denied { .. } => {
            CommandError::refused(error).hint("`metier status` names the policy in force")
        }
        ScriptError::Unconfirmed { .. } => {
            CommandError::refused(error).hint("`--yes` says that a person was asked")
        }
        ScriptError::NotActive(ref name) => {
            let hint = format!("`metier use {name}` activates it");
            CommandError::refused(error).hint(hint)
        }
        ScriptError::Walls { ref missing, .. } => {
            let network = missing.iter().any(|m| m.wall == metier_sandbox::Wall::Network);
            let hint = match network {
                true => "`network = \"any\"` or `\"off\"` under `[scripts]` of a policy decides it",
                false => "an approved skill may run inside the walls there are",
            };
            CommandError::refused(error).hint(hint)
        }
        refused if refused.is_refusal() => CommandError::refused(refused),
        failed => CommandError::failed(failed),
    };
    explained.code(code)
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
