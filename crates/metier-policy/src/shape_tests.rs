use super::*;
use crate::shell::{self, Surroundings};

fn shape(word: &str) -> Shape {
    let around = Surroundings { home: Some("/home/user"), depth: 0 };
    let commands = shell::parse(&format!("cat {word}"), around).expect("a command");
    let word = commands.last().and_then(|command| command.argv.get(1)).expect("a word").clone();
    let slash = word.prefix().rfind('/').expect("an absolute path");
    Shape::of(&word.prefix()[..slash].to_lowercase()).with(&word, slash + 1).expect("a shape")
}

fn pattern(base: &str, segments: &str) -> Shape {
    let segments: Vec<String> = segments.split('/').map(str::to_owned).collect();
    Shape::of_pattern(base, &segments)
}

#[test]
fn a_word_with_wildcards_could_be_a_file_a_pattern_is_about() {
    // S3, S4
    let keys = pattern("/home/user", ".ssh/**");
    for word in [
        "~/.ssh/*",
        "~/.s?h/id_rsa",
        "~/.{ssh,x}/id_rsa",
        "~/{.ssh,x}/id_rsa",
        "~/.[st]sh/x",
        "~/.*/id_rsa",
        "~/.s*",
        "~/$X",
        "~/$X/id_rsa",
        "~/.ss$X",
        "/home/user/.SSH/*",
        "/home/*/.ssh/x",
        "~//.s?h",
        "/ho*/us?r/.ssh",
        "/home/{user,b}/.ssh/a",
        "~/.ssh/a$X",
    ] {
        assert!(shape(word).meets(&keys), "{word}");
    }
    for word in [
        "~/*",
        "~/src/*",
        "~/.a?h/id_rsa",
        "~/.sshx/*",
        "/tmp/*",
        "~/src/$X",
        "/home/other/.s*",
        "~/*/id_rsa",
        "~/?ssh/id_rsa",
    ] {
        assert!(!shape(word).meets(&keys), "{word}");
    }
}

#[test]
fn a_directory_with_all_in_it_meets_what_lies_below() {
    // S3, S4
    let keys = pattern("/home/user", ".ssh/**");
    for (directory, expected) in [
        ("/", true),
        ("/home", true),
        ("/home/user", true),
        ("/home/user/.ssh/a", true),
        ("/home/use", false),
        ("/home/user/src", false),
    ] {
        assert_eq!(Shape::of(directory).and_beneath().meets(&keys), expected, "{directory}");
    }
    assert!(!Shape::of("/home/user").meets(&keys));
}

#[test]
fn a_word_that_leads_up_again_has_no_shape() {
    // S3
    let around = Surroundings::default();
    let commands = shell::parse("cat /a/*/../b", around).expect("a command");
    let word = commands[0].argv[1].clone();
    assert_eq!(Shape::of("/a").with(&word, 3), None);
    for (command, leads) in
        [("cat /a/$x.$y", false), ("cat /a/$x..", false), ("cat /a/$x/..", true)]
    {
        let commands = shell::parse(command, around).expect("a command");
        let shape = Shape::of("/a").with(&commands[0].argv[1], 3);
        assert_eq!(shape.is_none(), leads, "{command}");
    }
}

#[test]
fn many_stars_end_soon() {
    // S3
    let long = format!("/{}", "*a".repeat(2000));
    let stars = pattern("", &"*a*".repeat(300));
    assert!(shape(&long).meets(&stars));
}
