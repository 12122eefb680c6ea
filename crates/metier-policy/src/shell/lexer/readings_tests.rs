use super::*;

fn check(written: &str, expected: &[&str]) {
    let found = of(written, written).unwrap_or_default();
    assert_eq!(found, expected, "{written}");
}

#[test]
fn braces_are_written_out_as_shells_do() {
    // S3
    check("a{b,c}d", &["abd", "acd"]);
    check("{x,/a/b}", &["x", "/a/b"]);
    check("x{,}", &["x", "x"]);
    check("../{x,{y,z}}/a", &["../x/a", "../y/a", "../z/a"]);
    check("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]);
    check("x{q..s}", &["x?"]);
    check("x{1..12}", &["x*"]);
    check("'{a,b}'{c,'d,e'}", &["'{a,b}'c", "'{a,b}''d,e'"]);
}

#[test]
fn what_is_no_list_and_what_cannot_be_told_is_left_alone() {
    // S3
    for word in ["a", "{a}", "stash@{0}", "a,b", "'{a,b}'", "{a,$(b)}", "{a,`b`}", "..", "a.*"] {
        check(word, &[]);
    }
    let many = "{a,b}".repeat(12);
    assert_eq!(of(&many, &many), None);
}

#[test]
fn a_tilde_behind_a_name_may_be_the_home() {
    // S3
    check("of=~/a", &["of=~/a", "of=$HOME/a"]);
    check("p=a:~/b", &["p=a:~/b", "p=a:$HOME/b"]);
    check("d=~", &["d=~", "d=$HOME"]);
}

#[test]
fn a_wildcard_behind_a_dot_may_lead_up() {
    // S3
    check(".?/a", &[".?/a", "../a"]);
    check(".*/a", &[".*/a", "../a"]);
    check(".[.]/a", &[".[.]/a", "../a"]);
    check("x/.*rc", &[]);
}
