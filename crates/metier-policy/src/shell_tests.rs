use proptest::prelude::*;

use super::*;
use crate::limits::{MAX_CASES, MAX_COMMANDS, MAX_COMPOUND_DEPTH, MAX_NESTING, MAX_TOKENS};

fn read(text: &str) -> Result<Vec<SimpleCommand>, Unresolvable> {
    parse(text, Surroundings { home: Some("/home/user"), depth: 0 })
}

/// The commands in one line each, sorted: words joined by blanks, unknown parts as `…`.
fn shown(text: &str) -> Vec<String> {
    let commands = read(text).unwrap_or_else(|refused| panic!("{text:?}: {refused}"));
    let mut lines: Vec<String> = commands.iter().map(show).collect();
    lines.sort();
    lines
}

fn show(command: &SimpleCommand) -> String {
    let mut parts = Vec::new();
    for Assignment { name, value } in &command.assignments {
        parts.push(format!("{name}:={}", value.shown()));
    }
    parts.extend(command.argv.iter().map(Word::shown));
    for Redirect { access, target } in &command.redirects {
        let mark = if *access == Access::Read { '<' } else { '>' };
        parts.push(format!("{mark}{}", target.shown()));
    }
    parts.join(" ")
}

fn check(text: &str, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    assert_eq!(shown(text), expected, "{text:?}");
}

fn refused(text: &str, reason: &str) {
    match read(text) {
        Ok(commands) => panic!("{text:?} was read as {commands:?}"),
        Err(refused) => assert!(refused.reason.contains(reason), "{text:?}: {}", refused.reason),
    }
}

#[test]
fn every_command_of_a_list_is_found() {
    // S3
    check("a b c", &["a b c"]);
    check("a; b", &["a", "b"]);
    check("a;b;", &["a", "b"]);
    check("a && b || c", &["a", "b", "c"]);
    check("a | b | c", &["a", "b", "c"]);
    check("a |& b", &["a", "b"]);
    check("a & b", &["a", "b"]);
    check("a\nb\n\nc\n", &["a", "b", "c"]);
    check("! a", &["a"]);
    check("time a; time -p b", &["a", "b"]);
    check("(a; b) && { c; d; }", &["a", "b", "c", "d"]);
    check("(a; (b))", &["a", "b"]);
    check("", &[]);
    check("\n\n", &[]);
    check("  # only a comment", &[]);
    check("a && \\\n b", &["a", "b"]);
    check("a &&\nb", &["a", "b"]);
    check("a |\nb", &["a", "b"]);
}

