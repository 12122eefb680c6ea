use super::*;
use crate::atomic::Folder;
use crate::fixture::{Ground, by, name};

fn run(ground: &Ground, place: &Place, fetched: &[Staged]) -> Outcome {
    let plan = plan(&ground.home, place).unwrap();
    sync(&ground.request(place, &by()), &plan, fetched).unwrap()
}

fn skills(ground: &Ground, place: &Place) -> Folder {
    Folder::open(&place.base(&ground.home).join(place.skills())).unwrap()
}

#[test]
fn what_is_missing_comes_back_and_what_differs_is_put_right() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        assert!(plan(&ground.home, &place).unwrap().is_empty());
        skills(&ground, &place).remove("pdf").unwrap();
        let planned = plan(&ground.home, &place).unwrap();
        assert_eq!((planned.ready.len(), planned.to_fetch.len()), (1, 0));
        assert_eq!(run(&ground, &place, &[]).done.len(), 1);
        assert_eq!(ground.version(&place, "pdf"), Some(1));
    }
    let place = ground.project();
    ground.write("project/.agents/skills/pdf/SKILL.md", "edited");
    run(&ground, &place, &[]);
    assert_eq!(ground.version(&place, "pdf"), Some(1));
    assert!(plan(&ground.home, &place).unwrap().is_empty());
    let kept = Keep::open(&ground.home).unwrap();
    let edited = kept
        .trees()
        .unwrap()
        .into_iter()
        .any(|tree| ground.text(kept.path(&tree).join("SKILL.md")) == "edited");
    assert!(edited, "what was there is kept");
}

#[test]
fn a_fresh_checkout_is_filled_from_the_lock() {
    // P3
    let ground = Ground::new();
    ground.install(&ground.project(), "pdf", 1).unwrap();
    let lock = ground.text("project/skills.lock");
    let other = Ground::new();
    other.write("project/skills.lock", &lock);
    let place = other.project();
    let planned = plan(&other.home, &place).unwrap();
    assert_eq!((planned.ready.len(), planned.to_fetch.len()), (0, 1));
    let error = sync(&other.request(&place, &by()), &planned, &[]).unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
    run(&other, &place, &[other.staged("pdf", 1)]);
    assert_eq!(other.version(&place, "pdf"), Some(1));
    assert_eq!(other.text("project/skills.lock"), lock, "the lock is the same file");
}

#[test]
fn only_what_metier_installed_is_pruned() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        let base = place.base(&ground.home);
        Folder::open(&base).unwrap().remove("skills.lock").unwrap();
        Folder::open(&base).unwrap().remove("skills.toml").unwrap();
        skills(&ground, &place).make("mine", 0o755).unwrap();
        let planned = plan(&ground.home, &place).unwrap();
        assert_eq!(planned.to_remove, [name("notes"), name("pdf")]);
        run(&ground, &place, &[]);
        assert_eq!(skills(&ground, &place).names().unwrap(), ["mine"]);
        assert!(plan(&ground.home, &place).unwrap().is_empty());
    }
}

#[test]
fn what_somebody_changed_is_left_alone() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.write("project/.agents/skills/pdf/SKILL.md", "edited");
    let project = Folder::open(&ground.path().join("project")).unwrap();
    project.remove("skills.lock").unwrap();
    project.remove("skills.toml").unwrap();
    let planned = plan(&ground.home, &place).unwrap();
    assert_eq!((planned.to_remove.len(), planned.left_alone), (0, vec![name("pdf")]));
}

#[test]
fn what_is_wanted_stays_when_its_lock_is_lost() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        let base = Folder::open(&place.base(&ground.home)).unwrap();
        let wishes = base.read("skills.toml", 4096).unwrap();
        base.remove("skills.lock").unwrap();
        let planned = plan(&ground.home, &place).unwrap();
        assert_eq!((planned.to_remove.len(), planned.left_alone.len()), (0, 0));
        assert_eq!(planned.to_lock.len(), 1, "it is locked anew");
        run(&ground, &place, &[]);
        assert_eq!(ground.version(&place, "pdf"), Some(1));
        assert_eq!(base.read("skills.toml", 4096).unwrap(), wishes);
    }
}

#[test]
fn lock_and_wishes_are_held_against_each_other() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.install(&place, "notes", 1).unwrap();
    ground.write(
        "project/skills.toml",
        "[skills]\npdf = { source = \"x\", ref = \"v2\" }\nnew = \"o/r\"\n",
    );
    let planned = plan(&ground.home, &place).unwrap();
    let wanted: Vec<&str> = planned.to_lock.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(wanted, ["new", "pdf"]);
    assert_eq!(planned.unwanted, [name("notes")]);
    assert!(!planned.is_locked());
}
