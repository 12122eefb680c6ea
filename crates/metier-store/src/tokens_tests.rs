use proptest::prelude::*;

use super::*;

/// Both bounds hold for `text`.
fn holds(text: &str) -> Result<(), TestCaseError> {
    let (estimate, exact) = (estimate(text), exact(text));
    prop_assert!(exact.exact);
    prop_assert!(estimate.at_least <= exact.count, "{estimate:?} {exact:?} {text:?}");
    prop_assert!(exact.count <= estimate.at_most, "{estimate:?} {exact:?} {text:?}");
    let about = estimate.at_least..=estimate.at_most;
    prop_assert!(about.contains(&estimate.about), "{estimate:?} {text:?}");
    Ok(())
}

#[test]
fn known_counts_are_exact() {
    // D6
    let check =
        |text: &str, count| assert_eq!(exact(text), Tokens { count, exact: true }, "{text}");
    check("", 0);
    check("hello world", 2);
    check("The quick brown fox jumps over the lazy dog.", 10);
    check("<|endoftext|>", 7);
}

#[test]
fn an_empty_text_has_no_tokens_and_no_other_has_none() {
    // D6
    assert_eq!(estimate(""), Estimate::default());
    for text in ["a", " ", "\n", "é", "7", "!"] {
        assert_eq!(estimate(text).at_least, 1, "{text:?}");
    }
}

#[test]
fn what_the_upper_bound_rests_on_is_true_of_the_vocabulary() {
    // D6: every pair that is taken for a token is one
    let ascii = 0u8..128;
    let mut joined = 0;
    for (first, second) in ascii.clone().flat_map(|a| ascii.clone().map(move |b| (a, b))) {
        let bytes = [first, second];
        let scan = Scan { bytes: &bytes, saved: 0, covered: 0, at_least: 0, likely: 0 };
        if scan.is_joined(0) {
            joined += 1;
            let text = std::str::from_utf8(&bytes).unwrap();
            assert_eq!(exact(text).count, 1, "{text:?}");
        }
    }
    assert_eq!(joined, 26 * 26 - NO_TOKEN.len() + 52 + 1 + 31);
    for number in 0..1000 {
        assert_eq!(exact(&format!("{number:03}")).count, 1);
    }
}

#[test]
fn the_upper_bound_is_tighter_than_bytes_for_words() {
    // D6
    let text = "Fills in forms, joins pages and takes tables out of documents. Use when somebody \
                hands over a file that nobody has looked at yet.";
    let estimate = estimate(text);
    let exact = exact(text).count;
    assert!(estimate.at_most < text.len() * 3 / 4, "{estimate:?}");
    assert!(estimate.at_least * 10 > exact * 7, "{estimate:?} {exact}");
    assert!(estimate.about.abs_diff(exact) * 8 < exact, "{estimate:?} {exact}");
    assert_eq!(estimate.tokens(), Tokens { count: estimate.about, exact: false });
}

#[test]
fn texts_made_to_break_the_bounds_do_not() {
    // D6
    let texts = [
        "don'tell we'really x'slow they'LLama you'Ready 'tis 'Ss",
        "²²123 ①1234 ٣123456 1٣1",
        "qzqjqkqvxqxjzq gkgqjvjz",
        "caféteria naïveté e\u{301}a\u{301}b",
        "a\u{a0} b \u{a0}c\u{3000} d",
        "!\n/\n//\n\n^\n^^\n\r\n \n\t\n",
        "    indented\n\t\ttabs \t mixed   \n   ",
        "fooBarBAZquxQUUX HTTPServer iOS",
        "SGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0Lg==",
        "漢字かなカナ한국어 русский עברית العربية हिन्दी ไทย",
        "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 ✅ \u{e0041}\u{202e}",
        "\u{0}\u{1}\u{7f}a\u{0}b",
        "<|endoftext|><|endofprompt|>",
    ];
    for text in texts {
        holds(text).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Pieces that meet in unlucky ways.
fn pieces() -> impl Strategy<Value = String> {
    let word = "[a-z]{1,12}";
    let piece = prop_oneof![
        word.prop_map(|w| w),
        "[A-Z]{1,4}[a-z]{0,6}",
        "[0-9]{1,9}",
        "[ -/:-@\\[-`{-~]{1,4}",
        "[ \t\r\n]{1,6}",
        "'(s|t|re|ve|m|ll|d|S|RE|x)[a-z]{0,3}",
        "[A-Za-z0-9+/]{8,40}={0,2}",
        "[\u{4e00}-\u{9fff}\u{3040}-\u{30ff}\u{ac00}-\u{d7a3}]{1,5}",
        "[\u{1f300}-\u{1f64f}\u{200d}\u{fe0f}]{1,4}",
        "[²³①②٠-٩]{1,3}",
        "\\PC{1,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_estimate_never_undercounts(text in pieces()) {
        // D6
        holds(&text)?;
    }

    #[test]
    fn whitespace_runs_keep_to_the_bounds(text in "([ \t\r\n\u{a0}\u{3000}]{0,70}[a-z!7]?){0,6}") {
        // D6
        holds(&text)?;
    }
}
