use metier_format::SkillName;

use super::*;

fn entries(paths: &[&str]) -> Vec<Entry> {
    let mut paths = paths.to_vec();
    paths.sort_unstable();
    let entry = |path: &&str| Entry {
        path: path.as_bytes().into(),
        kind: Kind::File { executable: false },
        size: 0,
    };
    paths.iter().map(entry).collect()
}

fn skill(path: &str) -> Offered {
    let name = SkillName::parse("one").unwrap();
    Offered { name, description: String::new(), path: path.to_owned() }
}

#[test]
fn a_skill_is_what_lies_below_its_directory_and_nothing_beside_it() {
    // P2
    let entries = entries(&["one-more/x", "one.md", "one/SKILL.md", "one/a/b", "ones/x", "x"]);
    let plan = Plan::make(&entries, &skill("one")).unwrap();
    let paths: Vec<&str> = plan.files.iter().map(|(_, path, _)| path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a/b"]);
    assert_eq!(Plan::make(&entries, &skill("")).unwrap().files.len(), entries.len());
}

#[test]
fn what_is_wrong_beside_a_skill_does_not_matter_to_it() {
    // P2
    let entries = entries(&["one/SKILL.md", "two/.git/config", "two/SKILL.md"]);
    assert!(Plan::make(&entries, &skill("one")).is_ok());
    let refused = Plan::make(&entries, &skill("two")).map(|_| ()).unwrap_err();
    assert_eq!(refused.hazard.code(), "PK112");
    assert_eq!(refuse(&skill("two"), &refused).code, "PK112");
}

#[test]
fn sizes_that_are_known_late_are_checked_too() {
    // P2
    let mut entries = entries(&["one/SKILL.md"]);
    let plan = Plan::make(&entries, &skill("one")).unwrap();
    entries[0].size = crate::limits::MAX_FILE_BYTES + 1;
    assert_eq!(amounts(&entries, &plan).unwrap_err().hazard.code(), "PK402");
}

#[test]
fn paths_are_joined() {
    // P2
    for (base, path, expect) in [("", "", ""), ("a", "", "a"), ("", "b", "b"), ("a", "b", "a/b")] {
        assert_eq!(join(base, path), expect);
    }
}
