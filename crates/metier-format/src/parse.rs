//! Bytes of a `SKILL.md` to a [`Parsed`]: fences, YAML, repair, manifest, in that order. Pure and
//! total: any bytes give a value and diagnostics.
//!
//! The ordinary file is read without allocating for findings; everything that only a faulty file
//! needs (repair, near misses of fences, lines and columns) happens on the way out.

use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::frontmatter::{self, BYTE_ORDER_MARK, Extent, Fences};
use crate::limits::{
    MAX_DIAGNOSTICS, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, MAX_LEADING_BLANK_BYTES,
    MAX_PREFIX_BYTES,
};
use crate::manifest::Manifest;
use crate::repair::{Repair, repair};
use crate::span::{Position, Span};
use crate::text::quoted;
use crate::validate;
use crate::yaml::{self, Entry, Node, Tree, Value, YamlError, YamlErrorKind};

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The manifest, unless something prevents loading.
    pub manifest: Option<Manifest>,
    /// The bytes between the fences, when there are fences.
    pub frontmatter: Option<Span>,
    /// First byte of the body, when there are fences.
    pub body: Option<u32>,
    /// Everything found, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the frontmatter of a file. `bytes` may be a prefix of it that is long enough: one for
/// which [`frontmatter::find`] as a prefix is no longer `Unclosed`, or one of `MAX_PREFIX_BYTES`.
/// The body is not looked at. `directory` is the name of the directory the file lies in.
#[must_use]
pub fn parse_frontmatter(bytes: &[u8], directory: Option<&str>) -> Parsed {
    let mut parsed = Parsed::default();
    read(bytes, directory, &mut parsed);
    finish(bytes, &mut parsed);
    parsed
}

/// Parses a whole file: [`parse_frontmatter`], and the body must be UTF-8 too.
#[must_use]
pub fn parse(bytes: &[u8], directory: Option<&str>) -> Parsed {
    let mut parsed = Parsed::default();
    if bytes.len() > MAX_FILE_BYTES && !is_utf16_or_32(bytes) {
        let message = format!("The file has {} bytes, more than {MAX_FILE_BYTES}", bytes.len());
        parsed.diagnostics.push(Diagnostic::new(Code::FileTooLarge, message));
        return parsed;
    }
    read(bytes, directory, &mut parsed);
    if let Some(body) = parsed.body {
        check_utf8(bytes, body as usize, bytes.len(), &mut parsed.diagnostics);
    }
    finish(bytes, &mut parsed);
    parsed
}

/// Fences, then characters, then YAML. Stops at the first of the three that fails.
fn read(bytes: &[u8], directory: Option<&str>, parsed: &mut Parsed) {
    let Parsed { manifest, frontmatter, body, diagnostics } = parsed;
    if is_utf16_or_32(bytes) {
        let message = "The file is UTF-16 or UTF-32, not UTF-8";
        diagnostics.push(Diagnostic::new(Code::Utf16, message));
        return;
    }
    let Some(found) = fences(bytes, diagnostics) else { return };
    *frontmatter = Some(found.yaml);
    *body = Some(found.body);
    let Some(text) = characters(bytes, &found, diagnostics) else { return };
    let base = found.yaml.start as usize;
    let before = diagnostics.len();
    *manifest = match yaml::read(text, base) {
        Ok(tree) => validate::manifest(tree, bytes, directory, diagnostics),
        Err(error) => repaired(bytes, text, base, error, diagnostics)
            .and_then(|repair| mended(bytes, &repair, base, directory, diagnostics)),
    };
    // What is missing is missing from the frontmatter, so it is shown there.
    for diagnostic in diagnostics.iter_mut().skip(before) {
        diagnostic.span.get_or_insert(found.opening);
    }
}

/// The places of a closed frontmatter.
struct Closed {
    opening: Span,
    yaml: Span,
    body: u32,
}

/// A byte-order mark other than UTF-8's, or the zero bytes that ASCII has in those encodings.
fn is_utf16_or_32(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] => true,
        [0, 0, 0, last, ..] => *last != 0,
        [first, 0, 0, 0, ..] => *first != 0,
        [first, 0, third, 0, ..] => *first != 0 && *third != 0,
        [0, second, 0, fourth, ..] => *second != 0 && *fourth != 0,
        _ => false,
    }
}

