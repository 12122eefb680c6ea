//! Taking over skills that other tools installed: what their records say of a directory, held
//! against what is in it, and then, once a person said yes, lock and approval of ours.
//!
//! [`survey`] looks and changes nothing. What it finds is hostile: every file is bounded, every name
//! and path is checked, and what cannot be used is a [`Problem`] with a code. [`accept`] says yes to
//! a directory where it is; [`take_over`] puts a link to our copy in its place, because somebody
//! asked for that.

mod record;
mod resemblance;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use metier_format::SkillName;
use metier_store::client::{AGENTS, Places};
use metier_store::digest::hex;
use serde::Serialize;

use crate::agents::real;
use crate::approve::ApproveError;
use crate::atomic::{DRAFT, Folder, Kind};
use crate::change::{ChangeError, Hand};
use crate::entry::check_component;
use crate::home::{Home, Place};
use crate::keep::read_tree;
use crate::limits::{MAX_AGENT_ENTRIES, MAX_FOREIGN_SKILLS};
use crate::link::{Linked, Linking, act, spelled};
use crate::link_change::find;
use crate::links::{Links, Replaced};
use crate::pinned::files_of;
use crate::records::{self, Records, key};
use crate::reference::{Bases, Reference};
use crate::source::{Locked, Signature};
use crate::trust::{Approval, By, Said};
use crate::wanted::Want;

pub use record::Tool;
pub use resemblance::Resemblance;

use record::{Claim, Told};

/// Where is looked.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// metier's own directory.
    pub home: &'a Home,
    /// Whose skills.
    pub place: &'a Place,
    /// Where the agents' directories are.
    pub places: &'a Places,
    /// Where programs keep state; `.local/state` in the home when unset.
    pub state_home: Option<&'a Path>,
    /// What short forms of sources are short for.
    pub bases: &'a Bases,
}

/// What other tools installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// What could be taken over, by name.
    pub found: Vec<Adoptable>,
    /// What could not, and why.
    pub problems: Vec<Problem>,
}

/// A skill another tool installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Adoptable {
    /// Its name.
    pub name: String,
    /// Who installed it.
    pub tool: Tool,
    /// Where it is.
    pub directory: PathBuf,
    /// The file that says where it is from.
    pub record: PathBuf,
    /// Where it is from, in our spelling.
    pub source: String,
    /// Its directory there.
    pub path: String,
    /// The branch, tag or commit that was asked for.
    pub requested: Option<String>,
    /// Whether what is there is what the record says.
    pub resemblance: Resemblance,
    /// The digest of what is there.
    pub tree: String,
    /// How far it is ours already.
    pub state: State,
    /// Whether it is where metier installs to, so that it can be locked without being touched.
    pub in_place: bool,
}

/// How far a skill is ours already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not at all.
    New,
    /// Somebody said yes to what is there.
    Approved,
    /// It is locked.
    Locked,
}

/// Something that cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What is wrong with it.
    pub code: ProblemCode,
    /// Where.
    pub path: PathBuf,
    /// What is wrong, in words.
    pub reason: String,
}

/// What is wrong with another tool's record, or with what it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The record cannot be read: too large, no JSON, no file.
    RecordUnreadable,
    /// The record has a version whose meaning is not known.
    RecordVersion,
    /// More skills than are looked at.
    TooMany,
    /// A name that no skill can have.
    Name,
    /// The record speaks of a skill that is not there.
    NotThere,
    /// The record does not say where the skill is from, or says it in a way that cannot be used.
    Source,
    /// What is there cannot be read whole.
    Unreadable,
}

impl Adoptable {
    /// Exactly which content, as far as the record tells. No tool writes down the commit of what it
    /// installed in a way that can be held against the files, so there is none.
    #[must_use]
    pub fn locked(&self) -> Locked {
        Locked {
            source: self.source.clone(),
            path: self.path.clone(),
            requested: self.requested.clone(),
            commit: None,
            signature: Signature::None,
        }
    }

    /// How it is wanted.
    #[must_use]
    pub fn want(&self) -> Want {
        let Self { source, path, requested, .. } = self.clone();
        Want { source, path, requested }
    }
}

