//! Which agents are on this machine, and which directory each of them gets its skills in. Looks at
//! the disk, changes nothing; [`crate::link`] makes the links.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use metier_store::Layer;
use metier_store::client::{AGENTS, Agent, Places};
use rustix::fs::{Access, access};

use crate::atomic::real_path;
use crate::home::{Home, Place};

/// How an agent gets at the skills of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By links or copies in this directory.
    Directory(PathBuf),
    /// It reads this directory, which another agent was given.
    Shared(PathBuf),
    /// It reads where the skills are installed.
    Already,
    /// It has no directory for skills of this layer, or nobody knows where that would be.
    Nowhere,
}

/// The path that says that `agent` is on this machine, when one does.
#[must_use]
pub fn detected(agent: &Agent, places: &Places) -> Option<PathBuf> {
    agent.detected.iter().filter_map(|path| places.resolve(path)).find(|path| is_there(path))
}

/// Every agent on this machine, in the table's order.
pub fn present(places: &Places) -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| detected(agent, places).is_some())
}

/// The agents that are given the skills of `place` when nobody says which: those on this machine
/// that have a directory for them. In a project only those that left a trace of themselves there,
/// and the one that reads nothing but its own directory: nobody wants forty directories in a
/// repository.
#[must_use]
pub fn usual(place: &Place, places: &Places) -> Vec<&'static Agent> {
    let wanted = |agent: &&Agent| match place {
        Place::Personal => !agent.personal.is_empty(),
        Place::Project(project) => {
            let own = agent.project.first().and_then(|directory| directory.split('/').next());
            agent.id == "claude-code" || own.is_some_and(|own| is_there(&project.join(own)))
        }
    };
    present(places).filter(wanted).collect()
}

/// Which directory each of `agents` gets, so that as few as possible are written to and no agent
/// finds a skill twice. Agents that read nothing but their own come first; one that also reads
/// somebody else's is content with that.
#[must_use]
pub fn reaches(
    agents: &BTreeSet<&'static str>,
    (home, place): (&Home, &Place),
    places: &Places,
) -> BTreeMap<&'static str, Reach> {
    let installed = real(&place.base(home).join(place.skills()));
    let mut given: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut reaches = BTreeMap::new();
    let (content, choosy): (Vec<&Agent>, Vec<&Agent>) =
        AGENTS.iter().filter(|a| agents.contains(a.id)).partition(|agent| agent.also.is_empty());
    for agent in content.into_iter().chain(choosy) {
        let read = directories(agent, place, places);
        let own = read.first().filter(|(_, theirs)| *theirs).map(|(path, _)| path.clone());
        let shared = read.iter().find_map(|(path, _)| given.get(&real(path)));
        let reach = match (own, shared) {
            _ if read.iter().any(|(path, _)| real(path) == installed) => Reach::Already,
            (_, Some(path)) => Reach::Shared(path.clone()),
            (Some(path), None) => {
                given.insert(real(&path), path.clone());
                Reach::Directory(path)
            }
            (None, None) => Reach::Nowhere,
        };
        reaches.insert(agent.id, reach);
    }
    reaches
}

/// Everything `agent` reads of a layer, its own directories first; with whether they are its own.
fn directories(agent: &Agent, place: &Place, places: &Places) -> Vec<(PathBuf, bool)> {
    let layer = match place {
        Place::Personal => Layer::Personal,
        Place::Project(_) => Layer::Project,
    };
    let places = match place {
        Place::Personal => places.clone(),
        Place::Project(project) => Places { project: Some(project.clone()), ..places.clone() },
    };
    let of_layer = |directory: &&&str| match layer {
        Layer::Project => !directory.starts_with(['~', '/', '{']),
        _ => directory.starts_with(['~', '/', '{']),
    };
    let own = agent.directories(layer).iter().map(|directory| (directory, true));
    let also = agent.also.iter().filter(of_layer).map(|directory| (directory, false));
    own.chain(also).filter_map(|(d, own)| Some((places.resolve(d)?, own))).collect()
}

/// Where `path` really is, as far as it exists; what does not exist is as it is written.
pub(crate) fn real(path: &Path) -> PathBuf {
    if let Some(real) = real_path(path) {
        return real;
    }
    match path.parent().zip(path.file_name()) {
        Some((parent, name)) => real(parent).join(name),
        None => path.to_owned(),
    }
}

/// Whether something is there, a link to nothing aside.
pub(crate) fn is_there(path: &Path) -> bool {
    access(path, Access::EXISTS).is_ok()
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
