use proptest::prelude::*;

use super::{MAX_EDITS, MAX_TAG_TEXT, check, flag_length, is_honest};
use crate::diagnostic::Diagnostic;
use crate::lint::Source;
use crate::parse::Parsed;
use crate::text;

/// The findings of a file that is all body.
fn found(text: &str) -> Vec<Diagnostic> {
    let parsed = Parsed { body: Some(0), ..Parsed::default() };
    check(Source { text, parsed: &parsed }).kept
}

fn message(text: &str) -> String {
    let [finding] = &found(text)[..] else { panic!("one finding in {text:?}") };
    let start = "The line has hidden characters: ";
    finding.message.strip_prefix(start).expect("the usual start").to_owned()
}

#[test]
fn each_kind_is_named_once() {
    // F5: HiddenUnicode
    assert_eq!(message("a\u{200b}b"), "U+200B zero width space");
    assert_eq!(message("a\u{200b}b\u{200b}"), "U+200B zero width space (2 times)");
    assert_eq!(message("a\u{2063}b"), "U+2063");
    assert_eq!(message("\u{ad}\u{2028}"), "U+00AD soft hyphen, U+2028 line separator");
    assert_eq!(
        message("\u{200b}\u{200e}\u{2028}\u{202a}\u{202d}\u{2060}\u{2066}"),
        "U+200B zero width space, U+200E left-to-right mark, U+2028 line separator, \
         U+202A direction embedding, U+202D left-to-right override, 2 other kinds"
    );
}

#[test]
fn tags_are_read_aloud() {
    // F5: HiddenUnicode
    let tags = |text: &str| -> String {
        text.chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect()
    };
    assert_eq!(message(&tags("x")), "1 tag character spelling `x`");
    assert_eq!(message(&tags("rm -rf `x`")), "10 tag characters spelling `rm -rf 'x'`");
    assert_eq!(message("\u{e0001}\u{e007f}"), "2 tag characters spelling ``");
    let long = message(&tags(&"y".repeat(100)));
    assert_eq!(long, format!("100 tag characters spelling `{}…`", "y".repeat(MAX_TAG_TEXT)));
    assert_eq!(
        message(&format!("a\u{202e}{}", tags("b"))),
        "U+202E right-to-left override, 1 tag character spelling `b`"
    );
}

#[test]
fn lines_end_as_editors_end_them() {
    // F5: HiddenUnicode
    for (text, lines) in [
        ("a\u{200b}\nb\u{200b}\n", 2),
        ("a\u{200b}\r\nb\u{200b}", 2),
        ("a\u{200b}\rb\u{200b}", 2),
        ("a\u{200b}\u{2028}b\u{200b}", 1),
        ("plain\n", 0),
    ] {
        assert_eq!(found(text).len(), lines, "{text:?}");
    }
}

#[test]
fn a_repair_deletes_runs_and_nothing_between_them() {
    // F5: HiddenUnicode
    let text = "a\u{200b}\u{200b}b \u{2060}c\u{feff}";
    let findings = found(text);
    let deleted: Vec<&str> = findings[0].fix.iter().map(|edit| edit.span.slice(text)).collect();
    assert_eq!(deleted, ["\u{200b}\u{200b}", "\u{2060}", "\u{feff}"]);
    assert!(findings[0].fix.iter().all(|edit| edit.text.is_empty()));
}

#[test]
fn a_line_with_too_many_places_is_left_to_a_person() {
    // F4, F5: HiddenUnicode
    assert_eq!(found(&"a\u{200b}".repeat(MAX_EDITS))[0].fix.len(), MAX_EDITS);
    assert_eq!(found(&"a\u{200b}".repeat(MAX_EDITS + 1))[0].fix.len(), 0);
    assert_eq!(found(&format!("a{}b", "\u{200b}".repeat(MAX_EDITS * 2)))[0].fix.len(), 1);
}

#[test]
fn markdown_is_not_made_by_deleting() {
    // F5: HiddenUnicode
    for (text, repaired) in [
        ("wo\u{200b}rd", true),
        ("word\u{200b}.", true),
        ("\u{200b}word", true),
        ("word \u{200b}word", true),
        ("word\u{200b}*", false),
        ("*\u{200b}word", false),
        ("[a]\u{200b}(b)", false),
        ("\u{200b}- x", false),
        ("\u{200b}", false),
        ("  \u{200b}  ", false),
        ("-\u{200b}--", false),
        ("word\u{200b}\tword", false),
    ] {
        assert_eq!(!found(text)[0].fix.is_empty(), repaired, "{text:?}");
    }
}

#[test]
fn honest_neighbours_make_an_honest_character() {
    // F5: HiddenUnicode
    for (c, before, after, honest) in [
        ('\u{200d}', '👩', '💻', true),
        ('\u{200d}', '\u{fe0f}', '🌈', true),
        ('\u{200d}', '👩', 'a', false),
        ('\u{200d}', 'a', '👩', false),
        ('\u{200c}', 'ی', 'خ', true),
        ('\u{200d}', '\u{94d}', 'ष', true),
        ('\u{200c}', 'a', 'b', false),
        ('\u{200f}', 'ש', ' ', true),
        ('\u{200e}', ' ', 'ش', true),
        ('\u{200f}', 'a', 'b', false),
        ('\u{202e}', 'ש', 'ש', false),
        ('\u{e0100}', '葛', 'a', true),
        ('\u{e0100}', 'a', 'a', false),
        ('\u{fe00}', '∩', ' ', true),
        ('\u{fe01}', 'a', ' ', false),
        ('\u{180b}', '\u{1820}', ' ', true),
        ('\u{1160}', '\u{1100}', 'a', true),
        ('\u{200b}', 'a', 'b', false),
    ] {
        assert_eq!(is_honest(c, Some(before), Some(after)), honest, "{c:?} {before:?} {after:?}");
        assert!(!is_honest(c, None, None), "{c:?} alone");
    }
}

#[test]
fn only_three_flags_are_written_with_tags() {
    // F5: HiddenUnicode
    let black = Some('\u{1f3f4}');
    let scotland = "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}x";
    assert_eq!(flag_length(black, scotland), Some(24));
    assert_eq!(flag_length(Some('a'), scotland), None);
    assert_eq!(flag_length(black, "\u{e0067}\u{e0062}\u{e007f}"), None);
    assert_eq!(flag_length(black, ""), None);
}

proptest! {
    #[test]
    fn what_is_repaired_is_gone_and_the_rest_is_as_it_was(text in "([a-c .#\n]|\u{200b}|\u{202e}|\u{ad}|é|👩\u{200d}💻){0,40}") {
        // F5: HiddenUnicode
        let mut after = text.clone();
        let mut edits: Vec<_> = found(&text).into_iter().flat_map(|d| d.fix).collect();
        edits.reverse();
        for edit in edits {
            prop_assert!(edit.span.slice(&text).chars().all(text::is_hidden));
            after.replace_range(edit.span.range(), "");
        }
        let seen = |t: &str| t.chars().filter(|c| !text::is_hidden(*c)).collect::<String>();
        prop_assert_eq!(seen(&after), seen(&text));
        // What is left can not be repaired, whatever its neighbours are now.
        prop_assert!(found(&after).iter().all(|d| d.fix.is_empty()), "{:?}", after);
    }
}
