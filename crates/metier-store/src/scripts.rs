//! The scripts a skill brings: which of its files they are, what they are called, and which one a
//! typed name means. Pure but for one question, whether a file begins with `#!`, which the caller
//! answers. This is the one place that knows; running them is not decided here.
//!
//! 1. A skill whose frontmatter lists `scripts` has those and no others, wherever they lie in it.
//! 2. Else every file below `scripts/`, `bin/` and `tools/` that looks like one: by an extension of
//!    [`EXTENSIONS`], by its execute bit, or by `#!`. Hidden files and what `scripts-ignore` names
//!    are left out. The execute bit is not needed: most published scripts lack it.
//!
//! Start reading at [`Scripts::of`], then [`Scripts::find`].

use serde::Serialize;

use crate::contained::ContainedPath;
use crate::limits::{MAX_RESOURCE_BYTES, MAX_SCRIPT_NAME_BYTES};
use crate::store::{Location, ResourceFile, Skill, Store};
use crate::suggest;

/// Directories of a skill whose files are scripts.
const DIRECTORIES: [&str; 3] = ["scripts/", "bin/", "tools/"];

/// Extensions, in lowercase, that make a file a script, with its language.
pub const EXTENSIONS: &[(&str, Language)] = &[
    ("py", Language::Python),
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("js", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("ts", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("rb", Language::Ruby),
    ("pl", Language::Perl),
];

/// What a script is written in, as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// `.py`
    Python,
    /// `.sh`, `.bash`
    Shell,
    /// `.js`, `.mjs`, `.cjs`
    JavaScript,
    /// `.ts`, `.mts`
    TypeScript,
    /// `.rb`
    Ruby,
    /// `.pl`
    Perl,
    /// Its first line, or the system, has to say.
    Other,
}

/// One script of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Script {
    /// The shortest name that means it and nothing else: without extension and directory where
    /// that is enough.
    pub name: String,
    /// Its path inside the skill.
    pub path: String,
    /// What its name says it is written in.
    pub language: Language,
    /// Whether any execute bit is set.
    pub executable: bool,
}

/// Something named as a script that is none, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// As listed, or the path found.
    pub path: String,
    /// Why, in words.
    pub reason: &'static str,
}

/// The scripts of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Scripts {
    /// The scripts, sorted by path.
    pub found: Vec<Script>,
    /// What was named or found and is none.
    pub refused: Vec<Refused>,
}

/// Why a typed name means no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptNameError {
    /// It cannot be a script's name: absolute, empty, or with `..`, `\` or a control character.
    #[error("`{}` cannot be a script's name", .0.escape_debug())]
    Invalid(String),
    /// It names a link that leaves the skill, or something that is no file.
    #[error("`{path}` is not run: {reason}")]
    Refused {
        /// The path.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// No script is called so.
    #[error("there is no script `{name}`{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    NotFound {
        /// The name as typed.
        name: String,
        /// The nearest name there is.
        suggestion: Option<String>,
    },
    /// Several scripts are.
    #[error("`{name}` may be any of {}", list(.candidates))]
    Ambiguous {
        /// The name as typed.
        name: String,
        /// The paths it may mean.
        candidates: Vec<String>,
    },
}

impl Scripts {
    /// The scripts of `skill`, which `store` has loaded from `at`.
    #[must_use]
    pub fn in_store(store: &dyn Store, at: &Location, skill: &Skill) -> Self {
        Self::of(skill, |path| {
            // There is no reading of a part, and a large file of an unknown kind is data.
            let read = store.read(at, path, MAX_RESOURCE_BYTES);
            read.is_ok_and(|file| file.bytes.starts_with(b"#!"))
        })
    }

    /// The scripts of `skill`. `has_shebang` says whether a file of it begins with `#!`; it is asked
    /// about files without a known extension and an execute bit only.
    #[must_use]
    pub fn of(skill: &Skill, has_shebang: impl Fn(&str) -> bool) -> Self {
        let parts = &skill.manifest.parts;
        let mut scripts = match &parts.scripts {
            Some(listed) => {
                let mut scripts = Self::default();
                listed.iter().for_each(|entry| scripts.list(skill, &entry.value));
                scripts
            }
            None => {
                let ignore: Vec<&str> =
                    parts.scripts_ignore.iter().map(|glob| glob.value.as_str()).collect();
                Self::discovered(skill, &ignore, has_shebang)
            }
        };
        scripts.found.sort_by(|a, b| a.path.cmp(&b.path));
        scripts.found.dedup_by(|a, b| a.path == b.path);
        scripts.refused.sort_by(|a, b| a.path.cmp(&b.path));
        scripts.refused.dedup();
        scripts.name_all();
        scripts
    }

