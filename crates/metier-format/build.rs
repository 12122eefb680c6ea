//! Writes the table of characters that look like plain ones: see `src/lint/look.rs`.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script writes a file and stops the build when it cannot"
)]

use std::path::PathBuf;

use unicode_security::confusable_detection::skeleton;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let (mut characters, mut ends, mut text) = (Vec::new(), Vec::new(), String::new());
    // No character is assigned between the planes of ideographs and that of tags.
    for c in ('\u{80}'..'\u{40000}').chain('\u{e0000}'..'\u{f0000}') {
        let look: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
        if look.is_ascii() {
            text.push_str(&look);
            characters.extend(u32::from(c).to_le_bytes());
            ends.extend(u32::try_from(text.len()).expect("a few thousand").to_le_bytes());
        }
    }
    for (name, bytes) in [("characters", characters), ("ends", ends), ("text", text.into_bytes())] {
        std::fs::write(out.join(format!("looks.{name}")), bytes).expect("the table is written");
    }
}
