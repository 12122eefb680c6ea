use super::*;
use crate::fixture::Ground;

fn stage(keep: &Keep, ground: &Ground, version: u32) -> Arriving {
    let staged = ground.staged("pdf", version);
    keep.stage(&staged.tree, &staged.directory, 0).unwrap()
}

#[test]
fn a_tree_is_kept_once_and_read_only() {
    // P2
    let ground = Ground::new();
    let keep = Keep::open(&ground.home).unwrap();
    let turn = Turn::take(&ground.home).unwrap();
    let first = stage(&keep, &ground, 1);
    assert!(!keep.holds(&first.tree), "not before it is published");
    keep.publish(std::slice::from_ref(&first), &turn).unwrap();
    assert!(keep.holds(&first.tree));
    let again = stage(&keep, &ground, 1);
    assert!(again.draft.is_none());
    keep.publish(std::slice::from_ref(&again), &turn).unwrap();
    assert_eq!(keep.trees().unwrap(), [first.tree.as_str()]);
    for path in ["SKILL.md", "scripts", "scripts/run.sh", ""] {
        let mode = rustix::fs::stat(keep.path(&first.tree).join(path)).unwrap().st_mode;
        assert_eq!(mode & 0o222, 0, "{path}");
    }
    keep.remove(&first.tree, &turn).unwrap();
    assert!(keep.trees().unwrap().is_empty());
}

#[test]
fn a_damaged_copy_is_replaced_by_a_sound_one() {
    // P2
    let ground = Ground::new();
    let keep = Keep::open(&ground.home).unwrap();
    let turn = Turn::take(&ground.home).unwrap();
    let tree = stage(&keep, &ground, 1);
    keep.publish(std::slice::from_ref(&tree), &turn).unwrap();
    let file = keep.path(&tree.tree).join("extra");
    rustix::fs::symlink("x", file)
        .or_else(|_| {
            let folder = Folder::open(&keep.path(&tree.tree)).unwrap();
            folder.set_mode(0o755).unwrap();
            rustix::fs::symlink("x", keep.path(&tree.tree).join("extra"))
        })
        .unwrap();
    assert!(!keep.holds(&tree.tree));
    let sound = stage(&keep, &ground, 1);
    keep.publish(std::slice::from_ref(&sound), &turn).unwrap();
    assert!(keep.holds(&tree.tree));
}

#[test]
fn two_who_bring_the_same_tree_do_not_meet() {
    // P5
    let ground = Ground::new();
    let keep = Keep::open(&ground.home).unwrap();
    let turn = Turn::take(&ground.home).unwrap();
    let staged = ground.staged("pdf", 1);
    let first = keep.stage(&staged.tree, &staged.directory, 0).unwrap();
    let second = keep.stage(&staged.tree, &staged.directory, 1).unwrap();
    keep.publish(std::slice::from_ref(&first), &turn).unwrap();
    keep.publish(std::slice::from_ref(&second), &turn).unwrap();
    assert_eq!(Folder::open(&ground.home.store()).unwrap().names().unwrap(), [first.tree.as_str()]);
    let third = stage(&keep, &ground, 2);
    keep.discard(&third);
    assert_eq!(keep.trees().unwrap().len(), 1);
}

#[test]
fn what_processes_left_behind_is_swept_and_what_others_make_is_not() {
    // P5
    let ground = Ground::new();
    let keep = Keep::open(&ground.home).unwrap();
    let turn = Turn::take(&ground.home).unwrap();
    let mine = stage(&keep, &ground, 1);
    let store = Folder::open(&ground.home.store()).unwrap();
    store.make(format!("{DRAFT}{}-7-0", u32::MAX), 0o755).unwrap();
    store.make(format!("{DRAFT}nonsense"), 0o755).unwrap();
    assert_eq!(keep.sweep(&turn).unwrap(), 2);
    keep.publish(std::slice::from_ref(&mine), &turn).unwrap();
    assert!(keep.holds(&mine.tree));
}
