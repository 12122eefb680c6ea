//! The settings file: TOML, one table of keys, and an error with line and column for everything
//! that is not in it. The file is the user's own; nothing a project ships is ever read as settings,
//! so a cloned repository cannot trust itself.
//!
//! Start reading at [`KEYS`]: it says what each key means and how it is read; help is made from it.

mod clients;
mod extend;

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use metier_format::Position;
use metier_policy::Profile;
use metier_runtime::arguments::Base;
use metier_runtime::journal::Durability;
use metier_runtime::session::Again;
use metier_store::disclose::Style;
use metier_store::vouch::Depth;
use metier_store::{Layer, Precedence};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use clients::{ClientPolicy, Clients, section};
pub(crate) use extend::Hosts;

use crate::args::{ColorChoice, RootArgument};
use crate::env::Environment;
use crate::error::CommandError;
use crate::files;
use crate::session::SessionConfig;

/// Largest settings file read, in bytes. A person writes a few hundred.
const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// What the settings file says. A key that is not there is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// `roots`, paths resolved.
    pub(crate) roots: Vec<RootArgument>,
    /// `default-roots`.
    pub(crate) default_roots: Option<bool>,
    /// `precedence`.
    pub(crate) precedence: Option<Precedence>,
    /// `skills`.
    pub(crate) skills: Option<String>,
    /// `disabled`.
    pub(crate) disabled: Vec<String>,
    /// `agent`.
    pub(crate) agent: Option<String>,
    /// `tenant`.
    pub(crate) tenant: Option<String>,
    /// `environment`.
    pub(crate) environment: Option<String>,
    /// `host-version`.
    pub(crate) host_version: Option<String>,
    /// `trusted-folders`, resolved.
    pub(crate) trusted_folders: Vec<PathBuf>,
    /// `scan.*`.
    pub(crate) scan: ScanConfig,
    /// `prompt.*`.
    pub(crate) prompt: PromptConfig,
    /// `session.*`, `journal.*`, `policy.*`.
    pub(crate) session: SessionConfig,
    /// `packages.*`.
    pub(crate) packages: PackageConfig,
    /// `clients`, paths resolved.
    pub(crate) clients: Clients,
    /// `chibi.script-seconds`.
    pub(crate) chibi_seconds: Option<u64>,
    /// `color`.
    pub(crate) color: Option<ColorChoice>,
}

/// `scan.*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScanConfig {
    /// `scan.max-depth`.
    pub(crate) max_depth: Option<usize>,
    /// `scan.max-directories`.
    pub(crate) max_directories: Option<usize>,
    /// `scan.threads`.
    pub(crate) threads: Option<usize>,
}

/// `prompt.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptConfig {
    /// `prompt.style`.
    pub(crate) style: Option<Style>,
    /// `prompt.budget`.
    pub(crate) budget: Option<usize>,
    /// `prompt.pinned`.
    pub(crate) pinned: Vec<String>,
}

/// `packages.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackageConfig {
    /// `packages.repositories`.
    pub(crate) repositories: Option<String>,
    /// `packages.require-signature`.
    pub(crate) require_signature: bool,
    /// `packages.signers`, resolved.
    pub(crate) signers: Option<PathBuf>,
    /// `packages.verify`.
    pub(crate) verify: Option<Depth>,
}

