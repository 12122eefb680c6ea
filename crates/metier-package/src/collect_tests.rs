use super::*;
use crate::fixture::Ground;

#[test]
fn only_what_nothing_names_is_collected() {
    // P3
    let ground = Ground::new();
    let project = ground.project();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    ground.install(&project, "notes", 1).unwrap();
    ground.install(&project, "notes", 2).unwrap();
    let lazy = collect(&ground.home, Thoroughness::KeepEarlier).unwrap();
    assert_eq!((lazy.trees.len(), lazy.kept, lazy.drafts), (0, 4, 0));
    let foreseen = collectable(&ground.home, Thoroughness::OnlyInstalled).unwrap();
    let thorough = collect(&ground.home, Thoroughness::OnlyInstalled).unwrap();
    assert_eq!((thorough.trees.len(), thorough.kept), (2, 2));
    assert_eq!(foreseen, thorough, "and saying so removed nothing");
    for place in [Place::Personal, project] {
        let skill = if place == Place::Personal { "pdf" } else { "notes" };
        assert_eq!(ground.version(&place, skill), Some(2));
    }
    let error = ground.rollback(&Place::Personal, "pdf").unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
}

#[test]
fn what_was_removed_stays_until_it_is_collected() {
    // P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.remove(&Place::Personal, "pdf").unwrap();
    assert_eq!(collect(&ground.home, Thoroughness::KeepEarlier).unwrap().trees.len(), 0);
    ground.rollback(&Place::Personal, "pdf").unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    ground.remove(&Place::Personal, "pdf").unwrap();
    assert_eq!(collect(&ground.home, Thoroughness::OnlyInstalled).unwrap().trees.len(), 1);
    assert_eq!(collect(&ground.home, Thoroughness::OnlyInstalled).unwrap(), Collected::default());
}

#[test]
fn a_home_that_keeps_nothing_stays_as_it_is() {
    // P3
    let ground = Ground::new();
    for collect in [collect, collectable] {
        assert_eq!(
            collect(&ground.home, Thoroughness::OnlyInstalled).unwrap(),
            Collected::default()
        );
    }
    assert!(existing(&ground.home.store()).unwrap().is_none());
}

#[test]
fn nothing_goes_while_nobody_can_say_what_somebody_wrote() {
    // P3, P5
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    ground.write("home/replaced.jsonl", "{}\n");
    for how in [Thoroughness::KeepEarlier, Thoroughness::OnlyInstalled] {
        let error = collect(&ground.home, how).unwrap_err();
        assert!(matches!(error, ChangeError::Record(_)), "{error}");
    }
    assert_eq!(Keep::open(&ground.home).unwrap().trees().unwrap().len(), 2);
}
