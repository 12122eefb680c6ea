//! The walls around one script: a pure function of the law, the skill's `permissions`, how far the
//! skill is trusted, and where things are.
//!
//! | | never approved | approved |
//! |---|---|---|
//! | walls | every one required | as the law says; by default those that can be built |
//! | read | the skill, its interpreter, the system | the same, and the project when the law says so |
//! | write | a fresh private directory | the same, and the project when the law says so |
//! | network | off | off, unless `permissions.network` asks and the law lets it |
//! | environment | a minimal list, and what `permissions.env` and the law both name | the same |
//!
//! A list of hosts cannot be enforced by any mechanism here, so it is handed on as one and refused
//! by the runner: it is never widened to everything without the law's word.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metier_format::manifest::Parts;
use metier_policy::{ProjectAccess, ScriptLaw, ScriptLevel, ScriptNetwork};
use metier_sandbox::limits::WALL_SECONDS;
use metier_sandbox::{Confinement, Level, Limits, Network, environment};
use metier_store::catalog::Trust;

use crate::limits::MAX_SCRIPT_SECONDS;

/// What the walls depend on.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The law.
    pub law: &'a ScriptLaw,
    /// What the skill asks for.
    pub parts: &'a Parts,
    /// How far it is trusted.
    pub trust: Trust,
    /// Where it lies.
    pub skill: &'a Path,
    /// What else the interpreter needs to read.
    pub reads: &'a [PathBuf],
    /// The project, when there is one.
    pub project: Option<&'a Path>,
    /// Whether the project is or holds the user's home or metier's own directory.
    pub project_holds_home: bool,
    /// The caller's environment.
    pub variables: &'a [(OsString, OsString)],
    /// How long the caller would wait.
    pub timeout: Option<Duration>,
}

/// The walls, and what the user should know about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confined {
    /// The walls.
    pub confinement: Confinement,
    /// Where less is given than was asked for, or more than usual.
    pub notes: Vec<String>,
}

/// The walls for these circumstances.
#[must_use]
pub fn confine(about: &Circumstances<'_>) -> Confined {
    let mut notes = Vec::new();
    let approved = about.trust == Trust::Approved;
    let mut read = vec![about.skill.to_owned()];
    read.extend(about.reads.iter().cloned());
    let mut write = Vec::new();
    match project(about, &mut notes) {
        Some((project, ProjectAccess::Write)) => write.push(project.to_owned()),
        Some((project, _)) => read.push(project.to_owned()),
        None => {}
    }
    let confinement = Confinement {
        read,
        write,
        network: network(about, &mut notes),
        environment: variables(about, &mut notes),
        limits: limits(about),
        level: match about.law.level {
            ScriptLevel::Prefer if approved => Level::Prefer,
            ScriptLevel::Off if approved => Level::Off,
            ScriptLevel::Require | ScriptLevel::Prefer | ScriptLevel::Off => Level::Require,
        },
        ..Confinement::default()
    };
    Confined { confinement, notes }
}

/// The project and what may be done with it: nothing unless the law says so, the skill was approved,
/// and it is a project and not somebody's home.
fn project<'a>(
    about: &Circumstances<'a>,
    notes: &mut Vec<String>,
) -> Option<(&'a Path, ProjectAccess)> {
    let project = about.project.filter(|_| about.law.project != ProjectAccess::None)?;
    if about.trust != Trust::Approved {
        notes.push("the project is closed to it: the skill was never approved".to_owned());
        return None;
    }
    if about.project_holds_home {
        let why = "the project is closed to it: it is or holds your home or metier's directory";
        notes.push(why.to_owned());
        return None;
    }
    if about.law.project == ProjectAccess::Write {
        let wide = "it may change the project; where only Landlock stands, its `.git` and agents' settings too";
        notes.push(wide.to_owned());
    }
    Some((project, about.law.project))
}

fn network(about: &Circumstances<'_>, notes: &mut Vec<String>) -> Network {
    let asked: Vec<String> = about.parts.network.iter().map(|host| host.value.clone()).collect();
    if asked.is_empty() {
        return Network::Off;
    }
    if about.trust != Trust::Approved {
        notes.push("it asks for the network and has none: the skill was never approved".to_owned());
        return Network::Off;
    }
    let everything = asked.iter().any(|host| host == "*");
    match about.law.network {
        ScriptNetwork::Off => {
            notes.push("it asks for the network and has none: policy says `off`".to_owned());
            Network::Off
        }
        ScriptNetwork::Declared if everything => Network::Full,
        ScriptNetwork::Declared => Network::Hosts(asked),
        ScriptNetwork::Any => {
            if !everything {
                notes.push(format!(
                    "it asks for {} and may reach everything: policy says `any`",
                    asked.join(", ")
                ));
            }
            Network::Full
        }
    }
}

fn variables(about: &Circumstances<'_>, notes: &mut Vec<String>) -> Vec<(OsString, OsString)> {
    let asked: Vec<&str> = about.parts.env.iter().map(|name| name.value.as_str()).collect();
    let passes = |name: &OsString| name.to_str().is_some_and(|name| about.law.passes(name));
    let (passing, held): (Vec<_>, Vec<_>) =
        about.variables.iter().cloned().partition(|(name, _)| passes(name));
    let given = environment::build(&asked, &passing);
    let minimal = environment::build(&[], &[]);
    // As the skill wrote them: what else the caller has is not for whoever reads the note.
    let missed = |pattern: &&&str| {
        environment::build(&[**pattern], &held).iter().any(|pair| !minimal.contains(pair))
    };
    let names: Vec<String> =
        asked.iter().filter(missed).map(|pattern| format!("`{pattern}`")).collect();
    if !names.is_empty() {
        notes.push(format!(
            "it asks for {}, which policy does not pass on; `env` under `[scripts]` would",
            names.join(", ")
        ));
    }
    given
}

fn limits(about: &Circumstances<'_>) -> Limits {
    let usual = Limits::default();
    let law = about.law.limits;
    let most = law.timeout.unwrap_or(MAX_SCRIPT_SECONDS).saturating_mul(1000);
    let asked = about.timeout.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let wall_ms = asked.unwrap_or(WALL_SECONDS * 1000).clamp(1, most.max(1));
    let capped = |usual: u64, law: Option<u64>, shift: u32| {
        law.and_then(|law| law.checked_mul(1 << shift)).map_or(usual, |law| law.min(usual))
    };
    Limits {
        wall_ms,
        cpu_seconds: usual.cpu_seconds.max(wall_ms.div_ceil(1000)),
        memory: capped(usual.memory, law.memory_mib, 20),
        processes: capped(usual.processes, law.processes, 0),
        stdout: capped(usual.stdout, law.output_kib, 10),
        ..usual
    }
}

#[cfg(test)]
#[path = "confine_tests.rs"]
mod tests;