/// One key of the settings file.
pub(crate) struct Key {
    /// Its name, with `.` for a table.
    pub(crate) name: &'static str,
    /// What it is when absent.
    pub(crate) default: &'static str,
    /// What it does.
    pub(crate) meaning: &'static str,
    set: fn(&mut Config, &Value<'_>) -> Result<(), Fault>,
}

/// Every key there is.
#[rustfmt::skip]
pub(crate) const KEYS: &[Key] = &[
    Key { name: "roots", default: "none", meaning: "more roots: a list of `{layer, path, immediate-only}`",
        set: |config, value| { config.roots = list(value, root)?; Ok(()) } },
    Key { name: "default-roots", default: "true", meaning: "whether the agents' usual directories are roots",
        set: |config, value| { config.default_roots = Some(boolean(value)?); Ok(()) } },
    Key { name: "precedence", default: "default", meaning: "which layer wins: `default`, `project-first` or a list of all five",
        set: |config, value| { config.precedence = Some(precedence(value)?); Ok(()) } },
    Key { name: "skills", default: "all", meaning: "the enabled skills, as `--skills`",
        set: |config, value| { config.skills = Some(enabled(value)?); Ok(()) } },
    Key { name: "disabled", default: "none", meaning: "skills that are never enabled",
        set: |config, value| { config.disabled = list(value, text)?; Ok(()) } },
    Key { name: "agent", default: "none", meaning: "the agent skills with `scope.agents` are offered to",
        set: |config, value| { config.agent = Some(text(value)?); Ok(()) } },
    Key { name: "tenant", default: "none", meaning: "the tenant, likewise",
        set: |config, value| { config.tenant = Some(text(value)?); Ok(()) } },
    Key { name: "environment", default: "none", meaning: "the environment, likewise, such as `production`",
        set: |config, value| { config.environment = Some(text(value)?); Ok(()) } },
    Key { name: "host-version", default: "none", meaning: "the agent's version, for skills that ask for one",
        set: |config, value| { config.host_version = Some(text(value)?); Ok(()) } },
    Key { name: "trusted-folders", default: "none", meaning: "projects at or below these may bring skills",
        set: |config, value| { config.trusted_folders = list(value, path)?; Ok(()) } },
    Key { name: "scan.max-depth", default: "6", meaning: "directory levels below a root that are looked into",
        set: |config, value| { config.scan.max_depth = Some(number(value)?); Ok(()) } },
    Key { name: "scan.max-directories", default: "200000", meaning: "directories looked into per root",
        set: |config, value| { config.scan.max_directories = Some(number(value)?); Ok(()) } },
    Key { name: "scan.threads", default: "0", meaning: "threads that look; 0 lets the machine decide",
        set: |config, value| { config.scan.threads = Some(number(value)?); Ok(()) } },
    Key { name: "prompt.style", default: "xml", meaning: "xml, xml-attributes, markdown, tool or json",
        set: |config, value| { config.prompt.style = Some(style(value)?); Ok(()) } },
    Key { name: "prompt.budget", default: "none", meaning: "tokens the catalog may take in a prompt",
        set: |config, value| { config.prompt.budget = Some(number(value)?); Ok(()) } },
    Key { name: "prompt.pinned", default: "none", meaning: "skills that are shown in full whatever the budget",
        set: |config, value| { config.prompt.pinned = list(value, text)?; Ok(()) } },
    Key { name: "session.again", default: "refuse", meaning: "an active skill asked for again: `refuse` or `repeat` its text",
        set: |config, value| { config.session.again = Some(again(value)?); Ok(()) } },
    Key { name: "session.first-argument", default: "0", meaning: "the number of a skill's first argument: 0 or 1",
        set: |config, value| { config.session.base = Some(base(value)?); Ok(()) } },
    Key { name: "journal.durability", default: "act", meaning: "when frames are safe on disk: each `frame`, each `act`, or `system`",
        set: |config, value| { config.session.durability = Some(durability(value)?); Ok(()) } },
    Key { name: "journal.artifacts", default: "true", meaning: "whether what is loaded and read is kept, for `replay --verify`",
        set: |config, value| { config.session.artifacts = Some(boolean(value)?); Ok(()) } },
    Key { name: "policy.files", default: "none", meaning: "policy files of your own, besides `policy.toml`",
        set: |config, value| { config.session.policy_files = list(value, path)?; Ok(()) } },
    Key { name: "policy.profile", default: "default", meaning: "`strict`, `default` or `full-auto`, as `--profile`",
        set: |config, value| { config.session.profile = Some(profile(value)?); Ok(()) } },
    Key { name: "hosts", default: "none", meaning: "`hosts.HOST.aliases`: your names for a host's tools; `hosts.HOST.flow`: tools never blocked",
        set: |config, value| { config.session.hosts = extend::hosts(value)?; Ok(()) } },
    Key { name: "programs", default: "none", meaning: "programs that run others, beside the known: `{names, command-at, …}`",
        set: |config, value| { config.session.programs = list(value, extend::program)?; Ok(()) } },
    Key { name: "packages.repositories", default: "https://github.com", meaning: "what `owner/repo` is below",
        set: |config, value| { config.packages.repositories = Some(text(value)?); Ok(()) } },
    Key { name: "packages.require-signature", default: "false", meaning: "whether only skills with a good signature are installed",
        set: |config, value| { config.packages.require_signature = boolean(value)?; Ok(()) } },
    Key { name: "packages.signers", default: "none", meaning: "whose SSH signatures are known: a file as git's `gpg.ssh.allowedSignersFile`",
        set: |config, value| { config.packages.signers = Some(path(value)?); Ok(()) } },
    Key { name: "packages.verify", default: "stamps", meaning: "how closely content is looked at before use: by `stamps`, or all its `bytes`",
        set: |config, value| { config.packages.verify = Some(depth(value)?); Ok(()) } },
    Key { name: "clients", default: "none", meaning: "`clients.NAME`: what one client of a server has, as `skills`, `disabled`, `policy` (a file or a profile), `token-file`",
        set: |config, value| { config.clients = clients::clients(value)?; Ok(()) } },
    Key { name: "chibi.script-seconds", default: "25", meaning: "seconds a script may take under chibi; 120 where chibi is older than 0.7",
        set: |config, value| { config.chibi_seconds = Some(number(value)? as u64); Ok(()) } },
    Key { name: "color", default: "auto", meaning: "auto, always or never",
        set: |config, value| { config.color = Some(color(value)?); Ok(()) } },
];

/// Why a settings file is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// It cannot be read.
    #[error("cannot read the settings file `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is larger than any settings file.
    #[error("the settings file `{}` has more than {MAX_CONFIG_BYTES} bytes", .0.display())]
    TooLarge(PathBuf),
    /// It says something that cannot be.
    #[error("{}:{}:{}: {message}", path.display(), position.line, position.column)]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in it.
        position: Position,
        /// What is wrong.
        message: String,
        /// What to write instead.
        hint: Option<String>,
    },
}

