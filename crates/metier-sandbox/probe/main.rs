//! A program that is a helper, for the tests and benchmarks of this crate. Started by hand it reads
//! requests, one JSON object a line, runs each and prints what came of it, one JSON object a line:
//! so a test can have runs made by another user, or kill the program that makes them.

#![expect(
    clippy::print_stdout,
    reason = "standard output is how this program speaks to the test that started it"
)]

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use metier_sandbox::{
    BackendKind, Cancel, Confinement, Invocation, Level, Limits, Network, Outcome, RunError,
    Runner, Scratch, Stdin, Stdout, environment,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// One run to be made.
#[derive(Deserialize)]
#[serde(default)]
struct Request {
    program: PathBuf,
    args: Vec<String>,
    cwd: Option<PathBuf>,
    stdin: Option<String>,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    network: Network,
    level: Level,
    limits: Limits,
    scratch: Option<Scratch>,
    backend: Option<BackendKind>,
    environment: Vec<(String, String)>,
}

impl Default for Request {
    fn default() -> Self {
        let confinement = Confinement::default();
        Self {
            program: PathBuf::new(),
            args: Vec::new(),
            cwd: None,
            stdin: None,
            read: Vec::new(),
            write: Vec::new(),
            network: confinement.network,
            level: confinement.level,
            limits: confinement.limits,
            scratch: confinement.scratch,
            backend: None,
            environment: Vec::new(),
        }
    }
}

fn main() -> ExitCode {
    if let Some(code) = metier_sandbox::helper_main() {
        return code;
    }
    for line in std::io::stdin().lock().lines() {
        let request = line.ok().and_then(|line| serde_json::from_str::<Request>(&line).ok());
        let Some(request) = request else { return ExitCode::FAILURE };
        println!("{}", answer(request));
        if std::io::stdout().flush().is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn answer(request: Request) -> Value {
    let extra =
        request.environment.into_iter().map(|(n, v)| (OsString::from(n), OsString::from(v)));
    let confinement = Confinement {
        read: request.read,
        write: request.write,
        network: request.network,
        environment: environment::build(&[], &[]).into_iter().chain(extra).collect(),
        limits: request.limits,
        level: request.level,
        scratch: request.scratch,
    };
    let invocation = Invocation {
        program: request.program,
        args: request.args.into_iter().map(OsString::from).collect(),
        cwd: request.cwd,
        stdin: request.stdin.map_or(Stdin::Closed, |text| Stdin::Bytes(text.into_bytes())),
        stdout: Stdout::Kept,
    };
    let runner = request.backend.into_iter().fold(Runner::new(), Runner::with_backend);
    match runner.run(&invocation, &confinement, &Cancel::never()) {
        Ok(outcome) => told(&outcome),
        Err(error) => json!({ "error": sentence(&error) }),
    }
}

fn told(outcome: &Outcome) -> Value {
    json!({
        "status": outcome.status.to_string(),
        "stdout": String::from_utf8_lossy(&outcome.stdout.bytes),
        "stdout_total": outcome.stdout.total,
        "stderr": String::from_utf8_lossy(&outcome.stderr.bytes),
        "duration_ms": outcome.duration.as_millis() as u64,
        "cpu_ms": outcome.cpu.as_millis() as u64,
        "max_rss": outcome.max_rss,
        "enforced": outcome.enforced,
        "denials": outcome.denials,
    })
}

fn sentence(error: &RunError) -> String {
    let cause = std::error::Error::source(error).map(|source| format!(": {source}"));
    format!("{error}{}", cause.unwrap_or_default())
}
