//! One change of links: all of it happens, or none, as `change` has it for what is installed. First
//! it is written down whole ([`Note`]), then carried out in steps that can be repeated.
//!
//! Only what metier made is taken away or replaced, and only while it still is what metier made:
//! it is moved aside first and looked at there, so that whoever puts something in its place
//! meanwhile gets that back.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::agents::real;
use crate::atomic::{DRAFT, DiskError, Folder, Goal, Kind};
use crate::change::{ChangeError, Hand, Repaired, is_tree};
use crate::copy::{Making, copy};
use crate::home::{Home, Place};
use crate::keep::read_tree;
use crate::limits::MAX_SINGLE_SYNCS;
use crate::links::{FILE, How, Links, Made, NOTE, Note, Replaced, Thing, note};
use crate::records::{existing, to_json_line};

/// Which end of a change is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Before,
    After,
}

/// What stands under a name in an agent's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing.
    Empty,
    /// What metier made, as it made it.
    Ours,
    /// Something else.
    Foreign,
}

/// Makes `note` happen.
pub(crate) fn commit(hand: &Hand<'_>, note: &Note) -> Result<(), ChangeError> {
    let text = to_json_line(NOTE, note)?;
    Folder::make_all(hand.home.path())?.replace(NOTE, text.as_bytes(), 0o600)?;
    let done = carry_out(hand, note, End::After).and_then(|()| strike(hand.home));
    let Err(error) = done else { return Ok(()) };
    // Put back as it was. If that fails too, the note stays and the next command finishes.
    if carry_out(hand, note, End::Before).is_ok() {
        let _ = strike(hand.home);
    }
    Err(error)
}

/// Brings to an end what an earlier process left unfinished.
pub(crate) fn mend(hand: &Hand<'_>) -> Result<Option<Repaired>, ChangeError> {
    let Some(note) = note(hand.home)? else { return Ok(None) };
    let forth = carry_out(hand, &note, End::After);
    let finished = forth.is_ok();
    let reason = forth.as_ref().err().map(ToString::to_string);
    if let Err(error) = forth {
        let gone = existing(&note.place.base(hand.home)).is_ok_and(|base| base.is_none());
        if !gone && carry_out(hand, &note, End::Before).is_err() {
            return Err(error);
        }
    }
    strike(hand.home)?;
    let mut names: Vec<String> = note.after.agents.into_keys().collect();
    names.extend(note.before.agents.into_keys());
    names.sort();
    names.dedup();
    Ok(Some(Repaired { act: note.act, names, finished, reason, kept: Vec::new() }))
}

/// What stands where `thing` should be.
pub(crate) fn look(folder: &Folder, name: &str, thing: &Thing) -> Result<Standing, DiskError> {
    let ours = match (folder.kind(name)?, thing) {
        (None, _) => return Ok(Standing::Empty),
        (Some(Kind::Link), Thing::Link(says)) => {
            folder.target(name)?.is_some_and(|target| target.as_os_str() == says.as_str())
        }
        (Some(Kind::Directory), Thing::Copy(tree)) => is_tree(&folder.path().join(name), tree),
        (Some(_), _) => false,
    };
    Ok(if ours { Standing::Ours } else { Standing::Foreign })
}

