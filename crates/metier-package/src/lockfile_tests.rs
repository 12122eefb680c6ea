use std::path::Path;

use super::*;
use crate::fixture::{Ground, name};

fn pinned(skill: &str, version: u32) -> Pinned {
    Pinned::of(&Ground::new().staged(skill, version)).unwrap()
}

fn read(text: &str) -> Result<Lockfile, LockError> {
    Lockfile::read(text, Path::new("skills.lock"))
}

fn two() -> String {
    let mut lock = Lockfile::default();
    lock.set(pinned("sheets", 1));
    lock.set(pinned("pdf", 1));
    lock.to_string()
}

#[test]
fn what_is_written_is_read_back_sorted_and_the_same() {
    // P3
    let text = two();
    let lock = read(&text).unwrap();
    let names: Vec<&str> = lock.skills().map(|pinned| pinned.name.as_str()).collect();
    assert_eq!(names, ["pdf", "sheets"]);
    assert_eq!(lock.get(&name("pdf")), Some(&pinned("pdf", 1)));
    assert_eq!(lock.to_string(), text);
    assert!(text.find("\"pdf\"") < text.find("\"sheets\""), "{text}");
    assert!(text.contains("commit = \"0000000000000000000000000000000000000001\""), "{text}");
    assert!(text.contains("{ path = \"scripts/run.sh\", mode = \"100755\", sha256 = \""), "{text}");
}

#[test]
fn signatures_are_kept() {
    // P3
    for signature in [
        Signature::None,
        Signature::Good { signer: "SHA256:abc".to_owned() },
        Signature::Unknown { signer: "ABCDEF".to_owned() },
        Signature::Bad,
    ] {
        let mut one = pinned("pdf", 1);
        one.locked.signature = signature;
        let mut lock = Lockfile::default();
        lock.set(one.clone());
        assert_eq!(read(&lock.to_string()).unwrap().get(&one.name), Some(&one));
    }
}

#[test]
fn unknown_keys_and_comments_stay() {
    // P3
    let text = two()
        .replace("version = 1\n", "version = 1\nfuture = { a = 1 } # why\n")
        .replace("name = \"pdf\"\n", "# ours\nname = \"pdf\"\nreviewed-by = \"grace\"\n");
    let mut lock = read(&text).unwrap();
    lock.set(pinned("pdf", 2));
    lock.set(pinned("atlas", 1));
    let new = lock.to_string();
    for kept in ["future = { a = 1 } # why\n", "reviewed-by = \"grace\"\n", "# ours\n"] {
        assert!(new.contains(kept), "{new}");
    }
    assert!(new.contains("0000000002\""), "{new}");
    let places = ["\"atlas\"", "\"pdf\"", "\"sheets\""].map(|name| new.find(name).unwrap());
    assert!(places.is_sorted(), "{new}");
    lock.remove(&name("pdf"));
    lock.remove(&name("nobody"));
    assert!(!lock.to_string().contains("grace"));
    assert!(lock.to_string().contains("future"));
}

#[test]
fn setting_what_is_there_changes_nothing() {
    // P3
    let text = two().replace("source =", "source   =");
    let mut lock = read(&text).unwrap();
    lock.set(pinned("pdf", 1));
    assert_eq!(lock.to_string(), text);
}

