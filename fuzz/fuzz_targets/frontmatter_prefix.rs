//! Finding the fences needs no more of a file than up to the line after the closing one: what is
//! said of a prefix, unless that is to read on, is said of the whole file too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::Span;
use metier_format::frontmatter::{Extent, Fences, find};

fuzz_target!(|bytes: &[u8]| {
    let whole = find(bytes, Extent::Whole);
    for end in 0..=bytes.len().min(256) {
        let prefix = find(&bytes[..end], Extent::Prefix);
        assert!(matches!(prefix, Fences::Unclosed { .. }) || prefix == whole, "cut at {end}");
    }
    let Fences::Closed { yaml, opening, closing, body } = whole else { return };
    let spans = [opening, yaml, closing, Span { start: body, end: body }];
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{whole:?}");
    assert!(body as usize <= bytes.len());
    // A carriage return at the end of a prefix may be half a line break.
    if bytes[..body as usize].ends_with(b"\n") {
        assert_eq!(find(&bytes[..body as usize], Extent::Prefix), whole);
    }
});