    /// The script that `typed` means: its path, its name, or its file's name with or without the
    /// extension. Exactly as written first, then in any case and with `-` for `_`. What several
    /// scripts answer to is an error that names them.
    pub fn find(&self, typed: &str) -> Result<&Script, ScriptNameError> {
        let too_long = typed.len() > MAX_SCRIPT_NAME_BYTES;
        if too_long || typed.chars().any(char::is_control) {
            let shown = typed.chars().take(64).collect();
            return Err(ScriptNameError::Invalid(shown));
        }
        let wanted =
            ContainedPath::parse(typed).map_err(|_| ScriptNameError::Invalid(typed.to_owned()))?;
        let exact = |text: &str| text.to_owned();
        let tiers: [(&[Answers], Spelling); 5] = [
            (&[by_path, by_name], exact),
            (&[by_file_name], exact),
            (&[by_stem], exact),
            (&[by_path, by_name], folded),
            (&[by_file_name, by_stem], folded),
        ];
        for (answers, key) in tiers {
            let wanted = key(wanted.as_str());
            let means = |script: &&Script| answers.iter().any(|name| key(name(script)) == wanted);
            let mut hits = self.found.iter().filter(means);
            match (hits.next(), hits.next()) {
                (Some(only), None) => return Ok(only),
                (None, _) => {}
                (Some(_), Some(_)) => {
                    let hits = self.found.iter().filter(means);
                    let candidates = hits.map(|script| script.path.clone()).collect();
                    return Err(ScriptNameError::Ambiguous { name: typed.to_owned(), candidates });
                }
            }
        }
        Err(self.missing(wanted.as_str()))
    }

    fn missing(&self, typed: &str) -> ScriptNameError {
        let same = |refused: &&Refused| {
            let path = refused.path.as_str();
            folded(path) == folded(typed) || folded(stem(file_name(path))) == folded(stem(typed))
        };
        if let Some(refused) = self.refused.iter().find(same) {
            let (path, reason) = (refused.path.clone(), refused.reason);
            return ScriptNameError::Refused { path, reason };
        }
        let names = self.found.iter().map(|script| script.name.as_str());
        let suggestion = suggest::did_you_mean(typed, names);
        ScriptNameError::NotFound { name: typed.to_owned(), suggestion }
    }

    fn discovered(skill: &Skill, ignore: &[&str], has_shebang: impl Fn(&str) -> bool) -> Self {
        let mut scripts = Self::default();
        for file in skill.resources.files.iter().filter(|file| may_be_one(&file.path)) {
            let language = language(&file.path);
            let is_script =
                language != Language::Other || file.executable || has_shebang(&file.path);
            if is_script && !ignore.iter().any(|glob| is_ignored(&file.path, glob)) {
                scripts.found.push(script(file));
            }
        }
        for path in skill.resources.refused.iter().filter(|path| may_be_one(path)) {
            scripts.refused.push(Refused { path: path.clone(), reason: LEAVES });
        }
        for glob in ignore.iter().filter(|glob| glob.contains(['[', ']', '{', '}'])) {
            let reason = "in `scripts-ignore` only `*`, `**` and `?` are wildcards";
            scripts.refused.push(Refused { path: (*glob).to_owned(), reason });
        }
        scripts
    }

    /// Takes one entry of the frontmatter's list.
    fn list(&mut self, skill: &Skill, entry: &str) {
        let refuse = |reason| Refused { path: entry.to_owned(), reason };
        let Ok(path) = ContainedPath::parse(entry) else {
            return self.refused.push(refuse("it is not a path inside the skill"));
        };
        let places = || {
            let below = DIRECTORIES.iter().map(|directory| format!("{directory}{path}"));
            std::iter::once(path.as_str().to_owned()).chain(below)
        };
        let resources = &skill.resources;
        for forgiving in [false, true] {
            let same = |a: &str, b: &str| if forgiving { folded(a) == folded(b) } else { a == b };
            for place in places() {
                let exact = resources.files.iter().find(|file| same(&file.path, &place));
                let bare = || {
                    let known = |file: &&ResourceFile| language(&file.path) != Language::Other;
                    let mut files = resources.files.iter().filter(known);
                    files.find(|file| same(without_extension(&file.path), &place))
                };
                if let Some(file) = exact.or_else(bare) {
                    return self.found.push(script(file));
                }
                if resources.refused.iter().any(|path| same(path, &place)) {
                    return self.refused.push(Refused { path: place, reason: LEAVES });
                }
            }
        }
        self.refused.push(refuse("the frontmatter lists it and it does not exist"));
    }

