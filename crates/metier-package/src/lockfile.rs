//! `skills.lock`: what is installed, to the byte. TOML, sorted by name, meant to be committed.
//!
//! Keys this version does not know are kept, comments too, and a file in which nothing changed is
//! the same file. What cannot be read is an error that names the line; it is never an empty lock. So is
//! an entry whose files are not those of its tree: whoever reads one of the two knows the other.
//!
//! A directory or an archive below the lockfile's own directory is written from there on, as `./…`, so
//! that it means the same in everybody's clone; any other is written whole. In memory all are whole.
//! Start at [`Lockfile::read`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use metier_format::SkillName;
use metier_store::contained::ContainedPath;
use metier_store::digest::is_digest;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use crate::limits::MAX_LOCKED_SKILLS;
use crate::pinned::{FileMode, Pinned, PinnedFile};
use crate::source::{Locked, Signature};

/// The version this program writes, and the newest it reads.
pub const VERSION: i64 = 1;

/// What a new lockfile begins with.
const HEADING: &str = "# What is installed, to the byte. Written by metier; commit it, do not edit it.\n\
     # `metier sync` makes the disk equal to it, `metier verify` says what differs.\n";

/// A lockfile.
#[derive(Clone, Debug)]
pub struct Lockfile {
    document: DocumentMut,
    skills: BTreeMap<SkillName, Pinned>,
    /// The directory it stands in.
    folder: PathBuf,
}

/// Why a lockfile cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {kind}", path.display())]
pub struct LockError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: LockErrorKind,
}

/// What is wrong with a lockfile.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockErrorKind {
    /// Two versions were merged and nobody chose.
    #[error("the file has unresolved merge conflicts")]
    Conflicted,
    /// It is not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(String),
    /// A later metier wrote it.
    #[error("the file has version {0}, and this metier reads versions up to {VERSION}")]
    Newer(i64),
    /// It does not say its version.
    #[error("the file does not say its `version`")]
    NoVersion,
    /// A value cannot be.
    #[error("{0}")]
    Value(String),
    /// Two entries have one name.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// The files of an entry are not those of its tree.
    #[error("the `files` of `{0}` are not those of its `tree`")]
    Inconsistent(String),
    /// It has more entries than any lockfile.
    #[error("the file has more than {MAX_LOCKED_SKILLS} skills")]
    TooMany,
}

impl LockErrorKind {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Conflicted => {
                "choose one side, or take either whole and run `metier sync`, which brings it up to \
                 date"
            }
            Self::Newer(_) => "a newer metier reads it",
            _ => "restore the file from version control, or remove it and run `metier sync`",
        }
    }
}

impl Default for Lockfile {
    /// An empty one that stands nowhere: every source in it is written whole.
    fn default() -> Self {
        Self::empty(Path::new(""))
    }
}

impl Lockfile {
    /// An empty one for `path`.
    #[must_use]
    pub fn empty(path: &Path) -> Self {
        let mut document = DocumentMut::new();
        document.insert("version", Item::Value(VERSION.into()));
        if let Some(mut key) = document.key_mut("version") {
            key.leaf_decor_mut().set_prefix(HEADING);
        }
        Self { document, skills: BTreeMap::new(), folder: folder_of(path) }
    }

    /// Reads `text`, which stands in `path`.
    pub fn read(text: &str, path: &Path) -> Result<Self, LockError> {
        let fault = |fault: Fault| LockError {
            path: path.to_owned(),
            line: line_of(text, fault.span.start),
            kind: fault.kind,
        };
        if let Some(at) = conflict(text) {
            return Err(fault(Fault { span: at..at, kind: LockErrorKind::Conflicted }));
        }
        let document = toml_edit::Document::parse(text).map_err(|error| {
            let kind = LockErrorKind::Syntax(error.message().to_owned());
            fault(Fault { span: error.span().unwrap_or(0..0), kind })
        })?;
        let folder = folder_of(path);
        let skills = skills(document.as_table(), &folder).map_err(fault)?;
        Ok(Self { document: document.into_mut(), skills, folder })
    }

    /// The skill called `name`.
    #[must_use]
    pub fn get(&self, name: &SkillName) -> Option<&Pinned> {
        self.skills.get(name)
    }

    /// All skills, by name.
    pub fn skills(&self) -> impl Iterator<Item = &Pinned> {
        self.skills.values()
    }

    /// Puts `pinned` in, in place of whatever had its name. Keys of that entry which this version
    /// does not know stay.
    pub fn set(&mut self, pinned: Pinned) {
        if self.skills.get(&pinned.name) == Some(&pinned) {
            return;
        }
        let mut tables = self.take_tables();
        let place = tables.iter().position(|table| is_named(table, &pinned.name));
        match place.and_then(|place| tables.get_mut(place)) {
            Some(table) => fill(table, &pinned, &self.folder),
            None => {
                let mut table = Table::new();
                fill(&mut table, &pinned, &self.folder);
                tables.push(table);
            }
        }
        self.skills.insert(pinned.name.clone(), pinned);
        self.put_tables(tables);
    }