fn fences(bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) -> Option<Closed> {
    // A file that goes on past the limit is a prefix here, whether or not the rest was read.
    let extent = if bytes.len() < MAX_PREFIX_BYTES { Extent::Whole } else { Extent::Prefix };
    let head = bytes.get(..MAX_PREFIX_BYTES).unwrap_or(bytes);
    match frontmatter::find(head, extent) {
        Fences::Closed { yaml, opening, body, .. } => {
            around_opening(bytes, opening, diagnostics);
            if yaml.range().len() > MAX_FRONTMATTER_BYTES {
                too_large(opening, diagnostics);
                return None;
            }
            Some(Closed { opening, yaml, body })
        }
        Fences::Unclosed { opening } => {
            around_opening(bytes, opening, diagnostics);
            match extent {
                Extent::Prefix => too_large(opening, diagnostics),
                Extent::Whole => unclosed(bytes, opening, diagnostics),
            }
            None
        }
        Fences::Absent => {
            absent(head, diagnostics);
            None
        }
    }
}

/// Findings about the opening fence: a byte-order mark, blanks before it, a comment after it.
fn around_opening(bytes: &[u8], opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let (start, end) = (opening.start as usize, opening.end as usize);
    let delete = |span| vec![Edit { span, text: String::new() }];
    let mut mark = 0;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        mark = BYTE_ORDER_MARK.len();
        let span = Span::new(0, mark);
        let message = "The file starts with a byte-order mark";
        diagnostics.push(place(Code::ByteOrderMark, message, span).fix(delete(span)));
    }
    if start > mark {
        let span = Span::new(mark, start);
        let message = "The opening `---` is not at the start of the file";
        diagnostics.push(place(Code::TextBeforeFrontmatter, message, span).fix(delete(span)));
    }
    let line = bytes.get(start..end).unwrap_or_default();
    if let Some(comment) = line.iter().position(|byte| *byte == b'#') {
        let gap = Span::new(start + 3, start + comment);
        let edit = Edit { span: gap, text: line_break(bytes, end).to_owned() };
        let message = "A comment follows the opening `---` on its line";
        let span = Span::new(start + comment, end);
        diagnostics.push(place(Code::TextOnFence, message, span).fix(vec![edit]));
    }
}

/// The line break that stands at `at`, for edits that add one.
fn line_break(bytes: &[u8], at: usize) -> &'static str {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

fn too_large(opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let message = format!("The frontmatter has more than {MAX_FRONTMATTER_BYTES} bytes");
    diagnostics.push(place(Code::FrontmatterTooLarge, message, opening));
}

/// Says that the frontmatter never closes, and which line looks as if it were meant to.
fn unclosed(bytes: &[u8], opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let message = "The frontmatter is not closed by a line `---`";
    let mut diagnostic = place(Code::UnclosedFrontmatter, message, opening);
    let rest = bytes.get(opening.end as usize..).unwrap_or_default();
    let meant = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"---") || line == b"..."
    };
    if let Some(line) = rest.split(|byte| matches!(byte, b'\n' | b'\r')).find(meant) {
        let shown = quoted(&String::from_utf8_lossy(line));
        let help = format!("write `---` alone and at the first column instead of {shown}");
        diagnostic.help = Some(help);
    }
    diagnostics.push(diagnostic);
}

/// Says why the file does not start with a fence, from its first line with something on it.
fn absent(head: &[u8], diagnostics: &mut Vec<Diagnostic>) {
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let rest = head.get(mark..).unwrap_or_default();
    let start = mark + (rest.len() - rest.trim_ascii_start().len());
    let line = head.get(start..).unwrap_or_default();
    let line = line.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let span = Span::new(start, start + line.len());
    let shown = quoted(&String::from_utf8_lossy(line));
    let diagnostic = match line {
        [] => place(Code::NoFrontmatter, "The file is empty", span),
        [b'-', b'-', b'-', rest @ ..] if start - mark <= MAX_LEADING_BLANK_BYTES => {
            let message = format!("The first line is {shown}, not `---` alone");
            let found = place(Code::NoFrontmatter, message, span)
                .help("put the opening `---` on a line of its own");
            // A key stuck to the fence can only be the first line of the frontmatter.
            let key = rest.first().is_some_and(u8::is_ascii_alphabetic) && rest.contains(&b':');
            let at = Span::at(start + 3);
            let text = line_break(head, start + line.len()).to_owned();
            found.fix(if key { vec![Edit { span: at, text }] } else { Vec::new() })
        }
        _ => {
            let message = format!("The file starts with {shown}, not with `---`");
            place(Code::NoFrontmatter, message, span)
        }
    };
    diagnostics.push(diagnostic);
}

/// The frontmatter as text, unless it has bytes that no YAML may have. The opening fence's comment
/// is held to the same.
fn characters<'b>(
    bytes: &'b [u8],
    found: &Closed,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'b str> {
    let (start, end) = (found.opening.start as usize, found.yaml.end as usize);
    let raw = bytes.get(start..end)?;
    let before = diagnostics.len();
    if has_control(raw) {
        controls(raw, start, diagnostics);
    }
    check_utf8(bytes, start, end, diagnostics);
    if diagnostics.len() > before {
        return None;
    }
    std::str::from_utf8(bytes.get(found.yaml.range())?).ok()
}

