//! Skills from directories and from git.

use metier_package::{FetchError, Select};
use metier_testing::GitServer;

use crate::place::{Place, files, names};

const SKILL: &str =
    "---\nname: one\ndescription: Does one thing. Use when it is wanted.\n---\n\nBody\n";

#[test]
fn a_local_directory_gives_its_skills() {
    // P1
    let place = Place::new();
    place.write("repo/skills/one/SKILL.md", SKILL);
    let script = place.write("repo/skills/one/scripts/run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("run.sh", script.with_file_name("other.sh")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    place.write("repo/.git/config", "[core]");
    let fetched = place.fetch("./repo").unwrap();
    assert_eq!(names(&fetched), ["one"]);
    let skill = &fetched.skills[0];
    assert_eq!(skill.locked.path, "skills/one");
    assert_eq!(skill.directory, place.staging().join("one"));
    let expect = ["SKILL.md 644", "scripts/other.sh 755", "scripts/run.sh 755"];
    assert_eq!(files(&skill.directory), expect);
    assert_eq!(skill.tree.files().len(), 3);
}

#[test]
fn a_repository_gives_its_skills_with_their_commit() {
    // P1
    let server = GitServer::start();
    let repo = server.repo("owner/name").skill("skills/one", "one").skill("skills/two", "two");
    let commit = repo
        .executable("skills/two/scripts/a b.sh", "#!/bin/sh\n")
        .file("README.md", "x")
        .commit("first");
    let place = Place::new();
    let fetched = place.fetch(&server.url("owner/name")).unwrap();
    assert_eq!(names(&fetched), ["one", "two"]);
    assert_eq!(fetched.skills[1].locked.commit.as_deref(), Some(&*commit));
    assert_eq!(fetched.skills[1].locked.path, "skills/two");
    assert_eq!(files(&place.staging().join("two")), ["SKILL.md 644", "scripts/a b.sh 755"]);
    println!("{:#?}", server.requests());
}

#[test]
fn a_commit_in_the_cache_is_not_fetched_again() {
    // P1
    let server = GitServer::start();
    let commit = server.repo("owner/name").skill("skills/one", "one").commit("first");
    let mut place = Place::new();
    let url = server.url("owner/name");
    place.fetch(&url).unwrap();
    server.forget();
    let fetched = place.fetch_some(&format!("{url}#{commit}"), Select::All).unwrap();
    assert_eq!(names(&fetched), ["one"]);
    assert_eq!(server.requests(), Vec::<String>::new());
    place.fetch(&url).unwrap();
    assert!(server.requests().iter().all(|r| r.contains("info/refs") || r.contains("upload-pack")));
    server.forget();
    place.offline = true;
    assert_eq!(names(&place.fetch(&url).unwrap()), ["one"]);
    let other = place.fetch(&server.url("owner/other"));
    assert!(matches!(other, Err(FetchError::Offline { .. })), "{other:?}");
    assert_eq!(server.requests(), Vec::<String>::new());
}
