use super::*;
use crate::limits::{MAX_FRONTMATTER_BYTES, MAX_PREFIX_BYTES};
use crate::span::Position;

const GOOD: &str = "---\nname: my-skill\ndescription: A test skill\n---\nBody\n";

fn codes(parsed: &Parsed) -> Vec<Code> {
    parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Checks the codes of a file, and that it loads when none prevents that.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expect: &[Code]) -> Parsed {
    let bytes = bytes.as_ref();
    let parsed = parse(bytes, Some("my-skill"));
    assert_eq!(
        codes(&parsed),
        expect,
        "{:?}",
        String::from_utf8_lossy(&bytes[..bytes.len().min(200)])
    );
    let prevented = expect.iter().any(|code| code.prevents_loading());
    assert_eq!(parsed.manifest.is_none(), prevented);
    parsed
}

/// Checks the only finding of a file: code, line, column, and the text it marks.
#[track_caller]
fn check_at(bytes: &[u8], code: Code, line: u32, column: u32, marked: &[u8]) -> Diagnostic {
    let mut parsed = check(bytes, &[code]);
    let diagnostic = parsed.diagnostics.remove(0);
    assert_eq!(diagnostic.position, Some(Position { line, column }));
    assert_eq!(&bytes[diagnostic.span.unwrap().range()], marked);
    diagnostic
}

