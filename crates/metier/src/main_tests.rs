use super::{bug_report, contain};

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
