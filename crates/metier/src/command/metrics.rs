//! `metier metrics`: what the journal counts, for every session in it. Writes nothing.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use metier_format::text::visible_line;
use metier_runtime::replay::replay;
use metier_runtime::state::Counters;
use metier_runtime::{Clock as _, Event, Frame, telemetry};
use serde::Serialize;

use crate::clock::SystemClock;
use crate::error::{CommandResult, Status};
#[cfg(feature = "otlp")]
use crate::otlp;
use crate::session::{self, Look};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui};

/// Count what the journal records
///
/// Restriction violations, attempts to read a script that were blocked, tokens per skill and the
/// rest, for every session of the journal or, with `--session`, for one. `--prometheus` prints the
/// text format that collectors scrape, `--otlp` the body of an OpenTelemetry export.
///
/// `--otlp-endpoint` sends both exports to a collector, as OTLP over HTTP in JSON, or the one that
/// `--otlp` names. Nothing is ever sent without this flag: the variables `OTEL_EXPORTER_OTLP_…` only
/// say where, with which headers and for how long when it is given.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier metrics\n  metier metrics --json\n  \
    metier metrics --prometheus > /var/lib/node_exporter/metier.prom\n  \
    metier metrics --otlp traces\n  \
    metier metrics --otlp-endpoint http://localhost:4318")]
pub(crate) struct MetricsArgs {
    /// Print the Prometheus text format
    #[arg(long, conflicts_with = "otlp")]
    prometheus: bool,
    /// Print the body of an OTLP export, as JSON
    #[arg(long, value_name = "WHAT", value_enum)]
    otlp: Option<Signal>,
    /// Send to the collector at this address, else at `$OTEL_EXPORTER_OTLP_ENDPOINT`, else at
    /// `http://localhost:4318`; `/v1/metrics` and `/v1/traces` are appended
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with = "prometheus")]
    otlp_endpoint: Option<String>,
}

/// What an OTLP endpoint takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Signal {
    /// For `/v1/metrics`
    Metrics,
    /// For `/v1/traces`
    Traces,
}

/// One thing that is counted: its name, what it means, where it stands.
struct Measure {
    name: &'static str,
    meaning: &'static str,
    read: fn(&Counters) -> u64,
}

const MEASURES: [Measure; 11] = [
    Measure { name: "activations", meaning: "skills activated", read: |c| c.activations },
    Measure { name: "refusals", meaning: "activations refused", read: |c| c.refusals },
    Measure { name: "tool_calls_allowed", meaning: "tool calls allowed", read: |c| c.allowed },
    Measure { name: "tool_calls_asked", meaning: "tool calls asked about", read: |c| c.asked },
    Measure { name: "restriction_violations", meaning: "tool calls denied", read: |c| c.denied },
    Measure {
        name: "script_reads_blocked",
        meaning: "attempts to read a script blocked",
        read: |c| c.script_reads_blocked,
    },
    Measure { name: "resources_read", meaning: "files of skills read", read: |c| c.resources_read },
    Measure { name: "scripts_run", meaning: "scripts run", read: |c| c.scripts_run },
    Measure {
        name: "scripts_failed",
        meaning: "scripts run that failed",
        read: |c| c.scripts_failed,
    },
    Measure { name: "warnings", meaning: "warnings", read: |c| c.warnings },
    Measure { name: "tokens", meaning: "tokens given to models", read: |c| c.tokens },
];

/// The tokens each skill cost, by session and skill.
type Tokens = BTreeMap<String, BTreeMap<String, u64>>;

#[derive(Debug, Serialize)]
struct Measured {
    sessions: BTreeMap<String, SessionLine>,
    total: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize)]
struct SessionLine {
    counters: BTreeMap<&'static str, u64>,
    tokens_per_skill: BTreeMap<String, u64>,
}

/// Prints the counts.
pub(crate) fn run(args: &MetricsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let look = session::look(settings)?;
    #[cfg(feature = "otlp")]
    if let Some(endpoint) = &args.otlp_endpoint {
        return send(&look, args.otlp, endpoint, settings, ui);
    }
    if let Some(signal) = args.otlp {
        ui.document(&export(&look, signal));
        return Ok(Status::Ok);
    }
    let measured = measured(&look);
    if args.prometheus {
        ui.text(&prometheus(&measured));
    } else if ui.json() {
        ui.document(&measured);
    } else {
        print(&measured, ui);
    }
    Ok(Status::Ok)
}