/// Looks for what other tools installed.
#[must_use]
pub fn survey(search: &Search<'_>) -> Survey {
    let mut looking = Looking {
        search,
        links: Links::read(search.home, search.place).unwrap_or_default(),
        seen: BTreeSet::new(),
        survey: Survey::default(),
    };
    let folders = looking.folders();
    for path in record::lock_files(search) {
        looking.lock_file(&path, &folders);
    }
    for folder in &folders {
        looking.markers(folder);
    }
    let Survey { found, problems } = &mut looking.survey;
    found.sort_by(|a, b| (&a.name, &a.directory).cmp(&(&b.name, &b.directory)));
    problems.sort_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
    looking.survey
}

/// Says yes to exactly what was found, where it is. Nothing of theirs is touched.
pub fn accept(home: &Home, found: &Adoptable, by: &By) -> Result<Approval, ApproveError> {
    let hand = Hand::take(home)?;
    let directory = &found.directory;
    let at = key(home, directory);
    let at = at.ok_or_else(|| ApproveError::NoDirectory(directory.clone()))?;
    let tree = read_tree(directory);
    let tree = tree.map_err(|source| ApproveError::Tree { path: directory.clone(), source })?;
    if hex(&tree.digest()) != found.tree {
        return Err(ChangeError::Drifted(found.name.clone()).into());
    }
    let kept = files_of(&tree).and_then(|_| hand.keep.stage(&tree, directory, 0));
    let kept = kept.map_err(ChangeError::from)?;
    hand.keep.publish(&[kept], &hand.turn)?;
    let approval = Approval {
        said: Said::Approved,
        directory: at.clone(),
        tree: found.tree.clone(),
        by: by.clone(),
        source: Some(found.source.clone()),
        commit: None,
        signer: None,
    };
    records::say(home, &[(at, Some(&approval))]).map_err(ChangeError::from)?;
    Ok(approval)
}

/// Puts links to what metier installed in the place of the directories that were found, all of them
/// or none. They must hold what is installed, to the byte; the keep has it.
pub fn take_over(linking: &Linking<'_>, found: &[&Adoptable]) -> Result<Linked, ChangeError> {
    let replaced: Vec<Replaced> = found
        .iter()
        .filter(|one| !one.in_place)
        .filter_map(|one| {
            let folder = spelled(linking.place, one.directory.parent()?)?;
            let name = one.directory.file_name()?.to_str()?.to_owned();
            Some(Replaced { folder, name, tree: one.tree.clone() })
        })
        .collect();
    let keep = |links: &mut Links| {
        let singles = replaced.iter().map(|one| (one.folder.clone(), one.name.clone()));
        links.singles.extend(singles);
    };
    act(linking, "adopt", keep, &replaced)
}

/// A survey in the making.
struct Looking<'a> {
    search: &'a Search<'a>,
    links: Links,
    /// Directories that were looked at, where they really are.
    seen: BTreeSet<PathBuf>,
    survey: Survey,
}

