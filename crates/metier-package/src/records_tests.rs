use super::*;
use crate::fixture::{Ground, name};

#[test]
fn what_was_written_is_read_back() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let records = Records::read(&ground.home, &place).unwrap();
    let installed = records.installed(&ground.home, &place, &name("pdf")).unwrap();
    assert_eq!(installed.pinned, *records.lock.get(&name("pdf")).unwrap());
    assert_eq!(installed.at, "2031-05-06T07:08:09");
    assert_eq!(records.installed(&ground.home, &place, &name("x")), None);
    let text = serde_json::to_string(&installed).unwrap();
    assert_eq!(serde_json::from_str::<Installed>(&text).unwrap(), installed);
}

#[test]
fn records_that_are_not_as_they_were_written_are_errors() {
    // P3
    let check = |file: &str, bytes: &[u8], expect: fn(&RecordError) -> bool| {
        let ground = Ground::new();
        ground.install(&Place::Personal, "pdf", 1).unwrap();
        ground.write(file, bytes);
        let error = Records::read(&ground.home, &Place::Personal).unwrap_err();
        assert!(expect(&error), "{file}: {error}");
        let error = ground.install(&Place::Personal, "pdf", 2).unwrap_err();
        assert!(matches!(error, crate::ChangeError::Record(_)), "{error}");
        assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1), "{file}: nothing was done");
    };
    check("home/skills.lock", b"version = 9\n", |e| matches!(e, RecordError::Lock(_)));
    check(
        "home/skills.lock",
        b"version = 1\n\n\xff",
        |e| matches!(e, RecordError::Lock(lock) if lock.line == 3),
    );
    check("home/skills.toml", b"[skills", |e| matches!(e, RecordError::Lock(_)));
    check("home/registry.json", b"[]", |e| matches!(e, RecordError::Damaged { .. }));
    check("home/generations.json", b"{\"a\":", |e| matches!(e, RecordError::Damaged { .. }));
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let home = Folder::open(ground.home.path()).unwrap();
    home.remove("skills.lock").unwrap();
    home.make("skills.lock", 0o755).unwrap();
    let error = Records::read(&ground.home, &Place::Personal).unwrap_err();
    assert!(matches!(error, RecordError::Disk(_)), "{error}");
}

#[test]
fn a_directory_has_one_key_however_one_gets_there() {
    // P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    rustix::fs::symlink("home", ground.path().join("way")).unwrap();
    let straight = key(&ground.home, &ground.path().join("home/skills/pdf"));
    let around = key(&Home::new(ground.path().join("way")), &ground.path().join("way/skills/pdf"));
    assert_eq!(straight.as_deref(), Some("home:skills/pdf"));
    assert_eq!(straight, around);
    assert_eq!(key(&ground.home, Path::new("/nowhere/at/all")), None);
}

#[test]
fn only_so_many_generations_are_remembered() {
    // P3
    let ground = Ground::new();
    for version in 1..=13 {
        ground.install(&Place::Personal, "pdf", version).unwrap();
    }
    let records = Records::read(&ground.home, &Place::Personal).unwrap();
    assert_eq!(records.earlier(&name("pdf")).len(), MAX_GENERATIONS);
}
