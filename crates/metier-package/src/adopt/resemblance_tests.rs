use super::*;
use crate::fixture::Ground;
use crate::keep::read_tree;

fn check(files: &[(&str, &str)], hash: Option<&str>, expect: Resemblance) {
    let ground = Ground::new();
    for (path, text) in files {
        ground.write(&format!("pdf/{path}"), text);
    }
    let path = ground.path().join("pdf");
    let tree = read_tree(&path).unwrap();
    assert_eq!(of(&Folder::open(&path).unwrap(), &tree, hash), expect, "{hash:?}");
}

#[test]
fn a_directory_is_held_against_whatever_a_record_says() {
    // P7
    let files = [("SKILL.md", "a"), ("a-b.md", "b"), ("Ab.md", "c"), ("node_modules/x", "y")];
    // In a dictionary: `a-b`, `Ab`, `SKILL`; by bytes: `Ab`, `SKILL`, `a-b`.
    let sum = |text: &str| hex(&sha256(text.as_bytes()));
    let same = sum("a-b.mdbAb.mdcSKILL.mda");
    check(&files, Some(&same), Resemblance::Same);
    check(&files, Some(&sum("Ab.mdcSKILL.mdaa-b.mdb")), Resemblance::Same);
    check(&files, Some(&sum("SKILL.mda")), Resemblance::Different);
    check(&files, None, Resemblance::Unsaid);
    check(&files, Some("short"), Resemblance::Unsaid);
    // `printf a > SKILL.md; git write-tree`
    let tree = "b96f02ee39a5c4a6e83a40bbd6bb1f1b54b20a10";
    check(&[("SKILL.md", "b")], Some(tree), Resemblance::Different);
}

#[test]
fn names_are_sorted_as_in_a_dictionary() {
    // P7
    let mut names = vec!["b", "B", "a", "SKILL.md", "scripts/x", "_x", "-x", "1", "A", "skill.md"];
    names.sort_by_key(|name| collated(name));
    assert_eq!(names, ["_x", "-x", "1", "a", "A", "b", "B", "scripts/x", "skill.md", "SKILL.md"]);
}

#[test]
fn every_answer_has_words() {
    // P7
    let all = [Resemblance::Same, Resemblance::Different, Resemblance::Unsaid];
    let words: std::collections::BTreeSet<_> = all.iter().map(|one| one.as_str()).collect();
    assert_eq!(words.len(), 3);
}
