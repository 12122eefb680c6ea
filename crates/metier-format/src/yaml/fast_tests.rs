#![expect(clippy::disallowed_methods, reason = "tests read the skills they compare the readers on")]

use std::path::{Path, PathBuf};

use metier_testing::{Layout, World, generate_skills};
use proptest::prelude::*;

use crate::frontmatter::{Extent, Fences, find};
use crate::span::Span;
use crate::yaml::{Entry, Node, Value, read_fast, read_full};

/// The fast reader answers, and as the full one does.
fn check_fast(text: &str) {
    let fast = read_fast(text, 7).unwrap_or_else(|| panic!("left to the full reader: {text:?}"));
    assert_eq!(Ok(fast), read_full(text, 7), "{text:?}");
}

/// The fast reader leaves `text` to the full one.
fn check_left(text: &str) {
    assert_eq!(read_fast(text, 0), None, "{text:?}");
}

/// When the fast reader answers it answers as the full one does. Returns whether it did.
fn check_equal(text: &str) -> bool {
    let fast = read_fast(text, 11);
    let answered = fast.is_some();
    if let Some(tree) = fast {
        assert_eq!(Ok(tree), read_full(text, 11), "{text:?}");
    }
    answered
}

#[test]
fn one_line_values_are_fast() {
    // F1
    check_fast("name: a\ndescription: Use it when [so] 'said', no#1 & {all}; 5 > 3, a:b!\n");
    check_fast("a: 'it is: quoted #1'\nb: \"C: also\"\nc: ''\nd: \"\"\n");
    check_fast("a: -x\nb: 1.10\nc: ~\nd: /p/q\ne: (x)\nf: é — ü\nname: null\n");
    check_fast("a:    b   \nb.c-d_e:\nlast:");
    check_fast("a: b\n\n# comment: 'x\n   \nc: d\n#\n");
    check_fast("a: b\na: c\nb:\n  x: 1\n  x: 2\nb: e\n");
}

#[test]
fn lists_and_one_level_of_map_are_fast() {
    // F1
    check_fast("a:\n  b: c\n\n  d: 'e'\n  f:\n  g: [h]\ni: j\n");
    check_fast("a:\n- b\n- \"c: d\"\n\n- e:f\ng: h\n");
    check_fast("a:\n    - b\n    -   c  \nd:\n");
    check_fast("a:\n\n  b:\n\nc: d\n");
    check_fast("a: []\nb: [c]\nd: [ e , \"f, g\",'h' ,Bash(git:*)]\n");
}

#[test]
fn simple_block_scalars_are_fast() {
    // F1
    check_fast("a: >\n  b\n  c\n\n  d\n\n\ne: f\n");
    check_fast("a: >-\n  b: c\n  # d\ng: h\n");
    check_fast("a: |\n  b\n    c\n\n  d  \n# e\n");
    check_fast("a: |-\n b\n");
    check_fast("a: |\n  b");
    check_fast("a: >\n  b\n   \n".replace("   ", "  ").as_str());
    check_fast("a:\n  b: >-\n    c\n    d\n  e: f\ng: h\n");
}

#[test]
fn windows_line_ends_are_fast() {
    // F1
    let text = "a: b\n\n# c\nd:\n  e: f\ng:\n- h\ni: |\n  j\n  k\nl: >-\n  m\n  n\n\n  o\n";
    check_fast(text);
    check_fast(&text.replace('\n', "\r\n"));
}

/// Values the fast reader does not know for certain.
const UNUSUAL_VALUES: &[&str] = &[
    "b: c",
    "b:",
    "b #c",
    "# b",
    "&b c",
    "*b",
    "!b c",
    "%b",
    "@b",
    "`b`",
    ", b",
    "? b",
    "- b",
    "'b' c",
    "\"b\" c",
    "'it''s'",
    "\"\\n\"",
    "'b",
    "\"b",
    "{b: c}",
    "{}",
    "[b",
    "b\tc",
    "b\u{7}",
    "b\u{80}",
    "b\u{85}",
    "\u{feff}b",
    "b\u{ffff}",
    "[b, [c]]",
    "[b: c]",
    "[b,]",
    "[ ]",
    "[b:]",
    "[#b]",
    "[b c: d]",
    "[-, b]",
    "[it's]",
    "['a''b']",
    "[\"a\" b]",
    "|+",
    "|2",
    ">b",
    "|",
    ">-",
    "b\rc",
    "b\r\r",
];

