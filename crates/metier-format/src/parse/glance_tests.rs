use proptest::prelude::*;

use super::{Glance, glance, is_plain_list};
use crate::{AllowedTools, Manifest, parse_frontmatter};

/// What a glance should have seen, by the manifest.
fn expected(manifest: &Manifest) -> [Option<String>; 5] {
    let text = |text: &Option<crate::manifest::Text>| text.as_ref().map(|text| text.value.clone());
    let tools = manifest.allowed_tools.as_ref().map(|tools| match &tools.value {
        AllowedTools::Only(patterns) => {
            patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        AllowedTools::Unreadable => "unreadable".to_owned(),
    });
    [
        Some(manifest.name.as_str().to_owned()),
        Some(manifest.description.value.clone()),
        text(&manifest.compatibility),
        text(&manifest.origin.version),
        tools,
    ]
}

fn seen(glance: &Glance<'_>) -> [Option<String>; 5] {
    let text =
        |text: &Option<std::borrow::Cow<'_, str>>| text.as_ref().map(|text| text.to_string());
    [
        Some(glance.name.as_str().to_owned()),
        Some(glance.description.to_string()),
        text(&glance.compatibility),
        text(&glance.version),
        text(&glance.allowed_tools),
    ]
}

/// Whether a glance was enough; when it was, the parser must agree and have nothing to add.
fn agrees(bytes: &[u8], directory: &str) -> bool {
    let Some(glance) = glance(bytes, directory) else { return false };
    let parsed = parse_frontmatter(bytes, Some(directory));
    assert_eq!(parsed.diagnostics, [], "{:?}", String::from_utf8_lossy(bytes));
    let manifest = parsed.manifest.as_ref().expect("nothing prevents loading");
    assert_eq!(seen(&glance), expected(manifest), "{:?}", String::from_utf8_lossy(bytes));
    assert_eq!(parsed.frontmatter, Some(glance.frontmatter));
    assert_eq!(parsed.body, Some(glance.body));
    true
}

#[test]
fn a_plain_file_needs_no_more_than_a_glance() {
    // F1, N1
    let enough =
        |yaml: &str| assert!(agrees(format!("---\n{yaml}---\nBody\n").as_bytes(), "a"), "{yaml}");
    enough("name: a\ndescription: b\n");
    enough("name: 'a'\ndescription: \"b: c\"\nlicense: MIT\n");
    enough("description: >\n  folded\n  text\nname: a\ncompatibility: Needs git\n");
    enough("name: a\ndescription: b\nmetadata:\n  version: \"1.10\"\n  author: me\n");
    enough("name: a\ndescription: b\nallowed-tools: Read Bash(git:*) mcp__x__*\n");
    assert!(agrees(b"---\r\nname: a\r\ndescription: b\r\n---\r\n", "a"));
}

#[test]
fn anything_unusual_is_left_to_the_parser() {
    // F1, F3
    let more = |text: &str| assert_eq!(glance(text.as_bytes(), "a"), None, "{text}");
    let yaml = |yaml: &str| more(&format!("---\n{yaml}---\nBody\n"));
    more("no frontmatter");
    more("---\nname: a\ndescription: b\n");
    more("\u{feff}---\nname: a\ndescription: b\n---\n");
    more("\n---\nname: a\ndescription: b\n---\n");
    more("--- # comment\nname: a\ndescription: b\n---\n");
    yaml("name: a\n");
    yaml("description: b\n");
    yaml("name: other\ndescription: b\n");
    yaml("name: A\ndescription: b\n");
    yaml("name: a\nname: a\ndescription: b\n");
    yaml("name: a\ndescription: ''\n");
    yaml(&format!("name: a\ndescription: {}\n", "x".repeat(1025)));
    yaml(&format!("name: a\ndescription: b\ncompatibility: {}\n", "x".repeat(501)));
    yaml("name: a\ndescription: b\nlicense:\n");
    yaml("name: a\ndescription: b\nversion: 1\n");
    yaml("name: a\ndescription: b\nunknown: 1\n");
    yaml("name: a\ndescription: b\nallowedTools: Read\n");
    yaml("name: a\ndescription: b\nallowed-tools: [Read]\n");
    yaml("name: a\ndescription: b\nmetadata: text\n");
    yaml("name: a\ndescription: b\nmetadata: {}\n");
    yaml("name: a\ndescription: b\nmetadata:\n  x: [1]\n");
    yaml("name: a\ndescription: b\u{1}\n");
    yaml("name: [a]\ndescription: b\n");
    assert_eq!(glance(b"---\nname: a\ndescription: caf\xe9\n---\n", "a"), None);
    assert_eq!(glance(b"\xff\xfe-\0-\0-\0\n\0", "a"), None);
}

#[test]
fn only_lists_written_as_they_are_written_back_are_plain() {
    // S3
    let check = |text: &str, expect: bool| assert_eq!(is_plain_list(text), expect, "{text:?}");
    check("Read", true);
    check("Read Bash(git:*) mcp__x__* Bash()", true);
    check(&"x ".repeat(512)[..1023], true);
    check(&"x ".repeat(513)[..1025], false);
    for text in ["", " Read", "Read ", "Read  Write", "Read,Write", "Bash(git add *)", "Bash(a"] {
        check(text, false);
    }
    for text in ["(x)", "a)", "a((b))", "a(b)c", "a(b)(c)", "a(,)", "\u{e9}", "a\tb"] {
        check(text, false);
    }
}

/// Lines that make frontmatter, good and bad.
fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("name"),
        Just("description"),
        Just("license"),
        Just("compatibility"),
        Just("metadata"),
        Just("allowed-tools"),
        Just("  version"),
        Just("  author"),
        Just("Name"),
        Just("allowed_tools"),
        Just("version"),
        Just("tags"),
        Just("x"),
    ];
    let value = prop_oneof![
        3 => Just("a".to_owned()),
        1 => Just(String::new()),
        2 => "[a-zA-Z0-9:*() ,'\"\\[\\]{}#|>&!%@`\u{e9}\u{a0}\u{200b}\\-]{0,14}",
        1 => "(Read|Bash\\(git:\\*\\)|Bash\\(a b\\)|,)( (Read|Grep|\\)|mcp__x)){0,3}",
        1 => Just("|\n  block\n  text".to_owned()),
    ];
    (key, value).prop_map(|(key, value)| format!("{key}: {value}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn whatever_a_glance_sees_the_parser_sees_too(
        head in prop_oneof![4 => Just("name: a\ndescription: b\n"), 1 => Just("")],
        lines in prop::collection::vec(line(), 0..5),
        close in prop_oneof![9 => Just("---\n"), 1 => Just("")],
    ) {
        // F1, F3, N1
        let text = format!("---\n{head}{}{close}Body\n", lines.concat());
        agrees(text.as_bytes(), "a");
    }
}
