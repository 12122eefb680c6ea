use proptest::prelude::*;

use super::*;

/// The text `yaml` becomes; itself when nothing is repaired.
fn repaired(yaml: &str) -> String {
    repair(yaml, 0).map_or_else(|| yaml.to_owned(), |repair| repair.text)
}

/// `yaml` becomes `expect`, which can be read.
fn check(yaml: &str, expect: &str) {
    assert_eq!(repaired(yaml), expect, "{yaml:?}");
    assert!(yaml::read(expect, 0).is_ok(), "{expect:?}");
    check_properties(yaml);
}

fn check_untouched(yaml: &str) {
    assert_eq!(repair(yaml, 0), None, "{yaml:?}");
}

#[test]
fn a_plain_value_with_a_colon_is_quoted() {
    // F3
    check("name: a\ndescription: Use when: x\n", "name: a\ndescription: 'Use when: x'\n");
    check("description: Use when:\r\nname: a\r\n", "description: 'Use when:'\r\nname: a\r\n");
    check("description:   it's: x   \nname: a", "description:   \"it's: x\"   \nname: a");
    check("a: b: c # note\n", "a: 'b: c' # note\n");
    check("a:\tb: c\n", "a:\t'b: c'\n");
    check("'a b': c: d\n", "'a b': 'c: d'\n");
}

#[test]
fn a_value_that_starts_with_an_indicator_is_quoted() {
    // F3
    check("a: [beta] foo\n", "a: '[beta] foo'\n");
    check("a: @b\nc: `d` e\nf: *.md\n", "a: '@b'\nc: '`d` e'\nf: '*.md'\n");
    check("a: \"b\" c\n", "a: '\"b\" c'\n");
    check("a: - b\n", "a: '- b'\n");
    check("a: > b\n", "a: '> b'\n");
}

#[test]
fn entries_one_level_below_are_repaired_too() {
    // F3
    check("metadata:\n  a: b: c\n  d: e\n", "metadata:\n  a: 'b: c'\n  d: e\n");
    check("metadata: # note\n  a: @b\n", "metadata: # note\n  a: '@b'\n");
    check("m:\n  a: |\n    b: c: d\n  e: f: g\n", "m:\n  a: |\n    b: c: d\n  e: 'f: g'\n");
    check_untouched("a:\n  b:\n    c: d: e\n");
}

#[test]
fn frontmatter_indented_as_a_whole_is_repaired() {
    // F3
    check("  a: b: c\n  d: e\n", "  a: 'b: c'\n  d: e\n");
}

#[test]
fn an_open_quote_is_closed_on_its_line() {
    // F3
    check("a: \"b: c\nd: e\n", "a: \"b: c\"\nd: e\n");
    check("a: 'b\nd: e\n", "a: 'b'\nd: e\n");
}

#[test]
fn tabs_that_indent_become_spaces() {
    // F3
    check("a:\n\tb: c\n\td: e\n", "a:\n  b: c\n  d: e\n");
    check("a:\n    b: c\n\td: e\n", "a:\n    b: c\n    d: e\n");
    check("a:\n\tb: c: d\n", "a:\n  b: 'c: d'\n");
    check("a: |\n\tb: c\n\t\td\ne: f\n", "a: |\n  b: c\n    d\ne: f\n");
    check("\ta: b\n\tc: d\n", "  a: b\n  c: d\n");
    check("a: b: c\n\td\n", "a: 'b: c d'\n");
}

#[test]
fn a_known_key_gets_its_space() {
    // F3
    check("name:my-skill\ndescription: b\n", "name: my-skill\ndescription: b\n");
    check("name: a\ndescription:[beta] b\n", "name: a\ndescription: '[beta] b'\n");
    check("name:a\ndescription:b\n  as c: d\n", "name: a\ndescription: 'b as c: d'\n");
    check_untouched("name: a\ndescription:Use when: x\n");
    check_untouched("https://x\na: b\n");
    check_untouched("metadata:\n  name:x\n");
}

#[test]
fn a_plain_value_over_several_lines_is_folded() {
    // F3
    check("a: Use when: x\n  and y\nb: c\n", "a: 'Use when: x and y'\nb: c\n");
    check("a: Use when:\n  x\n    y\n\nb: c\n", "a: 'Use when: x y'\n\nb: c\n");
    check("a:\n  Use it when: x\n  as said: y z: w\n", "a:\n  'Use it when: x as said: y z: w'\n");
    check("m:\n  a: b: c\n    d\n", "m:\n  a: 'b: c d'\n");
}

#[test]
fn what_could_mean_something_else_is_left_to_a_person() {
    // F3
    for yaml in [
        "name: a\n description: b\n",
        "a: b: c\n  d: e\n",
        "a: Use when:\n  - b\n  - c\n",
        "a: b: c\n\n  d\n",
        "a: b: c\n  # note\n  d\n",
        "a: b: c # note\n  d\n",
        "a: b: c\n  \t# note\n",
        "a: [b, c\nd: e: f\n",
        "a: {b: c\nname:d\n",
        "a: &x [b]\nc: *x\n",
        "a: !!str b\n",
        "a: \"b\\q\"\n",
        "a: > b: c\n  d\n",
        "no key here\na: b\n",
        "- a: b: c\n",
        "",
        "# nothing\n",
        "a: b\u{7}: c\n",
    ] {
        check_untouched(yaml);
        check_properties(yaml);
    }
}