    /// Takes the skill called `name` out.
    pub fn remove(&mut self, name: &SkillName) {
        if self.skills.remove(name).is_none() {
            return;
        }
        let mut tables = self.take_tables();
        tables.retain(|table| !is_named(table, name));
        self.put_tables(tables);
    }

    /// Whether it has no skill.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    fn take_tables(&mut self) -> Vec<Table> {
        match self.document.remove("skill") {
            Some(Item::ArrayOfTables(tables)) => tables.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Writes the tables back by name, each after the one before it.
    fn put_tables(&mut self, mut tables: Vec<Table>) {
        let name = |table: &Table| table.get("name").and_then(Item::as_str).map(str::to_owned);
        tables.sort_by_cached_key(name);
        let mut list = ArrayOfTables::new();
        for mut table in tables {
            table.set_position(None);
            list.push(table);
        }
        if !list.is_empty() {
            self.document.insert("skill", Item::ArrayOfTables(list));
        }
    }
}

impl std::fmt::Display for Lockfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.document.fmt(f)
    }
}

/// What is wrong, and where.
struct Fault {
    span: Range<usize>,
    kind: LockErrorKind,
}

fn wrong(item: Option<&Item>, around: &Table, message: impl Into<String>) -> Fault {
    let span = item.and_then(Item::span).or_else(|| around.span()).unwrap_or(0..0);
    Fault { span, kind: LockErrorKind::Value(message.into()) }
}

fn skills(root: &Table, folder: &Path) -> Result<BTreeMap<SkillName, Pinned>, Fault> {
    let version = root.get("version");
    let Some(version_item) = version else {
        return Err(Fault { span: 0..0, kind: LockErrorKind::NoVersion });
    };
    match version_item.as_integer() {
        Some(number) if number > VERSION => {
            let span = version_item.span().unwrap_or(0..0);
            return Err(Fault { span, kind: LockErrorKind::Newer(number) });
        }
        Some(1..) => {}
        _ => return Err(wrong(version, root, "`version` is not a number from 1 up")),
    }
    let Some(item) = root.get("skill") else { return Ok(BTreeMap::new()) };
    let tables = item
        .as_array_of_tables()
        .ok_or_else(|| wrong(Some(item), root, "`skill` is not a list of `[[skill]]` tables"))?;
    if tables.len() > MAX_LOCKED_SKILLS {
        return Err(Fault { span: 0..0, kind: LockErrorKind::TooMany });
    }
    let mut skills = BTreeMap::new();
    for table in tables {
        let pinned = pinned(table, folder)?;
        let name = pinned.name.clone();
        if !pinned.is_consistent() {
            let span = table.get("tree").and_then(Item::span).unwrap_or(0..0);
            return Err(Fault { span, kind: LockErrorKind::Inconsistent(name.to_string()) });
        }
        if skills.insert(name.clone(), pinned).is_some() {
            let span = table.span().unwrap_or(0..0);
            return Err(Fault { span, kind: LockErrorKind::Twice(name.to_string()) });
        }
    }
    Ok(skills)
}

fn pinned(table: &Table, folder: &Path) -> Result<Pinned, Fault> {
    let name_text = required(table, "name")?;
    let name = SkillName::parse(name_text)
        .ok()
        .filter(|name| name.as_str() == name_text && !name_text.starts_with('.'))
        .ok_or_else(|| wrong(table.get("name"), table, "`name` cannot be a skill's name"))?;
    let (word, signer) = (optional(table, "signature")?, optional(table, "signer")?);
    let signature = Signature::read(word, signer)
        .ok_or_else(|| wrong(table.get("signature"), table, "`signature` cannot be read"))?;
    let owned = |key| optional(table, key).map(|text| text.map(str::to_owned));
    Ok(Pinned {
        name,
        locked: Locked {
            source: whole(required(table, "source")?, folder).ok_or_else(|| {
                wrong(table.get("source"), table, "`source` leaves the lockfile's directory")
            })?,
            path: owned("path")?.unwrap_or_default(),
            requested: owned("requested")?,
            commit: owned("commit")?,
            signature,
        },
        tree: digest(table.get("tree"), table, "tree")?,
        files: files(table)?,
    })
}