#[test]
fn whatever_cannot_be_read_is_an_error_that_names_the_line() {
    // P3
    let good = two();
    let check = |text: &str, line: usize, kind: LockErrorKind| {
        let error = read(text).unwrap_err();
        assert_eq!((error.line, &error.kind), (line, &kind), "{error}\n{text}");
        assert!(error.to_string().starts_with(&format!("skills.lock:{line}: ")), "{error}");
        assert!(!error.kind.hint().is_empty());
    };
    let value = |text: &str| LockErrorKind::Value(text.to_owned());
    check(
        "version = 1\n<<<<<<< ours\n[[skill]]\n=======\n>>>>>>> theirs\n",
        2,
        LockErrorKind::Conflicted,
    );
    check("\nversion = 2\n", 2, LockErrorKind::Newer(2));
    check("", 1, LockErrorKind::NoVersion);
    check("version = 0\n", 1, value("`version` is not a number from 1 up"));
    check("version = \"1\"\n", 1, value("`version` is not a number from 1 up"));
    check("version = 1\nskill = 3\n", 2, value("`skill` is not a list of `[[skill]]` tables"));
    check("version = 1\n\n[[skill]]\n", 3, value("the entry has no `name`"));
    let twice = format!("{good}{}", good.split_once("\n\n").unwrap().1);
    check(&twice, 30, LockErrorKind::Twice("pdf".to_owned()));
    let replaced = |from: &str, to: &str| good.replacen(from, to, 1);
    let cannot = value("`name` cannot be a skill's name");
    check(&replaced("\"pdf\"", "\"../pdf\""), 6, cannot);
    check(&replaced("\"pdf\"", "\".pdf\""), 6, value("`name` cannot be a skill's name"));
    check(&replaced("commit = \"", "commit = 7 #"), 10, value("`commit` is not text"));
    check(
        &replaced("tree = \"sha256:", "tree = \"sha1:"),
        11,
        value("`tree` is not `sha256:` and 64 digits"),
    );
    check(
        &replaced("references/notes.md", "../notes.md"),
        14,
        value("a file has no `path` inside the skill"),
    );
    check(
        &replaced("\"100755\"", "\"104755\""),
        15,
        value("a file's `mode` is not 100644, 100755 or 120000"),
    );
    let one = pinned("pdf", 1);
    let other = "0".repeat(64);
    let inconsistent = || LockErrorKind::Inconsistent("pdf".to_owned());
    check(&replaced(&one.tree, &other), 11, inconsistent());
    check(&replaced(&one.files[0].sha256, &other), 11, inconsistent());
    check(&replaced("scripts/run.sh", "scripts/ran.sh"), 11, inconsistent());
    check(&replaced("\"100755\"", "\"100644\""), 11, inconsistent());
    let line = good.lines().find(|line| line.contains("scripts/run.sh")).unwrap();
    check(&replaced(&format!("{line}\n"), ""), 11, inconsistent());
    check(&replaced(line, &format!("{line}\n{line}")), 11, inconsistent());
    let error = read("version = 1\n\n[[skill]\n").unwrap_err();
    assert!(matches!(error.kind, LockErrorKind::Syntax(_)) && error.line == 3, "{error}");
}

#[test]
fn no_text_is_taken_for_an_empty_lock() {
    // P3: every prefix of a lockfile is whole entries or an error.
    let text = two();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        if let Ok(lock) = read(&text[..end]) {
            let written = text[..end].matches("[[skill]]").count();
            assert_eq!(lock.skills().count(), written, "{}", &text[..end]);
        }
    }
}

#[test]
fn a_lock_of_too_many_skills_is_refused() {
    // P3
    assert_eq!(
        LockErrorKind::TooMany.to_string(),
        format!("the file has more than {MAX_LOCKED_SKILLS} skills")
    );
    let text = format!("version = 1\n{}", "[[skill]]\n".repeat(MAX_LOCKED_SKILLS + 1));
    assert_eq!(read(&text).unwrap_err().kind, LockErrorKind::TooMany);
}

#[test]
fn a_source_below_the_lockfile_means_the_same_in_every_clone() {
    // P3, P1
    let check = |source: &str, written: &str, elsewhere: &str| {
        let mut lock = Lockfile::empty(Path::new("/work/project/skills.lock"));
        let mut one = pinned("pdf", 1);
        source.clone_into(&mut one.locked.source);
        lock.set(one.clone());
        let text = lock.to_string();
        assert!(text.contains(&format!("source = \"{written}\"\n")), "{text}");
        let back = Lockfile::read(&text, Path::new("/work/project/skills.lock")).unwrap();
        assert_eq!(back.get(&one.name), Some(&one));
        let clone = Lockfile::read(&text, Path::new("/home/ada/clone/skills.lock")).unwrap();
        assert_eq!(clone.get(&one.name).unwrap().locked.source, elsewhere);
    };
    check("/work/project/a/pdf.tar.gz", "./a/pdf.tar.gz", "/home/ada/clone/a/pdf.tar.gz");
    check("/work/project/vendor/pdf", "./vendor/pdf", "/home/ada/clone/vendor/pdf");
    check("/work/project", ".", "/home/ada/clone");
    check("/work/projects/pdf", "/work/projects/pdf", "/work/projects/pdf");
    check("/work/other/pdf.zip", "/work/other/pdf.zip", "/work/other/pdf.zip");
    let git = "https://example.com/skills.git";
    check(git, git, git);
}

#[test]
fn a_source_that_leaves_the_lockfiles_directory_is_refused() {
    // P3, F4
    for source in ["../pdf", "./../pdf", "./a/../../pdf", "./a//b", "./", "./a\\u0000"] {
        let mut lock = Lockfile::default();
        lock.set(pinned("pdf", 1));
        let text = lock.to_string();
        let whole = text.lines().find(|line| line.starts_with("source = ")).unwrap();
        let text = text.replace(whole, &format!("source = \"{source}\""));
        let error = Lockfile::read(&text, Path::new("/work/project/skills.lock")).unwrap_err();
        assert!(error.to_string().contains("`source` leaves"), "{source}: {error}");
    }
}
