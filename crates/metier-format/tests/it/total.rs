//! Parsing is pure and total: whatever the bytes, a value comes back, and what it says about the
//! file is true.

use metier_format::frontmatter::{Extent, Fences, find};
use metier_format::limits::MAX_DIAGNOSTICS;
use metier_format::manifest::Manifest;
use metier_format::parse::Parsed;
use metier_format::yaml::{Entry, Node, Value};
use metier_format::{Code, Mode, Position, Severity, Span, parse, parse_frontmatter, text};
use proptest::prelude::*;

use crate::support::fixed;

/// Files that between them have every kind of value, line ending and mistake.
const FILES: &[&str] = &[
    "---\nname: my-skill\ndescription: A test skill\n---\nBody\n",
    "\u{feff}---\r\nname: \"my-skill\"\r\ndescription: >\r\n  one\r\n  two\r\n---\r\nBody\r\n",
    "---\nname: my-skill\ndescription: when: x\nallowed-tools: [Read, Bash(git add *)]\n\
     metadata:\n  a: [1, 2]\n  b: {c: d}\nscope:\n  agent: x\n---\n",
    " --- # hi\nname: Ünï\ndescription: |\n  a\n  b\nLicense: MIT\ntags: a, b\npriority: x\n\
     hooks:\n  pre: a\n  Stop: [b]\npermissions:\n  env: [A_*]\n  network: yes\n---\n",
    "---\n{name: my-skill, description: x, tools: &a [*a], ? b : c}\n---\n",
    "---\nname: a\nname: b\ndescription: [beta] foo\ncontext: fork\nwhen_to_use: x\n\
     toolsets: [a:B, c]\noverrides: {model: y}\n# ---\n--- \nrest\n---\n",
];

const PIECES: &[&str] = &[
    "---",
    "\n",
    "\r",
    "\r\n",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "|\n",
    ">\n",
    "#",
    "&a ",
    "*a",
    "!t ",
    "? ",
    ",",
    "(",
    ")",
    "\t",
    "  ",
    "name: ",
    "description: ",
    "metadata:\n  ",
    "allowed-tools: ",
    "x",
    "é",
    "\u{85}",
    "\u{202e}",
    "\u{0}",
    "\u{7}",
    "...",
    "\u{feff}",
    "%",
    "@",
    "`",
    "\\",
];

/// A known file with a few places overwritten, cut or filled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..3),
    ];
    let change = (any::<prop::sample::Index>(), 0usize..6, piece);
    let changes = prop::collection::vec(change, 0..5);
    (prop::sample::select(FILES), changes).prop_map(|(file, changes)| {
        let mut bytes = file.as_bytes().to_vec();
        for (index, length, piece) in changes {
            let start = index.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, piece);
        }
        bytes
    })
}

/// Every place a manifest has.
fn places(manifest: &Manifest) -> Vec<Span> {
    let mut spans = vec![manifest.name.span, manifest.description.span];
    spans.extend(manifest.keys.iter().map(|key| key.span));
    spans.extend(manifest.metadata.iter().flat_map(|(key, value)| [key.span, value.span]));
    spans.extend(manifest.allowed_tools.iter().map(|tools| tools.span));
    let lists = [&manifest.tags, &manifest.parts.toolsets, &manifest.parts.env];
    spans.extend(lists.into_iter().flatten().map(|item| item.span));
    for entry in manifest.extra.iter().chain(&manifest.extensions).chain(&manifest.overrides) {
        entry_places(entry, &mut spans);
    }
    spans
}

fn entry_places(entry: &Entry<'_>, spans: &mut Vec<Span>) {
    spans.push(entry.key_span);
    node_places(&entry.value, spans);
}

fn node_places(node: &Node<'_>, spans: &mut Vec<Span>) {
    spans.push(node.span);
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| node_places(item, spans)),
        Value::Mapping(entries) => entries.iter().for_each(|entry| entry_places(entry, spans)),
    }
}

