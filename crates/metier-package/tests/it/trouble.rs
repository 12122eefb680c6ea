//! What goes wrong on the way: servers, disks, caches, and people who have had enough.

use std::time::Duration;

use metier_package::{FetchError, Select};
use metier_testing::{Fault, GitServer};

use crate::fetching::SKILL;
use crate::place::{Place, files, names};

fn served() -> (GitServer, String, Place) {
    let server = GitServer::start();
    let _ = server.repo("owner/name").skill("skills/one", "one").commit("first");
    let url = server.url("owner/name");
    (server, url, Place::new())
}

#[test]
fn what_passes_by_itself_is_tried_again() {
    // P2
    // Requests of a first fetch, in this order: where is the branch (two), the commit (two), the
    // content (two).
    for (before, fault) in [
        (0, Fault::Status(503)),
        (1, Fault::Status(500)),
        (2, Fault::Status(429)),
        (3, Fault::Truncate(10)),
        (4, Fault::HangUp),
        (5, Fault::Truncate(20)),
        (3, Fault::Slow(Duration::from_millis(1))),
    ] {
        let (server, url, place) = served();
        server.misbehave(vec![Fault::Nothing; before]);
        server.misbehave([fault.clone()]);
        let fetched = place.fetch(&url);
        let fetched = fetched.unwrap_or_else(|error| panic!("{fault:?} after {before}: {error}"));
        assert_eq!(names(&fetched), ["one"]);
        let slow = matches!(fault, Fault::Slow(_));
        assert_eq!(place.slept.lock().unwrap().len(), usize::from(!slow), "{fault:?} {before}");
    }
}

#[test]
fn what_does_not_pass_is_said_after_the_last_try() {
    // P2
    let (server, url, place) = served();
    server.misbehave(vec![Fault::Status(503); 4]);
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
    let delays = [500, 2000, 5000].map(Duration::from_millis);
    assert_eq!(*place.slept.lock().unwrap(), delays);
    let told =
        place.told.lock().unwrap().iter().filter(|step| step.starts_with("Retrying")).count();
    assert_eq!(told, 3);
    server.misbehave(vec![Fault::Status(429); 4]);
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::RateLimited { .. }), "{error:?}");
    assert!(!place.staging.exists());
}