impl Looking<'_> {
    /// Every directory of an agent that is there, each once, where metier installs to first.
    fn folders(&self) -> Vec<PathBuf> {
        let Search { home, place, places, .. } = *self.search;
        let mut seen = BTreeSet::new();
        let mut folders = Vec::new();
        let ours = place.base(home).join(place.skills());
        if matches!(place, Place::Personal) {
            seen.insert(real(&ours));
        }
        for agent in AGENTS {
            let directories = match place {
                Place::Personal => agent.personal,
                Place::Project(_) => agent.project,
            };
            for path in directories.iter().filter_map(|directory| places.resolve(directory)) {
                if seen.insert(real(&path)) && self.open(&path).is_some() {
                    folders.push(path);
                }
            }
        }
        folders
    }

    /// An agent's directory; in a project no link may lead out of it.
    fn open(&self, path: &Path) -> Option<Folder> {
        find(self.search.place, &spelled(self.search.place, path)?).ok()?
    }

    fn problem(&mut self, code: ProblemCode, path: &Path, reason: impl Into<String>) {
        let (path, reason) = (path.to_owned(), reason.into());
        self.survey.problems.push(Problem { code, path, reason });
    }

    fn lock_file(&mut self, path: &Path, folders: &[PathBuf]) {
        let claims = match record::read_lock(path) {
            Ok(claims) => claims,
            Err((code, reason)) => return self.problem(code, path, reason),
        };
        if claims.len() > MAX_FOREIGN_SKILLS {
            let reason = format!("it names more than {MAX_FOREIGN_SKILLS} skills");
            self.problem(ProblemCode::TooMany, path, reason);
        }
        for (name, claim) in claims.into_iter().take(MAX_FOREIGN_SKILLS) {
            if check_component(&name).is_err() || SkillName::parse(&name).is_err() {
                let shown: String = name.chars().take(64).collect();
                self.problem(ProblemCode::Name, path, format!("`{shown}` is no skill's name"));
                continue;
            }
            let at = folders.iter().find(|folder| self.is_directory(folder, &name)).cloned();
            match at {
                Some(folder) => self.skill(&folder, &name, (Tool::Skills, path.to_owned()), claim),
                None => {
                    let reason = format!("`{name}` is in no agent's directory");
                    self.problem(ProblemCode::NotThere, path, reason);
                }
            }
        }
    }

    fn is_directory(&self, folder: &Path, name: &str) -> bool {
        let kind = self.open(folder).and_then(|open| open.kind(name).ok()?);
        kind == Some(Kind::Directory)
    }

    /// The skills in `folder` that say of themselves who installed them.
    fn markers(&mut self, folder: &Path) {
        let Some(open) = self.open(folder) else { return };
        let names = open.names().unwrap_or_default();
        let names = names.into_iter().filter(|name| !name.starts_with(DRAFT));
        for name in names.take(MAX_AGENT_ENTRIES) {
            let Ok(skill) = open.child(&name) else { continue };
            let (record, told) = record::marker(&skill, &name);
            match told {
                Told::Nothing => {}
                Told::Problem(code, reason) => self.problem(code, &record, reason),
                Told::Claim(tool, claim) => {
                    if SkillName::parse(&name).is_ok() {
                        self.skill(folder, &name, (tool, record), claim);
                    } else {
                        let reason = "the directory has no skill's name";
                        self.problem(ProblemCode::Name, &record, reason);
                    }
                }
            }
        }
    }

    /// One skill and what is said of it.
    fn skill(&mut self, folder: &Path, name: &str, (tool, record): (Tool, PathBuf), claim: Claim) {
        let Search { home, place, bases, .. } = *self.search;
        let directory = folder.join(name);
        let spelled = spelled(place, folder).unwrap_or_default();
        if self.links.find(&spelled, name).is_some() || !self.seen.insert(real(&directory)) {
            return;
        }
        let (source, requested) = match origin(&claim, bases) {
            Ok(origin) => origin,
            Err(reason) => return self.problem(ProblemCode::Source, &record, reason),
        };
        let Some(open) = self.open(folder).and_then(|open| open.child(name).ok()) else { return };
        let tree = match read_tree(&directory) {
            Ok(tree) => tree,
            Err(error) => {
                return self.problem(ProblemCode::Unreadable, &directory, error.to_string());
            }
        };
        let digest = hex(&tree.digest());
        let resemblance = resemblance::of(&open, &tree, claim.hash.as_deref());
        self.survey.found.push(Adoptable {
            name: name.to_owned(),
            tool,
            in_place: directory == place.directory(home, name),
            state: state(home, place, &directory, &digest),
            directory,
            record,
            source,
            path: claim.path,
            requested,
            resemblance,
            tree: digest,
        });
    }
}

/// Where a claim says a skill is from, read like what a person types.
fn origin(claim: &Claim, bases: &Bases) -> Result<(String, Option<String>), String> {
    let whole = match &claim.requested {
        Some(requested) => format!("{}#{requested}", claim.source),
        None => claim.source.clone(),
    };
    let reference = Reference::parse(&whole, bases).map_err(|error| error.to_string())?;
    let source = reference.source();
    let locked = Locked {
        source: source.clone(),
        path: claim.path.clone(),
        requested: None,
        commit: None,
        signature: Signature::None,
    };
    Reference::locked(&locked).map_err(|error| error.to_string())?;
    Ok((source, reference.requested))
}

/// How far what is in `directory` is ours.
fn state(home: &Home, place: &Place, directory: &Path, tree: &str) -> State {
    let Ok(records) = Records::read(home, place) else { return State::New };
    let ours = records.lock.skills().any(|pinned| {
        pinned.tree == tree && place.directory(home, pinned.name.as_str()) == directory
    });
    let approval = key(home, directory).and_then(|key| records.approvals.get(&key).cloned());
    match (ours, approval.is_some_and(|approval| approval.tree == tree)) {
        (true, _) => State::Locked,
        (false, true) => State::Approved,
        (false, false) => State::New,
    }
}

#[cfg(test)]
#[path = "adopt_tests.rs"]
mod tests;
