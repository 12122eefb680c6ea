//! What a run goes by: the flags, else the environment, else the settings file, else the default,
//! decided once for every setting.

use std::path::{Path, PathBuf};

use metier_format::NameKey;
use metier_format::text::visible_line;
use metier_store::Precedence;
use metier_store::client::Places;
use metier_store::disclose::Disclose;
use metier_store::discover::ScanLimits;
use metier_store::selection::{Enabled, Selection};

use crate::args::{ColorChoice, Global, RootArgument};
use crate::config::{self, ClientPolicy, Clients, Config, PackageConfig, PromptConfig};
use crate::env::{self, Environment, PathKind};
use crate::error::CommandError;
use crate::packages;
use crate::session::SessionChoices;

/// What a run goes by.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Where and how metier was started.
    pub(crate) environment: Environment,
    /// The project directory, absolute, links resolved.
    pub(crate) project: PathBuf,
    /// The settings file that was read or would be, when there is a place for one.
    config_file: Option<PathBuf>,
    /// metier's own directory, when there is a home to have it in.
    pub(crate) home: Option<PathBuf>,
    /// Roots given by flag, then those of the settings file, paths absolute.
    pub(crate) roots: Vec<RootArgument>,
    /// Whether the default roots count too.
    pub(crate) default_roots: bool,
    /// Folders whose projects are trusted, links resolved.
    pub(crate) trusted_folders: Vec<PathBuf>,
    /// Which layer wins.
    pub(crate) precedence: Precedence,
    /// Which skills are wanted.
    pub(crate) selection: Selection,
    /// Who said which skills are wanted.
    pub(crate) enabled_by: EnabledBy,
    /// How far a scan goes.
    pub(crate) limits: ScanLimits,
    /// What `prompt` does unless told otherwise.
    pub(crate) prompt: PromptConfig,
    /// Which session, journal and policy, as flags and file say.
    pub(crate) session: SessionChoices,
    /// How skills are fetched, installed and verified.
    pub(crate) packages: PackageConfig,
    /// What single clients of a server have.
    pub(crate) clients: Clients,
    /// Seconds a script may take under chibi, when somebody says so.
    pub(crate) chibi_seconds: Option<u64>,
    /// When to use colour.
    pub(crate) color: ColorChoice,
}

/// Who said which skills are wanted, for hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnabledBy {
    /// `--skills`.
    Flag,
    /// This variable.
    Variable(&'static str),
    /// `skills` in the settings file.
    File,
    /// Nobody.
    Nobody,
}

impl Settings {
    /// Reads the settings file and decides every setting.
    pub(crate) fn load(global: &Global, environment: &Environment) -> Result<Self, CommandError> {
        let mut settings = Self::without_home(global, environment)?;
        settings.trusted_folders.extend(packages::trusted_folders(&settings)?);
        Ok(settings)
    }

    /// The same for the doctor, who says what is wrong with a home that keeps everybody else from
    /// starting: until that is mended, no folder in it is trusted.
    pub(crate) fn for_doctor(
        global: &Global,
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let mut settings = Self::without_home(global, environment)?;
        let trusted = packages::trusted_folders(&settings);
        settings.trusted_folders.extend(trusted.unwrap_or_default());
        Ok(settings)
    }

    /// Every setting, as far as it is not written down in the home.
    fn without_home(global: &Global, environment: &Environment) -> Result<Self, CommandError> {
        let here = &environment.directory;
        let unless = |flag: &Option<PathBuf>, variable: &Option<PathBuf>| match flag {
            Some(_) => None,
            None => variable.clone(),
        };
        absolute("METIER_CONFIG", unless(&global.config, &environment.config))?;
        absolute("METIER_HOME", unless(&global.home, &environment.metier_home))?;
        let explicit = global.config.as_deref().or(environment.config.as_deref());
        let explicit = explicit.map(|path| environment.resolve(path, here));
        let config = Config::load(explicit.as_deref(), environment)?;
        let project = match global.project.as_deref().or(environment.project.as_deref()) {
            Some(path) => named_project(&environment.resolve(path, here))?,
            None => {
                let found = env::find_project(here);
                env::real_path(found).unwrap_or_else(|| found.to_owned())
            }
        };
        let config_file = explicit.or_else(|| config::default_path(environment));
        Ok(Self { config_file, ..Self::decide(global, environment, config, project) })
    }

