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
                self.at += 2;
                self.nested()?;
                word.push_unknown(!quoted);
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
            None => word.push_unknown(splits),
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

    /// `$'…'` with the escapes every shell that has it agrees on.
    fn ansi_quoted(&mut self, word: &mut WordBuilder) -> Read {
        self.at += 2;
        word.push_quoted("");
        loop {
            let Some(c) = self.peek() else { return Err(refuse("`$'` is not closed")) };
            self.at += c.len_utf8();
            match c {
                '\'' => return Ok(()),
                '\\' => {
                    let decoded = self.ansi_escape()?;
                    word.push_quoted(decoded.encode_utf8(&mut [0; 4]));
                }
                other => word.push_quoted(other.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn ansi_escape(&mut self) -> Read<char> {
        let c = self.peek().ok_or_else(|| refuse("`$'` is not closed"))?;
        self.at += c.len_utf8();
        match c {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            '\\' => Ok('\\'),
            '"' => Ok('"'),
            'x' => self.ansi_code(16, 2),
            '0'..='7' => {
                self.at -= 1;
                self.ansi_code(8, 3)
            }
            _ => Err(refuse("an unusual escape in `$'…'`")),
        }
    }

    fn ansi_code(&mut self, radix: u32, digits: usize) -> Read<char> {
        let run: String =
            self.rest().chars().take(digits).take_while(|c| c.is_digit(radix)).collect();
        self.at += run.len();
        match u32::from_str_radix(&run, radix).ok().and_then(char::from_u32) {
            Some(c) if c.is_ascii() && !c.is_ascii_control() => Ok(c),
            _ => Err(refuse("an unusual escape in `$'…'`")),
        }
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
        word.push_unknown(!quoted);
        Ok(())
    }

    /// `~` at the start of a word: the home directory, or a directory only the shell knows.
    pub(super) fn tilde(&mut self, word: &mut WordBuilder) -> Read {
        self.at += 1;
        let ends = self.peek().is_none_or(|c| "/ \t\n;&|()<>".contains(c));
        match self.around.home.filter(|home| ends && is_plain_path(home)) {
            Some(home) => word.push_quoted(home),
            None => {
                word.push('~');
                word.push_unknown(false);
            }
        }
        Ok(())
    }
}

/// A path that stays one word wherever it is put.
fn is_plain_path(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-".contains(&b);
    path.starts_with('/') && path.bytes().all(plain)
}
