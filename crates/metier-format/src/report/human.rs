//! Findings for people: what, where, the line with the span marked, what to do, and a last line
//! that counts.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::excerpt::excerpt;
use super::{Color, FileReport, Tally};
use crate::diagnostic::{Diagnostic, Mode, Severity};
use crate::span::Position;
use crate::text;

/// The findings as text for people. Files without findings are only counted.
#[must_use]
pub fn human(files: &[FileReport], mode: Mode, color: Color) -> String {
    let mut out = String::new();
    let mut tally = Tally::default();
    for file in files {
        out.push_str(&human_file(file, mode, color));
        tally += Tally::of(file, mode);
    }
    out.push_str(&human_summary(&tally));
    out
}

/// What [`human`] says of one file; nothing when nothing was found.
#[must_use]
pub fn human_file(file: &FileReport, mode: Mode, color: Color) -> String {
    let mut out = String::new();
    if file.diagnostics.is_empty() {
        return out;
    }
    let renderer = match color {
        Color::Plain => Renderer::plain(),
        Color::Ansi => Renderer::styled(),
    };
    for diagnostic in &file.diagnostics {
        out.push_str(&render(&renderer, file, diagnostic, mode));
        out.push_str("\n\n");
    }
    out
}

/// The last line of [`human`], which counts.
#[must_use]
pub fn human_summary(tally: &Tally) -> String {
    format!("{}\n", summary(tally))
}

fn render(renderer: &Renderer, file: &FileReport, diagnostic: &Diagnostic, mode: Mode) -> String {
    let title = level(diagnostic.severity(mode))
        .primary_title(text::visible_line(&diagnostic.message))
        .id(diagnostic.code.as_str());
    let path = text::visible_line(&file.path);
    let position = diagnostic
        .position
        .or_else(|| diagnostic.span.map(|span| Position::of(&file.source, span.start as usize)));
    let mut origin = Origin::path(path);
    if let Some(Position { line, column }) = position {
        origin = origin.line(line as usize).char_column(column as usize);
    }
    let mut group = Group::with_title(title).element(origin);
    if let (Some(span), Some(position)) = (diagnostic.span, position)
        && !file.source.is_empty()
    {
        let excerpt = excerpt(&file.source, span);
        let snippet = Snippet::source(excerpt.text)
            .line_start(position.line as usize)
            .annotation(AnnotationKind::Primary.span(excerpt.marked));
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(text::visible_line(help)));
    }
    without_file_separator(&renderer.render(&[group]))
}

/// `rendered` without the line that holds nothing but `:::`. The renderer puts it between a place
/// and an excerpt of its own; it computes places from the excerpt, which here is cut and escaped,
/// so the two are separate elements.
fn without_file_separator(rendered: &str) -> String {
    let is_separator = |line: &&str| {
        let mut plain = String::new();
        let mut parts = line.split('\u{1b}');
        plain.push_str(parts.next().unwrap_or_default());
        plain.extend(parts.filter_map(|part| part.split_once('m')).map(|(_, text)| text));
        plain.trim() == ":::"
    };
    rendered.lines().filter(|line| !is_separator(line)).collect::<Vec<_>>().join("\n")
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Advice => Level::NOTE.with_name(Severity::Advice.as_str()),
    }
}

/// `2 errors, 1 warning in 3 files; 1 can be repaired with …`, leaving out what there is none of.
fn summary(tally: &Tally) -> String {
    let plural = |count: usize, one: &str, many: &str| {
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    };
    let counts: Vec<String> = [
        plural(tally.errors, "error", "errors"),
        plural(tally.warnings, "warning", "warnings"),
        plural(tally.advice, "piece of advice", "pieces of advice"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let found = if counts.is_empty() { "No findings".to_owned() } else { counts.join(", ") };
    let looked_at = plural(tally.files, "file", "files").unwrap_or_else(|| "0 files".to_owned());
    let repair = match tally.fixable {
        0 => String::new(),
        n => format!("; {n} can be repaired with `metier lint --fix`"),
    };
    format!("{found} in {looked_at}{repair}")
}

#[cfg(test)]
#[path = "human_tests.rs"]
mod tests;
