use proptest::prelude::*;

use super::{Child, Level, Reached, Seen, Tally};
use crate::paths::{joined, path_order};

fn child(name: &str, inode: u64) -> Child<'_> {
    Child { name: name.as_bytes(), identity: (1, inode), reached: Reached::Plainly }
}

fn level_of(parent: &str, names: &[String], cap: usize) -> (Level, u64) {
    let mut level = Level::default();
    let mut group = level.siblings(parent.as_bytes(), cap);
    for (inode, name) in (1..).zip(names) {
        level.add(&mut group, parent.as_bytes(), child(name, inode));
    }
    let (_, cut) = level.close(group);
    (level, cut)
}

fn names_of(level: &Level) -> Vec<String> {
    let name =
        |index| level.get(index).map(|(path, ..)| String::from_utf8_lossy(path).into_owned());
    (0..level.len()).filter_map(name).collect()
}

proptest! {
    #[test]
    fn a_level_keeps_the_first_names_whatever_order_they_come_in(
        names in prop::collection::btree_set("[a-c-]{1,4}", 0..40),
        cap in 0usize..45,
        seed in any::<u64>(),
    ) {
        // D3
        let sorted: Vec<String> = names.into_iter().collect();
        let mut shuffled = sorted.clone();
        shuffled.sort_by_key(|name| {
            name.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        });
        let (level, cut) = level_of("p", &shuffled, cap);
        let expected: Vec<String> = sorted.iter().take(cap).map(|name| format!("p/{name}")).collect();
        prop_assert_eq!(names_of(&level), expected);
        prop_assert_eq!(cut as usize, sorted.len().saturating_sub(cap));
    }
}

#[test]
fn a_directory_of_very_many_subdirectories_takes_bounded_memory() {
    // D1, D3
    let names: Vec<String> = (0..20_000).rev().map(|n| format!("{n:05}")).collect();
    let (level, cut) = level_of("", &names, 3);
    assert_eq!(names_of(&level), ["00000", "00001", "00002"]);
    assert_eq!(cut, 19_997);
    assert!(level.paths.capacity() < 20_000, "{}", level.paths.capacity());
    assert!(level.entries.capacity() < 4_000, "{}", level.entries.capacity());
}

#[test]
fn discarding_siblings_leaves_those_before_them() {
    // D1
    let (mut level, _) = level_of("a", &["x".into(), "y".into()], 9);
    let mut group = level.siblings(b"b", 9);
    level.add(&mut group, b"b", child("z", 9));
    level.discard(&group);
    assert_eq!(names_of(&level), ["a/x", "a/y"]);
    assert_eq!(level.paths, b"a/xa/y");
}

#[test]
fn appending_keeps_order_and_identity() {
    // D3
    let (one, _) = level_of("b", &["x".into()], 9);
    let (two, _) = level_of("a", &["y".into(), "z".into()], 9);
    let mut all = Level::default();
    all.append(&two, 1..2);
    all.append(&one, 0..1);
    assert_eq!(names_of(&all), ["a/z", "b/x"]);
    assert_eq!(all.get(0).unwrap().1, (1, 2));
    assert_eq!(all.get(2), None);
}

#[test]
fn what_is_cut_is_counted_with_the_first_by_name() {
    // D1
    let (mut level, _) = level_of("", &["c".into(), "a".into(), "b".into()], 9);
    let mut tally = level.cut(1);
    assert_eq!(names_of(&level), ["a"]);
    assert_eq!((tally.count, tally.first.as_deref()), (2, Some(&b"b"[..])));
    let mut other = Tally::default();
    other.add(b"a-x", b"q");
    other.add(b"a", b"q");
    tally.merge(other);
    assert_eq!((tally.count, tally.first.as_deref()), (4, Some(&b"a/q"[..])));
}

proptest! {
    #[test]
    fn the_first_of_what_is_left_out_is_first_by_path(
        paths in prop::collection::vec(("[ab-]{1,2}(/[ab-]{1,2}){0,2}|", "[ab-]{1,2}"), 1..8),
    ) {
        // D1, D3
        let mut tally = Tally::default();
        let mut all = Vec::new();
        for (parent, name) in &paths {
            tally.add(parent.as_bytes(), name.as_bytes());
            all.push(joined(parent.as_bytes(), name.as_bytes()));
        }
        all.sort_by(|a, b| path_order(a, b));
        prop_assert_eq!(tally.count, paths.len() as u64);
        prop_assert_eq!(tally.first.as_deref(), Some(&*all[0]));
    }
}

#[test]
fn a_directory_seen_before_is_dropped_once_a_link_appeared() {
    // D1
    let mut seen = Seen::default();
    let (mut first, _) = level_of("", &["a".into(), "b".into()], 9);
    seen.admit(&mut first);
    assert_eq!(names_of(&first), ["a", "b"]);
    let mut second = Level::default();
    let mut group = second.siblings(b"a", 9);
    for (name, inode) in [("link", 2), ("new", 7), ("same", 7)] {
        second.add(&mut group, b"a", Child { reached: Reached::ByLink, ..child(name, inode) });
    }
    second.close(group);
    seen.admit(&mut second);
    assert_eq!(names_of(&second), ["a/new"]);
    let (mut third, _) = level_of("c", &["x".into(), "y".into()], 9);
    seen.admit(&mut third);
    assert_eq!(names_of(&third), ["c/x", "c/y"], "no link led to inodes 1 and 2");
    let mut fourth = Level::default();
    let mut group = fourth.siblings(b"d", 9);
    fourth.add(&mut group, b"d", child("real", 7));
    fourth.add(&mut group, b"d", child("real-again", 7));
    fourth.close(group);
    seen.admit(&mut fourth);
    assert_eq!(names_of(&fourth), Vec::<String>::new(), "a link led to it before");
}

#[test]
fn nothing_is_dropped_for_sure_by_what_a_directory_is_only_supposed_to_be() {
    // D1, D7
    let check = |first: Reached, second: Reached, inode: u64, sure: bool| {
        let mut level = Level::default();
        let mut group = level.siblings(b"", 9);
        level.add(&mut group, b"", Child { reached: first, ..child("a", 1) });
        level.add(&mut group, b"", Child { reached: second, ..child("b", inode) });
        level.close(group);
        assert_eq!(Seen::default().admit(&mut level), sure, "{first:?} {second:?}");
    };
    check(Reached::Supposedly, Reached::Supposedly, 2, true);
    check(Reached::Supposedly, Reached::ByLink, 1, false);
    check(Reached::Plainly, Reached::Supposedly, 1, false);
    check(Reached::ByLink, Reached::Plainly, 1, true);
}
