use super::args::Cli;
use super::{bug_report, contain, quotes_live_text};

#[test]
fn a_panic_ends_with_the_exit_code_for_a_bug() {
    // U1
    assert_eq!(contain(|| 4), 4);
    assert_eq!(contain(|| panic!("on purpose")), 70);
}

#[test]
fn a_bug_says_that_it_is_one_and_what_to_do() {
    // U1
    let text = bug_report("index out of bounds");
    assert!(text.starts_with("error: this is a bug in metier 0."), "{text}");
    assert!(text.contains("index out of bounds\nhint: please report it"), "{text}");
}

#[test]
fn an_argument_that_a_terminal_would_obey_is_noticed() {
    // U1
    let quotes = |word: &str| {
        let typed = ["metier", "list", word].map(Into::into).to_vec();
        quotes_live_text(&Cli::read(typed).unwrap_err())
    };
    assert!(quotes("\u{1b}[31mred"));
    assert!(quotes("\u{202e}txet"));
    assert!(quotes("--color=\u{9b}2J"));
    assert!(!quotes("plain"));
}
