use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};

use metier_format::limits::MAX_PREFIX_BYTES;
use metier_format::{Code, Diagnostic};
use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::io::Errno;

use super::{Reading, for_each_entry, link_reason, not_opened, refused_link, special};
use crate::candidate::Spot;
use crate::contained::{OPEN_FILE, Refusal};
use crate::layer::RootId;
use crate::limits::PREFIX_BYTES;

fn fd(path: impl AsRef<std::path::Path>) -> OwnedFd {
    open(path.as_ref(), OPEN_FILE, Mode::empty()).unwrap()
}

/// Frontmatter of about `size` bytes, then a body.
fn text(size: usize) -> String {
    let pad = "x".repeat(size.saturating_sub(40));
    format!("---\nname: a\ndescription: {pad}\n---\n# The body\n")
}

/// Bytes that were read, and the candidate's description or the first code of what is wrong.
fn read(fd: &OwnedFd) -> (u64, Result<Box<str>, Code>) {
    let (_, bytes, outcome) = read_as(fd, "SKILL.md", b"a");
    (bytes, outcome)
}

/// The same with the first code found, wrong or not, for a file and directory called so.
fn read_as(
    fd: &OwnedFd,
    file: &str,
    directory: &[u8],
) -> (Option<Code>, u64, Result<Box<str>, Code>) {
    let mut reading = Reading { fd, text: &mut Vec::new(), length: 0, bytes: 0 };
    let spot = Spot { root: RootId(0), path: directory, identity: (1, 1) };
    let outcome = reading.candidate(file, Some(directory), spot);
    let code = |list: &[Diagnostic]| list.first().map(|finding| finding.code);
    let first = outcome.as_ref().map_or_else(|why| code(why), |found| code(&found.diagnostics));
    let told = outcome.map(|found| found.description).map_err(|why| code(&why).unwrap());
    (first, reading.bytes, told)
}

#[test]
fn one_page_is_read_and_more_only_while_the_frontmatter_is_open() {
    // D2
    let world = World::new();
    let check = |text: &str, bytes: usize, expect: Result<usize, Code>| {
        let (read, told) = read(&fd(world.write("x/SKILL.md", text)));
        assert_eq!(read, bytes as u64, "{} bytes", text.len());
        assert_eq!(told.map(|description| description.len()), expect, "{} bytes", text.len());
    };
    let body = "body\n".repeat(100_000);
    check(&(text(400) + &body), PREFIX_BYTES, Ok(360));
    check(&(text(5_000) + &body), 2 * PREFIX_BYTES, Ok(4960));
    check("---\nname: a\ndescription: b\n---", 30, Ok(1));
    check("---\nname: a\n", 12, Err(Code::UnclosedFrontmatter));
    check("", 0, Err(Code::NoFrontmatter));
    check("# No frontmatter\n", 17, Err(Code::NoFrontmatter));
    let open_for_ever = format!("---\nname: {}", "x".repeat(1 << 20));
    check(&open_for_ever, MAX_PREFIX_BYTES, Err(Code::FrontmatterTooLarge));
    check(&"\n".repeat(1 << 20), PREFIX_BYTES, Err(Code::NoFrontmatter));
}

#[test]
fn a_fence_cut_by_the_end_of_a_page_is_not_taken_for_one() {
    // D2, F1
    let world = World::new();
    // The page ends after `---` of a line that goes on.
    let pad = "x".repeat(PREFIX_BYTES - "---\nname: a\ndescription: b\nlicense: \n---".len());
    let start = format!("---\nname: a\ndescription: b\nlicense: {pad}\n---");
    assert_eq!(start.len(), PREFIX_BYTES);
    let text = format!("{start}more: text\n---\nBody\n");
    let (first, bytes, told) = read_as(&fd(world.write("x/SKILL.md", &text)), "SKILL.md", b"a");
    assert_eq!((bytes, told.as_deref()), (text.len() as u64, Ok("b")));
    assert_eq!(first, Some(Code::UnknownField), "the line belongs to the frontmatter");
}

#[test]
fn a_file_by_another_name_or_in_another_directory_says_so() {
    // F1, F3
    let world = World::new();
    let file = fd(world.write("x/skill.md", text(100)));
    assert_eq!(read_as(&file, "skill.md", b"a").0, Some(Code::FileName));
    assert_eq!(read_as(&file, "SKILL.md", b"b").0, Some(Code::NameNotDirectory));
    assert_eq!(read_as(&file, "SKILL.md", b"a\xff").0, Some(Code::NameNotDirectory));
    assert_eq!(read_as(&file, "SKILL.md", b"a").0, None);
}

