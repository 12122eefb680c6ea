//! Parsing takes any bytes: no panic, every place inside the file and between characters, every fix
//! inside the file and free of overlaps.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::{Diagnostic, Mode, parse, parse_frontmatter};

fuzz_target!(|bytes: &[u8]| {
    let parsed = parse(bytes, Some("a-skill"));
    parsed.diagnostics.iter().for_each(|diagnostic| check(bytes, diagnostic));
    let refused = parsed.diagnostics.iter().any(|found| found.code.prevents_loading());
    assert!(parsed.manifest.is_some() || refused, "not loaded, and nothing says why");
    if let Some(body) = parsed.body {
        assert!(body as usize <= bytes.len());
    }
    let front = parse_frontmatter(bytes, Some("a-skill"));
    assert_eq!(front.frontmatter, parsed.frontmatter);
});

fn check(bytes: &[u8], diagnostic: &Diagnostic) {
    let text = std::str::from_utf8(bytes).ok();
    let inside = |start: u32, end: u32| {
        let (start, end) = (start as usize, end as usize);
        assert!(start <= end && end <= bytes.len(), "{start}..{end} of {}", bytes.len());
        assert!(text.is_none_or(|text| text.get(start..end).is_some()), "{start}..{end}");
    };
    if let Some(span) = diagnostic.span {
        inside(span.start, span.end);
        assert!(diagnostic.position.is_some());
    }
    let mut edits: Vec<_> = diagnostic.fix.iter().map(|edit| edit.span).collect();
    edits.sort_unstable();
    edits.iter().for_each(|span| inside(span.start, span.end));
    assert!(edits.windows(2).all(|pair| pair[0].end <= pair[1].start), "edits overlap: {edits:?}");
    assert!(!diagnostic.message.is_empty());
    assert!(diagnostic.severity(Mode::Lenient) <= diagnostic.severity(Mode::Strict));
}
