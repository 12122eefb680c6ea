//! `metier events`: the journal, frame by frame, and on as it grows. Writes nothing.

use std::time::Duration;

use clap::Args;
use metier_format::text::{visible_json, visible_line};
use metier_runtime::event::{Chain, SkillChanged};
use metier_runtime::journal::Followed;
use metier_runtime::{Event, Frame, JournalError};

use crate::clock;
use crate::error::{CommandError, CommandResult, Status};
use crate::files::Lines;
use crate::session::{self, Stream, journal_error};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui};

/// How often a followed journal is looked at. Short enough for a person to call it at once.
const PAUSE: Duration = Duration::from_millis(100);

/// Print the journal, frame by frame
///
/// With `--json`, one frame a line, to the letter as it was written. With `--session` only that
/// session's frames, where a journal has several. A frame that is not as it was written ends the
/// list with 3.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier events\n  metier events --follow --json\n  \
    metier --journal team.jsonl --session s1 events")]
pub(crate) struct EventsArgs {
    /// Go on as frames are written, until interrupted
    #[arg(long, short)]
    follow: bool,
    /// Start after the frame with this number
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// Most frames to print
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// What has been read so far, and what is still to be printed.
struct Position {
    read: Followed,
    after: Option<u64>,
    left: u64,
}

/// Prints the frames.
pub(crate) fn run(args: &EventsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let stream = Stream::of(settings)?;
    let mut lines = Lines::of(&stream.journal);
    let left = args.limit.unwrap_or(u64::MAX);
    let mut at = Position { read: Followed::default(), after: args.after, left };
    while at.left > 0 {
        let read = lines.next().map_err(|source| {
            let path = stream.journal.clone();
            journal_error(JournalError::Io { act: "read", path, source })
        })?;
        if !read.is_empty() {
            let shown = print(&read, &mut at, &stream, ui);
            // What came before a fault is shown, whatever comes of the fault.
            ui_flush(args.follow || shown.is_err(), ui)?;
            shown?;
        } else if !args.follow {
            break;
        } else {
            std::thread::sleep(PAUSE);
        }
    }
    if at.read.frames() == 0 && at.left > 0 {
        // A journal that is gone had frames once.
        session::look(settings)?;
        ui.note("nothing is recorded yet; `metier use NAME` begins a session");
    }
    Ok(Status::Ok)
}

fn ui_flush(now: bool, ui: &mut Ui) -> Result<(), CommandError> {
    if now { ui.flush().map_err(CommandError::output) } else { Ok(()) }
}

/// Prints those of `lines` that belong to the session, each checked against the one before it.
fn print(
    lines: &[Vec<u8>],
    at: &mut Position,
    stream: &Stream,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let mut table = Table::default();
    let mut fault = None;
    for line in lines {
        let frame = match at.read.take(line) {
            Ok(frame) => frame,
            Err(kind) => {
                fault = Some(kind);
                break;
            }
        };
        if stream.named && frame.ids.session != stream.session.as_str() || !at.wants(&frame) {
            continue;
        }
        if ui.json() {
            ui.line(visible_json(&String::from_utf8_lossy(line)));
        } else {
            row(&mut table, &frame);
        }
    }
    ui.table(&table);
    match fault {
        None => Ok(()),
        Some(kind) => Err(journal_error(JournalError::Changed {
            path: stream.journal.clone(),
            frame: at.read.frames(),
            reason: kind.to_string(),
        })),
    }
}

impl Position {
    /// Whether `frame` is one of those asked for.
    fn wants(&mut self, frame: &Frame) -> bool {
        let wanted = self.after.is_none_or(|after| frame.seq > after) && self.left > 0;
        self.left -= u64::from(wanted);
        wanted
    }
}

fn row(table: &mut Table, frame: &Frame) {
    let event = frame.event();
    let tone = match event {
        Event::ToolRestrictionViolated(_) | Event::SkillRefused(_) => Some(Tone::Bad),
        Event::ScriptFinished(ref finished) if finished.error.is_some() => Some(Tone::Caution),
        Event::SkillWarning(_) => Some(Tone::Caution),
        _ => None,
    };
    let id = format!("{}:{}", frame.ids.session, frame.seq);
    table.row([
        (Some(Tone::Faint), clock::shown(frame.time)),
        (Some(Tone::Faint), visible_line(&id).into_owned()),
        (tone, visible_line(&frame.kind).into_owned()),
        (None, visible_line(&summary(&event)).into_owned()),
    ]);
}

/// What an event says, in a few words.
fn summary(event: &Event) -> String {
    match event {
        Event::SessionStarted(started) => {
            format!("host {}, metier {}", started.host, started.version)
        }
        Event::SkillCatalogUpdated(updated) => {
            let short: String = updated.digest.chars().take(12).collect();
            format!("{} skills, digest {short}", updated.count)
        }
        Event::SkillLoaded(loaded) => {
            let short: String = loaded.digest.chars().take(12).collect();
            format!("{}, digest {short}", loaded.name)
        }
        Event::SkillInvoked(invoked) => format!("{} {}", invoked.name, invoked.args),
        Event::SkillActivated(skill) => match &skill.allowed_tools {
            _ if skill.tools_unreadable => format!("{}, allows nothing", skill.name),
            Some(tools) => format!("{}, allows {}", skill.name, tools.join(" ")),
            None => format!("{}, restricts nothing", skill.name),
        },
        Event::SkillRefused(refused) => format!("{}: {}", refused.code, refused.reason),
        Event::SkillDeactivated(gone) => format!("{}, {}", gone.name, gone.reason),
        Event::ToolExecutionInSkill(ruled) | Event::ToolRestrictionViolated(ruled) => {
            format!("{} {} {}", ruled.verdict, ruled.tool, ruled.arguments)
        }
        Event::ResourceRequested(requested) => format!("{} {}", requested.name, requested.path),
        Event::ResourceRead(read) => match &read.refused {
            Some(code) => format!("{} {}: {code}", read.name, read.path),
            None => format!("{} {}, {} bytes", read.name, read.path, read.bytes),
        },
        Event::ScriptStarted(started) => {
            let args = started.args.join(" ");
            format!("{} {} {args}, {}", started.name, started.script, started.interpreter)
        }
        Event::ScriptFinished(finished) => {
            let ended = match finished.status.is_empty() {
                true => finished.error.as_deref().unwrap_or_default(),
                false => &finished.status,
            };
            let (name, script) = (&finished.name, &finished.script);
            format!("{name} {script}: {ended}, {} bytes", finished.stdout_bytes)
        }
        Event::OverrideRuled(ruled) => {
            format!("{} {} {}", ruled.verdict, ruled.name, ruled.proposal)
        }
        Event::SkillWarning(warning) => format!("{}: {}", warning.kind, warning.detail),
        Event::SkillChangeRequested(changed)
        | Event::SkillInstalled(changed)
        | Event::SkillUpdated(changed)
        | Event::SkillRemoved(changed)
        | Event::SkillApproved(changed)
        | Event::SkillUnapproved(changed)
        | Event::SkillUnchanged(changed) => change(changed),
        Event::SessionEnded(ended) => ended.reason.clone(),
        Event::Other { .. } => String::new(),
    }
}

/// What became of a skill, in a few words: which one, and what took the place of what.
fn change(changed: &SkillChanged) -> String {
    let what = if changed.name.is_empty() { &changed.path } else { &changed.name };
    let tree = |chain: &Option<Chain>| {
        let tree = chain.as_ref().and_then(|chain| chain.tree.as_deref()).unwrap_or("none");
        tree.chars().take(12).collect::<String>()
    };
    let (before, after) = (tree(&changed.before), tree(&changed.after));
    let code = changed.code.iter().map(|code| format!(": {code}")).collect::<String>();
    format!("{} {what}, {before} → {after}{code}", changed.act)
}
