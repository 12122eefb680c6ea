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
const SQLITE_REACHES_OUT: [&str; 19] = [
    "load_extension",
    "writefile",
    "readfile",
    "edit",
    "attach",
    "fts3_tokenizer",
    "fsdir",
    "zipfile",
    "temp_store_directory",
    "data_store_directory",
    "copy",
    "export",
    "install",
    "load",
    "import",
    "sniff_csv",
    "sqlite_scan",
    "postgres_scan",
    "st_read",
];

/// How functions start that read files.
const SQLITE_READS: [&str; 2] = ["read_", "parquet_"];

/// The kinds of virtual tables that keep what they hold in the database.
const SQLITE_MODULES: [&str; 9] =
    ["fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly", "dbstat"];

/// Whether a script for the shell of a database neither runs programs nor names files. A command may
/// be abbreviated; only those that are written out are known. Comments count as code, and hide none.
fn is_harmless_sqlite(script: &str) -> bool {
    let shows = |line: &str| match line.trim_start().strip_prefix('.') {
        Some(command) => {
            let name = command.split(|c: char| !c.is_ascii_alphanumeric()).next();
            name.is_some_and(|name| SQLITE_SHOWS.contains(&name)) && !command.contains('|')
        }
        None => true,
    };
    let code = script.to_ascii_lowercase();
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // What stands between `using` and the kind of a table would pass for it.
    let hides = words.contains(&"virtual") && ["--", "/*"].iter().any(|mark| code.contains(mark));
    !hides && !reaches_out(&words) && script.lines().all(shows)
}

/// Whether one of the words of SQL reaches outside the database.
fn reaches_out(words: &[&str]) -> bool {
    let (vacuums, virtually) = (words.contains(&"vacuum"), words.contains(&"virtual"));
    let before = std::iter::once(None).chain(words.iter().copied().map(Some));
    before.zip(words).any(|(before, word)| match *word {
        // Rows are put into tables, and the database into a file.
        "into" => {
            vacuums || !matches!(before, Some("insert" | "ignore" | "replace" | "merge" | "abort"))
        }
        // A table may be a view of a file; a join may name any column.
        _ if virtually && before == Some("using") => !SQLITE_MODULES.contains(word),
        word => {
            SQLITE_REACHES_OUT.contains(&word)
                || SQLITE_READS.iter().any(|start| word.starts_with(start))
        }
    })
}

/// Whether a sed script neither runs programs nor names files. Unusual scripts are not harmless.
pub(super) fn is_harmless_sed(script: &str) -> bool {
    Sed { rest: script, labelled: false }.script().is_some()
}

/// Words of awk that reach outside the text that passes through.
const AWK_REACHES_OUT: [&str; 10] = [
    "system", "getline", "close", "fflush", "ENVIRON", "PROCINFO", "ARGV", "ARGC", "SYMTAB",
    "FUNCTAB",
];

/// Whether an awk program neither runs programs nor names files.
///
/// Strings and comments are skipped; what remains must not mention the functions and marks that reach
/// outside.
/// `>` is a comparison where no action is open or inside parentheses, and a redirection elsewhere;
/// with a slash about, braces cannot be counted and `>` is refused.
pub(super) fn is_harmless_awk(program: &str) -> bool {
    let Some(code) = bare(program) else { return false };
    let marks = code.replace("||", " ").replace("&&", " ");
    if marks.contains(['|', '&', '@', '`', '\\']) {
        return false;
    }
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    // A number ends where a name starts: `1system` is both.
    if words.any(|word| AWK_REACHES_OUT.iter().any(|name| word.ends_with(name))) {
        return false;
    }
    !code.contains('>') || (!code.contains('/') && only_compares(&code))
}

/// Whether every `>` stands outside actions or inside parentheses, of which none is left open around
/// an action.
fn only_compares(code: &str) -> bool {
    let (mut braces, mut parentheses) = (0_i32, 0_i32);
    for c in code.chars() {
        match c {
            '{' | '}' if parentheses != 0 => return false,
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' => parentheses += 1,
            ')' => parentheses -= 1,
            '>' if braces != 0 && parentheses <= 0 => return false,
            _ => {}
        }
        if braces < 0 || parentheses < 0 {
            return false;
        }
    }
    true
}

/// The program with its string literals and comments taken out. Nothing where one is not closed, or
/// where a quote, a bracket or a backslash stands between slashes: then nobody can say what is a
/// string. Nor where a comment may start between slashes that may divide.
fn bare(program: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = program;
    while let Some(at) = rest.find(['"', '/', '#']) {
        out.push_str(&rest[..at]);
        let mark = rest[at..].chars().next()?;
        rest = &rest[at + 1..];
        match mark {
            // The only one divides.
            '/' if !rest.contains('/') => out.push('/'),
            '/' => {
                let end = rest.find('/')?;
                let between = &rest[..end];
                let hides = between.contains('#') && !starts_pattern(&out);
                if hides || between.contains(['"', '[', '\\', '\n']) {
                    return None;
                }
                out.push('/');
                out.push_str(&between.replace('#', " "));
                rest = &rest[end + 1..];
            }
            '"' => {
                rest = after_string(rest)?;
                out.push('"');
            }
            _ => rest = after_comment(rest)?,
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Whether a slash behind this code starts a pattern: nothing stands there that could be divided.
fn starts_pattern(code: &str) -> bool {
    let before = code.trim_end_matches([' ', '\t']).chars().next_back();
    before.is_none_or(|c| "({},;!~&|\n".contains(c))
}

/// What follows the comment that was just entered: the next line. A backslash before that may join
/// the two.
fn after_comment(rest: &str) -> Option<&str> {
    let line = rest.split('\n').next().unwrap_or_default();
    (!line.trim_end().ends_with('\\')).then(|| &rest[line.len()..])
}

/// What follows the string literal whose opening quote was just passed.
fn after_string(rest: &str) -> Option<&str> {
    let mut chars = rest.char_indices();
    loop {
        match chars.next()? {
            (at, '"') => return rest.get(at + 1..),
            (_, '\n') => return None,
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
    /// A label was passed.
    labelled: bool,
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
            ':' | 'b' | 't' | 'T' => self.label(),
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

    /// One label. What follows it must end the command: behind a blank some seds read the next one.
    fn label(&mut self) {
        self.skip(|c| c == ' ');
        self.skip(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        self.labelled = true;
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
    /// where they end. So are line feeds that are not escaped, and any behind a label: to some seds
    /// that label takes the rest of its line, and a new command starts on the next.
    fn up_to(&mut self, mark: char) -> Option<()> {
        let mut open = false;
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            let rest = &self.rest[at + c.len_utf8()..];
            match c {
                '\\' => {
                    chars.next().filter(|(_, c)| *c != '\n' || !self.labelled)?;
                }
                '\n' => return None,
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
