//! `cargo xtask api`: metier's HTTP API before judges that know nothing of it. schemathesis makes
//! requests from the server's own OpenAPI document, fitting and unfitting ones, and holds every answer
//! against it; the parser of the Prometheus client reads `/metrics`; at the end the server is asked to
//! stop, and every journal is proved. Both judges are at one version in `target/tools/api`.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::{process, source};

/// The judges, each at one version, so that all machines test the same.
const JUDGES: &[(&str, &str)] = &[("schemathesis", "4.32.5"), ("prometheus_client", "0.26.0")];

/// Requests of each kind and operation: about a minute in all.
const EXAMPLES: &str = "20";

/// Journals that are proved at the end; requests make up hundreds of sessions.
const PROVED: usize = 40;

/// Reads the numbers as a collector does, and wants these to be there.
const READ_NUMBERS: &str = "\
import sys, urllib.request
from prometheus_client.parser import text_string_to_metric_families as parse
text = urllib.request.urlopen(sys.argv[1] + '/metrics').read().decode()
found = {family.name: family for family in parse(text)}
for name in ['metier_http_requests', 'metier_http_sessions', 'metier_journal_frames',
             'metier_journal_refused', 'metier_rulings', 'metier_sessions']:
    assert name in found, (name, sorted(found))
assert sum(s.value for s in found['metier_journal_frames'].samples) > 0
assert {s.labels['verdict'] for s in found['metier_rulings'].samples} == {'allow', 'ask', 'deny'}
print(len(found), 'families of numbers')
";

/// The skills that are served.
const SKILLS: &[(&str, &str)] = &[
    (
        "forms/SKILL.md",
        "---\nname: forms\ndescription: Fills forms. Use when forms are to be filled.\n\
         allowed-tools: Read\n---\n\nFill them.\n",
    ),
    ("forms/references/fields.md", "# Fields\n"),
    ("forms/scripts/fill.sh", "echo filled\n"),
];

/// Installs the judges, starts the server, and asks for every verdict.
pub(crate) fn run() -> Result<(), String> {
    let bench = Bench { tools: source::root().join("target/tools") };
    bench.install()?;
    bench.prepare()?;
    process::run("cargo", &["build", "--package", "metier", "--bin", "metier"])?;
    let mut server = bench.start()?;
    bench.examine(&server.url)?;
    process::run(&bench.program("python3"), &["-c", READ_NUMBERS, &server.url])?;
    server.stop()?;
    bench.prove()
}

struct Bench {
    tools: PathBuf,
}

/// A server that ends when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Asks it to stop, and wants it to say that nothing went wrong.
    fn stop(&mut self) -> Result<(), String> {
        process::run("kill", &["-TERM", &self.child.id().to_string()])?;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Bench {
    fn install(&self) -> Result<(), String> {
        let checks =
            JUDGES.iter().map(|(name, version)| format!("m.version('{name}') == '{version}'"));
        let checks: Vec<String> = checks.collect();
        let check = format!("import importlib.metadata as m; assert {}", checks.join(" and "));
        if process::succeeds(&self.program("python3"), &["-c", &check]) {
            return Ok(());
        }
        let environment = self.tools.join("api").to_string_lossy().into_owned();
        process::run("python3", &["-m", "venv", &environment])?;
        let mut pip =
            process::command(&self.program("python3"), &["-m", "pip", "install", "--quiet"]);
        pip.args(JUDGES.iter().map(|(name, version)| format!("{name}=={version}")));
        process::finish(pip)
    }

    /// The skills, and a home in which nothing has happened yet.
    fn prepare(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        match std::fs::remove_dir_all(self.home()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            _ => {}
        }
        std::fs::create_dir_all(self.home()).map_err(failed)?;
        for (path, text) in SKILLS {
            let file = self.home().join("skills").join(path);
            std::fs::create_dir_all(file.parent().unwrap_or(&file)).map_err(failed)?;
            std::fs::write(&file, text).map_err(failed)?;
        }
        Ok(())
    }

    fn start(&self) -> Result<Server, String> {
        let mut command = process::command(&metier(), &["--no-default-roots", "serve", "--json"]);
        command.arg(format!("--root=personal={}", self.home().join("skills").display()));
        command.arg(format!("--home={}", self.home().join("metier").display()));
        command.args(["--listen", "127.0.0.1:0"]).env("HOME", self.home());
        let failed = |error: std::io::Error| format!("cannot start the server: {error}");
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut ready = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut ready).map_err(failed)?;
        }
        let url = ready.split("\"url\":\"").nth(1).and_then(|rest| rest.split('"').next());
        let url = url.unwrap_or_default().to_owned();
        Ok(Server { child, url })
    }

    fn examine(&self, url: &str) -> Result<(), String> {
        let document = format!("{url}/openapi.json");
        let words = ["run", &document, "--phases", "examples,coverage,fuzzing", "--no-color"];
        let mut command = process::command(&self.program("schemathesis"), &words);
        command.args(["--max-examples", EXAMPLES, "--seed", "1", "--workers", "2"]);
        command.args(["--request-timeout", "20", "--warnings", "off"]);
        // A stream of events has no end to wait for.
        command.args(["--exclude-path-regex", "/stream$"]);
        // Its notes about earlier runs go where nobody looks for files of the project.
        command.current_dir(self.home());
        process::finish(command)
    }

    fn prove(&self) -> Result<(), String> {
        let sessions = self.home().join("metier/sessions");
        let files = std::fs::read_dir(&sessions).map_err(|error| error.to_string())?;
        let paths = files.filter_map(|entry| Some(entry.ok()?.path()));
        let mut journals: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
        journals.sort();
        for journal in journals.iter().take(PROVED) {
            process::output(&metier(), &["replay", &journal.to_string_lossy(), "--verify"])?;
        }
        println!("{} journals, the first {PROVED} of them proved", journals.len());
        Ok(())
    }

    fn program(&self, name: &str) -> String {
        self.tools.join("api/bin").join(name).to_string_lossy().into_owned()
    }

    fn home(&self) -> PathBuf {
        self.tools.join("api-home")
    }
}

fn metier() -> String {
    source::root().join("target/debug/metier").to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::JUDGES;

    #[test]
    fn every_judge_has_one_exact_version() {
        // U3
        for (name, version) in JUDGES {
            let exact = version.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(exact, "{name} {version}");
        }
    }
}
