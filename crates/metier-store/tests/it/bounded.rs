//! How much discovery reads, counted by the kernel.

use std::fs::{File, OpenOptions};

use metier_format::limits::MAX_PREFIX_BYTES;
use metier_store::discover::{Discovery, ScanLimits};
use metier_store::limits::PREFIX_BYTES;
use metier_store::{FileStore, Store};
use metier_testing::{Layout, World, generate_skills};

use crate::ground::{root, skills, skipped};

/// Bytes this thread has read so far, by the kernel's count, and those this question read itself.
fn bytes_read() -> (u64, u64) {
    let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    (line.parse().unwrap(), io.len() as u64)
}

/// Scans in this thread alone; the bytes it read by the kernel's count.
fn count(world: &World) -> (Discovery, u64) {
    let store = FileStore::new(vec![root(skills(world))]);
    let (before, question) = bytes_read();
    let found = store.discover(&ScanLimits { threads: 1, ..ScanLimits::default() });
    let (after, _) = bytes_read();
    (found, after - before - question)
}

#[test]
fn discovery_reads_one_page_of_each_file_and_counts_it_truly() {
    // D2
    let world = World::new();
    generate_skills(&skills(&world), 300, Layout::Nested);
    for (number, size) in [(1, 5_000_000), (2, 40_000)] {
        let text = format!("---\nname: big-{number}\ndescription: Big.\n---\n");
        let file = world.write(format!("skills/big-{number}/SKILL.md"), text + &"x\n".repeat(size));
        assert!(file.metadata().unwrap().len() > 80_000);
    }
    let (found, read) = count(&world);
    assert_eq!(found.found.len(), 302);
    assert_eq!(found.stats.files, 302);
    assert_eq!(found.stats.directories, 302 + 1 + 16 + 256);
    assert_eq!(read, found.stats.bytes_read);
    assert!(read <= 302 * PREFIX_BYTES as u64, "{read}");
}

#[test]
fn a_gigabyte_of_body_costs_no_more_than_a_page() {
    // D2
    let world = World::new();
    let skill = world.skill("skills", "vast", "A gigabyte of body.");
    let file = OpenOptions::new().write(true).open(skill.join("SKILL.md")).unwrap();
    file.set_len(1 << 30).unwrap();
    let (found, read) = count(&world);
    assert_eq!(found.found.len(), 1);
    assert_eq!(read, PREFIX_BYTES as u64);
}

#[test]
fn frontmatter_that_never_ends_is_given_up_at_the_limit() {
    // D2, F4
    let world = World::new();
    let file = world.write("skills/endless/SKILL.md", "---\nname: endless\ndescription: ");
    File::options().append(true).open(file).unwrap().set_len(1 << 30).unwrap();
    let (found, read) = count(&world);
    assert_eq!(skipped(&found), ["endless/SKILL.md SK020"]);
    assert_eq!(read, MAX_PREFIX_BYTES as u64);
}

#[test]
fn long_frontmatter_is_read_as_far_as_it_goes() {
    // D2
    let world = World::new();
    let pad = "# a comment\n".repeat(1_000);
    let text =
        format!("---\nname: long\ndescription: Long.\n{pad}---\n{}", "body\n".repeat(100_000));
    world.write("skills/long/SKILL.md", text);
    let (found, read) = count(&world);
    assert_eq!(found.found.len(), 1, "{:?}", skipped(&found));
    assert_eq!(read, 16_384);
}
