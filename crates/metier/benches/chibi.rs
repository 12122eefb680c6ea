//! U4, N1: what chibi's plugin costs over 1,000 skills, as the host sees it: one process a question.
//! `cargo bench -p metier --bench chibi`; `-- --quick` asks a tenth as often.
//!
//! Beside each question, in turns, two floors: `/bin/true` and `metier --version`. The clock on a busy
//! machine says little, so the mean of the processor's time is printed too. The plugin that chibi had
//! before needed 47 ms for `--schema` and 1.4 ms for `pre_tool` on another machine.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark makes files, starts programs, reads the clock and prints"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use metier_testing::measure::{load, percentile, processor_time_of_children};
use metier_testing::{Layout, World, generate_skills};

const METIER: &str = env!("CARGO_BIN_EXE_metier");

/// Questions of each kind; a hundredth of them is slower than p99.
const TIMES: usize = 1_000;

/// Skills installed.
const SKILLS: usize = 1_000;

/// One question of the host.
struct Question {
    name: &'static str,
    words: &'static [&'static str],
    hook: Option<&'static str>,
    tool: Option<&'static str>,
    input: &'static str,
}

const CALL: &str = "{\"tool_name\":\"shell_exec\",\"arguments\":{\"command\":\"git status\"}}";

const QUESTIONS: &[Question] = &[
    Question { name: "--schema", words: &["--schema"], hook: None, tool: None, input: "" },
    Question { name: "on_start", words: &[], hook: Some("on_start"), tool: None, input: "{}" },
    Question {
        name: "post_system_prompt",
        words: &[],
        hook: Some("post_system_prompt"),
        tool: None,
        input: "{}",
    },
    Question { name: "pre_tool", words: &[], hook: Some("pre_tool"), tool: None, input: CALL },
    Question {
        name: "skill_gitty",
        words: &[],
        hook: None,
        tool: Some("skill_gitty"),
        input: "{\"arguments\":\"x\"}",
    },
    Question {
        name: "pre_tool, active",
        words: &[],
        hook: Some("pre_tool"),
        tool: None,
        input: CALL,
    },
];

/// Turns in which the floors and the plugin are asked.
const TURNS: usize = 10;

/// What the runs of one program took.
#[derive(Default)]
struct Spent {
    clock: Vec<Duration>,
    /// The processor's time of all of them.
    processor: Duration,
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let times = if quick { TIMES / 10 } else { TIMES };
    let world = World::new();
    let plugin = prepare(&world);
    println!("{times} times each, {SKILLS} skills; milliseconds; {}", load());
    println!("{:<22} {:>7} {:>7} {:>7} {:>10}", "", "p50", "p99", "max", "processor");
    for question in QUESTIONS {
        let [mut nothing, mut version, mut ours] = [const { Spent::new() }; 3];
        for _ in 0..TURNS {
            let each = times / TURNS;
            nothing.ask(each, question, || world.command("/bin/true"));
            version.ask(each, question, || {
                let mut says = world.command(METIER);
                says.arg("--version");
                says
            });
            ours.ask(each, question, || {
                let mut asked = world.command(&plugin.to_string_lossy());
                asked.args(question.words);
                asked
            });
        }
        let nothing = nothing.print("  /bin/true", None);
        let version = version.print("  metier --version", None);
        ours.print(question.name, Some((nothing, version)));
    }
}

/// A home with the skills, and the plugin where chibi has it.
fn prepare(world: &World) -> PathBuf {
    let skills = world.home().join(".agents/skills");
    std::fs::create_dir_all(&skills).expect("a directory");
    generate_skills(&skills, SKILLS, Layout::Flat);
    let gitty = "---\nname: gitty\ndescription: Git. Use for git.\nallowed-tools: Bash(git:*)\n\
                 ---\nGit.\n";
    world.write("home/.agents/skills/gitty/SKILL.md", gitty);
    let plugin = world.home().join(".chibi/plugins/agent-skills/agent-skills");
    std::fs::create_dir_all(plugin.parent().unwrap_or(Path::new("/"))).expect("a directory");
    std::fs::copy(METIER, &plugin).expect("a copy");
    plugin
}

impl Spent {
    const fn new() -> Self {
        Self { clock: Vec::new(), processor: Duration::ZERO }
    }

    fn ask(&mut self, times: usize, question: &Question, command: impl Fn() -> Command) {
        let before = processor_time_of_children();
        for _ in 0..times {
            self.clock.push(one(command(), question));
        }
        self.processor += processor_time_of_children() - before;
    }

    /// Prints the percentiles and the processor's mean, with the ratios of both to the floors; gives
    /// the median and that mean.
    fn print(mut self, name: &str, floors: Option<(Took, Took)>) -> Took {
        self.clock.sort_unstable();
        let at = |percent: usize| percentile(&self.clock, percent);
        let processor = self.processor.as_secs_f64() * 1000.0 / self.clock.len() as f64;
        let ratio = floors.map(|(nothing, version)| {
            let to = |floor: Took| {
                format!(
                    "{:.1} (processor {:.1})",
                    at(50) / floor.clock,
                    processor / floor.processor
                )
            };
            format!("   ÷ true {}, ÷ version {}", to(nothing), to(version))
        });
        println!(
            "{name:<22} {:>7.2} {:>7.2} {:>7.2} {processor:>10.2}{}",
            at(50),
            at(99),
            at(100),
            ratio.unwrap_or_default()
        );
        Took { clock: at(50), processor }
    }
}

/// The median by the clock and the mean of the processor, in milliseconds.
#[derive(Clone, Copy)]
struct Took {
    clock: f64,
    processor: f64,
}

/// From starting a program to knowing its whole answer.
fn one(mut command: Command, question: &Question) -> Duration {
    let variables = [("CHIBI_HOOK", question.hook), ("CHIBI_TOOL_NAME", question.tool)];
    command.envs(variables.into_iter().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().expect("start");
    // The floors do not read it.
    let _ = child.stdin.take().expect("a pipe").write_all(question.input.as_bytes());
    let output = child.wait_with_output().expect("an answer");
    assert!(output.status.success());
    began.elapsed()
}