    /// Decides every setting; reads nothing but where links lead.
    fn decide(
        global: &Global,
        environment: &Environment,
        config: Config,
        project: PathBuf,
    ) -> Self {
        let here = &environment.directory;
        let (enabled, enabled_by) = enabled(global, environment, &config);
        let hermetic = global.no_default_roots;
        let flags = global.root.iter().map(|root| RootArgument {
            path: environment.resolve(&root.path, here),
            ..root.clone()
        });
        let file = if hermetic { Vec::new() } else { config.roots };
        let trusted_folders = config.trusted_folders.iter();
        let scan = config.scan;
        let defaults = ScanLimits::default();
        Self {
            project,
            config_file: None,
            home: home(global, environment),
            roots: flags.chain(file).collect(),
            default_roots: !hermetic && config.default_roots.unwrap_or(true),
            trusted_folders: trusted_folders.filter_map(|folder| env::real_path(folder)).collect(),
            precedence: config.precedence.unwrap_or_default(),
            selection: Selection {
                enabled,
                disabled: config.disabled.iter().map(|name| NameKey::of(name)).collect(),
                agent: config.agent,
                tenant: config.tenant,
                environment: config.environment,
                host_version: config.host_version,
            },
            enabled_by,
            limits: ScanLimits {
                max_depth: scan.max_depth.unwrap_or(defaults.max_depth),
                max_directories: scan.max_directories.unwrap_or(defaults.max_directories),
                threads: scan.threads.unwrap_or(defaults.threads),
                brief: false,
            },
            prompt: config.prompt,
            session: SessionChoices {
                args: global.session.clone(),
                config: config.session,
                narrowing: Vec::new(),
            },
            clients: config.clients,
            packages: config.packages,
            chibi_seconds: config.chibi_seconds,
            color: global.color.or(config.color).unwrap_or_default(),
            environment: environment.clone(),
        }
    }

    /// Where things are on this machine, for the table of agents.
    pub(crate) fn places(&self) -> Places {
        Places {
            home: self.environment.home.clone(),
            project: Some(self.project.clone()),
            trusted: self.trusts(&self.project),
            config_home: self.environment.xdg_config_home.clone(),
            metier_home: self.home.clone(),
            variables: self.environment.agents.clone(),
        }
    }

    /// How the catalog is shown to a model where nobody says otherwise.
    pub(crate) fn disclose(&self) -> Disclose {
        Disclose {
            style: self.prompt.style.unwrap_or_default(),
            budget: self.prompt.budget,
            pinned: self.prompt.pinned.iter().map(|name| NameKey::of(name)).collect(),
            ..Disclose::default()
        }
    }

    /// The directories and files that are metier's own, which no call of a model writes: its
    /// directory, its settings, the user's policies, and the program itself.
    pub(crate) fn own_places(&self) -> Vec<PathBuf> {
        let default = config::default_path(&self.environment);
        let settings = default.as_deref().and_then(Path::parent).map(Path::to_owned);
        let flag = self.session.args.policy.as_deref();
        let flag = flag.map(|path| self.environment.resolve(path, &self.environment.directory));
        let clients = self.clients.values().flat_map(|client| {
            let policy = match &client.policy {
                Some(ClientPolicy::File(file)) => Some(file),
                Some(ClientPolicy::Profile(_)) | None => None,
            };
            policy.into_iter().chain(&client.token_file)
        });
        let places = self.home.iter().chain(&self.config_file).chain(&settings);
        let files = self.session.config.policy_files.iter().chain(&flag).chain(clients);
        places.chain(files).cloned().chain(env::program()).collect()
    }

