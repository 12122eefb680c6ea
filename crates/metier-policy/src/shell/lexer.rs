//! Shell text to words and operators.
//!
//! The reader follows bash where bash, dash and zsh agree, and refuses where one of them would
//! read another command: a line continued inside a word, a here-document line that ends in a
//! backslash, arrays, functions, arithmetic with names, `${…}` beyond the plain forms, history
//! marks, white space that is not ASCII. Substitutions are read where they stand, so a list inside
//! `$(…)` is cut into tokens by the same rules as the text around it.
//!
//! Start at [`lex`]; `Lexer::list` reads tokens, `Lexer::word` one word, and `expansion` what
//! follows a dollar sign.

mod expansion;
mod here;
mod readings;

use super::word::{Feed, WordBuilder};
use super::{Surroundings, Unresolvable, Word};
use crate::limits::{MAX_NESTING, MAX_TOKENS};

/// Everything read from one text.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    /// Every word; tokens refer to them by index.
    pub(super) words: Vec<Word>,
    /// The token lists: those of substitutions first, the text's own last.
    pub(super) lists: Vec<Vec<Token>>,
    /// Variables that expansions such as `${NAME:=value}` set.
    pub(super) assigned: Vec<String>,
}

/// A word, by index, or an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The word with this index.
    Word(usize),
    /// An operator, the line feed included.
    Operator(&'static str),
}

/// Operators, longer ones before their prefixes.
const OPERATORS: [&str; 22] = [
    "<<<", "<<-", "<<", "<&", "<>", "<", "&>>", "&>", "&&", "&", ">>", ">&", ">|", ">", ";;&",
    ";;", ";&", ";", "||", "|&", "|", "(",
];

pub(super) struct Lexer<'t, 'o> {
    text: &'t str,
    at: usize,
    out: &'o mut Lexed,
    around: Surroundings<'t>,
    pending: Vec<here::HereDocument<'t>>,
}

type Read<T = ()> = Result<T, Unresolvable>;

/// Cuts `text` into tokens.
pub(super) fn lex(text: &str, around: Surroundings<'_>) -> Read<Lexed> {
    let mut out = Lexed::default();
    lex_into(text, around, &mut out)?;
    Ok(out)
}

/// The same surroundings one level further in.
pub(super) fn deeper(around: Surroundings<'_>) -> Read<Surroundings<'_>> {
    if around.depth >= MAX_NESTING {
        return Err(refuse(format!("commands are nested more than {MAX_NESTING} deep")));
    }
    Ok(Surroundings { depth: around.depth + 1, ..around })
}

fn lex_into(text: &str, around: Surroundings<'_>, out: &mut Lexed) -> Read {
    if let Some(c) = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t') {
        return Err(refuse(format!("it contains the control character U+{:04X}", c as u32)));
    }
    let mut lexer = Lexer { text, at: 0, out, around, pending: Vec::new() };
    lexer.list(false)
}

pub(super) fn refuse(reason: impl Into<String>) -> Unresolvable {
    Unresolvable::new(reason)
}

