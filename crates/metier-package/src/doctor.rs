//! What is wrong with what metier keeps, and what can be put right without asking: looked at by
//! [`examine`], which changes nothing, and repaired by [`repair`], which does only what loses
//! nothing and gives nobody more than they had.
//!
//! Every finding has a stable [`Code`], whose table says how bad it is and what to do about it.

mod code;
mod disk;

use std::path::{Path, PathBuf};

use metier_store::Catalog;
use metier_store::catalog::Rule;
use metier_store::client::{Agent, Places};
use metier_store::vouch::Standing;
use serde::Serialize;

use crate::agents::{detected, is_there};
use crate::change::{ChangeError, Hand, pending};
use crate::collect::{self, Thoroughness, collect};
use crate::home::{Home, Place};
use crate::install::{Drift, Request};
use crate::link::{self, Linking, Mode};
use crate::links;
use crate::records::{self, RecordError, approvals, existing};
use crate::reference::Bases;
use crate::replaced;
use crate::sync::{self, Plan, sync};
use crate::trust::By;
use crate::turn;
use crate::verify::verify;

pub use code::{Code, Severity};

/// What is looked at.
#[derive(Clone, Debug)]
pub struct Patient<'a> {
    /// metier's own directory.
    pub home: &'a Home,
    /// The places skills are installed at.
    pub places: &'a [Place],
    /// Where the agents' directories are.
    pub agents: &'a Places,
    /// What all roots together have, when that was looked at.
    pub catalog: Option<&'a Catalog>,
    /// Where programs are searched.
    pub programs: &'a [PathBuf],
    /// What short forms of sources are short for.
    pub bases: &'a Bases,
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub code: Code,
    /// Where.
    pub path: String,
    /// What it is, in words.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// Whether [`repair`] does something about it.
    pub repairable: bool,
}

impl Finding {
    /// The finding `code` at `path`, told by `message`.
    #[must_use]
    pub fn new(code: Code, path: &Path, message: impl Into<String>) -> Self {
        Self {
            severity: code.severity(),
            code,
            path: path.to_string_lossy().into_owned(),
            message: message.into(),
            fix: code.fix().to_owned(),
            repairable: code.is_repairable(),
        }
    }
}

/// Everything that is wrong, the worst first.
#[must_use]
pub fn examine(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = match existing(patient.home.path()) {
        Ok(Some(_)) => at_home(patient),
        Ok(None) => Vec::new(),
        // Nothing in it can be looked at, and that is all there is to say about it.
        Err(error) => vec![unreadable(&error.into(), patient.home.path())],
    };
    findings.extend(changed(patient));
    findings.extend(shadowed(patient.catalog));
    findings.extend(programs(patient.programs));
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.cmp(b)));
    findings.dedup();
    findings
}

/// What is wrong with what is written down in the home, and with what that is about.
fn at_home(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = disk::open_to_others(patient.home);
    findings.extend(unfinished(patient.home));
    for place in patient.places {
        findings.extend(installed(patient, place));
        findings.extend(linked(patient, place));
    }
    findings.extend(disk::strange_links(patient));
    findings.extend(kept(patient.home));
    findings
}

/// Does what is safe about the findings; gives what could not be done. What was is what a second
/// look does not find any more.
pub fn repair(patient: &Patient<'_>, findings: &[Finding], by: &By) -> Vec<ChangeError> {
    let has = |codes: &[Code]| findings.iter().any(|finding| codes.contains(&finding.code));
    let mut failed = Vec::new();
    let mut attempt = |result: Result<(), ChangeError>| failed.extend(result.err());
    if has(&[Code::OpenToOthers]) {
        attempt(disk::close_to_others(patient.home).map_err(ChangeError::from));
    }
    if has(&[Code::Interrupted, Code::StaleTurn]) {
        attempt(finish(patient.home));
    }
    for place in patient.places {
        if has(&[Code::Missing]) {
            attempt(reinstall(patient, place, by));
        }
        if has(&[Code::AgentGone, Code::LinkMissing, Code::LinkDangling]) {
            attempt(relink(patient, place, by));
        }
    }
    if has(&[Code::LinkDangling]) {
        attempt(disk::remove_dangling(patient));
    }
    if has(&[Code::Unreferenced]) {
        attempt(collect(patient.home, Thoroughness::KeepEarlier).map(drop));
    }
    failed
}

fn finish(home: &Home) -> Result<(), ChangeError> {
    let hand = Hand::take(home)?;
    crate::link_change::mend(&hand).map(drop)
}

/// Puts back what is gone and kept, and nothing that somebody changed.
fn reinstall(patient: &Patient<'_>, place: &Place, by: &By) -> Result<(), ChangeError> {
    let Patient { home, bases, .. } = *patient;
    let mut plan = sync::plan(home, place, bases)?;
    plan.ready.retain(|pinned| !is_there(&place.directory(home, pinned.name.as_str())));
    if plan.ready.is_empty() {
        return Ok(());
    }
    let request = Request { home, place, act: "doctor", by, drift: Drift::Refuse };
    sync(&request, &Plan { ready: plan.ready, ..Plan::default() }, &[]).map(drop)
}

