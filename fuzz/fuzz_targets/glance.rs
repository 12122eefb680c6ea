//! Whatever a glance sees, the parser sees too, and has nothing to add.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use metier_format::{AllowedTools, glance, parse_frontmatter};

fuzz_target!(|bytes: &[u8]| {
    let Some(seen) = glance(bytes, "a-skill") else { return };
    let parsed = parse_frontmatter(bytes, Some("a-skill"));
    assert_eq!(parsed.diagnostics, []);
    assert_eq!((parsed.frontmatter, parsed.body), (Some(seen.frontmatter), Some(seen.body)));
    let Some(manifest) = parsed.manifest else { panic!("a glance loads what the parser does not") };
    let tools = manifest.allowed_tools.as_ref().map(|tools| match &tools.value {
        AllowedTools::Only(patterns) => {
            patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        AllowedTools::Unreadable => panic!("a glance reads tools that the parser does not"),
    });
    let text = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    assert_eq!(seen.name, manifest.name.value);
    assert_eq!(*seen.description, *manifest.description.value);
    let compatibility = manifest.compatibility.as_ref().map(|text| text.value.to_string());
    assert_eq!(text(&seen.compatibility), compatibility);
    let version = manifest.origin.version.as_ref().map(|text| text.value.to_string());
    assert_eq!(text(&seen.version), version);
    assert_eq!(text(&seen.allowed_tools), tools);
});
