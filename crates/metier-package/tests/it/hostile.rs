//! Packages made to do harm: each is refused with its code, and nothing is written anywhere but where
//! it is gone again.

mod tables;
mod tars;
mod trees;
mod zips;

use metier_package::{FetchError, Fetched};

use crate::fetching::SKILL;
use crate::pack::{Tar, Zip, tar_gz, zip};
use crate::place::{Place, files};
use tables::{LAYOUTS, LINKS, MANIFESTS, NAMES, PAIRS};

/// The name with the skill's directory in it.
fn inside(name: &[u8], directory: &str) -> Vec<u8> {
    match name.strip_prefix(b"ONE") {
        Some(rest) => [directory.as_bytes(), rest].concat(),
        None => match name.strip_prefix(b"/ONE") {
            Some(rest) => [b"/", directory.as_bytes(), rest].concat(),
            None => name.to_vec(),
        },
    }
}

/// A package that is one file, with what it is and the code it has to get.
type Case = (String, Vec<u8>, &'static str);

fn skill() -> Tar {
    Tar::file("one/SKILL.md", SKILL)
}

fn skill_zip() -> Zip {
    Zip::file("one/SKILL.md", SKILL)
}

fn named_archives() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, code) in NAMES {
        let name = inside(name, "one");
        let shown = String::from_utf8_lossy(&name).into_owned();
        let packed = tar_gz(&[skill(), Tar::file(&name, "x")]);
        cases.push((format!("tar file {shown}"), packed, *code));
        let packed = zip(&[skill_zip(), Zip::file(&name, "x")]);
        cases.push((format!("zip file {shown}"), packed, *code));
        if !name.ends_with(b"/") {
            let link = tar_gz(&[skill(), Tar::kind(&name, b'2', "one/SKILL.md")]);
            cases.push((format!("tar link {shown}"), link, *code));
        }
    }
    for (first, second, code) in PAIRS {
        let (a, b) = (format!("one/{first}"), format!("one/{second}"));
        let mut entries = vec![Tar::file(&a, "1"), Tar::file(&b, "2")];
        let mut zipped = vec![Zip::file(&a, "1"), Zip::file(&b, "2")];
        if *first != "SKILL.md" {
            entries.push(skill());
            zipped.push(skill_zip());
        }
        cases.push((format!("tar pair {first} {second}"), tar_gz(&entries), *code));
        cases.push((format!("zip pair {first} {second}"), zip(&zipped), *code));
    }
    cases
}

fn linked_archives() -> Vec<Case> {
    let mut cases = Vec::new();
    for (link, target, code) in LINKS {
        let path = format!("one/{link}");
        let packed = tar_gz(&[skill(), Tar::kind(&path, b'2', target)]);
        cases.push((format!("tar link {link} -> {target}"), packed, *code));
        let packed = zip(&[skill_zip(), Zip::kind(&path, 0o120_777, target)]);
        cases.push((format!("zip link {link} -> {target}"), packed, *code));
    }
    let through = [skill(), Tar::kind("one/d", b'2', "/tmp"), Tar::file("one/d/x", "x")];
    cases.push(("tar write through a link".to_owned(), tar_gz(&through), "PK204"));
    let twice = [skill(), Tar::kind("one/d", b'2', "/tmp/x"), Tar::file("one/d", "x")];
    cases.push(("tar write over a link".to_owned(), tar_gz(&twice), "PK201"));
    let chain = [skill(), Tar::kind("one/a", b'2', "b"), Tar::kind("one/b", b'2', "SKILL.md")];
    cases.push(("tar link to a link".to_owned(), tar_gz(&chain), "PK302"));
    for layout in LAYOUTS {
        let mut entries = vec![skill()];
        entries.extend(layout.iter().map(|path| Tar::file(format!("one/{path}"), "x")));
        cases.push((format!("tar layout {layout:?}"), tar_gz(&entries), "PK307"));
        let mut entries = vec![skill_zip()];
        entries.extend(layout.iter().map(|path| Zip::file(format!("one/{path}"), "x")));
        cases.push((format!("zip layout {layout:?}"), zip(&entries), "PK307"));
    }
    for (text, code) in MANIFESTS {
        let packed = tar_gz(&[Tar::file("one/SKILL.md", text)]);
        cases.push((format!("tar manifest {text:?}"), packed, *code));
        let packed = zip(&[Zip::file("one/SKILL.md", text)]);
        cases.push((format!("zip manifest {text:?}"), packed, *code));
    }
    cases
}

