use proptest::prelude::*;

use super::{closest, did_you_mean};

const SKILLS: &[&str] = &[
    "code-review",
    "docx",
    "fill-pdf-form",
    "make-slides",
    "node-tools",
    "pdf",
    "pdf-processing",
    "query-database",
    "skill-creator",
    "web-search",
];
const COMMANDS: &[&str] =
    &["check", "install", "lint", "list", "run", "search", "show", "uninstall", "verify", "why"];
const KEYS: &[&str] = &["catalog.budget", "catalog.style", "precedence", "roots", "trust.folders"];

fn check(typed: &str, candidates: &[&str], expect: Option<&str>) {
    let got = did_you_mean(typed, candidates.iter().copied());
    assert_eq!(got.as_deref(), expect, "typed `{typed}`");
    let reversed = did_you_mean(typed, candidates.iter().rev().copied());
    assert_eq!(reversed.as_deref(), expect, "typed `{typed}`, candidates reversed");
}

#[test]
fn a_mistyped_skill_name_finds_the_one_that_was_meant() {
    // D8
    check("code-reveiw", SKILLS, Some("code-review"));
    check("codereview", SKILLS, Some("code-review"));
    check("Code_Review", SKILLS, Some("code-review"));
    check("review-code", SKILLS, Some("code-review"));
    check("reviw-code", SKILLS, Some("code-review"));
    check("fill-form", SKILLS, Some("fill-pdf-form"));
    check("slides", SKILLS, Some("make-slides"));
    check("pdf-proc", SKILLS, Some("pdf-processing"));
    check("databse", SKILLS, Some("query-database"));
    check("base", SKILLS, Some("query-database"));
    check("pfd", SKILLS, Some("pdf"));
    check("doc", SKILLS, Some("docx"));
    check("skilcreator", SKILLS, Some("skill-creator"));
    check("pdf tools for everyone", SKILLS, Some("pdf"));
    check("  web search ", SKILLS, Some("web-search"));
}

#[test]
fn a_mistyped_command_or_key_finds_the_one_that_was_meant() {
    // D8
    check("serach", COMMANDS, Some("search"));
    check("rn", COMMANDS, Some("run"));
    check("lst", COMMANDS, Some("list"));
    check("instal", COMMANDS, Some("install"));
    check("verfy", COMMANDS, Some("verify"));
    check("ver", COMMANDS, Some("verify"));
    check("list-skills", COMMANDS, Some("list"));
    check("catalog.budgets", KEYS, Some("catalog.budget"));
    check("catalog_style", KEYS, Some("catalog.style"));
    check("budget", KEYS, Some("catalog.budget"));
    check("trust.folder", KEYS, Some("trust.folders"));
    check("root", KEYS, Some("roots"));
}

#[test]
fn nothing_near_is_no_suggestion() {
    // D8
    check("", SKILLS, None);
    check("   ", SKILLS, None);
    check("x", SKILLS, None);
    check("zz", SKILLS, None);
    check("kubernetes", SKILLS, None);
    check("🎉🎉🎉", SKILLS, None);
    check("anything", &[], None);
    check("abc", &["xyz", "qrs"], None);
}

#[test]
fn a_candidate_typed_exactly_is_no_suggestion() {
    // D8
    check("list", COMMANDS, Some("lint"));
    check("pdf", &["pdf"], None);
}

#[test]
fn fewer_edits_win_then_the_nearer_length_then_the_alphabet() {
    // D8
    check("abcd", &["abce", "abxy"], Some("abce"));
    check("bat", &["cat", "bar", "bats"], Some("bar"));
    check("code", &["code-review", "node", "code-x"], Some("node"));
    let got = closest("pdf", SKILLS.iter().copied(), 5);
    assert_eq!(got, ["pdf-processing", "fill-pdf-form"]);
    let got = closest("bat", ["cat", "bar", "bats", "cat"], 9);
    assert_eq!(got, ["bar", "cat", "bats"]);
    assert_eq!(closest("bat", ["cat", "bar"], 0), Vec::<String>::new());
}

#[test]
fn scripts_other_than_latin_are_compared_by_character() {
    // D8
    check("データ分柝", &["データ分析", "画像編集"], Some("データ分析"));
    check("ОТЧЁТ", &["отчёт", "поиск"], Some("отчёт"));
    // Composed or not, a letter is one letter.
    check("cafe\u{301}-menu", &["café-menü"], Some("café-menü"));
}

#[test]
fn text_too_long_to_be_a_name_gets_no_suggestion() {
    // D8
    let megabyte = "code-review-".repeat(100_000);
    check(&megabyte, SKILLS, None);
    check("code-review", &[&megabyte], None);
    // One character that normalises to eighteen still has to fit a name.
    check(&"\u{fdfa}".repeat(300), SKILLS, None);
}

proptest! {
    #[test]
    fn any_text_is_answered_with_a_candidate_or_nothing(
        typed in any::<String>(), candidates in prop::collection::vec(any::<String>(), 0..8),
    ) {
        // D8
        let all: Vec<&str> = candidates.iter().map(String::as_str).collect();
        let got = closest(&typed, all.iter().copied(), 3);
        prop_assert!(got.len() <= 3);
        for one in &got {
            prop_assert!(all.contains(&one.as_str()));
            prop_assert_ne!(one, &typed);
        }
        let mut shuffled = all.clone();
        shuffled.reverse();
        prop_assert_eq!(closest(&typed, shuffled, 3), got);
    }

    #[test]
    fn one_slip_in_a_longer_name_is_always_understood(
        name in "[a-z]{4,12}(-[a-z]{2,8}){0,2}", at in any::<prop::sample::Index>(), to in "[a-z]",
    ) {
        // D8
        let mut typed: Vec<char> = name.chars().collect();
        let at = at.index(typed.len());
        typed[at] = to.chars().next().unwrap();
        let typed: String = typed.into_iter().collect();
        let expect = (typed != name).then(|| name.clone());
        prop_assert_eq!(did_you_mean(&typed, [name.as_str()]), expect);
    }
}