/// The agent's directory at `folder`, when it is there. In a project no link may lead out of it.
pub(crate) fn find(place: &Place, folder: &str) -> Result<Option<Folder>, DiskError> {
    let found = match place {
        Place::Personal => Folder::open(Path::new(folder)),
        Place::Project(project) => {
            Folder::open(project).and_then(|project| project.find_beneath(folder))
        }
    };
    match found {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a link to the skill called `name` says, from `folder`: the whole path at home, a relative
/// one in a project, so that it travels with it.
pub(crate) fn target(home: &Home, place: &Place, folder: &str, name: &str) -> Option<String> {
    match place {
        Place::Personal => {
            let skill = real(&place.base(home).join(place.skills())).join(name);
            skill.to_str().map(str::to_owned)
        }
        Place::Project(project) => {
            let base = real(project);
            let inside = real(&base.join(folder));
            let depth = inside.strip_prefix(&base).ok()?.components().count();
            Some(format!("{}{}/{name}", "../".repeat(depth), place.skills()))
        }
    }
}

/// The directories to be made before there is one at `folder`, the outermost first.
pub(crate) fn missing(place: &Place, folder: &str) -> Vec<String> {
    let base = place_base(place);
    let mut missing = Vec::new();
    let mut path = Some(Path::new(folder));
    while let Some(here) = path.filter(|here| !here.as_os_str().is_empty()) {
        if crate::agents::is_there(&base.join(here)) {
            break;
        }
        missing.extend(here.to_str().map(str::to_owned));
        path = here.parent();
    }
    missing.reverse();
    missing
}

fn place_base(place: &Place) -> PathBuf {
    match place {
        Place::Personal => PathBuf::from("/"),
        Place::Project(project) => project.clone(),
    }
}

fn strike(home: &Home) -> Result<(), ChangeError> {
    let folder = Folder::open(home.path())?;
    Ok(folder.unlink(NOTE).and_then(|()| folder.sync())?)
}

fn carry_out(hand: &Hand<'_>, note: &Note, end: End) -> Result<(), ChangeError> {
    let (goal, other) = match end {
        End::After => (&note.after, &note.before),
        End::Before => (&note.before, &note.after),
    };
    for made in &other.made {
        if goal.find(&made.folder, &made.name).is_none() {
            take_away(hand, note, made, end)?;
        }
    }
    let mut kept = goal.clone();
    kept.made.clear();
    for made in &goal.made {
        if put(hand, note, made, other.find(&made.folder, &made.name))? {
            kept.made.push(made.clone());
        }
    }
    for folder in other.folders.iter().rev().filter(|folder| !goal.folders.contains(folder)) {
        remove_empty(&note.place, folder)?;
    }
    write(hand.home, &note.place, &kept)
}

/// Writes down what there is.
fn write(home: &Home, place: &Place, links: &Links) -> Result<(), ChangeError> {
    let before = Links::read(home, place).and_then(|links| links.text()).unwrap_or_default();
    let text = links.text()?;
    if before == text {
        return Ok(());
    }
    let folder = Folder::make_all(&home.records(place))?;
    match text.is_empty() {
        true => folder.unlink(FILE).and_then(|()| folder.sync())?,
        false => folder.replace(FILE, text.as_bytes(), 0o600)?,
    }
    Ok(())
}

/// Removes what metier made, if that is what stands there. On the way back, what a link had taken
/// the place of returns.
fn take_away(hand: &Hand<'_>, note: &Note, made: &Made, end: End) -> Result<(), ChangeError> {
    let Some(folder) = find(&note.place, &made.folder)? else { return Ok(()) };
    settle(&folder, note, made)?;
    if look(&folder, &made.name, &made.thing)? != Standing::Ours {
        return Ok(());
    }
    if let (End::Before, Some(replaced)) = (end, replaced(note, made)) {
        let theirs = Thing::Copy(replaced.tree.clone());
        draft(hand, &folder, &made.name, &theirs)?;
        exchange(&folder, &made.name)?;
    } else {
        folder.rename(&made.name, &aside(&made.name), Goal::Empty)?;
    }
    folder.sync()?;
    Ok(settle(&folder, note, made)?)
}

/// Makes `made`, in the place of what metier made there before, or of what it may replace. False
/// when somebody else has something there.
fn put(
    hand: &Hand<'_>,
    note: &Note,
    made: &Made,
    before: Option<&Made>,
) -> Result<bool, ChangeError> {
    let folder = match &note.place {
        Place::Personal => Folder::make_all(Path::new(&made.folder))?,
        Place::Project(project) => Folder::open(project)?.beneath(&made.folder)?,
    };
    settle(&folder, note, made)?;
    let standing = look(&folder, &made.name, &made.thing)?;
    if standing == Standing::Ours {
        return Ok(true);
    }
    let mut theirs: Vec<Thing> = before.iter().map(|before| before.thing.clone()).collect();
    theirs.extend(replaced(note, made).map(|replaced| Thing::Copy(replaced.tree.clone())));
    if standing == Standing::Foreign && !is_one_of(&folder, &made.name, &theirs)? {
        return Ok(false);
    }
    draft(hand, &folder, &made.name, &made.thing)?;
    match standing {
        Standing::Empty => folder.rename(&aside(&made.name), &made.name, Goal::Empty)?,
        _ => exchange(&folder, &made.name)?,
    }
    folder.sync()?;
    settle(&folder, note, made)?;
    Ok(look(&folder, &made.name, &made.thing)? == Standing::Ours)
}

/// What stands aside is removed when metier made it or may replace it, and goes back to where it
/// was when somebody else put it there.
fn settle(folder: &Folder, note: &Note, made: &Made) -> Result<(), DiskError> {
    let gone = format!("{DRAFT}gone-{}", made.name);
    folder.remove(&gone)?;
    let aside = aside(&made.name);
    if folder.kind(&aside)?.is_none() {
        return Ok(());
    }
    // A draft that was never finished has no such name; what has it is whole.
    let ends = [&note.before, &note.after];
    let made_by_us = ends.iter().filter_map(|end| end.find(&made.folder, &made.name));
    let mut known: Vec<Thing> = made_by_us.map(|made| made.thing.clone()).collect();
    known.extend(replaced(note, made).map(|replaced| Thing::Copy(replaced.tree.clone())));
    if !is_one_of(folder, &aside, &known)? {
        match folder.kind(&made.name)? {
            None => {
                folder.rename(&aside, &made.name, Goal::Empty)?;
                return folder.sync();
            }
            Some(_) if is_one_of(folder, &made.name, &known)? => exchange(folder, &made.name)?,
            // Two things nobody here made: both stay.
            Some(_) => return Ok(()),
        }
    }
    folder.rename(&aside, &gone, Goal::Empty)?;
    folder.sync()?;
    folder.remove(&gone)
}

/// Whether what stands under `name` is one of `known`.
fn is_one_of(folder: &Folder, name: &str, known: &[Thing]) -> Result<bool, DiskError> {
    for thing in known {
        if look(folder, name, thing)? == Standing::Ours {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes `thing` beside where it will be.
fn draft(hand: &Hand<'_>, folder: &Folder, name: &str, thing: &Thing) -> Result<(), ChangeError> {
    let aside = aside(name);
    let tree = match thing {
        Thing::Link(target) => {
            folder.link(&aside, target.as_bytes())?;
            return Ok(());
        }
        Thing::Copy(tree) => tree,
    };
    let kept = read_tree(&hand.keep.path(tree)).ok().filter(|_| hand.keep.holds(tree));
    let kept = kept.ok_or_else(|| ChangeError::NotKept(name.to_owned()))?;
    let gone = format!("{DRAFT}gone-{name}");
    folder.remove(&gone)?;
    folder.make(&gone, 0o755)?;
    let inside = folder.child(&gone)?;
    let how = Making { read_only: false, flush: kept.files().len() <= MAX_SINGLE_SYNCS };
    copy(&kept, &hand.keep.path(tree), &inside, how)?;
    if !how.flush {
        inside.sync_all()?;
    }
    Ok(folder.rename(&gone, &aside, Goal::Empty)?)
}

/// What stands aside and what stands in the place change places.
fn exchange(folder: &Folder, name: &str) -> Result<(), DiskError> {
    let aside = aside(name);
    match folder.rename(&aside, name, Goal::Exchanged) {
        // A file system that cannot do that in one step: the old one leaves first.
        Err(error) if error.source.kind() == ErrorKind::InvalidInput => {
            let between = format!("{DRAFT}between-{name}");
            folder.rename(name, &between, Goal::Empty)?;
            folder.rename(&aside, name, Goal::Empty)?;
            folder.rename(&between, &aside, Goal::Empty)
        }
        other => other,
    }
}

/// Removes a directory that metier made, unless there is something in it.
fn remove_empty(place: &Place, folder: &str) -> Result<(), DiskError> {
    let path = Path::new(folder);
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
    let parent = match (place, parent.to_string_lossy()) {
        (Place::Project(project), parent) if parent.is_empty() => Some(Folder::open(project)?),
        (_, parent) => find(place, &parent)?,
    };
    match parent {
        Some(parent) => parent.remove_empty(&name.to_string_lossy()),
        None => Ok(()),
    }
}

fn replaced<'a>(note: &'a Note, made: &Made) -> Option<&'a Replaced> {
    note.replaced.iter().find(|one| one.folder == made.folder && one.name == made.name)
}

fn aside(name: &str) -> String {
    format!("{DRAFT}link-{name}")
}

/// What metier makes for the skill called `name`, whose tree this is.
pub(crate) fn thing(
    (home, place): (&Home, &Place),
    (folder, name): (&str, &str),
    how: How,
    tree: &str,
) -> Option<Thing> {
    match how {
        How::Link => target(home, place, folder, name).map(Thing::Link),
        How::Copy => Some(Thing::Copy(tree.to_owned())),
    }
}

#[cfg(test)]
#[path = "link_change_tests.rs"]
mod tests;
