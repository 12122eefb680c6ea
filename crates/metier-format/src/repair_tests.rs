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

/// What a person reads in the value `raw` of a line, after repair.
fn check_reads_as(raw: &str, expect: &str) {
    for end in ["\n", "\r\n", "\r"] {
        let yaml = format!("name: a{end}description: {raw}{end}license: MIT{end}");
        let text = repaired(&yaml);
        let tree = yaml::read(&text, 0).unwrap_or_else(|error| panic!("{yaml:?}: {error:?}"));
        let values: Vec<_> = tree.entries.iter().map(|entry| entry.value.as_text()).collect();
        assert_eq!(values, [Some("a"), Some(expect), Some("MIT")], "{yaml:?}");
        check_properties(&yaml);
        let nested = format!("metadata:{end}  a: {raw}{end}  b: c{end}");
        let text = repaired(&nested);
        let tree = yaml::read(&text, 0).unwrap_or_else(|error| panic!("{nested:?}: {error:?}"));
        let json = tree.entries[0].value.to_json();
        assert_eq!(json, serde_json::json!({"a": expect, "b": "c"}), "{nested:?}");
    }
}

#[test]
fn a_repaired_value_reads_as_it_was_written() {
    // F3
    for raw in [
        "Use when: the user asks",
        "Use when:",
        "Step 1: read. Step 2: write \"it\".",
        "it's \"this\": that's all",
        "[beta] Sorts things",
        "{{ template }} filler",
        "`code` first",
        "@mention first",
        "%percent first",
        "*emphasis* first",
        "*.md files",
        "&co and others",
        "!important first",
        "> quoted",
        "|pipe",
        "? question",
        "- dash",
        "\"Quoted\" then not",
        "'Quoted' then not",
        ", comma",
        "] bracket",
        "C:\\dir: a path",
        "fixed: see #12",
        "é: ü",
        "a: 🦀",
    ] {
        check_reads_as(raw, raw);
    }
}

#[test]
fn a_repaired_value_loses_only_what_is_not_text() {
    // F3
    check_reads_as("Use when: x   ", "Use when: x");
    check_reads_as("Use when: x # a comment", "Use when: x");
    check_reads_as("\"never closed: x", "never closed: x");
    check_reads_as("'never closed", "never closed");
}

#[test]
fn several_mistakes_are_repaired_at_once() {
    // F3
    let yaml = "name:a\ndescription: Use when: x\ntags: [b]\nmetadata:\n\tc: @d\n\te: f\n\
                compatibility: \"g\nlicense: MIT\n";
    let repair = repair(yaml, 0).expect("a repair");
    let expect = "name: a\ndescription: 'Use when: x'\ntags: [b]\nmetadata:\n  c: '@d'\n  e: f\n\
                  compatibility: \"g\"\nlicense: MIT\n";
    assert_eq!(repair.text, expect);
    assert_eq!(repair.edits.len(), 6);
    assert!(yaml::read(&repair.text, 0).is_ok());
    check_properties(yaml);
}

/// A skill's frontmatter with a colon put into its description, which is plain.
fn broken_skill(index: usize) -> (String, String) {
    let words =
        ["sort", "merge", "it's", "\"check\"", "draft#2", "é", "C:\\x", "(a)", "50 %", "a & b"];
    let word = |step: usize| words[(index * 7 + step * 3) % words.len()];
    let description = format!("How to {} the {}: {} and {}", word(0), word(1), word(2), word(3));
    let yaml = format!(
        "name: skill-{index}\n# a note: here\ndescription: {description}\nlicense: MIT\n\
         allowed-tools: [Read, Bash(git:*)]\nmetadata:\n  author: x\n  version: \"1.{index}\"\n\
         notes: |\n  not: an: entry\n  [nor] this\n"
    );
    (yaml, description)
}

#[test]
fn one_broken_line_costs_nothing_but_its_own_edit() {
    // F3
    for index in 0..200 {
        let (yaml, description) = broken_skill(index);
        let repair = repair(&yaml, 0).unwrap_or_else(|| panic!("{yaml}"));
        let tree = yaml::read(&repair.text, 0).unwrap_or_else(|error| panic!("{error:?}\n{yaml}"));
        assert_eq!(tree.entries[1].value.as_text(), Some(&*description), "{yaml}");
        assert_eq!(tree.entries.len(), 6, "{yaml}");
        let [edit] = repair.edits.as_slice() else { panic!("{:?}", repair.edits) };
        assert_eq!(edit.span.slice(&yaml), description);
        check_properties(&yaml);
    }
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
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn repair_keeps_what_it_does_not_touch(
        lines in prop::collection::vec(line(), 0..7),
        end in prop::sample::select(vec!["\n", "\n", "\r\n", "\r"]),
    ) {
        // F3, F4
        check_properties(&lines.join(end));
    }
    #[test]
    fn a_value_reads_as_written_once_it_is_repaired(
        raw in "[A-Za-z@`%*&!>|?,.\\-][A-Za-z0-9 :'\"@`%*&!>|?,\\[\\]{}().\\\\é—-]{0,40}[a-z:]",
    ) {
        // F3
        let yaml = format!("name: a\ndescription: {raw}\nlicense: MIT\n");
        check_properties(&yaml);
        if let Some(repair) = repair(&yaml, 0)
            && let Ok(tree) = yaml::read(&repair.text, 0)
        {
            prop_assert_eq!(tree.entries[1].value.as_text(), Some(&*raw));
            prop_assert_eq!(tree.entries.len(), 3);
        }
    }
}