impl Config {
    /// Reads the settings: the file `explicit` names, which must exist, else the user's default
    /// one, which need not.
    pub(crate) fn load(
        explicit: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let Some(path) = explicit.map(Path::to_owned).or_else(|| default_path(environment)) else {
            return Ok(Self::default());
        };
        match read(&path) {
            Ok(text) => Self::parse(&text, &path, environment),
            Err(ConfigError::Io { source, .. })
                if explicit.is_none() && source.kind() == std::io::ErrorKind::NotFound =>
            {
                Ok(Self::default())
            }
            Err(error) => Err(error),
        }
    }

    /// Reads `text`, which stands in `file`.
    pub(crate) fn parse(
        text: &str,
        file: &Path,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let read = parse_table(text).and_then(|table| read_table(&mut config, &table, ""));
        read.map_err(|fault| ConfigError::Content {
            path: file.to_owned(),
            position: Position::of(text.as_bytes(), fault.span.start),
            message: fault.message,
            hint: fault.hint,
        })?;
        let base = file.parent().unwrap_or(Path::new(""));
        let base = environment.directory.join(base);
        for root in &mut config.roots {
            root.path = environment.resolve(&root.path, &base);
        }
        for folder in &mut config.trusted_folders {
            *folder = environment.resolve(folder, &base);
        }
        if let Some(signers) = &mut config.packages.signers {
            *signers = environment.resolve(signers, &base);
        }
        for file in &mut config.session.policy_files {
            *file = environment.resolve(file, &base);
        }
        for client in config.clients.values_mut() {
            if let Some(ClientPolicy::File(file)) = &mut client.policy {
                *file = environment.resolve(file, &base);
            }
            if let Some(file) = &mut client.token_file {
                *file = environment.resolve(file, &base);
            }
        }
        Ok(config)
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let hint = match &error {
            ConfigError::Content { hint, .. } => hint.clone(),
            ConfigError::Io { .. } | ConfigError::TooLarge(_) => None,
        };
        let mut error = Self::usage(error);
        error.hints.extend(hint);
        error
    }
}

/// The user's settings file, when there is a home to have one in.
pub(crate) fn default_path(environment: &Environment) -> Option<PathBuf> {
    let home = || environment.home.as_ref().map(|home| home.join(".config"));
    let directory = environment.xdg_config_home.clone().or_else(home)?;
    Some(directory.join("metier").join("config.toml"))
}

