use metier_store::tokens::Tokens;

use metier_runtime::capability::Tiers;

use super::{tokens_line, tools_line};

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
