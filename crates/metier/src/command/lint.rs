//! `metier lint`: every finding about every skill below the given paths, and with `--fix` the safe
//! repairs written back.
//!
//! `target` says which files a path means; here each is read once, judged, repaired, reported.

mod target;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use metier_format::fix::settle;
use metier_format::limits::MAX_BODY_TOKENS;
use metier_format::lint::{Neighbour, Surroundings, everything};
use metier_format::report::{self, Color, FileReport, Tally};
use metier_format::text::visible_line;
use metier_format::{Diagnostic, Mode, Parsed};
use metier_store::tokens;
use serde_json::{Value, json};

use crate::error::{CommandError, CommandResult, Status};
use crate::interrupt::Interrupt;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::{parallel, write};

use target::{Target, Targets};

/// Check skills against the standard and for what could be better
///
/// A path is a SKILL.md, a skill's directory, or a directory with skills below it. What the
/// standard forbids is an error; `--lenient` calls only that an error which keeps a skill from
/// loading. The exit code is 4 when there are errors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier lint\n  metier lint --fix skills/skill-author\n  \
    metier lint --format sarif . > findings.sarif")]
pub(crate) struct LintArgs {
    /// Files or directories [default: this directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How findings are printed [default: human, or json with `--json`; `--json` leaves sarif as it is]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Repair what can be repaired without changing what a skill means
    #[arg(long)]
    fix: bool,
    /// What the standard forbids is an error (the default)
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Only what keeps a skill from loading is an error
    #[arg(long)]
    lenient: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the offending lines
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
}

/// What is to be told, and how.
#[derive(Clone, Copy)]
struct Telling {
    mode: Mode,
    format: Format,
    color: Color,
}

/// What judging a file needs besides its text.
struct Case<'a> {
    target: &'a Target,
    files: Option<Vec<Neighbour>>,
    faults: Vec<Diagnostic>,
}

/// A file after it was looked at.
struct Linted {
    /// What was found; for people only the path, once it is told.
    report: FileReport,
    /// What people read about it.
    text: String,
    tally: Tally,
    /// What was repaired.
    fixed: Vec<Diagnostic>,
    /// What kept the repairs from being written.
    failure: Option<write::WriteError>,
}

/// What `--fix` did, each with the file it is about, and what nobody could look into.
#[derive(Default)]
struct Repairs {
    fixed: Vec<(String, Diagnostic)>,
    failed: Vec<(String, CommandError)>,
    unread: Vec<String>,
}

/// Lints what `args` names.
pub(crate) fn run(args: &LintArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let targets = Targets::find(&args.paths, settings)?;
    let interrupt = if args.fix { Interrupt::watch()? } else { Interrupt::default() };
    let telling = Telling::new(args, ui);
    let linted = parallel::map(targets.list(), settings.limits.threads, |target| {
        let fix = args.fix && interrupt.check().is_ok();
        examine(&targets, target, fix).told(telling)
    });
    interrupt.check()?;
    let unread = targets.unread();
    if linted.is_empty() && unread.is_empty() && telling.format == Format::Human {
        ui.note("no skills here; give `metier lint` a SKILL.md or a directory with skills below");
    }
    targets.remark(ui);
    print(linted, unread, telling, ui)
}

impl Telling {
    fn new(args: &LintArgs, ui: &Ui) -> Self {
        // SARIF is one JSON document too, and whoever names it wants that one.
        let format = match args.format {
            Some(Format::Sarif) => Format::Sarif,
            _ if ui.json() => Format::Json,
            other => other.unwrap_or(Format::Human),
        };
        Self {
            mode: if args.lenient { Mode::Lenient } else { Mode::Strict },
            format,
            color: if ui.colour() { Color::Ansi } else { Color::Plain },
        }
    }
}

/// Reads a file, finds everything there is to say about it, and repairs it when asked to.
fn examine(targets: &Targets, target: &Target, fix: bool) -> Linted {
    let reading = targets.read(target);
    let case = Case { target, files: reading.files, faults: reading.faults };
    let mut linted = Linted::new(target);
    let Some((source, parsed)) = reading.source else {
        linted.report.diagnostics = case.faults;
        return linted;
    };
    linted.report.diagnostics = case.judge(&source, &parsed);
    linted.report.source = source;
    if fix && linted.report.diagnostics.iter().any(|finding| !finding.fix.is_empty()) {
        case.repair(&mut linted);
    }
    linted
}

impl Linted {
    fn new(target: &Target) -> Self {
        Self {
            report: FileReport { path: target.shown.clone(), ..FileReport::default() },
            text: String::new(),
            tally: Tally::default(),
            fixed: Vec::new(),
            failure: None,
        }
    }

    /// Counted, and for people also written out, by whichever thread looked at it. The file itself
    /// is then let go: of a thousand files, a few are held at a time.
    fn told(mut self, telling: Telling) -> Self {
        self.tally = Tally::of(&self.report, telling.mode);
        if telling.format == Format::Human {
            self.text = report::human_file(&self.report, telling.mode, telling.color);
            self.report = FileReport { path: self.report.path, ..FileReport::default() };
        }
        self
    }
}

