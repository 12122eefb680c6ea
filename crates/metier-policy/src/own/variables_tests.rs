use super::*;

fn check(text: &str, expected: &str) {
    let found = written_out(text, Some("/home/user"));
    assert_eq!(found.as_deref().unwrap_or(text), expected, "{text}");
}

#[test]
fn variables_are_replaced_by_the_text_they_are_set_to() {
    // S3, S4
    let table = [
        ("x=a; rm $x", "x=a; rm a"),
        ("x=a y=b; rm $x$y ${x}c \"$y\"", "x=a y=b; rm ab ac \"b\""),
        ("p=~/.local; echo > $p/share", "p=~/.local; echo > /home/user/.local/share"),
        ("p='~'; cd \"$p\"", "p='~'; cd \"/home/user\""),
        ("p=\"a b\"; rm $p", "p=\"a b\"; rm a b"),
        ("x=a; y=$x/b; rm $y", "x=a; y=a/b; rm a/b"),
        ("x=a; x+=b; rm $x", "x=a; x+=b; rm ab"),
        ("export x=a; rm $x", "export x=a; rm a"),
        ("x=a\nrm $x", "x=a\nrm a"),
        ("sh -c 'x=a; rm $x'", "sh -c 'x=a; rm a'"),
        ("sh -c \"x=a; rm \\$x\"", "sh -c \"x=a; rm a\""),
        ("x=a; rm $x; x=b; rm $x", "x=a; rm a; x=b; rm b"),
        ("x=a; x=$(b); rm $x", "x=a; x=$(b); rm $x"),
        ("a=(m); b=(t); $a $b", "a=(m); b=(t); m t"),
        ("a=(m t); ${a[@]} \"${a[0]}\"", "a=(m t); {m,t} \"\"{m,t}\"\""),
        ("for f in a ~/b; do rm $f; done", "for f in a ~/b; do rm {a,/home/user/b}; done"),
        (
            "if c; then x=a; else x=b; fi; rm \"$x/c\"",
            "if c; then x=a; else x=b; fi; rm \"\"{a,b}\"/c\"",
        ),
        ("set -- a b; rm $2 $1", "set -- a b; rm b a"),
        ("p=$HOME/a; rm ${p}b $HOME", "p=$HOME/a; rm /home/user/ab $HOME"),
        ("p=\"${HOME}/a\"; rm \"$p\"", "p=\"${HOME}/a\"; rm \"/home/user/a\""),
        ("p=$(echo a); rm ${p}b", "p=a; rm ab"),
        ("$(echo ./a) b", "./a b"),
        ("read -r p <<< ~/a; rm ${p}b", "read -r p <<< ~/a; rm /home/user/ab"),
        ("printf -v p %s a; rm ${p}b", "printf -v p %s a; rm ab"),
    ];
    for (text, expected) in table {
        check(text, expected);
    }
}

#[test]
fn what_no_text_says_is_left_as_it_is() {
    // S3
    for text in [
        "rm $x",
        "x=a; rm y",
        "x=$(cat f); rm $x",
        "x=`cat f`; rm $x",
        "x=a; rm ${x%a} ${#x} $$ $1",
        "awk '{print $1}' f",
        "--x=a $x",
        "x=a; echo $xy",
        "HOME=/x; cd $HOME",
        "cd $HOME/a ${HOME}",
        "rm $(echo a; b) $(echo $(b)) $(echo `b`)",
        "read a b <<< x; rm $a",
        "x='a;b'; rm $x",
        "é=a; rm $é $",
        "x=a; rm ${x",
    ] {
        check(text, text);
    }
}

#[test]
fn no_text_makes_it_long_or_slow() {
    // S3, F4
    let doubling: String = (0..60).map(|n| format!("x{}=$x{n}$x{n};", n + 1)).collect();
    let texts = [
        format!("x0=aaaaaaaa;{doubling} echo $x60"),
        format!("x={}; {}", "a".repeat(1000), "$x".repeat(10_000)),
        format!("for x in {}; do {} done", "a ".repeat(1000), "rm $x;".repeat(2000)),
        "x=$x ".repeat(20_000),
        "x=(".repeat(20_000),
        "$".repeat(100_000),
        "${".repeat(20_000),
        "for x in ".repeat(10_000),
        "$(echo ".repeat(20_000),
        "read x <<< ".repeat(10_000),
    ];
    for text in texts {
        let found = written_out(&text, None).unwrap_or_default();
        assert!(found.len() <= 2 * MAX_CUT_BYTES, "{:.40}: {}", text, found.len());
    }
}
