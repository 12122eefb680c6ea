//! Here-documents: the tag behind `<<`, and the lines up to it.

use super::{Lexer, Read, deeper, refuse};
use crate::shell::Word;
use crate::shell::word::{Feed, WordBuilder};

/// A here-document whose body has not been reached yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct HereDocument<'t> {
    tag: &'t str,
    /// A quoted tag: the body is taken as it is.
    literal: bool,
    /// `<<-`: leading tabs do not count.
    tabs: bool,
    /// The word that stands for it.
    word: usize,
}

impl<'t> Lexer<'t, '_> {
    /// Reads the tag behind `<<`. Only the usual forms are read: `EOF`, `'EOF'`, `"EOF"`, `\EOF`.
    pub(super) fn here_tag(&mut self, tabs: bool, word: usize) -> Read<HereDocument<'t>> {
        let trimmed = self.rest().trim_start_matches([' ', '\t']);
        self.at = self.text.len() - trimmed.len();
        let quote = trimmed.chars().next().filter(|c| matches!(c, '\'' | '"' | '\\'));
        let body = trimmed.get(quote.map_or(0, char::len_utf8)..).unwrap_or_default();
        let end = body.find(|c: char| !c.is_ascii_alphanumeric() && !"_-.".contains(c));
        let end = end.unwrap_or(body.len());
        let (tag, mut rest) = body.split_at(end);
        if let Some(mark @ ('\'' | '"')) = quote {
            rest = rest.strip_prefix(mark).ok_or_else(|| refuse(UNUSUAL))?;
        }
        let ends =
            rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '&', '|', ')', '<', '>']);
        if tag.is_empty() || !ends {
            return Err(refuse(UNUSUAL));
        }
        self.at = self.text.len() - rest.len();
        Ok(HereDocument { tag, literal: quote.is_some(), tabs, word })
    }

    /// Reads the bodies of the here-documents of the line that just ended.
    pub(super) fn here_documents(&mut self) -> Read {
        for document in std::mem::take(&mut self.pending) {
            let body = self.here_body(document)?;
            if !document.literal {
                self.here_expansions(body)?;
            }
            if (document.literal || !body.contains(['$', '`', '\\']))
                && let Some(word) = self.out.words.get_mut(document.word)
            {
                *word = Word::fed(Feed::Text(if document.tabs {
                    untabbed(body)
                } else {
                    body.to_owned()
                }));
            }
        }
        Ok(())
    }

    /// The lines up to the tag, which is passed.
    fn here_body(&mut self, document: HereDocument<'t>) -> Read<&'t str> {
        let start = self.at;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(refuse("a here-document is not closed"));
            }
            let line = rest.split('\n').next().unwrap_or_default();
            let compared = if document.tabs { line.trim_start_matches('\t') } else { line };
            if compared == document.tag {
                let body = &self.text[start..self.at];
                // The line feed behind the tag stays: it ends the command line.
                self.at += line.len();
                return Ok(body);
            }
            if !document.literal && line.ends_with('\\') {
                return Err(refuse("a line of a here-document ends in a backslash"));
            }
            self.at = (self.at + line.len() + 1).min(self.text.len());
        }
    }

    /// What an unquoted body expands.
    fn here_expansions(&mut self, body: &str) -> Read {
        let around = deeper(self.around)?;
        let mut inner = Lexer { text: body, at: 0, out: self.out, around, pending: Vec::new() };
        let mut ignored = WordBuilder::default();
        while let Some(next) = inner.rest().find(['\\', '$', '`']) {
            inner.at += next;
            match inner.peek() {
                Some('$') => inner.dollar(&mut ignored, true)?,
                Some('`') => inner.backquoted(&mut ignored, true)?,
                _ => inner.at += 1 + inner.peek_second().map_or(0, char::len_utf8),
            }
        }
        Ok(())
    }
}

/// The lines without the tabs before them.
fn untabbed(body: &str) -> String {
    body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
}

const UNUSUAL: &str = "the tag of a here-document is unusual";
