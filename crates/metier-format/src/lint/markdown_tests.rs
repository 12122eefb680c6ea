use super::{Piece, walk};
use crate::lint::Body;

const BEFORE: &str = "---\nname: a\n---\n";

/// What `walk` visits: the kind of piece and the text it marks in the file.
fn visited(body: &str) -> Vec<String> {
    let file = format!("{BEFORE}{body}");
    let mut out = Vec::new();
    walk(Body { text: body, start: BEFORE.len() }, |piece| {
        out.push(match piece {
            Piece::Link { destination, span } => {
                format!("link {destination} at {}", span.slice(&file))
            }
            Piece::Code(span) => format!("code {}", span.slice(&file)),
            Piece::Block(span) => format!("block {}", span.slice(&file).trim_end()),
        });
    });
    out
}

fn check(body: &str, expected: &[&str]) {
    assert_eq!(visited(body), expected, "{body:?}");
}

#[test]
fn links_are_marked_at_their_destination() {
    // F5
    check("[a](b.md)", &["link b.md at b.md"]);
    check("[b.md](b.md \"b.md title\")", &["link b.md at b.md"]);
    check("![a](b.png)", &["link b.png at b.png"]);
    check("[![a](b.png)](c.md)", &["link c.md at c.md", "link b.png at b.png"]);
    check("| a |\n|---|\n| [x](y.md) |", &["link y.md at y.md"]);
    check("> - [x](y.md)", &["link y.md at y.md"]);
    check("[a](<b c.md>)", &["link b c.md at b c.md"]);
    // Written with an escape, the destination is nowhere to be found: the link is marked.
    check("[a](b\\_c.md)", &["link b_c.md at [a](b\\_c.md)"]);
    check("[a](b&amp;c.md)", &["link b&c.md at [a](b&amp;c.md)"]);
    check("[a]()", &["link  at [a]()"]);
}

#[test]
fn a_definition_is_visited_where_it_stands_and_once() {
    // F5
    check("[a][x] [b][X] [x] [x][]\n\n[x]: y.md", &["link y.md at y.md"]);
    check("[x]: y.md", &[]);
    check("[a][gone]", &[]);
    check("[^1] text\n\n[^1]: y.md", &[]);
}

#[test]
fn what_is_no_link_to_a_file_is_not_visited() {
    // F5
    check("<https://example.org> <a@example.org> https://example.org", &[]);
    check("<a href=\"x.md\">x</a>", &[]);
    check("<!-- [a](x.md) -->", &[]);
    check("\\[a](x.md)", &[]);
}

#[test]
fn code_is_told_from_blocks_of_code() {
    // F5
    check("a `b` c ``d`e``", &["code `b`", "code ``d`e``"]);
    check("```sh\none\ntwo\n```\nthree", &["block one\ntwo"]);
    check("    one\n", &["block one"]);
    check("~~~\n[a](b.md)\n~~~", &["block [a](b.md)"]);
    check("`[a](b.md)`", &["code `[a](b.md)`"]);
    check("> ```\n> one\n> two\n> ```", &["block one", "block two"]);
    // The parser gives the line feed of a CRLF as a piece of its own.
    check("```\r\none\r\n```\r\n", &["block one", "block "]);
}