    /// Gives each script the shortest name that no other one answers to.
    fn name_all(&mut self) {
        let paths: Vec<String> = self.found.iter().map(|script| script.path.clone()).collect();
        for script in &mut self.found {
            let short = [
                without_extension(below_directory(&script.path)),
                below_directory(&script.path),
                script.path.as_str(),
            ];
            let unique = short.iter().find(|name| {
                let answers = |path: &&String| {
                    let below = below_directory(path);
                    [path.as_str(), below, without_extension(below)]
                        .iter()
                        .any(|other| folded(other) == folded(name))
                };
                paths.iter().filter(answers).count() == 1
            });
            script.name = (*unique.unwrap_or(&script.path.as_str())).to_owned();
        }
    }
}

/// Why a link is not run.
const LEAVES: &str = "it is a link that leaves the skill, or no file";

/// How a name is spelled to be compared.
type Spelling = fn(&str) -> String;

/// Something a script answers to.
type Answers = fn(&Script) -> &str;

fn by_path(script: &Script) -> &str {
    &script.path
}

fn by_name(script: &Script) -> &str {
    &script.name
}

fn by_file_name(script: &Script) -> &str {
    file_name(&script.path)
}

fn by_stem(script: &Script) -> &str {
    stem(file_name(&script.path))
}

fn script(file: &ResourceFile) -> Script {
    Script {
        name: String::new(),
        path: file.path.clone(),
        language: language(&file.path),
        executable: file.executable,
    }
}

/// Whether the path lies in a script directory and is not hidden on the way.
fn may_be_one(path: &str) -> bool {
    DIRECTORIES.iter().any(|directory| path.starts_with(directory))
        && !path.split('/').any(|component| component.starts_with('.'))
}

/// What the extension says.
#[must_use]
pub fn language(path: &str) -> Language {
    let extension = file_name(path).rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    let known = EXTENSIONS.iter().find(|(known, _)| Some(*known) == extension.as_deref());
    known.map_or(Language::Other, |(_, language)| *language)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn below_directory(path: &str) -> &str {
    DIRECTORIES.iter().find_map(|directory| path.strip_prefix(directory)).unwrap_or(path)
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem)
}

fn without_extension(path: &str) -> &str {
    let kept = path.len() - file_name(path).len() + stem(file_name(path)).len();
    path.get(..kept).unwrap_or(path)
}

/// Names that people take for the same.
fn folded(text: &str) -> String {
    text.to_lowercase().replace('_', "-")
}

/// Whether the glob names the path: its file name, or with `/` in the glob the path inside the
/// skill or inside its script directory.
fn is_ignored(path: &str, glob: &str) -> bool {
    let names: &[&str] = match glob.contains('/') {
        true => &[path, below_directory(path)],
        false => &[file_name(path)],
    };
    names.iter().any(|name| matches(glob.as_bytes(), name.as_bytes()))
}

/// A piece of a glob.
enum Piece {
    /// `*`: anything but `/`.
    Star,
    /// `**`: anything.
    Deep,
    /// `**/`: no directory, or any number of them.
    Directories,
    /// `?`: one byte but `/`.
    One,
    /// Itself.
    Same(u8),
}

fn pieces(mut glob: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    loop {
        let (piece, rest) = match glob {
            [] => return pieces,
            [b'*', b'*', b'/', rest @ ..] => (Piece::Directories, rest),
            [b'*', b'*', rest @ ..] => (Piece::Deep, rest),
            [b'*', rest @ ..] => (Piece::Star, rest),
            [b'?', rest @ ..] => (Piece::One, rest),
            [byte, rest @ ..] => (Piece::Same(*byte), rest),
        };
        pieces.push(piece);
        glob = rest;
    }
}

/// Whether the glob describes all of `text`. Keeps for each piece which beginnings of the text it
/// reaches, so the cost is the product of the lengths whatever stands in it.
fn matches(glob: &[u8], text: &[u8]) -> bool {
    // `reached[i]`: the pieces so far describe the first `i` bytes.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for piece in pieces(glob) {
        let mut next = vec![false; text.len() + 1];
        let mut started = false;
        for (index, was) in reached.iter().copied().enumerate() {
            let last = index.checked_sub(1).map(|at| (reached[at], text[at]));
            next[index] = match (&piece, last) {
                (Piece::Star, Some((_, b'/'))) => was,
                (Piece::Star | Piece::Deep, Some(_)) => was || next[index - 1],
                (Piece::Directories, Some((_, byte))) => was || (started && byte == b'/'),
                (Piece::Star | Piece::Deep | Piece::Directories, None) => was,
                (Piece::One, Some((before, byte))) => before && byte != b'/',
                (Piece::Same(same), Some((before, byte))) => before && byte == *same,
                (Piece::One | Piece::Same(_), None) => false,
            };
            started |= was;
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

fn list(candidates: &[String]) -> String {
    candidates.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
