//! The law a run goes by: which policy files there are, read and joined. A file that cannot be used
//! makes a law that denies everything and says why; it never counts as an empty one.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use metier_policy::limits::MAX_POLICY_BYTES;
use metier_policy::policy::PolicyErrorKind;
use metier_policy::{Policy, PolicyError, PolicyFile, PolicyLayer, Profile};
use metier_store::digest;
use serde::Serialize;

use crate::config::{self, ClientPolicy};
use crate::files;
use crate::settings::Settings;
use crate::shape;

/// The organisation's policy.
const ENTERPRISE: &str = "/etc/metier/policy.toml";

/// The name of a policy file beside the settings and in a project's `.metier`.
pub(crate) const FILE: &str = "policy.toml";

/// The law with where it comes from.
pub(crate) struct Law {
    /// The law.
    pub(crate) policy: Policy,
    /// SHA-256 of the files' texts, hex; empty when there are none.
    pub(crate) digest: String,
    /// The files it was made of, strongest first.
    pub(crate) sources: Vec<Source>,
    /// The profile asked for, if one was.
    pub(crate) profile: Option<Profile>,
    /// The file that cannot be used, and why, when there is one: then everything is denied.
    pub(crate) fault: Option<(PathBuf, String)>,
}

/// One policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Source {
    /// enterprise, personal or project.
    pub(crate) layer: &'static str,
    /// The file.
    pub(crate) path: String,
}

/// The files a law is made of, as they are read.
#[derive(Default)]
struct Origin {
    /// Which they are, in their order.
    sources: Vec<Source>,
    /// What they say.
    texts: String,
}

/// A place where a policy may be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    layer: PolicyLayer,
    path: PathBuf,
    /// Whether somebody named it, so that it must be there.
    named: bool,
}

impl Law {
    /// Reads every policy file there is.
    pub(crate) fn load(settings: &Settings) -> Self {
        let choices = &settings.session;
        let profile = choices.args.profile.or(choices.config.profile);
        let mut law = Self::read(&places(settings), profile, &choices.narrowing);
        let programs = &choices.config.programs;
        if !programs.is_empty() {
            law.policy = law.policy.with_programs(&programs.iter().cloned().collect());
        }
        law
    }

    fn read(places: &[Place], profile: Option<Profile>, narrowing: &[ClientPolicy]) -> Self {
        let mut origin = Origin::default();
        let files = origin.files(places).and_then(|mut files| {
            if let Some(profile) = profile {
                files.push((PolicyLayer::Personal, of_profile(profile, "--profile")?));
            }
            files.extend(origin.client_files(narrowing)?);
            Ok(files)
        });
        let (policy, fault) = match files {
            Ok(files) => (Policy::merge(files), None),
            Err(error) => {
                let fault = (PathBuf::from(&error.file), error.to_string());
                (Policy::broken(error), Some(fault))
            }
        };
        let Origin { texts, sources } = origin;
        let digest = match texts.is_empty() {
            true => String::new(),
            false => digest::hex(&digest::sha256(texts.as_bytes())),
        };
        Self { policy, digest, sources, profile, fault }
    }
}

impl Origin {
    /// The files of the places.
    fn files(&mut self, places: &[Place]) -> Result<Vec<(PolicyLayer, PolicyFile)>, PolicyError> {
        let mut read = Vec::new();
        for place in places {
            let name = shape::path(&place.path);
            let text = match files::text(&place.path, MAX_POLICY_BYTES) {
                Err(error) if !place.named && error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(|error| unreadable(&name, &error))?,
            };
            self.sources.push(Source { layer: place.layer.as_str(), path: name.clone() });
            self.texts.push_str(&text);
            // Between two texts, so that moving a rule from one file to the next is a change.
            self.texts.push('\0');
            read.push((place.layer, PolicyFile::read(&text, &name)?));
        }
        Ok(read)
    }

    /// What holds for one client besides, in a layer that can only tighten.
    fn client_files(
        &mut self,
        narrowing: &[ClientPolicy],
    ) -> Result<Vec<(PolicyLayer, PolicyFile)>, PolicyError> {
        let mut read = Vec::new();
        for policy in narrowing {
            match policy {
                ClientPolicy::Profile(profile) => {
                    read.push((PolicyLayer::Client, of_profile(*profile, "clients")?));
                }
                ClientPolicy::File(path) => {
                    let place =
                        Place { layer: PolicyLayer::Client, path: path.clone(), named: true };
                    read.extend(self.files(&[place])?);
                }
            }
        }
        Ok(read)
    }
}

/// Where policies may be. A project's counts whether it is trusted or not: it can only tighten.
fn places(settings: &Settings) -> Vec<Place> {
    let found = |layer, path: PathBuf| Place { layer, path, named: false };
    let named = |path: PathBuf| Place { layer: PolicyLayer::Personal, path, named: true };
    let mut places = vec![found(PolicyLayer::Enterprise, PathBuf::from(ENTERPRISE))];
    let environment = &settings.environment;
    let beside = config::default_path(environment).map(|file| file.with_file_name(FILE));
    places.extend(beside.map(|path| found(PolicyLayer::Personal, path)));
    places.extend(settings.session.config.policy_files.iter().cloned().map(named));
    let flag = settings.session.args.policy.as_deref();
    places.extend(flag.map(|path| named(environment.resolve(path, &environment.directory))));
    let project = settings.project.join(Path::new(".metier").join(FILE));
    places.push(found(PolicyLayer::Project, project));
    places
}

fn of_profile(profile: Profile, name: &str) -> Result<PolicyFile, PolicyError> {
    PolicyFile::read(&format!("profile = \"{}\"", profile.as_str()), name)
}

fn unreadable(file: &str, error: &std::io::Error) -> PolicyError {
    let kind = PolicyErrorKind::Unreadable(error.to_string());
    PolicyError { file: file.to_owned(), place: None, kind }
}

#[cfg(test)]
#[path = "law_tests.rs"]
mod tests;
