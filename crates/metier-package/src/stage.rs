//! Chosen skills of a source, checked file by file and written where nobody sees them. One skill that
//! is refused does not keep the others out.

use std::collections::BTreeMap;
use std::io;

use metier_format::NameKey;

use crate::entry::{Amounts, Checker, Entry, Kind, check_component, link_target};
use crate::fetch::{Fetch, FetchError};
use crate::hazard::{At, Hazard, shown};
use crate::offer::Offer;
use crate::progress::{Step, Tell};
use crate::skills::{Offered, Offering};
use crate::source::{Fetched, Locked, Refused, Staged};
use crate::staging::{self, Area};

/// Longest link that is read; longer than any path it could lead to.
const MAX_LINK_BYTES: u64 = 4096;

/// Stages what was chosen. `locked` is what the source is; each skill adds its path. The source is
/// asked once for the content of all skills, since asking may mean starting a program.
pub(crate) fn stage(
    offer: &mut dyn Offer,
    chosen: Offering,
    (settings, tell): (&Fetch<'_>, Tell<'_>),
    locked: &Locked,
) -> Result<Fetched, FetchError> {
    let Offering { skills, mut refused, .. } = chosen;
    let mut plans = Vec::new();
    for skill in skills {
        match Plan::make(offer.entries(), &skill) {
            Ok(plan) => plans.push((skill, plan)),
            Err(at) => refused.push(refuse(&skill, &at)),
        }
    }
    let all: Vec<usize> = plans.iter().flat_map(|(_, plan)| plan.wanted()).collect();
    offer.prepare(&all)?;
    let links = read_links(offer, &plans)?;
    let mut jobs = Vec::new();
    for (skill, plan) in plans {
        match plan.places(offer.entries(), &links) {
            Ok(places) => {
                tell(plan.step(&skill, offer.entries()));
                jobs.push(Job { skill, places });
            }
            Err(at) => refused.push(refuse(&skill, &at)),
        }
    }
    check_space(offer.entries(), &jobs, settings)?;
    let areas = write(offer, &jobs, settings)?;
    let written = jobs.into_iter().map(|job| job.skill).zip(areas).collect();
    Ok(settle(written, refused, locked))
}

/// One skill that will be written.
struct Job {
    skill: Offered,
    places: Places,
}

/// One name, one skill: the same content twice is one, different contents are none.
fn settle(written: Vec<(Offered, Area)>, mut refused: Vec<Refused>, locked: &Locked) -> Fetched {
    let mut by_name: BTreeMap<NameKey, Vec<(Offered, Area)>> = BTreeMap::new();
    for one in written {
        by_name.entry(one.0.name.key()).or_default().push(one);
    }
    let mut skills = Vec::new();
    for (_, same) in by_name {
        let mut digests = same.iter().map(|(_, area)| area.tree().digest());
        let first = digests.next();
        if digests.all(|digest| Some(digest) == first) {
            skills.extend(same.into_iter().next().map(|(skill, area)| kept(skill, area, locked)));
            continue;
        }
        for (skill, _) in same {
            let hazard = Hazard::SameName(shown(skill.name.as_str().as_bytes()));
            refused.push(refuse(&skill, &hazard.at(skill.path.as_bytes())));
        }
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    refused.sort_by(|a, b| a.path.cmp(&b.path));
    Fetched { skills, refused }
}

fn kept(skill: Offered, area: Area, locked: &Locked) -> Staged {
    let (directory, tree) = area.keep();
    let locked = Locked { path: join(&locked.path, &skill.path), ..locked.clone() };
    Staged { name: skill.name, directory, locked, tree }
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

/// What links say, by their entries.
type Links = BTreeMap<usize, Vec<u8>>;

/// Paths inside a skill, and whether they are executable, by the entry whose content they get.
type Places = BTreeMap<usize, Vec<(String, bool)>>;

/// What will be written for one skill.
struct Plan {
    /// Index of the entry, path inside the skill, and whether it is executable; sorted by path.
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

    /// What is told before it is written.
    fn step<'a>(&self, skill: &'a Offered, entries: &[Entry]) -> Step<'a> {
        let size = |index: &usize| entries.get(*index).map_or(0, |entry| entry.size);
        let bytes = self.files.iter().map(|(index, _, _)| size(index)).sum();
        Step::Staging { skill: skill.name.as_str(), files: self.files.len(), bytes }
    }

    fn wanted(&self) -> Vec<usize> {
        let files = self.files.iter().map(|(index, _, _)| *index);
        files.chain(self.links.iter().map(|(index, _)| *index)).collect()
    }

    /// Where the content of each entry goes: a file to its path, and to that of every link to it.
    fn places(&self, entries: &[Entry], links: &Links) -> Result<Places, At> {
        amounts(entries, self)?;
        let mut places = Places::new();
        for (index, path, executable) in &self.files {
            places.entry(*index).or_default().push((path.clone(), *executable));
        }
        for (index, path) in &self.links {
            let target = links.get(index).map(Vec::as_slice).unwrap_or_default();
            let (file, executable) =
                self.led(path, target).map_err(|hazard| hazard.at(path.as_bytes()))?;
            places.entry(file).or_default().push((path.clone(), executable));
        }
        Ok(places)
    }

    /// The file that a link leads to.
    fn led(&self, link: &str, target: &[u8]) -> Result<(usize, bool), Hazard> {
        let path = link_target(link, target)?;
        let found = self.files.binary_search_by(|(_, file, _)| file.as_str().cmp(&path));
        let file = found.ok().and_then(|at| self.files.get(at));
        let (index, _, executable) = file.ok_or_else(|| Hazard::LinkToNoFile(shown(target)))?;
        Ok((*index, *executable))
    }
}

