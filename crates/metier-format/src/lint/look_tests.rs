use unicode_security::confusable_detection::skeleton;

use super::{CHARACTERS, ENDS, TEXT, look_of, plain_look, word};

#[test]
fn the_table_says_of_every_character_what_unicode_says() {
    // F5: ConfusableName
    // Four of the planes: ideographs look like nothing, and what is not assigned like itself.
    let planes = ('\u{80}'..'\u{20000}').chain('\u{e0000}'..'\u{e2000}');
    for c in planes.chain(['\u{2f800}', '\u{3fffd}', '\u{50000}', '\u{10fffd}', char::MAX]) {
        let look: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
        assert_eq!(look_of(c), look.is_ascii().then_some(&*look), "{c:?}");
    }
}

#[test]
fn a_text_has_a_plain_look_when_all_of_it_has() {
    // F5: ConfusableName
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(plain_look(text).as_deref(), expect, "{text}");
    };
    check("рау", Some("pay"));
    check("mail-1", Some("mail-1"));
    check("m\u{430}il", Some("mail"));
    check("größe", None);
    check("技能", None);
    check("", Some(""));
}

#[test]
fn the_table_is_whole() {
    // F5
    let count = CHARACTERS.len() / 4;
    assert_eq!(ENDS.len() / 4, count);
    assert!(count > 500, "{count}");
    assert!((1..count).all(|at| word(CHARACTERS, at - 1) < word(CHARACTERS, at)));
    assert_eq!(word(ENDS, count - 1).map(|end| end as usize), Some(TEXT.len()));
    assert_eq!(word(ENDS, count), None);
}
