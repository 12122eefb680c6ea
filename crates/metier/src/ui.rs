//! What people see: results on standard output, messages on standard error, each written once at
//! the end. Knows width and colour; knows nothing of skills.
//!
//! Text from files is not safe by itself: every command passes it through
//! `metier_format::text::visible_line` before it comes here.

mod table;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use metier_format::text::visible_json;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use table::Table;

use crate::args::{ColorChoice, Global};
use crate::env::{self, Environment};
use crate::error::CommandError;

/// How much standard error says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verbosity {
    /// Errors only.
    Quiet,
    /// Messages too.
    Normal,
    /// Details too.
    Verbose,
}

/// The colours, by what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// A name, a heading.
    Strong,
    /// Something good.
    Good,
    /// Something to look at.
    Caution,
    /// Something wrong.
    Bad,
    /// Something beside the point.
    Faint,
}

/// Standard output and standard error of one run.
#[derive(Debug)]
pub(crate) struct Ui {
    out: String,
    bytes: Vec<u8>,
    messages: String,
    colour: bool,
    columns: Option<usize>,
    verbosity: Verbosity,
    json: bool,
}

impl Ui {
    /// The streams of this process, as the flags and the environment want them. The settings file
    /// has its say later, in [`Ui::settle_colour`].
    pub(crate) fn new(global: &Global, environment: &Environment) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        let mut ui = Self {
            out: String::new(),
            bytes: Vec::new(),
            messages: String::new(),
            colour: false,
            columns: env::terminal_columns(environment),
            verbosity,
            json: global.json,
        };
        ui.settle_colour(global.color.unwrap_or_default(), environment);
        ui
    }

    /// A run that is looked at by a test or read back by the tour: `columns` wide, without colour.
    pub(crate) fn plain(columns: Option<usize>) -> Self {
        Self {
            out: String::new(),
            bytes: Vec::new(),
            messages: String::new(),
            colour: false,
            columns,
            verbosity: Verbosity::Normal,
            json: false,
        }
    }

    /// Decides about colour once the choice is known.
    pub(crate) fn settle_colour(&mut self, choice: ColorChoice, environment: &Environment) {
        self.colour = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !environment.plain && env::stdout_is_terminal(),
        };
    }

    /// Whether one JSON document is asked for.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether output is coloured.
    pub(crate) fn colour(&self) -> bool {
        self.colour
    }

    /// The terminal's width; none when output is not for a terminal and must not be shortened.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// What was printed so far.
    pub(crate) fn output(&self) -> &str {
        &self.out
    }

    /// What was said so far on the way to standard error.
    pub(crate) fn messages(&self) -> &str {
        &self.messages
    }

    /// Prints one line.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    /// Prints `text` as it is.
    pub(crate) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints `bytes` as they are, after everything else: a file that is handed on.
    pub(crate) fn bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// Prints `document` as the one JSON document of this run.
    pub(crate) fn document(&mut self, document: &impl Serialize) {
        // Serialising our own structures to memory cannot fail; were it ever to, an empty output
        // would be the lie, so the reason is said instead.
        match serde_json::to_string_pretty(document) {
            Ok(text) => self.line(visible_json(&text)),
            Err(error) => self.note(&format!("this is a bug in metier: {error}")),
        }
    }

    /// Prints a table, shortened to the terminal when there is one.
    pub(crate) fn table(&mut self, table: &Table) {
        let colour = self.colour;
        table.render(self.columns, &mut self.out, |tone, text, out| match colour {
            true => out.push_str(&tone.paint(text)),
            false => out.push_str(text),
        });
    }

    /// Prints `text` indented by `indent` spaces, wrapped when there is a terminal.
    pub(crate) fn paragraph(&mut self, text: &str, indent: usize) {
        let columns = self.columns.map(|columns| columns.saturating_sub(indent).max(20));
        for line in wrap(text, columns) {
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
    }

    /// Prints `text` like a paragraph whose lines after the first are indented further.
    pub(crate) fn item(&mut self, text: &str, indent: usize) {
        let columns = self.columns.map(|columns| columns.saturating_sub(indent + 2).max(20));
        for (index, line) in wrap(text, columns).into_iter().enumerate() {
            let indent = if index == 0 { indent } else { indent + 2 };
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
    }

    /// Says something on standard error, unless quiet.
    pub(crate) fn note(&mut self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.messages.push_str(message);
            self.messages.push('\n');
        }
    }

    /// Says on standard error what went wrong, also when quiet.
    pub(crate) fn complain(&mut self, error: &CommandError) {
        self.messages.push_str(&error.to_text());
    }

    /// Says something on standard error when asked to say more.
    pub(crate) fn detail(&mut self, message: &str) {
        if self.verbosity == Verbosity::Verbose {
            self.note(message);
        }
    }

    /// `text` in the colour of `tone`, where there is colour.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        tone.paint(text)
    }

    /// Writes both streams.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        self.flush()
    }

    /// Writes what was printed so far and goes on, for output that does not end.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(std::mem::take(&mut self.out).as_bytes())?;
        stdout.write_all(&std::mem::take(&mut self.bytes))?;
        stdout.flush()?;
        write_stderr(&std::mem::take(&mut self.messages));
        Ok(())
    }
}

impl Tone {
    fn paint(self, text: &str) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    fn style(self) -> Style {
        match self {
            Self::Strong => Style::new().bold(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Caution => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

/// Writes to standard error. A closed standard error is nobody's problem but its own.
pub(crate) fn write_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The columns `text` takes on screen. Most text is ASCII, where every byte is one.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// `text` in at most `columns` columns, the last of them `…` when something was cut.
pub(crate) fn shorten(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        short.push(c);
    }
    short.truncate(short.trim_end().len());
    if columns > 0 {
        short.push('…');
    }
    Cow::Owned(short)
}

/// `count` things, in the right number.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The lines of `text`, broken between words so that each fits `columns`, where it can.
fn wrap(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return text.lines().map(str::to_owned).collect() };
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && width(&line) + 1 + width(word) > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
#[path = "ui_tests.rs"]
mod tests;
