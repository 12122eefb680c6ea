//! Finding the fences needs no more of a file than up to the line after the closing one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::Span;
use metier_format::frontmatter::{Fences, find};

fuzz_target!(|bytes: &[u8]| {
    let whole = find(bytes);
    if let Fences::Closed { yaml, opening, closing, body } = whole {
        let spans = [opening, yaml, closing, Span { start: body, end: body }];
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{whole:?}");
        assert!(body as usize <= bytes.len());
        // A fence at the very end of a prefix may be the start of a longer line, so the prefix
        // holds the closing fence only with its line break.
        let line_break = matches!(bytes.get(closing.end as usize..body as usize), Some([_, ..]));
        if line_break {
            for end in [body as usize, (body as usize + bytes.len()) / 2, bytes.len()] {
                assert_eq!(find(&bytes[..end]), whole, "cut at {end}");
            }
        }
    }
});
