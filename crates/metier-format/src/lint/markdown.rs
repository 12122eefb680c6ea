//! The pieces of a Markdown body that lint looks at: links with their destinations, and code.
//! `plain` finds them in a body that is written plainly, and else one pass of the parser does.

mod plain;

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::Body;
use crate::span::Span;
use plain::Plain;

/// Something lint looks at, placed in the file.
pub(super) enum Piece<'a> {
    /// A link or image. The span marks the destination where it can be found, else the link.
    Link {
        /// The destination, with Markdown's escapes undone.
        destination: &'a str,
        /// Where to mark it.
        span: Span,
    },
    /// Inline code, with its backticks.
    Code(Span),
    /// Text of a code block.
    Block(Span),
}

/// Calls `visit` with every piece of `body`, in order. Links inside code are code. A reference
/// definition is a piece once, where it is first used.
pub(super) fn walk(body: Body<'_>, mut visit: impl FnMut(Piece<'_>)) {
    let Some(pieces) = plain::pieces(body.text) else { return parse(body, visit) };
    for piece in pieces {
        visit(match piece {
            Plain::Link(range) => Piece::Link {
                destination: body.text.get(range.clone()).unwrap_or_default(),
                span: placed(body, range),
            },
            Plain::Code(range) => Piece::Code(placed(body, range)),
            Plain::Block(range) => Piece::Block(placed(body, range)),
        });
    }
}

/// As [`walk`], by the parser, whatever the body.
fn parse(body: Body<'_>, mut visit: impl FnMut(Piece<'_>)) {
    // Footnotes are on so that `[^1]: text` is not taken for a definition of a link.
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut events = Parser::new_ext(body.text, options).into_offset_iter();
    let mut seen = BTreeSet::new();
    let mut in_block = false;
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(
                Tag::Link { link_type, dest_url, id, .. }
                | Tag::Image { link_type, dest_url, id, .. },
            ) => {
                let whole = match link_type {
                    LinkType::Inline => range,
                    LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => {
                        let Some(definition) = events.reference_definitions().get(&id) else {
                            continue;
                        };
                        if !seen.insert(definition.span.start) {
                            continue;
                        }
                        definition.span.clone()
                    }
                    _ => continue,
                };
                let span = destination_span(body, whole, &dest_url);
                visit(Piece::Link { destination: &dest_url, span });
            }
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Code(_) => visit(Piece::Code(placed(body, range))),
            Event::Text(_) if in_block => visit(Piece::Block(placed(body, range))),
            _ => {}
        }
    }
}

/// Where `destination` stands inside the link at `whole`: the last time it is written there,
/// because the link's text comes first. The whole link when it is written with escapes.
fn destination_span(body: Body<'_>, whole: Range<usize>, destination: &CowStr<'_>) -> Span {
    let link = body.text.get(whole.clone()).unwrap_or_default();
    match link.rfind(&**destination) {
        Some(at) if !destination.is_empty() => {
            placed(body, whole.start + at..whole.start + at + destination.len())
        }
        _ => placed(body, whole),
    }
}

fn placed(body: Body<'_>, range: Range<usize>) -> Span {
    Span::new(body.start + range.start, body.start + range.end)
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
