use super::*;

const ONE: &str = "1111111111111111111111111111111111111111";

fn repository() -> (tempfile::TempDir, PathBuf) {
    let cache = tempfile::tempdir().unwrap();
    let directory = place(cache.path(), "https://host.example/owner/repo");
    drop(take(&directory).unwrap());
    (cache, directory)
}

fn config(directory: &Path) -> String {
    fs::read_to_string(directory.join("config")).unwrap()
}

#[test]
fn a_new_repository_is_there_whole() {
    // P2
    let (_cache, directory) = repository();
    assert!(directory.join("objects/pack").is_dir() && directory.join("HEAD").is_file());
    assert!(!directory.with_extension("new").exists());
    assert!(config(&directory).contains("bare = true"));
}

#[test]
fn every_address_has_a_place_of_its_own() {
    // P1
    let at = |url: &str| place(Path::new("/cache"), url);
    assert_ne!(at("https://host.example/a"), at("https://host.example/b"));
    let name = at("https://host.example/../../x").file_name().unwrap().to_owned();
    assert_eq!(at("https://host.example/../../x"), Path::new("/cache/git").join(&name));
    assert_eq!(name.len(), 36);
}

#[test]
fn a_repository_with_other_ids_is_made_anew() {
    // P1
    let (_cache, directory) = repository();
    fs::write(directory.join("objects/pack/x"), "").unwrap();
    fit(&directory, Ids::of(ONE)).unwrap();
    assert!(directory.join("objects/pack/x").exists());
    fit(&directory, Ids::of(&"1".repeat(64))).unwrap();
    assert!(!directory.join("objects/pack/x").exists() && config(&directory).contains("sha256"));
    fit(&directory, Ids::Long).unwrap();
    fit(&directory, Ids::Short).unwrap();
    assert!(!config(&directory).contains("sha256"));
}

#[test]
fn what_servers_said_is_remembered_by_what_was_asked() {
    // P1
    let (_cache, directory) = repository();
    let pointed = Pointed { object: "2".repeat(40), commit: ONE.to_owned() };
    assert_eq!(remembered(&directory, None), None);
    remember(&directory, None, &pointed).unwrap();
    remember(&directory, None, &pointed).unwrap();
    assert_eq!(remembered(&directory, None), Some(pointed));
    assert_eq!(remembered(&directory, Some("../../x")), None);
    for broken in ["", "x y", "--upload-pack=x 1", &format!("{ONE} {ONE}x")] {
        fs::write(memory(&directory, Some("v1")), broken).unwrap();
        assert_eq!(remembered(&directory, Some("v1")), None, "{broken}");
    }
}

#[test]
fn what_a_killed_git_left_is_removed_and_the_rest_is_not() {
    // P2
    let (_cache, directory) = repository();
    let left = ["shallow.lock", "objects/pack/tmp_pack_x", "refs/metier/x.lock"];
    let good = ["shallow", "objects/pack/pack-1.pack", "refs/metier/x"];
    for path in left.iter().chain(&good) {
        fs::write(directory.join(path), "x").unwrap();
    }
    let turn = take(&directory).unwrap();
    assert!(left.iter().all(|path| !directory.join(path).exists()));
    assert!(good.iter().all(|path| directory.join(path).exists()));
    assert_eq!(size_of(&directory.join("objects/pack")), 1);
    drop(turn);
    fs::remove_file(directory.join("config")).unwrap();
    drop(take(&directory).unwrap());
    assert!(directory.join("config").is_file() && !directory.join("shallow").exists());
}

#[test]
fn one_at_a_time_has_a_repository() {
    // P5
    let (_cache, directory) = repository();
    let turn = take(&directory).unwrap();
    let lock = File::open(directory.with_extension("lock")).unwrap();
    assert!(lock.try_lock().is_err());
    drop(turn);
    assert!(lock.try_lock().is_ok());
}