/// Whether there is a byte that is, or may start, a control character YAML has no place for. No
/// branch inside the loop, so that it runs many bytes at a time.
fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| {
        let c0 = *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        any | c0 | (*byte == 0x7f) | (*byte == 0xc2)
    })
}

/// The first NUL and the first other control character, each once.
fn controls(bytes: &[u8], base: usize, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(at) = memchr::memchr(0, bytes) {
        let span = Span::new(base + at, base + at + 1);
        diagnostics.push(place(Code::NulByte, "The frontmatter contains a NUL byte", span));
    }
    let mut previous = 0;
    for (at, byte) in bytes.iter().copied().enumerate() {
        // U+0080 to U+009F are C2 80 to C2 9F; YAML allows U+0085, a line break of old.
        let c1 = previous == 0xc2 && matches!(byte, 0x80..=0x9f) && byte != 0x85;
        let c0 = byte < 0x20 && !matches!(byte, 0 | b'\t' | b'\n' | b'\r');
        if c1 || c0 || byte == 0x7f {
            let span = Span::new(base + at - usize::from(c1), base + at + 1);
            let message = format!("The frontmatter contains the character U+{byte:04X}");
            diagnostics.push(place(Code::ControlCharacter, message, span));
            return;
        }
        previous = byte;
    }
}

fn check_utf8(bytes: &[u8], start: usize, end: usize, diagnostics: &mut Vec<Diagnostic>) {
    let Err(error) = std::str::from_utf8(bytes.get(start..end).unwrap_or_default()) else { return };
    let at = start + error.valid_up_to();
    let length = error.error_len().unwrap_or(end.saturating_sub(at));
    let byte = bytes.get(at).copied().unwrap_or_default();
    let message = format!("The byte 0x{byte:02X} is not UTF-8");
    diagnostics.push(place(Code::NotUtf8, message, Span::new(at, at + length)));
}

