//! What a call would do, for whoever has to know more than whether it may: which files it reads, and
//! whether it starts something that runs what is typed into it later. Decides nothing.

use std::path::PathBuf;

use crate::act::{self, Act, Command, Consequence, FileUse, Manner};
use crate::call::ToolCall;
use crate::host::HostTable;
use crate::place::Place;
use crate::policy::Policy;
use crate::shell::Access;

/// What a call would do, as far as it can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Files it reads: each path as it is spelled and, where that differs, as links lead.
    pub reads: Vec<PathBuf>,
    /// Files it reads of which nobody can tell where they are, as they are spelled.
    pub unplaced: Vec<String>,
    /// Whether a program in it would run what is typed into it.
    pub interactive: bool,
    /// Whether it does more than read files, as far as anybody can tell: it writes or
    /// runs something else.
    pub does_more: bool,
}

impl Policy {
    /// What `call` would do. The policy's own programs count among those that are known.
    #[must_use]
    pub fn survey(&self, call: &ToolCall, host: &HostTable, place: &Place<'_>) -> Survey {
        let Some(programs) = self.programs() else { return Survey::default() };
        let mut survey = Survey::default();
        for act in act::acts(&call.understand(host), place, programs, act::Look::Thorough) {
            survey.add(&act);
        }
        survey
    }
}

impl Survey {
    fn add(&mut self, act: &Act) {
        match act {
            // What a program nobody knows does with its words is not known to be reading.
            Act::File(FileUse { manner: Manner::Mentioned, .. }) => self.does_more = true,
            Act::File(file) if file.access == Access::Read => self.add_file(file),
            Act::Command(Command { consequences, touches, interactive, .. }) => {
                self.interactive |= interactive;
                self.does_more |= *interactive || (touches.is_empty() && consequences.is_empty());
                touches.iter().for_each(|touch| self.add(touch));
                for (_, consequence) in consequences {
                    match consequence {
                        Consequence::Acts(acts) => acts.iter().for_each(|act| self.add(act)),
                        Consequence::Escape(act) => self.add(act),
                        Consequence::Code(_) => self.does_more = true,
                    }
                }
            }
            Act::File(_) | Act::Tool | Act::Fetch(_) | Act::Unresolvable(_) => {
                self.does_more = true;
            }
        }
    }

    fn add_file(&mut self, file: &FileUse) {
        match &file.spots {
            Some(spots) => {
                self.reads.extend(spots.iter().map(|spot| PathBuf::from(&spot.path)));
            }
            None => self.unplaced.push(file.shown.clone()),
        }
    }
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
