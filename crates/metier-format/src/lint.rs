//! Advice beyond the standard: length, wording, links, files nobody mentions, hidden characters.
//! Pure: the files around a `SKILL.md` are passed in as a list, and nothing is read or fetched.
//! One file a check; start at [`lint`], which runs them all and puts their findings in order.

mod body;
mod description;
mod files;
mod hidden;
mod links;
mod look;
mod markdown;
mod mentions;
mod name;
mod scalar;
mod unreferenced;

use crate::diagnostic::{Code, Diagnostic};
use crate::limits::{MAX_DIAGNOSTICS, MAX_FILE_BYTES, MAX_MARKDOWN_BYTES};
use crate::parse::Parsed;
use crate::place;
use crate::span::Span;

use files::Files;
use links::{Links, Target};
use markdown::Piece;
use mentions::Mentions;
use unreferenced::References;

/// One file or directory of the skill, relative to its root, with `/` between components.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The relative path.
    pub path: String,
    /// Whether it is a directory.
    pub directory: bool,
}

/// What lint may know besides the file itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Everything under the skill's directory, sorted by path, when it is known. The directories on
    /// the way to a file need not be named.
    pub files: Option<&'a [Neighbour]>,
    /// The body's size in tokens, when somebody counted.
    pub body_tokens: Option<usize>,
}

/// Everything lint has to say about `bytes` beyond `parsed.diagnostics`, in file order; findings
/// about no place in particular come last. Linear in the file and the list of files, up to a
/// logarithm. Together with `parsed.diagnostics` at most `MAX_DIAGNOSTICS` findings, the last of
/// which then says how many more there are.
#[must_use]
pub fn lint(bytes: &[u8], parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let text = match std::str::from_utf8(bytes.get(..MAX_FILE_BYTES).unwrap_or(bytes)) {
        Ok(text) => {
            let source = Source { text, parsed };
            check_manifest(source, &mut findings);
            if let Some(body) = source.body() {
                check_body(body, around, &mut findings);
            }
            text
        }
        // What the file says cannot be known, so nothing is claimed about what it lacks.
        Err(error) => bytes
            .get(..error.valid_up_to())
            .and_then(|valid| std::str::from_utf8(valid).ok())
            .unwrap_or_default(),
    };
    findings.absorb(hidden::check(Source { text, parsed }));
    findings.into_diagnostics(bytes, MAX_DIAGNOSTICS.saturating_sub(parsed.diagnostics.len()))
}

/// What parsing found and what [`lint`] adds, together in file order.
#[must_use]
pub fn everything(bytes: &[u8], parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let mut all = parsed.diagnostics.clone();
    all.extend(lint(bytes, parsed, around));
    all.sort_by_key(place_of);
    all
}

/// Where a finding belongs in file order. What has no place comes last.
fn place_of(diagnostic: &Diagnostic) -> u32 {
    diagnostic.span.map_or(u32::MAX, |span| span.start)
}

fn check_manifest(source: Source<'_>, findings: &mut Findings) {
    if let Some(manifest) = &source.parsed.manifest {
        findings.absorb(name::check(&manifest.name));
        findings.absorb(description::check(source, &manifest.description));
        findings.absorb(scalar::check(source, manifest));
    }
}

fn check_body(body: Body<'_>, around: &Surroundings<'_>, findings: &mut Findings) {
    let files = around.files.map(Files::new);
    let files = files.as_ref();
    let mut links = Links::new(files);
    let read = body.start(MAX_MARKDOWN_BYTES);
    let mut mentions = files.map(|files| Mentions::new(read, files));
    // What the rest refers to is not known, so nothing is said to be unreferenced.
    let whole = files.filter(|_| read.text.len() == body.text.len());
    let mut references = whole.map(|files| References::new(body, files));
    markdown::walk(read, |piece| match piece {
        Piece::Link { destination, span } => {
            let target = links.visit(destination, span);
            if let (Target::Inside(path), Some(references)) = (target, &mut references) {
                references.link(&path);
            }
        }
        Piece::Code(span) => {
            if let Some(mentions) = &mut mentions {
                mentions.code(span);
            }
            if let Some(references) = &mut references {
                references.code(body.slice(span));
            }
        }
        Piece::Block(span) => {
            if let Some(mentions) = &mut mentions {
                mentions.block(span);
            }
        }
    });
    findings.absorb(body::check(body, around.body_tokens));
    findings.absorb(links.finish());
    findings.absorb(mentions.map(Mentions::finish).unwrap_or_default());
    findings.absorb(references.map(References::finish).unwrap_or_default());
}

/// The file as the checks see it.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    parsed: &'a Parsed,
}

/// The body and where it starts in the file.
#[derive(Clone, Copy)]
struct Body<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Body<'a> {
    /// Its first `bytes` bytes, or a few less where those end inside a character.
    fn start(self, bytes: usize) -> Self {
        let end = self.text.floor_char_boundary(bytes);
        Self { text: self.text.get(..end).unwrap_or_default(), ..self }
    }

    /// The text at `span` of the file, when it lies in the body.
    fn slice(self, span: Span) -> &'a str {
        let inside = |offset: u32| (offset as usize).checked_sub(self.start);
        let range = inside(span.start).zip(inside(span.end));
        range.and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }
}

impl<'a> Source<'a> {
    fn body(self) -> Option<Body<'a>> {
        let start = self.parsed.body? as usize;
        Some(Body { text: self.text.get(start..)?, start })
    }
}

/// The findings of one check: the first ones, and how many more there were. Checks report in file
/// order, so what is dropped here would be dropped after sorting too.
#[derive(Default)]
struct Findings {
    kept: Vec<Diagnostic>,
    dropped: usize,
}

impl Findings {
    /// Keeps what `make` gives while there is room. Its position is filled in later, for all at
    /// once.
    fn push(&mut self, span: Option<Span>, make: impl FnOnce() -> Diagnostic) {
        if self.kept.len() >= MAX_DIAGNOSTICS {
            self.dropped += 1;
            return;
        }
        let mut diagnostic = make();
        diagnostic.span = span;
        self.kept.push(diagnostic);
    }

    fn absorb(&mut self, other: Self) {
        self.kept.extend(other.kept);
        self.dropped += other.dropped;
    }

    /// At most `room` findings in file order, placed in `bytes`. One is kept even without room,
    /// so that what was dropped is said.
    fn into_diagnostics(mut self, bytes: &[u8], room: usize) -> Vec<Diagnostic> {
        let room = room.max(1);
        self.kept.sort_by_key(|d| (place_of(d), d.code));
        let total = self.kept.len() + self.dropped;
        if total > room {
            self.kept.truncate(room - 1);
            let more = total - self.kept.len();
            self.kept.push(Diagnostic::new(
                Code::TooManyDiagnostics,
                format!("{more} more findings are not shown"),
            ));
        }
        let starts: Vec<u32> = self.kept.iter().filter_map(|d| Some(d.span?.start)).collect();
        let mut positions = place::positions(bytes, &starts).into_iter();
        for diagnostic in &mut self.kept {
            diagnostic.position = diagnostic.span.and_then(|_| positions.next());
        }
        self.kept
    }
}

#[cfg(test)]
#[path = "lint_tests.rs"]
mod tests;
