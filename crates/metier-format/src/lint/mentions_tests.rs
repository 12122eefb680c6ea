use super::{Mention, words};

fn check(word: &str, expected: Option<(&str, usize, bool)>) {
    let expected =
        expected.map(|(path, skip, rooted)| Mention { path: path.to_owned(), skip, rooted });
    assert_eq!(Mention::of(word), expected, "{word}");
}

#[test]
fn a_path_of_the_skill_is_recognised_by_its_directory_and_extension() {
    // F5
    check("scripts/run2.py", Some(("scripts/run2.py", 0, false)));
    check("./scripts/lib/run.py", Some(("scripts/lib/run.py", 2, false)));
    check("${SKILL_DIR}/scripts/run.py", Some(("scripts/run.py", 13, true)));
    check("{baseDir}/tools/run.sh", Some(("tools/run.sh", 10, true)));
    check("assets/Logo-2.PNG", Some(("assets/Logo-2.PNG", 0, false)));
    for other in [
        "scripts",
        "scripts/",
        "scripts/run",
        "src/run.py",
        "scripts/.py",
        "scripts/run.",
        "scripts/v1.2",
        "scripts/../../run.py",
        "${HOME}/scripts/run.py",
        "scripts/script_name.py",
        "scripts/file2.py",
        "scripts/SCRIPT.py",
        "references/run.markdown2",
    ] {
        check(other, None);
    }
}

#[test]
fn words_keep_their_places() {
    // F5
    let code = "`uv run \"scripts/a.py\", x=scripts/b.py:12. é(c)`";
    let found: Vec<(usize, &str)> = words(code).collect();
    let expected = ["uv", "run", "scripts/a.py", "x", "scripts/b.py", "é", "c"];
    assert_eq!(found.iter().map(|(_, word)| *word).collect::<Vec<_>>(), expected);
    for (at, word) in found {
        assert!(code[at..].starts_with(word));
    }
    assert_eq!(words("").count(), 0);
}
