use proptest::prelude::*;

use super::*;
use crate::tokens::by_tokenizer;

/// What is counted here is what the tokenizer counts.
fn agrees(text: &str) -> Result<(), TestCaseError> {
    if let Some(count) = count(text, usize::MAX) {
        prop_assert_eq!(count, by_tokenizer(text).count, "{:?}", text);
    }
    Ok(())
}

/// It is, and it is counted at all.
fn counted(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(count(text, usize::MAX).is_some(), "{:?}", text);
    agrees(text)
}

#[test]
fn texts_as_skills_have_them_are_counted_like_the_tokenizer_does() {
    // D6
    for text in [
        "",
        "a",
        "Fills in forms & joins <pages>. Use when there's a \"PDF\".",
        "we'll WE'LL I'd i'D he's HE'S they've don't o'clock 'tis rock'n'roll ' 's",
        "1234567 12 3456,789.01 v1.10 2026-11-15 ½ 10²",
        "  two  spaces   three\n\n\nlines \n \t tab\t\ttabs \r\n\r\n end  ",
        "https://a.b/c//d?e=f#g /// \n/ //\n\n/x",
        "CamelCase HTTPServer XMLHttpRequest iPhone ABCdef aBC A",
        "naïve Café ÉCOLE straße Łódź Привет МИР Ωmega µs ªº",
        "漢字とカナを混ぜたABC文、한국어 텍스트。Aあ漢B",
        "— – … “quoted” ‘so’ • → ✓ ─── 🚀🚀 rocket™ €5 ×2",
        "`code` **bold** _it_ {json: [1, 2]} <|endoftext|> ----- ====== \u{0}\u{7}",
    ] {
        counted(text).unwrap();
    }
}

#[test]
fn every_text_in_the_bundled_skills_is_counted_alike() {
    // D6
    let mut seen = 0;
    for bytes in crate::bundled::files() {
        if let Ok(text) = std::str::from_utf8(bytes) {
            agrees(text).unwrap();
            seen += usize::from(count(text, usize::MAX).is_some());
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn what_is_not_known_for_certain_is_left_to_the_tokenizer() {
    // D6
    for text in ["\u{200b}", "e\u{301}", "ſ", "ע", "a\u{2028}", "\u{85}", "👍\u{fe0f}", "ǅ", "①"]
    {
        assert_eq!(count(text, usize::MAX), None, "{text:?}");
    }
    assert_eq!(count(&"=".repeat(MAX_PIECE + 1), usize::MAX), None, "joining is quadratic");
}

#[test]
fn counting_ends_when_it_is_certainly_too_much() {
    // D6
    let text = "word ".repeat(1_000);
    let some = count(&text, 10).unwrap();
    assert!((11..=12).contains(&some), "{some}");
    // What comes after that is not looked at.
    assert!(count(&format!("{text}ſ"), 10).is_some());
}

#[test]
fn every_class_is_the_tokenizers_class() {
    // D6: a character alone, doubled, and between letters, numbers, marks and blanks
    let known = ('\0'..='\u{10ffff}').filter(|c| class(*c).is_some());
    let mut text = String::new();
    let mut checked = 0;
    for c in known {
        text.clear();
        for before in ["a", "B", "7", "!", " ", "\n", "あ"] {
            text.push_str(before);
            text.push(c);
            text.push_str("aB'");
            text.push(c);
            text.push(c);
        }
        // Most are ideographs; a few hundred of them are as good as thirty thousand.
        let step = if u32::from(c) < 0x180 {
            1
        } else if u32::from(c) < 0x3100 {
            5
        } else {
            97
        };
        if u32::from(c) % step == 0 {
            counted(&text).unwrap();
            checked += 1;
        }
    }
    assert!(checked > 700, "{checked}");
}

proptest! {
    #[test]
    fn any_text_is_counted_alike_or_not_at_all(text in "\\PC*") {
        // D6
        agrees(&text)?;
    }

    #[test]
    fn any_text_of_ascii_is_counted_alike(text in "[ -~\\t\\r\\n]{0,60}") {
        // D6
        agrees(&text)?;
    }

    #[test]
    fn any_mixture_of_classes_is_counted_alike(text in "[aAbB sS'tTdD漢あー한éÉß 1²9\\n\\r/.\\-!…\u{a0}\u{3000}]{0,50}") {
        // D6
        counted(&text)?;
    }

    #[test]
    fn any_blanks_and_marks_are_counted_alike(text in "[ \\t\\r\\n/a!A1'sl]{0,40}") {
        // D6
        counted(&text)?;
    }

    #[test]
    fn any_words_are_counted_alike(words in proptest::collection::vec("[a-zA-Z]{1,14}|[ ]{1,4}|[0-9]{1,7}|[.,;:(){}\\[\\]`*_#-]{1,4}|\\n{1,3}", 0..40)) {
        // D6
        counted(&words.concat())?;
    }
}
