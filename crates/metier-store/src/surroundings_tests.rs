#![expect(clippy::disallowed_methods, reason = "tests make directories")]

use std::path::PathBuf;

use super::*;
use crate::Layer;

fn optional(path: PathBuf) -> Root {
    Root { optional: true, ..Root::given(Layer::Personal, path) }
}

fn roots(home: &Path, agents: usize) -> Vec<Root> {
    (0..agents).map(|number| optional(home.join(format!(".agent{number}/skills")))).collect()
}

#[test]
fn only_what_is_surely_not_there_is_passed_over() {
    // D1, N1
    let home = tempfile::tempdir().unwrap();
    for there in [".agent3/skills", ".agent5", ".AGENT7/skills"] {
        std::fs::create_dir_all(home.path().join(there)).unwrap();
    }
    std::os::unix::fs::symlink("nowhere", home.path().join(".agent6")).unwrap();
    let roots = roots(home.path(), 9);
    let surroundings = Surroundings::of(&roots);
    let lacking: Vec<usize> =
        (0..9).filter(|number| surroundings.lack(&roots[*number].path)).collect();
    assert_eq!(lacking, [0, 1, 2, 4, 8]);
}

#[test]
fn where_there_is_no_list_nothing_is_known() {
    // D1
    let home = tempfile::tempdir().unwrap();
    let few = roots(home.path(), WORTH_A_LIST - 1);
    let nowhere = roots(&home.path().join("nowhere"), WORTH_A_LIST);
    let odd: Vec<Root> =
        (0..9).map(|number| optional(home.path().join(format!(".é{number}/skills")))).collect();
    let given: Vec<Root> =
        roots(home.path(), 9).into_iter().map(|root| Root { optional: false, ..root }).collect();
    for roots in [few, nowhere, odd, given] {
        let surroundings = Surroundings::of(&roots);
        assert!(roots.iter().all(|root| !surroundings.lack(&root.path)));
    }
    for number in 0..=MAX_NAMES {
        std::fs::write(home.path().join(number.to_string()), "").unwrap();
    }
    let many = roots(home.path(), 9);
    assert!(many.iter().all(|root| !Surroundings::of(&many).lack(&root.path)));
    let surroundings = Surroundings(BTreeMap::new());
    assert!(!surroundings.lack(Path::new("/")) && !surroundings.lack(Path::new("")));
}
