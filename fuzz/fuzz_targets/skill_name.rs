//! Reading a name takes any text; a name that was accepted reads as itself, and the key it is looked
//! up by is the same however often it is made.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::{NameKey, SkillName};

fuzz_target!(|text: &str| {
    let key = NameKey::of(text);
    assert_eq!(NameKey::of(key.as_str()), key);
    let Ok(name) = SkillName::parse(text) else { return };
    assert_eq!(SkillName::parse(name.as_str()).as_ref(), Ok(&name));
    assert_eq!(name.key(), key);
    assert!(!name.as_str().contains(['/', '\\', '\0']));
    assert!(name.as_str() != "." && name.as_str() != "..");
    assert!(name.matches_directory(name.as_str()));
    let _ = name.faults();
});
