//! Repair never touches what can be read, never repairs twice, and its edits are what it says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::repair::repair;
use metier_format::yaml;

fuzz_target!(|text: &str| {
    let Some(repaired) = repair(text, 0) else { return };
    assert!(yaml::read(text, 0).is_err(), "touched though readable");
    assert_eq!(repair(&repaired.text, 0), None, "repaired twice: {:?}", repaired.text);
    let mut applied = text.to_owned();
    let mut after = text.len();
    for edit in repaired.edits.iter().rev() {
        assert!(edit.span.end as usize <= after, "edits overlap");
        after = edit.span.start as usize;
        applied.replace_range(edit.span.range(), &edit.text);
    }
    assert_eq!(applied, repaired.text);
});
