//! The agents themselves, from npm at one version each, in `target/tools/agents`. No package's own
//! scripts are run: the programs are taken from the packages for this machine.

use std::path::{Path, PathBuf};

use crate::{process, source};

/// The version of Claude Code.
pub(super) const CLAUDE: &str = "2.1.197";
/// The version of Codex.
pub(super) const CODEX: &str = "0.166.0";
/// The version of Gemini CLI.
pub(super) const GEMINI: &str = "0.61.0";
/// The version of opencode.
pub(super) const OPENCODE: &str = "1.18.33";
/// The version of the Node that runs what needs one.
const NODE: &str = "24.21.0";

/// Where the agents are.
pub(super) struct Tools {
    root: PathBuf,
    machine: &'static str,
}

impl Tools {
    /// The directory, whether anything is in it or not.
    pub(super) fn new() -> Result<Self, String> {
        let machine = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => "linux-x64",
            ("linux", "aarch64") => "linux-arm64",
            (os, arch) => {
                return Err(format!("the agents are run on Linux only, not on {os} {arch}"));
            }
        };
        Ok(Self { root: source::root().join("target/tools/agents"), machine })
    }

    /// Installs what is missing.
    pub(super) fn install(&self) -> Result<(), String> {
        let packages = self.packages();
        if !packages.iter().all(|(name, version)| has(&self.root, name, version)) {
            npm(&self.root, &packages)?;
        }
        // opencode fetches this for every plugin, unless it is there.
        let plugin = [("@opencode-ai/plugin".to_owned(), OPENCODE)];
        let root = self.opencode_plugin();
        if !has(&root, &plugin[0].0, OPENCODE) {
            npm(&root, &plugin)?;
        }
        Ok(())
    }

    fn packages(&self) -> [(String, &'static str); 5] {
        let machine = self.machine;
        [
            (format!("node-{machine}"), NODE),
            (format!("@anthropic-ai/claude-code-{machine}"), CLAUDE),
            ("@openai/codex".to_owned(), CODEX),
            ("@google/gemini-cli".to_owned(), GEMINI),
            (format!("opencode-{machine}"), OPENCODE),
        ]
    }

    /// Claude Code.
    pub(super) fn claude(&self) -> PathBuf {
        self.module(&format!("@anthropic-ai/claude-code-{}/claude", self.machine))
    }

    /// Codex.
    pub(super) fn codex(&self) -> PathBuf {
        self.codex_vendor().join("bin/codex")
    }

    /// The script that is Gemini CLI.
    pub(super) fn gemini(&self) -> PathBuf {
        self.module("@google/gemini-cli/bundle/gemini.js")
    }

    /// opencode.
    pub(super) fn opencode(&self) -> PathBuf {
        self.module(&format!("opencode-{}/bin/opencode", self.machine))
    }

    /// A directory with what opencode wants beside a plugin.
    pub(super) fn opencode_plugin(&self) -> PathBuf {
        self.root.join("opencode-plugin")
    }

    /// Node.
    pub(super) fn node(&self) -> PathBuf {
        self.module(&format!("node-{}/bin/node", self.machine))
    }

    /// The directory with the `rg` that Codex brings, which opencode looks for.
    pub(super) fn ripgrep(&self) -> PathBuf {
        self.codex_vendor().join("codex-path")
    }

    fn codex_vendor(&self) -> PathBuf {
        let arch = std::env::consts::ARCH;
        let machine = self.machine;
        self.module(&format!("@openai/codex-{machine}/vendor/{arch}-unknown-linux-musl"))
    }

    fn module(&self, path: &str) -> PathBuf {
        self.root.join("node_modules").join(path)
    }
}

fn has(root: &Path, name: &str, version: &str) -> bool {
    let manifest = root.join("node_modules").join(name).join("package.json");
    let manifest = source::read(&manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    manifest.get("version").and_then(serde_json::Value::as_str) == Some(version)
}

fn npm(root: &Path, packages: &[(String, &str)]) -> Result<(), String> {
    let at = |error: std::io::Error| format!("cannot write into `{}`: {error}", root.display());
    std::fs::create_dir_all(root).map_err(at)?;
    std::fs::write(root.join("package.json"), "{\"private\": true}\n").map_err(at)?;
    let words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
    let mut npm = process::command("npm", &words);
    npm.args(packages.iter().map(|(name, version)| format!("{name}@{version}")));
    npm.current_dir(root);
    process::finish(npm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_one_exact_version() {
        // U5
        let Ok(tools) = Tools::new() else { return };
        for (name, version) in tools.packages() {
            assert_eq!(version.split('.').count(), 3, "{name} {version}");
            assert!(version.chars().all(|c| c.is_ascii_digit() || c == '.'), "{name} {version}");
        }
    }
}