/// Frontmatter likewise.
const UNUSUAL_TEXTS: &[&str] = &[
    "",
    "\n",
    "# a\n",
    "a\n",
    "- a\n",
    "a:b\n",
    "a : b\n",
    " a: b\n",
    "\ta: b\n",
    "a:\tb\n",
    "'a': b\n",
    "a b: c\n",
    "<<: a\n",
    "-a: b\n",
    "é: a\n",
    "---\na: b\n",
    "a: b\n...\n",
    "a: b\n c\n",
    "a:\n  b\n",
    "a:\n  b: c\n d: e\n",
    "a:\n  b: c\n   d: e\n",
    "a:\n  - b\n   - c\n",
    "a:\n  - b: c\n",
    "a:\n  - [b]\n",
    "a:\n  -\n",
    "a:\n  - - b\n",
    "a:\n- b\n c\n",
    "a:\n  b:\n    c: d\n",
    "a:\n  b:\n  - c\n",
    "a:\n  # b\n  c: d\n",
    "a: |\n\n  b\n",
    "a: |\nb: c\n",
    "a: >\n  b\n    c\n",
    "a: |\n  b\n c\n",
    "a: |\n  b\n     \n",
    "a: 'b'\n  c\n",
    "a: b\n- c\n",
    "a:\n# b\n- c\n- d\n# e\n- f\n",
];

#[test]
fn anything_unusual_is_left_to_the_full_reader() {
    // F1, F4
    for value in UNUSUAL_VALUES {
        check_left(&format!("a: {value}\nz: y\n"));
        check_left(&format!("a:\n  x: {value}\n"));
    }
    for text in UNUSUAL_TEXTS {
        check_left(text);
    }
}

#[test]
fn large_frontmatter_is_left_to_the_full_reader() {
    // F4
    let keys = |count: usize| (0..count).map(|i| format!("k{i}: v\n")).collect::<String>();
    check_fast(&keys(32));
    check_left(&keys(33));
    check_fast(&format!("a: [{}b]\n", "b,".repeat(254)));
    check_left(&format!("a: [{}b]\n", "b,".repeat(255)));
    check_left(&format!("a:\n{}", "- b\n".repeat(256)));
    check_fast(&format!("{}: b\n", "k".repeat(127)));
    check_left(&format!("{}: b\n", "k".repeat(129)));
}

/// The frontmatter of every `SKILL.md` below `root`.
fn frontmatters(root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.ends_with("SKILL.md") {
                let bytes = std::fs::read(&path).expect("a file");
                let Fences::Closed { yaml, .. } = find(&bytes, Extent::Whole) else { continue };
                let Ok(text) = std::str::from_utf8(&bytes[yaml.range()]) else { continue };
                found.push((path, text.to_owned()));
            }
        }
    }
    found
}

/// Both readers agree on every skill below `root`, and at least 9 of 10 are fast.
fn check_skills(root: &Path) {
    let skills = frontmatters(root);
    let fast = skills.iter().filter(|(_, text)| check_equal(text)).count();
    assert!(!skills.is_empty(), "no skill below {}", root.display());
    assert!(fast * 10 >= skills.len() * 9, "{fast} of {} skills are fast", skills.len());
}

#[test]
fn generated_skills_read_the_same_both_ways() {
    // F1
    let world = World::new();
    generate_skills(world.path(), 200, Layout::Nested);
    check_skills(world.path());
}

#[test]
fn real_skills_read_the_same_both_ways() {
    // F1
    match metier_testing::shared() {
        Some(shared) => check_skills(&shared.join("corpus")),
        None => println!("the corpus is absent; the generated skills prove the same"),
    }
}

