use super::*;

fn shown(text: &str) -> Vec<String> {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let line = |command: SimpleCommand| {
        let words = command.argv.iter().map(crate::shell::Word::shown);
        let set =
            command.assignments.iter().map(|set| format!("{}={}", set.name, set.value.shown()));
        let files = command.redirects.iter().map(|file| format!(">{}", file.target.shown()));
        set.chain(words).chain(files).collect::<Vec<_>>().join(" ")
    };
    read(text, around).into_iter().map(line).collect()
}

#[test]
fn what_can_be_read_of_a_text_is_read_piece_by_piece() {
    // S3, S4, F4
    let table: [(&str, &[&str]); 17] = [
        ("a b; ((1))", &["a b", "1"]),
        ("me''tier 'tr'ust x; ((1))", &["metier trust x", "1"]),
        ("cp a ~/.claude/; f(){ :;}", &["cp a /home/user/.claude/", "f", ":"]),
        ("f() {\n  rm a\n}\n", &["f", "rm a"]),
        ("for x in a b; do cp x y; done > z; ((1))", &["cp x y", ">z", "1"]),
        ("if a; then b && c; else d; fi; e=(1 2)", &["a", "b", "c", "d", "e=", "1 2"]),
        ("a 'x;y' \"b;c\" d\\;e; ((1))", &["a x;y b;c d;e", "1"]),
        ("a 2>&1 >& b &> c; ((1))", &["a >b >c", "1"]),
        ("a # it's; b\nc; ((1))", &["a", "c", "1"]),
        ("cat > a <<'E' | b\nx\nE\n((1))", &["cat >a", "b", "x", "E", "1"]),
        ("a $(b; c) d; ((1))", &["b", "c", "a … d", "1"]),
        ("a `b; ((1))`; c", &["a", "b", "1", "c"]),
        ("case x in y) a b ;; esac", &["a b"]),
        ("{ a; } > b; ((1))", &["a", ">b", "1"]),
        ("a \"b; c", &["c"]),
        ("a $(b; c", &["a $", "b", "c"]),
        ("", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn a_long_text_is_read_as_far_as_it_may_be() {
    // S3, F4
    let long = "a".repeat(MAX_COMMAND_BYTES);
    assert_eq!(shown(&format!("cp x y # {long}")), ["cp x y"]);
    assert_eq!(shown(&format!("cp x y {long}; b")), ["cp x y", "b"]);
    assert_eq!(shown(&format!("{long}a")), Vec::<String>::new());
    assert!(shown(&"a;".repeat(MAX_CUT_BYTES)).len() <= MAX_PIECES);
    for hostile in ["'", "\"", "(", "$(", "`", "{ ", "\\", "\"\\"] {
        let _ = shown(&hostile.repeat(MAX_CUT_BYTES));
    }
}
