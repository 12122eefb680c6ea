use super::*;

fn shown(text: &str) -> String {
    match read(&Word::known(text)) {
        Pathspec::Plain => "plain".to_owned(),
        Pathspec::Path(word) => format!("path {}", word.shown()),
        Pathspec::Found(word) => format!("found {} {}", word.prefix(), word.spelling()),
        Pathspec::Others => "others".to_owned(),
    }
}

#[test]
fn marks_and_wildcards_are_read_as_git_does() {
    // S3
    for (text, expected) in [
        ("a", "plain"),
        ("a/b.rs", "plain"),
        ("", "path ."),
        (":", "path ."),
        (":/", "path ."),
        (":/a", "path a"),
        (":(top)a/b", "path a/b"),
        (":(top,icase)a", "path a"),
        (":(glob)a*/b*", "found a a*/b*"),
        (":(literal)a*", "path a*"),
        ("a*", "found a a*"),
        ("a/*", "path a"),
        ("a/b/**", "path a/b"),
        ("a*/*", "found a a*"),
        ("/*", "found / /*"),
        ("a?b", "found a a?b"),
        ("a\\b", "found ab ab"),
        ("*.rs", "plain"),
        (":!a", "others"),
        (":^a", "others"),
        (":/!a", "others"),
        (":(exclude)a", "others"),
        (":(exclude,glob)a", "others"),
        (":(unclosed", "path (unclosed"),
        ("::a", "path a"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
    assert_eq!(read(&Word::unknown()), Pathspec::Plain);
}
