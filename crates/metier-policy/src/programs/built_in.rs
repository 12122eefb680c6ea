//! The programs metier knows, each read from the table that the build wrote when somebody asks for it.

use std::sync::OnceLock;

use super::{Arguments, Program, is_version};
use crate::entries::{Entries, Names};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

static READ: [OnceLock<Box<Program>>; ENDS.len()] = [const { OnceLock::new() }; ENDS.len()];

const PROGRAMS: Entries<Program> = Entries { texts: TEXTS, ends: &ENDS, read: &READ };

const EXACT: Names = Names { texts: NAMES, ends: &NAME_ENDS, of: &OF };

/// The program with this name.
pub(super) fn exact(name: &str) -> Option<&'static Program> {
    get(EXACT.find(name)?)
}

/// The program whose name this is with a version behind it.
pub(super) fn family(name: &str) -> Option<&'static Program> {
    FAMILIES.split('\n').find_map(|line| {
        let (stem, at) = line.split_once(' ')?;
        name.strip_prefix(stem).filter(|rest| is_version(rest))?;
        get(at.parse().ok()?)
    })
}

/// Environment variables that change nothing about what runs; a final `*` stands for any end.
pub(super) fn harmless_variables() -> impl Iterator<Item = &'static str> {
    HARMLESS.split('\n')
}

/// Every program.
pub(super) fn all() -> impl Iterator<Item = &'static Program> {
    (0..ENDS.len()).filter_map(get)
}

/// A program whose entry cannot be read can do anything.
fn get(at: usize) -> Option<&'static Program> {
    PROGRAMS.get(at, || Program { arguments: Arguments::Escape, ..Program::default() })
}
