//! `metier guard`: one tool call, one ruling, one frame. Whatever goes wrong on the way to a ruling
//! is a deny.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use metier_format::text::visible_line;
use metier_policy::{HostTable, Ruling, ToolCall, Verdict};
use metier_runtime::capability::RuledCall;
use metier_runtime::unambiguous;
use serde_json::Value;

use crate::error::{CommandError, CommandResult, Kind, Status};
use crate::session::{self, Purpose, journal_error};
use crate::settings::Settings;
use crate::ui::{Tone, Ui};

/// Most bytes of arguments that are read. A whole file goes through a call that writes it.
const MAX_ARGUMENTS: u64 = 16 * 1024 * 1024;

/// Rule on one tool call: allow, ask or deny
///
/// The call is held against policy and against every active skill; shell commands are taken apart,
/// and each command in them is judged. The ruling is recorded before it is printed. Ends with 0 for
/// allow and ask, with 3 for deny; a journal or a policy that cannot be used denies.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    metier guard Bash '{\"command\": \"git status\"}'\n  \
    metier guard Read '{\"file_path\": \"src/main.rs\"}' --json\n  \
    metier guard --host gemini-cli run_shell_command - < call.json")]
pub(crate) struct GuardArgs {
    /// The tool, by the host's name for it
    tool: String,
    /// Its arguments, as JSON; `-` reads them from standard input [default: none]
    #[arg(value_name = "JSON-ARGS")]
    arguments: Option<String>,
    /// Whose names for tools these are
    #[arg(long, value_name = "HOST", default_value = "plain", value_parser = hosts())]
    host: String,
    /// The directory the call would start in [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

/// Rules on the call.
pub(crate) fn run(args: &GuardArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let ruling = match rule(args, settings, ui) {
        Err(error) if error.kind == Kind::Usage => return Err(error),
        // No frame, no ruling; and without a ruling the call does not happen.
        Err(error) => {
            ui.complain(&error);
            Ruling::of(Verdict::Deny, error.message())
        }
        Ok(ruling) => ruling,
    };
    let answer = RuledCall::of(&ruling);
    match ui.json() {
        true => ui.document(&answer),
        false => print(&answer, ui),
    }
    Ok(match answer.verdict {
        Verdict::Allow | Verdict::Ask => Status::Ok,
        Verdict::Deny => Status::Refused,
    })
}

fn rule(args: &GuardArgs, settings: &Settings, ui: &mut Ui) -> Result<Ruling, CommandError> {
    let here = &settings.environment.directory;
    let cwd = args.cwd.as_deref().unwrap_or(Path::new(""));
    let purpose = Purpose {
        host: settings.session.config.host(&args.host),
        cwd: settings.environment.resolve(cwd, here),
        ..Purpose::with(None, settings)
    };
    let given = given(args.arguments.as_deref());
    let mut session = session::open(settings, purpose, ui)?;
    let guarded = match given {
        Ok(arguments) => session.guard(&ToolCall::new(args.tool.as_str(), arguments)),
        Err(why) => {
            ui.note("hint: arguments look like '{\"command\": \"git status\"}'");
            session.refuse(&ToolCall::new(args.tool.as_str(), Value::Null), &why)
        }
    };
    Ok(guarded.map_err(journal_error)?.ruling)
}

/// The arguments, or why there are none that could be judged.
fn given(arguments: Option<&str>) -> Result<Value, String> {
    let value = match arguments {
        None => return Ok(Value::Object(serde_json::Map::new())),
        Some("-") => {
            let mut text = Vec::new();
            let stdin = std::io::stdin().lock();
            let read = stdin.take(MAX_ARGUMENTS + 1).read_to_end(&mut text);
            read.map_err(|error| format!("the arguments cannot be read: {error}"))?;
            if text.len() as u64 > MAX_ARGUMENTS {
                return Err(format!("the arguments have more than {MAX_ARGUMENTS} bytes"));
            }
            unambiguous::parse(&text)?
        }
        Some(text) => unambiguous::parse(text.as_bytes())?,
    };
    // What is no object names no argument that a rule could be about.
    match value.is_object() {
        true => Ok(value),
        false => Err("the arguments have to be a JSON object".to_owned()),
    }
}

fn print(answer: &RuledCall, ui: &mut Ui) {
    let tone = match answer.verdict {
        Verdict::Allow => Tone::Good,
        Verdict::Ask => Tone::Caution,
        Verdict::Deny => Tone::Bad,
    };
    ui.line(ui.paint(tone, answer.verdict.as_str()));
    for reason in &answer.reasons {
        ui.line(format!("  {}", visible_line(reason)));
    }
    if let Some(rule) = &answer.rule {
        ui.line(format!("  rule `{}`", visible_line(rule)));
    }
}

fn hosts() -> PossibleValuesParser {
    PossibleValuesParser::new(HostTable::known())
}
