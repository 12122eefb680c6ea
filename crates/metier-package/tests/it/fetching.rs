//! Skills from directories, archives and git, when all goes well.

use std::os::unix::fs::PermissionsExt;

use metier_package::{Locked, Select};
use metier_testing::GitServer;

use crate::pack::{Tar, Zip, tar_gz, zip};
use crate::place::{Place, files, names};

pub(crate) const SKILL: &str =
    "---\nname: one\ndescription: Does one thing. Use when it is wanted.\n---\n\nBody\n";

#[test]
fn a_local_directory_gives_its_skills() {
    // P1
    let place = Place::new();
    place.write("repo/skills/one/SKILL.md", SKILL);
    let script = place.write("repo/skills/one/scripts/run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("run.sh", script.with_file_name("other.sh")).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o700)).unwrap();
    place.write("repo/.git/config", "[core]");
    let fetched = place.fetch("./repo").unwrap();
    assert_eq!(names(&fetched), ["one"]);
    let skill = &fetched.skills[0];
    assert_eq!(skill.locked.path, "skills/one");
    assert_eq!(skill.locked.source, place.path().join("repo").display().to_string());
    assert_eq!(skill.directory, place.staging.join("one"));
    let expect = ["SKILL.md 644", "scripts/other.sh 755", "scripts/run.sh 755"];
    assert_eq!(files(&skill.directory), expect);
    assert_eq!(skill.tree.files().len(), 3);
    let again = place.fetch_locked(&skill.locked).unwrap();
    assert_eq!(again.skills[0].tree, skill.tree);
}

#[test]
fn archives_give_their_skills_and_leave_nothing_else() {
    // P1
    let place = Place::new();
    let tar = tar_gz(&[
        Tar::kind("./", b'5', ""),
        Tar::pax(b'g', &[("comment", b"0123456789012345678901234567890123456789")]),
        Tar::kind("./one/", b'5', ""),
        Tar::file("./one/SKILL.md", SKILL),
        Tar { mode: 0o700, ..Tar::file("./one/run.sh", "#!/bin/sh\n") },
        Tar::pax(b'x', &[("path", "one/ünïcode.md".as_bytes()), ("mtime", b"1.5")]),
        Tar::file("x", "y"),
        Tar::kind("one/link.md", b'2', "SKILL.md"),
        Tar::file(format!("one/{}x", "long/".repeat(25)), "deep"),
    ]);
    let zipped = zip(&[
        Zip::kind("one/", 0o040_755, ""),
        Zip::file("one/SKILL.md", SKILL),
        Zip { mode: 0o100_755, method: 0, ..Zip::file("one/run.sh", "#!/bin/sh\n") },
        Zip::kind("one/link.md", 0o120_777, "SKILL.md"),
        Zip { mode: 0, ..Zip::file("__MACOSX/one/._SKILL.md", "x") },
    ]);
    for (name, bytes, count) in
        [("a.tar.gz", &tar, 5), ("a.tgz", &tar, 5), ("a.skill", &zipped, 3), ("a.zip", &zipped, 3)]
    {
        let path = place.write(name, bytes);
        let fetched = place.fetch(&format!("./{name}")).unwrap();
        assert_eq!(names(&fetched), ["one"], "{name}: {:?}", fetched.refused);
        let skill = &fetched.skills[0];
        assert_eq!(skill.tree.files().len(), count, "{name}");
        assert!(files(&skill.directory).contains(&"run.sh 755".to_owned()));
        assert!(files(&skill.directory).contains(&"link.md 644".to_owned()));
        assert_eq!(skill.locked.source, path.display().to_string());
        assert_eq!(files(&place.staging).len(), count, "{name}");
        assert_eq!(place.fetch_locked(&skill.locked).unwrap().skills[0].tree, skill.tree);
    }
}

#[test]
fn archives_of_the_programs_people_have_are_read() {
    // P1
    let place = Place::new();
    place.write("src/one/SKILL.md", SKILL);
    place.write(&format!("src/one/{}/x.md", "a-long-directory/".repeat(12)), "x");
    std::os::unix::fs::symlink("SKILL.md", place.path().join("src/one/AGENTS.md")).unwrap();
    let run = |program: &str, args: &[&str]| {
        let mut command = std::process::Command::new(program);
        command.args(args).current_dir(place.path()).output().is_ok_and(|out| out.status.success())
    };
    let mut read = 0;
    for format in ["gnu", "pax", "ustar"] {
        let (name, format) = (format!("{format}.tar.gz"), format!("--format={format}"));
        if run("tar", &[&format, "-czf", &name, "-C", "src", "."]) {
            assert_eq!(place.fetch(&name).unwrap().skills[0].tree.files().len(), 3, "{name}");
            read += 1;
        }
    }
    let script = "import shutil; shutil.make_archive('py', 'zip', 'src')";
    if run("python3", &["-c", script]) {
        assert_eq!(place.fetch("py.zip").unwrap().skills[0].tree.files().len(), 3);
        read += 1;
    }
    assert!(read >= 3, "only {read} programs were there");
}

#[test]
fn a_repository_gives_its_skills_with_their_commit() {
    // P1
    let server = GitServer::start();
    let repo = server.repo("owner/name").skill("skills/one", "one").skill("skills/two", "two");
    let repo = repo.executable("skills/two/scripts/a b.sh", "#!/bin/sh\n");
    let commit = repo.link("skills/two/L.md", "SKILL.md").file("README.md", "x").commit("first");
    let place = Place::new();
    let url = server.url("owner/name");
    let fetched = place.fetch(&url).unwrap();
    assert_eq!(names(&fetched), ["one", "two"]);
    let two = &fetched.skills[1].locked;
    assert_eq!(two.commit.as_deref(), Some(&*commit));
    assert_eq!((two.path.as_str(), two.source.as_str()), ("skills/two", &*url));
    let expect = ["L.md 644", "SKILL.md 644", "scripts/a b.sh 755"];
    assert_eq!(files(&place.staging.join("two")), expect);
    let below = place.fetch(&format!("{url}//skills/two")).unwrap();
    assert_eq!(below.skills[0].locked.path, "skills/two");
    assert_eq!(below.skills[0].tree, fetched.skills[1].tree);
    let names = ["two".to_owned()];
    let one = place.fetch_some(&url, Select::Named(&names)).unwrap();
    assert_eq!(crate::place::names(&one), ["two"]);
    let offered = place.offered(&url).unwrap();
    let offered: Vec<&str> = offered.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(offered, ["one", "two"]);
}

#[test]
fn the_same_skill_in_two_places_is_one() {
    // P1
    let server = GitServer::start();
    let repo = server.repo("owner/name").skill("skills/one", "one").skill("plugins/p/one", "one");
    let _ = repo.skill("skills/two", "two").commit("first");
    let place = Place::new();
    let fetched = place.fetch(&server.url("owner/name")).unwrap();
    assert_eq!((names(&fetched), fetched.refused.len()), (vec!["one", "two"], 0));
    assert_eq!(fetched.skills[0].locked.path, "plugins/p/one");
    assert_eq!(files(&place.staging), ["one/SKILL.md 644", "two/SKILL.md 644"]);
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
    let fetched = place.fetch(&format!("{url}#{commit}")).unwrap();
    assert_eq!(names(&fetched), ["one"]);
    assert_eq!(server.requests(), Vec::<String>::new());
    // A branch may have moved: the server is asked where it is, and for nothing else.
    place.fetch(&url).unwrap();
    assert_eq!(server.requests().len(), 2, "{:?}", server.requests());
    server.forget();
    place.offline = true;
    assert_eq!(names(&place.fetch(&url).unwrap()), ["one"]);
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn branches_tags_and_commits_are_found_by_their_names() {
    // P1
    let server = GitServer::start();
    let first = server.repo("owner/name").skill("", "one").commit("first");
    let repo = server.repo("owner/name");
    let _ = repo.git(&["tag", "-a", "v1", "-m", "one", &first], b"");
    let _ = repo.git(&["tag", "light", &first], b"");
    let second = server.repo("owner/name").file("new.md", "x").commit("second");
    let dev = server.repo("owner/name").branch("feature/x").skill("", "one").commit("dev");
    let place = Place::new();
    let url = server.url("owner/name");
    for (reference, commit) in [
        ("", &second),
        ("#main", &second),
        ("#v1", &first),
        ("@v1", &first),
        ("#light", &first),
        ("#feature/x", &dev),
        (&format!("#{}", &dev[..9]), &dev),
        (&format!("@{first}"), &first),
    ] {
        let fetched = place.fetch(&format!("{url}{reference}")).unwrap();
        assert_eq!(fetched.skills[0].locked.commit.as_ref(), Some(commit), "{reference}");
        let resolved = place.resolve(&format!("{url}{reference}")).unwrap();
        assert_eq!(resolved.commit.as_ref(), Some(commit), "{reference}");
    }
}

#[test]
fn what_a_lockfile_names_is_fetched_whatever_came_after() {
    // P3
    let server = GitServer::start();
    let first = server.repo("owner/name").skill("skills/one", "one").commit("first");
    let _ = server.repo("owner/name").file("skills/one/more.md", "x").commit("second");
    let locked = Locked {
        source: server.url("owner/name"),
        path: "skills/one".to_owned(),
        requested: Some("main".to_owned()),
        commit: Some(first),
        signature: Default::default(),
    };
    let place = Place::new();
    let fetched = place.fetch_locked(&locked).unwrap();
    assert_eq!(fetched.skills[0].locked, locked);
    assert_eq!(files(&place.staging), ["one/SKILL.md 644"]);
}

#[test]
fn only_what_is_wanted_of_a_large_repository_is_brought() {
    // P1
    let server = GitServer::start();
    let mut repo = server.repo("owner/large").skill("skills/one", "one").skill("skills/two", "two");
    let noise = crate::hostile::random(3_000_000);
    for n in 0..300 {
        repo = repo.file(&format!("docs/{n}.md"), format!("{n}"));
    }
    let _ = repo.file("skills/two/film.bin", noise).commit("first");
    let place = Place::new();
    let names = ["one".to_owned()];
    place.fetch_some(&server.url("owner/large"), Select::Named(&names)).unwrap();
    let size = |path: &std::path::Path| {
        let list =
            |path: &std::path::Path| std::fs::read_dir(path).unwrap().flatten().collect::<Vec<_>>();
        let mut waiting = list(path);
        let mut bytes = 0;
        while let Some(entry) = waiting.pop() {
            let data = entry.metadata().unwrap();
            if data.is_dir() { waiting.extend(list(&entry.path())) } else { bytes += data.len() }
        }
        bytes
    };
    assert!(size(&place.cache) < 200_000, "{} bytes", size(&place.cache));
    assert_eq!(place.fetch(&server.url("owner/large")).unwrap().skills.len(), 2);
    assert!(size(&place.cache) > 2_000_000);
}

#[test]
fn an_owner_and_a_name_may_be_a_skill_of_the_owners_collection() {
    // P1
    let server = GitServer::start();
    let _ = server
        .repo("owner/skills")
        .skill("skills/pdf", "pdf")
        .skill("skills/x", "x")
        .commit("first");
    let mut place = Place::new();
    place.bases.repositories = server.base();
    assert_eq!(names(&place.fetch("owner/pdf").unwrap()), ["pdf"]);
    assert_eq!(names(&place.fetch("owner/skills").unwrap()), ["pdf", "x"]);
    let error = place.fetch("owner/nothing").unwrap_err();
    assert!(error.to_string().ends_with("/owner/nothing`"), "{error}");
}

#[test]
fn servers_of_every_kind_will_do() {
    // P1
    let server = GitServer::start();
    let plain = server.repo("owner/plain").skill("", "one");
    let _ = plain.git(&["config", "uploadpack.allowFilter", "false"], b"");
    let _ = plain.commit("first");
    let place = Place::new();
    assert_eq!(names(&place.fetch(&server.url("owner/plain")).unwrap()), ["one"]);
    let local = format!("file://{}", server.directory("owner/plain").display());
    assert_eq!(names(&place.fetch(&local).unwrap()), ["one"]);
    let commit = server.repo_sha256("owner/long").skill("", "one").commit("first");
    let fetched = place.fetch(&server.url("owner/long")).unwrap();
    assert_eq!((commit.len(), fetched.skills[0].locked.commit.clone()), (64, Some(commit)));
}

#[test]
fn an_old_server_that_gives_no_single_files_gives_all_of_them() {
    // P1
    let server = GitServer::start();
    let repo = server.repo("owner/old").skill("skills/one", "one");
    let _ = repo.git(&["config", "uploadpack.allowAnySHA1InWant", "false"], b"");
    let commit = repo.commit("first");
    server.speak_old();
    let place = Place::new();
    let fetched = place.fetch(&server.url("owner/old")).unwrap();
    assert_eq!(fetched.skills[0].locked.commit.as_ref(), Some(&commit));
    server.forget();
    place.fetch(&format!("{}#{commit}", server.url("owner/old"))).unwrap();
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn what_a_browser_shows_is_found_whatever_the_branch_is_called() {
    // P1
    let server = GitServer::start();
    let repo = server.repo("owner/name").branch("feature/x").skill("skills/one", "one");
    let commit = repo.commit("first");
    let mut place = Place::new();
    let text = format!("{}/tree/feature/x/skills/one", server.url("owner/name"));
    for offline in [false, true] {
        place.offline = offline;
        let fetched = place.fetch(&text).unwrap();
        let locked = &fetched.skills[0].locked;
        assert_eq!((locked.path.as_str(), locked.commit.as_ref()), ("skills/one", Some(&commit)));
        assert_eq!(locked.requested.as_deref(), Some("feature/x"));
        assert_eq!(place.resolve(&text).unwrap().path, "skills/one");
    }
}

#[test]
fn ssh_is_used_as_the_caller_has_it_and_asks_nobody() {
    // P1
    let server = GitServer::start();
    let _ = server.repo("owner/name").skill("", "one").commit("first");
    let mut place = Place::new();
    let log = place.path().join("asked");
    let root = server.directory("owner/name").parent().unwrap().parent().unwrap().to_owned();
    let text = format!(
        "#!/bin/sh\necho \"$@\" >> {}\nfor last; do :; done\ncd {}\neval \"exec $last\"\n",
        log.display(),
        root.display()
    );
    let ssh = place.write("bin/ssh", text);
    std::fs::set_permissions(&ssh, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", ssh.parent().unwrap().display());
    place.environment.retain(|(name, _)| name != "PATH");
    place.environment.push(("PATH".into(), path.into()));
    let fetched = place.fetch("git@host.example:owner/name").unwrap();
    assert_eq!(fetched.skills[0].locked.source, "git@host.example:owner/name");
    let asked = std::fs::read_to_string(&log).unwrap();
    assert!(asked.contains("BatchMode=yes") && asked.contains("git@host.example"), "{asked}");
}
