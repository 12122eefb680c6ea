//! The same files are the same skill whatever they come in, and an archive with one bit changed is
//! another archive or none, but never one that gets out.

use std::collections::BTreeMap;

use metier_package::archive::list;
use metier_testing::GitServer;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::fetching::SKILL;
use crate::pack::{Tar, Zip, gzip, tar, tar_gz, zip};
use crate::place::{Place, files, names};

/// Files of a skill: path to content and whether it is executable.
type Files = BTreeMap<String, (Vec<u8>, bool)>;

fn some_files() -> impl Strategy<Value = Files> {
    let name = "[a-z][a-z0-9_ é日.]{0,8}[a-z]";
    let path = prop::collection::vec(name, 1..4).prop_map(|parts| parts.join("/"));
    let content = (prop::collection::vec(any::<u8>(), 0..300), any::<bool>());
    prop::collection::btree_map(path, content, 0..8).prop_map(|mut files| {
        // A file that another needs as a directory, or that is a device or a repository somewhere.
        let paths: Vec<String> = files.keys().cloned().collect();
        let inside = |path: &str| paths.iter().any(|other| other.starts_with(&format!("{path}/")));
        let odd = ["con", "aux", "nul", "prn", "head", "com", "lpt", "skill"];
        files.retain(|path, _| {
            let stem = |part: &str| part.split(['.', ' ']).next().unwrap_or_default().to_owned();
            !inside(path) && !path.split('/').any(|part| odd.contains(&&*stem(part)))
        });
        files.insert("SKILL.md".to_owned(), (SKILL.as_bytes().to_vec(), false));
        files
    })
}

#[test]
fn the_same_files_are_the_same_skill_whatever_they_come_in() {
    // P1, P3
    let server = GitServer::start();
    let mut runner =
        TestRunner::new(Config { cases: 6, failure_persistence: None, ..Config::default() });
    let round = std::cell::Cell::new(0);
    runner
        .run(&some_files(), |all| {
            round.set(round.get() + 1);
            let place = Place::new();
            let name = format!("owner/r{}", round.get());
            let mut repo = server.repo(&name);
            let (mut tars, mut zips) = (Vec::new(), Vec::new());
            for (path, (content, executable)) in &all {
                let inner = format!("one/{path}");
                let mode = if *executable { 0o755 } else { 0o644 };
                tars.push(Tar { mode, ..Tar::file(&inner, content) });
                zips.push(Zip { mode: 0o100_000 | mode, ..Zip::file(&inner, content) });
                let file = place.write(&format!("local/{inner}"), content);
                let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
                std::fs::set_permissions(file, rights).unwrap();
                repo = match executable {
                    true => repo.executable(&inner, content),
                    false => repo.file(&inner, content),
                };
            }
            let _ = repo.commit("all");
            place.write("a.tgz", tar_gz(&tars));
            place.write("a.zip", zip(&zips));
            let digests = ["./local", "./a.tgz", "./a.zip", &server.url(&name)].map(|text| {
                let fetched = place.fetch(text).unwrap();
                assert_eq!(names(&fetched), ["one"], "{text}: {:?}", fetched.refused);
                let tree = &fetched.skills[0].tree;
                assert_eq!(tree.files().len(), all.len(), "{text}");
                assert_eq!(files(&fetched.skills[0].directory).len(), all.len(), "{text}");
                tree.digest()
            });
            assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
            Ok(())
        })
        .unwrap();
}

/// Whether every path that was admitted stays inside.
fn stays_inside(paths: &[String]) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.starts_with('-');
    paths.iter().all(|path| path.split('/').all(plain))
}

#[test]
fn an_archive_with_any_byte_changed_never_gets_out() {
    // P2
    let entries = [
        Tar::kind("one/", b'5', ""),
        Tar::file("one/SKILL.md", SKILL),
        Tar::pax(b'x', &[("path", b"one/long name")]),
        Tar::file("one/x", "x"),
        Tar::kind("one/l", b'2', "SKILL.md"),
    ];
    let zips = [
        Zip::kind("one/", 0o040_755, ""),
        Zip::file("one/SKILL.md", SKILL),
        Zip { method: 0, ..Zip::file("one/x", "x") },
        Zip::kind("one/l", 0o120_777, "SKILL.md"),
    ];
    let (plain, zipped) = (tar(&entries), zip(&zips));
    let expect = ["one", "one/SKILL.md", "one/l", "one/x"];
    assert_eq!(list(&zipped).unwrap(), expect);
    let (mut same, mut refused) = (0, 0);
    let mut look = |bytes: &[u8]| match list(bytes) {
        Ok(paths) => {
            assert!(stays_inside(&paths), "{paths:?}");
            same += 1;
        }
        Err(_) => refused += 1,
    };
    let mut bytes = zipped.clone();
    for at in 0..bytes.len() {
        for change in [0xff, 0x01, 0x80, 0x2e] {
            bytes[at] ^= change;
            look(&bytes);
            bytes[at] ^= change;
        }
        look(&zipped[..at]);
    }
    // A header of a tar file has a checksum, which whoever changes one puts right.
    let mut bytes = plain.clone();
    for block in (0..bytes.len()).step_by(512) {
        for at in block..block + 512 {
            let before = bytes[block..block + 512].to_vec();
            bytes[at] ^= 0x2e;
            let sum: u32 = (0..512)
                .map(|n| if (148..156).contains(&n) { 32 } else { u32::from(bytes[block + n]) })
                .sum();
            bytes[block + 148..block + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            look(&gzip(&bytes));
            bytes[block..block + 512].copy_from_slice(&before);
        }
    }
    assert!(refused > 3000 && same > 100, "{refused} refused, {same} not");
}
