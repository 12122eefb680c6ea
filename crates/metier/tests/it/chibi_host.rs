//! A chibi: its plugin protocol as its two eras have it, without the model. The plugin is the real
//! binary under the plugin's name; the calling process is a shell that lives as long as the host.
//!
//! Followed to the letter: arguments in variables or on standard input, hooks once for each tool
//! that lists them, output dropped when a plugin fails, outputs over 4,000 bytes put away unless a
//! hook objects, `-P` without `pre_tool`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use metier_testing::World;
use serde_json::{Value, json};

use crate::{METIER, metier};

/// Output that is longer is put away.
const CACHED_FROM: usize = 4000;

/// Which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// chibi 0.4.1: variables.
    Variables,
    /// chibi 0.10: standard input.
    Stdin,
}

pub(crate) const ERAS: [Era; 2] = [Era::Variables, Era::Stdin];

/// A running chibi.
pub(crate) struct Chibi<'w> {
    world: &'w World,
    era: Era,
    plugin: PathBuf,
    shell: Child,
    orders: ChildStdin,
    echoes: BufReader<ChildStdout>,
    /// What `--schema` gave, tools without a description dropped.
    pub(crate) tools: Vec<Value>,
}

/// Puts the plugin into the world's home.
pub(crate) fn plugin(world: &World) -> PathBuf {
    let path = world.home().join(".chibi/plugins/agent-skills/agent-skills");
    if !path.exists() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // The same file twice is what a copy is to chibi, and a copy costs every test a second.
        if std::fs::hard_link(METIER, &path).is_err() {
            std::fs::copy(METIER, &path).unwrap();
        }
    }
    path
}

impl<'w> Chibi<'w> {
    /// Starts a chibi: every plugin is asked for its schema, then `on_start` fires.
    pub(crate) fn start(world: &'w World, era: Era) -> Self {
        let plugin = plugin(world);
        let mut command = world.command("/bin/sh");
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = shell.stdin.take().unwrap();
        let echoes = BufReader::new(shell.stdout.take().unwrap());
        let mut host = Self { world, era, plugin, shell, orders, echoes, tools: Vec::new() };
        let (code, schema) = host.run("--schema", &[], None);
        assert_eq!(code, 0, "{schema}");
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let schema = schema.as_array().cloned().unwrap_or_else(|| vec![schema]);
        host.tools = schema
            .into_iter()
            .filter(|tool| tool["name"].is_string() && tool["description"].is_string())
            .collect();
        host.hook("on_start", &json!({"current_context": "default", "verbose": false}));
        host
    }

    /// The plugin's answers to a hook; those of a plugin that fails are ignored.
    pub(crate) fn hook(&mut self, hook: &str, data: &Value) -> Vec<Value> {
        let lists = |tool: &&Value| {
            tool["hooks"].as_array().is_some_and(|hooks| hooks.contains(&json!(hook)))
        };
        let times = self.tools.iter().filter(lists).count();
        let mut answers = Vec::new();
        for _ in 0..times {
            let data = data.to_string();
            let (code, text) = match self.era {
                Era::Variables => {
                    self.run("", &[("CHIBI_HOOK", hook), ("CHIBI_HOOK_DATA", &data)], Some(""))
                }
                Era::Stdin => self.run("", &[("CHIBI_HOOK", hook)], Some(&data)),
            };
            if code == 0 {
                let read = serde_json::from_str(&text);
                answers.push(read.unwrap_or_else(|_| Value::String(text)));
            }
        }
        answers
    }

    /// What the system prompt gets from the plugin.
    pub(crate) fn injected(&mut self) -> String {
        let data = match self.era {
            Era::Variables => json!({"context_name": "d", "goals": "", "summary": "", "todos": ""}),
            Era::Stdin => json!({"context_name": "d", "flock_goals": [], "summary": ""}),
        };
        let answers = self.hook("post_system_prompt", &data);
        answers.iter().filter_map(|answer| answer["inject"].as_str()).collect()
    }

