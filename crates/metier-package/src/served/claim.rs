//! What a server says of one skill: where it is, what its frontmatter says, and every file with digest
//! and size. Read strictly, since an approval is bound to it: what has two meanings has none.

use metier_format::SkillName;
use metier_store::digest::is_digest;
use serde_json::{Map, Value};

use super::said;
use crate::entry::{Amounts, Checker, Entry, Kind, check_path};
use crate::hazard::Hazard;
use crate::limits::{MAX_DEPTH, MAX_SERVED_BYTES, MAX_SERVED_FILES, MAX_URI_BYTES};

/// How the address of a file starts, if the server does not say otherwise.
const SCHEME: &str = "skill://";

/// The file that makes a directory a skill.
const MANIFEST: &str = "SKILL.md";

/// What a server says of one skill, in a form in which it can be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The address of its `SKILL.md`.
    pub uri: String,
    /// Its directory at the server, `/` between components; the last one is its name.
    pub path: String,
    /// Its name.
    pub name: SkillName,
    /// What it says it is for.
    pub description: String,
    /// Its frontmatter.
    pub frontmatter: Map<String, Value>,
    /// Every file of it, `SKILL.md` first, the others by path.
    pub files: Vec<ClaimedFile>,
}

/// What a server says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedFile {
    /// Its address.
    pub uri: String,
    /// Its path inside the skill.
    pub path: String,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
    /// How many bytes it has.
    pub size: u64,
}

/// Why what a server says of a skill is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not what an entry is.
    #[error("the entry has no `{0}`, or one of another kind")]
    Shape(&'static str),
    /// An address that is none, or of another kind.
    #[error("`{uri}` is not the address of a skill's file: {why}")]
    Uri {
        /// The address.
        uri: String,
        /// What is wrong with it.
        why: String,
    },
    /// The name and the address disagree, or the name is none.
    #[error("the skill is called `{0}` and lies in a directory that is not called so")]
    Name(String),
    /// A name outside the standard.
    #[error("`{0}` is not a skill's name by the standard")]
    NotAName(String),
    /// A digest that is none.
    #[error("the digest of `{0}` is not `sha256:` and 64 lowercase digits")]
    Digest(String),
    /// A size that is none.
    #[error("the size of `{0}` is not a number of bytes")]
    Size(String),
    /// A file of somebody else.
    #[error("`{0}` is not a file of this skill")]
    Foreign(String),
    /// A path that cannot be written, or is there twice.
    #[error("{0}")]
    Path(crate::hazard::At),
    /// The list of files does not have the one that matters.
    #[error("`SKILL.md` is not among its files")]
    NoManifest,
    /// More files than a skill may have.
    #[error("it has more than {MAX_SERVED_FILES} files")]
    TooMany,
    /// More bytes than a skill may have.
    #[error("its files have more than {MAX_SERVED_BYTES} bytes")]
    TooLarge,
    /// A skill whose files the server makes up as it is asked.
    #[error("its files are made as they are asked for, so nobody can say yes to them beforehand")]
    Dynamic,
    /// The same skill twice.
    #[error("the server lists it twice")]
    Twice,
}

impl Fault {
    /// The same as one of the things that can be wrong with a package.
    pub(crate) fn hazard(self) -> Hazard {
        Hazard::Claim(self.to_string())
    }
}

impl Claim {
    /// What an entry of a server's list says.
    pub fn read(entry: &Value) -> Result<Self, Fault> {
        let entry = entry.as_object().ok_or(Fault::Shape("uri"))?;
        let text = |key: &'static str| match entry.get(key).and_then(Value::as_str) {
            Some(text) => Ok(text),
            None => Err(Fault::Shape(key)),
        };
        let uri = text("uri")?;
        let path = skill_path(uri)?;
        let frontmatter = entry.get("frontmatter").and_then(Value::as_object);
        let frontmatter = frontmatter.ok_or(Fault::Shape("frontmatter"))?;
        let member = |key: &str| frontmatter.get(key).and_then(Value::as_str);
        let name = member("name").ok_or(Fault::Shape("frontmatter.name"))?;
        let description = member("description").ok_or(Fault::Shape("frontmatter.description"))?;
        let directory = path.rsplit('/').next().unwrap_or_default();
        if directory != name {
            return Err(Fault::Name(said(name)));
        }
        let standard = SkillName::parse(name).ok().filter(|name| name.faults().is_empty());
        let standard = standard.filter(|parsed| parsed.as_str() == name && name.is_ascii());
        Ok(Self {
            uri: uri.to_owned(),
            path: path.to_owned(),
            name: standard.ok_or_else(|| Fault::NotAName(said(name)))?,
            description: description.to_owned(),
            frontmatter: frontmatter.clone(),
            files: files(entry.get("resources"), uri.strip_suffix(MANIFEST).unwrap_or(uri))?,
        })
    }

    /// The address that the skill at `path` has at most servers. One with another scheme has to be
    /// looked for in the list.
    pub(crate) fn uri_of(path: &str) -> String {
        format!("{SCHEME}{path}/{MANIFEST}")
    }

    /// The one file that says what the skill is.
    pub(crate) fn manifest(&self) -> Option<&ClaimedFile> {
        self.files.first()
    }

    /// The files with their digests, sorted by path, as a lockfile has them.
    #[must_use]
    pub fn digests(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<(&str, &str)> =
            self.files.iter().map(|file| (file.path.as_str(), file.sha256.as_str())).collect();
        all.sort_unstable();
        all
    }
}

