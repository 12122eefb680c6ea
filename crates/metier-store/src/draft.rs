//! A skill's file as it lies on disk, for those who judge what is in it. Unlike a
//! [`Skill`](crate::store::Skill) it need not be one: nothing here is parsed, digested or measured.

use metier_format::Diagnostic;

use crate::candidate::misnamed;
use crate::contained::{Refusal, SkillDirectory};
use crate::resources;
use crate::store::Resources;

/// A skill's file, whatever is in it.
#[derive(Debug)]
pub struct Draft {
    /// What the file is called.
    pub file: String,
    /// The whole file.
    pub bytes: Vec<u8>,
    skill: SkillDirectory,
}

/// The paths of the files around a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// Every path below the directory that is not itself a directory, sorted, but the draft's own.
    pub paths: Vec<String>,
    /// How many more there are than anybody keeps.
    pub omitted: usize,
}

impl Draft {
    pub(crate) fn new(file: String, bytes: Vec<u8>, skill: SkillDirectory) -> Self {
        Self { file, bytes, skill }
    }

    /// What is wrong with what the file is called, if something is.
    #[must_use]
    pub fn misnamed(&self) -> Option<Diagnostic> {
        misnamed(&self.file)
    }

    /// The files around it: those a loaded skill has, and those it is refused.
    pub(crate) fn neighbourhood(&self) -> Result<Neighbourhood, Refusal> {
        let Resources { files, omitted, refused } = resources::names(&self.skill, &self.file)?;
        let mut paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
        if !refused.is_empty() {
            paths.extend(refused);
            paths.sort();
            paths.dedup();
        }
        Ok(Neighbourhood { paths, omitted })
    }
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
