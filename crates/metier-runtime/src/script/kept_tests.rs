#![expect(clippy::disallowed_methods, reason = "tests plant what uv would make, and worse")]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use metier_sandbox::Cancel;

use super::{Kept, Unkept};

const LARGE: u64 = 1 << 30;

/// A place in which uv has made one environment.
fn made(world: &Path) -> (Kept, PathBuf) {
    let kept = Kept::new(&world.canonicalize().unwrap().join("caches"), "key");
    let _lock = kept.lock(&Cancel::never()).unwrap();
    kept.begin().unwrap();
    let environment = kept.made().join("environments-v2/go-1");
    std::fs::create_dir_all(environment.join("bin")).unwrap();
    symlink("/bin/sh", environment.join("bin/python")).unwrap();
    (kept, environment)
}

#[test]
fn an_environment_is_found_by_looking_and_kept_once_it_is_whole() {
    // R3, R6
    let world = tempfile::tempdir().unwrap();
    let (kept, environment) = made(world.path());
    std::fs::create_dir(kept.made().join("archive-v0")).unwrap();
    std::fs::write(kept.made().join("CACHEDIR.TAG"), "").unwrap();
    assert_eq!(kept.ready(), None, "uv has not ended");
    let found = kept.finish(LARGE).unwrap();
    assert_eq!(found.directory, environment);
    assert_eq!(found.python, environment.join("bin/python"));
    assert_eq!(kept.ready(), Some(found));
    assert_eq!(std::fs::read_dir(kept.made()).unwrap().count(), 1, "the rest is not needed");
    // Its interpreter was removed from the machine: it is made again.
    std::fs::remove_file(environment.join("bin/python")).unwrap();
    symlink("/no/such/python", environment.join("bin/python")).unwrap();
    assert_eq!(kept.ready(), None);
    kept.clear().unwrap();
    kept.clear().unwrap();
    assert!(!kept.made().exists());
}

#[test]
fn links_and_dots_lead_nowhere() {
    // R6
    let check = |plant: &dyn Fn(&Kept, &Path)| {
        let world = tempfile::tempdir().unwrap();
        let (kept, environment) = made(world.path());
        let secret = world.path().join("secret/go-1/bin");
        std::fs::create_dir_all(&secret).unwrap();
        std::fs::write(secret.join("python"), "").unwrap();
        plant(&kept, &environment);
        assert!(matches!(kept.finish(LARGE), Err(Unkept::Strange)));
        assert_eq!(kept.ready(), None);
    };
    let secret = |kept: &Kept| kept.place().ancestors().nth(2).unwrap().join("secret");
    check(&|kept, environment| {
        std::fs::remove_dir_all(environment).unwrap();
        symlink(secret(kept).join("go-1"), environment).unwrap();
    });
    check(&|kept, environment| {
        std::fs::remove_dir_all(environment.join("bin")).unwrap();
        symlink(secret(kept).join("go-1/bin"), environment.join("bin")).unwrap();
    });
    check(&|kept, environment| {
        let environments = environment.parent().unwrap();
        std::fs::remove_dir_all(environments).unwrap();
        symlink(secret(kept), environments).unwrap();
    });
    check(&|kept, _| {
        std::fs::remove_dir_all(kept.made()).unwrap();
        symlink(secret(kept), kept.made()).unwrap();
    });
    check(&|_, environment| std::fs::create_dir(environment.with_file_name("go-2")).unwrap());
    check(&|_, environment| std::fs::remove_dir_all(environment).unwrap());
    // A name that would lead elsewhere is not one.
    let world = tempfile::tempdir().unwrap();
    let (kept, environment) = made(world.path());
    let name = environment.file_name().unwrap().to_str().unwrap();
    for text in ["", "..", ".", "../environments-v2/go-1", "/", &format!("./{name}/../{name}")] {
        std::fs::write(kept.place().join("ready"), text).unwrap();
        assert_eq!(kept.ready(), None, "{text}");
    }
}

#[test]
fn what_takes_too_much_of_the_disk_is_not_kept() {
    // R4
    let world = tempfile::tempdir().unwrap();
    let (kept, environment) = made(world.path());
    std::fs::write(environment.join("large"), vec![b'x'; 1 << 20]).unwrap();
    assert!(!kept.exceeds(LARGE));
    assert!(matches!(kept.finish(1 << 20), Err(Unkept::TooLarge(_))));
    assert_eq!(kept.ready(), None);
}

#[test]
fn the_oldest_environments_make_room() {
    // R4
    let world = tempfile::tempdir().unwrap();
    let caches = world.path().canonicalize().unwrap().join("caches");
    for number in 0..super::MAX_ENVIRONMENTS + 3 {
        std::fs::create_dir_all(caches.join(format!("old-{number}"))).unwrap();
    }
    let (kept, _) = made(world.path());
    assert_eq!(std::fs::read_dir(&caches).unwrap().count(), super::MAX_ENVIRONMENTS);
    assert!(kept.made().exists());
}

#[test]
fn what_others_make_or_used_of_late_is_not_what_makes_room() {
    // R4, P5
    let world = tempfile::tempdir().unwrap();
    let caches = world.path().canonicalize().unwrap().join("caches");
    let place = |number: usize| Kept::new(&caches, &format!("old-{number}"));
    for number in 0..super::MAX_ENVIRONMENTS + 3 {
        std::fs::create_dir_all(place(number).made().join("environments-v2/e/bin")).unwrap();
        symlink("/bin/sh", place(number).made().join("environments-v2/e/bin/python")).unwrap();
        std::fs::write(place(number).place().join("ready"), "e").unwrap();
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
        let file = std::fs::File::open(place(number).place().join("ready")).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    // The oldest is being made anew, the second oldest has just been used.
    std::fs::remove_file(place(0).place().join("ready")).unwrap();
    let _making = place(0).lock(&Cancel::never()).unwrap();
    assert!(place(1).ready().is_some());
    let (kept, _) = made(world.path());
    assert!(place(0).made().exists() && place(1).made().exists() && kept.made().exists());
    assert!(!place(2).place().exists() && !place(3).place().exists());
    assert_eq!(std::fs::read_dir(&caches).unwrap().count(), super::MAX_ENVIRONMENTS);
}

#[test]
fn whoever_waits_for_another_to_make_it_can_be_stopped() {
    // R4
    let world = tempfile::tempdir().unwrap();
    let kept = Kept::new(world.path(), "key");
    let _making = kept.lock(&Cancel::never()).unwrap();
    let cancel = Cancel::new().unwrap();
    let error = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| kept.lock(&cancel).unwrap_err());
        cancel.cancel();
        waiting.join().unwrap()
    });
    assert_eq!(error.kind(), std::io::ErrorKind::Interrupted);
}