fn relink(patient: &Patient<'_>, place: &Place, by: &By) -> Result<(), ChangeError> {
    let Patient { home, agents: places, .. } = *patient;
    let linking = Linking { home, place, places, by, mode: Mode::Act };
    let gone = gone_agents(patient, place)?;
    match gone.is_empty() {
        true => link::relink(&linking).map(drop),
        false => link::unlink(&linking, &gone).map(drop),
    }
}

/// Linked agents of which nothing is left.
fn gone_agents(patient: &Patient<'_>, place: &Place) -> Result<Vec<&'static Agent>, RecordError> {
    let links = links::Links::read(patient.home, place)?;
    let known = links.agents.keys().filter_map(|id| Agent::find(id));
    let gone =
        |agent: &&Agent| !agent.detected.is_empty() && detected(agent, patient.agents).is_none();
    Ok(known.filter(gone).collect())
}

/// Acts that did not come to an end, and whoever was at them.
fn unfinished(home: &Home) -> Vec<Finding> {
    let mut findings = Vec::new();
    let note = |act: &str| format!("`{act}` did not come to an end");
    match pending(home) {
        Ok(None) => {}
        Ok(Some(pending)) => {
            let path = home.path().join(crate::change::PENDING);
            findings.push(Finding::new(Code::Interrupted, &path, note(&pending.act)));
        }
        Err(error) => findings.push(unreadable(&error, home.path())),
    }
    match links::note(home) {
        Ok(None) => {}
        Ok(Some(pending)) => {
            let path = home.path().join(links::NOTE);
            findings.push(Finding::new(Code::Interrupted, &path, note(&pending.act)));
        }
        Err(error) => findings.push(unreadable(&error, home.path())),
    }
    if let Some((owner, path)) = turn::written(home) {
        let code = if owner.is_alive() { Code::Busy } else { Code::StaleTurn };
        findings.push(Finding::new(code, &path, format!("{owner} has the turn to change skills")));
    }
    findings
}

/// Locks, wishes, receipts and what is on disk.
fn installed(patient: &Patient<'_>, place: &Place) -> Vec<Finding> {
    let Patient { home, bases, .. } = *patient;
    let verified = match verify(home, place, None) {
        Ok(verified) => verified,
        Err(error) => return vec![unreadable(&error, &place.base(home))],
    };
    let mut findings = Vec::new();
    for skill in verified.iter().filter(|skill| !skill.is_sound()) {
        let directory = Path::new(&skill.directory);
        let (code, message) = match is_there(directory) {
            false => (Code::Missing, format!("`{}` is locked and not there", skill.name)),
            true => {
                let mut what = crate::difference::shown(&skill.differences);
                what.extend(skill.fault.clone());
                let what = what.join(", ");
                (Code::Drifted, format!("`{}` is not what was installed: {what}", skill.name))
            }
        };
        findings.push(Finding::new(code, directory, message));
    }
    if let Ok(plan) = sync::plan(home, place, bases) {
        let lock = place.lock(home);
        let wanted = plan.to_lock.iter().map(ToString::to_string);
        let locked = plan.unwanted.iter().map(|name| format!("`{name}` is locked and not wanted"));
        let stray = plan.to_remove.iter().chain(&plan.left_alone);
        let stray = stray.map(|name| format!("`{name}` was installed and is locked no more"));
        let all = wanted.chain(locked).chain(stray);
        findings.extend(all.map(|message| Finding::new(Code::OutOfSync, &lock, message)));
    }
    findings
}

/// Links that should be there, and agents that are not.
fn linked(patient: &Patient<'_>, place: &Place) -> Vec<Finding> {
    let Patient { home, agents: places, .. } = *patient;
    let by = By::default();
    let linking = Linking { home, place, places, by: &by, mode: Mode::Say };
    let gone = match gone_agents(patient, place) {
        Ok(gone) => gone,
        Err(error) => return vec![unreadable(&error, &home.records(place))],
    };
    let mut findings: Vec<Finding> = gone
        .iter()
        .map(|agent| {
            let path = agent.detected.first().and_then(|path| places.resolve(path));
            let message = format!("`{}` is linked, and it is not on this machine", agent.id);
            Finding::new(Code::AgentGone, &path.unwrap_or_default(), message)
        })
        .collect();
    let Ok(links) = links::Links::read(home, place) else { return findings };
    if links == links::Links::default() || !gone.is_empty() {
        return findings;
    }
    match link::plan(&linking, &links, links.clone(), &[]) {
        Ok((_, linked)) => {
            let missing = linked.made.iter().map(|path| {
                Finding::new(Code::LinkMissing, Path::new(path), "a link to a skill is not there")
            });
            let left = linked.left.iter().map(|left| {
                let message = format!("there is no link here: {}", left.reason.as_str());
                Finding::new(Code::LinkBlocked, Path::new(&left.path), message)
            });
            findings.extend(missing.chain(left));
        }
        Err(error) => {
            findings.push(Finding::new(Code::Unreadable, &place.base(home), error.to_string()));
        }
    }
    findings
}

/// Trees nothing refers to, and approvals, trust and notes that cannot be read.
fn kept(home: &Home) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Locks that cannot be read are told of elsewhere, and until they can nothing is unreferenced.
    if let Ok(unused) = collect::unused(home) {
        let tree = |tree: &String| {
            Finding::new(Code::Unreferenced, &home.kept(tree), "nothing refers to a kept tree")
        };
        findings.extend(unused.iter().map(tree));
    }
    match approvals(home) {
        Ok(known) => {
            let path = home.path().join(crate::trust::APPROVALS);
            let no_lines = format!("{} lines are no approvals", known.unreadable);
            let torn = "the last line was cut short, and what it said does not count".to_owned();
            let messages = [(known.unreadable > 0, no_lines), (known.torn, torn)];
            let said = messages.into_iter().filter(|(is_so, _)| *is_so);
            let finding = |(_, message)| Finding::new(Code::ApprovalsDamaged, &path, message);
            findings.extend(said.map(finding));
        }
        Err(error) => findings.push(unreadable(&error, home.path())),
    }
    let others = [records::folders(home).err(), replaced::trees(home).err()];
    findings.extend(others.iter().flatten().map(|error| unreadable(error, home.path())));
    findings
}