/// Sends the exports to a collector and says what came of it.
#[cfg(feature = "otlp")]
fn send(
    look: &Look,
    signal: Option<Signal>,
    endpoint: &str,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    let signals = signal.map_or(vec![Signal::Metrics, Signal::Traces], |signal| vec![signal]);
    let variables = &settings.environment.otlp;
    // Every address is read before anything is sent to one of them.
    let targets = signals.iter().map(|signal| otlp::Target::of(*signal, endpoint, variables));
    let targets: Vec<otlp::Target> = targets.collect::<Result<_, _>>()?;
    let mut sent = Vec::new();
    for target in &targets {
        let answer = otlp::send(export(look, target.signal), target)?;
        if !ui.json() {
            ui.line(answer.line());
        }
        if let Some(complaint) = answer.complaint() {
            ui.note(&format!("warning: {complaint}"));
        }
        sent.push(answer);
    }
    let rejected = sent.iter().any(|answer| answer.rejected > 0);
    if ui.json() {
        ui.document(&serde_json::json!({ "sent": sent }));
    }
    Ok(if rejected { Status::Partly } else { Status::Ok })
}

/// The body of an export of the sessions asked for.
fn export(look: &Look, signal: Signal) -> serde_json::Value {
    let frames = look.reading.frames.iter().filter(|frame| wanted(look, &frame.ids.session));
    let frames: Vec<Frame> = frames.cloned().collect();
    match signal {
        Signal::Metrics => telemetry::metrics(&replay(&frames), SystemClock.now().0),
        Signal::Traces => telemetry::spans(&frames),
    }
}

/// Whether the session is the one asked for, when one was.
fn wanted(look: &Look, session: &str) -> bool {
    !look.stream.named || session == look.stream.session.as_str()
}

fn measured(look: &Look) -> Measured {
    let mut tokens = tokens(&look.reading.frames);
    let mut total: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut sessions = BTreeMap::new();
    for (session, state) in replay(&look.reading.frames) {
        if !wanted(look, &session) {
            continue;
        }
        let mut counters = BTreeMap::new();
        for measure in &MEASURES {
            let value = (measure.read)(&state.counters);
            counters.insert(measure.name, value);
            *total.entry(measure.name).or_default() += value;
        }
        let tokens_per_skill = tokens.remove(&session).unwrap_or_default();
        sessions.insert(session, SessionLine { counters, tokens_per_skill });
    }
    Measured { sessions, total }
}

fn tokens(frames: &[Frame]) -> Tokens {
    let mut tokens = Tokens::new();
    for frame in frames {
        if let Event::SkillActivated(skill) = frame.event() {
            let session = tokens.entry(frame.ids.session.clone()).or_default();
            *session.entry(skill.name).or_default() += skill.tokens as u64;
        }
    }
    tokens
}

fn print(measured: &Measured, ui: &mut Ui) {
    let mut table = Table::default();
    for measure in &MEASURES {
        let value = measured.total.get(measure.name).copied().unwrap_or(0);
        table.row([(Some(Tone::Strong), value.to_string()), (None, measure.meaning.to_owned())]);
    }
    ui.table(&table);
    let mut skills: BTreeMap<&str, u64> = BTreeMap::new();
    for (skill, tokens) in measured.sessions.values().flat_map(|line| &line.tokens_per_skill) {
        *skills.entry(skill).or_default() += tokens;
    }
    if skills.is_empty() {
        return;
    }
    ui.line("");
    ui.line(ui.paint(Tone::Strong, "tokens per skill"));
    let mut table = Table::default();
    for (skill, tokens) in skills {
        table.row([(None, format!("  {}", visible_line(skill))), (None, tokens.to_string())]);
    }
    ui.table(&table);
}

/// The text format: a help and a type line for each measure, then a line for each session.
fn prometheus(measured: &Measured) -> String {
    let mut lines = Vec::new();
    for measure in &MEASURES {
        let name = format!("metier_{}_total", measure.name);
        lines.push(format!("# HELP {name} {}", measure.meaning));
        lines.push(format!("# TYPE {name} counter"));
        for (session, line) in &measured.sessions {
            let value = line.counters.get(measure.name).copied().unwrap_or(0);
            lines.push(format!("{name}{{session=\"{}\"}} {value}", label(session)));
        }
    }
    let name = "metier_skill_tokens_total";
    lines.push(format!("# HELP {name} tokens given to models, by skill"));
    lines.push(format!("# TYPE {name} counter"));
    for (session, line) in &measured.sessions {
        for (skill, tokens) in &line.tokens_per_skill {
            let (session, skill) = (label(session), label(skill));
            lines.push(format!("{name}{{session=\"{session}\",skill=\"{skill}\"}} {tokens}"));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A value between quotes: live characters shown, quotes and backslashes escaped.
fn label(value: &str) -> String {
    visible_line(value).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
