use proptest::prelude::*;

use super::{FUNCTION_WORDS, Stems, for_each_word, is_function_word};
use crate::limits::MAX_WORD_CHARS;

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

fn check(text: &str, expect: &[&str]) {
    assert_eq!(words(text), expect, "`{text}`");
}

#[test]
fn text_is_split_at_whatever_is_no_letter_or_digit() {
    // D8
    check("", &[]);
    check(" \t\r\n", &[]);
    check("--- !!! ---", &[]);
    check("Fill a PDF form.", &["fill", "a", "pdf", "form"]);
    check("code-review_tool/v2", &["code", "review", "tool", "v2"]);
    check("a,b;c", &["a", "b", "c"]);
    check("`python3` utf8 1.10", &["python3", "utf8", "1", "10"]);
    check("user's don’t", &["users", "dont"]);
}

#[test]
fn compounds_are_given_whole_and_in_parts() {
    // D8
    check("JavaScript", &["javascript", "java", "script"]);
    check("gitHub", &["github", "git", "hub"]);
    check("HTMLParser", &["htmlparser", "html", "parser"]);
    check("getHTTPResponseCode", &["gethttpresponsecode", "get", "http", "response", "code"]);
    check("Base64Encode", &["base64encode", "base64", "encode"]);
    check("macOS", &["macos", "mac", "os"]);
    check("PDFs URLs", &["pdfs", "urls"]);
    check("PDF Review", &["pdf", "review"]);
    check("camelCase-snake", &["camelcase", "camel", "case", "snake"]);
}

#[test]
fn accents_and_invisible_characters_do_not_matter() {
    // D8
    check("Café Über naïve", &["cafe", "uber", "naive"]);
    check("cafe\u{301}", &["cafe"]);
    check("ﬁle", &["file"]);
    check("pass\u{ad}word zero\u{200b}width", &["password", "zerowidth"]);
    check("İstanbul", &["istanbul"]);
    check("Ｗｉｄｅ", &["wide"]);
}

#[test]
fn other_scripts_have_words_too() {
    // D8
    check("Отчёт ОТЧЁТ", &["отчёт", "отчёт"]);
    check("αβγ Δέλτα", &["αβγ", "δέλτα"]);
    check("हिन्दी", &["हिन्दी"]);
    check("数据分析", &["数据", "据分", "分析"]);
    check("表", &["表"]);
    check("用PDF表格", &["用", "pdf", "表格"]);
    check("データ 分析", &["デー", "ータ", "分析"]);
    // A voiced kana written as two characters is the same kana.
    check("テ\u{3099}ータ", &["デー", "ータ"]);
    check("한국어", &["한국", "국어"]);
    check("ภาษา", &["ภา", "าษ", "ษา"]);
}

#[test]
fn a_run_of_letters_is_looked_at_up_to_the_limit() {
    // D8
    let long = "x".repeat(100_000);
    assert_eq!(words(&long), ["x".repeat(MAX_WORD_CHARS)]);
}

#[test]
fn forms_of_a_word_share_a_stem() {
    // D8
    let stems = Stems::new();
    let check = |word: &str, expect: &str| assert_eq!(stems.stem(word), expect, "`{word}`");
    check("reviewing", "review");
    check("reviews", "review");
    check("pdfs", "pdf");
    check("apis", "api");
    check("css", "css");
    check("dns", "dns");
    check("is", "is");
    check("", "");
    check("python3", "python3");
    check("отчёты", "отчёты");
}

#[test]
fn function_words_are_sorted_so_that_they_are_found() {
    // D8
    assert!(FUNCTION_WORDS.is_sorted());
    assert!(FUNCTION_WORDS.into_iter().all(is_function_word));
    assert!(!is_function_word("pdf"));
}

proptest! {
    #[test]
    fn any_text_gives_short_lowercase_words(text in any::<String>()) {
        // D8
        let stems = Stems::new();
        for word in words(&text) {
            prop_assert!(!word.is_empty());
            prop_assert!(!word.contains(|c: char| c.is_ascii_uppercase() || c.is_whitespace()));
            prop_assert!(!stems.stem(&word).is_empty());
        }
    }

    #[test]
    fn splitting_words_again_gives_them_back(text in "[a-zA-Z0-9 _.-]{0,40}") {
        // D8
        for word in words(&text) {
            prop_assert_eq!(words(&word), [word]);
        }
    }

    #[test]
    fn english_letters_in_any_order_have_a_stem(word in "[a-z]{1,20}") {
        // D8
        prop_assert!(!Stems::new().stem(&word).is_empty());
    }
}
