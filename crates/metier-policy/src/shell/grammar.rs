//! Tokens to simple commands, by a real shell grammar.
//!
//! The grammar sees the structure and never the text: every word is handed over as a numbered
//! stand-in, except the few that mean something to it. So no input reaches its word rules, and its
//! time and depth are bounded by the counts in [`crate::limits`].

use std::sync::Arc;

use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};
use brush_parser::{ParserOptions, SourcePosition, SourceSpan};

use super::lexer::{Lexed, Token};
use super::word::Feed;
use super::{Access, Assignment, Redirect, SimpleCommand, Unresolvable, Word, feed};
use crate::limits::{MAX_CASES, MAX_COMMANDS, MAX_COMPOUND_DEPTH};

/// Words the grammar has to see: those that are reserved, and those that mean something between
/// `[[` and `]]`.
const MEANT: [&str; 56] = [
    "!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "=", "==", "!=", "=~",
    "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot", "-a", "-b", "-c", "-d", "-e",
    "-f", "-g", "-h", "-k", "-n", "-o", "-p", "-r", "-s", "-t", "-u", "-v", "-w", "-x", "-z", "-L",
];

/// Every simple command of the lists.
pub(super) fn commands(lexed: &Lexed) -> Result<Vec<SimpleCommand>, Unresolvable> {
    let mut walk = Walk { words: &lexed.words, found: Vec::new(), input: None };
    for list in &lexed.lists {
        if list.iter().all(|token| *token == Token::Operator("\n")) {
            continue;
        }
        check_depth(list, &lexed.words)?;
        let tokens = stand_ins(list, &lexed.words);
        let program = brush_parser::parse_tokens(&tokens, &ParserOptions::default());
        let Ok(program) = program else {
            return Err(Unresolvable::new("the shell's grammar does not accept it"));
        };
        for list in &program.complete_commands {
            walk.list(list)?;
        }
    }
    for name in &lexed.assigned {
        walk.assign(name.clone(), Word::unknown());
    }
    Ok(walk.found)
}

/// Counts what opens a level, wherever it stands: more than real commands have is refused.
fn check_depth(list: &[Token], words: &[Word]) -> Result<(), Unresolvable> {
    let (mut depth, mut cases) = (0_usize, 0_usize);
    for token in list {
        let spelled = match token {
            Token::Operator(operator) => operator,
            Token::Word(index) => {
                words.get(*index).filter(|w| w.is_plain()).map_or("", Word::spelling)
            }
        };
        match spelled {
            "case" => cases += 1,
            "(" | "{" | "for" | "if" | "while" | "until" | "function" | "coproc" => depth += 1,
            ")" | "}" | "done" | "fi" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_COMPOUND_DEPTH || cases > MAX_CASES {
            return Err(Unresolvable::new("groups, loops or conditions are nested too deeply"));
        }
    }
    Ok(())
}

fn stand_ins(list: &[Token], words: &[Word]) -> Vec<brush_parser::Token> {
    let nowhere = Arc::new(SourcePosition::default());
    let tokens = list.iter().map(|token| {
        let span = SourceSpan { start: nowhere.clone(), end: nowhere.clone() };
        match token {
            Token::Operator(operator) => {
                brush_parser::Token::Operator((*operator).to_owned(), span)
            }
            Token::Word(index) => brush_parser::Token::Word(stand_in(*index, words), span),
        }
    });
    tokens.collect()
}

fn stand_in(index: usize, words: &[Word]) -> String {
    match words.get(index) {
        Some(word) if word.is_plain() && MEANT.contains(&word.spelling()) => {
            word.spelling().to_owned()
        }
        Some(word) if word.as_assignment().is_some() => format!("A={index}"),
        _ => format!("@{index}"),
    }
}

struct Walk<'w> {
    words: &'w [Word],
    found: Vec<SimpleCommand>,
    /// What commands find on their standard input, unless they open another.
    input: Option<Feed>,
}

type Walked = Result<(), Unresolvable>;

