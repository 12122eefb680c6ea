//! Chosen skills of a source, checked file by file and written where nobody sees them. One skill that
//! is refused does not keep the others out.

use std::collections::BTreeMap;
use std::io;

use crate::entry::{Amounts, Checker, Entry, Kind, check_component, link_target};
use crate::fetch::{Fetch, FetchError};
use crate::hazard::{At, Hazard, shown};
use crate::offer::Offer;
use crate::skills::{Offered, Offering};
use crate::source::{Fetched, Locked, Refused, Staged};
use crate::staging::{self, Area};

/// Longest link that is read; longer than any path it could lead to.
const MAX_LINK_BYTES: u64 = 4096;

/// Stages what was chosen. `locked` is what the source is; each skill adds its path.
pub(crate) fn stage(
    offer: &mut dyn Offer,
    chosen: Offering,
    settings: &Fetch<'_>,
    locked: &Locked,
) -> Result<Fetched, FetchError> {
    let Offering { skills, mut refused } = chosen;
    let mut staged: Vec<(Staged, Guard)> = Vec::new();
    let mut plans = Vec::new();
    for skill in skills {
        match Plan::make(offer.entries(), &skill) {
            Ok(plan) => plans.push((skill, plan)),
            Err(at) => refused.push(refuse(&skill, &at)),
        }
    }
    let all: Vec<usize> = plans.iter().flat_map(|(_, plan)| plan.wanted()).collect();
    offer.prepare(&all)?;
    for (skill, plan) in plans {
        match write(offer, &skill, plan, settings)? {
            Ok(area) => {
                let (directory, tree) = area.keep();
                let path = join(&locked.path, &skill.path);
                let locked = Locked { path, ..locked.clone() };
                let guard = Guard(Some(directory.clone()));
                staged.push((Staged { name: skill.name, directory, locked, tree }, guard));
            }
            Err(at) => refused.push(refuse(&skill, &at)),
        }
    }
    Ok(settle(staged, refused))
}

/// Removes a staged directory unless told that all went well.
struct Guard(Option<std::path::PathBuf>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = staging::remove(&path);
        }
    }
}

/// One name, one skill: the same content twice is one, different contents are none.
fn settle(staged: Vec<(Staged, Guard)>, mut refused: Vec<Refused>) -> Fetched {
    let mut by_name: BTreeMap<metier_format::NameKey, Vec<(Staged, Guard)>> = BTreeMap::new();
    for one in staged {
        by_name.entry(one.0.name.key()).or_default().push(one);
    }
    let mut skills = Vec::new();
    for (_, same) in by_name {
        let mut digests = same.iter().map(|(skill, _)| skill.tree.digest());
        let first = digests.next();
        if digests.all(|digest| Some(digest) == first) {
            if let Some((skill, mut guard)) = same.into_iter().next() {
                guard.0 = None;
                skills.push(skill);
            }
            continue;
        }
        for (skill, _) in same {
            let hazard = Hazard::SameName(shown(skill.name.as_str().as_bytes()));
            let path = skill.locked.path;
            let reason = hazard.clone().at(path.as_bytes()).to_string();
            refused.push(Refused { path, code: hazard.code(), reason });
        }
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    refused.sort_by(|a, b| a.path.cmp(&b.path));
    Fetched { skills, refused }
}

fn refuse(skill: &Offered, at: &At) -> Refused {
    Refused { path: skill.path.clone(), code: at.hazard.code(), reason: at.to_string() }
}

fn join(base: &str, path: &str) -> String {
    match (base, path) {
        ("", path) => path.to_owned(),
        (base, "") => base.to_owned(),
        (base, path) => format!("{base}/{path}"),
    }
}

/// What came of one skill, or what is wrong with it; a failure concerns all of them.
type Judged<T> = Result<Result<T, At>, FetchError>;

/// Paths inside a skill, and whether they are executable, by the entry whose content they get.
type Places = BTreeMap<usize, Vec<(String, bool)>>;

/// What will be written for one skill.
struct Plan {
    /// Index of the entry, path inside the skill, and whether it is executable.
    files: Vec<(usize, String, bool)>,
    /// Index of the entry and path inside the skill.
    links: Vec<(usize, String)>,
}

impl Plan {
    fn make(entries: &[Entry], skill: &Offered) -> Result<Self, At> {
        let name = skill.name.as_str();
        let unfit = |hazard: Hazard| {
            let (name, why) = (shown(name.as_bytes()), hazard.to_string());
            Hazard::Name { name, why }.at(skill.path.as_bytes())
        };
        check_component(name).map_err(unfit)?;
        let prefix = if skill.path.is_empty() { String::new() } else { format!("{}/", skill.path) };
        let mut checker = Checker::new(Amounts::SKILL);
        let mut plan = Self { files: Vec::new(), links: Vec::new() };
        for (index, entry) in below(entries, prefix.as_bytes()) {
            let inner = entry.path.get(prefix.len()..).unwrap_or_default();
            let inner = Entry { path: inner.into(), ..entry.clone() };
            let path = checker.admit(&inner)?;
            match inner.kind {
                Kind::File { executable } => plan.files.push((index, path, executable)),
                Kind::Link(_) => plan.links.push((index, path)),
                Kind::Directory | Kind::Refused(_) => {}
            }
        }
        checker.finish()?;
        Ok(plan)
    }

    fn wanted(&self) -> Vec<usize> {
        let files = self.files.iter().map(|(index, _, _)| *index);
        files.chain(self.links.iter().map(|(index, _)| *index)).collect()
    }

    /// Puts the files that links lead to in the links' place: path inside the skill by entry.
    fn resolve(&self, offer: &mut dyn Offer) -> Judged<Places> {
        let mut places = Places::new();
        for (index, path, executable) in &self.files {
            places.entry(*index).or_default().push((path.clone(), *executable));
        }
        for (index, path) in &self.links {
            let target = match link_text(offer, *index)? {
                Ok(target) => target,
                Err(hazard) => return Ok(Err(hazard.at(path.as_bytes()))),
            };
            let led = link_target(path, &target).and_then(|led| {
                let file = self.files.iter().find(|(_, file, _)| *file == led);
                file.ok_or_else(|| Hazard::LinkToNoFile(shown(&target)))
            });
            match led {
                Ok((file, _, executable)) => {
                    places.entry(*file).or_default().push((path.clone(), *executable));
                }
                Err(hazard) => return Ok(Err(hazard.at(path.as_bytes()))),
            }
        }
        Ok(Ok(places))
    }
}

fn below<'a>(entries: &'a [Entry], prefix: &'a [u8]) -> impl Iterator<Item = (usize, &'a Entry)> {
    let start = entries.partition_point(|entry| &*entry.path < prefix);
    let rest = entries.iter().enumerate().skip(start);
    rest.take_while(move |(_, entry)| entry.path.starts_with(prefix))
}

