use metier_format::SkillName;

use super::*;
use crate::reference::Bases;
use crate::source::Refused;

fn reference(text: &str) -> Reference {
    Reference::parse(text, &Bases::new("/work")).unwrap()
}

fn offering(skills: &[(&str, &str)]) -> Offering {
    let offered = |(name, path): &(&str, &str)| Offered {
        name: SkillName::parse(name).unwrap(),
        description: String::new(),
        path: (*path).to_owned(),
    };
    let mut offering = Offering::default();
    offering.skills = skills.iter().map(offered).collect();
    offering
}

fn chosen(select: Select<'_>) -> Result<Vec<String>, FetchError> {
    let skills = offering(&[("root", ""), ("one", "skills/one"), ("two", "skills/two")]);
    let chosen = choose(skills, &reference("owner/repo"), select)?;
    Ok(chosen.skills.into_iter().map(|skill| skill.path).collect())
}

#[test]
fn skills_are_chosen_by_name_however_it_is_written() {
    // P1
    assert_eq!(chosen(Select::All).unwrap(), ["", "skills/one", "skills/two"]);
    assert_eq!(chosen(Select::AtPath).unwrap(), [""]);
    let names = ["ONE".to_owned(), "Two".to_owned()];
    assert_eq!(chosen(Select::Named(&names)).unwrap(), ["skills/one", "skills/two"]);
    let names = ["three".to_owned()];
    match chosen(Select::Named(&names)) {
        Err(FetchError::NoSuchSkill { name, offered, .. }) => {
            assert_eq!((name.as_str(), offered.len()), ("three", 3));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_at_all_is_an_error_and_something_refused_is_not() {
    // P2
    let empty = choose(Offering::default(), &reference("owner/repo"), Select::All);
    assert!(matches!(empty, Err(FetchError::NoSkill { .. })));
    let refused = Refused { path: "x".to_owned(), code: "PK601", reason: "why".to_owned() };
    let mut offering = Offering::default();
    offering.refused.push(refused);
    assert!(choose(offering, &reference("owner/repo"), Select::All).is_ok());
}

#[test]
fn a_source_is_called_by_the_last_part_of_it() {
    // P1
    for (text, expect) in [
        ("owner/repo", "repo"),
        ("owner/repo/skills/pdf", "pdf"),
        ("git@host.example:repo.git", "repo"),
        ("/srv/skills/x", "x"),
    ] {
        assert_eq!(called(&reference(text)), expect, "{text}");
    }
}

#[test]
fn a_full_disk_is_called_so() {
    // P2
    let full = FetchError::io(Path::new("/x"), io::ErrorKind::StorageFull.into());
    assert!(matches!(full, FetchError::NoSpace { .. }), "{full:?}");
    let other = FetchError::io(Path::new("/x"), io::ErrorKind::PermissionDenied.into());
    assert!(matches!(other, FetchError::Io { .. }), "{other:?}");
}

#[test]
fn of_two_places_the_second_is_heard_unless_it_has_nothing() {
    // P1, P2
    let place = || "https://git.example/x".to_owned();
    let check = |error: FetchError, silent: bool| {
        assert_eq!(is_not_there(&error), silent, "{error}");
    };
    check(FetchError::NotFound { place: place() }, true);
    check(FetchError::Authentication { place: place(), detail: place() }, true);
    check(FetchError::NoSuchRef { place: place(), requested: place() }, true);
    check(FetchError::NoSuchPath { place: place(), path: place() }, true);
    check(FetchError::NoSkill { place: place() }, true);
    let names = Vec::new();
    check(FetchError::NoSuchSkill { name: place(), place: place(), offered: names }, true);
    check(FetchError::Interrupted, false);
    check(FetchError::NoSpace { missing: 1, path: "/x".into() }, false);
    check(FetchError::Unreachable { place: place(), detail: place() }, false);
    check(FetchError::TimedOut { place: place() }, false);
}