#[test]
fn what_is_not_a_file_is_told_apart_and_not_waited_for() {
    // F4
    let world = World::new();
    let fifo = world.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    assert_eq!(read(&fd(&fifo)), (0, Err(Code::IsFifo)));
    assert_eq!(read(&fd(world.path())), (0, Err(Code::IsDirectory)));
    assert_eq!(read(&fd("/dev/null")), (0, Err(Code::IsDevice)));
    let (bytes, kind) = read(&fd("/dev/zero"));
    assert_eq!(kind, Err(Code::IsDevice));
    assert!(bytes <= PREFIX_BYTES as u64, "{bytes}");
}

#[test]
fn a_fifo_keeps_what_was_written_to_it() {
    // F4
    let world = World::new();
    let fifo = world.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap();
    let mut reader = File::options().read(true).custom_flags(nonblocking).open(&fifo).unwrap();
    let mut writer = File::options().write(true).open(&fifo).unwrap();
    writer.write_all(text(100).as_bytes()).unwrap();
    assert_eq!(read(&fd(&fifo)).1, Err(Code::IsFifo));
    let mut kept = vec![0; text(100).len()];
    reader.read_exact(&mut kept).unwrap();
    assert_eq!(kept, text(100).as_bytes());
}

#[test]
fn every_kind_of_file_has_its_own_finding() {
    // F3, F4
    let check = |kind: FileType, code: Code, message: &str| {
        let finding = special(kind, b"x/SKILL.md");
        assert_eq!((finding.code, &*finding.message), (code, message));
        assert_eq!(not_opened(kind, Errno::ACCESS, b"x/SKILL.md"), finding);
    };
    check(FileType::Directory, Code::IsDirectory, "`x/SKILL.md` is a directory");
    check(FileType::Fifo, Code::IsFifo, "`x/SKILL.md` is a fifo");
    check(FileType::Socket, Code::IsSocket, "`x/SKILL.md` is a socket");
    check(FileType::CharacterDevice, Code::IsDevice, "`x/SKILL.md` is a device");
    check(FileType::BlockDevice, Code::IsDevice, "`x/SKILL.md` is a device");
    let unreadable = not_opened(FileType::RegularFile, Errno::ACCESS, b"x/SKILL.md");
    assert_eq!(unreadable.code, Code::Unreadable);
    assert!(unreadable.message.ends_with("Permission denied (os error 13)"), "{unreadable:?}");
}

#[test]
fn a_link_that_is_not_followed_says_why() {
    // F3, R1
    let check = |refusal: Refusal, code: Code, part: &str| {
        let finding = refused_link(refusal, b"x/SKILL.md");
        assert_eq!(finding.code, code);
        assert!(finding.message.contains(part), "{finding:?}");
    };
    check(Refusal::Leaves, Code::LinkLeavesSkill, "leaves the skill");
    check(Refusal::Missing, Code::Unreadable, "points nowhere");
    check(Refusal::Special(FileType::Directory), Code::IsDirectory, "is a directory");
    check(Refusal::System(Errno::LOOP), Code::Unreadable, "os error 40");
    assert!(link_reason(Errno::NOENT).contains("nowhere"));
    assert!(link_reason(Errno::LOOP).contains("itself"));
    assert!(link_reason(Errno::ACCESS).contains("Permission denied"));
}

#[test]
fn a_directory_is_listed_whole_however_many_entries_it_has() {
    // D1
    let world = World::new();
    for number in 0..800 {
        world.write(format!("many/a-file-with-a-rather-long-name-{number}"), "");
    }
    symlink("nowhere", world.path().join("many/link")).unwrap();
    let directory = open(world.path().join("many"), super::OPEN_DIRECTORY, Mode::empty()).unwrap();
    let (mut files, mut links) = (0, 0);
    for_each_entry(&directory, &mut Vec::new(), |name, kind, inode| {
        assert!(!name.is_empty() && inode != 0);
        files += usize::from(kind == FileType::RegularFile);
        links += usize::from(kind == FileType::Symlink);
    })
    .unwrap();
    assert_eq!((files, links), (800, 1));
}