impl Case<'_> {
    /// What is wrong with `source`: the faults of the file itself, and what its text shows.
    fn judge(&self, source: &[u8], parsed: &Parsed) -> Vec<Diagnostic> {
        let body = parsed.body.and_then(|start| source.get(start as usize..));
        let around =
            Surroundings { files: self.files.as_deref(), body_tokens: body.and_then(body_tokens) };
        // Faults of the file are about no place in it, and those come last.
        let mut all = everything(source, parsed, &around);
        all.extend_from_slice(&self.faults);
        all
    }

    /// What is wrong with a repaired `source`.
    fn judge_anew(&self, source: &[u8]) -> Vec<Diagnostic> {
        self.judge(source, &self.target.parse(source))
    }

    /// Writes back what can be repaired, and judges the file anew.
    fn repair(&self, linted: &mut Linted) {
        let settled = settle(&linted.report.source, |source| self.judge_anew(source));
        if settled.bytes == linted.report.source {
            return;
        }
        let Target { within, file, .. } = self.target;
        match write::replace(within, file, &linted.report.source, &settled.bytes) {
            Ok(()) => {
                linted.report.diagnostics = self.judge_anew(&settled.bytes);
                linted.report.source = settled.bytes;
                linted.fixed = settled.applied;
            }
            Err(error) => linted.failure = Some(error),
        }
    }
}

/// Prints what was found, what was repaired, and what could not be.
fn print(linted: Vec<Linted>, unread: &[String], telling: Telling, ui: &mut Ui) -> CommandResult {
    let mut repairs = Repairs { unread: unread.to_vec(), ..Repairs::default() };
    let mut tally = Tally::default();
    let mut texts = Vec::new();
    let mut files = Vec::with_capacity(linted.len());
    for file in linted {
        let path = &file.report.path;
        repairs.fixed.extend(file.fixed.into_iter().map(|finding| (path.clone(), finding)));
        repairs
            .failed
            .extend(file.failure.map(|error| (path.clone(), CommandError::failed(error))));
        tally += file.tally;
        texts.push(file.text);
        files.push(file.report);
    }
    match telling.format {
        Format::Human => print_human(&texts, &tally, &repairs, ui),
        Format::Json => print_json(&files, &repairs, telling.mode, ui),
        Format::Sarif => ui.text(&report::sarif(&files, telling.mode)),
    }
    for (_, error) in &repairs.failed {
        ui.complain(error);
    }
    for unread in &repairs.unread {
        ui.complain(&CommandError::failed(unread.clone()));
    }
    Ok(if !repairs.failed.is_empty() {
        Status::Partly
    } else if tally.errors > 0 {
        Status::LintErrors
    } else if !repairs.unread.is_empty() {
        // Nothing wrong was found where not everything was looked at.
        Status::Partly
    } else {
        Status::Ok
    })
}

fn print_human(texts: &[String], tally: &Tally, repairs: &Repairs, ui: &mut Ui) {
    for (path, finding) in &repairs.fixed {
        let message = visible_line(&finding.message);
        ui.line(format!("fixed {}: {} {message}", visible_line(path), finding.code.as_str()));
    }
    if tally.files == 0 {
        return;
    }
    texts.iter().for_each(|text| ui.text(text));
    ui.text(&report::human_summary(tally));
}

/// The document of the contract; after repairs, it also says what was repaired and what was not, and
/// where something could not be looked into, what.
fn print_json(files: &[FileReport], repairs: &Repairs, mode: Mode, ui: &mut Ui) {
    let text = report::json(files, mode);
    let repaired = !repairs.fixed.is_empty() || !repairs.failed.is_empty();
    if !repaired && repairs.unread.is_empty() {
        ui.text(&text);
        return;
    }
    let fixed = repairs.fixed.iter().map(|(path, finding)| {
        json!({"path": path, "code": finding.code.as_str(), "message": finding.message})
    });
    let failed = repairs
        .failed
        .iter()
        .map(|(path, error)| json!({"path": path, "message": error.message()}));
    let mut document: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(document) = document.as_object_mut() {
        if repaired {
            document.insert("fixed".to_owned(), fixed.collect());
            document.insert("not_fixed".to_owned(), failed.collect());
        }
        if !repairs.unread.is_empty() {
            document.insert("not_read".to_owned(), json!(repairs.unread));
        }
    }
    ui.document(&document);
}

/// The body's tokens, counted only when the estimate is too near the limit to decide: starting the
/// tokenizer costs more than linting a thousand skills.
fn body_tokens(body: &[u8]) -> Option<usize> {
    // No text has more tokens than bytes.
    if body.len() <= MAX_BODY_TOKENS {
        return None;
    }
    let body = std::str::from_utf8(body).ok()?;
    let about = tokens::estimate(body).about;
    let near = MAX_BODY_TOKENS * 4 / 5..MAX_BODY_TOKENS * 5 / 4;
    near.contains(&about).then(|| tokens::exact(body).count)
}
