//! Short scripts of programs that have a language of their own. A script is harmless when every
//! command in it is one of those that only change the text that passes through.

use super::Language;

/// Whether a script neither runs programs nor names files.
pub(crate) fn is_harmless(language: Language, script: &str) -> bool {
    match language {
        Language::Sed => is_harmless_sed(script),
        Language::Awk => is_harmless_awk(script),
        Language::Sqlite => is_harmless_sqlite(script),
    }
}

/// Commands of a database's shell that show something or say how it is shown.
const SQLITE_SHOWS: [&str; 30] = [
    "bail",
    "binary",
    "changes",
    "databases",
    "dbinfo",
    "dump",
    "echo",
    "eqp",
    "exit",
    "explain",
    "fullschema",
    "headers",
    "header",
    "help",
    "indexes",
    "indices",
    "mode",
    "nullvalue",
    "print",
    "quit",
    "schema",
    "separator",
    "show",
    "stats",
    "tables",
    "timeout",
    "timer",
    "version",
    "width",
    "lint",
];

/// Words of SQL that reach outside the database.
const SQLITE_REACHES_OUT: [&str; 13] = [
    "load_extension",
    "writefile",
    "readfile",
    "edit",
    "attach",
    "into",
    "fts3_tokenizer",
    "fsdir",
    "copy",
    "export",
    "install",
    "load",
    "import",
];

/// Whether a script for the shell of a database neither runs programs nor names files. A command may
/// be abbreviated; only those that are written out are known.
fn is_harmless_sqlite(script: &str) -> bool {
    let shows = |line: &str| match line.trim_start().strip_prefix('.') {
        Some(command) => {
            let name = command.split(|c: char| !c.is_ascii_alphanumeric()).next();
            name.is_some_and(|name| SQLITE_SHOWS.contains(&name)) && !command.contains('|')
        }
        None => true,
    };
    let code = script.to_ascii_lowercase();
    let reaches_out = |word: &str, before: Option<&str>| match word {
        // Rows are put into tables, and the database into a file.
        "into" => !matches!(before, Some("insert" | "ignore" | "replace" | "merge")),
        word => SQLITE_REACHES_OUT.contains(&word),
    };
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut before = None;
    for word in words.filter(|word| !word.is_empty()) {
        if reaches_out(word, before) {
            return false;
        }
        before = Some(word);
    }
    script.lines().all(shows)
}

/// Whether a sed script neither runs programs nor names files. Unusual scripts are not harmless.
pub(super) fn is_harmless_sed(script: &str) -> bool {
    Sed { rest: script }.script().is_some()
}

/// Words of awk that reach outside the text that passes through.
const AWK_REACHES_OUT: [&str; 8] =
    ["system", "getline", "close", "fflush", "ENVIRON", "PROCINFO", "ARGV", "ARGC"];

/// Whether an awk program neither runs programs nor names files.
///
/// Strings are skipped; what remains must not mention the functions and marks that reach outside.
/// `>` is a comparison where no action is open or inside parentheses, and a redirection elsewhere;
/// with a slash about, braces cannot be counted and `>` is refused.
pub(super) fn is_harmless_awk(program: &str) -> bool {
    let Some(code) = without_strings(program) else { return false };
    let marks = code.replace("||", " ").replace("&&", " ");
    if marks.contains(['|', '&', '@', '`', '\\']) {
        return false;
    }
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if words.any(|word| AWK_REACHES_OUT.contains(&word)) {
        return false;
    }
    !code.contains('>') || (!code.contains('/') && only_compares(&code))
}

/// Whether every `>` stands outside actions or inside parentheses.
fn only_compares(code: &str) -> bool {
    let (mut braces, mut parentheses) = (0_i32, 0_i32);
    for c in code.chars() {
        match c {
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' => parentheses += 1,
            ')' => parentheses -= 1,
            '>' if braces != 0 && parentheses <= 0 => return false,
            _ => {}
        }
    }
    true
}

/// The program with its string literals taken out. Nothing where one is not closed, or where a
/// quote, a bracket or a backslash stands between slashes: then nobody can say what is a string.
fn without_strings(program: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = program;
    while let Some(at) = rest.find(['"', '/']) {
        out.push_str(&rest[..at]);
        let slash = rest[at..].starts_with('/');
        rest = &rest[at + 1..];
        if slash {
            let end = rest.find('/').unwrap_or(rest.len());
            let between = &rest[..end];
            if between.contains(['"', '[', '\\', '\n']) {
                return None;
            }
            out.push('/');
            out.push_str(between);
            rest = rest.get(end + 1..).unwrap_or_default();
        } else {
            rest = after_string(rest)?;
            out.push(' ');
        }
    }
    out.push_str(rest);
    Some(out)
}

