//! `cargo xtask agents`: the real agents, held to their skills by metier's hooks. Each one is
//! installed at one version, set up by `metier link AGENT --hooks`, and run to its end with a model
//! that follows a script; what it did and what the journal says is compared with what must be.
//!
//! No agent reaches anything but the loopback address: the runs are inside a network of their own
//! where the system lets them be, and every agent's own switches are off. Start at `story`.

mod agent;
mod install;
mod model;
mod story;
mod wire;
mod world;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::process;
use agent::Agent;
use install::Tools;
use story::{Findings, POINTS, tell};

/// The argument with which the task starts itself inside its own network.
const WALLED: &str = "--walled";

/// The argument that keeps what the agents did, for whoever wants to look.
const KEEP: &str = "--keep";

/// Runs the agents named, or all of them.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let names: Vec<&String> =
        arguments.iter().filter(|a| ![WALLED, KEEP].contains(&a.as_str())).collect();
    let agents = chosen(&names)?;
    if has(WALLED) {
        return run_all(&agents, has(KEEP));
    }
    Tools::new()?.install()?;
    process::run("cargo", &["build", "--package", "metier", "--bin", "metier"])?;
    match wall() {
        Some(mut command) => {
            command.args(arguments);
            process::finish(command)
        }
        None => {
            println!("not exercised: a network without a way out (`unshare` and `ip` are needed)");
            run_all(&agents, has(KEEP))
        }
    }
}

fn chosen(names: &[&String]) -> Result<Vec<Agent>, String> {
    let known = |name: &&String| Agent::ALL.into_iter().find(|agent| agent.id() == name.as_str());
    let agents: Option<Vec<Agent>> = names.iter().map(known).collect();
    let ids = Agent::ALL.map(Agent::id).join("`, `");
    let agents = agents.ok_or_else(|| format!("the agents are `{ids}`"))?;
    Ok(if agents.is_empty() { Agent::ALL.to_vec() } else { agents })
}

/// This task in a network that has a loopback address and nothing else.
fn wall() -> Option<Command> {
    let words = ["--map-root-user", "--net", "sh", "-c"];
    let up = "ip link set lo up";
    if !process::succeeds("unshare", &[&words[..], &[up]].concat()) {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let mut command = process::command("unshare", &words);
    command.arg(format!("{up} && exec \"$@\"")).arg("sh").arg(program).args(["agents", WALLED]);
    Some(command)
}

fn run_all(agents: &[Agent], keep: bool) -> Result<(), String> {
    let tools = Tools::new()?;
    let root = std::env::temp_dir().join(format!("metier-agents-{}", std::process::id()));
    let started = Instant::now();
    // Two at a time: they wait more than they work, but not so much that all four fit.
    let mut told = Vec::new();
    for pair in agents.chunks(2) {
        told.extend(std::thread::scope(|scope| {
            let tell_one = |agent: Agent| tell(agent, &tools, root.join(agent.id()));
            let threads: Vec<_> =
                pair.iter().map(|agent| (*agent, scope.spawn(move || tell_one(*agent)))).collect();
            let ended = threads.into_iter().map(|(agent, thread)| {
                let ended = thread.join().unwrap_or_else(|_| Err("it panicked".to_owned()));
                (agent, ended)
            });
            ended.collect::<Vec<_>>()
        }));
    }
    report(&told, &root)?;
    println!("{} agents in {:.0?}", told.len(), started.elapsed());
    match keep {
        true => println!("what they did is in {}", root.display()),
        // Nothing depends on it.
        false => drop(std::fs::remove_dir_all(&root)),
    }
    Ok(())
}

/// Prints the table, then what is wrong; an error when anything is.
fn report(told: &[(Agent, Result<Findings, String>)], root: &Path) -> Result<(), String> {
    println!("{}", header());
    for (agent, findings) in told {
        println!("{}", row(*agent, findings));
    }
    let faults: Vec<String> = told
        .iter()
        .flat_map(|(agent, findings)| {
            faults(findings).into_iter().map(|fault| format!("{} {fault}", agent.id()))
        })
        .collect();
    for fault in &faults {
        println!("does not hold: {fault}");
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{} faults; what was done is in {}", faults.len(), root.display())),
    }
}

/// What does not hold, and what was not looked at.
fn faults(findings: &Result<Findings, String>) -> Vec<String> {
    let findings = match findings {
        Ok(findings) => findings,
        Err(error) => return vec![error.clone()],
    };
    let mut faults: Vec<String> =
        findings.faults.iter().map(|(point, what)| format!("{point}: {what}")).collect();
    let unseen = POINTS.iter().filter(|point| !findings.checks.contains_key(point));
    faults.extend(unseen.map(|point| format!("{point}: nothing was looked at")));
    faults
}

fn header() -> String {
    let points: String = POINTS.iter().map(|point| format!("{point:>6}")).collect();
    format!("{:<14}{:<10}{points}{:>10}", "agent", "version", "seconds")
}

/// How many checks held at each point; `FAIL` where one did not, `-` where there was none.
fn row(agent: Agent, findings: &Result<Findings, String>) -> String {
    let cell = |point: &char| {
        let Ok(findings) = findings else { return "FAIL".to_owned() };
        match findings.checks.get(point) {
            _ if findings.faults.iter().any(|(at, _)| at == point) => "FAIL".to_owned(),
            Some(count) => count.to_string(),
            None => "-".to_owned(),
        }
    };
    let points: String = POINTS.iter().map(|point| format!("{:>6}", cell(point))).collect();
    let took = findings.as_ref().map_or(0.0, |findings| findings.took.as_secs_f64());
    format!("{:<14}{:<10}{points}{took:>10.1}", agent.id(), agent.version())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn agents_are_chosen_by_name_and_all_without_one() {
        // U5
        let (codex, nobody) = ("codex".to_owned(), "nobody".to_owned());
        assert_eq!(chosen(&[]), Ok(Agent::ALL.to_vec()));
        assert_eq!(chosen(&[&codex]), Ok(vec![Agent::Codex]));
        assert!(chosen(&[&codex, &nobody]).unwrap_err().contains("`opencode`"));
    }

    #[test]
    fn a_point_that_does_not_hold_is_seen_and_is_an_error() {
        // U5
        let findings = |points: &[char], faults: Vec<(char, String)>| Findings {
            checks: points.iter().map(|point| (*point, 2)).collect(),
            faults,
            took: Duration::from_secs(3),
        };
        let cells = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let root = Path::new("/nowhere");
        let good = Ok(findings(&POINTS, Vec::new()));
        assert_eq!(
            cells(&row(Agent::Codex, &good))[2..],
            ["2", "2", "2", "2", "2", "2", "2", "2", "3.0"]
        );
        assert_eq!(report(&[(Agent::Codex, good)], root), Ok(()));
        let bad = Ok(findings(&POINTS, vec![('b', "x".to_owned())]));
        assert_eq!(cells(&row(Agent::Codex, &bad))[3], "FAIL");
        assert!(report(&[(Agent::Codex, bad)], root).unwrap_err().starts_with("1 faults"));
        let partly = Ok(findings(&['a'], Vec::new()));
        assert_eq!(cells(&row(Agent::Codex, &partly))[3], "-");
        assert!(report(&[(Agent::Codex, partly)], root).unwrap_err().starts_with("7 faults"));
        let none = Err("gone".to_owned());
        assert!(cells(&row(Agent::Codex, &none))[2..10].iter().all(|cell| cell == "FAIL"));
        assert!(report(&[(Agent::Codex, none)], root).is_err());
    }
}
