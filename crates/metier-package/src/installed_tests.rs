use super::*;
use crate::atomic::faults::{self, Fault};
use crate::fixture::{Ground, name};

#[test]
fn an_account_has_everything_that_is_written_down() {
    // P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    let account = account(&ground.home, &Place::Personal, &name("pdf")).unwrap().unwrap();
    assert_eq!(account.receipt.unwrap().tree, account.pinned.tree);
    assert_eq!(account.want.unwrap().requested.as_deref(), Some("main"));
    assert_eq!(account.approval.unwrap().tree, account.pinned.tree);
    assert_eq!(account.earlier.len(), 1);
    let nobody = super::account(&ground.home, &Place::Personal, &name("nobody")).unwrap();
    assert_eq!(nobody, None);
    assert_eq!(list(&ground.home, &ground.project()).unwrap(), []);
}

#[test]
fn looking_repairs_what_nobody_is_at() {
    // P5
    let ground = Ground::new();
    assert_eq!(repair(&ground.home).unwrap(), None);
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let update = || drop(ground.install(&Place::Personal, "pdf", 2));
    // Twice, because the second time the tree is kept already.
    update();
    ground.rollback(&Place::Personal, "pdf").unwrap();
    let (_, calls) = faults::with(None, update);
    ground.rollback(&Place::Personal, "pdf").unwrap();
    let _ = faults::with(Some((calls.len() - 2, Fault::Gone)), update);
    let turn = Turn::take(&ground.home).unwrap();
    assert_eq!(repair(&ground.home).unwrap(), None, "somebody is at it");
    drop(turn);
    let repaired = repair(&ground.home).unwrap().unwrap();
    assert!(repaired.finished && repaired.names == ["pdf"]);
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(2));
}