    /// The settings as they are for a client that these sections hold for: its law is stricter.
    pub(crate) fn narrowed<'a>(&self, sections: impl Iterator<Item = &'a str>) -> Self {
        let policies = sections.filter_map(|name| self.clients.get(name)?.policy.clone());
        let narrowing = policies.collect();
        let session = SessionChoices { narrowing, ..self.session.clone() };
        Self { session, ..self.clone() }
    }

    /// The section for the client called `name`, which has to be there.
    pub(crate) fn client(&self, name: &str) -> Result<&str, CommandError> {
        config::section(&self.clients, name).ok_or_else(|| {
            let shown = visible_line(name);
            let known: Vec<&str> = self.clients.keys().map(String::as_str).collect();
            let error = CommandError::usage(format!("the settings have no client `{shown}`"));
            match metier_store::suggest::did_you_mean(name, known.iter().copied()) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("`[clients.{shown}]` in {}", self.config_file())),
            }
        })
    }

    /// The settings file as hints name it.
    pub(crate) fn config_file(&self) -> String {
        match &self.config_file {
            Some(path) => format!("`{}`", visible_line(&path.to_string_lossy())),
            None => "a settings file (`--config`)".to_owned(),
        }
    }

    /// Who names the skill with this key, for a message about a name that nothing has.
    pub(crate) fn names(&self, key: &NameKey) -> String {
        if self.selection.disabled.contains(key) {
            return "`disabled` in the settings".to_owned();
        }
        match self.enabled_by {
            EnabledBy::Flag => "`--skills`".to_owned(),
            EnabledBy::Variable(variable) => format!("`{variable}`"),
            EnabledBy::File | EnabledBy::Nobody => "`skills` in the settings".to_owned(),
        }
    }

    /// Whether the user trusts what lies in `directory`: wherever links lead, it is one of the
    /// trusted folders or below one. What does not exist is not trusted.
    pub(crate) fn trusts(&self, directory: &Path) -> bool {
        env::real_path(directory)
            .is_some_and(|real| self.trusted_folders.iter().any(|folder| real.starts_with(folder)))
    }
}

fn enabled(global: &Global, environment: &Environment, config: &Config) -> (Enabled, EnabledBy) {
    if let Some(list) = &global.skills {
        return (Enabled::parse(list), EnabledBy::Flag);
    }
    if let Some(skills) = &environment.skills {
        return (Enabled::parse(&skills.list), EnabledBy::Variable(skills.variable));
    }
    match &config.skills {
        Some(list) => (Enabled::parse(list), EnabledBy::File),
        None => (Enabled::Unset, EnabledBy::Nobody),
    }
}

fn home(global: &Global, environment: &Environment) -> Option<PathBuf> {
    let here = &environment.directory;
    if let Some(path) = global.home.as_deref().or(environment.metier_home.as_deref()) {
        return Some(environment.resolve(path, here));
    }
    let data = || environment.home.as_ref().map(|home| home.join(".local/share"));
    Some(environment.xdg_data_home.clone().or_else(data)?.join("metier"))
}

/// A relative path in the environment would mean another directory in every project one enters, and
/// a project could bring that directory.
fn absolute(variable: &str, value: Option<PathBuf>) -> Result<(), CommandError> {
    match value.filter(|path| !path.is_absolute() && !path.starts_with("~")) {
        None => Ok(()),
        Some(path) => {
            let message = format!("`{variable}` is `{}`, not an absolute path", path.display());
            Err(CommandError::usage(message).hint("give the whole path, from `/` or `~/`"))
        }
    }
}

/// The project the user named; a mistyped one would silently mean no project at all.
fn named_project(path: &Path) -> Result<PathBuf, CommandError> {
    let real = env::real_path(path).filter(|real| env::kind_of(real) == PathKind::Directory);
    if let Some(real) = real {
        return Ok(real);
    }
    let message = format!("the project `{}` is not a directory", path.display());
    Err(CommandError::usage(message).hint("give `--project` a directory that exists"))
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
