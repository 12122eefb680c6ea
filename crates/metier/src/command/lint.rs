//! `metier lint`: every finding about every skill below the given paths, and with `--fix` the safe
//! repairs written back.
//!
//! `target` says which files a path means; here each is read once, judged, repaired, reported.

mod target;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use metier_format::fix::settle;
use metier_format::lint::{Neighbour, Surroundings, lint};
use metier_format::report::{self, FileReport};
use metier_format::text::visible_line;
use metier_format::{Code, Diagnostic, Mode, Severity, parse};
use metier_store::tokens;
use serde_json::{Value, json};

use crate::error::{CommandError, CommandResult, Status};
use crate::interrupt::Interrupt;
use crate::settings::Settings;
use crate::ui::{Ui, counted};
use crate::{parallel, write};

use target::{Target, Targets};

/// Check skills against the standard and for what could be better
///
/// A path is a SKILL.md, a skill's directory, or a directory with skills below it. What the
/// standard forbids is an error; `--lenient` calls only that an error which keeps a skill from
/// loading. The exit code is 4 when there are errors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier lint\n  metier lint skills/pdf --fix\n  \
    metier lint --format sarif . > findings.sarif")]
pub(crate) struct LintArgs {
    /// Files or directories [default: this directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
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

/// A file after it was looked at.
struct Linted {
    report: FileReport,
    fixed: Vec<Diagnostic>,
    /// What kept a repair from being written.
    failure: Option<CommandError>,
}

/// Lints what `args` names.
pub(crate) fn run(args: &LintArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let targets = Targets::find(&args.paths, settings)?;
    let interrupt = if args.fix { Interrupt::watch()? } else { Interrupt::default() };
    let linted = parallel::map(targets.list(), settings.limits.threads, |target| {
        let mut linted = examine(&targets, target);
        if args.fix && interrupt.check().is_ok() {
            repair(&targets, target, &mut linted);
        }
        linted
    });
    interrupt.check()?;
    let mode = if args.lenient { Mode::Lenient } else { Mode::Strict };
    let format = if ui.json() { Format::Json } else { args.format };
    let errors = print(linted, mode, format, args.fix, ui)?;
    if targets.list().is_empty() && format == Format::Human {
        ui.note("no skills here; give `metier lint` a SKILL.md or a directory with skills below");
    }
    targets.remark(ui);
    Ok(if errors { Status::LintErrors } else { Status::Ok })
}

/// Reads a file and finds everything there is to say about it.
fn examine(targets: &Targets, target: &Target) -> Linted {
    let (source, files, faults) = targets.read(target);
    let diagnostics = findings(&source, target, files.as_deref(), &faults);
    let report = FileReport { path: target.shown.clone(), source, diagnostics };
    Linted { report, fixed: Vec::new(), failure: None }
}

/// What is wrong with `source`: `faults` of the file itself, then what its text shows.
fn findings(
    source: &[u8],
    target: &Target,
    files: Option<&[Neighbour]>,
    faults: &[Diagnostic],
) -> Vec<Diagnostic> {
    let mut all = faults.to_vec();
    if !all.iter().any(|fault| is_about_file(fault.code)) {
        let parsed = parse(source, target.directory.as_deref());
        let body_tokens = parsed.body.and_then(|at| source.get(at as usize..)).and_then(body_tokens);
        let around = Surroundings { files, body_tokens };
        let advice = lint(source, &parsed, &around);
        all.extend(parsed.diagnostics);
        all.extend(advice);
    }
    all.sort_by_key(|finding| finding.span.map_or(u32::MAX, |span| span.start));
    all
}