/// `text` after the fixes of everything found in it.
fn fixed(text: &str) -> String {
    let mut edits: Vec<Edit> =
        parse(text.as_bytes(), None).diagnostics.into_iter().flat_map(|d| d.fix).collect();
    edits.sort_by_key(|edit| edit.span);
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

#[test]
fn an_ordinary_file_loads_without_findings() {
    // F1
    let parsed = check(GOOD, &[]);
    let manifest = parsed.manifest.unwrap();
    assert_eq!(manifest.name.as_str(), "my-skill");
    assert_eq!(manifest.description.value, "A test skill");
    assert_eq!(parsed.frontmatter, Some(Span::new(4, 45)));
    assert_eq!(&GOOD[parsed.body.unwrap() as usize..], "Body\n");
    assert_eq!(parsed.diagnostics.capacity(), 0, "nothing is allocated for findings");
}

#[test]
fn a_byte_order_mark_is_accepted_and_mentioned() {
    // F1
    let text = format!("\u{feff}{GOOD}");
    check_at(text.as_bytes(), Code::ByteOrderMark, 1, 1, b"\xef\xbb\xbf");
    assert_eq!(fixed(&text), GOOD);
}

#[test]
fn blanks_before_the_fence_are_accepted_and_mentioned() {
    // F1
    let text = format!("\n  \n {GOOD}");
    check_at(text.as_bytes(), Code::TextBeforeFrontmatter, 1, 1, b"\n  \n ");
    assert_eq!(fixed(&text), GOOD);
}

#[test]
fn a_comment_on_the_fence_is_accepted_and_moved_by_the_fix() {
    // F1, F3
    let text = "---  # hi\r\nname: my-skill\r\ndescription: d\r\n---\r\n";
    check_at(text.as_bytes(), Code::TextOnFence, 1, 6, b"# hi");
    assert_eq!(fixed(text), "---\r\n# hi\r\nname: my-skill\r\ndescription: d\r\n---\r\n");
    check(fixed(text), &[]);
}

#[test]
fn a_file_without_frontmatter_is_told_what_it_starts_with() {
    // F1, F3
    let message = |text: &str| check(text, &[Code::NoFrontmatter]).diagnostics.remove(0).message;
    assert_eq!(message(""), "The file is empty");
    assert_eq!(message("\n \n"), "The file is empty");
    assert_eq!(message("\n# Title\n"), "The file starts with `# Title`, not with `---`");
    assert_eq!(message("----\nname: x\n---\n"), "The first line is `----`, not `---` alone");
    assert_eq!(
        message("\u{feff}\u{feff}---\n"),
        "The file starts with `\\u{feff}---`, not with `---`"
    );
    check_at(b"\n\n# T\n", Code::NoFrontmatter, 3, 1, b"# T");
}

#[test]
fn a_key_stuck_to_the_fence_is_refused_and_fixed() {
    // F1, F3
    let text = "---name: my-skill\ndescription: A test skill\n---\nBody\n";
    let diagnostic = check_at(text.as_bytes(), Code::NoFrontmatter, 1, 1, b"---name: my-skill");
    assert_eq!(diagnostic.help.as_deref(), Some("put the opening `---` on a line of its own"));
    assert_eq!(fixed(text), GOOD);
}

#[test]
fn an_unclosed_frontmatter_is_told_which_line_was_meant() {
    // F1, F3
    let help = |end: &str| {
        let text = format!("---\nname: my-skill\ndescription: d\n{end}\nBody\n");
        check_at(text.as_bytes(), Code::UnclosedFrontmatter, 1, 1, b"---").help.unwrap()
    };
    assert!(help("  ---").ends_with("instead of `  ---`"));
    assert!(help("----").ends_with("instead of `----`"));
    assert!(help("--- text").ends_with("instead of `--- text`"));
    assert!(help("...").ends_with("instead of `...`"));
    assert_eq!(help("nothing"), "end the frontmatter with a line `---`");
}

#[test]
fn other_encodings_are_named() {
    // F1, F4
    let wide = |unit: fn(u16) -> [u8; 2]| GOOD.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
    let wider: Vec<u8> = GOOD.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let widest: Vec<u8> = GOOD.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    for bytes in [&little, &big, &wider, &widest] {
        check(bytes, &[Code::Utf16]);
    }
    check([b"\xff\xfe", &*little].concat(), &[Code::Utf16]);
    check([b"\xfe\xff", &*big].concat(), &[Code::Utf16]);
    check([b"\x00\x00\xfe\xff", &*widest].concat(), &[Code::Utf16]);
    // One zero byte is no encoding.
    check(b"-\0--\n", &[Code::NoFrontmatter]);
}

#[test]
fn a_byte_that_is_not_utf8_is_pointed_at() {
    // F1
    let latin = b"---\nname: my-skill\ndescription: caf\xe9\n---\nB";
    let diagnostic = check_at(latin, Code::NotUtf8, 3, 17, b"\xe9");
    assert_eq!(diagnostic.message, "The byte 0xE9 is not UTF-8");
    let body = b"---\nname: my-skill\ndescription: d\n---\nok\ncaf\xe9";
    check_at(body, Code::NotUtf8, 6, 4, b"\xe9");
    let comment = b"--- # caf\xe9\nname: my-skill\ndescription: d\n---\n";
    check(comment, &[Code::TextOnFence, Code::NotUtf8]);
}

#[test]
fn the_body_is_not_looked_at_when_only_the_frontmatter_is_asked_for() {
    // D2
    let body = b"---\nname: my-skill\ndescription: d\n---\ncaf\xe9";
    assert_eq!(codes(&parse_frontmatter(body, Some("my-skill"))), []);
}

#[test]
fn control_characters_have_codes_of_their_own() {
    // F4
    let with = |bad: &[u8]| [b"---\nname: my-skill\ndescription: a", bad, b"b\n---\n"].concat();
    check_at(&with(b"\0"), Code::NulByte, 3, 15, b"\0");
    check_at(&with(b"\x07"), Code::ControlCharacter, 3, 15, b"\x07");
    check_at(&with(b"\x7f"), Code::ControlCharacter, 3, 15, b"\x7f");
    let diagnostic =
        check_at(&with("\u{9b}".as_bytes()), Code::ControlCharacter, 3, 15, b"\xc2\x9b");
    assert_eq!(diagnostic.message, "The frontmatter contains the character U+009B");
    check(with(b"\x07\0\x07"), &[Code::ControlCharacter, Code::NulByte]);
    check(with("\u{85}\t\u{a0}é".as_bytes()), &[]);
    // In the body they are the body's affair.
    check([GOOD.as_bytes(), b"\0\x07"].concat(), &[]);
}

#[test]
fn size_is_bounded_and_a_prefix_says_the_same_as_the_file() {
    // F4, D2
    let long = |length: usize| {
        format!("---\nname: my-skill\ndescription: d\n#{}\n---\n", "x".repeat(length))
    };
    check(long(MAX_FRONTMATTER_BYTES - 64), &[]);
    check(long(MAX_FRONTMATTER_BYTES), &[Code::FrontmatterTooLarge]);
    let endless = long(10 * MAX_FRONTMATTER_BYTES);
    for end in [MAX_PREFIX_BYTES, MAX_PREFIX_BYTES + 1, endless.len()] {
        let parsed = parse_frontmatter(&endless.as_bytes()[..end], None);
        assert_eq!(codes(&parsed), [Code::FrontmatterTooLarge]);
    }
    let mut large = GOOD.as_bytes().to_vec();
    large.resize(MAX_FILE_BYTES + 1, b'x');
    check(&large, &[Code::FileTooLarge]);
    check(&large[..MAX_FILE_BYTES], &[]);
}

#[test]
fn a_yaml_error_has_the_code_of_its_kind() {
    // F3, F4
    let with = |lines: &str| format!("---\n{lines}\n---\n");
    check(with(""), &[Code::NotAMapping]);
    check(with("- a\n- b"), &[Code::NotAMapping]);
    check(with("hello"), &[Code::NotAMapping]);
    check(with("name: [x"), &[Code::InvalidYaml]);
    check(with("? [a]\n: b"), &[Code::ComplexKey]);
    check(with("a: {b: &c d}"), &[Code::YamlAnchor]);
    check(with("a: {b: *c}"), &[Code::YamlAlias]);
    check(with("a: {b: !c d}"), &[Code::YamlTag]);
    check(with(&format!("a: {}{}", "[".repeat(40), "]".repeat(40))), &[Code::TooDeep]);
    check(with(&"a: b\n".repeat(5000)), &[Code::TooManyNodes]);
}

#[test]
fn what_is_missing_is_shown_at_the_frontmatter() {
    // F3
    let parsed = check("\n---\nlicense: MIT\n---\n", {
        &[Code::TextBeforeFrontmatter, Code::NameMissing, Code::DescriptionMissing]
    });
    for diagnostic in &parsed.diagnostics[1..] {
        assert_eq!(diagnostic.position, Some(Position { line: 2, column: 1 }));
    }
}

#[test]
fn messages_show_no_live_character() {
    // F3
    let text = "---\nname: \"a\\u202Eb\"\ndescription: d\n\"x\\e[31m\": y\n---\n";
    let parsed = check(text, &[Code::NameUnusable, Code::UnknownField]);
    for diagnostic in parsed.diagnostics {
        assert!(!diagnostic.message.contains(['\u{202e}', '\u{1b}']), "{}", diagnostic.message);
    }
}

/// Checks the message and the fix of the only repair in a file with `lines`.
#[track_caller]
fn check_repair(lines: &str, message: &str, mended: &str) {
    let file = |lines: &str| format!("---\nname: my-skill\ndescription: d\n{lines}\n---\n");
    let parsed = check(file(lines), &[Code::Repaired]);
    assert_eq!(parsed.diagnostics[0].message, message);
    assert_eq!(fixed(&file(lines)), file(mended));
    check(file(mended), &[]);
}

#[test]
fn a_repair_names_the_key_and_can_be_written() {
    // F3, F5
    check_repair(
        "license: MIT: mostly",
        "The value of `license` is not valid YAML and was read as text",
        "license: 'MIT: mostly'",
    );
    check_repair(
        "metadata:\n\tauthor: x",
        "The line is indented with a tab, which YAML does not allow",
        "metadata:\n  author: x",
    );
    check_repair(
        "license:MIT",
        "The value of `license` lacks a space after its colon",
        "license: MIT",
    );
    check_repair(
        "metadata:\n  a: [x] y",
        "The value of `a` is not valid YAML and was read as text",
        "metadata:\n  a: '[x] y'",
    );
}

#[test]
fn places_after_a_repair_are_those_of_the_file() {
    // F3
    let text =
        "---\nname: my-skill\ndescription: when: x\nfoo: bar\nallowed-tools: [a] b, c\n---\n";
    let parsed =
        check(text, &[Code::Repaired, Code::UnknownField, Code::Repaired, Code::ToolsForm]);
    let marked: Vec<&str> =
        parsed.diagnostics.iter().map(|d| d.span.unwrap().slice(text)).collect();
    assert_eq!(marked, ["when: x", "foo", "[a] b, c", "[a] b, c"]);
    let manifest = parsed.manifest.unwrap();
    assert_eq!(manifest.description.span.slice(text), "when: x");
    assert_eq!(manifest.extra[0].value.span.slice(text), "bar");
    assert_eq!(parsed.diagnostics[3].fix, [], "the repair of the same bytes comes first");
}

#[test]
fn what_cannot_be_repaired_keeps_its_own_code() {
    // F3
    check("---\nname: my-skill\ndescription: d: e\nx: [\n---\n", &[Code::InvalidYaml]);
    check("---\nname: my-skill\ndescription: !!str d\n---\n", &[Code::YamlTag]);
}
