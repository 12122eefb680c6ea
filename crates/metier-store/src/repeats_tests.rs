use std::os::unix::fs::symlink;
use std::path::Path;

use metier_testing::World;

use super::{Place, remove, repeats};
use crate::layer::{Layer, Root, RootId};
use crate::memory_store::MemoryStore;
use crate::store::Store as _;

fn root(world: &World, name: &str) -> Root {
    let root = MemoryStore::new(Layer::Personal).roots()[0].clone();
    Root { path: world.path().join(name), ..root }
}

fn place(root: u16, path: &str, inode: u64) -> Place<'_> {
    let identity = if inode == 0 { (0, 0) } else { (1, inode) };
    Place { identity, root: RootId(root), path: Path::new(path) }
}

#[test]
fn the_first_of_several_ways_to_a_directory_keeps_it() {
    // D1, D3
    let world = World::new();
    world.skill("one", "a", "A skill.");
    world.skill("one", "b", "Another.");
    symlink("one", world.path().join("two")).unwrap();
    let roots = [root(&world, "one"), root(&world, "two")];
    let check =
        |places: &[Place<'_>], expect: &[usize]| assert_eq!(repeats(places, &roots), expect);
    let (a, b, same) = (place(0, "a", 5), place(0, "b", 6), place(1, "a", 5));
    check(&[a, b, same], &[2]);
    check(&[same, b, a], &[2]);
    check(&[a, b], &[]);
    check(&[a, same, place(1, "b", 6), b], &[1, 3]);
}

#[test]
fn directories_that_only_look_the_same_are_both_kept() {
    // D1
    let world = World::new();
    world.skill("one", "a", "A skill.");
    world.skill("one", "b", "Another.");
    let roots = [root(&world, "one")];
    assert_eq!(repeats(&[place(0, "a", 5), place(0, "b", 5)], &roots), [0; 0]);
}

#[test]
fn what_is_not_on_disk_is_always_itself() {
    // D9
    assert_eq!(repeats(&[place(0, "a", 0), place(0, "a", 0)], &[]), [0; 0]);
    assert_eq!(repeats(&[place(0, "a", 3), place(0, "a", 3)], &[]), [1], "a store far away");
}

#[test]
fn elements_are_removed_by_index() {
    // D3
    let check = |indices: &[usize], expect: &[char]| {
        let mut list = vec!['a', 'b', 'c', 'd'];
        remove(&mut list, indices);
        assert_eq!(list, expect);
    };
    check(&[], &['a', 'b', 'c', 'd']);
    check(&[0, 3], &['b', 'c']);
    check(&[1, 2, 9], &['a', 'd']);
}
