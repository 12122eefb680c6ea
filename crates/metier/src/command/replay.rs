//! `metier replay`: what a journal says, rebuilt from its frames, and whether it is as it was
//! written. Writes nothing.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::limits::MAX_FILE_BYTES;
use metier_format::text::{visible_json, visible_line};
use metier_runtime::journal::{self, Reading};
use metier_runtime::replay::{Drift, Probe, drift};
use metier_runtime::{Frame, JournalError, State};
use metier_store::bundled::bundled;
use metier_store::store::{Location, ReadError};
use metier_store::{FileStore, Layer, Root, RootId, Store, digest};
use serde::Serialize;
use serde_json::Value;

use crate::command::status::{active_line, rulings};
use crate::error::{CommandError, CommandResult, Status};
use crate::files::Lines;
use crate::session::{Stream, artifact_folder, journal_error, remark_on_torn};
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Tone, Ui, counted};

/// Rebuild the state of every session from a journal
///
/// Every frame is checked against its own digest and against the one before it: an edited, removed,
/// moved or inserted frame is named and ends with 3. A last line that a crash left unfinished is
/// reported and ends with 0. `--verify` also reads what was loaded again and names what is no longer
/// what it was, and whether the original is kept. `--json` has the states and the frames.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier replay journal.jsonl\n  \
    metier replay journal.jsonl --verify --json\n  \
    metier replay journal.jsonl --stream | cmp - journal.jsonl")]
pub(crate) struct ReplayArgs {
    /// The journal [default: the session's own]
    file: Option<PathBuf>,
    /// Say also what has changed on disk since it was recorded
    #[arg(long)]
    verify: bool,
    /// Print the frames again, one a line, instead of the states
    #[arg(long)]
    stream: bool,
}

#[derive(Debug, Serialize)]
struct Replayed {
    journal: String,
    frames: Vec<Value>,
    sessions: BTreeMap<String, State>,
    /// The first frame that is not as it was written.
    fault: Option<FaultLine>,
    /// Bytes of a last line that was never finished.
    torn: Option<u64>,
    /// Whether the disk was looked at.
    verified: bool,
    drift: Vec<Drifted>,
}

/// A file that is not what it was, and whether it can still be had as it was.
#[derive(Debug, Serialize)]
struct Drifted {
    #[serde(flatten)]
    drift: Drift,
    /// Where the bytes that were recorded are kept.
    original: Option<String>,
}

#[derive(Debug, Serialize)]
struct FaultLine {
    frame: u64,
    reason: String,
}

/// Replays the journal.
pub(crate) fn run(args: &ReplayArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let path = match &args.file {
        Some(file) => settings.environment.resolve(file, &settings.environment.directory),
        None => Stream::of(settings)?.journal,
    };
    let reading = match journal::read(&path) {
        Err(JournalError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            nothing_in(args.file.as_deref(), ui)?
        }
        other => other.map_err(journal_error)?,
    };
    let lines = lines(&path, reading.frames.len())?;
    let replayed = replayed(&path, reading, &lines, args.verify.then_some(settings));
    let bad = replayed.fault.is_some() || !replayed.drift.is_empty();
    if args.stream {
        for line in &lines {
            ui.line(visible_json(&String::from_utf8_lossy(line)));
        }
        print_faults(&replayed, ui);
    } else if ui.json() {
        ui.document(&replayed);
    } else {
        remark_on_torn(replayed.torn, ui);
        print(&replayed, ui);
    }
    Ok(if bad { Status::Refused } else { Status::Ok })
}

/// What is read of a journal that is not there: nothing, unless somebody named it.
fn nothing_in(named: Option<&Path>, ui: &mut Ui) -> Result<Reading, CommandError> {
    let Some(named) = named else {
        ui.note("nothing is recorded yet; `metier use NAME` begins a session");
        return Ok(Reading::default());
    };
    let shown = visible_line(&named.to_string_lossy()).into_owned();
    let message = format!("cannot read the journal `{shown}`: it is not there");
    let error = CommandError::failed(message).code("not_found");
    Err(error.hint("without a file, `metier replay` reads the session's own journal"))
}

/// The first `count` lines as they were written. The journal may have grown since it was read; what
/// stands before its end does not change.
fn lines(path: &Path, count: usize) -> Result<Vec<Vec<u8>>, crate::error::CommandError> {
    let wrap = |source| JournalError::Io { act: "read", path: path.to_owned(), source };
    let mut reader = Lines::of(path);
    let mut lines = Vec::new();
    while lines.len() < count {
        let more = reader.next().map_err(|source| journal_error(wrap(source)))?;
        if more.is_empty() {
            break;
        }
        lines.extend(more);
    }
    lines.truncate(count);
    Ok(lines)
}