#[test]
fn a_server_that_wants_to_know_who_asks_is_told_by_the_callers_helper() {
    // P2
    let (server, url, place) = served();
    server.require("me", "secret");
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Authentication { .. }), "{error:?}");
    assert_eq!(*place.slept.lock().unwrap(), Vec::<Duration>::new());
    let helper =
        "[credential]\n\thelper = \"!f() { echo username=me; echo password=secret; }; f\"\n";
    place.write("home/.gitconfig", helper);
    assert_eq!(names(&place.fetch(&url).unwrap()), ["one"]);
    let secret = |path: &str| std::fs::read_to_string(place.path().join(path)).unwrap_or_default();
    let cached = files(&place.cache);
    assert!(!cached.is_empty());
    for file in cached.iter().filter_map(|line| line.split(' ').next()) {
        assert!(!secret(&format!("cache/{file}")).contains("secret"), "{file}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    // P2
    let (server, url, mut place) = served();
    let _ = server.repo("owner/empty").file("README.md", "x").commit("first");
    let check = |text: &str, expect: fn(&FetchError) -> bool| {
        let error = place.fetch(text).unwrap_err();
        assert!(expect(&error), "{text}: {error:?}");
        assert!(!place.staging.exists(), "{text}");
    };
    check(&server.url("owner/nothing"), |e| matches!(e, FetchError::NotFound { .. }));
    check(&format!("{url}#nothing"), |e| matches!(e, FetchError::NoSuchRef { .. }));
    check(&format!("{url}#0123456"), |e| matches!(e, FetchError::NoSuchRef { .. }));
    let id = "0123456789012345678901234567890123456789";
    check(&format!("{url}#{id}"), |e| matches!(e, FetchError::NoSuchRef { .. }));
    check(&format!("{url}//skills/nothing"), |e| matches!(e, FetchError::NoSuchPath { .. }));
    check(&format!("{url}//skills/one/SKILL.md"), |e| matches!(e, FetchError::NoSuchPath { .. }));
    check(&server.url("owner/empty"), |e| matches!(e, FetchError::NoSkill { .. }));
    check("./nothing", |e| matches!(e, FetchError::NotFound { .. }));
    check("./nothing.zip", |e| matches!(e, FetchError::NotFound { .. }));
    check(&server.url("nothing.zip"), |e| matches!(e, FetchError::NotFound { .. }));
    let wanted = ["other".to_owned()];
    let error = place.fetch_some(&url, Select::Named(&wanted)).unwrap_err();
    assert!(matches!(error, FetchError::NoSuchSkill { .. }), "{error:?}");
    place.offline = true;
    let error = place.fetch(&server.url("owner/other")).unwrap_err();
    assert!(matches!(error, FetchError::Offline { .. }), "{error:?}");
    let error = place.fetch(&format!("{url}#v7")).unwrap_err();
    assert!(matches!(error, FetchError::Offline { .. }), "{error:?}");
}

#[test]
fn a_disk_without_room_is_said_before_anything_is_written() {
    // P2
    let (_server, url, mut place) = served();
    place.write("local/SKILL.md", SKILL);
    place.write("a.zip", crate::pack::zip(&[crate::pack::Zip::file("one/SKILL.md", SKILL)]));
    // A file system that never has room for anything.
    place.staging = "/proc/metier".into();
    for text in [&*url, "./local", "./a.zip"] {
        let error = place.fetch(text).unwrap_err();
        assert!(matches!(error, FetchError::NoSpace { missing: 1.., .. }), "{text}: {error:?}");
    }
}

#[test]
fn whoever_has_had_enough_ends_it() {
    // P2
    let (server, url, place) = served();
    server.misbehave([Fault::Slow(Duration::from_secs(60))]);
    let cancel = place.cancel.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while server.requests().is_empty() {
                std::thread::yield_now();
            }
            cancel.cancel();
        });
        let error = place.fetch(&url).unwrap_err();
        assert!(matches!(error, FetchError::Interrupted), "{error:?}");
    });
    assert!(!place.staging.exists());
}

#[test]
fn a_machine_without_git_is_told_so() {
    // P2
    let (_server, url, mut place) = served();
    place.environment = vec![("PATH".into(), "/nonexistent".into())];
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::NoGit), "{error:?}");
    let error = place.fetch(&format!("{url}.zip")).unwrap_err();
    assert!(matches!(error, FetchError::NoCurl), "{error:?}");
    let runner = metier_sandbox::Runner::new().with_helper("/nonexistent");
    let error = place.fetch_with(&runner, &url).unwrap_err();
    assert!(matches!(error, FetchError::Run(_)), "{error:?}");
}

#[test]
fn an_archive_on_a_web_server_is_brought_or_it_is_said_why_not() {
    // P1, P2
    let server = GitServer::start();
    let mut place = Place::new();
    let bytes = crate::pack::zip(&[crate::pack::Zip::file("one/SKILL.md", SKILL)]);
    let url = server.serve("files/one.skill", bytes);
    server.misbehave([Fault::Status(503), Fault::Truncate(30), Fault::HangUp]);
    let fetched = place.fetch(&url).unwrap();
    assert_eq!((names(&fetched), place.slept.lock().unwrap().len()), (vec!["one"], 3));
    assert_eq!(fetched.skills[0].locked.source, url);
    assert_eq!(files(&place.staging), ["one/SKILL.md 644"]);
    server.misbehave(vec![Fault::Status(429); 4]);
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::RateLimited { .. }), "{error:?}");
    let evil = server.serve("evil.zip", b"PK no archive".to_vec());
    let error = place.fetch(&evil).unwrap_err();
    assert!(matches!(error, FetchError::Refused(_)), "{error:?}");
    assert!(!place.staging.exists() || files(&place.staging).is_empty());
    server.require("me", "secret");
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Authentication { .. }), "{error:?}");
    place.offline = true;
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Offline { .. }), "{error:?}");
}

#[test]
fn whoever_waits_is_told_what_goes_on() {
    // P2
    let (_server, url, place) = served();
    place.fetch(&url).unwrap();
    let told = place.told.lock().unwrap();
    let told: Vec<&str> = told.iter().filter_map(|step| step.split(' ').next()).collect();
    let steps: Vec<&str> = told.iter().copied().filter(|step| *step != "Received").collect();
    assert_eq!(steps, ["Resolving", "Fetching", "Fetching", "Staging"]);
}

