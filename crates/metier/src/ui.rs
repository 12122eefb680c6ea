//! What people see: results on standard output, messages on standard error, each written once at
//! the end. Knows width and colour; knows nothing of skills.
//!
//! Text from files is not safe by itself: every command passes it through
//! `metier_format::text::visible_line` before it comes here.

mod table;

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use metier_format::text::visible_json;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use table::Table;

use crate::args::{ColorChoice, Global};
use crate::env::{self, Environment};

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
        let text = table.render(self.columns, |tone, text| self.paint(tone, text));
        self.out.push_str(&text);
    }

    /// Prints `text` indented by `indent` spaces, wrapped when there is a terminal.
    pub(crate) fn paragraph(&mut self, text: &str, indent: usize) {
        let width = self.columns.map(|columns| columns.saturating_sub(indent).max(20));
        for line in wrap(text, width) {
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
        let style = tone.style();
        format!("{style}{text}{style:#}")
    }

    /// Writes both streams.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(self.out.as_bytes())?;
        stdout.flush()?;
        write_stderr(&self.messages);
        Ok(())
    }
}

impl Tone {
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

/// `text` in at most `width` columns, the last of them `…` when something was cut.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(c);
    }
    let mut short = short.trim_end().to_owned();
    if width > 0 {
        short.push('…');
    }
    short
}

/// `count` things, in the right number.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The lines of `text`, broken between words so that each fits `width`, where it can.
fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return text.lines().map(str::to_owned).collect() };
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
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