#[test]
fn text_in_blocks_and_quotes_is_never_taken_for_entries() {
    // F3
    let block = "a: |\n  b: c: d\n  [e] f\n\n  g: \"\nh: >-\n  i: j: k\n";
    check(&format!("{block}x: y: z\n"), &format!("{block}x: 'y: z'\n"));
    let quotes = "a: \"b: c\n  d: e\n  [f] g\"\nh: [i,\n  j: k, 'l: m']\n";
    check(&format!("{quotes}x: y: z\n"), &format!("{quotes}x: 'y: z'\n"));
}

#[test]
fn readable_frontmatter_is_never_touched() {
    // F3
    for yaml in
        ["a: [beta]\nb: {}\n", "a: [x\ny]\nb: c\n", "a: b\na: c\n", "a:\tb\n", "name: x # y: z\n"]
    {
        assert!(yaml::read(yaml, 0).is_ok());
        check_untouched(yaml);
    }
}

#[test]
fn edits_carry_their_place_in_the_file() {
    // F3
    let yaml = "name: a\ndescription: Use when: x\nmodel:@b\n";
    let repair = repair(yaml, 4).expect("a repair");
    let places: Vec<_> = repair.edits.iter().map(|edit| (edit.span.range(), &*edit.text)).collect();
    assert_eq!(places, [(25..36, "'Use when: x'"), (43..45, " '@b'")]);
}

#[test]
fn repair_is_bounded() {
    // F4
    let broken = |count: usize| (0..count).map(|i| format!("k{i}: a: b\n")).collect::<String>();
    assert!(repair(&broken(MAX_REPAIRS), 0).is_some());
    check_untouched(&broken(MAX_REPAIRS + 1));
    check_untouched(&format!("a: b: {}\n", "c".repeat(MAX_REPAIR_BYTES)));
    check_untouched(&"\t".repeat(MAX_REPAIR_BYTES));
    check_untouched(&"[".repeat(MAX_REPAIR_BYTES));
    check_untouched(&"a: [\n".repeat(3000));
}

/// The top entries of `yaml` that can be read on their own and that no edit touches, with values.
fn untouched_entries(yaml: &str, edits: &[Edit]) -> Vec<(String, serde_json::Value)> {
    let lines = lines_of(yaml);
    let mut rest = lines.as_slice();
    let mut found = Vec::new();
    while let Some((first, below)) = rest.split_first() {
        let length = below.iter().position(|line| line.starts_entry(0)).unwrap_or(below.len());
        let entry;
        (entry, rest) = rest.split_at(1 + length);
        let end = entry.last().map_or(0, |line| line.start + line.text.len());
        let touched = edits
            .iter()
            .any(|e| (e.span.start as usize) < end && e.span.end as usize > first.start);
        if let Ok(tree) = yaml::read(&yaml[first.start..end], 0)
            && !touched
        {
            let entries = tree.entries.iter();
            found.extend(entries.map(|entry| (entry.key.to_string(), entry.value.to_json())));
        }
    }
    found
}

/// What holds for every text, readable or not.
fn check_properties(yaml: &str) {
    let Some(mended) = repair(yaml, 0) else { return };
    assert!(yaml::read(yaml, 0).is_err(), "touched though readable: {yaml:?}");
    assert_eq!(repair(&mended.text, 0), None, "repaired twice: {yaml:?} -> {:?}", mended.text);
    let mut applied = yaml.to_owned();
    let mut after = yaml.len();
    for edit in mended.edits.iter().rev() {
        assert!(edit.span.end as usize <= after, "overlapping edits: {yaml:?}");
        after = edit.span.start as usize;
        applied.replace_range(edit.span.range(), &edit.text);
    }
    assert_eq!(applied, mended.text, "{yaml:?}");
    if let Ok(tree) = yaml::read(&mended.text, 0) {
        let mut entries = tree.entries.iter();
        for (key, value) in untouched_entries(yaml, &mended.edits) {
            let kept = entries.any(|entry| entry.key == key && entry.value.to_json() == value);
            assert!(kept, "lost `{key}`: {yaml:?} -> {:?}", mended.text);
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    let indent = prop::sample::select(vec!["", "", "", "", "  ", "  ", "    ", "\t", " "]);
    let start = prop::sample::select(vec![
        "a: ",
        "b: ",
        "name:",
        "description: ",
        "metadata:",
        "- ",
        "",
        "# ",
        "'q r': ",
        "Use when: ",
    ]);
    let piece = prop::sample::select(vec![
        "word",
        "word",
        "two words",
        ": ",
        ":",
        " # ",
        "#1",
        "'",
        "\"",
        "it's",
        "[",
        "]",
        "[x]",
        "{",
        "}",
        "*a",
        "&a",
        "!t",
        "|",
        ">",
        "- ",
        "? ",
        "@",
        "`",
        "%",
        ",",
        "\\",
        "\t",
        "é",
        "\u{85}",
        "key: value",
    ]);
    let rest = prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    (indent, start, rest).prop_map(|(indent, start, rest)| format!("{indent}{start}{rest}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn repair_keeps_what_it_does_not_touch(
        lines in prop::collection::vec(line(), 0..7),
        end in prop::sample::select(vec!["\n", "\n", "\r\n", "\r"]),
    ) {
        // F3, F4
        check_properties(&lines.join(end));
    }
}