/// What follows the string literal whose opening quote was just passed.
fn after_string(rest: &str) -> Option<&str> {
    let mut chars = rest.char_indices();
    loop {
        match chars.next()? {
            (at, '"') => return rest.get(at + 1..),
            (_, '\\') => {
                chars.next()?;
            }
            _ => {}
        }
    }
}

/// A reader of sed scripts; every method gives nothing where it meets something else.
struct Sed<'s> {
    rest: &'s str,
}

impl<'s> Sed<'s> {
    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_ascii_whitespace() || c == ';' || c == '}');
            if self.rest.is_empty() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        if self.take(',') {
            self.skip(|c| c == ' ');
            self.take('+');
            self.take('~');
            self.address()?;
        }
        self.skip(|c| c == ' ' || c == '!');
        Some(())
    }

    /// A line number, `$`, a pattern between slashes, or nothing.
    fn address(&mut self) -> Option<()> {
        if self.take('/') {
            self.up_to('/')?;
            self.skip(|c| c == 'I' || c == 'M');
        } else if !self.take('$') {
            self.skip(|c| c.is_ascii_digit() || c == '~');
        }
        self.skip(|c| c == ' ');
        Some(())
    }

    fn command(&mut self) -> Option<()> {
        let command = self.rest.chars().next()?;
        self.rest = &self.rest[command.len_utf8()..];
        match command {
            '{' => return Some(()),
            'p' | 'd' | 'D' | 'P' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | '=' | 'z' => {}
            'q' | 'Q' | 'l' => {
                self.skip(|c| c == ' ');
                self.skip(|c| c.is_ascii_digit());
            }
            's' => {
                self.two_parts()?;
                self.skip(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9'));
            }
            'y' => self.two_parts()?,
            ':' | 'b' | 't' | 'T' => {
                self.skip(|c| c.is_ascii_alphanumeric() || c == '_' || c == ' ')
            }
            'a' | 'i' | 'c' => return self.text(),
            '#' => {
                self.skip(|c| c != '\n');
                return Some(());
            }
            _ => return None,
        }
        self.skip(|c| c == ' ');
        (self.rest.is_empty() || self.rest.starts_with([';', '\n', '}'])).then_some(())
    }

    /// `/one/two/` with any mark in place of the slash.
    fn two_parts(&mut self) -> Option<()> {
        let mark = self.rest.chars().next().filter(|c| *c != '\\' && *c != '\n')?;
        self.rest = &self.rest[mark.len_utf8()..];
        self.up_to(mark)?;
        self.up_to(mark)
    }

    /// The text of `a`, `i` or `c`: the rest of the line, which must not continue.
    fn text(&mut self) -> Option<()> {
        let line = self.rest.split('\n').next().unwrap_or_default();
        self.rest = &self.rest[line.len()..];
        (!line.ends_with('\\')).then_some(())
    }

    /// Passes the next unescaped `mark`. Brackets that could hide one are refused: seds differ on
    /// where they end.
    fn up_to(&mut self, mark: char) -> Option<()> {
        let mut open = false;
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            let rest = &self.rest[at + c.len_utf8()..];
            match c {
                '\\' => {
                    chars.next()?;
                }
                _ if c == mark => {
                    self.rest = rest;
                    return (!open).then_some(());
                }
                // `[:space:]` inside brackets ends with its own bracket.
                '[' if open && class_length(rest).is_some() => {
                    chars.nth(class_length(rest)? - 1);
                }
                '[' if open || rest.starts_with(']') || rest.starts_with("^]") => return None,
                '[' => open = true,
                ']' => open = false,
                _ => {}
            }
        }
        None
    }

    fn take(&mut self, c: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(c) else { return false };
        self.rest = rest;
        true
    }

    fn skip(&mut self, which: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(which);
    }
}

/// The length of `:name:]`.
fn class_length(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix(':')?;
    let end = name.find(|c: char| !c.is_ascii_alphabetic())?;
    name[end..].starts_with(":]").then_some(end + 3)
}

#[cfg(test)]
#[path = "language_tests.rs"]
mod tests;
