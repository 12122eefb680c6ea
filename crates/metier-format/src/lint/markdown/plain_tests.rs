#![expect(clippy::disallowed_methods, reason = "tests read skills from disk when there are some")]

use proptest::prelude::*;

use super::{Plain, pieces};
use crate::lint::Body;
use crate::lint::markdown::{Piece, parse};

/// What the parser finds, with the destinations of links.
fn parsed(text: &str) -> Vec<(Plain, String)> {
    let mut out = Vec::new();
    parse(Body { text, start: 0 }, |piece| {
        out.push(match piece {
            Piece::Link { destination, span } => {
                (Plain::Link(span.range()), destination.to_owned())
            }
            Piece::Code(span) => (Plain::Code(span.range()), String::new()),
            Piece::Block(span) => (Plain::Block(span.range()), String::new()),
        });
    });
    out
}

/// What is found here, likewise.
fn plain(text: &str) -> Option<Vec<(Plain, String)>> {
    let with_destination = |piece: Plain| match piece.clone() {
        Plain::Link(range) => (piece, text[range].to_owned()),
        Plain::Code(_) | Plain::Block(_) => (piece, String::new()),
    };
    Some(pieces(text)?.into_iter().map(with_destination).collect())
}

#[test]
fn a_plain_body_is_read_as_the_parser_reads_it() {
    // F5
    for text in [
        "",
        "\n\n",
        "# Title\n\nText with `code` and [a link](references/x.md#y).\n",
        "- one `a`\n- [two](b.md)\n  goes on `c`\n1. three\n   more\n\n2) four\n",
        "Text:\n```sh\nscripts/a.py\n\n    indented\t`x` [y](z)\n ``\n```\nafter\n",
        "````\n```\nx\n```\n`````  \n",
        "```\n```\n",
        "```\nx\n```",
        "- item\n```\ncode\n```\n",
        "![image](a.png) [`code`](x.py) [a `b` c](d) []( x)\n".trim_end_matches("[]( x)\n"),
        "- [ ] to do\n- [x] done [note] [^1] [a][b]\n",
        "Title\n===\n\nOther `x`\n---\n\n***\n---\n",
        "a | b\n\n`a | b` c\n\nno table | here\nnor - here\n",
        "größe `ü` [é](e.md) — “x”\n",
        "**bold [x](y)** _it `z`_ & &amp; * + - a_b ~~gone~~ $x$ {#id}\n",
        "a > b and 3 - 2\n",
    ] {
        assert_eq!(plain(text), Some(parsed(text)), "{text:?}");
    }
}

#[test]
fn what_might_be_something_else_is_left_to_the_parser() {
    // F5
    for text in [
        "> quote",
        "- > quote",
        "    code",
        "-     code",
        "\tcode",
        "a\tb",
        "  ```\n  x\n  ```\n",
        "- ```\n  x\n  ```\n",
        "~~~\nx\n~~~\n",
        "```\nnever closed\n",
        "```",
        "``` `x`\n",
        "a ``b`` c",
        "a `b\nc` d",
        "a ` b",
        "[a](b \"c\")",
        "[a](<b>)",
        "[a](b(c))",
        "[a](b&amp;c)",
        "[a]()",
        "[a\nb](c)",
        "[a [b](c)](d)",
        "[a]: b",
        "[^a]: b",
        "[^a](b)",
        "a] b",
        "\\`a`",
        "<b>",
        "a\r\nb",
        "a | b\n--- | ---\n",
        "a |\n---\n",
        "|a|\n|-|\n",
        "a | `b`\n:-: | -\n",
        "x\u{b}y",
    ] {
        assert_eq!(pieces(text), None, "{text:?}");
    }
}

/// How many of the texts are read here, all of them as the parser reads them.
fn agreeing<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts
        .filter(|text| {
            let plain = plain(text);
            assert!(plain.is_none() || plain == Some(parsed(text)), "{text:?}");
            plain.is_some()
        })
        .count()
}

fn collect(directory: &std::path::Path, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.extend(std::fs::read_to_string(&path));
        }
    }
}

#[test]
fn real_bodies_are_read_as_the_parser_reads_them() {
    // F5
    let mut texts = Vec::new();
    collect(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills"), &mut texts);
    if let Some(shared) = metier_testing::shared() {
        collect(&shared.join("corpus"), &mut texts);
    }
    // Whole, and paragraph by paragraph, so that one that is not plain does not hide the others.
    let whole = agreeing(texts.iter().map(String::as_str));
    let paragraphs: usize = texts.iter().map(|text| agreeing(text.split("\n\n"))).sum();
    println!("plain: {whole} of {} files, {paragraphs} paragraphs", texts.len());
    assert!(paragraphs > texts.len(), "{paragraphs}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_body_is_read_otherwise_than_the_parser_reads_it(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..20)
    ) {
        // F5
        let text = words.concat();
        if let Some(plain) = plain(&text) {
            prop_assert_eq!(plain, parsed(&text), "{:?}", text);
        }
    }

    #[test]
    fn no_lines_are_read_otherwise_than_the_parser_reads_them(
        lines in prop::collection::vec(prop::sample::select(LINES), 0..12)
    ) {
        // F5
        let text = lines.join("\n");
        if let Some(plain) = plain(&text) {
            prop_assert_eq!(plain, parsed(&text), "{:?}", text);
        }
    }
}

/// Pieces of lines; most are met by a rule of Markdown's.
const WORDS: &[&str] = &[
    "a",
    "b c",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n```\n",
    "\n```sh\n",
    "\n````\n",
    "`",
    "`x`",
    "``",
    "[",
    "]",
    "[a](b)",
    "![a](b.c)",
    "[`x`](y)",
    "[ ]",
    "(",
    ")",
    "(b)",
    "](",
    "^",
    ":",
    "|",
    "\n---\n",
    "\n-|-\n",
    "\n:-\n",
    "-",
    "*",
    "_",
    "**",
    "!",
    "~",
    "~~~",
    "<",
    ">",
    "\\",
    "&amp;",
    "#",
    "=",
    "\n===\n",
    "\t",
    "\u{a0}",
    "é",
    "\u{0}",
    ".",
    "1.",
    "+ ",
    "$",
    "{",
    "}",
    "'",
    "\"",
];

/// Lines as bodies have them, and what comes close.
const LINES: &[&str] = &[
    "",
    " ",
    "   ",
    "text",
    "text `code` more",
    "`a` `b`",
    "- item",
    "- item `x`",
    "  more `y`",
    "   deeper",
    "* [a](b.md)",
    "1. one",
    "   two `c`",
    "2) [x](y/z.md#a) and `d`",
    "# Head `h`",
    "## [l](m)",
    "#",
    "---",
    "===",
    "***",
    "- - -",
    "--",
    "```",
    "```sh",
    "```` x",
    "````",
    " ```",
    "``",
    "    four",
    "> quote",
    "a | b",
    "`a | b`",
    "[a | b](c)",
    "--- | ---",
    ":--",
    "-",
    "+",
    "1.",
    "- ",
    "-  two",
    "-   three",
    "-    four",
    "+ # x `y`",
    "[x]",
    "[x]:",
    "[x]: y",
    "[^1]",
    "![i](j.png)",
    "a ] b",
    "a [ b",
    "**b [c](d)**",
    "_`e`_",
    "line  ",
    "10. ten",
    "- [ ] `f`",
    "# a | b",
    "- a | b",
    "  --- | ---",
    "  ---",
];