#[test]
fn a_repository_runs_nothing_by_what_it_says_about_itself() {
    // P2
    let server = GitServer::start();
    let repo = server.repo("owner/evil").skill("one", "one");
    let marker = server.directory("owner/evil").join("run");
    let run = format!("touch {}", marker.display());
    for setting in ["uploadpack.packObjectsHook", "core.fsmonitor", "core.sshCommand", "core.pager"]
    {
        let _ = repo.git(&["config", setting, &run], b"");
    }
    let _ = repo
        .file("one/.gitattributes", "* filter=evil diff=evil merge=evil\n")
        .file(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch%20x\n")
        .commit("first");
    for hook in ["post-checkout", "pre-receive", "reference-transaction", "post-update"] {
        use std::os::unix::fs::PermissionsExt;
        let path = server.directory("owner/evil").join("hooks").join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{run}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let place = Place::new();
    // The caller's own settings may name programs too; none of them has a part in fetching.
    let settings = format!(
        "[core]\n\tfsmonitor = {run}\n\thooksPath = {}\n[filter \"evil\"]\n\tsmudge = {run}\n",
        server.directory("owner/evil").join("hooks").display()
    );
    place.write("home/.gitconfig", settings);
    let local = format!("file://{}", server.directory("owner/evil").display());
    for url in [server.url("owner/evil"), local] {
        let fetched = place.fetch(&url).unwrap();
        assert_eq!(names(&fetched), ["one"], "{:?}", fetched.refused);
        assert_eq!(files(&place.staging), ["one/.gitattributes 644", "one/SKILL.md 644"]);
        assert!(!marker.exists(), "{url}");
    }
}

#[test]
fn a_broken_cache_is_made_again() {
    // P2
    let (server, url, mut place) = served();
    place.fetch(&url).unwrap();
    let inside = |ends: &str| {
        let all = files(&place.cache).into_iter();
        let mut paths = all.filter_map(|line| line.split(' ').next().map(|p| place.cache.join(p)));
        paths.find(|path| path.display().to_string().ends_with(ends)).unwrap()
    };
    let cut = |path: std::path::PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        let half = std::fs::metadata(&path).unwrap().len() / 2;
        std::fs::File::options().write(true).open(&path).unwrap().set_len(half).unwrap();
    };
    let root = || inside("HEAD").parent().unwrap().to_owned();
    let breaks: [(&str, &dyn Fn()); 6] = [
        ("a cut pack", &|| cut(inside(".pack"))),
        ("a cut index", &|| cut(inside(".idx"))),
        ("no pack", &|| std::fs::remove_file(inside(".pack")).unwrap()),
        ("no HEAD", &|| std::fs::remove_file(inside("HEAD")).unwrap()),
        ("settings that are none", &|| std::fs::write(inside("config"), "[core").unwrap()),
        ("what a killed git leaves", &|| {
            std::fs::write(root().join("shallow.lock"), "").unwrap();
            std::fs::write(root().join("objects/pack/tmp_pack_x"), "x").unwrap();
        }),
    ];
    for (what, act) in breaks {
        act();
        server.forget();
        let fetched = place.fetch(&url);
        let fetched = fetched.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert_eq!(names(&fetched), ["one"], "{what}");
        assert!(!root().join("objects/pack/tmp_pack_x").exists());
    }
    place.offline = true;
    std::fs::write(inside("config"), "[core").unwrap();
    let error = place.fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Cache { .. }), "{error:?}");
}

#[test]
fn many_at_once_share_one_cache_and_one_fetch() {
    // P5
    let (server, url, first) = served();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let mut place = Place::new();
                place.cache = first.path().join("cache");
                assert_eq!(names(&place.fetch(&url).unwrap()), ["one"]);
            });
        }
    });
    // Each asks where the branch is; one brings the commit and the content.
    let asked = server.requests().iter().filter(|r| r.starts_with("POST")).count();
    assert_eq!(asked, 6 + 2, "{:?}", server.requests());
}