fn files(table: &Table) -> Result<Vec<PinnedFile>, Fault> {
    let item = table.get("files");
    let list = item.and_then(Item::as_array);
    let list = list.ok_or_else(|| wrong(item, table, "`files` is missing or not a list"))?;
    let mut files = Vec::with_capacity(list.len());
    for value in list {
        let at = |message: &str| Fault {
            span: value.span().unwrap_or(0..0),
            kind: LockErrorKind::Value(message.to_owned()),
        };
        let file = value.as_inline_table().ok_or_else(|| at("a file is not `{ path, … }`"))?;
        let text = |key: &str| file.get(key).and_then(Value::as_str);
        let path = text("path").and_then(|path| ContainedPath::parse(path).ok());
        let path = path.ok_or_else(|| at("a file has no `path` inside the skill"))?;
        let mode = text("mode").and_then(FileMode::parse);
        let sha256 = text("sha256").filter(|digest| is_digest(digest));
        files.push(PinnedFile {
            path: path.as_str().to_owned(),
            mode: mode.ok_or_else(|| at("a file's `mode` is not 100644, 100755 or 120000"))?,
            sha256: sha256.ok_or_else(|| at("a file's `sha256` is not one"))?.to_owned(),
        });
    }
    files.sort();
    Ok(files)
}

fn required<'a>(table: &'a Table, key: &str) -> Result<&'a str, Fault> {
    let text = optional(table, key)?;
    text.ok_or_else(|| wrong(None, table, format!("the entry has no `{key}`")))
}

fn optional<'a>(table: &'a Table, key: &str) -> Result<Option<&'a str>, Fault> {
    let Some(item) = table.get(key) else { return Ok(None) };
    match item.as_str() {
        Some(text) => Ok(Some(text)),
        None => Err(wrong(Some(item), table, format!("`{key}` is not text"))),
    }
}

fn digest(item: Option<&Item>, table: &Table, key: &str) -> Result<String, Fault> {
    let text = item.and_then(Item::as_str).and_then(|text| text.strip_prefix("sha256:"));
    let digest = text.filter(|text| is_digest(text)).map(str::to_owned);
    digest.ok_or_else(|| wrong(item, table, format!("`{key}` is not `sha256:` and 64 digits")))
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// The source that `written` stands for in a lockfile in `folder`; none when it leaves that directory.
fn whole(written: &str, folder: &Path) -> Option<String> {
    if written != "." && !written.starts_with("./") && !written.starts_with("../") {
        return Some(written.to_owned());
    }
    let below = match written.strip_prefix("./") {
        Some(below) => folder.join(ContainedPath::parse(below).ok()?.as_str()),
        None if written == "." => folder.to_owned(),
        None => return None,
    };
    below.to_str().map(str::to_owned)
}

/// How `source` is written in a lockfile in `folder`.
fn from_here(source: &str, folder: &Path) -> String {
    let below = Path::new(source).strip_prefix(folder).ok();
    let below = below.filter(|_| folder.is_absolute()).and_then(Path::to_str);
    let written = match below {
        Some("") => ".".to_owned(),
        Some(below) => format!("./{below}"),
        None => return source.to_owned(),
    };
    // What would be read back as another place is written whole.
    if whole(&written, folder).as_deref() == Some(source) { written } else { source.to_owned() }
}

fn is_named(table: &Table, name: &SkillName) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name.as_str())
}

/// Writes what is known into `table`; other keys stay.
fn fill(table: &mut Table, pinned: &Pinned, folder: &Path) {
    let locked = &pinned.locked;
    let signature = &locked.signature;
    let word = (*signature != Signature::None).then(|| signature.as_str());
    let source = from_here(&locked.source, folder);
    let path = Some(locked.path.as_str()).filter(|path| !path.is_empty());
    let texts = [
        ("name", Some(pinned.name.as_str())),
        ("source", Some(source.as_str())),
        ("path", path),
        ("requested", locked.requested.as_deref()),
        ("commit", locked.commit.as_deref()),
        ("signature", word),
        ("signer", signature.signer()),
    ];
    for (key, text) in texts {
        put(table, key, text);
    }
    put(table, "tree", Some(&format!("sha256:{}", pinned.tree)));
    table.insert("files", Item::Value(Value::Array(file_list(&pinned.files))));
}

fn put(table: &mut Table, key: &str, text: Option<&str>) {
    match text {
        Some(text) if table.get(key).and_then(Item::as_str) == Some(text) => {}
        Some(text) => drop(table.insert(key, Item::Value(text.into()))),
        None => drop(table.remove(key)),
    }
}

/// One file a line, so that a diff shows which.
fn file_list(files: &[PinnedFile]) -> Array {
    let mut list = Array::new();
    for file in files {
        let mut entry = InlineTable::new();
        entry.insert("path", file.path.as_str().into());
        entry.insert("mode", file.mode.as_str().into());
        entry.insert("sha256", file.sha256.as_str().into());
        let mut value = Value::InlineTable(entry);
        value.decor_mut().set_prefix("\n    ");
        list.push_formatted(value);
    }
    list.set_trailing("\n");
    list.set_trailing_comma(true);
    list
}

/// Where a conflict marker stands at the beginning of a line.
fn conflict(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|marker| line.starts_with(marker)) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// The line that byte `at` is in, from 1.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
#[path = "lockfile_tests.rs"]
mod tests;