/// Checks everything that must hold of any outcome.
fn check(bytes: &[u8], parsed: &Parsed) -> Result<(), TestCaseError> {
    let inside = |span: Span| span.start <= span.end && span.end as usize <= bytes.len();
    let fatal = parsed.diagnostics.iter().any(|d| d.code.prevents_loading());
    prop_assert_eq!(parsed.manifest.is_some(), !fatal, "{:?}", parsed.diagnostics);
    prop_assert!(parsed.diagnostics.len() <= MAX_DIAGNOSTICS);
    let starts: Vec<u32> =
        parsed.diagnostics.iter().filter_map(|d| d.span).map(|s| s.start).collect();
    prop_assert!(starts.is_sorted());
    for diagnostic in &parsed.diagnostics {
        let fixes = diagnostic.fix.iter().map(|edit| edit.span);
        prop_assert!(diagnostic.span.into_iter().chain(fixes).all(inside), "{:?}", diagnostic);
        let start = diagnostic.span.map_or(0, |span| span.start as usize);
        let expect = diagnostic.span.map(|_| Position::of(bytes, start));
        prop_assert_eq!(diagnostic.position, expect);
        prop_assert_eq!(text::visible_line(&diagnostic.message), &*diagnostic.message);
        let help = diagnostic.help.as_deref().unwrap_or_default();
        prop_assert_eq!(text::visible_line(help), help);
    }
    if let Some(manifest) = &parsed.manifest {
        prop_assert!(places(manifest).into_iter().all(inside));
        let props = manifest.props();
        let again: serde_json::Value = serde_json::from_str(&props.to_string()).expect("JSON");
        prop_assert_eq!(again.to_string(), props.to_string());
    }
    Ok(())
}

#[test]
fn the_files_that_are_mutated_are_what_they_should_be() {
    // F1
    let loads: Vec<bool> =
        FILES.iter().map(|file| parse(file.as_bytes(), None).manifest.is_some()).collect();
    assert_eq!(loads, [true, true, true, true, false, true]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_give_a_value_and_findings(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        // F1, F3, F4
        check(&bytes, &parse(&bytes, Some("my-skill")))?;
    }

    #[test]
    fn a_damaged_file_gives_a_value_and_findings(bytes in mutated()) {
        // F1, F3, F4
        check(&bytes, &parse(&bytes, Some("my-skill")))?;
    }

    #[test]
    fn a_long_enough_prefix_gives_the_same_as_the_file(bytes in mutated(), cut in 0usize..400) {
        // F1, D2
        let prefix = &bytes[..cut.min(bytes.len())];
        if !matches!(find(prefix, Extent::Prefix), Fences::Unclosed { .. }) {
            let (part, whole) = (parse_frontmatter(prefix, None), parse_frontmatter(&bytes, None));
            // What the file starts with is quoted, and may be cut off.
            if !whole.diagnostics.iter().any(|d| matches!(d.code, Code::NoFrontmatter | Code::Utf16)) {
                prop_assert_eq!(part, whole);
            } else {
                prop_assert_eq!(part.manifest, None);
            }
        }
    }

    #[test]
    fn fixes_keep_what_a_file_says(bytes in mutated()) {
        // F3, F5
        let Ok(before) = String::from_utf8(bytes) else { return Ok(()) };
        let parsed = parse(before.as_bytes(), None);
        let Some(manifest) = &parsed.manifest else { return Ok(()) };
        let after = fixed(&before, &parsed);
        let again = parse(after.as_bytes(), None);
        let Some(mended) = &again.manifest else {
            return Err(TestCaseError::fail(format!("no longer loads: {after:?}")));
        };
        prop_assert_eq!(&mended.name.value, &manifest.name.value);
        prop_assert_eq!(&mended.description.value, &manifest.description.value);
        let tools = |manifest: &Manifest| manifest.allowed_tools.as_ref().map(|t| t.value.clone());
        prop_assert_eq!(tools(mended), tools(manifest));
        let errors = |parsed: &Parsed| {
            parsed.diagnostics.iter().filter(|d| d.severity(Mode::Strict) == Severity::Error).count()
        };
        prop_assert!(errors(&again) <= errors(&parsed), "{:?}", again.diagnostics);
    }
}