fn below<'a>(entries: &'a [Entry], prefix: &'a [u8]) -> impl Iterator<Item = (usize, &'a Entry)> {
    let start = entries.partition_point(|entry| &*entry.path < prefix);
    let rest = entries.iter().enumerate().skip(start);
    rest.take_while(move |(_, entry)| entry.path.starts_with(prefix))
}

/// What every link of these skills says, by its entry. One that is longer than any path says so much
/// that it leads nowhere.
fn read_links(offer: &mut dyn Offer, plans: &[(Offered, Plan)]) -> Result<Links, FetchError> {
    let mut texts = Links::new();
    let mut wanted = Vec::new();
    for (index, _) in plans.iter().flat_map(|(_, plan)| &plan.links) {
        match offer.entries().get(*index) {
            Some(Entry { kind: Kind::Link(Some(target)), .. }) => {
                texts.insert(*index, target.to_vec());
            }
            Some(entry) if entry.size <= MAX_LINK_BYTES => wanted.push(*index),
            _ => drop(texts.insert(*index, b"/".to_vec())),
        }
    }
    if !wanted.is_empty() {
        offer.read(&wanted, &mut |index, bytes| {
            texts.insert(index, bytes.to_vec());
            Ok(())
        })?;
    }
    Ok(texts)
}

fn check_space(entries: &[Entry], jobs: &[Job], settings: &Fetch<'_>) -> Result<(), FetchError> {
    let size = |index: &usize| entries.get(*index).map_or(0, |entry| entry.size);
    let places = jobs.iter().flat_map(|job| &job.places);
    let bytes = places.map(|(index, at)| size(index).saturating_mul(at.len() as u64)).sum();
    match staging::missing_space(settings.staging, bytes) {
        Some(missing) => Err(FetchError::NoSpace { missing, path: settings.staging.to_owned() }),
        None => Ok(()),
    }
}

/// Writes all skills; gives where each is, in their order.
fn write(
    offer: &mut dyn Offer,
    jobs: &[Job],
    settings: &Fetch<'_>,
) -> Result<Vec<Area>, FetchError> {
    let mut areas =
        jobs.iter().map(|job| area(&job.skill, settings)).collect::<Result<Vec<_>, _>>()?;
    let mut owners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, job) in jobs.iter().enumerate() {
        job.places.keys().for_each(|index| owners.entry(*index).or_default().push(number));
    }
    let wanted: Vec<usize> = owners.keys().copied().collect();
    offer.read(&wanted, &mut |index, bytes| {
        for number in owners.get(&index).into_iter().flatten() {
            let (Some(job), Some(area)) = (jobs.get(*number), areas.get_mut(*number)) else {
                continue;
            };
            for (path, executable) in job.places.get(&index).into_iter().flatten() {
                let wrote = area.write(path, *executable, bytes);
                wrote.map_err(|error| FetchError::io(&area.path().join(path), error))?;
            }
        }
        Ok(())
    })?;
    Ok(areas)
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

/// A directory called like the skill; where two skills share a name, the second is called otherwise.
fn area(skill: &Offered, settings: &Fetch<'_>) -> Result<Area, FetchError> {
    const MOST: usize = 1000;
    let name = skill.name.as_str();
    let mut at = settings.staging.join(name);
    for count in 0..MOST {
        match Area::new(at.clone()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                at = settings.staging.join(format!(".same-{count}-{name}"));
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
