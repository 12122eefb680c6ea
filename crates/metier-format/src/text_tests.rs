use proptest::prelude::*;

use super::{is_hidden, is_live, visible, visible_json, visible_line};

/// The classes of hostile text a terminal, a reader or a parser has been fooled by.
const HOSTILE: [(&str, &str); 18] = [
    ("colour", "\u{1b}[31mred\u{1b}[0m"),
    ("cursor", "\u{1b}[2J\u{1b}[1;1H"),
    ("title", "\u{1b}]0;title\u{7}"),
    ("hyperlink", "\u{1b}]8;;https://example.org\u{1b}\\text\u{1b}]8;;\u{1b}\\"),
    ("device string", "\u{1b}P1$r\u{1b}\\"),
    ("eight-bit control sequence", "\u{9b}31mred"),
    ("eight-bit title", "\u{9d}0;title\u{9c}"),
    ("bell", "ding\u{7}"),
    ("backspace", "safe\u{8}\u{8}\u{8}\u{8}evil"),
    ("carriage return", "safe\revil\r\r\n\r"),
    ("delete and NUL", "a\u{7f}b\0c"),
    ("override", "\u{202e}txt.exe\u{202c}"),
    ("isolate", "\u{2067}abc\u{2069}"),
    ("direction marks", "a\u{200e}b\u{200f}c\u{61c}d"),
    ("tags", "a\u{e0068}\u{e0069}\u{e007f}"),
    ("zero width", "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f"),
    ("variation selectors", "a\u{fe00}b\u{e0100}c\u{e01ef}"),
    ("separators", "one\u{2028}two\u{2029}three\u{85}four"),
];

/// What is left to fear in `text` once the ends of its lines are taken for what they are.
fn hazards(text: &str) -> usize {
    text.replace("\r\n", "\n").chars().filter(|c| is_terminal_hazard(*c)).count()
}

fn is_terminal_hazard(c: char) -> bool {
    let control = c.is_control() && c != '\n' && c != '\t';
    let bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let tag = matches!(c, '\u{e0000}'..='\u{e007f}');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    control || bidi || tag || separator
}

#[test]
fn each_class_of_hostile_text_is_shown_and_not_obeyed() {
    // F3, F4
    for (class, text) in HOSTILE {
        let shown = visible(text);
        assert_ne!(shown, text, "{class} passes through");
        assert!(!shown.replace("\r\n", "\n").contains(is_live), "{class}: {shown:?}");
        assert_eq!(hazards(&shown), 0, "{class}: {shown:?}");
        assert!(shown.contains("\\u{"), "{class} is dropped instead of shown: {shown:?}");
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    // F3
    for text in [
        "",
        "plain",
        "tab\tand\nnewline",
        "naïve 技能 навык",
        "⚠️ ✅ 1️⃣",
        "e\u{301}",
        "a line\r\n\r\nand another\r\n",
    ] {
        assert!(matches!(visible(text), std::borrow::Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn a_carriage_return_is_shown_where_it_does_more_than_end_a_line() {
    // F1, F3
    for (text, expected) in [
        ("a\r\nb", "a\r\nb"),
        ("a\rb", "a\\u{d}b"),
        ("a\r\r\nb\r", "a\\u{d}\r\nb\\u{d}"),
        ("\r\n\u{1b}[0m\r\n", "\r\n\\u{1b}[0m\r\n"),
    ] {
        assert_eq!(visible(text), expected, "{text:?}");
        assert_eq!(visible(expected), expected, "shown once, shown for good");
    }
}

#[test]
fn one_line_is_one_line() {
    // F3
    for (text, expected) in [
        ("plain  text", "plain  text"),
        ("a\nb", "a b"),
        ("a \r\n\t b", "a b"),
        ("\n\n", ""),
        ("keep  this\nline", "keep  this line"),
        ("a\u{1b}[0m\nb", "a\\u{1b}[0m b"),
        ("a\rb", "a b"),
        ("a\u{2028}b", "a\\u{2028}b"),
    ] {
        assert_eq!(visible_line(text), expected, "{text:?}");
    }
}

#[test]
fn json_means_the_same_and_carries_nothing_live() {
    // F3
    for (class, text) in HOSTILE {
        let json = serde_json::Value::from(text).to_string();
        let safe = visible_json(&json);
        assert!(!safe.chars().any(is_live), "{class}: {safe:?}");
        let back: String = serde_json::from_str(&safe).expect("still JSON");
        assert_eq!(back, text, "{class}");
    }
}

#[test]
fn emoji_selectors_are_not_hidden() {
    // F5
    assert!(!is_hidden('\u{fe0f}') && !is_hidden('\u{fe0e}'));
    assert!(is_hidden('\u{fe0d}') && is_hidden('\u{e0100}') && is_hidden('\u{feff}'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_reaches_a_terminal_alive(before: String, after: String) {
        // F3, F4: eighteen classes, each inside a thousand generated strings.
        for (_, hostile) in HOSTILE {
            let text = format!("{before}{hostile}{after}");
            prop_assert_eq!(hazards(&visible(&text)), 0);
            let line = visible_line(&text);
            prop_assert!(!line.chars().any(is_terminal_hazard));
            prop_assert!(!line.contains(['\n', '\t']));
            let json = serde_json::Value::from(text.as_str()).to_string();
            let back: String = serde_json::from_str(&visible_json(&json)).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}

#[test]
fn printable_ascii_is_never_live_and_nothing_else_is_taken_for_it() {
    // F3
    for c in (0..=0x11_ffff).filter_map(char::from_u32) {
        let live = (c.is_control() && c != '\n' && c != '\t') || is_hidden(c);
        assert_eq!(is_live(c), live, "{c:?}");
        if c <= '\u{2100}' {
            let text = format!("one\n\ttwo{c}three");
            assert_eq!(visible(&text) != text, live, "{c:?}");
            assert_eq!(visible_json(&text) != text, live, "{c:?}");
        }
    }
}
