//! What follows a dollar sign, a backquote or a tilde.

use super::{Lexer, Read, deeper, lex_into, refuse};
use crate::shell::word::{WordBuilder, is_name};

/// Characters behind a `$` that leave it a plain dollar sign in every shell.
const PLAIN_DOLLAR: &str = " \t\n/.,;|)&%\"'";

impl Lexer<'_, '_> {
    /// Reads what starts with `$`.
    pub(super) fn dollar(&mut self, word: &mut WordBuilder, quoted: bool) -> Read {
        match self.peek_second() {
            Some('(') if self.rest().starts_with("$((") => self.arithmetic(word, quoted),
            Some('(') => {
                let source = if self.rest().starts_with("$(pwd)") { "pwd" } else { "" };
                self.at += 2;
                self.nested()?;
                self.push_substituted(word, source, !quoted);
                Ok(())
            }
            Some('{') => self.parameter(word, quoted),
            Some('\'') if !quoted => self.ansi_quoted(word),
            Some('"') if !quoted => Err(refuse("a translated string: `$\"`")),
            Some('[') => Err(refuse("arithmetic in brackets: `$[`")),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.variable(word, quoted);
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 2;
                word.push_unknown(!quoted || c == '@');
                Ok(())
            }
            Some(c) if !PLAIN_DOLLAR.contains(c) => {
                // zsh expands more forms than bash does.
                self.at += 1;
                word.push_unknown(true);
                Ok(())
            }
            _ => {
                self.at += 1;
                word.push_quoted("$");
                Ok(())
            }
        }
    }

    /// `$NAME`. Only `$HOME` is known before a command runs, and only if the text leaves it alone.
    fn variable(&mut self, word: &mut WordBuilder, quoted: bool) {
        let name = &self.rest()[1..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let name = &name[..end];
        self.at += 1 + end;
        // zsh reads a subscript behind a name; bash does not.
        let subscript = self.peek() == Some('[');
        self.push_variable(word, name, !quoted || subscript);
    }

    fn push_variable(&mut self, word: &mut WordBuilder, name: &str, splits: bool) {
        match self.around.home.filter(|home| name == "HOME" && is_plain_path(home)) {
            Some(home) => word.push_quoted(home),
            None => self.push_substituted(word, if name == "PWD" { "pwd" } else { "" }, splits),
        }
    }

    /// What the command `source` writes, which only a running shell knows, unless that is the
    /// directory it works in.
    fn push_substituted(&self, word: &mut WordBuilder, source: &str, splits: bool) {
        match source == "pwd" && !self.text.contains("PWD=") {
            true => word.push_here(splits),
            false => word.push_unknown(splits),
        }
    }

    /// `${…}` in its plain forms: a name or number, perhaps with one operator and plain text.
    fn parameter(&mut self, word: &mut WordBuilder, quoted: bool) -> Read {
        let inner = &self.rest()[2..];
        let Some(end) = inner.find('}') else { return Err(refuse("`${` is not closed")) };
        let inner = &inner[..end];
        if inner.contains(['\'', '"', '\\', '`', '$', '(', ')', '{', '\n', '<', '>']) {
            return Err(refuse("an expansion inside `${…}`"));
        }
        self.at += end + 3;
        let body = inner.strip_prefix('#').filter(|rest| !rest.is_empty()).unwrap_or(inner);
        let name_end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, operation) = body.split_at(name_end.unwrap_or(body.len()));
        if name.is_empty() && !matches!(operation, "@" | "*" | "?" | "#" | "-" | "!" | "$") {
            return Err(refuse("an unusual form of `${…}`"));
        }
        self.check_operation(name, operation)?;
        if operation.is_empty() && body == inner {
            self.push_variable(word, name, !quoted);
        } else {
            word.push_unknown(!quoted || inner.contains('@'));
        }
        Ok(())
    }

    /// Operators that only test, cut or replace text; those that evaluate are refused.
    fn check_operation(&mut self, name: &str, operation: &str) -> Read {
        let operation = ["[@]", "[*]"]
            .into_iter()
            .find_map(|all| operation.strip_prefix(all))
            .unwrap_or(operation);
        let Some(first) = operation.chars().next() else { return Ok(()) };
        let rest = &operation[first.len_utf8()..];
        match first {
            _ if name.is_empty() => Ok(()),
            '=' => self.assign(name),
            ':' if rest.starts_with('=') => self.assign(name),
            ':' if rest.starts_with(['-', '+', '?']) => Ok(()),
            ':' if rest.chars().all(|c| c.is_ascii_digit() || " -:".contains(c)) => Ok(()),
            '-' | '+' | '?' | '%' | '#' | '/' | '^' | ',' => Ok(()),
            _ => Err(refuse("an unusual form of `${…}`")),
        }
    }

    fn assign(&mut self, name: &str) -> Read {
        if !is_name(name) {
            return Err(refuse("an unusual form of `${…}`"));
        }
        self.out.assigned.push(name.to_owned());
        Ok(())
    }

    /// `$((…))` with numbers only: a name in it would be evaluated, and its value with it.
    fn arithmetic(&mut self, word: &mut WordBuilder, quoted: bool) -> Read {
        let mut depth = 0_usize;
        let body = &self.rest()[3..];
        for (at, c) in body.char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                ')' if body[at..].starts_with("))") => {
                    self.at += 3 + at + 2;
                    word.push_unknown(!quoted);
                    return Ok(());
                }
                '0'..='9' | ' ' | '+' | '-' | '*' | '/' | '%' => {}
                _ => break,
            }
        }
        Err(refuse("arithmetic with names"))
    }

    /// `$'…'`: text with escapes to bash and zsh, a dollar sign and plain quoted text to dash. All
    /// agree where it ends as long as no quote is escaped; what it stands for is not known.
    fn ansi_quoted(&mut self, word: &mut WordBuilder) -> Read {
        let inner = &self.rest()[2..];
        let Some(end) = inner.find('\'') else { return Err(refuse("`$'` is not closed")) };
        if inner[..end].ends_with('\\') {
            return Err(refuse("a quote is escaped in `$'…'`"));
        }
        self.at += end + 3;
        word.push_unknown(false);
        Ok(())
    }

    /// A backquoted command. One with a backslash is refused: how many levels it escapes depends
    /// on what surrounds it.
    pub(super) fn backquoted(&mut self, word: &mut WordBuilder, quoted: bool) -> Read {
        let rest = &self.rest()[1..];
        let Some(end) = rest.find('`') else { return Err(refuse("a backquote is not closed")) };
        let inner = &rest[..end];
        if inner.contains('\\') || (quoted && inner.contains('"')) {
            return Err(refuse("quotes or backslashes inside backquotes"));
        }
        self.at += end + 2;
        lex_into(inner, deeper(self.around)?, self.out)?;
        self.push_substituted(word, inner, !quoted);
        Ok(())
    }

    /// `~` at the start of a word: the home directory, or a directory only the shell knows.
    pub(super) fn tilde(&mut self, word: &mut WordBuilder) -> Read {
        self.at += 1;
        let ends = self.peek().is_none_or(|c| "/ \t\n;&|()<>".contains(c));
        match self.around.home.filter(|home| ends && is_plain_path(home)) {
            Some(home) => word.push_quoted(home),
            None => word.push_tilde(),
        }
        Ok(())
    }
}

/// A path that stays one word wherever it is put.
fn is_plain_path(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    path.starts_with('/') && path.bytes().all(plain)
}
