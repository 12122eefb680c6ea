use super::*;

fn outer(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter().map(|(n, v)| (n.into(), v.into())).collect()
}

fn names(list: &[(OsString, OsString)]) -> Vec<&str> {
    list.iter().filter_map(|(name, _)| name.to_str()).collect()
}

fn extra(allowed: &[&str], list: &[(&str, &str)]) -> Vec<String> {
    let minimal = build(&[], &[]);
    let all = build(allowed, &outer(list));
    let added = all.iter().filter(|pair| !minimal.contains(pair));
    added.map(|(n, v)| format!("{}={}", n.display(), v.display())).collect()
}

#[test]
fn a_child_sees_a_short_fixed_list_and_no_secret() {
    // R5
    let list = build(&[], &outer(&[("AWS_SECRET_ACCESS_KEY", "s3cret"), ("PATH", "/evil")]));
    assert_eq!(
        names(&list),
        ["LANG", "LC_ALL", "NO_COLOR", "PAGER", "PATH", "PYTHONDONTWRITEBYTECODE", "TERM"]
    );
    assert!(list.iter().any(|(n, v)| n == "PATH" && v == PATH));
}

#[test]
fn a_named_variable_comes_through_and_a_wildcard_brings_its_family() {
    // R5
    let list = [("KALSHI_BASE_URL", "u"), ("KALSHI_KEY", "k"), ("OTHER", "o")];
    assert_eq!(extra(&["KALSHI_KEY"], &list), ["KALSHI_KEY=k"]);
    assert_eq!(extra(&["KALSHI_*"], &list), ["KALSHI_BASE_URL=u", "KALSHI_KEY=k"]);
    assert_eq!(extra(&["*_KEY", "OTHER"], &list), ["KALSHI_KEY=k", "OTHER=o"]);
    assert_eq!(extra(&["kalshi_*"], &list), [""; 0]);
}

#[test]
fn a_named_variable_replaces_the_fixed_one_and_appears_once() {
    // R5
    let list = build(&["TERM"], &outer(&[("TERM", "xterm")]));
    let terms: Vec<_> = list.iter().filter(|(name, _)| name == "TERM").collect();
    assert_eq!(terms, [&("TERM".into(), "xterm".into())]);
}

#[test]
fn a_wildcard_never_brings_what_makes_a_loader_run_other_code() {
    // R5
    let list = [
        ("LD_PRELOAD", "x"),
        ("LD_LIBRARY_PATH", "x"),
        ("BASH_ENV", "x"),
        ("PYTHONPATH", "x"),
        ("NODE_OPTIONS", "x"),
        ("PERL5OPT", "x"),
        ("GOOD", "g"),
    ];
    assert_eq!(extra(&["*"], &list), ["GOOD=g"]);
    assert_eq!(extra(&["LD_*"], &list), [""; 0]);
    assert_eq!(extra(&["LD_PRELOAD"], &list), ["LD_PRELOAD=x"]);
}

#[test]
fn what_cannot_be_set_is_left_out() {
    // R5
    assert_eq!(extra(&["*"], &[("", "x"), ("A=B", "x"), ("N\0", "x"), ("V", "a\0b")]), [""; 0]);
}

#[test]
fn patterns_match_whole_names() {
    // R5
    let check = |pattern: &str, text: &str, expect: bool| {
        assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expect, "{pattern} {text}");
    };
    check("A*", "A", true);
    check("A*", "BA", false);
    check("*A", "BA", true);
    check("A*C*E", "ABCDE", true);
    check("A*C*E", "ABCD", false);
    check("**", "", true);
    check("A", "AB", false);
    check("", "", true);
    let hostile = "*a".repeat(2000);
    check(&hostile, &"a".repeat(1999), false);
}