/// The directory of the skill whose `SKILL.md` is at `uri`. Nothing in it is escaped: every name a
/// directory may have can be written as it is.
fn skill_path(uri: &str) -> Result<&str, Fault> {
    let rest = below_scheme(uri)?;
    let bad = |why: &str| Fault::Uri { uri: said(uri), why: why.to_owned() };
    let path = rest.strip_suffix(MANIFEST).and_then(|path| path.strip_suffix('/'));
    let path = path.ok_or_else(|| bad("it does not end in `/SKILL.md`"))?;
    if path.contains(['%', '@']) {
        return Err(bad("the skill's path has `%` or `@` in it"));
    }
    check_path(path.as_bytes(), MAX_DEPTH).map_err(|hazard| bad(&hazard.to_string()))
}

/// What stands behind the scheme, when nothing in it means something else somewhere. Which scheme it
/// is does not matter, since an address is only ever given back to the server that listed it: nobody
/// looks for a host of that name.
fn below_scheme(uri: &str) -> Result<&str, Fault> {
    let bad = |why: &str| Fault::Uri { uri: said(uri), why: why.to_owned() };
    if uri.len() > MAX_URI_BYTES {
        return Err(bad("it is too long"));
    }
    let (scheme, rest) = uri.split_once("://").unwrap_or_default();
    if !is_scheme(scheme) {
        return Err(bad("it does not start with a scheme like `skill://`"));
    }
    let plain = |c: char| c.is_ascii_graphic() && !"?#\\\"<>^`{|}".contains(c);
    match rest.chars().find(|c| !plain(*c)) {
        Some(c) => Err(bad(&format!("it has the character U+{:04X} in it", u32::from(c)))),
        None => Ok(rest),
    }
}

/// Whether this is a scheme, in the one spelling it has.
fn is_scheme(text: &str) -> bool {
    let rest = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.');
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(rest)
}

/// The files of the skill whose addresses begin with `base`.
fn files(resources: Option<&Value>, base: &str) -> Result<Vec<ClaimedFile>, Fault> {
    let listed = match resources {
        None => return Err(Fault::Dynamic),
        Some(Value::String(word)) if word == "dynamic" => return Err(Fault::Dynamic),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(Fault::Shape("resources")),
    };
    if listed.len() > MAX_SERVED_FILES {
        return Err(Fault::TooMany);
    }
    let mut checker = Checker::new(Amounts::SKILL);
    let mut files = Vec::with_capacity(listed.len());
    let mut bytes: u64 = 0;
    for resource in listed {
        let file = file(resource, base)?;
        bytes = bytes.saturating_add(file.size);
        if bytes > MAX_SERVED_BYTES {
            return Err(Fault::TooLarge);
        }
        let kind = Kind::File { executable: false };
        let entry = Entry { path: file.path.as_bytes().into(), kind, size: file.size };
        checker.admit(&entry).map_err(Fault::Path)?;
        files.push(file);
    }
    checker.finish().map_err(Fault::Path)?;
    files.sort_by(|a, b| (a.path != MANIFEST, &a.path).cmp(&(b.path != MANIFEST, &b.path)));
    match files.first() {
        Some(first) if first.path == MANIFEST => Ok(files),
        _ => Err(Fault::NoManifest),
    }
}

fn file(resource: &Value, base: &str) -> Result<ClaimedFile, Fault> {
    let uri = resource.get("uri").and_then(Value::as_str).ok_or(Fault::Shape("resources.uri"))?;
    below_scheme(uri)?;
    let escaped = uri.strip_prefix(base).ok_or_else(|| Fault::Foreign(said(uri)))?;
    let path = unescaped(escaped).ok_or_else(|| Fault::Uri {
        uri: said(uri),
        why: "it escapes what needs no escape, or what is no text".to_owned(),
    })?;
    let digest = resource.get("digest").and_then(Value::as_str);
    let sha256 = digest.and_then(|text| text.strip_prefix("sha256:")).filter(|hex| is_digest(hex));
    let size = resource.get("size").and_then(Value::as_u64);
    Ok(ClaimedFile {
        uri: uri.to_owned(),
        path,
        sha256: sha256.ok_or_else(|| Fault::Digest(said(uri)))?.to_owned(),
        size: size.ok_or_else(|| Fault::Size(said(uri)))?,
    })
}

/// The path that an escaped one means. One path has one spelling: what may stand as it is may not
/// be escaped, least of all a dot or a slash.
fn unescaped(text: &str) -> Option<String> {
    unescape(text, |byte| !byte.is_ascii_alphanumeric() && !b"-._~/".contains(&byte))
}

/// `text` with every `%` and two digits read as the byte they mean; nothing when one is broken, means
/// what `may` does not let be written so, or when the whole is no text.
#[must_use]
pub fn unescape(text: &str, may: impl Fn(u8) -> bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok().filter(|byte| may(*byte))?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[path = "claim_tests.rs"]
mod tests;
