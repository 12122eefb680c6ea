use std::path::Path;

use super::{Base, SlashCommand, Substitution, quoted, split, substitute, without_arguments};

fn fill(body: &str, arguments: &str, base: Base) -> String {
    let names = ["ticket".to_owned(), "owner".to_owned()];
    let with = Substitution {
        arguments,
        names: &names,
        base,
        directory: Path::new("/skills/x"),
        session: "s-1",
    };
    substitute(body, &with)
}

#[test]
fn a_body_receives_its_arguments() {
    // S2
    let cases = [
        ("Fix $ARGUMENTS now", "a b", "Fix a b now"),
        ("First $ARGUMENTS[0], then $ARGUMENTS[1]", "a b", "First a, then b"),
        ("Missing [$ARGUMENTS[7]]", "a", "Missing []"),
        ("$0 and $1", "a 'b c'", "a and b c"),
        ("${0}-${1}", "a b", "a-b"),
        ("$ticket by ${owner}", "T-1 ada", "T-1 by ada"),
        ("cd ${SKILL_DIR} $0", "a", "cd /skills/x a"),
        ("cd ${CLAUDE_SKILL_DIR}; log ${CLAUDE_SESSION_ID}", "", "cd /skills/x; log s-1"),
        ("$ARGUMENTSX stays", "", "$ARGUMENTSX stays"),
    ];
    for (body, arguments, expect) in cases {
        assert_eq!(fill(body, arguments, Base::Zero), expect, "{body}");
    }
}

#[test]
fn arguments_at_the_end_of_a_body_can_be_taken_off_again() {
    // S2
    for arguments in ["a", "a b\nc", "ARGUMENTS: a", "x\n"] {
        let body = fill("Do it.\n", arguments, Base::Zero);
        assert!(body.ends_with("\n") && body != "Do it.\n");
        assert_eq!(without_arguments(&body, arguments), "Do it.", "{arguments:?}");
    }
    for (body, arguments) in [("Do a", "a"), ("Do it.\n", ""), ("ARGUMENTS: ", ""), ("", "a")] {
        assert_eq!(without_arguments(body, arguments), body, "{body:?}");
    }
}

#[test]
fn counting_from_one_is_a_dialect() {
    // S2
    assert_eq!(fill("$1 then $2, $ARGUMENTS[1]", "a b", Base::One), "a then b, a");
    assert_eq!(fill("$0 stays", "a", Base::One), "$0 stays\n\nARGUMENTS: a\n");
}

#[test]
fn shell_examples_keep_their_variables() {
    // S2
    for body in ["awk '{print $1}' f", "echo $HOME ${HOME} $$ $? $#", "a $ b", "cost: 5$"] {
        assert_eq!(fill(body, "", Base::Zero), body);
    }
    assert_eq!(fill("awk '{print $1}' $0", "file", Base::Zero), "awk '{print $1}' file");
}

#[test]
fn arguments_cannot_bring_placeholders() {
    // S2
    assert_eq!(fill("do $ARGUMENTS", "$0 ${SKILL_DIR}", Base::Zero), "do $0 ${SKILL_DIR}");
    assert_eq!(fill("$0|$1", "'$1' x", Base::Zero), "$1|x");
}

#[test]
fn a_backslash_keeps_a_placeholder() {
    // S2
    assert_eq!(
        fill("write \\$ARGUMENTS, get $ARGUMENTS", "a", Base::Zero),
        "write $ARGUMENTS, get a"
    );
    assert_eq!(fill("\\$HOME $0", "a", Base::Zero), "\\$HOME a");
}

#[test]
fn a_body_without_a_place_gets_the_arguments_at_its_end() {
    // S2
    assert_eq!(fill("Do it.\n", "now please", Base::Zero), "Do it.\n\nARGUMENTS: now please\n");
    assert_eq!(fill("Do it.", "   ", Base::Zero), "Do it.");
}

#[test]
fn words_are_split_as_a_shell_splits_them() {
    // S2
    let cases: [(&str, &[&str]); 7] = [
        ("", &[]),
        ("  a   b ", &["a", "b"]),
        ("'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]),
        ("'' x", &["", "x"]),
        ("\"a\\\"b\" '\\'", &["a\"b", "\\"]),
        ("'unclosed here", &["unclosed here"]),
        ("a'b'c", &["abc"]),
    ];
    for (text, expect) in cases {
        assert_eq!(split(text), expect, "{text}");
    }
}

#[test]
fn slash_commands_name_a_skill() {
    // S2
    let parse = |line: &str| SlashCommand::parse(line).map(|c| (c.name, c.arguments, c.explicit));
    let some = |name: &str, arguments: &str, explicit| {
        Some((name.to_owned(), arguments.to_owned(), explicit))
    };
    assert_eq!(parse("/skill:pdf a b"), some("pdf", "a b", true));
    assert_eq!(parse("  /pdf   x.pdf  "), some("pdf", "x.pdf", false));
    assert_eq!(parse("/pdf"), some("pdf", "", false));
    for not in ["pdf", "", "/", "/skill:", "/etc/hosts", "/..", "/skill:../x", "// comment"] {
        assert_eq!(parse(not), None, "{not}");
    }
}

proptest::proptest! {
    #[test]
    fn substitution_is_total_and_leaves_plain_bodies_alone(body in "[^$]{0,80}", text in ".{0,40}") {
        // S2
        let filled = fill(&body, "", Base::Zero);
        proptest::prop_assert_eq!(&filled, &body);
        let _ = fill(&text, &text, Base::One);
        let _ = split(&text);
        let _ = SlashCommand::parse(&text);
    }
}

#[test]
fn a_word_is_quoted_where_it_would_fall_apart() {
    // S2
    let check = |word: &str, expect: &str| assert_eq!(quoted(word), expect);
    check("plain", "plain");
    check("", "\"\"");
    check("a b", "\"a b\"");
    check("say \"x\"", "\"say \\\"x\\\"\"");
    check("back\\slash", "\"back\\\\slash\"");
    check("it's", "\"it's\"");
    for word in ["", "a", "two words", "a\"b", "it's", "back\\slash", "\\\"", " \t\n"] {
        assert_eq!(split(&quoted(word)), [word], "{word:?}");
    }
}
