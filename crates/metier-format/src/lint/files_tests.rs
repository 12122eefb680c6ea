use super::{Files, Meant, distance_within};
use crate::lint::Neighbour;

fn neighbours(paths: &[&str]) -> Vec<Neighbour> {
    paths.iter().map(|path| Neighbour { path: (*path).to_owned(), directory: false }).collect()
}

#[test]
fn a_file_makes_its_directories() {
    // F5
    let list = neighbours(&["references/deep/a.md"]);
    let files = Files::new(&list);
    for path in ["references/deep/a.md", "references/deep", "references", "SKILL.md", ""] {
        assert!(files.has(path), "{path}");
    }
    assert!(!files.has("references/a.md") && !files.has("deep"));
}

#[test]
fn the_nearest_path_is_meant() {
    // F5
    let list = neighbours(&[
        "references/forms.md",
        "references/form.md",
        "assets/x.md",
        "assets/y/x.md",
        "a.md",
    ]);
    let files = Files::new(&list);
    for (path, meant) in [
        ("References/Forms.md", Some(Meant::Case("references/forms.md"))),
        ("forms.md", Some(Meant::Elsewhere("references/forms.md"))),
        ("references/fromS.md", Some(Meant::Similar("references/forms.md"))),
        ("reference/forns.md", Some(Meant::Similar("references/forms.md"))),
        ("lib/x.md", None),
        ("b.md", None),
        ("nothing/like/it.md", None),
    ] {
        assert_eq!(files.meant(path), meant, "{path}");
    }
}

#[test]
fn distances_are_those_of_the_whole_table() {
    // F5
    for (a, b, limit, expected) in [
        ("", "", 2, Some(0)),
        ("abc", "abc", 0, Some(0)),
        ("abc", "abd", 0, None),
        ("abc", "abd", 1, Some(1)),
        ("abc", "bc", 1, Some(1)),
        ("abc", "abcd", 1, Some(1)),
        ("kitten", "sitting", 3, Some(3)),
        ("kitten", "sitting", 2, None),
        ("ab", "ba", 2, Some(2)),
        ("", "ab", 2, Some(2)),
        ("ab", "", 2, Some(2)),
    ] {
        let letters: Vec<char> = a.chars().collect();
        assert_eq!(distance_within(&letters, b, limit), expected, "{a} {b} {limit}");
    }
}