    /// What a model sees when it calls `tool`.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let data = json!({"tool_name": tool, "arguments": arguments});
        for answer in self.hook("pre_tool", &data) {
            if answer["block"] == true {
                return answer["message"]
                    .as_str()
                    .unwrap_or("Tool call blocked by hook")
                    .to_owned();
            }
        }
        let ours = self.tools.iter().any(|known| known["name"] == tool);
        if !ours {
            return self.built_in(tool, arguments);
        }
        let output = self.execute(tool, arguments);
        self.kept(tool, arguments, output)
    }

    /// `chibi -P TOOL WORDS…` of old, `chibi -p TOOL "WORDS"` of today.
    pub(crate) fn command_line(&mut self, tool: &str, words: &[&str]) -> String {
        match self.tools.iter().any(|known| known["name"] == tool) {
            true => self.execute(tool, &json!({ "args": words })),
            false => format!("Error: Tool '{tool}' not found"),
        }
    }

    /// The calling process.
    pub(crate) fn pid(&self) -> u32 {
        self.shell.id()
    }

    /// Ends as by `kill -9`: no hook fires.
    pub(crate) fn kill(mut self) {
        self.shell.kill().unwrap();
        self.shell.wait().unwrap();
    }

    fn built_in(&mut self, tool: &str, arguments: &Value) -> String {
        let (hook, mut data) = match tool {
            "shell_exec" => ("pre_shell_exec", json!({"command": arguments["command"]})),
            "write_file" | "file_edit" => ("pre_file_write", json!({"path": arguments["path"]})),
            "file_head" | "file_tail" => ("pre_file_read", json!({"path": arguments["path"]})),
            "fetch_url" => ("pre_fetch_url", json!({"url": arguments["url"]})),
            "call_user" | "update_todos" | "dir_list" | "grep_files" => {
                return format!("ran {tool}");
            }
            _ => return format!("Error: Unknown tool '{tool}'"),
        };
        data["tool_name"] = json!(tool);
        let answers = match self.era {
            Era::Variables => Vec::new(),
            Era::Stdin => self.hook(hook, &data),
        };
        let denied = answers.iter().find(|answer| answer["denied"] == true);
        denied.map_or(format!("ran {tool}"), |no| no["reason"].as_str().unwrap().to_owned())
    }

    fn execute(&mut self, tool: &str, arguments: &Value) -> String {
        let data = arguments.to_string();
        let (code, text) = match self.era {
            // Standard input is the user's terminal: a pipe into which nobody writes.
            Era::Variables => {
                self.run("", &[("CHIBI_TOOL_NAME", tool), ("CHIBI_TOOL_ARGS", &data)], None)
            }
            Era::Stdin => self.run("", &[("CHIBI_TOOL_NAME", tool)], Some(&data)),
        };
        match code {
            0 => text,
            _ => "Error: Tool execution failed or was cancelled".to_owned(),
        }
    }

    fn kept(&mut self, tool: &str, arguments: &Value, output: String) -> String {
        let short = output.len() <= CACHED_FROM || output.starts_with("Error:");
        if self.era == Era::Variables || short {
            return output;
        }
        let data = json!({"tool_name": tool, "output_size": output.len(), "arguments": arguments});
        match self.hook("pre_cache_output", &data).iter().any(|answer| answer["block"] == true) {
            true => output,
            false => format!("[Output cached: {}]", output.get(..500).unwrap_or_default()),
        }
    }

    /// Has the shell run the plugin. Without `stdin`, its standard input is open and silent.
    fn run(&mut self, word: &str, env: &[(&str, &str)], stdin: Option<&str>) -> (i32, String) {
        let (input, output) = (self.world.path().join("in"), self.world.path().join("out"));
        let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let mut order = String::new();
        for (name, value) in env {
            order.push_str(&format!("{name}={} ", quoted(value)));
        }
        let from = match stdin {
            Some(text) => {
                std::fs::write(&input, text).unwrap();
                format!("< {}", quoted(&input.to_string_lossy()))
            }
            None => {
                let silent = self.world.path().join("silent");
                if !silent.exists() {
                    let made = self.world.command("mkfifo").arg(&silent).status().unwrap();
                    assert!(made.success());
                }
                format!("0<> {}", quoted(&silent.to_string_lossy()))
            }
        };
        let plugin = quoted(&self.plugin.to_string_lossy());
        let to = quoted(&output.to_string_lossy());
        order.push_str(&format!("{plugin} {word} {from} > {to}; echo $?\n"));
        self.orders.write_all(order.as_bytes()).unwrap();
        let mut code = String::new();
        self.echoes.read_line(&mut code).unwrap();
        let text = std::fs::read_to_string(&output).unwrap();
        (code.trim().parse().unwrap(), text.trim_end_matches('\n').to_owned())
    }
}

impl Drop for Chibi<'_> {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// The binary itself is not the plugin; its copy under the plugin's name is.
#[test]
fn the_copy_is_what_makes_it_the_plugin() {
    // U4
    let mut world = World::new();
    let run = world.run(METIER, &["--schema"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    let home = world.path().join("elsewhere");
    world.env("CHIBI_HOME", home.to_str().unwrap());
    let run = metier(&world, &["chibi", "--install"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let copy = home.join("plugins/agent-skills/agent-skills");
    assert!(std::fs::symlink_metadata(&copy).unwrap().is_file(), "chibi refuses links");
    let run = world.run(copy.to_str().unwrap(), &["--schema"]);
    assert_eq!((run.code, run.json()[0]["name"].clone()), (0, json!("skill_marketplace")));
}
