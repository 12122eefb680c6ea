//! Hostile files. Each is refused with a code of its own; time and memory are measured by the
//! `hostile` benchmark, here only that the work cannot grow.

use metier_format::limits::{
    MAX_DEPTH, MAX_DIAGNOSTICS, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, MAX_NODES, MAX_PREFIX_BYTES,
};
use metier_format::{Code, parse_frontmatter};

use crate::support::{codes, file, file_with, parse};

/// Checks that a file is refused, and with which code alone.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, code: Code) {
    let parsed = parse(bytes);
    assert_eq!(codes(&parsed), [code]);
    assert_eq!(parsed.manifest, None);
}

#[test]
fn an_alias_bomb_is_refused_before_it_grows() {
    // F4
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, inner) in ('b'..='i').zip('a'..='h') {
        let uses = vec![format!("*{inner}"); 9].join(", ");
        bomb.push_str(&format!("{name}: &{name} [{uses}]\n"));
    }
    refused(file_with(&bomb), Code::YamlAnchor);
    refused(file_with("a: {b: *c}"), Code::YamlAlias);
}

#[test]
fn deep_nesting_is_refused() {
    // F4
    for count in [MAX_DEPTH + 1, 1000, 10_000] {
        let lists = format!("a: {}{}", "[".repeat(count), "]".repeat(count));
        let maps = format!("a: {}{}", "{b: ".repeat(count), "}".repeat(count));
        refused(file_with(&lists), Code::TooDeep);
        refused(file_with(&maps), Code::TooDeep);
    }
    let unbalanced = format!("a: {}", "[".repeat(30_000));
    refused(file_with(&unbalanced), Code::TooDeep);
    let lines: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    refused(file_with(&lines), Code::TooDeep);
    refused(file_with(&"[".repeat(100_000)), Code::FrontmatterTooLarge);
}

#[test]
fn too_many_keys_are_refused() {
    // F4
    let keys = |count: usize| (0..count).map(|key| format!("k{key}: v\n")).collect::<String>();
    refused(file_with(&keys(MAX_NODES)), Code::TooManyNodes);
    refused(file_with(&keys(300_000)), Code::FrontmatterTooLarge);
    let list = format!("a: [{}]", "x, ".repeat(MAX_NODES));
    refused(file_with(&list), Code::TooManyNodes);
}

#[test]
fn megabytes_are_refused() {
    // F4
    let comment = |bytes: usize| format!("# {}", "x".repeat(bytes));
    refused(file_with(&comment(MAX_FRONTMATTER_BYTES)), Code::FrontmatterTooLarge);
    refused(file_with(&comment(4 * 1024 * 1024)), Code::FrontmatterTooLarge);
    refused(format!("---\n{}", comment(4 * 1024 * 1024)), Code::FrontmatterTooLarge);
    refused(vec![b'x'; MAX_FILE_BYTES + 1], Code::FileTooLarge);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    // F4
    refused(file_with("a: \u{0}"), Code::NulByte);
    refused(file_with("a: \u{8}"), Code::ControlCharacter);
    refused(b"---\nname: my-skill\ndescription: \xc3\x28\n---\n", Code::NotUtf8);
    refused(b"\xff\xfe-\0-\0-\0\n\0", Code::Utf16);
    refused(b"-\0-\0-\0\n\0", Code::Utf16);
    refused(b"\0\0\0-\0\0\0-", Code::Utf16);
    refused([0u8; 64], Code::NoFrontmatter);
}

#[test]
fn tags_and_odd_keys_are_refused() {
    // F4
    refused(file_with("a: {b: !!python/object c}"), Code::YamlTag);
    refused(file_with("? [a, b]\n: c"), Code::ComplexKey);
    refused(file("- name: my-skill"), Code::NotAMapping);
}

#[test]
fn duplicate_keys_are_named_and_the_last_counts() {
    // F4
    let parsed = parse(file_with("license: A\nlicense: B"));
    assert_eq!(codes(&parsed), [Code::DuplicateKey]);
    assert_eq!(parsed.manifest.and_then(|m| m.license).map(|l| l.value).as_deref(), Some("B"));
}

#[test]
fn nothing_past_the_limit_is_looked_at() {
    // F4, D2
    let mut bytes = b"---\nname: my-skill\ndescription: d\n# ".to_vec();
    bytes.resize(MAX_PREFIX_BYTES, b'x');
    let short = parse_frontmatter(&bytes, None);
    // Whatever follows, even a closing fence, makes no difference.
    for rest in ["\n---\n", "\u{0}\u{7}", "\n---\nBody\n"] {
        let mut long = bytes.clone();
        long.extend_from_slice(rest.as_bytes());
        assert_eq!(parse_frontmatter(&long, None), short);
    }
}

#[test]
fn findings_are_bounded_and_say_how_many_are_left_out() {
    // F3, F4
    let unknown: String = (0..1500).map(|key| format!("k{key}: v\n")).collect();
    let parsed = parse(file_with(&unknown));
    assert_eq!(parsed.diagnostics.len(), MAX_DIAGNOSTICS);
    let last = parsed.diagnostics.last().expect("findings");
    assert_eq!((last.code, &*last.message), {
        (Code::TooManyDiagnostics, "1301 more findings are not shown")
    });
    let manifest = parsed.manifest.expect("unknown fields do not prevent loading");
    assert_eq!(manifest.extra.len(), 1500);
}

#[test]
fn a_finding_that_prevents_loading_is_never_left_out() {
    // F3, F4
    let unknown: String = (0..1500).map(|key| format!("k{key}: v\n")).collect();
    let parsed = parse(file(&format!("{unknown}name: ..\ndescription:\n")));
    let fatal: Vec<Code> = codes(&parsed).into_iter().filter(|c| c.prevents_loading()).collect();
    assert_eq!(fatal, [Code::NameUnusable, Code::DescriptionEmpty]);
    assert_eq!(parsed.manifest, None);
}

#[test]
fn messages_do_not_grow_with_what_they_quote() {
    // F3, F4
    let key = "k".repeat(50_000);
    for text in [
        file_with(&format!("{key}: v")),
        file(&format!("name: {key}\ndescription: d")),
        file_with(&format!("priority: {key}")),
        file_with(&format!("toolsets: {key}")),
        file_with(&format!("scope:\n  {key}: x")),
        format!("{key}\n"),
        format!("---\nname: x\n---{key}\n"),
    ] {
        for diagnostic in parse(&text).diagnostics {
            assert!(diagnostic.message.len() < 400, "{}", diagnostic.message.len());
            assert!(diagnostic.help.is_none_or(|help| help.len() < 400));
        }
    }
}
