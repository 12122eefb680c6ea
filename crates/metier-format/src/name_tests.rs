use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(raw: &str, expect: &str) {
    assert_eq!(SkillName::parse(raw).map(|name| name.to_string()), Ok(expect.to_owned()));
}

#[track_caller]
fn faults(raw: &str, expect: &[NameFault]) {
    assert_eq!(SkillName::parse(raw).expect(raw).faults(), expect, "{raw:?}");
}

#[test]
fn a_name_is_trimmed_and_normalised_once() {
    // F2, ruling 1
    check("my-skill", "my-skill");
    check("  my-skill\n", "my-skill");
    check("\u{1f}my-skill\u{1c}", "my-skill");
    check("ａｂｃ", "abc");
    check("ﬁle", "file");
    check("cafe\u{301}", "caf\u{e9}");
    check("a\u{ff0d}b", "a-b");
    check("ｽｷﾙｶﾞ", "スキルガ");
    // Decomposes to a space and a mark; the space must not survive at the edge.
    check("\u{a8}a", "\u{308}a");
}

#[test]
fn names_real_files_have_are_kept_as_they_are() {
    // ruling 2
    for name in ["Apify Automation", "-2chat-automation", "my_skill", "ns:skill", "a--b", "123"] {
        check(name, name);
    }
}

#[test]
fn what_cannot_be_a_name_is_refused() {
    // F4, ruling 1
    let refused = |raw: &str, expect| assert_eq!(SkillName::parse(raw), Err(expect), "{raw:?}");
    refused("", NameError::Empty);
    refused(" \t\n", NameError::Empty);
    for path in [".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "\u{ff0e}\u{ff0e}", "a\u{ff0f}b"]
    {
        refused(path, NameError::Path);
    }
    refused("a\u{0}b", NameError::Character('\0'));
    refused("a\u{1b}[31m", NameError::Character('\u{1b}'));
    refused("a\u{202e}b", NameError::Character('\u{202e}'));
    refused("a\u{200d}b", NameError::Character('\u{200d}'));
    refused("a\nb", NameError::Character('\n'));
    refused(&"a".repeat(MAX_USABLE_NAME_CHARS + 1), NameError::TooLong);
    check(&"a".repeat(MAX_USABLE_NAME_CHARS), &"a".repeat(MAX_USABLE_NAME_CHARS));
    assert_eq!(NameError::Character('\u{7}').to_string(), "the name contains the character U+0007");
}

#[test]
fn conforming_names_have_no_faults() {
    // F2, ruling 1
    let longest = "a".repeat(MAX_NAME_CHARS);
    let wide = "技".repeat(MAX_NAME_CHARS);
    for name in
        ["a", "1", "my-skill", "9lives", "技能", "мой-навык", "straße", "ı", "a〇", "kỹ-năng"]
    {
        faults(name, &[]);
    }
    faults(&longest, &[]);
    faults(&wide, &[]);
}

#[test]
fn every_fault_is_found_at_once_in_the_order_of_the_reference() {
    // F2, ruling 1
    use NameFault::{Characters, DoubleHyphen, EdgeHyphen, NotLowercase, TooLong};
    faults(&"a".repeat(65), &[TooLong]);
    faults(&"ﬁ".repeat(33), &[TooLong]);
    faults("НАВЫК", &[NotLowercase]);
    faults("Ⅳ", &[NotLowercase]);
    faults("-", &[EdgeHyphen]);
    faults("a-", &[EdgeHyphen]);
    faults("a--b", &[DoubleHyphen]);
    for name in ["my_skill", "my.skill", "my skill", "x½", "a–b", "a\u{2011}b", "skill-😀"] {
        faults(name, &[Characters]);
    }
    // Marks are no letters: `char::is_alphanumeric` would let these pass.
    for name in ["कौशल", "ทักษะ"] {
        faults(name, &[Characters]);
    }
    faults("-My--Skill_", &[NotLowercase, EdgeHyphen, DoubleHyphen, Characters]);
    faults(
        &format!("-My--{}_", "x".repeat(60)),
        &[TooLong, NotLowercase, EdgeHyphen, DoubleHyphen, Characters],
    );
}

#[test]
fn a_directory_is_compared_normalised_but_not_folded() {
    // F2, ruling 1
    let matches =
        |name: &str, directory| SkillName::parse(name).unwrap().matches_directory(directory);
    assert!(matches("my-skill", "my-skill"));
    assert!(matches("cafe\u{301}", "caf\u{e9}"));
    assert!(matches("기술", "\u{1100}\u{1175}\u{1109}\u{116e}\u{11af}"));
    assert!(matches("abc", "ａｂｃ"));
    assert!(!matches("my-skill", "My-Skill"));
    assert!(!matches("my-skill", "my_skill"));
    assert!(!matches("my-skill", " my-skill"));
}

#[test]
fn lookup_is_forgiving() {
    // ruling 1
    let same = |a: &str, b: &str| assert_eq!(NameKey::of(a), NameKey::of(b), "{a:?} {b:?}");
    same("Kalshi-Markets", "kalshi-markets");
    same("kalshi_markets", "kalshi-markets");
    same("KALSHI-MARKETS", "kalshi-markets");
    same(" Apify Automation ", "apify-automation");
    same("ΛΟΓΟΣ", "λογος");
    same("λογοσ", "λογος");
    same("J\u{30c}", "\u{1f0}");
    assert_ne!(NameKey::of("myskill"), NameKey::of("my-skill"));
    assert_eq!(SkillName::parse("My_Skill").unwrap().key().to_string(), "my-skill");
    assert_eq!("my-skill".parse::<SkillName>().unwrap().key().as_str(), "my-skill");
}

proptest! {
    #[test]
    fn a_name_reads_back_as_itself(raw in any::<String>()) {
        // F2, F4
        if let Ok(name) = SkillName::parse(&raw) {
            prop_assert_eq!(SkillName::parse(name.as_str()), Ok(name.clone()));
            prop_assert_eq!(text::visible_line(name.as_str()), name.as_str());
            prop_assert!(!name.as_str().contains(['/', '\\']));
        }
    }

    #[test]
    fn a_key_is_its_own_key(raw in any::<String>()) {
        // ruling 1
        let key = NameKey::of(&raw);
        prop_assert_eq!(NameKey::of(key.as_str()), key);
    }

    #[test]
    fn a_name_has_the_key_that_is_its_own_and_no_other(raw in "[a-zA-Z0-9ςéÉ_ -]{1,9}", other in "[a-z -]{1,3}") {
        // ruling 1
        let Ok(name) = SkillName::parse(&raw) else { return Ok(()) };
        prop_assert!(name.has_key(&name.key()));
        let other = NameKey::of(&other);
        prop_assert_eq!(name.has_key(&other), name.key() == other);
    }

    #[test]
    fn a_name_without_faults_is_what_the_standard_describes(raw in "[a-zA-Z0-9é_ -]{1,70}") {
        // F2
        let Ok(name) = SkillName::parse(&raw) else { return Ok(()) };
        let text = name.as_str();
        let conforms = text.chars().count() <= 64
            && text.split('-').all(|part| !part.is_empty())
            && text.chars().all(|c| c == '-' || c == 'é' || c.is_ascii_lowercase() || c.is_ascii_digit());
        prop_assert_eq!(name.faults().is_empty(), conforms, "{}", text);
    }
}
