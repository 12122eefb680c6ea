//! What a model is told about working with skills, for models that need it spelled out: how paths
//! resolve, that scripts are run and not read, what a tool call looks like.
//!
//! Every example is built from the names of the tools the model really has, and from one base
//! directory and one relative path, so that no example can contradict another.

use std::path::Path;

use serde_json::json;

/// The tools a model has, as its dialect spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideTools {
    /// The tool that reads a file.
    pub read: String,
    /// The argument of `read` that is the path.
    pub read_path: String,
    /// The tool that runs a command.
    pub shell: String,
    /// The argument of `shell` that is the command.
    pub shell_command: String,
    /// The tool that activates a skill.
    pub skill: String,
    /// The argument of `skill` that is the skill's name.
    pub skill_name: String,
}

impl Default for GuideTools {
    fn default() -> Self {
        Self {
            read: "Read".to_owned(),
            read_path: "file_path".to_owned(),
            shell: "Bash".to_owned(),
            shell_command: "command".to_owned(),
            skill: "Skill".to_owned(),
            skill_name: "skill_name".to_owned(),
        }
    }
}

/// The skill every example is about.
const NAME: &str = "pdf-forms";
/// Where it lies in the examples.
const BASE: &str = "/skills/pdf-forms";
/// A document of it.
const DOCUMENT: &str = "references/fields.md";
/// A script of it, and what it is given.
const SCRIPT: (&str, &str) = ("scripts/fill.py", "form.pdf");

/// All three texts under one heading.
#[must_use]
pub fn guide(tools: &GuideTools) -> String {
    let parts = [paths(tools), scripts(tools), tool_calls(tools)];
    format!("## Working with skills\n\n{}", parts.join("\n\n"))
}

/// How relative paths in a skill resolve.
#[must_use]
pub fn paths(tools: &GuideTools) -> String {
    let (read, document) = (&tools.read, resolved(DOCUMENT));
    format!(
        "### Paths\n\n\
         A skill comes with its base directory. Every relative path in its text starts there, not \
         in the working directory.\n\n\
         - The base directory is `{BASE}` and the text says `[fields]({DOCUMENT})`: use {read} on \
         `{document}`.\n\
         - What starts with `/` or `https://` is used as it stands.\n\
         - Read such a file when a step needs it, not before."
    )
}

/// That scripts are run, not read.
#[must_use]
pub fn scripts(tools: &GuideTools) -> String {
    let GuideTools { read, shell, .. } = tools;
    let (script, input) = SCRIPT;
    let (command, source) = (command(), resolved(script));
    format!(
        "### Scripts\n\n\
         Run the scripts of a skill and do not read them: running costs you only their output, \
         reading costs you their whole source.\n\n\
         - The text says `python {script} {input}`: use {shell} with `{command}`. The script's path \
         becomes absolute; your own files keep the paths they have.\n\
         - Never use {read} on `{source}` to find out what it does; run it with `--help`."
    )
}

/// What a call of each tool looks like.
#[must_use]
pub fn tool_calls(tools: &GuideTools) -> String {
    let call = |tool: &str, argument: &str, value: &str| {
        json!({ "tool": tool, "arguments": { argument: value } }).to_string()
    };
    let read = call(&tools.read, &tools.read_path, &resolved(DOCUMENT));
    let shell = call(&tools.shell, &tools.shell_command, &command());
    let skill = call(&tools.skill, &tools.skill_name, NAME);
    format!(
        "### Tool calls\n\n\
         Call a tool with one JSON object, every path in it absolute:\n\n\
         ```json\n{skill}\n{read}\n{shell}\n```"
    )
}

fn resolved(relative: &str) -> String {
    Path::new(BASE).join(relative).to_string_lossy().into_owned()
}

fn command() -> String {
    let (script, input) = SCRIPT;
    format!("python {} {input}", resolved(script))
}

#[cfg(test)]
#[path = "guide_tests.rs"]
mod tests;
