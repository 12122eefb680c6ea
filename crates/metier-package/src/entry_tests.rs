use proptest::prelude::*;

use super::*;

fn file(path: &str) -> Entry {
    Entry { path: path.as_bytes().into(), kind: Kind::File { executable: false }, size: 1 }
}

#[test]
fn names_that_people_give_their_files_are_taken() {
    // P2
    let mut checker = Checker::new(Amounts::SKILL);
    for path in [
        "SKILL.md",
        "scripts/run.py",
        "scripts/a b (copy).sh",
        ".env.example",
        ".gitignore",
        ".gitattributes",
        ".github/workflows/x.yml",
        "references/日本語.md",
        "Ünïcode/naïve.txt",
        "a,b;c'd&e=f+g@h!.md",
        "console.log",
        "nullable.md",
        "company/com10.txt",
        "HEAD",
        "objects/a",
        "emoji ❤️.md",
        "git~10",
        "x.git/y",
        "CHANGELOG",
    ] {
        assert_eq!(checker.admit(&file(path)), Ok(path.to_owned()), "{path}");
    }
    assert_eq!(checker.finish(), Ok(()));
}

#[test]
fn amounts_are_limited() {
    // P2
    let amounts = Amounts { entries: 3, depth: 2, file_bytes: 10, total_bytes: 15 };
    let sized = |path: &str, size| Entry { size, ..file(path) };
    let code = |entries: &[Entry]| {
        let mut checker = Checker::new(amounts);
        let admitted = entries.iter().map(|entry| checker.admit(entry)).find(Result::is_err);
        admitted.and_then(Result::err).map(|at| at.hazard)
    };
    assert_eq!(code(&[file("a"), file("b"), file("c")]), None);
    assert_eq!(code(&[file("a"), file("b"), file("c"), file("d")]), Some(Hazard::TooMany(3)));
    assert_eq!(code(&[file("a/b/c")]), Some(Hazard::TooDeep(2)));
    assert_eq!(code(&[sized("a", 11)]), Some(Hazard::FileTooLarge { size: 11, limit: 10 }));
    assert_eq!(code(&[sized("a", 10), sized("b", 6)]), Some(Hazard::TooLarge(15)));
    assert_eq!(
        code(&[sized("a", u64::MAX)]),
        Some(Hazard::FileTooLarge { size: u64::MAX, limit: 10 })
    );
}

#[test]
fn a_directory_may_be_named_before_and_after_what_is_in_it() {
    // P2
    let directory = |path: &str| Entry { kind: Kind::Directory, ..file(path) };
    let mut checker = Checker::new(Amounts::SKILL);
    for entry in [directory("a"), file("a/x"), file("b/x"), directory("b")] {
        assert!(checker.admit(&entry).is_ok(), "{entry:?}");
    }
    let again = checker.admit(&directory("b")).map_err(|at| at.hazard);
    assert_eq!(again, Err(Hazard::Duplicate));
}

#[test]
fn a_link_leads_to_a_path_inside_or_is_refused() {
    // P2
    let check = |link: &str, target: &str| link_target(link, target.as_bytes()).ok();
    let inside = |path: &str| Some(path.to_owned());
    assert_eq!(check("l", "SKILL.md"), inside("SKILL.md"));
    assert_eq!(check("a/l", "../SKILL.md"), inside("SKILL.md"));
    assert_eq!(check("a/l", "./b//c"), inside("a/b/c"));
    assert_eq!(check("a/b/l", "../../x/../y"), inside("y"));
    for (link, target) in
        [("l", ".."), ("l", "/x"), ("a/l", "../../x"), ("l", "a\\b"), ("l", "a/../../b")]
    {
        assert_eq!(check(link, target), None, "{link} -> {target}");
    }
    assert!(link_target("l", b"\xff").is_err());
}

proptest! {
    #[test]
    fn whatever_is_admitted_stays_inside(path in prop::collection::vec(any::<u8>(), 0..40)) {
        // P2
        let entry = Entry { path: path.into(), ..file("") };
        if let Ok(path) = Checker::new(Amounts::SKILL).admit(&entry) {
            let joined = std::path::Path::new("/base").join(&path);
            let plain = |part| matches!(part, std::path::Component::Normal(_) | std::path::Component::RootDir);
            prop_assert!(joined.starts_with("/base") && joined.components().all(plain));
            prop_assert!(!path.chars().any(char::is_control));
        }
    }

    #[test]
    fn no_two_admitted_names_are_one_on_another_system(
        names in prop::collection::vec("[aAéÉßſsSkK\u{212a}\u{301}eEﬁfiıIi]{1,4}", 2..6)
    ) {
        // P2
        let mut checker = Checker::new(Amounts::SKILL);
        let admitted: Vec<String> =
            names.iter().filter_map(|name| checker.admit(&file(name)).ok()).collect();
        let folded = |name: &String| name.nfd().collect::<String>().to_lowercase();
        let mut keys: Vec<String> = admitted.iter().map(folded).collect();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), admitted.len());
    }
}
