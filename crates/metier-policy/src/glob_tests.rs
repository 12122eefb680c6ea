use proptest::prelude::*;

use super::*;

fn path(pattern: &str, path: &str) -> bool {
    let segments: Vec<String> = pattern.split('/').map(str::to_owned).collect();
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    matches_path(&segments, &path)
}

#[test]
fn a_star_stands_for_any_characters_but_the_stop() {
    // S3
    let table = [
        ("", "", true),
        ("", "a", false),
        ("a", "a", true),
        ("a", "b", false),
        ("a", "aa", false),
        ("*", "", true),
        ("*", "anything", true),
        ("*", "a/b", false),
        ("a*", "abc", true),
        ("a*", "a/b", false),
        ("*.rs", "main.rs", true),
        ("*.rs", ".rs", true),
        ("*.rs", "main.rs.bak", false),
        ("a*b*c", "a1b2c", true),
        ("a*b*c", "abc", true),
        ("a*b*c", "acb", false),
        ("*a*", "bab", true),
        ("**", "abc", true),
        ("?", "a", true),
        ("?", "", false),
        ("?", "ab", false),
        ("?", "/", false),
        ("?", "é", true),
        ("??", "é", false),
        ("?x", "éx", true),
        ("*x", "éx", true),
        ("é*", "éa", true),
        ("a?c", "a?c", true),
        ("a?c", "abc", true),
        ("*é", "aé", true),
        ("*?", "€", true),
        ("*?", "", false),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(matches(pattern, text, Some(b'/')), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn without_a_stop_a_star_crosses_everything() {
    // S3
    for (pattern, text) in [("*", "a/b"), ("a*d", "a/b/c/d"), ("mcp__*", "mcp__a__b/c"), ("?", "/")]
    {
        assert!(matches(pattern, text, None), "{pattern} ~ {text}");
    }
}

#[test]
fn two_stars_cross_segments_and_one_does_not() {
    // S3
    let table = [
        ("docs/**", "docs/a", true),
        ("docs/**", "docs/a/b/c", true),
        ("docs/**", "docs", true),
        ("docs/**", "docsx/a", false),
        ("docs/*", "docs/a", true),
        ("docs/*", "docs/a/b", false),
        ("**/x", "x", true),
        ("**/x", "a/b/x", true),
        ("**/x", "a/b/xy", false),
        ("**", "", true),
        ("**", "a/b", true),
        ("a/**/z", "a/z", true),
        ("a/**/z", "a/b/c/z", true),
        ("a/**/z", "a/b/c/y", false),
        ("**/a/**/b", "x/a/y/a/z/b", true),
        ("**/a/**/b", "x/a/y/b/z", false),
        ("*/b", "a/b", true),
        ("*/b", "b", false),
        ("a?/c", "ab/c", true),
        ("**/.git/**", ".git/hooks/x", true),
        ("**/.git/**", "sub/.git", true),
        ("**/.git/**", ".github/x", false),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(path(pattern, text), expected, "{pattern} ~ {text}");
    }
}

#[test]
fn other_wildcards_are_not_understood() {
    // S3
    for pattern in ["[a]", "a]", "{a,b}", "x}", "a\0b"] {
        assert!(!is_understood(pattern), "{pattern}");
    }
    for pattern in ["a", "*", "**", "?", "a-b_c.d", "(x)", "!x"] {
        assert!(is_understood(pattern), "{pattern}");
    }
    assert!(has_wildcard("a*") && has_wildcard("a?") && !has_wildcard("a"));
}

#[test]
fn hostile_patterns_take_no_time() {
    // S3, F4
    let pattern = "*a".repeat(200);
    let text = "a".repeat(4000) + "b";
    assert!(!matches(&pattern, &text, None));
    let segments: Vec<String> =
        (0..200).map(|n| if n % 2 == 0 { "**" } else { "a" }.to_owned()).collect();
    let mut parts = vec!["a"; 2000];
    parts.push("b");
    assert!(!matches_path(&[segments, vec!["c".to_owned()]].concat(), &parts));
}

proptest! {
    #[test]
    fn a_text_without_wildcards_matches_itself_only(text in "[a-zé/. ]{0,20}", other in "[a-zé/. ]{0,20}") {
        // S3
        prop_assert!(matches(&text, &text, None));
        prop_assert_eq!(matches(&text, &other, None), text == other);
    }

    #[test]
    fn any_pattern_meets_any_text_without_a_panic(pattern in ".{0,30}", text in ".{0,30}") {
        // S3, F4
        let with_stop = matches(&pattern, &text, Some(b'/'));
        let without = matches(&pattern, &text, None);
        // A stop can only take matches away.
        prop_assert!(!with_stop || without);
    }

    #[test]
    fn a_star_at_the_end_matches_every_longer_text(text in "[a-z]{0,10}", more in "[a-z]{0,10}") {
        // S3
        let pattern = format!("{text}*");
        let longer = format!("{text}{more}");
        prop_assert!(matches(&pattern, &longer, Some(b'/')));
    }
}