fn check_place(text: &str, span: Span) {
    assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
}

fn check_entry(text: &str, entry: &Entry<'_>) {
    check_place(text, entry.key_span);
    check_node(text, &entry.value);
}

fn check_node(text: &str, node: &Node<'_>) {
    check_place(text, node.span);
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| check_node(text, item)),
        Value::Mapping(entries) => entries.iter().for_each(|entry| check_entry(text, entry)),
    }
}

/// Pieces a value is made of, from harmless to treacherous.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "word",
        "Use",
        "when",
        "1.10",
        "no",
        "~",
        "é",
        "—",
        "x:y",
        "a#b",
        "it's",
        "(ok)",
        "/p",
        "Bash(git:*)",
    ]);
    let odd = prop::sample::select(vec![
        ":", ": ", " #", "#", "'", "''", "\"", "\\", "\\n", "[", "]", "{", "}", ",", ", ", "- ",
        "-", "? ", "|", ">", "&a", "*a", "!t", "%", "@", "`", "\t", "...", "---", "  ", "\u{85}",
        "\u{feff}", "\u{7f}", "\u{2028}", "\u{1}", "\r",
    ]);
    prop_oneof![6 => words, 1 => odd].prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = String> {
    let text = || prop::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.join(" "));
    let dense = prop::collection::vec(piece(), 0..4).prop_map(|pieces| pieces.concat());
    let header = prop::sample::select(vec!["|", ">", "|-", ">-", "|+", ">2", "> ", ">- # c"]);
    prop_oneof![
        8 => text(),
        2 => dense,
        2 => text().prop_map(|text| format!("'{text}'")),
        2 => text().prop_map(|text| format!("\"{text}\"")),
        2 => prop::collection::vec(text(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
        1 => text().prop_map(|text| format!("{{a: {text}}}")),
        2 => header.prop_map(str::to_owned),
        2 => Just(String::new()),
    ]
}

fn key() -> impl Strategy<Value = &'static str> {
    let usual = prop::sample::select(vec!["name", "description", "a", "b-c", "d_e", "f.g", "A1"]);
    let odd =
        prop::sample::select(vec!["a b", "'q'", "\"q\"", "<<", "-x", "é", "? k", "- a", "[a]"]);
    prop_oneof![12 => usual, 1 => odd]
}

fn line() -> impl Strategy<Value = String> {
    let indent = || prop_oneof![6 => Just(""), 3 => Just("  "), 1 => Just("    "), 1 => Just(" ")];
    prop_oneof![
        8 => (indent(), key(), value()).prop_map(|(i, k, v)| format!("{i}{k}: {v}")),
        2 => (indent(), key()).prop_map(|(i, k)| format!("{i}{k}:")),
        3 => (indent(), value()).prop_map(|(i, v)| format!("{i}- {v}")),
        3 => (indent(), value()).prop_map(|(i, v)| format!("{i}{v}")),
        1 => (indent(), value()).prop_map(|(i, v)| format!("{i}# {v}")),
        2 => indent().prop_map(str::to_owned),
    ]
}

/// Frontmatter, or something like it.
fn frontmatter() -> impl Strategy<Value = String> {
    let end = prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")];
    let lines = prop::collection::vec(line(), 0..7);
    (lines, end, any::<bool>()).prop_map(|(lines, end, last)| {
        let mut text = lines.join(end);
        if last {
            text.push_str(end);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_the_fast_reader_answers_the_full_one_answers_too(text in frontmatter()) {
        // F1, F4
        check_equal(&text);
    }

    #[test]
    fn every_place_lies_inside_the_text_and_between_characters(text in frontmatter()) {
        // F3, F4
        match read_full(&text, 0) {
            Ok(tree) => {
                tree.duplicates.iter().for_each(|span| check_place(&text, *span));
                tree.entries.iter().for_each(|entry| check_entry(&text, entry));
            }
            Err(error) => check_place(&text, error.span),
        }
    }
}