impl<'t> Lexer<'t, '_> {
    /// Reads tokens up to the end, or for a substitution up to its closing parenthesis.
    fn list(&mut self, nested: bool) -> Read {
        let mut tokens = Vec::new();
        let mut parentheses = 0_usize;
        loop {
            self.skip_blanks();
            match self.peek() {
                None if nested => return Err(refuse("a substitution is not closed")),
                None => break,
                Some(')') if nested && parentheses == 0 => {
                    self.at += 1;
                    break;
                }
                Some('\n') => {
                    self.at += 1;
                    tokens.push(Token::Operator("\n"));
                    self.here_documents()?;
                }
                Some(')') => {
                    self.at += 1;
                    parentheses = parentheses.saturating_sub(1);
                    tokens.push(Token::Operator(")"));
                }
                Some('<' | '>') if self.peek_second() == Some('(') => {
                    self.word_token(&mut tokens)?
                }
                Some(';' | '&' | '|' | '(' | '<' | '>') => {
                    let operator = self.operator(&mut tokens)?;
                    if operator == Some("(") && tokens.last() == Some(&Token::Operator("(")) {
                        return Err(refuse("arithmetic or doubled parentheses"));
                    }
                    parentheses += usize::from(operator == Some("("));
                    tokens.extend(operator.map(Token::Operator));
                }
                Some(_) => self.word_token(&mut tokens)?,
            }
            if tokens.len() > MAX_TOKENS {
                return Err(refuse(format!("it has more than {MAX_TOKENS} words")));
            }
        }
        if !self.pending.is_empty() {
            return Err(refuse("a here-document has no body"));
        }
        check_background_redirects(&tokens)?;
        self.out.lists.push(tokens);
        Ok(())
    }

    /// Reads one operator. Here-documents and here-strings become files that are read, each a word
    /// that holds its text: what they expand is read here.
    fn operator(&mut self, tokens: &mut Vec<Token>) -> Read<Option<&'static str>> {
        let rest = self.rest();
        let Some(operator) = OPERATORS.into_iter().find(|op| rest.starts_with(op)) else {
            return Err(refuse("an operator cannot be read"));
        };
        let after_word = self.text[..self.at].ends_with(|c: char| !" \t\n;&|()<>".contains(c));
        self.at += operator.len();
        match operator {
            "<<" | "<<-" => {
                let document = self.here_tag(operator == "<<-", self.out.words.len())?;
                self.pending.push(document);
                self.feed(Feed::Unknown, tokens);
                Ok(None)
            }
            "<<<" => {
                self.skip_blanks();
                let mut builder = WordBuilder::default();
                self.word(&mut builder)?;
                if !builder.started() {
                    return Err(refuse("`<<<` is followed by no word"));
                }
                let word = builder.finish(self.text, self.at);
                let text = word.as_known().map(str::to_owned);
                self.feed(text.map_or(Feed::Unknown, Feed::Text), tokens);
                Ok(None)
            }
            "(" if after_word => {
                Err(refuse("an array, a function or an extended wildcard: `(` right after a word"))
            }
            "(" if self.peek() == Some('(') => Err(refuse("arithmetic or doubled parentheses")),
            other => Ok(Some(other)),
        }
    }

    /// Adds a file to read that stands for what is on standard input.
    fn feed(&mut self, feed: Feed, tokens: &mut Vec<Token>) {
        tokens.extend([Token::Operator("<"), Token::Word(self.out.words.len())]);
        self.out.words.push(Word::fed(feed));
    }

    /// Reads one word and adds its token, unless it is the number of a redirection.
    fn word_token(&mut self, tokens: &mut Vec<Token>) -> Read {
        let start = self.at;
        let mut builder = WordBuilder::default();
        self.word(&mut builder)?;
        let written = &self.text[start..self.at];
        if written.is_empty() {
            return Err(refuse("a word cannot be read"));
        }
        if !self.pending.is_empty() && written.contains('\n') {
            return Err(refuse("a line break inside a word stands before a here-document"));
        }
        if matches!(self.peek(), Some('<' | '>')) {
            if written.len() == 1 && written.bytes().all(|b| b.is_ascii_digit()) {
                return Ok(());
            }
            if written.bytes().all(|b| b.is_ascii_digit()) || written.starts_with('{') {
                return Err(refuse("a redirection of an unusual descriptor"));
            }
        }
        let word = builder.finish(self.text, self.at);
        let word = match readings::of(written, word.spelling()) {
            Some(texts) => word.read_as(self.read_again(&texts)),
            None => word,
        };
        tokens.push(Token::Word(self.out.words.len()));
        self.out.words.push(word);
        Ok(())
    }

    /// Words that a shell may have made of one. None where one of them cannot be read.
    fn read_again(&mut self, texts: &[String]) -> Vec<Word> {
        let mut words = Vec::with_capacity(texts.len());
        for text in texts {
            let (around, pending) = (self.around, Vec::new());
            let mut inner = Lexer { text, at: 0, out: self.out, around, pending };
            let mut builder = WordBuilder::default();
            if inner.word(&mut builder).is_err() || inner.at < text.len() {
                return Vec::new();
            }
            words.push(builder.finish(text, text.len()));
        }
        words
    }

    /// Reads the characters of one word, up to a blank or an operator.
    fn word(&mut self, word: &mut WordBuilder) -> Read {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' if self.peek_second() == Some('(') => {
                    self.at += 2;
                    self.nested()?;
                    word.push_process();
                    continue;
                }
                '<' | '>' => break,
                '\'' => self.single_quoted(word)?,
                '"' => self.double_quoted(word)?,
                '\\' => self.escaped(word)?,
                '$' => self.dollar(word, false)?,
                '`' => self.backquoted(word, false)?,
                _ => self.unquoted(word, c)?,
            }
        }
        Ok(())
    }

    /// One character that is neither blank, operator nor quote.
    fn unquoted(&mut self, word: &mut WordBuilder, c: char) -> Read {
        if !c.is_ascii() && (c.is_whitespace() || metier_format::text::is_hidden(c)) {
            return Err(refuse(format!("it contains the hidden character U+{:04X}", c as u32)));
        }
        let next = self.peek_second();
        match c {
            '~' if !word.started() => return self.tilde(word),
            '!' if !matches!(
                next,
                None | Some(' ' | '\t' | '\n' | '=' | ';' | '&' | '|' | ')')
            ) && !word.in_class() =>
            {
                return Err(refuse("a history mark: `!` before a word"));
            }
            '*' | '?' | '[' | ']' => word.push_wildcard(c),
            '{' => word.push_brace(self.at),
            '=' if !word.started() => {
                word.push('=');
                // zsh puts the path of a program here.
                if next.is_some_and(|next| next.is_alphanumeric() || "/_.-".contains(next)) {
                    word.push_unknown(false);
                }
            }
            '=' => {
                if word.push_equals() {
                    return Err(refuse("an element of an array is set"));
                }
            }
            _ => word.push(c),
        }
        self.at += c.len_utf8();
        Ok(())
    }

    fn escaped(&mut self, word: &mut WordBuilder) -> Read {
        match self.peek_second() {
            None => Err(refuse("it ends in a backslash")),
            Some('\n') => Err(refuse("a line is continued inside a word")),
            Some(c) => {
                word.push_quoted(c.encode_utf8(&mut [0; 4]));
                self.at += 1 + c.len_utf8();
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self, word: &mut WordBuilder) -> Read {
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.find('\'') else {
            return Err(refuse("a single quote is not closed"));
        };
        word.push_quoted(&rest[..end]);
        self.at += end + 2;
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut WordBuilder) -> Read {
        self.at += 1;
        word.push_quoted("");
        loop {
            let run = self.rest().find(['"', '\\', '$', '`']);
            let Some(run) = run else { return Err(refuse("a double quote is not closed")) };
            word.push_quoted(&self.text[self.at..self.at + run]);
            self.at += run;
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('$') => self.dollar(word, true)?,
                Some('`') => self.backquoted(word, true)?,
                _ => self.escaped_in_quotes(word)?,
            }
        }
    }

    /// A backslash between double quotes, where it is special before few characters.
    fn escaped_in_quotes(&mut self, word: &mut WordBuilder) -> Read {
        let joins = !self.text[..self.at].ends_with([' ', '\t']);
        match self.peek_second() {
            None => return Err(refuse("a double quote is not closed")),
            Some('\n') if joins => return Err(refuse("a line is continued inside a word")),
            Some('\n') => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => word.push_quoted(c.encode_utf8(&mut [0; 4])),
            Some(c) => {
                word.push_quoted("\\");
                word.push_quoted(c.encode_utf8(&mut [0; 4]));
            }
        }
        self.at += 1 + self.peek_second().map_or(0, char::len_utf8);
        Ok(())
    }

    /// Reads the list of a substitution whose opening was just passed.
    fn nested(&mut self) -> Read {
        self.around = deeper(self.around)?;
        let outer = std::mem::take(&mut self.pending);
        self.list(true)?;
        self.pending = outer;
        self.around.depth -= 1;
        Ok(())
    }

    /// Passes blanks, comments and continued lines between words.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_second() == Some('\n') => self.at += 2,
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }
}

/// `&>` is one operator in bash and two in dash, where words behind its file start a new command.
fn check_background_redirects(tokens: &[Token]) -> Read {
    for window in tokens.windows(3) {
        if let [Token::Operator("&>" | "&>>"), Token::Word(_), after] = window
            && !matches!(after, Token::Operator("\n" | ";" | "&&" | "||" | "|" | "&" | ")"))
        {
            return Err(refuse("words follow the file of `&>`"));
        }
    }
    Ok(())
}
