use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};

use metier_format::Code;
use metier_format::limits::MAX_PREFIX_BYTES;
use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::io::Errno;

use super::{
    Opening, Unread, for_each_entry, link_reason, not_opened, opening, refused_link, special,
};
use crate::contained::{OPEN_FILE, Refusal};
use crate::limits::PREFIX_BYTES;

fn fd(path: impl AsRef<std::path::Path>) -> OwnedFd {
    open(path.as_ref(), OPEN_FILE, Mode::empty()).unwrap()
}

/// Frontmatter of about `size` bytes, then a body.
fn text(size: usize) -> String {
    let pad = "x".repeat(size.saturating_sub(40));
    format!("---\nname: a\ndescription: {pad}\n---\n# The body\n")
}

/// Bytes that were read, and either the length kept or what it is instead of a regular file.
fn read(fd: &OwnedFd) -> (u64, Result<usize, Option<FileType>>) {
    let (mut buffer, mut bytes) = (Vec::new(), 0);
    let opened = opening(fd, &mut buffer, None, &mut bytes);
    let kept = opened.map(|Opening { length, .. }| length).map_err(|unread| match unread {
        Unread::Special(kind) => Some(kind),
        Unread::System(_) => None,
    });
    (bytes, kept)
}

#[test]
fn one_page_is_read_and_more_only_while_the_frontmatter_is_open() {
    // D2
    let world = World::new();
    let check = |text: &str, expect: (u64, Result<usize, Option<FileType>>)| {
        let file = world.write("x/SKILL.md", text);
        assert_eq!(read(&fd(file)), expect, "{} bytes", text.len());
    };
    let page = PREFIX_BYTES as u64;
    let large = text(400) + &"body\n".repeat(100_000);
    check(&large, (page, Ok(PREFIX_BYTES)));
    check(&(text(5_000) + &large), (2 * page, Ok(2 * PREFIX_BYTES)));
    check("---\nname: a\n", (12, Ok(12)));
    check("", (0, Ok(0)));
    check("# No frontmatter\n", (17, Ok(17)));
    check("---\nname: a\n---", (15, Ok(15)));
    let open_for_ever = format!("---\nname: {}", "x".repeat(1 << 20));
    check(&open_for_ever, (MAX_PREFIX_BYTES as u64, Ok(MAX_PREFIX_BYTES)));
    let blank = "\n".repeat(1 << 20);
    check(&blank, (page, Ok(PREFIX_BYTES)));
}

#[test]
fn a_fence_cut_by_the_end_of_a_page_is_not_taken_for_one() {
    // D2, F1
    let world = World::new();
    // The page ends after `---` of a line that goes on.
    let start = format!("---\nname: a\ndescription: b\nlicense: {}\n", "x".repeat(4096 - 40));
    let start = &start[..start.len() - (start.len() + 3 - PREFIX_BYTES)];
    assert_eq!(start.len(), PREFIX_BYTES - 3);
    let cut = format!("{}\n---more: text\n---\nBody\n", &start[..start.len() - 1]);
    let file = fd(world.write("x/SKILL.md", &cut));
    let (mut buffer, mut bytes) = (Vec::new(), 0);
    let opened = opening(&file, &mut buffer, None, &mut bytes);
    let parsed = opened.unwrap_or_else(|_| panic!("it is a regular file")).parsed;
    assert_eq!(parsed.body.map(|body| &cut[body as usize..]), Some("Body\n"));
}

#[test]
fn what_is_not_a_file_is_told_apart_and_not_waited_for() {
    // F4
    let world = World::new();
    let fifo = world.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    assert_eq!(read(&fd(&fifo)), (0, Err(Some(FileType::Fifo))));
    assert_eq!(read(&fd(world.path())), (0, Err(Some(FileType::Directory))));
    assert_eq!(read(&fd("/dev/null")), (0, Err(Some(FileType::CharacterDevice))));
    let (bytes, kind) = read(&fd("/dev/zero"));
    assert_eq!(kind, Err(Some(FileType::CharacterDevice)));
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
    assert_eq!(read(&fd(&fifo)).1, Err(Some(FileType::Fifo)));
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
    for number in 0..3_000 {
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
    assert_eq!((files, links), (3_000, 1));
}
