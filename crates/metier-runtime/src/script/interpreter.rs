//! What runs a script: a table, then its first line, then its execute bit. Pure: where programs lie
//! is asked of the caller. A script's own bytes choose among programs that are there; they never
//! become a shell's text, and a program inside the skill is only ever the script itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_store::scripts::{Language, Script};

use super::metadata::{self, Metadata, MetadataError};
use crate::limits::MAX_SHEBANG_BYTES;

/// A program with what stands before the script's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// What it is called: `python3`, `uv`.
    pub name: String,
    /// Where it lies; the script's own path inside the skill when it runs itself.
    pub program: Program,
    /// Arguments before the script's path.
    pub args: Vec<OsString>,
    /// Something the user should know about the choice.
    pub note: Option<String>,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program of the machine.
    At(PathBuf),
    /// `uv` of the machine, which provides a Python with what the script says it needs.
    Uv(PathBuf, Metadata),
    /// The script itself.
    Itself,
}

/// Why nothing runs a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpreterError {
    /// Its interpreter is not installed.
    #[error("`{script}` needs {}, which is not installed", wanted(.programs))]
    Missing {
        /// The script's path inside the skill.
        script: String,
        /// Any one of these would do.
        programs: Vec<String>,
        /// How to install one.
        install: String,
    },
    /// Nothing says what it is.
    #[error("nothing says what runs `{0}`: no known extension, no `#!` line, no execute bit")]
    Unknown(String),
    /// Its first line or its metadata cannot be used.
    #[error("`{script}` cannot be run: {reason}")]
    Unusable {
        /// The script's path inside the skill.
        script: String,
        /// Why.
        reason: String,
    },
}

/// What runs a language: the programs in order of preference, each with the arguments before the
/// script, and how to install one.
struct Row {
    language: Language,
    programs: &'static [(&'static str, &'static [&'static str])],
    install: &'static str,
}

const TABLE: &[Row] = &[
    Row {
        language: Language::Python,
        programs: &[("python3", &[])],
        install: "install Python 3, for example `apt install python3` or `brew install python`",
    },
    Row {
        language: Language::Shell,
        programs: &[("bash", &[])],
        install: "install bash, for example `apt install bash`",
    },
    Row {
        language: Language::JavaScript,
        programs: &[("node", &[])],
        install: "install Node.js, for example `apt install nodejs` or `brew install node`",
    },
    Row {
        language: Language::TypeScript,
        // The walls are the kernel's, so deno's own are opened.
        programs: &[
            ("deno", &["run", "--allow-all", "--no-prompt", "--no-config"]),
            ("bun", &["run"]),
            ("node", &["--no-warnings", "--experimental-strip-types"]),
        ],
        install: "install deno, bun or Node.js 22 or later",
    },
    Row {
        language: Language::Ruby,
        programs: &[("ruby", &[])],
        install: "install Ruby, for example `apt install ruby` or `brew install ruby`",
    },
    Row {
        language: Language::Perl,
        programs: &[("perl", &[])],
        install: "install Perl, for example `apt install perl`",
    },
];

const INSTALL_UV: &str = "install uv, for example `pip install uv` or `brew install uv`; it provides the dependencies \
     that the script declares";

/// Finds a program by its name.
pub type Find<'f> = dyn Fn(&str) -> Option<PathBuf> + 'f;

/// What runs `script`, whose content is `source`.
pub fn choose(
    script: &Script,
    source: &[u8],
    find: &Find<'_>,
) -> Result<Interpreter, InterpreterError> {
    if script.language == Language::Python
        && let Some(uv) = with_metadata(script, source, find)?
    {
        return Ok(uv);
    }
    if let Some(row) = TABLE.iter().find(|row| row.language == script.language) {
        return first(script, row, find);
    }
    match shebang(source) {
        Some(line) => by_shebang(script, source, &line, find),
        None if script.executable => Ok(Interpreter {
            name: "itself".to_owned(),
            program: Program::Itself,
            args: Vec::new(),
            note: None,
        }),
        None => Err(InterpreterError::Unknown(script.path.clone())),
    }
}

/// `uv` for a script with metadata; nothing for one without. One that declares no dependencies
/// runs without uv where there is none.
fn with_metadata(
    script: &Script,
    source: &[u8],
    find: &Find<'_>,
) -> Result<Option<Interpreter>, InterpreterError> {
    let unusable = |error: MetadataError| InterpreterError::Unusable {
        script: script.path.clone(),
        reason: error.to_string(),
    };
    let Some(metadata) = metadata::read(source).map_err(unusable)? else { return Ok(None) };
    if let Some(program) = find("uv") {
        let (name, args) = ("uv".to_owned(), Vec::new());
        let program = Program::Uv(program, metadata);
        return Ok(Some(Interpreter { name, program, args, note: None }));
    }
    if let (true, Some(python)) = (metadata.dependencies.is_empty(), find("python3")) {
        return Ok(Some(Interpreter {
            name: "python3".to_owned(),
            program: Program::At(python),
            args: Vec::new(),
            note: Some(
                "uv is not installed; no dependencies are declared, so python3 runs it".to_owned(),
            ),
        }));
    }
    Err(missing(script, &["uv"], INSTALL_UV))
}

