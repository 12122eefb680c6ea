#![expect(clippy::disallowed_methods, reason = "tests plant what is in the way")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{
    InstallError, Installed, copy_in, install_plugin, installed, is_one_file, is_removable,
    remove_plugin,
};

#[test]
fn the_plugin_is_a_copy_and_what_was_there_is_kept() {
    // U4
    let plugins = tempfile::tempdir().unwrap();
    let directory = plugins.path().join("agent-skills");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("agent-skills"), "#!/bin/sh\n").unwrap();
    for _ in 0..2 {
        let copy = install_plugin(plugins.path()).unwrap();
        let found = fs::symlink_metadata(&copy).unwrap();
        assert!(found.is_file() && found.permissions().mode() & 0o111 == 0o111);
        assert_eq!(found.len(), fs::metadata(std::env::current_exe().unwrap()).unwrap().len());
    }
    assert_eq!(fs::read_to_string(directory.join("agent-skills.before")).unwrap(), "#!/bin/sh\n");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "nothing half done stays");
}

#[test]
fn a_plugin_that_is_one_file_is_kept_and_put_back() {
    // U4, P7
    let plugins = tempfile::tempdir().unwrap();
    let plugins = plugins.path();
    let file = plugins.join("agent-skills");
    fs::write(&file, "mine").unwrap();
    assert_eq!((installed(plugins), is_one_file(plugins)), (Installed::Foreign, true));
    install_plugin(plugins).unwrap();
    assert_eq!(installed(plugins), Installed::Current);
    assert_eq!(fs::read_dir(plugins).unwrap().count(), 1, "the host starts what is beside it");
    let kept = file.join("agent-skills.before-file");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
    // Somebody's skills keep the directory, and the file waits.
    fs::create_dir(file.join("skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
    fs::remove_dir(file.join("skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(fs::read_dir(plugins).unwrap().count(), 1);
    // What was begun and not brought to an end is.
    fs::create_dir(plugins.join(".agent-skills.making")).unwrap();
    fs::rename(&file, plugins.join(".agent-skills.making/agent-skills.before-file")).unwrap();
    install_plugin(plugins).unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
    fs::write(plugins.join("file"), "").unwrap();
    let error = install_plugin(&plugins.join("file")).unwrap_err();
    assert!(matches!(error, InstallError::Disk { .. }), "{error}");
}

#[test]
fn no_plugin_that_was_there_is_lost_when_others_come() {
    // U4
    let plugins = tempfile::tempdir().unwrap();
    let plugins = plugins.path();
    fs::create_dir(plugins.join("agent-skills")).unwrap();
    for text in ["first", "second", "third"] {
        let _ = fs::remove_file(copy_in(plugins));
        fs::write(copy_in(plugins), text).unwrap();
        assert_eq!(installed(plugins), Installed::Foreign);
        install_plugin(plugins).unwrap();
    }
    let kept = |name: &str| fs::read_to_string(plugins.join("agent-skills").join(name)).unwrap();
    assert_eq!(kept("agent-skills.before"), "first");
    assert_eq!(kept("agent-skills.before-3"), "third");
    for number in 4..=100 {
        let path = plugins.join(format!("agent-skills/agent-skills.before-{number}"));
        fs::write(path, "").unwrap();
    }
    fs::remove_file(copy_in(plugins)).unwrap();
    fs::write(copy_in(plugins), "one more").unwrap();
    assert!(matches!(install_plugin(plugins).unwrap_err(), InstallError::TooMany(_)));
    assert_eq!(kept("agent-skills"), "one more");
    fs::remove_file(copy_in(plugins)).unwrap();
    assert!(is_removable(plugins), "the first one can be put back");
    remove_plugin(plugins).unwrap();
    assert_eq!(kept("agent-skills"), "first");
}

#[test]
fn removing_puts_back_what_was_there_and_touches_nothing_of_others() {
    // U4, P7
    let plugins = tempfile::tempdir().unwrap();
    let plugins = plugins.path();
    assert_eq!((installed(plugins), remove_plugin(plugins).unwrap()), (Installed::No, None));
    fs::create_dir(plugins.join("agent-skills")).unwrap();
    fs::write(copy_in(plugins), "#!/bin/sh\n").unwrap();
    assert_eq!((installed(plugins), remove_plugin(plugins).unwrap()), (Installed::Foreign, None));
    install_plugin(plugins).unwrap();
    assert_eq!(installed(plugins), Installed::Current);
    assert_eq!(remove_plugin(plugins).unwrap(), Some(copy_in(plugins)));
    assert_eq!(fs::read_to_string(copy_in(plugins)).unwrap(), "#!/bin/sh\n");
    fs::remove_file(copy_in(plugins)).unwrap();
    install_plugin(plugins).unwrap();
    // Another metier.
    let mut bytes = fs::read(copy_in(plugins)).unwrap();
    bytes.push(0);
    fs::write(copy_in(plugins), bytes).unwrap();
    assert_eq!(installed(plugins), Installed::Stale);
    install_plugin(plugins).unwrap();
    assert_eq!(installed(plugins), Installed::Current);
    fs::create_dir(plugins.join("agent-skills/skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert!(plugins.join("agent-skills/skills").is_dir(), "somebody's skills stay");
    install_plugin(plugins).unwrap();
    fs::remove_dir(plugins.join("agent-skills/skills")).unwrap();
    remove_plugin(plugins).unwrap();
    assert_eq!(fs::read_dir(plugins).unwrap().count(), 0);
}