/// What a link says.
fn link_text(offer: &mut dyn Offer, index: usize) -> Result<Result<Vec<u8>, Hazard>, FetchError> {
    let Some(entry) = offer.entries().get(index) else { return Ok(Err(Hazard::Empty)) };
    if let Kind::Link(Some(target)) = &entry.kind {
        return Ok(Ok(target.to_vec()));
    }
    if entry.size > MAX_LINK_BYTES {
        return Ok(Err(Hazard::LinkLeaves("a very long path".to_owned())));
    }
    let mut text = Vec::new();
    offer.read(&[index], &mut |_, bytes| {
        text = bytes.to_vec();
        Ok(())
    })?;
    Ok(Ok(text))
}

/// Writes one skill; gives what is wrong with it when something is.
fn write(offer: &mut dyn Offer, skill: &Offered, plan: Plan, settings: &Fetch<'_>) -> Judged<Area> {
    if let Err(at) = amounts(offer.entries(), &plan) {
        return Ok(Err(at));
    }
    let places = match plan.resolve(offer)? {
        Ok(places) => places,
        Err(at) => return Ok(Err(at)),
    };
    let size = |index: &usize| offer.entries().get(*index).map_or(0, |entry| entry.size);
    let bytes = places.iter().map(|(index, at)| size(index).saturating_mul(at.len() as u64)).sum();
    if let Some(missing) = staging::missing_space(settings.staging, bytes) {
        return Err(FetchError::NoSpace { missing, path: settings.staging.to_owned() });
    }
    let mut area = area(skill, settings)?;
    let wanted: Vec<usize> = places.keys().copied().collect();
    let root = area.path().to_owned();
    offer.read(&wanted, &mut |index, bytes| {
        for (path, executable) in places.get(&index).into_iter().flatten() {
            let wrote = area.write(path, *executable, bytes);
            wrote.map_err(|error| FetchError::io(&root.join(path), error))?;
        }
        Ok(())
    })?;
    Ok(Ok(area))
}

/// Checks sizes, which some sources know only now. Content that several paths share counts for each.
fn amounts(entries: &[Entry], plan: &Plan) -> Result<(), At> {
    let mut checker = Checker::new(Amounts::SKILL);
    for (index, path, _) in &plan.files {
        let size = entries.get(*index).map_or(0, |entry| entry.size);
        checker.count(size).map_err(|hazard| hazard.at(path.as_bytes()))?;
    }
    Ok(())
}

/// A directory called like the skill; where two skills share a name, one more level keeps them apart.
fn area(skill: &Offered, settings: &Fetch<'_>) -> Result<Area, FetchError> {
    const MOST: usize = 1000;
    let name = skill.name.as_str();
    let mut at = settings.staging.join(name);
    for count in 0..MOST {
        match Area::new(at.clone()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                at = settings.staging.join(format!(".same-{count}")).join(name);
            }
            made => return made.map_err(|error| FetchError::io(&at, error)),
        }
    }
    let error = io::Error::from(io::ErrorKind::AlreadyExists);
    Err(FetchError::io(&at, error))
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
