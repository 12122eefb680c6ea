//! `cargo xtask mcp`: metier's MCP server before the official judges. The conformance suite and the
//! inspector come from npm, with the Node they need, the Python SDK from its registry; all of them
//! at one version, installed into `target/tools`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{process, source};

/// Packages of npm, each at one version, so that all machines test the same.
const NODE: &[(&str, &str)] = &[
    ("node", "24.21.0"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
];

/// The Python SDK.
const PYTHON_SDK: &str = "2.3.0";

/// Where the suite's expectations and the Python client are.
const OFFICIAL: &str = "crates/metier-serve/tests/official";

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

/// Installs the judges, starts the servers, and asks for every verdict.
pub(crate) fn run() -> Result<(), String> {
    let bench = Bench { tools: source::root().join("target/tools") };
    bench.install()?;
    bench.write_skills()?;
    process::run("cargo", &["build", "--package", "metier", "--bin", "metier"])?;
    process::run("cargo", &["build", "--package", "metier-serve", "--example", "mcp_http"])?;
    let server = bench.start()?;
    bench.conformance(&server.url)?;
    crate::mcp_client::run(bench.node("@modelcontextprotocol/conformance/dist/index.js"))?;
    bench.inspect(std::slice::from_ref(&server.url))?;
    bench.inspect(&bench.stdio())?;
    bench.python("http", std::slice::from_ref(&server.url))?;
    bench.python("stdio", &bench.stdio())
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
        let node = self.tools.join("node");
        std::fs::create_dir_all(&node).map_err(|error| error.to_string())?;
        if !NODE.iter().all(|(name, version)| self.has_node_package(name, version)) {
            let manifest = "{\"private\": true}\n";
            let file = node.join("package.json");
            std::fs::write(&file, manifest).map_err(|error| error.to_string())?;
            let mut npm = process::command("npm", &["install", "--no-audit", "--no-fund"]);
            npm.args(NODE.iter().map(|(name, version)| format!("{name}@{version}")));
            process::finish(within(npm, &node))?;
            // Newer versions of npm leave this to the user.
            let script = process::command("node", &["installArchSpecificPackage"]);
            process::finish(within(script, &node.join("node_modules/node")))?;
        }
        if !process::succeeds(&self.python_program(), &["-c", &python_check()]) {
            let environment = self.tools.join("python").to_string_lossy().into_owned();
            process::run("python3", &["-m", "venv", &environment])?;
            let wanted = format!("mcp=={PYTHON_SDK}");
            process::run(&self.python_program(), &["-m", "pip", "install", "--quiet", &wanted])?;
        }
        Ok(())
    }

    fn has_node_package(&self, name: &str, version: &str) -> bool {
        let manifest = self.tools.join("node/node_modules").join(name).join("package.json");
        let wanted = format!("\"version\": \"{version}\"");
        let binary = self.tools.join("node/node_modules/node/bin/node").is_file();
        binary && source::read(&manifest).is_ok_and(|text| text.contains(&wanted))
    }

    fn write_skills(&self) -> Result<(), String> {
        for (path, text) in SKILLS {
            let file = self.skills().join(path);
            let parent = file.parent().unwrap_or(&file);
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
            std::fs::write(&file, text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The HTTP server, on a port of its own choice.
    fn start(&self) -> Result<Server, String> {
        let program = source::root().join("target/debug/examples/mcp_http");
        let mut command = Command::new(&program);
        command.arg(self.skills()).arg("0").stdout(Stdio::piped());
        let cannot =
            |error: std::io::Error| format!("cannot start `{}`: {error}", program.display());
        let mut child = command.spawn().map_err(cannot)?;
        let mut url = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut url).map_err(cannot)?;
        }
        Ok(Server { child, url: url.trim().to_owned() })
    }

    /// The command that serves over standard input and output.
    fn stdio(&self) -> Vec<String> {
        let program = source::root().join("target/debug/metier");
        let home = self.tools.join("mcp-home");
        let words = [
            program.to_string_lossy().into_owned(),
            "--no-default-roots".to_owned(),
            format!("--root=personal={}", self.skills().display()),
            format!("--home={}", home.display()),
            "mcp".to_owned(),
        ];
        words.to_vec()
    }

    fn conformance(&self, url: &str) -> Result<(), String> {
        let expected = source::root().join(OFFICIAL).join("expected-failures.yml");
        let results = self.tools.join("conformance-results");
        let mut command = self.node("@modelcontextprotocol/conformance/dist/index.js");
        command.args(["server", "--suite", "all", "--url", url, "--expected-failures"]);
        command.arg(expected).arg("--output-dir").arg(results);
        process::finish(command)
    }

    fn inspect(&self, target: &[String]) -> Result<(), String> {
        let mut command = self.node(".bin/mcp-inspector");
        command.arg("--cli").args(target).args(["--method", "skills/list", "--verify"]);
        process::finish(command)
    }

    fn python(&self, kind: &str, target: &[String]) -> Result<(), String> {
        let script = format!("{OFFICIAL}/python_sdk.py");
        let mut command = process::command(&self.python_program(), &[&script, kind]);
        command.args(target);
        process::finish(command)
    }

    /// A program of npm, run by the Node that came with it.
    fn node(&self, program: &str) -> Command {
        let modules = self.tools.join("node/node_modules");
        let bin = modules.join("node/bin");
        let mut command = Command::new(bin.join("node"));
        command.arg(modules.join(program)).current_dir(source::root());
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", bin.display()));
        command
    }

    fn python_program(&self) -> String {
        self.tools.join("python/bin/python3").to_string_lossy().into_owned()
    }

    fn skills(&self) -> PathBuf {
        self.tools.join("mcp-skills")
    }
}

fn within(mut command: Command, directory: &Path) -> Command {
    command.current_dir(directory);
    command
}

fn python_check() -> String {
    format!("import importlib.metadata as m; assert m.version('mcp') == '{PYTHON_SDK}'")
}

#[cfg(test)]
mod tests {
    use super::{NODE, OFFICIAL};
    use crate::source;

    #[test]
    fn every_judge_has_one_exact_version() {
        // U2
        for (name, version) in NODE {
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name} {version}");
        }
    }

    #[test]
    fn every_expected_failure_stands_under_a_reason() {
        // U2
        let file = source::root().join(OFFICIAL).join("expected-failures.yml");
        let text = source::read(&file).unwrap();
        let mut reasoned = false;
        for line in text.lines().map(str::trim).skip_while(|line| *line != "server:").skip(1) {
            reasoned |= line.starts_with('#');
            assert!(reasoned, "no reason above {line}");
        }
    }
}
