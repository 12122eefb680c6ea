//! A ground with a user's home and agents in it, for tests of links, doctor and adoption.

#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use std::path::PathBuf;

use metier_store::client::{Agent, Places};

use crate::ChangeError;
use crate::fixture::{Ground, by};
use crate::home::Place;
use crate::link::{Linked, Linking, Mode, link, relink, unlink};
use crate::links::How;

/// A ground, a user's home beside metier's, and what both know of each other.
pub(crate) struct Machine {
    pub(crate) ground: Ground,
    pub(crate) places: Places,
}

impl Machine {
    /// A machine with these agents on it.
    pub(crate) fn with(agents: &[&str]) -> Self {
        let ground = Ground::new();
        let user = ground.path().join("user");
        std::fs::create_dir(&user).unwrap();
        let places = Places {
            home: Some(user),
            project: Some(ground.path().join("project")),
            metier_home: Some(ground.home.path().to_owned()),
            ..Places::default()
        };
        for id in agents {
            let path = places.resolve(agent(id).detected[0]).unwrap();
            std::fs::create_dir_all(path).unwrap();
        }
        Self { ground, places }
    }

    pub(crate) fn install(&self, place: &Place, skill: &str, version: u32) {
        self.ground.install(place, skill, version).unwrap();
    }

    pub(crate) fn link(&self, place: &Place, ids: &[&str]) -> Result<Linked, ChangeError> {
        self.link_as(place, ids, How::Link)
    }

    pub(crate) fn link_as(
        &self,
        place: &Place,
        ids: &[&str],
        how: How,
    ) -> Result<Linked, ChangeError> {
        self.with_linking(place, Mode::Act, |linking| link(linking, &agents(ids), how))
    }

    pub(crate) fn unlink(&self, place: &Place, ids: &[&str]) -> Result<Linked, ChangeError> {
        self.with_linking(place, Mode::Act, |linking| unlink(linking, &agents(ids)))
    }

    pub(crate) fn relink(&self, place: &Place) -> Result<Linked, ChangeError> {
        self.with_linking(place, Mode::Act, relink)
    }

    pub(crate) fn with_linking<T>(
        &self,
        place: &Place,
        mode: Mode,
        work: impl FnOnce(&Linking<'_>) -> T,
    ) -> T {
        let by = by();
        work(&Linking { home: &self.ground.home, place, places: &self.places, by: &by, mode })
    }

    /// A path below the user's home.
    pub(crate) fn user(&self, path: &str) -> PathBuf {
        self.ground.path().join("user").join(path)
    }

    /// A path below the project.
    pub(crate) fn in_project(&self, path: &str) -> PathBuf {
        self.ground.path().join("project").join(path)
    }

    /// Everything below the ground's user and project, as lines: kinds, names, targets and texts.
    pub(crate) fn listing(&self) -> String {
        let mut lines = Vec::new();
        for top in ["user", "project"] {
            let mut todo = vec![self.ground.path().join(top)];
            while let Some(folder) = todo.pop() {
                for entry in std::fs::read_dir(&folder).unwrap() {
                    let path = entry.unwrap().path();
                    let shown = path.strip_prefix(self.ground.path()).unwrap().display();
                    let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
                    if kind.is_symlink() {
                        let target = std::fs::read_link(&path).unwrap();
                        lines.push(format!("{shown} -> {}", target.display()));
                    } else if kind.is_dir() {
                        lines.push(format!("{shown}/"));
                        todo.push(path);
                    } else {
                        lines.push(format!("{shown}: {}", self.ground.text(&path)));
                    }
                }
            }
        }
        lines.sort();
        lines.join("\n")
    }
}

pub(crate) fn agent(id: &str) -> &'static Agent {
    Agent::find(id).unwrap_or_else(|| panic!("{id}"))
}

fn agents(ids: &[&str]) -> Vec<&'static Agent> {
    ids.iter().map(|id| agent(id)).collect()
}