#[test]
fn every_branch_of_a_compound_command_is_found() {
    // S3
    check("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]);
    check("while a; do b; done", &["a", "b"]);
    check("until a; do b; done", &["a", "b"]);
    check("for x in 1 2; do a; done", &["x:=…", "a"]);
    check("for x; do a; done", &["x:=…", "a"]);
    check("case x in a) b;; c|d) e;; *) f; esac", &["b", "e", "f"]);
    check("case x in (a) b;; esac", &["b"]);
    check("case x in a) ;; esac", &[]);
    check("if a; then (b; { c; }); fi | d", &["a", "b", "c", "d"]);
    check("while a; do if b; then c; fi; done", &["a", "b", "c"]);
    check("[ -f x ] && a", &["[ -f x ]", "a"]);
    check("[[ -f x ]] && a", &["a"]);
    check("[[ $x == a* ]] && b", &["b"]);
    check("[[ ! -f x ]]", &[]);
    check("[[ 1 -eq 2 ]]", &[]);
    check("[[ $x =~ ^a+$ ]]", &[]);
}

#[test]
fn every_substitution_is_read() {
    // S3
    check("a $(b)", &["a …", "b"]);
    check("a \"$(b)\"", &["a …", "b"]);
    check("a x$(b)y", &["a x…y", "b"]);
    check("a `b`", &["a …", "b"]);
    check("a \"`b c`\"", &["a …", "b c"]);
    check("a $(b $(c))", &["a …", "b …", "c"]);
    check("a $(b; c | d)", &["a …", "b", "c", "d"]);
    check("a \"x $(b \"y $(c)\" z) w\"", &["a x … w", "b y … z", "c"]);
    check("x=$(a) b", &["x:=… b", "a"]);
    check("x=$(a)", &["x:=…", "a"]);
    check("a <(b) >(c)", &["a … …", "b", "c"]);
    check("a --file=<(b)", &["a --file=…", "b"]);
    check("$(a)", &["…", "a"]);
    check("for x in $(a); do b; done", &["x:=…", "a", "b"]);
    check("case $(a) in $(b)) c;; esac", &["a", "b", "c"]);
    check("[[ -n $(a) ]]", &["a"]);
    check("a > $(b)", &["a >…", "b"]);
    check("a <<< \"$(b)\"", &["a", "b"]);
    check("a $(b # comment with ) and '\n)", &["a …", "b"]);
    check("a $()", &["a …"]);
    check("a \"$(< file)\"", &["a …", "<file"]);
}

#[test]
fn here_documents_expand_unless_their_tag_is_quoted() {
    // S3
    check("a <<EOF\ntext\nEOF\n", &["a"]);
    check("a <<EOF\ntext\nEOF", &["a"]);
    check("a <<EOF\n$(b) `c`\nEOF\n", &["a", "b", "c"]);
    check("a <<'EOF'\n$(b) `c`\nEOF\n", &["a"]);
    check("a <<\"EOF\"\n$(b)\nEOF\n", &["a"]);
    check("a <<\\EOF\n$(b)\nEOF\n", &["a"]);
    check("a <<EOF\n\\$(b) \\`c\\`\nEOF\n", &["a"]);
    check("a <<EOF | b\nx\nEOF\nc", &["a", "b", "c"]);
    check("a <<EOF; b\nx\nEOF\n", &["a", "b"]);
    check("a <<A <<B\nx\nA\ny\nB\nc", &["a", "c"]);
    check("a <<-EOF\n\tx\n\tEOF\nb", &["a", "b"]);
    check("a <<EOF\n EOF\nEOF \nEOF\nb", &["a", "b"]);
    check("a \"$(b <<'EOF'\nit's )\nEOF\n)\"", &["a …", "b"]);
    check("a 2<<EOF\nx\nEOF\n", &["a"]);
    check("a <<EOF\nit's \"fine\"\nEOF\n", &["a"]);
    check("(a <<EOF\nx\nEOF\n)", &["a"]);
}

#[test]
fn quoting_is_undone() {
    // S3
    let table = [
        ("a 'b c'", "a|b c"),
        ("a \"b c\"", "a|b c"),
        ("a b\\ c", "a|b c"),
        ("a 'b'\"c\"d", "a|bcd"),
        ("a ''", "a|"),
        ("a \"\"", "a|"),
        ("a \"b\\\"c\\\\d\\$e\\`f\\gh\"", "a|b\"c\\d$e`f\\gh"),
        ("a '\\n'", "a|\\n"),
        ("a 'b\nc'", "a|b\nc"),
        ("a \"b \\\nc\"", "a|b c"),
        ("a b#c", "a|b#c"),
        ("a b \\\n  c", "a|b|c"),
        ("a {} {x} @{u}", "a|{}|{x}|@{u}"),
        ("a b=c --d=e", "a|b=c|--d=e"),
        ("a ~", "a|/home/user"),
        ("a ~/x", "a|/home/user/x"),
        ("a '~/x'", "a|~/x"),
        ("a $HOME/x", "a|/home/user/x"),
        ("a \"${HOME}/x\"", "a|/home/user/x"),
        ("a \"$\" \"b$\" c$", "a|$|b$|c$"),
        ("a \"50% $.\"", "a|50% $."),
        ("a é ü 日本", "a|é|ü|日本"),
        ("a b!", "a|b!"),
        ("a != b", "a|!=|b"),
        ("a \"wow !x\"", "a|wow !x"),
        ("[ a = b ]", "[|a|=|b|]"),
        ("a 2 > /dev/null", "a|2"),
        ("a 2> /dev/null", "a"),
        ("\\rm x", "rm|x"),
        ("r''m x", "rm|x"),
        ("'a' b", "a|b"),
    ];
    for (text, expected) in table {
        let commands = read(text).unwrap_or_else(|refused| panic!("{text:?}: {refused}"));
        let words: Option<Vec<&str>> = commands[0].argv.iter().map(Word::as_known).collect();
        let words = words.unwrap_or_else(|| panic!("{text:?} is not known: {commands:?}"));
        assert_eq!(words.join("|"), expected, "{text:?}");
    }
}

#[test]
fn what_only_a_shell_knows_is_unknown() {
    // S3
    // Prefix that is certain, whether it may become several words.
    let table = [
        ("$x", "", true),
        ("\"$x\"", "", false),
        ("a$x", "a", true),
        ("\"a$x\"", "a", false),
        ("a\"$x\"b", "a", false),
        ("${x}", "", true),
        ("\"${x:-y}\"", "", false),
        ("${#x}", "", true),
        ("${x%.*}", "", true),
        ("${x/a/b}", "", true),
        ("${x^^}", "", true),
        ("${x:1:2}", "", true),
        ("$1", "", true),
        ("\"$1\"", "", false),
        ("\"$@\"", "", true),
        ("\"${a[@]}\"", "", true),
        ("\"$*\"", "", false),
        ("$?", "", true),
        ("$$", "", true),
        ("$((1+2))", "", true),
        ("\"$((1 + (2*3)))\"", "", false),
        ("*", "", false),
        ("src/*.rs", "src/", false),
        ("a?", "a", false),
        ("a[bc]", "a", false),
        ("{a,b}", "", true),
        ("a{1..3}", "a", true),
        ("{\"a b\",c}", "", true),
        ("{},}", "", true),
        ("x{}a,b}", "x", true),
        ("~user/x", "~", false),
        ("~+", "~", false),
        ("$'a\\tb'", "", false),
        ("$=x", "", true),
        ("$~x", "", true),
        ("=ls", "=", false),
        ("$x[1]", "", true),
    ];
    for (text, prefix, splits) in table {
        let commands = read(&format!("tool {text}")).unwrap_or_else(|r| panic!("{text}: {r}"));
        let word = &commands.last().expect("a command").argv[1];
        assert_eq!(word.as_known(), None, "{text}");
        assert_eq!((word.prefix(), word.splits()), (prefix, splits), "{text}");
    }
}

#[test]
fn a_home_that_is_touched_is_not_known() {
    // S3
    for text in ["HOME=/x; tool $HOME", "export HOME; tool $HOME", "tool $HOME ${HOME:=x}"] {
        let commands = read(text).expect("commands");
        let tool =
            commands.iter().find(|c| c.argv.first().and_then(Word::as_known) == Some("tool"));
        assert_eq!(tool.expect("the tool").argv[1].as_known(), None, "{text}");
    }
    let odd =
        parse("tool ~", Surroundings { home: Some("/home/a b"), depth: 0 }).expect("commands");
    assert_eq!(odd[0].argv[1].as_known(), None);
    let none = parse("tool ~ $HOME", Surroundings::default()).expect("commands");
    assert!(none[0].argv.iter().skip(1).all(|word| word.as_known().is_none()));
}

#[test]
fn redirections_are_files_that_are_read_or_written() {
    // S3
    check("a > b", &["a >b"]);
    check("a >b 2>c", &["a >b >c"]);
    check("a >> b", &["a >b"]);
    check("a >| b", &["a >b"]);
    check("a &> b", &["a >b"]);
    check("a &>> b", &["a >b"]);
    check("a >& b", &["a >b"]);
    check("a < b", &["a <b"]);
    check("a <> b", &["a <b >b"]);
    check("> b a", &["a >b"]);
    check("a > b c", &["a c >b"]);
    check("> b", &[">b"]);
    check("a 2>&1", &["a"]);
    check("a >&2", &["a"]);
    check("a 2>&-", &["a"]);
    check("a <&0", &["a"]);
    check("a > \"$x\"", &["a >…"]);
    check("{ a; } > b", &["a", ">b"]);
    check("(a) 2> b", &["a", ">b"]);
    check("for x in 1; do a; done > b", &["x:=…", "a", ">b"]);
    check("if a; then b; fi < c", &["a", "b", "<c"]);
    check("[[ -f x ]] > b", &[">b"]);
    check("a > ~/b", &["a >/home/user/b"]);
}

#[test]
fn variables_that_are_set_are_found() {
    // S3
    check("A=1 b", &["A:=1 b"]);
    check("A=1 B=2 c", &["A:=1 B:=2 c"]);
    check("A=1", &["A:=1"]);
    check("A+=1 b", &["A:=1 b"]);
    check("A= b", &["A:= b"]);
    check("A='x y' b", &["A:=x y b"]);
    check("A=$x b", &["A:=… b"]);
    check("a A=1", &["a A=1"]);
    check("a ${x:=y}", &["a …", "x:=…"]);
    check("a ${x=y}", &["a …", "x:=…"]);
    check("'A=1' b", &["A=1 b"]);
    check("A\\=1 b", &["A=1 b"]);
    check("1A=1 b", &["1A=1 b"]);
}

#[test]
fn words_that_shells_read_differently_are_refused() {
    // S3
    let table = [
        ("a 'b", "single quote is not closed"),
        ("a \"b", "double quote is not closed"),
        ("a `b", "backquote is not closed"),
        ("a $(b", "substitution is not closed"),
        ("a ${b", "is not closed"),
        ("a $'b", "is not closed"),
        ("a $'b\\'c'", "quote is escaped"),
        ("a \\", "ends in a backslash"),
        ("a b\\\nc", "continued inside a word"),
        ("a \"b\\\nc\"", "continued inside a word"),
        ("a \"$\\\n(b)\"", "continued inside a word"),
        ("a \r\nb", "U+000D"),
        ("a \0", "U+0000"),
        ("a \u{b} b", "U+000B"),
        ("a \u{1b}[31m", "U+001B"),
        ("a\u{a0}b", "U+00A0"),
        ("a \u{2028} b", "U+2028"),
        ("a\u{200b}", "U+200B"),
        ("a !b", "history mark"),
        ("a !!", "history mark"),
        ("a !$", "history mark"),
        ("a $[1+1]", "`$[`"),
        ("a $((x+1))", "arithmetic with names"),
        ("a $((1;2))", "arithmetic with names"),
        ("a $(($(b)))", "arithmetic with names"),
        ("((a))", "doubled parentheses"),
        ("( (a) )", "doubled parentheses"),
        ("a $\"b\"", "translated string"),
        ("a ${!x}", "unusual form"),
        ("a ${x@P}", "unusual form"),
        ("a ${x:y}", "unusual form"),
        ("a ${x[1]}", "unusual form"),
        ("a ${x:-$(b)}", "expansion inside"),
        ("a ${x:-'b'}", "expansion inside"),
        ("a ${(e)x}", "expansion inside"),
        ("a=(b c)", "array"),
        ("a[1]=b", "element of an array"),
        ("f() { a; }", "right after a word"),
        ("f () { a; }", "function"),
        ("function f { a; }", "function"),
        ("a *(b)", "right after a word"),
        ("a @(b|c)", "right after a word"),
    ];
    for (text, reason) in table {
        refused(text, reason);
    }
}

#[test]
fn commands_that_shells_read_differently_are_refused() {
    // S3
    let table = [
        ("coproc a", "coprocess"),
        ("a {x}> b", "unusual descriptor"),
        ("a 10> b", "unusual descriptor"),
        ("a &> b c", "follow the file of `&>`"),
        ("a { b", "lone brace"),
        ("a { b; }", "grammar"),
        ("a } b", "lone brace"),
        ("[[ a && b ]]", "several tests"),
        ("[[ a || b ]]", "several tests"),
        ("[[ ( a ) ]]", "several tests"),
        ("[[ a < b ]]", "redirection to other shells"),
        ("[[ $x -eq 1 ]]", "evaluates arithmetic"),
        ("[[ -v x ]]", "name of a variable"),
        ("a `b \\`c\\``", "inside backquotes"),
        ("a \"`b \"c\"`\"", "inside backquotes"),
        ("a <<EOF\nx\n", "here-document is not closed"),
        ("a <<EOF", "here-document has no body"),
        ("a $(b <<EOF)\nx\nEOF\n", "here-document"),
        ("a <<EOF\nx\\\nEOF\n", "ends in a backslash"),
        ("a <<E$x\nE$x\n", "unusual"),
        ("a <<'E F'\nE F\n", "unusual"),
        ("a <<\nx\n", "unusual"),
        ("a <<EOF 'b\nc'\nEOF\n", "before a here-document"),
        ("a <<<", "followed by no word"),
        ("a ;; b", "grammar"),
        ("a | | b", "grammar"),
        ("&& a", "grammar"),
        ("if a; then b", "grammar"),
        ("for x in a; { b; }", "grammar"),
        ("a )", "grammar"),
        ("( a", "grammar"),
        ("select x in a; do b; done", "grammar"),
        ("a <& b", "unusual redirection"),
    ];
    for (text, reason) in table {
        refused(text, reason);
    }
}

#[test]
fn a_command_is_bounded() {
    // S3, F4
    refused(&"a".repeat(MAX_COMMAND_BYTES + 1), "longer than");
    assert!(read(&"a".repeat(MAX_COMMAND_BYTES)).is_ok());
    refused(&"a ".repeat(MAX_TOKENS + 1), "words");
    assert!(read(&"a;".repeat(MAX_COMMANDS)).is_ok());
    refused(&"a;".repeat(MAX_COMMANDS + 1), "commands");
    let nested = |depth: usize| format!("{}a{}", "$(".repeat(depth), ")".repeat(depth));
    assert!(read(&nested(MAX_NESTING)).is_ok());
    refused(&nested(MAX_NESTING + 1), "nested");
    let groups = |depth: usize| format!("{}a{}", "{ ".repeat(depth), "; }".repeat(depth));
    assert!(read(&groups(MAX_COMPOUND_DEPTH)).is_ok());
    refused(&groups(MAX_COMPOUND_DEPTH + 1), "nested too deeply");
    let cases = |count: usize| "case x in a) b;; esac;".repeat(count);
    assert!(read(&cases(MAX_CASES)).is_ok());
    refused(&cases(MAX_CASES + 1), "nested too deeply");
    let inside = parse("a", Surroundings { home: None, depth: MAX_NESTING }).map(|c| c.len());
    assert_eq!(inside, Ok(1));
    assert!(deeper(Surroundings { home: None, depth: MAX_NESTING }).is_err());
}

#[test]
fn hostile_nesting_ends_in_an_answer() {
    // S3, F4
    let pieces = [
        "(",
        "((",
        "{ ",
        "$(",
        "`",
        "\"",
        "'",
        "\"$(",
        "${",
        "$((",
        "<(",
        ">(",
        "if ",
        "for x in a; do ",
        "while ",
        "case x in a) ",
        "[[ ",
        "! ",
        "a |",
        "a &&",
        "a <<E\n",
        "function f ",
        "coproc ",
        "x=",
        "x=(",
        "a[",
        "{a,",
        "\\",
        "\\\n",
        "#",
        "<<<",
        "<<-E\n\t",
        "time ",
        "eval ",
        ";;",
        "!(",
    ];
    for piece in pieces {
        for count in [1, 7, 8, 9, 30, 300, 3000] {
            let text = piece.repeat(count);
            let _ = read(&text);
            let _ = read(&format!("{text}a"));
            let _ = read(&format!("a {text}"));
            let _ = read(&format!("{text}a{}", ")".repeat(count)));
        }
    }
    for other in pieces {
        for piece in pieces {
            let _ = read(&format!("{piece}{other}").repeat(12));
        }
    }
}

#[test]
fn numbers_that_break_other_parsers_are_read() {
    // S3, F4
    refused("a 99999999999999999999> b", "unusual descriptor");
    assert!(read("a ~99999999999999999999/x").is_ok());
    assert!(read("a {1..99999999999999999999}").is_ok());
    assert!(read("99999999999999999999 a").is_ok());
}

#[test]
fn words_can_be_taken_apart() {
    // S3
    let word = Word::known("--name=value");
    assert_eq!(
        word.tail(7).and_then(|w| w.as_known().map(str::to_owned)).as_deref(),
        Some("value")
    );
    assert_eq!(word.tail(99), None);
    let open = Word::starting("--name=");
    assert_eq!(open.as_known(), None);
    assert_eq!(open.tail(7).map(|w| w.prefix().len()), Some(0));
    assert_eq!(open.tail(8), None);
    assert_eq!(open.shown(), "--name=…");
    assert!(Word::unknown().may_be_option() && Word::unknown().splits());
    assert!(!Word::starting("./").may_be_option());
    assert!(Word::known("-x").may_be_option() && !Word::known("").may_be_option());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        // S3, F4
        let _ = read(&text);
    }

    #[test]
    fn any_mix_of_shell_marks_is_read_or_refused(
        text in "[a-z \\n\\t;&|()<>{}$`'\"\\\\!#~*?\\[\\]=,.0-9EOF-]{0,60}"
    ) {
        // S3, F4
        let _ = read(&text);
    }

    #[test]
    fn marks_beside_other_scripts_are_read_or_refused(
        text in "[aé日😀\\u{301} \\n$`'\"\\\\{}()<>=~#!*?\\[\\]-]{0,40}"
    ) {
        // S3, F4
        let _ = read(&text);
        let _ = read(&format!("a <<E\n{text}\nE\n"));
        let _ = read(&format!("a \"{text}\""));
    }

    #[test]
    fn plain_words_stay_what_they_are(words in prop::collection::vec("[a-zA-Z0-9_./:@%+-]{1,8}", 1..6)) {
        // S3
        let reserved = ["if", "then", "do", "in", "fi", "for", "case", "done", "elif", "else", "esac",
            "until", "while", "time", "select", "coproc", "function"];
        prop_assume!(!reserved.contains(&words[0].as_str()));
        let commands = read(&words.join(" ")).expect("plain words");
        prop_assert_eq!(commands.len(), 1);
        let read: Vec<&str> = commands[0].argv.iter().filter_map(Word::as_known).collect();
        prop_assert_eq!(read, words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn single_quotes_keep_anything(text in "[^'\\x00-\\x08\\x0b-\\x1f\\x7f-\\u{9f}]{0,30}") {
        // S3
        let commands = read(&format!("tool '{text}'")).expect("a quoted word");
        prop_assert_eq!(commands.len(), 1);
        prop_assert_eq!(commands[0].argv[1].as_known(), Some(text.as_str()));
    }

    #[test]
    fn a_second_command_is_never_lost(first in "[a-z]{2,6}", join in prop::sample::select(
        vec![";", "\n", "&&", "||", "|", "&", " ; ", " \n ", "|&"]), second in "[a-z]{2,6}") {
        // S3
        let reserved = ["if", "then", "do", "in", "fi", "for", "case", "done", "elif", "else", "esac",
            "until", "while", "time", "select", "coproc"];
        prop_assume!(!reserved.contains(&first.as_str()) && !reserved.contains(&second.as_str()));
        let names: Vec<String> = shown(&format!("{first}{join}{second}"));
        prop_assert!(names.contains(&first) && names.contains(&second), "{:?}", names);
    }
}
