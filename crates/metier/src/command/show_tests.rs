use metier_format::parse;
use metier_store::tokens::Tokens;

use super::{Tiers, tokens_line, tools, tools_line};

fn tools_of(frontmatter: &str) -> Option<Vec<String>> {
    let text = format!("---\nname: pdf\ndescription: Fills forms.\n{frontmatter}---\nBody\n");
    tools(&parse(text.as_bytes(), Some("pdf")).manifest.unwrap())
}

#[test]
fn tools_are_what_the_frontmatter_allows_in_any_of_its_forms() {
    // F2, S3
    let check = |frontmatter: &str, expect: Option<&[&str]>| {
        let expect = expect.map(|tools| tools.iter().map(ToString::to_string).collect());
        assert_eq!(tools_of(frontmatter), expect, "{frontmatter}");
    };
    check("", None);
    check("allowed-tools: Read Bash(git add *)\n", Some(&["Read", "Bash(git add *)"]));
    check("allowed-tools: Read, Write\n", Some(&["Read", "Write"]));
    check("allowed-tools: [Read, 'Bash(git:*)']\n", Some(&["Read", "Bash(git:*)"]));
    check("allowed-tools:\n  - Read\n  - Grep\n", Some(&["Read", "Grep"]));
    check("allowed-tools: Bash(git\n", Some(&[]));
}

#[test]
fn nothing_said_and_nothing_allowed_are_told_apart() {
    // F2
    assert_eq!(tools_line(None), "any (`allowed-tools` is not set)");
    assert_eq!(tools_line(Some(&[])), "none (`allowed-tools` allows nothing)");
    assert_eq!(tools_line(Some(&["Read".to_owned(), "Grep".to_owned()])), "Read Grep");
}

#[test]
fn every_number_of_tokens_says_whether_it_was_counted() {
    // D6
    let tiers = |exact: bool| Tiers {
        catalog: Tokens { count: 12, exact },
        body: Tokens { count: 345, exact: true },
    };
    assert_eq!(tokens_line(tiers(false)), "about 12 in the catalog, exactly 345 in the body");
    assert_eq!(tokens_line(tiers(true)), "exactly 12 in the catalog, exactly 345 in the body");
}