/// The table as help shows it: the key, what it does, and its value when absent.
pub(crate) fn table() -> String {
    let width = KEYS.iter().map(|k| k.name.len()).max().unwrap_or(0);
    KEYS.iter().fold(String::new(), |mut text, key| {
        let _ = writeln!(text, "  {:width$}  {} [{}]", key.name, key.meaning, key.default);
        text
    })
}

type Value<'a> = Spanned<DeValue<'a>>;

/// What is wrong with one place of the text.
struct Fault {
    span: Range<usize>,
    message: String,
    hint: Option<String>,
}

impl Fault {
    fn at<T>(place: &Spanned<T>, message: impl Into<String>) -> Self {
        Self { span: place.span(), message: message.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let wrap = |source| ConfigError::Io { path: path.to_owned(), source };
    let text = files::text(path, MAX_CONFIG_BYTES).map_err(wrap)?;
    if text.len() > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLarge(path.to_owned()));
    }
    Ok(text)
}

fn parse_table(text: &str) -> Result<DeTable<'_>, Fault> {
    let table = DeTable::parse(text).map_err(|error| Fault {
        span: error.span().unwrap_or(0..0),
        message: format!("not valid TOML: {}", error.message()),
        hint: None,
    })?;
    Ok(table.into_inner())
}

/// Reads the keys of `table`, whose own name is `prefix`, in the order they are written, so that
/// the first mistake of the file is the one reported.
fn read_table(config: &mut Config, table: &DeTable<'_>, prefix: &str) -> Result<(), Fault> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let name = format!("{prefix}{}", key.get_ref());
        let within = format!("{name}.");
        let is_table = KEYS.iter().any(|k| k.name.starts_with(&within));
        match (KEYS.iter().find(|k| k.name == name), value.get_ref()) {
            (Some(known), _) => (known.set)(config, value)?,
            (None, DeValue::Table(inner)) if is_table => read_table(config, inner, &within)?,
            (None, _) if is_table => return Err(expected(value, "a table")),
            (None, _) => return Err(unknown(key, &name)),
        }
    }
    Ok(())
}

fn unknown<T>(key: &Spanned<T>, name: &str) -> Fault {
    let fault = Fault::at(key, format!("unknown key `{name}`"));
    let names: Vec<&str> = KEYS.iter().map(|k| k.name).collect();
    fault.hint(suggest(name, &names, "the keys are"))
}

/// A hint that names the nearest of `known`, or all of them when none is near.
fn suggest(word: &str, known: &[&str], otherwise: &str) -> String {
    match metier_store::suggest::did_you_mean(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{otherwise} {}", known.join(", ")),
    }
}

fn expected(value: &Value<'_>, what: &str) -> Fault {
    Fault::at(value, format!("expected {what}, found {}", value.get_ref().type_str()))
}

fn text(value: &Value<'_>) -> Result<String, Fault> {
    let text = value.get_ref().as_str().ok_or_else(|| expected(value, "text"))?;
    Ok(text.to_owned())
}

fn path(value: &Value<'_>) -> Result<PathBuf, Fault> {
    let text = text(value)?;
    if text.is_empty() {
        return Err(Fault::at(value, "the path is empty"));
    }
    Ok(PathBuf::from(text))
}

fn boolean(value: &Value<'_>) -> Result<bool, Fault> {
    value.get_ref().as_bool().ok_or_else(|| expected(value, "true or false"))
}

fn number(value: &Value<'_>) -> Result<usize, Fault> {
    let number = value.get_ref().as_integer().ok_or_else(|| expected(value, "a number"))?;
    usize::from_str_radix(number.as_str(), number.radix())
        .map_err(|_| Fault::at(value, format!("`{number}` is not a number from 0 up")))
}

