use super::*;

#[test]
fn every_place_has_a_directory_of_its_own() {
    // P3
    let home = Home::new("/h");
    let project = Place::Project(PathBuf::from("/p"));
    let other = Place::Project(PathBuf::from("/q"));
    assert_eq!(Place::Personal.directory(&home, "x"), Path::new("/h/skills/x"));
    assert_eq!(project.directory(&home, "x"), Path::new("/p/.agents/skills/x"));
    assert_eq!(project.lock(&home), Path::new("/p/skills.lock"));
    assert_eq!(home.records(&Place::Personal), Path::new("/h"));
    assert!(home.records(&project).starts_with("/h/projects"));
    assert_ne!(home.records(&project), home.records(&other));
    assert_eq!(home.kept("abc"), Path::new("/h/store/abc"));
    assert_eq!((Place::Personal.as_str(), project.as_str()), ("personal", "project"));
}