fn first(script: &Script, row: &Row, find: &Find<'_>) -> Result<Interpreter, InterpreterError> {
    for (name, args) in row.programs {
        if let Some(program) = find(name) {
            return Ok(Interpreter {
                name: (*name).to_owned(),
                program: Program::At(program),
                args: args.iter().map(OsString::from).collect(),
                note: None,
            });
        }
    }
    let names: Vec<&str> = row.programs.iter().map(|(name, _)| *name).collect();
    Err(missing(script, &names, row.install))
}

fn missing(script: &Script, programs: &[&str], install: &str) -> InterpreterError {
    InterpreterError::Missing {
        script: script.path.clone(),
        programs: programs.iter().map(ToString::to_string).collect(),
        install: install.to_owned(),
    }
}

/// The words of the first line after `#!`, when there is such a line.
fn shebang(source: &[u8]) -> Option<Result<Vec<String>, &'static str>> {
    let rest = source.strip_prefix(b"#!")?;
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() > MAX_SHEBANG_BYTES {
        return Some(Err("its `#!` line is too long"));
    }
    let Ok(line) = std::str::from_utf8(line) else {
        return Some(Err("its `#!` line is not UTF-8"));
    };
    let line = line.trim();
    if line.is_empty() || line.chars().any(|c| c.is_control() && c != '\t') {
        return Some(Err("its `#!` line names no program"));
    }
    Some(words(line))
}

/// Words as `env -S` splits them, as far as scripts use it: quotes group, nothing is expanded.
fn words(line: &str) -> Result<Vec<String>, &'static str> {
    let (mut words, mut word, mut started, mut quote) = (Vec::new(), String::new(), false, None);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.push(c),
            ('\'' | '"', None) => (quote, started) = (Some(c), true),
            ('\\' | '$', None) => {
                return Err("its `#!` line has `\\` or `$`, which is not expanded");
            }
            (c, None) if c.is_whitespace() => {
                if started {
                    words.push(std::mem::take(&mut word));
                }
                started = false;
            }
            (c, None) => {
                word.push(c);
                started = true;
            }
        }
    }
    if quote.is_some() {
        return Err("a quote in its `#!` line is not closed");
    }
    if started {
        words.push(word);
    }
    Ok(words)
}

fn by_shebang(
    script: &Script,
    source: &[u8],
    line: &Result<Vec<String>, &'static str>,
    find: &Find<'_>,
) -> Result<Interpreter, InterpreterError> {
    let unusable = |reason: &str| InterpreterError::Unusable {
        script: script.path.clone(),
        reason: reason.to_owned(),
    };
    let words = line.as_ref().map_err(|reason| unusable(reason))?;
    let mut words = words.iter().map(String::as_str).peekable();
    let first = words.next().ok_or_else(|| unusable("its `#!` line names no program"))?;
    let mut named = Path::new(first);
    if named.file_name().is_some_and(|name| name == "env") {
        words.next_if(|word| matches!(*word, "-S" | "--split-string"));
        let next = words.next().map(|word| word.strip_prefix("-S").unwrap_or(word));
        named = Path::new(next.ok_or_else(|| unusable("its `#!` line names no program"))?);
    }
    let name = named.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| !name.starts_with('-') && !name.contains('='));
    let name = name.ok_or_else(|| unusable("its `#!` line sets variables or options of `env`"))?;
    if named.is_relative() && named.components().count() > 1 {
        return Err(unusable("its `#!` line names a program by a relative path"));
    }
    if name == "uv"
        && let Some(uv) = with_metadata(script, source, find)?
    {
        return Ok(uv);
    }
    // Where it lies on the author's machine says nothing about this one.
    let program = find(&name).ok_or_else(|| {
        missing(script, &[&name], &format!("install `{name}`, which its `#!` line names"))
    })?;
    let args = words.map(OsString::from).collect();
    Ok(Interpreter { name, program: Program::At(program), args, note: None })
}

fn wanted(programs: &[String]) -> String {
    let quoted: Vec<String> = programs.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

#[cfg(test)]
#[path = "interpreter_tests.rs"]
mod tests;