/// The repair that makes the text readable. Without one, the reason it is not becomes a finding.
fn repaired(
    bytes: &[u8],
    text: &str,
    base: usize,
    error: YamlError,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Repair> {
    let repair = repair(text, base).filter(|repair| yaml::read(&repair.text, base).is_ok());
    match &repair {
        Some(repair) => diagnostics.extend(repair.edits.iter().map(|edit| mending(bytes, edit))),
        None => diagnostics.push(place(code_of(error.kind), sentence(&error.message), error.span)),
    }
    repair
}

/// The manifest of a repaired text, with every place moved to where it is in the file.
fn mended(
    bytes: &[u8],
    repair: &Repair,
    base: usize,
    directory: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Manifest> {
    let mut tree = yaml::read(&repair.text, base).ok()?;
    Moves::of(&repair.edits).tree(&mut tree);
    let before = diagnostics.len();
    let manifest = validate::manifest(tree, bytes, directory, diagnostics);
    // Two edits of the same bytes cannot both be made; the repair is the one that must be.
    let touches = |fix: &Edit| {
        repair
            .edits
            .iter()
            .any(|edit| edit.span.start < fix.span.end && fix.span.start < edit.span.end)
    };
    for diagnostic in diagnostics.iter_mut().skip(before) {
        if diagnostic.fix.iter().any(touches) {
            diagnostic.fix.clear();
        }
    }
    manifest
}

/// The finding for one repaired value.
fn mending(bytes: &[u8], edit: &Edit) -> Diagnostic {
    let start = edit.span.start as usize;
    let before = bytes.get(..start).unwrap_or_default();
    let line = before.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let key = line.trim().trim_start_matches("- ").trim_end_matches(':').trim_end();
    let message = if key.is_empty() || !line.trim_end().ends_with(':') {
        "A value is not valid YAML and was read as the text it plainly is".to_owned()
    } else {
        format!("The value of {} is not valid YAML and was read as text", quoted(key))
    };
    place(Code::Repaired, message, edit.span).fix(vec![edit.clone()])
}

fn code_of(kind: YamlErrorKind) -> Code {
    match kind {
        YamlErrorKind::Syntax => Code::InvalidYaml,
        YamlErrorKind::NotAMapping => Code::NotAMapping,
        YamlErrorKind::TooDeep => Code::TooDeep,
        YamlErrorKind::TooManyNodes => Code::TooManyNodes,
        YamlErrorKind::Alias => Code::YamlAlias,
        YamlErrorKind::Anchor => Code::YamlAnchor,
        YamlErrorKind::Tag => Code::YamlTag,
        YamlErrorKind::ComplexKey => Code::ComplexKey,
    }
}

/// A message from elsewhere as one of ours: nothing live, first letter upper case.
fn sentence(message: &str) -> String {
    let shown = crate::text::visible_line(message);
    let mut chars = shown.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A finding whose line and column are filled in by [`finish`].
fn place(code: Code, message: impl Into<String>, span: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.span = Some(span);
    diagnostic
}

/// How places in a repaired text map to places in the file.
struct Moves {
    /// Of each edit: where its text starts and ends after the repair, and what it replaced.
    edits: Vec<(u32, u32, Span)>,
}

impl Moves {
    fn of(edits: &[Edit]) -> Self {
        let mut shift = 0i64;
        let place = |offset: i64| u32::try_from(offset).unwrap_or(u32::MAX);
        let edits = edits.iter().map(|edit| {
            let start = i64::from(edit.span.start) + shift;
            let end = start + i64::try_from(edit.text.len()).unwrap_or(i64::MAX);
            shift = end - i64::from(edit.span.end);
            (place(start), place(end), edit.span)
        });
        Self { edits: edits.collect() }
    }

    fn tree(&self, tree: &mut Tree<'_>) {
        tree.entries.iter_mut().for_each(|entry| self.entry(entry));
        tree.duplicates.iter_mut().for_each(|span| *span = self.span(*span));
    }

    fn entry(&self, entry: &mut Entry<'_>) {
        entry.key_span = self.span(entry.key_span);
        self.node(&mut entry.value);
    }

    fn node(&self, node: &mut Node<'_>) {
        node.span = self.span(node.span);
        match &mut node.value {
            Value::Scalar(_) => {}
            Value::Sequence(items) => items.iter_mut().for_each(|item| self.node(item)),
            Value::Mapping(entries) => entries.iter_mut().for_each(|entry| self.entry(entry)),
        }
    }

    /// A place inside an edit becomes all that the edit replaced.
    fn span(&self, span: Span) -> Span {
        let (start, _) = self.offset(span.start);
        let (_, end) = self.offset(span.end);
        Span::new(start as usize, end as usize)
    }

    /// The first and the last offset in the file that `offset` may stand for.
    fn offset(&self, offset: u32) -> (u32, u32) {
        let after = self.edits.partition_point(|(start, _, _)| *start <= offset);
        match after.checked_sub(1).and_then(|index| self.edits.get(index)) {
            None => (offset, offset),
            Some((start, end, replaced)) if offset < *end || start == end => {
                // At its very start, an end belongs to what stands before the edit.
                let last = if offset == *start { replaced.start } else { replaced.end };
                (replaced.start, last)
            }
            Some((_, end, replaced)) => {
                let moved = replaced.end + (offset - end);
                (moved, moved)
            }
        }
    }
}

/// Puts the findings in file order, keeps as many as are kept, and fills in lines and columns.
/// A manifest stays only when nothing prevents loading.
fn finish(bytes: &[u8], parsed: &mut Parsed) {
    let diagnostics = &mut parsed.diagnostics;
    if diagnostics.is_empty() {
        return;
    }
    if diagnostics.iter().any(|diagnostic| diagnostic.code.prevents_loading()) {
        parsed.manifest = None;
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
    limit(diagnostics);
    locate(bytes, diagnostics);
}

/// Drops findings past the limit, never one that prevents loading, and says how many.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_DIAGNOSTICS {
        return;
    }
    let fatal = diagnostics.iter().filter(|d| d.code.prevents_loading()).count();
    let mut room = (MAX_DIAGNOSTICS - 1).saturating_sub(fatal);
    let before = diagnostics.len();
    diagnostics.retain(|diagnostic| {
        let keep = diagnostic.code.prevents_loading() || room > 0;
        room = room.saturating_sub(usize::from(!diagnostic.code.prevents_loading()));
        keep
    });
    let message = format!("{} more findings are not shown", before - diagnostics.len());
    diagnostics.push(Diagnostic::new(Code::TooManyDiagnostics, message));
}

/// Fills in the positions of findings that are in file order: one pass over the bytes, however
/// many there are.
fn locate(bytes: &[u8], diagnostics: &mut [Diagnostic]) {
    let mut at = 0;
    let mut position = Position { line: 1, column: 1 };
    for diagnostic in diagnostics {
        let Some(span) = diagnostic.span else { continue };
        let end = (span.start as usize).clamp(at, bytes.len().max(at));
        for index in at..end {
            advance(bytes, index, &mut position);
        }
        at = end;
        diagnostic.position = Some(position);
    }
}

/// Moves `position` over the byte at `index`, as [`Position::of`] counts.
fn advance(bytes: &[u8], index: usize, position: &mut Position) {
    let byte = bytes.get(index).copied().unwrap_or_default();
    let next = bytes.get(index + 1).copied();
    if byte == b'\n' || (byte == b'\r' && next != Some(b'\n')) {
        *position = Position { line: position.line + 1, column: 1 };
    } else if index == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
        // The mark is no column.
    } else if byte & 0xc0 != 0x80 {
        position.column = position.column.saturating_add(1);
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
