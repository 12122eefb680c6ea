//! Tokenizing `allowed-tools` takes any text, and a pattern as printed reads as itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::ToolPattern;

fuzz_target!(|text: &str| {
    let Ok(patterns) = ToolPattern::tokenize(text) else { return };
    for pattern in &patterns {
        let printed = pattern.to_string();
        assert_eq!(ToolPattern::tokenize(&printed).as_deref(), Ok(std::slice::from_ref(pattern)));
    }
    let printed: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    assert_eq!(ToolPattern::tokenize(&printed.join(" ")), Ok(patterns));
});