fn list<T>(
    value: &Value<'_>,
    item: impl Fn(&Value<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let items = value.get_ref().as_array().ok_or_else(|| expected(value, "a list"))?;
    items.iter().map(item).collect()
}

fn layer(value: &Value<'_>) -> Result<Layer, Fault> {
    let word = text(value)?;
    let words = Layer::ALL.map(Layer::as_str);
    Layer::parse(&word).ok_or_else(|| {
        let fault = Fault::at(value, format!("`{word}` is not a layer"));
        fault.hint(suggest(&word, &words, "the layers are"))
    })
}

fn root(value: &Value<'_>) -> Result<RootArgument, Fault> {
    let table = value.get_ref().as_table();
    let table = table.ok_or_else(|| expected(value, "`{layer = \"…\", path = \"…\"}`"))?;
    let (mut found_layer, mut found_path, mut immediate_only) = (None, None, false);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "layer" => found_layer = Some(layer(value)?),
            "path" => found_path = Some(path(value)?),
            "immediate-only" => immediate_only = boolean(value)?,
            other => {
                let known = ["layer", "path", "immediate-only"];
                let fault = Fault::at(key, format!("unknown key `{other}` in a root"));
                return Err(fault.hint(suggest(other, &known, "a root has")));
            }
        }
    }
    let missing = |what: &str| Fault::at(value, format!("the root has no `{what}`"));
    Ok(RootArgument {
        layer: found_layer.ok_or_else(|| missing("layer"))?,
        path: found_path.ok_or_else(|| missing("path"))?,
        immediate_only,
    })
}

fn precedence(value: &Value<'_>) -> Result<Precedence, Fault> {
    match value.get_ref().as_str() {
        Some("default") => return Ok(Precedence::DEFAULT),
        Some("project-first") => return Ok(Precedence::PROJECT_FIRST),
        Some(word) => {
            let fault = Fault::at(value, format!("`{word}` is not an order of layers"));
            return Err(
                fault.hint("write `default`, `project-first`, or a list of all five layers")
            );
        }
        None => {}
    }
    let layers = list(value, layer)?;
    let complete = Layer::ALL.iter().all(|layer| layers.contains(layer));
    let order = <[Layer; 5]>::try_from(layers).ok().filter(|_| complete);
    order.map(Precedence).ok_or_else(|| {
        let fault = Fault::at(value, "the order must name each of the five layers once");
        fault.hint(format!("the layers are {}", crate::args::layers()))
    })
}

fn color(value: &Value<'_>) -> Result<ColorChoice, Fault> {
    let names = ["auto", "always", "never"];
    choice(value, "a choice of colour", &names, |word| ColorChoice::from_str(word, false).ok())
}

fn style(value: &Value<'_>) -> Result<Style, Fault> {
    choice(value, "a style", &Style::ALL.map(Style::as_str), Style::parse)
}

fn again(value: &Value<'_>) -> Result<Again, Fault> {
    choice(value, "an answer", &["refuse", "repeat"], |word| match word {
        "refuse" => Some(Again::Refuse),
        "repeat" => Some(Again::Repeat),
        _ => None,
    })
}

fn base(value: &Value<'_>) -> Result<Base, Fault> {
    match number(value)? {
        0 => Ok(Base::Zero),
        1 => Ok(Base::One),
        other => Err(Fault::at(value, format!("`{other}` is neither 0 nor 1"))),
    }
}

fn durability(value: &Value<'_>) -> Result<Durability, Fault> {
    choice(value, "a durability", &["frame", "act", "system"], |word| match word {
        "frame" => Some(Durability::EachFrame),
        "act" => Some(Durability::EachAct),
        "system" => Some(Durability::System),
        _ => None,
    })
}

fn profile(value: &Value<'_>) -> Result<Profile, Fault> {
    let names = Profile::ALL.map(Profile::as_str);
    choice(value, "a profile", &names, |word| {
        Profile::ALL.into_iter().find(|profile| profile.as_str() == word)
    })
}

fn depth(value: &Value<'_>) -> Result<Depth, Fault> {
    choice(value, "a way to look", &["stamps", "bytes"], |word| match word {
        "stamps" => Some(Depth::Stamps),
        "bytes" => Some(Depth::Bytes),
        _ => None,
    })
}

/// One of the words a flag takes.
fn choice<T>(
    value: &Value<'_>,
    what: &str,
    names: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, Fault> {
    let word = text(value)?;
    read(&word).ok_or_else(|| {
        let fault = Fault::at(value, format!("`{word}` is not {what}"));
        fault.hint(format!("write one of {}", names.join(", ")))
    })
}

/// `skills`: the flag's text, or a list of names.
fn enabled(value: &Value<'_>) -> Result<String, Fault> {
    if value.get_ref().is_array() {
        return Ok(list(value, text)?.join(","));
    }
    text(value)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