fn replayed(
    path: &Path,
    reading: Reading,
    lines: &[Vec<u8>],
    verify: Option<&Settings>,
) -> Replayed {
    let fault = reading.fault.as_ref();
    let frame = |line: &Vec<u8>| serde_json::from_slice(line).unwrap_or_default();
    Replayed {
        journal: shape::path(path),
        frames: lines.iter().map(frame).collect(),
        drift: verify.map(|settings| drifted(&reading.frames, settings)).unwrap_or_default(),
        sessions: reading.states,
        fault: fault.map(|f| FaultLine { frame: f.frame, reason: f.kind.to_string() }),
        torn: reading.torn,
        verified: verify.is_some(),
    }
}

/// What has changed on disk, with what is kept of it.
fn drifted(frames: &[Frame], settings: &Settings) -> Vec<Drifted> {
    let artifacts = artifact_folder(settings).map(|(_, artifacts)| artifacts);
    let original = |drift: &Drift| {
        let artifacts = artifacts.as_ref()?;
        artifacts.get(&drift.recorded)?;
        Some(shape::path(&artifacts.path(&drift.recorded)))
    };
    let found = drift(frames, &Disk).into_iter();
    found.map(|drift| Drifted { original: original(&drift), drift }).collect()
}

fn print(replayed: &Replayed, ui: &mut Ui) {
    let frames = counted(replayed.frames.len(), "frame", "frames");
    let sessions = counted(replayed.sessions.len(), "session", "sessions");
    let sound = match (&replayed.fault, replayed.verified) {
        (Some(_), _) => "up to the fault",
        (None, false) => "as they were written",
        (None, true) if replayed.drift.is_empty() => {
            "as they were written; what they loaded is as it was"
        }
        (None, true) => "as they were written; what they loaded is not",
    };
    ui.line(format!("{frames} in {sessions}, {sound}"));
    for (session, state) in &replayed.sessions {
        let shown = visible_line(session);
        let state_word = if state.open { "open" } else { "ended" };
        ui.line(format!("  {}, {state_word}", active_line(&shown, &state.stack)));
        ui.line(format!("    {}", rulings(&state.counters)));
    }
    print_faults(replayed, ui);
}

/// What is wrong, on standard output: it is the answer.
fn print_faults(replayed: &Replayed, ui: &mut Ui) {
    let mut faults = Vec::new();
    if let Some(fault) = &replayed.fault {
        faults.push(format!("frame {} is not as it was written: {}", fault.frame, fault.reason));
    }
    for Drifted { drift, original } in &replayed.drift {
        let now = if drift.now.is_some() { "has changed" } else { "is gone or cannot be read" };
        faults.push(format!(
            "`{}` of `{}` in {} {now} since frame {}; {}",
            drift.path,
            drift.skill,
            drift.directory,
            drift.frame,
            match original {
                Some(path) => format!("as it was it is kept in {path}"),
                None => "as it was it is not kept".to_owned(),
            }
        ));
    }
    for fault in faults {
        let line = ui.paint(Tone::Bad, &visible_line(&fault));
        match ui.json() {
            true => ui.note(&line),
            false => ui.line(line),
        }
    }
}

/// The files of skills as they are now, through the same door that handed them out.
struct Disk;

impl Probe for Disk {
    fn digest(&self, directory: &Path, path: &str) -> Option<String> {
        let name = directory.file_name()?;
        let at = Location { root: RootId(0), path: Path::new(name).into() };
        // The skills inside the program lie at no absolute path.
        let store: Box<dyn Store> = match directory.is_absolute() {
            true => {
                let root = Root::given(Layer::Personal, directory.parent()?);
                Box::new(FileStore::new(vec![root]))
            }
            false => Box::new(bundled()),
        };
        match store.read(&at, path, MAX_FILE_BYTES as u64) {
            Ok(resource) => Some(digest::hex(&digest::sha256(&resource.bytes))),
            // Its name may be spelled otherwise, which loading forgives.
            Err(ReadError::NotFound(_)) if path == "SKILL.md" => {
                store.load(&at).ok().map(|skill| skill.digest)
            }
            Err(_) => None,
        }
    }
}