/// Skills that somebody approved where they lie, and that changed since. Those that are installed are
/// held against their lock.
fn changed(patient: &Patient<'_>) -> Vec<Finding> {
    let Some(catalog) = patient.catalog else { return Vec::new() };
    let entries = catalog.entries.iter().map(|entry| &entry.found);
    let hidden = catalog.hidden.iter().map(|hidden| &hidden.found);
    let losers = catalog.shadowed.iter().map(|shadowed| &shadowed.loser);
    let installed = |directory: &Path| {
        let skills = |place: &Place| place.base(patient.home).join(place.skills());
        patient.places.iter().any(|place| directory.parent() == Some(skills(place).as_path()))
    };
    let all = entries.chain(hidden).chain(losers);
    let changed = all.filter(|found| found.standing == Standing::Changed);
    let changed = changed.map(|found| (found, catalog.directory(found)));
    changed
        .filter(|(_, directory)| !installed(directory))
        .map(|(found, directory)| {
            let name = found.name.as_str();
            let message = format!("`{name}` changed since it was approved");
            let mut finding = Finding::new(Code::Changed, &directory, message);
            finding.fix = finding.fix.replace("NAME", name);
            finding
        })
        .collect()
}

/// Skills of one name in several roots.
fn shadowed(catalog: Option<&Catalog>) -> Vec<Finding> {
    let Some(catalog) = catalog else { return Vec::new() };
    let mut findings = Vec::new();
    for shadowed in catalog.shadowed.iter().filter(|one| one.rule != Rule::SameDirectory) {
        let winner = catalog.place(&shadowed.winner);
        let name = shadowed.loser.name.as_str();
        let message = format!("`{name}` means the skill in `{}`", winner.display());
        let loser = catalog.directory(&shadowed.loser);
        findings.push(Finding::new(Code::Shadowed, &loser, message));
    }
    findings
}

/// Programs that skills or metier need and nobody installed.
fn programs(folders: &[PathBuf]) -> Vec<Finding> {
    const PROGRAMS: [(&str, &str); 4] = [
        ("git", "skills are fetched with it"),
        ("python3", "Python scripts run with it"),
        ("uv", "Python scripts that name their dependencies run with it"),
        ("node", "JavaScript scripts run with it"),
    ];
    let missing = |(program, _): &&(&str, &str)| {
        !folders.is_empty() && !folders.iter().any(|folder| is_there(&folder.join(program)))
    };
    let finding = |(program, why): &(&str, &str)| {
        let message = format!("`{program}` is not installed; {why}");
        Finding::new(Code::NoProgram, Path::new(program), message)
    };
    PROGRAMS.iter().filter(missing).map(finding).collect()
}

/// A record that cannot be used.
fn unreadable(error: &RecordError, at: &Path) -> Finding {
    match error {
        RecordError::Lock(lock) => {
            let mut finding = Finding::new(Code::LockUnreadable, &lock.path, error.to_string());
            lock.kind.hint().clone_into(&mut finding.fix);
            finding
        }
        RecordError::Damaged { path, .. } => {
            Finding::new(Code::RecordsDamaged, Path::new(path), error.to_string())
        }
        RecordError::Unwritable { file, .. } => {
            Finding::new(Code::Unreadable, Path::new(file), error.to_string())
        }
        RecordError::Disk(disk) => {
            let message = format!("{disk}: {}", disk.source);
            Finding::new(Code::Unreadable, &disk.path, message)
        }
    }
    .or_at(at)
}

impl Finding {
    /// The same finding at `path` when it names none.
    fn or_at(mut self, path: &Path) -> Self {
        if self.path.is_empty() {
            self.path = path.to_string_lossy().into_owned();
        }
        self
    }
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
