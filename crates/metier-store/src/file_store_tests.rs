use std::path::Path;

use metier_format::Code;
use metier_testing::World;
use rustix::fs::{CWD, FileType};
use rustix::io::Errno;

use super::{is_below, not_loaded, other_spelling, refused};
use crate::contained::{Refusal, SkillDirectory};
use crate::store::{FileStamp, LoadError, Location, Store as _};
use crate::{FileStore, Layer, Root, RootId};

#[test]
fn a_location_goes_down_from_its_root_and_nowhere_else() {
    // R1, D9
    for below in ["", "a", "a/b", "a b/\u{e9}"] {
        assert!(is_below(Path::new(below)), "{below}");
    }
    for not in ["/", "/etc", "..", "a/..", "a/../b", "./a", "."] {
        assert!(!is_below(Path::new(not)), "{not}");
    }
}

#[test]
fn another_spelling_is_looked_for_among_files_and_the_first_is_taken() {
    // F1
    let world = World::new();
    let check = |directory: &str, expect: Option<&str>| {
        let path = world.path().join(directory);
        let skill = SkillDirectory::open(CWD, path.to_str().unwrap().as_bytes()).unwrap();
        assert_eq!(other_spelling(&skill).as_deref(), expect, "{directory}");
    };
    world.write("two/skill.md", "");
    world.write("two/Skill.md", "");
    check("two", Some("Skill.md"));
    world.write("none/SKILL.txt", "");
    check("none", None);
    world.write("directory/skill.md/x", "");
    check("directory", None);
}

#[test]
fn every_refusal_says_what_is_wrong_with_the_skills_file() {
    // F3, F4
    let code = |refusal: Refusal| match refused(refusal, Path::new("root/one"), "SKILL.md") {
        LoadError::Invalid { path, diagnostics } => {
            assert_eq!(path, Path::new("root/one/SKILL.md"));
            diagnostics.first().map(|diagnostic| diagnostic.code)
        }
        LoadError::NotFound(_) | LoadError::Io { .. } => None,
    };
    assert_eq!(code(Refusal::Leaves), Some(Code::LinkLeavesSkill));
    assert_eq!(code(Refusal::Special(FileType::Directory)), Some(Code::IsDirectory));
    assert_eq!(code(Refusal::Special(FileType::Fifo)), Some(Code::IsFifo));
    assert_eq!(code(Refusal::Special(FileType::Socket)), Some(Code::IsSocket));
    assert_eq!(code(Refusal::Special(FileType::BlockDevice)), Some(Code::IsDevice));
    assert_eq!(code(Refusal::TooLarge { size: 1 }), Some(Code::FileTooLarge));
    assert_eq!(code(Refusal::Missing), None);
    assert_eq!(code(Refusal::System(Errno::IO)), None);
}

#[test]
fn what_is_gone_is_not_found_and_everything_else_keeps_its_reason() {
    // D9
    let check = |errno: Errno, found: bool| {
        let error = not_loaded(Path::new("root/one"), errno);
        assert_eq!(matches!(error, LoadError::NotFound(_)), !found, "{errno}");
        assert!(error.to_string().contains("`root/one`"), "{error}");
        let reason = std::error::Error::source(&error);
        assert_eq!(reason.is_some(), found, "a path never gets lost, nor does its reason");
    };
    check(Errno::NOENT, false);
    check(Errno::NOTDIR, false);
    check(Errno::ACCESS, true);
    check(Errno::MFILE, true);
}

#[test]
fn a_stamp_changes_with_its_file_and_with_no_other() {
    // D7
    let world = World::new();
    let write = |path: &str, text: &str| world.write(path, text);
    write("s/SKILL.md", "---\nname: s\ndescription: x\n---\n");
    write("s/references/a.md", "a");
    let store = FileStore::new(vec![Root::given(Layer::Personal, world.path())]);
    let at = Location { root: RootId(0), path: Path::new("s").into() };
    let stamp = |path: &str| store.stamp(&at, path);
    let (skill, file) = (stamp("SKILL.md"), stamp("references/a.md"));
    assert!(skill.is_some() && file.is_some() && skill != file);
    write("s/references/a.md", "b and more");
    assert!(stamp("references/a.md").is_some_and(|now| Some(now) != file));
    assert_eq!(stamp("SKILL.md"), skill);
    for none in ["gone", "../s/SKILL.md", "/etc/passwd", ""] {
        assert_eq!(stamp(none), None, "{none}");
    }
    let bytes = FileStamp::of_bytes;
    assert!(bytes(b"a") == bytes(b"a") && bytes(b"a") != bytes(b"b"));
}