impl Walk<'_> {
    fn list(&mut self, list: &ast::CompoundList) -> Walked {
        for ast::CompoundListItem(and_or, _) in &list.0 {
            self.pipeline(&and_or.first)?;
            for next in &and_or.additional {
                let (ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline)) = next;
                self.pipeline(pipeline)?;
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) -> Walked {
        let outer = self.input.clone();
        for (index, command) in pipeline.seq.iter().enumerate() {
            let from = self.found.len();
            self.command(command)?;
            if index + 1 < pipeline.seq.len() {
                let alone = self.found.get_mut(from..).unwrap_or_default();
                self.input = Some(feed::written(alone));
                alone.iter_mut().for_each(|command| command.piped = true);
            }
        }
        self.input = outer;
        Ok(())
    }

    fn command(&mut self, command: &ast::Command) -> Walked {
        if self.found.len() >= MAX_COMMANDS {
            return Err(Unresolvable::new(format!("it runs more than {MAX_COMMANDS} commands")));
        }
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => {
                let outer = self.input.clone();
                self.redirects(redirects.as_ref())?;
                self.compound(compound)?;
                self.input = outer;
                Ok(())
            }
            ast::Command::Function(_) => Err(Unresolvable::new("it defines a function")),
            ast::Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref())?;
                self.test(&test.expr)
            }
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand) -> Walked {
        use ast::CompoundCommand as C;
        match compound {
            C::BraceGroup(group) => self.list(&group.list),
            C::Subshell(subshell) => self.list(&subshell.list),
            C::ForClause(clause) => {
                let variable = self.word(&clause.variable_name);
                let name = variable.as_known().unwrap_or_default().to_owned();
                self.assign(name, Word::unknown());
                self.list(&clause.body.list)
            }
            C::CaseClause(clause) => clause
                .cases
                .iter()
                .filter_map(|case| case.cmd.as_ref())
                .try_for_each(|c| self.list(c)),
            C::IfClause(clause) => {
                self.list(&clause.condition)?;
                self.list(&clause.then)?;
                for part in clause.elses.iter().flatten() {
                    part.condition.iter().try_for_each(|condition| self.list(condition))?;
                    self.list(&part.body)?;
                }
                Ok(())
            }
            C::WhileClause(clause) | C::UntilClause(clause) => {
                self.list(&clause.0)?;
                self.list(&clause.1.list)
            }
            C::Arithmetic(_) | C::ArithmeticForClause(_) => {
                Err(Unresolvable::new("it evaluates arithmetic"))
            }
            C::Coprocess(_) => Err(Unresolvable::new(super::COPROCESS)),
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand) -> Walked {
        let mut command = SimpleCommand::default();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::IoRedirect(redirect) => command.redirects.extend(self.redirect(redirect)?),
                Item::AssignmentWord(_, word) => {
                    let word = self.word(&word.value);
                    let Some((name, value)) = word.as_assignment() else {
                        return Err(Unresolvable::new("an assignment cannot be read"));
                    };
                    command.assignments.push(Assignment { name: name.to_owned(), value });
                }
                Item::Word(_) | Item::ProcessSubstitution(..) => {
                    return Err(Unresolvable::new("a word stands where none is expected"));
                }
            }
        }
        command.argv.extend(simple.word_or_name.iter().map(|name| self.word(&name.value)));
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => command.redirects.extend(self.redirect(redirect)?),
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    // zsh closes a group at a lone brace, bash takes it for an argument.
                    if matches!(word.value.as_str(), "{" | "}") {
                        return Err(Unresolvable::new("a lone brace stands among the arguments"));
                    }
                    command.argv.push(self.word(&word.value));
                }
                Item::ProcessSubstitution(..) => {
                    return Err(Unresolvable::new("a word stands where none is expected"));
                }
            }
        }
        command.input = self.taken(&mut command.redirects).or_else(|| self.input.clone());
        self.found.push(command);
        Ok(())
    }

    /// What redirections put on standard input; those that are only that are taken away.
    fn taken(&self, redirects: &mut Vec<Redirect>) -> Option<Feed> {
        let fed = redirects.iter().rev().find_map(|redirect| redirect.target.feed().cloned());
        redirects.retain(|redirect| redirect.target.feed().is_none());
        fed
    }

    /// `[[ … ]]`. Its operators are words and redirections to dash, and numbers in it are
    /// evaluated, so only plain tests of one or two words are accepted.
    fn test(&mut self, test: &ast::ExtendedTestExpr) -> Walked {
        use ast::{BinaryPredicate as B, ExtendedTestExpr as T, UnaryPredicate as U};
        match test {
            T::Not(inner) => self.test(inner),
            T::UnaryTest(U::ShellVariableIsSetAndAssigned | U::ShellVariableIsSetAndNameRef, _) => {
                Err(Unresolvable::new("`[[` evaluates the name of a variable"))
            }
            T::UnaryTest(..) => Ok(()),
            T::BinaryTest(predicate, left, right) => match predicate {
                B::ArithmeticEqualTo
                | B::ArithmeticNotEqualTo
                | B::ArithmeticLessThan
                | B::ArithmeticLessThanOrEqualTo
                | B::ArithmeticGreaterThan
                | B::ArithmeticGreaterThanOrEqualTo => {
                    let number = |word: &ast::Word| {
                        let word = self.word(&word.value);
                        word.as_known().is_some_and(|text| text.parse::<i64>().is_ok())
                    };
                    if number(left) && number(right) {
                        return Ok(());
                    }
                    Err(Unresolvable::new("`[[` evaluates arithmetic"))
                }
                B::LeftSortsBeforeRight | B::LeftSortsAfterRight => {
                    Err(Unresolvable::new("`[[` with `<` or `>` is a redirection to other shells"))
                }
                _ => Ok(()),
            },
            T::And(..) | T::Or(..) | T::Parenthesized(_) => {
                Err(Unresolvable::new("`[[` with several tests is a list to other shells"))
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&ast::RedirectList>) -> Walked {
        let mut command = SimpleCommand::default();
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            command.redirects.extend(self.redirect(redirect)?);
        }
        if let Some(fed) = self.taken(&mut command.redirects) {
            self.input = Some(fed);
        } else if command.redirects.iter().any(|redirect| redirect.access == Access::Read) {
            self.input = Some(Feed::Unknown);
        }
        if !command.redirects.is_empty() {
            self.found.push(command);
        }
        Ok(())
    }

    fn redirect(&self, redirect: &ast::IoRedirect) -> Result<Vec<Redirect>, Unresolvable> {
        use ast::{IoFileRedirectKind as K, IoFileRedirectTarget as Target, IoRedirect as R};
        let unusual = || Unresolvable::new("an unusual redirection");
        let file = |access, word: &ast::Word| {
            Ok(vec![Redirect { access, target: self.word(&word.value) }])
        };
        match redirect {
            R::OutputAndError(word, _) => file(Access::Write, word),
            R::File(_, _, Target::Fd(_)) => Ok(Vec::new()),
            R::File(_, kind, Target::Filename(word) | Target::Duplicate(word)) => match kind {
                K::Read => file(Access::Read, word),
                K::Write | K::Append | K::Clobber => file(Access::Write, word),
                K::ReadAndWrite => {
                    let both = [Access::Read, Access::Write];
                    let target = self.word(&word.value);
                    Ok(both.map(|access| Redirect { access, target: target.clone() }).into())
                }
                K::DuplicateInput | K::DuplicateOutput => {
                    let target = self.word(&word.value);
                    let descriptor = |text: &str| {
                        text == "-" || (text.len() == 1 && text.bytes().all(|b| b.is_ascii_digit()))
                    };
                    match target.as_known() {
                        Some(text) if descriptor(text) => Ok(Vec::new()),
                        _ if matches!(kind, K::DuplicateOutput) => file(Access::Write, word),
                        _ => Err(unusual()),
                    }
                }
            },
            R::File(..) | R::HereDocument(..) | R::HereString(..) => Err(unusual()),
        }
    }

    fn assign(&mut self, name: String, value: Word) {
        let assignments = vec![Assignment { name, value }];
        self.found.push(SimpleCommand { assignments, ..SimpleCommand::default() });
    }

    /// The word a stand-in stands for; a word that was handed over as it is stands for itself.
    fn word(&self, stand_in: &str) -> Word {
        let index = stand_in.strip_prefix('@').or_else(|| stand_in.strip_prefix("A="));
        match index.and_then(|digits| digits.parse::<usize>().ok()) {
            Some(index) => self.words.get(index).cloned().unwrap_or_else(Word::unknown),
            None => Word::known(stand_in),
        }
    }
}
