use std::io::Read as _;

use metier_sandbox::Stdin;

use super::{Input, Mode, ScriptCall, ScriptError, ScriptHelp};

#[test]
fn arguments_are_counted_in_bytes_to_the_byte() {
    // R3, R4
    let check = |args: Vec<String>| ScriptCall::new("x", "y").args(args).check_args();
    assert!(check(vec!["a".into(); 100]).is_ok());
    assert!(matches!(check(vec!["a".into(); 101]), Err(ScriptError::TooManyArgs(101))));
    assert!(check(vec!["a".repeat(4096)]).is_ok());
    assert!(matches!(check(vec!["a".repeat(4097)]), Err(ScriptError::ArgsTooLarge(4097))));
    assert!(check(vec!["é".repeat(2048)]).is_ok());
    assert!(matches!(check(vec!["é".repeat(2049)]), Err(ScriptError::ArgsTooLarge(4098))));
    assert!(check(vec!["é".repeat(1024), "é".repeat(1024)]).is_ok());
}

#[test]
fn the_json_flag_comes_last_and_only_where_it_is_wanted() {
    // R3
    let call = ScriptCall::new("x", "y").args(["a", "b"]);
    assert_eq!(call.words(), ["a", "b"]);
    assert_eq!(call.json().words(), ["a", "b", "--json"]);
    let quiet = ScriptCall { mode: Mode::Json { flag: false }, ..ScriptCall::new("x", "y") };
    assert!(quiet.words().is_empty());
}

#[test]
fn input_is_nothing_unless_it_is_given() {
    // R4
    assert!(matches!(Input::default().stdin().unwrap(), Stdin::Closed));
    assert!(matches!(Input::Bytes(vec![1]).stdin().unwrap(), Stdin::Bytes(b) if b == [1]));
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"abc").unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let Stdin::File(mut copy) = Input::File(file).stdin().unwrap() else { panic!("a file") };
    let mut text = String::new();
    copy.read_to_string(&mut text).unwrap();
    assert_eq!(text, "abc");
}

#[test]
fn the_usage_is_the_paragraph_that_says_so() {
    // R3
    for (text, expect) in [
        ("usage: a [-h]\n  [--x]\n\nDoes a.\n", "usage: a [-h]\n  [--x]"),
        ("Does a.\n\nUSAGE: a X\n\nOptions\n", "USAGE: a X"),
        ("\n  Does a.\nMore.\n", "Does a."),
        ("", ""),
        ("ééé\n", "ééé"),
    ] {
        let help = ScriptHelp { text: text.into(), kept: false, failure: None };
        assert_eq!(help.usage(), expect, "{text:?}");
    }
}