/// Bytes that do not compress.
pub(crate) fn random(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..count).map(|_| step()).collect()
}

/// The code a package got: for the whole of it, or for the one skill in it.
fn code(result: &Result<Fetched, FetchError>) -> String {
    match result {
        Err(FetchError::Refused(at)) => at.hazard.code().to_owned(),
        Err(other) => format!("{other:?}"),
        Ok(fetched) => match fetched.refused.first() {
            Some(refused) if fetched.skills.is_empty() => refused.code.to_owned(),
            _ => format!("accepted {:?}", files(&fetched.skills[0].directory)),
        },
    }
}

/// What lies in the place besides cache and staging, and in the staging directory.
fn around(place: &Place) -> (Vec<String>, Vec<String>) {
    let all = files(place.path());
    let staged = |path: &String| path.starts_with("staging/");
    let cached = |path: &String| path.starts_with("cache/") || path.starts_with("p.");
    let (staged, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(staged);
    (rest.into_iter().filter(|path| !cached(path)).collect(), staged)
}

#[test]
fn every_hostile_archive_is_refused_with_its_code_and_leaves_nothing() {
    // P1, P2
    let place = Place::new();
    place.write("canary/file", "untouched");
    let before = around(&place).0;
    let mut cases = named_archives();
    cases.extend(linked_archives());
    cases.extend(tars::cases());
    cases.extend(zips::cases());
    assert!(cases.len() >= 300, "{} packages", cases.len());
    let mut wrong = Vec::new();
    for (what, bytes, expect) in &cases {
        let name = if bytes.starts_with(b"PK") { "p.zip" } else { "p.skill" };
        place.write(name, bytes);
        let got = code(&place.fetch(&format!("./{name}")));
        let (rest, staged) = around(&place);
        if got != *expect || rest != before || !staged.is_empty() {
            wrong.push(format!("{what}: {expect} expected, got {got}; staged {staged:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn hostile_local_directories_are_refused_with_their_code() {
    // P1, P2
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    for (index, (name, expect)) in NAMES.iter().enumerate() {
        let Some(inner) = name.strip_prefix(b"ONE/") else { continue };
        if matches!(*expect, "PK101" | "PK103") && !name.contains(&b'\\') {
            continue;
        }
        let root = format!("d{index}");
        place.write(&format!("{root}/one/SKILL.md"), SKILL);
        let path = place.path().join(&root).join("one").join(std::ffi::OsStr::from_bytes(inner));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        assert_eq!(code(&place.fetch(&format!("./{root}"))), *expect, "{path:?}");
    }
    for (index, (link, target, expect)) in
        LINKS.iter().filter(|(_, t, _)| !t.is_empty()).enumerate()
    {
        let root = format!("l{index}");
        place.write(&format!("{root}/one/SKILL.md"), SKILL);
        let path = place.path().join(&root).join("one").join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        assert_eq!(code(&place.fetch(&format!("./{root}"))), *expect, "{link} -> {target}");
    }
    let file = place.write("setuid/one/x", "x");
    place.write("setuid/one/SKILL.md", SKILL);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o4755)).unwrap();
    assert_eq!(code(&place.fetch("./setuid")), "PK305");
    place.write("fifo/one/SKILL.md", SKILL);
    let fifo = place.path().join("fifo/one/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(code(&place.fetch("./fifo")), "PK304");
    place.write("socket/one/SKILL.md", SKILL);
    let _socket =
        std::os::unix::net::UnixListener::bind(place.path().join("socket/one/s")).unwrap();
    assert_eq!(code(&place.fetch("./socket")), "PK304");
}
