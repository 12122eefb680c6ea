#![expect(clippy::disallowed_methods, reason = "tests look at the files that were written")]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use super::{Draft, Place, Scratch, WriteError, replace};

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole_with_its_mode_and_nothing_is_left_beside_it() {
    // F5
    let scratch = Scratch::new().unwrap();
    let file = scratch.write("skill/SKILL.md", b"old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    replace(scratch.path(), &file, b"old", b"new").unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    assert_eq!(names(file.parent().unwrap()), ["SKILL.md"]);
}

#[test]
fn extended_attributes_are_kept() {
    // F5
    let scratch = Scratch::new().unwrap();
    let file = scratch.write("skill/SKILL.md", b"old").unwrap();
    let opened = std::fs::File::open(&file).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    for (name, value) in [("user.origin", &b"somewhere"[..]), ("user.empty", b"")] {
        match rustix::fs::fsetxattr(&opened, name, value, flags) {
            // This file system has none to keep.
            Err(rustix::io::Errno::NOTSUP) => return,
            other => other.unwrap(),
        }
    }
    replace(scratch.path(), &file, b"old", b"new").unwrap();
    let now = std::fs::File::open(&file).unwrap();
    let mut value = [0; 32];
    let length = rustix::fs::fgetxattr(&now, "user.origin", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"somewhere");
    assert_eq!(rustix::fs::fgetxattr(&now, "user.empty", &mut value[..]).unwrap(), 0);
}

#[test]
fn a_link_inside_the_directory_stays_a_link() {
    // F5
    let scratch = Scratch::new().unwrap();
    let real = scratch.write("skill/docs/real.md", b"old").unwrap();
    let link = scratch.path().join("skill/SKILL.md");
    symlink("docs/real.md", &link).unwrap();
    replace(scratch.path(), &link, b"old", b"new").unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
}

#[test]
fn a_link_that_leaves_the_directory_is_not_written_through() {
    // F5
    let scratch = Scratch::new().unwrap();
    let outside = scratch.write("outside.md", b"old").unwrap();
    scratch.write("skill/other", b"").unwrap();
    let link = scratch.path().join("skill/SKILL.md");
    symlink("../outside.md", &link).unwrap();
    let error = replace(scratch.path(), &link, b"old", b"new").unwrap_err();
    assert!(matches!(error, WriteError::LeavesDirectory { .. }), "{error}");
    assert_eq!(std::fs::read(&outside).unwrap(), b"old");
}

#[test]
fn a_linked_directory_is_written_to_only_inside_the_one_that_was_named() {
    // F5
    let scratch = Scratch::new().unwrap();
    let outside = scratch.write("outside/SKILL.md", b"old").unwrap();
    let inside = scratch.write("named/real/SKILL.md", b"old").unwrap();
    let named = scratch.path().join("named");
    symlink("../outside", named.join("out")).unwrap();
    symlink("real", named.join("in")).unwrap();
    let error = replace(&named, &named.join("out/SKILL.md"), b"old", b"new").unwrap_err();
    assert!(matches!(error, WriteError::LeavesDirectory { .. }), "{error}");
    assert_eq!(std::fs::read(&outside).unwrap(), b"old");
    replace(&named, &named.join("in/SKILL.md"), b"old", b"new").unwrap();
    assert_eq!(std::fs::read(&inside).unwrap(), b"new");
}

#[test]
fn a_directory_swapped_for_another_is_not_the_one_written_to() {
    // F5
    let scratch = Scratch::new().unwrap();
    let file = scratch.write("skill/SKILL.md", b"old").unwrap();
    let other = scratch.write("other/SKILL.md", b"theirs").unwrap();
    let (skill, moved) = (scratch.path().join("skill"), scratch.path().join("moved"));
    let place = Place::find(scratch.path(), &file).unwrap();
    let draft = Draft::beside(&place).unwrap();
    let abandoned = Draft::beside(&place).unwrap();
    std::fs::rename(&skill, &moved).unwrap();
    symlink("other", &skill).unwrap();
    draft.publish().unwrap();
    drop(abandoned);
    assert_eq!(std::fs::read(moved.join("SKILL.md")).unwrap(), b"", "the draft was empty");
    assert_eq!(names(&moved), ["SKILL.md"]);
    assert_eq!(std::fs::read(&other).unwrap(), b"theirs");
    assert_eq!(names(other.parent().unwrap()), ["SKILL.md"]);
}

#[test]
fn a_file_that_changed_meanwhile_keeps_the_change() {
    // F5
    let scratch = Scratch::new().unwrap();
    let file = scratch.write("SKILL.md", b"theirs").unwrap();
    let error = replace(scratch.path(), &file, b"old", b"new").unwrap_err();
    assert!(matches!(error, WriteError::Changed(_)), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"theirs");
    assert_eq!(names(scratch.path()), ["SKILL.md"]);
}

#[test]
fn a_read_only_file_is_left_alone() {
    // F5
    let scratch = Scratch::new().unwrap();
    let file = scratch.write("SKILL.md", b"old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let error = replace(scratch.path(), &file, b"old", b"new").unwrap_err();
    assert!(matches!(error, WriteError::ReadOnly(_)), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
}

#[test]
fn a_missing_file_is_named_in_the_error() {
    // F5
    let scratch = Scratch::new().unwrap();
    let error = replace(scratch.path(), &scratch.path().join("gone.md"), b"", b"new").unwrap_err();
    assert!(matches!(&error, WriteError::Io { path, .. } if path.ends_with("gone.md")), "{error}");
}

#[test]
fn a_scratch_directory_leaves_nothing_behind() {
    // U1
    let scratch = Scratch::new().unwrap();
    let path = scratch.path().to_owned();
    scratch.write("a/b/c", b"x").unwrap();
    scratch.remove().unwrap();
    assert!(!path.exists());
}
